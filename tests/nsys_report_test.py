#!/usr/bin/env python3
"""Nsight Systems reports against the exports that were made of the same runs: every table must be equal, row for row,
without nsys. What a report says and the export of its version does not is listed here, and nothing else may differ.

Environment: CGPU (the binary).
"""
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

PAIRS = tool.shared(os.path.join("corpus_more", "nsys_rep"))
CUT = tool.shared(os.path.join("corpus", "nsys_rep"))

# Of the file, not of the run.
OF_FILE = {"file", "format", "format_version", "input_bytes", "text_bytes", "resident_bytes_per_event"}
# What module loading changes: exports before 2026 leave out the driver's work (CUPTI_ACTIVITY_KIND_OVERHEAD), which is
# in their reports. `links` and `waits` name slices by their numbers.
BY_DRIVER_WORK = {"findings", "unreported_rules", "idle", "idle_hosts", "idle_gaps", "critical_path", "critical_path_trace", "device_trace",
                  "slices", "tracks", "links", "waits", "arguments"}
# Of launches and calls, which exports have since 2026 or have as 0 where a report has nothing.
MORE_ARGUMENTS = {"clusterX", "clusterY", "clusterZ", "clusterSchedulingPolicy", "maxPotentialClusterSize",
                  "maxActiveClusters", "argumentsId"}


def reports():
    if not os.path.isdir(PAIRS):
        return []
    return sorted(name for name in os.listdir(PAIRS) if name.endswith((".nsys-rep", ".qdrep")))


def export_of(report):
    return os.path.join(PAIRS, os.path.splitext(report)[0] + ".sqlite")


def tables_of(profile, folder):
    """{table: rows} of all tables of a profile, read where there is no other program."""
    file = os.path.join(folder, "tables.sqlite")
    done = subprocess.run([tool.binary(), "export", profile, "-o", file], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={"PATH": "", "HOME": folder})
    if done.returncode:
        raise RuntimeError(done.stdout.decode())
    database = sqlite3.connect(file)
    names = [name for name, in database.execute("select name from sqlite_master where type = 'table'")]
    tables = {name: database.execute('select * from "%s"' % name).fetchall() for name in names}
    tables["columns"] = [(name, tuple(c[1] for c in database.execute('pragma table_info("%s")' % name)))
                         for name in names]
    database.close()
    os.remove(file)
    return tables


def facts(info):
    return [row for row in info if row[0] not in OF_FILE and not row[0].startswith("metadata.")]


def raw_tables(export):
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % export, uri=True)
    names = {name for name, in database.execute("select name from sqlite_master where type = 'table'")}
    database.close()
    return names


@unittest.skipUnless(reports(), "no reports in %s" % PAIRS)
class Pairs(unittest.TestCase):
    maxDiff = 2000

    def check(self, report, folder):
        of_report = tables_of(os.path.join(PAIRS, report), folder)
        of_export = tables_of(export_of(report), folder)
        self.assertEqual(of_report.keys(), of_export.keys())
        self.assertGreater(len(of_report), 80)
        raw = raw_tables(export_of(report))
        driver_work = [row for row in of_report["slices"] if "driver work" in row]
        more_overhead = bool(driver_work) and "CUPTI_ACTIVITY_KIND_OVERHEAD" not in raw
        # Exports before 2023.4 have no recording options, and many no diagnostics.
        more_notes = not {"META_DATA_CAPTURE", "DIAGNOSTIC_EVENT"} <= raw
        for name, rows in of_export.items():
            got = of_report[name]
            if name == "info":
                got, rows = facts(got), facts(rows)
                if more_overhead:
                    continue
            if more_notes and name == "notes":
                self.assertLessEqual(set(rows), set(got), name)
                continue
            if more_notes and name == "findings":  # without their numbers; what the profiler says is evidence of one
                def said(row):
                    _, rule, _, title = row[:4]
                    return (rule, title) if title.startswith("The profile names a device") else row[1:]
                got, rows = (set(map(said, table)) for table in (got, rows))
                self.assertLessEqual(rows, got, name)
                continue
            if more_notes and name == "unreported_rules":
                self.assertLessEqual(set(got), set(rows), name)
                continue
            if name == "arguments":
                got, rows = ([row for row in table if not MORE_ARGUMENTS & set(row)] for table in (got, rows))
            if more_overhead and name in BY_DRIVER_WORK:
                continue
            if more_overhead and name in ("api_trace", "launch_trace", "range_trace", "op_dependencies"):
                kept = [i for i, column in enumerate(dict(of_report["columns"])[name]) if not column.endswith("slice")]
                got, rows = ([[row[i] for i in kept] for row in table] for table in (got, rows))
            self.assertEqual(got, rows, name)
        if more_overhead:  # all other slices are equal, but for their numbers
            columns = dict(of_report["columns"])["slices"]
            kept = [i for i, name in enumerate(columns) if name not in ("slice", "parent", "track", "depth")]

            def plain(table):
                return [[row[i] for i in kept] for row in table if "driver work" not in row]
            self.assertEqual(plain(of_report["slices"]), plain(of_export["slices"]))

    def test_every_table_of_a_report_is_that_of_its_export(self):
        with tempfile.TemporaryDirectory() as folder:
            for report in reports():
                with self.subTest(report=report):
                    self.check(report, folder)

    def test_a_report_beside_its_export_is_one_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            report = reports()[0]
            for path in (os.path.join(PAIRS, report), export_of(report)):
                with open(os.path.join(folder, os.path.basename(path)), "wb") as copy:
                    copy.write(tool.read(path))
            self.assertEqual(tool.info(folder)["ranks"], 1)
            both = tool.info([os.path.join(folder, name) for name in os.listdir(folder)])
            self.assertEqual(both["ranks"], 1)

    def test_half_a_report_gives_what_is_in_it(self):
        with tempfile.NamedTemporaryFile(suffix=".nsys-rep") as half:
            data = tool.read(os.path.join(PAIRS, "NVIDIA_Fuser__report1.nsys-rep"))
            half.write(data[:len(data) * 2 // 3])
            half.flush()
            self.assertGreater(tool.info(half.name)["slices"], 1000)
            self.assertIn("truncated_input", [row["code"] for row in tool.table(half.name, "notes")])
            self.assertEqual(tool.run(["info", half.name, "--strict"]).returncode, 2)

    def test_the_environment_never_leaves_the_report(self):
        """No text of the export's table of the environment is in any table."""
        for report in reports():
            database = sqlite3.connect("file:%s?mode=ro&immutable=1" % export_of(report), uri=True)
            values = [value for value, in database.execute(
                "select value from TARGET_INFO_SYSTEM_ENV where nameEnum = 610")]
            database.close()
            words = {part.split("=", 1)[1] for value in values for part in value.split(";") if "=" in part}
            with tempfile.TemporaryDirectory() as folder:
                tables = tables_of(os.path.join(PAIRS, report), folder)
            texts = {value for rows in tables.values() for row in rows for value in row if isinstance(value, str)}
            long = {word for word in words if len(word) > 20}
            self.assertEqual(long & texts, set(), report)


@unittest.skipUnless(os.path.isdir(CUT), "no reports in %s" % CUT)
class Cut(unittest.TestCase):
    def test_a_report_without_an_event_is_refused_in_one_line(self):
        for file in os.listdir(CUT):
            done = tool.run(["info", os.path.join(CUT, file)])
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"ends before its first event", done.stderr)
            self.assertEqual(done.stderr.strip().count(b"\n"), 0)


if __name__ == "__main__":
    unittest.main()
