#!/usr/bin/env python3
"""Nsight Systems reports against the exports that were made of the same runs: every table must be equal, row for row,
without nsys. What exports leave out of reports is added to a copy of them by a decoder of its own (oracle/nsys_report.py).

Environment: CGPU (the binary).
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import nsys_report, tool  # noqa: E402

PAIRS = tool.shared(os.path.join("corpus_more", "nsys_rep"))
CUT = tool.shared(os.path.join("corpus", "nsys_rep"))

# Of the file, not of the run.
OF_FILE = {"file", "format", "format_version", "input_bytes", "text_bytes", "resident_bytes_per_event",
           "metadata.exported"}
# By the options of the recording, which exports have since 2023.4 and reports always.
OF_OPTIONS = {"credentials_present", "missing_calls"}
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


def facts(info, with_options):
    return [row for row in info
            if row[0] not in OF_FILE and (with_options or not row[0].startswith("metadata."))]


@unittest.skipUnless(reports(), "no reports in %s" % PAIRS)
class Pairs(unittest.TestCase):
    maxDiff = 2000

    def check(self, report, folder):
        path = os.path.join(PAIRS, report)
        copy = os.path.join(folder, "export.sqlite")
        shutil.copyfile(export_of(report), copy)
        had = nsys_report.complete(copy, path)
        of_report = tables_of(path, folder)
        of_export = tables_of(copy, folder)
        self.assertEqual(of_report.keys(), of_export.keys())
        self.assertGreater(len(of_report), 80)
        with_options = "META_DATA_CAPTURE" in had
        for name, rows in of_export.items():
            got = of_report[name]
            if name == "info":
                got, rows = (facts(table, with_options) for table in (got, rows))
            if name == "notes" and not with_options:
                got, rows = ([row for row in table if not OF_OPTIONS & set(row)] for table in (got, rows))
            if name == "arguments":
                got, rows = ([row for row in table if not MORE_ARGUMENTS & set(row)] for table in (got, rows))
            self.assertEqual(got, rows, name)

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
