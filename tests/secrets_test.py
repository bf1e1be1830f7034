#!/usr/bin/env python3
"""Credentials reach no output: profiles of several formats with secrets in every text, through every channel.

Environment: CGPU (the binary).
"""
import http.client
import json
import os
import pickle
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.protobuf import encode  # noqa: E402

TOKEN = "hf_" + "AbcdEFGH0123456789ijklMNOP45678901"
NESTED = json.dumps({"a": 1, "password": "hunterD4", "b": [{"env": {"HOME": "hunterE5"}}]})
SECRET = ("run --password=hunterA1 --token hunterT9 WANDB_API_KEY=hunterB22222 x@y Authorization: Bearer hunterC333333 " +
          NESTED + " https://me:hunterF6@example.org/ " + TOKEN + " end")
# Each form apart, since what is around one could hide another. Without quotes and line ends, which some formats end at.
FORMS = (
    "SSH_PRIVATE_KEY=-----BEGIN RSA PRIVATE KEY----- hunter -----END RSA PRIVATE KEY-----",
    "PASSWORD=abc;Authorization: Basic hunter", "API_KEY=abcdefgh;Authorization: Basic hunter", "Authorization: hunter",
    "Cookie: session=hunter; a=b", "x-api-key: hunter", "token=hunter", "HF_TOKEN=hunter", "api_key=hunter",
    "GET /?access_token=hunter&user=me", "-password hunter", "--password correct horse hunter", "PASSWORD=correct hunter",
    "password: correct hunter", "https://me:a/hunter@example.org/x", "https://me:a#hunter@example.org/x",
    "https://me:a?hunter@example.org/x", "https://me:a@hunter@example.org/x", "redis://:hunter@localhost/0",
    "https://hunter@example.org/repo.git", "MYSQL_PWD=hunter mysql", "DB_PASS=hunter", "SMTP_PASS=hunter",
    "Server=a;UID=me;PWD=hunter;Database=b", "Driver={x};PWD={a hunter};Database=b", "Password=a hunter;Server=a",
    "https://a.blob.core.windows.net/b?sv=1&sig=hunter%3D", "https://hooks.slack.com/services/T0/B0/hunter",
    "https://discord.com/api/webhooks/12/hunter", "https://api.telegram.org/bot12:hunter/send",
    "sk_live_hunter0123456789", "SG.hunter0123456789.abcdefgh", "hvs.hunter0123456789", "gsk_hunter01234567890123",
    "glpat-hunter0123456789", "xoxs-hunter0123456789", "dckr_pat_hunter0123456789", "sk-hunter0123456789abcdef",
    "ghp_hunter01234567890123", "ENCRYPTION_KEY=hunter", "OPENAI_KEY=hunter", "signing_key=hunter", "GITHUB_PAT=hunter",
    "curl -u me:hunter https://example.org", "mysql -h db -u me -phunter base", "sshpass -p hunter ssh me@host",
    "docker login -u me -p hunter", "redis-cli -a hunter", "openssl rsa -passin pass:hunter",
    "machine example.org login me password hunter", "<password>hunter</password>", "Bearer hunter1",
)
PAIRS = ('{"name": "DB_PASSWORD", "value": "hunter"}', '{"value": "hunter", "name": "DB_PASSWORD"}',
         '[{"key": "api_key", "value": "hunter"}]')
PLAIN = ("num_keys=5", "key_cache", "KEY=query", "token_count=3", "tokens=1024", "PWD=/home/me", "sampler(token=4, key=value)",
         "sort_key=name", "python -u train.py", "ssh://git@example.org/a.git", "backward_pass: dense")
WORD = "f[--password=hunterA1]"  # where a format has no room for blanks
PRIVATE = (b"hunter", TOKEN.encode())
FORMATS = ("text", "csv", "json", "md")


