"""Programs for the machine (machine.py): one training step over and over, with causes planted in it in an amount that
costs about so many us of every step; and programs that nothing is wrong with."""
import inspect

from . import machine
from .machine import COMM_STREAM, COPY_STREAM, ELEMENTWISE, GEMM, MAIN_STREAM

STEPS = 5
LAYERS = 40
KERNEL = 400      # us: 16 ms of a step
PYTHON = 30       # us of the host before each kernel: less than the device takes
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
EXPERTS = "fused_moe_kernel"
ITEM = "aten::_local_scalar_dense"


class Cause:
    """What is done at a moment of every step (begin, layer, middle) by act(rank, cost[, layer]), and what the twin without it
    does instead: by default the same at no cost."""

    def __init__(self, rule, act, moment="begin", without=None, ranks=1):
        self.rule, self.act, self.moment, self.ranks = rule, act, moment, ranks
        self.without = without or (lambda m, cost, *layer: act(m, 0, *layer))


def frame(name):
    return lambda m, cost: m.host(name, cost)


def calls(name, longest):
    def act(m, cost):
        while cost > 0:
            m.call(name, min(longest, cost))
            cost -= longest
    return act


def waits(wait):
    """Waits before so many layers that what the host then has to do, which the queue else hides, costs as much."""
    def act(m, cost, layer):
        if layer < round(cost / 297):
            wait(m)
        m.host("model.py(40): prepare", 260)
    return act


def one_copy(m, cost):
    if cost:
        m.copy("HtoD", cost * machine.PINNED)


def small_copies(m, cost):
    for _ in range(round(cost / 17)):
        m.host("aten::to", 5, "cpu_op")
        m.copy("HtoD", 4096, pinned=False)


def packed(m, cost):
    """What the host did for each of them it does for packing them."""
    count = round(cost / 17)
    for _ in range(count):
        m.host("aten::to", 5, "cpu_op")
    m.copy("HtoD", 4096 * count, stream=COPY_STREAM)


def pageable_copy(m, cost):
    if cost:
        m.copy("HtoD", cost * machine.PAGEABLE, pinned=False)


def small_kernels(m, cost):
    for _ in range(round(cost / 11)):
        m.host("aten::add_", 10, "cpu_op")
        m.launch(ELEMENTWISE, 3)


def small_kernels_in_a_graph(m, cost):
    m.launch_graph([(ELEMENTWISE, 3)] * round(cost / 11))


def fusable(m, cost):
    m.launch_graph([(ELEMENTWISE, 3)] * cost)


def fused(m, cost):
    if cost:
        m.launch(ELEMENTWISE, 3 * cost)


def products(factor):
    def act(m, cost):
        for _ in range(10):
            m.launch("ampere_sgemm_128x64_nn", round(factor * cost / 10))
    return act


TF32 = 494.7 / 67  # peaks of an H100 SXM: how much faster than in fp32


def communication(m, cost, size=None, **group):
    """By default as large as the time that it takes: 100 GB/s."""
    if not cost:
        return
    m.order(COMM_STREAM, MAIN_STREAM)
    yield m.collective("allreduce", cost, size=size or 100000 * cost, **group)
    m.order(MAIN_STREAM, COMM_STREAM)


def in_pairs(m, cost):
    """Every two ranks reduce as much; the last two of them take longer."""
    pair = m.number // 2
    slow = cost if pair == (m.ranks - 1) // 2 else 0
    yield from communication(m, 100 + slow, 1 << 23, group="pair %d" % pair, members=[2 * pair, 2 * pair + 1])


def of_the_last_rank(act):
    return lambda m, cost: act(m, cost) if m.number == m.ranks - 1 else None


