package page

import "strconv"

// A path is shapes of one class. Colours come with the class, so that they can be others on dark pages and on paper.
type path struct {
	Class string
	D     string // the shapes
}

// An artist collects shapes by class, in the order in which classes are first used.
type artist struct {
	classes []string
	shapes  map[string][]byte
}

func (a *artist) add(class string, draw func([]byte) []byte) {
	if a.shapes == nil {
		a.shapes = map[string][]byte{}
	}
	d, known := a.shapes[class]
	if !known {
		a.classes = append(a.classes, class)
	}
	a.shapes[class] = draw(d)
}

// run draws a row of a map from one column to before another: a line that is as thick as the row.
func (a *artist) run(class string, row, from, to int) {
	a.add(class, func(d []byte) []byte {
		d = strconv.AppendInt(append(d, 'M'), int64(from), 10)
		d = strconv.AppendInt(append(d, ' '), int64(row), 10)
		return strconv.AppendInt(append(d, 'h'), int64(to-from), 10)
	})
}

// bar draws a part of a column, with a gap to the next one if there is room for it.
func (a *artist) bar(class string, column int, gap, top, bottom float64) {
	if top >= bottom {
		return
	}
	a.add(class, func(d []byte) []byte {
		d = number(append(d, 'M'), float64(column)+gap/2)
		d = number(append(d, ' '), top)
		d = number(append(d, 'h'), 1-gap)
		d = number(append(d, 'v'), bottom-top)
		return append(number(append(d, 'h'), gap-1), 'z')
	})
}

func (a *artist) paths() []path {
	out := make([]path, len(a.classes))
	for i, class := range a.classes {
		out[i] = path{Class: class, D: string(a.shapes[class])}
	}
	return out
}

// number writes a coordinate, to a hundredth.
func number(dst []byte, x float64) []byte {
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', 2, 64)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	if dst[len(dst)-1] == '.' {
		dst = dst[:len(dst)-1]
	}
	if string(dst[from:]) == "-0" {
		dst = append(dst[:from], '0')
	}
	return dst
}
