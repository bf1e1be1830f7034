"""Calls back when the program has imported a module."""
import sys

_IMPORTLIB = "<frozen importlib._bootstrap_external>"


class _Finder:
    """Finds modules as the finders behind it do, and has the loader of a watched module call back."""

    def __init__(self):
        self.watched = {}

    def find_spec(self, name, path=None, target=None):
        callbacks = self.watched.pop(name, None)
        if callbacks is None:
            return None
        for before, _ in callbacks:
            if before:
                before()
        spec = self._find_elsewhere(name, path, target)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            self.watched[name] = callbacks  # not found this time
        elif hasattr(spec.loader, "__dict__"):
            spec.loader.exec_module = _exec_and_call_back(spec.loader, [after for _, after in callbacks])
        return spec

    def _find_elsewhere(self, name, path, target):
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None


def _exec_and_call_back(loader, callbacks):
    def exec_module(module):
        del loader.exec_module  # the loader is again what it was
        loader.exec_module(module)
        for callback in callbacks:
            callback(module)

    # The traceback of an import that fails leaves out the files of importlib. It leaves out this function too, so that
    # the program's error output is what it is without the recorder.
    exec_module.__code__ = exec_module.__code__.replace(co_filename=_IMPORTLIB)
    return exec_module


_finder = _Finder()


def when_imported(name, after, before=None):
    """Calls after(module) once the module is imported; before() earlier, when the program begins to import it.

    Where the module is imported already, after(module) is called at once.
    """
    if name in sys.modules:
        after(sys.modules[name])
        return
    _finder.watched.setdefault(name, []).append((before, after))
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def stop():
    """Calls back no more."""
    _finder.watched.clear()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
