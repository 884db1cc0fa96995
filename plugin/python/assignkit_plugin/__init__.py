"""Assignors in Python, as plugins of assignkit.

A plugin's main is

    from assignkit_plugin import serve
    serve(MyAssignor())

with an object that has

    name                  the assignor's name on Kafka's wire, which never changes
    version               its own version, for people; "0.0.0" if there is none
    cooperative           True if it withholds what other members still own; eager if there is none
    assign(group)         decides: a plan, {member's id: {topic: [partition, ...]}}, or an Answer
    user_data(topics)     optional: bytes to send along when a member joins
    on_assignment(given)  optional: what a member has been given, as an Assignment
    signals()             optional: names of what it looks at of Topic.signals and Member.signals, such as ["lag"], and "uptime" if it
                          looks at Member.uptime: always the same. Nothing else is measured for it

assign has to be deterministic, whatever the order of members and topics, and to keep no state. Calls come from several threads at
once. An exception is an error of the call: the host logs it, with its traceback, and asks another assignor.

Importing this package in a process that a host has started sends what is printed to standard error, as standard output is the host's.
"""

import os
import sys

from .group import Answer, Assignment, Group, Member, Topic

__all__ = ["Answer", "Assignment", "Group", "Member", "Topic", "serve"]

COOKIE = ("ASSIGNKIT_PLUGIN", "b0a1d1c5f8714e0e9d2d5c3f6f0e4a77")

_stdout = None


def _claim_stdout():
    """Keeps standard output for the handshake, so that nothing that is printed gets into it."""
    global _stdout
    _stdout = os.dup(1)
    os.dup2(2, 1)
    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)


if os.environ.get(COOKIE[0]) == COOKIE[1]:
    _claim_stdout()


def serve(assignor, name=None, version=None):
    """Answers a host's calls with an assignor until the host ends it or is gone. It does not return.

    assignor is an object as above, a class of such, or a function for assign alone; name and version say what it does not say itself.
    Started by hand the process says what it is and exits with 1.
    """
    from .service import Service

    service = Service(assignor, name, version)
    if _stdout is None:
        program = os.path.basename(sys.argv[0])
        sys.exit(
            f"{program} is an assignor plugin ({service.name}), which a host starts. To have it used, lock it:\n"
            f"  assignctl plugin lock --env PATH {program}"
        )
    from .process import run

    run(service, _stdout)
