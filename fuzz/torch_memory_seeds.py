"""Seeds of the fuzz target for memory snapshots: pickles of several protocols, ones that ask for too much, a database."""
import collections
import json
import pathlib
import pickle
import sqlite3
import tempfile


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


def database():
    """The snapshot in SQLite."""
    tables = snapshot(True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "snapshot.db"
        connection = sqlite3.connect(path)
        connection.executescript(
            "PRAGMA page_size = 512;"
            "CREATE TABLE segments(id INTEGER PRIMARY KEY, device INTEGER, total_size INTEGER);"
            "CREATE TABLE blocks(id INTEGER PRIMARY KEY, segment_id INTEGER, size INTEGER, state TEXT);"
            "CREATE TABLE device_traces(id INTEGER PRIMARY KEY, device INTEGER, action TEXT, addr INTEGER, size INTEGER, "
            "time_us INTEGER, frames TEXT);")
        for i, segment in enumerate(tables["segments"]):
            connection.execute("INSERT INTO segments VALUES (?, ?, ?)", (i, segment["device"], segment["total_size"]))
            for block in segment["blocks"]:
                connection.execute("INSERT INTO blocks(segment_id, size, state) VALUES (?, ?, ?)",
                                   (i, block["size"], block["state"]))
        for event in tables["device_traces"][0]:
            connection.execute("INSERT INTO device_traces(device, action, addr, size, time_us, frames) "
                               "VALUES (0, ?, ?, ?, ?, ?)", (event["action"], event["addr"], event["size"],
                                                             event["time_us"], json.dumps(event["frames"])))
        connection.commit()
        connection.close()
        return path.read_bytes()


def seeds():
    yield "snapshot.db", database()
    yield "cut.db", database()[:2048]
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
