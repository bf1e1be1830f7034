#!/usr/bin/env python3
"""The law of exports: a profile that is exported and read back has the same tables. On built profiles, and on every
format of the corpus.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder), CGPU_ALL (every file of the corpus, not eight a format).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, read_back, tool  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402

EXAMPLES = os.path.join(tool.ROOT, "examples")
# name: (options of the builder, ranks)
BUILT = {
    "cnn": (["--model", "cnn", "--seed", 31, "--steps", 10], 1),
    "dlrm_two_ranks": (["--model", "dlrm", "--seed", 32, "--steps", 5], 2),
    "moe_amd_four_ranks": (["--model", "moe", "--seed", 33, "--vendor", "amd", "--steps", 4], 4),
    "plain_four_streams": (["--model", "plain", "--seed", 34, "--streams", 4, "--orphans", 30], 1),
}


def x(name, category, start, duration, process=1, thread=1, **arguments):
    return {"ph": "X", "name": name, "cat": category, "ts": start, "dur": duration, "pid": process, "tid": thread,
            "args": arguments}


# What the builder does not write: waits, copies by direction, collectives of a device, allocations.
DEVICE = {"schemaVersion": 1, "distributedInfo": {"rank": 3, "world_size": 8},
          "deviceProperties": [{"id": 2, "name": "NVIDIA H100", "numSms": 132, "totalGlobalMem": 85899345920}],
          "traceEvents": [
    x("aten::mm", "cpu_op", 0, 100, **{"Sequence number": 4, "Fwd thread id": 0, "External id": 7}),
    x("cudaLaunchKernel", "cuda_runtime", 10, 5, correlation=11),
    x("gemm", "kernel", 30, 50, 2, 7, correlation=11, device=2, stream=7, grid=[8, 1, 1], block=[128, 1, 1]),
    x("cudaMemcpyAsync", "cuda_runtime", 20, 4, correlation=12),
    x("Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", 80, 9, 2, 7, correlation=12, device=2, stream=7, bytes=4096),
    x("cudaEventRecord", "cuda_runtime", 25, 1, correlation=13),
    x("cudaStreamSynchronize", "cuda_runtime", 40, 52, correlation=14),
    x("Stream Sync", "cuda_sync", 40, 51, 2, 7, correlation=14, device=2, stream=7, cuda_sync_kind="Stream Sync"),
    x("Stream Wait Event", "cuda_sync", 41, 1, 2, 9, correlation=15, device=2, stream=9, wait_on_stream=7,
      wait_on_cuda_event_record_corr_id=13, cuda_sync_kind="Stream Wait Event"),
    x("allreduce", "collective_comm", 95, 20, 2, 9, device=2, stream=9, dtype="Float", Seq=5,
      **{"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 8,
         "Process Group Name": "data"}),
    x("dma_in", "mtia_ccp_events", 120, 6, 2, 9, device=2, stream=9, direction="HOST_TO_DEVICE", size=512),
    x("MmBackward0", "cpu_op", 150, 30, thread=2, **{"Sequence number": 4, "Fwd thread id": 1}),
    x("odd argument", "kernel", 190, 6, 2, 9, device="2", stream=9, bytes="many"),
    x("PyTorch Profiler (0)", "Trace", -5, 300, "Spans", "PyTorch Profiler"),
    {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 12,
     "args": {"Bytes": 4096, "Device Type": 1, "Device Id": 2, "Total Allocated": 4096, "Total Reserved": 8192}},
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "backward"}}]}

# A program's own trace: without categories, overlapping, never ended, before the first, asynchronous, numbers of
# threads that are none.
PROGRAM = {"traceEvents": [
    {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 10},
    {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 5, "dur": 10},
    {"ph": "X", "name": "c", "pid": 1, "tid": 1, "ts": 6, "dur": 2, "cat": "kernelish"},
    {"ph": "B", "name": "open", "pid": 1, "tid": 2, "ts": 3},
    {"ph": "X", "name": "late", "pid": 0, "tid": 140234567890123, "ts": 20, "dur": 0},
    {"ph": "b", "cat": "net", "name": "request", "id": 7, "pid": 1, "tid": 1, "ts": 2},
    {"ph": "e", "cat": "net", "name": "request", "id": 7, "pid": 1, "tid": 1, "ts": 30},
    {"ph": "C", "name": "load", "pid": 1, "ts": -3, "args": {"value": 1.5}},
    {"ph": "i", "s": "p", "name": "mark", "pid": 1, "tid": 5, "ts": 9},
    {"ph": "i", "s": "g", "name": "begun", "pid": 9, "tid": 9, "ts": -8}]}


def rank_of_two_devices(rank):
    """A rank that works on two devices; processes, threads and ids are those of the other ranks."""
    events = [{"ph": "M", "name": "process_name", "pid": 40, "tid": 0, "args": {"name": "python"}},
              x("ProfilerStep#1", "user_annotation", 0, 400, 40, 41), x("ProfilerStep#2", "user_annotation", 400, 400, 40, 41)]
    for step in (0, 1):
        for device in (0, 1):
            at, number = 400 * step + 100 * device + rank, 10 * step + device
            events += [
                x("cudaLaunchKernel", "cuda_runtime", at, 5, 40, 41, correlation=100 + number),
                x("gemm_%d" % device, "kernel", at + 20, 60 + rank, device, 7, correlation=100 + number, device=device, stream=7),
                x("cudaLaunchKernel", "cuda_runtime", at + 6, 5, 40, 41, correlation=200 + number),
                x("ncclDevKernel_AllReduce", "kernel", at + 90 - rank, 80 + rank, device, 9, correlation=200 + number, device=device,
                  stream=9, dtype="Float", **{"Collective name": "allreduce", "In msg nelems": 64, "Out msg nelems": 64,
                                               "Group size": 2, "Process Group Name": "data", "Seq": number}),
                {"ph": "i", "s": "t", "name": "[memory]", "pid": 40, "tid": 41, "ts": at + 1,
                 "args": {"Bytes": 256, "Device Type": 1, "Device Id": device, "Total Allocated": 256 * number}},
                {"ph": "C", "name": "load", "pid": 40, "ts": at, "args": {"value": number + 0.25}}]
    return {"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000 + 1000 * rank, "traceEvents": events,
            "host_name": "node-%d" % (rank // 2),
            "distributedInfo": {"rank": rank, "world_size": 8, "pg_config": [
                {"pg_name": "0", "pg_desc": "data", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [4, 5]}]},
            "deviceProperties": [{"id": d, "name": "NVIDIA H100", "numSms": 132} for d in (0, 1)]}


def by_hand(documents, ending, selections=()):
    """`documents`: one a rank."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "built%d.json" % i) for i in range(len(documents))]
        for path, document in zip(paths, documents):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
        return read_back.differences(paths, ending, selections)


