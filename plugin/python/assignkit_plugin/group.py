"""What an assignor is told and what it answers, as plain objects."""

from __future__ import annotations

from dataclasses import dataclass, field

# Partitions by topic.
Partitions = dict[str, list[int]]

REASONS = ("withheld", "ineligible", "limit", "draining")


@dataclass
class Topic:
    """A topic of the group. Its partitions are numbered from 0."""

    name: str
    partitions: int
    weights: list[float] = field(default_factory=list)  # how heavy each partition is; empty if all count as 1
    racks: list[list[str]] = field(default_factory=list)  # of the replicas of each partition; empty if unknown
    leader_racks: list[str] = field(default_factory=list)  # of the leader of each partition, "" where it is not known; empty if none is
    signals: dict[str, list[float]] = field(default_factory=dict)  # what was measured of each partition, by name, such as "lag"


@dataclass
class Member:
    """A member of the group, with what it said when it joined.

    What it claims to own may be stale, or claimed by another one as well: Group.keepers decides whose it is.
    """

    id: str
    topics: list[str]  # its subscription, which may name topics that the group does not have
    owned: Partitions = field(default_factory=dict)
    generation: int = -1  # of its last assignment, -1 if it had none
    instance_id: str = ""  # of a static member
    rack: str = ""
    releasing: Partitions = field(default_factory=dict)  # what of it the member is giving up already
    expecting: Partitions = field(default_factory=dict)  # what it was promised
    capacity: int = 1  # its share relative to others
    draining: bool = False  # it is to keep only what no other may have
    labels: dict[str, str] = field(default_factory=dict)
    user_data: bytes = b""  # what user_data returned on its side
    uptime: float = 0.0  # seconds that it has been running, 0 if it does not say
    signals: dict[str, float] = field(default_factory=dict)  # what was measured of the member, by name


@dataclass
class Group:
    """A group in canonical order: topics by name, static members by instance id, then the others by id. It must not be changed."""

    name: str
    generation: int  # the one that is being formed
    leader: str
    topics: list[Topic]
    members: list[Member]

    def subscribers(self) -> dict[str, list[Member]]:
        """For each topic those who subscribe to it, in the order of members."""
        found: dict[str, list[Member]] = {t.name: [] for t in self.topics}
        for m in self.members:
            for topic in set(m.topics):
                if topic in found:
                    found[topic].append(m)
        return found

    def keepers(self) -> dict[str, list[str | None]]:
        """For each partition of each topic the id of the member that owns it and may go on owning it, or None.

        Of several claims that of the highest generation holds, in that one by a member that subscribes to the topic; of several
        such ones none.
        """
        best: dict[str, list] = {t.name: [None] * t.partitions for t in self.topics}
        for m in self.members:
            subscribed = set(m.topics)
            for topic, partitions in m.owned.items():
                row = best.get(topic, ())
                rank = (m.generation, topic in subscribed)
                for p in partitions:
                    if not 0 <= p < len(row):
                        continue
                    if row[p] is None or rank > row[p][0]:
                        row[p] = (rank, m.id)
                    elif rank == row[p][0] and row[p][1] != m.id:
                        row[p] = (rank, None)
        return {topic: [c[1] if c and c[0][1] else None for c in row] for topic, row in best.items()}


@dataclass
class Answer:
    """A plan with what there is to say beside it."""

    members: dict[str, Partitions]  # by member id; who is not named gets nothing
    unassigned: dict[str, dict[int, str]] = field(default_factory=dict)  # by topic and partition one of REASONS
    user_data: dict[str, bytes] = field(default_factory=dict)  # by member id, sent to it
    stopped: str = ""  # the objective at which a budget of work ran out


@dataclass
class Assignment:
    """What a member has been given."""

    group: str
    generation: int
    member: str
    partitions: Partitions
    user_data: bytes
