"""Programs in C++ and CUDA of several threads or several devices, and servers."""
from .case import MS, US, case
from .events import Channel, Resource
from .process import Event
from .solver import NAMES, Solver, at_least


# Threads.

def workers_with_a_lock(job):
    """Four threads launch on streams of their own; the code before each launch is done under one lock, if planted."""
    process = job.processes[0]
    lock = Resource(job.simulation)
    hold = 300 * US
    threads = [process.thread("worker") for _ in range(4)]
    ended = []

    def work(thread, stream):
        for _ in range(40):
            if job.planted:
                yield from thread.hold(lock, "os", "pthread_mutex_lock")
            yield from thread.quiet(hold)
            yield from thread.launch(NAMES[stream % 5], 260 * US, stream, 32)
            if job.planted:
                lock.release()
            yield from thread.synchronize(stream)
        ended.append(thread)
        if len(ended) == len(threads):
            yield from thread.end_loop()
    process.loop[0] = job.simulation.now
    return [work(thread, 13 + i) for i, thread in enumerate(threads)]


case("nsys", "lock_contention", name="C++: threads that share a lock")(workers_with_a_lock)


def producer(name, rules, slow):
    """A thread prepares what another one launches for."""
    def program(job):
        s = Solver(job, step_ms=job.draw.uniform(4, 20), steps=25)
        items = Channel(job.simulation, 2)
        reader = s.process.thread("reader")
        takes = s.step * (slow if job.planted else 0.5)

        def produce():
            for _ in range(s.steps):
                yield from reader.work("nvtx", "decode frame", takes)
                yield from items.put()

        def consume(step):
            yield from s.main.get(items, "os", "pthread_cond_wait")
            yield from s.kernels()
            yield from s.main.synchronize()
        return [produce(), s.run(consume)]
    case("nsys", *rules, name="C++: " + name)(program)


producer("a thread decodes slower than the device computes", ("host_stall", "data_loading", "lock_contention"), 1.6)
producer("a thread decodes ahead", (), 0.5)


def a_thread_reads(job):
    """A thread reads the next block of a file, which the main thread waits for."""
    s = Solver(job, step_ms=job.draw.uniform(4, 20), steps=25)
    blocks = Channel(job.simulation, 2)
    reader = s.process.thread("reader")

    def produce():
        for _ in range(s.steps):
            yield from reader.work("os", "read", s.step * (1.7 if job.planted else 0.3))
            yield from blocks.put()

    def consume(step):
        yield from s.main.get(blocks, "os", "pthread_cond_wait")
        yield from s.main.copy("HtoD", 1_000_000)
        yield from s.kernels()
        yield from s.main.synchronize()
    return [produce(), s.run(consume)]


case("nsys", "io", "data_loading", "host_stall", name="C++: a thread reads slower than the device computes")(a_thread_reads)


def answers_on_another_thread(job):
    """The main thread waits until another one has post-processed what the device sent."""
    s = Solver(job, step_ms=job.draw.uniform(4, 30), steps=20)
    sent, answered = Channel(job.simulation), Channel(job.simulation)
    other = s.process.thread("post")

    def answer():
        for _ in range(s.steps):
            yield from other.get(sent, "os", "pthread_cond_wait")
            yield from other.work("nvtx", "non-maximum suppression", at_least(s, 0.4) if job.planted else 50 * US)
            yield from answered.put()

    def body(step):
        yield from s.kernels()
        yield from s.main.copy("DtoH", 500_000)
        yield from s.main.synchronize(7)
        yield from sent.put()
        yield from s.main.get(answered, "os", "pthread_cond_wait")
    return [answer(), s.run(body)]


case("nsys", "host_stall", name="C++: another thread works on the results")(answers_on_another_thread)


