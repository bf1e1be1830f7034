"""A small machine that runs built programs and writes what a profiler would have seen as Kineto JSON: host threads, the
streams of a device each, and collectives of several ranks. It shares no code with tests/builder, whose traces say nothing
of what a change would do; here a program can be run once more without what slows it down.

All times are whole microseconds. A launch takes 5 us of its thread; an op begins 6 us after its launch has begun at the
earliest, and 1 us after the op before it in its stream has ended; a wait returns 2 us after what it waits for.
"""
import contextlib
import json
import os

LAUNCH, TO_DEVICE, GAP, RETURN = 5, 6, 1, 2
PINNED, PAGEABLE = 25000, 6000  # bytes a us: 25 and 6 GB/s
QUEUE = 1024                    # launches that have not ended
COPY_STARTS = 2                 # of every copy
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel"
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)"
DEVICE = "NVIDIA H100 80GB HBM3"
MAIN = 100
MAIN_STREAM, COPY_STREAM, COMM_STREAM = 7, 14, 20
EPOCH = 1700000000000000  # us


class Rank:
    """One process with one device. `now` is the time of the thread that runs."""

    def __init__(self, number=0, ranks=1):
        self.number, self.ranks = number, ranks
        self.now, self.thread = 1000, MAIN
        self.busy_until = {}
        self.events, self.correlation, self.sequence = [], 0, {}
        self.allocated, self.queue = 0, []  # bytes; when the first op of each launch ends
        self.marks = []  # (number, begin, end), as marked
        self.launches = []  # (begin of the call, end of the op)
        self.graph, self.named = None, False  # while one is captured: its kernels (name, duration); whether calls name them

    # Host.

    def event(self, category, name, start, duration, thread=None, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 4000 + self.number,
                            "tid": thread or self.thread, "ts": EPOCH + start, "dur": duration, "args": arguments})

    def host(self, name, duration, category="python_function"):
        if duration > 0:
            self.event(category, name, self.now, duration)
            self.now += duration

    def quiet(self, duration):
        """Host time of which the profile shows nothing."""
        self.now += duration

    def call(self, name, duration, **arguments):
        self.correlation += 1
        self.event("cuda_runtime", name, self.now, duration, correlation=self.correlation, **arguments)
        self.now += duration
        return self.correlation

    @contextlib.contextmanager
    def within(self, name, category="cpu_op", **arguments):
        begin = self.now
        yield
        self.event(category, name, begin, self.now - begin, **arguments)

    @contextlib.contextmanager
    def step(self, number):
        begin = self.now
        yield
        self.event("user_annotation", "ProfilerStep#%d" % number, begin, self.now - begin)
        self.marks.append((number, begin, self.now))

    # Device.

    def begin_of(self, stream, launched):
        return max(launched + TO_DEVICE, self.busy_until.get(stream, 0) + GAP)

    def run_op(self, category, name, start, duration, stream, correlation, launched, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": self.number, "tid": stream,
                            "ts": EPOCH + start, "dur": duration,
                            "args": dict(arguments, device=self.number, stream=stream, correlation=correlation)})
        self.busy_until[stream] = start + duration
        if not self.launches or self.launches[-1][0] != launched:
            self.queue.append(start + duration)  # a graph is one
        self.launches.append((launched, start + duration))

    def launch(self, kernel, duration, stream=MAIN_STREAM, takes=LAUNCH, late=0, traced=True, blocks=132):
        """`late`: how much later than it could the op begins, for no reason that a profile shows. A launch into a full queue
        returns when an op has ended and made room. While a graph is captured nothing runs."""
        launched = self.now
        if self.graph is not None:
            self.call("cudaLaunchKernel", takes, **({"kernel": kernel} if self.named else {}))
            self.graph.append((kernel, duration))
            return
        if len(self.queue) >= QUEUE and self.queue[-QUEUE] > launched:
            takes = max(takes, self.queue[-QUEUE] + RETURN - launched)
        start = self.begin_of(stream, launched) + late
        if traced:
            correlation = self.call("cudaLaunchKernel", takes)
        else:
            self.correlation += 1
            correlation = self.correlation
            self.now += takes
        self.run_op("kernel", kernel, start, duration, stream, correlation, launched, grid=[blocks, 1, 1], block=[256, 1, 1])

    @contextlib.contextmanager
    def capture(self, named=False):
        """What is launched in it becomes a graph, for launch_graph(). `named`: calls say which kernel, as of AMD devices."""
        self.call("cudaStreamBeginCapture", 2)
        self.graph, self.named = [], named
        yield self.graph
        self.graph = None
        self.call("cudaStreamEndCapture", 2)

    def launch_graph(self, kernels, stream=MAIN_STREAM):
        """Kernels (name, duration) that one call launches."""
        launched = self.now
        correlation = self.call("cudaGraphLaunch", 8)
        for kernel, duration in kernels:
            self.run_op("kernel", kernel, self.begin_of(stream, launched), duration, stream, correlation, launched,
                        grid=[132, 1, 1], block=[256, 1, 1])

    def copy(self, direction, size, pinned=True, blocks=False, stream=MAIN_STREAM):
        """A copy of pageable memory blocks although it is called async."""
        launched = self.now
        start = self.begin_of(stream, launched)
        duration = COPY_STARTS + size // (PINNED if pinned else PAGEABLE)
        waits = blocks or not pinned
        takes = start + duration + RETURN - launched if waits else LAUNCH
        correlation = self.call("cudaMemcpy" if blocks else "cudaMemcpyAsync", takes)
        host = "Pinned" if pinned else "Pageable"
        ends = {"HtoD": (host, "Device"), "DtoH": ("Device", host), "DtoD": ("Device", "Device")}[direction]
        self.run_op("gpu_memcpy", "Memcpy %s (%s -> %s)" % ((direction,) + ends), start, duration, stream, correlation,
                    launched, bytes=size)

    def memory(self, allocated, reserved):
        """What the allocator of the device holds from now on, bytes."""
        self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 4000 + self.number,
                            "tid": self.thread, "ts": EPOCH + self.now,
                            "args": {"Addr": 1, "Bytes": allocated - self.allocated, "Device Type": 1,
                                     "Device Id": self.number, "Total Allocated": allocated, "Total Reserved": reserved}})
        self.allocated = allocated

    def synchronize(self, stream=None):
        """Waits for a stream, or for all."""
        done = max(self.busy_until.values(), default=0) if stream is None else self.busy_until.get(stream, 0)
        self.call("cudaDeviceSynchronize" if stream is None else "cudaStreamSynchronize",
                  max(self.now, done) + RETURN - self.now)

    def order(self, stream, after):
        """`stream` goes on after what `after` has now."""
        recorded = self.call("cudaEventRecord", 1)
        waited = self.call("cudaStreamWaitEvent", 1)
        begin = self.busy_until.get(stream, 0)
        end = max(begin, self.busy_until.get(after, 0))
        self.events.append({"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": self.number, "tid": stream,
                            "ts": EPOCH + max(begin, self.now), "dur": max(0, end - max(begin, self.now)),
                            "args": {"device": self.number, "stream": stream, "wait_on_stream": after,
                                     "wait_on_cuda_event_record_corr_id": recorded, "correlation": waited}})
        self.busy_until[stream] = end

    # Together.

    def collective(self, name, duration, stream=COMM_STREAM, group="0", members=None, size=1 << 20):
        """To be yielded by the program; it begins when its stream allows, and ends on all members at once, `duration`
        after the last of them has begun."""
        launched = self.now
        return {"rank": self, "name": name, "duration": duration, "stream": stream, "group": group, "size": size,
                "members": members or list(range(self.ranks)), "start": self.begin_of(stream, launched),
                "launched": launched, "correlation": self.call("cudaLaunchKernel", LAUNCH)}

    # What it took.

    def steps(self):
        """[(begin, end)]: a step lasts until the last op launched within its mark has ended."""
        steps = []
        for _, begin, end in sorted(self.marks):
            begin = max([begin] + [steps[-1][1]] if steps else [begin])
            ends = [done for launched, done in self.launches if begin <= launched < end]
            steps.append((begin, max([end] + ends)))
        return steps


