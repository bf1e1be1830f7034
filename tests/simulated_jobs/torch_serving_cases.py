"""Inference with PyTorch: decoding, servers, several devices in one process."""
from .case import MS, US, case
from .events import Channel
from .training import ATTENTION, GEMM, GELU, NORM, Shape, Training

DECODE = (("aten::layer_norm", NORM, 3), ("aten::mm", GEMM, 9), ("flash_attn::_flash_attn_forward", ATTENTION, 6),
          ("aten::mm", GEMM, 8))


def decoder(job, layers, tokens, scale=1.0, python=9 * US, graph=False, between=None):
    """Tokens one after another; each is read by the host."""
    loop = Training(job, job.processes[0], Shape(job, step_ms=2, steps=1))
    loop.python = python
    main = loop.main
    kernels = [(kernel, takes * scale * US) for _ in range(layers) for _, kernel, takes in DECODE]

    def run():
        main.begin_loop()
        for token in range(tokens):
            begin = main.now
            if graph:
                yield from main.launch_graph(kernels)
            else:
                for _ in range(layers):
                    for name, kernel, takes in DECODE:
                        yield from loop.op(main, name, kernel, takes * scale * US)
            yield from loop.item()
            if between:
                yield from between(loop, token)
            main.note("user_annotation", "decode_step", begin)
        yield from main.end_loop()
    return [run()]


@case("kineto", "launch_bound")
def decoding_without_a_graph(job):
    return decoder(job, 16, 20, graph=not job.planted)


@case("kineto", "launch_bound")
def decoding_of_a_tiny_model_without_a_graph(job):
    return decoder(job, 8, 30, scale=0.4, python=14 * US, graph=not job.planted)


@case("kineto", "host_stall", "launch_bound")
def a_scheduler_between_replays_of_graphs(job):
    takes = job.draw.uniform(1.5, 4) * MS
    return decoder(job, 24, 40, scale=3, graph=True, between=lambda loop, token: loop.main.work(
        "python_function", "scheduler.py(210): schedule", takes if job.planted else 20 * US))


@case("kineto", "host_stall")
def detokenizing_after_each_token(job):
    return decoder(job, 24, 30, scale=4, graph=True, between=lambda loop, token: loop.main.work(
        "cpu_op", "tokenizer::decode", 3 * MS if job.planted else 20 * US))


@case("kineto", "host_stall", "pageable_copies", "blocking_copies")
def sampling_on_the_host(job):
    def sample(loop, token):
        if job.planted:
            with loop.main.within("cpu_op", "aten::to"), loop.main.within("cpu_op", "aten::copy_"):
                yield from loop.main.copy("DtoH", 600_000, pinned=False)
            yield from loop.main.work("python_function", "sampler.py(77): top_p", 2500 * US)
        yield from loop.upload(8, pinned=False)
    return decoder(job, 24, 30, scale=4, graph=True, between=sample)


@case("kineto", "launch_bound", "blocking_copies")
def generation_without_graphs_within_a_training_step(job):
    shape = Shape(job, step_ms=20, steps=6, layers=4, reads_loss=True)
    kernels = [(kernel, takes * US) for _ in range(16) for _, kernel, takes in DECODE]

    def generate(t, step):
        for _ in range(10):
            if job.planted:
                for _ in range(16):
                    for name, kernel, takes in DECODE:
                        yield from t.op(t.main, name, kernel, takes * US)
            else:
                yield from t.main.launch_graph(kernels)
            yield from t.item()
        yield from t.next_batch(60 * US)
    loop = Training(job, job.processes[0], shape, load=generate)
    loop.python = 12 * US
    return [loop.run()]


@case("kineto")
def decoding_with_graphs(job):
    return decoder(job, 32, 30, scale=5, graph=True)


def server(job, gap, preprocess):
    """Requests come one after another; a thread waits for them and runs the model."""
    requests = Channel(job.simulation)
    loop = Training(job, job.processes[0], Shape(job, step_ms=2, steps=1))
    main = loop.main
    count = 25

    def clients():
        for _ in range(count):
            yield int(job.draw.uniform(0.5, 1.5) * gap)
            yield from requests.put()

    def run():
        main.begin_loop()
        for _ in range(count):
            with main.within("python_function", "queue.py(154): get"):
                yield from main.quiet(3 * US)
                with main.within("python_function", "threading.py(288): wait"):
                    yield from main.quiet(2 * US)
                    with main.within("python_function", "<built-in method acquire of _thread.lock object at 0x7f3b>"):
                        yield from requests.get()
                        yield from main.quiet(2 * US)
                    yield from main.quiet(2 * US)
                yield from main.quiet(US)
            if preprocess:
                yield from main.work("python_function", "serve.py(31): preprocess", preprocess)
            yield from loop.upload(600_000)
            for _ in range(12):
                for name, kernel, takes in DECODE:
                    yield from loop.op(main, name, kernel, 40 * takes * US)
            with main.within("cpu_op", "aten::to"):
                yield from main.copy("DtoH", 4000, pinned=False)
                yield from main.synchronize(7)
        yield from main.end_loop()
    return [clients(), run()]


@case("kineto", "host_stall")
def a_busy_server_that_prepares_each_request(job):
    return server(job, 2 * MS, 6 * MS if job.planted else 0)


@case("kineto")
def a_server_with_few_requests(job):
    return server(job, 60 * MS, 0)


def replicas(job, overlapped):
    """One process with four devices; a thread launches on one after the other."""
    process = job.processes[0]
    loop = Training(job, process, Shape(job, step_ms=2, steps=1))
    main = loop.main

    def run():
        main.begin_loop()
        for step in range(12):
            begin = main.now
            for device in process.devices:
                main.device = device
                for _ in range(10):
                    yield from loop.op(main, "aten::mm", GEMM, 900 * US)
                    yield from loop.op(main, "aten::gelu", GELU, 900 * US)
                if not overlapped:
                    yield from main.synchronize(7)
            for device in process.devices:
                main.device = device
                yield from main.synchronize(7)
            main.note("user_annotation", "ProfilerStep#%d" % step, begin)
        yield from main.end_loop()
    return [run()]


@case("kineto", "synchronization", devices=4)
def devices_that_one_thread_waits_for_in_turn(job):
    return replicas(job, not job.planted)


@case("kineto", devices=4)
def devices_that_one_thread_feeds_at_once(job):
    return replicas(job, True)
