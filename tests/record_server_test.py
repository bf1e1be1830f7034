#!/usr/bin/env python3
"""`cgpu record --server`: what it asks of servers that profile themselves, and where it finds their traces.

The servers are small programs that answer as the sources of vLLM (entrypoints/serve/profile/api_router.py) and SGLang
(entrypoints/http_server.py, managers/scheduler_profiler_mixin.py) do.

Environment: CGPU (the binary). Needs curl, else skipped.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import recording, tool  # noqa: E402

SERVER = '''
import gzip, http.server, json, os, sys, threading, time

kind, log, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
key = os.environ.get("SERVER_KEY")
state = {"folder": None, "count": 0}


def trace_folder():  # of vLLM
    if "--profiler-config" in arguments:
        return json.loads(arguments[arguments.index("--profiler-config") + 1])["torch_profiler_dir"]
    return os.environ.get("VLLM_TORCH_PROFILER_DIR")


def write(folder, name):
    event = {"ph": "X", "cat": "kernel", "name": "decode", "ts": 10, "dur": 5, "pid": 0, "tid": 7, "args": {"device": 0, "stream": 7}}
    os.makedirs(folder, exist_ok=True)
    with gzip.open(os.path.join(folder, name), "wt") as file:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": [event]}, file)


def stop():
    state["count"] += 1
    if kind == "vllm":
        write(state["folder"], "host_1.%d.pt.trace.json.gz" % state["count"])
    else:
        write(state["folder"], "%d.5-TP-0.trace.json.gz" % state["count"])
    state["folder"] = None


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        with open(log, "a") as file:
            file.write(json.dumps([self.path, body]) + "\\n")
        if key and self.headers.get("Authorization") != "Bearer " + key:
            self.answer(401)
        elif self.path not in ("/start_profile", "/stop_profile") or (kind == "vllm" and not trace_folder()):
            self.answer(404)
        elif self.path == "/start_profile":
            self.start(json.loads(body or "{}"))
        elif state["folder"]:
            stop()
            self.answer(200, "" if kind == "vllm" else "Stop profiling. This will take some time.\\n")
        else:
            self.answer(200 if kind == "vllm" else 500)

    def start(self, body):
        if kind == "vllm":
            state["folder"] = trace_folder()
            return self.answer(200)
        if state["folder"]:
            return self.answer(500)
        state["folder"] = body.get("output_dir") or os.environ.get("SGLANG_TORCH_PROFILER_DIR", "/nowhere")
        if body.get("num_steps"):
            threading.Timer(0.7, stop).start()
        self.answer(200, "Start profiling.\\n")

    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
'''


def setUpModule():
    tool.must_exist()
    if not shutil.which("curl"):
        raise unittest.SkipTest("no curl")


class Case(recording.Case):
    SECONDS = 60

    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.folder, "requests")

    def serve(self, kind, *arguments, **environment):
        """Starts a server, whose name is that of its kind; its URL."""
        script = os.path.join(self.folder, kind + "_serve.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SERVER)
        process = subprocess.Popen([sys.executable, script, kind, self.log, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   env=dict(os.environ, **environment))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return "http://127.0.0.1:%d" % int(process.stdout.readline())

    def requests(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as lines:
            return [tuple(json.loads(line)) for line in lines]

    def traces(self, name="R"):
        folder = os.path.join(self.folder, name, "traces")
        return sorted(os.listdir(folder)) if os.path.exists(folder) else []

    def process_line(self, name="R"):
        return self.manifest(self.path(name))[-1]


class Sglang(Case):
    def test_a_span_of_time(self):
        url = self.serve("sglang")
        done = self.record("--server", url + "/", "--duration", "300ms", "-o", "R")
        text = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (0, b""), text)
        (start, body), stop = self.requests()
        self.assertEqual((start, stop), ("/start_profile", ("/stop_profile", "")))
        self.assertEqual(json.loads(body), {"output_dir": os.path.join(os.path.realpath(self.folder), "R", "traces"),
                                            "with_stack": False, "record_shapes": False})
        self.assertEqual(self.traces(), ["1.5-TP-0.trace.json.gz"])
        self.assertEqual((self.process_line()["file"], self.process_line()["failed"]), ("traces", None))
        self.assertIn("runs curl --silent", text)
        self.assertIn("1 profile", text)
        self.assertEqual([row["name"] for row in tool.table(os.path.join(self.folder, "R"), "kernels")], ["decode"])

    def test_until_the_load_ends(self):
        url = self.serve("sglang")
        load = "import sys; print('load', flush=True); sys.exit(3)"
        done = self.record("--server", url, "--set", "full", "-o", "R", "--no-report", "--", sys.executable, "-c", load)
        self.assertEqual((done.returncode, done.stdout), (3, b"load\n"), done.stderr.decode())
        body = json.loads(self.requests()[0][1])
        self.assertEqual((body["with_stack"], body["record_shapes"]), (True, True))
        self.assertEqual(len(self.traces()), 1)

    def test_until_an_interrupt(self):
        url = self.serve("sglang")
        with subprocess.Popen([tool.binary(), "record", "--server", url, "-o", "R", "--no-report"], cwd=self.folder,
                              env=self.own_environment(), stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 30
            while not self.requests() and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(30), 0)
        self.assertEqual([path for path, _ in self.requests()], ["/start_profile", "/stop_profile"])
        self.assertEqual(len(self.traces()), 1)

    def test_steps_end_by_themselves(self):
        url = self.serve("sglang")
        done = self.record("--server", url, "--steps", "4", "-o", "R", "--no-report")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(json.loads(self.requests()[0][1])["num_steps"], 4)
        self.assertEqual(len(self.traces()), 1)
        self.assertIsNone(self.process_line()["failed"])

    def test_a_key_is_sent_and_not_kept(self):
        url = self.serve("sglang", SERVER_KEY="sesame-4711")
        done = self.record("--server", url, "--duration", "100ms", "-o", "R", "--no-report", CGPU_SERVER_API_KEY="sesame-4711")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(len(self.traces()), 1)
        for folder, _, names in os.walk(os.path.join(self.folder, "R")):
            for name in names:
                self.assertNotIn(b"sesame-4711", tool.read(os.path.join(folder, name)))
        self.assertNotIn("sesame-4711", done.stderr.decode())

    def test_a_recording_that_runs_already(self):
        url = self.serve("sglang")
        subprocess.run(["curl", "-s", "-X", "POST", url + "/start_profile"], stdout=subprocess.DEVNULL, check=True)
        done = self.record("--server", url, "--duration", "100ms", "-o", "R")
        self.assertEqual(done.returncode, 2)
        self.assertIn("being recorded already", done.stderr.decode())
        self.assertIn("being recorded already", self.process_line()["failed"])


class Vllm(Case):
    def traces_of_server(self):
        folder = os.path.join(self.folder, "of server")
        os.makedirs(folder)
        with open(os.path.join(folder, "old.pt.trace.json.gz"), "w", encoding="utf-8"):
            pass
        time.sleep(0.05)  # times of files are as coarse as the kernel's clock ticks
        return folder

    def test_its_folder_is_found_in_its_command_line(self):
        folder = self.traces_of_server()
        url = self.serve("vllm", "--profiler-config", json.dumps({"profiler": "torch", "torch_profiler_dir": folder}))
        done = self.record("--server", url, "--duration", "100ms", "-o", "R", "--no-report")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(self.traces(), ["host_1.1.pt.trace.json.gz"])  # not the old one
        self.assertEqual(len(os.listdir(folder)), 2)

    def test_its_folder_is_found_in_its_environment(self):
        self.traces_of_server()
        url = self.serve("vllm", VLLM_TORCH_PROFILER_DIR="of server")
        done = self.record("--server", url, "--set", "normal", "--duration", "100ms", "-o", "R", "--no-report")
        self.assertEqual(self.traces(), ["host_1.1.pt.trace.json.gz"])
        self.assertIn("--set changes nothing", done.stderr.decode())

    def test_without_a_profiler_it_says_what_to_do(self):
        url = self.serve("vllm")
        done = self.record("--server", url, "--duration", "100ms", "-o", "R")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn("--profiler-config", done.stderr.decode())
        self.assertIn("VLLM_TORCH_PROFILER_DIR", self.process_line()["failed"])

    def test_steps_are_refused(self):
        url = self.serve("vllm", VLLM_TORCH_PROFILER_DIR="x")
        done = self.record("--server", url, "--steps", "3", "-o", "R")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--duration", done.stderr.decode())
        self.assertEqual(self.requests(), [])


class Elsewhere(Case):
    def test_traces_that_cannot_be_seen_from_here(self):
        names = os.path.join(self.folder, "bin")
        os.makedirs(names)
        script = os.path.join(names, "curl")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        os.chmod(script, 0o755)
        # An address for documentation (RFC 5737) is of no machine; a curl that always succeeds answers for it.
        done = self.record("--server", "http://192.0.2.1:8000", "--duration", "50ms", "-o", "R",
                           PATH=names + ":" + os.environ["PATH"])
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 0, text)
        self.assertNotIn("output_dir", text)
        for words in ("torch_profiler_dir", "SGLANG_TORCH_PROFILER_DIR", "R/traces"):
            self.assertIn(words, text)
        self.assertIn("on the server's machine", self.process_line()["failed"])

    def test_no_server(self):
        done = self.record("--server", "http://127.0.0.1:1", "--duration", "100ms", "-o", "R")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no server answers there", done.stderr.decode())


class Refusals(Case):
    def test_what_cannot_be(self):
        for arguments, words in ((["--server", "localhost:8000"], "http://"),
                                 (["--server", "http://me:secret@localhost"], "CGPU_SERVER_API_KEY"),
                                 (["--server", "http://127.0.0.1:1", "--with", "perf"], "--with"),
                                 (["--server", "http://127.0.0.1:1", "--attach", "1"], "--attach"),
                                 (["--server", "http://127.0.0.1:1", "--skip", "1"], "--delay"),
                                 (["--server", "http://127.0.0.1:1", "--ranges", "x"], "--ranges"),
                                 (["--server", "http://127.0.0.1:1", "--ranks", "0"], "--ranks"),
                                 (["--server", "http://127.0.0.1:1", "--duration", "1s", "--", "true"], "the command"),
                                 (["--server", "http://127.0.0.1:1", "--steps", "2"], "--duration")):
            done = self.record(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertIn(words, done.stderr.decode())
            self.assertNotIn("secret", done.stderr.decode())

    def test_dry_run_asks_nothing(self):
        url = self.serve("sglang")
        done = self.record("--server", url, "--dry-run", "--delay", "2s", "-o", "R", CGPU_SERVER_API_KEY="sesame-4711")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        make, delay, start, wait, stop = done.stdout.decode().splitlines()
        self.assertRegex(make, r"^mkdir .*/R/traces$")
        self.assertEqual((delay, wait), ("sleep 2", "sleep infinity"))
        self.assertTrue(start.endswith(url + "/start_profile"))
        self.assertTrue(stop.endswith(url + "/stop_profile"))
        self.assertNotIn("sesame-4711", done.stdout.decode())
        self.assertEqual(self.requests(), [])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "R")))


if __name__ == "__main__":
    unittest.main()
