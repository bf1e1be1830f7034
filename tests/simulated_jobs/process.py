"""Processes and their threads: what calls take, what they wait for, and the record of both."""
import contextlib
import random

from .device import DEFAULT_STREAM, Device, Op

LAUNCH, LATENCY, RETURN = 3500, 6000, 3000  # ns: of the call, until the op can begin, from the end of a wait to the call's
QUEUE = 1000                                # launches that have not ended
PINNED, PAGEABLE, PEER, WITHIN = 25.0, 6.0, 150.0, 1200.0  # bytes a ns
PINNED_MEMORY, PAGEABLE_MEMORY, DEVICE_MEMORY = "Pinned", "Pageable", "Device"


class Process:
    def __init__(self, simulation, rank=0, ranks=1, devices=1, seed=""):
        self.simulation, self.rank, self.ranks, self.number = simulation, rank, ranks, 4000 + rank
        self.devices = [Device(simulation, rank + i) for i in range(devices)]
        self.random = random.Random("%s/%d" % (seed, rank))
        self.calls = []   # (thread, name, start, end, correlation)
        self.ranges = []  # (thread, category, name, start, end, arguments)
        self.waits = []   # (kind, device, stream, start, end, correlation, (stream, correlation) of the recorded event)
        self.threads = []
        self.correlation = 0
        self.clock_offset = 0  # ns, of the clock of its machine
        self.loop = [None, 0]  # begin and end of what is measured

    def thread(self, name="main"):
        self.threads.append(Thread(self, name, self.number + len(self.threads)))
        return self.threads[-1]


class Event:
    """A CUDA event: the work of a stream until it was recorded."""

    def __init__(self, number):
        self.number, self.op, self.correlation = number, None, 0


