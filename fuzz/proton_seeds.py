"""Seeds of the fuzz target for Proton: trees of scopes and kernels, whole and damaged."""
import json
import struct


def packed(value):
    """MessagePack."""
    if isinstance(value, dict):
        return struct.pack(">BH", 0xde, len(value)) + b"".join(packed(k) + packed(v) for k, v in value.items()) \
            if len(value) > 15 else bytes([0x80 + len(value)]) + b"".join(packed(k) + packed(v) for k, v in value.items())
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(packed, value))
    if isinstance(value, str):
        return struct.pack(">BB", 0xd9, len(value)) + value.encode() if len(value) > 31 else \
            bytes([0xa0 + len(value)]) + value.encode()
    return struct.pack(">Bd", 0xcb, value) if isinstance(value, float) else struct.pack(">Bq", 0xd3, value)


def node(name, metrics, *children):
    return {"children": list(children), "frame": {"name": name, "type": "function"}, "metrics": metrics}


def kernel(name, time, device="0"):
    return node(name, {"count": 1, "device_id": device, "device_type": "CUDA", "time (ns)": time})


DEVICES = {"CUDA": {"0": {"arch": "90", "bus_width": 6144, "clock_rate": 1980000, "num_sms": 132}},
           "HIP": {"1": {"arch": "gfx942", "num_sms": 304}}}


def seeds():
    tree = node("ROOT", {"count": 0, "time (ns)": 0},
                node("step", {"flops16": 2e9, "bytes": 512, "note": "x", "list": [1, 2]}, kernel("_Z1fv", 3807), kernel("g", 1)),
                node("/a/b.py:12@run", {}, kernel("h", 5, "1")))
    whole = json.dumps([tree, DEVICES], indent=4).encode()
    yield "whole.hatchet", whole
    yield "packed.hatchet_msgpack", packed([tree, DEVICES])
    yield "truncated.hatchet_msgpack", packed([tree, DEVICES])[:150]
    yield "truncated.hatchet", whole[:len(whole) * 3 // 4]
    yield "inclusive.hatchet", json.dumps([node("a", {"time (inc)": 9, "time": 1}, node("b", {"time (inc)": 4}))]).encode()
    yield "bad_numbers.hatchet", json.dumps([node("a", {"time (ns)": 1e308, "count": -1}, kernel("f", 1e308))]).encode()
