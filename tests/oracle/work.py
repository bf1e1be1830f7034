"""op_shapes, overlap, utilization, rank_activity and occupancy, written down as plainly as possible."""
import collections
import math
import re

from . import compare, kineto, tables, tool
from .basis import COMMUNICATION, COMPUTE, MEMORY, active_parts, book, bounds, by_device, grouped, profile_bounds
from .kineto import MEMCPY, MEMSET, OP


# ---------------------------------------------------------------- op_shapes

def shape_text(dims):
    return "[%s]" % ", ".join(shape_text(d) if isinstance(d, list) else str(d) for d in dims)


def inputs_of(op):
    dims = op.args.get("Input Dims", op.args.get("Input dims"))
    types = op.args.get("Input type")
    return dims, types


def shape_key(op):
    dims, types = inputs_of(op)
    return (op.name, shape_text(dims) if dims is not None else None,
            "[%s]" % ", ".join(types) if types is not None else None)


SIZES = {"float": 4, "c10::BFloat16": 2, "c10::Half": 2, "double": 8}


def gemm(op):
    """(flops, bytes) of a product of matrices, else None."""
    dims, types = inputs_of(op)
    try:
        if op.name in ("aten::mm", "aten::bmm"):
            a, b = dims[0], dims[1]
            rest = 0
        elif op.name == "aten::addmm":
            a, b = dims[1], dims[2]
            rest = math.prod(dims[0]) * SIZES[types[0]]
        else:
            return None
        if len(a) != len(b) or a[-1] != b[-2] or len(a) != (3 if op.name == "aten::bmm" else 2):
            return None
        size = SIZES[types[0 if op.name != "aten::addmm" else 1]]
        batch = math.prod(a[:-2])
        m, k, n = a[-2], a[-1], b[-1]
        return 2 * batch * m * n * k, batch * (m * k + k * n + m * n) * size + rest
    except (IndexError, KeyError, TypeError):
        return None


def op_shapes(session):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0, None])  # count, on the device, total, self, product
    for trace in session:
        launched = collections.defaultdict(list)
        for device_op in trace.device_ops:
            if device_op.launch is not None:
                around = tables.ops_around(device_op.launch)
                if around:
                    rows[shape_key(around[0])][3] += device_op.duration
                for key in {shape_key(a) for a in around}:
                    rows[key][2] += device_op.duration
                for op in around:
                    launched[id(op)].append(device_op)
        ops = [s for s in trace.slices if s.kind == OP]
        if not any("Input Dims" in s.args or "Input dims" in s.args or "In msg nelems" in s.args for s in ops):
            continue
        for op in ops:
            key = shape_key(op)
            rows[key][0] += 1
            if sum(d.duration for d in launched[id(op)]) and key not in {shape_key(a) for a in tables.ops_around(op)}:
                rows[key][1] += 1
            rows[key][4] = gemm(op)
    return {key: row for key, row in rows.items() if row[0]}


def wrong_op_shapes(inputs, session):
    wrong = []
    want = op_shapes(session)
    got = {}
    for row in tool.table(inputs, "op_shapes"):
        key = (row["name"], row["shapes"], row["types"])
        sums = got.setdefault(key, [0, 0, 0, 0, None])
        for i, column in enumerate(("count", "on_device", "device_total_ns", "device_self_ns")):
            sums[i] += row[column]
        if gemm_named(row["name"]):
            sums[4] = (row["flops"], row["bytes"]) if row["flops"] is not None else None
        if row["flops"] is not None and row["device_total_ns"]:
            rate = row["flops"] * row["on_device"] * 1e9 / row["device_total_ns"]
            if not math.isclose(rate, row["flops_per_s"], rel_tol=1e-12):
                wrong.append("op_shapes: flops_per_s of %s is not %s" % (row, rate))
    for key in sorted(set(want) | set(got), key=str):
        if want.get(key) != got.get(key):
            wrong.append("op_shapes: %s is %s, should be %s" % (key, got.get(key), want.get(key)))
    by_name = collections.Counter()
    for (name, _, _), row in got.items():
        by_name[name] += row[3]
    for row in tool.table(inputs, "ops") if got else []:
        if by_name[row["name"]] != row["device_self_ns"]:
            wrong.append("op_shapes: device_self_ns of %s does not add up to that of ops" % row["name"])
    return wrong[:10]


def gemm_named(name):
    return name in ("aten::mm", "aten::bmm", "aten::addmm")


# ---------------------------------------------------------------- mfu

# Ops of matrix units by their names, and classes of kernels that are none of such an op.
PRODUCT = re.compile("mm|matmul|linear|conv|attention|moe|einsum")
NO_PRODUCT = {"copy", "set", "layout", "elementwise", "random"}


