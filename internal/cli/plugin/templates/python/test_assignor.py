import unittest

from assignkit_plugin import Group, Member, Topic
from assignor import Assignor


class AssignorTest(unittest.TestCase):
    """What this assignor is for. The rules that every assignor has to keep are tested by assignctl plugin test."""

    def test_even(self):
        members = [Member("a", ["orders"]), Member("b", ["orders"])]
        plan = Assignor().assign(Group("group", 1, "a", [Topic("orders", 6)], members))
        self.assertEqual(plan, {"a": {"orders": [0, 2, 4]}, "b": {"orders": [1, 3, 5]}})


if __name__ == "__main__":
    unittest.main()
