"""Programs in C++ and CUDA of one thread and one device, recorded by Nsight Systems."""
from .case import MS, US, case
from .process import Event
from .solver import NAMES, Solver, at_least, solver


# Launching and waiting.

@solver("small kernels in a loop", "launch_bound", step_ms=2, count=400, steps=12)
def _(job, s, step):
    if job.planted:
        s.main.launch_takes = 7 * US
        yield from s.kernels()
    else:
        yield from s.main.launch_graph([(NAMES[i % 5], s.step * share) for i, share in enumerate(s.shares)])


@solver("a device synchronisation after each kernel", "synchronization", step_ms=2, count=60)
def _(job, s, step):
    yield from s.kernels(after=s.main.synchronize if job.planted else None)


@solver("an event is waited for after each kernel", "synchronization", step_ms=1.5, count=50)
def _(job, s, step):
    def wait():
        event = Event(step)
        yield from s.main.record_event(event)
        yield from s.main.synchronize_event(event)
    yield from s.kernels(after=wait if job.planted else None)


@solver("the residual is read after each sweep", "synchronization", "blocking_copies", step_ms=0.15, count=4, steps=60)
def _(job, s, step):
    yield from s.kernels()
    if job.planted:
        yield from s.main.copy("DtoH", 8, pinned=False, blocking=True)


@solver("launches that block", "launch_bound", "synchronization", step_ms=2, count=60)
def _(job, s, step):
    s.main.blocks_on_launch = job.planted
    yield from s.kernels()


# Allocation and loading.

@solver("cudaMalloc and cudaFree in each iteration", "allocation", step_ms=4)
def _(job, s, step):
    if job.planted:
        for _ in range(3):
            yield from s.main.allocate(180 * US)
    yield from s.kernels()
    if job.planted:
        for _ in range(3):
            yield from s.main.free(150 * US)


@solver("cudaHostAlloc in each iteration", "allocation", step_ms=8)
def _(job, s, step):
    if job.planted:
        yield from s.main.call("cudaHostAlloc", 1200 * US)
    yield from s.kernels()
    if job.planted:
        yield from s.main.free(700 * US, "cudaFreeHost")


@solver("streams are created in each iteration", "host_stall", "allocation", step_ms=6)
def _(job, s, step):
    if job.planted:
        for _ in range(8):
            yield from s.main.call("cudaStreamCreate", 150 * US)
    yield from s.kernels()
    if job.planted:
        yield from s.main.synchronize()
        for _ in range(8):
            yield from s.main.call("cudaStreamDestroy", 90 * US)


@solver("a graph is instantiated in each iteration", "host_stall", "launch_bound", step_ms=5, count=40)
def _(job, s, step):
    kernels = [(NAMES[i % 5], s.step * share) for i, share in enumerate(s.shares)]
    if job.planted:
        yield from s.main.synchronize()
        yield from s.main.call("cudaGraphInstantiate", 2400 * US)
    yield from s.main.launch_graph(kernels)


@solver("modules are loaded in the loop", "module_load", step_ms=10, steps=20)
def _(job, s, step):
    if job.planted and step % 2:
        yield from s.main.synchronize()
        yield from s.main.call("cuModuleLoadData", 9 * MS)
    yield from s.kernels()


@solver("kernels are compiled at run time", "compilation", "module_load", "host_stall", step_ms=20, steps=20)
def _(job, s, step):
    if job.planted and step % 4 == 2:
        yield from s.main.synchronize()
        yield from s.main.work("nvtx", "nvrtcCompileProgram", 60 * MS)
        yield from s.main.call("cuModuleLoadData", 3 * MS)
    yield from s.kernels()


# Copies.

@solver("no double buffer", "exposed_copies")
def _(job, s, step):
    size = int(s.step * 0.4 * 25)
    if job.planted:
        yield from s.main.copy("HtoD", size)
        yield from s.kernels()
        yield from s.main.copy("DtoH", size)
    else:
        if step == 0:
            s.loaded, s.computed = Event(0), Event(1)
        yield from s.main.copy("HtoD", size, stream=14)
        yield from s.main.record_event(s.loaded, 14)
        yield from s.kernels()
        yield from s.main.record_event(s.computed, 7)
        yield from s.main.wait_for_event(s.computed, 15)
        yield from s.main.copy("DtoH", size, stream=15)


@solver("pageable copies in each step", "pageable_copies")
def _(job, s, step):
    if job.planted:
        yield from s.main.copy("HtoD", int(s.step * 0.3 * 6), pinned=False, blocking=True)
    yield from s.kernels()


