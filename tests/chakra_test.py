#!/usr/bin/env python3
"""Execution traces of the corpus, alone and beside the profile of the same run, against plain Python.

Environment: CGPU (the binary).
"""
import collections
import glob
import gzip
import json
import os
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.protobuf import fields, first, varint  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "chakra"))
PROFILES = tool.shared(os.path.join("corpus", "kineto", "facebookresearch_param__inputs__dlrm_kineto.tar.gz"))


def setUpModule():
    tool.must_exist()


def need(test, path):
    if not os.path.exists(path):
        test.skipTest("no " + path)
    return path


def unpacked(test, name, folder):
    """The files of an archive of the corpus."""
    with tarfile.open(need(test, name if os.path.isabs(name) else os.path.join(CORPUS, name))) as archive:
        for member in archive.getmembers():
            if member.isfile() and not os.path.basename(member.name).startswith("._"):
                member.name = os.path.basename(member.name)
                archive.extract(member, folder)
    return sorted(glob.glob(os.path.join(folder, "*")))


def is_tensor(value):
    return isinstance(value, list) and len(value) == 6 and isinstance(value[5], str) and \
        all(isinstance(v, int) for v in value[:5])


def tensor_bytes(value):
    if is_tensor(value):
        return value[3] * value[4]
    return sum(map(tensor_bytes, value)) if isinstance(value, list) else 0


def lists(node, which):
    """Inputs or outputs of a node of either generation."""
    part = node[which]
    return part["values"] if isinstance(part, dict) else part