def a_thread_writes(job):
    """Results are written by another thread beside the device."""
    s = Solver(job, step_ms=job.draw.uniform(5, 30), steps=20)
    sent = Channel(job.simulation)
    writer = s.process.thread("writer")

    def write():
        for _ in range(s.steps):
            yield from writer.get(sent, "os", "pthread_cond_wait")
            yield from writer.work("os", "write", s.step // 2)

    def body(step):
        yield from s.kernels()
        yield from sent.put()
    return [write(), s.run(body)]


case("nsys", name="C++: a thread writes beside the device")(a_thread_writes)


def default_stream(job):
    """Two threads with a stream each; one of them uses the legacy default stream for its copies."""
    process = job.processes[0]
    process.devices[0].has_default_stream = True
    threads = [process.thread("worker") for _ in range(2)]
    ended = []

    def work(thread, stream):
        for _ in range(30):
            for i in range(4):
                yield from thread.launch(NAMES[i], 300 * US, stream, 60)
            yield from thread.memset(1 << 20, 7 if job.planted else stream)
            yield from thread.launch(NAMES[4], 100 * US, 7 if job.planted else stream, 60)
            yield from thread.synchronize(stream)
        ended.append(thread)
        if len(ended) == 2:
            yield from thread.end_loop()
    process.loop[0] = job.simulation.now
    return [work(thread, 13 + i) for i, thread in enumerate(threads)]


case("nsys", "low_occupancy", name="C++: the default stream orders all work")(default_stream)


# Several devices in one process.

def devices(name, rules, waits_in_turn=False, peer=False):
    def program(job):
        s = Solver(job, step_ms=job.draw.uniform(3, 30), count=5, steps=15)

        def body(step):
            for device in s.process.devices:
                s.main.device = device
                yield from s.kernels()
                if peer and job.planted:
                    yield from s.main.copy("PtoP", int(s.step * 0.4 * 150))
                if waits_in_turn and job.planted:
                    yield from s.main.synchronize()
            for device in s.process.devices:
                s.main.device = device
                yield from s.main.synchronize()
        return [s.run(body)]
    case("nsys", *rules, devices=4, name="C++: " + name)(program)


devices("devices that wait for each other by the host", ("synchronization",), waits_in_turn=True)
devices("halos between devices are copied after the kernels", ("exposed_copies",), peer=True)
devices("four devices of one thread", ())


def one_slow_device(job):
    s = Solver(job, step_ms=10, count=5, steps=20)
    if job.planted:
        s.process.devices[2].slowdown = lambda now: 1.5

    def body(step):
        for device in s.process.devices:
            s.main.device = device
            yield from s.kernels()
        for device in s.process.devices:
            s.main.device = device
            yield from s.main.synchronize()
    return [s.run(body)]


case("nsys", "load_imbalance", "straggler", devices=4, name="C++: one of four devices is slow")(one_slow_device)


def devices_in_turn(job):
    """A model on two devices: the second one waits for what the first one has computed, batch by batch."""
    s = Solver(job, step_ms=job.draw.uniform(6, 20), count=6, steps=16, marks=True)
    first, second = s.process.devices

    def body(step):
        done = Event(step)
        s.main.device = first
        yield from s.kernels(part=0.5)
        yield from s.main.copy("PtoP", 2_000_000)
        yield from s.main.record_event(done)
        s.main.device = second
        yield from s.main.wait_for_event(done, 7)
        yield from s.kernels(part=0.5)
        if job.planted:
            yield from s.main.synchronize(7)
    return [s.run(body)]


case("nsys", "synchronization", devices=2, name="C++: two devices in turn, each batch is waited for")(devices_in_turn)


# Servers.

def server(name, rules, gap, prepares):
    """Requests come over a socket; each is prepared by the host and computed."""
    def program(job):
        s = Solver(job, step_ms=3, count=20, steps=40, marks=False)
        requests = Channel(job.simulation)

        def clients():
            for _ in range(s.steps):
                yield int(job.draw.expovariate(1) * gap)
                yield from requests.put()

        def answer(step):
            yield from s.main.get(requests, "os", "epoll_wait")
            yield from s.main.work("os", "recv", 15 * US)
            if prepares and job.planted:
                yield from s.main.work("nvtx", "parse request", prepares)
            yield from s.main.copy("HtoD", 100_000)
            yield from s.kernels()
            yield from s.main.copy("DtoH", 10_000)
            yield from s.main.synchronize(7)
            yield from s.main.work("os", "send", 15 * US)
        return [clients(), s.run(answer)]
    case("nsys", *rules, name="C++: " + name)(program)


server("a server with few requests", (), 25 * MS, 0)
server("a busy server that parses each request", ("host_stall",), MS // 2, 3 * MS)
