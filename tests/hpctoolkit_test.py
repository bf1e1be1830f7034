#!/usr/bin/env python3
"""HPCToolkit databases of the corpus: against a second decoder that is here, and against numbers known beforehand.

Environment: CGPU (the binary), CGPU_TRUTH (the folder of the facts).
"""
import collections
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "hpctoolkit_v4"))
RECORDED = tool.shared(os.path.join("corpus_more", "hpctoolkit_recorded"))
TRUTH = os.environ.get("CGPU_TRUTH") or tool.shared("truth")
EXECUTION, POINT = 2, 1


def databases():
    return sorted(os.listdir(CORPUS)) if os.path.isdir(CORPUS) else []


def database(ending):
    """The path of the one database whose name ends like this; skips the test where there is none."""
    found = [name for name in databases() if name.endswith(ending)]
    if not found:
        raise unittest.SkipTest("no database *%s in %s" % (ending, CORPUS))
    return os.path.join(CORPUS, found[-1])


def setUpModule():
    tool.must_exist()


class Decoder:
    """Metrics and profiles of a database, field by field."""

    def __init__(self, folder):
        self.meta = self.read(folder, "meta.db")
        self.profile = self.read(folder, "profile.db")
        self.metrics = self.read_metrics()
        self.profiles = self.read_profiles()

    @staticmethod
    def read(folder, name):
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    @staticmethod
    def unpack(data, form, at):
        return struct.unpack_from("<" + form, data, at)

    def text(self, at):
        return self.meta[at:self.meta.index(b"\0", at)].decode()

    def section(self, index):
        return self.unpack(self.meta, "Q", 24 + 16 * index)[0]

    def read_metrics(self):
        """name -> {scope type: (id in profiles, id in the summary)}; `numbers` has the same by the scope's name"""
        self.numbers, self.scope_names = {}, []
        array, count, step, instance_step, summary_step = self.unpack(self.meta, "QIBBB", self.section(2))
        out = {}
        for at in range(array, array + count * step, step):
            name, instances, summaries, n_instances, n_summaries = self.unpack(self.meta, "QQQHH", at)
            ids, by_name = {}, self.numbers.setdefault(self.text(name).split(" (")[0], {})
            for i in range(n_instances):
                scope, number = self.unpack(self.meta, "QH", instances + i * instance_step)
                scope_name = self.text(self.unpack(self.meta, "Q", scope)[0])
                by_name.setdefault(scope_name, [None, None])[0] = number
                if scope_name not in self.scope_names:
                    self.scope_names.append(scope_name)
                ids.setdefault(self.meta[scope + 8], [None, None])[0] = number
            for i in range(n_summaries):
                scope, _, combine, number = self.unpack(self.meta, "QQBxH", summaries + i * summary_step)
                if combine == 0:
                    ids.setdefault(self.meta[scope + 8], [None, None])[1] = number
                    by_name.setdefault(self.text(self.unpack(self.meta, "Q", scope)[0]), [None, None])[1] = number
            out[self.text(name).split(" (")[0]] = ids
        return out

    def read_profiles(self):
        """For each profile, {context: {metric id: value}}; the summary first."""
        array, count, step = self.unpack(self.profile, "QIB", self.unpack(self.profile, "Q", 24)[0])
        out = []
        for at in range(array, array + count * step, step):
            n_values, values, n_rows, rows = self.unpack(self.profile, "QQIxxxxQ", at)
            index = [self.unpack(self.profile, "IQ", rows + 12 * i) for i in range(n_rows)] + [(None, n_values)]
            out.append({context: dict(self.unpack(self.profile, "Hd", values + 10 * v) for v in range(first, after[1]))
                        for (context, first), after in zip(index, index[1:])})
        return out


    def read_contexts(self):
        """Each context as (number, number of its parent, its function's place or None), parents first; and each
        function's name by its place. Context 0 is the root."""
        entries, count, step = self.unpack(self.meta, "QHB", self.section(3))
        self.functions = {}
        out, open_ = [], []
        for at in range(entries, entries + count * step, step):
            size, children, number = self.unpack(self.meta, "QQI", at)
            out.append((number, 0, None))
            open_.append((size, children, number))
        while open_:
            size, at, parent = open_.pop()
            end = at + size
            while at < end:
                below, children, number, flags, _, lexical, words = self.unpack(self.meta, "QQIBBBB", at)
                function = None
                if lexical == 0:
                    function = self.unpack(self.meta, "Q", at + 32)[0] if flags & 1 else 0
                    self.functions[function] = self.text(self.unpack(self.meta, "Q", function)[0]) if function else "<unknown function>"
                out.append((number, parent, function))
                open_.append((below, children, number))
                at += 32 + 8 * words
        return out

    def functions_of(self, metric):
        """(name, inclusive value) of each function, of its outermost calls."""
        contexts, number = self.read_contexts(), self.metrics[metric][EXECUTION][1]
        above = {0: frozenset()}
        total = collections.defaultdict(float)
        for context, parent, function in contexts:
            around = above[parent]
            if function is not None and function not in around:
                total[function] += self.profiles[0].get(context, {}).get(number, 0.0)
                around = around | {function}
            above[context] = around
        return sorted((self.functions[function], value) for function, value in total.items() if value)


