#!/usr/bin/env python3
"""What `findings` says of runs whose trouble is known: a simulated machine (oracle/machine.py) runs the same program with and
without planted causes (oracle/causes.py), and what the run with them takes longer is what is recoverable. Beside them runs
that nothing is wrong with.

docs/diagnosis.md holds what comes out of it; --write-docs writes that part anew.

Environment: CGPU (the binary).
"""
import collections
import functools
import os
import re
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, docs, machine, tool  # noqa: E402
from oracle.diagnosis import alarms, findings  # noqa: E402

DOCS = os.path.join(tool.ROOT, "docs", "diagnosis.md")

# us a step of about 16 ms: too little to speak of, a warning, critical.
AMOUNTS = {None: 200, "warning": 1800, "critical": 9000}
AMOUNTS_OF = {"fusable_kernels": {None: 200, "warning": 1800}, "tensor_cores_unused": {None: 200, "warning": 1800,
                                                                                      "critical": 9000}}
LARGER, SMALLER = 7000, 1900  # of two causes

# Two causes that are one finding: of all copies, of all that the host does, of all that the host waits for.
COPIES = {"exposed_copies", "small_copies", "pageable_copies", "blocking_copies"}
HOST = {"stopped", "host_stall", "launch_bound"}
RANKS = {"late host", "slow device", "experts", "unequal sequences"}
TOGETHER = (COPIES, {"stopped", "host_stall"}, {"stopped", "launch_bound"},
            {"stopped", "late host"}, RANKS, {"synchronization", "blocking_copies"}, {"launch_bound", "small_copies"},
            {"launch_bound", "fusable_kernels"}, {"slow_link", "exposed_communication"}, {"slow_link", "late host"}, {"slow_link", "slow device"},
            {"allocation", "fragmentation"})
# Freeing these as the larger of two hides what else the host does (docs/diagnosis.md), or says the same of it.
HIDING = {"launch_bound", "synchronization", "blocking_copies"}
OF_THE_HOST = {"small_copies", "late host"}

UNCERTAIN = {"low_occupancy"}  # a grid does not say how busy its blocks keep a multiprocessor: a warning at most
# Micro-batches a step of two equal stages: one of them is waited for.
BATCHES = {None: 60, "warning": 12, "critical": 3}

IMBALANCES = {None: (1950, 2050), "warning": (1600, 2400), "critical": (1000, 3000)}


def setUpModule():
    tool.must_exist()


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


class Planted(unittest.TestCase):
    def test_a_planted_cause_is_the_first_finding_and_as_large_as_it_costs(self):
        for severity, case in singles():
            with self.subTest(case.label):
                if severity is None:
                    self.assertEqual(case.first, "none")
                    continue
                expected = "warning" if case.rules[0] in UNCERTAIN else severity
                self.assertEqual((case.first, case.alarms[0]["severity"]), (case.rules[0], expected))
                self.assertLess(abs(case.alarms[0]["recoverable_ns"] - case.lost_ns), 0.2 * case.lost_ns)

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

    def test_healthy_runs_raise_no_alarm(self):
        for name, (program, ranks) in causes.HEALTHY.items():
            with self.subTest(name):
                self.assertEqual(alarms(findings(machine.run(program, ranks))), [])

    def test_the_docs_say_what_comes_out(self):
        with open(DOCS, encoding="utf-8") as handle:
            text = handle.read()
        self.assertEqual(with_results(text), text, "tests/findings_planted_test.py --write-docs")


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
    begin, end = "<!-- results: tests/findings_planted_test.py --write-docs -->\n", "\n<!-- end of results -->"
    return docs.with_part(text, begin, end, results())


if __name__ == "__main__":
    docs.main(DOCS, with_results)
