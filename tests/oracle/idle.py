"""Why a device stood still (tables idle and idle_streams)."""
import collections
import re

from . import kineto, ranks
from .basis import active_parts, bounds, by_device, by_stream
from .kineto import CALLS, OVERHEAD, PYTHON

BLOCKING_COPIES = {
    vendor + call for vendor in ("cuda", "hip")
    for call in ("Memcpy", "Memcpy2D", "Memcpy3D", "MemcpyToSymbol", "MemcpyFromSymbol", "MemcpyPeer")
} | {"hipMemcpyWithStream", "hipMemcpyHtoD", "hipMemcpyDtoH", "hipMemcpyDtoD", "cuMemcpyHtoD", "cuMemcpyDtoH",
     "cuMemcpyDtoD", "cuMemcpy"}
ALLOCATES = re.compile(r"Malloc|MemAlloc|HostAlloc|HostRegister|MemCreate|MemMap|MemAddressReserve|Free")
LOADS_MODULE = re.compile(r"ModuleLoad|LibraryLoad|LinkCreate|LinkAdd|LinkComplete")
WAITING_FRAME = re.compile(r"synchronize$|^<built-in .*(synchronize>|synchronize of )")
LOCKS = {"pthread_mutex_lock", "pthread_cond_wait", "sem_wait"}


def cause_of(item):
    """The cause that a host slice names by its name, or None."""
    name = item.name
    if name.endswith("Synchronize") or (item.kind == PYTHON and WAITING_FRAME.search(name)):
        return "synchronization"
    if item.kind in CALLS:
        if name in BLOCKING_COPIES:
            return "blocking_copy"
        if ALLOCATES.search(name):
            return "allocation"
        if LOADS_MODULE.search(name):
            return "module_load"
        return None
    if "DataLoader" in name:
        return "data_loading"
    if "gc.collect" in name or name.startswith("gc:") or name == "Python GC":
        return "garbage_collection"
    if "acquire of _thread" in name or name in LOCKS:
        return "lock"
    return None


def gaps_of(items):
    """Maximal intervals between the first start and the last end in which nothing runs."""
    groups = {"ops": bounds(items), "span": [(min(i.start for i in items), max(i.end for i in items))]}
    gaps = []
    for begin, end, names in active_parts(groups):
        if "ops" not in names:
            gaps.append((begin, end))
    return gaps


def host_parts(begin, end, causes, overheads):
    """What a thread did in [begin, end): a counter by cause. causes: its slices that name one; brute force."""
    out = collections.Counter()
    if begin >= end:
        return out
    mine = [(s, c) for s, c in causes if s.start < end and s.end > begin]
    extra = [s for s in overheads if s.start < end and s.end > begin]
    cuts = sorted({begin, end} | {t for s in [s for s, _ in mine] + extra for t in (s.start, s.end) if begin < t < end})
    for left, right in zip(cuts, cuts[1:]):
        if any(s.start <= left and right <= s.end for s in extra):
            cause = "profiler_overhead"
        else:
            active = [(c != "lock", s.start, -s.end, s.order, c) for s, c in mine
                      if s.start <= left and right <= s.end]
            cause = max(active)[-1] if active else "host_code"
        out[cause] += right - left
    return out


def idle_of_gap(gap, waking, ended_before, causes, overheads):
    """ended_before: whether an op of the waking op's stream ended as the gap began."""
    begin, end = gap
    launch = waking.launch
    if launch is None:
        return collections.Counter(unknown=end - begin)
    own = causes.get((launch.process, launch.thread), [])
    out = host_parts(begin, min(launch.start, end), own, overheads)
    during = min(launch.end, end) - max(launch.start, begin)
    if during > 0:
        out["blocking_copy" if launch.name in BLOCKING_COPIES else "launch_overhead"] += during
    after = end - max(launch.end, begin)
    if after > 0:
        starting = after < 30_000 and (launch.end > begin or ended_before)
        out["launch_overhead" if starting else "dependency"] += after
    return out


def idle(session):
    rows = []
    waits = ranks.waits(session) if len(session) > 1 else {}
    for place, trace in enumerate(session):
        causes = {}
        for item in trace.slices:
            if item.kind in kineto.HOST_KINDS:
                cause = cause_of(item)
                if cause:
                    causes.setdefault((item.process, item.thread), []).append((item, cause))
        for item, start, end in waits.get(place, ()):
            wait = kineto.Slice(item.order + len(trace.slices), start, end, item.name, item.kind, item.category,
                                item.process, item.thread, item.args)
            causes.setdefault((item.process, item.thread), []).append((wait, "other_rank"))
        overheads = [s for s in trace.slices if s.kind == OVERHEAD]
        for device, items in by_device(trace).items():
            starting, ending = {}, set()
            for op in items:
                starting.setdefault(op.start, op)
                ending.add((op.stream, op.end))
            total, count, most = collections.Counter(), collections.Counter(), collections.Counter()
            for gap in gaps_of(items):
                waking = starting[gap[1]]
                parts = idle_of_gap(gap, waking, (waking.stream, gap[0]) in ending, causes, overheads)
                assert sum(parts.values()) == gap[1] - gap[0]
                for cause, length in parts.items():
                    total[cause] += length
                    count[cause] += 1
                    most[cause] = max(most[cause], length)
            whole = sum(total.values())
            rows += [{"rank": trace.rank, "device": device, "cause": cause, "count": count[cause],
                      "total_ns": total[cause], "max_ns": most[cause], "pct": 100 * total[cause] / whole}
                     for cause in total]
    return rows


KERNEL_WAIT_BELOW = 30000


def idle_streams(session):
    rows = []
    for trace in session:
        for (device, stream), items in by_stream(trace).items():
            parts = {}
            latest = None
            for op in sorted(items, key=lambda o: (o.start, o.order)):
                if latest is not None and op.start > latest:
                    gap = op.start - latest
                    if op.launch is not None and op.launch.start > latest:
                        category = "host_wait"
                    else:
                        category = "kernel_wait" if gap < KERNEL_WAIT_BELOW else "other"
                    parts.setdefault(category, []).append(gap)
                latest = op.end if latest is None else max(latest, op.end)
            whole = sum(map(sum, parts.values()))
            rows += [{"rank": trace.rank, "device": device, "stream": stream, "category": category,
                      "count": len(gaps), "total_ns": sum(gaps), "pct": 100 * sum(gaps) / whole}
                     for category, gaps in parts.items()]
    return rows
