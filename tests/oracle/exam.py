"""An exam for the server of agents: questions about the profiles of examples/, each with the calls of tools that answer it,
how the answer is read out of what they say, and the right one, which is computed from the raw trace without cgpu.

A question that the profile cannot answer has the answer None: whoever asks must see from what the tools say that it does
not, and not take a 0 or something else for it.
"""
import collections
import csv
import functools
import io
import json
import pathlib
import re

from . import kineto
from .kineto import COLLECTIVE, KERNEL, MEMCPY, OP

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
GENERATED, LLM, DLRM, MOE, STEP = ("%s" % name for name in ("generated_training.json.gz", "llm_decode.json.gz", "dlrm.json.gz",
                                                              "moe.json.gz", "one_step.json"))
WORKERS_0, WORKERS_4 = "cnn_workers0.json.gz", "cnn_workers4.json.gz"
QUESTIONS = []


class Question:
    """`calls`: (tool, arguments), where "@0" and "@1" stand for the handles of `profiles`. `read` takes what the last call says
    (Said) and gives the answer; `right` takes the profiles' raw traces. Numbers may differ by `within` of the right one."""

    def __init__(self, text, profiles, calls, read, right, within=0.0):
        self.text, self.profiles, self.calls, self.read, self.right, self.within = text, profiles, calls, read, right, within

    def expected(self):
        return self.right(*(raw(name) for name in self.profiles)) if callable(self.right) else self.right

    def is_right(self, answer, expected):
        if isinstance(expected, (int, float)) and isinstance(answer, (int, float)):
            return abs(answer - expected) <= self.within * abs(expected)
        return answer == expected


class Said:
    """The answer of a tool, as an agent reads it."""

    def __init__(self, text, is_error):
        self.text, self.is_error = text, is_error

    def rows(self):
        """Of its CSV; none where it says that there are none, or is an error."""
        lines = [line for line in self.text.splitlines() if not re.match(r"(Left out|In full): ", line)]
        if self.is_error or any(line.startswith("(no rows") for line in lines):
            return []
        heading = r"[\w.]+( \[[^]]+\])?(,[\w.]+( \[[^]]+\])?)*"
        begin = next(at for at, line in enumerate(lines) if re.fullmatch(heading, line))
        return list(csv.DictReader(io.StringIO("\n".join(lines[begin:]))))

    def cell(self, column, kind=str):
        """Of the first row; None where there is none, or it has no value."""
        rows = self.rows()
        return kind(rows[0][column]) if rows and rows[0][column] else None

    def found(self, pattern, kind=str):
        match = None if self.is_error else re.search(pattern, self.text)
        return kind(match[1]) if match else None


@functools.lru_cache(None)
def raw(name):
    """The trace of a file; of a folder those of its ranks."""
    path = EXAMPLES / name
    return [kineto.load(str(one)) for one in sorted(path.iterdir())] if path.is_dir() else kineto.load(str(path))


@functools.lru_cache(None)
def document(name):
    return json.loads(kineto.read_text(EXAMPLES / name))


def union(intervals):
    """How long they last together."""
    total, end = 0, None
    for low, high in sorted(intervals):
        if end is None or low > end:
            total, end = total + high - low, high
        elif high > end:
            total, end = total + high - end, high
    return total


def is_communication(op):
    return op.kind == COLLECTIVE or op.name.startswith("nccl")


def device_time(trace, wanted=lambda op: True):
    return union((op.start, op.end) for op in trace.device_ops if wanted(op))


def totals(slices):
    """Time by name."""
    times = collections.Counter()
    for one in slices:
        times[one.name] += one.duration
    return times


def own_times(trace):
    """Time of ops by name without the ops inside of them, on their threads."""
    times = collections.Counter()
    for thread in {(one.process, one.thread) for one in trace.slices if one.kind == OP}:
        around = []
        for one in sorted((s for s in trace.slices if s.kind == OP and (s.process, s.thread) == thread),
                          key=lambda s: (s.start, -s.end, s.order)):
            while around and around[-1].end <= one.start:
                around.pop()
            if around:
                times[around[-1].name] -= one.duration
            times[one.name] += one.duration
            around.append(one)
    return times


