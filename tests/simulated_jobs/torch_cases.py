"""PyTorch training on one device with one cause each."""
from .case import MS, US, case
from .events import Channel, Resource
from .training import GELU, GEMM, NORM, WRITE_TEXT, Shape, Training, train

STALLS = ("host_stall",)


def lost(job, shape, low=0.08, high=0.6):
    """How long a planted stall takes, ns."""
    return int(shape.step * job.draw.uniform(low, high))


def alone(name, *rules, reads_loss=True, second=None, **shape_options):
    """A case of one rank. hooks(job, shape): those with the cause, or these and those of the twin. Without rules nothing is
    wrong with it."""
    def add(hooks):
        def program(job):
            shape = Shape(job, reads_loss=reads_loss, **shape_options)
            planted = hooks(job, shape)
            planted, twin = planted if isinstance(planted, tuple) else (planted, {})
            return [train(job, job.processes[0], shape, **(planted if job.planted or not rules else twin))]
        case("kineto", *rules, name=name, second=second)(program)
        return hooks
    return add


# Loading of data.

@alone("the main process loads the data", "data_loading")
def _(job, shape):
    takes = lost(job, shape)
    return {"load": lambda t, step: t.next_batch(takes, workers=False)}


@alone("the main process decodes images with ops of PyTorch", "data_loading")
def _(job, shape):
    takes = lost(job, shape) // 6

    def decode(t):
        for name in ("aten::stack", "aten::cat", "aten::div") * 2:
            yield from t.main.work("cpu_op", name, takes)
    return {"load": lambda t, step: t.next_batch(20 * US, workers=False, within=decode(t))}


def workers(job, shape, takes):
    """Workers load ahead of the main process, up to 4 batches."""
    batches = Channel(job.simulation, 4)

    def produce():
        for step in range(shape.steps):
            yield takes(step)
            yield from batches.put()

    def load(t, step):
        if step == 0:
            job.simulation.start(produce())
        yield from t.next_batch(30 * US, within=batches.get())
    return {"load": load}


@alone("workers load slower than the device computes", "data_loading", reads_loss=False)
def _(job, shape):
    takes = int(shape.step * job.draw.uniform(1.2, 2))
    return workers(job, shape, lambda step: takes)


@alone("workers load slower, and the loss is read", "data_loading")
def _(job, shape):
    takes = int(shape.step * job.draw.uniform(1.2, 2))
    return workers(job, shape, lambda step: takes)


@alone("every fourth batch opens a new file", "data_loading", steps=20)
def _(job, shape):
    takes = lost(job, shape, 0.5, 2)
    return {"load": lambda t, step: t.next_batch(takes if step % 4 == 3 else 60 * US)}


@alone("the loader reads files in the main process", "data_loading", "io")
def _(job, shape):
    takes = lost(job, shape)

    def read(t):
        yield from t.main.work("python_function", "<built-in method read of _io.BufferedReader object at 0x7f0>", takes)
    return {"load": lambda t, step: t.next_batch(20 * US, workers=False, within=read(t))}


@alone("tokenizing in a loop without a DataLoader", "host_stall", "data_loading")
def _(job, shape):
    takes = lost(job, shape)
    return {"load": lambda t, step: t.main.work("python_function", "train.py(41): tokenize_batch", takes)}


# Waiting.

@alone("item after every layer", "synchronization", "blocking_copies", reads_loss=False, step_ms=3)
def _(job, shape):
    return {"in_forward": lambda t, step, layer: t.item(), "in_backward": lambda t, step, layer: t.item(t.autograd)}


@alone("item of the norm of each gradient", "synchronization", "blocking_copies", reads_loss=False, step_ms=9)
def _(job, shape):
    def norms(reads):
        def run(t, step):
            for _ in range(40):
                yield from t.op(t.main, "aten::linalg_vector_norm", NORM, 15 * US)
                if reads:
                    yield from t.item()
        return {"before_optimizer": run}
    return norms(True), norms(False)


@alone("cuda synchronize after every layer", "synchronization", reads_loss=False, step_ms=2)
def _(job, shape):
    return {"in_forward": lambda t, step, layer: t.main.synchronize(),
            "in_backward": lambda t, step, layer: t.autograd.synchronize()}


@alone("nonzero in every layer", "synchronization", "blocking_copies", reads_loss=False, step_ms=5)
def _(job, shape):
    def select(reads):
        def run(t, step, layer):
            for _ in range(3):
                with t.main.within("cpu_op", "aten::nonzero"):
                    yield from t.op(t.main, "aten::lt", GELU, 10 * US)
                    if reads:
                        yield from t.main.copy("DtoH", 4, pinned=False)
                        yield from t.main.synchronize(7)
        return {"in_forward": run}
    return select(True), select(False)


