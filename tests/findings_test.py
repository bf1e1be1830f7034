#!/usr/bin/env python3
"""What `findings` says of runs whose trouble is known: a simulated machine (oracle/machine.py) runs the same program with
and without planted causes (oracle/causes.py), and what the run with them takes longer is what is recoverable. Beside them
runs that nothing is wrong with, and real profiles read by hand.

docs/diagnosis.md holds what comes out of it; --write-docs writes those parts anew.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import collections
import csv
import functools
import json
import os
import re
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, docs, machine, tool  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())
DOCS = os.path.join(tool.ROOT, "docs", "diagnosis.md")

# us a step of about 16 ms: too little to speak of, a warning, critical.
AMOUNTS = {None: 200, "warning": 1800, "critical": 9000}
AMOUNTS_OF = {"fusable_kernels": {None: 200, "warning": 1800}, "tensor_cores_unused": {None: 200, "warning": 1800,
                                                                                      "critical": 9000}}
LARGER, SMALLER = 7000, 1900  # of two causes

# Two causes that are one finding: of all copies, of all that the host does, of all that the host waits for.
COPIES = {"exposed_copies", "small_copies", "pageable_copies", "blocking_copies"}
HOST = {"stopped", "host_stall", "launch_bound"}
RANKS = {"late host", "slow device", "experts"}
TOGETHER = (COPIES, {"stopped", "host_stall"}, {"stopped", "launch_bound"},
            {"stopped", "late host"}, RANKS, {"synchronization", "blocking_copies"}, {"launch_bound", "small_copies"},
            {"launch_bound", "fusable_kernels"}, {"slow_link", "exposed_communication"}, {"slow_link", "late host"}, {"slow_link", "slow device"},
            {"allocation", "fragmentation"})
# Freeing these as the larger of two hides what else the host does (docs/diagnosis.md), or says the same of it.
HIDING = {"launch_bound", "synchronization", "blocking_copies"}
OF_THE_HOST = {"small_copies", "late host"}

# Micro-batches a step of two equal stages: one of them is waited for.
BATCHES = {None: 60, "warning": 12, "critical": 3}

IMBALANCES = {None: (1950, 2050), "warning": (1600, 2400), "critical": (1000, 3000)}


def setUpModule():
    tool.must_exist()


def findings(machines, reverse=False, capability=(9, 0)):
    with tempfile.TemporaryDirectory() as folder:
        paths = machine.write(machines, folder, capability)
        return tool.table(paths[::-1] if reverse else paths, "findings")


def alarms(rows):
    return [row for row in rows if row["severity"] != "info"]


class Case:
    """A built run: what was planted in it (the most expensive first), and what it costs."""

    def __init__(self, label, rules, program, twin, ranks):
        self.label, self.rules = label, rules
        self.machines = machine.run(program, ranks)
        self.lost_ns = 1000 * (machine.measured(self.machines) - machine.measured(machine.run(twin, ranks)))
        self.rows = findings(self.machines)
        self.alarms = alarms(self.rows)
        self.first = self.alarms[0]["rule"] if self.alarms else "none"

    def recoverable(self, rules):
        return sum(row["recoverable_ns"] for row in self.alarms if row["rule"] in rules)


@functools.lru_cache(None)
def singles():
    """[(severity, case)]"""
    cases = []
    for name, cause in causes.CAUSES.items():
        for severity, cost in AMOUNTS_OF.get(name, AMOUNTS).items():
            cases.append((severity, Case("%s, %d us" % (name, cost), [cause.rule],
                                         causes.training((name, cost, True)), causes.training((name, cost, False)),
                                         cause.ranks)))
    for severity, costs in IMBALANCES.items():
        mean = sum(costs) // len(costs)
        cases.append((severity, Case("stages %s" % (costs,), ["stage_imbalance"], causes.pipeline(costs),
                                     causes.pipeline([mean] * len(costs)), len(costs))))
    for severity, count in BATCHES.items():
        cases.append((severity, Case("%d micro-batches" % count, ["pipeline_bubble"], causes.pipeline((2000, 2000), count),
                                     causes.pipeline((2000, 2000), count, waits=False), 2)))
    return cases


@functools.lru_cache(None)
def pairs():
    cases = []
    names = list(causes.CAUSES)
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            if i == j or any(first in together and second in together for together in TOGETHER):
                continue
            if (i + j) % 2:  # every pair once, either one the larger
                if i < j:
                    continue
            elif i > j:
                continue
            one, two = causes.CAUSES[first], causes.CAUSES[second]
            if one.rule == two.rule or first in HIDING or (first in OF_THE_HOST and second in HOST | HIDING | RANKS):
                continue
            ranks = max(one.ranks, two.ranks)
            program = causes.training((first, LARGER, True), (second, SMALLER, True))
            twin = causes.training((first, LARGER, False), (second, SMALLER, False))
            alone = machine.measured(machine.run(causes.training((first, LARGER, True), (second, SMALLER, False)), ranks))
            if machine.measured(machine.run(program, ranks)) - alone < 0.6 * SMALLER * causes.STEPS:
                continue  # they hide each other: the second costs nothing here
            cases.append(Case("%s and %s" % (first, second), [one.rule, two.rule], program, twin, ranks))
    return cases


class Built(unittest.TestCase):
    def test_a_planted_cause_is_the_first_finding_and_as_large_as_it_costs(self):
        for severity, case in singles():
            with self.subTest(case.label):
                if severity is None:
                    self.assertEqual(case.first, "none")
                    continue
                self.assertEqual((case.first, case.alarms[0]["severity"]), (case.rules[0], severity))
                self.assertLess(abs(case.alarms[0]["recoverable_ns"] - case.lost_ns), 0.2 * case.lost_ns)

    def test_tensor_cores_take_fp32_from_ampere_on(self):
        machines = machine.run(causes.training(("tensor_cores_unused", 5400, True)), 1)
        for capability, has in (((7, 5), False), ((8, 0), True), ((10, 0), True)):
            rules = [row["rule"] for row in findings(machines, capability=capability)]
            self.assertEqual("tensor_cores_unused" in rules, has, capability)

    def test_two_planted_causes_are_both_found_the_larger_first(self):
        self.assertGreater(len(pairs()), 40)
        for case in pairs():
            with self.subTest(case.label):
                found = [row["rule"] for row in case.alarms]
                self.assertEqual(case.first, case.rules[0])
                self.assertIn(case.rules[1], found)
                self.assertLess(abs(case.recoverable(case.rules) - case.lost_ns), 0.2 * case.lost_ns)

    def test_no_time_is_promised_twice(self):
        for case in [case for _, case in singles()] + pairs():
            with self.subTest(case.label):
                whole = 1000 * machine.measured(case.machines)
                self.assertLessEqual(sum(row["recoverable_ns"] or 0 for row in case.alarms), whole)
                for row in case.alarms:
                    self.assertLessEqual(row["recoverable_low_ns"], row["recoverable_ns"])
                    self.assertLessEqual(row["recoverable_ns"], row["recoverable_high_ns"])

    def test_what_all_give_back_together(self):
        """At most the parts, at most the steps, and no less than what the planted causes cost."""
        for case in [case for _, case in singles()] + pairs():
            with self.subTest(case.label):
                gains = [row for row in case.rows if row["recoverable_ns"] is not None]
                if not gains:
                    continue
                together = max(row["together_ns"] for row in gains)
                self.assertLessEqual(together, sum(row["recoverable_ns"] for row in gains))
                self.assertLessEqual(together, sum(row["recoverable_high_ns"] for row in gains))
                self.assertEqual({row["measured_ns"] for row in gains}, {1000 * machine.measured(case.machines)})
                self.assertLessEqual(together, gains[0]["measured_ns"])
                if case.alarms:
                    self.assertGreater(together, 0.8 * case.lost_ns)

    def test_together_in_words(self):
        both = ("data_loading", "allocation")
        case = Case("two", both, causes.training(*zip(both, (LARGER, SMALLER), (True, True))),
                    causes.training(*zip(both, (LARGER, SMALLER), (False, False))), 1)
        self.assertEqual([row["rule"] for row in case.alarms], list(both))
        first = case.alarms[0]
        together, steps = max(row["together_ns"] or 0 for row in case.rows), first["steps"]
        self.assertEqual(steps, causes.STEPS)
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(case.machines, folder)
            for verb, *options in (("diagnose",), ("diagnose", "--format", "md"), ("report",), ("report", "--format", "md")):
                text = " ".join(tool.run([verb, *paths, *options]).stdout.decode().split())
                said = re.search(r"All of these together: ([0-9.]+) ms of ([0-9.]+) ms a step \([0-9.]+%\)\.", text)
                self.assertTrue(said, (verb, options))
                for number, expected in zip(said.groups(), (together, first["measured_ns"])):
                    self.assertAlmostEqual(float(number), expected / steps / 1e6, delta=0.06)
            one = machine.write(machine.run(causes.training(("data_loading", 3000, True))), folder)
            self.assertNotIn(b"All of these together", tool.run(["diagnose", *one]).stdout)

    def test_the_report_of_several_ranks_has_their_findings(self):
        machines = machine.run(causes.training(("late host", 3000, True)), 2)
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machines, folder)
            expected = tool.table(paths, "findings")
            self.assertEqual((expected[0]["rule"], expected[0]["severity"]), ("straggler", "warning"))
            for inputs in (paths, [folder]):
                done = tool.run(["report", *inputs, "--format", "json"])
                self.assertEqual(tool.rows_of(json.loads(done.stdout.decode()))["findings"], expected)
                self.assertIn(expected[0]["title"], " ".join(tool.run(["report", *inputs]).stdout.decode().split()))
            kept = os.path.join(folder, "all.cgpu")  # of ranks whose timelines are not there
            self.assertEqual(tool.run(["summarize", *paths, "-o", kept]).returncode, 0)
            text = " ".join(tool.run(["report", kept]).stdout.decode().split())
            (found,) = tool.rows_of(json.loads(tool.run(["report", kept, "--format", "json"]).stdout.decode()))["findings"]
            self.assertEqual((found["rule"], found["rank"]), ("straggler", expected[0]["rank"]))
            self.assertAlmostEqual(found["recoverable_pct"], expected[0]["recoverable_pct"], delta=1)
            self.assertIn(found["title"], text)
            self.assertIn("Only rules over ranks were judged", text)

    def test_launches_measured_one_by_one(self):
        """Of Nsight Compute's pages: by the share of the kernel time that is at stake."""
        header = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device",
                  "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type", "Rule Description",
                  "Estimated Speedup Type", "Estimated Speedup"]

        def found(*launches):
            """(kernel, ns, [(rule, type, words, estimate)]) each"""
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "page.csv")
                with open(path, "w", encoding="utf-8", newline="") as handle:
                    page = csv.writer(handle, quoting=csv.QUOTE_ALL)
                    page.writerow(header)
                    for number, (kernel, took, rules) in enumerate(launches):
                        launch = [number, 7, "app", "node", kernel, 1, 7, "(256, 1, 1)", "(8, 1, 1)", 0, "9.0"]
                        page.writerow(launch + ["GPU Speed Of Light Throughput", "Duration", "ns", took])
                        for rule, kind, words, estimate in rules:
                            page.writerow(launch + ["Section", "", "", "", rule, kind, words] +
                                          (["global", estimate] if estimate else ["", ""]))
                rows = tool.table(path, "findings")
                report = tool.run(["report", path]).stdout.decode()
                self.assertEqual("No finding has a potential saving" in report, rows[0]["severity"] == "info" and rows[0]["rule"] == "slow_kernel")
            return [(row["rule"], row["severity"], row["title"], row["evidence"]) for row in rows]

        estimate = [("Coalesce", "OPT", "Wide accesses.", "50.0")]
        warning = [("CPIStall", "WRN", "Warps are groups of 32. This one waits 71.6% of its cycles. See the guide.", None),
                   ("Divergence", "WRN", "It has 21.8 threads of 32.", None),
                   ("Compression", "WRN", "The optional metric x.pct could not be found.", None)]
        for other, severity in ((0, "critical"), (9000, "warning"), (99000, "info")):
            rows = found(("f(int)", 600, estimate), ("f(int)", 400, estimate), *([("g(int)", other, [])] if other else []))
            self.assertEqual(rows[0][:2], ("slow_kernel", severity))
            self.assertIn("50.00% less time for f(int) (Coalesce)", rows[0][2])
        rows = found(("f(int)", 600, warning), ("g(int)", 400, estimate), ("h(int)", 20, warning))
        self.assertEqual([row[:2] for row in rows], [("slow_kernel", "warning"), ("slow_kernel", "warning")])
        self.assertIn("f(int), 58.82% of the measured kernel time: CPIStall, Divergence", rows[1][2])
        self.assertEqual(rows[1][3], "CPIStall: This one waits 71.6% of its cycles; Divergence: It has 21.8 threads of 32")
        rows = found(("f(int)", 600, []), ("g(int)", 400, []))
        self.assertEqual(rows[0][:2], ("dominant_kernel", "info"))
        self.assertIn("f(int) takes 60.00%", rows[0][2])

    def test_a_host_without_devices_is_not_called_healthy(self):
        def host(m):
            for number in range(3):
                with m.step(number):
                    m.host("train.py(3): parse", 5000)
                    m.host("train.py(9): write", 1000)
        rows = findings(machine.run(host))
        self.assertEqual([(row["rule"], row["severity"]) for row in rows], [("hot_path", "info")])
        self.assertIn("train.py(3): parse", rows[0]["title"])

    def test_healthy_runs_raise_no_alarm(self):
        for name, (program, ranks) in causes.HEALTHY.items():
            with self.subTest(name):
                self.assertEqual(alarms(findings(machine.run(program, ranks))), [])

    def test_the_order_of_ranks_does_not_matter(self):
        for name in ("late host", "slow device"):
            machines = machine.run(causes.training((name, 3000, True)), 3)
            rows = findings(machines)
            self.assertEqual(rows, findings(machines, reverse=True))
            self.assertEqual((rows[0]["rule"], rows[0]["rank"]), ("straggler", 2))
            self.assertIn("kernels" if name == "slow device" else "host", rows[0]["title"])

    def test_what_there_is_nothing_to_gain_from_is_said_as_info(self):
        def program(first=1, late=0, traced=True, damage=False):
            def run(m):
                for number in range(5):
                    with m.step(number):
                        if number == 0:
                            m.host("torch/_dynamo/convert_frame.py(612): _compile_inner", first)
                        for layer in range(20):
                            m.host("model.py(30): forward", 20)
                            m.launch(machine.GEMM, 300, late=late, traced=traced or layer % 2 == 0)
                        m.synchronize()
            return machine.run(run)

        def serving(m):
            for number in range(5):
                with m.step(number):
                    with m.within("vllm/v1/engine/core.py(930): _process_input_queue", "python_function"):
                        m.host("<built-in method acquire of _thread.lock object at 0x7f>", 8000)
                    m.launch(machine.GEMM, 200)
                    m.synchronize(machine.MAIN_STREAM)

        def said(machines):
            rows = findings(machines)
            self.assertEqual(alarms(rows), [])
            return {row["rule"] for row in rows}

        self.assertEqual(said(program()), {"dominant_kernel"})
        self.assertIn("warm_up", said(program(first=20000)))
        self.assertIn("warm_up", said(program(first=600)))  # a tenth of the step, for what is done once
        self.assertNotIn("warm_up", said(program(first=200)))
        self.assertIn("untraced_host", said(program(late=90)))
        self.assertIn("no_work", said(machine.run(serving)))
        self.assertNotIn("untraced_host", said(program(late=20)))
        self.assertIn("incomplete_profile", said(program(traced=False)))
        negative = program()
        negative[0].events[5]["dur"] = -7
        self.assertIn("implausible_profile", said(negative))

    def test_rules_of_a_user(self):
        kernels = """
  - rule: long_products
    table: kernels
    where: class = gemm and total_ns > %s
    when: total_ns > 1ms and rows >= 1
    severity: warning
    title: "{rows} of {count} launches, {sum total_ns}"
"""
        with tempfile.TemporaryDirectory() as folder:
            path, = machine.write(machine.run(causes.training()), folder)
            file = os.path.join(folder, "rules.yaml")

            def said(text):
                with open(file, "w", encoding="utf-8") as handle:
                    handle.write(text)
                done = tool.run(["table", path, "findings", "--format", "json", "--rules", file])
                if done.returncode:
                    self.assertEqual(done.returncode, 2)
                    return done.stderr.decode()
                return [(row["rule"], row["severity"], row["title"])
                        for row in tool.rows_of(json.loads(done.stdout.decode()))["findings"]]

            launches = causes.LAYERS * causes.STEPS
            self.assertEqual(said("rules:" + kernels % "1ms")[0],
                             ("long_products", "warning", "1 of %d launches, %.1f ms" % (launches, 0.4 * launches)))
            self.assertEqual([rule for rule, _, _ in said("rules:" + kernels % "1s")], ["dominant_kernel"])
            self.assertEqual(said("thresholds:\n  computes: 100 %"), [])
            for text, message in (
                    ("thresholds:\n  compute: 1", "rules.yaml: line 2: thresholds has no 'compute'"),
                    ("thresholds:\n  computes: 3 ms", "rules.yaml: line 2: computes: '3 ms' is no number of %"),
                    ("rules:\n\n  - rule: a\n    table: kernls", "rules.yaml: line 4: no table is called 'kernls'"),
                    ("rules:\n  - rule: a\n    table: kernels", "rules.yaml: line 2: a rule needs `title`"),
                    ("rules:\n  - rule: a\n    table: slices\n    title: b", "line 2: rules cannot look at table slices"),
                    ("rules:" + kernels % "3 parsecs", "which 'parsecs' cannot be converted to"),
                    ("rules:" + kernels.replace("{count}", "{counts}") % 1, "rules.yaml: line 2: table kernels has no column"),
                    ("rules: {", "rules.yaml: line ")):
                self.assertIn(message, said(text))

    def test_profiles_of_different_runs(self):
        def mixed(**changed):
            machines = machine.run(causes.training(), 2)
            with tempfile.TemporaryDirectory() as folder:
                paths = machine.write(machines, folder)
                with open(paths[1], encoding="utf-8") as handle:
                    trace = json.load(handle)
                trace["deviceProperties"][0].update(changed.get("device", {}))
                trace["distributedInfo"].update(changed.get("distributed", {}))
                with open(paths[1], "w", encoding="utf-8") as handle:
                    json.dump(trace, handle)
                rows = tool.table(paths, "findings")
            return [row["evidence"].split("files")[0] for row in rows if row["rule"] == "mixed_ranks"]

        self.assertEqual(mixed(), [])
        self.assertEqual(mixed(device={"name": "NVIDIA A100"}), ["device: NVIDIA A100, NVIDIA H100 80GB HBM3"])
        self.assertEqual(mixed(distributed={"rank": 0}), ["duplicate_rank 1: "])

    def test_a_finding_of_one_device_names_it(self):
        rows = findings(machine.run(causes.training(("data_loading", 3000, True))))
        self.assertEqual((rows[0]["rank"], rows[0]["device"]), (0, 0))
        rows = findings(machine.run(causes.training(("late host", 3000, True)), 3))
        self.assertEqual((rows[0]["rank"], rows[0]["device"]), (2, 2))

    def test_copies_do_not_claim_what_the_host_does_after_them(self):
        """A small copy that waits for the device, then a range that writes for long: it is the range, by its name."""
        def program(m):
            for number in range(5):
                with m.step(number):
                    for _ in range(8):
                        m.launch(machine.GEMM, 1000)
                    m.copy("DtoH", 64, pinned=False)
                    with m.within("IO %d" % number, "user_annotation"):
                        for _ in range(40):
                            m.host("numpy.py(9): tofile", 190)
                            m.host("<built-in method write of _io.FileIO object at 0x7f>", 10)
        rows = findings(machine.run(program))
        self.assertEqual((rows[0]["rule"], rows[0]["severity"]), ("host_stall", "critical"))
        self.assertIn("another thread", rows[0]["suggestion"])
        self.assertNotIn("pageable_copies", [row["rule"] for row in rows])
        self.assertNotIn("launch_bound", [row["rule"] for row in rows])

        def ranges(m):
            for number in range(5):
                with m.step(number):
                    m.launch(machine.GEMM, 8000)
                    m.copy("DtoH", 64, pinned=False)
                    with m.within("IO %d" % number, "user_annotation"):
                        m.quiet(8000)
        first = findings(machine.run(ranges))[0]
        self.assertEqual(first["rule"], "host_stall")
        self.assertIn("is in IO N while", first["title"])
        self.assertIn("on another thread", first["suggestion"])

    def test_copies_that_nothing_could_hide(self):
        """Of 9 ms copies and 1 ms products a step: 1 ms could be hidden, twice the rate would give 4.5 ms."""
        def program(m):
            for number in range(5):
                with m.step(number):
                    m.copy("HtoD", 9000 * machine.PINNED)
                    m.launch(machine.GEMM, 1000)
                    m.synchronize(machine.MAIN_STREAM)
        first = findings(machine.run(program))[0]
        self.assertEqual((first["rule"], first["severity"]), ("exposed_copies", "critical"))
        self.assertAlmostEqual(first["recoverable_ns"], 5 * 4.5e6, delta=1e5)
        self.assertLess(first["recoverable_low_ns"], 6e6)
        for said in ("HtoD of pinned memory", "25.0 GB/s", "device 0", "twice the rate"):
            self.assertIn(said, first["evidence"])

    def test_kernels_that_pass_over_memory_one_after_another(self):
        def program(length, duration=60):
            def run(m):
                for number in range(5):
                    with m.step(number):
                        for _ in range(60):
                            m.launch(machine.GEMM, 100)
                            for _ in range(length):
                                m.launch(machine.ELEMENTWISE, duration)
            return [row for row in findings(machine.run(run)) if "pass over memory" in row["title"]]
        self.assertEqual(program(2), [])
        self.assertEqual(program(20, 9), [])  # of short ones only their gaps are told
        found, = program(4)
        self.assertEqual(found["severity"], "critical")
        self.assertAlmostEqual(found["recoverable_ns"], 5 * 60 * 180e3, delta=3e6)
        self.assertIn("1,200 kernels in 300 sequences", found["evidence"])

    def test_suggestions_in_the_words_of_the_vendor(self):
        def suggestion(translated):
            machines = machine.run(causes.training(("launch_bound", 9000, True)))
            for event in machines[0].events:
                if event["cat"] == "cuda_runtime":
                    event["name"] = translated(event["name"])
            with tempfile.TemporaryDirectory() as folder:
                path, = machine.write(machines, folder)
                with open(path, encoding="utf-8") as handle:
                    trace = json.load(handle)
                del trace["deviceProperties"]
                with open(path, "w", encoding="utf-8") as handle:
                    json.dump(trace, handle)
                return tool.table(path, "findings")[0]["suggestion"]
        self.assertIn("CUDA graphs", suggestion(lambda name: name))
        self.assertIn("HIP graphs", suggestion(lambda name: name.replace("cuda", "hip")))

    def test_graphs_are_no_advice_for_graphed_work(self):
        def program(graphs):
            def run(m):
                for number in range(5):
                    with m.step(number):
                        for _ in range(60):
                            m.host("model.py(30): forward", 100)
                            m.launch_graph([(machine.GEMM, 20)] * 3) if graphs else m.launch(machine.GEMM, 60)
            return findings(machine.run(run))[0]
        for graphs in (False, True):
            self.assertEqual(program(graphs)["rule"], "launch_bound")
            self.assertEqual("CUDA graphs" in program(graphs)["suggestion"], not graphs)

    def test_what_the_device_was_still_doing_when_the_recording_began(self):
        """The first op of a stream is queued behind 20 ms that are not in the profile."""
        def program(m):
            m.busy_until[machine.MAIN_STREAM] = m.now + 20000
            for _ in range(40):
                m.host("model.py(30): forward", 30)
                m.launch(machine.GEMM, 400)
            m.synchronize()
        rows = findings(machine.run(program))
        self.assertEqual(alarms(rows), [])
        edge, = [row for row in rows if row["rule"] == "profile_edge"]
        self.assertIn("55.", edge["title"])
        self.assertNotIn("untraced_host", [row["rule"] for row in rows])

    def test_memory_that_grows_with_every_step(self):
        for growth, severity in ((1 << 9, None), (1 << 22, "warning"), (1 << 29, "critical")):
            rows = findings(machine.run(causes.remembering(lambda number: growth)))
            found = [row for row in rows if row["rule"] == "memory_growth"]
            self.assertEqual([row["severity"] for row in found], [severity] if severity else [])
            if severity:
                self.assertEqual((rows[0]["rule"], rows[0]["device"]), ("memory_growth", 0))
                room = 84000000000 - (4 << 30) - 12 * growth
                steps = "about %s more steps" % format(round(room / growth), ",")
                self.assertIn(steps, found[0]["evidence"])

    def test_a_first_step_with_earlier_work_does_not_count(self):
        """6 ms of products that were launched before the recording lie in the first of five steps of 2 ms, which then waits
        for them. Whose launches are missing in all steps, these stay."""
        def program(earlier):
            def run(m):
                if earlier:
                    m.launch(machine.GEMM, earlier, traced=False)
                for number in range(5):
                    with m.step(number):
                        for _ in range(10):
                            m.launch(machine.GEMM, 200)
                        m.synchronize(causes.MAIN_STREAM)
            return run
        told = {earlier: findings(machine.run(program(earlier))) for earlier in (0, 6000)}
        self.assertEqual(alarms(told[6000]), alarms(told[0]))
        self.assertEqual(sum("launched before the recording" in row["title"] for row in told[6000]), 1)
        self.assertEqual(sum("launched before the recording" in row["title"] for row in told[0]), 0)

    def test_the_docs_say_what_comes_out(self):
        with open(DOCS, encoding="utf-8") as handle:
            text = handle.read()
        self.assertEqual(with_results(text), text, "tests/findings_test.py --write-docs")