def steps_of(trace):
    """The marks of iterations on the host, by number."""
    marks = collections.defaultdict(list)
    for one in trace.slices:
        if one.kind == "annotation" and one.name.startswith("ProfilerStep#"):
            marks[int(one.name.split("#")[1])].append(one)
    return marks


def ask(text, profiles, calls, read, right, within=0.0):
    QUESTIONS.append(Question(text, [profiles] if isinstance(profiles, str) else profiles, calls, read, right, within))


def ask_table(text, profile, table, read, right, within=0.0, **arguments):
    ask(text, profile, [("table", dict(arguments, run="@0", table=table))], read, right, within)


def ask_sql(text, profile, query, right, kind=int, within=0.0):
    """The answer is the one value of the result."""
    ask(text, profile, [("sql", {"runs": ["@0"], "query": query})], lambda said: said.cell("answer", kind), right, within)


# Where the time of a device goes.

ask_table("Which kernel takes the most time?", GENERATED, "kernels", lambda said: said.cell("name"),
          lambda t: totals(op for op in t.device_ops if op.kind == KERNEL).most_common(1)[0][0], sort="total_ns", top=1)
ask_table("How long do all launches of that kernel take, in ns?", GENERATED, "kernels", lambda said: said.cell("total_ns", int),
          lambda t: totals(op for op in t.device_ops if op.kind == KERNEL).most_common(1)[0][1], sort="total_ns", top=1)
ask_table("For how long was the device busy, in ns?", GENERATED, "gpu_time", lambda said: said.cell("busy_ns", int), device_time)
ask_table("For how long was it idle between its first op and its last?", GENERATED, "idle",
          lambda said: sum(int(row["total_ns"]) for row in said.rows()),
          lambda t: max(op.end for op in t.device_ops) - min(op.start for op in t.device_ops) - device_time(t))
ask_table("How long did communication run that nothing else on the device covered, in ns?", GENERATED, "gpu_time",
          lambda said: said.cell("exposed_comm_ns", int),
          lambda t: device_time(t) - device_time(t, lambda op: not is_communication(op)))
ask_sql("How many kernels ran on the device, those of collectives among them?", GENERATED,
        "SELECT count(*) AS answer FROM slices WHERE kind = 'kernel'",
        lambda t: sum(op.kind == KERNEL for op in t.device_ops))
ask("How long did the longest kernel run, in ns?", GENERATED,
    [("find", {"run": "@0", "kind": "kernel", "top": 1})], lambda said: said.cell("duration_ns", int),
    lambda t: max(op.duration for op in t.device_ops if op.kind == KERNEL))
ask_sql("On how many streams did something run?", GENERATED, "SELECT count(DISTINCT stream) AS answer FROM device_slices",
        lambda t: len({op.stream for op in t.device_ops}))
ask_table("How many bytes were copied from pageable memory of the host to the device?", GENERATED, "transfers",
          lambda said: said.cell("bytes", int),
          lambda t: sum(kineto.whole(op.args["bytes"]) for op in t.device_ops
                        if op.kind == MEMCPY and "HtoD (Pageable" in op.name),
          where="kind = HtoD and src_memory = pageable")
ask("What model of device is it?", GENERATED, [("open", {"paths": [GENERATED]})],
    lambda said: said.found(r"on 1 GPU \(([^)]+)\)"), lambda _: document(GENERATED)["deviceProperties"][0]["name"])
ask("Which kernels ran in the part from 20 ms to 25 ms, the first by time?", GENERATED,
    [("explain", {"run": "@0", "from": "20ms", "to": "25ms"})], lambda said: said.found(r"kernel time: (.*)"),
    lambda t: totals_between(t, 20_000_000, 25_000_000).most_common(1)[0][0])
ask("Does that part have a whole step in it?", GENERATED, [("explain", {"run": "@0", "from": "20ms", "to": "25ms"})],
    lambda said: "whole (" in said.found(r"(?m)^(Steps: .*)$"),
    lambda t: any(20_000_000 <= one.start - first_time(t) and one.end - first_time(t) <= 25_000_000
                  for marks in steps_of(t).values() for one in marks))


def first_time(trace):
    return min(one.start for one in trace.slices if one.category != "Trace")


