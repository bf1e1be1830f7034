"""Traces written op by op, for tests that know what they wrote: one host thread whose framework ops launch kernels."""
import contextlib
import json


class Trace:
    """Times are whole microseconds. The device works through each stream in the order of the launches."""

    def __init__(self):
        self.events = []
        self.now = 1000
        self.free = {}  # by stream, when it is
        self.correlation = 0

    def slice(self, category, name, start, end, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": end - start, "args": args})
        return self.events[-1]

    @contextlib.contextmanager
    def op(self, name, dims=(), values=None, category="cpu_op"):
        args = {}
        if category == "cpu_op":
            types = ["" if not d else "c10::BFloat16" for d in dims]
            args = {"Input Dims": list(dims), "Input type": types, "Concrete Inputs": values or [""] * len(dims)}
        event = self.slice(category, name, self.now, self.now, **args)
        self.now += 1
        yield
        self.now += 1
        event["dur"] = self.now - event["ts"]
        self.now += 1

    def launch(self, kernel, us, stream=7, category="kernel", call="cudaLaunchKernel", **args):
        """Returns the start and end of the device op."""
        self.correlation += 1
        self.slice("cuda_runtime", call, self.now, self.now + 2, correlation=self.correlation)
        start = max(self.now + 3, self.free.get(stream, 0))
        self.free[stream] = start + us
        event = {"ph": "X", "cat": category, "name": kernel, "pid": 0, "tid": stream, "ts": start, "dur": us,
                 "args": dict(args, device=0, stream=stream, correlation=self.correlation)}
        self.events.append(event)
        self.now += 3
        return start, start + us

    def launched_op(self, name, dims, kernel, us, values=None, **where):
        """An op with one kernel, or none where `us` is 0. Returns the duration of the kernel."""
        with self.op(name, dims, values):
            if us:
                self.launch(kernel, us, **where)
        return us

    @contextlib.contextmanager
    def step(self, number):
        with self.op("ProfilerStep#%d" % number, category="user_annotation"):
            yield

    def write(self, path):
        with open(path, "w", encoding="utf-8") as handle:
            json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
                       "traceEvents": self.events}, handle)
        return path
