#!/usr/bin/env python3
"""What `cgpu diagnose` and `cgpu report` say of programs on the host that were sampled: built call trees with planted
causes (Caliper's JSON for ranks and threads, folded stacks, perf script), and without.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

MS = 10 ** 6
ALIASES = {"sum#cupti.activity.duration": {"attribute.alias": "time (gpu)", "attribute.unit": "ns"}}


class SampledFindings(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def caliper(self, rows, metric="sum#time.duration.ns", parts="mpi.rank", of_devices=None):
        """rows: {(part, stack): value}, a stack as "main;solve". A small row "main;setup" is added: the smallest value is taken
        for that of one sample; "" is outside of all regions. `of_devices`: ns that devices worked in all."""
        nodes, numbers, data = [], {}, []
        rows = dict(rows)
        rows.setdefault((0, "main;setup"), MS if metric.endswith("ns") else 1)
        for (part, stack), value in rows.items():
            parent = None
            names = stack.split(";") if stack else []
            for depth in range(len(names)):
                key = tuple(names[:depth + 1])
                if key not in numbers:
                    numbers[key] = len(nodes)
                    nodes.append(dict({"label": names[depth], "column": "path"},
                                      **({} if parent is None else {"parent": parent})))
                parent = numbers[key]
            data.append([value, part, parent])
        path = self.path("profile.json")
        columns = [metric, parts, "path"]
        if of_devices is not None:
            columns.insert(1, "sum#cupti.activity.duration")
            data = [[row[0], of_devices if number == 0 else 0, *row[1:]] for number, row in enumerate(data)]
        with open(path, "w", encoding="ascii") as file:
            json.dump({"data": data, "columns": columns,
                       "column_metadata": [dict({"is_value": column != "path"}, **ALIASES.get(column, {})) for column in columns],
                       "nodes": nodes}, file)
        return path

    def folded(self, stacks):
        path = self.path("stacks.folded")
        with open(path, "w", encoding="ascii") as file:
            for stack, count in stacks.items():
                file.write("%s %d\n" % (stack, count))
        return path

    def rules(self, path):
        return {row["rule"]: row for row in tool.table(path, "findings")}

    def test_ranks_of_unequal_work(self):
        """Those with less wait: all take as long in main, and yet the third is what they wait for."""
        rows = {}
        for rank in range(3):
            rows[rank, "main;compute"] = (rank + 1) * 100 * MS
            rows[rank, "main;exchange;MPI_Wait"] = (2 - rank) * 100 * MS + MS
        row = self.rules(self.caliper(rows))["thread_imbalance"]
        self.assertEqual(row["rank"], 2)
        self.assertEqual((row["recoverable_ns"], row["measured_ns"]), (100 * MS, 302 * MS))
        self.assertEqual(row["severity"], "critical")
        self.assertIn("Rank 2 works 50.00% longer than the mean of 3 ranks in compute", row["title"])
        self.assertIn("least 100.0 ms", row["evidence"])

    def test_threads_of_unequal_work(self):
        rows = {(0, "main;solve"): 400 * MS, (0, "main;region"): 300 * MS, (1, "region"): 100 * MS, (2, "region"): 100 * MS}
        row = self.rules(self.caliper(rows, parts="omp.thread.id"))["thread_imbalance"]
        self.assertEqual((row["recoverable_ns"], row["measured_ns"]), (133333333, 701 * MS))
        self.assertIn("Thread 0 works 80.00% longer than the mean of 3 threads in region", row["title"])

    def test_other_work_is_no_imbalance(self):
        rows = {(0, "main;solve"): 400 * MS, (1, "io_thread;drain"): 30 * MS, (2, "region"): 100 * MS}
        self.assertNotIn("thread_imbalance", self.rules(self.caliper(rows, parts="omp.thread.id")))
        rows = {(rank, "main;compute"): 100 * MS + rank * MS for rank in range(4)}
        rows[0, "main;output"] = 50 * MS
        self.assertNotIn("compute", self.rules(self.caliper(rows)).get("thread_imbalance", {"title": ""})["title"])

    def test_even_work_is_no_finding(self):
        rows = {(rank, "main;" + name): 100 * MS + (7 * rank % 5) * MS for rank in range(8) for name in ("a", "b")}
        self.assertEqual(set(self.rules(self.caliper(rows))), {"hot_path"})

    def test_regions_that_say_that_they_communicate(self):
        rows = {(0, "main;step;exchange::MPI-1"): 300 * MS, (0, "main;step;compute"): 690 * MS, (0, "main;MPI_Wtime"): 9 * MS}
        row = self.rules(self.caliper(rows))["exposed_communication"]
        self.assertEqual(row["severity"], "critical")
        self.assertTrue(row["title"].startswith("30.00% of sum#time.duration.ns is spent in communication with other ranks"), row["title"])
        self.assertNotIn("Wtime", row["evidence"])
        quick = {(0, "main;compute"): 900 * MS, (0, "main;MPI_Wtime"): 99 * MS}
        self.assertNotIn("exposed_communication", self.rules(self.caliper(quick)))

    def test_time_outside_of_all_regions(self):
        def title(outside):
            rows = {(0, ""): outside * MS, (0, "main;compute"): 1000 * MS - outside * MS - MS}
            return self.rules(self.caliper(rows))["hot_path"]["title"]
        self.assertEqual(title(900), "90.00% of sum#time.duration.ns lies outside of all regions")
        self.assertIn("is spent in compute", title(300))

    def test_times_of_caliper_without_a_unit(self):
        """Microseconds, as its timer counts them."""
        rows = {(rank, "main;compute"): (rank + 1) * 100_000 for rank in range(3)}
        rows.update({(rank, "main;MPI_Wait"): (2 - rank) * 100_000 + 1000 for rank in range(3)})
        row = self.rules(self.caliper(rows, metric="sum#time.duration"))["thread_imbalance"]
        self.assertIn("most 300.0 ms, mean 200.0 ms", row["evidence"])

    def test_few_samples_differ_by_chance(self):
        rows = {(0, "main;compute"): 9, (1, "main;compute"): 5, (0, "main;other"): 1, (1, "main;other"): 1}
        self.assertNotIn("thread_imbalance", self.rules(self.caliper(rows, metric="cycles")))
        many = {key: 1000 * value if key[1].endswith("compute") else value for key, value in rows.items()}
        row = self.rules(self.caliper(many, metric="cycles"))["thread_imbalance"]
        self.assertEqual((row["severity"], row["recoverable_ns"]), ("critical", None))

    def test_what_a_host_does_besides_its_own_code(self):
        cases = {
            "garbage_collection": ("python3;_PyEval_EvalFrameDefault;train_step;_PyObject_GC_New;gc_collect_main;visit", "gc_collect_main"),
            "allocation": ("main;train_step;operator new(unsigned long);malloc;_int_malloc;sysmalloc", "operator new"),
            "lock_contention": ("main;train_step;pthread_mutex_lock;__lll_lock_wait", "pthread_mutex_lock"),
            "thread_wait": ("main;train_step;pthread_cond_wait@@GLIBC_2.3.2;__futex_abstimed_wait_common64", "pthread_cond_wait"),
            "exposed_communication": ("main;train_step;MPI_Recv;opal_progress;poll", "MPI_Recv"),
            "io": ("main;train_step;fread;_IO_file_xsgetn;__read;vfs_read_[k]", "fread"),
            "barrier_wait": ("main;train_step;GOMP_barrier;gomp_team_barrier_wait_end", "GOMP_barrier"),
            "synchronization": ("main;train_step;cudaDeviceSynchronize;libcuda_poll", "cudaDeviceSynchronize"),
        }
        for rule, (stack, entry) in cases.items():
            with self.subTest(rule):
                found = self.rules(self.folded({"main;work": 570, stack: 430}))
                row = found.pop(rule)
                self.assertIn("43.00% of samples is spent", row["title"])
                self.assertIn(entry, row["title"])
                self.assertIn("for train_step", row["title"])
                normal = rule in ("thread_wait", "synchronization")
                self.assertEqual(row["severity"], "info" if normal else "critical")
                self.assertEqual(set(found), {"hot_path"})
                self.assertIn("in work", found["hot_path"]["title"])
                self.assertEqual(set(self.rules(self.folded({"main;work": 970, stack: 30}))), {"hot_path"}, "too little")

    def test_whether_devices_worked_while_the_host_waited(self):
        rows = {(0, "main;work"): 500 * MS, (0, "main;step;cudaDeviceSynchronize"): 400 * MS}
        for worked, said in ((None, "Record the device too"), (390 * MS, "The devices were at work for about as long"),
                             (40 * MS, "The devices were idle for most of it")):
            row = self.rules(self.caliper(rows, of_devices=worked))["synchronization"]
            self.assertTrue(row["suggestion"].startswith(said), row["suggestion"])
            self.assertEqual("devices worked for" in row["evidence"], worked is not None)

    def test_a_name_of_templates_leaves_room_in_a_title(self):
        kernel = "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> > >(int)"
        found = self.rules(self.folded({"main;scope;" + kernel: 900, "main;other": 100}))
        self.assertIn("90.00% of samples is spent in at::native::elementwise_kernel", found["hot_path"]["title"])
        self.assertLess(len(found["hot_path"]["title"]), 100)

    def test_the_start_and_end_of_mpi_are_no_communication(self):
        """A short program: nothing in it can overlap MPI_Finalize with work."""
        rules = self.rules(self.caliper({(0, "main;solve"): 40 * MS, (0, "main;MPI_Init;MPID_Init;poll"): 20 * MS,
                                         (0, "main;MPI_Finalize;PMPI_Finalize;MPID_Finalize"): 40 * MS}))
        self.assertNotIn("exposed_communication", rules)
        self.assertEqual(rules["start_up"]["severity"], "info")
        self.assertIn("is spent starting and ending MPI (MPI_Finalize)", rules["start_up"]["title"])

    def test_sleeping_workers_are_no_loss(self):
        found = self.rules(self.folded({"main;work": 100, "start_thread;gomp_thread_start;do_wait": 300,
                                        "clone;start_thread;pthread_cond_wait": 300}))
        self.assertEqual(set(found), {"hot_path"})

    def test_names_of_users_are_not_those_of_libraries(self):
        found = self.rules(self.folded({"main;omp_part": 500, "main;read_mesh": 300, "main;free_cells": 200, "main;mpi_model": 200,
                                        "main;collect": 200, "main;malloc_test": 100}))
        self.assertEqual(set(found), {"hot_path"})
        self.assertIn("is spent in omp_part", found["hot_path"]["title"])

    def test_the_hottest_function_is_the_users(self):
        row, = tool.table(self.folded({
            "_start;__libc_start_main;Py_BytesMain;_PyEval_EvalFrameDefault;train;_PyEval_EvalFrameDefault": 500,
            "_start;__libc_start_main;Py_BytesMain;_PyEval_EvalFrameDefault;train;step;PyObject_Call;_PyEval_EvalFrameDefault": 300,
            "_start;__libc_start_main;Py_BytesMain;_PyEval_EvalFrameDefault": 200}), "findings")
        self.assertEqual((row["rule"], row["severity"]), ("hot_path", "info"))
        self.assertIn("50.00% of samples is spent in train", row["title"])
        self.assertIn("of it 50.00% in _PyEval_EvalFrameDefault; 80.00% with the functions that it calls", row["evidence"])
        self.assertIn("then 30.00% in step", row["evidence"])

    def perf_script(self, samples):
        """samples: (thread, ms, function)."""
        path = self.path("perf.txt")
        with open(path, "w", encoding="ascii") as file:
            for thread, ms, function in sorted(samples, key=lambda sample: sample[1]):
                start = "main" if thread == 100 else "start_thread"
                file.write("prog 100/%d %d.%06d: 1000000 cpu-clock:\n\t10 %s (/prog)\n\t20 %s (/lib/libc.so.6)\n\n"
                           % (thread, 50 + ms // 1000, ms % 1000 * 1000, function, start))
        return path

    def test_threads_that_sleep_while_one_works(self):
        busy = [(100, ms, "solve") for ms in range(1000)]
        row = self.rules(self.perf_script(busy + [(101, ms, "help") for ms in range(0, 1000) if ms % 10 == 0]))["idle_threads"]
        self.assertEqual(row["severity"], "info")
        self.assertIn("100 works for ", row["title"])
        both = [(101, ms, "help") for ms in range(1000)]
        self.assertNotIn("idle_threads", self.rules(self.perf_script(busy + both)))

    def test_report_begins_with_functions_and_imbalance(self):
        rows = {(rank, "main;compute"): (rank + 1) * 100 * MS for rank in range(3)}
        done = tool.run(["report", self.caliper(rows)])
        text = " ".join(done.stdout.decode().split())
        self.assertIn("Hottest functions of 601.0 ms of sum#time.duration.ns: compute 99.8%", text)
        self.assertIn("Rank 2 works 50.00% longer than the mean of 3 ranks in compute", text)
        self.assertIn("By what they take themselves, in all call paths. Most: compute, 600.0 ms (99.8% of sum#time.duration.ns).", text)
        self.assertRegex(text, r"name sum#time.duration.ns.inclusive sum#time.duration.ns.exclusive -+ -+ -+ compute 600.0 ms 600.0 ms")
        self.assertIn("Imbalance of threads and ranks", text)
        self.assertIn("Most uneven: compute, 300.0 ms at most (rank 2), 200.0 ms on average", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
