import random
import unittest

from assignkit_plugin import Group, Member, Topic
from lag import GAP, ByLag, lags


def member(name, topics=("t",), **more):
    return Member(name, sorted(topics), **more)


def group(members, **lags_by_topic):
    return Group("g", 1, members[0].id, [Topic(t, len(w), weights=w) for t, w in sorted(lags_by_topic.items())], members)


def assign(g):
    return {m: lists for m, lists in ByLag().assign(g).items() if lists}


def after(g, plan, members, **lags_by_topic):
    """The group that comes after one whose members have done as a plan says."""
    for m in members:
        m.owned, m.generation = plan.get(m.id, {}), g.generation if m.id in plan else -1
    topics = group(members, **lags_by_topic).topics if lags_by_topic else g.topics
    return Group(g.name, g.generation + 1, g.leader, topics, members)


def loads(g, plan):
    lag = {t.name: lags(t) for t in g.topics}
    return [sum(lag[t][p] + 1 for t, ps in plan.get(m.id, {}).items() for p in ps) for m in g.members]


class LagTest(unittest.TestCase):
    def test_lags(self):
        """What was measured counts, or else the weights, or else nothing is behind."""
        topic = Topic("t", 2)
        self.assertEqual(list(lags(topic)), [0, 0])
        topic.weights = [5, 0]
        self.assertEqual(list(lags(topic)), [5, 0])
        topic.signals = {"rate": [1, 1]}
        self.assertEqual(list(lags(topic)), [5, 0])
        topic.signals = {"lag": [7, 8]}
        self.assertEqual(list(lags(topic)), [7, 8])

    def test_fresh(self):
        g = group([member("a"), member("b"), member("c")], t=[9000, 100, 4000, 100, 100, 4000, 800, 100])
        self.assertEqual(assign(g), {"a": {"t": [0]}, "b": {"t": [2, 6]}, "c": {"t": [1, 3, 4, 5, 7]}})

    def test_no_lag(self):
        g = group([member("a"), member("b")], t=[0] * 5)
        self.assertEqual([len(lists["t"]) for lists in assign(g).values()], [3, 2])

    def test_keeps(self):
        """Lags that change a little move nothing."""
        draw = random.Random(1)
        members = [member(n) for n in "abcd"]
        g = group(members, t=[1000] * 40)
        plan = assign(g)
        for _ in range(20):
            g = after(g, plan, members, t=[1000 * draw.uniform(0.95, 1.05) for _ in range(40)])
            self.assertEqual(assign(g), plan)

    def test_relieves(self):
        """Who has fallen behind gives away until the gap is closed, and no more."""
        members = [member("a", owned={"t": [0, 1, 2, 3]}), member("b", owned={"t": [4, 5, 6, 7]})]
        self.assertEqual(assign(group(members, t=[900, 500, 500, 500, 100, 100, 100, 100])), {"a": {"t": [1, 2, 3]}, "b": {"t": [0, 4, 5, 6, 7]}})

    def test_hot(self):
        """A partition that is too heavy for anybody does not go round, and its owner gives the others away."""
        members = [member("a", owned={"t": [0, 1]}), member("b", owned={"t": [2]})]
        g = group(members, t=[10000, 10, 10])
        plan = assign(g)
        self.assertEqual(plan, {"a": {"t": [0]}, "b": {"t": [1, 2]}})
        self.assertEqual(assign(after(g, plan, members)), plan)

    def test_newcomer(self):
        g = group([member("a"), member("b")], t=[100] * 12)
        plan = assign(g)
        g = after(g, plan, [member("a"), member("b"), member("c")])
        now = assign(g)
        self.assertEqual([len(now[m]["t"]) for m in "abc"], [4, 4, 4])
        for m in "ab":
            self.assertLess(set(now[m]["t"]), set(plan[m]["t"]))

    def test_subscriptions(self):
        members = [member("a", "xy"), member("b", "x"), member("c", "xz")]
        plan = assign(group(members, x=[10, 10], y=[500], z=[1], unread=[5]))
        self.assertEqual(plan, {"a": {"y": [0]}, "b": {"x": [0]}, "c": {"x": [1], "z": [0]}})

    def test_draining(self):
        members = [member("a", "xy", draining=True), member("b", "x"), member("c", "x")]
        plan = assign(group(members, x=[5, 5, 5, 5], y=[7]))
        self.assertEqual(plan["a"], {"y": [0]})
        self.assertEqual([len(plan[m]["x"]) for m in "bc"], [2, 2])

    def test_capacity(self):
        plan = assign(group([member("a", capacity=3), member("b")], t=[50] * 8))
        self.assertEqual({m: len(lists["t"]) for m, lists in plan.items()}, {"a": 6, "b": 2})

    def test_anything(self):
        """Whatever the lags, each partition is given once, asked again it answers the same, and no move that is worth it is left."""
        draw = random.Random(2)
        for _ in range(200):
            members = [member(f"m{i}") for i in range(draw.randint(1, 6))]
            sizes = {"t": [round(10000 * draw.random() ** 4) for _ in range(draw.randrange(1, 30))]}
            for m in members:
                m.owned = {"t": draw.sample(range(40), draw.randrange(0, 9))}
            g = group(members, **sizes)
            plan = assign(g)
            self.assertEqual(sorted(p for lists in plan.values() for p in lists["t"]), list(range(len(sizes["t"]))))
            load = loads(g, plan)
            high, low = max(load), min(load)
            lightest = min(sizes["t"][p] + 1 for p in plan[members[load.index(high)].id]["t"])
            self.assertTrue(high - low <= max(lightest, GAP * sum(load) / len(load)), load)
            self.assertEqual(assign(after(g, plan, members)), plan)


if __name__ == "__main__":
    unittest.main()
