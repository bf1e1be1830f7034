"""Holds the tool's tables against the oracle's, trace by trace."""
import os
import tempfile

from . import compare, kineto, ranks, tables, tool

FACTS = ("events", "slices", "instants", "counters", "memory_events", "flows", "metadata_events", "skipped_events",
          "device_slices", "ranks", "start_ns", "span_ns")


def corpus_files():
    folder = tool.corpus()
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(n for n in names if n.endswith((".json", ".gz")))


def differences_of_info(inputs, session):
    want, got = tables.info(session), tool.info(inputs)
    return ["info: %s is %s, should be %s" % (key, got.get(key), want[key])
            for key in FACTS if got.get(key) != want[key]]


def differences(inputs, files):
    """All that differs between the tool's answers on `inputs` and the oracle's on `files` (the same traces)."""
    session = sorted((kineto.load(f) for f in files), key=lambda t: t.rank)
    clocks = ranks.align(session, tables.collective_key)
    out = differences_of_info(inputs, session)
    out += compare.differences("clocks", tool.table(inputs, "clocks"), clocks)
    orphans = sum(row["count"] for row in tool.table(inputs, "notes") if row["code"] == "orphan_device_op")
    if orphans != tables.orphans(session):
        out.append("notes: %d orphans, should be %d" % (orphans, tables.orphans(session)))
    for name in list(tables.TABLES) + ["kernel_classes", "devices"]:
        got = tool.table(inputs, name)
        if name == "kernel_classes":
            classes = {compare.key_text(row["name"]): row["class"] for row in tool.table(inputs, "kernels")}
            want = tables.kernel_classes(session, lambda n: classes.get(compare.key_text(n), "no such kernel"))
        elif name == "devices":
            want = tables.devices(session)
            known = {(row["rank"], row["device"]) for row in want}
            got = [row for row in got if (row["rank"], row["device"]) in known]
        else:
            want = tables.TABLES[name](session)
            if name == "idle_hosts":  # what queued ops waited for is not in the oracle
                got = [row for row in got if row["cause"] != "dependency"]
        out += compare.differences(name, got, want)
    return out


def corpus_differences(name):
    path = os.path.join(tool.corpus(), name)
    with tempfile.TemporaryDirectory() as folder:
        files = kineto.unpack(path, folder)
        return differences([path] if files == [path] else files, files)
