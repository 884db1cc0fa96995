package page

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
)

// separator stands between thousands: a narrow space at which lines do not break.
const separator = "\u202f"

// grouped writes a whole number with thousands apart.
func grouped[T int | int32 | int64](n T) string { return group(strconv.FormatInt(int64(n), 10)) }

// measured writes a number as briefly as two decimals allow, with thousands apart.
func measured(x float64) string {
	whole, rest, decimals := strings.Cut(output.Number(x), ".")
	if !decimals {
		return group(whole)
	}
	return group(whole) + "." + rest
}

func group(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if len(digits) < 5 { // four digits are read as easily without
		return sign + digits
	}
	head := len(digits) % 3
	parts := []string{}
	if head > 0 {
		parts = append(parts, digits[:head])
	}
	for i := head; i < len(digits); i += 3 {
		parts = append(parts, digits[i:i+3])
	}
	return sign + strings.Join(parts, separator)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// exact is a number as JSON has it, "" if it is shown exactly anyway.
func exact(x float64, shown string) string {
	if math.IsNaN(x) {
		return ""
	}
	text, err := json.Marshal(x)
	if err != nil || string(text) == strings.ReplaceAll(shown, separator, "") {
		return ""
	}
	return string(text)
}
