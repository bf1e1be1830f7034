#!/usr/bin/env python3
"""HPCToolkit 2 databases of the corpus: against a second decoder that is here (ElementTree and struct).

Environment: CGPU (the binary).
"""
import os
import shutil
import struct
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "hpctoolkit_v3_xml"))


def databases():
    return sorted(os.listdir(CORPUS)) if os.path.isdir(CORPUS) else []


def database(ending):
    found = [name for name in databases() if name.endswith(ending)]
    if not found:
        raise unittest.SkipTest("no database *%s in %s" % (ending, CORPUS))
    return os.path.join(CORPUS, found[-1])


def setUpModule():
    tool.must_exist()


class Decoder:
    """The nodes and the values of a database: every element of the XML, call sites too."""

    def __init__(self, folder):
        root = ElementTree.parse(os.path.join(folder, "experiment.xml")).getroot()
        self.section = root.find("SecCallPathProfile")
        self.data = self.section.find("SecCallPathProfileData")
        self.nodes = [e for e in self.data.iter() if e.tag not in ("M", "SecCallPathProfileData")]
        self.procedures = {e.get("i"): e.get("n") for e in self.section.iter("Procedure")}
        self.tables = {}
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".metric-db"):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            rows, columns = struct.unpack(">ii", data[24:32])
            values = struct.unpack(">%dd" % (rows * columns), data[32:])
            rank, thread = name.split("-")[-6:-4] if name.count("-") > 5 else name.split("-")[1:3]
            self.tables[int(rank), int(thread)] = [values[i:i + columns] for i in range(0, len(values), columns)]

    def total(self, number, column=0):
        return sum(table[number - 1][column] for table in self.tables.values())

    def below(self, element):
        """Nodes of the tree below an element, looking through call sites to what they call."""
        for child in element:
            if child.tag == "C" and any(e.tag != "M" for e in child):
                yield from self.below(child)
            elif child.tag != "M":
                yield child


class EveryDatabase(unittest.TestCase):
    def setUp(self):
        if not databases():
            self.skipTest("no databases in %s" % CORPUS)

    def test_the_tree_and_its_values(self):
        """Name, parent and value of every node, in order."""
        for name in databases():
            with self.subTest(name):
                folder = os.path.join(CORPUS, name)
                decoded = Decoder(folder)
                rows = sorted(tool.table(folder, "call_tree"), key=lambda row: row["id"])
                wanted = []

                def walk(element, parent):
                    number = len(wanted)
                    wanted.append((element, parent))
                    for child in decoded.below(element):
                        walk(child, number)

                sys.setrecursionlimit(10000)
                walk(decoded.data, None)
                self.assertEqual(len(rows), len(wanted))
                for row, (element, parent) in zip(rows, wanted):
                    self.assertEqual(row["parent"], parent)
                    if element.tag in ("PF", "Pr"):
                        self.assertEqual(row["name"], decoded.procedures[element.get("n")])
                    if "CPUTIME.inclusive" in row and decoded.tables:
                        self.assertEqual(row["CPUTIME.inclusive"] or 0, decoded.total(int(element.get("i", 1))))
                    elif "CPUTIME.inclusive" in row:
                        value = [m.get("v") for m in element.findall("M") if m.get("n") == "122"]
                        self.assertEqual(row["CPUTIME.inclusive"], float(value[0]) if value else None)

    def test_exclusive_values_are_those_of_the_statements(self):
        """They add up to the root, exactly where there are tables."""
        for name in databases():
            folder = os.path.join(CORPUS, name)
            rows = tool.table(folder, "call_tree")
            for column in {"CPUTIME.exclusive", "GKER.exclusive", "GKER:COUNT.exclusive"} & set(rows[0]):
                with self.subTest(name, column=column):
                    own = sum(row[column] or 0 for row in rows)
                    root = rows[0][column.replace("exclusive", "inclusive")]
                    if any(f.endswith(".metric-db") for f in os.listdir(folder)):
                        self.assertEqual(own, root)
                    else:
                        self.assertLess(abs(own - root), 1e-4 * root)
                    self.assertEqual({row["kind"] for row in rows if row[column]} - {"line", "loop"}, set())

    def test_functions_and_scope_function_agree_with_the_exclusive_column(self):
        seen = 0
        for name in databases():
            folder = os.path.join(CORPUS, name)
            decoded = Decoder(folder)
            if not decoded.tables or not decoded.total(1):
                continue
            seen += 1
            with self.subTest(name):
                own = {}
                for element in decoded.nodes:
                    if element.tag == "PF":
                        key = decoded.procedures[element.get("n")]
                        own[key] = own.get(key, 0) + decoded.total(int(element.get("i")), 1)
                shown = {}
                for row in tool.table(folder, "functions"):
                    shown[row["name"]] = shown.get(row["name"], 0) + (row["CPUTIME.exclusive"] or 0)
                self.assertEqual({f: v for f, v in shown.items() if v}, {f: v for f, v in own.items() if v})
                rows = tool.table(folder, "call_tree", "--scope", "function")
                stored = sum(row["CPUTIME.function"] or 0 for row in rows if row["kind"] == "function")
                self.assertEqual(stored, sum(own.values()))
        self.assertGreater(seen, 0)

    def test_every_thread(self):
        for name in databases():
            with self.subTest(name):
                folder = os.path.join(CORPUS, name)
                decoded = Decoder(folder)
                rows = tool.table(folder, "profiles")
                self.assertEqual([(row["rank"], row["thread"]) for row in rows], sorted(decoded.tables))
                for row in rows:
                    value = decoded.tables[row["rank"], row["thread"]][0][0]
                    self.assertEqual(row.get("CPUTIME") or 0, value)
                for rank in {rank for rank, _ in decoded.tables}:
                    values = [t[0][0] for (r, _), t in decoded.tables.items() if r == rank]
                    metric, = tool.table(folder, "metrics", "--rank", str(rank))
                    self.assertEqual((metric["rank"], metric["value"] or 0), (rank, sum(values)))

    def test_sound_databases_have_no_damage(self):
        for name in databases():
            for path in (os.path.join(CORPUS, name), os.path.join(CORPUS, name, "experiment.xml")):
                done = tool.run(["table", path, "notes", "--strict"])
                self.assertEqual((done.returncode, done.stderr), (0, b""), name)
                self.assertEqual(tool.info(path)["format"], "hpctoolkit-xml")

    def test_every_table_is_computed(self):
        for name in databases():
            for table in ("hot_path", "functions", "callers", "imbalance", "stalls", "gpu_time", "kernels"):
                tool.table(os.path.join(CORPUS, name), table)


