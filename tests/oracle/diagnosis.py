"""What table findings says of runs of the machine (machine.py)."""
import tempfile

from . import machine, tool


def findings(machines, *options, reverse=False, capability=(9, 0), groups=None, device=machine.DEVICE):
    """The rows; `reverse`: the traces of the ranks are given in the other order."""
    with tempfile.TemporaryDirectory() as folder:
        paths = machine.write(machines, folder, capability, groups, device)
        return tool.table(paths[::-1] if reverse else paths, "findings", *options)


def alarms(rows):
    return [row for row in rows if row["severity"] != "info"]


def by_rule(rows):
    return {row["rule"]: row for row in rows}