def kineto():
    def event(name, more):
        return dict({"ph": "X", "name": name, "cat": "cpu_op", "pid": 1, "tid": 1, "dur": 10}, **more)
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python " + SECRET}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "thread " + SECRET}},
        event("op " + SECRET, {"ts": 0, "dur": 100}),
        event("aten::mm", {"ts": 1, "cat": "category " + SECRET}),
        event("aten::add", {"ts": 20, "args": {"note": SECRET, "legacy_json_value": NESTED, "api_key": "hunterK",
                                               "nested": json.loads(NESTED), "list": ["--token", "hunterL"],
                                               SECRET: 1}}),
        event("frame.py(1): " + SECRET, {"ts": 40, "cat": "python_function"}),
        {"ph": "C", "name": "counter " + SECRET, "pid": 1, "ts": 5, "args": {"series " + SECRET: 1}},
        {"ph": "i", "name": "instant " + SECRET, "pid": 1, "tid": 1, "ts": 6, "s": "t"},
        event("cudaLaunchKernel", {"ts": 50, "cat": "cuda_runtime", "args": {"correlation": 7}}),
        {"ph": "X", "name": "kernel " + SECRET, "cat": "kernel", "pid": 0, "tid": 7, "ts": 60, "dur": 9,
         "args": {"device": 0, "stream": 7, "correlation": 7, "note": SECRET}},
        {"ph": "X", "name": "ncclKernel_AllReduce", "cat": "kernel", "pid": 0, "tid": 7, "ts": 70, "dur": 9,
         "args": {"device": 0, "stream": 7, "Process Group Name": SECRET, "Collective name": "allreduce", "dtype": SECRET,
                  "In msg nelems": 4, "Out msg nelems": 4, "Group size": 2}},
    ]
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU " + SECRET}],
                       "distributedInfo": {"rank": 0, "world_size": 2, "backend": "nccl",
                                           "pg_config": [{"pg_name": SECRET, "pg_desc": SECRET, "ranks": [0, 1]}]},
                       "host_name": "host " + SECRET, "cuda_runtime_version": SECRET, "metadata": {"token": "hunterM"},
                       "traceEvents": events}).encode()


def perfetto():
    def packet(*fields):
        return encode((1, encode((10, 1), *fields)))
    annotation = encode((10, "note"), (6, SECRET))
    legacy = encode((10, "legacy"), (9, NESTED))
    secret_key = encode((10, "api_key"), (6, "hunterK"))
    return b"".join([
        packet((13, 3)),
        packet((60, encode((1, 1), (3, encode((1, 5), (6, "process " + SECRET)))))),
        packet((60, encode((1, 2), (4, encode((1, 5), (2, 6), (5, "thread " + SECRET)))))),
        packet((60, encode((1, 3), (5, 1), (2, "track " + SECRET)))),
        packet((60, encode((1, 4), (5, 1), (2, "counter " + SECRET), (8, b"")))),
        packet((8, 1000), (11, encode((9, 1), (11, 2), (23, "slice " + SECRET), (22, "category " + SECRET),
                                       (4, annotation), (4, legacy), (4, secret_key)))),
        packet((8, 1500), (11, encode((9, 4), (11, 4), (30, 5)))),
        packet((8, 1600), (11, encode((9, 3), (11, 3), (23, "instant " + SECRET)))),
        packet((8, 2000), (11, encode((9, 2), (11, 2)))),
    ])


def speedscope():
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "name": SECRET,
                       "exporter": SECRET,
                       "shared": {"frames": [{"name": "frame " + SECRET, "file": "dir/" + SECRET, "line": 1}]},
                       "profiles": [{"type": "evented", "name": "profile " + SECRET, "unit": "microseconds",
                                     "startValue": 0, "endValue": 10,
                                     "events": [{"type": "O", "frame": 0, "at": 1},
                                                {"type": "C", "frame": 0, "at": 9}]}]}).encode()


