#!/usr/bin/env python3
"""Holds every table of the tool against the slow oracle (tests/oracle): on the public traces of the corpus, on random
ones full of ties and overlaps, and on built ones, there also against what the builder says it planted.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces), CGPU_BUILDER (the trace builder).
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, compare, hold, kineto, random_trace, tool  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402

EVERY_CAUSE = ("synchronization,blocking_copy,data_loading,allocation,module_load,garbage_collection,lock,host_code,"
               "launch_overhead,dependency,profiler_overhead")
# name: (options of the builder, ranks)
BUILT = {
    "plain": (["--model", "plain", "--seed", 1], 1),
    "plain_2021": (["--model", "plain", "--seed", 2, "--era", 2021], 1),
    "cnn_2024_shuffled": (["--model", "cnn", "--seed", 3, "--era", 2024, "--shuffle"], 1),
    "cnn_amd_causes": (["--model", "cnn", "--seed", 4, "--vendor", "amd", "--idle", EVERY_CAUSE], 1),
    "dlrm_two_ranks": (["--model", "dlrm", "--seed", 5], 2),
    "dlrm_2021_amd_causes": (["--model", "dlrm", "--seed", 6, "--era", 2021, "--vendor", "amd",
                              "--idle", EVERY_CAUSE], 1),
    "moe_three_ranks": (["--model", "moe", "--seed", 7, "--era", 2024], 3),
    "moe_amd_shuffled": (["--model", "moe", "--seed", 8, "--vendor", "amd", "--shuffle"], 1),
    "llm_causes": (["--model", "llm", "--seed", 9, "--idle", EVERY_CAUSE], 1),
    "llm_many_orphans": (["--model", "llm", "--seed", 10, "--era", 2024, "--orphans", 40, "--streams", 4], 1),
}
RANDOM_SEEDS = [range(first, first + 10) for first in range(0, 60, 10)]
SHUFFLED = ("mi300__gaunernst", "torch_compile_triton", "simple_add__input", "timeline_analysis__sampled_rank-0",
            "h100__Falconsai")


def built_differences(name):
    options, ranks = BUILT[name]
    with tempfile.TemporaryDirectory() as folder:
        trace, truth = built.build(folder, "--steps", 4, *options, ranks=ranks)
        out = hold.differences([trace], built.files(trace))
        for table, want in built.tables(truth, tool.info([trace])["start_ns"]).items():
            rows = built.as_the_builder_knows(table, tool.table(trace, table))
            out += ["truth: " + line for line in compare.differences(table, rows, want)]
        return out


def shuffled_differences(name):
    """Definitions that go by the order in the file must follow it: both sides read the shuffled file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shuffled.json")
        kineto.write_shuffled(os.path.join(tool.corpus(), name), path, seed=name)
        return hold.differences([path], [path])


def random_differences(seeds):
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            paths = random_trace.write(folder, seed)
            for line in hold.differences(paths, paths):
                yield "seed %d: %s" % (seed, line)


def setUpModule():
    tool.must_exist()
    pool = Case.pool = Pool()
    for name in sorted(hold.corpus_files(), key=lambda n: -os.path.getsize(os.path.join(tool.corpus(), n))):
        pool.start(name, hold.corpus_differences, name)
        if any(part in name for part in SHUFFLED):
            pool.start("shuffled " + name, shuffled_differences, name)
    for seeds in RANDOM_SEEDS:
        pool.start(seeds, random_differences, seeds)
    for name in BUILT:
        pool.start("built " + name, built_differences, name)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


class Corpus(Case):
    if not hold.corpus_files():
        def test_real_traces(self):
            self.skipTest("no traces in %s (set CGPU_CORPUS)" % tool.corpus())


class Shuffled(Case):
    pass


class Built(Case):
    pass


class Random(Case):
    pass


for _name in hold.corpus_files():
    Corpus.add(_name, _name)
    if any(part in _name for part in SHUFFLED):
        Shuffled.add(_name, "shuffled " + _name)
for _seeds in RANDOM_SEEDS:
    Random.add("seeds_%d_to_%d" % (_seeds[0], _seeds[-1]), _seeds)
for _name in BUILT:
    Built.add(_name, "built " + _name)


if __name__ == "__main__":
    unittest.main()
