"""PyTorch training on several ranks: data parallel, sharded, with experts, with stages."""
from .case import MS, US, case
from .groups import Group
from .process import Event
from .training import ATTENTION, GEMM, WRITE_TEXT, Shape, Training

COMMUNICATION = 20  # the stream of NCCL


class Parallel:
    """Ranks with one loop each. With buckets, gradients are summed behind the backward pass while it goes on (DDP)."""

    def __init__(self, job, bytes_a_layer=None, overlaps=True, free=False, rate=100.0, **shape):
        self.job, self.shape = job, Shape(job, **shape)
        self.group = Group(job.simulation, "0", range(job.ranks), rate)
        self.size = bytes_a_layer or int(self.shape.step * 0.6 / self.shape.layers * 0.2 * rate)
        self.overlaps, self.free = overlaps, free
        self.loops = [Training(job, process, self.shape, in_backward=self.bucket, before_optimizer=self.finish)
                      for process in job.processes]

    def sum_up(self, t, size):
        event = Event(0)
        yield from t.autograd.record_event(event)
        yield from t.autograd.wait_for_event(event, COMMUNICATION)
        yield from self.group.collective(t.autograd, "allreduce", size, COMMUNICATION, free=self.free)

    def bucket(self, t, step, layer):
        if self.overlaps:
            yield from self.sum_up(t, self.size)

    def finish(self, t, step):
        """The stream of the kernels waits for the sums."""
        if not self.overlaps:
            yield from self.sum_up(t, self.size * self.shape.layers)
        event = Event(0)
        yield from t.main.record_event(event, COMMUNICATION)
        yield from t.main.wait_for_event(event, 7)

    def tasks(self):
        return [loop.run() for loop in self.loops]


def late_rank(name, *rules, ranks=4, hook="load", category="python_function", what="train.py(31): augment",
              part=(0.15, 0.5), every=1, **shape):
    """One rank does something that the others do not, after its loss was read."""
    def program(job):
        parallel = Parallel(job, reads_loss=True, **shape)
        guilty = job.draw.randrange(job.ranks)
        takes = max(3 * MS, int(parallel.shape.step * job.draw.uniform(*part)))

        def stall(t, step):
            if step % every == every - 1:
                yield from t.main.work(category, what, takes)
            elif hook == "load":
                yield from t.next_batch(60 * US)
        if job.planted:
            parallel.loops[guilty].hooks[hook] = stall
        return parallel.tasks()
    case("kineto", *rules, ranks=ranks, name=name)(program)


# One rank is slow.

def slow_device(name, ranks, factor, from_step=0.0):
    def program(job):
        parallel = Parallel(job, steps=12 if from_step else None)
        guilty = job.draw.randrange(ranks)
        times = job.draw.uniform(*factor)
        begin = job.simulation.now + int(parallel.shape.step * parallel.shape.steps * from_step)
        if job.planted:
            job.processes[guilty].devices[0].slowdown = lambda now: times if now >= begin else 1.0
        return parallel.tasks()
    case("kineto", "straggler", ranks=ranks, name=name)(program)


slow_device("a slow device of two", 2, (1.15, 1.4))
slow_device("a slow device of four", 4, (1.1, 1.5))
slow_device("a slow device of eight", 8, (1.1, 1.5))
slow_device("a slow device of sixteen", 16, (1.2, 1.6))
slow_device("a device of four that slows down in the run", 4, (1.4, 1.7), 0.5)
late_rank("one rank loads slowly", "straggler", "data_loading", category="user_annotation",
          what="enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")
late_rank("one rank of eight works on its host", "straggler", "host_stall", ranks=8)
late_rank("one rank logs", "straggler", "io", "host_stall", hook="end_step", what=WRITE_TEXT)
late_rank("one rank collects garbage", "straggler", "garbage_collection", hook="end_step", what="<built-in function collect>")
late_rank("one rank writes checkpoints", "straggler", "io", "host_stall", hook="end_step",
          what="torch/serialization.py(618): save", part=(1.5, 3), every=5, steps=16)
late_rank("one rank evaluates on its host", "straggler", "host_stall", ranks=2, hook="end_step", what="train.py(88): evaluate",
          part=(1, 2), every=4, steps=13)


@case("kineto", "data_loading", ranks=4)
def all_ranks_load_in_the_main_process(job):
    parallel = Parallel(job, reads_loss=True)
    takes = int(parallel.shape.step * job.draw.uniform(0.2, 0.6))
    for loop in parallel.loops if job.planted else ():
        loop.hooks["load"] = lambda t, step: t.next_batch(takes, workers=False)
    return parallel.tasks()