def wrong_mfu(inputs, session):
    """Which ops count, and that their costs as op_shapes states them add up. Ops of one shape whose cost depends on more
    than that are not told apart here: a trace with such has no answer."""
    costs = {"flops": {}, "bytes": {}}
    for row in tool.table(inputs, "op_shapes"):
        for figure, known in costs.items():
            if row[figure] is not None:
                known.setdefault((row["name"], row["shapes"], row["types"]), set()).add(row[figure])
    classes = {compare.key_text(row["name"]): row["class"] for row in tool.table(inputs, "kernels")}
    rows = tool.table(inputs, "mfu")
    wrong = []
    for figure, known in costs.items():
        if any(len(values) > 1 for values in known.values()):
            continue
        want, known_ns, all_ns = 0, 0, 0
        for trace in session:
            counting, around_counting, innermost = {}, set(), []
            for device_op in trace.device_ops:
                all_ns += device_op.duration
                around = tables.ops_around(device_op.launch) if device_op.launch is not None else []
                costed = [op for op in around if shape_key(op) in known]
                if not costed:
                    continue
                innermost.append((id(costed[0]), device_op.duration))
                kernel_class = {MEMCPY: "copy", MEMSET: "set"}.get(device_op.kind) or classes.get(compare.key_text(device_op.name))
                if PRODUCT.search(costed[0].name) and kernel_class in NO_PRODUCT:
                    continue  # what only prepares a product is none
                counting[id(costed[0])] = costed[0]
                around_counting.update(id(op) for op in tables.ops_around(costed[0]))
            known_ns += sum(duration for op, duration in innermost if op in counting or op in around_counting)
            want += sum(next(iter(known[shape_key(op)])) for key, op in counting.items() if key not in around_counting)
        got = sum(row[figure] or 0 for row in rows)
        if not math.isclose(got, want, rel_tol=1e-9):
            wrong.append("mfu: %s are %s, should be %s" % (figure, got, want))
        share = [row[figure + "_known_pct"] for row in rows]
        if len(rows) == 1 and share[0] is not None and not math.isclose(share[0], 100 * known_ns / all_ns, rel_tol=1e-9):
            wrong.append("mfu: %s_known_pct is %s, should be %s" % (figure, share[0], 100 * known_ns / all_ns))
    steps = tool.table(inputs, "mfu", "--by", "step")
    if sum(row["flops"] or 0 for row in steps) > 1.000001 * sum(row["flops"] or 0 for row in rows):
        wrong.append("mfu: the iterations have more FLOPs than the devices")
    return wrong


# ---------------------------------------------------------------- overlap

def overlap(session, class_of_kernel):
    """By elementary intervals: where two lanes are active, both get the length."""
    rows = collections.Counter()
    for trace in session:
        for device, ops in by_device(trace).items():
            def lane(op):
                name = {MEMCPY: "copy", MEMSET: "set"}.get(op.kind) or class_of_kernel(op.name)
                return op.stream, name
            lanes = {key: bounds(of) for key, of in grouped(ops, lane).items()}
            for begin, end, active in active_parts(lanes):
                for one in active:
                    for other in active:
                        if one < other:
                            rows[trace.rank, device, frozenset((one, other))] += end - begin
    return {key: length for key, length in rows.items() if length}


def wrong_overlap(inputs, session):
    classes = {compare.key_text(row["name"]): row["class"] for row in tool.table(inputs, "kernels")}
    want = overlap(session, lambda n: classes.get(compare.key_text(n), "no such kernel"))
    got = {}
    wrong = []
    for row in tool.table(inputs, "overlap"):
        pair = frozenset(((row["stream"], row["class"]), (row["other_stream"], row["other_class"])))
        if (row["rank"], row["device"], pair) in got:
            wrong.append("overlap: a pair is there twice: %s" % row)
        got[row["rank"], row["device"], pair] = row["overlap_ns"]
        if row["overlap_ns"] > min(row["busy_ns"], row["other_busy_ns"]):
            wrong.append("overlap: more than one of the two was busy: %s" % row)
    for key in set(want) | set(got):
        if want.get(key) != got.get(key):
            wrong.append("overlap: %s is %s, should be %s" % (key, got.get(key), want.get(key)))
    return wrong[:10]


# ---------------------------------------------------------------- utilization, rank_activity

def times_between(parts, low, high):
    """By kind and in sum, what of [low, high) each takes; `parts`: (first, last, kinds that run)."""
    length = collections.Counter()
    for first, last, names in parts:
        inside = max(0, min(last, high) - max(first, low))
        for name in names:
            length[name] += inside
        if names:
            length["busy"] += inside
        if COMMUNICATION in names and COMPUTE not in names:
            length["exposed_comm"] += inside
        if names == {MEMORY}:
            length["exposed_memory"] += inside
    return length