def more_layers(m, cost):
    for _ in range(8):
        if cost:
            m.host("model.py(70): layer", PYTHON)
            m.launch(GEMM, cost // 8)


def in_turns(m, cost):
    """In each step the sequences of another rank are longer: by what the others wait for, and their own part."""
    return more_layers(m, cost * m.ranks // (m.ranks - 1)) if len(m.marks) % m.ranks == m.number else None


def equal_sequences(m, cost):
    return more_layers(m, cost // (m.ranks - 1))


def experts(m, cost):
    """All that is routed goes to the experts of the last rank."""
    m.launch(EXPERTS, 100 + (cost if m.number == m.ranks - 1 else 0))
    yield from communication(m, 60)


def equal_experts(m, cost):
    m.launch(EXPERTS, 100 + cost // m.ranks)
    yield from communication(m, 60)


def recomputed(m, cost):
    with m.within("CheckpointFunctionBackward"):
        for _ in range(8):
            with m.within("aten::linear"):
                if cost:
                    m.launch(GEMM, cost // 8)


def layouts(m, cost):
    for _ in range(8):
        if cost:
            m.launch("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>", cost // 8)


def few_blocks(m, cost):
    """Kernels on a quarter of the device: they take four times as long as on all of it."""
    for _ in range(8):
        m.launch("flash_fwd_kernel", 4 * cost // 24, blocks=33)


def enough_blocks(m, cost):
    for _ in range(8):
        m.launch("flash_fwd_kernel", cost // 24)


def fragments(m, cost):
    """The allocator gives back what it holds and asks for other blocks, with half of it not in use."""
    m.memory(20 << 30, 40 << 30)
    for _ in range(round(cost / 300)):
        m.call("cudaFree", 200)
        m.call("cudaMalloc", 100)


CAUSES = {
    "data_loading": Cause("data_loading", frame(LOADER)),
    "synchronization": Cause("synchronization", waits(lambda m: m.synchronize(MAIN_STREAM)), "layer"),
    "allocation": Cause("allocation", calls("cudaMalloc", 300)),
    "module_load": Cause("module_load", calls("cuModuleLoadData", 5000)),
    "compilation": Cause("compilation", frame("torch/_dynamo/convert_frame.py(612): _compile_inner")),
    "garbage_collection": Cause("garbage_collection", frame("<built-in function gc.collect>")),
    "lock_contention": Cause("lock_contention", frame("<built-in method acquire of _thread.lock object at 0x7f>")),
    "io": Cause("io", frame("<built-in method read of _io.BufferedReader object at 0x7f>")),
    "stopped": Cause("host_stall", lambda m, cost: m.call("cudaEventRecord", 2 + cost)),
    "host_stall": Cause("host_stall", frame("model.py(12): tokenize")),
    "launch_bound": Cause("launch_bound", small_kernels, without=small_kernels_in_a_graph),
    "exposed_copies": Cause("exposed_copies", one_copy),
    "small_copies": Cause("small_copies", small_copies, without=packed),
    "pageable_copies": Cause("pageable_copies", pageable_copy),
    "blocking_copies": Cause("blocking_copies", waits(lambda m: m.copy("DtoH", 4096, blocks=True)), "layer"),
    "tensor_cores_unused": Cause("tensor_cores_unused", products(TF32 / (TF32 - 1)), without=products(1 / (TF32 - 1))),
    "fusable_kernels": Cause("fusable_kernels", fusable, without=fused),
    "exposed_communication": Cause("exposed_communication", communication, "middle"),
    "slow_link": Cause("slow_link", in_pairs, "middle", ranks=4),
    "experts": Cause("expert_imbalance", experts, "middle", without=equal_experts, ranks=3),
    "recompute": Cause("recompute", recomputed),
    "layout_changes": Cause("layout_changes", layouts),
    "low_occupancy": Cause("low_occupancy", few_blocks, without=enough_blocks),
    "fragmentation": Cause("fragmentation", fragments),
    "late host": Cause("straggler", of_the_last_rank(frame("model.py(90): route")), ranks=3),
    "slow device": Cause("straggler", of_the_last_rank(more_layers), ranks=3),
    "unequal sequences": Cause("load_imbalance", in_turns, without=equal_sequences, ranks=3),
}


def training(*planted):
    """A program of steps with [(cause, cost, whether it is there)] in them; those that are not there are as in the twin."""
    def at(moment, m, *layer):
        for name, cost, there in planted:
            cause = CAUSES[name]
            if cause.moment == moment:
                done = (cause.act if there else cause.without)(m, cost, *layer)
                if inspect.isgenerator(done):
                    yield from done

    def program(m):
        for number in range(STEPS):
            with m.step(number):
                m.host(LOADER, 40, "user_annotation")
                yield from at("begin", m)
                for layer in range(LAYERS):
                    yield from at("layer", m, layer)
                    if layer == LAYERS // 2:
                        yield from at("middle", m)
                    with m.within("aten::linear"):
                        m.host("model.py(30): forward", PYTHON)
                        m.call("cudaEventRecord", 2)
                        m.launch(GEMM, KERNEL)
                if m.ranks > 1:
                    yield from communication(m, 60)
                with m.within(ITEM):
                    m.synchronize(MAIN_STREAM)
    return program


def pipeline(costs, batches=40, waits=True):
    """Stages of a pipeline, one a rank, that take so many micro-batches through so many us of compute each. `waits`: else
    the stages work on whatever is there, as if there were more micro-batches than stages by far."""
    def program(m):
        for number in range(STEPS):
            with m.step(number):
                for _ in range(batches):
                    if m.number > 0 and waits:
                        yield m.collective("recv", 10, MAIN_STREAM, "pp%d" % m.number, [m.number - 1, m.number])
                    for _ in range(4):
                        m.host("model.py(30): forward", PYTHON)
                        m.launch(GEMM, costs[m.number] // 4)
                    if m.number + 1 < m.ranks and waits:
                        yield m.collective("send", 10, MAIN_STREAM, "pp%d" % (m.number + 1), [m.number, m.number + 1])
                m.synchronize(MAIN_STREAM)
                m.order(COMM_STREAM, MAIN_STREAM)
                yield m.collective("allreduce", 50)
                m.synchronize()
    return program


# Nothing is wrong with these.

def cnn(m):
    """Bound by computing: the host is far ahead, and looks at the loss once in a while."""
    for number in range(6):
        with m.step(number):
            m.host(LOADER, 150, "user_annotation")
            m.copy("HtoD", 2000000, stream=COPY_STREAM)
            m.order(MAIN_STREAM, COPY_STREAM)
            for layer in range(100):
                with m.within("aten::conv2d"):
                    m.host("model.py(10): forward", 15)
                    m.launch("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64", 120)
                m.launch("void cudnn::bn_fw_tr_1C11_singleread<__half, 512, true>", 30)
                m.launch(ELEMENTWISE, 20)
            if number % 3 == 2:
                with m.within(ITEM):
                    m.synchronize(MAIN_STREAM)


def decode(m):
    """A language model's decoding: one graph a token; the next token is known to the host before it goes on."""
    for number in range(12):
        with m.step(number):
            with m.within("execute_model", "user_annotation"):
                m.host("vllm/v1/worker/gpu_model_runner.py(1200): _prepare_inputs", 60)
                m.launch_graph([(GEMM, 40), ("flash_fwd_splitkv_kernel", 25), (GEMM, 40), (ELEMENTWISE, 6)] * 64)
                m.launch("void at::native::reduce_kernel<512, 1, ArgMaxOps>", 12)
                m.copy("DtoH", 64)
                m.synchronize(MAIN_STREAM)


def overlapped(m):
    """Gradients are reduced beside the backward pass; the last bucket is small."""
    for number in range(6):
        with m.step(number):
            m.host(LOADER, 60, "user_annotation")
            for layer in range(40):
                m.host("model.py(30): forward", 20)
                m.launch(GEMM, 100)
            for layer in range(40):
                m.host("autograd::engine", 20, "cpu_op")
                m.launch(GEMM, 200)
                if layer % 8 == 7:
                    m.order(COMM_STREAM, MAIN_STREAM)
                    yield m.collective("allreduce", 900 if layer < 39 else 120)
            m.order(MAIN_STREAM, COMM_STREAM)
            for _ in range(10):
                m.launch("void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>", 50)
            if number % 2:
                m.synchronize(MAIN_STREAM)


def pipelined(m):
    """The next batch is copied from pinned memory while this one is worked on; nothing ever waits for the device."""
    for number in range(8):
        with m.step(number):
            m.host(LOADER, 90, "user_annotation")
            m.copy("HtoD", 60000000, stream=COPY_STREAM)
            for layer in range(30):
                m.host("model.py(30): forward", 40)
                m.launch(GEMM, 200)
            m.order(MAIN_STREAM, COPY_STREAM)
    m.synchronize()


def uneven(m):
    """Batches of different lengths: some steps take longer than others, and all for computing."""
    for number in range(9):
        with m.step(number):
            m.host(LOADER, 60, "user_annotation")
            for layer in range(30):
                m.host("model.py(30): forward", 40)
                m.launch(GEMM, 150 + 37 * ((5 * number) % 9))
            m.synchronize(MAIN_STREAM)


def deep_queue(m, kernel=40):
    """Bound by computing, and so far ahead that launches wait for room in the queue of the stream."""
    for number in range(5):
        with m.step(number):
            for layer in range(1500):
                m.host("model.py(30): forward", 3)
                m.launch(GEMM, kernel)
    m.synchronize()


def remembering(growth, first=4 << 30):
    """A step leaves so many bytes behind, growth(number of the step), besides what it gives back."""
    def program(m):
        held = first
        m.memory(held, 40 << 30)
        for number in range(12):
            with m.step(number):
                for layer in range(20):
                    m.host("model.py(30): forward", 20)
                    m.launch(GEMM, 300)
                    m.memory(held + (layer + 1 << 28), 40 << 30)
                held += growth(number)
                m.memory(held, 40 << 30)
                m.synchronize(MAIN_STREAM)
    return program


HEALTHY = {"a deep queue": (deep_queue, 1),
           "memory that fills up in the first steps": (remembering(lambda number: (1 << 30) >> number), 1),
           "memory that comes and goes": (remembering(lambda number: (-1) ** number * (1 << 28)), 1),
           "a CNN": (cnn, 1), "decoding with graphs": (decode, 1), "overlapped communication": (overlapped, 2),
           "pipelined loading": (pipelined, 1), "uneven batches": (uneven, 1), "plain training": (training(), 1),
           "three equal ranks": (training(), 3), "equal stages": (pipeline([2000, 2000]), 2)}