@unittest.skipUnless(os.path.isdir(CORPUS), "no corpus beside the checkout")
class Corpus(unittest.TestCase):
    """Each with what an expert would say of it first."""

    def profile(self, folder, part):
        there = os.path.join(CORPUS, folder)
        found = [name for name in sorted(os.listdir(there)) if part in name] if os.path.isdir(there) else []
        if not found:
            self.skipTest("no profile *%s* in %s (set CGPU_CORPUS)" % (part, there))
        return os.path.join(there, found[0])

    def found(self, *places):
        return tool.table([self.profile(*place) for place in places], "findings")

    def test_loading_in_the_main_process_comes_first_and_with_workers_not_at_all(self):
        alone = self.found(("kineto", "workers_0__worker0.1623143566756"))
        self.assertEqual((alone[0]["rule"], alone[0]["severity"]), ("data_loading", "critical"))
        self.assertIn("_SingleProcessDataLoaderIter.__next__", alone[0]["evidence"])
        workers = self.found(("kineto", "workers_4__worker0.1623212756351"))
        self.assertNotIn("data_loading", [row["rule"] for row in workers])

    def test_two_devices_that_only_copy(self):
        first = self.found(("nsys_sqlite", "h100_2gpu_1s"))[0]
        self.assertEqual((first["rule"], first["severity"]), ("exposed_copies", "critical"))
        self.assertIn("97.01%", first["title"])
        # Copies are nearly all that the run does: little could hide them. Twice the rate would give half of their time.
        self.assertTrue(47 < first["recoverable_pct"] < 49)
        self.assertTrue(20e6 < first["recoverable_low_ns"] < 40e6)
        self.assertEqual(first["confidence"], "low")  # half of the launches are not in the profile
        for said in ("HtoD of pinned memory", "27.7 GB/s", "devices 0, 1"):
            self.assertIn(said, first["evidence"])

    def test_io_between_the_steps_of_a_solver(self):
        """Power iteration: 0.3 ms of copies hold the host, which then writes a file for 14 ms; the device has nothing to do."""
        place = "nsys_sqlite", "power_iteration__baseline.sqlite"
        steps = tool.table(self.profile(*place), "steps")
        self.assertEqual([row["step"] for row in steps], list(range(0, 440, 10)))
        self.assertEqual(steps[19]["mark"], "Step 190 to 200")
        rows = self.found(place)
        self.assertEqual((rows[0]["rule"], rows[0]["severity"]), ("host_stall", "critical"))
        self.assertIn("is in IO N while", rows[0]["title"])
        self.assertIn("on another thread", rows[0]["suggestion"])
        self.assertTrue({"pageable_copies", "launch_bound"}.isdisjoint(row["rule"] for row in rows))

    def test_work_from_before_the_recording_is_no_wait(self):
        """A batch that was recorded alone, while the device was still at work on those before it."""
        for part in ("sglang_Qwen3-8B_prefilldecode", "graph_full__graph_execution"):
            rows = self.found(("kineto", part))
            self.assertEqual([row["severity"] for row in rows if row["rule"] == "profile_edge"], ["info"])
            self.assertNotIn("untraced_host", [row["rule"] for row in rows])

    def test_a_slow_transfer_is_told_from_a_late_rank(self):
        """58 MiB at 2.5 GB/s, of which next to nothing is waiting."""
        first = self.found(("ascend", "text_level2_rank0"), ("ascend", "text_level2_rank1"))[0]
        self.assertEqual(first["rule"], "exposed_communication")
        self.assertIn("for the transfers, not for late ranks", first["title"])
        for said in ("58.3 MiB each", "GB/s", "is waiting for the last rank"):
            self.assertIn(said, first["evidence"])
        for row in self.found(("ascend", "text_level2_rank1")):
            self.assertNotIn("cuda", row["suggestion"].lower())

    def test_passes_over_memory_of_a_model_in_eager_mode(self):
        """63 % of the kernels' time of Qwen1.5-0.5B is elementwise: fusing them goes before the gaps between launches."""
        first = self.found(("kineto", "h100__Qwen"))[0]
        self.assertEqual(first["rule"], "fusable_kernels")
        self.assertIn("elementwise", first["evidence"])

    def test_stages_of_unequal_work(self):
        """Two stages of a pipeline, ranks 0 and 2: compute 231 against 400 ms, of which the vendor's Bubble says nothing."""
        rows = self.found(("ascend", "st_level2_rank_0"), ("ascend", "st_level2_rank_2"))
        self.assertEqual((rows[0]["rule"], rows[0]["rank"]), ("stage_imbalance", 2))
        self.assertIn("400.4 ms", rows[0]["title"])
        self.assertIn("231.3 ms", rows[0]["title"])
        # The last stage has the logits and the loss: the product with the vocabulary, and exp, sub, div over it.
        self.assertIn("gemm by 63.2 ms", rows[0]["title"])
        self.assertIn("elementwise by 62.6 ms", rows[0]["title"])
        self.assertIn("MatMulV3 (gemm) by 51.6 ms", rows[0]["evidence"])
        bubble, = [row for row in rows if row["rule"] == "pipeline_bubble"]
        self.assertIn("told behind the unequal stages", bubble["evidence"])

    def test_threads_that_wait_at_barriers(self):
        """LULESH of 27 ranks."""
        folder = next((path for path, folders, _ in os.walk(tool.shared("corpus")) if "issue-233" in path), None)
        if folder is None:
            self.skipTest("no database of issue-233 in %s" % tool.shared("corpus"))
        first = tool.table(folder, "findings")[0]
        self.assertEqual(first["rule"], "barrier_wait")
        self.assertIn("28.7", first["title"])

    def test_rules_of_nsight_compute(self):
        """First what would save most time, of launches of unlike duration."""
        path = self.profile("ncu", "cuda_graph_pdl_stream_capture")
        rows = tool.table(path, "findings")
        self.assertEqual({row["rule"] for row in rows}, {"slow_kernel"})
        took = {row["id"]: row["duration_ns"] for row in tool.table(path, "launch_metrics")}
        promised = [row for row in tool.table(path, "launch_rules", "--top", "0")
                    if row["scope"] == "kernel" and row["speedup_pct"] is not None]
        best = max(promised, key=lambda row: row["speedup_pct"] * took[row["id"]])
        self.assertIn(best["kernel"], rows[0]["title"])
        share = best["speedup_pct"] / 100 * took[best["id"]] / sum(took.values())
        self.assertGreater(share, 0.2)
        self.assertEqual(rows[0]["severity"], "critical")

    def test_warnings_of_nsight_compute_without_an_estimate(self):
        rows = self.found(("ncu", "self-join-MiSTIC"))
        self.assertEqual([(row["rule"], row["severity"], row["recoverable_ns"]) for row in rows], [("slow_kernel", "warning", None)])
        for words in ("distanceCalculationsKernel", "100.00% of the measured kernel time", "CPIStall", "ThreadDivergence"):
            self.assertIn(words, rows[0]["title"])
        for words in ("about 70.6% of the total average", "21.5 threads", "35615748114 (1.56x) at PC 0x1454befadea0"):
            self.assertIn(words, rows[0]["evidence"])
        for part in ("IndexSpaces", "copy_blocked.csv"):
            path = self.profile("ncu", part)
            self.assertIn(tool.table(path, "findings")[0]["severity"], ("critical", "warning"))
            self.assertNotIn(b"No finding has a potential saving", tool.run(["report", path]).stdout)

    def test_a_profile_that_no_rule_judges_names_its_hot_path(self):
        row, = self.found(("hpctoolkit_v4", "2023_loops-perf-t.d"))
        self.assertEqual((row["rule"], row["severity"], row["command"]), ("hot_path", "info", "cgpu table INPUT hot_path"))
        self.assertIn("32.81% of cycles is spent in main._omp_fn.0", row["title"])
        self.assertIn("hottest place: loop at loops.c:1011 (44.48%)", row["evidence"])

    def test_what_was_lost_is_one_finding(self):
        path = self.profile("nsys_sqlite", "power_iteration__baseline.sqlite")
        lost = [row for row in tool.table(path, "findings") if row["title"].startswith("The profile is not complete")]
        self.assertEqual(len(lost), 1)
        counts = collections.Counter()
        for note in tool.table(path, "notes"):
            if note["code"] in ("lost_events", "truncated_input", "damaged_input"):
                self.assertIn(note["text"].rstrip("."), lost[0]["title"])
                counts[note["code"]] += note["count"]
        self.assertEqual(lost[0]["evidence"], ", ".join("%s %d" % each for each in sorted(counts.items())))


