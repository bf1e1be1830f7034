#!/usr/bin/env python3
"""What `findings` judges, and that it promises no more than the devices' books hold: on runs of a simulated machine
(oracle/machine.py) whose loop, start and end are known, on random programs, and on every profile of the corpus.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import os
import random
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.diagnosis import findings  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())

# Rules that take time away from the host; it gives back no more than the time in which nothing is computed.
HOST = {"host_stall", "launch_bound", "data_loading", "allocation", "module_load", "compilation", "garbage_collection",
        "lock_contention", "io", "synchronization", "fragmentation"}
# Rules that leave what the devices compute.
WAITING = {"exposed_communication", "exposed_copies", "blocking_copies", "pageable_copies", "small_copies"}


def setUpModule():
    tool.must_exist()
    pool = Case.pool = Pool()
    for name in profiles():
        pool.start(name, broken, name)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


def profiles():
    """Every file of the corpus, by its place below it."""
    found = []
    for folder, _, names in os.walk(CORPUS):
        found += [os.path.relpath(os.path.join(folder, name), CORPUS) for name in names
                  if not name.endswith((".md", ".tsv", ".nsys-rep", ".qdrep"))]
    return sorted(found)


def by_rule(rows):
    return {row["rule"]: row for row in rows}


def broken(name):
    """What a profile of the corpus says that its books do not hold, as texts."""
    path = os.path.join(CORPUS, name)
    try:
        devices = tool.table(path, "gpu_time")
        rows = tool.table(path, "findings")
    except RuntimeError:
        return []  # no profile
    if not devices:
        return []
    return beyond(rows, devices, tool.table(path, "steps"))


def beyond(rows, devices, steps):
    """Findings about communication that give back more than is exposed, and about the host that give back more than
    what is judged has beside compute. Of what is judged the table
    says only how long it is; the rest of the run may compute all the time."""
    told = []
    whole = max([d["span_ns"] for d in devices])
    if steps:
        whole = max(whole, max(s["start_ns"] + s["duration_ns"] for s in steps) - min(s["start_ns"] for s in steps))
    exposed = max([d["exposed_comm_ns"] for d in devices])
    for row in rows:
        of_devices = row["rule"] == "exposed_communication" and "communication of the hosts" not in row["title"]
        if of_devices and (row["recoverable_high_ns"] or 0) > exposed:
            told.append("communication: %d of %d ns" % (row["recoverable_high_ns"], exposed))
        if row["rule"] not in HOST or row["recoverable_ns"] is None:
            continue
        not_judged = max(0, whole - row["measured_ns"])
        most = row["measured_ns"] - max(0, max(d["compute_ns"] for d in devices) - not_judged)
        if row["recoverable_high_ns"] > most:
            told.append("%s: %d of %d ns" % (row["rule"], row["recoverable_high_ns"], most))
    # Together likewise, unless what the devices compute becomes less, too.
    gains = [row for row in rows if row["recoverable_ns"]]
    if gains and all(row["rule"] in HOST | WAITING for row in gains):
        most = max(whole, gains[0]["measured_ns"]) - max(d["compute_ns"] for d in devices)
        if sum(row["recoverable_ns"] for row in gains) > most:
            told.append("together: %d of %d ns" % (sum(row["recoverable_ns"] for row in gains), most))
    return told


def irregular(m, launches, seed=1, host=30, kernel=60):
    """Launches of different kernels, so that nothing repeats."""
    draw = random.Random(seed)
    for i in range(launches):
        m.quiet(draw.randrange(host))
        m.launch("kernel_%d" % draw.randrange(1000), draw.randrange(1, kernel))


class Loop(unittest.TestCase):
    def test_start_and_end_of_a_program_without_marks_are_not_judged(self):
        def program(m):
            m.quiet(400_000)
            m.call("cudaHostAlloc", 341_000)
            irregular(m, 300, host=100)
            m.synchronize()
            m.loop_end = max(m.busy_until.values())
            m.host("write results", 250_000, "user_annotation")
        machines = machine.run(program)
        rows = findings(machines)
        rules = by_rule(rows)
        begin = min(launched for launched, _ in machines[0].launches)
        for row in rows:
            if row["measured_ns"] is not None:
                self.assertEqual(row["measured_ns"], 1000 * (machines[0].loop_end - begin), row)
        self.assertTrue(any(row["measured_ns"] for row in rows), rows)
        self.assertNotIn("allocation", rules)
        self.assertIn("cudaHostAlloc: 341.0 ms", rules["start_up"]["evidence"])
        self.assertEqual(rules["start_up"]["severity"], "info")
        self.assertIn("250.0 ms of", rules["tear_down"]["evidence"])

    def test_a_program_that_only_computes_has_neither(self):
        def program(m):
            irregular(m, 300, host=3, kernel=200)
        self.assertFalse({"start_up", "tear_down"} & set(by_rule(findings(machine.run(program)))))

    def test_what_was_freed_before_the_selected_part_does_not_count(self):
        """Before the part memory is allocated for so long that the host would be far ahead; in it nothing is."""
        def program(m):
            irregular(m, 200, seed=2, host=10, kernel=30)
            m.call("cudaMalloc", 20_000)
            m.part = m.now - 1000
            irregular(m, 400, seed=3, host=40, kernel=25)
            m.synchronize()
        machines = machine.run(program)
        rows = findings(machines, "--from", "%dus" % (machines[0].part + 5))
        self.assertTrue(rows)
        self.assertNotIn("allocation", by_rule(rows))
        self.assertIn("allocation", by_rule(findings(machines)))

    def test_what_was_launched_before_the_recording_is_not_judged(self):
        """The only step begins while the device is at work that is not in the profile."""
        def program(earlier):
            def run(m):
                with m.step(0):
                    m.busy_until[machine.MAIN_STREAM] = m.now + earlier
                    for _ in range(20):
                        m.launch(machine.GEMM, 1000)
                    m.synchronize()
                    m.host("model.py(9): decide", 10_000)
                    m.launch(machine.GEMM, 10_000)
                    m.synchronize()
            return findings(machine.run(run))
        rows = by_rule(program(40_000))
        self.assertIn("At first the device was for 40.0 ms at work that was launched before", rows["profile_edge"]["title"])
        stall = rows["host_stall"]
        self.assertAlmostEqual(stall["recoverable_ns"] / 10e6, 1, delta=0.01)
        self.assertAlmostEqual(stall["measured_ns"] / 40e6, 1, delta=0.01)
        self.assertNotIn("profile_edge", by_rule(program(2000)))  # a twentieth

    def test_short_ops_before_it_do_not_make_it_work_of_the_run(self):
        def program(beside):
            def run(m):
                with m.step(0):
                    m.busy_until[machine.MAIN_STREAM] = m.now + 40_000
                    for _ in range(2):
                        m.launch("index_kernel(int*)", beside, stream=machine.COMM_STREAM)
                    m.host("model.py(9): decide", 3 * beside)
                    for _ in range(40):
                        m.launch(machine.GEMM, 1000)
                    m.synchronize()
            return by_rule(findings(machine.run(run)))
        rows = program(100)
        self.assertAlmostEqual(int(re.match(r"beside (\d+)", rows["profile_edge"]["evidence"])[1]), 40, delta=1)
        self.assertIn("the devices compute for", rows["dominant_kernel"]["title"])
        self.assertNotIn("this time is not judged", str(program(2000)))

    def test_work_of_another_device_is_no_edge(self):
        """Device 1 waits 40 ms for device 0 before its first op, which was launched at once."""
        def program(m):
            with m.step(0):
                if m.number == 1:
                    m.busy_until[machine.MAIN_STREAM] = m.now + 40_000
                for _ in range(40):
                    m.launch(machine.GEMM, 1000)
                m.synchronize()
        rows = findings(machine.in_one_process(machine.run(program, 2)))
        self.assertEqual([row for row in rows if "left out of all findings" in row["title"]], [])

    def test_the_time_between_marks_is_judged_with_the_step_after_it(self):
        def program(between):
            def run(m):
                for number in range(8):
                    m.host("handle the answer", between)
                    with m.step(number):
                        for _ in range(50):
                            m.launch(machine.GEMM, 100)
                        m.synchronize()
            return run
        rows = findings(machine.run(program(4_000)))
        twin = findings(machine.run(program(20)))
        self.assertFalse([row for row in twin if row["severity"] != "info"], twin)
        stall = by_rule(rows)["host_stall"]
        self.assertEqual(rows[0]["rule"], "host_stall")
        # All but the first of eight steps have such a time before them.
        self.assertAlmostEqual(stall["recoverable_ns"] / 1000, 7 * 4_000, delta=200)
        self.assertAlmostEqual(stall["measured_ns"] / 1000, 7 * 4_000 + 8 * 5_060, delta=400)

    def test_marks_without_device_work_are_no_steps(self):
        def run(m):
            for number in range(12):
                with m.step(number):
                    if number % 2:
                        m.quiet(50)
                        continue
                    for _ in range(50):
                        m.launch(machine.GEMM, 100)
                    m.synchronize()
        rows = findings(machine.run(run))
        self.assertEqual({row["steps"] for row in rows if row["steps"] is not None} - {5, 6}, set())


def steps_with(first, others, number=8):
    """Steps of 4 ms of compute in which the host does one thing before it launches, another one in the first."""
    def program(m):
        for i in range(number):
            with m.step(i):
                (first if i == 0 else others)(m)
                for _ in range(40):
                    m.launch(machine.GEMM, 100)
                m.synchronize()
    return program


class WarmUp(unittest.TestCase):
    def test_a_first_step_that_loads_code(self):
        rows = findings(machine.run(steps_with(lambda m: m.call("cuModuleLoadData", 1_000), lambda m: None)))
        rules = by_rule(rows)
        self.assertNotIn("module_load", rules)
        self.assertIn("of module_load", rules["warm_up"]["evidence"])
        self.assertRegex(rules["warm_up"]["evidence"], r"has 1\.00? ms of module_load more")

    def test_a_first_step_that_is_longer_for_no_cause_of_a_start(self):
        """A third longer, for reading."""
        rows = findings(machine.run(steps_with(lambda m: m.host("tokenize", 1_300), lambda m: None)))
        self.assertNotIn("warm_up", by_rule(rows))

    def test_a_cause_that_stands_in_all_steps_is_no_warm_up(self):
        loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
        rules = by_rule(findings(machine.run(steps_with(lambda m: m.host(loader, 9_000, "user_annotation"),
                                                        lambda m: m.host(loader, 1_000, "user_annotation")))))
        self.assertNotIn("warm_up", rules)
        self.assertAlmostEqual(rules["data_loading"]["recoverable_ns"] / 1000, 9_000 + 7 * 1_000, delta=300)


class Guards(unittest.TestCase):
    def test_graphs_whose_kernels_were_not_recorded(self):
        def program(recorded):
            def run(m):
                for number in range(30):
                    with m.step(number):
                        m.launch("elementwise_kernel", 60)
                        m.launch_graph([("k", 3_000)] if recorded else [])
                        m.quiet(0 if recorded else 3_000)  # the device is at work on what nobody sees
                        m.synchronize()
            return run
        rows = findings(machine.run(program(False)))
        self.assertEqual([row["rule"] for row in rows if row["severity"] != "info"], ["incomplete_profile"])
        self.assertIn("30 of 30 launches of graphs", rows[0]["evidence"])
        self.assertIsNone(rows[0]["recoverable_ns"])
        recorded = findings(machine.run(program(True)))
        self.assertNotIn("incomplete_profile", by_rule(recorded))

    def test_kernels_at_times_that_cannot_be(self):
        """Twenty of 2,000 kernels have no time, and three last over thousands of later ones."""
        def run(m):
            irregular(m, 3000, host=20, kernel=60)
            m.synchronize()
        machines = machine.run(run)
        kernels = [e for e in machines[0].events if e["cat"] == "kernel"]
        busy = sum(e["dur"] for e in kernels)
        for event in kernels[50:2050:100]:
            busy -= event["dur"]
            event["ts"], event["dur"] = 0, 0
        for event in kernels[10:20]:
            event["name"] = "overlong"
        for event in kernels[100:1500:500]:
            event["name"] = "overlong"
            busy -= event["dur"]
            event["dur"] = kernels[-200]["ts"] - event["ts"]
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machines, folder, (9, 0))
            devices = tool.table(paths, "gpu_time")
            notes = {row["code"]: row for row in tool.table(paths, "notes")}
            rows = tool.table(paths, "findings")
        self.assertEqual(notes["impossible_time"]["count"], 23)
        self.assertEqual(devices[0]["busy_ns"], 1000 * busy)
        self.assertIn("implausible_profile", by_rule(rows))

    def test_kernels_of_rare_names_at_times_that_cannot_be(self):
        """Two that are the only ones of their names last over thousands of later ones. Where the later ones leave room, a
        stream may show several queues."""
        for host, expected in ((20, 2), (200, 0)):
            def run(m):
                irregular(m, 3000, host=host, kernel=60)
                m.synchronize()
            machines = machine.run(run)
            kernels = [e for e in machines[0].events if e["cat"] == "kernel"]
            for number, event in enumerate((kernels[50], kernels[500])):
                event["name"] = "lone_%d" % number
                event["dur"] = kernels[-200]["ts"] - event["ts"]
            with tempfile.TemporaryDirectory() as folder:
                paths = machine.write(machines, folder, (9, 0))
                notes = {row["code"]: row["count"] for row in tool.table(paths, "notes")}
            self.assertEqual(notes.get("impossible_time", 0), expected)

    def test_what_a_writer_spoilt_needs_no_larger_buffers(self):
        machines = machine.run(lambda m: irregular(m, 300))
        with tempfile.TemporaryDirectory() as folder:
            path, = machine.write(machines, folder, (9, 0))
            with open(path, encoding="utf-8") as handle:
                text = handle.read()
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(text.replace('"name": "kernel_', '"name": , "kernel_', 1))
            found = by_rule(tool.table(path, "findings"))["incomplete_profile"]
        self.assertNotIn("buffers", found["suggestion"])
        self.assertIn("wrote the file", found["suggestion"])

    def test_a_clock_that_is_off_flags_nothing(self):
        def run(m):
            irregular(m, 300)
        machines = machine.run(run)
        for event in machines[0].events:
            if event["cat"] == "kernel":
                event["ts"] -= 5_000_000
        with tempfile.TemporaryDirectory() as folder:
            notes = {row["code"] for row in tool.table(machine.write(machines, folder, (9, 0)), "notes")}
        self.assertNotIn("impossible_time", notes)


class Causes(unittest.TestCase):
    def test_launching_takes_no_time_from_a_cause_that_has_a_name(self):
        """The host is late with every launch, and each step begins with loading that takes a tenth of it."""
        def run(m):
            for number in range(8):
                with m.step(number):
                    m.host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1_500, "user_annotation")
                    for _ in range(300):
                        m.quiet(30)
                        m.launch(machine.GEMM, 20)
                    m.synchronize()
        rules = by_rule(findings(machine.run(run)))
        self.assertAlmostEqual(rules["data_loading"]["recoverable_ns"] / rules["data_loading"]["steps"] / 1000, 1_500,
                               delta=60)
        self.assertEqual(rules["data_loading"]["severity"], "warning")
        self.assertGreater(rules["launch_bound"]["recoverable_ns"], rules["data_loading"]["recoverable_ns"])
        self.assertLess(rules["launch_bound"]["id"], rules["data_loading"]["id"])

    def test_a_long_launch_call_gives_back_what_it_did(self):
        """The first launch of each kernel loads its code, for longer than all else takes."""
        def run(m):
            draw = random.Random(5)
            for i in range(400):
                m.quiet(draw.randrange(20))
                m.launch("kernel_%d" % i, draw.randrange(1, 40), takes=5_000 if i % 50 == 25 else 5)
            m.synchronize()
        # An op begins after its launch call has returned, as where code is loaded inside it.
        machines = machine.run(run)
        for kernel in [e for e in machines[0].events if e["cat"] == "kernel"]:
            call = next(e for e in machines[0].events if e["cat"] == "cuda_runtime" and
                        e["args"]["correlation"] == kernel["args"]["correlation"])
            if call["dur"] > 1000:
                kernel["ts"] = call["ts"] + call["dur"] - 2
                kernel["dur"] = 1
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machines, folder, (9, 0))
            rules = by_rule(tool.table(paths, "findings"))
            idle = {row["cause"]: row["total_ns"] for row in tool.table(paths, "idle")}
        self.assertGreater(idle["module_load"], 8 * 4_500 * 1000)
        self.assertAlmostEqual(rules["module_load"]["recoverable_ns"], idle["module_load"], delta=500_000)


    def test_a_call_that_frees_memory_waits_for_the_device(self):
        def steps(kernel):
            def run(m):
                for number in range(8):
                    with m.step(number):
                        for _ in range(40):
                            m.launch("work", kernel)
                        done = max(m.busy_until.values())
                        m.call("cudaFree", max(done - m.now, 0) + 400)
                m.synchronize()
            return machine.run(run)
        before = steps(100)
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(before, folder, (9, 0))
            predicted = sum(row["predicted_ns"] for row in tool.table(paths, "whatif", "--scale", "work=0.5"))
            waits = [row for row in tool.table(paths, "waits") if row["name"] == "cudaFree"]
        self.assertEqual(len(waits), 8)
        self.assertEqual({(row["ended"], row["known_from"]) for row in waits}, {("op", "times")})
        self.assertAlmostEqual(predicted / 1000 / machine.measured(steps(50)), 1, delta=0.03)
        found = by_rule(findings(before))["allocation"]
        self.assertAlmostEqual(found["recoverable_ns"] / 1000, 8 * 400, delta=200)
        self.assertEqual(found["id"], 1)


    def test_host_code_before_the_first_launch_of_a_compiled_kernel_is_compilation(self):
        def program(again):
            def run(m):
                for number in range(6):
                    m.quiet(20_000)
                    m.launch("triton_poi_fused_add_%d" % (0 if again else number), 3_000)
                    for _ in range(20):
                        m.launch(machine.GEMM, 200)
                m.synchronize()
            return run
        found = findings(machine.run(program(False)))[0]
        self.assertEqual((found["rule"], found["severity"]), ("compilation", "critical"))
        self.assertIn("compile", found["title"])
        self.assertEqual(findings(machine.run(program(True)))[0]["rule"], "host_stall")

    def test_two_causes_that_hide_each_other(self):
        """One rank loads data while the other collects garbage: without either the run waits for the other. The
        longer one is on the critical path: each in turn, or always the same."""
        def program(longer):
            def run(m):
                for number in range(8):
                    with m.step(number):
                        takes = 9_100 if longer(number) == m.number else 9_000
                        m.host("gc.collect" if m.number else "enumerate(DataLoader)", takes)
                        for _ in range(20):
                            m.launch(machine.GEMM, 200)
                        m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                        yield m.collective("allreduce", 100)
                        m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                m.synchronize()
            return run
        for longer in (lambda number: number % 2, lambda number: 0):
            found = findings(machine.run(program(longer), 2))[0]
            self.assertIn(found["rule"], ("data_loading", "garbage_collection"))
            self.assertIn("two causes together", found["title"])
            self.assertIn("data loading", found["title"])
            self.assertIn("garbage collection", found["title"])
            self.assertAlmostEqual(found["recoverable_ns"] / 1000, 9_100 + 7 * 5_100, delta=1_000)


class Books(unittest.TestCase):
    def test_random_programs(self):
        """Programs of everything that a host does; half of them with marks."""
        told = 0
        for seed in range(40):
            def program(m, seed=seed):
                draw = random.Random(seed)

                def work():
                    for _ in range(draw.randrange(5, 40)):
                        what = draw.randrange(9)
                        if what == 0:
                            m.host(draw.choice(["read", "DataLoader", "gc.collect", "compute"]), draw.randrange(3_000))
                        elif what == 1:
                            m.call(draw.choice(["cudaMalloc", "cudaFree", "cuModuleLoadData"]), draw.randrange(2_000))
                        elif what == 2:
                            m.copy(draw.choice(["HtoD", "DtoH"]), draw.randrange(1 << 22), draw.random() < 0.5,
                                   draw.random() < 0.5, draw.choice([7, 14]))
                        elif what == 3:
                            m.synchronize(draw.choice([None, 7, 14]))
                        else:
                            m.launch("kernel_%d" % draw.randrange(9), draw.randrange(1, 900), draw.choice([7, 7, 14]),
                                     takes=draw.choice([5, 5, 5, 700]))
                for number in range(draw.randrange(2, 7)):
                    m.quiet(draw.randrange(2_000))
                    if seed % 2:
                        with m.step(number):
                            work()
                    else:
                        work()
                m.synchronize()
                m.quiet(draw.randrange(5_000))
            machines = machine.run(program)
            with tempfile.TemporaryDirectory() as folder:
                paths = machine.write(machines, folder, (9, 0))
                rows = tool.table(paths, "findings")
                told += len([row for row in rows if row["rule"] in HOST and row["recoverable_ns"]])
                self.assertEqual(beyond(rows, tool.table(paths, "gpu_time"), tool.table(paths, "steps")), [], seed)
                self.assertLessEqual(max([row["together_ns"] or 0 for row in rows], default=0),
                                     max([row["measured_ns"] or 0 for row in rows], default=0), seed)
        self.assertGreater(told, 40)


class Corpus(Case):
    if not profiles():
        def test_real_profiles(self):
            self.skipTest("no profiles in %s (set CGPU_CORPUS)" % CORPUS)


for _name in profiles():
    Corpus.add(_name, _name)


if __name__ == "__main__":
    unittest.main()