def totals_between(trace, low, high):
    """Time of kernels by name, of which what lies in a part from the start of the trace."""
    zero, times = first_time(trace), collections.Counter()
    for op in trace.device_ops:
        if op.kind == KERNEL and min(op.end - zero, high) > max(op.start - zero, low):
            times[op.name] += min(op.end - zero, high) - max(op.start - zero, low)
    return times


# The host.

ask_table("Which framework op takes the most time by itself, without ops inside of it?", LLM, "ops",
          lambda said: said.cell("name"), lambda t: own_times(t).most_common(1)[0][0], sort="cpu_self_ns", top=1)
ask_table("And for how long, in ns?", LLM, "ops", lambda said: said.cell("cpu_self_ns", int),
          lambda t: own_times(t).most_common(1)[0][1], sort="cpu_self_ns", top=1)
ask("How often was aten::mm called?", LLM, [("explain", {"run": "@0", "name": "aten::mm"})],
    lambda said: said.found(r"(?m)^  (\d+) of them", int),
    lambda t: sum(one.name == "aten::mm" and one.kind == OP for one in t.slices))
ask_table("How often was cudaLaunchKernel called?", GENERATED, "api", lambda said: said.cell("count", int),
          lambda t: sum(one.name == "cudaLaunchKernel" for one in t.calls()), where="name = cudaLaunchKernel")
ask_sql("How many different framework ops are there?", DLRM, "SELECT count(*) AS answer FROM ops",
        lambda t: len({one.name for one in t.slices if one.kind == OP}))
ask_sql("How many slices does the profile have?", WORKERS_0, "SELECT count(*) AS answer FROM slices",
        lambda t: len(t.slices))
ask_sql("For how long was the main loop in the data loader, in ns?", WORKERS_0,
        "SELECT sum(duration_ns) AS answer FROM slices WHERE name LIKE 'enumerate(DataLoader)%'",
        lambda t: sum(one.duration for one in t.slices if one.name.startswith("enumerate(DataLoader)")))
ask_table("How long do all calls of aten::topk take, in ns?", MOE, "ops", lambda said: said.cell("cpu_total_ns", int),
          lambda t: sum(one.duration for one in t.slices if one.name == "aten::topk" and one.kind == OP),
          where="name = aten::topk")
ask("How long did the longest aten::add of more than 100 us take, in ns?", LLM,
    [("find", {"run": "@0", "name": "^aten::add$", "longer_than": "100us", "top": 1})],
    lambda said: said.cell("duration_ns", int),
    lambda t: max([one.duration for one in t.slices if one.name == "aten::add" and one.duration > 100_000], default=None))
ask_sql("How many steps does the profile have?", WORKERS_4, "SELECT count(DISTINCT step) AS answer FROM steps",
        lambda t: len(steps_of(t)))
ask("What is the largest number of rows that an input of aten::mm has?", LLM,
    [("sql", {"runs": ["@0"], "query": "SELECT max(json_extract(a.value, '$[0][0]')) AS answer FROM slices s "
              "JOIN arguments(s.slice) a WHERE s.name = 'aten::mm' AND a.key = 'Input Dims'"})],
    lambda said: said.cell("answer", int),
    lambda t: max(one.args["Input Dims"][0][0] for one in t.slices if one.name == "aten::mm"))

# Why it is slow, of runs that were made slow in a known way (the names of their files say how).

for profile, rule in (("h100/workers_0.json.gz", "data_loading"), ("h100/host_stall.json.gz", "host_stall"),
                      ("h100/cache_emptied.json.gz", "allocation"), ("h100/copies_pageable.json.gz", "pageable_copies")):
    ask("What slows this run down most?", profile, [("diagnose", {"run": "@0"})],
        lambda said: said.found(r"(?m)^1\. .*\[(\w+)\]$"), rule)
ask("Which rank do the others wait for?", "h100_ranks/data_parallel_late", [("diagnose", {"run": "@0"})],
    lambda said: said.found(r"where: rank (\d+)", int),
    # Whoever ends a collective with the shortest time in it came last.
    lambda ranks: min(range(len(ranks)), key=lambda rank: sum(op.duration for op in ranks[rank].device_ops if is_communication(op))))
