#!/usr/bin/env python3
"""What `findings` says of real profiles that were read by hand: first what an expert would say of each.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import collections
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())


def setUpModule():
    tool.must_exist()


@unittest.skipUnless(os.path.isdir(CORPUS), "no corpus beside the checkout")
class Corpus(unittest.TestCase):
    """Each with what an expert would say of it first."""

    def found(self, *places):
        return tool.table([tool.profile(*place) for place in places], "findings")

    def test_loading_in_the_main_process_comes_first_and_with_workers_not_at_all(self):
        alone = self.found(("kineto", "workers_0__worker0.1623143566756"))
        self.assertEqual((alone[0]["rule"], alone[0]["severity"]), ("data_loading", "critical"))
        self.assertIn("_SingleProcessDataLoaderIter.__next__", alone[0]["evidence"])
        workers = self.found(("kineto", "workers_4__worker0.1623212756351"))
        self.assertNotIn("data_loading", [row["rule"] for row in workers])

    def test_two_devices_that_only_copy(self):
        first = self.found(("nsys_sqlite", "h100_2gpu_1s"))[0]
        self.assertEqual((first["rule"], first["severity"]), ("exposed_copies", "critical"))
        self.assertIn("97.01%", first["title"])
        # Copies are nearly all that the run does: little could hide them. Twice the rate would give half of their time.
        self.assertTrue(47 < first["recoverable_pct"] < 49)
        self.assertTrue(20e6 < first["recoverable_low_ns"] < 40e6)
        self.assertEqual(first["confidence"], "low")  # half of the launches are not in the profile
        for said in ("HtoD of pinned memory", "27.7 GB/s", "devices 0, 1"):
            self.assertIn(said, first["evidence"])

    def test_io_between_the_steps_of_a_solver(self):
        """Power iteration: 0.3 ms of copies hold the host, which then writes a file for 14 ms; the device has nothing to do."""
        place = "nsys_sqlite", "power_iteration__baseline.sqlite"
        steps = tool.table(tool.profile(*place), "steps")
        self.assertEqual([row["step"] for row in steps], list(range(0, 440, 10)))
        self.assertEqual(steps[19]["mark"], "Step 190 to 200")
        rows = self.found(place)
        self.assertEqual((rows[0]["rule"], rows[0]["severity"]), ("host_stall", "critical"))
        self.assertIn("is in IO N while", rows[0]["title"])
        self.assertIn("on another thread", rows[0]["suggestion"])
        self.assertTrue({"pageable_copies", "launch_bound"}.isdisjoint(row["rule"] for row in rows))

    def test_work_from_before_the_recording_is_no_wait(self):
        """A batch that was recorded alone, while the device was still at work on those before it."""
        for part in ("sglang_Qwen3-8B_prefilldecode", "graph_full__graph_execution"):
            rows = self.found(("kineto", part))
            self.assertEqual([row["severity"] for row in rows if row["rule"] == "profile_edge"], ["info"])
            self.assertNotIn("untraced_host", [row["rule"] for row in rows])

    def test_a_slow_transfer_is_told_from_a_late_rank(self):
        """The first of four takes 84 ms for 16 MiB, those of 64 and 144 MiB 2 ms; next to nothing is waiting."""
        first = self.found(("ascend", "text_level2_rank0"), ("ascend", "text_level2_rank1"))[0]
        self.assertEqual(first["rule"], "exposed_communication")
        self.assertIn("mostly in one collective, not for late ranks", first["title"])
        for said in ("one of 4 takes 84.0 ms for 15.6 MiB, half of those as large or larger", "is waiting for the last rank"):
            self.assertIn(said, first["evidence"])
        self.assertNotIn("GB/s", first["evidence"])
        for row in self.found(("ascend", "text_level2_rank1")):
            self.assertNotIn("cuda", row["suggestion"].lower())

    def test_passes_over_memory_of_a_model_in_eager_mode(self):
        """63 % of the kernels' time of Qwen1.5-0.5B is elementwise: fusing them goes before the gaps between launches."""
        first = self.found(("kineto", "h100__Qwen"))[0]
        self.assertEqual(first["rule"], "fusable_kernels")
        self.assertIn("elementwise", first["evidence"])

    def test_stages_of_unequal_work(self):
        """Two stages of a pipeline, ranks 0 and 2: compute 231 against 400 ms, of which the vendor's Bubble says nothing."""
        rows = self.found(("ascend", "st_level2_rank_0"), ("ascend", "st_level2_rank_2"))
        self.assertEqual((rows[0]["rule"], rows[0]["rank"]), ("stage_imbalance", 2))
        self.assertIn("400.4 ms", rows[0]["title"])
        self.assertIn("231.3 ms", rows[0]["title"])
        # The last stage has the logits and the loss: the product with the vocabulary, and exp, sub, div over it.
        self.assertIn("gemm by 63.2 ms", rows[0]["title"])
        self.assertIn("elementwise by 62.6 ms", rows[0]["title"])
        self.assertIn("MatMulV3 (gemm) by 51.6 ms", rows[0]["evidence"])
        bubble, = [row for row in rows if row["rule"] == "pipeline_bubble"]
        self.assertIn("told behind the unequal stages", bubble["evidence"])

    def test_threads_that_wait_at_barriers(self):
        """LULESH of 27 ranks."""
        folder = next((path for path, folders, _ in os.walk(tool.shared("corpus")) if "issue-233" in path), None)
        if folder is None:
            self.skipTest("no database of issue-233 in %s" % tool.shared("corpus"))
        first = tool.table(folder, "findings")[0]
        self.assertEqual(first["rule"], "barrier_wait")
        self.assertIn("28.7", first["title"])

    def test_rules_of_nsight_compute(self):
        """First what would save most time, of launches of unlike duration."""
        path = tool.profile("ncu", "cuda_graph_pdl_stream_capture")
        rows = tool.table(path, "findings")
        self.assertEqual({row["rule"] for row in rows}, {"slow_kernel"})
        took = {row["id"]: row["duration_ns"] for row in tool.table(path, "launch_metrics")}
        promised = [row for row in tool.table(path, "launch_rules", "--top", "0")
                    if row["scope"] == "kernel" and row["speedup_pct"] is not None]
        best = max(promised, key=lambda row: row["speedup_pct"] * took[row["id"]])
        self.assertIn(best["kernel"], rows[0]["title"])
        share = best["speedup_pct"] / 100 * took[best["id"]] / sum(took.values())
        self.assertGreater(share, 0.2)
        self.assertEqual(rows[0]["severity"], "critical")

    def test_warnings_of_nsight_compute_without_an_estimate(self):
        rows = self.found(("ncu", "self-join-MiSTIC"))
        self.assertEqual([(row["rule"], row["severity"], row["recoverable_ns"]) for row in rows], [("slow_kernel", "warning", None)])
        for words in ("distanceCalculationsKernel", "100.00% of the measured kernel time", "CPIStall", "ThreadDivergence"):
            self.assertIn(words, rows[0]["title"])
        for words in ("about 70.6% of the total average", "21.5 threads", "35615748114 (1.56x) at PC 0x1454befadea0"):
            self.assertIn(words, rows[0]["evidence"])
        for part in ("IndexSpaces", "copy_blocked.csv"):
            path = tool.profile("ncu", part)
            self.assertIn(tool.table(path, "findings")[0]["severity"], ("critical", "warning"))
            self.assertNotIn(b"No finding has a potential saving", tool.run(["report", path]).stdout)

    def test_a_profile_that_no_rule_judges_names_its_hot_path(self):
        row, = self.found(("hpctoolkit_v4", "2023_loops-perf-t.d"))
        self.assertEqual((row["rule"], row["severity"], row["command"]), ("hot_path", "info", "cgpu table INPUT hot_path"))
        self.assertIn("32.81% of cycles is spent in main._omp_fn.0", row["title"])
        self.assertIn("hottest place: loop at loops.c:1011 (44.48%)", row["evidence"])

    def test_what_was_lost_is_one_finding(self):
        path = tool.profile("nsys_sqlite", "power_iteration__baseline.sqlite")
        lost = [row for row in tool.table(path, "findings") if row["title"].startswith("The profile is not complete")]
        self.assertEqual(len(lost), 1)
        counts = collections.Counter()
        for note in tool.table(path, "notes"):
            if note["code"] in ("lost_events", "truncated_input", "damaged_input"):
                self.assertIn(note["text"].rstrip("."), lost[0]["title"])
                counts[note["code"]] += note["count"]
        self.assertEqual(lost[0]["evidence"], ", ".join("%s %d" % each for each in sorted(counts.items())))


if __name__ == "__main__":
    unittest.main()
