#!/usr/bin/env python3
"""Sends and receives between ranks: a written job of three stages, whose waits are known, and recorded ones
(examples/h100_ranks), which a slow matching by partners finds too.

Environment: CGPU (the binary).
"""
import bisect
import collections
import gzip
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

RECORDED = os.path.join(tool.ROOT, "examples", "h100_ranks")
KERNEL = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
BYTES = 4 * 2048


def setUpModule():
    tool.must_exist()


class Stage:
    """The trace of one rank, written as PyTorch writes it: times in us."""

    def __init__(self, rank, world):
        self.rank, self.world, self.events, self.next = rank, world, [], 1

    def slice(self, category, name, start, duration, track, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0 if track[0] == "stream" else 100 + self.rank,
                            "tid": track[1], "ts": start, "dur": duration, "args": arguments})

    def transfer(self, name, partner):
        return {"Collective name": name, "In msg nelems": 2048, "Out msg nelems": 2048, "Group size": self.world, "dtype": "Float",
                "Process Group Name": "0", "Dst Rank" if name == "send" else "Src Rank": partner}

    def kernel(self, start, duration, stream, **arguments):
        self.slice("kernel", KERNEL, start, duration, ("stream", stream), device=0, stream=stream, correlation=self.next, **arguments)

    def call(self, start):
        self.next += 1
        self.slice("cuda_runtime", "cudaLaunchKernelExC", start, 2, ("thread", 1), correlation=self.next)

    def alone(self, issued, start, duration, name, partner):
        """A send or receive by itself: its kernel says what it is."""
        arguments = self.transfer(name, partner)
        self.slice("cpu_op", "record_param_comms", issued, 8, ("thread", 1), **arguments)
        self.slice("user_annotation", f"nccl:{name}", issued + 1, 6, ("thread", 1))
        self.call(issued + 2)
        self.kernel(start, duration, 16, **arguments)

    def batch(self, issued, start, duration, *transfers):
        """Several, each (name, partner): the kernel says nothing."""
        for number, (name, partner) in enumerate(transfers):
            self.slice("cpu_op", "record_param_comms", issued + 3 * number, 2, ("thread", 1), **self.transfer(name, partner))
        issued += 3 * len(transfers)
        self.slice("user_annotation", "nccl:coalesced", issued, 8, ("thread", 1))
        self.call(issued + 2)
        self.kernel(start, duration, 20)

    def write(self, folder):
        path = os.path.join(folder, f"rank-{self.rank}.json")
        with open(path, "w", encoding="utf-8") as handle:
            json.dump({"schemaVersion": 1, "baseTimeNanoseconds": 1_700_000_000_000_000_000,
                       "distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": self.world},
                       "traceEvents": self.events}, handle)
        return path


def three_stages(folder):
    """0 sends to 1, which comes 300 us later; 1 sends to 2 and receives from it in one batch, for which 2 is 40 us late."""
    first, second, third = (Stage(rank, 3) for rank in range(3))
    first.alone(100, 200, 350, "send", 1)
    second.alone(450, 500, 50, "recv", 0)
    second.batch(600, 650, 100, ("send", 2), ("recv", 2))
    third.batch(640, 690, 60, ("recv", 1), ("send", 1))
    for stage in (first, second, third):
        stage.slice("kernel", "gemm", 1000, 100, ("stream", 7), device=0, stream=7)
    return [stage.write(folder) for stage in (first, second, third)]


def waits_of(rows, key):
    return {row["rank"]: (row["count"], row["last"], row["caused_ns"], row["wait_ns"]) for row in rows if key(row)}


