#!/usr/bin/env python3
"""speedscope profiles of the corpus against a second reader that is here.

Environment: CGPU (the binary).
"""
import collections
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "speedscope"))
NANOSECONDS = {"none": 1, "nanoseconds": 1, "microseconds": 10**3, "milliseconds": 10**6, "seconds": 10**9}


def files():
    names = sorted(os.listdir(CORPUS)) if os.path.isdir(CORPUS) else []
    return [os.path.join(CORPUS, name) for name in names if name.endswith(".json")]


def calls(profile):
    """[(stack of frames from the outermost in, start, end)], as the innermost returns; frames that are closed out of
    order close what they called."""
    scale = NANOSECONDS[profile["unit"]]
    stack, out = [], []
    if profile["type"] == "evented":
        for event in profile["events"]:
            at = event["at"] * scale
            if event["type"] == "O":
                stack.append((event["frame"], at))
            elif event["frame"] in [frame for frame, _ in stack]:
                while True:
                    out.append((tuple(f for f, _ in stack), stack[-1][1], at))
                    if stack.pop()[0] == event["frame"]:
                        break
        while stack:
            out.append((tuple(f for f, _ in stack), stack[-1][1], profile["endValue"] * scale))
            stack.pop()
        return out
    at = profile["startValue"] * scale
    for sample, weight in list(zip(profile["samples"], profile["weights"])) + [([], 0)]:
        same = os.path.commonprefix([[f for f, _ in stack], sample])
        while len(stack) > len(same):
            out.append((tuple(f for f, _ in stack), stack[-1][1], at))
            stack.pop()
        stack += [(frame, at) for frame in sample[len(same):]]
        at += weight * scale
    return out


class Speedscope(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        if not files():
            self.skipTest("no profiles in %s" % CORPUS)

    def test_calls(self):
        self.assertEqual(len(files()), 6)
        for path in files():
            with self.subTest(os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    document = json.load(file)
                names = [frame["name"] for frame in document["shared"]["frames"]]
                want, cost = [], collections.Counter()
                for profile in document["profiles"]:
                    for stack, start, end in calls(profile):
                        want.append((profile["name"], names[stack[-1]], start, end - start))
                        where = tuple(names[f] for f in stack)
                        cost[where] += end - start
                        cost[where[:-1] + (None,)] += end - start
                rows = tool.table(path, "slices")
                self.assertEqual(sorted((r["thread"], r["name"], r["start_ns"], r["duration_ns"]) for r in rows),
                                 sorted(want))
                metric = "value" if document["profiles"][0]["unit"] == "none" else "time"
                paths = {}
                for row in tool.table(path, "call_tree"):
                    is_root = row["parent"] is None
                    paths[row["id"]] = () if is_root else paths[row["parent"]] + (row["name"],)
                    where = paths[row["id"]]
                    if not is_root:
                        self.assertEqual(row[metric + ".inclusive"], cost[where], where)
                        self.assertEqual(row[metric + ".exclusive"], cost[where] - cost[where + (None,)], where)
                info = tool.info(path)
                self.assertEqual((info["format"], info["slices"]), ("speedscope", len(want)))
                self.assertEqual(info["profiles"], len(document["profiles"]))

    def test_files_that_break_the_rules(self):
        """They are read as far as they make sense, and the notes say what did not."""
        codes = {}
        for path in files():
            codes[os.path.basename(path)] = {n["code"] for n in tool.table(path, "notes")}
        for name, found in codes.items():
            self.assertEqual("unmatched_end" in found, "invalid" in name, name)


if __name__ == "__main__":
    unittest.main()
