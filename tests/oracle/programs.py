"""Programs for the machine (machine.py) that are written op by op: a model in which something can be changed, and iterations
of any ops."""
import contextlib
import random

from . import machine

STEPS, LAYERS = 12, 8
NORM = "vectorized_layer_norm_kernel"


def launch(m, op, kernel, duration, **inputs):
    """An op that launches a kernel; the call begins after the op."""
    with m.within(op, **inputs):
        m.quiet(1)
        m.launch(kernel, duration)


def model(steps=STEPS, gemm=300, small=60, fused=False, added=False, reordered=False, batch=1, wait=False, comm=0,
          slow_rank=None, slow_layer=None, modules=False, every=None, renamed=False, graph=False, many=1.0, noise=0.0,
          memory=0, seed=1):
    """A program of `steps` iterations of LAYERS layers; the device is always the one that is waited for."""
    def program(m):
        rng = random.Random(seed * 1000 + m.number)

        def took(duration):
            slow = 1.3 if slow_rank == m.number else 1.0
            return max(1, round(duration * slow * (1 + noise * rng.gauss(0, 1))))

        names = {"gemm": machine.GEMM if not renamed else "ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_tn",
                 "add": machine.ELEMENTWISE, "softmax": "softmax_warp_forward", "norm": "vectorized_layer_norm_kernel",
                 "mul": "mul_kernel", "tanh": "tanh_kernel", "fused": "triton_poi_fused_mul_tanh_add_0"}

        within = [1.0]  # how much slower the layer is that runs

        def op(name, kernel, duration):
            shape = [[4096 * batch, 4096], [4096, 4096]]
            with m.within(name, **{"Input Dims": shape, "Input type": ["float", "float"]}):
                m.host("prepare", 3, "python_function")
                m.launch(names[kernel], took(duration * batch * within[0]))

        def layer(number):
            within[0] = 1.3 if number == slow_layer else 1.0
            op("aten::linear", "gemm", gemm)
            if reordered:
                op("aten::norm", "norm", small)
                op("aten::softmax", "softmax", small)
            else:
                op("aten::softmax", "softmax", small)
                op("aten::norm", "norm", small)
            if fused:
                op("fused_mul_tanh_add", "fused", 50)
            else:
                for name in ("mul", "tanh", "add"):
                    op("aten::" + name, name, round(40 * many))
            if added:
                op("aten::copy_", "add", 70)
            if wait and number % 4 == 0:
                m.synchronize()
                m.host("model.py(40): prepare", 260)

        for step in range(steps):
            with m.step(step):
                if graph:
                    m.launch_graph([(names[kernel], took(duration)) for kernel, duration in
                                    (("gemm", gemm), ("softmax", small), ("norm", small), ("mul", 40), ("tanh", 40),
                                     ("add", 40))] * LAYERS)
                else:
                    for number in range(LAYERS):
                        with contextlib.ExitStack() as around:
                            for name in ("Model_0", "Block_%d" % number) if modules else ():
                                around.enter_context(m.within("nn.Module: " + name, "python_function"))
                            layer(number)
                if every and step % every == every - 1:
                    op("aten::sort", "norm", 900)
                if comm:
                    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("allreduce", comm)
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    op("aten::add_", "add", small)
                if memory:
                    m.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
                                     "pid": 4000 + m.number, "tid": machine.MAIN, "ts": machine.EPOCH + m.now,
                                     "args": {"Device Type": 1, "Device Id": m.number, "Addr": 1, "Bytes": memory,
                                              "Total Allocated": memory, "Total Reserved": memory}})
                m.synchronize()
    return program


def ops_program(ops, steps=STEPS):
    """Iterations of ops: ops(step) gives (op, kernel, us, shape or None) one after another."""
    def run(m):
        for step in range(steps):
            with m.step(step):
                for name, kernel, duration, shape in ops(step):
                    inputs = {"Input Dims": shape, "Input type": ["float"] * len(shape)} if shape else {}
                    with m.within(name, **inputs):
                        m.quiet(1)
                        m.launch(kernel, duration)
                m.synchronize()
            yield from ()
    return run
