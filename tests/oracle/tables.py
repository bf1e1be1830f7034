"""Every table of docs/definitions.md, written down as plainly as possible: lists, sorting, elementary intervals.

A function takes the traces of a session (one a rank) and gives a list of rows (dicts).
"""
import bisect
import collections
import re
import statistics

from . import kineto, ranks
from .basis import (COMMUNICATION, COMPUTE, MEMORY, active_parts, book, bounds, by_device, by_stream, copies, grouped,
                    profile_bounds, sets, union_length)
from .idle import idle, idle_hosts, idle_streams
from .kineto import ANNOTATION, CALLS, COLLECTIVE, KERNEL, MEMCPY, MEMSET, OP

# ---------------------------------------------------------------- device time

def gpu_time(session):
    rows = []
    for trace in session:
        for device, ops in by_device(trace).items():
            length = collections.Counter()
            kinds = grouped(ops, book)
            for begin, end, names in active_parts({k: bounds(v) for k, v in kinds.items()}):
                for name in names:
                    length[name] += end - begin
                if names:
                    length["busy"] += end - begin
                if COMMUNICATION in names and COMPUTE not in names:
                    length["exposed_comm"] += end - begin
                if names == {MEMORY}:
                    length["exposed_memory"] += end - begin
            span = max(op.end for op in ops) - min(op.start for op in ops)
            comm = length[COMMUNICATION]
            rows.append({
                "rank": trace.rank, "device": device, "span_ns": span, "busy_ns": length["busy"],
                "compute_ns": length[COMPUTE], "comm_ns": comm, "memory_ns": length[MEMORY],
                "exposed_comm_ns": length["exposed_comm"], "exposed_memory_ns": length["exposed_memory"],
                "idle_ns": span - length["busy"],
                "busy_pct": 100 * length["busy"] / span if span else None,
                "comm_overlap_pct": 100 * (comm - length["exposed_comm"]) / comm if comm else None,
                "memory_overlap_pct": (100 * (length[MEMORY] - length["exposed_memory"]) / length[MEMORY]
                                       if length[MEMORY] else None),
            })
    return rows


def streams(session):
    zero, _ = profile_bounds(session)
    return [{"rank": trace.rank, "device": device, "stream": stream, "count": len(ops),
             "busy_ns": union_length(bounds(ops)), "first_ns": min(op.start for op in ops) - zero,
             "last_ns": max(op.end for op in ops) - zero}
            for trace in session for (device, stream), ops in by_stream(trace).items()]


# ---------------------------------------------------------------- tables by name

def duration_rows(items, key_name="name"):
    """items: (key, duration). One row a key with the usual statistics."""
    groups = {}
    for key, duration in items:
        groups.setdefault(key, []).append(duration)
    whole = sum(sum(d) for d in groups.values())
    return [{key_name: key, "count": len(d), "total_ns": sum(d), "mean_ns": sum(d) / len(d),
             "median_ns": statistics.median(d), "min_ns": min(d), "max_ns": max(d),
             "std_ns": statistics.stdev(d) if len(d) > 1 else 0.0, "pct": 100 * sum(d) / whole if whole else None}
            for key, d in groups.items()]


def kernels(session):
    return duration_rows((op.name, op.duration) for trace in session for op in trace.device_ops
                         if op.kind in (KERNEL, COLLECTIVE))


def api(session):
    return duration_rows((call.name, call.duration) for trace in session for call in trace.calls())


def kernel_classes(session, class_of_kernel):
    def class_of(op):
        return {MEMCPY: "copy", MEMSET: "set"}.get(op.kind) or class_of_kernel(op.name)
    rows = duration_rows(((class_of(op), op.duration) for trace in session for op in trace.device_ops), "class")
    return [{c: row[c] for c in ("class", "count", "total_ns", "pct")} for row in rows]


