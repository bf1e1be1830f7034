"""Why a device was idle (tables idle and idle_streams)."""
import bisect
import collections
import re

from . import awaited, kineto, ranks
from .basis import active_parts, bounds, by_device, by_stream, union_length
from .kineto import CALLS, OVERHEAD, PYTHON

BLOCKING_COPIES = {
    vendor + call for vendor in ("cuda", "hip")
    for call in ("Memcpy", "Memcpy2D", "Memcpy3D", "MemcpyToSymbol", "MemcpyFromSymbol", "MemcpyPeer")
} | {"hipMemcpyWithStream", "hipMemcpyHtoD", "hipMemcpyDtoH", "hipMemcpyDtoD", "cuMemcpyHtoD", "cuMemcpyDtoH",
     "cuMemcpyDtoD", "cuMemcpy"}
ALLOCATES = re.compile(r"Malloc|MemAlloc|HostAlloc|HostRegister|HostUnregister|MemCreate|MemMap|MemAddressReserve|Free")
LOADS_MODULE = re.compile(r"Module(Load|Unload)|Library(Load|Unload)|LinkCreate|LinkAdd|LinkComplete")
WAITING_FRAME = re.compile(r"synchronize$|^<built-in .*(synchronize>|synchronize of )")
LOCKS = {"pthread_mutex_lock", "pthread_cond_wait", "sem_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
         "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "sem_timedwait", "sem_clockwait", "futex"}
COMPILER = re.compile(r"\(dynamo_timed\)$|aclopCompile|nvrtcCompile|NVRTC|Nvrtc|compileFusion|compileKernel|::Compile"
                      r"|XlaCompile|backend_compile|::compile(?!d)")
FRAME = re.compile(r"^(.*?)\([^(]*?\): (.*)$", re.S)
ONLY_COMPILES = re.compile(r"torch/_dynamo/(convert_frame|symbolic_convert|output_graph)\.py"
                           r"|triton/compiler/code_generator\.py")
PYTHON_IO = re.compile(r"^<built-in function (open|read|readinto|write|poll|select)>$|^<built-in method .* of "
                       r"(_io\.|socket object|_socket\.socket object|select\.|zmq\.)"
                       r"|^<method '.* of '(_io\.|_socket\.socket'|select\.|zmq\.)")
PYTHON_LOCK = re.compile(r"acquire of _thread|^<method 'acquire' of '_thread\.|^<built-in method get of _queue\.SimpleQueue"
                         r"|^<method 'get' of '_queue\.SimpleQueue")
DRIVER_WORK = {"Lazy Function Loading": "module_load", "Runtime Triggered Module Loading": "module_load",
               "Driver Compiler": "compilation", "Driver JIT compiler": "compilation"}
WAYS_OF_WAITING = ("lock", "io")
NO_WAY_OF_WAITING = " by what it did"  # behind a cause that gives way to no other


def compiles(name):
    if COMPILER.search(name):
        return True
    frame = FRAME.match(name)
    if not frame:
        return False
    file, function = frame.groups()
    if ONLY_COMPILES.search(file):
        return True
    return ("torch/_inductor/" in file or "triton/" in file) and (
        function in ("do_bench", "_bench")
        or (re.search("compile|autotune|benchmark", function) is not None and "is_compil" not in function))


def takes_requests(name):
    frame = FRAME.match(name)
    if not frame:
        return False
    file, function = frame.groups()
    return (function in ("_process_input_queue", "_fetch_new_requests")
            or (function == "maybe_sleep" and "sglang/" in file)
            or (function == "serve_forever" and "socketserver.py" in file)
            or (function == "_run_once" and "asyncio/base_events.py" in file)
            or (function == "_serve" and "grpc/_server.py" in file))


def cause_of(item):
    """The cause that a host slice names by its name, or None."""
    name = item.name
    if name.endswith("Synchronize") or (item.kind == PYTHON and WAITING_FRAME.search(name)):
        return "synchronization"
    if item.kind in CALLS:
        if name in BLOCKING_COPIES:
            return "blocking_copy"
        if compiles(name):
            return "compilation"
        if LOADS_MODULE.search(name):
            return "module_load"
        if ALLOCATES.search(name):
            return "allocation"
        return None
    if "DataLoader" in name:
        return "data_loading"
    if "gc.collect" in name or name.startswith("gc:") or name == "Python GC":
        return "garbage_collection"
    if PYTHON_LOCK.search(name) or name in LOCKS:
        return "lock"
    if PYTHON_IO.search(name) and "StringIO" not in name and "BytesIO" not in name:
        return "io"
    if takes_requests(name):
        return "no_work"
    if compiles(name):
        return "compilation"
    if "triton/compiler/" in name and name.endswith(": _init_handles"):
        return "module_load"
    return None


# ---------------------------------------------------------------- calls by what they did

SHORTEST = 50_000


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def unusual_calls(trace):
    """{call: cause} of the calls that name none."""
    calls = [c for c in trace.calls() if cause_of(c) is None]
    causes = {}
    durations = collections.defaultdict(list)
    for call in calls:
        durations[call.name].append(call.duration)
    usual = {name: lower_median(values) for name, values in durations.items()}
    long_ones = {name: sum(d >= 100 * usual[name] for d in values) for name, values in durations.items()}
    overhead = [s for s in trace.slices if s.kind == OVERHEAD and s.name not in DRIVER_WORK]
    children = collections.defaultdict(list)
    for item in trace.slices:
        if item.parent is not None:
            children[item.parent].append(item)
    launched = collections.defaultdict(list)
    first_of_kernel, first_of_name = {}, {}
    for op in sorted(trace.device_ops, key=lambda o: (o.launch.start, o.launch.order) if o.launch else (0, 0)):
        if op.launch is not None:
            launched[op.launch].append(op)
            if op.kind in (kineto.KERNEL, kineto.COLLECTIVE):
                first_of_kernel.setdefault((op.launch.process, op.name), op.launch)
    for call in sorted(calls, key=lambda c: (c.start, c.order)):
        first_of_name.setdefault((call.process, call.name), call)

    def explained(call):
        for child in children[call]:
            if child.kind not in CALLS or cause_of(child) is not None or explained(child):
                return True
        return False

    for call in calls:
        ops = launched[call]
        if any("Pageable" in op.name and op.kind == kineto.MEMCPY and op.start < call.end for op in ops):
            causes[call] = "blocking_copy"
            continue
        if call.duration < SHORTEST:
            continue
        own = call.duration - union_length([(max(s.start, call.start), min(s.end, call.end)) for s in overhead
                                            if s.start < call.end and s.end > call.start])
        if own < SHORTEST:
            continue
        if (own >= 10 * min(usual[call.name], 100_000) and "Graph" not in call.name
                and any(first_of_kernel.get((call.process, op.name)) is call for op in ops)):
            causes[call] = "module_load"
        elif (own >= 100 * usual[call.name] and 20 * long_ones[call.name] <= len(durations[call.name])
              and first_of_name[call.process, call.name] is not call
              and not any(op.kind == kineto.MEMCPY for op in ops) and not explained(call)):
            causes[call] = "not_scheduled"
    return causes


def stopped_ops(trace):
    """(op, start, end) of the times in which a framework op that launches stood still."""
    ops = [s for s in trace.slices if s.kind == kineto.OP and cause_of(s) is None]
    durations = collections.defaultdict(list)
    for op in ops:
        durations[op.name].append(op.duration)
    first = {}
    for op in sorted(ops, key=lambda o: (o.start, o.order)):
        first.setdefault((op.process, op.name), op)
    launching = set()
    for device_op in trace.device_ops:
        above = device_op.launch
        while above is not None:
            launching.add(above)
            above = above.parent
    inside = collections.defaultdict(list)
    for item in trace.slices:
        if item.parent is not None:
            inside[item.parent].append((item.start, item.end))
    for op in ops:
        if op.duration < 500_000 or op not in launching or first[op.process, op.name] is op:
            continue
        if re.search(r"c10d|record_param_comms|^(gloo|mpi|nccl|ucc):|^MPI_", op.name):
            continue
        usual = lower_median(durations[op.name])
        if 20 * sum(d >= 100 * usual for d in durations[op.name]) > len(durations[op.name]):
            continue
        now = op.start
        for start, end in sorted(inside[op]) + [(op.end, op.end)]:
            if start - now >= max(500_000, 100 * usual):
                yield op, now, start
            now = max(now, end)


def driver_lock_waits(trace):
    """(call, start, end) of the times in which launch calls waited for those of other threads."""
    launching = {op.launch for op in trace.device_ops if op.launch is not None}
    calls = [c for c in trace.calls() if c in launching and cause_of(c) is None]
    overlapping = set()
    for process in {c.process for c in calls}:
        own = sorted((c for c in calls if c.process == process), key=lambda c: (c.start, c.order))
        for thread in {c.thread for c in own}:
            others = [c for c in own if c.thread != thread]
            starts = [c.start for c in others]
            ends = sorted(c.end for c in others)
            for call in own:
                if call.thread == thread:  # those that have begun before its end, less those that had ended at its begin
                    began = bisect.bisect_left(starts, max(call.end, call.start + 1))
                    if began > bisect.bisect_right(ends, call.start):
                        overlapping.add(call)
    groups = collections.defaultdict(list)
    for call in calls:
        groups[call.process, call.name, call.thread if call in overlapping else None].append(call)
    usual = {key[:2]: lower_median([c.duration for c in group]) for key, group in groups.items()
             if key[2] is None and len(group) >= 20}
    contended = {key for key, group in groups.items() if key[2] is not None and len(group) >= 20 and key[:2] in usual
                 and lower_median([c.duration for c in group]) >= 3 * usual[key[:2]]}
    for process in {key[0] for key in contended}:
        names = {key[1] for key in contended if key[0] == process}
        if len({key[2] for key in contended if key[0] == process}) < 2:
            continue
        for call in overlapping:
            if call.process == process and call.name in names and call.duration >= 2 * usual[process, call.name]:
                yield call, call.start, call.end - usual[process, call.name]


def without(begin, end, taken):
    """What of a time no item of `taken` covers."""
    left = []
    for start, stop in sorted((t.start, t.end) for t in taken if t.start < end and t.end > begin):
        if begin < start:
            left.append((begin, start))
        begin = max(begin, stop)
    return left + ([(begin, end)] if begin < end else [])


def load_waits(trace):
    """(call, start, end) of the times in which calls waited while another thread of their process loaded code."""
    long_calls = [c for c in trace.calls() if c.duration >= SHORTEST]
    loads = [c for c in long_calls if cause_of(c) == "module_load"]
    for call in long_calls if loads else ():
        if cause_of(call) == "module_load":
            continue
        for load in loads:
            if load.process != call.process or load.thread == call.thread or not call.start < load.end <= call.end or load.start >= call.end:
                continue
            after = sum(end - start for start, end in without(load.end, call.end, trace.device_ops))
            idle = without(max(call.start, load.start), load.end, trace.device_ops)
            if after <= 100_000 and sum(end - start for start, end in idle) >= SHORTEST:
                yield from ((call, start, end) for start, end in idle)


ASKS = re.compile("EventQuery|StreamQuery|QueryEvent")
SLEEPS = {"sleep", "usleep", "nanosleep", "clock_nanosleep", "<built-in function sleep>"}


def polls(trace):
    """(first call, start, end) of the times in which threads poll and nothing else happens."""
    threads = collections.defaultdict(list)
    for item in trace.slices:
        if item.kind in kineto.HOST_KINDS:
            threads[item.process, item.thread].append(item)

    def asks(item):
        return ASKS.search(item.name) or item.name in SLEEPS
    for items in threads.values():
        if sum(1 for item in items if asks(item)) < 8:
            continue
        rows, until = [[]], None  # of asking in a row; when the last one ended
        for item in sorted(items, key=place):
            if rows[-1] and item.start < until:
                continue
            if asks(item):
                if rows[-1] and item.start - until > 1_000_000:
                    rows.append([])
                rows[-1].append(item)
                until = item.end
            elif item.kind in CALLS and rows[-1]:
                rows.append([])
        for row in rows:
            if len(row) < 8:
                continue
            work = [i for i in items if any(a.end <= i.start and i.end <= b.start for a, b in zip(row, row[1:]))
                    and row[0].start <= i.start and i.end <= row[-1].end]
            idle = without(row[0].start, row[-1].end, work + list(trace.device_ops))
            if sum(end - start for start, end in idle) >= 1_000_000:
                yield from ((row[0], start, end) for start, end in idle)


# ---------------------------------------------------------------- the edges of the profile

STARTS_WITHIN = 30_000


def empties_a_queue(call):
    """Whether a call returns when a stream or a device has done all that it has."""
    if not call.endswith("Synchronize") and not call.startswith("AscendCL@aclrtSynchronize"):
        return False
    return re.search("Event|Fence", call) is None and re.search("Stream|Queue|Device|Ctx|Context|Thread", call) is not None


class Edges:
    """Until when each stream was at work from before the recording, and when something of the host is recorded."""

    def __init__(self, trace):
        host = [s for s in trace.slices if s.kind in kineto.HOST_KINDS]
        self.recorded = (min(s.start for s in host), max(s.end for s in host)) if host else None
        emptied = collections.defaultdict(list)
        for call in trace.calls():
            if empties_a_queue(call.name):
                emptied[call.process].append(call.end)
        for process in {call.process for call in trace.calls()}:  # the first one creates the context, where it takes long
            first = min((call for call in trace.calls() if call.process == process), key=lambda c: (c.start, c.order))
            if first.end - first.start >= 10_000_000 and cause_of(first) not in ("synchronization", "blocking_copy"):
                emptied[process].append(first.end)
        streams = collections.defaultdict(list)
        for op in sorted(trace.device_ops, key=lambda o: (o.start, o.order)):
            streams[op.process, op.thread].append(op)
        self.until = {}
        for stream, ops in streams.items():
            first = ops[0]
            if (first.launch is not None and first.start - first.launch.end >= STARTS_WITHIN
                    and all(first.launch.end < end for end in emptied[first.launch.process])
                    and not any(op.device == first.device and op.start < first.start and op.end > first.launch.end
                                for op in trace.device_ops)):
                self.until[stream] = first.start

    def hold(self, begin, end, op):
        stream = op.process, op.thread
        if stream in self.until and end <= self.until[stream]:
            return True
        return op.launch is None and self.recorded is not None and (end <= self.recorded[0] or begin >= self.recorded[1])


AT_THE_EDGE = "profile_edge", "(outside of the recording)"


# ---------------------------------------------------------------- the parts of gaps

def gaps_of(items):
    """Maximal intervals between the first start and the last end in which nothing runs."""
    groups = {"ops": bounds(items), "span": [(min(i.start for i in items), max(i.end for i in items))]}
    gaps = []
    for begin, end, names in active_parts(groups):
        if "ops" not in names:
            gaps.append((begin, end))
    return gaps


def place(item):
    return item.start, -item.end, item.order


SENDS = {"Send", "Ssend", "Rsend", "Sendrecv", "Sendrecv_replace"}
PASSES = SENDS | {"Isend", "Issend", "Irsend", "Ibsend", "Bsend", "Start", "Startall", "Isendrecv", "Isendrecv_replace", "Irecv",
                  "Imrecv", "Wait", "Waitall", "Waitany", "Waitsome", "Recv", "Mrecv", "Probe", "Mprobe"}
AWAITS = SENDS | {"Wait", "Waitall", "Waitany", "Waitsome", "Recv", "Mrecv", "Probe", "Mprobe"}


def message_waits(trace):
    """[(call, from, to)]: calls wait for messages of other ranks for as long as they take longer than a message does."""
    def is_one(item, names):
        found = re.match(r"P?MPI_(\w+)$", item.name)
        return found is not None and found.group(1) in names
    calls = collections.defaultdict(list)
    for item in trace.slices:
        if item.kind in kineto.HOST_KINDS and item.duration and is_one(item, AWAITS):
            if item.parent is None or not is_one(item.parent, PASSES):
                calls[item.process, item.thread, item.name].append(item)
    for items in calls.values():
        own = sorted(item.duration for item in items)[len(items) // 20]
        for item in items:
            if item.duration > own:
                yield item, item.start, item.end - own


class Near:
    """Items by when they are: to look at those around a time only, not at all."""
    MOST = 50  # cells of one item; longer ones are always looked at

    def __init__(self, items, time_of=lambda item: item):
        self.time_of, self.cells, self.long = time_of, collections.defaultdict(list), []
        times = [(time_of(i).start, time_of(i).end) for i in items]
        span = max((end for _, end in times), default=0) - min((start for start, _ in times), default=0)
        self.width = max(1, span // (len(times) + 1))
        for item, (start, end) in zip(items, times):
            if end - start > self.MOST * self.width:
                self.long.append(item)
            else:
                for cell in range(start // self.width, end // self.width + 1):
                    self.cells[cell].append(item)

    def overlapping(self, begin, end):
        found = list(self.long)
        first, last = begin // self.width, end // self.width
        for cell in range(first, last + 1) if last - first < len(self.cells) else self.cells:
            for item in self.cells.get(cell, ()):
                if first <= cell <= last and cell == max(first, self.time_of(item).start // self.width):  # once
                    found.append(item)
        return [i for i in found if self.time_of(i).start < end and self.time_of(i).end > begin]


class Host:
    """What the host threads of a trace did. Brute force, but for looking only at what is near."""

    def __init__(self, trace, waits):
        self.causes = collections.defaultdict(list)  # (slice or wait, cause, its slice), by thread
        self.slices = collections.defaultdict(list)
        unusual = unusual_calls(trace)
        for item in trace.slices:
            if item.kind in kineto.HOST_KINDS:
                thread = item.process, item.thread
                self.slices[thread].append(item)
                cause = cause_of(item) or unusual.get(item)
                if cause:
                    self.causes[thread].append((item, cause, item))
        for cause, times in (("other_rank", waits), ("not_scheduled", stopped_ops(trace)), ("lock", driver_lock_waits(trace)),
                             ("module_load", load_waits(trace)), ("poll", polls(trace))):
            for item, start, end in times:
                behind = len(trace.slices) if cause == "other_rank" else 0
                time = kineto.Slice(item.order + behind, start, end, item.name, item.kind, item.category, item.process,
                                    item.thread, item.args)
                own = cause if cause == "poll" else cause + NO_WAY_OF_WAITING
                self.causes[item.process, item.thread].append((time, own, item))
        for item, start, end in message_waits(trace):
            time = kineto.Slice(item.order, start, end, item.name, item.kind, item.category, item.process, item.thread, item.args)
            self.causes[item.process, item.thread].append((time, "message", item))
        self.edges = Edges(trace)
        self.profiler, self.driver = [], []
        for item in trace.slices:
            if item.kind in (OVERHEAD, kineto.OTHER) and item.name in DRIVER_WORK:
                self.driver.append(item)
            elif item.kind == OVERHEAD:
                self.profiler.append(item)
        self.has_calls = any(True for _ in trace.calls())
        self.near = {thread: (Near(self.causes[thread], lambda cause: cause[0]), Near(items))
                     for thread, items in self.slices.items()}
        self.near_all = Near(self.profiler), Near(self.driver)
        self.begun = {thread: sorted((s for s in items if not awaited.is_mark(s.name)), key=place)
                      for thread, items in self.slices.items()}
        self.starts = {thread: [s.start for s in items] for thread, items in self.begun.items()}
        self.awaited = awaited.AwaitedThreads(self)

    def around(self, thread, begin, end):
        """What can have to do with a time: causes, slices, overheads, driver's work."""
        return [near.overlapping(begin, end) for near in self.near[thread] + self.near_all]

    @staticmethod
    def cause_at(left, right, near):
        """(cause, slice that stands for it) of a time in which nothing begins or ends."""
        causes, _, profiler, driver = near

        def covers(item):
            return item.start <= left and right <= item.end
        for items in (profiler, driver):
            found = [s for s in items if covers(s)]
            if found:
                innermost = max(found, key=place)
                return DRIVER_WORK.get(innermost.name, "profiler_overhead"), innermost
        active = [c for c in causes if covers(c[0])]
        messages = [c for c in active if c[1] == "message"]
        if messages:
            return "other_rank", max(messages, key=lambda c: place(c[0]))[2]
        strong = [c for c in active if c[1] not in (*WAYS_OF_WAITING, "no_work", "poll")]
        if strong:
            _, cause, item = max(strong, key=lambda c: place(c[0]))
            return cause.removesuffix(NO_WAY_OF_WAITING), item
        ways = [c for c in active if c[1] in (*WAYS_OF_WAITING, "poll")]
        if ways:
            _, cause, item = max(ways, key=lambda c: place(c[0]))
            return ("no_work" if cause == "poll" or any(c[1] == "no_work" for c in active) else cause), item
        return None, None

    def culprit_at(self, left, right, cause, item, near, thread):
        if item is not None and cause != "data_loading":
            return folded(item.name)
        active = [s for s in near[1] if s.start <= left and right <= s.end]
        innermost = max(active, key=place, default=None)
        if innermost is not None and not awaited.is_mark(innermost.name):
            return folded(innermost.name)
        later = self.begun[thread][bisect.bisect_right(self.starts[thread], left)]
        return "(nothing recorded before %s)" % folded(later.name)


def folded(name):
    name = re.sub(r"(, seq = |, op_id = ).*$", "", name, flags=re.S)
    name = re.sub(r" at 0x[0-9a-fA-F]*", "", name)
    return re.sub(r"(?<= )[0-9]+(?= |$)", "N", name)


def parts_of_gap(gap, waking, ended_before, host):
    """((cause, culprit), length) of the parts. ended_before: whether an op of the waking op's stream ended as the gap
    began."""
    begin, end = gap
    launch = waking.launch
    if launch is None:
        unknown = "unknown", "(launch not recorded)" if host.has_calls else "(no calls recorded)"
        yield (AT_THE_EDGE if host.edges.hold(begin, end, waking) else unknown), end - begin
        return
    thread = launch.process, launch.thread
    called, returned = [min(max(t, begin), end) for t in (launch.start, launch.end)]
    if begin < returned:
        near = host.around(thread, begin, returned)
        others = host.awaited.within(thread, begin, returned)
        near_others = {other: host.around(other, begin, returned) for other in others}
        bounds_ = [t for each in (near, *near_others.values()) for items in each for s in items for t in
                   ((s[0].start, s[0].end) if isinstance(s, tuple) else (s.start, s.end))]
        cuts = sorted({begin, called, returned} | {t for t in bounds_ if begin < t < returned})
        for left, right in zip(cuts, cuts[1:]):
            other = host.awaited.at(thread, left, right) if others else None
            if other is not None:
                cause, culprit, item = host.awaited.part(other, left, right, near_others[other])
                if left >= called and not (item is not None and place(item) >= place(launch)):
                    cause, culprit = "launch_overhead", folded(launch.name)
                yield (cause, culprit), right - left
                continue
            cause, item = host.cause_at(left, right, near)
            if left >= called:
                inside = item is not None and (item.kind not in kineto.HOST_KINDS or place(item) >= place(launch))
                if not inside:
                    cause, item = "launch_overhead", launch
            yield ((cause or "host_code", host.culprit_at(left, right, cause, item, near, thread)), right - left)
    after = end - returned
    if after > 0:
        starting = after < STARTS_WITHIN and (launch.end > begin or ended_before)
        waiting = AT_THE_EDGE if host.edges.hold(returned, end, waking) else ("dependency", None)
        yield (("launch_overhead", folded(launch.name)) if starting else waiting), after


def parts_by_gap(session):
    """(rank, device, {(cause, culprit): length}) of each gap."""
    waits = ranks.waits(session) if len(session) > 1 else {}
    for number, trace in enumerate(session):
        host = Host(trace, waits.get(number, ()))
        for device, items in by_device(trace).items():
            starting, ending = {}, set()
            for op in items:
                starting.setdefault(op.start, op)
                ending.add((op.stream, op.end))
            for gap in gaps_of(items):
                waking = starting[gap[1]]
                parts = collections.Counter()
                for key, length in parts_of_gap(gap, waking, (waking.stream, gap[0]) in ending, host):
                    parts[key] += length
                assert sum(parts.values()) == gap[1] - gap[0]
                yield trace.rank, device, parts


def rows_of_parts(gaps, columns):
    """One row a key, with the statistics of `idle`. gaps: (rank, device, {key: length})."""
    rows, whole = {}, collections.Counter()
    for rank, device, parts in gaps:
        for key, length in parts.items():
            if length == 0:
                continue
            row = rows.setdefault((rank, device, key), [0, 0, 0])
            row[:] = row[0] + 1, row[1] + length, max(row[2], length)
            whole[rank, device] += length
    return [{"rank": rank, "device": device, **dict(zip(columns, key)), "count": count, "total_ns": total,
             "max_ns": most, "pct": 100 * total / whole[rank, device]}
            for (rank, device, key), (count, total, most) in rows.items()]


def idle(session):
    gaps = []
    for rank, device, parts in parts_by_gap(session):
        causes = collections.Counter()
        for (cause, _), length in parts.items():
            causes[cause,] += length
        gaps.append((rank, device, causes))
    return rows_of_parts(gaps, ("cause",))


def idle_hosts(session):
    """What queued ops waited for is left out."""
    rows = rows_of_parts(parts_by_gap(session), ("cause", "culprit"))
    return [row for row in rows if row["cause"] != "dependency"]


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
