#!/usr/bin/env python3
"""`cgpu record`: the commands it makes, for tools that are only named on PATH, and what it does with programs for real.

Environment: CGPU (the binary), CGPU_TORCH_PYTHON (an interpreter that has torch, and py-spy beside it; without it those tests
are skipped). perf and mpirun are used where they are on PATH.
"""
import glob
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

TOOLS = ("nsys", "ncu", "rocprofv3", "msprof", "hpcrun", "hpcstruct", "hpcprof", "perf", "py-spy")
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


def py_spy():
    python = os.environ.get("CGPU_TORCH_PYTHON")
    beside = os.path.join(os.path.dirname(python), "py-spy") if python else ""
    return beside if os.access(beside, os.X_OK) else shutil.which("py-spy")


def can_perf():
    """Whether perf can record here."""
    return shutil.which("perf") is not None and subprocess.run(
        ["sh", "-c", "perf record -q -o /dev/null -- true"], capture_output=True, check=False).returncode == 0


class Case(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = self._folder.name

    def path(self, name, text=None, executable=False):
        path = os.path.join(self.folder, name)
        if text is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(textwrap.dedent(text))
            if executable:
                os.chmod(path, 0o755)
        return path

    def record(self, *arguments, **environment):
        inherited = {name: value for name, value in os.environ.items() if not re.match("PMIX|OMPI|SLURM|PMI|TORCHELASTIC", name)}
        return subprocess.run([tool.binary(), "record", *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, env=dict(inherited, NO_COLOR="1", **environment), check=False)

    def manifest(self, folder):
        with open(os.path.join(folder, "manifest.jsonl"), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


class WithTools(Case):
    """What --dry-run prints. The tools are empty scripts: only their names count."""

    def setUp(self):
        super().setUp()
        for name in TOOLS:
            self.path("bin/" + name, "#!/bin/sh\n", executable=True)
        self.program = self.path("a.out", "#!/bin/sh\n", executable=True)

    def dry_run(self, *arguments, tools=TOOLS, **environment):
        """Lines of words; the environment is in the first."""
        names = os.path.join(self.folder, "some")
        os.makedirs(names, exist_ok=True)
        for name in os.listdir(names):
            os.remove(os.path.join(names, name))
        for name in tools:
            os.symlink(os.path.join(self.folder, "bin", name), os.path.join(names, name))
        done = self.record("--dry-run", "-o", "R", *arguments, PATH=names + ":/usr/bin:/bin", **environment)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertFalse(os.path.exists(os.path.join(self.folder, "R")))
        return [shlex.split(line) for line in done.stdout.decode().splitlines()]

    def assert_has(self, words, *wanted):
        for word in wanted:
            self.assertIn(word, words)


class Commands(WithTools):
    def test_nsys(self):
        words = self.dry_run("--with", "nsys", "--", "./a.out", "-x", "1")[0]
        begin = words.index("nsys")
        self.assertEqual(words[begin:begin + 2], ["nsys", "profile"])
        self.assert_has(words, "--trace=cuda,nvtx,osrt", "--sample=none", "--cpuctxsw=none", "--cuda-graph-trace=node", "--kill=none")
        self.assertEqual(words[-3:], ["./a.out", "-x", "1"])
        self.assertTrue(words[0].startswith("TMPDIR=" + os.path.join(os.path.realpath(self.folder), "R")) or
                        words[0].startswith("TMPDIR=" + os.path.join(self.folder, "R")), words[0])
        output = [word for word in words if word.startswith("--output=")]
        self.assertRegex(output[0], r"/R/rank00000\.\d+$")
        words = self.dry_run("--with", "nsys", "--set", "full", "--delay", "1500ms", "--duration", "3s", "--", "./a.out")[0]
        self.assert_has(words, "--sample=process-tree", "--gpu-metrics-devices=all", "--delay=2", "--duration=3")
        words = self.dry_run("--with", "nsys", "--ranges", "step", "--", "./a.out")[0]
        self.assert_has(words, "--capture-range=nvtx", "--nvtx-capture=step", "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0")

    def test_ncu_always_limits_the_launches(self):
        for name, options, skip, count in (("basic", [], "20", "20"), ("detailed", ["--set", "normal", "--skip", "7"], "7", "20"),
                                           ("full", ["--set", "full", "--steps", "2"], "20", "2")):
            words = self.dry_run("--with", "ncu", *options, "--", "./a.out")[0]
            for option, value in (("--set", name), ("--launch-skip", skip), ("--launch-count", count), ("--target-processes", "all"),
                                  ("--graph-profiling", "node")):
                self.assertEqual(words[words.index(option) + 1], value)
        words = self.dry_run("--with", "ncu", "--ranges", "step", "--", "./a.out")[0]
        self.assertEqual(words[words.index("--nvtx-include") + 1], "step/")
        for options in (["--with", "ncu", "--set", "full"], []):  # --kernels alone means ncu
            words = self.dry_run(*options, "--kernels", "gemm|attn", "--", "./a.out")[0]
            self.assertEqual(words[words.index("--kernel-name") + 1], "regex:gemm|attn")
            self.assertEqual(words[words.index("--launch-count") + 1], "20")
            self.assertEqual(words[-1], "./a.out")

    def test_rocprof(self):
        words = self.dry_run("--with", "rocprof", "--", "./a.out")[0]
        self.assertEqual(words[:4], ["rocprofv3", "--runtime-trace", "--output-format", "rocpd"])
        self.assertEqual(words[-2:], ["--", "./a.out"])
        words = self.dry_run("--with", "rocprof", "--set", "full", "--delay", "1s", "--duration", "2s", "--", "./a.out")[0]
        self.assert_has(words, "--sys-trace", "--pmc")
        self.assertEqual(words[words.index("--collection-period") + 1], "1000:2000:1")
        self.assertEqual(words[words.index("--collection-period-unit") + 1], "msec")

    def test_msprof(self):
        words = self.dry_run("--with", "msprof", "--", "./a.out")[0]
        self.assert_has(words, "--ascendcl=on", "--runtime-api=on", "--task-time=on", "--ai-core=off")
        self.assert_has(self.dry_run("--with", "msprof", "--set", "full", "--", "./a.out")[0], "--ai-core=on", "--aicpu=on")

    def test_hpctoolkit(self):
        run, prof = self.dry_run("--with", "hpctoolkit", "--", "./a.out")
        self.assertEqual(run[:2] + run[3:6], ["hpcrun", "-o", "-e", "CPUTIME", "-t"])
        self.assertEqual((prof[0], prof[-1]), ("hpcprof", run[2]))
        self.assertEqual([line[0] for line in self.dry_run("--with", "hpctoolkit", "--set", "normal", "--", "./a.out")],
                         ["hpcrun", "hpcstruct", "hpcprof"])

    def test_perf(self):
        program, record, script = self.dry_run("--with", "perf", "--", "./a.out", "1")
        self.assertEqual(program, ["./a.out", "1"])  # perf would end a program that it has started on Ctrl-C
        self.assertEqual(record[:3], ["perf", "record", "--quiet"])
        self.assertEqual(record[record.index("-p") + 1], "{pid}")
        self.assertEqual(record[record.index("-F") + 1], "499")
        self.assert_has(record, "-g")
        self.assertEqual(script[:5], ["perf", "script", "--no-inline", "-i", record[record.index("-o") + 1]])
        self.assertTrue(script[-1].endswith(".perf.txt"))
        _, record, _ = self.dry_run("--with", "perf", "--set", "full", "--delay", "250ms", "--", "./a.out")
        self.assert_has(record, "--all-cpus")
        self.assertEqual(record[record.index("-D") + 1], "250")
        program, record, _ = self.dry_run("--with", "perf", "--", "python3", "-c", "pass")
        self.assertEqual(record[record.index("--call-graph") + 1], "dwarf")
        self.assertEqual(program[0], "PYTHONPERFSUPPORT=1")

    def test_perf_of_some_of_the_time(self):
        _, record, _ = self.dry_run("--with", "perf", "--delay", "500ms", "--duration", "2s", "--", "./a.out", "1")
        self.assertEqual(record[-8:], ["-p", "{pid}", "-D", "500", "--", "sh", "-c", "kill -CONT {pid}; exec sleep 2.5"])

    def test_perf_records_waiting_where_it_can(self):
        able = "#!/bin/sh\necho '   bpf_skeletons: [ on  ]  # HAVE_BPF_SKEL'\n"
        for text, has_it in ((able, os.geteuid() == 0), ("#!/bin/sh\necho '   bpf: [ on  ]'\n", False)):
            self.path("bin/perf", text, executable=True)
            for size, wants in (("quick", False), ("normal", True), ("full", True)):
                _, record, _ = self.dry_run("--with", "perf", "--set", size, "--", "./a.out")
                self.assertEqual("--off-cpu" in record, wants and has_it)
                self.assertEqual("--all-cpus" in record, size == "full")

    def test_py_spy(self):
        program, spy = self.dry_run("--with", "py-spy", "--", "python3", "-c", "pass")
        self.assertEqual(program, ["python3", "-c", "pass"])
        self.assert_has(spy, "--subprocesses", "speedscope", "{pid}")
        spy = self.dry_run("--with", "py-spy", "--set", "full", "--duration", "2s", "--", "python3", "-c", "pass")[1]
        self.assert_has(spy, "--native", "--threads", "--idle")
        self.assertEqual(spy[spy.index("--duration") + 1], "2")

    def test_torch(self):
        script = self.path("train.py", "import numpy, torch.nn as nn\n")
        (words,) = self.dry_run("--set", "normal", "--skip", "3", "--steps", "2", "--ranks", "0,2-3", "--env", "A=b c", "--",
                                "python3", script, "--lr", "[1,2]", PYTHONPATH="/before")
        settings = json.loads(words[0].split("=", 1)[1])
        self.assertEqual({k: v for k, v in settings.items() if k != "folder"},
                         {"set": "normal", "skip": 3, "steps": 2, "ranks": [0, 2, 3]})
        self.assertEqual(words[1], "PYTHONPATH=%s/.recorder:/before" % settings["folder"])
        self.assertEqual(words[2:], ["A=b c", "python3", script, "--lr", "[1,2]"])
        (words,) = self.dry_run("--delay", "1s", "--duration", "500ms", "--ranges", "step", "--", "python3", script)
        settings = json.loads(words[0].split("=", 1)[1])
        self.assertEqual((settings["delay_s"], settings["duration_s"], settings["ranges"]), (1, 0.5, "step"))

    def test_processes_that_run(self):
        with subprocess.Popen(["sleep", "60"]) as process:
            try:
                perf, _ = self.dry_run("--with", "perf", "--attach", process.pid, "--duration", "1500ms")
                self.assertEqual(perf[-5:], ["-p", str(process.pid), "--", "sleep", "1.5"])
                (rocprof,) = self.dry_run("--with", "rocprof", "--attach", process.pid, "--duration", "1500ms")
                self.assertEqual(rocprof[-4:], ["--attach", str(process.pid), "--attach-duration-msec", "1500"])
            finally:
                process.kill()

    def test_the_tool_that_suits_the_program(self):
        def chosen(*command, tools=TOOLS):
            words = [word for line in self.dry_run("--", *command, tools=tools) for word in line]
            return next((name for name in ("hpcrun", "py-spy", "perf") if name in words), "torch" if "CGPU_RECORD" in words[0] else None)

        plain = self.path("plain.py", "import json\n")
        self.path("model.py", "from torch import nn\n")
        indirect = self.path("indirect.py", "import json\nimport model\n")
        if glob.glob("/dev/nvidia[0-9]*") or os.path.exists("/dev/kfd") or glob.glob("/dev/davinci[0-9]*"):
            self.skipTest("a machine with a device records that")
        self.assertEqual(chosen("./a.out"), "hpcrun")
        self.assertEqual(chosen("./a.out", tools=("perf",)), "perf")
        self.assertEqual(chosen("python3", plain), "py-spy")
        self.assertEqual(chosen("python3", plain, tools=("perf",)), "perf")
        self.assertEqual(chosen("python3", "-u", indirect), "torch")
        self.assertEqual(chosen("python3", "-m", "torch.distributed.run", plain), "torch")
        self.assertEqual(chosen("python3", "-c", "import torch"), "torch")
        self.assertEqual(chosen("python3", "-I", indirect), "py-spy")  # PYTHONPATH is not read

    def test_commands_of_one_line_need_no_dashes(self):
        program, _, _ = self.dry_run("--with", "perf", "./a.out", "table", "--format", "x")
        self.assertEqual(program, ["./a.out", "table", "--format", "x"])


# The options that each tool documents, as far as `cgpu record` uses them: name, and what its value may be (None: it has
# none). "=" in front of the value: written behind the name and an equals sign.
NUMBER = r"\d+"
DOCUMENTED = {
    # Nsight Systems, User Guide, "CLI Profile Command Switch Options"
    "nsys": {"profile": None, "--output": "=/.*", "--trace": "=((cuda|nvtx|osrt|mpi),?)+", "--sample": "=(process-tree|system-wide|none)",
             "--cpuctxsw": "=(process-tree|system-wide|none)", "--cuda-graph-trace": "=(graph|node)",
             "--kill": "=(none|sigkill|sigterm|[0-9]+)", "--gpu-metrics-devices": "=(all|none|[0-9,]+)",
             "--cuda-memory-usage": "=(true|false)", "--capture-range": "=(none|cudaProfilerApi|hotkey|nvtx)",
             "--nvtx-capture": "=.+", "--env-var": "=[A-Z_]+=.*",
             "--capture-range-end": "=(none|stop|stop-shutdown|repeat.*)", "--delay": "=" + NUMBER, "--duration": "=" + NUMBER},
    # Nsight Compute, CLI manual, "Command Line Options"
    "ncu": {"--export": "/.*", "--set": "(basic|detailed|full|roofline)", "--launch-skip": NUMBER, "--launch-count": NUMBER,
            "--target-processes": "(all|application-only)", "--graph-profiling": "(node|graph)", "--log-file": "/.*",
            "--nvtx": None, "--nvtx-include": ".+/", "--kernel-name": "(regex:)?.+"},
    # ROCprofiler-SDK, "rocprofv3 command-line options", "Dynamic process attachment using rocprofv3"
    "rocprofv3": {"--runtime-trace": None, "--sys-trace": None, "--output-format": "(csv|json|pftrace|otf2|rocpd)",
                  "--output-directory": "/.*", "--output-file": "[^/]+", "--pmc": "([A-Z_]+ ?)+",
                  "--collection-period": r"\d+:\d+:\d+", "--collection-period-unit": "(hour|min|sec|msec|usec|nsec)",
                  "--attach": NUMBER, "--attach-duration-msec": NUMBER, "--": None},
    # CANN, "Profiling AI Tasks When They Are Running"
    "msprof": {"--output": "=/.*", "--ascendcl": "=(on|off)", "--runtime-api": "=(on|off)", "--task-time": "=(on|off|l0|l1)",
               "--ai-core": "=(on|off)", "--aicpu": "=(on|off)", "--sys-hardware-mem": "=(on|off)"},
    # HPCToolkit, User's Manual; hpcrun, hpcstruct and hpcprof --help
    "hpcrun": {"-o": "/.*", "-e": "(CPUTIME|REALTIME|gpu=(cuda|rocm)(,pc)?)", "-t": None},
    "hpcstruct": {},
    "hpcprof": {"-o": "/.*"},
    # perf-record(1), perf-script(1)
    "perf": {"record": None, "--quiet": None, "-F": NUMBER, "-o": "/.*", "-e": "(cycles|cpu-clock)", "-g": None,
             "--call-graph": "(fp|dwarf|lbr)", "--off-cpu": None, "--all-cpus": None, "-D": NUMBER, "-p": r"(\d+|\{pid\})",
             "--": None, "script": None, "--no-inline": None, "-i": "/.*"},
    # py-spy record --help
    "py-spy": {"record": None, "--pid": r"(\d+|\{pid\})", "--format": "(flamegraph|raw|speedscope|chrometrace)", "--rate": NUMBER,
               "--subprocesses": None, "--output": "/.*", "--native": None, "--threads": None, "--idle": None, "--duration": NUMBER},
}
# What each tool is asked for besides the set.
OPTIONS = {
    "nsys": [[], ["--delay", "2s"], ["--duration", "3s"], ["--delay", "2s", "--duration", "3s"], ["--ranges", "step"]],
    "ncu": [[], ["--skip", "3"], ["--steps", "2"], ["--ranges", "step"], ["--kernels", "gemm|attn"]],
    "rocprof": [[], ["--delay", "2s"], ["--duration", "3s"], ["--delay", "2s", "--duration", "3s"]],
    "msprof": [[]],
    "hpctoolkit": [[]],
    "perf": [[], ["--delay", "250ms"], ["--duration", "3s"], ["--delay", "1s", "--duration", "3s"]],
    "py-spy": [[], ["--duration", "3s"]],
}


class Documented(WithTools):
    """Each tool's commands for each set and option are of options that it documents."""

    def assert_documented(self, words, program):
        """`words` up to the program are a tool and options of it; returns the names of the options."""
        options = DOCUMENTED[words[0]]
        names, at = [], 1
        while at < len(words) and words[at:at + len(program)] != program and words[at] not in ("sh", "sleep", ">"):
            name, equals, value = words[at].partition("=")
            if name not in options:
                self.assertTrue(words[0].startswith("hpc") and words[at].startswith("/"), "%s is not documented: %s" % (name, words))
                at += 1
                continue
            at += 1
            form = options[name]
            if form is None:
                self.assertEqual(equals, "", words)
            elif form.startswith("="):
                self.assertRegex(value, "^(%s)$" % form[1:], words)
            else:
                self.assertEqual(equals, "", words)
                values = [words[at]]
                at += 1
                while name == "--pmc" and at < len(words) and re.match("[A-Z_]+$", words[at]):
                    values.append(words[at])
                    at += 1
                self.assertRegex(" ".join(values), "^(%s)$" % form, words)
            names.append(name)
        return names

    def test_sets_and_options(self):
        used = set()
        for tool_name, cases in OPTIONS.items():
            program = ["python3", "-c", "pass"] if tool_name == "py-spy" else ["./a.out", "-x"]
            for size in ("quick", "normal", "full"):
                for options in cases:
                    with self.subTest(tool=tool_name, set=size, options=options):
                        lines = self.dry_run("--with", tool_name, "--set", size, *options, "--", *program)
                        self.assertTrue(any(line[-len(program):] == program for line in lines), lines)
                        for words in lines:
                            while re.match("[A-Z_]+=", words[0]):
                                words = words[1:]
                            if words != program:
                                used |= {(words[0], name) for name in self.assert_documented(words, program)}
        for name in ("nsys", "ncu", "msprof"):  # those of the others differ with devices, or are of processes that run
            self.assertEqual({option for one, option in used if one == name} ^ set(DOCUMENTED[name]), set(), name)

    def test_processes_that_run(self):
        with subprocess.Popen(["python3", "-c", "import time; time.sleep(60)"]) as process:
            try:
                for tool_name in ("perf", "py-spy", "rocprof"):
                    for size in ("quick", "normal", "full"):
                        for options in ([], ["--duration", "2s"]):
                            with self.subTest(tool=tool_name, set=size, options=options):
                                for words in self.dry_run("--with", tool_name, "--set", size, "--attach", process.pid, *options):
                                    self.assert_documented(words, [None])
            finally:
                process.kill()

    def test_tools_that_are_here_know_their_options(self):
        """The table itself is held to the tools, where they can be installed."""
        for name, command, options in (("perf", ["perf", "record", "-h"], {"-g", "-F", "-o", "-e", "-D", "-p", "--all-cpus", "--quiet",
                                                                           "--call-graph"}),
                                       ("perf", ["perf", "script", "-h"], {"-i"}),
                                       (py_spy(), [py_spy(), "record", "--help"], set(DOCUMENTED["py-spy"]) - {"record"})):
            if not name or not shutil.which(name):
                continue
            done = subprocess.run(command, capture_output=True, check=False)
            known = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", (done.stdout + done.stderr).decode()))
            self.assertEqual(options - known, set(), name)

    def test_options_that_a_tool_does_not_have_are_refused(self):
        for tool_name, options in (("nsys", ["--steps", "2"]), ("nsys", ["--kernels", "x"]), ("ncu", ["--duration", "1s"]),
                                   ("rocprof", ["--skip", "1"]), ("rocprof", ["--ranges", "x"]), ("msprof", ["--delay", "1s"]),
                                   ("msprof", ["--steps", "1"]), ("hpctoolkit", ["--duration", "1s"]), ("perf", ["--steps", "1"]),
                                   ("perf", ["--ranges", "x"]), ("py-spy", ["--delay", "1s"]), ("py-spy", ["--kernels", "x"]),
                                   ("torch", ["--kernels", "x"])):
            with self.subTest(tool=tool_name, options=options):
                done = self.record("--dry-run", "-o", "R", "--with", tool_name, *options, "--", "python3", "-c", "pass",
                                   PATH=os.path.join(self.folder, "bin") + ":/usr/bin:/bin")
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(options[0], done.stderr.decode())


class Refusals(Case):
    def assert_refused(self, arguments, *texts, **environment):
        done = self.record(*arguments, **environment)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        for text in texts:
            self.assertIn(text, done.stderr.decode())

    def test_what_cannot_be(self):
        self.assert_refused([], "give the command to record")
        self.assert_refused(["--with", "gprof", "--", "true"], "gprof")
        self.assert_refused(["--", "./not-there"], "not-there", "PATH")
        self.assert_refused(["--with", "ncu", "--", "true"], "ncu is not on PATH", PATH="/usr/bin:/bin")
        self.assert_refused(["--with", "torch", "--", "true"], "not run by Python")
        self.assert_refused(["--with", "torch", "--", "python3", "-S", "x.py"], "leave out -S")
        self.assert_refused(["--with", "torch", "--", "python3", "-I", "x.py"], "python -I -m cgpu.record")
        self.assert_refused(["--skip", "1", "--delay", "1s", "--", "true"], "--skip or --delay")
        self.assert_refused(["--delay", "soon", "--", "true"], "--delay")
        self.assert_refused(["--env", "A", "--", "true"], "KEY=VALUE")
        self.assert_refused(["--attach", "1", "--", "true"], "--attach or a command")
        self.assert_refused(["--attach", "99999999"], "no program runs with this number")
        self.assert_refused(["--with", "torch", "--attach", os.getpid()], "none that runs already")

    def test_a_folder_that_has_something_in_it(self):
        self.path("full/notes.txt", "mine\n")
        arguments = ["--with", "torch", "-o", "full", "--", "python3", "-c", "pass"]
        self.assert_refused(arguments, "full", "is not empty")
        self.assertEqual(os.listdir(self.path("full")), ["notes.txt"])
        self.record("--with", "torch", "-o", "twice", "--", "python3", "-c", "pass")
        self.assert_refused([word.replace("full", "twice") for word in arguments], "holds a recording already")


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

    def test_interrupt_from_the_terminal(self):
        """Ctrl-C reaches the program and cgpu alike; what was recorded is kept, and cgpu ends as the program."""
        with subprocess.Popen([tool.binary(), "record", "--with", "perf", "-o", "R", "--no-report", "--", "python3", "-c",
                               "print('ready', flush=True)\nwhile True: sum(range(1000))"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, start_new_session=True) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGINT)
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
        with subprocess.Popen([tool.binary(), "record", "--with", "perf", "-o", "R", "--no-report", "--", "python3", program],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            time.sleep(0.3)
            os.killpg(process.pid, signal.SIGINT)
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
