"""The example traces hold what the README says, and nothing of the machine they were recorded on."""

import gzip
import json
import re
import socket
import sys
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
sys.path.insert(0, str(EXAMPLES / "record"))
import sanitise

RECORDED = {  # file: its ProfilerSteps, and names that show what was run
    "cnn_workers0.json.gz": (5, {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "[memory]"}),
    "cnn_workers4.json.gz": (5, {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "[memory]"}),
    "dlrm.json.gz": (5, {"aten::embedding_bag", "nn.Module: RecommendationModel_0", "dlrm.py(53): run_step"}),
    "moe.json.gz": (4, {"moe.route", "moe.experts", "Optimizer.step#AdamW.step", "[memory]"}),
    "llm_decode.json.gz": (5, {"prefill", "decode", "aten::scaled_dot_product_attention"}),
}
GENERATED = {
    "generated_training.json.gz": 4,
}
PAIRS = sorted(f"h100/{path.name}" for path in (EXAMPLES / "h100").glob("*.json.gz"))  # record/gpu_pairs.py
RANKS = sorted(f"h100_ranks/{path.parent.name}/{path.name}" for path in (EXAMPLES / "h100_ranks").glob("*/*.json.gz"))  # record/gpu_ranks.py
WRITTEN = "one_step.json"  # by hand; tests/one_step_test.py
LARGEST_FILE = 1_500_000
LARGEST_TOTAL = 3_500_000
LARGEST_PAIRS = 4_000_000
LARGEST_RANKS = 3_000_000


def text_of(name):
    return gzip.decompress((EXAMPLES / name).read_bytes()).decode("utf-8")


