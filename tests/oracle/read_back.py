"""Exports profiles, reads them back, and tells which tables are not the same."""
import collections
import json
import os
import tempfile

from . import tool

# Beside those of the report.
MORE_TABLES = ("idle_streams", "kernel_grids", "stragglers", "ascend_overlap", "slices", "critical_path")
NOT_COMPARED = {
    "info": "it counts what the file holds, and names it",
    "clocks": "the clocks of the ranks were aligned by the export: they are one clock",
}
# What traces have no place for: the costs of a call tree, metrics of launches, graphs of operators.
NO_TIMELINE = {"metrics", "profiles", "call_tree", "hot_path", "functions", "callers", "imbalance", "stalls", "stall_places",
               "launch_metrics", "launch_rules", "launch_values", "et_ops", "et_shapes"}
# Goes by the processor time of threads where a call tree has counted it; of a timeline alone it is estimated.
BY_COUNTED_TIME = {"threads", "processes"}

# What an info of the export says of the profile.
IDENTITY = ("host", "ranks", "rank_list", "world_size", "devices", "device_names", "clock", "start_ns", "span_ns", "slices",
            "device_slices", "tracks")
# Times that count from the start of what is shown, which a part that was exported begins anew.
MOMENTS = ("start_ns", "end_ns", "first_ns", "last_ns", "time_ns")
# What a part knows of the whole that it was taken from: the launch before it, what the host did meanwhile, what the
# profile lost.
FROM_OUTSIDE = {"idle", "notes", "findings", "idle_streams", "launches", "steps", "queue", "ops", "collectives", "stragglers", "ranges",
                "critical_path"}


class NothingToExport(RuntimeError):
    pass


def without_numbers(slices):
    """Rows of `slices` without the numbers that a file gives to slices and tracks: the parent by its name, and by how much
    earlier it begins."""
    by_number = {row["slice"]: row for row in slices}
    rows = []
    for row in slices:
        above = by_number.get(row["parent"])
        told = above and [above["name"], row["start_ns"] - above["start_ns"], above["duration_ns"]]
        rows.append({key: value for key, value in row.items() if key not in ("slice", "track")} | {"parent": told})
    return rows


def tables_of(inputs, options=()):
    """Every table with rows, as a Counter of rows without their order. Raises RuntimeError with what the tool said."""
    inputs = [inputs] if isinstance(inputs, str) else list(inputs)
    done = tool.run(["report"] + inputs + ["--format", "json"] + list(options), timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip()[-300:])
    found = {}
    for name, table in json.loads(done.stdout)["tables"].items():
        columns = [c["name"] for c in table["columns"]]
        found[name] = [dict(zip(columns, row)) for row in table["rows"]]
    for name in MORE_TABLES:
        found[name] = tool.table(inputs, name, *options)
    found["slices"] = without_numbers(found["slices"])
    return {name: collections.Counter(json.dumps(row, sort_keys=True) for row in rows)
            for name, rows in found.items() if rows and name not in NOT_COMPARED}


def lines_of(want, got):
    """What is not the same in two answers of tables_of."""
    lines = []
    left_out = set(NO_TIMELINE)
    if left_out & set(want):
        left_out.add("findings")  # they judge these, too
    has_counted = any(json.loads(row)["name"] == "CPUTIME" for row in want.get("metrics", ()))
    for name in sorted((set(want) | set(got)) - left_out - (BY_COUNTED_TIME if has_counted else set())):
        missing = want.get(name, collections.Counter()) - got.get(name, collections.Counter())
        added = got.get(name, collections.Counter()) - want.get(name, collections.Counter())
        if missing or added:
            lines.append("%s: %d of %d rows are not the same: %s is now %s" % (
                name, max(sum(missing.values()), sum(added.values())), sum(want.get(name, {"": 0}).values()),
                min(missing, default="(none)"), min(added, default="(none)")))
    return lines


def export(inputs, path, options=()):
    done = tool.run(["export"] + inputs + ["-o", path] + list(options), timeout=600)
    if done.returncode == 2:
        raise NothingToExport(done.stderr.decode().strip()[-300:])
    if done.returncode or done.stderr:
        raise RuntimeError(done.stderr.decode().strip()[-300:] or "exit %d" % done.returncode)


def differences(inputs, ending, selections=()):
    """Lines that tell what is not the same once `inputs` were exported to a file with this ending and read back, as a
    whole and with each of the selections (lists of options)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "export" + ending)
        inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        export(inputs, path)
        lines = lines_of(tables_of(inputs), tables_of(path))
        want, got = tool.info(inputs), tool.info(path)
        lines += ["info: %s was %s, is %s" % (key, want.get(key), got.get(key)) for key in IDENTITY
                  if want.get(key) != got.get(key) and (key != "start_ns" or want["clock"] == "unix")]
        for options in selections:
            lines += ["%s: %s" % (" ".join(options), line)
                      for line in lines_of(tables_of(inputs, options), tables_of(path, options))]
    return lines


def differences_of_part(inputs, ending, options):
    """The same of a part that is exported, and read back as a whole: without what a part knows of the rest, and with
    moments counted from the first of their table."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part" + ending)
        inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        export(inputs, path, options)
        both = []
        for found in (tables_of(inputs, options), tables_of(path)):
            tables = {}
            for name, counter in found.items():
                rows = [json.loads(text) for text in counter.elements()]
                moments = [row[m] for row in rows for m in MOMENTS if row.get(m) is not None]
                for row in rows:
                    row.update({m: row[m] - min(moments) for m in MOMENTS if row.get(m) is not None})
                if name not in FROM_OUTSIDE:
                    tables[name] = collections.Counter(json.dumps(row, sort_keys=True) for row in rows)
            both.append(tables)
    return lines_of(*both)
