#!/usr/bin/env python3
"""The recorder of PyTorch programs (src/record/torch), for real on the CPU: what it records, and that the programs in
tests/record_torch do with it what they do without.

Environment: CGPU (the binary), CGPU_TORCH_PYTHON (an interpreter that has torch; else python3). Skipped without torch.
"""
import functools
import gzip
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

PYTHON = os.environ.get("CGPU_TORCH_PYTHON") or "python3"
PROGRAMS = os.path.join(tool.ROOT, "tests", "record_torch")
RECORDER = os.path.join(tool.ROOT, "src", "record", "torch")
LIMIT_S = 120


@functools.lru_cache(maxsize=None)
def has_torch():
    return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode == 0


def program(name, *arguments):
    return [PYTHON, os.path.join(PROGRAMS, name), *map(str, arguments)]


def run(command, environment):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, env=environment, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def environment_of(folder, options, path=()):
    """The environment in which `cgpu record` starts a command."""
    return dict(os.environ, CGPU_RECORD=json.dumps(dict(options, folder=folder)), PYTHONDONTWRITEBYTECODE="1",
                PYTHONPATH=os.pathsep.join([RECORDER, *path]))


class Recording:
    """What a recorded command did, and the folder that it leaves."""

    def __init__(self, folder, result):
        self.folder = folder
        self.status, self.output, self.errors = result
        self.traces = sorted(name for name in os.listdir(folder) if name.endswith(".gz"))
        self.lines = []
        if os.path.exists(os.path.join(folder, "manifest.jsonl")):
            with open(os.path.join(folder, "manifest.jsonl"), encoding="utf-8") as lines:
                self.lines = [json.loads(line) for line in lines]

    def trace(self, number=0):
        with gzip.open(os.path.join(self.folder, self.traces[number])) as file:
            return json.load(file)["traceEvents"]

    def names(self, number=0):
        return [event.get("name", "") for event in self.trace(number)]


class Case(unittest.TestCase):
    def setUp(self):
        if not has_torch():
            self.skipTest("no torch in %s (CGPU_TORCH_PYTHON names an interpreter)" % PYTHON)
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def folder(self, name):
        path = os.path.join(self._folder.name, name)
        os.makedirs(path, exist_ok=True)
        return path

    def record(self, options, command, path=()):
        folder = tempfile.mkdtemp(dir=self._folder.name)
        return Recording(folder, run(command, environment_of(folder, options, path)))

    def assert_steps(self, recording, numbers, ranks=1):
        """What cgpu finds of steps in the folder of the traces."""
        rows = tool.table(recording.folder, "steps")
        found = {}
        for row in rows:
            found.setdefault(row["rank"], []).append(row["step"])
        self.assertEqual(list(found.values()), [list(numbers)] * ranks)

    def assert_recorded(self, recording, marked_by, numbers=(7, 8, 9)):
        self.assertEqual(recording.errors, "")
        self.assertEqual(len(recording.traces), 1, recording.lines)
        (line,) = recording.lines
        self.assertEqual((line["file"], line["failed"]), (recording.traces[0], None))
        self.assertEqual((line["steps_by"], line["first_step"], line["steps"]), (marked_by, numbers[0], len(numbers)))
        self.assert_steps(recording, numbers)
        return line

    def assert_nothing(self, recording, text):
        self.assertEqual(recording.traces, [])
        (line,) = recording.lines
        self.assertEqual((line["file"], line["steps"]), (None, 0))
        self.assertIn(text, line["failed"])
        return line