class PyTorch(unittest.TestCase):
    def check(self, path):
        with open(path) as file:
            trace = json.load(file)
        info = tool.info(path)
        self.assertEqual(info["format"], "pytorch-et")
        self.assertEqual(info["format_version"], trace["schema"])
        self.assertEqual(info["bodies"], "op graph")
        self.assertEqual(info["graph_nodes"], len(trace["nodes"]))
        self.assertEqual(info["graph_nodes_with_duration"], 0)
        wanted = collections.defaultdict(lambda: [0] * 5)
        for node in trace["nodes"]:
            inputs, outputs = lists(node, "inputs"), lists(node, "outputs")
            for i, value in enumerate((1, len(inputs), len(outputs), tensor_bytes(inputs), tensor_bytes(outputs))):
                wanted[node["name"]][i] += value
        said = collections.defaultdict(lambda: [0] * 5)
        for row in tool.table(path, "et_ops"):
            for i, key in enumerate(("count", "inputs", "outputs", "input_bytes", "output_bytes")):
                said[row["name"]][i] += row[key]
            self.assertIsNone(row["total_ns"])
            self.assertIsNone(row["joined"])
        self.assertEqual(dict(said), dict(wanted))

    def test_one_file(self):
        self.check(need(self, os.path.join(CORPUS, "facebookresearch_param__data__resnet_et.json")))

    def test_newer_nodes(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in unpacked(self, "mlcommons_chakra__1.0.2-chakra.0.0.4.tgz", folder):
                self.check(path)
                kinds = collections.Counter()
                for row in tool.table(path, "et_ops"):
                    if row["kind"] == "collective":
                        kinds[row["collective"]] += row["count"]
                with open(path) as file:
                    nodes = json.load(file)["nodes"]
                words = collections.Counter(next(v for v in lists(n, "inputs") if isinstance(v, str))
                                            for n in nodes if n["name"] == "record_param_comms")
                self.assertEqual(kinds, words)

    def test_beside_the_profiles_of_the_same_run(self):
        with tempfile.TemporaryDirectory() as folder:
            traces = unpacked(self, "facebookresearch_param__inputs__dlrm_pytorch_et.tar.gz", folder)
            self.check(traces[0])
        with tempfile.TemporaryDirectory() as folder:
            unpacked(self, "facebookresearch_param__inputs__dlrm_pytorch_et.tar.gz", folder)
            files = unpacked(self, PROFILES, folder)
            info = tool.info(files)
            self.assertEqual(info["ranks"], 8, "each trace is a part of its process's run")
            calls = durations = 0
            for path in files:
                with open(path) as file:
                    data = json.load(file)
                if "nodes" in data:
                    calls += sum(node["rf_id"] > 0 for node in data["nodes"])
                else:
                    durations += sum(round(e["dur"] * 1000) for e in data["traceEvents"]
                                     if "Ev Idx" in e.get("args", {}) and not e["name"].startswith("ProfilerStep#"))
            self.assertEqual(info["graph_nodes_joined"], calls, "every call of the traces is found")
            rows = tool.table(files, "et_ops")
            self.assertEqual(sum(row["joined"] for row in rows), calls)
            self.assertEqual(sum(row["total_ns"] or 0 for row in rows), durations)
            notes = {row["code"]: row["count"] for row in tool.table(files, "notes")}
            self.assertNotIn("unjoined_op", notes)
            self.assertEqual(notes["other_iteration"], calls, "autograd's numbers of the two are 40 apart")


    def test_one_iteration_beside_a_profile_of_many(self):
        trace = need(self, os.path.join(CORPUS, "facebookresearch_param__data__resnet_et.json"))
        profile = need(self, os.path.join(os.path.dirname(PROFILES),
                                          "facebookresearch_param__inputs__resnet_kineto.json.gz"))
        with open(trace) as file:
            nodes = json.load(file)["nodes"]
        with gzip.open(profile) as file:
            events = [e for e in json.load(file)["traceEvents"] if "External id" in e.get("args", {})]
        rows = tool.table([profile, trace], "et_ops")
        self.assertEqual(sum(row["joined"] for row in rows), sum(node["rf_id"] > 0 for node in nodes))
        # The forward pass of the iteration has autograd's numbers that no other has.
        name = "aten::nll_loss_forward"
        numbers = {node["seq_id"] for node in nodes if node["name"] == name}
        durations = [round(e["dur"] * 1000) for e in events
                     if e["name"] == name and e["args"].get("Sequence number") in numbers]
        row = next(row for row in rows if row["name"] == name)
        self.assertEqual([row["total_ns"]], durations)


class Chakra(unittest.TestCase):
    def test_messages(self):
        path = need(self, os.path.join(CORPUS, "mlcommons_chakra__chakra.0.et"))
        with open(path, "rb") as file:
            data = file.read()
        at, messages = 0, []
        while at < len(data):
            size, at = varint(data, at)
            messages.append(data[at:at + size])
            at += size
        nodes = messages[1:]
        info = tool.info(path)
        self.assertEqual(info["format"], "chakra")
        self.assertEqual(info["graph_nodes"], len(nodes))
        self.assertEqual(info["slices"], 0)
        rows = tool.table(path, "et_ops")
        self.assertEqual(sum(row["count"] for row in rows), len(nodes))
        self.assertEqual(sum(row["total_ns"] or 0 for row in rows), 1000 * sum(first(node, 7, 0) for node in nodes))
        attributes = [{first(a, 1).decode(): next((v for k, v in fields(a) if k > 2), None)
                       for number, a in fields(node) if number == 10} for node in nodes]
        self.assertEqual(sum(row["communicated_bytes"] or 0 for row in rows),
                         sum(a.get("comm_size", 0) for a in attributes))
        host = sum(a["is_cpu_op"] for node, a in zip(nodes, attributes) if first(node, 3) == 4)
        kinds = collections.Counter()
        for row in rows:
            kinds[row["kind"]] += row["count"]
        self.assertEqual(kinds["op"], host)
        self.assertEqual(kinds["collective"], sum(first(node, 3) == 7 for node in nodes))
        names = collections.Counter(first(node, 2).decode() for node in nodes)
        said = collections.Counter()
        for row in rows:
            said[row["name"]] += row["count"]
        self.assertEqual(said, names)

    def test_workloads_of_simulators(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in unpacked(self, "mlcommons_chakra__jsonData.tar.gz", folder):
                with open(path) as file:
                    nodes = json.load(file)["workload_graph"]
                info = tool.info(path)
                self.assertEqual(info["format"], "chakra")
                self.assertEqual(info["graph_nodes"], len(nodes))
                self.assertEqual(sum(row["total_ns"] or 0 for row in tool.table(path, "et_ops")),
                                 1000 * sum(node.get("runtime", 0) for node in nodes))


if __name__ == "__main__":
    unittest.main()
