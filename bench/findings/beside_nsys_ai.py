#!/usr/bin/env python3
"""What nsys-ai says of the built runs of tests/findings_planted_test.py that it can read, beside what `cgpu diagnose` says of the
same files: runs of one rank, written as databases of Nsight Systems.

    python3 -m venv VENV && VENV/bin/pip install nsys-ai
    NSYS_AI=VENV/bin/nsys-ai bench/findings/beside_nsys_ai.py [--write-docs]

--write-docs puts the table into docs/diagnosis.md. Environment: CGPU (the binary), NSYS_AI.
"""
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from oracle import causes, docs, machine, tool  # noqa: E402

DOCS = os.path.join(ROOT, "docs", "diagnosis.md")
BEGIN, END = "<!-- beside: bench/findings/beside_nsys_ai.py --write-docs -->\n", "\n<!-- end of beside -->"
COST = 9000  # us of a step of about 16 ms: critical

SCHEMA = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER,
    gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "end" INTEGER, globalTid INTEGER, correlationId INTEGER,
    nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, "end" INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, "end" INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER,
    domainId INTEGER);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER,
    totalMemory INTEGER);
"""
MEMORY_KINDS = {"Pageable": 0, "Pinned": 1, "Device": 2}


def write_database(rank, path):
    """The run of a rank as Nsight Systems exports it; what the host does and the steps are NVTX ranges."""
    strings = {}

    def string(text):
        return strings.setdefault(text, len(strings) + 1)

    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    process = (4000 + rank.number) << 24
    for event in rank.events:
        if event["ph"] != "X":
            continue
        start = 1000 * (event["ts"] - machine.EPOCH)
        end, args, name = start + 1000 * event["dur"], event["args"], event["name"]
        if event["cat"] == "kernel":
            text = string(name)
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                             (start, end, args["device"], 1, args["stream"], args["correlation"], process, text,
                              string(re.sub(r"^void |[<(].*", "", name)), *args.get("grid", (24, 1, 1)), *args.get("block", (512, 1, 1))))
        elif event["cat"] == "gpu_memcpy":
            ends = re.search(r"\((\w+) -> (\w+)\)", name).groups()
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                             (start, end, args["device"], 1, args["stream"], args["correlation"], process, args["bytes"],
                              1 if ends[1] == "Device" else 2, *(MEMORY_KINDS[kind] for kind in ends)))
        elif event["cat"] == "cuda_runtime":
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,?)",
                             (start, end, process + event["tid"], args["correlation"], string(name + "_v7000"), 0))
        elif event["cat"] != "cuda_sync":
            database.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,?)",
                             (start, end, 59, name, None, process + event["tid"], 0))
    database.executemany("INSERT INTO StringIds VALUES (?,?)", [(number, text) for text, number in strings.items()])
    database.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.11.0')")
    database.execute("INSERT INTO TARGET_INFO_GPU VALUES (?, 'NVIDIA H100 80GB HBM3', 132, 9, 0, 84000000000)",
                     (rank.number,))
    database.commit()
    database.close()


def said_by_nsys_ai(path):
    """The kinds of its findings that are no info, in its order, each once: their labels without names and numbers."""
    out = path + ".json"
    done = subprocess.run([os.environ["NSYS_AI"], "diagnose", path, "--format", "json", "-o", out], capture_output=True,
                          text=True, check=False, timeout=300, cwd=os.path.dirname(path),
                          env=dict(os.environ, HOME=os.path.dirname(path)))
    if not os.path.exists(out):
        return ["(failed: exit %d)" % done.returncode]
    with open(out, encoding="utf-8") as handle:
        found = json.load(handle)["findings"]
    kinds = collections.OrderedDict()
    for finding in found:
        if finding["severity"] != "info":
            kinds[re.sub(r"\s*[(:].*|\s\d.*", "", finding["label"])] = None
    return list(kinds) or ["none"]


def programs():
    """[(planted, program)]: what one rank shows."""
    for name, cause in causes.CAUSES.items():
        if cause.ranks == 1 and cause.rule != "fragmentation":
            yield name, causes.training((name, COST if name != "fusable_kernels" else 1800, True))
    for name, (program, ranks) in causes.HEALTHY.items():
        if ranks == 1 and "memory" not in name:
            yield "(healthy) " + name, program


def table():
    lines = ["| planted | cgpu | nsys-ai |", "|---|---|---|"]
    for planted, program in programs():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.sqlite")
            write_database(machine.run(program)[0], path)
            rows = [row["rule"] for row in tool.table(path, "findings") if row["severity"] != "info"]
            lines.append("| %s | %s | %s |" % (planted, ", ".join(rows) or "none", ", ".join(said_by_nsys_ai(path))))
            print(lines[-1], file=sys.stderr)
    return "\n".join(lines)


def main():
    if "NSYS_AI" not in os.environ:
        sys.exit("set NSYS_AI to the program of nsys-ai (%s)" % __doc__.split("\n\n")[1].strip())
    text = table()
    if "--write-docs" not in sys.argv:
        return print(text)
    docs.write(DOCS, lambda page: docs.with_part(page, BEGIN, END, text))


if __name__ == "__main__":
    main()
