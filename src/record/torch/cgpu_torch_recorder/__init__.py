"""Records some steps of a PyTorch program with PyTorch's own profiler, without a change of the program.

`cgpu record` starts it: sitecustomize.py beside this package, or `python -m cgpu.record`, calls `install`. The environment
variable CGPU_RECORD says what to record (settings.py). Standard library only, Python 3.8 or later.

    import_hook.py      calls back when the program has imported a module
    settings.py         what to record
    steps.py            which of the events that could end a step does
    step_hooks.py       the events: optimizers, ranges, frameworks, replays of CUDA graphs
    forward_hooks.py    the events: forward of the outermost module
    profile.py          the profiler, the marks of steps, the file
    capture.py          the same where a profiler outside of the program records
    program_profiler.py a profiler that the program itself starts
    endings.py          exit, signals and timers
    recorder.py         when to begin and to end
    patches.py          attributes that are replaced for a while
    outcome.py          what became of it, in words
    process.py          rank, device and names of this process
    manifest.py         the line of this process in the folder's manifest
"""
import sys

from . import import_hook

_installed = False


def install():
    """Starts the recorder as soon as torch is imported. A second call does nothing."""
    global _installed
    if not _installed:
        _installed = True
        import_hook.when_imported("torch", _start, before=_quieten_kineto)


def _quieten_kineto():
    """Kineto before 2.1 writes its stages to standard error. It reads the variable when it is loaded."""
    import os
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")


def _start(torch):
    try:
        from . import recorder
        recorder.start(torch)
    except Exception as error:  # the program must run whatever happens here
        sys.stderr.write("cgpu record: the recorder was not started: %r\n" % (error,))
