"""Seeds of the fuzz target for memory snapshots: pickles of several protocols, and ones that ask for too much."""
import collections
import pickle


def snapshot(times):
    frames = [{"name": "inner", "filename": "a.py", "line": 3}, {"name": "outer", "filename": "a.py", "line": 9}]
    events = [{"action": action, "addr": 4096 * (i // 3), "size": 512, "stream": 0, "frames": frames}
              for i, action in enumerate(("segment_alloc", "alloc", "alloc", "free_requested", "free_completed", "oom",
                                          "snapshot", "segment_free", "other"))]
    if times:
        for i, event in enumerate(events):
            event["time_us"] = 1700000000000000 + i
    segment = {"device": 0, "address": 4096, "total_size": 2097152, "allocated_size": 1024, "active_size": 1024,
               "stream": 0, "segment_type": "small", "blocks": [{"size": 1024, "state": "active_allocated"}]}
    return {"segments": [segment, dict(segment, device=1)], "device_traces": [events, []],
            "allocator_settings": {"expandable_segments": False, "max_split_size": -1}}


def seeds():
    for protocol in (2, 3, 4, 5):
        yield "protocol%d.pickle" % protocol, pickle.dumps(snapshot(protocol % 2), protocol)
    whole = pickle.dumps(snapshot(True), 4)
    yield "cut.pickle", whole[:len(whole) * 2 // 3]
    yield "object.pickle", pickle.dumps(collections.OrderedDict(snapshot(False)), 4)
    yield "call.pickle", b"\x80\x04cos\nsystem\nX\x04\x00\x00\x00true\x85R."
    yield "itself.pickle", (b"\x80\x04}\x94X\x08\x00\x00\x00segments]\x94h\x01as"
                            b"X\x0d\x00\x00\x00device_tracesh\x01s.")
    segment = {"device": 2**70, "total_size": 2**63 - 1, "allocated_size": 1.5}
    event = {"action": "alloc", "addr": -1, "size": 2**63 - 1}
    yield "large.pickle", pickle.dumps({"segments": [segment], "device_traces": [[event] * 3]}, 4)
