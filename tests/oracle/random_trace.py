"""Small random traces, full of ties, overlaps, zero lengths and half nanoseconds, to hold the tool against the oracle.

Nothing in them is plausible; everything in them is well defined by docs/definitions.md.
"""
import json
import os
import random

OPS = ("aten::add", "aten::mm", "aten::linear", "aten::copy_", "autograd::engine", "gc.collect",
       "enumerate(DataLoader)#_Iter.__next__")
ANNOTATIONS = ("forward", "backward", "enumerate(DataLoader)#_Iter.__next__", "Optimizer.step#SGD.step",
               "nccl:all_reduce", "cudaDeviceSynchronize", "gloo:all_reduce", "MPI_Barrier", "MPI_Isend", "MPI_Recv")
FRAMES = ("train.py(1): main", "torch/cuda/__init__.py(9): synchronize", "gc: collecting",
          "<built-in method acquire of _thread.lock object at 0x7f>", "torch/utils/data/dataloader.py(5): DataLoader")
IDLE_CALLS = ("cudaDeviceSynchronize", "cudaStreamSynchronize_v3020", "cudaMalloc", "cudaFree", "cudaHostAlloc",
              "cuModuleLoadData", "cudaEventRecord", "cudaLaunchKernel", "hipDeviceSynchronize", "cuMemAlloc_v2")
LAUNCHES = ("cudaLaunchKernel", "cudaLaunchKernel_ptsz", "cudaLaunchKernelExC_v11060", "cuLaunchKernel",
            "hipModuleLaunchKernel", "cudaMemcpyAsync", "cudaMemcpy", "hipMemcpyWithStream", "cudaGraphLaunch",
            "cudaMemsetAsync")
KERNELS = ("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)", "sm90_gemm_tn",
           "_Z3addPfS_i", "ampere_sgemm_128x64_nn", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
           "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)", "__amd_rocclr_copyBuffer",
           "__amd_rocclr_fillBufferAligned", "void (anonymous namespace)::softmax_warp_forward<float>(float*)")
COPIES = ("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pinned)",
          "Memcpy DtoD (Device -> Device)")
COLLECTIVES = ({}, {}, {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000,
                        "Out msg nelems": 1000, "Group size": 4, "Process Group Name": "0"},
               {"Collective name": "_allgather_base", "dtype": "BFloat16", "In msg nelems": 16, "Out msg nelems": 64,
                "Group size": 4, "Process Group Name": "1"},
               {"Collective name": "allreduce", "Process Group Name": "2", "Seq": 3},
               {"Collective name": "allreduce", "Process Group Name": "2", "Seq": 4})


# The names of 2021.
OLD = {"cpu_op": "Operator", "user_annotation": "Operator", "cuda_runtime": "Runtime", "kernel": "Kernel",
       "gpu_memcpy": "Memcpy", "gpu_memset": "Memset"}


