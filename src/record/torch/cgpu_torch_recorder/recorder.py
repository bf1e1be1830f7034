"""When the recording of this process begins and ends.

WAITING for the steps to skip (or the delay), WARMING while the profiler warms up, RECORDING, HISTORY while CUDA's
allocations of one more step are recorded (set full), DONE. With a duration, there is no WARMING: a timer begins and ends
the recording, and the steps that are seen meanwhile are marked.
"""
import os
import sys
import threading
import time

from . import capture, endings, forward_hooks, import_hook, manifest, outcome, process, profile, program_profiler, settings, step_hooks
from .patches import Patches
from .steps import FORWARD, StepSources

WAITING, WARMING, RECORDING, HISTORY, DONE = range(5)


def start(torch):
    """Called when torch has been imported. Raises ValueError where CGPU_RECORD is wrong."""
    wanted = settings.read()
    if wanted is None:
        return
    recorder = Recorder(torch, wanted)
    if recorder.is_chosen_rank():
        recorder.install()


def _torch_is_being_imported():
    """Whether the profiler would find a part of PyTorch half imported: a timer interrupts the program anywhere."""
    return any(name.startswith("torch.") and getattr(getattr(module, "__spec__", None), "_initializing", False)
               for name, module in list(sys.modules.items()))


class Recorder:
    def __init__(self, torch, wanted):
        self._torch = torch
        self._settings = wanted
        self._place = process.Place()
        self._state = WAITING
        self._busy = False  # in the recorder's own code, which a signal may interrupt
        self._waiting_signal = None
        self._forked = False
        self._sources = StepSources()
        self._chosen = None  # the source whose steps are recorded
        self._profile = self._history = self._signals = self._timer = self._thread = None
        self._ending = False  # the duration is over, and the step that runs is recorded to its end
        self._outcome = outcome.Outcome(torch, wanted, self._place)
        self._patches = Patches()
        self._forward_hooks = None
        self._program_profiler = None
        self._begin_at = time.monotonic() + (wanted.delay_s or 0)
        self._end_at = None

    def is_chosen_rank(self):
        return self._settings.ranks is None or (self._place.rank or 0) in self._settings.ranks

    def install(self):
        self._program_profiler = program_profiler.ProgramProfiler(self._torch, self._patches, self._guard(self._give_way))
        on_step = self._guard(self._on_step)
        step_hooks.install(self._torch, self._patches, self._outcome.saw_event, on_step, self._settings.ranges)
        if not self._settings.ranges:
            self._forward_hooks = forward_hooks.ForwardHooks(self._torch, self._patches, self._outcome.saw_event, on_step,
                                                             self._guard(self._on_lost_forward))
        os.register_at_fork(after_in_child=self._guard(self._in_forked_child))
        endings.when_program_exits(self._guard(self._on_exit))
        if self._settings.duration_s is not None:
            if self._settings.delay_s:
                self._set_timer(self._settings.delay_s, self._on_begin_timer)
            else:
                self._guard(self._begin_span)()

    def _uninstall(self):
        self._patches.undo()
        if self._forward_hooks:
            self._forward_hooks.remove()
        import_hook.stop()
        for ending in (self._timer, self._signals):
            if ending:
                ending.remove()

    def _guard(self, function):
        """function, whose errors are the recorder's own: the program never sees them. Nothing runs within it, nor when DONE."""
        def guarded(*arguments):
            if self._state == DONE or self._busy:
                return
            self._busy = True
            try:
                function(*arguments)
            except Exception as error:
                self._fail(error)
            finally:
                self._busy = False
            if self._waiting_signal:
                self._end_by_signal(*self._waiting_signal)
        return guarded

    # Steps

    def _on_step(self, strength, owner, name):
        self._outcome.saw_event()
        source = self._sources.find(strength, owner, name)
        if source is None or (self._forked and strength >= FORWARD):
            return
        self._sources.end_step(source)
        if self._state == WAITING:
            self._wait(source)
        elif self._settings.duration_s is not None:
            self._step_in_span(source)
        elif source is self._chosen:
            self._step(source)
        source.begin_step()

    def _wait(self, source):
        if self._settings.duration_s is not None:
            if time.monotonic() >= self._begin_at:  # the timer is late or was not possible
                self._begin_span()
        elif self._settings.delay_s is not None:
            if time.monotonic() >= self._begin_at and self._sources.is_settled(source):
                self._begin_steps(source)
        elif source.count >= self._settings.skip and self._sources.is_settled(source):
            self._begin_steps(source)

    def _begin_steps(self, source):
        self._chosen = source
        self._outcome.step_ns_before = source.take_median_ns()
        if self._prepare(process.device(self._torch)):
            self._state = WARMING
            if self._settings.warm_up == 0:
                self._record(source)

    def _record(self, source):
        source.take_median_ns()
        self._profile.start()
        self._outcome.first_step = source.count
        self._profile.mark_step(source.count)
        self._state = RECORDING

    def _step(self, source):
        if self._state == HISTORY:
            self._history.write(self._settings.folder, process.file_name(self._place, "memory.pickle"))
            self._done()
        elif self._state == WARMING:
            if source.count >= self._warm_up_ends():
                self._record(source)
        else:
            self._profile.end_mark()
            self._outcome.steps += 1
            if self._outcome.steps == self._settings.steps:
                self._end("steps")
            else:
                self._profile.mark_step(source.count)

    def _warm_up_ends(self):
        return self._outcome.first_of_warm_up + self._settings.warm_up

    def _on_lost_forward(self):
        if self._state == RECORDING and self._chosen and self._chosen.strength == FORWARD:
            self._end("steps")  # no more will come

    # A span of time

    def _set_timer(self, seconds, function):
        def call():
            if self._state != DONE and (self._busy or _torch_is_being_imported()):
                self._set_timer(0.05, function)
            else:
                self._guard(function)()
        self._timer = endings.Timer(seconds, call)

    def _on_begin_timer(self):
        source = self._sources.strongest()
        if self._state == WAITING and (source is None or source.thread == threading.get_ident()):
            self._begin_span()  # else the next step does, in the thread that takes it: the profiler records one thread

    def _begin_span(self):
        if self._prepare(process.device_for_all_to_come(self._torch)):
            self._profile.start()
            self._state = RECORDING
            self._end_at = time.monotonic() + self._settings.duration_s
            self._set_timer(self._settings.duration_s, self._on_end_timer)

    def _on_end_timer(self):
        if self._outcome.steps and not self._ending:  # the step that runs is recorded to its end, if that comes
            self._ending = True
            self._set_timer(self._settings.duration_s, self._on_end_timer)
        else:
            self._end("duration")

    def _step_in_span(self, source):
        if threading.get_ident() != self._thread:
            return
        if self._chosen is None or source.strength < self._chosen.strength:
            self._chosen = source
            self._outcome.first_step = source.count
            self._outcome.steps = 0
        elif source is not self._chosen:
            return
        else:
            self._profile.end_mark()
            self._outcome.steps += 1
        if self._ending or time.monotonic() >= self._end_at:
            self._end("duration")
        else:
            self._profile.mark_step(source.count)

    # Begin and end

    def _prepare(self, device):
        """Has the profiler warm up. Returns False where this process is not to record."""
        self._place.update(self._torch)
        if not self.is_chosen_rank():
            self._done()
            return False
        if self._program_profiler.is_active():
            self._report(None, "the program's own profiler was active when the recording was to begin; switch it off, or use "
                               "--skip or --delay to record when it is not")
            return False
        self._thread = threading.get_ident()
        self._outcome.device = device
        if self._chosen:
            self._outcome.first_of_warm_up = self._chosen.count
        try:
            self._profile = self._new_profile(device)
        except capture.NoDevice:
            self._report(None, "the program had not used CUDA before the steps that were to be recorded; --duration 10s records "
                               "a span of time")
            return False
        self._program_profiler.not_this_one(self._profile.prepare)
        self._signals = endings.SignalHandler(self._on_signal)
        if self._forked:
            endings.when_forked_child_exits(self._guard(self._on_exit))
        return True

    def _new_profile(self, device):
        if self._settings.is_outside:
            return capture.Capture(self._torch, device)
        return profile.Profile(self._torch, device, self._settings)

    def _end(self, ended):
        """The trace is written, whatever ends the recording."""
        self._profile.stop()
        if self._chosen:
            self._outcome.step_ns_within = self._chosen.take_median_ns()
        self._place.update(self._torch)
        name = process.file_name(self._place, "pt.trace.json.gz")
        has_ops = self._profile.write(self._settings.folder, name)
        if has_ops:
            self._outcome.is_recorded = True
            self._outcome.file = None if self._settings.is_outside else name
            self._outcome.device_ops = self._profile.device_ops
            self._report(ended, self._outcome.not_in_trace(), self._wants_history(ended))
        elif self._outcome.has_seen_event:
            self._report(ended, "no operation of PyTorch ran in the thread that was recorded; record longer, or with --skip and "
                                "--steps, which record the thread that takes the steps")
        else:
            self._done()

    def _wants_history(self, ended):
        return (self._settings.set == "full" and not self._settings.is_outside and ended == "steps" and self._outcome.device == "cuda"
                and profile.MemoryHistory.is_possible(self._torch))

    def _report(self, ended, failed, wants_history=False):
        source = self._chosen or self._sources.strongest()
        manifest.append(self._settings.folder, self._outcome.line(source, ended, failed))
        if wants_history:
            self._state = HISTORY
            self._history = profile.MemoryHistory(self._torch)
        else:
            self._done()

    def _done(self):
        self._state = DONE
        self._uninstall()

    def _fail(self, error):
        failed = "the recorder failed: %s: %s" % (type(error).__name__, " ".join(str(error).split()))
        sys.stderr.write("cgpu record: %s\n" % failed)
        try:
            if self._state == RECORDING:
                self._profile.stop()
        except Exception:
            pass  # it may be what failed
        try:
            self._outcome.file = None
            self._outcome.is_recorded = False
            self._report(None, failed)
        except Exception as another:  # the folder cannot be written: standard error is what is left
            sys.stderr.write("cgpu record: the manifest was not written: %s\n" % (another,))
            self._done()

    def _give_way(self):
        """The program starts a profiler of its own: PyTorch has one at a time."""
        if self._state in (WARMING, RECORDING):
            self._discard()
            self._report(None, "cancelled, because the program started its own profiler; switch that off, or record before "
                               "it starts (--skip, --steps) or after it has ended (--delay)")

    def _discard(self):
        if self._state == WARMING:
            self._profile.start()  # a profiler that warms up can only be stopped once it has begun
        self._profile.stop()

    def _on_exit(self, ended):
        if self._state in (WARMING, RECORDING) and self._thread != threading.get_ident():
            self._report(ended, "the program ended within the recorded steps, which a thread took that is not the main "
                                "thread; record fewer steps, or let it run longer")
        elif self._state == RECORDING:
            self._end(ended)
        elif self._state == WARMING:
            self._discard()
            self._report(ended, self._outcome.too_few_steps(self._chosen))
        elif self._state == WAITING:
            source = self._sources.strongest()
            if source is not None or (not self._forked and self._outcome.did_something()):
                self._report(ended, self._outcome.too_few_steps(source))

    def _on_signal(self, number, frame):
        if self._busy:
            self._waiting_signal = (number, frame)  # once the recorder has done what it does, such as to write the trace
        else:
            self._end_by_signal(number, frame)

    def _end_by_signal(self, number, frame):
        self._waiting_signal = None
        self._guard(self._on_exit)("signal SIGTERM")
        self._signals.pass_on(number, frame)

    def _in_forked_child(self):
        """A child of fork records nothing of its parent's, and its own steps only where they are an optimizer's or a
        framework's: a worker that loads data has none."""
        if self._state != WAITING or self._settings.duration_s is not None:
            if self._state == RECORDING:  # the profiler of the parent would go on in the memory of the child
                self._torch.autograd._enable_record_function(False)
            self._done()
            return
        self._forked = True
        self._sources = StepSources()
        if self._forward_hooks:
            self._forward_hooks.remove()
