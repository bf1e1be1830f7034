"""Which process this is: its rank in the job, and what of it the manifest names."""
import os
import sys

_RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK")
_LOCAL_RANK = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID")
_WORLD_SIZE = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "PMI_SIZE")


def _number(names):
    for name in names:
        text = os.environ.get(name, "")
        if text.isdigit():
            return int(text)
    return None


def rank_of_launcher():
    """The rank that torchrun, mpirun or srun gave this process, or None."""
    return _number(_RANK)


class Place:
    """The rank of this process and the size of its job; None where they are not known."""

    def __init__(self):
        self.rank = rank_of_launcher()
        self.local_rank = _number(_LOCAL_RANK)
        self.world_size = _number(_WORLD_SIZE)

    def update(self, torch):
        """Takes rank and size from torch.distributed while it runs: it knows them also where no launcher does."""
        distributed = getattr(torch, "distributed", None)
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            self.rank = distributed.get_rank()
            self.world_size = distributed.get_world_size()


def file_name(place, suffix):
    return "rank%05d.%d.%s" % (place.rank or 0, os.getpid(), suffix)


def device(torch):
    """The kind of device that this process uses: "cuda", "xpu" or "cpu". Never initialises one.

    A process that has initialised CUDA cannot fork processes that use it.
    """
    if torch.cuda.is_initialized():
        return "cuda"
    xpu = getattr(torch, "xpu", None)
    if xpu is not None and hasattr(xpu, "is_initialized") and xpu.is_initialized():
        return "xpu"
    return "cpu"


def device_for_all_to_come(torch):
    """As `device`, before the program has used one: that which it could use."""
    used = device(torch)
    if used == "cpu" and torch.cuda.is_available():
        return "cuda"
    return used


def description(torch, place):
    """What the manifest says of every process. Nothing of the environment, no arguments of the command line."""
    return {"tool": "torch", "tool_version": str(torch.__version__),
            "python": "%d.%d.%d" % sys.version_info[:3], "host": os.uname().nodename, "pid": os.getpid(),
            "rank": place.rank, "local_rank": place.local_rank, "world_size": place.world_size}