ask("For how long is the device idle because of data loading, as a share of its idle time?", "h100/workers_0.json.gz",
    [("explain", {"run": "@0", "name": "data_loading"})], lambda said: said.found(r"([\d.]+) % of its idle time", float),
    # All of the idle time that begins while the host is in the data loader.
    lambda t: 100 * idle_while(t, lambda one: one.name.startswith("enumerate(DataLoader)")), 0.02)
ask("How many ranks does the run have?", "h100_ranks/ring",
    [("sql", {"runs": ["@0"], "query": "SELECT count(DISTINCT rank) AS answer FROM device_slices"})],
    lambda said: said.cell("answer", int), len)


def idle_while(trace, is_cause):
    """The share of a device's idle time in which a slice of the host was active."""
    ops = sorted((op.start, op.end) for op in trace.device_ops)
    gaps, end = [], ops[0][1]
    for low, high in ops:
        if low > end:
            gaps.append((end, low))
        end = max(end, high)
    spans = [(one.start, one.end) for one in trace.slices if is_cause(one)]
    within = union((max(low, a), min(high, b)) for low, high in gaps for a, b in spans if min(high, b) > max(low, a))
    return within / sum(high - low for low, high in gaps)


# Two runs.

def time_of_steps(trace):
    """From the first mark of a step to the end of the last one, and of what it launched; an iteration."""
    marks = [one for of_step in steps_of(trace).values() for one in of_step]
    end = max([one.end for one in marks] + [op.end for op in trace.device_ops])
    return (end - min(one.start for one in marks)) / len(steps_of(trace))


ask("By how many percent did an iteration become shorter?", ["h100/fp32.json.gz", "h100/tf32.json.gz"],
    [("compare", {"a": "@0", "b": "@1"})], lambda said: said.found(r"-([\d.]+) %", float),
    lambda a, b: 100 * (1 - time_of_steps(b) / time_of_steps(a)), 0.02)
ask("What explains most of the change?", ["h100/workers_0.json.gz", "h100/workers_8.json.gz"],
    [("compare", {"a": "@0", "b": "@1"})], lambda said: said.found(r": idle \((\w+)\)"), "data_loading")
ask("By how many ns did the time of all kernels change?", ["h100/copies_pageable.json.gz", "h100/copies_pinned.json.gz"],
    [("sql", {"runs": {"before": "@0", "after": "@1"}, "query": "SELECT (SELECT sum(total_ns) FROM after.kernels) - "
              "(SELECT sum(total_ns) FROM before.kernels) AS answer"})], lambda said: said.cell("answer", int),
    lambda a, b: sum(op.duration for op in b.device_ops if op.kind in (KERNEL, COLLECTIVE)) -
    sum(op.duration for op in a.device_ops if op.kind in (KERNEL, COLLECTIVE)))

# What the profile does not say.

ask_table("How busy was the GPU?", LLM, "gpu_time", lambda said: said.cell("busy_pct", float),
          lambda t: None if not t.device_ops else 0.0)
ask_table("How many watts did the device take?", GENERATED, "counters", lambda said: said.cell("mean", float),
          lambda _: None if not any(one.get("ph") == "C" for one in document(GENERATED)["traceEvents"]) else 0.0,
          where="name ~ power")
ask_sql("What was the loss of the last step?", GENERATED,
        "SELECT value AS answer FROM arguments WHERE key = 'loss' ORDER BY slice DESC LIMIT 1",
        lambda t: next((one.args["loss"] for one in t.slices if "loss" in one.args), None), float)
ask_table("How long did step 99 take?", GENERATED, "steps", lambda said: said.cell("duration_ns", int),
          lambda t: steps_of(t).get(99), where="step = 99")
ask_table("Which rank is the straggler?", GENERATED, "stragglers", lambda said: said.cell("rank", int), None)
ask("What does flash_attn_3_kernel cost?", MOE, [("explain", {"run": "@0", "name": "flash_attn_3_kernel"})],
    lambda said: said.found(r"together (\d+) ns", int),
    lambda t: sum(one.duration for one in t.slices if "flash_attn_3_kernel" in one.name) or None)
ask_table("How much memory was allocated at most on the device?", "h100/training.json.gz", "memory",
          lambda said: said.cell("peak_allocated_bytes", int), lambda t: max((0 for _ in t.memory), default=None))
