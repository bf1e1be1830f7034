"""The command line as a user meets it: verbs, options, exit codes, error lines, what never leaves a file."""
import csv
import gzip
import html
import io
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CGPU = os.path.abspath(os.environ.get("CGPU", os.path.join(HERE, "build", "cgpu")))
EXAMPLE = os.path.join(HERE, "examples", "generated_training.json.gz")
SECRET = "hf_abcdefghijklmnopqrstuvwxyz0123"


def cgpu(*words, stdin=None, **environment):
    return subprocess.run([CGPU, *words], input=stdin, capture_output=True, timeout=60,
                          env=dict(os.environ, NO_COLOR="1", **environment))


def table(*words):
    done = cgpu("table", *words, "--format", "json")
    assert done.returncode == 0, done.stderr.decode()
    document = json.loads(done.stdout)
    name, = document["tables"]
    columns = [c["name"] for c in document["tables"][name]["columns"]]
    return [dict(zip(columns, row)) for row in document["tables"][name]["rows"]]


def info(*words):
    return {row["key"]: row["value"] for row in table(*words, "info")}


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as handle:
            handle.write(content if isinstance(content, bytes) else content.encode())
        return path

    def trace(self, name="trace.json", **header):
        events = [{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": i * 10, "dur": 5} for i in range(4)]
        return self.file(name, json.dumps(dict({"schemaVersion": 1}, traceEvents=events, **header)))


class Verbs(Files):
    def test_a_bare_input_is_one_screen(self):
        for path in (EXAMPLE, os.path.join(HERE, "examples", "cnn_workers0.json.gz"), os.path.join(HERE, "examples", "h100_ranks", "ring")):
            bare, report = cgpu(path), cgpu("report", path)
            self.assertEqual(bare.returncode, 0)
            lines = bare.stdout.decode().splitlines()
            self.assertLessEqual(len(lines), 42)
            self.assertEqual(lines[:2], report.stdout.decode().splitlines()[:2])
            self.assertIn("cgpu report INPUT", lines[-1])
            self.assertEqual(bare.stdout, cgpu("report", path, "--overview").stdout)
        self.assertEqual(cgpu(EXAMPLE, "--format", "json").stdout, cgpu("report", EXAMPLE, "--format", "json").stdout)

    def test_a_report_of_some_sections(self):
        tables = json.loads(cgpu("report", EXAMPLE, "--sections", "idle,steps", "--format", "json").stdout)["tables"]
        whole = json.loads(cgpu("report", EXAMPLE, "--format", "json").stdout)["tables"]
        self.assertEqual(tables, {name: whole[name] for name in ("steps", "idle")})
        text = cgpu("report", EXAMPLE, "--sections", "idle").stdout.decode()
        self.assertIn("Idle time by cause", text)
        self.assertNotIn("Steps", text)
        done = cgpu("report", EXAMPLE, "--sections", "idle,stepz")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), r"^cgpu: report: there is no section stepz; there are findings, devices, gpu_time, .*, info\n$")
        self.assertEqual(cgpu("report", EXAMPLE, "--sections", "idle", "--overview").returncode, 2)

    def test_a_finding_is_a_heading_a_bar_and_three_lines(self):
        text = cgpu("diagnose", EXAMPLE).stdout.decode()
        verdict, first = text.split("\n\n")[:2]
        self.assertRegex(" ".join(verdict.split()), r"^[\d.]+ ms a step \(4 steps\): GPU [\d.]+% busy, [\d.]+% exposed communication, .*\.$")
        words = " ".join(first.split())
        rows = table(EXAMPLE, "findings")
        self.assertTrue(words.startswith("1. warning: %s [%s]" % (rows[0]["title"], rows[0]["rule"])), words)
        self.assertRegex(words, r"\] \[\S{20}\] Potential saving: [\d.]+ ms of [\d.]+ ms a step \([\d.]+%\), confidence \w+ ")
        self.assertIn(" Try: " + rows[0]["suggestion"], words)
        self.assertNotIn(rows[0]["evidence"], words)  # of which two lines are shown
        self.assertIn(rows[0]["evidence"], " ".join(cgpu("diagnose", EXAMPLE, "--all").stdout.decode().split()))

    def test_every_listed_table_answers_in_every_format(self):
        names = [row[0] for row in json.loads(cgpu("table", "--list", "--format", "json").stdout)["tables"]["tables"]["rows"]]
        self.assertIn("idle_streams", names)
        for name in names:
            for form in ("text", "csv", "json", "md"):
                done = cgpu("table", EXAMPLE, name, "--format", form)
                self.assertEqual(done.returncode, 0, name)
                why = b"cgpu: %s: no rows: the profile has no " % name.encode()
                self.assertTrue(done.stderr == b"" or done.stderr.startswith(why), done.stderr)
                self.assertTrue(done.stdout.strip(), name)

    def test_the_formats_agree(self):
        rows = table(EXAMPLE, "kernels")
        parsed = list(csv.DictReader(io.StringIO(cgpu("table", EXAMPLE, "kernels", "--format", "csv").stdout.decode())))
        self.assertEqual([r["name"] for r in parsed], [r["name"] for r in rows])
        self.assertEqual([int(r["total_ns"]) for r in parsed], [r["total_ns"] for r in rows])

    def test_aliases_of_other_tools(self):
        self.assertEqual(table(EXAMPLE, "gpukernsum"), table(EXAMPLE, "kernels"))
        self.assertEqual(table(EXAMPLE, "cuda_api_sum"), table(EXAMPLE, "api"))

    def test_the_list_of_tables_is_whole(self):
        declared = json.loads(cgpu("table", "--list", "--format", "json").stdout)["tables"]["tables"]["rows"]
        for width in ("60", "100"):
            text = cgpu("table", "--list", COLUMNS=width).stdout.decode()
            self.assertLessEqual(max(map(len, text.splitlines()[1:])), int(width))
            plain = " ".join(text.split())
            for row in declared:
                self.assertIn(" ".join(("%s %s" % (row[0], row[1])).split()), plain)

    def test_the_ending_of_an_output_says_its_format(self):
        for ending, start in (("csv", b"name,"), ("json", b"{"), ("md", b"time of"), ("txt", b"time of"), ("", b"time of")):
            out = os.path.join(self.folder.name, "out" + ("." + ending if ending else ""))
            self.assertEqual(cgpu("table", EXAMPLE, "kernels", "-o", out).returncode, 0)
            with open(out, "rb") as file:
                self.assertTrue(file.read().startswith(start), ending)
        for verb in (["report", EXAMPLE], ["table", EXAMPLE, "kernels"]):
            done = cgpu(*verb, "-o", os.path.join(self.folder.name, "out.pdf"))
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"'.pdf' is no format", done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder.name, "out.pdf")))

    def test_a_misspelt_command_or_class_is_told(self):
        done = cgpu("frobnicate", EXAMPLE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"frobnicate: is neither a command nor a file; the commands are report, info, table", done.stderr)
        done = cgpu("table", EXAMPLE, "kernels", "--where", "class = gem")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"no row has the class 'gem'; there are attention, ", done.stderr)

    def test_where_sort_top_and_names(self):
        every = table(EXAMPLE, "kernels")
        slow = table(EXAMPLE, "kernels", "--where", "total_ns > 1ms and name ~ gemm|gmm", "--sort", "mean_ns", "--top", "2")
        expected = [r for r in every if r["total_ns"] > 1_000_000 and re.search("gemm|gmm", r["name"])]
        expected.sort(key=lambda r: -r["mean_ns"])
        self.assertEqual(slow, expected[:2])
        self.assertLessEqual(len(table(EXAMPLE, "kernels", "--names", "base")), len(every))

    def test_text_fits_the_width(self):
        for width in (60, 80, 160):
            for words in (("table", EXAMPLE, "kernels"), ("report", EXAMPLE), ("info", EXAMPLE)):
                out = cgpu(*words, COLUMNS=str(width)).stdout.decode()
                self.assertLessEqual(max(map(len, out.splitlines())), width, words)
                self.assertNotIn("\x1b", out)

    def test_reports_in_every_format(self):
        document = json.loads(cgpu("report", EXAMPLE, "--format", "json").stdout)
        self.assertEqual((document["schema"], document["command"], document["inputs"]), ("cgpu/1", "report", [EXAMPLE]))
        self.assertIn("gpu_time", document["tables"])
        self.assertIn("idle", document["tables"])
        path = os.path.join(self.folder.name, "page.html")
        self.assertEqual(cgpu("report", EXAMPLE, "-o", path).returncode, 0)
        with open(path, encoding="utf-8") as handle:
            page = handle.read()
        self.assertTrue(page.lower().startswith("<!doctype html>"))
        self.assertIn("<svg", page)
        self.assertIsNone(re.search(r"""(src|href)\s*=\s*["']?https?:""", page), "self-contained")
        self.assertIn(b"|", cgpu("report", EXAMPLE, "--format", "md").stdout)

    def test_a_report_with_its_viewer(self):
        folder = os.path.join(self.folder.name, "a page")
        os.mkdir(folder)
        report, viewer = os.path.join(folder, "report.html"), os.path.join(self.folder.name, "the run.html")
        done = cgpu("report", EXAMPLE, "-o", report, "--viewer", viewer)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(report, encoding="utf-8") as handle:
            page = handle.read()
        self.assertIn('<a href="../the%20run.html">Open the timeline</a>', page)
        findings = json.loads(cgpu("diagnose", EXAMPLE, "--format", "json").stdout)["tables"]["findings"]
        at = {column["name"]: i for i, column in enumerate(findings["columns"])}
        first = next(row for row in findings["rows"][:3] if row[at["start_ns"]] is not None)
        places = [tuple(map(int, place)) for place in re.findall(r"the%20run.html#view=timeline&amp;t=(\d+)~(\d+)", page)]
        self.assertTrue(places[0][0] <= first[at["start_ns"]] < first[at["end_ns"]] <= places[0][1], places)
        self.assertTrue(os.path.getsize(viewer) > 100000)
        part = cgpu("report", EXAMPLE, "-o", report, "--viewer", viewer, "--from", "20ms")
        self.assertEqual(part.returncode, 0, part.stderr)
        with open(report, encoding="utf-8") as handle:
            self.assertNotIn("#view=timeline", handle.read(), "times in the copy count from its own start")
        for words, why in ((("-o", report, "--viewer", report), "is the report itself"),
                           (("-o", report, "--viewer", "-"), "name a file"),
                           (("-o", report, "--viewer", report[:-5]), "end its name in .html"),
                           (("--viewer", viewer), "is for a page")):
            done = cgpu("report", EXAMPLE, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(why, done.stderr.decode())

    def test_help_version_and_completion(self):
        self.assertRegex(cgpu("--version").stdout, rb"^cgpu \d+\.\d+\.\d+\nbuilt by .*\nwith simdjson \d.*\n$")
        self.assertIn(b"--where", cgpu("table", "--help").stdout)
        script = cgpu("completion", "bash").stdout
        done = subprocess.run(["bash", "-c", script.decode() + "\nCOMP_WORDS=(cgpu table x kernel); COMP_CWORD=3; _cgpu; echo ${COMPREPLY[@]}"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split(), ["kernels", "kernel_classes", "kernel_grids"])
        self.assertEqual(subprocess.run(["bash", "-n"], input=script).returncode, 0)

    def test_bash_completes_the_values_of_options(self):
        script = cgpu("completion", "bash").stdout.decode()

        def completed(*words):
            program = '%s\nCOMP_WORDS=(cgpu "$@"); COMP_CWORD=$#; _cgpu; printf "%%s\\n" "${COMPREPLY[@]}"' % script
            done = subprocess.run(["bash", "-c", program, "bash", *words], capture_output=True, text=True, check=True, cwd=folder)
            return done.stdout.split()

        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "trace.json").touch()
            self.assertEqual(completed("check", "--format", ""), ["github", "json", "junit", "md", "text"])
            self.assertEqual(completed("check", "--format", "="), ["github", "json", "junit", "md", "text"])
            self.assertEqual(completed("check", "--format", "=", "j"), ["json", "junit"])
            self.assertIn("nsys", completed("record", "--with", ""))
            self.assertEqual(completed("compare", "a", "b", "--table", "compare_st"), ["compare_statistics"])
            self.assertEqual(completed("scale", "a", "--table", ""), ["scale", "scale_sizes", "scale_runs"])
            self.assertEqual(completed("table", "x", "kernels", "--names", ""), ["base", "full"])
            self.assertEqual(completed("table", "--top", ""), [])
            self.assertEqual(completed("report", "-o", ""), ["trace.json"])
            self.assertEqual(completed("report", "--kernel-rules", "tr"), ["trace.json"])
            self.assertEqual(completed("completion", ""), ["bash", "fish", "zsh"])
            self.assertEqual(completed("report", "tr"), ["trace.json"])

    def test_every_table_column_and_option_is_described(self):
        """The list as Markdown says of each table what the list as JSON declares, which lacks nothing."""
        for verb, some in (("table", {"kernels", "idle_hosts", "call_tree"}), ("compare", {"compare_ops", "compare_runs"}),
                           ("scale", {"scale", "scale_sizes", "scale_runs"})):
            listed = json.loads(cgpu(verb, "--list", "--format", "json").stdout)["tables"]
            declared = {name: [dict(zip((column["name"] for column in one["columns"]), row)) for row in one["rows"]]
                        for name, one in listed.items()}
            page = re.sub("</?code>", "", html.unescape(cgpu(verb, "--list", "--format", "md").stdout.decode()))
            sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
            self.assertEqual(list(sections), [each["name"] for each in declared["tables"]])
            self.assertLessEqual(some, set(sections))
            for each in declared["tables"]:
                self.assertTrue(each["about"], each)
                self.assertIn("\n%s. Subject: %s.\n" % (each["about"], each["subject"]), sections[each["name"]])
                rows = re.findall(r"^\| (\w[^ ]*) \| (int|float|text) \| ([^ ]*) \| (\w+) \| (.+) \|$", sections[each["name"]], re.M)
                mine = [c for c in declared["columns"] if c["table"] == each["name"]]
                self.assertEqual(rows, [(c["name"], c["type"], c["unit"] or "", c["role"], c["about"]) for c in mine])
                self.assertTrue(mine, each)
            units = {"ns": "ns", "bytes": "bytes", "pct": "%"}
            for column in declared["columns"]:
                with self.subTest(column["name"], table=column["table"]):
                    self.assertTrue(column["about"])
                    ending = column["name"].rpartition("_")[2]
                    if ending in units:
                        self.assertEqual(column["unit"], units[ending])
                    if column["type"] == "int" and column["role"] in ("measure", "moment"):
                        self.assertTrue(column["unit"])
            self.assertTrue(declared["options"] or verb in ("compare", "scale"))
            for option in declared["options"]:
                self.assertTrue(option["about"])
                self.assertIn("Option `%s`: " % option["name"], sections[option["table"]])


class Selection(Files):
    def test_steps_and_times(self):
        steps = table(EXAMPLE, "steps")
        first, second = steps[0], steps[1]
        one = table(EXAMPLE, "steps", "--step", str(first["step"]))
        self.assertEqual([r["step"] for r in one if r["duration_ns"] == first["duration_ns"]], [first["step"]])
        whole = table(EXAMPLE, "gpu_time")[0]
        cut = second["start_ns"] + second["duration_ns"] // 2
        parts = [table(EXAMPLE, "kernel_classes", "--to", str(cut)), table(EXAMPLE, "kernel_classes", "--from", "%dns" % cut)]
        self.assertEqual(sum(r["total_ns"] for part in parts for r in part),
                         sum(r["total_ns"] for r in table(EXAMPLE, "kernel_classes")), "windows share out the time")
        self.assertLess(table(EXAMPLE, "gpu_time", "--from", "1ms", "--to", "3 ms")[0]["span_ns"], whole["span_ns"])

    def test_selections_that_cannot_be_made(self):
        for words in (("--step", "9999"), ("--step", "x"), ("--from", "5ms", "--to", "1ms"), ("--to", "soon"), ("--rank", "77"),
                      ("--rank", "0,x"), ("--device", "77"), ("--device", "0-")):
            done = cgpu("table", EXAMPLE, "steps", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def test_ranks(self):
        paths = [self.trace("rank%d.json" % rank, distributedInfo={"rank": rank}) for rank in (3, 1)]
        self.assertEqual(info(self.folder.name)["rank_list"], "1,3")
        self.assertEqual(info(*paths, "--rank", "3")["ranks"], "1")
        paths.append(self.trace("rank8.json", distributedInfo={"rank": 8}))
        self.assertEqual(info(*paths, "--rank", "1,5-9")["rank_list"], "1,8")
        done = cgpu("table", *paths, "info", "--rank", "1,4-6")
        self.assertEqual((done.returncode, done.stderr), (2, b"cgpu: rank 4-6: there is no such rank (there are: 1, 3, 8)\n"))

    def test_devices(self):
        kernel = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10, "dur": 5}
        path = self.file("devices.json", json.dumps({"schemaVersion": 1, "traceEvents": [
            {**kernel, "pid": device, "dur": 5 + device, "args": {"device": device, "stream": 7}} for device in range(4)]}))
        self.assertEqual([(r["device"], r["busy_ns"]) for r in table(path, "gpu_time", "--device", "1,3")],
                         [(1, 6000), (3, 8000)])
        self.assertEqual(len(table(path, "kernels", "--device", "2")), 1)
        self.assertEqual(info(path, "--device", "0-2")["devices"], "3")

    def test_kernel_rules_of_the_user(self):
        rules = self.file("rules.txt", "attention head .\n")
        self.assertEqual({r["class"] for r in table(EXAMPLE, "kernels", "--kernel-rules", rules)}, {"attention"})
        done = cgpu("table", EXAMPLE, "kernels", "--kernel-rules", self.file("bad.txt", "gemm head (\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"line 1", done.stderr)


class BadInput(Files):
    def error(self, *words, stdin=None):
        done = cgpu(*words, stdin=stdin)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr, rb"^cgpu: [^\n]+\n$")
        return done.stderr.decode()

    def test_every_failure_is_one_line_and_exit_2(self):
        empty = os.path.join(self.folder.name, "folder")
        os.mkdir(empty)
        unreadable = self.file("unreadable.json", "{}")
        os.chmod(unreadable, 0)
        cases = [("nothing.json",), (self.file("empty.json", b""),), (self.file("text.json", "hello"),), (empty,),
                 (self.file("other.json", '{"a": 1}'),), (self.file("db", b"SQLite format 3\0" + bytes(100)),),
                 (self.file("broken.gz", b"\x1f\x8b\x08\0garbage that is no deflate"),), (self.file("empty.gz", gzip.compress(b"")),),
                 (os.path.join(empty, "*.json"),), ("table", EXAMPLE, "no_table"), ("table", "kernels"), ("table",),
                 ("report", "--no-such-option"), ("table", EXAMPLE, "kernels", "--where", "no_column > 1"),
                 ("table", EXAMPLE, "kernels", "--where", "name ~ ("), ("table", EXAMPLE, "kernels", "--sort", "no_column"),
                 ("report", EXAMPLE, "-o", "/nonexistent/page.html"), ("report", EXAMPLE, "--input-format", "none")]
        if os.geteuid() != 0:
            cases.append((unreadable,))
        for words in cases:
            with self.subTest(words=words):
                self.error(*words)

    def test_what_is_wrong_is_said(self):
        self.assertIn("SQLite", self.error(self.file("db", b"SQLite format 3\0" + bytes(100))))
        self.assertIn("kernels", self.error("table", EXAMPLE, "kernel"))
        self.assertIn("total_ns", self.error("table", EXAMPLE, "kernels", "--where", "total > 1"))

    def test_damage_is_a_warning_and_an_error_when_strict(self):
        with open(self.trace(), "rb") as handle:
            whole = handle.read()
        for content in (whole[:len(whole) // 2], gzip.compress(whole)[:-20]):
            path = self.file("cut.json", content)
            done = cgpu("info", path)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rb"^cgpu: warning: ")
            self.assertIn(b"truncated_input", done.stdout)
            self.assertIn("strict", self.error("info", path, "--strict"))

    def test_standard_input(self):
        with open(EXAMPLE, "rb") as handle:
            content = handle.read()
        self.assertEqual(json.loads(cgpu("table", "-", "kernels", "--format", "json", stdin=content).stdout)["tables"],
                         json.loads(cgpu("table", EXAMPLE, "kernels", "--format", "json").stdout)["tables"])
        self.error("info", "-", stdin=b"")

    def test_a_small_file_that_unpacks_to_much_takes_little_memory(self):
        head = b'{"schemaVersion":1,"traceEvents":[{"ph":"X","name":"'
        path = self.file("bomb.json.gz", gzip.compress(head + b"a" * (400 << 20), 1))
        done = subprocess.run(["bash", "-c", 'ulimit -v 1500000; exec "$@"', "-", CGPU, "info", path, "--threads", "2"],
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"decompresses to more than 200 times its size", done.stderr)


class Limits(Files):
    """Runs the program under limits that end it where it does not look out."""

    def limited(self, kind, number, *words):
        return subprocess.run([CGPU, *words], capture_output=True, timeout=60, env=dict(os.environ, NO_COLOR="1"),
                              preexec_fn=lambda: resource.setrlimit(kind, (number, number)))

    def test_goes_on_with_the_threads_that_there_are(self):
        many = self.folder.name
        for rank in range(3):
            self.trace("rank%d.json" % rank, distributedInfo={"rank": rank})
        alone = cgpu("table", EXAMPLE, "kernels", "--threads", "1").stdout
        self.assertEqual(cgpu("table", EXAMPLE, "kernels", "--threads", "100000").stdout, alone)
        # Stacks of threads do not fit into what is left: no thread can be started.
        for words in (["table", EXAMPLE, "kernels"], ["report", many], ["export", EXAMPLE, "-o", "-", "--to", "json"]):
            expected = cgpu(*words, "--threads", "1").stdout
            done = subprocess.run(["bash", "-c", 'ulimit -s 1048576 -v %d; exec "$@"' % (900 << 10), "-", CGPU, *words,
                                   "--threads", "8"], capture_output=True, timeout=60,
                                  env=dict(os.environ, NO_COLOR="1"))
            self.assertEqual((done.returncode, done.stderr), (0, b""), words)
            self.assertEqual(done.stdout, expected, words)

    def test_too_little_memory_names_the_file(self):
        event = b'{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": %d, "dur": 1},'
        big = self.file("big.json", b'{"traceEvents": [' + b"".join(event % i for i in range(400000))[:-1] + b"]}")
        done = self.limited(resource.RLIMIT_AS, 40 << 20, "table", big, "ops", "--threads", "1")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(big.encode() + b": needs more memory than there is", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


class Outputs(Files):
    def test_an_output_that_is_an_input_is_refused(self):
        trace = self.trace()
        link = os.path.join(self.folder.name, "link.json")
        os.symlink("trace.json", link)
        with open(trace, "rb") as file:
            before = file.read()
        for words in (["export", trace, "-o", trace], ["report", trace, "-o", link], ["table", link, "ops", "-o", trace],
                      ["export", self.folder.name, "-o", trace], ["report", trace, "--kernel-rules", EXAMPLE, "-o", EXAMPLE, "--format", "text"]):
            done = cgpu(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(b"would be overwritten", done.stderr)
            with open(trace, "rb") as file:
                self.assertEqual(file.read(), before)

    def test_an_output_is_written_whole_or_not_at_all(self):
        trace = self.trace()
        out = self.file("out.html", b"before")
        self.assertEqual(cgpu("report", trace, "-o", out, "--rank", "7").returncode, 2)
        with open(out, "rb") as file:
            self.assertEqual(file.read(), b"before")
        self.assertEqual(cgpu("report", trace, "-o", out).returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["out.html", "trace.json"])
        done = cgpu("report", trace, "-o", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"/dev/full: cannot be written", done.stderr)

    def test_a_full_disk_behind_standard_output(self):
        for words in (["--help"], ["report", "--help"], ["--version"], ["completion", "bash"], ["manpage"],
                      ["table", "--list"]):
            with self.subTest(words), open("/dev/full", "wb") as full:
                done = subprocess.run([CGPU, *words], stdout=full, stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr), (2, b"cgpu: standard output: cannot be written\n"))

    def test_nothing_is_left_where_a_signal_ends_the_program(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
        out = self.file("out.csv", b"before")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                # A signal that whoever runs the tests ignores (nohup) would be ignored by the program, too.
                with subprocess.Popen([CGPU, "sql", EXAMPLE, endless, "-o", out], stderr=subprocess.PIPE,
                                      preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL)) as process:
                    try:
                        deadline = time.monotonic() + 30
                        while len(os.listdir(self.folder.name)) < 2 and time.monotonic() < deadline:
                            time.sleep(0.01)
                        self.assertRegex(" ".join(os.listdir(self.folder.name)), r"\bout\.csv\.[0-9a-f]{16}\.part\b")
                        time.sleep(0.1)
                        process.send_signal(number)
                        process.communicate(timeout=30)
                    finally:
                        process.kill()
                self.assertIn(process.returncode, (2, -number))  # 2: Ctrl-C has ended the query only
                self.assertEqual(os.listdir(self.folder.name), ["out.csv"])


class ControlCharacters(Files):
    """What a path or a profile holds does not reach the terminal as more than text."""
    NASTY = "a\x1b]0;title\x07\x1b[31m\x7f\u009b2Jb\rc"

    def check(self, output, what):
        text = output.decode("utf-8", "surrogateescape")
        bad = sorted({c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160})
        self.assertEqual(bad, [], "%s: %r" % (what, text[:300]))

    def test_messages_and_texts(self):
        nasty = self.NASTY
        whole = self.trace(name=nasty + ".json")
        with open(whole, "rb") as file:
            half = self.file(nasty + "\nhalf.json", file.read()[:-20])
        broken = self.file(nasty + ".txt", "no profile")
        rules = self.file(nasty + ".rules", nasty)
        for words in (("report", half), ("report", half, "--strict"), ("report", broken), ("table", broken, "ops"), (nasty,),
                      ("no\x1b-such",), ("report", os.path.join(self.folder.name, "none" + nasty)), ("report", whole + "*?"),
                      ("table", whole, nasty), ("table", whole, "ops", "--where", "name = '%s'" % nasty),
                      ("table", whole, "ops", "--sort", nasty), ("table", whole, "ops", "--format", nasty),
                      ("report", whole, "--kernel-rules", rules), ("report", whole, "--kernel-rules", "none" + nasty),
                      ("report", whole, "-o", os.path.join(self.folder.name, "none" + nasty, "x")), ("--" + nasty,),
                      ("report", whole, "--step", nasty), ("report", whole, "--input-format", nasty),
                      ("export", whole, "-o", self.folder.name + "/" + nasty), ("view", whole, "--bind", nasty),
                      ("report", self.folder.name), ("info", whole), ("report", whole), ("table", whole, "info")):
            done = cgpu(*words)
            self.check(done.stderr, words)
            self.check(done.stdout, words)

    def test_names_in_texts(self):
        nasty = self.NASTY
        events = [{"ph": "X", "cat": "cpu_op" + nasty, "name": "op" + nasty, "pid": 1, "tid": 1, "ts": i * 10, "dur": 5,
                   "args": {"key" + nasty: "value" + nasty}} for i in range(4)]
        events += [{"ph": "M", "name": what, "pid": 1, "tid": 1, "args": {"name": nasty}}
                   for what in ("process_name", "thread_name")]
        events.append({"ph": "X", "cat": "kernel", "name": "kernel" + nasty, "pid": 0, "tid": 7, "ts": 5, "dur": 5,
                       "args": {"device": 0, "stream": 7}})
        path = self.file("names.json", json.dumps({"schemaVersion": 1, "host_name": nasty, "cuda_runtime_version": nasty,
                                                   "traceEvents": events}))
        self.check(cgpu("report", path).stdout, "report")
        self.check(cgpu("info", path).stdout, "info")
        for name in ("slices", "ops", "kernels", "threads", "api", "gpu_time", "info", "notes", "devices"):
            for form in ("text", "md", "json"):
                self.check(cgpu("table", path, name, "--format", form).stdout, (name, form))

    def test_names_in_csv(self):
        names = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "plain", "red\x1b[31m"]
        path = self.file("names.json", json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": i * 10, "dur": 5} for i, name in enumerate(names)]}))
        query = "SELECT name, -1 AS number FROM slices"
        for words in (["table", path, "slices"], ["sql", path, query]):
            for raw, wanted in (([], ["'" + name for name in names[:4]] + ["plain", "red\\x1b[31m"]), (["--raw-csv"], names)):
                done = cgpu(*words, "--format", "csv", *raw)
                rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
                self.assertEqual(sorted(row["name"] for row in rows), sorted(wanted))
                self.assertTrue(all(row.get("number", "-1") == "-1" for row in rows))

    def test_names_in_what_changed(self):
        nasty = self.NASTY + "\n```\nforged"

        def run(file, each):
            events = []
            for i in range(5):
                at = 1000 * i
                events += [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % i, "pid": 1, "tid": 1, "ts": at, "dur": 900},
                           {"ph": "X", "cat": "cpu_op", "name": "op" + nasty, "pid": 1, "tid": 1, "ts": at + 5, "dur": 20},
                           {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel" + nasty, "pid": 1, "tid": 1, "ts": at + 10, "dur": 5,
                            "args": {"correlation": i + 1}},
                           {"ph": "X", "cat": "kernel", "name": "kernel" + nasty, "pid": 0, "tid": 7, "ts": at + 50, "dur": each,
                            "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
            return self.file(file, json.dumps({"schemaVersion": 1, "traceEvents": events}))
        a, b = run("a.json", 300), run("b.json", 600)
        words = cgpu("compare", a, b).stdout
        self.assertIn(b"\\x1b[31m", words)  # the name is there, as text
        for form in ("text", "md"):
            for words in (["compare", a, b], ["compare", a, b, a], ["diagnose", b, "--against", a]):
                done = cgpu(*words, "--format", form)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check(done.stdout, (words, form))
                self.assertNotIn(b"\nforged", done.stdout)


class Secrets(Files):
    def test_credentials_are_in_no_output(self):
        path = self.trace(metadata={"hf_token": "my-private-value", "note": SECRET, "env": {"HOME": "/home/somebody"}},
                          environment={"LANG": "xx_YY"}, password="my-private-value")
        with open(path) as handle:
            document = json.load(handle)
        document["traceEvents"] += [
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python train.py --token " + SECRET}},
            {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
             "args": {"api_key": "my-private-value", "text": "x " + SECRET}}]
        path = self.file("secret.json", json.dumps(document))
        for words in (("info", path), ("info", path, "--format", "json"), ("report", path), ("report", path, "--format", "html"),
                      ("report", path, "--format", "md"), ("report", path, "--format", "json"), ("table", path, "notes"),
                      ("table", path, "slices", "--args", "--format", "json"), ("table", path, "slices", "--args", "--format", "csv")):
            done = cgpu(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            for private in (SECRET, "my-private-value", "/home/somebody", "xx_YY"):
                self.assertNotIn(private.encode(), done.stdout + done.stderr, words)
        self.assertEqual(sum(row["count"] for row in table(path, "notes") if row["code"] == "credentials_present"), 6)


if __name__ == "__main__":
    unittest.main()
