package page

// Bounds of a page. Whatever it is made of, it stays small enough to be opened in a moment and sent by mail.
const (
	maxCells      = 240_000 // of all maps of members and partitions together
	maxSeries     = 120     // that are drawn; others are in the summaries only
	maxMapped     = 24      // up to so many have maps as well
	maxColumns    = 240     // of a chart
	maxTableRows  = 2_000   // of summaries
	maxTabled     = 2_500   // columns of all charts, which have a row in a table each
	maxMeasured   = 6_000   // the same where there are no maps
	maxMembers    = 500     // rows of a map
	maxPartitions = 250
	fewPartitions = 40 // up to so many have a row each with its name, in the order of topics
)

// A plan says how much of the data a page has room for.
type plan struct {
	series int  // of all cases, the first ones are drawn
	mapped bool // with maps
	cells  int  // for each of them
	tabled int  // columns for each of them
}

func newPlan(d *Data) plan {
	n := 0
	for i := range d.Cases {
		n += len(d.Cases[i].Series)
	}
	p := plan{mapped: n <= maxMapped, series: max(1, min(n, maxSeries))}
	if p.cells, p.tabled = maxCells/p.series, maxTabled/p.series; !p.mapped {
		p.tabled = maxMeasured / p.series
	}
	return p
}

// columns returns which steps a column has: steps from at[i] to before at[i+1].
func (p *plan) columns(steps int) (at []int) {
	return split(steps, min(maxColumns, max(p.tabled, maxColumns/8)))
}

// rows returns how many rows two maps of so many columns get.
func (p *plan) rows(columns, members, partitions int) (memberRows, partitionRows int) {
	most := max(2*fewPartitions, p.cells/max(1, columns))
	partitionRows = min(partitions, maxPartitions, most/2)
	return min(members, maxMembers, most-partitionRows), partitionRows
}

// split cuts n things into at most parts runs of about the same length. Run i is from at[i] to before at[i+1].
func split(n, parts int) (at []int) {
	parts = min(n, parts)
	at = make([]int, parts+1)
	for i := range at {
		at[i] = int(int64(i) * int64(n) / int64(max(1, parts)))
	}
	return at
}