KERNEL_OF = {"allreduce": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
             "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
             "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"}


def run(program, ranks=1):
    """Runs program(rank), a function that may yield collectives, on every rank; returns the ranks."""
    machines = [Rank(number, ranks) for number in range(ranks)]
    running = {m.number: iter(program(m) or ()) for m in machines}
    asked = {}
    while running or asked:
        for number in list(running):
            if number in asked:
                continue
            try:
                asked[number] = next(running[number])
            except StopIteration:
                del running[number]
        done = set()
        for number, one in sorted(asked.items()):
            if number in done or not all(m in asked and asked[m]["group"] == one["group"] for m in one["members"]):
                continue
            together = [asked[m] for m in one["members"]]
            end = max(part["start"] for part in together) + one["duration"]
            for part in together:
                rank = part["rank"]
                sequence = rank.sequence[part["group"]] = rank.sequence.get(part["group"], 0) + 1
                rank.run_op("kernel", KERNEL_OF[part["name"]], part["start"], end - part["start"], part["stream"],
                            part["correlation"], part["launched"], **{
                                "Collective name": part["name"], "dtype": "BFloat16", "In msg nelems": part["size"] // 2,
                                "Out msg nelems": part["size"] // 2, "Group size": len(part["members"]), "Seq": sequence,
                                "Process Group Name": part["group"], "Process Group Ranks": str(part["members"])})
                done.add(rank.number)
        if asked and not done:
            raise RuntimeError("ranks wait for each other: %s" % sorted(asked))
        for number in done:
            del asked[number]
    return machines