class Written(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files = three_stages(cls.folder.name)

    def test_each_is_a_transfer_of_two_ranks(self):
        row, = tool.table(self.folder.name, "collectives")
        self.assertEqual((row["name"], row["group"], row["ranks"], row["count"]), ("send_recv", "0", 3, 3))
        self.assertEqual(row["bytes"], 3 * BYTES)
        self.assertEqual(row["total_ns"], (350 + 50 + 100 + 60) * 1000)  # the ops of the batch once
        self.assertEqual(row["wait_ns"], (300 + 40) * 1000)

    def test_who_came_last(self):
        rows = tool.table(self.folder.name, "stragglers")
        self.assertEqual(waits_of(rows, lambda row: True), {0: (1, 0, 0, 300_000), 1: (3, 1, 300_000, 40_000),
                                                            2: (2, 2, 40_000, 0)})

    def test_the_same_of_summaries_and_of_exports(self):
        wanted = {name: tool.table(self.folder.name, name) for name in ("collectives", "stragglers", "exposed_collectives")}
        with tempfile.TemporaryDirectory() as folder:
            summaries = os.path.join(folder, "summaries")
            os.mkdir(summaries)
            for number, path in enumerate(self.files):
                done = tool.run(["summarize", path, "-o", os.path.join(summaries, f"{number}.cgpu")])
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({name: tool.table(summaries, name) for name in wanted}, wanted)
            for ending in ("json", "pftrace"):
                exported = os.path.join(folder, f"all.{ending}")
                done = tool.run(["export", self.folder.name, "-o", exported])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual({name: tool.table(exported, name) for name in wanted}, wanted, ending)

    def test_a_rank_alone_has_nobody_to_wait_for(self):
        row, = tool.table(self.files[1], "collectives")
        self.assertEqual((row["count"], row["total_ns"], row["wait_ns"]), (3, 150_000, None))


class Rank:
    """A recorded rank: its device ops of communication, each with its transfers, by partner."""

    def __init__(self, path):
        with gzip.open(path, "rt", encoding="utf-8") as handle:
            trace = json.load(handle)
        self.rank = trace["distributedInfo"]["rank"]
        events = trace["traceEvents"]
        of_thread = collections.defaultdict(list)  # what was asked for, and the batches, in order
        calls = {}
        for event in events:
            name, category = event.get("name", ""), event.get("cat")
            if category in ("cuda_runtime", "cuda_driver") and "correlation" in event.get("args", {}):
                calls[event["args"]["correlation"]] = event
            if category == "cpu_op" and name == "record_param_comms" and {"Src Rank", "Dst Rank"} & set(event["args"]):
                of_thread[event["tid"]].append((event["ts"], 0, event["args"]))
            if category == "user_annotation" and name == "nccl:coalesced":
                of_thread[event["tid"]].append((event["ts"], 1, event))
        batches = collections.defaultdict(list)  # by thread: begin, end, transfers
        for thread, marks in of_thread.items():
            asked = []
            for _, kind, what in sorted(marks, key=lambda mark: mark[:2]):
                if kind == 0:
                    asked.append(what)
                else:
                    batches[thread].append((what["ts"], what["ts"] + what["dur"], asked))
                    asked = []
        self.ops = []  # start, end, transfers [(sender, receiver, bytes)]
        for event in events:
            if event.get("cat") != "kernel" or "nccl" not in event["name"]:
                continue
            arguments = event["args"]
            if "Collective name" in arguments:
                of_op = [arguments]
            else:
                call = calls[arguments["correlation"]]
                begins = [batch[0] for batch in batches[call["tid"]]]
                begin, end, of_op = batches[call["tid"]][bisect.bisect_right(begins, call["ts"]) - 1]
                assert begin <= call["ts"] <= end
            start = round(event["ts"] * 1000)
            self.ops.append((start, round((event["ts"] + event["dur"]) * 1000), [
                (self.rank, each["Dst Rank"], 4 * each["In msg nelems"]) if "Dst Rank" in each
                else (each["Src Rank"], self.rank, 4 * each["In msg nelems"]) for each in of_op]))
        self.ops.sort(key=lambda op: op[0])


def slow_waits(ranks):
    """By rank: transfers, last, caused, waited; and the bytes of all transfers."""
    ends = collections.defaultdict(lambda: collections.defaultdict(list))  # pair: rank: ops in order
    for rank in ranks:
        for op in rank.ops:
            for sender, receiver, size in op[2]:
                ends[sender, receiver][rank.rank].append((op, size))
    sums = {rank.rank: [0, 0, 0, 0] for rank in ranks}
    waited = collections.defaultdict(dict)  # (rank, start of the op): {transfer: (latest, who)}
    total_bytes = 0
    for (sender, receiver), by_rank in ends.items():
        for number, (send, receive) in enumerate(zip(by_rank[sender], by_rank[receiver], strict=True)):
            total_bytes += send[1]
            latest, who = max((send[0][0], sender), (receive[0][0], receiver))
            sums[who][1] += 1
            for rank, (op, _) in ((sender, send), (receiver, receive)):
                sums[rank][0] += 1
                waited[rank, op[0], op[1]][sender, receiver, number] = (latest, who)
    for (rank, start, end), transfers in waited.items():
        latest, who = max(transfers.values())
        wait = min(latest, end) - start
        sums[rank][3] += wait
        sums[who][2] += wait
    return {rank: tuple(values) for rank, values in sums.items()}, total_bytes


def findings_of(folder):
    return tool.rows_of(json.loads(tool.run(["diagnose", folder, "--format", "json"]).stdout))["findings"]


class Recorded(unittest.TestCase):
    def test_waits_are_those_of_a_slow_matching(self):
        for job in ("ring", "scheduled_slow"):
            with self.subTest(job):
                folder = os.path.join(RECORDED, job)
                ranks = [Rank(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]
                wanted, total_bytes = slow_waits(ranks)
                rows = tool.table(folder, "stragglers")
                found = waits_of(rows, lambda row: True)
                # The oracle's times are of floating-point microseconds: a wait is exact to 2 ns.
                for rank, values in wanted.items():
                    self.assertEqual(found[rank][:2], values[:2])
                    for value, other in zip(found[rank][2:], values[2:]):
                        self.assertAlmostEqual(value, other, delta=2 * len(ranks[0].ops) * len(ranks))
                row, = tool.table(folder, "collectives")
                self.assertEqual((row["count"], row["bytes"]), (sum(v[0] for v in wanted.values()) // 2, total_bytes))
                self.assertEqual(row["wait_ns"], sum(each["wait_ns"] for each in rows))
                self.assertEqual(sum(each["caused_ns"] for each in rows), row["wait_ns"])

    def test_the_slow_stage_is_who_others_wait_for(self):
        folder = os.path.join(RECORDED, "scheduled_slow")  # the second of three stages has three times the layers
        first = tool.table(folder, "stragglers")[0]
        self.assertEqual(first["rank"], 1)
        self.assertGreater(first["pct"], 90)
        on_path = tool.table(folder, "rank_path")
        self.assertEqual(on_path[0]["iterations"], 2, "whole ones of three steps, though the host is two ahead of the device")
        self.assertEqual({(row["owner"], row["rank"]) for row in on_path[:2]}, {("compute", 1), ("dependency", 1)})
        findings = findings_of(folder)
        self.assertEqual((findings[0]["rule"], findings[0]["rank"]), ("stage_imbalance", 1))

    def test_a_late_rank_is_named(self):
        folder = os.path.join(RECORDED, "data_parallel_late")  # rank 1 prepares its batch for 15 ms in each of three steps
        first = tool.table(folder, "stragglers")[0]
        # The ranks share a device, whose turns end the all-reduces of one 2.25 ms later: that is no clock that is off.
        self.assertEqual((first["rank"], first["last"], first["count"]), (1, 15, 15))
        self.assertAlmostEqual(first["caused_ns"] / 1e6, 3 * 15, delta=5)
        findings = findings_of(folder)
        self.assertEqual((findings[0]["rule"], findings[0]["rank"]), ("straggler", 1))
        self.assertIn("its host is late", findings[0]["title"])


if __name__ == "__main__":
    unittest.main()
