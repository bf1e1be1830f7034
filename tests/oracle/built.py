"""Traces from tests/builder, and what their truth says, as rows of the tables."""
import collections
import json
import os
import subprocess

from .tool import ROOT


def builder():
    return os.environ.get("CGPU_BUILDER") or os.path.join(ROOT, "build", "trace_builder")


def build(folder, *options, ranks=1):
    """Builds a trace in `folder`; returns its path (a folder for several ranks) and its truth."""
    trace = os.path.join(folder, "trace" if ranks > 1 else "trace.json")
    truth = os.path.join(folder, "truth.json")
    command = [builder(), trace, "--truth", truth, "--ranks", str(ranks)] + [str(o) for o in options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stdout.strip()))
    with open(truth, encoding="utf-8") as handle:
        return trace, json.load(handle)


def simulate(folder, *options):
    """The summaries of a simulated job of many ranks (builder/job.h), and the truth about it."""
    command = [os.path.join(os.path.dirname(builder()), "job_builder"), folder] + [str(o) for o in options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stdout.strip()))
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as handle:
        return os.path.join(folder, "summaries"), json.load(handle)


def as_the_builder_knows(table, rows):
    """Rows of the tool in the terms of the truth: to the builder a gap before an op without a launch is `unknown`, also where
    it lies before or after all that the host does. The oracle tells these apart."""
    if table != "idle":
        return rows
    merged = {}
    for row in rows:
        cause = "unknown" if row["cause"] == "profile_edge" else row["cause"]
        into = merged.setdefault((row["rank"], row["device"], cause), dict(row, cause=cause, count=0, total_ns=0, max_ns=0, pct=0))
        for column in ("count", "total_ns", "pct"):
            into[column] += row[column]
        into["max_ns"] = max(into["max_ns"], row["max_ns"])
    return list(merged.values())


def files(trace):
    """The rank files of a built trace."""
    if not os.path.isdir(trace):
        return [trace]
    return sorted(os.path.join(trace, name) for name in os.listdir(trace))


SMALLEST, LARGEST = {"min_ns"}, {"max_ns", "delay_max_ns"}


def merged(truth, table):
    out = {}
    for rank in truth["ranks"]:
        for name, row in rank[table].items():
            if name not in out:
                out[name] = dict(row, name=name)
                continue
            for column, value in row.items():
                before = out[name][column]
                if column in SMALLEST:
                    out[name][column] = min(before, value)
                elif column in LARGEST:
                    out[name][column] = max(before, value)
                else:
                    out[name][column] = before + value
    return list(out.values())


def tables(truth, zero):
    """{table: rows}; columns that the truth does not hold are missing. `zero`: the time at which the profile starts."""
    out = collections.defaultdict(list)
    for rank in truth["ranks"]:
        where = {"rank": rank["rank"], "device": rank["device"]}
        out["gpu_time"].append(dict(rank["gpu_time"], **where))
        for cause, row in rank["idle"].items():
            out["idle"].append(dict(row, cause=cause, **where))
        base = rank["base_time_ns"] - zero
        out["streams"] += [dict(row, first_ns=base + row["first_ns"], last_ns=base + row["last_ns"], **where)
                           for row in rank["streams"]]
        out["idle_streams"] += [dict(row, **where) for row in rank["idle_streams"]]
        out["memory"] += [dict(row, rank=rank["rank"]) for row in rank["memory"]]
        out["steps"] += [{"rank": rank["rank"], "step": s["step"], "start_ns": base + s["start_ns"],
                          "duration_ns": s["duration_ns"]} for s in rank["steps"]]
    for table in ("kernels", "api", "ops", "ranges"):
        out[table] = merged(truth, table)
    for row in merged(truth, "launches"):
        out["launches"].append({
            "name": row["name"], "count": row["count"], "cpu_mean_ns": row["cpu_total_ns"] / row["count"],
            "delay_mean_ns": row["delay_total_ns"] / row["count"], "delay_max_ns": row["delay_max_ns"],
            "unlinked": row["unlinked"]})
    transfers = {}
    for rank in truth["ranks"]:
        for row in rank["transfers"]:
            key = (row["kind"], row["src_memory"], row["dst_memory"])
            total = transfers.setdefault(key, dict(row, count=0, total_ns=0, bytes=None))
            total["count"] += row["count"]
            total["total_ns"] += row["total_ns"]
            if row["bytes"] is not None:
                total["bytes"] = (total["bytes"] or 0) + row["bytes"]
    out["transfers"] = list(transfers.values())
    for row in truth["collectives"]:
        row = dict(row)
        shortest = row.pop("shortest_total_ns")
        row["algo_bandwidth"] = row["bytes"] / shortest if row["bytes"] is not None and shortest else None
        out["collectives"].append(row)
    return dict(out)
