"""Runs `cgpu compare` on pairs of profiles and of programs of the machine (machine.py); and the laws that hold for every pair."""
import json
import os
import tempfile

from . import machine, tool


def compared(a, b, *options):
    """{table: rows as dicts} of two inputs."""
    done = tool.run(["compare", a, b, "--format", "json", *options])
    if done.returncode:
        raise RuntimeError("cgpu compare: exit %d: %s" % (done.returncode, done.stderr.decode().strip()))
    document = json.loads(done.stdout.decode())
    if "compare_causes" in document["tables"]:
        assert document["tables"]["compare_causes"]["per"] in ("iteration", "whole")
    return tool.rows_of(document)


def words(a, b):
    return tool.run(["compare", a, b]).stdout.decode()


def figures(tables):
    return {row["name"]: row for row in tables["compare_summary"]}


def write_sides(folder, runs):
    """The folders a and b of the traces of two runs of the machine."""
    sides = []
    for side, machines in zip("ab", runs):
        sides.append(os.path.join(folder, side))
        os.mkdir(sides[-1])
        machine.write(machines, sides[-1])
    return sides


def pair_of(folder, programs, ranks=1):
    """The folders of the traces of two programs."""
    return write_sides(folder, [machine.run(program, ranks) for program in programs])


class Pair:
    """What two programs look like to compare."""

    def __init__(self, a, b, ranks=1):
        self.machines = [machine.run(program, ranks) for program in (a, b)]
        with tempfile.TemporaryDirectory() as folder:
            sides = write_sides(folder, self.machines)
            self.tables = compared(*sides)
            self.mirrored = compared(*sides[::-1])
            self.words = words(*sides)
        self.causes = self.tables["compare_causes"]
        step = [machine.measured(m) / len(m[0].marks) for m in self.machines]  # us
        self.change = step[1] - step[0]

    def delta(self, name):
        return figures(self.tables)[name]["delta"]


def check_books(test, tables):
    """Every nanosecond of both sides is in one row of each table."""
    summary = figures(tables)
    for side in "ab":
        whole = summary["time_ns"][side] if "time_ns" in summary else 0
        causes = tables["compare_causes"]
        test.assertLessEqual(abs(sum(c[side + "_ns"] for c in causes) - whole), 0.5)
        durations = summary["device_op_time_ns"][side]
        for name, column in (("compare_ops", "device_%s_ns"), ("compare_kernels", "total_%s_ns")):
            test.assertLessEqual(abs(sum(row[column % side] for row in tables[name]) - durations), 0.5)
        busy = sum(c[side + "_ns"] for c in causes if c["kind"] != "idle")
        test.assertLessEqual(abs(busy - summary["busy_ns"][side]), len(causes))
        test.assertEqual(sum(c["a_ns"] for c in causes if c["kind"] == "idle"),
                         sum(c["a_ns"] for c in tables["compare_idle"]))
    whole = sum(c["b_ns"] - c["a_ns"] for c in tables["compare_causes"])
    test.assertEqual(sum(c["delta_ns"] for c in tables["compare_causes"]), whole)
    shares = [c["share_pct"] for c in tables["compare_causes"] if c["share_pct"] is not None]
    if whole:
        test.assertAlmostEqual(sum(shares), 100, places=6)
    for row in tables["compare_kernels"]:
        test.assertEqual(row["delta_ns"], row["total_b_ns"] - row["total_a_ns"])
    # The change of the count and the change of the time of each are the change.
    for name in ("compare_ops", "compare_kernels", "compare_transfers", "compare_collectives"):
        for row in tables[name]:
            test.assertEqual(row["delta_by_count_ns"] is None, 0 in (row["count_a"], row["count_b"]), row)
            if row["delta_by_count_ns"] is None:
                continue
            test.assertAlmostEqual(row["delta_by_count_ns"], (row["count_b"] - row["count_a"]) * row["mean_a_ns"], 3)
            of_each = row["count_b"] * (row["mean_b_ns"] - row["mean_a_ns"])
            test.assertAlmostEqual(row["delta_ns"], row["delta_by_count_ns"] + of_each, delta=2)
