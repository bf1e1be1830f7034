#!/usr/bin/env python3
"""What `findings` says of simulated programs (simulated_jobs/) with one or two planted causes, as PyTorch and Nsight Systems
record them: the cause is the first finding, and what it saves is what the program takes longer than its twin without the
cause. Programs that nothing is wrong with get no warning.

Environment: CGPU (the binary).
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import pool, tool  # noqa: E402
from oracle.diagnosis import alarms  # noqa: E402
from simulated_jobs.cases import CASES  # noqa: E402

DOCS = os.path.join(tool.ROOT, "docs", "diagnosis.md")
TOLERANCE = 0.2  # of what a cause costs

# Cases that are not found as they should be, and why. One that begins to be found fails here, so that the list stays true.
KNOWN_MISSES = {}


def share(row):
    """What a finding saves, of the judged time."""
    return (row["recoverable_ns"] or 0) / row["measured_ns"] if row["measured_ns"] else 0


def faults(case, rows, cost):
    """What is wrong with the findings of a case whose cause takes this part of the time."""
    warnings = alarms(rows)
    said = "; ".join("%s %.1f %%" % (row["rule"], 100 * share(row)) for row in warnings) or "nothing"
    if not case.rules:
        return ["nothing is wrong with it, but: %s" % said] if warnings else []
    if not warnings or warnings[0]["rule"] not in case.rules:
        return ["%s first, not one of %s: %s" % (said.split(" ", 1)[0], ", ".join(case.rules), said)]
    saved = share(warnings[0])
    if case.second:
        if case.second not in [row["rule"] for row in warnings]:
            return ["%s is not found: %s" % (case.second, said)]
        saved = sum(share(row) for row in warnings if row["rule"] in (*case.rules, case.second))
    if abs(saved - cost) > TOLERANCE * cost:
        return ["it costs %.1f %%, not: %s" % (100 * cost, said)]
    return []


def judge(name):
    case = CASES[name]
    planted = case.simulate(True)
    cost = 1 - case.simulate(False).elapsed() / planted.elapsed() if case.rules else 0
    with tempfile.TemporaryDirectory() as folder:
        found = faults(case, tool.table(planted.write(folder), "findings"), cost)
    if name not in KNOWN_MISSES:
        return found
    return [] if found else ["it is found now: take it out of KNOWN_MISSES"]


class Simulated(pool.Case):
    def test_the_list_of_misses_names_cases(self):
        self.assertLessEqual(set(KNOWN_MISSES), set(CASES))

    def test_the_docs_say_how_many(self):
        with open(DOCS, encoding="utf-8") as handle:
            text = handle.read()
        for kind, cases in (("causes", [name for name, case in CASES.items() if case.rules]),
                            ("such programs", [name for name, case in CASES.items() if not case.rules])):
            expected = "| %d %s" % (len(cases), kind), "| %d |" % len([name for name in cases if name not in KNOWN_MISSES])
            row = [line for line in text.splitlines() if line.startswith(expected[0]) and "findings_simulated_test.py" in line]
            self.assertTrue(row and expected[1] in row[0], "docs/diagnosis.md has no row with %s and %s" % expected)


def setUpModule():
    tool.must_exist()
    pool.Case.pool = pool.Pool()
    for name in CASES:
        pool.Case.pool.start(name, judge, name)


def tearDownModule():
    pool.Case.pool.close()


for case_name in CASES:
    Simulated.add(case_name, case_name)

if __name__ == "__main__":
    unittest.main()
