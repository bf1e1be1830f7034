#!/usr/bin/env python3
"""What `cgpu record` does with programs for real.

Environment: CGPU (the binary), CGPU_TORCH_PYTHON (an interpreter that has torch, and py-spy beside it; without it those tests
are skipped). perf and mpirun are used where they are on PATH.
"""
import contextlib
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.recording import Case, can_perf, py_spy  # noqa: E402

BURN = """
import sys, time
def burn(until):
    total = 0
    while time.process_time() < until:
        total += sum(range(1000))
    return total
burn(float(sys.argv[1]))
print("out")
print("err", file=sys.stderr)
sys.exit(int(sys.argv[2]))
"""


def setUpModule():
    tool.must_exist()


class Programs(Case):
    """What programs do under `record` is what they do without. torch needs no torch for that."""

    def assert_same(self, *command, status=None):
        plain = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        path = os.path.dirname(py_spy() or "/bin/sh") + ":" + os.environ["PATH"]
        for name in ["torch"] + ["perf"] * can_perf() + ["py-spy"] * bool(py_spy()):
            with self.subTest(tool=name):
                done = self.record("--with", name, "--no-report", "--", *command, PATH=path)
                self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout))
                if status is not None:
                    self.assertEqual(done.returncode, status)
                ours = [line for line in done.stderr.decode().splitlines()
                        if not re.match("cgpu record: |Next: |      cgpu ", line)]
                self.assertEqual(ours, plain.stderr.decode().splitlines())

    def test_input(self):
        for name in ["torch"] + ["perf"] * can_perf():
            done = subprocess.run([tool.binary(), "record", "--with", name, "--no-report", "--", "python3", "-c",
                                   "import sys; sys.stdout.write(sys.stdin.read().upper())"], cwd=self.folder, input=b"a b\n",
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, b"A B\n"), name)

    def test_output_and_status(self):
        self.assert_same("python3", "-c", "import sys; print(1); print(2, file=sys.stderr)", status=0)
        self.assert_same("python3", "-c", "import sys; sys.stdout.buffer.write(bytes(range(256))); sys.exit(3)", status=3)
        self.assert_same("python3", "-c", "import os; os.kill(os.getpid(), 9)", status=-9)
        self.assert_same("python3", "-c", "import os; os.kill(os.getpid(), 15)", status=-15)

    def test_signals_are_passed_on(self):
        script = self.path("wait.py", """
            import signal, sys, time
            signal.signal(signal.SIGTERM, lambda *_: (print("caught", flush=True), sys.exit(5)))
            print("ready", flush=True)
            time.sleep(60)
            """)
        with subprocess.Popen([tool.binary(), "record", "--with", "torch", "--", "python3", script], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.stdout.read(), b"caught\n")
            self.assertEqual(process.wait(60), 5)

    def test_nothing_of_the_environment_is_kept(self):
        program = self.path("burn.py", BURN)
        environment = {"MY_TOKEN": "sesame-4711"}
        if py_spy():
            environment["PATH"] = os.path.dirname(py_spy()) + ":" + os.environ["PATH"]
        for name in ["torch"] + ["perf"] * can_perf() + ["py-spy"] * bool(py_spy()):
            done = self.record("--with", name, "-o", name, "--no-report", "--", "python3", program, "0.7", "0",
                               "--password=hunter2secret", **environment)
            self.assertEqual(done.returncode, 0)
            # What the tools write themselves, of which the folder warns.
            named = {"perf": (".perf.data", "holds pieces of their stacks"), "py-spy": (".speedscope.json", "command lines")}
            ending, caution = named.get(name, ("?", ""))
            self.assertIn(caution, self.manifest(self.path(name))[0].get("caution", ""))
            for folder, _, files in os.walk(self.path(name)):
                for file in files:
                    text = tool.read(os.path.join(folder, file))
                    self.assertFalse(not file.endswith(ending) and (b"sesame-4711" in text or b"hunter2secret" in text), file)

    def test_the_folder_says_what_a_tool_writes_of_the_environment(self):
        for name, program in (("nsys", "nsys"), ("rocprof", "rocprofv3")):
            self.path("bin/" + program, "#!/bin/sh\nexit 0\n", executable=True)
            self.record("--with", name, "-o", name, "--", "true", PATH=self.path("bin") + ":" + os.environ["PATH"])
            self.assertIn("holds the environment", self.manifest(self.path(name))[0]["caution"])

    def test_a_program_without_torch_says_so(self):
        done = self.record("--with", "torch", "--", "python3", "-c", "pass")
        self.assertIn("no process imported torch", done.stderr.decode())


