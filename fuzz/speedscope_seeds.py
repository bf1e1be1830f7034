"""Seeds of the fuzz target for speedscope: profiles of both types, whole and damaged."""
import gzip
import json

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
FRAMES = [{"name": "a"}, {"name": "_Z1bv", "file": "b.c", "line": 3, "col": 1}, {"name": "_RNvC1a1f"}]


def events(*items):
    return [{"type": kind, "frame": frame, "at": at} for kind, frame, at in items]


def evented(items, unit="microseconds"):
    return {"type": "evented", "name": "thread", "unit": unit, "startValue": 0, "endValue": 9, "events": events(*items)}


def sampled(unit="seconds", samples=((0, 1), (0,), (0, 1)), weights=(1, 2.5, 1e-7)):
    return {"type": "sampled", "name": "samples", "unit": unit, "startValue": 1, "endValue": 9,
            "samples": [list(s) for s in samples], "weights": list(weights)}


def document(*profiles, **more):
    return json.dumps({"$schema": SCHEMA, "shared": {"frames": FRAMES}, "profiles": profiles, **more}).encode()


def seeds():
    calls = [("O", 0, 0), ("O", 1, 1.5), ("C", 1, 2), ("O", 2, 2), ("C", 2, 3), ("C", 0, 7)]
    whole = document(evented(calls), sampled(), sampled("bytes"), name="n", exporter="speedscope@1.0", version="0.0.1")
    yield "whole.json", whole
    yield "whole.json.gz", gzip.compress(whole, mtime=0)
    yield "truncated.json", whole[:len(whole) * 3 // 4]
    yield "no_unit.json", document(evented(calls, "none"), sampled("none"))
    yield "out_of_order.json", document(evented([("O", 0, 5), ("O", 1, 3), ("C", 0, 4), ("C", 1, 1), ("O", 9, 8)]))
    yield "bad_numbers.json", document(evented([("O", -1, 0), ("O", 0, 1e300), ("O", 1.5, "x"), ("X", 0, 0)]),
                                       sampled(samples=((0, 99), (4294967295,)), weights=(1e300, -1, 3)))
    of_py_spy = dict(sampled(samples=((0, 1, 3, 2), (0, 1), ()), weights=(1, 1, 1)), name='Process 7 Thread 8 "main"')
    frames = [{"name": name} for name in ('process 5:"sh"', 'process 7:"python a.py"', "f", "thread (0x8): main")]
    yield "py_spy.json", json.dumps({"$schema": SCHEMA, "profiles": [of_py_spy], "shared": {"frames": frames}}).encode()
    backwards = dict(reversed(list(evented(calls).items())))
    yield "keys_backwards.json", json.dumps({"profiles": [backwards], "shared": {"frames": FRAMES}, "$schema": SCHEMA,
                                             "exporter": "speedscope@0.6.0"}).encode()
