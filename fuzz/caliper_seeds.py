"""Seeds of the fuzz target for Caliper: records and json-split with one of everything, whole and damaged."""
import gzip
import json


def record(kind, **fields):
    def text(value):
        values = value if isinstance(value, list) else [value]
        return "=".join(str(v).replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=").replace("\n", "\\n")
                        for v in values)

    return ",".join(["__rec=" + kind] + ["%s=%s" % (key, text(value)) for key, value in fields.items()]) + "\n"


# id: (name, property bits, type node)
ATTRIBUTES = {20: ("region", 256, 3), 21: ("mpi.rank", 1, 1), 22: ("sum#time.duration", 1, 5),
              23: ("inclusive#sum#time.duration", 1, 5), 24: ("min#time.duration", 1, 5), 25: ("avg#x/y", 1, 5),
              26: ("cupti.kernel.name", 0, 3), 27: ("cupti.activity.kind", 0, 3), 28: ("sourceloc#pc", 0, 3),
              29: ("module#pc", 0, 3), 30: ("timeseries.starttime", 1, 5), 31: ("timeseries.duration", 1, 5),
              32: ("timeseries.snapshot", 1, 2), 33: ("loop.iterations", 1, 1), 34: ("jobsize", 512, 1),
              35: ("iteration", 20, 1), 36: ("omp.thread.id", 1, 1), 37: ("hidden", 129, 5)}


def attributes(version="2.10.0"):
    out = record("node", id=11, attr=8, data="attribute.alias", parent=3)
    out += record("node", id=12, attr=8, data="attribute.unit", parent=3)
    out += record("node", id=13, attr=8, data="cali.caliper.version", parent=3)
    out += record("node", id=14, attr=13, data=version)
    for number, (name, bits, kind) in ATTRIBUTES.items():
        out += record("node", id=100 + number, attr=10, data=bits, parent=kind)
        out += record("node", id=200 + number, attr=12, data="sec", parent=100 + number)
        out += record("node", id=300 + number, attr=11, data="as " + name, parent=200 + number)
        out += record("node", id=number, attr=8, data=name, parent=300 + number if number == 22 else 100 + number)
    return out


def records(version="2.10.0"):
    out = attributes(version)
    out += record("node", id=40, attr=20, data="main", parent=14)
    out += record("node", id=41, attr=20, data="a,=\\\n", parent=40)
    out += record("node", id=42, attr=26, data="_Z1kv", parent=41) + record("node", id=43, attr=27, data="memcpy")
    out += record("node", id=44, attr=28, data="d/f.c:12", parent=41)
    out += record("node", id=45, attr=29, data="app", parent=44)
    out += record("node", id=46, attr=35, data=3, parent=40)
    out += record("ctx", attr=[21, 22], data=[0, 1.5])
    out += record("ctx", ref=[41, 43], attr=[21, 36, 22, 23, 24, 25, 37], data=[1, 2, 3, 4, 5, 6, 7])
    out += record("ctx", ref=42, attr=[22, 25], data=[1, 9]) + record("ctx", ref=[45, 46], attr=22, data="1e300")
    out += record("ctx", ref=40, attr=[30, 32, 31, 33, 30], data=["100.5", 0, "0.25", 20, "100.75"])
    return out + record("globals", ref=14, attr=34, data=16)


DOCUMENT = {
    "data": [[1, 0, 4, None, 4], [10.5, 1, 3, 1, None], [1e300, 0, 2, 2, 3]],
    "columns": ["sum#time.duration", "mpi.rank", "inclusive#sum#time.duration", "path", "sourceloc#pc"],
    "column_metadata": [{"is_value": True, "attribute.unit": "sec", "attribute.alias": "time"}, {"is_value": True},
                        {"is_value": True}, {"is_value": False}, {"is_value": False}],
    "nodes": [{"label": "main", "column": "path"}, {"label": "f", "column": "path", "parent": 0},
              {"label": "g", "column": "path", "parent": 1}, {"label": "f.c:3"}, {"label": "UNKNOWN"}],
    "cali.caliper.version": "2.10.0", "mpi.world.size": "2"}


def seeds():
    whole = records().encode()
    yield "whole.cali", whole
    yield "version_1.cali", records("1.5").encode()
    yield "whole.cali.gz", gzip.compress(whole, mtime=0)
    yield "truncated.cali", whole[:len(whole) * 2 // 3]
    yield "cycle.cali", whole + (record("node", id=90, attr=20, data="x", parent=91) +
                                 record("node", id=91, attr=20, data="y", parent=90) +
                                 record("ctx", ref=91, attr=22, data=1)).encode()
    unknown = b"__rec=ctx,ref=999,attr=998,data=1\n__rec=x\ngarbage\n__rec=ctx,ref=,attr=22=,data==\n"
    yield "unknown.cali", whole + unknown
    text = json.dumps(DOCUMENT)
    yield "whole.json", text.encode()
    yield "pretty.json", json.dumps(DOCUMENT, indent=1).encode()
    yield "columns_first.json", json.dumps(dict(reversed(list(DOCUMENT.items())))).encode()
    yield "truncated.json", text[:len(text) // 2].encode()
    bad = dict(DOCUMENT, data=[[1], [1, 2, 3, 99, 1.5], "x", [None] * 9], nodes=[{"label": "a", "parent": 7}, 3])
    yield "bad_numbers.json", json.dumps(bad).encode()
