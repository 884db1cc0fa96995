"""Decides who reads what."""

from assignkit_plugin import Group


class Assignor:
    """Gives each partition to the member with the fewest so far, of those that read its topic. It is a beginning: have it decide as you wish.

    All members of a group have to agree, so an answer depends on the group alone: not on time, chance, the order of a set, or calls before.
    """

    name = "{{.Name}}"  # what members of a group agree on: who answers in another way needs another name
    version = "0.1.0"  # what the lock file shows: raise it with each release

    def assign(self, group: Group) -> dict[str, dict[str, list[int]]]:
        plan: dict[str, dict[str, list[int]]] = {m.id: {} for m in group.members}
        counts = {m.id: 0 for m in group.members}
        subscribers = group.subscribers()
        for topic in group.topics:
            # A member that drains is about to leave, and gets only what no other may have.
            readers = [m for m in subscribers[topic.name] if not m.draining] or subscribers[topic.name]
            for partition in range(topic.partitions if readers else 0):
                least = min(readers, key=lambda m: counts[m.id]).id  # of equals the first
                plan[least].setdefault(topic.name, []).append(partition)
                counts[least] += 1
        return plan