class OneProcess(Case):
    def test_training(self):
        recording = self.record({}, program("train.py", 12))
        line = self.assert_recorded(recording, "optimizer SGD.step")
        self.assertEqual((line["kind"], line["tool"], line["device"], line["ended"]), ("process", "torch", "cpu", "steps"))
        self.assertEqual(recording.traces[0], "rank00000.%d.pt.trace.json.gz" % line["pid"])
        self.assertGreater(line["step_ns_before"], 0)
        self.assertGreater(line["step_ns_within"], 0)
        self.assertAlmostEqual(line["overhead_percent"], (line["step_ns_within"] / line["step_ns_before"] - 1) * 100, 0)
        self.assertEqual(recording.names().count("Optimizer.step#SGD.step"), 3)

    def test_steps_follow_each_other_and_hold_their_work(self):
        events = self.record({}, program("train.py", 12)).trace()
        marks = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e.get("name", "").startswith("ProfilerStep#"))
        works = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e.get("name") == "Optimizer.step#SGD.step")
        for (begin, end), (work_begin, work_end) in zip(marks, works):
            self.assertLess(begin, work_begin)
            self.assertLess(work_end, end)
        for before, after in zip(marks, marks[1:]):
            self.assertLess(before[1], after[0])

    def test_sets(self):
        for name, has_shapes, has_stacks in (("quick", False, False), ("normal", True, False), ("full", True, True)):
            with self.subTest(name):
                events = self.record({"set": name}, program("train.py", 12)).trace()
                self.assertEqual(any("Input Dims" in event.get("args", {}) for event in events), has_shapes)
                self.assertEqual(any(event.get("cat") == "python_function" for event in events), has_stacks)
                self.assertEqual(any(event.get("name") == "[memory]" for event in events), has_stacks)

    def test_skip_warm_up_and_steps(self):
        recording = self.record({"skip": 2, "warm_up": 0, "steps": 5}, program("train.py", 12))
        self.assert_recorded(recording, "optimizer SGD.step", range(2, 7))

    def test_second_optimizer_is_no_step(self):
        recording = self.record({}, program("two_optimizers.py"))
        self.assertEqual(recording.names().count("Optimizer.step#SGD.step"), 6)
        self.assert_recorded(recording, "optimizer SGD.step")

    def test_inference(self):
        recording = self.record({}, program("inference.py"))
        self.assertEqual(recording.output, "(1, 16) 0 0\n")
        self.assert_recorded(recording, "forward of Net")

    def test_ranges(self):
        self.assert_recorded(self.record({"ranges": "batch"}, program("ranges.py")), "range batch")
        self.assert_nothing(self.record({"ranges": "bat"}, program("ranges.py")), "no range named bat ended")

    def test_framework(self):
        """A class with the names of transformers: its step counts, not the two optimizer steps within it."""
        folder = self.folder("framework/transformers")
        with open(os.path.join(folder, "__init__.py"), "w", encoding="utf-8"):
            pass
        with open(os.path.join(folder, "trainer_callback.py"), "w", encoding="utf-8") as file:
            file.write("class CallbackHandler:\n    def on_step_end(self):\n        return 'control'\n")
        code = """
import torch
from transformers.trainer_callback import CallbackHandler
model, handler = torch.nn.Linear(4, 4), CallbackHandler()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(30):
    for _ in range(2):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    assert handler.on_step_end() == "control"
"""
        recording = self.record({"skip": 20}, [PYTHON, "-c", code], [os.path.dirname(folder)])
        self.assertEqual(recording.names().count("Optimizer.step#SGD.step"), 6)
        self.assert_recorded(recording, "transformers CallbackHandler.on_step_end", (22, 23, 24))


class Device(Case):
    def test_device_without_activity(self):
        """A program that says that it uses CUDA, of which nothing is in the trace."""
        folder = self.folder("program")
        with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as file:
            file.write("import runpy, sys, torch\ntorch.cuda.is_initialized = lambda: True\n"
                       "sys.argv = ['train.py', '20']\nrunpy.run_path(%r, run_name='__main__')\n"
                       % os.path.join(PROGRAMS, "train.py"))
        recording = self.record({}, [PYTHON, os.path.join(folder, "train.py")])
        self.assertEqual(recording.status, 0)
        (line,) = recording.lines
        self.assertEqual((line["device"], line["device_ops"], line["steps"]), ("cuda", 0, 3))
        self.assertIn("no activity of the device was recorded", line["failed"])


