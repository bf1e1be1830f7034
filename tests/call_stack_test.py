#!/usr/bin/env python3
"""Tables `modules` and `call_tree` of real PyTorch traces against slow walks over the events of the files, and the sums
that hold for every trace.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces).
"""
import collections
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import hold, kineto, tool  # noqa: E402

MODULE = "nn.Module: "
TRAINING = "AMD-AGI_TraceLens__mi300__ddp_resnet18_no_pool__train_resnet18.json.gz"
BERT = "AMD-AGI_TraceLens__h100__gaunernst_bert-small-uncased__1016001.json.gz"
QWEN = "AMD-AGI_TraceLens__mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
SERVING = "AMD-AGI_TraceLens__b200__eager_trace.json.gz"
GRAPH = "AMD-AGI_TraceLens__inference__graph_full__graph_execution.json.gz"
STEPS = "pytorch_kineto__samples__resnet50_num_workers_0__worker0.1623143566756.pt.trace.json.gz"


def corpus_file(test, name):
    path = os.path.join(tool.corpus(), name)
    if not os.path.exists(path):
        test.skipTest("no %s (set CGPU_CORPUS)" % path)
    return path


def around(item):
    """The slices that an item lies in, itself last."""
    stack = []
    while item is not None:
        stack.append(item)
        item = item.parent
    return stack[::-1]


def module_path(item):
    return tuple(s.name[len(MODULE):] for s in around(item) if s.kind == kineto.PYTHON and s.name.startswith(MODULE))


class Modules(unittest.TestCase):
    def test_forward_work_is_where_a_slow_walk_finds_it(self):
        for name in (TRAINING, BERT, QWEN, SERVING):
            with self.subTest(name):
                self.compare(corpus_file(self, name), name == TRAINING)

    def compare(self, path, has_backward):
        trace = kineto.load(path)
        want = collections.defaultdict(collections.Counter)
        for item in trace.slices:
            if item.kind == kineto.PYTHON and item.name.startswith(MODULE):
                want[module_path(item)].update(count=1, cpu_total_ns=item.duration)
        for op in trace.device_ops:
            stack = module_path(op.launch)
            for depth in range(1, len(stack) + 1):
                want[stack[:depth]]["device_total_ns"] += op.duration
            if stack:
                want[stack]["device_self_ns"] += op.duration
        rows = tool.table(path, "modules")
        got = {tuple(row["name"].split(".")): row for row in rows if row["name"] != "(no module)"}
        self.assertGreater(len(got), 20)
        self.assertEqual(set(got), set(want))
        self.assertEqual(sum(row["device_self_ns"] for row in rows), sum(op.duration for op in trace.device_ops))
        for module, row in want.items():
            mine = got[module]
            self.assertEqual((mine["count"], mine["cpu_total_ns"]), (row["count"], row["cpu_total_ns"]), module)
            self.assertEqual(mine["device_total_ns"] - mine["device_backward_ns"], row["device_total_ns"], module)
            if not has_backward:
                self.assertEqual(mine["device_self_ns"], row["device_self_ns"], module)
        self.assertEqual(has_backward, any(row["device_backward_ns"] > 0 for row in got.values()))


def folded(trace):
    """By stack of names: time of the host here and in nothing inside, time of devices, slices."""
    tree = collections.defaultdict(collections.Counter)
    names = {}

    def stack_of(item):
        if item is None:
            return ()
        if item not in names:
            names[item] = stack_of(item.parent) + (re.sub(r"^(ProfilerStep)#\d+$", r"\1", item.name),)
        return names[item]

    for items in kineto.threads(trace.slices).values():
        lasting = [(n, item) for n, item in enumerate(items) if item.duration > 0]
        borders = sorted([(s.end, -1, n) for n, s in lasting] + [(s.start, 1, n) for n, s in lasting])
        active = set()
        for (time, change, n), following in zip(borders, borders[1:] + [(None, 0, 0)]):
            active.add(n) if change > 0 else active.discard(n)
            if active and following[0] is not None:  # what nests deepest has the time up to the next border
                tree[stack_of(items[max(active)])]["cpu_time"] += following[0] - time
        for item in items:
            tree[stack_of(item)]["count"] += 1
    for op in trace.device_ops:
        stack = ("(launch not in the profile)",) if op.launch is None else stack_of(op.launch)
        tree[stack + (op.name,)].update(device_time=op.duration, count=1)
    return {stack: row for stack, row in tree.items() if row["count"] > 0}