def execution_trace():
    return json.dumps({"schema": "1.0.1", "pid": 77, "nodes": [
        {"name": "[pytorch|profiler|execution_graph|thread]", "id": 2, "rf_id": 0, "scope": 7, "tid": 1, "inputs": []},
        {"name": "op " + SECRET, "id": 3, "rf_id": 1, "parent": 2, "scope": 0, "tid": 1,
         "inputs": [SECRET], "input_shapes": [[SECRET]], "input_types": [SECRET], "outputs": []}], "time": SECRET, "cmdline": SECRET}).encode()


def caliper():
    text = SECRET.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")
    return ("__rec=node,id=13,attr=10,data=256,parent=3\n__rec=node,id=14,attr=10,data=1,parent=5\n"
            "__rec=node,id=16,attr=10,data=512,parent=3\n__rec=node,id=20,attr=8,data=region,parent=13\n"
            "__rec=node,id=22,attr=8,data=sum#time.duration,parent=14\n"
            "__rec=node,id=29,attr=8,data=some.fact,parent=16\n__rec=node,id=30,attr=8,data=cmdline,parent=16\n"
            "__rec=node,id=40,attr=20,data=main\n__rec=node,id=41,attr=20,data=region " + text + ",parent=40\n"
            "__rec=ctx,ref=41,attr=22,data=5\n__rec=globals,attr=29=30,data=" + text[:100] + "=" + text + "\n").encode()


def perf_script():
    return ("# hostname : %s\n# os release : %s\n#\nmy app  7/9 [002] 10.000001:    1000 cpu-clock: \n"
            "\t     6f1 inner%s+0x1c (/bin/%s)\n\t     789 main (/bin/app)\n\n" % (SECRET, SECRET, WORD, WORD)).encode()


def ncu():
    head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
            "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
            "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]
    about = ["1", "99", SECRET, SECRET, "kernel " + SECRET, "1", "7", "(256, 1, 1)", "(1024, 1, 1)", "0", "9.0"]
    speed = "GPU Speed Of Light Throughput"
    rows = [head, about + [speed, "Duration", "ns", "1000", "", "", "", "", ""],
            about + ["Section " + SECRET, "Metric " + SECRET, "", SECRET, "", "", "", "", ""],
            about + [speed, "", "", "", "Rule " + SECRET, "OPT", SECRET, "global", "12.5"]]
    return "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows).encode()


def nsys():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.sqlite")
        base = sqlite3.connect(path)
        base.executescript("""
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
            CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
            CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER);
            CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
            CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);
            CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);
            CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, globalTid INTEGER,
                                      endGlobalTid INTEGER, textId INTEGER, text TEXT, domainId INTEGER, jsonText TEXT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER,
                                                      nameId INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
                streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER)""")
        thread = 5 << 24 | 9
        rows = (("StringIds", (1, "kernel " + SECRET)), ("StringIds", (2, "range " + SECRET)),
                ("StringIds", (3, "thread " + SECRET)), ("StringIds", (4, "cudaLaunchKernel")),
                ("META_DATA_EXPORT", ("EXPORT_PRODUCT_VERSION", SECRET)), ("TARGET_INFO_GPU", (0, "GPU " + SECRET, 1)),
                ("META_DATA_CAPTURE", ("LINUX_PERF_OPTIONS:COLLECTION_MODE", SECRET)),
                ("PROCESSES", (5 << 24, 5, "process " + SECRET)), ("ThreadNames", (3, thread)),
                ("DIAGNOSTIC_EVENT", (1, 2, "Not all " + SECRET)),
                ("NVTX_EVENTS", (1, 50, 59, None, thread, None, 2, None, 0, NESTED)),
                ("NVTX_EVENTS", (2, 40, 59, None, thread, None, None, "text " + SECRET, 0, None)),
                ("CUPTI_ACTIVITY_KIND_RUNTIME", (5, 9, thread, 1, 4)),
                ("CUPTI_ACTIVITY_KIND_KERNEL", (10, 20, 0, 1, 7, 1, 5 << 24, 1, 1)))
        for table, row in rows:
            base.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)
        base.commit()
        base.close()
        with open(path, "rb") as file:
            return file.read()