def clocks_differ(job):
    """Two machines whose clocks are 3 ms apart; a device of the second one is slow."""
    parallel = Parallel(job, steps=12)
    for process in job.processes[2:]:
        process.clock_offset = 3 * MS
    if job.planted:
        job.processes[3].devices[0].slowdown = lambda now: 1.35
    return parallel.tasks()


case("kineto", "straggler", ranks=4, name="a slow device of a machine with another clock")(clocks_differ)


@case("kineto", "straggler", "launch_bound", ranks=4)
def one_rank_has_a_slow_interpreter(job):
    parallel = Parallel(job, step_ms=6, layers=4, steps=8)
    if job.planted:
        parallel.loops[1].python = 180 * US
    return parallel.tasks()


def random_stalls(name, rules, category, what):
    """In each step another rank stops; all wait for it."""
    def program(job):
        parallel = Parallel(job, reads_loss=True, steps=16, step_ms=job.draw.uniform(20, 60))
        chosen = [job.draw.randrange(job.ranks) for _ in range(16)]

        def stop(t, step):
            if job.planted and chosen[step] == t.process.rank:
                takes = parallel.shape.step // 3
                yield from t.main.work(category, what, takes) if what else t.main.quiet(takes)
        for loop in parallel.loops:
            loop.hooks["end_step"] = stop
        return parallel.tasks()
    case("kineto", *rules, ranks=8, name=name)(program)


random_stalls("ranks collect garbage at different times", ("garbage_collection", "load_imbalance"), "python_function",
              "<built-in function collect>")
random_stalls("ranks stop at different times, unrecorded", ("host_stall", "load_imbalance"), "python_function", None)


@case("kineto", "synchronization", "launch_bound", "exposed_communication", ranks=4)
def a_barrier_and_a_synchronisation_after_each_layer(job):
    parallel = Parallel(job, step_ms=5, layers=6, steps=6)

    def meet(t, step, layer):
        if job.planted:
            yield from parallel.group.collective(t.main, "allreduce", 4, 7)
            yield from t.main.synchronize()
    for loop in parallel.loops:
        loop.hooks["in_forward"] = meet
    return parallel.tasks()


# Work is uneven.

def uneven_sequences(name, rules, longest):
    """The kernels of a step take longer or shorter on each rank; the longest ones are drawn from these ranks."""
    def program(job):
        parallel = Parallel(job, steps=14)
        factors = []
        for _ in range(14):
            row = [job.draw.uniform(0.6, 1.4) for _ in range(4)]
            at, most = row.index(max(row)), job.draw.choice(longest)
            row[at], row[most] = row[most], row[at]
            factors.append(row)
        for rank, loop in enumerate(parallel.loops):
            loop.speed = lambda step, layer, rank=rank: factors[step][rank] if job.planted else sum(factors[step]) / 4
        return parallel.tasks()
    case("kineto", *rules, ranks=4, name=name)(program)


uneven_sequences("sequences of uneven lengths", ("load_imbalance",), range(4))
uneven_sequences("sequences of uneven lengths, two ranks have more of the longest", ("load_imbalance", "straggler"),
                 (0, 0, 0, 0, 1, 1, 1, 1, 2, 3))


def more_work(name, ranks, share):
    """One rank has more of the same work than the others, in larger grids; without the cause all have equally much."""
    def program(job):
        parallel = Parallel(job, steps=6)
        chosen, most = job.draw.randrange(ranks), job.draw.uniform(*share)
        for rank, loop in enumerate(parallel.loops):
            of_rank = 1.0 if not job.planted else most if rank == chosen else (ranks - most) / (ranks - 1)
            loop.speed = lambda step, layer, of_rank=of_rank: of_rank
            loop.blocks = lambda step, layer, of_rank=of_rank: round(1320 * of_rank)
        return parallel.tasks()
    case("kineto", "straggler", ranks=ranks, name=name)(program)


more_work("one rank of two has more of the work", 2, (1.2, 1.5))
more_work("one rank of four has more of the work", 4, (1.3, 1.8))


def route_tokens(job, parallel, part_of):
    """In each layer tokens go to the ranks of their experts and back. part_of(rank, step, layer): the tokens of a rank, as a
    part of those that it would have if all had as many."""
    alltoall = Group(job.simulation, "1", range(job.ranks))
    size = int(parallel.shape.step * 0.01 * 100)

    def route(t, step, layer):
        yield from alltoall.collective(t.main, "all_to_allv", size, 7)
        part = part_of(t.process.rank, step, layer)
        for _ in range(2):
            yield from t.op(t.main, "vllm::moe_forward", "fused_moe_kernel", parallel.shape.step * 0.06 * part)
        yield from alltoall.collective(t.main, "all_to_allv", size, 7)
    for loop in parallel.loops:
        loop.hooks["in_forward"] = route


