"""Decodes Chakra's execution traces (.et) without their schema, and replays them."""
import gzip

from oracle.protobuf import fields, message, varint

METADATA, COMPUTE, SEND, RECEIVE, COLLECTIVE = 1, 4, 5, 6, 7


def messages(data):
    """Each message of a file, behind its length."""
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        assert at + size <= len(data), "cut off"
        yield data[at:at + size]
        at += size


def attributes(found):
    """{name: value}: a number or a text."""
    out = {}
    for one in found:
        (_, name), (kind, value) = fields(one)
        assert (kind == 29) == isinstance(value, bytes), name
        out[name.decode()] = value.decode() if kind == 29 else value
    return out


class Node:
    def __init__(self, data):
        has = message(data)
        self.id, self.type = has[1][0], has[3][0]
        self.name = has[2][0].decode()
        self.callers, self.dependencies = has.get(4, []), has.get(5, [])
        self.start, self.duration = has.get(6, [0])[0], has.get(7, [0])[0]
        self.inputs = {number: value[0].decode() for number, value in message(has[8][0]).items()} if 8 in has else {}
        self.attributes = attributes(has.get(10, []))
        self.on_host = bool(self.attributes["is_cpu_op"])

    @property
    def track(self):
        return (True, self.attributes.get("tid")) if self.on_host else \
            (False, self.attributes["device"], self.attributes["stream"])


class ExecutionTrace:
    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        header, *nodes = messages(data)
        self.header = attributes(message(header).get(2, []))
        self.version = message(header)[1][0].decode()
        self.all = [Node(node) for node in nodes]
        self.nodes = [node for node in self.all if node.type != METADATA]
        self.by_id = {node.id: node for node in self.all}
        assert len(self.by_id) == len(self.all), "numbers are different"

    def device_nodes(self):
        return [node for node in self.nodes if not node.on_host]

    def host_nodes(self):
        return [node for node in self.nodes if node.on_host]

    def ends(self):
        """When each node ends (us) where it begins as soon as all that it depends on has ended. That dependencies come first is
        also why there is no cycle."""
        ends = {}
        for node in self.all:
            ends[node.id] = max((ends[on] for on in node.dependencies), default=0) + node.duration
        return ends

    def followers(self):
        """For each node all that it waits for, itself included, as bits of an int: slow and obvious."""
        reached = {}
        for place, node in enumerate(self.all):
            reached[node.id] = 1 << place
            for on in node.dependencies:
                reached[node.id] |= reached[on]
        return reached