def by_builder(name, ending, selections=()):
    options, ranks = BUILT[name]
    with tempfile.TemporaryDirectory() as folder:
        trace, _ = built.build(folder, *options, ranks=ranks)
        return read_back.differences(trace, ending, selections)


def part_by_builder(name, ending, options):
    built_with, ranks = BUILT[name]
    with tempfile.TemporaryDirectory() as folder:
        trace, _ = built.build(folder, *built_with, ranks=ranks)
        return read_back.differences_of_part(trace, ending, options)


def of_corpus(path, ending):
    """Nothing for a file that holds no profile, or none with a timeline: no trace format has a place for the others."""
    try:
        return read_back.differences(path, ending)
    except read_back.NothingToExport:
        return []


def some_of(folder):
    """The profiles of a format: all of them, or eight, from the smallest to the largest."""
    def size(path):
        if not os.path.isdir(path):
            return os.path.getsize(path)
        return sum(os.path.getsize(os.path.join(top, f)) for top, _, files in os.walk(path) for f in files)
    paths = sorted((os.path.join(folder, name) for name in os.listdir(folder)), key=lambda p: (size(p), p))
    if os.environ.get("CGPU_ALL") or len(paths) <= 8:
        return paths
    return [paths[round(i * (len(paths) - 1) / 7)] for i in range(8)]


def corpus_formats():
    corpus = tool.shared("corpus")
    return sorted(n for n in os.listdir(corpus) if os.path.isdir(os.path.join(corpus, n))) if os.path.isdir(corpus) else []


def setUpModule():
    tool.must_exist()
    Case.pool = Pool()
    for case in (Built, Corpus):
        for key, (function, *arguments) in case.work.items():
            Case.pool.start(key, function, *arguments)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


class Built(Case):
    work = {}


class Corpus(Case):
    work = {}
    if not corpus_formats():
        def test_real_profiles(self):
            self.skipTest("no ../shared/corpus")


PART = ["--from", "4ms", "--to", "9ms"]
for _ending in (".pftrace", ".pftrace.gz", ".json", ".json.gz"):
    for _name, _document in (("device", DEVICE), ("program", PROGRAM)):
        Built.work["by hand: %s as %s" % (_name, _ending[1:])] = (by_hand, [_document], _ending)
    Built.work["by hand: two ranks of two devices as %s" % _ending[1:]] = (
        by_hand, [rank_of_two_devices(rank) for rank in (4, 5)], _ending,
        [["--from", "100us", "--to", "450us"], ["--step", "2"], ["--rank", "5"], ["--device", "1"]])
    for _name in BUILT:
        Built.work["built: %s as %s" % (_name, _ending[1:])] = (
            by_builder, _name, _ending, [PART] if _ending in (".pftrace", ".json") else [])
    for _name in ("cnn", "dlrm_two_ranks"):
        Built.work["built: a part of %s as %s" % (_name, _ending[1:])] = (part_by_builder, _name, _ending, PART)
_two = [os.path.join(tool.shared("corpus"), "ascend", "Ascend_msinsight__pytorch_text_level1_rank%d_ascend_pt" % r)
        for r in (0, 1)]
for _ending in (".pftrace", ".json"):
    for _format in corpus_formats():
        for _path in some_of(os.path.join(tool.shared("corpus"), _format)):
            Corpus.work["%s: %s as %s" % (_format, os.path.basename(_path), _ending[1:])] = (of_corpus, _path, _ending)
    if all(map(os.path.isdir, _two)):
        Corpus.work["ascend: two ranks as %s" % _ending[1:]] = (of_corpus, _two, _ending)
for _case in (Built, Corpus):
    for _key in _case.work:
        _case.add(_key, _key)


if __name__ == "__main__":
    unittest.main()