def experts(name, ranks, uneven):
    def program(job):
        parallel = Parallel(job, steps=6, step_ms=job.draw.uniform(20, 80), layers=3)
        parts = [1 + uneven * (rank == 1) - uneven * (rank != 1) / (ranks - 1) for rank in range(ranks)]
        route_tokens(job, parallel, lambda rank, step, layer: parts[rank] if job.planted else 1)
        return parallel.tasks()
    case("kineto", "expert_imbalance", "straggler", ranks=ranks, name=name)(program)


experts("one of four experts has more tokens", 4, 0.6)
experts("one of eight experts has more tokens", 8, 1.0)


@case("kineto", "load_imbalance", "expert_imbalance", ranks=4)
def another_expert_has_more_tokens_in_each_layer(job):
    parallel = Parallel(job, steps=6, step_ms=job.draw.uniform(20, 80), layers=4)
    tokens = [[job.draw.choice((0.4, 0.6, 1, 2)) for _ in range(4)] for _ in range(6 * 4)]

    def part_of(rank, step, layer):
        of_layer = tokens[step * 4 + layer]
        return of_layer[rank] if job.planted else sum(of_layer) / 4
    route_tokens(job, parallel, part_of)
    return parallel.tasks()


@case("kineto", "data_loading", "load_imbalance", "straggler", ranks=4)
def workers_of_all_ranks_are_slow_at_times(job):
    parallel = Parallel(job, steps=16, reads_loss=True, step_ms=job.draw.uniform(20, 60))
    takes = [[job.draw.choice((0, 0, 0.5, 1)) for _ in range(4)] for _ in range(16)]

    def load(t, step):
        part = takes[step][t.process.rank] if job.planted else 0
        yield from t.next_batch(60 * US + int(part * parallel.shape.step))
    for loop in parallel.loops:
        loop.hooks["load"] = load
    return parallel.tasks()


# Communication.

def exposed(name, ranks, part, **options):
    """All gradients are summed after the backward pass."""
    def program(job):
        parallel = Parallel(job, overlaps=False, free=not job.planted)
        parallel.size = int(parallel.shape.step * job.draw.uniform(*part) / parallel.shape.layers * 100)
        return parallel.tasks()
    case("kineto", "exposed_communication", ranks=ranks, name=name, **options)(program)


exposed("gradients are summed after the backward pass, two ranks", 2, (0.1, 0.3))
exposed("gradients are summed after the backward pass, four ranks", 4, (0.1, 0.5))
exposed("gradients are summed after the backward pass, sixteen ranks", 16, (0.3, 0.8))


@case("kineto", "exposed_communication", ranks=4)
def sums_longer_than_the_backward_pass(job):
    parallel = Parallel(job, free=not job.planted)
    parallel.size *= 5
    return parallel.tasks()


def layers_that_wait(name, ranks, collectives, part):
    """Each layer waits for a collective of all ranks: tensor parallelism, or sharded weights that are not fetched ahead."""
    def program(job):
        shape = Shape(job, steps=6)
        group = Group(job.simulation, "tp", range(ranks))
        size = int(shape.step * part / shape.layers / 2 * group.rate)

        def wait(t, step, layer, thread):
            event = Event(0)
            yield from thread.record_event(event)
            yield from thread.wait_for_event(event, COMMUNICATION)
            yield from group.collective(thread, collectives[thread is t.autograd], size, COMMUNICATION, free=not job.planted)
            yield from thread.record_event(event, COMMUNICATION)
            yield from thread.wait_for_event(event, 7)
        return [Training(job, process, shape, in_forward=lambda t, step, layer: wait(t, step, layer, t.main),
                         in_backward=lambda t, step, layer: wait(t, step, layer, t.autograd)).run() for process in job.processes]
    case("kineto", "exposed_communication", ranks=ranks, name=name)(program)


layers_that_wait("tensor parallel all-reduces in each layer", 4, ("allreduce", "allreduce"), 0.3)
layers_that_wait("sharded weights are not fetched ahead", 8, ("_allgather_base", "_reduce_scatter_base"), 0.4)


@case("kineto", "exposed_communication", ranks=2)
def hosts_sum_up_with_gloo(job):
    parallel = Parallel(job, reads_loss=True)
    takes = int(parallel.shape.step * 0.3)
    hosts = Group(job.simulation, "gloo", range(job.ranks))

    def sum_up(t, step):
        with t.main.within("cpu_op", "c10d::allreduce_"):
            yield from hosts.on_hosts(t.main, "user_annotation", "gloo:all_reduce", takes if job.planted else 20 * US)
    for loop in parallel.loops:
        loop.hooks["end_step"] = sum_up
    return parallel.tasks()


