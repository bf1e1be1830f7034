"""Python runs this file when it starts, because `cgpu record` puts its folder first on PYTHONPATH.

It runs the sitecustomize that it hides (the system's or the user's), and has the recorder installed when the program imports
torch. A program that never imports torch pays for this file and one small module.
"""
import importlib.machinery
import importlib.util
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _install_recorder():
    try:
        sys.path.insert(0, _FOLDER)
        import cgpu_torch_recorder
        cgpu_torch_recorder.install()
    except Exception as error:  # the program must run whatever happens here
        sys.stderr.write("cgpu record: the recorder was not installed: %r\n" % (error,))
    finally:  # the program finds on sys.path what it finds without the recorder
        sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _FOLDER]


def _run_hidden_sitecustomize():
    paths = [entry for entry in sys.path if os.path.abspath(entry) != _FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module  # a program that imports sitecustomize wants that one
    spec.loader.exec_module(module)


try:
    _run_hidden_sitecustomize()  # an error in it is for `site` to tell, as without the recorder
finally:
    if os.environ.get("CGPU_RECORD"):
        _install_recorder()
