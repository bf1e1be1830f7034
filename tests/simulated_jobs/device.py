"""Devices: streams that work on their ops in order, which share multiprocessors and copy engines."""
import collections

from .events import Resource, Signal

GAP = 900              # ns between two ops of one stream
MULTIPROCESSORS = 132
DEFAULT_STREAM = 7     # the legacy default stream: its ops wait for those of all other streams, and the reverse


class Op:
    """What a stream does: a kernel, a copy, a memset. `after`: signals it waits for; `meeting`: of a collective."""
    __slots__ = ("kind", "name", "duration", "ready", "blocks", "bytes", "ends", "after", "meeting", "args", "done", "start",
                 "end", "stream", "correlation")

    def __init__(self, kind, name, duration, blocks=MULTIPROCESSORS, size=0, ends=None, meeting=None, args=None):
        self.kind, self.name, self.duration, self.blocks, self.bytes, self.ends = kind, name, duration, blocks, size, ends
        self.meeting, self.args = meeting, args or {}
        self.ready = self.start = self.end = self.correlation = 0
        self.after, self.done, self.stream = [], None, None


class Stream:
    def __init__(self, device, number):
        self.device, self.number, self.queue, self.last, self._wake = device, number, collections.deque(), None, None
        self.waits = []  # signals that the next op waits for
        device.simulation.start(self._serve())

    def push(self, op):
        op.stream, op.done = self, Signal(self.device.simulation)
        op.after, self.waits = self.waits, []
        for other in self.device.streams.values() if self.device.has_default_stream else ():
            if other is not self and other.last and DEFAULT_STREAM in (self.number, other.number):
                op.after.append(other.last.done)
        self.queue.append(op)
        self.last = op
        self.device.unfinished.append(op)
        if self._wake:
            self._wake.set()

    def _serve(self):
        device = self.device
        simulation = device.simulation
        ended = -GAP
        while True:
            while not self.queue:
                self._wake = Signal(simulation)
                yield self._wake
            self._wake = None
            op = self.queue.popleft()
            for signal in op.after:
                if not signal.is_set:
                    yield signal
            begin = max(op.ready, ended + GAP)
            if begin > simulation.now:
                yield begin - simulation.now
            engine, units = device.engine(op)
            if engine:
                yield from engine.acquire(units)
            op.start = simulation.now
            if op.meeting:
                yield from op.meeting.attend(op)
            else:
                yield int(op.duration * (device.slowdown(simulation.now) if op.kind == "kernel" else 1))
            op.end = ended = simulation.now
            if engine:
                engine.release(units)
            device.ops.append(op)
            op.done.set()


class Device:
    def __init__(self, simulation, number=0, name="NVIDIA H100 80GB HBM3"):
        self.simulation, self.number, self.name = simulation, number, name
        self.streams, self.ops, self.unfinished = {}, [], collections.deque()
        self.has_default_stream = False
        self.slowdown = lambda now: 1.0  # of kernels
        self._compute = Resource(simulation)
        self._copies = {}

    def stream(self, number):
        if number not in self.streams:
            self.streams[number] = Stream(self, number)
        return self.streams[number]

    def engine(self, op):
        if op.kind == "kernel":
            return (None, 0) if op.meeting else (self._compute, min(1.0, op.blocks / MULTIPROCESSORS))
        if op.kind == "copy":
            return self._copies.setdefault(op.ends, Resource(self.simulation)), 1.0
        return None, 0

    def outstanding(self):
        while self.unfinished and self.unfinished[0].done.is_set:
            self.unfinished.popleft()
        return len(self.unfinished)
