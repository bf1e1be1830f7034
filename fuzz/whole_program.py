#!/usr/bin/env python3
"""Gives damaged profiles to the whole program: every verb, table and format of output.

A run damages a seed (mutations.py), calls the program on it several times and looks at how each call ends. Faults: a signal, a report of a
sanitizer, more than the time or the memory, an exit status that the manual does not have, exit status 2 without a line
"cgpu: ..." on standard error, JSON or XML that is none, a summary that is written and then refused.

The seeds are those of the fuzz targets, summaries made of some of them, and the small files in examples/. Run N of seed S
is always the same: `--seed S --first N --runs 1` repeats it. What a fault needs is kept under --found: the files, and
`command`, which is to be run in that folder. Exit status 1 if there was a fault.
"""
import argparse
import collections
import concurrent.futures
import gzip
import importlib
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import mutations  # noqa: E402

ROOT = HERE.parent
EXIT_CODES = {"check": {0, 1, 2, 3, 4}, "merge": {0, 2, 5}}  # docs/manual.md and docs/gate.md; of others 0 and 2
SANITIZER = re.compile(rb"(ERROR: \w+Sanitizer|runtime error:).*")
# Targets whose seeds are several files one behind the other, after the lengths of all but the last.
FOLDERS = {"hpctoolkit": ["meta.db", "profile.db", "cct.db", "trace.db", "metrics/default.yaml"],
           "hpctoolkit_xml": ["experiment.xml", "1.p-000000-000-a8c0-1-0.metric-db",
                              "1.p-000001-500-a8c0-2-0.metric-db"]}
NOT_FILES = ["partial", "summary"]  # what is inside of summaries, without what is around it
SUMMARISED = ["today.json", "chrome_all.json", "rocm.json", "cpu_only.json", "whole.sqlite", "whole.json", "whole.ncu-rep",
              "trace.et", "whole.pftrace", "whole.folded", "one_step.json", "graph.json.gz"]
MOST = 200000  # bytes of a seed
USES = 4  # of a damaged profile: to damage one takes as long as a call

Seed = collections.namedtuple("Seed", "name files")  # files: path in the folder of the seed -> bytes; one, or a folder
Outcome = collections.namedtuple("Outcome", "code stdout stderr")  # code: None after the time limit, negative: a signal


def unpacked(name, data, files):
    """A seed of a target for folders, as its files."""
    head = 4 * (len(files) - 1)
    lengths = [*struct.unpack("<%dI" % (len(files) - 1), data[:head]), len(data)]
    seed, at = {}, head
    for file, length in zip(files, lengths):
        if data[at:at + length]:
            seed[file] = data[at:at + length]
        at += length
    return Seed(name, seed)


def seeds_of_targets():
    for module in sorted(HERE.glob("*_seeds.py")):
        target = module.stem.removesuffix("_seeds")
        if module.stem == "make_seeds" or target in NOT_FILES:
            continue
        for name, data in importlib.import_module(module.stem).seeds():
            if target in FOLDERS and len(data) > 4 * len(FOLDERS[target]):
                yield unpacked("%s-%s" % (target, name), data, FOLDERS[target])
            elif 0 < len(data) <= MOST:
                yield Seed("%s-%s" % (target, name), {name: data})