def strings_of(value):
    """Every string in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_of(item)


class ExamplesTest(unittest.TestCase):
    def test_the_folder_holds_these_examples_only(self):
        found = {path.name for path in EXAMPLES.glob("*.json*")}
        self.assertEqual(found, {*RECORDED, *GENERATED, WRITTEN})

    def test_sizes(self):
        sizes = [(EXAMPLES / name).stat().st_size for name in (*RECORDED, *GENERATED)]
        self.assertLess(max(sizes), LARGEST_FILE)
        self.assertLess(sum(sizes), LARGEST_TOTAL)
        self.assertLess(sum((EXAMPLES / name).stat().st_size for name in PAIRS), LARGEST_PAIRS)
        self.assertLess(sum((EXAMPLES / name).stat().st_size for name in RANKS), LARGEST_RANKS)

    def test_steps_follow_each_other(self):
        expected = {name: steps for name, (steps, _) in RECORDED.items()} | GENERATED | {name: 3 for name in (*PAIRS, *RANKS)}
        for name, count in expected.items():
            with self.subTest(name):
                marks = [
                    event
                    for event in json.loads(text_of(name))["traceEvents"]
                    if event.get("cat") == "user_annotation" and event["name"].startswith("ProfilerStep#")
                ]
                numbers = sorted(int(mark["name"].partition("#")[2]) for mark in marks)
                self.assertEqual(numbers, list(range(numbers[0], numbers[0] + count)))
                self.assertTrue(all(float(mark["dur"]) > 0 for mark in marks))

    def test_the_workload_is_in_the_trace(self):
        for name, (_, expected) in RECORDED.items():
            with self.subTest(name):
                names = {event.get("name") for event in json.loads(text_of(name))["traceEvents"]}
                self.assertLessEqual(expected, names)

    def test_every_run_of_the_pairs_is_there_with_its_time(self):
        script = (EXAMPLES / "record" / "gpu_pairs.py").read_text(encoding="utf-8")
        runs = re.findall(r'^    "(\w+)": ', script[script.index("RUNS = {"):], re.MULTILINE)
        self.assertEqual(PAIRS, sorted(f"h100/{run}.json.gz" for run in runs))
        times = json.loads((EXAMPLES / "h100" / "times.json").read_text(encoding="utf-8"))
        self.assertEqual(set(times), set(runs))
        self.assertTrue(all(time > 0 for time in times.values()))

    def test_every_job_has_its_ranks_and_its_time(self):
        script = (EXAMPLES / "record" / "gpu_ranks.py").read_text(encoding="utf-8")
        ranks = dict(re.findall(r'^    "(\w+)": \((\d+), ', script[script.index("JOBS = {"):], re.MULTILINE))
        times = json.loads((EXAMPLES / "h100_ranks" / "times.json").read_text(encoding="utf-8"))
        self.assertEqual(RANKS, sorted(f"h100_ranks/{job}/rank-{rank}.json.gz" for job in times for rank in range(int(ranks[job]))))
        for name in RANKS:
            information = json.loads(text_of(name))["distributedInfo"]
            self.assertEqual(f"rank-{information['rank']}.json.gz", Path(name).name)
            self.assertEqual(str(information["world_size"]), ranks[Path(name).parent.name])

    def test_nothing_of_the_machine(self):
        folder = r"\b(?:home|root|tmp|usr|opt|var|mnt|work|Users|site-packages)/"
        path = re.compile(r"(?:^|[\s\"'(=:,])/\w|[A-Za-z]:\\|" + folder)
        for name in (*RECORDED, *GENERATED, *PAIRS, *RANKS):
            with self.subTest(name):
                trace = json.loads(text_of(name))
                self.assertNotIn("host_name", trace)
                self.assertEqual([text for text in strings_of(trace) if path.search(text)], [])
                host = re.compile(rf"(?<!\w){re.escape(socket.gethostname())}(?!\w)")
                self.assertIsNone(host.search(text_of(name)))

    def test_gzip_headers_hold_neither_time_nor_name(self):
        for name in (*RECORDED, *GENERATED, *PAIRS, *RANKS):
            with self.subTest(name):
                header = (EXAMPLES / name).read_bytes()[:10]
                self.assertEqual(header[3:8], b"\0\0\0\0\0")


class SanitiseTest(unittest.TestCase):
    def sanitised(self, name):
        return json.loads(sanitise.sanitise(json.dumps({"name": name}), "trace.json"))["name"]

    def test_paths_become_relative(self):
        for path, expected in {
            "/home/ann/env/lib/python3.11/site-packages/torch/nn/modules/module.py(1736): _call_impl":
                "torch/nn/modules/module.py(1736): _call_impl",
            "/usr/lib/python3.11/threading.py(982): run": "threading.py(982): run",
            "/data/ann/secret project/train.py(3): main": None,
            "/data/ann/train.py:12;/data/ann/model.py:3": "train.py:12;model.py:3",
            "at /data/ann/lib.so.2": "at lib.so.2",
            str(Path.home() / "my project" / "train.py"): "my project/train.py",
        }.items():
            with self.subTest(path):
                if expected is None:
                    self.assertNotIn("ann", self.sanitised(path))
                else:
                    self.assertEqual(self.sanitised(path), expected)

    def test_other_text_stays(self):
        for text in ("aten::div", "a/b", "torch/optim/sgd.py:95", "1 / 2", "f<int>(float*)", "\u00fc/\u00e4", "//"):
            with self.subTest(text):
                self.assertEqual(self.sanitised(text), text)

    def test_the_profilers_own_format_stays(self):
        trace = '{\n "host_name": "box",\n "a": 1.500,  "b": 1e3, "name": "\\u00e9/x",\n "traceName": "/a/t.json" }'
        expected = '{\n "a": 1.500,  "b": 1e3, "name": "\\u00e9/x",\n "traceName": "new.json" }'
        self.assertEqual(sanitise.sanitise(trace, "new.json"), expected)

    def test_what_cannot_be_cleaned_is_refused(self):
        with self.assertRaises(ValueError):
            sanitise.sanitise(json.dumps({"name": f"rank 0 on {socket.gethostname()}"}), "trace.json")


if __name__ == "__main__":
    unittest.main()