class Perf(Case):
    def setUp(self):
        super().setUp()
        if not can_perf():
            self.skipTest("perf cannot record here")
        self.program = self.path("burn.py", BURN)

    def test_a_program(self):
        done = self.record("--with", "perf", "-o", "R", "--", "python3", self.program, "0.6", "3")
        self.assertEqual((done.returncode, done.stdout), (3, b"out\n"))
        lines = done.stderr.decode().splitlines()
        self.assertIn("err", lines)
        self.assertFalse([line for line in lines if "perf record:" in line and "Woken" in line])
        recording, process = self.manifest(self.path("R"))
        self.assertEqual((recording["kind"], recording["tool"]), ("recording", "perf"))
        self.assertEqual((process["ended"], process["failed"]), ("exit 3", None))
        self.assertTrue(os.path.exists(os.path.join(self.path("R"), process["file"])))
        info = {row["key"]: row["value"] for row in tool.table(self.path("R"), "info")}
        self.assertEqual(info["format"], "perf-script")
        notes = {row["code"] for row in tool.table(self.path("R"), "notes")}
        self.assertFalse(notes & {"skipped_file", "recording_failed"}, notes)
        self.assertIn("Next: cgpu R", done.stderr.decode())

    def test_a_signal_reaches_the_program_and_the_recording_stays(self):
        with subprocess.Popen([tool.binary(), "record", "--with", "perf", "-o", "R", "--no-report", "--", "python3", "-c",
                               "print('ready', flush=True)\nwhile True: sum(range(1000))"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), -signal.SIGTERM)
        (line,) = self.manifest(self.path("R"))[1:]
        self.assertEqual((line["ended"], line["failed"]), ("signal SIGTERM", None))
        self.assertGreater(os.path.getsize(os.path.join(self.path("R"), line["file"])), 0)

    def test_some_of_the_time(self):
        program = self.path("count.py", """
            import time
            end = time.monotonic() + 4
            while time.monotonic() < end: sum(range(1000))
            print("whole")
            """)
        done = self.record("--with", "perf", "--delay", "1s", "--duration", "1s", "-o", "R", "--no-report", "--", "python3", program)
        self.assertEqual((done.returncode, done.stdout), (0, b"whole\n"), done.stderr.decode())
        self.assertIsNone(self.manifest(self.path("R"))[1]["failed"])
        with open(self.path(os.path.join("R", self.manifest(self.path("R"))[1]["file"])), encoding="utf-8") as text:
            times = [float(found.group(1)) for found in re.finditer(r"(\d+\.\d+):\s+\d+ c", text.read())]
        self.assertTrue(0.3 < max(times) - min(times) < 2, (min(times), max(times)))

    def test_processes_that_the_program_starts(self):
        script = "import subprocess, sys; subprocess.run([sys.executable, sys.argv[1], '0.6', '0']); sys.exit(7)"
        done = self.record("--with", "perf", "-o", "R", "--no-report", "--", "python3", "-c", script, self.program)
        self.assertEqual((done.returncode, done.stdout), (7, b"out\n"), done.stderr.decode())
        with open(self.path(os.path.join("R", self.manifest(self.path("R"))[1]["file"])), encoding="utf-8") as text:
            processes = set(re.findall(r"^\S+ +(\d+) ", text.read(), re.MULTILINE))
        self.assertGreaterEqual(len(processes), 2)

    def test_a_perf_that_fails(self):
        """The program runs all the same, to its end, and the manifest says what failed."""
        self.path("bin/perf", "#!/bin/sh\necho 'No permission to enable cycles event.' >&2\nexit 255\n", executable=True)
        done = self.record("--with", "perf", "-o", "R", "--", "python3", self.program, "0.1", "3",
                           PATH=self.path("bin") + ":" + os.environ["PATH"])
        self.assertEqual((done.returncode, done.stdout), (3, b"out\n"))
        self.assertIn("kernel.perf_event_paranoid", self.manifest(self.path("R"))[1]["failed"])

    @contextlib.contextmanager
    def started_on_a_terminal(self, *program):
        """A recording by perf whose terminal it is, and a function that types Ctrl-C there: a signal of the terminal is no
        signal of a process, which cgpu would pass on."""
        terminal, end = pty.openpty()
        try:
            with subprocess.Popen([tool.binary(), "record", "--with", "perf", "-o", "R", "--no-report", "--", *program],
                                  cwd=self.folder, stdin=end, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as process:
                yield process, lambda: os.write(terminal, b"\x03")
        finally:
            os.close(end)
            os.close(terminal)

    def test_interrupt_from_the_terminal(self):
        """Ctrl-C reaches the program and cgpu alike; what was recorded is kept, and cgpu ends as the program."""
        script = "print('ready', flush=True)\nwhile True: sum(range(1000))"
        with self.started_on_a_terminal("python3", "-c", script) as (process, interrupt):
            self.assertEqual(process.stdout.readline(), b"ready\n")
            time.sleep(0.5)
            interrupt()
            self.assertEqual(process.wait(60), -signal.SIGINT)
        (line,) = self.manifest(self.path("R"))[1:]
        self.assertEqual((line["ended"], line["failed"]), ("signal SIGINT", None))
        self.assertGreater(os.path.getsize(os.path.join(self.path("R"), line["file"])), 0)

    def on_a_terminal(self, *arguments):
        """What cgpu writes to standard error where that is a terminal."""
        terminal, end = pty.openpty()
        with subprocess.Popen([tool.binary(), "record", *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=end) as process:
            os.close(end)
            text = b""
            while True:
                try:
                    part = os.read(terminal, 4096)
                except OSError:
                    part = b""
                if not part:
                    break
                text += part
            os.close(terminal)
            self.assertEqual(process.wait(60), 0, text)
        return text.decode()

    def test_interrupt_that_the_program_handles(self):
        program = self.path("handles.py", """
            import sys, time
            print("ready", flush=True)
            try:
                while True: sum(range(1000))
            except KeyboardInterrupt:
                time.sleep(0.5)
                print("saved", flush=True)
                sys.exit(6)
            """)
        with self.started_on_a_terminal("python3", program) as (process, interrupt):
            self.assertEqual(process.stdout.readline(), b"ready\n")
            time.sleep(0.3)
            interrupt()
            self.assertEqual(process.stdout.read(), b"saved\n")
            self.assertEqual(process.wait(60), 6)
        self.assertIsNone(self.manifest(self.path("R"))[1]["failed"])

    def test_progress_is_shown_while_nothing_else_has_the_terminal(self):
        with subprocess.Popen(["python3", self.program, "60", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                text = self.on_a_terminal("--with", "perf", "-o", "R", "--attach", process.pid, "--duration", "4s", "--no-report")
            finally:
                process.kill()
        self.assertIn("\r\x1b[Kcgpu record: recording, 2 s", text)
        self.assertNotIn("recording", text[text.rindex("\r\x1b[K"):].splitlines()[0])  # wiped

    def test_progress_is_not_shown_while_a_program_runs(self):
        text = self.on_a_terminal("--with", "perf", "-o", "R", "--no-report", "--", "python3", "-c", "import time; time.sleep(3)")
        self.assertNotIn("recording, ", text)

    def test_killed_ranks_are_named(self):
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun")
        program = "import os, time; time.sleep(0.5)\nif os.environ['OMPI_COMM_WORLD_RANK'] == '1': os.kill(os.getpid(), 9)"
        inside = [tool.binary(), "record", "--with", "perf", "-o", "R", "--no-report", "--", "python3", "-c", program]
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", *inside], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        self.assertNotEqual(done.returncode, 0)
        ended = {line["rank"]: line["ended"] for line in self.manifest(self.path("R"))[1:]}
        self.assertEqual(ended.get(1), "signal SIGKILL")
        if 0 in ended:  # mpirun may have ended it, with its cgpu
            self.assertIn("rank 1: it was ended by signal SIGKILL", done.stderr.decode())

    def test_ranks_share_a_folder(self):
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun")
        inside = [tool.binary(), "record", "--with", "perf", "-o", "R", "--no-report", "--", "python3", self.program, "0.3", "0"]
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", *inside], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        recording, *processes = self.manifest(self.path("R"))
        self.assertTrue(recording["job"])
        self.assertEqual(sorted((line["rank"], line["world_size"]) for line in processes), [(0, 2), (1, 2)])
        self.assertEqual(len({line["file"] for line in processes}), 2)
        self.assertEqual(done.stderr.decode().count("2 of 2 ranks"), 1)
        again = self.record("--with", "perf", "-o", "R", "--", "true")
        self.assertEqual(again.returncode, 2)  # it is of another job


    def test_a_running_process(self):
        with subprocess.Popen(["python3", self.program, "60", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                done = self.record("--with", "perf", "-o", "R", "--attach", process.pid, "--duration", "700ms", "--no-report")
                self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr.decode())
                self.assertIsNone(process.poll())
                with subprocess.Popen([tool.binary(), "record", "--with", "perf", "-o", "S", "--attach", str(process.pid),
                                       "--no-report"], cwd=self.folder, stderr=subprocess.DEVNULL) as recorder:
                    time.sleep(1.5)
                    recorder.send_signal(signal.SIGTERM)
                    self.assertEqual(recorder.wait(60), 0)
                self.assertIsNone(process.poll())
            finally:
                process.kill()
        for name in ("R", "S"):
            line = self.manifest(self.path(name))[1]
            self.assertIsNone(line["failed"])
            self.assertTrue(line["file"])


class PySpy(Case):
    def setUp(self):
        super().setUp()
        if not py_spy():
            self.skipTest("no py-spy")
        self.environment = {"PATH": os.path.dirname(py_spy()) + ":" + os.environ["PATH"]}

    def test_a_program(self):
        done = self.record("--with", "py-spy", "-o", "R", "--", "python3", self.path("burn.py", BURN), "1", "4", **self.environment)
        self.assertEqual((done.returncode, done.stdout), (4, b"out\n"), done.stderr.decode())
        line = self.manifest(self.path("R"))[1]
        if line["failed"] and "may not trace" in line["failed"]:
            self.skipTest(line["failed"])
        self.assertIsNone(line["failed"])
        self.assertEqual({row["key"]: row["value"] for row in tool.table(self.path("R"), "info")}["format"], "speedscope")
        self.assertTrue([row for row in tool.table(self.path("R"), "call_tree") if "burn" in str(row.get("name"))])

    def test_a_running_process(self):
        with subprocess.Popen(["python3", self.path("burn.py", BURN), "60", "0"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            try:
                time.sleep(1)
                done = self.record("-o", "R", "--attach", process.pid, "--duration", "1s", **self.environment)
                self.assertIsNone(process.poll())
            finally:
                process.kill()
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("py-spy", done.stderr.decode())
        self.assertTrue([row for row in tool.table(self.path("R"), "call_tree") if "burn" in str(row.get("name"))])

    def test_a_program_that_is_too_short_says_so(self):
        done = self.record("--with", "py-spy", "-o", "R", "--", "python3", "-c", "pass", **self.environment)
        self.assertEqual(done.returncode, 0)
        line = self.manifest(self.path("R"))[1]
        self.assertTrue(line["file"] or line["failed"])


class Hpctoolkit(Case):
    def test_the_whole_chain(self):
        if not shutil.which("hpcrun") or not shutil.which("cc"):
            self.skipTest("no hpcrun, or no C compiler")
        source = self.path("burn.c", """
            #include <time.h>
            double burn(double seconds) { double sum = 0; while (clock() < seconds * CLOCKS_PER_SEC) sum += 1; return sum; }
            int main(void) { return burn(1) < 0; }
            """)
        subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-o", self.path("burn"), source], check=True)
        done = self.record("--with", "hpctoolkit", "--set", "normal", "-o", "R", "--no-report", "--", "./burn")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue([row for row in tool.table(self.path("R"), "call_tree") if "burn" in str(row.get("name"))])


class LongRecordings(Case):
    def test_what_to_do_is_said(self):
        """A stand-in for nsys leaves a report without content, of any size."""
        for size, is_long in ((3000, True), (900, False)):
            self.path("bin/nsys", """\
                #!/bin/sh
                for word; do case $word in --output=*) truncate -s %dM "${word#*=}.nsys-rep";; esac; done
                """ % size, executable=True)
            done = self.record("--with", "nsys", "-o", "R%d" % size, "--no-report", "--", "true",
                               PATH=self.path("bin") + ":" + os.environ["PATH"])
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual("--duration 10s where the tool has them" in done.stderr.decode(), is_long)


class Torch(Case):
    """The whole way once; tests/record_torch_test.py has what the recorder does in which program."""

    def setUp(self):
        super().setUp()
        self.python = os.environ.get("CGPU_TORCH_PYTHON")
        if not self.python:
            self.skipTest("CGPU_TORCH_PYTHON names no interpreter that has torch")
        self.programs = os.path.join(tool.ROOT, "tests", "record_torch")

    def test_the_example(self):
        program = os.path.join(tool.ROOT, "examples", "record", "cpu_training.py")
        done = self.record("-o", "R", "--", self.python, program)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 0, text)
        self.assertEqual(done.stdout.decode().count("loss"), 3)
        self.assertIn("because cpu_training.py imports torch", text)
        self.assertIn("1 profile, 3 steps each (marked by optimizer AdamW.step)", text)
        self.assertIn("ms a step (3 steps)", text)
        self.assertEqual(len(tool.table(self.path("R"), "steps")), 3)

    def test_ranks_of_torchrun(self):
        program = os.path.join(self.programs, "ranks.py")
        done = self.record("-o", "R", "--no-report", "--", self.python, "-m", "torch.distributed.run", "--standalone",
                           "--nproc-per-node", "2", program)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 0, text)
        self.assertIn("2 of 2 ranks, 3 steps each", text)
        self.assertEqual({row["rank"] for row in tool.table(self.path("R"), "steps")}, {0, 1})

    def test_steps_within_a_profiler_outside(self):
        """A stand-in for nsys runs what is behind its options; CUDA is replaced as far as the recorder asks it."""
        self.path("bin/nsys", """\
            #!/bin/sh
            for word; do shift; case $word in --output=*) output=${word#*=};; sh) break;; esac; done
            sh "$@"; status=$?
            echo report > "$output.nsys-rep"
            exit $status
            """, executable=True)
        train = self.path("train.py", """\
            import runpy, sys, torch
            torch.cuda.is_initialized = lambda: True
            torch.cuda.synchronize = torch.cuda.profiler.start = torch.cuda.profiler.stop = lambda: None
            torch.cuda.nvtx.range_start = torch.cuda.nvtx.range_end = lambda mark: 1
            sys.argv = ["train.py", "20"]
            runpy.run_path(%r, run_name="__main__")
            """ % os.path.join(self.programs, "train.py"))
        done = self.record("--with", "nsys", "--steps", "4", "-o", "R", "--no-report", "--", self.python, train,
                           PATH=self.path("bin") + ":" + os.environ["PATH"])
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 0, text)
        self.assertIn("1 profile, 4 steps each (marked by optimizer SGD.step)", text)
        self.assertNotIn("failed", text)
        self.assertEqual([line["kind"] for line in self.manifest(self.path("R"))], ["recording", "steps", "process"])

    def test_a_program_of_too_few_steps_says_what_to_do(self):
        done = self.record("-o", "R", "--", self.python, os.path.join(self.programs, "train.py"), "4")
        self.assertIn("--skip", done.stderr.decode())


class Manifests(Case):
    """What the manifest says of a folder is in its notes; damaged ones change nothing."""

    def folder_with(self, *lines):
        trace = {"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}
        self.path("R/rank00000.1.json", json.dumps(trace))
        self.path("R/manifest.jsonl", "".join(line + "\n" for line in lines))
        return self.path("R")

    FIRST = json.dumps({"kind": "recording", "tool": "torch", "job": ""})

    def notes(self, *lines):
        return {row["code"]: row for row in tool.table(self.folder_with(*lines), "notes")}

    def test_notes(self):
        notes = self.notes(self.FIRST, json.dumps({"kind": "process", "rank": 0, "file": "rank00000.1.json", "overhead_percent": 12.4}),
                           json.dumps({"kind": "process", "rank": 1, "file": None, "failed": "the disk is full"}))
        self.assertIn("rank 0 took 12 % longer", notes["recording_overhead"]["text"])
        self.assertIn("rank 1 failed: the disk is full", notes["recording_failed"]["text"])
        self.assertNotIn("skipped_file", notes)

    def test_steps_within_a_profiler_outside(self):
        notes = self.notes(self.FIRST, json.dumps({"kind": "process", "file": "rank00000.1.json"}),
                           json.dumps({"kind": "steps", "rank": 0, "overhead_percent": 30.2, "failed": "no step was found"}))
        self.assertIn("rank 0 took 30 % longer", notes["recording_overhead"]["text"])
        self.assertIn("rank 0 failed: no step was found", notes["recording_failed"]["text"])

    def test_missing_ranks(self):
        line = json.dumps({"kind": "process", "rank": 1, "world_size": 3, "file": "rank00000.1.json"})
        rows = tool.table(self.folder_with(self.FIRST, line), "notes")
        texts = [row["text"] for row in rows if row["code"] == "recording_failed"]
        self.assertEqual(len(texts), 2)
        self.assertIn("rank 0: it left nothing", texts[0])
        self.assertIn("rank 2: it left nothing", texts[1])
        chosen = json.dumps({"kind": "recording", "tool": "torch", "job": "", "ranks": "1"})
        self.assertNotIn("recording_failed", self.notes(chosen, line))

    def test_damaged_manifests(self):
        for lines in (["{"], ["[1]"], [self.FIRST, "{\"kind\": \"process\", \"rank\": {\"a\": [1]}, \"failed\": \"x\"", "\0"],
                      [self.FIRST, json.dumps({"kind": "process", "rank": 1e300, "overhead_percent": "much"})]):
            self.assertFalse(set(self.notes(*lines)) & {"recording_failed", "recording_overhead"})


if __name__ == "__main__":
    unittest.main()
