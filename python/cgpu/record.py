"""Runs a PyTorch program with the recorder of `cgpu record` in it, where Python does not start that by itself.

    cgpu record -- python -I -m cgpu.record script.py arguments...
    cgpu record -- python -I -m cgpu.record -m module arguments...
    cgpu record -- python -I -m cgpu.record -c code arguments...

With -I or -E, Python does not read PYTHONPATH, by which `cgpu record` reaches every other interpreter. The program runs as
`python script.py` would run it. Processes that it starts with -I or -E are recorded only if they are started this way too.
"""
from __future__ import annotations

import importlib
import os
import runpy
import sys
import traceback
import types
from typing import Callable, List, NoReturn, Optional

_USAGE = "usage: cgpu record -- python -I -m cgpu.record (SCRIPT | -m MODULE | -c CODE) [ARGUMENT...]"


def _fail(text: str) -> NoReturn:
    sys.stderr.write("cgpu record: %s\n" % text)
    sys.exit(2)


def _install() -> None:
    try:
        importlib.import_module("cgpu._torch_recorder").install()
    except Exception as error:  # the program must run whatever happens here
        sys.stderr.write("cgpu record: the recorder was not installed: %r\n" % (error,))


def _prepare(arguments: List[str]) -> Callable[[], object]:
    """Sets sys.argv and sys.path as Python does, and returns the call that runs the program."""
    option = arguments[0]
    if option not in ("-m", "-c"):
        sys.argv[:] = arguments
        if not sys.flags.isolated:
            sys.path[0] = os.path.dirname(os.path.realpath(option))
        return lambda: runpy.run_path(option, run_name="__main__")
    if len(arguments) < 2:
        _fail(_USAGE)
    program = arguments[1]
    sys.argv[:] = [option if option == "-c" else program] + arguments[2:]
    if option == "-m":
        return lambda: runpy.run_module(program, run_name="__main__", alter_sys=True)
    if not sys.flags.isolated:
        sys.path[0] = ""
    return lambda: _run_code(program)


def _run_code(code: str) -> None:
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    exec(compile(code, "<string>", "exec"), module.__dict__)  # pylint: disable=exec-used


def _of_program(trace: Optional[types.TracebackType]) -> Optional[types.TracebackType]:
    """The traceback without what is above the program: this file and runpy."""
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
        trace = trace.tb_next
    return trace


def main() -> None:
    if len(sys.argv) < 2:
        _fail(_USAGE)
    if not os.environ.get("CGPU_RECORD"):
        _fail("python -m cgpu.record is started by `cgpu record -- python -I -m cgpu.record script.py`")
    _install()
    run = _prepare(sys.argv[1:])
    try:
        run()
    except Exception as error:
        sys.last_type, sys.last_value = type(error), error  # as Python does before it shows an error that nothing caught
        sys.last_traceback = _of_program(error.__traceback__)
        if sys.excepthook is sys.__excepthook__:
            traceback.print_exception(type(error), error, sys.last_traceback)
        else:
            sys.excepthook(type(error), error, sys.last_traceback)
        sys.exit(1)


if __name__ == "__main__":
    main()
