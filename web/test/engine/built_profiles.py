#!/usr/bin/env python3
"""Writes profiles of every format into a folder: what the tests of the readers, of the whole program and of the viewer build.

    built_profiles.py CGPU FOLDER     CGPU: the program; the builders are beside it

Prints a line of JSON a profile: {"name", "inputs": [path, ...], "against": [path, ...]}. Nothing in it comes from outside the repository.
"""
import gzip
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "fuzz"), str(ROOT / "tests")]
import whole_program  # noqa: E402
from oracle import ncu_binary_report, ncu_report, random_trace, written  # noqa: E402

CGPU = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2]).resolve()
RANDOM_TRACES = 12
EXPORTS = ("pftrace", "pftrace.gz", "json", "folded", "et.gz")
TRACES = {
    "plain": ["--model", "plain", "--steps", 3],
    "cnn": ["--model", "cnn", "--steps", 3, "--seed", 5],
    "dlrm": ["--model", "dlrm", "--steps", 2],
    "llm": ["--model", "llm", "--steps", 2, "--seed", 3],
    "moe": ["--model", "moe", "--steps", 2, "--seed", 5],
    "2021": ["--era", 2021, "--steps", 2],
    "2024": ["--era", 2024, "--steps", 2],
    "amd": ["--vendor", "amd", "--steps", 2],
    "amd of 2024": ["--vendor", "amd", "--era", 2024, "--model", "llm", "--steps", 2],
    "shuffled": ["--shuffle", "--steps", 2],
    "one stream": ["--streams", 1, "--orphans", 7, "--steps", 2],
    "sixteen streams": ["--streams", 16, "--layers", 2, "--steps", 2],
    "code of the host": ["--idle", "host_code", "--seed", 5, "--steps", 3],
    "late input": ["--idle", "data_loading,host_code", "--model", "cnn", "--seed", 35],
    "synchronization": ["--idle", "synchronization", "--model", "llm", "--seed", 3],
    "20,000 events": ["--events", 20000],
    "ranks of moe": ["--model", "moe", "--steps", 2, "--ranks", 3],
    "ranks of dlrm": ["--model", "dlrm", "--steps", 2, "--ranks", 2],
    "ranks of llm": ["--model", "llm", "--steps", 2, "--ranks", 4],
}
COMPARED = [("cnn", "late input"), ("plain", "cnn"), ("2021", "2024"), ("cnn", "amd"), ("ranks of moe", "ranks of dlrm"),
            ("llm", "ranks of llm")]


def say(name, *inputs, against=()):
    print(json.dumps({"name": name, "inputs": list(map(str, inputs)), "against": list(map(str, against))}))


def run(program, *words):
    done = subprocess.run([str(program), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    if done.returncode:
        raise RuntimeError("%s %s: %s" % (program, " ".join(map(str, words)), done.stdout.strip()))


def made(*parts):
    path = FOLDER.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def seeds():
    """One of each file that the fuzz targets begin with: every reader, also with damage that is known from the field."""
    for number, seed in enumerate(whole_program.seeds_of_targets()):
        folder = made("seeds", str(number), "profile")
        for file, data in seed.files.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        say("seed %s" % seed.name, folder if len(seed.files) > 1 else path)


def written_traces():
    for seed in range(RANDOM_TRACES):
        folder = made("random", str(seed))
        folder.mkdir(parents=True)
        say("random trace %d" % seed, *random_trace.write(str(folder), seed))
    trace = written.Trace()
    for number in range(3):
        with trace.step(number):
            trace.launched_op("aten::mm", [[64, 64], [64, 64]], "sm90_gemm_tn", 40)
            trace.launched_op("aten::add", [[64, 64], [64, 64]], "vectorized_elementwise_kernel", 5, stream=8)
    say("trace written op by op", trace.write(str(made("written", "trace.json"))))
    report = made("ncu", "report.csv")
    ncu_report.write(str(report), [("gemm", 12000, 80.5, 20, 50), ("copy", 3000, 3, 91.25, 75)])
    say("report of Nsight Compute as CSV", report)
    report = made("ncu", "report.ncu-rep")
    report.write_bytes(ncu_binary_report.report())
    say("report of Nsight Compute", report)


def built_traces():
    for name, options in TRACES.items():
        path = made("built", name if "--ranks" in options else name + ".json")
        run(CGPU.with_name("trace_builder"), path, *options)
        say("built: " + name, path)
    where = {name: FOLDER / "built" / (name if "--ranks" in options else name + ".json") for name, options in TRACES.items()}
    for before, after in COMPARED:
        say("compared: %s, %s" % (before, after), where[before], against=[where[after]])
    packed = made("packed", "cnn.json.gz")
    packed.write_bytes(gzip.compress(where["cnn"].read_bytes()))
    say("built: gzip", packed)
    if shutil.which("zstd"):
        packed = made("packed", "cnn.json.zst")
        run("zstd", "-q", where["cnn"], "-o", packed)
        say("built: zstd", packed)
    for ending in EXPORTS:
        path = made("exports", "cnn." + ending)
        run(CGPU, "export", where["cnn"], "-o", path)
        say("export: " + ending, path)
    for name in ("cnn", "ranks of moe"):
        path = made("summaries", name + ".cgpu")
        run(CGPU, "summarize", where[name], "-o", path)
        say("summary of " + name, path)


def others():
    database = made("hpctoolkit", "database")
    run(CGPU.with_name("hpctoolkit_builder"), database)
    say("database of HPCToolkit", database)
    run(CGPU.with_name("job_builder"), made("job"), "--ranks", 24, "--traces", "0,1")
    say("summaries of a job", FOLDER / "job" / "summaries")
    for path in sorted((ROOT / "tests" / "summaries").glob("*/*.cgpu")):
        say("summary %s/%s" % (path.parent.name, path.name), path)


def main():
    seeds()
    written_traces()
    built_traces()
    others()


if __name__ == "__main__":
    main()
