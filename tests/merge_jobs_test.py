#!/usr/bin/env python3
"""Merged summaries of simulated jobs of hundreds of ranks (builder/job.h): what is planted in a job comes out of them, nothing
comes out of a healthy one, and a collective costs little memory.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import planted, tool  # noqa: E402
from oracle.built import simulate  # noqa: E402
from oracle.tool import WITH_HOSTS, must_run as run  # noqa: E402


def setUpModule():
    tool.must_exist()


def iteration_of(*options):
    """What an iteration of a simulated job takes: from the end of the first one to that of the last."""
    with tempfile.TemporaryDirectory() as folder:
        summaries, _ = simulate(folder, *options)
        ends = [row["start_ns"] + row["duration_ns"] for row in tool.table(summaries, "steps", "--rank", "0")]
        return (max(ends) - min(ends)) / (len(ends) - 1)


def peak_memory(*words):
    """Bytes that cgpu took at most, in the best of three runs: on a busy machine threads that wait hold more.
    A small process starts it: one that is started counts what it was before, too."""
    start = ("import os, sys; child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, "
             "file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]); "
             "_, status, usage = os.wait4(child, 0); assert status == 0; print(usage.ru_maxrss)")
    command = [sys.executable, "-I", "-S", "-c", start, tool.binary(), *words]
    return 1024 * min(int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) for _ in range(3))


class Job(unittest.TestCase):
    """Ranks by the hundred (tests/builder/job.h): what is planted in the job comes out of its summaries."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.sample = [0, 9, 40, 41, 66]
        cls.parts, cls.truth = simulate(cls.folder.name, "--ranks", "200", "--traces", ",".join(map(str, cls.sample)))
        cls.all = os.path.join(cls.folder.name, "all.cgpu")
        cls.said = run("merge", cls.parts, "-o", cls.all).stderr.decode()

    def test_who_kept_the_others_waiting(self):
        ranks = self.truth["ranks_of_machine"]
        slow = {self.truth["slow_machine"] * ranks + i for i in range(ranks)}
        rows = tool.table(self.all, "stragglers")
        self.assertEqual({row["rank"] for row in rows[:ranks]}, slow)
        after = len(self.truth["stragglers"])
        self.assertEqual({row["rank"] for row in rows[ranks:ranks + after]}, set(self.truth["stragglers"]))
        # The neighbours of a straggler, which it holds up, come late to the collectives of their pod.
        self.assertGreater(rows[ranks + after - 1]["caused_ns"], 3 * rows[ranks + after]["caused_ns"])
        hosts = {row["rank"]: row["host"] for row in tool.table(self.all, "clocks")}
        self.assertEqual(len({hosts[rank] for rank in slow}), 1)

    def test_who_deviates_and_in_what(self):
        self.assertEqual(planted.differences(tool.table(self.all, "rank_outliers"), self.truth), [])
        report = " ".join(run("report", self.all).stdout.decode().split())
        self.assertRegex(report, "8 GPUs of ranks 96-103 on [^ ]+ take 3.00 ms more an iteration than usual for data loading")
        self.assertRegex(report, r"The profile to open is that of rank (9[6-9]|10[0-3])\.")
        self.assertIn("rank_outliers", json.loads(run("report", self.all, "--format", "json").stdout)["tables"])

    def test_what_bounds_the_job(self):
        rows = tool.table(self.all, "rank_path")
        self.assertEqual({row["path_ns"] for row in rows}, {sum(row["total_ns"] for row in rows)})
        machine = range(8 * self.truth["slow_machine"], 8 * self.truth["slow_machine"] + 8)
        loading = [row for row in rows if row["owner"] == "data_loading"]
        self.assertEqual({row["rank"] for row in loading} - set(machine), set())
        self.assertEqual(sum(row["count"] for row in loading), rows[0]["iterations"])
        report = " ".join(run("report", self.all).stdout.decode().split())
        self.assertRegex(report, "for 5 whole iterations. Ranks 96-103 on [^ ]+ bound it for [0-9.]+% of that by what they do of "
                                 "their own: data loading [0-9.]+%, compute")

    def test_findings_name_what_is_planted_and_the_profile_to_open(self):
        rows = tool.table(self.all, "findings")
        self.assertEqual(planted.finding_differences(rows, self.truth), [])
        for row in rows:
            self.assertEqual(row["command"], "cgpu diagnose rank-%d.json" % row["rank"])
            self.assertTrue(os.path.exists(os.path.join(self.parts, "rank-%d.cgpu" % row["rank"])))
        (note,) = [row for row in tool.table(self.all, "notes") if row["code"] == "rules_not_judged"]
        self.assertEqual(note["count"], 199)
        said = " ".join(run("diagnose", self.all).stdout.decode().split())
        self.assertIn("1. critical: Ranks 96-103 on machine-", said)
        self.assertIn("Slow link: ranks 32-39,41-63 do not wait for others, but transfer 600.0 us longer an iteration than usual", said)
        self.assertIn("Only rules over ranks were judged (straggler, slow_link, stage_imbalance)", said)
        self.assertIn("Only rules over ranks were judged (straggler, slow_link, stage_imbalance)",
                      " ".join(run("report", self.all).stdout.decode().split()))
        self.assertEqual(run("diagnose", self.parts).stdout, run("diagnose", self.all).stdout)
        self.assertIn(b"no finding came, went, or changed", run("diagnose", self.all, "--against", self.parts).stdout)

    def test_what_findings_give_back_is_what_the_job_without_them_does_not_take(self):
        """The same job is simulated again, without one planted cause after another."""
        machine, link, kernels = tool.table(self.all, "findings")
        self.assertEqual([row["severity"] for row in (machine, link, kernels)], ["critical", "warning", "warning"])
        steps = machine["steps"]
        options = ["--ranks", "200"]
        before = iteration_of(*options)
        self.assertAlmostEqual(machine["measured_ns"] / steps, before, delta=0.01 * before)
        together = 0
        for row, without in ((machine, "--without-slow-machine"), (link, "--without-slow-link"),
                             (kernels, "--without-stragglers")):
            by_itself = before - iteration_of("--ranks", "200", without)
            self.assertAlmostEqual(row["recoverable_high_ns"] / steps,
                                   max(by_itself, row["recoverable_ns"] / steps), delta=0.01 * before)
            options.append(without)
            gain = before - iteration_of(*options) - together
            self.assertAlmostEqual(row["recoverable_ns"] / steps, gain, delta=0.01 * before)
            together += gain
            self.assertAlmostEqual(row["together_ns"] / steps, together, delta=0.01 * before)
            self.assertLessEqual(row["recoverable_low_ns"], row["recoverable_ns"])
        self.assertAlmostEqual(before - iteration_of("--ranks", "200", "--healthy"), together, delta=20)

    def test_clocks(self):
        again = self.truth["ranks"]  # numbers that no rank of the job has
        clocks = tool.table(self.all, "clocks")
        self.assertEqual(len(clocks), again + len(self.truth["duplicated"]) - len(self.truth["missing"]))
        for row in clocks:
            rank = row["rank"] if row["rank"] < again else self.truth["duplicated"][row["rank"] - again]
            self.assertEqual(row["offset_ns"], -self.truth["clock_offsets_ns"][rank])
            self.assertIn(row["residual_ns"], (0, None))

    def test_missing_and_repeated_ranks(self):
        notes = {row["code"]: row for row in tool.table(self.all, "notes")}
        missing = ",".join(map(str, self.truth["missing"]))
        self.assertEqual(notes["missing_rank"]["count"], len(self.truth["missing"]))
        self.assertTrue(notes["missing_rank"]["text"].endswith(": " + missing))
        self.assertEqual(notes["duplicate_rank"]["count"], len(self.truth["duplicated"]))
        self.assertIn("not there: " + missing, self.said)
        self.assertIn("rank %d" % self.truth["duplicated"][0], self.said)
        self.assertEqual(tool.info(self.all)["rank_list"], "0-39,41-198,200")

    def test_ranks_are_those_of_their_traces(self):
        traces = os.path.join(self.folder.name, "traces")
        kept = [os.path.join(self.parts, "rank-%d.cgpu" % rank) for rank in self.sample
                if rank not in self.truth["missing"]]
        self.assertEqual(len(kept), len(self.sample) - 1)
        inputs = [os.path.join(traces, "rank-%d.json" % rank) for rank in self.sample
                  if rank not in self.truth["missing"]]
        for name in ("kernels", "steps", "idle", "collectives", "stragglers", "rank_outliers", "rank_path", "rank_activity", "gpu_time", "ops"):
            with_hosts = {} if name not in WITH_HOSTS else {"host": None}
            self.assertEqual([dict(row, **with_hosts) for row in tool.table(kept, name)],
                             [dict(row, **with_hosts) for row in tool.table(inputs, name)], name)

    def test_what_ranks_did_over_time_adds_up_and_shows_who_is_late(self):
        sums = collections.Counter()
        for row in tool.table(self.all, "rank_activity"):
            for column in ("duration_ns", "compute_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns"):
                sums[row["rank"], row["device"], column] += row[column]
        whole = tool.table(self.all, "gpu_time")
        self.assertEqual(sums, collections.Counter({
            (row["rank"], row["device"], to): row[of] for row in whole for of, to in (
                ("span_ns", "duration_ns"), ("compute_ns", "compute_ns"), ("exposed_comm_ns", "exposed_comm_ns"),
                ("exposed_memory_ns", "exposed_memory_ns"), ("idle_ns", "idle_ns"))}))
        page = run("report", self.all, "--format", "html").stdout.decode()
        title, picture = page.split("<figcaption>What each device (rank, device) did over time")[1].split("</figcaption>", 1)
        self.assertIn("of every 2 the one that falls behind the median device most", title)
        drawn = {int(rank) for rank in re.findall(r"<title>rank (\d+), ", picture.split("</figure>")[0])}
        self.assertEqual(len(drawn), 100)
        self.assertLessEqual(set(self.truth["stragglers"]), drawn)

    def test_the_picture_of_ranks_over_time_is_that_of_their_profiles(self):
        with tempfile.TemporaryDirectory() as folder:
            summaries, truth = simulate(folder, "--ranks", "40", "--traces", ",".join(map(str, range(40))))
            again = os.path.join(summaries, "rank-%d-again.cgpu" % truth["duplicated"][0])
            if os.path.exists(again):
                os.remove(again)
            for rank in truth["missing"]:
                os.remove(os.path.join(folder, "traces", "rank-%d.json" % rank))
            pictures = [run("report", path, "--format", "html").stdout.decode().split("(rank, device) did over time")[1]
                        .split("</figure>")[0] for path in (summaries, os.path.join(folder, "traces"))]
            self.assertEqual(*pictures)

    def test_groupings(self):
        with tempfile.TemporaryDirectory() as folder:
            nodes = []
            for node in range(25):
                ranks = [path for path in (os.path.join(self.parts, "rank-%d.cgpu" % (8 * node + i)) for i in range(8))
                         if os.path.exists(path)]
                again = os.path.join(self.parts, "rank-%d-again.cgpu" % self.truth["duplicated"][0])
                nodes.append(os.path.join(folder, "%d.cgpu" % node))
                run("merge", *ranks, *([again] if node == self.truth["duplicated"][0] // 8 else []), "-o", nodes[-1])
            r = random.Random(1)
            r.shuffle(nodes)
            whole = os.path.join(folder, "whole.cgpu")
            run("merge", *nodes, "-o", whole)
            self.assertEqual(tool.read(whole), tool.read(self.all))
            self.assertEqual(tool.table([*nodes], "findings"), tool.table(self.all, "findings"))


class OtherJobs(unittest.TestCase):
    """Jobs with nothing planted, and with clocks that run at other rates."""

    def outliers(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            summaries, truth = simulate(folder, *options)
            return (tool.table(summaries, "rank_outliers"), tool.table(summaries, "findings"), truth,
                    run("report", summaries).stdout)

    def test_nobody_deviates_in_a_healthy_job(self):
        for seed, ranks in (("1", "200"), ("2", "24"), ("3", "90")):
            for drift in ("0", "20000"):
                rows, findings, truth, report = self.outliers("--healthy", "--ranks", ranks, "--seed", seed,
                                                              "--drift-ppm", drift)
                self.assertEqual((truth["stragglers"], truth["slow_machine"], truth["missing"]), ([], None, []))
                self.assertEqual((rows, findings), ([], []))
                self.assertNotIn(b"Ranks that deviate", report)
                self.assertIn("No finding has a potential saving of 3 % of the time or more. Only rules over ranks were judged",
                              " ".join(report.decode().split()))

    def test_what_is_planted_is_found_between_clocks_that_drift_by_milliseconds(self):
        rows, findings, truth, _ = self.outliers("--ranks", "120", "--steps", "12", "--drift-ppm", "20000")
        self.assertGreater(max(map(abs, truth["clock_drifts_ns"])), 1_000_000)
        self.assertEqual(planted.differences(rows, truth, of_times=0.05), [])
        self.assertEqual(planted.finding_differences(findings, truth), [])

    def test_waits_between_clocks_that_drift_are_those_of_the_job_without_drift(self):
        options = ["--ranks", "64", "--steps", "24"]
        with tempfile.TemporaryDirectory() as folder:
            summaries, _ = simulate(folder, *options)
            self.assertEqual({row["drift_ppm"] for row in tool.table(summaries, "clocks")}, {None})
            # Not what each causes: of several that come last together noise picks one.
            expected = {row["rank"]: row["wait_ns"] for row in tool.table(summaries, "stragglers")}
            waited = sum(row["wait_ns"] for row in tool.table(summaries, "collectives"))
        for drift in (200, 20000):
            with tempfile.TemporaryDirectory() as folder:
                summaries, truth = simulate(folder, *options, "--drift-ppm", str(drift))
                again = truth["ranks"]  # the number of the second profile of a rank
                shown = []
                for row in tool.table(summaries, "clocks"):
                    rate = truth["clock_rates_ppm"][row["rank"] if row["rank"] < again else truth["duplicated"][0]]
                    if 8 * abs(rate) < drift:  # too little to show
                        continue
                    self.assertAlmostEqual(row["drift_ppm"], rate / (1 + rate / 1e6), delta=0.01 * drift)
                    self.assertLess(row["drift_residual_ns"], 100)
                    shown.append(row["residual_ns"])  # 0 where most pairs are with ranks of the same machine
                self.assertGreater(len(shown), 20)
                self.assertGreater(max(shown), 10 * drift)
                found = {row["rank"]: row["wait_ns"] for row in tool.table(summaries, "stragglers")}
                self.assertEqual(set(found), set(expected))
                wrong = sum(abs(found[rank] - expected[rank]) for rank in found)
                self.assertLess(wrong, 3e-6 * drift * sum(expected.values()))  # durations are longer and shorter, too
                self.assertAlmostEqual(sum(row["wait_ns"] for row in tool.table(summaries, "collectives")), waited,
                                       delta=3e-6 * drift * waited)

    def test_few_ranks_have_findings_without_what_is_usual_of_many(self):
        """Of three ranks no table says who deviates; that the others wait for one of them can be seen all the same."""
        with tempfile.TemporaryDirectory() as folder:
            summaries, _ = simulate(folder, "--ranks", "24")
            three = [os.path.join(summaries, "rank-%d.cgpu" % rank) for rank in (0, 8, 16)]
            self.assertEqual(tool.table(three, "rank_outliers"), [])
            (finding,) = tool.table(three, "findings")
            self.assertEqual((finding["rule"], finding["rank"], finding["confidence"]), ("straggler", 0, "low"))
            self.assertEqual(finding["command"], "cgpu diagnose rank-0.json")


class LongRecordings(unittest.TestCase):
    RANKS = 200
    COLLECTIVES = 6  # a step
    SHORT = 4
    LONG = 100

    def test_what_a_collective_costs_the_tables_of_a_merged_summary(self):
        peaks = []
        for steps in (self.SHORT, self.LONG):
            with tempfile.TemporaryDirectory() as folder:
                parts, _ = simulate(folder, "--ranks", str(self.RANKS), "--steps", str(steps))
                merged = os.path.join(folder, "all.cgpu")
                run("merge", parts, "-o", merged)
                peaks.append({name: peak_memory("table", merged, name) for name in
                              ("gpu_time", "stragglers", "collectives", "rank_outliers", "rank_path", "findings")})
        collectives = self.RANKS * self.COLLECTIVES * (self.LONG - self.SHORT)
        costs = {name: (peaks[1][name] - peaks[0][name]) / collectives for name in peaks[0]}
        self.assertLess(costs["gpu_time"], 20, costs)  # it needs none of them
        for name in ("stragglers", "collectives", "rank_outliers"):
            self.assertLess(costs[name], 80, costs)
        for name in ("rank_path", "findings"):
            self.assertLess(costs[name], 110, costs)


if __name__ == "__main__":
    unittest.main()
