"""Loads a PyTorch (Kineto) trace into plain lists: the slow, obvious way that the fast reader is held against.

Python standard library only. Times are exact: every `ts` and `dur` is taken from the text of the number, never through
a float. Sums, sorting and nesting are done naively here and in tables.py; nothing is shared with the C++ sources.
"""
import decimal
import gzip
import json
import os
import random
import re
import subprocess
import tarfile

# Kinds of slices (docs/definitions.md).
OP, ANNOTATION, PYTHON, RUNTIME, DRIVER = "op", "annotation", "python", "runtime", "driver"
KERNEL, MEMCPY, MEMSET, COLLECTIVE = "kernel", "memcpy", "memset", "collective"
OVERHEAD, OTHER = "overhead", "other"

DEVICE_KINDS = {KERNEL, MEMCPY, MEMSET, COLLECTIVE}
CALLS = {RUNTIME, DRIVER}
HOST_KINDS = {OP, ANNOTATION, PYTHON, RUNTIME, DRIVER}

KIND_OF_CATEGORY = {
    "cpu_op": OP, "operator": OP,
    "user_annotation": ANNOTATION,
    "python_function": PYTHON,
    "cuda_runtime": RUNTIME, "runtime": RUNTIME, "mtia_runtime": RUNTIME, "xpu_runtime": RUNTIME,
    "privateuse1_runtime": RUNTIME, "glow_runtime": RUNTIME,
    "cuda_driver": DRIVER, "xpu_driver": DRIVER, "privateuse1_driver": DRIVER,
    "kernel": KERNEL, "mtia_ccp_events": KERNEL,
    "gpu_memcpy": MEMCPY, "memcpy": MEMCPY,
    "gpu_memset": MEMSET, "memset": MEMSET,
    "collective_comm": COLLECTIVE,
    "overhead": OVERHEAD,
}
# Rows that the profiler of 2021 wrote among the operators.
RANGES_OF_2021 = ("enumerate(DataLoader)", "Optimizer.", "ProfilerStep#")
NO_WORK = {"<gpu sync>", "<no activity>"}

EXACT = decimal.Context(prec=60, rounding=decimal.ROUND_HALF_EVEN)


class NumberText(str):
    """A JSON number with a fraction or an exponent, as it was in the file."""


class Slice:
    """One duration event. `order` is its place in the file."""
    __slots__ = ("order", "start", "end", "name", "kind", "category", "process", "thread", "args", "correlation",
                 "parent", "launch", "device", "stream")

    def __init__(self, order, start, end, name, kind, category, process, thread, args):
        self.order, self.start, self.end, self.name, self.kind = order, start, end, name, kind
        self.category, self.process, self.thread, self.args = category, process, thread, args
        self.correlation = self.parent = self.launch = self.device = self.stream = None

    @property
    def duration(self):
        return self.end - self.start

    def __repr__(self):
        return "<%s %r [%d, %d) %s/%s>" % (self.kind, self.name[:60], self.start, self.end, self.process, self.thread)


class Trace:
    """What one file (one rank) says."""

    def __init__(self):
        self.file = ""
        self.rank = 0
        self.header = {}
        self.slices = []
        self.device_ops = []
        self.memory = []    # args of the allocator's events
        self.counts = {}    # events, slices, instants, counters, memory_events, flows, metadata_events

    def calls(self):
        return [s for s in self.slices if s.kind in CALLS]


def read_text(path):
    with open(path, "rb") as handle:
        content = handle.read()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    return content.decode("utf-8", "replace")


def parse(text):
    return json.loads(text, strict=False, parse_float=NumberText, parse_constant=NumberText)


