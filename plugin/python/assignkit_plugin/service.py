"""The plugin protocol's service, answered by an assignor."""

from __future__ import annotations

import logging

import grpc

from . import assignor_pb2 as pb
from . import columns

COMPRESS_ABOVE = 4 << 20

log = logging.getLogger("assignkit_plugin")


class Failed(Exception):
    """An error of a call: a gRPC status."""

    def __init__(self, code: grpc.StatusCode, message: str):
        super().__init__(message)
        self.code = code


class Service:
    """Answers calls by asking an assignor. Calls run concurrently."""

    def __init__(self, assignor, name=None, version=None):
        if isinstance(assignor, type):
            assignor = assignor()
        self.name = name or getattr(assignor, "name", None)
        self.version = version or getattr(assignor, "version", "0.0.0")
        self.cooperative = bool(getattr(assignor, "cooperative", False))
        self._assign = getattr(assignor, "assign", assignor)
        self._user_data = getattr(assignor, "user_data", None)
        self._on_assignment = getattr(assignor, "on_assignment", None)
        self._signals = getattr(assignor, "signals", None)
        if not isinstance(self.name, str) or not callable(self._assign):
            raise TypeError(f"serve needs a name and a function, or an object with name and assign, and has {assignor!r}")

    def add_to(self, server: grpc.Server) -> None:
        """Registers the service. Hosts need none of go-plugin's own: they end plugins by their standard input, and ask nothing else."""
        handlers = {
            "Describe": _handler(self.describe, pb.DescribeRequest),
            "Assign": _handler(self.assign, pb.AssignRequest),
            "OnAssignment": _handler(self.on_assignment, pb.OnAssignmentRequest),
            "UserData": _handler(self.user_data, pb.UserDataRequest),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("assignkit.plugin.v1.AssignorService", handlers),))

    def describe(self, _request: pb.DescribeRequest) -> pb.DescribeResponse:
        protocol = pb.REBALANCE_PROTOCOL_COOPERATIVE if self.cooperative else pb.REBALANCE_PROTOCOL_EAGER
        return pb.DescribeResponse(
            name=self.name,
            version=self.version,
            rebalance_protocol=protocol,
            on_assignment=self._on_assignment is not None,
            user_data=self._user_data is not None,
            signals=self._looks_at(),
        )

    def _looks_at(self) -> list[str]:
        names = [] if self._signals is None else self._signals()
        if isinstance(names, str):
            raise TypeError(f"signals has to return a list of names, and returned {names!r}")
        return sorted(set(names))

    def assign(self, request: pb.AssignRequest) -> pb.AssignResponse:
        group = columns.group(request)
        return columns.response(group, self._assign(group))

    def on_assignment(self, request: pb.OnAssignmentRequest) -> pb.OnAssignmentResponse:
        given = columns.assignment(request)
        if self._on_assignment is not None:
            self._on_assignment(given)
        return pb.OnAssignmentResponse()

    def user_data(self, request: pb.UserDataRequest) -> pb.UserDataResponse:
        data = None if self._user_data is None else self._user_data(list(request.topics))
        return pb.UserDataResponse(user_data=data or b"")


def _handler(method, request_type):
    def handle(request, context):
        try:
            answer = _answer(method, request)
        except Failed as error:
            context.abort(error.code, str(error))
        if len(answer) > COMPRESS_ABOVE:
            context.set_compression(grpc.Compression.Gzip)
        return answer

    return grpc.unary_unary_rpc_method_handler(handle, request_deserializer=request_type.FromString)


def _answer(method, request) -> bytes:
    """Calls a method and encodes what it returns. Whatever it raises is a Failed."""
    try:
        answer = method(request)
        size = answer.ByteSize()
        if size > columns.MAX_MESSAGE:
            raise Failed(grpc.StatusCode.RESOURCE_EXHAUSTED, f"the answer has {size} bytes, and {columns.MAX_MESSAGE} is the most")
        return answer.SerializeToString()
    except Failed:
        raise
    except columns.Malformed as error:
        raise Failed(grpc.StatusCode.INVALID_ARGUMENT, f"the request makes no sense: {error}") from error
    except BaseException as error:  # also SystemExit: the process is the host's to end
        log.exception("the assignor failed")
        raise Failed(grpc.StatusCode.INTERNAL, f"{type(error).__name__}: {error}"[:1000]) from error