def torch_memory():
    frames = [{"name": "frame " + SECRET, "filename": "dir/" + SECRET, "line": 3}]
    return pickle.dumps({"segments": [], "device_traces": [[
        {"action": "alloc", "addr": 1, "size": 64, "stream": 0, "frames": frames},
        {"action": "free_completed", "addr": 1, "size": 64, "stream": 0, "frames": frames}]]}, protocol=4)


def forms_in_kineto(forms):
    def event(name, at, args):
        return {"ph": "X", "name": name, "cat": "cpu_op", "pid": 1, "tid": 1, "dur": 1, "ts": at, "args": args}
    events = [event(form, 10 * i, {"note": form, form: 1, "nested": {"list": [form]}}) for i, form in enumerate(forms)]
    events += [event("aten::mm", 10000, {"name": "DB_PASSWORD", "value": "hunter"}),
               event("aten::mm", 10010, {"value": "hunter", "key": "DB_PASSWORD"})]
    events += [{"ph": "M", "name": "thread_name", "pid": 1, "tid": 10 + i, "args": {"name": form}}
               for i, form in enumerate(forms)]
    events += [dict(event("aten::mm", 1, {}), tid=10 + i) for i in range(len(forms))]
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def forms_in_speedscope(forms):
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "name": forms[0],
                       "shared": {"frames": [{"name": form, "file": form} for form in forms]},
                       "profiles": [{"type": "sampled", "name": form, "unit": "none", "startValue": 0, "endValue": 1,
                                     "samples": [[i]], "weights": [1]} for i, form in enumerate(forms)]}).encode()


def forms_in_perfetto(forms):
    def packet(*fields):
        return encode((1, encode((10, 1), *fields)))
    packets = [packet((13, 3)), packet((60, encode((1, 1), (3, encode((1, 5), (6, "process"))))))]
    for i, form in enumerate(forms):
        packets += [packet((60, encode((1, 10 + i), (5, 1), (2, form)))),
                    packet((8, 1000), (11, encode((9, 1), (11, 10 + i), (23, form), (4, encode((10, "note"), (6, form)))))),
                    packet((8, 2000), (11, encode((9, 2), (11, 10 + i))))]
    return b"".join(packets)


def forms_in_caliper(forms):
    lines = ["__rec=node,id=13,attr=10,data=256,parent=3", "__rec=node,id=14,attr=10,data=1,parent=5",
             "__rec=node,id=16,attr=10,data=512,parent=3", "__rec=node,id=20,attr=8,data=region,parent=13",
             "__rec=node,id=22,attr=8,data=sum#time.duration,parent=14"]
    for i, form in enumerate(forms):
        text = form.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")
        lines += ["__rec=node,id=%d,attr=20,data=%s" % (100 + i, text), "__rec=ctx,ref=%d,attr=22,data=5" % (100 + i),
                  "__rec=node,id=%d,attr=8,data=fact.%d,parent=16" % (1000 + i, i),
                  "__rec=globals,attr=%d,data=%s" % (1000 + i, text)]
    return ("\n".join(lines) + "\n").encode()


def forms_in_execution_trace(forms):
    nodes = [{"name": "[pytorch|profiler|execution_graph|thread]", "id": 2, "rf_id": 0, "scope": 7, "tid": 1, "inputs": []}]
    nodes += [{"name": form, "id": 3 + i, "rf_id": 1 + i, "parent": 2, "scope": 0, "tid": 1, "inputs": [form],
               "input_shapes": [[form]], "input_types": [form], "outputs": []} for i, form in enumerate(forms)]
    return json.dumps(dict({"schema": "1.0.1", "pid": 77, "nodes": nodes},
                           **{"fact_%d" % i: form for i, form in enumerate(forms)})).encode()