def in_one_process(machines):
    """The profile of a process with a thread and a device for each of these, whose first thread has the marks."""
    together = Rank()
    together.marks = machines[0].marks
    for m in machines:
        offset = together.correlation
        for event in m.events:
            if m.number > 0 and event["name"].startswith("ProfilerStep#"):
                continue
            event = dict(event, args=dict(event["args"]))
            if event["pid"] >= 4000:  # of the host
                event.update(pid=4000, tid=event["tid"] + m.number)
            if "correlation" in event["args"]:
                event["args"]["correlation"] += offset
            together.events.append(event)
        together.correlation += m.correlation
    return [together]


def measured(machines, first=0):
    """us of the steps from `first` on, each until the last rank has ended it, from when the one before ended."""
    total, before = 0, None
    for step, parts in enumerate(zip(*(m.steps() for m in machines))):
        begin, end = min(b for b, _ in parts), max(e for _, e in parts)
        if before is not None:
            begin = max(begin, before)
        before = end
        if step >= first:
            total += end - begin
    return total


def write(machines, folder, capability=(9, 0), groups=None, device=DEVICE):
    """Paths of the traces, one a rank, of devices of this name and compute capability. groups(rank): what its profile says of its
    process groups, as PyTorch writes it."""
    paths = []
    for m in machines:
        path = os.path.join(folder, "rank%d.json" % m.number)
        trace = {"schemaVersion": 1, "traceEvents": m.events,
                 "deviceProperties": [{"id": m.number, "name": device, "computeMajor": capability[0],
                                       "computeMinor": capability[1], "numSms": 132, "totalGlobalMem": 84000000000}]}
        if m.ranks > 1:
            trace["distributedInfo"] = {"backend": "nccl", "rank": m.number, "world_size": m.ranks}
            if groups:
                trace["distributedInfo"]["pg_config"] = groups(m)
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(trace, handle)
        paths.append(path)
    return paths
