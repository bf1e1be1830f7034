"""Attributes of modules and classes that are replaced while the recorder needs them, and put back afterwards."""

_MISSING = object()


class Patches:
    def __init__(self):
        self._done = []

    def replace(self, owner, name, make):
        """owner.name becomes make(what it was)."""
        before = vars(owner).get(name, _MISSING)  # what the class inherits is not its own
        replacement = make(getattr(owner, name))
        setattr(owner, name, replacement)
        self._done.append((owner, name, before, replacement))

    def undo(self):
        """Puts back what is still ours. What another has replaced since goes on calling ours, which only passes on."""
        for owner, name, before, replacement in reversed(self._done):
            if vars(owner).get(name) is replacement:
                if before is _MISSING:
                    delattr(owner, name)
                else:
                    setattr(owner, name, before)
        self._done = []
