#!/usr/bin/env python3
"""Conservation laws on every trace of the corpus and on built ones, and the same answers whatever the number of
threads, the packing and the order of the events.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces), CGPU_BUILDER (the trace builder).
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, hold, laws, tool  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402

# name: (options of the builder, ranks)
BUILT = {
    "cnn": (["--model", "cnn", "--seed", 21, "--steps", 30], 1),
    "dlrm_2021": (["--model", "dlrm", "--seed", 22, "--era", 2021], 1),
    "dlrm_2024_two_ranks": (["--model", "dlrm", "--seed", 23, "--era", 2024], 2),
    "moe_amd": (["--model", "moe", "--seed", 24, "--vendor", "amd"], 1),
    "llm_shuffled": (["--model", "llm", "--seed", 25, "--shuffle", "--idle", "lock,host_code,dependency"], 1),
    "plain_four_streams": (["--model", "plain", "--seed", 26, "--streams", 4, "--orphans", 30], 1),
}


def broken_in_built(name):
    options, ranks = BUILT[name]
    with tempfile.TemporaryDirectory() as folder:
        trace, _ = built.build(folder, *options, ranks=ranks)
        return laws.broken_laws([trace], folder)


def setUpModule():
    tool.must_exist()
    pool = Case.pool = Pool()
    for name in sorted(hold.corpus_files(), key=lambda n: -os.path.getsize(os.path.join(tool.corpus(), n))):
        pool.start(name, laws.broken_in_corpus, name)
    for name in BUILT:
        pool.start("built " + name, broken_in_built, name)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


class Corpus(Case):
    if not hold.corpus_files():
        def test_real_traces(self):
            self.skipTest("no traces in %s (set CGPU_CORPUS)" % tool.corpus())


class Built(Case):
    pass


for _name in hold.corpus_files():
    Corpus.add(_name, _name)
for _name in BUILT:
    Built.add(_name, "built " + _name)


if __name__ == "__main__":
    unittest.main()
