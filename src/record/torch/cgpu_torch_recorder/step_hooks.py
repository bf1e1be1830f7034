"""The events that end steps, but the forward of a module: optimizers, ranges, steps of frameworks, replays of CUDA graphs.

`on_step(strength, owner, name)` is called when one ends. Where a function is wrapped, its error passes one frame more. So
optimizers and ranges are seen by the end of the record_function that PyTorch has around them, which no error passes.
"""
import functools
import sys
import threading

from . import import_hook
from .steps import FRAMEWORK, OPTIMIZER, RANGE, REPLAY

# Module, class (None: a function of the module), function: what a framework calls once a step.
FRAMEWORKS = (
    ("transformers.trainer_callback", "CallbackHandler", "on_step_end"),  # after the optimizer, not per accumulated batch
    ("lightning.pytorch.loops.training_epoch_loop", "_TrainingEpochLoop", "advance"),  # a batch
    ("pytorch_lightning.loops.training_epoch_loop", "_TrainingEpochLoop", "advance"),
    ("deepspeed.runtime.engine", "DeepSpeedEngine", "_take_model_step"),  # step() is called per accumulated batch
    ("megatron.training.training", None, "train_step"),
    ("vllm.v1.worker.gpu_worker", "Worker", "execute_model"),
    ("sglang.srt.managers.scheduler", "Scheduler", "run_batch"),
)
_OPTIMIZER = "Optimizer.step#"  # how torch.optim names the record_function around a step, since 1.8


def install(torch, patches, on_call, on_step, ranges):
    """Watches the events; with `ranges` the ends of ranges of that name alone. on_call(): another range has ended."""
    record_function = torch.autograd.profiler.record_function
    if ranges:
        patches.replace(record_function, "__exit__", lambda original: _watch_range(original, on_call, on_step, ranges))
        _watch_nvtx(torch.cuda.nvtx, patches, on_step, ranges)
        return
    patches.replace(record_function, "__exit__", lambda original: _watch_optimizers(original, on_step))
    graph = getattr(torch.cuda, "CUDAGraph", None)
    if graph is not None and hasattr(graph, "replay"):
        patches.replace(graph, "replay", lambda original: _watch_replays(original, on_step))
    for module, owner, function in FRAMEWORKS:
        import_hook.when_imported(module, functools.partial(_watch_framework, patches, on_step, owner, function))


# functools.wraps is more than a courtesy for __exit__: TorchScript compiles the source that __wrapped__ leads to.
def _watch_optimizers(original, on_step):
    @functools.wraps(original)
    def __exit__(self, exc_type, exc_value, traceback):
        result = original(self, exc_type, exc_value, traceback)
        if exc_type is None and self.name.startswith(_OPTIMIZER):
            on_step(OPTIMIZER, _optimizer_of(sys._getframe(1)), "optimizer " + self.name[len(_OPTIMIZER):])
        return result
    return __exit__


def _optimizer_of(frame):
    """The optimizer whose step has ended: the first argument of PyTorch's wrapper around its `step`."""
    arguments = frame.f_locals.get("args")
    return arguments[0] if arguments else None


def _watch_range(original, on_call, on_step, name):
    @functools.wraps(original)
    def __exit__(self, exc_type, exc_value, traceback):
        result = original(self, exc_type, exc_value, traceback)
        if self.name == name:
            on_step(RANGE, None, "range " + name)
        else:
            on_call()
        return result
    return __exit__


def _watch_nvtx(nvtx, patches, on_step, name):
    """torch.cuda.nvtx.range calls range_push and range_pop too."""
    open_ranges = threading.local()

    def push(original):
        @functools.wraps(original)
        def range_push(msg):
            result = original(msg)
            open_ranges.__dict__.setdefault("names", []).append(msg)
            return result
        return range_push

    def pop(original):
        @functools.wraps(original)
        def range_pop():
            result = original()
            names = open_ranges.__dict__.get("names")
            if names and names.pop() == name:
                on_step(RANGE, None, "range " + name)
            return result
        return range_pop

    patches.replace(nvtx, "range_push", push)
    patches.replace(nvtx, "range_pop", pop)


def _watch_replays(original, on_step):
    """A graph that is replayed once may have been tried out; that which is replayed again first is the program's."""
    replayed = set()

    @functools.wraps(original)
    def replay(self):
        result = original(self)
        if id(self) in replayed:
            on_step(REPLAY, self, "replay of a CUDA graph")
        replayed.add(id(self))
        return result
    return replay


def _watch_framework(patches, on_step, owner_name, function_name, module):
    owner = getattr(module, owner_name, None) if owner_name else module
    if not hasattr(owner, function_name):
        return  # another version, whose optimizer or forward is the step
    name = "%s %s" % (module.__name__.split(".")[0], ".".join(filter(None, (owner_name, function_name))))

    def watch(original):
        @functools.wraps(original)
        def step(*args, **kwargs):
            result = original(*args, **kwargs)
            on_step(FRAMEWORK, args[0] if owner_name and args else None, name)
            return result
        return step

    patches.replace(owner, function_name, watch)