def is_part(some, all_of_them):
    """Both sorted: every value of the first is in the second, as often."""
    rest = iter(all_of_them)
    return all(any(value == other for other in rest) for value in some)


class RecordedPrograms(unittest.TestCase):
    """Programs whose work is known (the README beside the databases), against the second decoder."""

    def setUp(self):
        if not RECORDED or not os.path.isdir(RECORDED):
            self.skipTest("no recorded databases")

    @staticmethod
    def main_metric(decoded):
        return next(name for name in ("CPUTIME", "REALTIME") if name in decoded.metrics)

    def test_totals_functions_and_threads(self):
        folders = [os.path.join(RECORDED, name) for name in sorted(os.listdir(RECORDED)) if name.endswith(".d")]
        self.assertGreater(len(folders), 5)
        for folder in folders:
            decoded = Decoder(folder)
            metric = self.main_metric(decoded)
            in_profiles, in_summary = decoded.metrics[metric][EXECUTION]
            with self.subTest(os.path.basename(folder)):
                shown = {row["name"]: row["value"] for row in tool.table(folder, "metrics")}
                self.assertEqual(shown[metric], decoded.profiles[0][0][in_summary])
                functions = sorted((row["name"], row[metric + ".inclusive"]) for row in tool.table(folder, "functions", "--metric", metric)
                                   if row[metric + ".inclusive"] and row["name"] not in ("main thread", "application thread"))
                expected = decoded.functions_of(metric)
                self.assertEqual([name for name, _ in functions], [name for name, _ in expected])
                for (name, value), (_, right) in zip(functions, expected):
                    self.assertAlmostEqual(value, right, delta=1e-9, msg=name)
                threads = sorted(row[metric] for row in tool.table(folder, "profiles") if row[metric])
                self.assertEqual(threads, sorted(values[0][in_profiles] for values in decoded.profiles[1:] if in_profiles in values.get(0, {})))

    def test_shares_of_the_work_are_as_written(self):
        ranks = collections.defaultdict(float)
        compute = tool.table(os.path.join(RECORDED, "mpi.d"), "imbalance", "--by", "function")
        self.assertEqual(compute[0]["name"], "compute")
        for rank in range(3):
            ranks[rank] = next(row["CPUTIME.inclusive"] for row in tool.table(os.path.join(RECORDED, "mpi.d"), "functions", "--rank", str(rank))
                               if row["name"] == "compute")
        for rank in range(3):
            self.assertAlmostEqual(ranks[rank] / ranks[0], rank + 1, delta=0.1)


