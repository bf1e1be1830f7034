"""Exports profiles, reads them back, and tells which tables are not the same."""
import collections
import json
import os
import tempfile

from . import tool

# Beside those of the report.
MORE_TABLES = ("idle_streams", "kernel_grids", "stragglers", "ascend_overlap", "slices")
NOT_COMPARED = {
    "info": "it counts what the file holds, and names it",
    "notes": "they say what was lost or doubtful in that file",
    "clocks": "the clocks of the ranks were aligned by the export: they are one clock",
}
# What traces have no place for: the costs of a call tree, metrics of launches, graphs of operators.
NO_TIMELINE = {"metrics", "profiles", "call_tree", "hot_path", "functions", "callers", "imbalance", "stalls",
               "launch_metrics", "launch_rules", "launch_values", "et_ops", "et_shapes"}


class NothingToExport(RuntimeError):
    pass


def tables_of(inputs, left_out=None):
    """Every table with rows, as a Counter of rows without their order. `left_out`: by table, columns. Raises
    RuntimeError with what the tool said."""
    inputs = [inputs] if isinstance(inputs, str) else list(inputs)
    done = tool.run(["report"] + inputs + ["--format", "json"], timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip()[-300:])
    found = {}
    for name, table in json.loads(done.stdout)["tables"].items():
        columns = [c["name"] for c in table["columns"]]
        found[name] = [dict(zip(columns, row)) for row in table["rows"]]
    for name in MORE_TABLES:
        found[name] = tool.table(inputs, name)
    for name, columns in (left_out or {}).items():
        found[name] = [{k: v for k, v in row.items() if k not in columns} for row in found.get(name, [])]
    return {name: collections.Counter(json.dumps(row, sort_keys=True) for row in rows)
            for name, rows in found.items() if rows and name not in NOT_COMPARED and name not in NO_TIMELINE}


def differences(inputs, ending, left_out=None):
    """Lines that tell what is not the same once `inputs` were exported to a file with this ending and read back."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "export" + ending)
        inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        done = tool.run(["export"] + inputs + ["-o", path], timeout=600)
        if done.returncode == 2:
            raise NothingToExport(done.stderr.decode().strip()[-300:])
        if done.returncode:
            raise RuntimeError(done.stderr.decode().strip()[-300:])
        want, got = tables_of(inputs, left_out), tables_of(path, left_out)
    lines = []
    for name in sorted(set(want) | set(got)):
        missing = want.get(name, collections.Counter()) - got.get(name, collections.Counter())
        added = got.get(name, collections.Counter()) - want.get(name, collections.Counter())
        if missing or added:
            lines.append("%s: %d of %d rows are not the same: %s is now %s" % (
                name, max(sum(missing.values()), sum(added.values())), sum(want.get(name, {"": 0}).values()),
                min(missing, default="(none)"), min(added, default="(none)")))
    return lines
