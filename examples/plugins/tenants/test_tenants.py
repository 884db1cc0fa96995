import itertools
import random
import unittest
from collections import Counter

from assignkit_plugin import Group, Member, Topic
from tenants import Tenants, tenant

SIZES = {"acme.orders": 5, "acme.payments": 3, "globex.orders": 4, "initech.orders": 3, "plain": 2}


def group(members, sizes=SIZES):
    return Group("g", 1, members[0].id, [Topic(t, n) for t, n in sorted(sizes.items())], members)


def member(name, topics=tuple(SIZES), **more):
    return Member(name, sorted(topics), **more)


def plain(plan):
    """A plan without members' topics that have nothing."""
    return {m: {t: sorted(ps) for t, ps in lists.items() if ps} for m, lists in plan.items()}


def counted(plan):
    return {m: {t: len(ps) for t, ps in lists.items()} for m, lists in plan.items()}


def after(g, plan, members):
    """The group that comes after one whose members have done as a plan says."""
    for m in members:
        m.owned, m.generation = plan.get(m.id, {}), g.generation if m.id in plan else -1
    return Group(g.name, g.generation + 1, g.leader, g.topics, members)


class TenantsTest(unittest.TestCase):
    def assert_even(self, g, plan):
        """Every partition once, and of each tenant and of all members' counts differ by one at most."""
        given = [(t, p) for lists in plan.values() for t, ps in lists.items() for p in ps]
        self.assertEqual(sorted(given), sorted((t.name, p) for t in g.topics for p in range(t.partitions)))
        of = {m.id: Counter(tenant(t) for t, ps in plan[m.id].items() for _ in ps) for m in g.members}
        for name in {tenant(t.name) for t in g.topics}:
            counts = [c[name] for c in of.values()]
            self.assertLessEqual(max(counts) - min(counts), 1, f"{name}: {of}")
        counts = [c.total() for c in of.values()]
        self.assertLessEqual(max(counts) - min(counts), 1, of)

    def test_tenant(self):
        self.assertEqual([tenant(t) for t in ("acme.orders", "acme.orders.retry", "plain", "", ".x")], ["acme", "acme", "plain", "", ""])

    def test_even(self):
        for n in range(1, 12):
            g = group([member(f"m{i:02}") for i in range(n)])
            self.assert_even(g, Tenants().assign(g))

    def test_offset(self):
        """A partition for each tenant, fewer than members: nobody has two while another has none."""
        g = group([member(f"m{i}", "abc") for i in range(3)], {"a": 1, "b": 1, "c": 1})
        self.assertEqual(plain(Tenants().assign(g)), {"m0": {"a": [0]}, "m1": {"b": [0]}, "m2": {"c": [0]}})

    def test_keeps(self):
        """Whoever comes and goes, it stays even, and what need not move stays."""
        g = group([member("m0"), member("m1"), member("m2")])
        plan = plain(Tenants().assign(g))
        for names in (["m0", "m1", "m2"], ["m0", "m1", "m2", "m3"], ["m0", "m2", "m3"], ["m2"]):
            g = after(g, plan, [member(n) for n in names])
            was, plan = plan, plain(Tenants().assign(g))
            self.assert_even(g, plan)
            for m in set(plan) & set(was):
                if len(plan) <= len(was):  # nobody came, so nobody has to give anything up
                    lost = {t: set(ps) - set(plan[m].get(t, ())) for t, ps in was[m].items()}
                    self.assertLessEqual(sum(map(len, lost.values())), 1, f"{m} lost {lost}")
            if list(was) == names:
                self.assertEqual(plan, was)

    def test_keeps_odd(self):
        """What cannot be divided stays where it is, if that is as even."""
        g = group([member("a", owned={"acme.orders": [2]}), member("b", owned={"acme.orders": [0, 1]})], {"acme.orders": 3})
        self.assertEqual(plain(Tenants().assign(g)), {"a": {"acme.orders": [2]}, "b": {"acme.orders": [0, 1]}})

    def test_any_order(self):
        members = [member("a", owned={"acme.orders": [0, 1]}, generation=3), member("b", owned={"acme.orders": [1]}, generation=3), member("c")]
        plans = [plain(Tenants().assign(group(sorted(order, key=lambda m: m.id)))) for order in itertools.permutations(members)]
        self.assertTrue(all(p == plans[0] for p in plans))

    def test_subscriptions(self):
        """Tenants whose topics not everybody reads are spread over those who do."""
        g = group([member("a"), member("b", ["acme.orders"]), member("c", ["acme.orders", "nowhere"])])
        plan = plain(Tenants().assign(g))
        self.assertEqual({m: len(lists.get("acme.orders", ())) for m, lists in plan.items()}, {"a": 1, "b": 2, "c": 2},
                         "a has the other tenants' as well")
        self.assertEqual({t for m in "bc" for t in plan[m]}, {"acme.orders"})

    def test_unread(self):
        g = group([member("a", ["plain"])])
        self.assertEqual(plain(Tenants().assign(g)), {"a": {"plain": [0, 1]}})

    def test_draining(self):
        g = group([member("a", "xy", draining=True), member("b", "x"), member("c", "x")], {"x": 6, "y": 2})
        plan = plain(Tenants().assign(g))
        self.assertEqual(counted(plan), {"a": {"y": 2}, "b": {"x": 3}, "c": {"x": 3}})

    def test_capacity(self):
        g = group([member("a", capacity=3), member("b")], {"acme.orders": 8, "globex.orders": 4})
        plan = plain(Tenants().assign(g))
        self.assertEqual(counted(plan), {"a": {"acme.orders": 6, "globex.orders": 3}, "b": {"acme.orders": 2, "globex.orders": 1}})

    def test_settles(self):
        """Asked again about what it has answered, it answers the same."""
        draw = random.Random(1)
        for _ in range(300):
            sizes = {f"{draw.choice('xyz')}.{draw.choice('stuv')}": draw.randrange(7) for _ in range(draw.randrange(1, 8))}
            members = []
            for i in range(draw.randint(1, 6)):
                topics = draw.sample(sorted(sizes), draw.randint(1, len(sizes)))
                members.append(member(f"m{i}", topics, capacity=draw.choice([1, 1, 2, 5]), draining=draw.random() < 0.2))
            g = group(members, sizes)
            plan = plain(Tenants().assign(g))
            self.assertEqual(plain(Tenants().assign(after(g, plan, members))), plan)


if __name__ == "__main__":
    unittest.main()