@alone("launches that block", "launch_bound", "synchronization", reads_loss=False, step_ms=4)
def _(job, shape):
    def block(t, step):
        t.main.blocks_on_launch = t.autograd.blocks_on_launch = True
        yield from t.next_batch(60 * US)
    return {"load": block}


# Memory of the device.

@alone("empty cache in every step", "allocation", step_ms=60)
def _(job, shape):
    takes = lost(job, shape, 0.08, 0.3) // 8

    def empty(t, step):
        for _ in range(4):
            yield from t.main.free(takes)
        for _ in range(4):
            yield from t.main.allocate(takes)
    return {"end_step": empty}


@alone("the allocator retries in the forward pass", "allocation")
def _(job, shape):
    takes = lost(job, shape, 0.1, 0.3) // 4

    def retry(t, step, layer):
        if layer == shape.layers // 2:
            with t.main.within("cpu_op", "aten::empty"):
                yield from t.main.free(takes)
                yield from t.main.free(takes)
                yield from t.main.allocate(2 * takes)
    return {"in_forward": retry}


# Code.

@alone("modules are loaded for new shapes", "module_load", steps=12)
def _(job, shape):
    takes = lost(job, shape, 0.3, 0.8)

    def load(t, step, layer):
        if layer == 1 and step % 2 == 0:
            with t.main.within("cpu_op", "aten::mm"):
                yield from t.main.call("cuModuleLoadData", takes)
    return {"in_forward": load}


@alone("recompilation for new shapes", "compilation", steps=12)
def _(job, shape):
    takes = lost(job, shape, 1, 3)

    def compile(t, step, layer):
        if layer == 0 and step % 3 == 1:
            with t.main.within("cpu_op", "TorchDynamo Cache Lookup"):
                yield from t.main.quiet(40 * US)
            yield from t.main.work("python_function", "torch/_inductor/compile_fx.py(441): compile_fx_inner", takes)
    return {"in_forward": compile}


@alone("gc collect in every step", "garbage_collection", "host_stall")
def _(job, shape):
    takes = lost(job, shape)
    return {"end_step": lambda t, step: t.main.work("python_function", "<built-in function collect>", takes)}


@alone("pauses of garbage collection that are not recorded", "host_stall", steps=21, step_ms=30)
def _(job, shape):
    takes = lost(job, shape, 0.6, 1.5)

    def pause(t, step, layer):
        if step % 5 == 3 and layer == 1:
            yield from t.main.quiet(takes)
    return {"in_forward": pause}


@alone("a lock that another thread holds", "lock_contention", "host_stall")
def _(job, shape):
    takes = lost(job, shape)
    return {"end_step": lambda t, step: t.main.work("python_function", "<built-in method acquire of _thread.lock object at 0x7f>",
                                                    takes)}


# Copies.

@alone("batches of pageable memory", "pageable_copies", reads_loss=False)
def _(job, shape):
    size = int(lost(job, shape, 0.3, 0.6) * 6)
    return {"upload": lambda t, step: t.upload(size, pinned=False)}


@alone("large pinned batches in the stream of the kernels", "exposed_copies", reads_loss=False)
def _(job, shape):
    size = lost(job, shape, 0.1, 0.5) * 25
    return {"upload": lambda t, step: t.upload(size)}


@alone("a tensor from Python for every value", "small_copies", "blocking_copies", step_ms=8, steps=10)
def _(job, shape):
    def values(t, step):
        for _ in range(80):
            with t.main.within("cpu_op", "aten::to"), t.main.within("cpu_op", "aten::copy_"):
                yield from t.main.quiet(4 * US)
                yield from t.main.copy("HtoD", 8, pinned=False)
    return {"upload": values}


@alone("predictions go to the host in every step", "pageable_copies", "blocking_copies", "exposed_copies")
def _(job, shape):
    size = int(lost(job, shape, 0.1, 0.4) * 6)

    def predictions(t, step):
        with t.main.within("cpu_op", "aten::to"), t.main.within("cpu_op", "aten::copy_"):
            yield from t.main.copy("DtoH", size, pinned=False)
            yield from t.main.synchronize(7)
    return {"end_step": predictions}


