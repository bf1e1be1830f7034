"""What became of the recording of this process: its line in the manifest."""
import resource
import time

from . import process

_SECONDS_OF_A_PROGRAM = 0.5


class Outcome:
    def __init__(self, torch, settings, place):
        self.is_recorded = False
        self.file = None
        self.device = None
        self.device_ops = None
        self.steps = 0
        self.first_step = self.first_of_warm_up = None
        self.step_ns_before = self.step_ns_within = None
        self._torch = torch
        self._settings = settings
        self._place = place
        self.has_seen_event = False
        self._began_s = time.process_time()

    def saw_event(self):
        self.has_seen_event = True

    def did_something(self):
        """Whether this process computes: launchers of other processes import torch too, and are not in the manifest.

        A program without a visible event has used a device, or more time than the processes that it has started.
        """
        if self.has_seen_event or process.device(self._torch) != "cpu":
            return True
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        own_s = time.process_time() - self._began_s
        return own_s > max(_SECONDS_OF_A_PROGRAM, children.ru_utime + children.ru_stime)

    def line(self, source, ended, failed):
        """The line of the manifest; `source` is that of the steps, None where no step was seen."""
        overhead = None
        if self.step_ns_before and self.step_ns_within:
            overhead = round((self.step_ns_within / self.step_ns_before - 1) * 100, 1)
        line = process.description(self._torch, self._place)
        line.update({
            "kind": "steps" if self._settings.is_outside else "process", "file": self.file,
            "steps": self.steps if self.is_recorded else 0, "first_step": self.first_step if self.is_recorded else None,
            "steps_by": source.name if source else None, "steps_seen": source.count if source else 0,
            "step_ns_before": self.step_ns_before, "step_ns_within": self.step_ns_within, "overhead_percent": overhead,
            "device": self.device or process.device(self._torch), "device_ops": self.device_ops, "ended": ended, "failed": failed})
        return line

    def not_in_trace(self):
        """What is wrong with a trace that has been written, or None."""
        if self.device == "cuda" and self.device_ops == 0:
            return ("the program uses CUDA, and no activity of the device was recorded; another profiler may have its counters "
                    "(CUPTI records for one at a time), or none of its work fell into the recording")
        if self.steps or self._settings.duration_s is not None:
            return None
        return "the recording ended within its first step; use a smaller --skip, or let the program run longer"

    def too_few_steps(self, source):
        """Why a program that ended before its recording began has none, and what to do."""
        span = "--delay 0 --duration 5 records a span of time"
        if self._settings.duration_s is not None:
            return "the program ended before the recording began; use a shorter --delay"
        if source is None and self._settings.ranges:
            return "no range named %s ended; correct --ranges, or %s" % (self._settings.ranges, span)
        if source is None:
            return "no step was found; %s, --ranges NAME takes the ranges of that name as steps" % span
        seen = "the program ended after %d step%s (%s)" % (source.count, "s"[:source.count != 1], source.name)
        steps = min(self._settings.steps, source.count - self._settings.warm_up - 1)
        if steps < 1:
            return "%s, too few to record one; %s" % (seen, span)
        return "%s, before the recording was complete; use --skip 1 --steps %d, or let it run longer" % (seen, steps)
