package main

import (
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// charted is the scenario that is drawn.
const charted = "join"

const chartTitle = "How long partitions are silent when a third member joins"

// Where things are in the chart.
const (
	chartWidth = 820
	chartLeft  = 280 // of the axis
	chartRight = 690
	chartTop   = 112
	chartRow   = 24 // stay and move have one each
	chartGap   = 14 // between clients
	chartFirst = 10.0
	chartLast  = 10_000.0 // ms; the axis is logarithmic
)

// chartStyle has colours for dark pages. Those for others are at the shapes, for programs that know no styles.
const chartStyle = `<style>
@media (prefers-color-scheme: dark) {
  .page { fill: #161b22 } .text { fill: #e6edf3 } .faint { fill: #9aa4af } .grid { stroke: #343c46 }
  .move { stroke: #f0883e; fill: #f0883e } .stay { stroke: #6cb6ff; fill: #161b22 } .control { stroke: #9aa4af }
}
</style>`

// writeChart draws, for each client, the median and the longest of the silences of partitions that stay and of those that move, and as
// a line the median of the control reader's.
func (r *Report) writeChart(w io.Writer) error {
	rows := r.chartRows()
	if len(rows) == 0 {
		return errors.New("there is nothing to draw a chart of: no client has joined")
	}
	bottom := chartTop + len(rows)*(2*chartRow+chartGap)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" font-family="system-ui, sans-serif" font-size="13">`+"\n",
		chartWidth, bottom+58)
	fmt.Fprintf(&b, "<title>%s</title>\n%s\n", chartTitle, chartStyle)
	fmt.Fprintf(&b, `<rect class="page" width="%d" height="%d" rx="6" fill="#ffffff"/>`+"\n", chartWidth, bottom+58)
	chartText(&b, "text", 24, 32, "start", `font-size="16" font-weight="600"`, chartTitle)
	chartText(&b, "faint", 24, 54, "start", "", fmt.Sprintf("The longest time in which nothing of a partition was delivered. Real brokers, %d partitions, a record each %v.",
		r.Settings.Partitions, r.Settings.Every))
	chartText(&b, "faint", chartWidth-24, chartTop-16, "end", "", "median / longest")
	drawAxis(&b, bottom)
	drawControl(&b, bottom, rows)
	for i, row := range rows {
		y := chartTop + i*(2*chartRow+chartGap) + chartRow/2
		chartText(&b, "text", 24, y+5, "start", `font-weight="600"`, row.Client)
		drawSilences(&b, "stay", y, row.collect(ofKept))
		drawSilences(&b, "move", y+chartRow, row.collect(ofMoved))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// chartRows are those of one broker, or of three if there are no others.
func (r *Report) chartRows() []*Row {
	for _, brokers := range []int{1, 3} {
		var list []*Row
		for i := range r.Rows {
			if row := &r.Rows[i]; row.Scenario == charted && row.Brokers == brokers && len(row.Runs) > 0 {
				list = append(list, row)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// chartX is where a time is on the axis, in ms.
func chartX(ms float64) float64 {
	part := math.Log(max(chartFirst, min(chartLast, ms))/chartFirst) / math.Log(chartLast/chartFirst)
	return chartLeft + part*(chartRight-chartLeft)
}

func chartText(b *strings.Builder, class string, x, y int, anchor, more, text string) {
	fill := "#1f2328"
	if class == "faint" {
		fill = "#59636e"
	}
	fmt.Fprintf(b, `<text class="%s" x="%d" y="%d" text-anchor="%s" fill="%s" %s>%s</text>`+"\n", class, x, y, anchor, fill, more, html.EscapeString(text))
}

func drawAxis(b *strings.Builder, bottom int) {
	for _, tick := range []struct {
		ms    float64
		label string
	}{{10, "10 ms"}, {30, "30 ms"}, {100, "100 ms"}, {300, "300 ms"}, {1000, "1 s"}, {3000, "3 s"}, {10_000, "10 s"}} {
		x := chartX(tick.ms)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" y1="%d" x2="%.1[1]f" y2="%[3]d" stroke="#d1d9e0"/>`+"\n", x, chartTop-6, bottom)
		chartText(b, "faint", int(math.Round(x)), bottom+20, "middle", "", tick.label)
	}
	chartText(b, "faint", (chartLeft+chartRight)/2, bottom+42, "middle", "", "logarithmic; a dot is the median, its line ends at the longest")
}

// drawControl draws the line that nobody can be much left of.
func drawControl(b *strings.Builder, bottom int, rows []*Row) {
	var all []float64
	for _, row := range rows {
		all = append(all, row.collect(ofControl)...)
	}
	x := chartX(median(all))
	fmt.Fprintf(b, `<line class="control" x1="%.1f" y1="%d" x2="%.1[1]f" y2="%[3]d" stroke="#59636e" stroke-width="1.5" stroke-dasharray="5 4"/>`+"\n", x, chartTop-10, bottom)
	chartText(b, "faint", int(math.Round(x)), chartTop-16, "middle", "", fmt.Sprintf("control reader, %.0f ms", median(all)))
}

// drawSilences draws a median as a dot, filled for what moves and hollow for what stays, and a line to the longest.
func drawSilences(b *strings.Builder, kind string, y int, list []float64) {
	chartText(b, "faint", chartLeft-14, y+5, "end", "", kind)
	if len(list) == 0 {
		chartText(b, "faint", chartWidth-24, y+5, "end", "", none)
		return
	}
	stroke, fill := "#bc4c00", "#bc4c00"
	if kind == "stay" {
		stroke, fill = "#0969da", "#ffffff"
	}
	from, to := chartX(median(list)), chartX(slices.Max(list))
	fmt.Fprintf(b, `<line class="%s" x1="%.1f" y1="%d" x2="%.1f" y2="%[3]d" stroke="%[5]s" stroke-width="2.5"/>`+"\n", kind, from, y, to, stroke)
	fmt.Fprintf(b, `<line class="%s" x1="%.1f" y1="%d" x2="%.1[2]f" y2="%[4]d" stroke="%[5]s" stroke-width="2.5"/>`+"\n", kind, to, y-5, y+5, stroke)
	fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%d" r="5" stroke="%s" stroke-width="2" fill="%s"/>`+"\n", kind, from, y, stroke, fill)
	chartText(b, "text", chartWidth-24, y+5, "end", "", spread(list)+" ms")
}
