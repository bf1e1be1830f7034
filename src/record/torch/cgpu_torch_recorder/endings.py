"""The ways in which a recording ends from outside: the program's exit, a signal, a timer. And how a timer begins one."""
import atexit
import functools
import os
import signal
import sys
import threading

from .patches import Patches


def when_program_exits(call):
    """call(ended) when the interpreter exits, with what the manifest says of it."""
    atexit.register(lambda: call(_how_program_ended()))


def _how_program_ended():
    error = getattr(sys, "last_type", None)  # of an error that nothing caught
    if error is None:
        return "exit"
    return "signal SIGINT" if issubclass(error, KeyboardInterrupt) else "exception"


def when_forked_child_exits(call):
    """As when_program_exits, for the processes that multiprocessing forks: they run no atexit functions."""
    from multiprocessing.util import Finalize
    Finalize(None, lambda: call("exit"), exitpriority=100)


def _is_main_thread():
    return threading.current_thread() is threading.main_thread()


class SignalHandler:
    """Has SIGTERM call `call(number, frame)`, until `remove`. That then calls `pass_on`, for what the program does about it.

    Without a handler SIGTERM ends the process, and the trace is lost. A program that ignores it, or handles it outside of
    Python, is left alone. Signals are Python's in the main thread only.
    """

    def __init__(self, call):
        self._call = call
        self._before = None
        if _is_main_thread():
            before = signal.getsignal(signal.SIGTERM)
            if before == signal.SIG_DFL or callable(before):
                self._before = before
                signal.signal(signal.SIGTERM, call)

    def pass_on(self, number, frame):
        """What would have happened without the recorder, exit status included."""
        if callable(self._before):
            self._before(number, frame)
        else:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def remove(self):
        if self._before is not None and _is_main_thread() and signal.getsignal(signal.SIGTERM) == self._call:
            signal.signal(signal.SIGTERM, self._before)


class Timer:
    """Calls `call` in the main thread after some seconds, by SIGALRM; a thread of its own cannot start the profiler.

    Where the program uses SIGALRM itself, or begins to, or this is not the main thread, is_set is False, and nothing is called.
    """

    def __init__(self, seconds, call):
        self._call = call
        self._patches = Patches()
        self.is_set = (_is_main_thread() and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
                       and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0))
        if self.is_set:
            signal.signal(signal.SIGALRM, self._handle)
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
            for name in ("signal", "alarm", "setitimer"):
                self._patches.replace(signal, name, self._give_way)

    def _give_way(self, original):
        """The program's use of SIGALRM finds it as it would be without the recorder."""
        @functools.wraps(original)
        def function(*arguments):
            if original.__name__ == "alarm" or arguments[:1] in ((signal.SIGALRM,), (signal.ITIMER_REAL,)):
                self.remove()
            return original(*arguments)
        return function

    def _handle(self, *_):
        self.remove()
        self._call()

    def remove(self):
        self._patches.undo()
        if self.is_set and _is_main_thread() and signal.getsignal(signal.SIGALRM) == self._handle:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.is_set = False