MEMORY_WORD = {"Pageable": "pageable", "Pinned": "pinned", "Device": "device", "Array": "array", "Managed": "managed",
               "Device Static": "device_static", "Managed Static": "managed_static", "Host": "host",
               "Unknown": "unknown"}


DMA_DIRECTION = {"HOST_TO_DEVICE": ("HtoD", "host", "device"), "DEVICE_TO_HOST": ("DtoH", "device", "host"),
                 "DEVICE_TO_DEVICE": ("DtoD", "device", "device")}


def transfer_key(op):
    """(kind, src_memory, dst_memory) as the name says: "Memcpy HtoD (Pageable -> Device)", "Memset (Device)"."""
    found = re.match(r"Memcpy (\w+) \(([\w ]+?) -> ([\w ]+)\)", op.name)
    if found:
        return (found.group(1), MEMORY_WORD.get(found.group(2), "unknown"), MEMORY_WORD.get(found.group(3), "unknown"))
    # MTIA's direct memory access says it in its arguments.
    if op.args.get("direction") in DMA_DIRECTION:
        return DMA_DIRECTION[op.args["direction"]]
    found = re.match(r"Memset \(([\w ]+)\)", op.name)
    if found:
        return ("Memset", None, MEMORY_WORD.get(found.group(1), "unknown"))
    return ("unknown", "unknown", "unknown")


def transfers(session):
    rows = []
    moved = [op for trace in session for op in trace.device_ops if op.kind in (MEMCPY, MEMSET)]
    for (kind, source, target), ops in grouped(moved, transfer_key).items():
        known = [(b, op.duration) for op, b in ((op, kineto.whole(op.args.get("bytes", op.args.get("size")))) for op in ops)
                 if b is not None and b >= 0]
        size, time = sum(b for b, _ in known), sum(d for _, d in known)
        rows.append({
            "kind": kind, "src_memory": source, "dst_memory": target, "count": len(ops),
            "bytes": size if known else None, "total_ns": sum(op.duration for op in ops),
            "mean_bytes": size / len(known) if known else None,
            "median_bytes": statistics.median([b for b, _ in known]) if known else None,
            "bandwidth": size / time if known and time else None,
        })
    return rows


# ---------------------------------------------------------------- host to device

def ancestors(item):
    item = item.parent
    while item is not None:
        yield item
        item = item.parent


def ops_around(item):
    """Framework ops that enclose a host slice, innermost first."""
    return [a for a in ancestors(item) if a.kind == OP]


def ops(session):
    rows = collections.defaultdict(lambda: dict.fromkeys(
        ("count", "cpu_total_ns", "cpu_self_ns", "device_total_ns", "device_self_ns"), 0))
    for trace in session:
        for item in trace.slices:
            if item.kind != OP:
                continue
            around = ops_around(item)
            row = rows[item.name]
            row["count"] += 1
            row["cpu_self_ns"] += item.duration
            if all(a.name != item.name for a in around):
                row["cpu_total_ns"] += item.duration
            if around:
                rows[around[0].name]["cpu_self_ns"] -= item.duration
        for op in trace.device_ops:
            around = ops_around(op.launch) if op.launch else []
            if around:
                rows[around[0].name]["device_self_ns"] += op.duration
            for name in {a.name for a in around}:
                rows[name]["device_total_ns"] += op.duration
    return [dict(row, name=name) for name, row in rows.items()]


def first_ops(trace):
    """launching call -> the first device op that it launched (id of the call as key, file order among equals)."""
    out = {}
    for op in sorted(trace.device_ops, key=lambda o: (o.start, o.order)):
        if op.launch is not None:
            out.setdefault(op.launch.order, (op.launch, op))
    return list(out.values())


def launches(session):
    mine, calls = {}, collections.Counter()
    for trace in session:
        calls.update(call.name for call in trace.calls())
        for call, op in first_ops(trace):
            mine.setdefault(call.name, []).append((call.duration, max(0, op.start - call.end)))
    return [{"name": name, "count": len(pairs), "cpu_mean_ns": sum(d for d, _ in pairs) / len(pairs),
             "delay_mean_ns": sum(d for _, d in pairs) / len(pairs),
             "delay_median_ns": statistics.median([d for _, d in pairs]), "delay_max_ns": max(d for _, d in pairs),
             "unlinked": calls[name] - len(pairs)} for name, pairs in mine.items()]