class Numbers(unittest.TestCase):
    def test_cpi(self):
        folder = database("hpctoolkit-cpi-database")
        self.assertEqual([row["CPUTIME"] for row in tool.table(folder, "profiles")], [999238, 999390, 1000306, 999308])
        self.assertEqual([row["unit"] for row in tool.table(folder, "metrics")], ["usec"])
        path = tool.table(folder, "hot_path", "--threshold", "50")
        self.assertEqual([row["name"] for row in path],
                         ["<root>", "<program root>", "main", "MPI_Finalize", "PMPI_Finalize", "MPID_Finalize",
                          "MPIDI_CH3_Finalize", "psm_dofinalize"] + 3 * ["<unknown procedure>"])
        self.assertEqual(len(path), 11)
        root = next(row for row in tool.table(folder, "imbalance") if row["id"] == 0)
        self.assertEqual((root["min"], root["max"], root["profiles"], root["worst"]),
                         (999238, 1000306, 4, "rank 2 thread 0"))
        self.assertAlmostEqual(root["imbalance"], 1.00074583, 8)
        calls = {row["name"]: row["call_line"] for row in tool.table(folder, "call_tree")}
        self.assertEqual((calls["MPI_Finalize"], calls["psm_dofinalize"]), (62, 230))

    def test_allgather(self):
        info = tool.info(database("hpctoolkit-allgather-database"))
        self.assertEqual((info["metadata.nodes_in_xml"], info["metadata.rows_per_profile"], info["profiles"],
                          info["ranks"], info["rank_list"]), (1943, 1944, 20, 10, "0-9"))
        roots = [row["CPUTIME"] for row in tool.table(database("hpctoolkit-allgather-database"), "profiles")]
        self.assertEqual((roots[0], roots[2], roots[1]), (2615761, 2615895, None))  # every second thread did nothing

    def test_device_metrics_without_tables(self):
        folder = database("hpctoolkit-quicksilver-database")
        metrics = {row["name"]: row["value"] for row in tool.table(folder, "metrics")}
        self.assertEqual((metrics["CPUTIME"], metrics["GKER"], metrics["GKER:COUNT"]), (90.1496, 24.9554, 4523))
        self.assertAlmostEqual(metrics["GKER:OCC_THR"], 100 * 72432 / 289472, 9)
        self.assertEqual([row["code"] for row in tool.table(folder, "notes")], ["missing_profiles"])

    def test_a_missing_or_cut_table_is_a_loss(self):
        with tempfile.TemporaryDirectory() as copy:
            folder = os.path.join(copy, "database")
            shutil.copytree(database("hpctoolkit-cpi-database"), folder)
            os.chmod(folder, 0o755)
            table = sorted(name for name in os.listdir(folder) if name.endswith(".metric-db"))[0]
            path = os.path.join(folder, table)
            os.chmod(path, 0o644)
            with open(path, "r+b") as file:
                file.truncate(200)
            done = tool.run(["table", folder, "metrics"])
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"cut off", done.stderr)
            os.remove(path)
            done = tool.run(["table", folder, "metrics", "--strict"])
            self.assertEqual((done.returncode, done.stdout), (2, b""))


if __name__ == "__main__":
    unittest.main()
