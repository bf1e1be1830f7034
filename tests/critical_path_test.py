#!/usr/bin/env python3
"""The laws of the graph of dependencies on built traces and on every profile of the corpus with device ops: unchanged it
gives back what was measured, the parts of the critical path add up to the steps, a window's path lies in the window; and
numbers that HTA publishes for its own example.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import glob
import itertools
import json
import os
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, causes, machine, tool  # noqa: E402
from simulated_jobs.cases import CASES  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())
LARGEST = 30 << 20  # bytes; larger files take longer than what they add

BUILT = {
    "cnn": (["--model", "cnn", "--seed", 31, "--steps", 10], 1),
    "llm, two ranks": (["--model", "llm", "--seed", 32], 2),
    "moe of AMD": (["--model", "moe", "--seed", 33, "--vendor", "amd"], 1),
    "four streams": (["--model", "plain", "--seed", 34, "--streams", 4, "--orphans", 30, "--shuffle"], 1),
}


def broken_laws(inputs, *options):
    broken = []
    replay = tool.table(inputs, "replay", *options)
    for row in replay:
        if row["measured_ns"] != row["replayed_ns"]:
            broken.append("replayed to other times: %s" % row)
        if not 0 <= row["unexplained_ns"] <= row["measured_ns"]:
            broken.append("unexplained beyond what was measured: %s" % row)
    unchanged = tool.table(inputs, "whatif", *options)
    measured = sum(row["measured_ns"] for row in unchanged)
    if any(row["saved_ns"] for row in unchanged):
        broken.append("nothing changed, and something saved")
    for by in ("kind", "name", "layer", "rank", "step"):
        path = tool.table(inputs, "critical_path", "--by", by, *options)
        if sum(row["total_ns"] for row in path) != measured:
            broken.append("the path by %s is not as long as the steps" % by)
    trace = tool.table(inputs, "critical_path_trace", *options)
    work = {(row["rank"], row["start_ns"], row["name"], row["duration_ns"]) for row in trace if row["dependency"] == "work"}
    slacks = {}
    for row in tool.table(inputs, "op_dependencies", "--top", "0", *options):
        slacks.setdefault((row["rank"], row["start_ns"], row["name"]), []).append(row["slack_ns"])
    if any(slack < 0 for each in slacks.values() for slack in each):
        broken.append("an op ends too late for what comes after it")
    for rank, start, name, duration in work:
        if duration and 0 not in slacks.get((rank, start, name), [0]):
            broken.append("on the critical path, with slack: %s at %d" % (name, start))
    if sum(row["duration_ns"] for row in trace) != measured:
        broken.append("the trace of the path is not as long as the steps")
    steps = {}
    for row in trace:
        end = steps.get((row["step"]), None)
        if end is not None and row["start_ns"] != end and len({r["rank"] for r in replay}) == 1:
            broken.append("the path has a hole before %s" % row)
        steps[row["step"]] = row["start_ns"] + row["duration_ns"]
    return broken, replay


def real_pair(without, with_workers):
    """(what is predicted of the first run without loading data, what the second measured), medians of the steps."""
    predicted = [row["predicted_ns"] for row in tool.table(without, "whatif", "--free", "data_loading")]
    return statistics.median(predicted), statistics.median(row["measured_ns"] for row in tool.table(with_workers, "whatif"))


class Built(unittest.TestCase):
    def test_built_traces(self):
        for name, (options, ranks) in BUILT.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                trace, _ = built.build(folder, *options, ranks=ranks)
                broken, replay = broken_laws([trace])
                self.assertEqual(broken, [])
                self.assertTrue(replay)
                steps = [row["step"] for row in replay if row["step"] is not None]
                part = ("--step", str(max(steps))) if steps else ("--from", "1ms", "--to", "3ms")
                broken, _ = broken_laws([trace], *part)
                self.assertEqual(broken, [])

    def test_a_real_pair_of_the_examples(self):
        """As docs/diagnosis.md says it."""
        predicted, measured = real_pair(*(os.path.join(tool.ROOT, "examples", "cnn_workers%d.json.gz" % n) for n in (0, 4)))
        self.assertAlmostEqual(100 * (predicted / measured - 1), -17, delta=0.5)

    def test_layers_of_the_path(self):
        """Named as table `layers` names them; no more of a layer's kernels is on the path than there is."""
        with tempfile.TemporaryDirectory() as folder:
            trace, _ = built.build(folder, "--model", "llm", "--seed", 32)
            device = {}
            for row in tool.table(trace, "layers", "--top", "0"):
                layer = "no layer" if row["layer"] is None else "layer %d" % row["layer"]
                name = "sequence %d, " % row["sequence"] if (row["sequence"] or 1) > 1 else ""
                name += "%s: %s" % (layer, row["part"])
                device[name] = device.get(name, 0) + row["device_ns"]
            path = tool.table(trace, "critical_path", "--by", "layer", "--top", "0")
        work = [row for row in path if row["bound_by"] in ("compute", "communication")]
        self.assertGreater(len({row["name"] for row in work if row["name"].startswith("layer")}), 3)
        for row in work:
            if row["name"].startswith("layer"):
                self.assertLessEqual(row["total_ns"], device[row["name"]], row)
        host = [row["name"] for row in path if row["bound_by"] in ("host_code", "launch_overhead") and row["name"]]
        self.assertTrue(any(name.startswith("layer") for name in host), host)

    def test_ranks_in_any_order_give_the_same(self):
        asked = [("critical_path",), ("critical_path", "--by", "name"), ("critical_path_trace",), ("op_dependencies",),
                 ("replay",), ("whatif", "--scale", "gemm=0.5"), ("findings",)]
        with tempfile.TemporaryDirectory() as folder:
            trace, _ = built.build(folder, "--model", "moe", "--seed", 36, "--steps", 4, ranks=3)
            ranks = sorted(os.path.join(trace, name) for name in os.listdir(trace))
            self.assertEqual(len(ranks), 3)
            want = [tool.table(ranks, *words) for words in asked]
            self.assertTrue(all(want))
            for order in list(itertools.permutations(ranks))[1:]:
                for words, rows in zip(asked, want):
                    self.assertEqual(tool.table(list(order), *words), rows, (words, order))

    def test_a_launch_into_a_full_queue_waits_for_the_device(self):
        """Were it the host that is slow, faster kernels would gain nothing."""
        with tempfile.TemporaryDirectory() as folder:
            path, = machine.write(machine.run(causes.deep_queue), folder)
            rows = tool.table(path, "whatif", "--scale", "gemm=0.5")
        truth = 1000 * machine.measured(machine.run(lambda m: causes.deep_queue(m, 20)))
        predicted = sum(row["predicted_ns"] for row in rows)
        self.assertLess(abs(predicted - truth), 0.03 * truth)
        self.assertGreater(sum(row["saved_ns"] for row in rows), 0.4 * truth)

    def test_a_freed_cause_shortens_the_steps_and_binds_no_more(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, _ = built.build(folder, "--model", "cnn", "--seed", 35, "--idle", "data_loading,host_code")
            path = {row["bound_by"]: row["total_ns"] for row in tool.table(trace, "critical_path")}
            freed = tool.table(trace, "critical_path", "--free", "data_loading")
            self.assertGreater(path["data_loading"], 0)
            self.assertNotIn("data_loading", [row["bound_by"] for row in freed])
            saved = sum(row["saved_ns"] for row in tool.table(trace, "whatif", "--free", "data_loading"))
            self.assertGreater(saved, 0)
            self.assertLessEqual(saved, sum(path.values()))


def profiles():
    for folder in ("kineto", "nsys_sqlite", "ascend", "hpctoolkit_v4", "rocprof", "perfetto_pb"):
        top = os.path.join(CORPUS, folder)
        for where, folders, files in os.walk(top):
            folders.sort()
            if "meta.db" in files and folder == "hpctoolkit_v4":
                yield where
                folders.clear()
                continue
            for name in sorted(files):
                path = os.path.join(where, name)
                if os.path.getsize(path) <= LARGEST and folder != "hpctoolkit_v4":
                    yield path


@unittest.skipUnless(os.path.isdir(CORPUS), "no corpus beside the checkout")
class Corpus(unittest.TestCase):
    def test_every_profile_keeps_the_laws(self):
        seen = 0
        for path in profiles():
            with self.subTest(os.path.relpath(path, CORPUS)):
                try:
                    broken, replay = broken_laws([path])
                except RuntimeError:  # no profile of its own
                    continue
                self.assertEqual(broken, [])
                seen += bool(replay)
        self.assertGreater(seen, 50)

    def test_hta_edges_of_simple_add(self):
        path = os.path.join(CORPUS, "kineto", "facebookresearch_HolisticTraceAnalysis__critical_path__end_to_end__"
                                              "simple_add__input__trace.json.gz")
        rows = tool.table(path, "op_dependencies")
        bound = {(row["dependency"], row["waited_ns"], row["name"].split("<")[0]) for row in rows}
        self.assertIn(("launch", 27000, "void fft2d_r2c_32x32"), bound)  # HTA: kernel launch delay
        # HTA counts the 7 us before this kernel as kernel kernel delay. Its launch had begun only 17 us before, and no launch
        # of this profile takes much less than 13 us: so it was its launch, not the kernel before it, that came last.
        self.assertIn(("launch", 17000, "ampere_gcgemm_64x64_nt"), bound)
        kernels = [row for row in tool.table(path, "device_trace", "--top", "0") if row["stream"] == 20]
        ends = {row["start_ns"] + row["duration_ns"] for row in kernels}
        self.assertTrue(any(row["start_ns"] - 7000 in ends for row in kernels if row["name"] == "ampere_gcgemm_64x64_nt"))

    def test_layers_of_the_path(self):
        """36 layers of a Qwen3-8B, all of whose products are on the path; named as table `layers` names them."""
        path = os.path.join(CORPUS, "kineto", "AMD-AGI_TraceLens__inference__sglang_prefilldecode__sglang_Qwen3-8B_"
                                              "prefilldecode.json.gz")
        of_layer = {}
        for row in tool.table(path, "critical_path", "--by", "layer", "--top", "0"):
            if row["bound_by"] == "compute" and (row["name"] or "").endswith(": MLP"):
                of_layer[int(row["name"].split(":")[0].split()[1])] = row["total_ns"]
        self.assertEqual(sorted(of_layer), list(range(36)))
        device = {row["layer"]: row["device_ns"] for row in tool.table(path, "layers", "--top", "0")
                  if row["part"] == "MLP" and row["layer"] is not None}
        for layer, total in of_layer.items():
            self.assertLessEqual(total, device[layer])
            self.assertGreater(total, 0.99 * device[layer])

    def test_a_real_pair(self):
        """As docs/diagnosis.md says it."""
        name = os.path.join(CORPUS, "kineto", "pytorch_kineto__samples__resnet50_num_workers_%s.pt.trace.json.gz")
        predicted, measured = real_pair(name % "0__worker0.1623143566756", name % "4__worker0.1623212756351")
        self.assertAlmostEqual(100 * (predicted / measured - 1), -6.2, delta=0.1)

    def test_resnet_and_two_gpus(self):
        kineto = os.path.join(CORPUS, "kineto")

        def most(path):
            return tool.table(path, "critical_path")[0]["bound_by"]

        def saved_by_loading(name):
            rows = tool.table(os.path.join(kineto, name), "whatif", "--free", "data_loading")
            return sum(r["saved_ns"] for r in rows) / sum(r["measured_ns"] for r in rows)

        # Without workers a fifth of every step is waiting for data; with four, next to nothing.
        self.assertGreater(saved_by_loading("pytorch_kineto__samples__resnet50_num_workers_0__worker0.1623143566756.pt."
                                            "trace.json.gz"), 0.2)
        self.assertLess(saved_by_loading("pytorch_kineto__samples__resnet50_num_workers_4__worker0.1623212756351.pt."
                                         "trace.json.gz"), 0.02)
        self.assertEqual(most(os.path.join(CORPUS, "nsys_sqlite", "GindaChen_nsys-ai__tests__fixtures__h100_2gpu_1s.sqlite")),
                         "memory")


class AlikeRanks(unittest.TestCase):
    """Runs of the machine in which one rank is late, or one group of ranks has a slow link, held against the runs without it."""

    def whatif(self, program, option, ranks=3):
        """Predicted ns of all steps."""
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machine.run(program, ranks), folder, (9, 0), None)
            rows = tool.table(paths, "whatif", option)
        return sum(row["predicted_ns"] for row in rows)

    def measured(self, program, ranks=3):
        return round(1000 * machine.measured(machine.run(program, ranks)))

    def test_a_rank_as_the_median(self):
        for name in ("late host", "slow device"):
            for cost in (1800, 9000):
                with self.subTest(name, cost=cost):
                    late, equal = (causes.training((name, cost, there)) for there in (True, False))
                    self.assertGreater(self.measured(late), self.measured(equal))
                    self.assertEqual(self.whatif(late, "--rank-as-median"), self.measured(equal))
                    self.assertEqual(self.whatif(late, "--links-as-best"), self.measured(late))

    def test_links_as_the_best(self):
        slow, equal = (causes.training(("slow_link", 9000, there)) for there in (True, False))
        ranks = causes.CAUSES["slow_link"].ranks
        self.assertEqual(self.whatif(slow, "--links-as-best", ranks), self.measured(equal, ranks))
        self.assertEqual(self.whatif(slow, "--rank-as-median", ranks), self.measured(slow, ranks))

    @staticmethod
    def with_ranks_of_transfers(path):
        """As PyTorch writes them from 2.5 on: the group ppN of these runs leads from rank N - 1 to N."""
        with open(path, encoding="utf-8") as handle:
            trace = json.load(handle)
        for event in trace["traceEvents"]:
            arguments = event.get("args", {})
            if arguments.get("Collective name") in ("send", "recv"):
                number = int(arguments["Process Group Name"][len("pp"):])
                arguments.update({"Src Rank": number - 1, "Dst Rank": number})
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(trace, handle)

    def test_stages_as_the_mean(self):
        for costs in ((1000, 3000), (3000, 1000), (1000, 2000, 3000), (500, 500, 2000, 1000)):
            for batches in (3, 12):
                with self.subTest(costs=costs, batches=batches), tempfile.TemporaryDirectory() as folder:
                    equal = self.measured(causes.pipeline([sum(costs) // len(costs)] * len(costs), batches), len(costs))
                    paths = machine.write(machine.run(causes.pipeline(costs, batches), len(costs)), folder, (9, 0), None)
                    done = tool.run(["whatif", *paths, "--stages-as-mean"])
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("no counterpart", done.stderr.decode())
                    for path in paths:
                        self.with_ranks_of_transfers(path)
                    rows = tool.table(paths, "whatif", "--stages-as-mean")
                    self.assertGreater(sum(row["measured_ns"] for row in rows), 1.15 * equal)
                    self.assertAlmostEqual(sum(row["predicted_ns"] for row in rows), equal, delta=0.005 * equal)

    def test_stages_whose_hosts_are_ahead(self):
        """The first stage ends each step last: the host of the other one has begun the next step by then."""
        case = CASES["the first of two stages has more layers"]
        planted, equal = case.simulate(True), case.simulate(False).elapsed()
        with tempfile.TemporaryDirectory() as folder:
            rows = tool.table(planted.write(folder), "whatif", "--stages-as-mean")
        self.assertGreater(planted.elapsed(), 1.15 * equal)
        self.assertAlmostEqual(sum(row["predicted_ns"] for row in rows), equal, delta=0.01 * equal)

    def test_stages_without_launches_are_refused(self):
        """The replay would leave each op where it began, and promise nothing."""
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machine.run(causes.pipeline((1000, 3000), 12), 2), folder, (9, 0), None)
            for path in paths:
                self.with_ranks_of_transfers(path)
                with open(path, encoding="utf-8") as handle:
                    trace = json.load(handle)
                trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") != "cuda_runtime"]
                with open(path, "w", encoding="utf-8") as handle:
                    json.dump(trace, handle)
            done = tool.run(["whatif", *paths, "--stages-as-mean"])
            self.assertEqual(done.returncode, 2)
            self.assertIn("have no launch in these profiles", done.stderr.decode())

    def test_what_all_ranks_do_stays(self):
        program = causes.training(("data_loading", 9000, True))
        self.assertEqual(self.whatif(program, "--rank-as-median"), self.measured(program))

    def test_one_rank_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machine.run(causes.training(), 1), folder, (9, 0), None)
            for option in ("--rank-as-median", "--links-as-best", "--stages-as-mean"):
                done = tool.run(["whatif", *paths, option])
                self.assertEqual(done.returncode, 2)
                self.assertIn(option + ": give the profiles of several ranks", done.stderr.decode())

    def test_stages_of_one_rank_each_are_refused(self):
        paths = sorted(glob.glob(os.path.join(tool.ROOT, "examples", "h100_ranks", "scheduled_slow", "*.gz")))
        done = tool.run(["whatif", *paths, "--rank-as-median"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("none has a peer", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