class ProfilerOutside(Case):
    """Nsight Systems records, and the recorder tells it when: the functions of CUDA are replaced by such that write down calls."""
    STUBS = """if True:
        import runpy, sys, torch
        def says(what, result=None):
            return lambda *arguments: (open(%r, 'a').write(' '.join(map(str, (what,) + arguments)) + chr(10)), result)[1]
        torch.cuda.is_initialized = lambda: %s
        torch.cuda.synchronize = says('synchronize')
        torch.cuda.profiler.start, torch.cuda.profiler.stop = says('start'), says('stop')
        torch.cuda.nvtx.range_start, torch.cuda.nvtx.range_end = says('mark', 7), says('end')
        sys.argv = ['train.py', '%d']
        runpy.run_path(%r, run_name='__main__')
        """

    def record_outside(self, steps, uses_cuda=True):
        folder = self.folder("program%d%s" % (steps, uses_cuda))
        log = os.path.join(folder, "calls")
        stubs = self.STUBS % (log, uses_cuda, steps, os.path.join(PROGRAMS, "train.py"))
        recording = self.record({"is_outside": True, "warm_up": 0}, [PYTHON, "-c", stubs])
        self.assertEqual((recording.status, recording.errors, recording.traces), (0, "", []))
        (line,) = recording.lines
        self.assertEqual((line["kind"], line["file"]), ("steps", None))
        calls = []
        if os.path.exists(log):
            with open(log, encoding="utf-8") as file:
                calls = file.read().splitlines()
        return line, calls

    def test_steps(self):
        line, calls = self.record_outside(20)
        self.assertEqual(calls, ["start", "mark ProfilerStep#5", "end 7", "mark ProfilerStep#6", "end 7", "mark ProfilerStep#7",
                                 "end 7", "synchronize", "stop"])
        self.assertEqual((line["steps"], line["first_step"], line["steps_by"], line["failed"]), (3, 5, "optimizer SGD.step", None))
        self.assertGreater(line["step_ns_within"], 0)

    def test_a_step_that_does_not_end(self):
        line, calls = self.record_outside(6)
        self.assertEqual(calls, ["start", "mark ProfilerStep#5", "end 7", "mark ProfilerStep#6", "synchronize", "stop"])
        self.assertEqual((line["steps"], line["ended"]), (1, "exit"))

    def test_a_program_without_cuda(self):
        line, calls = self.record_outside(20, uses_cuda=False)
        self.assertEqual((calls, line["steps"]), ([], 0))
        self.assertIn("the program had not used CUDA", line["failed"])


class TooLittle(Case):
    def test_no_step(self):
        line = self.assert_nothing(self.record({}, program("operations.py", 2)), "no step was found; --delay 0 --duration 5")
        self.assertEqual(line["steps_seen"], 0)

    def test_too_few_steps(self):
        line = self.assert_nothing(self.record({}, program("train.py", 6)), "--skip 1 --steps 3")
        self.assertEqual(line["steps_seen"], 6)
        self.assertIn("too few to record one", self.record({}, program("train.py", 2)).lines[0]["failed"])

    def test_end_within_the_recorded_steps(self):
        recording = self.record({}, program("train.py", 9))
        self.assertIn("unfinished step", recording.names())
        self.assertEqual(self.assert_recorded(recording, "optimizer SGD.step", (7, 8))["ended"], "exit")
        recording = self.record({"skip": 7}, program("train.py", 20, "torch.ones(2); sys.exit(0)"))
        self.assertIn("ended within its first step", recording.lines[0]["failed"])

    def test_process_that_only_imports_torch_writes_nothing(self):
        for options in ({}, {"duration_s": 30}):
            recording = self.record(options, [PYTHON, "-c", "import torch"])
            self.assertEqual((recording.traces, recording.lines, recording.errors), ([], [], ""))

    def test_rank_that_is_not_chosen_writes_nothing(self):
        recording = self.record({"ranks": [1]}, program("train.py", 12))
        self.assertEqual((recording.traces, recording.lines), ([], []))


