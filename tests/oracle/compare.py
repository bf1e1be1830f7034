"""Compares tables: rows as dicts, joined by their key columns; integers exactly, fractions to 1e-9."""
import math
import re

from . import kineto

KEYS = {
    "gpu_time": ("rank", "device"),
    "streams": ("rank", "device", "stream"),
    "kernels": ("name",),
    "kernel_classes": ("class",),
    "ops": ("name",),
    "api": ("name",),
    "transfers": ("kind", "src_memory", "dst_memory"),
    "launches": ("name",),
    "queue": ("rank", "device", "stream"),
    "idle": ("rank", "device", "cause"),
    "idle_hosts": ("rank", "device", "cause", "culprit"),
    "idle_streams": ("rank", "device", "stream", "category"),
    "steps": ("rank", "step", "start_ns"),
    "ranges": ("name",),
    "collectives": ("name", "group"),
    "exposed_collectives": ("rank", "device", "name", "group"),
    "stragglers": ("rank", "device"),
    "rank_activity": ("rank", "device", "start_ns"),
    "clocks": ("rank",),
    "memory": ("rank", "device"),
    "devices": ("rank", "device"),
}
SHOWN = 6  # differences of one table that are told


def key_text(value):
    """Names without spaces (demanglers set them differently), absent as ''. A demangler may not know the newest types:
    what it leaves mangled is no difference."""
    return "" if value is None else re.sub(r"\s+", "", kineto.demangled(str(value)))


def same(got, want):
    if want is None or got is None:
        return (got is None or got == "") and (want is None or want == "")
    if isinstance(got, str) or isinstance(want, str):
        return key_text(got) == key_text(want)
    if isinstance(want, float) or isinstance(got, float):
        return math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9)
    return got == want


def differences(table, got, want):
    """What differs between the rows `got` and `want`, as lines. Columns that `want` does not have are not looked at."""
    keys = KEYS[table]
    out = []

    def index(rows, whose):
        found = {}
        for row in rows:
            key = tuple(key_text(row.get(k)) for k in keys)
            if key in found:
                out.append("%s has two rows %s" % (whose, key))
            found[key] = row
        return found

    have, need = index(got, "the tool"), index(want, "the oracle")
    out += ["no row %s" % (key,) for key in need if key not in have]
    out += ["row %s should not be there" % (key,) for key in have if key not in need]
    for key, row in need.items():
        for column, value in row.items():
            if key not in have or column in keys:
                continue
            if column not in have[key]:
                out.append("no column %s" % column)
            elif not same(have[key][column], value):
                who = tuple(k[:60] for k in key)
                out.append("%s: %s is %s, should be %s" % (who, column, have[key][column], value))
    out = list(dict.fromkeys("%s: %s" % (table, line) for line in out))
    if len(out) > SHOWN:
        out[SHOWN:] = ["%s: and %d more" % (table, len(out) - SHOWN)]
    return out
