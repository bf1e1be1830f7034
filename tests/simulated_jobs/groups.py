"""Ranks that meet: collectives and messages of devices (NCCL), and of hosts (MPI, gloo)."""
import collections

from .events import Signal

KERNELS = {"allreduce": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "_reduce_scatter_base": "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "all_to_allv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
           "broadcast": "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
           "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"}


class Meeting:
    """Ends on all members at once, `duration` after the last has come."""

    def __init__(self, simulation, members, duration):
        self.missing, self.duration, self.all_here = members, duration, Signal(simulation)

    def attend(self, op=None):
        self.missing -= 1
        if self.missing == 0:
            self.all_here.set()
        else:
            yield self.all_here
        yield self.duration


class Group:
    """Ranks of collectives of one kind. The k-th meeting of a member is the k-th of all."""

    def __init__(self, simulation, name, members, rate=100.0, latency=15_000):
        """`rate`: bytes a ns."""
        self.simulation, self.name, self.members, self.rate, self.latency = simulation, name, list(members), rate, latency
        self._meetings, self._turns = {}, collections.Counter()

    def takes(self, size):
        return self.latency + int(size / self.rate)

    def meeting(self, member, duration, key="all", members=None):
        """`key`: what is counted by itself, as the messages between two ranks."""
        turn = self._turns[key, member]
        self._turns[key, member] += 1
        if (key, turn) not in self._meetings:
            self._meetings[key, turn] = Meeting(self.simulation, members or len(self.members), duration)
        return self._meetings[key, turn], turn

    def collective(self, thread, name, size, stream=20, call="cudaLaunchKernelExC", free=False):
        """A thread launches its part of one. `free`: it takes no time but waits."""
        rank = thread.process.rank
        meeting, turn = self.meeting(rank, 1000 if free else self.takes(size))
        with thread.within("cpu_op", "c10d::%s_" % name.strip("_")):
            yield from thread.quiet(9000)
            with thread.within("cpu_op", "record_param_comms"):
                yield from thread.quiet(4000)
                return (yield from thread.launch(KERNELS[name], 0, stream, 24, call, meeting=meeting,
                                                 **self.description(name, size, turn)))

    def message(self, thread, name, partner, size, stream):
        """A send or receive; one stream a pair, as PyTorch has."""
        rank = thread.process.rank
        pair = (rank, partner) if name == "send" else (partner, rank)
        meeting, turn = self.meeting(rank, self.takes(size), pair, 2)
        ends = {"Src Rank": pair[0], "Dst Rank": pair[1]}
        with thread.within("cpu_op", "c10d::%s" % name):
            yield from thread.quiet(9000)
            return (yield from thread.launch(KERNELS[name], 0, stream, 2, "cudaLaunchKernelExC", meeting=meeting,
                                             **dict(self.description(name, size, turn), **ends)))

    def description(self, name, size, turn):
        return {"Collective name": name, "dtype": "BFloat16", "In msg nelems": size // 2, "Out msg nelems": size // 2,
                "Group size": len(self.members), "Process Group Name": self.name, "Process Group Ranks": str(self.members),
                "Seq": turn}

    def on_hosts(self, thread, category, name, duration=20_000):
        """A collective in which the hosts wait, of MPI or gloo."""
        begin = thread.now
        meeting, _ = self.meeting(thread.process.rank, duration, name)
        yield from meeting.attend()
        thread.note(category, name, begin)


class Mail:
    """Messages between hosts (MPI): sent in no time, there after their bytes have travelled."""

    def __init__(self, simulation, rate=10.0, latency=3000):
        self.simulation, self.rate, self.latency = simulation, rate, latency
        self._sent = collections.defaultdict(dict)

    def _message(self, source, target, turn):
        messages = self._sent[source, target]
        if turn not in messages:
            messages[turn] = Signal(self.simulation)
        return messages[turn]

    def _deliver(self, signal, size):
        yield self.latency + int(size / self.rate)
        signal.set()

    def post(self, thread, target, turn, size):
        yield from thread.work("mpi", "MPI_Isend", 2500)
        self.simulation.start(self._deliver(self._message(thread.process.rank, target, turn), size))

    def receive_all(self, thread, sources, turn, name="MPI_Waitall"):
        begin = thread.now
        for source in sources:
            signal = self._message(source, thread.process.rank, turn)
            if not signal.is_set:
                yield signal
        yield 1500
        thread.note("mpi", name, begin)