def results():
    """What the built runs give, for the docs."""
    errors = collections.defaultdict(list)  # by rule, of singles; and of pairs together
    confusion = collections.Counter()
    for severity, case in singles():
        planted = case.rules[0] if severity else "(too little)"
        confusion[planted, case.first] += 1
        if severity and case.alarms:
            errors["one cause"].append(abs(case.alarms[0]["recoverable_ns"] / case.lost_ns - 1))
    for case in pairs():
        confusion[case.rules[0], case.first] += 1
        errors["two causes"].append(abs(case.recoverable(case.rules) / case.lost_ns - 1))
    for program, ranks in causes.HEALTHY.values():
        rows = alarms(findings(machine.run(program, ranks)))
        confusion["(healthy)", rows[0]["rule"] if rows else "none"] += 1
    lines = ["| built runs with | runs | error: median | 90th percentile | worst |", "|---|---|---|---|---|"]
    for label, values in errors.items():
        values.sort()
        lines.append("| %s | %d | %.1f %% | %.1f %% | %.1f %% |" % (
            label, len(values), 100 * statistics.median(values), 100 * values[int(0.9 * (len(values) - 1))],
            100 * values[-1]))
    lines += ["", "| planted (the larger of two) | first finding | runs |", "|---|---|---|"]
    lines += ["| %s | %s | %d |" % (planted, first, count) for (planted, first), count in sorted(confusion.items())]
    return "\n".join(lines)


def with_results(text):
    begin, end = "<!-- results: tests/findings_test.py --write-docs -->\n", "\n<!-- end of results -->"
    return docs.with_part(text, begin, end, results())


if __name__ == "__main__":
    docs.main(DOCS, with_results)
