#!/usr/bin/env python3
"""The timelines of ranks that the viewer opens from a summary, over HTTP: what they say against `cgpu table` of their
profiles, what is said where these are missing or others, and which are let go.

Environment: CGPU (the binary); job_builder and hpctoolkit_builder are beside it.
"""
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from view_test import Server  # noqa: E402

RANKS = 24
TRACED = [0, 1, 2, 5, 6, 17]


def builder(name):
    return os.path.join(os.path.dirname(tool.binary()), name)


class RankServer(Server):
    def post(self, target, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", target, headers=headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read().decode())
        finally:
            connection.close()

    def begin(self, *ranks):
        """Asks for the timeline of ranks and gives its number."""
        status, answer = self.post("/api/p/0/open?rank=" + ",".join(map(str, ranks)))
        if status != 200:
            raise RuntimeError("%d: %s" % (status, answer["error"]))
        return answer["profile"]

    def end_of_opening(self, number):
        """Its status when it is open, or is not going to be; and the shares of the opening that were seen."""
        shares = []
        for _ in range(2000):
            status = self.json("/api/p/%d/status" % number)
            shares.append(status["share"])
            if status["state"] != "opening":
                return status, shares
            time.sleep(0.01)
        raise TimeoutError("the ranks do not open")

    def open(self, *ranks):
        number = self.begin(*ranks)
        status, _ = self.end_of_opening(number)
        if status["state"] != "ready":
            raise RuntimeError(status["error"])
        return number

    def table(self, number, name):
        table = self.json("/api/p/%d/table/%s" % (number, name))["tables"][name]
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]


