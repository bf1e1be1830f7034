#!/usr/bin/env python3
"""What `perf script` printed, of the corpus, against a second reader that is here.

Environment: CGPU (the binary).
"""
import collections
import csv
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

SAMPLES = tool.shared(os.path.join("corpus", "speedscope"))
BRANCHES = tool.shared(os.path.join("corpus", "perf_script"))
HEADER = re.compile(r"^(\S.*?)\s+(?:(\d+)/)?(\d+)\s+(?:\[(\d+)\]\s+)?(\d+)\.(\d+):\s+(?:(\d+)\s+)?(\S+):\s*$")
FRAME = re.compile(r"^\s+[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")
BRANCH = re.compile(r"^\s*(\S+)\s+(\d+)/(\d+) \[(\d+)\] (\d+)\.(\d+):   (.{20})( *)(\S*)")


def files(folder):
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if name.endswith(".txt")]


def nanoseconds(seconds, part):
    return int(seconds) * 10**9 + int(part.ljust(9, "0"))


def samples(path):
    """[(command, thread, time, period or None, event, stack from the outermost in)]"""
    out = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            header = HEADER.match(line.rstrip("\n"))
            frame = FRAME.match(line.rstrip("\n"))
            if header:
                comm, _, thread, _, seconds, part, period, event = header.groups()
                out.append((comm, int(thread), nanoseconds(seconds, part), int(period) if period else None, event, []))
            elif frame:
                module = frame.group(2)
                out[-1][5].insert(0, (frame.group(1), None if module == "[unknown]" else module))
    return out


