"""What several tables are made of: the books of device ops, and intervals cut into elementary ones."""
import collections
import re

from .kineto import COLLECTIVE, KERNEL, MEMCPY, MEMSET

COMPUTE, COMMUNICATION, MEMORY = "compute", "communication", "memory"

# The dictionary is not judged here; these few expressions say which kernels communicate, copy and set.
COMMUNICATES = re.compile(
    r"nccl|rccl|cross_device_reduce|all_?reduce|reduce_?scatter|all_?gather|deep_?ep|moe.?all.?to.?all|all_?to_?all"
    r"|nvshmem|lamport|qr_all_reduce|quick_?reduce", re.I)
COPIES = re.compile(r"^__amd_rocclr_copy", re.I)
SETS = re.compile(r"^__amd_rocclr_fill", re.I)


def copies(op):
    return op.kind == MEMCPY or (op.kind == KERNEL and COPIES.search(op.name) is not None)


def sets(op):
    return op.kind == MEMSET or (op.kind == KERNEL and SETS.search(op.name) is not None)


def book(op):
    """Which part of the books a device op belongs to."""
    if copies(op) or sets(op):
        return MEMORY
    if op.kind == COLLECTIVE or COMMUNICATES.search(op.name):
        return COMMUNICATION
    return COMPUTE


# ---------------------------------------------------------------- intervals

def active_parts(groups):
    """Elementary intervals over named groups of slices: yields (begin, end, names active there)."""
    points = collections.defaultdict(collections.Counter)
    for name, items in groups.items():
        for begin, end in items:
            if begin < end:
                points[begin][name] += 1
                points[end][name] -= 1
    active = collections.Counter()
    order = sorted(points)
    for point, following in zip(order, order[1:]):
        active.update(points[point])
        yield point, following, frozenset(n for n, count in active.items() if count > 0)


def union_length(items):
    return sum(end - begin for begin, end, names in active_parts({"all": items}) if names)


def bounds(items):
    return [(i.start, i.end) for i in items]


def grouped(items, key):
    out = {}
    for item in items:
        out.setdefault(key(item), []).append(item)
    return out


def by_device(trace):
    return grouped(trace.device_ops, lambda op: op.device)


def by_stream(trace):
    return grouped(trace.device_ops, lambda op: (op.device, op.stream))


def profile_bounds(session):
    """(first start, last end) of what was recorded; the profiler's own span is not."""
    items = [s for trace in session for s in trace.slices if s.category != "Trace"]
    return min((s.start for s in items), default=0), max((s.end for s in items), default=0)
