"""Steps for a profiler outside of the program, such as Nsight Systems with --capture-range=cudaProfilerApi: it records between
cudaProfilerStart and cudaProfilerStop, and sees the marks of steps as NVTX ranges."""


class Capture:
    """The same calls as Profile (profile.py). The profiler outside writes the file."""

    device_ops = None  # not known here

    def __init__(self, torch, device):
        if device != "cuda":
            raise NoDevice
        self._cuda = torch.cuda
        self._mark = None

    def prepare(self):
        """The profiler outside warms up by itself."""

    def start(self):
        self._cuda.profiler.start()

    def mark_step(self, number):
        self.end_mark()
        # Neither pushed nor popped: a step may end within a range of the program's, and those nest.
        if hasattr(self._cuda.nvtx, "range_start"):
            self._mark = self._cuda.nvtx.range_start("ProfilerStep#%d" % number)

    def end_mark(self):
        if self._mark is not None:
            self._cuda.nvtx.range_end(self._mark)
            self._mark = None

    def stop(self):
        """Ends the recording behind the device work of its steps. The mark of a step that has not ended stays open."""
        try:
            self._cuda.synchronize()
        except RuntimeError:
            pass  # an error of the program's, which meets it later
        self._cuda.profiler.stop()

    @staticmethod
    def write(*_):
        return True


class NoDevice(Exception):
    """The program has not used CUDA."""
