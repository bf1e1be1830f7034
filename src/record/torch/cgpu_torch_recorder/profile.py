"""PyTorch's profiler, the marks of the steps in its trace, and the file that the trace becomes."""
import gzip
import inspect
import os
import pickle

_OPTIONS = {"quick": {},
            "normal": {"record_shapes": True},
            "full": {"record_shapes": True, "with_stack": True, "profile_memory": True}}
_OPS = (b'"cpu_op"', b'"kernel"')  # categories: a trace with neither holds nothing
_DEVICE_OPS = (b'"kernel"', b'"gpu_memcpy"', b'"gpu_memset"')
_WITHOUT_STEP = "unfinished step"


class Profile:
    """One recording: prepare, start, mark_step as often as one begins, stop, write. All but write in one thread."""

    def __init__(self, torch, device, settings):
        profiler = torch.profiler
        activities = [profiler.ProfilerActivity.CPU]
        if device != "cpu":
            activities.append(getattr(profiler.ProfilerActivity, device.upper()))
        options = dict(_OPTIONS[settings.set])
        kind = profiler._KinetoProfile  # profile() without a schedule and without a count of steps shared with the program's
        if "acc_events" in inspect.signature(kind.__init__).parameters:
            options["acc_events"] = True  # PyTorch 2.9 to 2.11 warn without it
        self._torch = torch
        self._profiler = kind(activities=activities, **options)
        self.device_ops = 0  # in the trace that has been written
        self._mark = None
        self._last_mark = self._unfinished = None

    def prepare(self):
        self._profiler.prepare_trace()
        if hasattr(self._profiler.profiler, "acc_events"):
            self._profiler.profiler.acc_events = False  # else stopping makes a Python object of every event

    def start(self):
        self._profiler.start_trace()

    def mark_step(self, number):
        self.end_mark()
        self._last_mark = "ProfilerStep#%d" % number
        self._mark = self._torch.autograd.profiler.record_function(self._last_mark)
        self._mark.__enter__()

    def end_mark(self):
        if self._mark is not None:
            self._mark.__exit__(None, None, None)
            self._mark = None

    def stop(self):
        """Ends the recording. A step that is marked still has not ended, and is named so in the file."""
        self._unfinished = self._last_mark if self._mark is not None else None
        self.end_mark()
        self._profiler.stop_trace()

    def write(self, folder, name):
        """Writes the trace as folder/name, which appears there when it is whole. Returns whether it holds any op."""
        parts = os.path.join(folder, ".recorder")
        os.makedirs(parts, exist_ok=True)
        plain = os.path.join(parts, name + ".plain")
        compressed = os.path.join(parts, name)
        try:
            self._profiler.export_chrome_trace(plain)
            has_ops = self._compress(plain, compressed)
            if has_ops:
                os.replace(compressed, os.path.join(folder, name))
            return has_ops
        finally:
            for path in (plain, compressed):
                if os.path.exists(path):
                    os.remove(path)

    def _compress(self, plain, compressed):
        has_ops = False
        mark = renamed = b""
        if self._unfinished:
            mark = ('"%s"' % self._unfinished).encode()
            renamed = ('"%s"' % _WITHOUT_STEP).encode()
        with open(plain, "rb") as source, gzip.open(compressed, "wb", compresslevel=1) as target:
            for line in source:
                has_ops = has_ops or any(category in line for category in _OPS)
                self.device_ops += any(category in line for category in _DEVICE_OPS)
                target.write(line.replace(mark, renamed) if mark else line)
        return has_ops


class MemoryHistory:
    """The allocations of one step on a CUDA device, as torch.cuda.memory records them (2.1 or later)."""

    def __init__(self, torch):
        self._memory = torch.cuda.memory
        self._memory._record_memory_history(max_entries=1000000)

    @staticmethod
    def is_possible(torch):
        version = tuple(int(part) for part in str(torch.__version__).split(".")[:2])
        return version >= (2, 1)

    def write(self, folder, name):
        snapshot = self._memory._snapshot()
        self._memory._record_memory_history(enabled=None)
        parts = os.path.join(folder, ".recorder")
        os.makedirs(parts, exist_ok=True)
        with open(os.path.join(parts, name), "wb") as target:
            pickle.dump(snapshot, target)
        os.replace(os.path.join(parts, name), os.path.join(folder, name))