class CallTrees(unittest.TestCase):
    def test_every_node_is_that_of_a_slow_fold(self):
        sys.setrecursionlimit(10_000)
        for name in (TRAINING, BERT, STEPS):
            with self.subTest(name):
                path = corpus_file(self, name)
                want = folded(kineto.load(path))
                names = {}
                got = {}
                for row in tool.table(path, "call_tree"):
                    if row["parent"] is None:
                        names[row["id"]] = ()
                        continue
                    stack = names[row["id"]] = names[row["parent"]] + (row["name"],)
                    self.assertEqual(row["depth"], len(stack))
                    got[stack] = row
                got.pop(("(launch not in the profile)",), None)
                self.assertGreater(len(got), 100)
                self.assertEqual(set(got), set(want))
                for stack, row in want.items():
                    for metric in ("cpu_time", "device_time", "count"):
                        self.assertEqual(got[stack][metric + ".exclusive"] or 0, row[metric], (stack, metric))

    def test_what_the_tables_say_adds_up(self):
        names = [name for name in hold.corpus_files() if not name.endswith(".tar.gz")]
        if not names:
            self.skipTest("no traces in %s (set CGPU_CORPUS)" % tool.corpus())
        seen = collections.Counter()
        for name in names:
            path = os.path.join(tool.corpus(), name)
            with self.subTest(name):
                kernels = sum(row["total_ns"] for row in tool.table(path, "kernel_classes"))
                modules, layers = (tool.table(path, table) for table in ("modules", "layers"))
                seen.update(modules=len(modules) > 0, layers=len(layers) > 0, kernels=kernels > 0)
                if modules:
                    self.assertEqual(sum(row["device_self_ns"] for row in modules), kernels)
                if layers:
                    self.assertEqual(sum(row["device_ns"] for row in layers), kernels)
                for options in ([], ["--min-pct", "2"], ["--focus", "aten::mm"], ["--apart", "threads"]):
                    tree = tool.table(path, "call_tree", *options)
                    if kernels > 0:
                        self.assertEqual(sum(row["device_time.exclusive"] or 0 for row in tree), kernels, options)
                    if tree and "cpu_time.inclusive" in tree[0]:
                        roots = sum(row["cpu_time.inclusive"] or 0 for row in tree if row["parent"] is None)
                        self.assertEqual(sum(row["cpu_time.exclusive"] or 0 for row in tree), roots, options)
        self.assertGreater(min(seen.values()), 0, seen)

    def test_layers_of_known_models(self):
        for name, layers, found_by, least_pct in ((QWEN, 24, "modules", 60), (SERVING, 36, "modules", 95),
                                                  (BERT, 4, "modules", 70), (GRAPH, 21, "sequence", 80)):
            with self.subTest(name):
                rows = [row for row in tool.table(corpus_file(self, name), "layers") if row["layer"] is not None]
                found = {row["layer"] for row in rows}
                self.assertEqual(found, set(range(len(found))))
                self.assertGreaterEqual(len(found), layers)
                self.assertEqual({row["found_by"] for row in rows}, {found_by})
                self.assertGreater(sum(row["pct"] for row in rows), least_pct)
                for layer in found:
                    self.assertIn("attention", {row["part"] for row in rows if row["layer"] == layer})

    def test_a_tree_is_indented_and_an_empty_table_says_why(self):
        path = corpus_file(self, BERT)
        text = tool.run(["table", path, "call_tree", "--min-pct", "20"]).stdout.decode()
        frames = [len(gap) for gap in re.findall(r" frame( +)\S", text)]
        self.assertEqual(frames, sorted(frames))
        self.assertLess(frames[0], frames[-1])
        empty = tool.run(["table", path, "stalls"])
        self.assertIn("(no rows: the profile has no metrics", empty.stdout.decode())
        empty = tool.run(["table", path, "stalls", "--format", "csv"])
        self.assertIn("stalls: no rows: the profile has no metrics", empty.stderr.decode())


if __name__ == "__main__":
    tool.must_exist()
    unittest.main()
