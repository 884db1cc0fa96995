"""Messages of the plugin protocol, which are in columns, as the objects of module group, and back. What came is checked on the way."""

from __future__ import annotations

from . import assignor_pb2 as pb
from .group import REASONS, Answer, Assignment, Group, Member, Partitions, Topic

# The largest message in bytes, in either direction.
MAX_MESSAGE = 64 << 20


class Malformed(ValueError):
    """A message that refers to what it does not have."""


def group(request: pb.AssignRequest) -> Group:
    """The group of a request."""
    names, sizes = list(request.topics), list(request.partition_counts)
    if len(sizes) > len(names):
        raise Malformed(f"{len(sizes)} counts of partitions for {len(names)} topics")
    if any(n < 0 for n in sizes) or sum(sizes) > MAX_MESSAGE:
        raise Malformed("an impossible number of partitions")
    topics = [Topic(name, n) for name, n in zip(names, sizes)]
    racks = list(request.racks)
    for d in request.details:
        topic = _at(topics, d.topic, "topic")
        topic.weights = list(d.weights)
        topic.racks = _runs(d.rack_counts, [_at(racks, r, "rack") for r in d.racks])
        topic.leader_racks = [_at(racks, r - 1, "rack") if r else "" for r in d.leader_racks]
        topic.signals = {s.name: list(s.values) for s in d.signals}
        for column in (topic.weights, topic.racks, topic.leader_racks, *topic.signals.values()):
            if len(column) not in (0, topic.partitions):
                raise Malformed(f"{len(column)} details of topic {topic.name!r}, which has {topic.partitions} partitions")
    subscriptions = [[_at(names, t, "topic") for t in s.topics] for s in request.subscriptions]
    owned = _owned(topics, len(request.members), list(request.owners))
    members = [_member(m, names, subscriptions, of) for m, of in zip(request.members, owned)]
    if len({m.id for m in members}) < len(members):
        raise Malformed("two members of one id")
    return Group(request.group, request.generation, request.leader, topics, members)


def _owned(topics: list[Topic], members: int, owners: list[int]) -> list[Partitions]:
    """What each member owns beyond doubt, of the column that says so for each partition."""
    owned: list[Partitions] = [{} for _ in range(members)]
    total = sum(t.partitions for t in topics)
    if owners and len(owners) != total:
        raise Malformed(f"owners of {len(owners)} partitions, where the group has {total}")
    if owners and not 0 <= min(owners) <= max(owners) <= members:
        raise Malformed(f"owners from {min(owners)} to {max(owners)}, where there are {members} members")
    start = 0
    for t in topics:
        for p, owner in enumerate(owners[start : start + t.partitions]):
            if owner:
                owned[owner - 1].setdefault(t.name, []).append(p)
        start += t.partitions
    return owned


def _member(m: pb.Member, names: list[str], subscriptions: list[list[str]], owned: Partitions) -> Member:
    for topic, numbers in partitions(m.owned, names).items():
        owned.setdefault(topic, []).extend(numbers)
    return Member(
        id=m.id,
        topics=_at(subscriptions, m.subscription, "subscription"),
        owned=owned,
        generation=m.generation,
        instance_id=m.instance_id,
        rack=m.rack,
        releasing=partitions(m.releasing, names),
        expecting=partitions(m.expecting, names),
        capacity=m.capacity or 1,
        draining=m.draining,
        labels=dict(m.labels),
        user_data=m.user_data,
        uptime=m.uptime_ns / 1e9,
        signals=dict(m.signals),
    )


def partitions(columns: pb.Partitions, names: list[str]) -> Partitions:
    """Partitions by topic; names are those that the columns refer to."""
    if len(columns.topics) != len(columns.counts):
        raise Malformed(f"{len(columns.counts)} counts of partitions for {len(columns.topics)} topics")
    out: Partitions = {}
    for topic, run in zip(columns.topics, _runs(columns.counts, list(columns.partitions))):
        out.setdefault(_at(names, topic, "topic"), []).extend(run)
    return out


def assignment(request: pb.OnAssignmentRequest) -> Assignment:
    """What a member has been given."""
    given = partitions(request.partitions, list(request.topics))
    return Assignment(request.group, request.generation, request.member, given, request.user_data)


def _at(values, index: int, what: str):
    if not 0 <= index < len(values):
        raise Malformed(f"{what} number {index} of {len(values)}")
    return values[index]


def _runs(counts, values: list) -> list[list]:
    """Cuts a list into lists of the given lengths."""
    if any(n < 0 for n in counts) or sum(counts) != len(values):
        raise Malformed(f"lists of {sum(counts)} in all, where there are {len(values)}")
    out, start = [], 0
    for n in counts:
        out.append(values[start : start + n])
        start += n
    return out


def response(g: Group, answer: Answer | dict[str, Partitions]) -> pb.AssignResponse:
    """An answer in columns. One that they have no room for is a ValueError: the rest is for the host to validate."""
    if not isinstance(answer, Answer):
        answer = Answer(answer)
    writer = _Writer(g)
    out = pb.AssignResponse(stopped=answer.stopped)
    out.owners.extend(writer.owners(answer.members))
    for number, reason in writer.unassigned(answer.unassigned):
        out.unassigned.partitions.append(number)
        out.unassigned.reasons.append(1 + REASONS.index(reason))
    for member, data in answer.user_data.items():
        out.user_data[writer.member(member)] = data
    return out


class _Writer:
    """Looks up the numbers of members and partitions."""

    def __init__(self, g: Group):
        self.members = {m.id: i for i, m in enumerate(g.members)}
        self.topics: dict[str, tuple[int, int]] = {}  # first number and how many
        self.total = 0
        for t in g.topics:
            self.topics[t.name] = (self.total, t.partitions)
            self.total += t.partitions

    def member(self, member: str) -> int:
        if member not in self.members:
            raise ValueError(f"the answer names member {member!r}, who is not of the group")
        return self.members[member]

    def numbers(self, topic: str, numbers) -> list[int]:
        if topic not in self.topics:
            raise ValueError(f"the answer names topic {topic!r}, which is not of the group")
        base, size = self.topics[topic]
        for p in numbers:
            if not 0 <= p < size:
                raise ValueError(f"the answer names partition {p} of topic {topic!r}, which has {size}")
        return [base + p for p in numbers]

    def owners(self, plan: dict[str, Partitions]) -> list[int]:
        owners = [0] * self.total
        for member, lists in plan.items():
            owner = self.member(member) + 1
            for topic, numbers in lists.items():
                for i in self.numbers(topic, numbers):
                    if owners[i]:
                        raise ValueError(f"partition {i - self.topics[topic][0]} of topic {topic!r} is given away twice")
                    owners[i] = owner
        return owners

    def unassigned(self, reasons: dict[str, dict[int, str]]) -> list[tuple[int, str]]:
        found = []
        for topic, of in sorted(reasons.items()):
            for p, reason in sorted(of.items()):
                if reason not in REASONS:
                    raise ValueError(f"{reason!r} is no reason; there are {REASONS}")
                found.append((self.numbers(topic, [p])[0], reason))
        return found
