#!/usr/bin/env python3
"""When single rules of `findings` hold and when not, with what evidence and advice: on runs of a simulated machine
(oracle/machine.py) that are built for them; the rules of a user; what is said of several ranks.

Environment: CGPU (the binary).
"""
import csv
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, machine, tool  # noqa: E402
from oracle.diagnosis import alarms, findings  # noqa: E402


def setUpModule():
    tool.must_exist()


class Rules(unittest.TestCase):
    def test_tensor_cores_take_fp32_from_ampere_on(self):
        machines = machine.run(causes.training(("tensor_cores_unused", 5400, True)), 1)
        for capability, has in (((7, 5), False), ((8, 0), True), ((10, 0), True)):
            rules = [row["rule"] for row in findings(machines, capability=capability)]
            self.assertEqual("tensor_cores_unused" in rules, has, capability)

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
        compression = [("Compressed", "OPT", "Out of the 2685.0 bytes sent to the L2 Compression unit only 0.00% were successfully "
                        "compressed.", "70.0")]
        self.assertIn("Coalesce", found(("f(int)", 600, compression + estimate))[0][2])
        self.assertEqual([row[0] for row in found(("f(int)", 600, compression))], ["dominant_kernel"])
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
        self.assertEqual([(row["rule"], row["severity"]) for row in rows], [("hot_path", "info"), ("incomplete_profile", "info")])
        self.assertIn("train.py(3): parse", rows[0]["title"])

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

    def test_a_threshold_of_nothing_finds_nothing_where_there_is_nothing(self):
        """`noticeable: 0 %` lets each rule speak, also of sums over no op."""
        def steps(m):
            for number in range(4):
                with m.step(number):
                    m.launch(machine.GEMM, 500)
            m.synchronize()

        for ranks in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                paths = machine.write(machine.run(steps, ranks), folder)
                file = os.path.join(folder, "rules.yaml")
                with open(file, "w", encoding="utf-8") as handle:
                    handle.write("thresholds:\n  noticeable: 0 %\n")
                done = tool.run(["table", *paths, "findings", "--format", "json", "--rules", file])
                self.assertEqual(done.returncode, 0, (ranks, done.stderr.decode()))
                rules = {row["rule"] for row in tool.rows_of(json.loads(done.stdout.decode()))["findings"]}
                self.assertFalse(rules & {"slow_link", "fusable_kernels", "device_copies"}, ranks)
                self.assertEqual(tool.run(["diagnose", *paths, "--rules", file]).returncode, 0, ranks)

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

    def test_what_stops_a_host_that_else_goes_from_call_to_call(self):
        """Stretches of 700 us are no part of launching where the calls follow each other at once; among many others they are."""
        def program(between):
            def run(m):
                for _ in range(40):
                    m.host("scheduler.py(100): schedule", 700)
                    for _ in range(4):
                        m.host("model.py(30): forward", between)
                        m.launch(machine.GEMM, 200)
                    m.synchronize(machine.MAIN_STREAM)
            return machine.run(run)
        first = findings(program(4))[0]
        self.assertEqual((first["rule"], first["severity"]), ("host_stall", "critical"))
        self.assertIn("is in scheduler.py(100): schedule while", first["title"])
        self.assertIn("in stretches of 200.0 us or more", first["evidence"])
        self.assertAlmostEqual(first["recoverable_ns"] / 1000, 40 * 700, delta=40 * 20)
        self.assertNotIn("host_stall", [row["rule"] for row in findings(program(150))])

    def test_copies_that_nothing_could_hide(self):
        """Of 9 ms copies at 25 of the 63 GB/s of their link and 1 ms products a step: 1 ms could be hidden, the rate of the
        link would give 5.4 ms."""
        def program(m):
            for number in range(5):
                with m.step(number):
                    m.copy("HtoD", 9000 * machine.PINNED)
                    m.launch(machine.GEMM, 1000)
                    m.synchronize(machine.MAIN_STREAM)
        first = findings(machine.run(program))[0]
        self.assertEqual((first["rule"], first["severity"]), ("exposed_copies", "critical"))
        self.assertAlmostEqual(first["recoverable_ns"], 5 * 9e6 * (1 - 25 / 63), delta=2e5)
        self.assertLess(first["recoverable_low_ns"], 6e6)
        for said in ("HtoD of pinned memory", "25.0 GB/s", "device 0", "of the rate of the link"):
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
        self.assertEqual(program(20, 9), [])  # one kernel so often in a row handles one tensor after another
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
        self.assertIn("for 20.0 ms at work that was launched before the recording", edge["title"])
        self.assertIn("16.0 ms that are judged", edge["evidence"])
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


class Ranks(unittest.TestCase):
    def test_the_order_of_ranks_does_not_matter(self):
        for name in ("late host", "slow device"):
            machines = machine.run(causes.training((name, 3000, True)), 3)
            rows = findings(machines)
            self.assertEqual(rows, findings(machines, reverse=True))
            self.assertEqual((rows[0]["rule"], rows[0]["rank"]), ("straggler", 2))
            self.assertIn("kernels" if name == "slow device" else "host", rows[0]["title"])

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


if __name__ == "__main__":
    unittest.main()