class Time(Case):
    def test_duration(self):
        recording = self.record({"delay_s": 0.2, "duration_s": 0.3}, program("operations.py", 5))
        (line,) = recording.lines
        self.assertEqual((line["ended"], line["failed"], recording.errors), ("duration", None, ""))
        self.assertIn("aten::mm", recording.names())

    def test_duration_from_the_start(self):
        recording = self.record({"duration_s": 60}, program("train.py", 12))
        self.assertEqual(recording.lines[0]["ended"], "exit")
        self.assertEqual(recording.names().count("Optimizer.step#SGD.step"), 12)
        self.assert_steps(recording, range(1, 12))  # where the first one began is not known

    def test_program_with_its_own_alarm(self):
        code = "signal.signal(signal.SIGALRM, lambda *_: print('alarm')); signal.alarm(1)"
        recording = self.record({"delay_s": 0.2, "duration_s": 0.2}, program("operations.py", 3, code))
        self.assertEqual((recording.status, recording.output), (0, "alarm\ndone\n"))

    def test_delay_alone(self):
        self.assertEqual(self.record({"delay_s": 0}, program("train.py", 12)).lines[0]["first_step"], 3)


class Endings(Case):
    """The program's end within the recorded steps: what was recorded is written, and the end is the program's own."""

    def assert_same(self, command, ended, count=1):
        status, output, errors = run(command, dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        recording = self.record({}, command)
        self.assertEqual((recording.status, recording.output, recording.errors), (status, output, errors))
        self.assertEqual([line["ended"] for line in recording.lines], [ended] * count)
        self.assertEqual(len(recording.traces), count)
        return status, recording

    def test_exit_and_exception(self):
        self.assertEqual(self.assert_same(program("train.py", 20), "steps")[0], 0)
        self.assertEqual(self.assert_same(program("train.py", 20, "sys.exit(3)"), "exit")[0], 3)
        self.assertEqual(self.assert_same(program("train.py", 20, "raise KeyError('gone')"), "exception")[0], 1)

    def test_signals(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell's background job ignores
        self.addCleanup(signal.signal, signal.SIGINT, before)
        kill = "os.kill(os.getpid(), signal.%s)"
        status, recording = self.assert_same(program("train.py", 20, kill % "SIGTERM"), "signal SIGTERM")
        self.assertEqual(status, -signal.SIGTERM)
        self.assert_recorded(recording, "optimizer SGD.step", (7, 8))
        self.assertEqual(self.assert_same(program("train.py", 20, kill % "SIGINT"), "signal SIGINT")[0], -signal.SIGINT)

    def test_handler_of_the_program(self):
        code = "os.environ['HANDLED'] = '1'; os.kill(os.getpid(), signal.SIGTERM)"
        for first, status, ended in (("signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))", 7, "signal SIGTERM"),
                                     ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", 0, "steps")):
            os.environ["TRAIN_FIRST"] = first
            self.addCleanup(os.environ.pop, "TRAIN_FIRST", None)
            self.assertEqual(self.assert_same(program("train.py", 20, code), ended)[0], status)

    def test_signal_while_the_trace_is_written(self):
        code = ("profile, kill = torch.profiler._KinetoProfile, lambda: os.kill(os.getpid(), signal.SIGTERM)\n"
                "write = profile.export_chrome_trace\n"
                "profile.export_chrome_trace = lambda *arguments: (kill(), write(*arguments))")
        recording = self.record({}, program("train.py", 20, code))
        self.assertEqual(recording.status, -signal.SIGTERM)
        self.assert_recorded(recording, "optimizer SGD.step")

    def test_killed_program_leaves_no_cut_file(self):
        recording = self.record({}, program("train.py", 20, "os.kill(os.getpid(), signal.SIGKILL)"))
        self.assertEqual((recording.status, recording.traces, recording.lines), (-signal.SIGKILL, [], []))

    def test_error_of_the_recorder(self):
        recording = self.record({}, program("train.py", 20, "torch.profiler._KinetoProfile.export_chrome_trace = None"))
        self.assertEqual((recording.status, recording.output), (0, "trained 20 steps\n"))
        self.assertRegex(recording.errors, r"\Acgpu record: the recorder failed: TypeError: .*\n\Z")
        self.assertEqual("cgpu record: %s\n" % recording.lines[0]["failed"], recording.errors)

    def test_wrong_settings(self):
        recording = self.record({"set": "all"}, program("train.py", 3))
        self.assertEqual((recording.status, recording.output), (0, "trained 3 steps\n"))
        self.assertRegex(recording.errors, r"\Acgpu record: .*no set 'all'.*\n\Z")


class OwnProfiler(Case):
    def test_before_ours(self):
        recording = self.record({}, program("own_profiler.py", 2, 12))
        self.assertEqual(recording.output, "11 calls of addmm\n")
        self.assert_nothing(recording, "own profiler was active")

    def test_after_ours_has_begun(self):
        for first in (5, 8):  # while ours warms up, while it records
            recording = self.record({}, program("own_profiler.py", first, 14))
            self.assertEqual(recording.output, "%d calls of addmm\n" % (15 - first))
            self.assert_nothing(recording, "cancelled, because the program started its own profiler")

    def test_after_ours_has_ended(self):
        recording = self.record({}, program("own_profiler.py", 12, 14))
        self.assertEqual(recording.output, "3 calls of addmm\n")
        self.assert_recorded(recording, "optimizer SGD.step")


class Compiled(Case):
    def test_graphs_are_the_same(self):
        for way, marked_by in (("training", "optimizer SGD.step"), ("inference", "forward of Net"), ("warm", "forward of Net"),
                               ("in place", "forward of Net"), ("function", None)):
            with self.subTest(way):
                status, output, errors = run(program("compiled.py", way), dict(os.environ))
                self.assertEqual((status, errors), (0, ""))
                recording = self.record({}, program("compiled.py", way))
                self.assertEqual((recording.status, recording.output, recording.errors), (status, output, errors))
                if marked_by:
                    self.assert_recorded(recording, marked_by)
                else:
                    self.assert_nothing(recording, "no step was found")


class Processes(Case):
    def test_ranks_with_forked_loaders(self):
        command = [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                   os.path.join(PROGRAMS, "ranks.py")]
        recording = self.record({}, command)
        self.assertEqual(recording.status, 0, recording.errors)
        lines = sorted(recording.lines, key=lambda line: line["rank"])
        self.assertEqual([line["file"] for line in lines], recording.traces)
        self.assertEqual([(line["rank"], line["local_rank"], line["world_size"]) for line in lines], [(0, 0, 2), (1, 1, 2)])
        self.assertEqual([name[:9] for name in recording.traces], ["rank00000", "rank00001"])
        self.assert_steps(recording, (7, 8, 9), ranks=2)

    def test_started_processes(self):
        for method in ("spawn", "fork"):
            with self.subTest(method):
                recording = self.record({}, program("spawned.py", method))
                self.assertEqual((recording.status, recording.errors), (0, ""))
                self.assertEqual(sorted(line["file"] for line in recording.lines), recording.traces)
                self.assertEqual([line["steps"] for line in recording.lines], [3, 3])

    def test_forked_processes_that_end_early(self):
        recording = self.record({}, program("spawned.py", "fork", 9))
        self.assertEqual([(line["ended"], line["steps"]) for line in recording.lines], [("exit", 2)] * 2)
        self.assertEqual(len(recording.traces), 2)


class Interpreter(Case):
    """What the recorder does to Python itself. Needs no torch."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def test_sitecustomize_of_the_user_runs(self):
        folder = self.folder("user")
        with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write("print('mine')\nname = 'user'\n")
        code = "import sitecustomize, sys; print(sitecustomize.name, [path for path in sys.path if 'record' in path])"
        recording = self.record({}, [sys.executable, "-c", code], [folder])
        self.assertEqual((recording.output, recording.errors), ("mine\nuser []\n", ""))

    def test_broken_torch_fails_as_without_the_recorder(self):
        folder = self.folder("broken/torch")
        with open(os.path.join(folder, "__init__.py"), "w", encoding="utf-8") as file:
            file.write("raise ValueError('broken')\n")
        path = [os.path.dirname(folder)]
        command = [sys.executable, "-c", "import torch"]
        without = run(command, dict(os.environ, PYTHONPATH=path[0], PYTHONDONTWRITEBYTECODE="1"))
        recording = self.record({}, command, path)
        self.assertEqual((recording.status, recording.output, recording.errors), without)
        self.assertIn("broken", recording.errors)

    def test_program_without_torch_is_left_alone(self):
        code = "import sys, json; print(sorted(name for name in sys.modules if 'cgpu' in name))"
        recording = self.record({}, [sys.executable, "-c", code])
        self.assertEqual(recording.output, "['cgpu_torch_recorder', 'cgpu_torch_recorder.import_hook']\n")
        self.assertEqual(os.listdir(recording.folder), [])

    def test_cost_without_torch(self):
        """Processor time, the least of several runs, which a busy machine hardly raises: below 20 ms."""
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        def least(environment):
            times = []
            for _ in range(15):
                before = used()
                run([sys.executable, "-c", "pass"], environment)
                times.append(used() - before)
            return min(times)
        self.assertLess(least(environment_of(self._folder.name, {})) - least(dict(os.environ)), 0.02)


class Isolated(Case):
    """python -I -m cgpu.record: PYTHONPATH is ignored there. The package is laid out as the wheel has it."""

    def setUp(self):
        super().setUp()
        package = self.folder("packages/cgpu")
        with open(os.path.join(package, "__init__.py"), "w", encoding="utf-8"):
            pass
        shutil.copy(os.path.join(tool.ROOT, "python", "cgpu", "record.py"), package)
        shutil.copytree(os.path.join(RECORDER, "cgpu_torch_recorder"), os.path.join(package, "_torch_recorder"))
        start = ("import sys; sys.path.insert(0, %r); import runpy; sys.argv[0] = 'cgpu.record'; "
                 "runpy.run_module('cgpu.record', run_name='__main__', alter_sys=True)" % os.path.dirname(package))
        self.start = [PYTHON, "-I", "-c", start]

    def test_script(self):
        recording = self.record({}, self.start + program("train.py", 12)[1:])
        self.assertEqual((recording.status, recording.output), (0, "trained 12 steps\n"))
        self.assert_recorded(recording, "optimizer SGD.step")

    def test_ends_as_the_program(self):
        for code in ("raise KeyError('gone')", "import sys; print(sys.argv, __name__); sys.exit(4)", "1 +"):
            command = ["-c", code, "one", "two"]
            without = run([PYTHON, "-I"] + command, dict(os.environ))
            recording = self.record({}, self.start + command)
            self.assertEqual((recording.status, recording.output), without[:2])
            self.assertEqual(recording.errors.splitlines()[-1:], without[2].splitlines()[-1:])

    def test_without_cgpu_record(self):
        status, output, errors = run(self.start + program("train.py", 12)[1:], dict(os.environ))
        self.assertEqual((status, output), (2, ""))
        self.assertRegex(errors, r"\Acgpu record: .*started by `cgpu record -- python -I -m cgpu.record script.py`\n\Z")


class Manifest(Case):
    def test_has_nothing_of_the_environment_or_the_command_line(self):
        os.environ["TRAIN_FIRST"] = "# a secret"
        self.addCleanup(os.environ.pop, "TRAIN_FIRST")
        recording = self.record({}, program("train.py", 12, "'another secret'"))
        text = json.dumps(recording.lines)
        self.assertNotIn("secret", text)
        self.assertNotIn(self._folder.name, text)
        self.assertFalse(re.search(r"/", text), text)


if __name__ == "__main__":
    tool.must_exist()
    unittest.main()