def seeds_of_folder(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and 0 < path.stat().st_size <= MOST and path.suffix not in (".py", ".md", ".ipynb", ".cpp"):
            yield Seed(str(path.relative_to(folder)), {path.name: path.read_bytes()})


class Program:
    """The program under test, started for each call."""

    def __init__(self, path, seconds, megabytes):
        self.path = str(pathlib.Path(path).resolve())
        self.seconds = seconds
        self.megabytes = megabytes

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (self.megabytes << 20,) * 2)

    def run(self, words, folder, times=1):
        process = subprocess.Popen([self.path, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=dict(os.environ, NO_COLOR="1", TMPDIR=str(folder)),
                                   preexec_fn=self.limit)
        try:
            out, err = process.communicate(timeout=self.seconds * times)
            return Outcome(process.returncode, out, err)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return Outcome(None, out, err)

    def in_new_process(self):
        """What the process that this one was forked from has started is not its own."""

    def tables(self):
        """The names of all tables."""
        done = self.run(["table", "--list", "--format", "json"], ".")
        return [row[0] for row in json.loads(done.stdout)["tables"]["tables"]["rows"]]


class CallServer(Program):
    """The same, forked for each call from a process that has started already (call_server.cpp)."""

    def __init__(self, path, seconds, megabytes, server):
        super().__init__(path, seconds, megabytes)
        self.server = [str(pathlib.Path(server).resolve()), str(int(seconds)), str(megabytes),
                       str(ROOT / "examples/one_step.json")]
        self.process = None  # one for each process of this script

    def in_new_process(self):
        self.process = None

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.written.cleanup()
            self.process = None

    def run(self, words, folder, times=1):
        if times > 1 or any("\n" in word or not word for word in words):
            return super().run(words, folder, times)
        if self.process is None:
            self.process = subprocess.Popen(self.server, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.written = tempfile.TemporaryDirectory(prefix="cgpu-fuzz-")
        written = os.path.join(self.written.name, "x")
        self.process.stdin.write(b"".join(os.fsencode(part) + b"\0" for part in [folder, written, *words]) + b"\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        out, err = (pathlib.Path(written + end).read_bytes() for end in (".out", ".err"))
        return Outcome(None if code == -signal.SIGALRM else code, out, err)


def options_of_a_part(choose):
    """Now and then a part of the profile."""
    if choose.randrange(4):
        return []
    return choose.choice([["--step", choose.choice(["0", "1", "0-3", "7"])], ["--rank", choose.choice(["0", "0,1", "3"])],
                          ["--device", choose.choice(["0", "1"])], ["--from", choose.choice(["0", "10us", "1s"])],
                          ["--to", choose.choice(["10us", "1ms", "9000000s"])], ["--strict"], ["--names", "base"],
                          ["--profile", "0"], ["--threads", "3"]])


def calls(choose, a, b, tables):
    """The words of one call, or of several, each on what the one before wrote."""
    part = options_of_a_part(choose)
    form = lambda *forms: ["--format", choose.choice(forms)]  # noqa: E731
    table = choose.choice(tables)
    any_form = form("text", "csv", "json", "md")
    verb = choose.randrange(20)
    if verb < 3:
        return [["report", a, *form("text", "json", "html", "md"), *part]]
    if verb == 3:
        return [["info", a, *form("text", "json")]]
    if verb < 7:
        more = choose.choice([[], [], ["--top", choose.choice(["0", "1", "18446744073709551615"])], ["--args"],
                              ["--where", choose.choice(["name ~ a", "total_ns > 1us", "count in (1, 2)"])],
                              ["--apart", choose.choice(["ranks", "threads", "nothing"])], ["--by", "iteration"],
                              ["--buckets", choose.choice(["1", "7", "100000"])], ["--min-pct", "10"],
                              ["--scope", "function"], ["--focus", "a"], ["--free", "communication"]])
        return [["table", a, table, *any_form, *part, *more]]
    if verb == 7:
        return [["diagnose", a, *form("text", "json", "md"), *choose.choice([[], ["--against", b]])]]
    if verb == 8:
        change = choose.choice([["--scale", "*=0.5"], ["--scale", "gemm=0"], ["--free", "compute"]])
        return [["whatif", a, *change, *form("text", "json")]]
    if verb < 11:
        return [["compare", *choose.choice([(a, b), (b, a), (a, a), (a, b, a)]), *form("text", "json", "html", "md")]]
    if verb == 11:
        allowed = choose.choice([[], ["--allow", "devices,shapes,iterations,clocks"]])
        return [["check", "--baseline", *choose.choice([[a], [a, a, a]]), "--candidate", b, *allowed,
                 *form("text", "json", "md", "junit", "github")]]
    if verb < 14:
        return [["summarize", a, "-o", "out.cgpu", *part], choose.choice([
            ["report", "out.cgpu", *form("text", "json", "html", "md")], ["table", "out.cgpu", "info", *any_form],
            ["merge", "out.cgpu", "-o", "merged.cgpu"], ["check", "--baseline", "out.cgpu", "--candidate", "out.cgpu"]])]
    if verb == 14:
        return [["merge", a, b, "-o", "merged.cgpu"]]
    if verb == 15:
        more = choose.choice([[], ["--per-rank"], ["--at", "64"], ["--leave-out", "2"], ["--by", "function"]])
        return [choose.choice([["history", ".", *form("text", "json", "html")],
                               ["scale", a, a, b, a, "--sizes", "1,2,4,8", "--parameter", "ranks", *any_form, *more]])]
    if verb == 16:
        return [["sql", a, "SELECT * FROM %s" % table, *form("text", "csv", "json")]]
    if verb < 19:
        return [["export", a, "-o", choose.choice(["out.json", "out.pftrace", "out.sqlite", "out.json.gz", "out.et"]), *part]]
    return [["view", a, "-o", "page.html", *choose.choice([[], ["--no-args"]])]]


def refuse_constant(name):
    raise ValueError("JSON with %s" % name)


def fault_of(words, done, must_succeed):
    """What is wrong with how a call ended; empty where nothing is."""
    found = SANITIZER.search(done.stderr)
    if found:
        return "sanitizer: %s" % found[0].decode(errors="replace")[:120]
    if done.code is None:
        return "hang"
    if done.code < 0:
        return "signal %s" % signal.Signals(-done.code).name
    if done.code not in EXIT_CODES.get(words[0], {0, 2}):
        return "exit status %d of %s" % (done.code, words[0])
    lines = done.stderr.decode(errors="replace").splitlines()
    if done.code == 2 and not any(line.startswith("cgpu: ") for line in lines):
        return "no line of error"
    if any("out of memory" in line or "bad_alloc" in line for line in lines):
        return "memory"
    if done.code == 2:
        return "own summary refused: %s" % re.sub(r"\d+", "N", lines[-1])[:100] if must_succeed else ""
    form = words[words.index("--format") + 1] if "--format" in words else ""
    try:
        if form == "json":
            json.loads(done.stdout, parse_constant=refuse_constant)
        elif form == "junit":
            xml.etree.ElementTree.fromstring(done.stdout)
        done.stdout.decode()
    except (ValueError, xml.etree.ElementTree.ParseError) as error:
        return "invalid %s of %s: %s" % (form or "text", words[0], re.sub(r"\d+", "N", str(error))[:60])
    return ""


class Fuzzer:
    def __init__(self, program, seeds, tables, options):
        self.program = program
        self.seeds = seeds
        self.tables = tables
        self.seed = options.seed
        self.found = options.found

    def inputs(self, choose, folder):
        """Writes the input of a run and one to compare it with; their names."""
        names = []
        first = choose.choice(self.seeds)
        for name, seed in (("a", first), ("b", choose.choice([first, choose.choice(self.seeds)]))):
            files = dict(seed.files)
            if name == "a" or choose.randrange(2):
                for _ in range(choose.choice([1, 1, 1, 2])):
                    file = choose.choice(sorted(files))
                    other = choose.choice(sorted(choose.choice(self.seeds).files.items()))[1]
                    files[file] = mutations.mutate(files[file], choose, other)
            for file, data in files.items():
                path = folder / name / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            names.append(name if len(files) > 1 else "%s/%s" % (name, next(iter(files))))
        return names

    def run(self, number):
        """Run `number`; how many calls it made, and (fault, words of the call) where there is one."""
        choose = random.Random("%d/%d" % (self.seed, number))
        with tempfile.TemporaryDirectory(prefix="cgpu-fuzz-") as name:
            folder = pathlib.Path(name)
            inputs = self.inputs(choose, folder)
            made = 0
            for _ in range(USES):
                for place, words in enumerate(calls(choose, *inputs, self.tables)):
                    made += 1
                    done = self.program.run(words, folder)
                    if done.code is None:  # a busy machine is no hang
                        done = self.program.run(words, folder, 3)
                    fault = fault_of(words, done, place > 0 and "--strict" not in words)
                    if fault:
                        self.keep(number, fault, words, folder, done)
                        return made, (fault, words)
                    if done.code:
                        break
            return made, None

    def keep(self, number, fault, words, folder, done):
        kept = self.found / ("%d-%d" % (self.seed, number))
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept)
        command = shlex.join([self.program.path, *words])
        (kept / "command").write_text("%s\n# %s\n" % (command, fault))
        (kept / "stderr").write_bytes(done.stderr)


def use(fuzzer):
    """What a worker process runs from now on."""
    global used  # pylint: disable=global-statement
    used = fuzzer
    fuzzer.program.in_new_process()


def run_in_worker(number):
    return used.run(number)


def summaries(program, seeds):
    """Summaries of some seeds."""
    with tempfile.TemporaryDirectory(prefix="cgpu-fuzz-") as name:
        folder = pathlib.Path(name)
        for at, seed in enumerate(seeds):
            if len(seed.files) > 1 or not seed.name.endswith(tuple(SUMMARISED)):
                continue
            (file, data), = seed.files.items()
            (folder / file).write_bytes(data)
            written = folder / ("%d.cgpu" % at)
            program.run(["summarize", file, "-o", written.name], folder)
            if written.exists():
                yield Seed("summary of %s" % seed.name, {"run.cgpu": written.read_bytes()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="*", help="more seeds: files below 200 kB in these folders")
    parser.add_argument("--program", default=os.environ.get("CGPU") or ROOT / "build/cgpu", help="default: build/cgpu")
    parser.add_argument("--server", help="build/call_server, which makes calls several times as fast: no start for each")
    parser.add_argument("--only", default="", help="only seeds with this in their name, such as summary or nsys")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--runs", type=int, help="this many runs (default: 1000, or as many as --minutes gives time for)")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="calls at a time")
    parser.add_argument("--seconds", type=float, default=10, help="of a call; one that takes longer is tried once more")
    parser.add_argument("--megabytes", type=int, default=2048, help="of address space; 0, for sanitizers: no limit")
    parser.add_argument("--found", type=pathlib.Path, default=ROOT / "build/fuzz-found", help="where faults are kept")
    options = parser.parse_args()
    program = (CallServer(options.program, options.seconds, options.megabytes, options.server) if options.server
               else Program(options.program, options.seconds, options.megabytes))
    seeds = [*seeds_of_targets(), *itertools.chain(*map(seeds_of_folder, [ROOT / "examples", *options.folders]))]
    seeds += summaries(program, seeds)
    seeds = [seed for seed in seeds if options.only in seed.name]
    if not seeds:
        parser.error("no seed has %s in its name" % options.only)
    fuzzer = Fuzzer(program, seeds, program.tables(), options)

    begin = time.monotonic()
    end = begin + 60 * options.minutes if options.minutes else float("inf")
    runs = options.runs or (sys.maxsize if options.minutes else 1000)
    numbers = itertools.takewhile(lambda _: time.monotonic() < end, range(options.first, options.first + runs))
    ran = called = 0
    faults = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork"), use, [fuzzer]) as pool:
        while batch := list(itertools.islice(numbers, 50 * options.jobs)):
            for number, (made, fault) in zip(batch, pool.map(run_in_worker, batch, chunksize=5)):
                ran += 1
                called += made
                if fault:
                    faults[fault[0]] += 1
                    print("run %d: %s: %s" % (number, fault[0], shlex.join(fault[1])), flush=True)
    took = time.monotonic() - begin
    for fault, times in faults.most_common():
        print("%6d  %s" % (times, fault))
    print("%d runs of %d seeds, %d calls, %.1f a second, %d faults" % (ran, len(seeds), called, called / took,
                                                                      sum(faults.values())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
