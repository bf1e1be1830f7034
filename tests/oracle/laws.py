"""Laws that the tool's tables keep on every trace, whatever it holds. Needs no second computation."""
import collections
import gzip
import os
import tempfile

from . import compare, kineto, tool

# These do not depend on the order of the events in the file. (Nesting of slices with equal bounds and the choice among
# device ops that start at the same time do.)
ORDER_FREE = ("gpu_time", "streams", "kernels", "kernel_classes", "api", "transfers", "steps", "memory",
              "rank_activity")
EVERY_TABLE = ORDER_FREE + ("exposed_collectives", "ops", "launches", "queue", "idle", "idle_hosts", "idle_streams", "ranges", "collectives", "notes",
                            "devices")
SHUFFLE_BELOW = 20000  # events
STEP_PARTS = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu", "other")
MAY_BE_NEGATIVE = {"stream", "device", "rank", "min", "p25", "median", "mean"}


class Broken(list):
    def expect_equal(self, law, got, want):
        if got != want:
            self.append("%s: %s is not %s" % (law, got, want))

    def expect(self, law, holds):
        if not holds:
            self.append(law)


def by_cause(rows, column="total_ns", *more):
    sums = collections.Counter()
    for row in rows:
        sums[tuple(row[key] for key in ("rank", "device", "cause", *more))] += row[column]
    return sums


def broken_gaps(gaps, idle, hosts):
    """What is wrong with the rows of idle_gaps, which add up to those of idle and blame whom idle_hosts does."""
    broken = Broken()
    broken.expect_equal("rows of idle_gaps = rows of idle", by_cause(gaps, "duration_ns"), by_cause(idle))
    of_hosts = by_cause(hosts, "total_ns", "culprit")
    for who, time in by_cause(gaps, "culprit_ns", "culprit").items():
        broken.expect("%s of idle_gaps <= its row of idle_hosts" % (who,), time <= of_hosts[who])
    ends = {}  # by rank and device
    for row in gaps:
        device = row["rank"], row["device"]
        broken.expect("rows of idle_gaps in order of time: %s" % row, ends.get(device, row["start_ns"]) <= row["start_ns"])
        broken.expect("rows of idle_gaps have a length, and their culprit a share: %s" % row, row["duration_ns"] >= row["culprit_ns"] > 0)
        ends[device] = row["start_ns"] + row["duration_ns"]
    return broken


