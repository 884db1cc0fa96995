"""Spreads each tenant's partitions evenly over the members.

A topic belongs to the tenant that its name begins with: acme.orders and acme.payments to acme. Whatever a tenant's load is, no member has
more of it than its share, so that a busy tenant slows down all members a little and none a lot.
"""

from __future__ import annotations

from collections import defaultdict

from assignkit_plugin import Group, Member


def tenant(topic: str) -> str:
    """The part of a topic's name that says whose it is."""
    return topic.partition(".")[0]


class Tenants:
    name = "tenants"
    version = "1.0.0"

    def assign(self, group: Group) -> dict[str, dict[str, list[int]]]:
        plan: dict[str, dict[str, list[int]]] = {m.id: defaultdict(list) for m in group.members}
        keepers = group.keepers()
        load = {m.id: 0 for m in group.members}
        for readers, partitions in _blocks(group):
            owned = [keepers[topic][p] for topic, p in partitions]
            owner = _spread(readers, owned, load)
            for (topic, p), member in zip(partitions, owner):
                plan[member][topic].append(p)
                load[member] += 1
        return plan


def _blocks(group: Group) -> list[tuple[list[Member], list[tuple[str, int]]]]:
    """The partitions that are spread together, and over whom: those of a tenant, apart where not the same members read its topics.

    A draining member counts only where all do.
    """
    subscribers = group.subscribers()
    blocks: dict[tuple, tuple[list[Member], list[tuple[str, int]]]] = {}
    for topic in group.topics:
        readers = subscribers[topic.name]
        readers = [m for m in readers if not m.draining] or readers
        if readers:
            key = (tenant(topic.name), tuple(m.id for m in readers))
            blocks.setdefault(key, (readers, []))[1].extend((topic.name, p) for p in range(topic.partitions))
    return [blocks[key] for key in sorted(blocks)]


def _spread(readers: list[Member], owned: list[str | None], load: dict[str, int]) -> list[str]:
    """A member for each partition of a block: everybody gets its share, and what is left of it who owns it keeps.

    load is what members have been given of other blocks, so that not the same ones get the odd partitions of every tenant.
    """
    share = _shares(readers, owned, load)
    owner: list[str | None] = [None] * len(owned)
    for i, keeper in enumerate(owned):
        if share.get(keeper, 0) > 0:
            owner[i] = keeper
            share[keeper] -= 1
    turns = [m for turn in range(max(share.values())) for m in share if share[m] > turn]  # in turn, so that no topic is one member's
    rest = iter(turns)
    return [o if o is not None else next(rest) for o in owner]


def _shares(readers: list[Member], owned: list[str | None], load: dict[str, int]) -> dict[str, int]:
    """How many partitions each reader gets. What cannot be divided goes to those with the least, and of equals to those who keep it."""
    capacity = {m.id: 1 if m.draining else m.capacity for m in readers}
    whole = sum(capacity.values())
    share = {m: len(owned) * c // whole for m, c in capacity.items()}
    has = defaultdict(int)
    for keeper in owned:
        has[keeper] += 1
    by_need = sorted(share, key=lambda m: ((load[m] + share[m] + 1) / capacity[m], has[m] <= share[m]))  # stable: by members' order then
    for m in by_need[: len(owned) - sum(share.values())]:
        share[m] += 1
    return share
