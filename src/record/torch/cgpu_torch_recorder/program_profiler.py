"""A profiler that the program itself starts. PyTorch has one at a time, and the program's comes first."""
import functools
import weakref


class ProgramProfiler:
    """Knows whether the program has a profiler that records or warms up, and calls on_start() before one begins."""

    def __init__(self, torch, patches, on_start):
        self._torch = torch
        self._on_start = on_start
        self._latest = lambda: None
        self._paused = False
        profiler = torch.autograd.profiler
        patches.replace(profiler.profile, "_prepare_trace", self._watch)
        for name in ("emit_nvtx", "emit_itt"):
            if hasattr(profiler, name):
                patches.replace(getattr(profiler, name), "__enter__", self._watch)

    def _watch(self, original):
        @functools.wraps(original)
        def start(profiler, *args, **kwargs):
            if not self._paused:
                self._latest = weakref.ref(profiler)
                self._on_start()
            return original(profiler, *args, **kwargs)
        return start

    def not_this_one(self, call):
        """Runs call(), which starts the recorder's own."""
        self._paused = True
        try:
            call()
        finally:
            self._paused = False

    def is_active(self):
        latest = self._latest()
        prepared = latest is not None and getattr(latest, "kineto_results", self) is None
        in_any_thread = getattr(self._torch.autograd.profiler, "_is_profiler_enabled", False)
        return bool(prepared or in_any_thread or self._torch.autograd._profiler_enabled())