def devices_over_time(session):
    """(rank, device, begin, end, parts) of each device."""
    for trace in session:
        for device, ops in by_device(trace).items():
            yield (trace.rank, device, min(op.start for op in ops), max(op.end for op in ops),
                   list(active_parts({k: bounds(v) for k, v in grouped(ops, book).items()})))


def utilization(session, buckets):
    zero, _ = profile_bounds(session)
    rows = {}
    for rank, device, begin, end, parts in devices_over_time(session):
        count = max(1, min(buckets, end - begin))
        for i in range(count):
            low, high = begin + (end - begin) * i // count, begin + (end - begin) * (i + 1) // count
            length = times_between(parts, low, high)
            rows[rank, device, i] = (
                low - zero, high - low, length["busy"], length[COMPUTE], length[COMMUNICATION], length[MEMORY],
                length["exposed_comm"], length["exposed_memory"], high - low - length["busy"])
    return rows


def rank_activity(session, most):
    """Buckets begin at multiples of a power of two, the least one with which no device has more than `most`."""
    zero, _ = profile_bounds(session)
    devices = list(devices_over_time(session))

    def multiples(begin, end, length):
        return range(begin // length, max(begin, end - 1) // length + 1)
    length = 1
    while any(len(multiples(begin, end, length)) > most for _, _, begin, end, _ in devices):
        length *= 2
    rows = {}
    for rank, device, begin, end, parts in devices:
        for i in multiples(begin, end, length):
            low, high = max(begin, i * length), min(end, (i + 1) * length)
            times = times_between(parts, low, high)
            rows[rank, device, low - zero] = (high - low, times[COMPUTE], times["exposed_comm"], times["exposed_memory"],
                                              high - low - times["busy"])
    return rows


COLUMNS = ("start_ns", "duration_ns", "busy_ns", "compute_ns", "comm_ns", "memory_ns", "exposed_comm_ns",
           "exposed_memory_ns", "idle_ns")


def wrong_utilization(inputs, session, buckets=13):
    want = utilization(session, buckets)
    got = {(row["rank"], row["device"], row["bucket"]): tuple(row[c] for c in COLUMNS)
           for row in tool.table(inputs, "utilization", "--buckets", str(buckets))}
    wrong = ["utilization: %s is %s, should be %s" % (key, got.get(key), want.get(key))
             for key in sorted(set(want) | set(got)) if want.get(key) != got.get(key)]
    whole = collections.Counter()
    for row in tool.table(inputs, "utilization"):
        for column in COLUMNS[2:]:
            whole[row["rank"], row["device"], column] += row[column]
    for row in tool.table(inputs, "gpu_time"):
        for column in COLUMNS[2:]:
            if whole[row["rank"], row["device"], column] != row[column]:
                wrong.append("utilization: %s does not add up to gpu_time: %s" % (column, row))
    return wrong[:10]


def wrong_rank_activity(inputs, session, most=13):
    want = rank_activity(session, most)
    columns = ("duration_ns", "compute_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns")
    got = {(row["rank"], row["device"], row["start_ns"]): tuple(row[c] for c in columns)
           for row in tool.table(inputs, "rank_activity", "--buckets", str(most))}
    return ["rank_activity: %s is %s, should be %s" % (key, got.get(key), want.get(key))
            for key in sorted(set(want) | set(got)) if want.get(key) != got.get(key)][:10]


# ---------------------------------------------------------------- occupancy

def wrong_occupancy(inputs, session):
    """Where PyTorch wrote its estimate, rounded to a percent, for all kernels of a name, ours is the same."""
    recorded = collections.defaultdict(list)
    for trace in session:
        models = {d.get("id"): d for d in trace.header.get("deviceProperties", [])}
        for op in trace.device_ops:
            if op.kind == kineto.KERNEL and models.get(op.device, {}).get("computeMajor"):
                percent = kineto.whole(op.args.get("est. achieved occupancy %"))
                recorded[compare.key_text(op.name)].append((percent, op.duration))
    wrong = []
    for row in tool.table(inputs, "occupancy"):
        of = recorded.get(compare.key_text(row["name"]), [])
        if not of or not all(percent for percent, _ in of) or row["count"] != len(of) or not row["total_ns"]:
            continue  # 0 is written for kernels with much shared memory
        mean = sum(percent * duration for percent, duration in of) / row["total_ns"]
        if row["occupancy_pct"] is None or abs(row["occupancy_pct"] - mean) > 1:
            wrong.append("occupancy: %s should be %s" % (row, mean))
    return wrong[:10]


def wrong(inputs, files):
    session = sorted((kineto.load(f) for f in files), key=lambda t: t.rank)
    return (wrong_op_shapes(inputs, session) + wrong_mfu(inputs, session) + wrong_overlap(inputs, session)
            + wrong_utilization(inputs, session) + wrong_rank_activity(inputs, session) + wrong_occupancy(inputs, session))