class Samples(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        if not files(SAMPLES):
            self.skipTest("no texts of perf in %s" % SAMPLES)

    def demangled(self, names):
        if not shutil.which("c++filt"):
            self.skipTest("no c++filt, which says what symbols mean")
        done = subprocess.run(["c++filt"], input="\n".join(names).encode(), stdout=subprocess.PIPE, check=True)
        # Rust's names without the hashes of crates.
        return dict(zip(names, re.sub(r"(\w)\[[0-9a-f]+\]", r"\1", done.stdout.decode()).split("\n")))

    def test_call_trees(self):
        self.assertEqual(len(files(SAMPLES)), 8)
        for path in files(SAMPLES):
            with self.subTest(os.path.basename(path)):
                want = samples(path)
                name_of = self.demangled(sorted({name for s in want for name, _ in s[5]}))
                own = collections.Counter()
                cost = collections.Counter()
                for _, _, _, period, _, stack in want:
                    own[tuple((name_of[n], m) for n, m in stack)] += 1
                    cost[tuple((name_of[n], m) for n, m in stack)] += period or 0
                rows, paths = {}, {None: ()}
                for row in tool.table(path, "call_tree"):
                    is_root = row["parent"] is None
                    paths[row["id"]] = () if is_root else paths[row["parent"]] + ((row["name"], row["module"]),)
                    rows[paths[row["id"]]] = row
                events = {s[4] for s in want if s[3]}
                for where, row in rows.items():
                    self.assertEqual(row["samples.exclusive"], own.pop(where, 0), where)
                    below = sum(n for s, n in cost.items() if s[:len(where)] == where)
                    for event in events:
                        self.assertEqual(row[event + ".inclusive"], below, where)
                self.assertEqual(own, {})
                info = tool.info(path)
                self.assertEqual(info["format"], "perf-script")
                self.assertEqual(info["profiles"], len({s[:2] for s in want}))
                self.assertEqual(info["events"], len(want))
                self.assertEqual(info["skipped_events"], 0)

    def test_times(self):
        """A sample of a clock is a slice that ends when it was taken and begins after the one before on its thread."""
        for path in files(SAMPLES):
            with self.subTest(os.path.basename(path)):
                last, want = {}, []
                for _, thread, time, period, _, _ in samples(path):
                    if period:
                        start = max(last.get(thread, 0), time - period)
                        want.append((thread, start, time))
                    last[thread] = time
                zero = min([w[1] for w in want], default=0)
                got = [(int(r["thread"]), r["start_ns"] + zero, r["start_ns"] + r["duration_ns"] + zero)
                       for r in tool.table(path, "slices")]
                self.assertEqual(sorted(got), sorted(want))

    def test_header(self):
        info = tool.info(next(f for f in files(SAMPLES) if "with-header" in f))
        self.assertEqual((info["host"], info["format_version"]), ("e2b5bab9a538", "4.15.18"))
        self.assertEqual(info["metadata.arch"], "x86_64")

    def test_cut_anywhere(self):
        path = next(f for f in files(SAMPLES) if "with-header" in f)
        with open(path, "rb") as file:
            data = file.read()
        with tempfile.TemporaryDirectory() as folder:
            for part in range(0, 65, 8):
                cut = os.path.join(folder, "cut.txt")
                with open(cut, "wb") as file:
                    file.write(data[:len(data) * part // 64])
                done = tool.run(["table", cut, "call_tree", "--format", "csv"])
                self.assertIn(done.returncode, (0, 2))
                self.assertLessEqual(len(done.stderr.decode().splitlines()), 2)


RECORDING = b"PERFILE2" + bytes(96)
PRINTED = """\
# hostname : node7
#
a.out 71/71 203265.100000:    1000000 cpu-clock: 
\t             789 main+0x1 (/bin/a.out)

a.out 71/72 203265.101000:    1000000 cpu-clock: 
\t             799 work+0x1 (/bin/a.out)
\t             789 main+0x1 (/bin/a.out)

"""


class Recordings(unittest.TestCase):
    """perf.data, of which a program that stands in for perf prints what it was given."""

    def setUp(self):
        tool.must_exist()

    def opened(self, folder, perf, arguments=("info", "--format", "json"), name="perf.data", data=RECORDING, stdin=None):
        """What cgpu says of a recording, where `perf` is the text of a program of that name; None for no such program."""
        programs = os.path.join(folder, "bin")
        os.makedirs(programs, exist_ok=True)
        if perf is not None:
            with open(os.path.join(programs, "perf"), "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + perf)
            os.chmod(os.path.join(programs, "perf"), 0o755)
        path = os.path.join(folder, name)
        if stdin is None:
            with open(path, "wb") as file:
                file.write(data)
        scratch = os.path.join(folder, "scratch")
        os.makedirs(scratch, exist_ok=True)
        environment = dict(os.environ, PATH=programs, TMPDIR=scratch)
        done = subprocess.run([tool.binary(), "table", "-" if stdin is not None else path, *arguments], input=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.assertEqual(os.listdir(scratch), [], "what perf printed is removed")
        return done

    def test_perf_prints_it(self):
        perf = ("[ \"$*\" = \"script --header -F +pid -i $RECORDING\" ] || exit 3\n"
                "echo noise >&2\n"
                "printf '%s' \"$PRINTED\"\n")
        with tempfile.TemporaryDirectory() as folder:
            os.environ["RECORDING"] = os.path.join(folder, "perf.data")
            os.environ["PRINTED"] = PRINTED
            self.addCleanup(os.environ.pop, "RECORDING")
            self.addCleanup(os.environ.pop, "PRINTED")
            done = self.opened(folder, perf, ("call_tree", "--format", "csv"))
            self.assertEqual(done.stderr.decode(), "")
            self.assertEqual(done.returncode, 0)
            rows = list(csv.DictReader(done.stdout.decode().splitlines()))
            self.assertEqual([row["name"] for row in rows][1:], ["main", "work"])
            info = self.opened(folder, perf, ("info", "--format", "csv")).stdout.decode()
            self.assertIn("perf-data", info)
            self.assertIn("node7", info)

    def test_through_a_pipe_and_compressed(self):
        """Perf gets a file of its own."""
        perf = ("[ \"$(%s -c 8 \"$6\")\" = PERFILE2 ] || exit 3\nprintf '%%s' \"$PRINTED\"\n" % shutil.which("head"))
        os.environ["PRINTED"] = PRINTED
        self.addCleanup(os.environ.pop, "PRINTED")
        for how in ({"stdin": RECORDING}, {"name": "perf.data.gz", "data": gzip.compress(RECORDING)}):
            with self.subTest(sorted(how)), tempfile.TemporaryDirectory() as folder:
                done = self.opened(folder, perf, ("call_tree", "--format", "csv"), **how)
                self.assertEqual(done.stderr.decode(), "")
                self.assertIn("work", done.stdout.decode())

    def test_what_to_do_without_perf(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "perf.data")
            command = "run `perf script --header -F +pid -i %s > %s.txt` and open %s.txt\n" % (path, path, path)
            for perf, why in ((None, ": where it is installed, "),
                              ("exit 4", ", and `perf script` failed here (exit 4; the recording may be of a newer "
                                         "perf or of another user): ")):
                done = self.opened(folder, perf)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr.decode(),
                                 "cgpu: %s: is a recording of perf, which only perf can read%s%s" % (path, why, command))
            with open(path + ".txt", "w", encoding="utf-8") as file:
                file.write(PRINTED)
            done = self.opened(folder, None)
            self.assertEqual(done.returncode, 2)
            self.assertIn("it has been printed: open %s.txt" % path, done.stderr.decode())

    def test_a_print_without_samples_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.opened(folder, "exit 0")
            self.assertEqual(done.returncode, 2)
            self.assertIn("perf.data: is a recording of perf without a sample", done.stderr.decode())


class Branches(unittest.TestCase):
    """Calls and returns that the processor traced."""

    def setUp(self):
        tool.must_exist()
        if not files(BRANCHES):
            self.skipTest("no traces of branches in %s" % BRANCHES)

    @staticmethod
    def calls(path):
        """[(name, depth, start, end)] as the indentation of the symbols says, and how many lines are errors."""
        open_calls, out, errors, last = [], [], 0, 0
        with open(path, encoding="utf-8") as file:
            for line in file:
                errors += "instruction trace error" in line
                match = BRANCH.match(line)
                kind = match.group(7).strip() if match else ""
                if kind not in ("call", "return", "sysret"):
                    continue
                time = last = max(last, nanoseconds(match.group(5), match.group(6)))
                depth = len(match.group(8)) // 4
                keep = depth if kind == "call" else depth + 1
                while open_calls and open_calls[-1][1] >= keep:
                    out.append((*open_calls.pop(), time))
                if kind == "call":
                    open_calls.append((match.group(9), depth, time))
                elif open_calls and open_calls[-1][1] == depth:
                    out.append((*open_calls.pop(), time))
        return out + [(*call, last) for call in open_calls], errors

    def test_calls(self):
        self.assertEqual(len(files(BRANCHES)), 3)
        for path in files(BRANCHES):
            with self.subTest(os.path.basename(path)):
                want, errors = self.calls(path)
                rows = tool.table(path, "slices")
                zero = min(w[2] for w in want)
                self.assertEqual(sorted((r["name"], r["start_ns"] + zero, r["duration_ns"]) for r in rows),
                                 sorted((name, start, end - start) for name, _, start, end in want))
                lost = sum(n["count"] for n in tool.table(path, "notes") if n["code"] == "lost_events")
                self.assertEqual(lost, errors)


if __name__ == "__main__":
    unittest.main()
