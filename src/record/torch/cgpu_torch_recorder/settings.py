"""What to record: the JSON of the environment variable CGPU_RECORD."""
import json
import os

SETS = ("quick", "normal", "full")


class Settings:
    """The members are the keys of the JSON; what is missing has the value that is here.

    skip, warm_up and steps count steps; delay_s and duration_s are seconds; ranks are the numbers of those that record
    (None: all); ranges is the name of the range that is a step. is_outside: another profiler records, and is only told when
    (capture.py).
    """

    def __init__(self, folder, **values):
        self.folder = folder
        self.set = values.get("set") or "quick"
        self.skip = _not_none(values.get("skip"), 5)
        self.warm_up = _not_none(values.get("warm_up"), 2)
        self.steps = _not_none(values.get("steps"), 3)
        self.delay_s = values.get("delay_s")
        self.duration_s = values.get("duration_s")
        self.ranks = values.get("ranks")
        self.ranges = values.get("ranges")
        self.is_outside = bool(values.get("is_outside"))
        if self.set not in SETS:
            raise ValueError("CGPU_RECORD: no set %r, only %s" % (self.set, ", ".join(SETS)))
        if self.skip < 0 or self.warm_up < 0 or self.steps < 1:
            raise ValueError("CGPU_RECORD: skip and warm_up are 0 or more, steps 1 or more")


def _not_none(value, otherwise):
    return otherwise if value is None else value


def read():
    """The settings of this process, or None where it was not started by `cgpu record`. Raises ValueError."""
    text = os.environ.get("CGPU_RECORD")
    if not text:
        return None
    values = json.loads(text)
    if not isinstance(values, dict) or not values.get("folder"):
        raise ValueError("CGPU_RECORD is not a JSON object with a folder")
    return Settings(**values)