@case("kineto", "slow_link", ranks=8)
def one_of_two_groups_has_a_slow_link(job):
    parallel = Parallel(job, steps=8, step_ms=40)
    parallel.size = 40_000_000
    groups = [Group(job.simulation, str(first), range(first, first + 4), 100.0) for first in (0, 4)]
    if job.planted:
        groups[1].rate = 12.0

    def gather(t, step, layer):
        group = groups[t.process.rank // 4]
        event = Event(0)
        yield from t.main.record_event(event)
        yield from t.main.wait_for_event(event, 24)
        yield from group.collective(t.main, "_allgather_base", 8_000_000, 24)
        yield from t.main.record_event(event, 24)
        yield from t.main.wait_for_event(event, 7)
    for loop in parallel.loops:
        loop.hooks["in_forward"] = gather
    parallel.overlaps = True
    parallel.size = 2_000_000
    return parallel.tasks()


# Pipelines.

def stages(name, rules, ranks, batches, factors, twin_factors=None, twin_free=False):
    """Forward passes of all micro-batches, then backward passes, on stages that send activations along (GPipe)."""
    def program(job):
        micro = int(job.draw.uniform(2, 8) * MS)
        group = Group(job.simulation, "pp", range(ranks))
        chosen = factors if job.planted or not twin_factors else twin_factors

        def run(process, stage):
            loop = Training(job, process, Shape(job, step_ms=1, steps=6))
            main = loop.main
            ideal = twin_free and not job.planted

            def compute(kernel, times):
                for _ in range(4):
                    yield from loop.op(main, "aten::mm", kernel, micro * times * chosen[stage] / 4)

            def exchange(name, partner):
                if 0 <= partner < ranks and not ideal:
                    event = Event(0)
                    stream = 30 + min(stage, partner)
                    yield from main.record_event(event)
                    yield from main.wait_for_event(event, stream)
                    yield from group.message(main, name, partner, 4_000_000, stream)
                    if name == "recv":
                        yield from main.record_event(event, stream)
                        yield from main.wait_for_event(event, 7)
            main.begin_loop()
            for step in range(6):
                begin = main.now
                for _ in range(batches):
                    yield from exchange("recv", stage - 1)
                    yield from compute(GEMM, 1)
                    yield from exchange("send", stage + 1)
                for _ in range(batches):
                    yield from exchange("recv", stage + 1)
                    yield from compute(ATTENTION, 2)
                    yield from exchange("send", stage - 1)
                with main.within("user_annotation", "Optimizer.step#AdamW.step"):
                    yield from loop.op(main, "aten::_fused_adamw_", GEMM, 200 * US)
                yield from loop.item()
                main.note("user_annotation", "ProfilerStep#%d" % (step + 3), begin)
            yield from main.end_loop()
        return [run(process, stage) for stage, process in enumerate(job.processes)]
    case("kineto", *rules, ranks=ranks, name=name)(program)


stages("a pipeline of two stages with few micro-batches", ["pipeline_bubble"], 2, 3, [1, 1], twin_free=True)
stages("a pipeline of four stages with few micro-batches", ["pipeline_bubble"], 4, 4, [1] * 4, twin_free=True)
stages("the last of four stages has more layers", ["stage_imbalance"], 4, 16, [1, 1, 1, 1.8], [1.2] * 4)
stages("the first of two stages has more layers", ["stage_imbalance"], 2, 12, [1.6, 1], [1.3, 1.3])


# Nothing is wrong.

def healthy(name, ranks, **options):
    case("kineto", ranks=ranks, name=name)(lambda job: Parallel(job, **options).tasks())


@case("kineto", ranks=4)
def gradients_are_accumulated(job):
    parallel = Parallel(job, steps=6, step_ms=50, layers=6)

    def bucket(t, step, layer):
        if step % 2:
            yield from parallel.bucket(t, step, layer)
    for loop in parallel.loops:
        loop.hooks["in_backward"] = bucket
    return parallel.tasks()


healthy("data parallel training of two ranks", 2, layers=6, step_ms=40)
healthy("data parallel training of eight ranks", 8, layers=6, step_ms=90)
healthy("data parallel training of sixteen ranks", 16, layers=6, step_ms=60, steps=5)
healthy("data parallel training that reads its loss", 4, reads_loss=True, step_ms=70)