def forms_in_torch_memory(forms):
    return pickle.dumps({"segments": [], "device_traces": [[
        {"action": action, "addr": 64 * i, "size": 64, "stream": 0, "frames": [{"name": form, "filename": form, "line": 3}]}
        for i, form in enumerate(forms) for action in ("alloc", "free_completed")]]}, protocol=4)


def forms_in_ncu(forms):
    head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
            "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]
    rows = [head] + [[str(i), "99", form, form, form, "1", "7", "(256, 1, 1)", "(1024, 1, 1)", "0", "9.0",
                      "GPU Speed Of Light Throughput", "Duration", "ns", "1000"] for i, form in enumerate(forms)]
    return "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows).encode()


def forms_in_folded(forms):
    return "".join("main;%s 5\n" % form.replace(";", " ") for form in forms).encode()


OF_FORMS = {"kineto_forms.json": forms_in_kineto, "speedscope_forms.json": forms_in_speedscope,
            "perfetto_forms.pftrace": forms_in_perfetto, "caliper_forms.cali": forms_in_caliper,
            "execution_trace_forms.json": forms_in_execution_trace, "memory_forms.pickle": forms_in_torch_memory,
            "ncu_forms.csv": forms_in_ncu, "forms.folded": forms_in_folded}
PROFILES = {"kineto.json": kineto, "perfetto.pftrace": perfetto, "speedscope.json": speedscope,
            "execution_trace.json": execution_trace, "caliper.cali": caliper, "perf.txt": perf_script, "ncu.csv": ncu,
            "nsys.sqlite": nsys, "memory.pickle": torch_memory}


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([tool.binary(), "view", *words, "--no-browser", "--port", "0"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        while not line.startswith("http://"):
            if not line:
                raise ConnectionError("the server has ended")
            line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/", line).group(1))

    def get(self, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        self.process.stdout.close()


class Secrets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = {}
        for name, make in PROFILES.items():
            cls.files[name] = os.path.join(cls.folder.name, name)
            with open(cls.files[name], "wb") as file:
                file.write(make())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, output, what):
        for private in PRIVATE:
            at = output.find(private)
            self.assertEqual(at, -1, "%s: %r" % (what, output[max(0, at - 200):at + 40]))

    def run_and_check(self, *words):
        done = tool.run(words)
        self.check(done.stdout + done.stderr, words)
        return done

    def tables(self):
        done = tool.run(["table", "--list", "--format", "json"])
        return [row[0] for row in json.loads(done.stdout)["tables"]["tables"]["rows"]]

    def test_the_profiles_hold_what_is_looked_for(self):
        for name, path in self.files.items():
            with open(path, "rb") as file:
                self.assertIn(b"hunter", file.read())
            done = tool.run(["table", path, "info", "--format", "json"])
            self.assertEqual(done.returncode, 0, (name, done.stderr))

    def test_tables(self):
        shown = b""
        for path in self.files.values():
            for table in self.tables():
                more = ["--args"] if table == "slices" else []
                for form in FORMATS:
                    shown += self.run_and_check("table", path, table, "--format", form, *more).stdout
        self.assertIn(b"[hidden]", shown)

    def test_reports(self):
        for path in self.files.values():
            for form in ("text", "json", "html", "md"):
                self.run_and_check("report", path, "--format", form)

    def test_exports(self):
        for name, path in self.files.items():
            for ending in ("pftrace", "json"):
                out = os.path.join(self.folder.name, "out." + ending)
                if os.path.exists(out):
                    os.unlink(out)
                self.run_and_check("export", path, "-o", out)
                if not os.path.exists(out):
                    continue  # there is no timeline in it
                with open(out, "rb") as file:
                    self.check(file.read(), (name, ending))
                self.run_and_check("table", out, "slices", "--args", "--format", "json")

    def test_viewer(self):
        for name, path in self.files.items():
            with Server(path) as server:
                def get(target):
                    status, body = server.get("/api/p/0/" + target)
                    self.check(body, (name, target))
                    return json.loads(body) if status == 200 and body[:1] in b"[{" else None
                status = b""
                while b'"ready"' not in status:
                    status = server.get("/api/status")[1]
                    self.check(status, name)
                    self.assertNotIn(b'"state":"error"', status)
                session = get("session")
                self.assertIsNotNone(session, name)
                for target in ("names/0", "sources", "export?to=pftrace", "export?to=json", "area?from=0&to=100000000",
                               "search?q=hunter", "search?q=hunter&argument=note", "search?q=e", "launch?rank=0&id=1",
                               "flame?view=down", "flame?view=up"):
                    get(target)
                self.assertEqual(get("search?q=hunter")["total"], 0, name)
                for match in get("search?q=e&limit=100")["matches"]:
                    for what in ("slice", "flows"):
                        get("%s?track=%d&slice=%d" % (what, match["track"], match["slice"]))
                for table in self.tables():
                    get("table/" + table)
                    get("distributions?table=" + table)

    def test_what_is_hidden_is_counted(self):
        for name, path in self.files.items():
            notes = {row["code"]: row["count"] for row in tool.table(path, "notes")}
            self.assertGreater(notes.get("credentials_present", 0), 0, name)

    def test_every_form_in_every_format(self):
        """Names, arguments and facts: all tables, and what is exported."""
        for name, make in OF_FORMS.items():
            forms = FORMS + PAIRS if "kineto" in name else FORMS
            if name == "forms.folded":  # a ; ends a frame
                forms = tuple(form for form in forms if ";" not in form)
            path = os.path.join(self.folder.name, name)
            with open(path, "wb") as file:
                file.write(make(forms))
            shown = b""
            for table in ("slices", "info", "notes", "threads", "functions", "et_ops", "launch_metrics"):
                more = ["--args"] if table == "slices" else []
                shown += self.run_and_check("table", path, table, "--format", "json", *more).stdout
            self.assertGreater(shown.count(b"[hidden]"), len(forms) // 2, name)
            for ending in ("pftrace", "json"):
                out = os.path.join(self.folder.name, "forms_out." + ending)
                self.run_and_check("export", path, "-o", out)
                if os.path.exists(out):
                    with open(out, "rb") as file:
                        self.check(file.read(), (name, ending))
                    os.unlink(out)
            self.run_and_check("report", path, "--format", "html")

    def test_an_argument_that_another_names_is_not_searched(self):
        path = os.path.join(self.folder.name, "pair.json")
        with open(path, "wb") as file:
            file.write(forms_in_kineto(()))
        with Server(path) as server:
            while b'"ready"' not in server.get("/api/status")[1]:
                pass
            for key in ("value", "name"):
                body = server.get("/api/p/0/search?q=hunter&argument=" + key)[1]
                self.assertEqual(json.loads(body)["total"], 0, body)

    def test_what_is_no_secret_stays(self):
        path = os.path.join(self.folder.name, "plain.json")
        events = [{"ph": "X", "name": name, "cat": "cpu_op", "pid": 1, "tid": 1, "dur": 1, "ts": 10 * i,
                   "args": {"note": name, "KEY": "[2, 3]", "num_keys": "5", "key_cache": "float", "token_count": 3}}
                  for i, name in enumerate(PLAIN)]
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        shown = self.run_and_check("table", path, "slices", "--args", "--format", "json").stdout
        self.assertNotIn(b"[hidden]", shown)

    def test_errors_quote_no_secret(self):
        path = os.path.join(self.folder.name, "broken.json")
        for text in ("{" + SECRET, json.dumps({"traceEvents": SECRET}), json.dumps({SECRET: []}), "[" + SECRET):
            with open(path, "w") as file:
                file.write(text)
            self.run_and_check("report", path)


if __name__ == "__main__":
    unittest.main()
