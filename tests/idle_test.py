#!/usr/bin/env python3
"""Why devices of real profiles were idle, read by hand: the cause and the culprit that an expert would name first, each
with the reason. And on every profile with devices, whatever its format, the rows of idle_hosts and idle_gaps add up to those of
idle.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import laws, tool  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())


def setUpModule():
    tool.must_exist()


class Corpus(unittest.TestCase):
    def hosts(self, folder, part, device=0):
        """[(cause, culprit, total)], the most first."""
        rows = tool.table(tool.profile(folder, part), "idle_hosts")
        return [(row["cause"], row["culprit"], row["total_ns"]) for row in rows if row["device"] == device]

    def by_cause(self, folder, part):
        return {row["cause"]: row["total_ns"] for row in tool.table(tool.profile(folder, part), "idle")}

    def test_rows_of_culprits_and_gaps_add_up_to_their_causes(self):
        seen = 0
        for folder in ("nsys_sqlite", "ascend", "hpctoolkit_v4", "rocprof", "xla", "perfetto_pb"):
            if not os.path.isdir(os.path.join(CORPUS, folder)):
                self.skipTest("no folder %s (set CGPU_CORPUS)" % os.path.join(CORPUS, folder))
            for name in sorted(os.listdir(os.path.join(CORPUS, folder))):
                path = os.path.join(CORPUS, folder, name)
                try:
                    causes, hosts, gaps = (tool.table(path, table) for table in ("idle", "idle_hosts", "idle_gaps"))
                except RuntimeError:
                    continue  # no profile
                self.assertEqual(laws.by_cause(hosts), laws.by_cause(causes), path)
                self.assertEqual(laws.broken_gaps(gaps, causes, hosts), [], path)
                for row in hosts:
                    self.assertLessEqual(row["max_ns"], row["total_ns"], path)
                seen += len(causes) > 0
        self.assertGreaterEqual(seen, 30)

    def test_loading_in_the_main_process_starves_the_device(self):
        """ResNet-50 without workers: the main thread itself makes the batches; with four it does not, and launches."""
        alone = self.hosts("kineto", "workers_0__worker0.1623143566756")
        self.assertEqual(alone[0][:2], ("data_loading", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"))
        self.assertIn("aten::_cat", [culprit for cause, culprit, _ in alone if cause == "data_loading"])  # the collation
        workers = self.by_cause("kineto", "workers_4__worker0.1623212756351")
        self.assertEqual(max(workers, key=workers.get), "host_code")
        self.assertLess(workers["data_loading"], sum(workers.values()) / 50)

    def test_preprocessing_on_the_host_is_named(self):
        """OWLv2 on an H100: scipy resizes the images on the main thread, while the device has nothing to do."""
        found = self.hosts("kineto", "h100__google_owlv2")
        self.assertEqual(found[0][:2], ("data_loading", "<built-in function zoom_shift>"))
        loading = self.by_cause("kineto", "h100__google_owlv2")["data_loading"]
        self.assertEqual(loading, sum(total for cause, _, total in found if cause == "data_loading"))
        self.assertGreater(found[0][2], 0.8 * loading)
        self.assertEqual(round(loading / 1e6, 1), 491.2)

    def test_the_first_launch_loads(self):
        """AlexNet, from its first kernel on: cudaLaunchKernel does not take 3 s."""
        found = self.hosts("kineto", "alexnet")
        self.assertEqual([row[:2] for row in found[:2]],
                         [("allocation", "cudaFree"), ("module_load", "cudaLaunchKernel")])
        self.assertEqual(found[1][2], 3055564000)
        self.assertLess(self.by_cause("kineto", "alexnet")["launch_overhead"], 1000000)

    def test_lazy_loading_is_not_the_profilers(self):
        """CUPTI lists the lazy loading of functions (0.44 ms in eight pieces) beside its own overhead."""
        found = dict(((cause, culprit), total) for cause, culprit, total in self.hosts("kineto", "b200"))
        self.assertIn(("module_load", "Lazy Function Loading"), found)
        self.assertNotIn(("profiler_overhead", "Lazy Function Loading"), found)
        mock = self.hosts("nsys_sqlite", "fixtures__mock.sqlite")
        self.assertEqual(mock[0][:2], ("module_load", "Runtime Triggered Module Loading"))

    def test_nvfuser_compiles(self):
        """Ranges of nvFuser: half a second in the compiler, which is NVRTC's."""
        causes = self.by_cause("nsys_sqlite", "NVIDIA_Fuser__report1")
        self.assertGreater(causes["compilation"], 800e6)
        first = self.hosts("nsys_sqlite", "NVIDIA_Fuser__report2")[0]
        self.assertEqual(first[:2], ("compilation", "executor_utils::Nvrtc::CompileProgram"))

    def test_ops_that_ascend_compiles(self):
        found = self.hosts("ascend", "text_level2_rank1", 1)
        self.assertEqual(found[0][:2], ("compilation", "AscendCL@aclopCompileAndExecute"))

    def test_writing_files_while_the_device_waits(self):
        """CloverLeaf writes its summary between the kernels; the power iteration dumps its vector every ten steps."""
        self.assertEqual(self.hosts("nsys_sqlite", "perlmutter-cloverleaf-cuda", device=3)[0][:2], ("io", "write"))
        found = self.hosts("nsys_sqlite", "power_iteration__baseline.sqlite")
        self.assertEqual(found[0][:2], ("host_code", "IO N"))
        self.assertGreater(self.by_cause("nsys_sqlite", "power_iteration__baseline.sqlite")["io"], 15e6)

    def test_copies_of_pageable_memory_hold_the_thread(self):
        """Segment Anything: cudaMemcpyAsync of pageable memory 334 times before a gap ends."""
        self.assertIn("cudaMemcpyAsync", [culprit for cause, culprit, _ in self.hosts("kineto", "amg_example_trace.1c507e3")
                                          if cause == "blocking_copy"])

    def test_what_is_not_recorded_is_said_so(self):
        """The rocprof trace has kernels alone; of MTIA four fifths of the launches are missing."""
        self.assertEqual([row[:2] for row in self.hosts("rocprof", "908_results", 0)] or
                         [row[:2] for row in self.hosts("rocprof", "908_results", 1)],
                         [("unknown", "(no calls recorded)")])
        self.assertEqual(self.hosts("kineto", "mtia_rank_0", 9)[0][:2], ("unknown", "(launch not recorded)"))


if __name__ == "__main__":
    unittest.main()