@solver("results go to pageable memory in each step", "pageable_copies", "blocking_copies")
def _(job, s, step):
    yield from s.kernels()
    if job.planted:
        yield from s.main.copy("DtoH", int(s.step * 0.4 * 6), pinned=False, blocking=True)


@solver("many small parameters are copied", "small_copies", step_ms=3, count=8)
def _(job, s, step):
    for _ in range(150 if job.planted else 0):
        yield from s.main.copy("HtoD", 256)
    yield from s.kernels()


@solver("blocking copies of pinned memory", "exposed_copies", "blocking_copies")
def _(job, s, step):
    if job.planted:
        yield from s.main.copy("HtoD", int(s.step * 0.35 * 25), blocking=True)
    yield from s.kernels()


@solver("unified memory that pages in", "exposed_copies", "small_copies", "pageable_copies", "blocking_copies", step_ms=5)
def _(job, s, step):
    if job.planted:
        for _ in range(30):
            yield from s.main.copy("HtoD", 64 * 1024, rate=0.9)
    yield from s.kernels()


@solver("a buffer is cleared in each step", "exposed_copies", "device_copies", step_ms=4)
def _(job, s, step):
    if job.planted:
        yield from s.main.memset(4_000_000_000)
    yield from s.kernels()


@solver("arrays are copied within the device", "exposed_copies", "device_copies", step_ms=4)
def _(job, s, step):
    if job.planted:
        yield from s.main.copy("DtoD", int(s.step * 0.3 * 1200))
    yield from s.kernels()


@solver("an upload in chunks that each are waited for", "exposed_copies", "blocking_copies", step_ms=6)
def _(job, s, step):
    for _ in range(12 if job.planted else 0):
        yield from s.main.copy("HtoD", 4_000_000)
        yield from s.main.synchronize(7)
    yield from s.kernels()


@solver("each batch is copied, computed and awaited", "exposed_copies", step_ms=5, steps=30)
def _(job, s, step):
    size = int(s.step * 0.3 * 25)
    if job.planted:
        yield from s.main.copy("HtoD", size)
        yield from s.kernels()
        yield from s.main.copy("DtoH", size)
        yield from s.main.synchronize(7)
    else:
        yield from s.main.copy("HtoD", size, stream=14)
        yield from s.kernels()
        yield from s.main.copy("DtoH", size, stream=15)


# The host.

@solver("handles of libraries are created in each step", "host_stall", "allocation", step_ms=8)
def _(job, s, step):
    if job.planted:
        with s.main.within("nvtx", "cublasCreate"):
            yield from s.main.quiet(1800 * US)
            yield from s.main.allocate(100 * US)
    yield from s.kernels()
    yield from s.main.synchronize()


@solver("the host waits by asking", "synchronization", "launch_bound", step_ms=1.5, count=30, steps=15)
def _(job, s, step):
    def ask():
        last = s.main.device.stream(7).last
        while not last.done.is_set:
            yield from s.main.call("cudaStreamQuery", 900)
    yield from s.kernels(after=ask if job.planted else None)


@solver("waits that return late", "synchronization", step_ms=1.5, count=12, steps=40)
def _(job, s, step):
    def wait():
        yield from s.main.synchronize(7)
        yield from s.main.quiet(40 * US)
    yield from s.kernels(after=wait if job.planted else None)


@solver("a third of a millisecond between graphs", "host_stall", "launch_bound", step_ms=1.2, count=60, steps=60)
def _(job, s, step):
    yield from s.main.launch_graph([(NAMES[i % 5], s.step * share) for i, share in enumerate(s.shares)])
    yield from s.main.synchronize(7)
    if job.planted:
        yield from s.main.quiet(350 * US)


@solver("the host sorts what the device sends", "host_stall", step_ms=5)
def _(job, s, step):
    yield from s.kernels()
    yield from s.main.copy("DtoH", 1_000_000)
    yield from s.main.synchronize(7)
    if job.planted:
        yield from s.main.work("nvtx", "sort candidates", at_least(s, 0.5))
    yield from s.main.copy("HtoD", 1_000_000)


@solver("the host computes between steps, in a range", "host_stall")
def _(job, s, step):
    yield from s.kernels()
    yield from s.main.synchronize()
    if job.planted:
        yield from s.main.work("nvtx", "assemble matrix", at_least(s, job.draw.uniform(0.2, 0.6)))


@solver("the host computes between steps, unrecorded", "host_stall")
def _(job, s, step):
    yield from s.kernels()
    yield from s.main.synchronize()
    if job.planted:
        yield from s.main.quiet(at_least(s, 0.4))


