"""Which of the events that could end a step does.

A program has one kind of step and many kinds of events: the forward of a model runs several times where gradients are
accumulated, an optimizer once. So each kind has a strength, is counted by itself, and begins the recording only where no
stronger one is still to be expected.
"""
import collections
import gc
import statistics
import threading
import time
import weakref

RANGE, FRAMEWORK, OPTIMIZER, FORWARD, REPLAY = range(5)  # from strong to weak

# Of its own steps, a kind waits so many after the last one of a stronger kind, as that may only be slow to come ...
_PATIENCE = 10
# ... and a weak kind so many where the program has an optimizer, which may step after many forwards.
_PATIENCE_WITH_OPTIMIZER = 100
_DURATIONS = 20  # of the last steps, whose median is the duration of a step


class StepSource:
    """One kind of event, of one object and one thread: that which came first. Another optimizer does not count."""

    def __init__(self, strength, owner, name):
        self.strength = strength
        self.name = name
        self.thread = threading.get_ident()
        self.count = 0
        self.durations = collections.deque(maxlen=_DURATIONS)
        self.since_stronger = 0
        self._owner = None if owner is None else _reference(owner)
        self._began_ns = None

    def is_of(self, owner):
        return self._owner is None or self._owner() is owner

    def is_gone(self):
        """Whether its object exists no more: one that tried out an optimizer goes on with another."""
        return self._owner is not None and self._owner() is None

    def end_step(self):
        now = time.perf_counter_ns()
        self.count += 1
        self.since_stronger += 1
        if self._began_ns is not None:
            self.durations.append(now - self._began_ns)

    def begin_step(self):
        """The next step begins now: what the recorder did since the last one ended is no part of it."""
        self._began_ns = time.perf_counter_ns()

    def take_median_ns(self):
        """The median duration of the last steps, which are forgotten; None where there was none."""
        median = int(statistics.median(self.durations)) if self.durations else None
        self.durations.clear()
        return median


def _reference(owner):
    """A function that returns the owner while it exists."""
    try:
        return weakref.ref(owner)
    except TypeError:  # of a class with slots
        return lambda: owner


class StepSources:
    """All kinds that have been seen."""

    def __init__(self):
        self._sources = {}
        self._has_optimizer = False

    def find(self, strength, owner, name):
        """The source of this event, or None where it does not count."""
        source = self._sources.get(strength)
        if source is None or source.is_gone():
            source = self._sources[strength] = StepSource(strength, owner, name)
        if not source.is_of(owner) or source.thread != threading.get_ident():
            return None
        return source

    def end_step(self, source):
        source.end_step()
        for other in self._sources.values():
            if other.strength > source.strength:
                other.since_stronger = 0

    def strongest(self):
        return min(self._sources.values(), key=lambda source: source.strength, default=None)

    def is_settled(self, source):
        """Whether no stronger source is to be expected."""
        stronger = any(other.strength < source.strength for other in self._sources.values())
        if stronger and source.since_stronger <= _PATIENCE:
            return False
        if source.strength <= OPTIMIZER or source.since_stronger > _PATIENCE_WITH_OPTIMIZER:
            return True
        self._has_optimizer = self._has_optimizer or _has_optimizer()
        return not self._has_optimizer


def _has_optimizer():
    """Whether the program has an optimizer that may step yet. It is one pass over all objects."""
    from torch.optim import Optimizer
    return any(issubclass(type(value), Optimizer) for value in gc.get_objects())
