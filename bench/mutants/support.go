package main

// support is a file put beside those of the mutated package. All mutants are compiled into one program, which an environment variable
// turns into one of them; so a mutant costs no more than the tests that it takes to find it.
const support = `

import (
	"cmp"
	"os"
	"strconv"
	"sync"
)

var (
	mutantChosen, _ = strconv.Atoi(os.Getenv("` + chosenVariable + `"))
	mutantReached   = os.Getenv("` + reachedVariable + `")
	mutantSeen      = map[int]bool{}
	mutantLock      sync.Mutex
)

// mutant says whether the program is this mutant.
func mutant(id int) bool {
	if mutantReached != "" {
		mutantNote(id)
	}
	return id == mutantChosen
}

// mutantNote writes down that a test comes by this mutant.
func mutantNote(id int) {
	mutantLock.Lock()
	defer mutantLock.Unlock()
	if mutantSeen[id] {
		return
	}
	mutantSeen[id] = true
	f, err := os.OpenFile(mutantReached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	if _, err := f.WriteString(strconv.Itoa(id) + "\n"); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantZero[T any](id int, v T) T {
	if mutant(id) {
		return *new(T)
	}
	return v
}

func mutantPlus[T mutantNumber](id int, v T) T {
	if mutant(id) {
		return v + 1
	}
	return v
}

func mutantNumberOff[T mutantNumber](id int, v T) T {
	if mutant(id + 1) {
		return v - 1
	}
	return mutantPlus(id, v)
}

func mutantLess[T cmp.Ordered](id int, a, b T) bool {
	if mutant(id) {
		return a <= b
	}
	return (a < b) != mutant(id+1)
}

func mutantGreater[T cmp.Ordered](id int, a, b T) bool { return mutantLess(id, b, a) }

func mutantLessOrEqual[T cmp.Ordered](id int, a, b T) bool {
	if mutant(id) {
		return a < b
	}
	return (a <= b) != mutant(id+1)
}

func mutantGreaterOrEqual[T cmp.Ordered](id int, a, b T) bool { return mutantLessOrEqual(id, b, a) }

func mutantAdd[T mutantNumber](id int, a, b T) T {
	if mutant(id) {
		return a - b
	}
	return a + b
}

func mutantSubtract[T mutantNumber](id int, a, b T) T {
	if mutant(id) {
		return a + b
	}
	return a - b
}

func mutantMultiply[T mutantNumber](id int, a, b T) T {
	if mutant(id) {
		return a / b
	}
	return a * b
}

func mutantDivide[T mutantNumber](id int, a, b T) T {
	if mutant(id) {
		return a * b
	}
	return a / b
}

func mutantMin[T cmp.Ordered](id int, a T, more ...T) T {
	for _, b := range more {
		if (b < a) != mutant(id) {
			a = b
		}
	}
	return a
}

func mutantMax[T cmp.Ordered](id int, a T, more ...T) T {
	for _, b := range more {
		if (b > a) != mutant(id) {
			a = b
		}
	}
	return a
}
`