@solver("results are written every fifth step", "io", "host_stall", steps=25)
def _(job, s, step):
    yield from s.kernels()
    if step % 5 == 4:
        yield from s.main.synchronize()
        if job.planted:
            for _ in range(4):
                yield from s.main.work("os", "write", at_least(s, 0.4))
            yield from s.main.work("os", "fsync", at_least(s, 0.5))


@solver("input is read in each step", "io", "data_loading", "host_stall")
def _(job, s, step):
    if job.planted:
        yield from s.main.synchronize()
        for _ in range(4):
            yield from s.main.work("os", "read", at_least(s, 0.1, MS // 2))
            yield from s.main.quiet(30 * US)
    yield from s.kernels()


@solver("printing in each step", "io", "host_stall", step_ms=3)
def _(job, s, step):
    yield from s.kernels()
    yield from s.main.synchronize()
    for _ in range(10 if job.planted else 0):
        yield from s.main.work("os", "fprintf", 120 * US)


# The device.

@solver("independent work waits for events of other streams", "low_occupancy", step_ms=6, count=8)
def _(job, s, step):
    event = Event(step)
    for i, share in enumerate(s.shares):
        yield from s.main.launch(NAMES[i % 5], s.step * share, 13 + i % 4, 30)
        if job.planted:
            yield from s.main.record_event(event, 13 + i % 4)
            yield from s.main.wait_for_event(event, 13 + (i + 1) % 4)
    yield from s.main.synchronize()


@solver("independent kernels of few blocks in one stream", "low_occupancy", step_ms=6, count=8)
def _(job, s, step):
    for i, share in enumerate(s.shares):
        yield from s.main.launch(NAMES[i % 5], s.step * share, 13 + (0 if job.planted else i % 4), 32)
    yield from s.main.synchronize()


def falling_clock(marks, count=None):
    def program(job):
        s = Solver(job, steps=30, marks=marks, count=count)
        begin = job.simulation.now + s.step * 15
        if job.planted:
            job.processes[0].devices[0].slowdown = lambda now: 1.4 if now > begin else 1.0
        return [s.run()]
    return program


case("nsys", "slows_down", name="C++: the clock falls")(falling_clock(True))
case("nsys", "slows_down", name="C++: the clock falls, without marks")(falling_clock(False))
case("nsys", "slows_down", name="C++: the clock falls, of two sweeps a step")(falling_clock(False, 10))


@solver("one block works alone", "low_occupancy", step_ms=5, count=6)
def _(job, s, step):
    yield from s.kernels()
    blocks = 1 if job.planted else 132
    yield from s.main.launch("void scan_serial(int const*, int*, int)", 2 * MS / blocks, 7, blocks)


# Two causes.

@solver("pageable copies, and the host computes", "pageable_copies", second="host_stall", step_ms=20)
def _(job, s, step):
    if job.planted:
        yield from s.main.copy("HtoD", int(8 * MS * 6), pinned=False, blocking=True)
    yield from s.kernels()
    yield from s.main.synchronize()
    if job.planted:
        yield from s.main.work("nvtx", "adapt mesh", 3 * MS)


@solver("the host writes, and allocates", "io", second="allocation", step_ms=20)
def _(job, s, step):
    if job.planted:
        yield from s.main.allocate(2 * MS)
    yield from s.kernels()
    yield from s.main.synchronize()
    if job.planted:
        yield from s.main.work("os", "write", 8 * MS)


# Nothing is wrong.

@solver("a solver")
def _(job, s, step):
    yield from s.kernels()


@solver("a solver that waits in each step", step_ms=20)
def _(job, s, step):
    yield from s.kernels()
    yield from s.main.synchronize()


@solver("a solver with a double buffer", step_ms=15)
def _(job, s, step):
    if step == 0:
        s.loaded = Event(0)
    yield from s.main.copy("HtoD", int(s.step * 0.4 * 25), stream=14)
    yield from s.main.record_event(s.loaded, 14)
    yield from s.kernels()


@solver("a solver with graphs", step_ms=3, count=100)
def _(job, s, step):
    yield from s.main.launch_graph([(NAMES[i % 5], s.step * share) for i, share in enumerate(s.shares)])


def setup_first(job):
    """No kernel occurs once in a step."""
    s = Solver(job, step_ms=15, steps=30, count=12, marks=False)

    def prepare():
        yield from s.main.work("os", "read", 60 * MS)
        for _ in range(3):
            yield from s.main.allocate(MS)
        yield from s.main.copy("HtoD", 100_000_000, pinned=False)
    return [s.run(before=prepare())]


case("nsys", name="C++: a solver that reads its input first")(setup_first)