class RandomTrace:
    """`rank` in a run of `ranks`; the ranks of a run share a seed and thereby the clock."""

    def __init__(self, seed, rank=0, ranks=1):
        self.random = random.Random(seed)
        self.rank, self.ranks = rank, ranks
        self.old = self.random.random() < 0.25
        self.fine = self.random.random() < 0.5        # half nanoseconds, else whole microseconds
        self.length = self.random.choice((20, 60, 300))
        # (baseTimeNanoseconds, microseconds before the first event): Unix time or, for one rank, any other clock
        clocks = [(1700000000000000000, 0), (None, 1623212388427612)] + [(None, 0), (0, 0)] * (ranks == 1)
        self.base, self.offset = self.random.choice(clocks)
        self.events = []
        self.correlation = 0
        self.random.seed("%s %s" % (seed, rank))
        self.host = self.pick((None, "node-0", "node-0", "node-1"))

    def pick(self, values):
        return self.random.choice(values)

    def number(self, units):
        """`units` of half a nanosecond, or of a microsecond, in one of the spellings that profilers use."""
        if not self.fine:
            return self.pick(("%d", "%d", "%d.000", '"%d"')) % units
        whole, rest = divmod(units, 2000)
        return self.pick(("%d.%04d", "%d.%04d", "%d.%04d0", '"%d.%04d"')) % (whole, rest * 5)

    def time(self):
        most = self.length * (2000 if self.fine else 1)
        return self.random.randrange(most) if self.random.random() < 0.9 else self.random.randrange(5)

    def duration(self, most=None):
        most = (most or self.length // 2) * (2000 if self.fine else 1)
        return self.random.choice((0, 1, self.random.randrange(1 + most), self.random.randrange(1 + most // 8)))

    def add(self, phase, category, name, process, thread, start, duration, arguments=None):
        offset = self.offset * (2000 if self.fine else 1)
        fields = ['"ph": %s' % json.dumps(phase), '"name": %s' % json.dumps(name), '"pid": %s' % json.dumps(process),
                  '"tid": %s' % json.dumps(thread), '"ts": %s' % self.number(start + offset)]
        if category is not None:
            fields.append('"cat": %s' % json.dumps(OLD.get(category, category) if self.old else category))
        if duration is not None:
            fields.append('"dur": %s' % self.number(duration))
        if arguments is not None:
            fields.append('"args": %s' % json.dumps(arguments))
        self.random.shuffle(fields)
        self.events.append("{%s}" % ", ".join(fields))

    def host_slice(self):
        kind = self.random.random()
        thread = self.pick((71, 72))
        if kind < 0.35:
            self.add("X", "cpu_op", self.pick(OPS), 70, thread, self.time(), self.duration(), {"External id": 5})
        elif kind < 0.55:
            self.add("X", "user_annotation", self.pick(ANNOTATIONS), 70, thread, self.time(), self.duration())
        elif kind < 0.7:
            self.add("X", "python_function", self.pick(FRAMES), 70, thread, self.time(), self.duration())
        elif kind < 0.95:
            self.correlation += 1
            self.add("X", "cuda_runtime", self.pick(IDLE_CALLS), 70, thread, self.time(), self.duration(10),
                     {"correlation": self.correlation})
        else:
            self.add("X", "overhead", "Activity Buffer Request", -1, 0, self.time(), self.duration(6))

    def device_op(self, start, correlation):
        device = self.pick((0, 0, 1))
        arguments = {"device": device, "stream": self.pick((7, 7, 20)), "correlation": correlation}
        kind = self.random.random()
        if kind < 0.7:
            name, category = self.pick(KERNELS), "kernel"
            if name.startswith("nccl"):
                arguments.update(self.pick(COLLECTIVES))
        else:
            name, category = (self.pick(COPIES), "gpu_memcpy") if kind < 0.9 else ("Memset (Device)", "gpu_memset")
            if self.random.random() < 0.8:
                arguments["bytes"] = self.random.randrange(5000)
        thread = "stream %d" % arguments["stream"] if self.old else arguments["stream"]
        for spare in ("device", "stream"):  # also said by the process and the thread
            if self.random.random() < 0.1:
                del arguments[spare]
        self.add("X", category, name, device, thread, start, self.duration(8), arguments)

    def launch(self):
        self.correlation += 1
        thread, start, length = self.pick((71, 71, 72)), self.time(), self.duration(5)
        category = self.pick(("cuda_runtime", "cuda_runtime", "cuda_driver"))
        self.add("X", category, self.pick(LAUNCHES), 70, thread, start, length, {"correlation": self.correlation})
        if self.random.random() < 0.15 and length > 2:  # the same launch one layer below
            self.add("X", "cuda_driver", "cuLaunchKernelEx", 70, thread, start + 1, length - 2,
                     {"correlation": self.correlation})
        for _ in range(self.pick((1, 1, 1, 2, 3))):
            late = self.random.random() < 0.9
            self.device_op(max(0, start + self.duration(12) * (1 if late else -1)), self.correlation)

    def steps(self):
        unit = 2000 if self.fine else 1
        time = self.random.randrange(1 + self.length // 4) * unit
        for step in range(self.pick((0, 1, 3))):
            length = self.random.randrange(1, 2 + self.length // 4) * unit
            self.add("X", "user_annotation", "ProfilerStep#%d" % step, 70, 71, time, length)
            time += length + self.pick((0, 0, unit))

    def others(self):
        self.add("M", None, "process_name", 70, 0, 0, None, {"name": "python"})
        self.add("C", "counters", "GPU 0 Utilization", 0, 0, 1, None, {"utilization": 50})
        self.add("s", "ac2g", "ac2g", 70, 71, 1, None)
        self.add("f", "ac2g", "ac2g", 0, 7, 2, None)
        self.add("i", None, "Record Window End", "", "", 3, None)
        self.add("X", "cuda_sync", "Context Sync", 0, 7, self.time(), self.duration(), {"device": 0, "stream": 7})
        self.add("X", "gpu_user_annotation", "forward", 0, 7, self.time(), self.duration())
        for _ in range(self.random.randrange(4)):
            device = self.pick((-1, 0, 1))
            self.add("i", "cpu_instant_event", "[memory]", 70, 71, self.time(), None,
                     {"Device Type": 0 if device < 0 else 1, "Device Id": device,
                      "Bytes": self.random.randrange(-512, 512), "Total Allocated": self.random.randrange(9999),
                      "Total Reserved": self.random.randrange(9999)})

    def text(self):
        size = self.pick((1, 8, 40))
        for _ in range(self.random.randrange(2 * size)):
            self.host_slice()
        for _ in range(self.random.randrange(1, 1 + size)):
            self.launch()
        for _ in range(self.pick((0, 0, 2))):
            self.device_op(self.time(), 900000 + self.random.randrange(100))  # its call was not recorded
        self.steps()
        self.others()
        self.random.shuffle(self.events)
        fields = ['"schemaVersion": 1', '"traceEvents": [%s]' % ",\n".join(self.events)]
        if self.ranks > 1:
            fields.append('"distributedInfo": {"rank": %d, "world_size": %d}' % (self.rank, self.ranks))
        if self.host is not None:
            fields.append('"host_name": "%s"' % self.host)
        if self.base is not None:
            fields.append('"baseTimeNanoseconds": %d' % self.base)
        self.random.shuffle(fields)
        return "{%s}\n" % ", ".join(fields)


def write(folder, seed):
    """Writes the traces of a run of one to three ranks; returns their paths."""
    ranks = random.Random(seed).choice((1, 1, 1, 1, 2, 3))
    paths = []
    for rank in range(ranks):
        paths.append(os.path.join(folder, "random_%d_of_%d.json" % (rank, ranks)))
        with open(paths[-1], "w", encoding="utf-8") as handle:
            handle.write(RandomTrace(seed, rank, ranks).text())
    return paths