def quantile(values, q):
    """Linear between order statistics."""
    values = sorted(values)
    position = q * (len(values) - 1)
    low = int(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (position - low) * (values[high] - values[low])


def queue(session):
    rows = []
    for trace in session:
        for (device, stream), pairs in grouped(first_ops(trace), lambda p: (p[1].device, p[1].stream)).items():
            events = [(call.start, 0) for call, _ in pairs] + [(op.start, 1) for _, op in pairs]
            depth, values = 0, []
            for _, leaves in sorted(events):
                depth += -1 if leaves else 1
                values.append(depth)
            rows.append({"rank": trace.rank, "device": device, "stream": stream, "count": len(pairs),
                         "mean": sum(values) / len(values), "std": statistics.stdev(values), "min": min(values),
                         "p25": quantile(values, 0.25), "median": statistics.median(values),
                         "p75": quantile(values, 0.75), "max": max(values)})
    return rows


# ---------------------------------------------------------------- steps

STEP_ORDER = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu")
STEP_MARK = re.compile(r"ProfilerStep#(\d+)$")
COUNTED_MARK = re.compile(r"[^0-9]*")
COUNTERS = {"step": 0, "iteration": 0, "iter": 0, "timestep": 0, "cycle": 0, "batch": 1, "frame": 1, "epoch": 2}
BEFORE_COUNTERS = {"train", "training", "global", "inference", "time", "main", "outer", "solver", "mini", "md", "sim",
                   "simulation", "video", "render"}
ENGINE_MARK = re.compile(r"(execute_)(?=.*context_)(?=.*generation_)|(execute_model)(?=$|:)|(step\[)")
LOADER = "enumerate(DataLoader)"


def step_category(item):
    if item.kind in kineto.DEVICE_KINDS:
        if copies(item):
            return "memcpy"
        if sets(item):
            return "memset"
        return "communication" if book(item) == COMMUNICATION else "kernel"
    if item.kind in CALLS:
        return "runtime"
    if item.kind in (OP, ANNOTATION):
        if item.name.startswith(LOADER):
            return "dataloader"
        if not (item.kind == ANNOTATION and item.name.startswith("ProfilerStep#")):
            return "cpu"
    return None


def counted(name):
    """(rank of the counter, number) of a range that counts iterations, or None."""
    before = COUNTED_MARK.match(name).group(0)
    number = re.match(r"\d+", name[len(before):])
    words = re.findall("[a-z]+", before.lower())
    if number is None or not words or words[-1] not in COUNTERS:
        return None
    if not set(words[:-1]) <= BEFORE_COUNTERS and words != ["executor", "forward", "step"]:
        return None
    return COUNTERS[words[-1]], int(number.group(0))


def step_marks(trace):
    """[(mark, number)] in order of their starts."""
    ranges = sorted((s for s in trace.slices if s.kind == ANNOTATION), key=lambda s: (s.start, s.order))
    marks = [(s, int(STEP_MARK.match(s.name).group(1))) for s in ranges if STEP_MARK.match(s.name)]
    if marks:
        return marks
    series = collections.defaultdict(list)
    for item in ranges:
        engine = ENGINE_MARK.match(item.name)
        count = counted(item.name)
        if engine is not None:
            series[1, 0, item.process, item.thread, engine.group(0)].append((item, 0))
        elif count is not None and not item.name.startswith("ProfilerStep#"):
            rank, number = count
            series[0, rank, item.process, item.thread, re.sub(r"\d+", "N", item.name)].append((item, number))
    best = []
    for (kind, rank, *_), found in series.items():
        if kind == 0 and (len(found) < 2 or any(a >= b for (_, a), (_, b) in zip(found, found[1:]))):
            continue
        if any(b.start < a.end for (a, _), (b, _) in zip(found, found[1:])):
            continue
        best.append((kind, rank, -sum(item.duration for item, _ in found), found))
    if not best:
        return []
    kind, _, _, found = min(best, key=lambda each: each[:3])
    return found if kind == 0 else [(item, i) for i, (item, _) in enumerate(found)]


def steps(session):
    rows = []
    zero, _ = profile_bounds(session)
    for trace in session:
        marks = step_marks(trace)
        if not marks:
            continue
        own = {mark for mark, _ in marks}
        others = [item for item in trace.slices if item not in own]
        parts = list(active_parts({c: bounds(i) for c, i in grouped(others, step_category).items()
                                   if c is not None}))
        launched = []
        end_before = None
        for mark, number in marks:
            mine = [op for op in trace.device_ops
                    if op.launch is not None and mark.start <= op.launch.start < mark.end]
            start = mark.start if end_before is None else max(mark.start, end_before)
            end = max([mark.end, start] + [op.end for op in mine])
            row = {"rank": trace.rank, "step": number, "start_ns": start - zero, "duration_ns": end - start,
                   "complete": 1}
            row.update({c + "_ns": 0 for c in STEP_ORDER + ("other",)})
            row["other_ns"] = end - start
            for begin, until, names in parts[max(0, bisect.bisect_left(parts, (start,)) - 1):]:
                if begin >= end:
                    break
                length = min(until, end) - max(begin, start)
                first = next((c for c in STEP_ORDER if c in names), None)
                if length > 0 and first:
                    row[first + "_ns"] += length
                    row["other_ns"] -= length
            if mark is marks[-1][0] and launched and len(mine) < 0.8 * launched[-1]:
                row["complete"] = 0
            launched.append(len(mine))
            end_before = end
            rows.append(row)
    return rows


# ---------------------------------------------------------------- ranges, collectives, memory, devices

def ranges(session):
    rows = collections.defaultdict(lambda: {"count": 0, "total_ns": 0, "device_ns": 0, "device_ops": 0})
    for trace in session:
        for item in trace.slices:
            if item.kind == ANNOTATION:
                rows[item.name]["count"] += 1
                rows[item.name]["total_ns"] += item.duration
        for op in trace.device_ops:
            around = ancestors(op.launch) if op.launch else ()
            for name in {a.name for a in around if a.kind == ANNOTATION}:
                rows[name]["device_ops"] += 1
                rows[name]["device_ns"] += op.duration
    return [dict(row, name=name, mean_ns=row["total_ns"] / row["count"]) for name, row in rows.items()]


ELEMENT_BYTES = {
    "byte": 1, "char": 1, "bool": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "short": 2, "half": 2, "bfloat16": 2,
    "int": 4, "float": 4, "long": 8, "double": 8, "uint8": 1, "int8": 1, "int32": 4, "int64": 8, "float16": 2,
    "float32": 4, "float64": 8, "complexfloat": 8, "complexdouble": 16,
}
COLLECTIVE_NAMES = (
    ("AllReduce", "allreduce"), ("AllGather", "allgather"), ("ReduceScatter", "reduce_scatter"),
    ("AllToAll", "alltoall"), ("SendRecv", "send_recv"), ("Broadcast", "broadcast"), ("Reduce", "reduce"))


def base_name(name):
    """No return type, template arguments, call arguments or anonymous namespace."""
    name = name.replace("(anonymous namespace)::", "")
    depth, out = 0, ""
    for letter in name:
        if letter in "<(":
            if letter == "(" and depth == 0:
                break
            depth += 1
        elif letter in ">)":
            depth -= 1
        elif depth == 0:
            out += letter
    return out.split(" ")[-1] if " " in out.strip() else out.strip()


def collective_key(op):
    name = op.args.get("Collective name")
    if not name:
        name = next((text for word, text in COLLECTIVE_NAMES if word in op.name), None) or base_name(op.name)
    group = op.args.get("Process Group Name") or op.args.get("Process Group Ranks") or None
    return name, group


def bus_factor(name, ranks):
    """PyTorch records some of them under names of its own: _allgather_base, all_to_allv, ..."""
    plain = name.replace("_", "").lower()
    if "allreduce" in plain:
        return 2 * (ranks - 1) / ranks
    if any(part in plain for part in ("allgather", "reducescatter", "alltoall")):
        return (ranks - 1) / ranks
    return 1.0


def collectives(session):
    rows = []
    for series in ranks.device_series(session, collective_key):
        instances = [[op for _, op in parts] for parts in series.instances()]
        sizes = [size for size in (instance_bytes(i) for i in instances) if size is not None]
        size = sum(sizes) if sizes else None
        shortest = sum(min(op.duration for op in i) for i in instances if instance_bytes(i) is not None)
        algo = size / shortest if size is not None and shortest else None
        group_sizes = {kineto.whole(op.args.get("Group size")) for i in instances for op in i} - {None}
        wait = sum(ranks.wait(series.name, i, op) for i in instances for op in i)
        rows.append({
            "name": series.name, "group": series.group, "ranks": len(series.members), "count": len(instances),
            "bytes": size, "total_ns": sum(op.duration for i in instances for op in i), "algo_bandwidth": algo,
            "bus_bandwidth": algo * bus_factor(series.name, max(group_sizes))
            if algo is not None and group_sizes else None,
            "wait_ns": wait if any(len(i) > 1 for i in instances) else None,
        })
    return rows


def stragglers(session):
    return ranks.stragglers(session, collective_key)


def instance_bytes(instance):
    for op in instance:
        counts = [kineto.whole(op.args.get(k)) for k in ("In msg nelems", "Out msg nelems")]
        counts = [c for c in counts if c is not None and c >= 0]
        width = ELEMENT_BYTES.get(str(op.args.get("dtype")).lower())
        if counts and width:
            return max(counts) * width
    return None


def memory(session):
    rows = []
    for trace in session:
        def device_of(args):
            return -1 if kineto.whole(args.get("Device Type")) == 0 else kineto.whole(args.get("Device Id"))
        for device, events in grouped(trace.memory, device_of).items():
            def largest(key):
                values = [v for v in (kineto.whole(e.get(key)) for e in events) if v is not None]
                return max(values) if values else None
            rows.append({"rank": trace.rank, "device": device, "peak_allocated_bytes": largest("Total Allocated"),
                         "peak_reserved_bytes": largest("Total Reserved"),
                         "allocations": sum(1 for e in events if (kineto.whole(e.get("Bytes")) or 0) > 0)})
    return rows


def devices(session):
    """What the header says of each device; the facts that it does not hold are not compared."""
    rows = []
    for trace in session:
        for item in trace.header.get("deviceProperties") or []:
            rows.append({"rank": trace.rank, "device": kineto.whole(item.get("id")), "name": item.get("name"),
                         "sm_count": kineto.whole(item.get("numSms")),
                         "memory_bytes": kineto.whole(item.get("totalGlobalMem"))})
    return rows


def info(session):
    """The counts of events, summed over the ranks, device ops, and the time that was recorded."""
    total = collections.Counter()
    for trace in session:
        total.update(trace.counts)
    total["device_slices"] = sum(len(trace.device_ops) for trace in session)
    total["ranks"] = len(session)
    first, last = profile_bounds(session)
    total["start_ns"], total["span_ns"] = first, last - first
    return dict(total)


def orphans(session):
    return sum(1 for trace in session for op in trace.device_ops if op.launch is None)


TABLES = {f.__name__: f for f in (gpu_time, streams, kernels, api, transfers, ops, launches, queue, steps, idle,
                                  idle_hosts, idle_streams, ranges, collectives, stragglers, memory)}
