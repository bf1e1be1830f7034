"""Traces for the notebooks that need several runs, or shapes on a GPU: a simulated training, not a recording.

One step multiplies the batch with the weights of six layers, forward and backward, sums up the gradients over the GPUs,
and updates. How long a kernel takes follows from its arithmetic and its traffic, with some noise, so that what an
analysis finds can be held against what was put in.
"""
import json
import pathlib
import random

DEVICE = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85_000_000_000, "computeMajor": 9,
          "computeMinor": 0, "numSms": 132}
PEAK_FLOPS, BANDWIDTH = 989e12, 3.35e12  # bf16, HBM
WIDTHS = (1024, 4096, 4096, 4096, 4096, 1024)


def matmul_us(m, k, n):
    """Two thirds of what the roofline allows, and 3 us to start."""
    return 3 + 1.5e6 * max(2 * m * k * n / PEAK_FLOPS, 2 * (m * k + k * n + m * n) / BANDWIDTH)


class Trace:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events = []
        self.host = self.device = 1000.0  # us
        self.launches = 0

    def slice(self, category, name, begin, duration, on_device=False, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0 if on_device else 1,
                            "tid": 7 if on_device else 1, "ts": round(begin, 3), "dur": round(duration, 3),
                            "args": arguments})

    def op(self, name, kernel, duration, shapes=None):
        """A framework op that launches one kernel."""
        self.launches += 1
        duration *= self.random.uniform(0.97, 1.03)
        begin, self.host = self.host, self.host + 12
        arguments = {"External id": self.launches}
        if shapes:
            arguments |= {"Input Dims": shapes, "Input type": ["c10::BFloat16"] * len(shapes)}
        self.slice("cpu_op", name, begin, 11, **arguments)
        self.slice("cuda_runtime", "cudaLaunchKernel", begin + 5, 4, correlation=self.launches,
                   **{"External id": self.launches})
        start = max(self.device, begin + 12)
        self.slice("kernel", kernel, start, duration, on_device=True, device=0, stream=7, correlation=self.launches,
                   **{"External id": self.launches})
        self.device = start + duration

    def step(self, number, batch, gpus):
        begin = self.host
        layers = list(zip(WIDTHS, WIDTHS[1:]))
        for k, n in layers:
            self.op("aten::mm", "sm90_gemm_bf16_128x128", matmul_us(batch, k, n), [[batch, k], [k, n]])
            self.op("aten::gelu", "vectorized_elementwise_kernel", 3 + 4e6 * batch * n / BANDWIDTH, [[batch, n]])
        for k, n in reversed(layers):
            self.op("aten::mm", "sm90_gemm_bf16_128x128", matmul_us(k, batch, n), [[k, batch], [batch, n]])
            self.op("aten::mm", "sm90_gemm_bf16_128x128", matmul_us(batch, n, k), [[batch, n], [n, k]])
        weights = sum(k * n for k, n in layers)
        if gpus > 1:
            ring = 2 * (gpus - 1) / gpus * 2 * weights / 450e9  # 450 GB/s of NVLink a direction
            self.op("nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 20 + 1e6 * ring)
        self.op("Optimizer.step", "multi_tensor_apply_kernel", 3 + 1e6 * 12 * weights / BANDWIDTH)
        end = max(self.host, self.device) + 20
        self.slice("user_annotation", "ProfilerStep#%d" % number, begin, end - begin)
        self.host = self.device = end


def write_run(path, batch, gpus=1, steps=5, seed=0):
    """A trace as PyTorch's profiler writes it, of one GPU of a training; returns its path as text."""
    trace = Trace(seed)
    for number in range(steps):
        trace.step(number, batch, gpus)
    document = {"schemaVersion": 1, "deviceProperties": [DEVICE], "traceEvents": trace.events}
    pathlib.Path(path).write_text(json.dumps(document), encoding="utf-8")
    return str(path)