class EveryDatabase(unittest.TestCase):
    def setUp(self):
        if not databases():
            self.skipTest("no databases in %s" % CORPUS)

    def test_roots_equal_a_second_decoder(self):
        for name in databases():
            folder = os.path.join(CORPUS, name)
            decoded = Decoder(folder)
            shown = {row["name"]: row["value"] for row in tool.table(folder, "metrics")}
            for metric, ids in decoded.metrics.items():
                if metric.endswith("_ACUMU"):
                    continue
                with self.subTest(name, metric=metric):
                    self.assertEqual(shown[metric], decoded.profiles[0].get(0, {}).get(ids[EXECUTION][1]))

    def test_points_add_up_to_the_root_and_so_do_the_exclusive_values(self):
        for name in databases():
            folder = os.path.join(CORPUS, name)
            decoded = Decoder(folder)
            rows = tool.table(folder, "call_tree")
            for metric, ids in decoded.metrics.items():
                if metric + ".exclusive" not in rows[0]:
                    continue
                with self.subTest(name, metric=metric):
                    point = math.fsum(row.get(ids[POINT][1], 0) for row in decoded.profiles[0].values())
                    own = math.fsum(row[metric + ".exclusive"] or 0 for row in rows)
                    root = rows[0][metric + ".inclusive"]
                    self.assertTrue(math.isclose(point, root, rel_tol=1e-9))
                    self.assertTrue(math.isclose(own, root, rel_tol=1e-9))
                    for table in ("functions", "callers"):
                        flat = math.fsum(row[metric + ".exclusive"] or 0
                                         for row in tool.table(folder, table, "--metric", metric))
                        self.assertTrue(math.isclose(flat, root, rel_tol=1e-9), table)

    def test_values_by_context_equal_those_by_profile(self):
        """`imbalance` reads cct.db; its means come from profile.db here."""
        for name in databases():
            folder = os.path.join(CORPUS, name)
            decoded = Decoder(folder)
            rows = tool.table(folder, "imbalance")
            self.assertTrue(rows, name)
            ids = decoded.metrics[rows[0]["metric"]][EXECUTION]
            with self.subTest(name):
                root = [profile[0].get(ids[0]) for profile in decoded.profiles[1:] if 0 in profile]
                root = [value for value in root if value is not None]
                row = next(row for row in rows if row["id"] == 0)
                self.assertEqual((row["profiles"], row["max"], row["min"]), (len(root), max(root), min(root)))
                have = sorted(row["max"] for row in rows)
                most = {}
                for profile in decoded.profiles[1:]:
                    for context, values in profile.items():
                        if ids[0] in values:
                            most[context] = max(most.get(context, 0), values[ids[0]])
                self.assertLessEqual(set(have), set(most.values()))
            with tempfile.TemporaryDirectory() as copy, self.subTest(name, cct="absent"):
                for file in ("meta.db", "profile.db"):
                    shutil.copy(os.path.join(folder, file), copy)
                self.assertEqual(tool.table(copy, "imbalance"), rows)

    def test_every_scope_as_stored_in_the_summary_and_by_profile(self):
        for name in databases():
            folder = os.path.join(CORPUS, name)
            decoded = Decoder(folder)
            metric = tool.table(folder, "imbalance")[0]["metric"]
            scopes = [scope for scope in decoded.scope_names if scope != "execution"]
            options = ("--metric", metric, "--scope", ",".join(scopes))
            for profile, values in enumerate(decoded.profiles):
                of_profile = ("--profile", str(profile - 1)) if profile > 0 and len(decoded.profiles) > 2 else ()
                rows = tool.table(folder, "call_tree", *options, *of_profile)
                for scope in scopes:
                    number = decoded.numbers[metric][scope][0 if of_profile else 1]
                    wanted = decoded.profiles[0] if not of_profile else values
                    stored = sorted(row[number] for row in wanted.values() if number in row)
                    shown = sorted(row["%s.%s" % (metric, scope)] for row in rows
                                   if row["%s.%s" % (metric, scope)] is not None)
                    with self.subTest(name, scope=scope, profile=profile):
                        # Shown are the values of listed contexts: a part of the stored ones, and where no context is
                        # unlisted all of them.
                        self.assertTrue(is_part(shown, stored))
                        if tool.info(folder)["metadata.contexts_folded"] == 0 and not of_profile:
                            self.assertEqual(shown, stored)

    def test_ranks_of_one_database(self):
        seen = 0
        for name in databases():
            folder = os.path.join(CORPUS, name)
            profiles = tool.table(folder, "profiles")
            ranks = sorted({row["rank"] for row in profiles})
            if len(ranks) < 2:
                continue
            seen += 1
            whole = {row["name"]: row["value"] for row in tool.table(folder, "metrics")}
            for metric in whole:
                values = [row["value"] for rank in ranks for row in tool.table(folder, "metrics", "--rank", str(rank))
                          if row["name"] == metric]
                self.assertEqual(len(values), len(ranks))
                self.assertTrue(math.isclose(sum(value or 0 for value in values), whole[metric]), name)
            slices = [len(tool.table(folder, "slices", "--rank", str(rank))) for rank in ranks]
            self.assertEqual(sum(slices), len(tool.table(folder, "slices")))
        self.assertGreater(seen, 0)

    def test_sound_databases_have_no_damage(self):
        for name in databases():
            done = tool.run(["table", os.path.join(CORPUS, name), "notes", "--strict"])
            self.assertEqual((done.returncode, done.stderr), (0, b""), name)


