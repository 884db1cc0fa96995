"""Balances how far behind the group is, instead of how many partitions members have.

Who has a partition keeps it. What nobody has goes to who is behind with the least, the heaviest first. Only then, and only between members of
whom one has clearly more to do than the other, partitions move.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from assignkit_plugin import Group, Member, Topic

GAP = 0.1  # members whose loads differ by less than this share of the mean are even enough to move nothing between them


def lags(topic: Topic) -> list[float]:
    """How many records the group is behind with each partition of a topic: what the host has measured, or else the weights."""
    return topic.signals.get("lag") or topic.weights or [0] * topic.partitions


def weights(topic: Topic) -> list[int]:
    """How heavy the partitions are. None is nothing, so that quiet ones are spread, too; whole numbers, so that sums are exact."""
    return [1 + max(0, round(lag)) for lag in lags(topic)]


class ByLag:
    name = "by-lag"
    version = "1.0.0"

    def signals(self) -> list[str]:
        """What the host is to measure."""
        return ["lag"]

    def assign(self, group: Group) -> dict[str, dict[str, list[int]]]:
        balance = Balance(group)
        balance.keep()
        balance.place()
        balance.even_out()
        return balance.plan()


class Balance:
    """Who has what while it is decided. Partitions and members are numbers, in the group's order."""

    def __init__(self, group: Group):
        self.group = group
        number = {m.id: i for i, m in enumerate(group.members)}
        subscribers, keepers = group.subscribers(), group.keepers()
        self.partitions: list[tuple[str, int]] = []
        self.weight: list[int] = []
        self.readers: list[frozenset[int]] = []  # of each partition
        self.keeper: list[int | None] = []
        for topic in group.topics:
            readers = frozenset(number[m.id] for m in usable(subscribers[topic.name]))
            for p, weight in enumerate(weights(topic)):
                self.partitions.append((topic.name, p))
                self.weight.append(weight)
                self.readers.append(readers)
                self.keeper.append(number.get(keepers[topic.name][p]))
        self.capacity = [1 if m.draining else m.capacity for m in group.members]
        self.load = [0] * len(group.members)
        self.held: list[set[int]] = [set() for _ in group.members]
        self.order = sorted(map(self.rank, range(len(group.members))))  # members, who has least to do first

    def keep(self):
        """Leaves partitions with the members that may go on having them."""
        for i, keeper in enumerate(self.keeper):
            if keeper in self.readers[i]:
                self.give(i, keeper)

    def place(self):
        """Gives away what nobody has, the heaviest first, each to who has least to do."""
        kept = set().union(*self.held)
        for i in sorted(set(range(len(self.partitions))) - kept, key=lambda i: (-self.weight[i], i)):
            if self.readers[i]:
                self.give(i, self.lightest(self.readers[i]))

    def even_out(self):
        """Moves partitions from who has most to do to who has least, as long as that makes the larger of two loads smaller.

        It ends: of the loads of all members, sorted from the largest, the first that a move changes becomes smaller.
        """
        gap = GAP * sum(self.load) / max(1, sum(self.capacity))
        while step := self.find_step(gap):
            i, giver, taker = step
            self.take(i, giver)
            self.give(i, taker)

    def find_step(self, gap: float) -> tuple[int, int, int] | None:
        """The next partition that is to move, with its giver and taker. If the lightest reader must not take one, no other may."""
        for *_, giver in reversed(self.order):
            most = self.ratio(giver)
            if most - self.order[0][0] <= gap:
                return None
            takers = {readers: self.lightest(readers) for readers in {self.readers[i] for i in self.held[giver]}}
            options = [(self.larger(i, giver, takers[self.readers[i]]), i) for i in self.held[giver]]
            for larger, i in sorted(options):
                taker = takers[self.readers[i]]
                if larger < most and most - self.ratio(taker) > gap:
                    return i, giver, taker
        return None

    def give(self, i: int, m: int):
        self.change(m, self.weight[i])
        self.held[m].add(i)

    def take(self, i: int, m: int):
        self.change(m, -self.weight[i])
        self.held[m].remove(i)

    def change(self, m: int, more: int):
        """Changes a member's load, and its place in the order."""
        del self.order[bisect_left(self.order, self.rank(m))]
        self.load[m] += more
        insort(self.order, self.rank(m))

    def rank(self, m: int) -> tuple[float, int, int]:
        return self.ratio(m), -self.capacity[m], m

    def lightest(self, readers: frozenset[int]) -> int:
        return next(m for *_, m in self.order if m in readers)

    def ratio(self, m: int, more: int = 0) -> float:
        return (self.load[m] + more) / self.capacity[m]

    def larger(self, i: int, giver: int, taker: int) -> float:
        """The larger of two loads if a partition moves."""
        return max(self.ratio(giver, -self.weight[i]), self.ratio(taker, self.weight[i]))

    def plan(self) -> dict[str, dict[str, list[int]]]:
        plan: dict[str, dict[str, list[int]]] = {m.id: {} for m in self.group.members}
        for m, held in zip(self.group.members, self.held):
            for i in sorted(held):
                topic, p = self.partitions[i]
                plan[m.id].setdefault(topic, []).append(p)
        return plan


def usable(readers: list[Member]) -> list[Member]:
    """Draining members count only where all are."""
    return [m for m in readers if not m.draining] or readers
