"""Competitors in Python's standard library: nsys | ncu | kernels FILE. Prints how many rows there are and how long they
took in all, from what a timeline needs of each row."""
import csv
import json
import sqlite3
import sys

TABLES = {
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, eventClass, globalTid, correlationId, nameId",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start, end, deviceId, streamId, correlationId, globalPid, demangledName",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start, end, deviceId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, "
                                  "dstKind",
    "NVTX_EVENTS": "start, end, eventType, textId, globalTid, endGlobalTid, domainId",
    "OSRT_API": "start, end, nameId, globalTid",
}


def nsys(file):
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % file, uri=True)
    texts = dict(database.execute("SELECT id, value FROM StringIds"))
    rows = total = 0
    for table, columns in TABLES.items():
        for row in database.execute("SELECT %s FROM %s" % (columns, table)):
            rows += 1
            total += row[1] - row[0]
    samples = sum(1 for _ in database.execute("SELECT timestamp, typeId, metricId, value FROM GPU_METRICS"))
    assert texts and samples
    return rows, total


def ncu(file):
    launches = {}
    with open(file, newline="", encoding="utf-8") as source:
        for row in csv.DictReader(source):
            if row["Metric Name"] == "Duration":
                launches[row["ID"]] = int(row["Metric Value"].replace(",", ""))
    return len(launches), sum(launches.values())


def nanoseconds(microseconds):
    whole, _, rest = microseconds.strip().partition(".")
    return int(whole) * 1000 + int((rest + "000")[:3])


def kernels(file):
    rows = total = 0
    with open(file, newline="", encoding="utf-8") as source:
        for row in csv.DictReader(source):
            rows += 1
            start = nanoseconds(row["Start Time(us)"])
            total += start + nanoseconds(row["Duration(us)"]) - start
    return rows, total


if __name__ == "__main__":
    count, length = {"nsys": nsys, "ncu": ncu, "kernels": kernels}[sys.argv[1]](sys.argv[2])
    print(json.dumps({"rows": count, "total_ns": length}))