class Numbers(unittest.TestCase):
    def metrics(self, folder):
        return {row["name"]: row["value"] for row in tool.table(folder, "metrics")}

    def same(self, found, expected):
        """But for the order in which fractions were added up."""
        self.assertEqual(set(found), set(expected))
        for key, value in expected.items():
            self.assertTrue(math.isclose(found[key], value, rel_tol=1e-9), key)

    def test_small(self):
        folder = database("dbase__small.d")
        info = tool.info(folder)
        self.assertEqual((info["metadata.contexts_listed"], info["metadata.contexts_with_values"],
                          info["metadata.contexts"], info["events"]), (13, 20, 22, 13))
        self.assertEqual(self.metrics(folder)["CPUTIME"], 1.210259)

    def test_threads(self):
        folder = database("dbase__loops-cputime-t.d")
        self.assertAlmostEqual(self.metrics(folder)["CPUTIME"], 3.973308, 9)
        self.assertEqual(tool.info(folder)["profiles"], 4)

    def test_kernels(self):
        folder = database("dbase__loops-cuda-nvidia-t.d")
        metrics = self.metrics(folder)
        self.assertAlmostEqual(metrics["GKER"], 0.029794428, 12)
        self.assertEqual((metrics["GKER:COUNT"], metrics["GKER:OCC_THR"], metrics["GKER:BLK_THR"],
                          metrics["GKER:THR_REG"], metrics["GKER:LMEM"]), (100, 12.5, 32, 32, 130940928))
        time = tool.table(folder, "gpu_time")[0]
        self.assertEqual((time["span_ns"], time["busy_ns"], time["idle_ns"]), (31340541, 29794428, 1546113))
        kernel, = tool.table(folder, "kernels")
        self.assertEqual((kernel["name"], kernel["count"]), ("kernmain()", 100))

    def test_stalls(self):
        folder = database("dbase__loops-cuda-nvidiapc-t.d")
        metrics = self.metrics(folder)
        self.assertEqual(metrics["GINS"], 2691465216)
        self.assertEqual(metrics["GINS"], metrics["GSAMP:TOT"] * metrics["GSAMP:PER"])
        self.assertAlmostEqual(metrics["GSAMP:UTIL"], 92.19, 2)
        stalls = {row["reason"]: row["value"] for row in tool.table(folder, "stalls")}
        self.assertEqual(stalls, {"constant_memory": 2150400, "memory_dependency": 147832832,
                                  "execution_dependency": 1879826432, "instruction_fetch": 25440256,
                                  "memory_throttle": 53248, "other": 12288})
        self.assertEqual(sum(stalls.values()), metrics["GINS:STL_ANY"])
        rows = {row["name"]: row["GINS.inclusive"] for row in tool.table(folder, "call_tree", "--metric", "gins")}
        self.assertEqual(rows["loop at loops.cu:21"], 2663628800)

    def test_where_instructions_waited(self):
        """By line and by kernel, against sums over the rows of call_tree."""
        for ending in ("dbase__loops-cuda-nvidiapc-t.d", "loops-cuda-nvidiapc-t.nostruct.d",
                       "dbase__recursion-cuda-nvidiapc-t.d", "recursion-cuda-nvidiapc-t.nostruct.d"):
            folder = database(ending)
            stalls = tool.table(folder, "stalls")
            metrics = [row["metric"] for row in stalls]
            nodes = {row["id"]: row for row in tool.table(folder, "call_tree", "--metric", ",".join(metrics))}
            lines, kernels = collections.Counter(), collections.Counter()
            for row in nodes.values():
                function = row
                while function["kind"] in ("loop", "line", "instruction"):
                    function = nodes[function["parent"]]
                above = [function]
                while above[-1]["parent"] is not None:
                    above.append(nodes[above[-1]["parent"]])
                kernel = next((below for below, launch in zip(above, above[1:]) if launch["name"] == "<gpu kernel>"), function)
                for metric in metrics:
                    value = row[metric + ".exclusive"] or 0
                    if value:
                        lines[kernel["name"], function["name"], row["file"], row["line"], metric] += value
                        kernels[kernel["name"], metric] += value
            with self.subTest(ending):
                found = tool.table(folder, "stall_places", "--top", "0")
                self.same({(row["kernel"], row["function"], row["file"], row["line"], row["metric"]): row["value"]
                           for row in found}, lines)
                self.assertEqual(len(found), len(lines))
                self.assertAlmostEqual(sum(row["all_pct"] for row in found), 100, 6)
                by_kernel = tool.table(folder, "stall_places", "--by", "kernel")
                self.same({(row["kernel"], row["metric"]): row["value"] for row in by_kernel}, kernels)
                of_place = collections.Counter()
                for row in found:
                    of_place[row["kernel"], row["function"], row["file"], row["line"]] += row["pct"]
                for place, pct in of_place.items():
                    self.assertAlmostEqual(pct, 100, 6, place)

    def test_the_line_that_waits_most_is_named(self):
        first = tool.table(database("dbase__loops-cuda-nvidiapc-t.d"), "findings")[0]
        self.assertEqual((first["rule"], first["severity"]), ("instruction_stalls", "warning"))
        self.assertIn("69.84%", first["title"])
        self.assertIn("loops.cu:16 in ", first["title"])
        self.assertIn("kernmain()", first["title"])

    def test_names_as_typed(self):
        folder = database("dbase__loops-cuda-nvidia-t.d")
        paths = [tool.table(folder, "hot_path", "--metric", name) for name in ("GKER (sec)", "gker (inc)", "gker")]
        self.assertEqual(paths[0], paths[1])
        self.assertEqual(paths[0], paths[2])
        self.assertEqual(tool.table(folder, "hot_path", "--metric", "time")[0]["value"], paths[0][0]["value"])
        self.assertEqual(tool.table(folder, "hot_path", "--metric", "gxcopy_bytes"), [])
        for name in ("GKER(sec)", "Gker:Sum (I)", "gker (exc)", " gker ", "GKER.inclusive"):
            self.assertEqual(tool.table(folder, "hot_path", "--metric", name), paths[0], name)
        self.assertEqual(tool.run(["table", folder, "hot_path", "--metric", "nothing"]).returncode, 2)

    def test_the_metrics_that_the_database_computes(self):
        """metrics/default.yaml gives the same averages as its accumulators."""
        folder = database("dbase__loops-cuda-nvidiapc-t.d")
        metrics = self.metrics(folder)
        decoded = Decoder(folder)
        root = decoded.profiles[0][0]
        for name in ("BLKS", "BLK_THR", "THR_REG", "LMEM", "FGP_ACT", "FGP_MAX"):
            total = root[decoded.metrics["GKER:%s_ACUMU" % name][EXECUTION][1]]
            self.assertAlmostEqual(metrics["GKER:" + name], total / metrics["GKER:COUNT"], 9)
        self.assertIn("GINS:LAT_THR", metrics)  # the database alone knows it
        with tempfile.TemporaryDirectory() as copy:
            for file in ("meta.db", "profile.db"):
                shutil.copy(os.path.join(folder, file), copy)
            without = self.metrics(copy)
        for name, value in without.items():
            self.assertEqual(metrics[name], value, name)

    def test_amd(self):
        self.assertAlmostEqual(self.metrics(database("dbase__loops-hip-amd-t.d"))["GKER"], 1.52723198, 8)

    def test_the_facts_hold(self):
        script = os.path.join(TRUTH, "check.py")
        if not os.path.exists(script):
            self.skipTest("no %s (set CGPU_TRUTH)" % script)
        done = subprocess.run([sys.executable, script, "hpc"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True, env=dict(os.environ, CGPU=tool.binary()))
        self.assertEqual(done.returncode, 0, "\n" + done.stdout)


class Built(unittest.TestCase):
    """A database that tests/builder writes (hpctoolkit_main.cpp says what is in it)."""

    def built(self, kind):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        builder = os.path.join(os.path.dirname(tool.binary()), "hpctoolkit_builder")
        if not os.path.exists(builder):
            self.skipTest("no %s (configure with -DCGPU_TESTS=ON)" % builder)
        subprocess.run([builder, folder.name, str(kind)], check=True)
        return folder.name

    def test_where_instructions_waited(self):
        folder = self.built(0)
        found = {(row["kernel"], row["function"], row["line"], row["reason"]): (row["value"], row["pct"])
                 for row in tool.table(folder, "stall_places")}
        self.assertEqual(found, {("scale(float*)", "scale(float*)", 4, "memory_dependency"): (60, 100),
                                 ("scale(float*)", "clamp", 9, "memory_dependency"): (10, 100 / 3),
                                 ("scale(float*)", "clamp", 9, "synchronization"): (20, 200 / 3),
                                 ("reduce(float*)", "reduce(float*)", 20, "memory_dependency"): (6, 100),
                                 ("reduce(float*)", "clamp", 9, "memory_dependency"): (14, 1400 / 24),
                                 ("reduce(float*)", "clamp", 9, "synchronization"): (10, 1000 / 24)})
        found = {(row["kernel"], row["reason"]): (row["value"], row["all_pct"])
                 for row in tool.table(folder, "stall_places", "--by", "kernel")}
        self.assertEqual(found, {("scale(float*)", "memory_dependency"): (70, 7000 / 120),
                                 ("scale(float*)", "synchronization"): (20, 2000 / 120),
                                 ("reduce(float*)", "memory_dependency"): (20, 2000 / 120),
                                 ("reduce(float*)", "synchronization"): (10, 1000 / 120)})
        self.assertEqual(tool.run(["table", folder, "stall_places", "--by", "name"]).returncode, 2)

    def test_findings_are_as_severe_as_their_share_of_the_sampled_time(self):
        for waited, severity in ((3, None), (10, "warning"), (30, "critical")):
            rows = tool.table(self.built(waited), "findings")
            found = [row for row in rows if row["rule"] == "barrier_wait"]
            self.assertEqual([row["severity"] for row in found], [severity] if severity else [])
            stalls, = [row for row in rows if row["rule"] == "instruction_stalls"]
            self.assertEqual(stalls["severity"], "critical")
            self.assertIn("45.00%", stalls["title"])  # 90 of 200
            self.assertIn("scale.cu:4 in kernel scale(float*)", stalls["title"])

    def test_many_small_copies(self):
        """200 copies of 4 KiB, 20 us each, of 50 us of work: with a trace what they could give back is known, without one
        what they take. With a trace the 199 repetitions are judged, each from one kernel to the next: what lies before
        the first kernel is in none of them."""
        traced, = [row for row in tool.table(self.built("copies"), "findings") if "copies" in row["rule"]]
        self.assertEqual(traced["rule"], "small_copies")
        self.assertEqual(traced["recoverable_ns"], 199 * 20_000)
        self.assertIn("199 of them below 64 KiB on average", traced["evidence"])
        self.assertIn("199 HtoD, 4.00 KiB each", traced["evidence"])
        counted, = [row for row in tool.table(self.built("copies-untraced"), "findings") if "copies" in row["rule"]]
        self.assertEqual((counted["rule"], counted["severity"], counted["confidence"]), ("small_copies", "critical", "low"))
        self.assertIsNone(counted["recoverable_ns"])
        self.assertIn("40.00% of the time of all operations on devices is copies, most of them small", counted["title"])
        for words in ("4.00 ms of 10.0 ms", "200 copies of 4.00 KiB each on average", "most of it HtoD", "204.8 MB/s"):
            self.assertIn(words, counted["evidence"])

    def test_report_and_diagnose_begin_with_the_same(self):
        folder = self.built(30)
        title = tool.table(folder, "findings")[0]["title"]
        for verb in ("report", "diagnose"):
            text = " ".join(tool.run([verb, folder]).stdout.decode().split())
            self.assertIn(title, text)
            self.assertNotIn("No finding has a potential saving", text)


if __name__ == "__main__":
    unittest.main()