def conservation(tables, info):
    broken = Broken()
    activity = collections.Counter()
    for row in tables["rank_activity"]:
        for column in ("duration_ns", "compute_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns"):
            activity[row["rank"], row["device"], column] += row[column]
    idle = collections.Counter()
    for row in tables["idle"]:
        idle[row["rank"], row["device"]] += row["total_ns"]
    broken.expect_equal("rows of idle_hosts = rows of idle", by_cause(tables["idle_hosts"]), by_cause(tables["idle"]))
    for row in tables["gpu_time"]:
        who = "gpu_time of rank %s device %s" % (row["rank"], row["device"])
        broken.expect_equal(who + ": compute + exposed_comm + exposed_memory + idle = span",
                            row["compute_ns"] + row["exposed_comm_ns"] + row["exposed_memory_ns"] + row["idle_ns"],
                            row["span_ns"])
        broken.expect_equal(who + ": busy + idle = span", row["busy_ns"] + row["idle_ns"], row["span_ns"])
        broken.expect(who + ": exposed_comm <= comm", row["exposed_comm_ns"] <= row["comm_ns"])
        broken.expect(who + ": exposed_memory <= memory", row["exposed_memory_ns"] <= row["memory_ns"])
        for column in ("compute_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns", "span_ns"):
            of = "duration_ns" if column == "span_ns" else column
            broken.expect_equal(who + ": rows of rank_activity = " + column, activity[row["rank"], row["device"], of],
                                row[column])
        broken.expect_equal(who + ": rows of idle = idle", idle[row["rank"], row["device"]], row["idle_ns"])
        broken.expect_equal(who + ": rows of exposed_collectives = exposed_comm",
                            sum(each["exposed_ns"] for each in tables["exposed_collectives"]
                                if (each["rank"], each["device"]) == (row["rank"], row["device"])), row["exposed_comm_ns"])
        mine = [s for s in tables["streams"] if (s["rank"], s["device"]) == (row["rank"], row["device"])]
        first, last = min(s["first_ns"] for s in mine), max(s["last_ns"] for s in mine)
        broken.expect_equal(who + ": span of the streams = span", last - first, row["span_ns"])
        broken.expect(who + ": busy <= sum of the streams' busy", row["busy_ns"] <= sum(s["busy_ns"] for s in mine))
    for row in tables["streams"]:
        broken.expect("stream %s: busy <= last - first" % row["stream"],
                      row["busy_ns"] <= row["last_ns"] - row["first_ns"])
    for row in tables["steps"]:
        broken.expect_equal("step %s: columns = duration" % row["step"],
                            sum(row[part + "_ns"] for part in STEP_PARTS), row["duration_ns"])

    for column in ("count", "total_ns"):
        broken.expect_equal("kernel_classes = kernels + transfers (%s)" % column,
                            sum(row[column] for row in tables["kernel_classes"]),
                            sum(row[column] for table in ("kernels", "transfers") for row in tables[table]))
    broken.expect_equal("streams hold every device op", sum(row["count"] for row in tables["streams"]),
                        info["device_slices"] - implausible(tables))
    broken.expect("launches <= calls", all(
        row["count"] + row["unlinked"] == calls for row in tables["launches"]
        for calls in [next(c["count"] for c in tables["api"] if c["name"] == row["name"])]))
    broken.expect_equal("queue and launches count the same calls", sum(row["count"] for row in tables["queue"]),
                        sum(row["count"] for row in tables["launches"]))
    broken.expect("device_self <= device_total", all(
        row["device_self_ns"] <= row["device_total_ns"] for row in tables["ops"]))
    for table in ("kernels", "kernel_classes", "api"):
        rows = [row for row in tables[table] if row["pct"] is not None]
        broken.expect("percents of %s add up to 100" % table,
                      not rows or abs(sum(row["pct"] for row in rows) - 100) < 1e-6)
    broken.expect_equal("events read = events kept + events skipped", info["events"], sum(info.get(key, 0) for key in (
        "slices", "end_events", "instants", "stack_samples", "counters", "memory_events", "flows", "metadata_events",
        "skipped_events")))
    for name, rows in tables.items():
        for row in rows:
            for column, value in row.items():
                if isinstance(value, (int, float)) and value < 0 and column not in MAY_BE_NEGATIVE:
                    broken.append("%s: %s is negative in %s" % (name, column, row))
    return broken


def implausible(tables):
    return sum(row["count"] for row in tables["notes"] if row["code"] == "implausible_duration")


def read_tables(inputs, names, *options):
    return {name: tool.table(inputs, name, *options) for name in names}


def same_answers(what, inputs, want, *options):
    broken = Broken()
    for name, rows in want.items():
        got = tool.table(inputs, name, *options)
        if name == "notes":  # has no key
            broken.expect_equal("%s: notes" % what, got, rows)
        else:
            broken += ["%s: %s" % (what, line) for line in compare.differences(name, got, rows)]
    return broken


def broken_laws(inputs, folder):
    """Everything that is wrong with the tool's answers on one run. `folder` may be written to."""
    tables = read_tables(inputs, EVERY_TABLE, "--threads", "1")
    info = tool.info(inputs)
    broken = conservation(tables, info)
    broken += broken_gaps(tool.table(inputs, "idle_gaps"), tables["idle"], tables["idle_hosts"])
    broken += same_answers("four threads", inputs, tables, "--threads", "4")
    if len(inputs) == 1 and os.path.isfile(inputs[0]):
        broken += other_forms(inputs[0], tables, info, folder)
    return broken


def other_forms(path, tables, info, folder):
    """The same trace packed or unpacked, and shuffled. A name may carry the rank, so it is kept."""
    name = os.path.basename(path)
    packed = name.endswith(".gz")
    other = os.path.join(folder, name[:-3] if packed else name + ".gz")
    with (gzip.open if packed else open)(path, "rb") as source, (open if packed else gzip.open)(other, "wb") as target:
        target.write(source.read())
    broken = same_answers("unpacked" if packed else "packed", [other], {n: tables[n] for n in EVERY_TABLE})
    if info["events"] < SHUFFLE_BELOW:
        os.makedirs(os.path.join(folder, "shuffled"))
        shuffled = os.path.join(folder, "shuffled", name[:-3] if packed else name)
        kineto.write_shuffled(path, shuffled, seed=name)
        broken += same_answers("shuffled", [shuffled], {n: tables[n] for n in ORDER_FREE})
    return broken


def broken_in_corpus(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(tool.corpus(), name)
        files = kineto.unpack(path, folder)
        return broken_laws(files, folder)
