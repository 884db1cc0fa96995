package strategy

// UnitProvider is an optional interface of an [Assignor] that places some partitions only together: joins read the same number of
// several topics in one place. [Cooperative] then withholds all of a unit while one of its partitions is still owned elsewhere, as
// a part of a unit is of no use to its new owner. Without it every partition stands for itself.
type UnitProvider interface {
	// Unit returns the unit that a partition belongs to. Partitions of one group with equal units move together; "" stands
	// for itself. It must be deterministic and depend on nothing but its arguments and the assignor's configuration.
	Unit(g *Group, t *Topic, partition int32) string
}