@alone("the optimizer runs on the host", "host_stall")
def _(job, shape):
    takes = lost(job, shape, 0.3, 1)

    def offloaded(t, step):
        with t.main.within("user_annotation", "Optimizer.step#DeepSpeedCPUAdam.step"):
            yield from t.main.copy("DtoH", shape.step // 50 * 25)
            yield from t.main.synchronize(7)
            yield from t.main.work("cpu_op", "cpu_adam::adam_update", takes)
            yield from t.main.copy("HtoD", shape.step // 50 * 25)
    return {"before_optimizer": offloaded}


# The host between steps.

@alone("metrics in Python after each step", *STALLS)
def _(job, shape):
    takes = max(2 * MS, lost(job, shape))
    return {"end_step": lambda t, step: t.main.work("python_function", "metrics.py(17): update", takes)}


@alone("host code that is not recorded after each step", *STALLS)
def _(job, shape):
    takes = max(2 * MS, lost(job, shape))
    return {"end_step": lambda t, step: t.main.quiet(takes)}


@alone("logging to a file in each step", "io", "host_stall", step_ms=25)
def _(job, shape):
    takes = max(2 * MS, lost(job, shape, 0.1, 0.3))
    return {"end_step": lambda t, step: t.main.work("python_function", WRITE_TEXT, takes)}


@alone("a checkpoint every fifth step", "io", "host_stall", steps=21)
def _(job, shape):
    takes = max(5 * MS, lost(job, shape, 1, 3))

    def save(t, step):
        if step % 5 == 4:
            with t.main.within("python_function", "torch/serialization.py(618): save"):
                yield from t.main.copy("DtoH", shape.step // 20 * 6, pinned=False)
                yield from t.main.work("python_function", "<built-in method write of _io.BufferedWriter object>", takes)
    return {"end_step": save}


@alone("the scheduler of the learning rate", "host_stall", step_ms=40)
def _(job, shape):
    takes = max(2 * MS, lost(job, shape, 0.1, 0.3))
    return {"end_step": lambda t, step: t.main.work("user_annotation", "LRScheduler.step", takes)}


# Kernels.

@alone("an optimizer that launches a kernel for each parameter", "launch_bound", "fusable_kernels", step_ms=5, layers=3)
def _(job, shape):
    def loop(count, takes):
        def run(t, step):
            for _ in range(count):
                yield from t.op(t.main, "aten::addcdiv_", GELU, takes)
        return {"before_optimizer": run}
    return loop(600, 2 * US), loop(4, 300 * US)


@alone("a small model without a graph", "launch_bound", step_ms=2)
def _(job, shape):
    def slow_host(t, step):
        t.python = 45 * US
        yield from t.next_batch(60 * US)
    return {"load": slow_host}


@alone("chains of elementwise kernels", "fusable_kernels", reads_loss=False, step_ms=20, steps=10)
def _(job, shape):
    takes = lost(job, shape, 0.15, 0.3) // shape.layers // 5

    def chain(t, step, layer):
        for name in ("aten::mul", "aten::add", "aten::pow", "aten::tanh", "aten::mul"):
            yield from t.op(t.main, name, GELU.replace("Gelu", name[6:]), takes)
    return {"in_forward": chain}


def clock(name, slow_from, low, high, *rules):
    def program(job):
        shape = Shape(job, steps=30, layers=3)
        loop = Training(job, job.processes[0], shape)
        factor = job.draw.uniform(low, high)
        begin = job.simulation.now + int(shape.step * shape.steps * slow_from)
        if job.planted:
            job.processes[0].devices[0].slowdown = lambda now: factor if now > begin else 1.0
        return [loop.run()]
    case("kineto", *rules, name=name)(program)


clock("the clock falls in the middle of the run", 0.5, 1.2, 1.5, "slows_down")
clock("the clock falls after a third of the run", 0.35, 1.1, 1.3, "slows_down")


@alone("pauses of a throttled container", "host_stall", steps=25, step_ms=20)
def _(job, shape):
    pauses = [job.draw.random() < 0.3 for _ in range(25)]

    def pause(t, step):
        if pauses[step]:
            yield from t.main.quiet(int(shape.step * 0.9))
    return {"end_step": pause}


@alone("the loss of each part of a batch is read", "synchronization", "blocking_copies", reads_loss=False, step_ms=3, layers=2)
def _(job, shape):
    def read(t, step, layer):
        if layer == 0:
            yield from t.item(t.autograd)
            yield from t.main.quiet(250 * US)
    return {"in_backward": read}, {"in_backward": lambda t, step, layer: t.main.quiet(250 * US if layer == 0 else 1)}


@alone("validation that loads in the main process", "data_loading", steps=20, step_ms=20)
def _(job, shape):
    def validate(t, step):
        if step % 5 == 4:
            for _ in range(3):
                yield from t.next_batch(14 * MS if job.planted else 60 * US, workers=False)
                for _ in range(shape.layers):
                    yield from t.layer(t.main, (("aten::mm", GEMM, 1.0),), 0.4, step, 0)
                yield from t.item()
    return {"end_step": validate}, {"end_step": validate}


# Other threads.

@alone("the interpreter is shared with a busy thread", "launch_bound", "lock_contention", step_ms=3)
def _(job, shape):
    def shared(t, step):
        t.python = 60 * US
        yield from t.next_batch(60 * US)
    return {"load": shared}


@alone("a prefetching thread of the same process is slow", "data_loading", "host_stall", reads_loss=False)
def _(job, shape):
    takes = int(shape.step * job.draw.uniform(1.3, 1.8))
    batches = Channel(job.simulation, 2)
    reader = job.processes[0].thread("prefetch")

    def produce():
        for _ in range(shape.steps):
            yield from reader.work("python_function", "prefetch.py(12): decode_images", takes)
            yield from batches.put()

    def load(t, step):
        if step == 0:
            job.simulation.start(produce())
        with t.main.within("python_function", "queue.py(154): get"):
            yield from t.main.quiet(3 * US)
            yield from t.main.get(batches, "python_function", "<built-in method acquire of _thread.lock object at 0x7f3b>")
            yield from t.main.quiet(3 * US)
    return {"load": load}


# Two causes.

@alone("loading, and metrics in Python", "data_loading", step_ms=50, second="host_stall")
def _(job, shape):
    return {"load": lambda t, step: t.next_batch(20 * MS, workers=False),
            "end_step": lambda t, step: t.main.work("python_function", "metrics.py(17): update", 8 * MS)}


@alone("pageable batches, and a scheduler", "pageable_copies", step_ms=50, second="host_stall")
def _(job, shape):
    return {"upload": lambda t, step: t.upload(150_000_000, pinned=False),
            "end_step": lambda t, step: t.main.work("user_annotation", "LRScheduler.step", 6 * MS)}


@alone("a slow loader, and short metrics", "data_loading", step_ms=20, second="host_stall")
def _(job, shape):
    return {"load": lambda t, step: t.next_batch(8 * MS, workers=False),
            "end_step": lambda t, step: t.main.work("python_function", "metrics.py(17): update", 3 * MS)}


@alone("garbage collection, and logging", "garbage_collection", step_ms=40, second="io")
def _(job, shape):
    def end(t, step):
        yield from t.main.work("python_function", "<built-in function collect>", 12 * MS)
        yield from t.main.work("python_function", WRITE_TEXT, 5 * MS)
    return {"end_step": end}


# Nothing is wrong.

@alone("training", reads_loss=False)
def _(job, shape):
    return {}


@alone("training of a small model", reads_loss=False, step_ms=4)
def _(job, shape):
    return {}


@alone("training that reads its loss", step_ms=80)
def _(job, shape):
    return {}


@alone("training with workers that keep up", reads_loss=False)
def _(job, shape):
    takes = int(shape.step * 0.6)
    return workers(job, shape, lambda step: takes)


@alone("an evaluation every tenth step", steps=24, reads_loss=False, step_ms=30)
def _(job, shape):
    def evaluate(t, step):
        if step % 10 == 9:
            for _ in range(3 * shape.layers):
                yield from t.layer(t.main, (("aten::mm", GEMM, 1.0),), 0.3, step, 0)
    return {"end_step": evaluate}


@alone("a checkpoint behind queued work", steps=20, reads_loss=False, step_ms=100)
def _(job, shape):
    disk = Resource(job.simulation)

    def write():
        yield from disk.acquire()
        yield 50 * MS
        disk.release()

    def save(t, step):
        if step % 10 == 5:
            yield from t.main.work("python_function", "torch/distributed/checkpoint/state_dict_saver.py(99): async_save", 2 * MS)
            job.simulation.start(write())
    return {"end_step": save}


@alone("batches are copied ahead on a stream of their own", reads_loss=False)
def _(job, shape):
    size = int(shape.step * 0.3 * 25)
    return {"upload": lambda t, step: t.upload(size, stream=14)}


@alone("compilation in the first step", reads_loss=False, steps=10)
def _(job, shape):
    def compile(t, step, layer):
        if step == 0 and layer == 0:
            yield from t.main.work("python_function", "torch/_inductor/compile_fx.py(441): compile_fx_inner", 5 * shape.step)
    return {"in_forward": compile}


@alone("sequences of many lengths", reads_loss=False, steps=20)
def _(job, shape):
    factors = [job.draw.uniform(0.5, 1.5) for _ in range(20)]

    def choose(t, step):
        t.speed = lambda step, layer: factors[step]
        yield from t.next_batch(60 * US)
    return {"load": choose}


@alone("the loss is logged every tenth step", reads_loss=False, steps=21, step_ms=12)
def _(job, shape):
    def log(t, step):
        if step % 10 == 9:
            yield from t.item()
            yield from t.main.work("python_function", WRITE_TEXT, 60 * US)
    return {"end_step": log}


@alone("a host stall of one percent", step_ms=100)
def _(job, shape):
    return {"end_step": lambda t, step: t.main.work("python_function", "metrics.py(17): update", MS)}


@alone("a host stall that queued work hides", reads_loss=False, step_ms=60)
def _(job, shape):
    return {"end_step": lambda t, step: t.main.work("python_function", "metrics.py(17): update", 15 * MS)}
