#!/usr/bin/env python3
"""The commands that `cgpu record` makes, for tools that are only named on PATH: for each set and option those that the tool
documents. And what it refuses.

Environment: CGPU (the binary), CGPU_TORCH_PYTHON (an interpreter with py-spy beside it, whose options are asked). perf is asked
where it is on PATH.
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.recording import Case, py_spy  # noqa: E402

TOOLS = ("nsys", "ncu", "rocprofv3", "msprof", "hpcrun", "hpcstruct", "hpcprof", "perf", "py-spy")


def setUpModule():
    tool.must_exist()


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

    def test_nsys_records_steps_of_torch(self):
        train = self.path("train.py", "import torch\n")
        for arguments in ([], ["--skip", "9", "--steps", "4"]):
            words = self.dry_run("--with", "nsys", *arguments, "--", "python3", train)[0]
            self.assert_has(words, "--capture-range=cudaProfilerApi", "--capture-range-end=stop")
            settings = json.loads(next(word for word in words if word.startswith("CGPU_RECORD=")).partition("=")[2])
            self.assertEqual((settings["is_outside"], settings["warm_up"]), (True, 0))
            self.assertEqual((settings.get("skip"), settings.get("steps")), (9, 4) if arguments else (None, None))
            self.assertTrue(any(word.startswith("PYTHONPATH=") for word in words), words)
        for arguments in (["--duration", "3s"], ["--ranges", "step"]):
            self.assertNotIn("--capture-range=cudaProfilerApi",
                             self.dry_run("--with", "nsys", *arguments, "--", "python3", train)[0])
        for arguments, why in ((["--skip", "3", "--duration", "3s"], "leave out --skip and --steps"),
                               (["--steps", "3", "--ranges", "step"], "leave out --skip and --steps")):
            done = self.record("--dry-run", "--with", "nsys", *arguments, "--", "python3", train, PATH=self.folder + "/bin:/usr/bin:/bin")
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr.decode())
        done = self.record("--dry-run", "--with", "nsys", "--steps", "3", "--", "./a.out", PATH=self.folder + "/bin:/usr/bin:/bin")
        self.assertIn("it counts steps of PyTorch programs only", done.stderr.decode())

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
        for tool_name, options in (("nsys", ["--kernels", "x"]), ("ncu", ["--duration", "1s"]),
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


if __name__ == "__main__":
    unittest.main()