def exact(value):
    """The number as Decimal; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        number = decimal.Decimal(value)
    except decimal.InvalidOperation:
        return None
    return number if number.is_finite() else None


def nanoseconds(microseconds):
    """Microseconds as Decimal to whole ns, half to even."""
    return int((EXACT.multiply(microseconds, decimal.Decimal(1000))).to_integral_value(decimal.ROUND_HALF_EVEN, EXACT))


def whole(value):
    number = exact(value)
    return int(number) if number is not None and number == number.to_integral_value() else None


def trailing_number(text):
    """The last number of "stream 7", "GPU 3"; None where there is none."""
    found = re.findall(r"-?\d+", str(text))
    return int(found[-1]) if found else None


def rank_of(header, path):
    info = header.get("distributedInfo")
    rank = whole(info.get("rank")) if isinstance(info, dict) else None
    if rank is not None:
        return rank
    found = re.search(r"(?:^|[^a-zA-Z])rank[-_]?(\d+)", os.path.basename(path))
    return int(found.group(1)) if found else 0


def kind_of(category, name):
    kind = KIND_OF_CATEGORY.get(category.lower(), OTHER)
    if category == "Operator" and name.startswith(RANGES_OF_2021):
        return ANNOTATION
    if category == "mtia_ccp_events" and name.startswith("dma"):
        return MEMCPY
    if kind in DEVICE_KINDS and name.lower() in NO_WORK:
        return OTHER
    return kind


_DEMANGLED = {}


def demangle(names):
    """Fills the cache for names that begin with _Z; without c++filt they stay as they are."""
    todo = sorted({n for n in names if n.startswith("_Z") and n not in _DEMANGLED})
    if not todo:
        return
    try:
        done = subprocess.run(["c++filt"], input="\n".join(todo), stdout=subprocess.PIPE, universal_newlines=True,
                              check=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        done = todo
    _DEMANGLED.update(zip(todo, done))


def demangled(name):
    if name.startswith("_Z"):
        demangle([name])
    return _DEMANGLED.get(name, name)


def kernel_name(name):
    name = demangled(name)
    return name.replace("<unnamed>", "(anonymous namespace)").replace("{anonymous}", "(anonymous namespace)")


def api_name(name):
    return re.sub(r"(_v\d+)?(_ptsz|_ptds)?$", "", name)


def load(path, document=None):
    """Reads a trace; `document` may be given where it has been parsed already."""
    if document is None:
        document = parse(read_text(path))
    trace = Trace()
    trace.file = path
    if isinstance(document, list):
        events = document
    else:
        events = document["traceEvents"]
        trace.header = {k: v for k, v in document.items() if k != "traceEvents"}
    trace.rank = rank_of(trace.header, path)
    base = whole(trace.header.get("baseTimeNanoseconds")) or 0
    counts = dict.fromkeys(("slices", "instants", "counters", "memory_events", "flows", "metadata_events",
                            "skipped_events"), 0)
    counts["events"] = len(events)
    for order, event in enumerate(events):
        phase = event.get("ph")
        name = event.get("name", "")
        if phase == "X":
            start = exact(event.get("ts"))
            if start is None:
                counts["skipped_events"] += 1
                continue
            counts["slices"] += 1
            length = exact(event.get("dur", 0)) or decimal.Decimal(0)
            first = nanoseconds(start)
            last = max(first, nanoseconds(EXACT.add(start, length)))
            category = event.get("cat") or ""
            args = event.get("args") or {}
            item = Slice(order, base + first, base + last, name, kind_of(category, name), category,
                         str(event.get("pid")), str(event.get("tid")), args)
            item.correlation = whole(args.get("correlation"))
            if item.kind in DEVICE_KINDS:
                item.device = whole(args.get("device"))
                if item.device is None:
                    item.device = trailing_number(item.process)
                item.stream = whole(args.get("stream"))
                if item.stream is None:
                    item.stream = trailing_number(item.thread)
                trace.device_ops.append(item)
            trace.slices.append(item)
        elif phase == "M":
            counts["metadata_events"] += 1
        elif phase in ("s", "t", "f"):
            counts["flows"] += 1
        elif phase == "C":
            counts["counters"] += 1
        elif phase in ("i", "I") and name == "[memory]":
            counts["memory_events"] += 1
            trace.memory.append(event.get("args") or {})
        elif phase in ("i", "I"):
            counts["instants"] += 1
        else:
            counts["skipped_events"] += 1
    trace.counts = counts
    demangle(op.name for op in trace.device_ops)
    for op in trace.device_ops:
        op.name = kernel_name(op.name)
    for call in trace.calls():
        call.name = api_name(call.name)
    nest(trace)
    link(trace)
    return trace


def threads(slices, kinds=HOST_KINDS):
    """Host slices by (process, thread), outer before inner."""
    out = {}
    for item in slices:
        if item.kind in kinds:
            out.setdefault((item.process, item.thread), []).append(item)
    for items in out.values():
        items.sort(key=lambda s: (s.start, -s.end, s.order))
    return out


def nest(trace):
    """parent = the last slice that begins before (or as) this one and does not end before it."""
    for items in threads(trace.slices).values():
        for before, item in zip(items, items[1:]):
            while before is not None and before.end < item.end:
                before = before.parent
            item.parent = before


CAN_LAUNCH = re.compile(r"Launch|Memcpy|Memset|runFunction|Enqueue|Append", re.I)


def link(trace):
    """launch of a device op = the call of its correlation id; among several, the innermost that can launch and began no
    later than the op."""
    calls = {}
    for call in trace.calls():
        if call.correlation is not None:
            calls.setdefault(call.correlation, []).append(call)
    for op in trace.device_ops:
        found = calls.get(op.correlation, [])
        found = [c for c in found if CAN_LAUNCH.search(c.name)] or found
        found = [c for c in found if c.start <= op.start] or found
        if len({c.process for c in found}) > 1:
            raise ValueError("%s: correlation %s is used by several processes" % (trace.file, op.correlation))
        op.launch = max(found, key=lambda c: (c.start, -c.end, c.order), default=None)


def split_events(text):
    """(text before the events, texts of the events, text behind them): to write a trace again with other events."""
    decoder = json.JSONDecoder(strict=False)
    found = re.search(r'"traceEvents"\s*:\s*\[', text)
    begin = found.end() if found else text.index("[") + 1
    separator = re.compile(r"[\s,]*")
    events, place = [], separator.match(text, begin).end()
    while text[place] != "]":
        _, end = decoder.raw_decode(text, place)
        events.append(text[place:end])
        place = separator.match(text, end).end()
    return text[:begin], events, text[place:]


def write_shuffled(path, target, seed):
    """Writes the trace again as plain JSON with its events in another order."""
    head, events, tail = split_events(read_text(path))
    random.Random(seed).shuffle(events)
    with open(target, "w", encoding="utf-8") as handle:
        handle.write(head + ",\n".join(events) + tail)


def unpack(path, folder):
    """The files of a .tar.gz, sorted; a plain path is returned as it is."""
    if not path.endswith((".tar.gz", ".tgz")):
        return [path]
    out = []
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            if member.isfile():
                target = os.path.join(folder, os.path.basename(member.name))
                with open(target, "wb") as handle:
                    handle.write(archive.extractfile(member).read())
                out.append(target)
    return sorted(out)