class OfRanks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        subprocess.run([builder("job_builder"), cls.folder, "--ranks", str(RANKS), "--traces", ",".join(map(str, TRACED))],
                       check=True, stdout=subprocess.DEVNULL)
        cls.job = os.path.join(cls.folder, "job.cgpu")
        cls.traces = os.path.join(cls.folder, "traces")
        result = tool.run(["merge", os.path.join(cls.folder, "summaries"), "-o", cls.job])
        assert result.returncode == 0, result.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def serve(self, *words):
        server = RankServer(*(words or (self.job, "--traces", self.traces)))
        self.assertEqual(server.state()["state"], "ready")
        return server

    def trace(self, rank):
        return os.path.join(self.traces, "rank-%d.json" % rank)

    def equal_tables(self, server, number, *inputs):
        session = server.json("/api/p/%d/session" % number)
        self.assertIn("timeline", session["views"])
        for table in session["tables"]:
            if table["name"] == "info":  # it has the names that were given
                continue
            names = [os.path.realpath(path) for path in inputs]
            self.assertEqual(server.table(number, table["name"]), tool.table(names, table["name"]), table["name"])

    def test_a_rank_is_what_its_profile_is(self):
        with self.serve() as server:
            number = server.begin(17)
            status, shares = server.end_of_opening(number)
            self.assertEqual((status["state"], status["ranks"], status["error"]), ("ready", [17], None))
            self.assertEqual(status["inputs"], [os.path.realpath(self.trace(17))])
            self.assertEqual(shares, sorted(shares))
            self.equal_tables(server, number, self.trace(17))
            self.assertEqual([run["rank"] for run in server.json("/api/p/%d/session" % number)["runs"]], [17])
            self.assertEqual(server.json("/api/status")["profiles"][0]["inputs"], [self.job])
            self.assertEqual(len(server.json("/api/status")["profiles"]), 1)

    def test_several_ranks_stand_on_one_clock(self):
        with self.serve() as server:
            number = server.open(17, 0, 5)
            self.equal_tables(server, number, *(self.trace(rank) for rank in (0, 5, 17)))
            tracks = server.json("/api/p/%d/session" % number)["tracks"]
            self.assertEqual({track["rank"] for track in tracks}, {0, 5, 17})

    def test_the_same_ranks_are_opened_once(self):
        with self.serve() as server:
            number = server.begin(5, 17)
            self.assertEqual(server.begin(17, 5), number)
            self.assertEqual(server.begin(17, 5, 5), number)
            self.assertNotEqual(server.begin(17), number)

    def test_its_time_is_that_of_the_summary(self):
        with tempfile.TemporaryDirectory() as folder:
            for rank in (0, 17):  # the second one begins to record when the job runs already, by another clock
                with open(self.trace(rank), encoding="utf-8") as file:
                    trace = json.load(file)
                if rank == 17:
                    times = sorted(float(event["ts"]) for event in trace["traceEvents"] if event.get("ph") == "X")
                    late = times[len(times) // 3]
                    trace["traceEvents"] = [e for e in trace["traceEvents"] if e.get("ph") != "X" or float(e["ts"]) > late]
                with open(os.path.join(folder, "rank-%d.json" % rank), "w", encoding="utf-8") as file:
                    json.dump(trace, file)
            summary = os.path.join(folder, "job.cgpu")
            self.assertEqual(tool.run(["summarize", folder, "-o", summary]).returncode, 0)
            with self.serve(summary) as server:
                of_job = server.table(0, "steps")
                starts = []
                for rank in (0, 17):
                    number = server.open(rank)
                    starts.append(server.json("/api/p/%d/status" % number)["start"])
                    moments = [row["start_ns"] for row in of_job if row["rank"] == rank]
                    self.assertEqual([row["start_ns"] + starts[-1] for row in server.table(number, "steps")], moments)
                    self.assertGreater(len(moments), 0)
                self.assertEqual(starts[0], 0)
                self.assertGreater(starts[1], 1_000_000)

    def test_which_ranks_have_a_profile(self):
        with self.serve() as server:
            found = server.json("/api/p/0/traces?rank=17,3,7")["ranks"]
            self.assertEqual([(each["rank"], each["name"], each["path"]) for each in found],
                             [(3, "rank-3-again.json", None), (7, "rank-7.json", None),
                              (17, "rank-17.json", os.path.realpath(self.trace(17)))])
            self.assertEqual([each["error"] is None for each in found], [False, False, True])
            shutil.copy(self.trace(6), os.path.join(self.traces, "rank-7.json"))
            try:
                (found,) = server.json("/api/p/0/traces?rank=7")["ranks"]
                self.assertIsNotNone(found["path"])  # looked for when asked
            finally:
                os.remove(os.path.join(self.traces, "rank-7.json"))
            for wrong, status in (("", 400), ("?rank=", 400), ("?rank=x", 400), ("?rank=-1", 400), ("?rank=99", 404),
                                  ("?rank=4", 404), ("?rank=1&x=1", 400),
                                  ("?rank=" + ",".join(["1"] * 33), 400)):
                self.assertEqual(server.get("/api/p/0/traces" + wrong)[0], status, wrong)
                self.assertEqual(server.post("/api/p/0/open" + wrong)[0], status, wrong)

    def test_a_missing_profile_is_named(self):
        with self.serve() as server:
            status, answer = server.post("/api/p/0/open?rank=17,7")
            self.assertEqual(status, 404)
            self.assertEqual(answer["error"], "rank 7: rank-7.json: is not in %s, nor directly in a folder there: name the "
                                              "folder where it is with --traces FOLDER" % self.traces)
        with self.serve(self.job) as server:  # traces/ lies beside the summary
            server.open(17)
        with self.serve(self.job, "--traces", os.path.join(self.folder, "summaries")) as server:
            self.assertEqual(server.post("/api/p/0/open?rank=17")[0], 404)
        with self.serve(os.path.join(self.folder, "summaries"), "--traces", self.traces) as server:
            server.open(17)

    def test_another_rank_under_that_name_is_not_shown(self):
        with tempfile.TemporaryDirectory() as other:
            path = os.path.join(other, "rank-17.json")
            shutil.copy(self.trace(5), path)
            with self.serve(self.job, "--traces", other) as server:
                status, _ = server.end_of_opening(server.begin(17))
                self.assertEqual(status["state"], "error")
                self.assertIn("rank-17.json: is of rank 5, where job.cgpu says that the profile of that name is of rank 17",
                              status["error"])
                with open(path, "w", encoding="utf-8") as file:
                    file.write("this is no profile")
                number = server.begin(17)
                self.assertIn("rank-17.json", server.end_of_opening(number)[0]["error"])
                self.assertEqual(server.get("/api/p/%d/session" % number)[0], 503)
                shutil.copy(self.trace(17), path)
                server.open(17)  # tried again
            self.assertEqual(server.status, 0)  # the summary was shown
            self.assertEqual(len(server.errors.splitlines()), 2, server.errors)

    def test_few_stay_open(self):
        with self.serve() as server:
            numbers = {rank: server.open(rank) for rank in TRACED[:4]}
            server.get("/api/p/%d/session" % numbers[0])  # the second is now the one that was asked about least recently
            fifth = server.open(17)
            self.assertEqual(server.get("/api/p/%d/session" % numbers[1])[0], 410)
            self.assertEqual(server.get("/api/p/%d/status" % numbers[1])[0], 410)
            for kept in (numbers[0], numbers[2], numbers[5], fifth):
                self.assertEqual(server.get("/api/p/%d/session" % kept)[0], 200)
            again = server.open(1)
            self.assertNotIn(again, [*numbers.values(), fifth])
            self.assertEqual(server.json("/api/p/%d/session" % again)["runs"][0]["rank"], 1)
            self.assertEqual(server.get("/api/p/%d/session" % (again + 1))[0], 404)

    def test_a_rank_that_two_profiles_say_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("rank-3.json", "rank-3-again.json"):
                shutil.copy(self.trace(17), os.path.join(folder, name))  # of rank 17
            for name in ("rank-3.json", "rank-3-again.json"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                with open(path, "w", encoding="utf-8") as file:
                    file.write(re.sub(r'"rank":\s*17\b', '"rank":3', text))
            with self.serve(self.job, "--traces", folder) as server:
                files = {run["rank"]: run["file"] for run in server.json("/api/p/0/session")["runs"]}
                self.assertEqual((files[3], files[24]), ("rank-3-again.json", "rank-3.json"))  # as the summary numbers them
                for ranks in ([24], [3, 24]):
                    runs = server.json("/api/p/%d/session" % server.open(*ranks))["runs"]
                    self.assertEqual([(run["rank"], os.path.basename(run["file"])) for run in runs],
                                     [(rank, files[rank]) for rank in ranks])

    def test_options_of_the_inputs_apply(self):
        rules = os.path.join(self.folder, "rules.txt")
        name = tool.table(self.trace(17), "kernels")[0]["name"]
        with open(rules, "w", encoding="utf-8") as file:
            file.write("attention  head  %s\n" % name.split("(")[0].split("<")[0].split(" ")[-1])
        expected = tool.table(self.trace(17), "kernels", "--kernel-rules", rules)
        self.assertNotEqual(expected, tool.table(self.trace(17), "kernels"))
        with self.serve(self.job, "--traces", self.traces, "--kernel-rules", rules, "--threads", "1", "--rank", "17") as server:
            self.assertEqual(server.table(server.open(17), "kernels"), expected)
            self.assertEqual(server.post("/api/p/0/open?rank=5")[0], 404)  # it is not looked at

    def test_traces_belong_to_a_summary(self):
        for words in ([self.trace(17), "--traces", self.traces], [self.trace(17), "--traces", self.traces, "-o", "x.html"]):
            result = tool.run(["view", *words, "--no-browser"])
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"--traces", result.stderr)
        result = tool.run(["view", self.job, "--traces", "/nowhere", "--no-browser"])
        self.assertEqual((result.returncode, result.stderr), (2, b"cgpu: /nowhere: is no folder (--traces)\n"))

    def test_profiles_with_one_name_in_folders_of_their_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            for rank in (5, 17):
                os.makedirs(os.path.join(folder, "run", "rank%d" % rank))
                shutil.copy(self.trace(rank), os.path.join(folder, "run", "rank%d" % rank, "trace.json"))
            summary = os.path.join(folder, "job.cgpu")
            self.assertEqual(tool.run(["summarize", os.path.join(folder, "run"), "-o", summary]).returncode, 0)
            with self.serve(summary) as server:  # in run/rank17
                number = server.open(17)
                self.equal_tables(server, number, os.path.join(folder, "run", "rank17", "trace.json"))
            with self.serve(summary, "--traces", os.path.join(folder, "run", "rank5")) as server:
                server.open(5)
                self.assertEqual(server.post("/api/p/0/open?rank=17")[0], 404)

    def test_a_profile_that_is_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            database = os.path.join(folder, "database")
            subprocess.run([builder("hpctoolkit_builder"), database], check=True, stdout=subprocess.DEVNULL)
            summary = os.path.join(folder, "run.cgpu")
            self.assertEqual(tool.run(["summarize", database, "-o", summary]).returncode, 0)
            with self.serve(summary) as server:
                (run,) = server.json("/api/p/0/session")["runs"]
                number = server.open(run["rank"])
                self.equal_tables(server, number, database)

    def test_ends_while_it_opens(self):
        server = self.serve()
        for rank in TRACED[:4]:
            server.begin(rank)
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
