"""The event of a program that has no optimizer: the forward of its outermost module.

PyTorch has global hooks of all modules, but torch.compile breaks its graphs at them, warns of them, and compiles anew
when they go. So they are there only until the outermost module is found: the first one with parameters whose forward is
called a second time, outside of that of any other. It has hooks of its own from then on. What torch.compile compiles has
no hook of ours: they go before it begins, unless the module that has them is running, and calls what is compiled.
"""
import contextlib
import functools
import threading
import weakref

from . import import_hook
from .steps import FORWARD


class _Hook:
    """A hook on a module of the program's. A copy of that module, or what is read back of a file, has one that does nothing."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *arguments):
        self._function(*arguments)

    def __reduce__(self):
        return getattr, (contextlib.nullcontext(), "__exit__")  # takes any arguments, and needs no recorder to be read


class ForwardHooks:
    """on_call(): a module has run. on_step: step_hooks.py. on_lost(): the forward of the module is seen no more."""

    def __init__(self, torch, patches, on_call, on_step, on_lost):
        self._patches = patches
        self._on_call = on_call
        self._on_step = on_step
        self._on_lost = on_lost
        self._called = weakref.WeakSet()  # modules whose forward has ended outside of that of any other
        self._open = threading.local()  # modules: those whose forward runs, the outermost first
        self._own_hooks = []
        self._remove_callback = lambda: None
        module = torch.nn.modules.module
        self._global_hooks = [module.register_module_forward_pre_hook(self._before),
                              module.register_module_forward_hook(self._after)]
        # These hooks are Python functions that are called where torch.compile is active: it is not to compile them.
        import_hook.when_imported("torch._dynamo.trace_rules", lambda rules: rules.add(__package__))
        import_hook.when_imported("torch._dynamo.eval_frame", self._watch_compiled_modules)
        import_hook.when_imported("torch._dynamo.callback", self._watch_compilation)
        self._watch_scripting(torch.jit._recursive)

    def remove(self):
        self._remove_hooks(self._global_hooks)
        self._remove_hooks(self._own_hooks)
        self._remove_callback()

    @staticmethod
    def _remove_hooks(hooks):
        for hook in hooks:
            hook.remove()
        hooks.clear()

    def _modules(self):
        return self._open.__dict__.setdefault("modules", [])

    def _before(self, module, _):
        self._modules().append(module)

    def _has_ended(self, module):
        """Whether this was the outermost module."""
        modules = self._modules()
        while modules and modules.pop() is not module:
            pass  # its forward raised an error, so it has no end
        return not modules

    def _after(self, module, *_):
        if not self._has_ended(module) or next(module.parameters(), None) is None:
            return
        self._on_call()
        if module in self._called:
            self._choose(module)
            self._end_step(module)
        self._called.add(module)

    def _choose(self, module):
        self._remove_hooks(self._global_hooks)
        self._remove_hooks(self._own_hooks)
        self._own_hooks += [module.register_forward_pre_hook(_Hook(self._before)),
                            module.register_forward_hook(_Hook(self._after_own))]

    def _after_own(self, module, *_):
        if self._has_ended(module):
            self._end_step(module)

    def _end_step(self, module):
        self._on_step(FORWARD, self, "forward of " + type(getattr(module, "_orig_mod", module)).__name__)

    def _watch_compiled_modules(self, eval_frame):
        """torch.compile(module) makes an OptimizedModule, whose own hooks are outside of what is compiled."""
        hooks = self

        def watch(original):
            @functools.wraps(original)
            def __init__(self, *args, **kwargs):
                original(self, *args, **kwargs)
                if hooks._global_hooks or hooks._own_hooks:
                    hooks._choose(self)
            return __init__

        self._patches.replace(eval_frame.OptimizedModule, "__init__", watch)

    def _watch_scripting(self, recursive):
        """torch.jit.script(module) compiles the hooks of a module too."""
        def watch(original):
            @functools.wraps(original)
            def create_script_module(*args, **kwargs):
                self._lose_own_hooks()
                return original(*args, **kwargs)
            return create_script_module

        if hasattr(recursive, "create_script_module"):
            self._patches.replace(recursive, "create_script_module", watch)

    def _lose_own_hooks(self):
        if self._own_hooks:
            self._remove_hooks(self._own_hooks)
            self._on_lost()

    def _watch_compilation(self, callback):
        """Some function is compiled now."""
        handler = callback.callback_handler

        def begin(*_):
            modules = self._modules()
            if self._global_hooks and modules:
                self._choose(modules[0])
            elif self._global_hooks:
                self._remove_hooks(self._global_hooks)
            elif not modules:
                self._lose_own_hooks()

        def remove():
            if begin in handler.start_callbacks:
                handler.remove_start_callback(begin)

        handler.register_start_callback(begin)
        self._remove_callback = remove