class Thread:
    def __init__(self, process, name, number):
        self.process, self.simulation, self.name, self.number = process, process.simulation, name, number
        self.device = process.devices[0]
        self.launch_takes = LAUNCH
        self.blocks_on_launch = False  # CUDA_LAUNCH_BLOCKING

    @property
    def now(self):
        return self.simulation.now

    def vary(self, duration, by=0.1):
        return max(1, int(duration * self.process.random.uniform(1 - by, 1 + by)))

    # What is not of CUDA.

    def quiet(self, duration, by=0.1):
        """Work of which nothing is recorded."""
        yield self.vary(duration, by)

    def work(self, category, name, duration, by=0.1, **args):
        begin = self.now
        yield self.vary(duration, by)
        self.note(category, name, begin, **args)

    def note(self, category, name, begin, **args):
        self.process.ranges.append((self.number, category, name, begin, self.now, args))

    @contextlib.contextmanager
    def within(self, category, name, **args):
        begin = self.now
        yield
        self.note(category, name, begin, **args)

    def wait(self, signal, category, name):
        begin = self.now
        if not signal.is_set:
            yield signal
        yield 2000
        self.note(category, name, begin)

    def hold(self, lock, category, name):
        """Takes a lock; a wait for it is recorded."""
        begin = self.now
        yield from lock.acquire()
        if self.now > begin + 1000:
            yield 2000
            self.note(category, name, begin)

    def get(self, channel, category, name):
        begin = self.now
        item = yield from channel.get()
        if self.now > begin + 1000:
            yield 2000
            self.note(category, name, begin)
        return item

    # Calls.

    def call(self, name, duration, by=0.2, waits_for=()):
        """A call that takes `duration`, but returns only after these signals."""
        process, begin = self.process, self.now
        process.correlation += 1
        correlation = process.correlation
        held_up = False
        for signal in waits_for:
            if not signal.is_set:
                held_up = True
                yield signal
        yield self.vary(duration if not held_up else RETURN, by)
        process.calls.append((self.number, name, begin, self.now, correlation))
        return correlation

    def _enqueue(self, call, op, stream, takes, waits=False):
        process, device, begin = self.process, self.device, self.now
        op.ready = begin + self.vary(LATENCY)
        process.correlation += 1
        op.correlation = process.correlation
        device.stream(stream).push(op)
        yield self.vary(takes)
        if waits or self.blocks_on_launch:
            if not op.done.is_set:
                yield op.done
            yield RETURN
        elif device.outstanding() > QUEUE:
            yield device.unfinished[-QUEUE].done
        process.calls.append((self.number, call, begin, self.now, op.correlation))
        return op

    def launch(self, name, duration, stream=DEFAULT_STREAM, blocks=132, call="cudaLaunchKernel", by=0.03, meeting=None, **args):
        op = Op("kernel", name, self.vary(duration, by), blocks, meeting=meeting, args=args)
        return (yield from self._enqueue(call, op, stream, self.launch_takes))

    def launch_graph(self, kernels, stream=DEFAULT_STREAM):
        """Kernels (name, duration) of one call."""
        process, begin = self.process, self.now
        process.correlation += 1
        ready = begin + self.vary(LATENCY)
        for name, duration in kernels:
            op = Op("kernel", name, self.vary(duration, 0.03))
            op.ready, op.correlation = ready, process.correlation
            self.device.stream(stream).push(op)
        correlation = process.correlation
        yield self.vary(8000)
        if self.device.outstanding() > QUEUE:
            yield self.device.unfinished[-QUEUE].done
        process.calls.append((self.number, "cudaGraphLaunch", begin, self.now, correlation))
        return op

    def copy(self, direction, size, pinned=True, stream=DEFAULT_STREAM, blocking=False, rate=None):
        """Of pageable memory the call returns after the copy."""
        host = PINNED_MEMORY if pinned else PAGEABLE_MEMORY
        ends = {"HtoD": (host, DEVICE_MEMORY), "DtoH": (DEVICE_MEMORY, host), "DtoD": (DEVICE_MEMORY,) * 2,
                "PtoP": (DEVICE_MEMORY,) * 2}[direction]
        rate = rate or {"DtoD": WITHIN, "PtoP": PEER}.get(direction) or (PINNED if pinned else PAGEABLE)
        op = Op("copy", "Memcpy %s (%s -> %s)" % ((direction,) + ends), 1500 + int(size / rate), size=size, ends=direction)
        op.args = {"source": ends[0], "target": ends[1]}
        call = "cudaMemcpy" if blocking else "cudaMemcpyPeerAsync" if direction == "PtoP" else "cudaMemcpyAsync"
        return (yield from self._enqueue(call, op, stream, LAUNCH, blocking or not pinned))

    def memset(self, size, stream=DEFAULT_STREAM):
        op = Op("memset", "Memset (Device)", 1200 + int(size / 2500), size=size)
        return (yield from self._enqueue("cudaMemsetAsync", op, stream, 2500))

    def synchronize(self, stream=None):
        device = self.device
        streams = [device.stream(stream)] if stream is not None else list(device.streams.values())
        begin = self.now
        correlation = yield from self.call("cudaDeviceSynchronize" if stream is None else "cudaStreamSynchronize", 1500,
                                           waits_for=[s.last.done for s in streams if s.last])
        self.process.waits.append(("host", device, stream, begin, self.now, correlation, None))

    def record_event(self, event, stream=DEFAULT_STREAM):
        event.op, event.stream, event.device = self.device.stream(stream).last, stream, self.device
        event.correlation = yield from self.call("cudaEventRecord", 900)
        event.number += 1

    def wait_for_event(self, event, stream):
        """The stream waits."""
        if event.op:
            self.device.stream(stream).waits.append(event.op.done)
        correlation = yield from self.call("cudaStreamWaitEvent", 900)
        self.process.waits.append(("stream", self.device, stream, self.now, self.now, correlation,
                                   (event.stream, event.correlation)))

    def synchronize_event(self, event):
        begin = self.now
        correlation = yield from self.call("cudaEventSynchronize", 1500, waits_for=[event.op.done] if event.op else [])
        self.process.waits.append(("event", self.device, event.stream, begin, self.now, correlation,
                                   (event.stream, event.correlation)))

    def allocate(self, duration, name="cudaMalloc"):
        yield from self.call(name, duration)

    def free(self, duration, name="cudaFree"):
        """Waits for the device."""
        process, begin = self.process, self.now
        process.correlation += 1
        correlation = process.correlation
        for stream in list(self.device.streams.values()):
            if stream.last and not stream.last.done.is_set:
                yield stream.last.done
        yield self.vary(duration)
        process.calls.append((self.number, name, begin, self.now, correlation))

    # What is measured.

    def begin_loop(self):
        self.process.loop[0] = self.now

    def end_loop(self):
        """After all device work."""
        yield from self.synchronize()
        self.process.loop[1] = self.now
