#!/usr/bin/env python3
"""The Python package (python/) used badly: wrong arguments, damaged files, closed sessions, several threads, forks, Ctrl-C,
the end of Python while there is work. It gives an error or a right answer, and never crashes. Also run with the module
that is built with sanitizers (scripts/run-tests).

Environment: CGPU (the binary in its build folder), CGPU_PYTHON_MODULE (oracle/python_package.py).
"""
import concurrent.futures
import gc
import gzip
import importlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import (EVENTS, EXAMPLE, ROOT, installed, opened, python_in, rows_of, told, write_large,  # noqa: E402
                                   write_many_events)

os.environ["CGPU_ENGINE_PAGE"] = "none"  # copies have recorded answers, also where the page with the engine was built
SANITIZED = "CGPU_PYTHON_MODULE" in os.environ

python = cgpu = pyarrow = None


def setUpModule():
    global python, cgpu, pyarrow
    environment, _ = installed("python-bad-use", ["pyarrow==17.0.0"])
    python = str(python_in(environment))
    cgpu, pyarrow = (importlib.import_module(name) for name in ("cgpu", "pyarrow"))


def in_clean_python(code, *arguments, timeout=120):
    """Runs a program with the package; returns what it printed. Fails where it crashes."""
    done = subprocess.run([python, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, check=False)
    if done.returncode:
        raise AssertionError("exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-2000:]))
    return done.stdout.decode()


class BadUse(unittest.TestCase):
    def test_paths(self):
        for path in ("no/such/file.json", "", b"\xff\xfe", "a\0b", "*.nothing", str(ROOT / "README.md"), str(ROOT / "cmake"),
                     "/dev/null", 3, None, object()):
            with self.subTest(path=path), self.assertRaises((cgpu.Error, TypeError)):
                cgpu.open(path)
        with self.assertRaises(cgpu.Error) as raised:
            cgpu.open("no/such/file.json")
        self.assertEqual(str(raised.exception), told("table", "no/such/file.json", "info")[1])
        self.assertRaises(cgpu.Error, cgpu.open, [])
        for options in ({"threads": -1}, {"threads": "2"}, {"rank": []}, {"kernel_rules": "no/such"}, {"from_": object()}):
            with self.subTest(options), self.assertRaises(cgpu.Error):
                cgpu.open(EXAMPLE, **options)

    def test_tables(self):
        with opened(EXAMPLE) as session:
            for name, options in [("nothing", {}), ("compare_ops", {}), ("", {}), ("kernels", {"top": -1}),
                                  ("kernels", {"top": 1.5}), ("kernels", {"where": 3}), ("kernels", {"sort": ["a"]}),
                                  ("kernels", {"nothing": 1}), ("kernels", {"top": 2**80}), ("slices", {"where": "a~("}),
                                  ("kernels", {"where": "name ~ '('"})]:
                with self.subTest(table=name, options=options), self.assertRaises(cgpu.Error):
                    session.table(name, **options)
            self.assertRaises(TypeError, session.table, 3)
            self.assertRaises(TypeError, session.table)

    def test_damaged_files(self):
        whole = gzip.decompress(pathlib.Path(EXAMPLE).read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.json")
            pathlib.Path(path).write_bytes(whole[:len(whole) // 2])
            with self.assertWarns(cgpu.DamagedProfile) as warned:
                session = cgpu.open(path)
            self.assertIn("cut.json", str(warned.warning))
            self.assertTrue(session.warnings)
            with self.assertRaisesRegex(cgpu.Error, "cut.json.*strict"):
                cgpu.open(path, strict=True)

    def test_progress(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "large.json.gz")
            write_large(path, 15 if SANITIZED else 150)

            def late(*_):
                raise OverflowError("enough")

            for wrong, error in ((late, OverflowError), (lambda: None, TypeError), (3, cgpu.Error), ("bar", cgpu.Error)):
                with self.subTest(wrong), self.assertRaises(error):
                    cgpu.open(path, threads=1, progress=wrong)

            def asks(*_):  # another session, and another opening, from inside
                with opened(EXAMPLE, progress=late_is_never_called) as inner:
                    asked.append(len(inner.table("kernels")))

            def late_is_never_called(*_):
                """It is opened before anything is told, or is told."""

            asked = []
            with opened(path, threads=1, progress=asks) as session:
                self.assertGreater(len(session.table("slices")), 100)
            self.assertEqual(set(asked), {17})

    def test_check(self):
        for baseline, candidate, options in (
                ("no/such.json", EXAMPLE, {}), (EXAMPLE, "no/such.json", {}), ([], EXAMPLE, {}), (EXAMPLE, [], {}), (3, EXAMPLE, {}),
                (EXAMPLE, [None], {}), (str(ROOT / "README.md"), EXAMPLE, {}), (EXAMPLE, EXAMPLE, {"tolerance": "-"}),
                (EXAMPLE, EXAMPLE, {"floor": object()}), (EXAMPLE, EXAMPLE, {"allow": [3]}), (EXAMPLE, EXAMPLE, {"allow": "dogs"}),
                (EXAMPLE, EXAMPLE, {"inconclusive": None}), (EXAMPLE, EXAMPLE, {"step": "99"}), (EXAMPLE, EXAMPLE, {"rank": []})):
            with self.subTest(baseline=baseline, candidate=candidate, **options), self.assertRaises((cgpu.Error, TypeError)):
                cgpu.check(baseline, candidate, **options)
        checked = cgpu.check(EXAMPLE, [EXAMPLE, EXAMPLE], allow="devices")
        tables = checked.tables()
        self.assertRaises(cgpu.Error, checked.table, "kernels")
        self.assertTrue(checked.to_markdown())
        del checked
        gc.collect()
        self.assertEqual([len(rows_of(table)) for table in tables], [len(table) for table in tables])

    def test_view(self):
        session = opened(EXAMPLE, from_="20ms", to="21ms")
        for options in ({"size_limit": 0}, {"size_limit": -1}, {"size_limit": 1.5}, {"size_limit": None}, {"size_limit": 2**70}):
            with self.subTest(**options), self.assertRaises(cgpu.Error):
                session.view(**options)
        view = session.view(size_limit=1, arguments=False)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(OSError):
                view.save(os.path.join(folder, "no", "view.html"))
            path = os.path.join(folder, "moved.json")
            with gzip.open(EXAMPLE, "rb") as text, open(path, "wb") as copy:
                copy.write(text.read())
            moved = opened(path)
            os.unlink(path)
            self.assertRaisesRegex(cgpu.Error, "moved.json", moved.view)  # which reads it once more
        session.close()
        self.assertRaisesRegex(cgpu.Error, "the session is closed", session.view)
        self.assertIn("</html>", view.to_html())

    def test_names_that_are_no_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.fsencode(folder) + b"/\xff\xe9.json"
            with gzip.open(EXAMPLE, "rb") as text, open(path, "wb") as copy:
                copy.write(text.read())
            for name in (path, os.fsdecode(path), pathlib.Path(os.fsdecode(path))):
                with opened(name) as session:
                    self.assertGreater(len(session.table("kernels")), 3)
                    repr(session), repr(session.table("info")), session.table("info").to_arrow()
            with self.assertRaises(cgpu.Error):
                cgpu.open(path[:-1])

    def test_sql(self):
        with opened(EXAMPLE) as session:
            for statement, options in (("", {}), (" -- nothing", {}), ("SELECT 1; SELECT 2", {}), (None, {}), (b"SELECT 1", {}),
                                       ("SELECT 1", {"top": -1}), ("SELECT 1", {"timeout": "soon"})):
                with self.subTest(statement, **options), self.assertRaises(cgpu.Error):
                    session.sql(statement, **options)
            for sessions in ({}, {"a": None}, {"not a name": session, "": session},
                             {"r%d" % at: session for at in range(12)}):
                with self.subTest(len(sessions)), self.assertRaises(cgpu.Error):
                    cgpu.sql("SELECT * FROM a.kernels", sessions)
            endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
            start = time.monotonic()
            self.assertRaisesRegex(cgpu.Error, "longer", session.sql, endless, timeout="200ms")
            self.assertLess(time.monotonic() - start, 20)
            self.assertEqual(rows_of(session.sql("SELECT 1")), [[1]])
        self.assertRaisesRegex(cgpu.Error, "the session is closed", session.sql, "SELECT 1")

    def test_timelines(self):
        with opened(EXAMPLE) as session:
            for arguments, options in ((("soon",), {}), ((9, 3), {}), (("100s",), {}), ((), {"width": 3}), ((), {"width": "a"}),
                                       ((), {"most_tracks": 0}), (("100s", "101s"), {})):
                with self.subTest(arguments, **options), self.assertRaises(cgpu.Error):
                    session.timeline(*arguments, **options)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.svg")
                session.timeline("20ms", "21ms").save(path)
                xml.etree.ElementTree.parse(path)
            self.assertIn("<svg", session.timeline("20ms", "21ms")._repr_svg_())
            self.assertRaises(ImportError, session.timeline("20ms", "21ms").to_png)  # Pillow is not in this environment

    def test_closed(self):
        session = opened(EXAMPLE)
        kernels, events = session.table("kernels"), session.table(EVENTS)
        stream = pyarrow.RecordBatchReader.from_stream(events)
        before = rows_of(events)
        session.close()
        session.close()
        self.assertTrue(session.closed)
        for call in (session.tables, session.report, session.diagnose, lambda: session.table("kernels"),
                     lambda: cgpu.compare(session, EXAMPLE), session.__enter__().tables):
            self.assertRaisesRegex(cgpu.Error, "the session is closed", call)
        self.assertIn("closed", repr(session))
        self.assertIn("closed", session._repr_html_())
        del session
        gc.collect()
        self.assertGreater(pyarrow.table(kernels).num_rows, 3)
        self.assertEqual(rows_of(events), before)
        del kernels, events
        gc.collect()
        self.assertEqual(stream.read_all().num_rows, len(before))

    def test_a_stream_is_taken_once(self):
        table = opened(EXAMPLE).table("kernels")
        capsule = table.__arrow_c_stream__()
        del capsule  # by nobody

        class Once:
            def __init__(self, capsule):
                self.capsule = capsule

            def __arrow_c_stream__(self, requested_schema=None):
                return self.capsule

        once = Once(table.__arrow_c_stream__())
        pyarrow.table(once)
        with self.assertRaises((pyarrow.ArrowException, ValueError)):
            pyarrow.table(once)

    def test_threads_on_one_session(self):
        with opened(EXAMPLE) as session:
            names = session.tables()["name"]
            want = {name: rows_of(session.table(name)) for name in names}
        with opened(EXAMPLE) as session:
            events = session.table(EVENTS)
            wrong = []

            def ask(seed):
                order = list(names)
                random.Random(seed).shuffle(order)
                for name in order:
                    if rows_of(session.table(name)) != want[name]:
                        wrong.append(name)
                if rows_of(events) != want[EVENTS]:
                    wrong.append("shared events")

            threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_threads_with_sql_on_one_session(self):
        with opened(EXAMPLE) as session:
            statements = ["SELECT * FROM %s" % name for name in ("kernels", "ops", "slices", "idle", "api", "waits")]
            want = {statement: rows_of(session.sql(statement)) for statement in statements}
        with opened(EXAMPLE) as session, concurrent.futures.ThreadPoolExecutor(4) as pool:
            for statement, got in zip(statements * 4, pool.map(lambda one: rows_of(session.sql(one)), statements * 4)):
                self.assertEqual(got, want[statement], statement)

    def test_closed_while_others_ask(self):
        for _ in range(5):
            session = opened(EXAMPLE)
            said = []

            def ask():
                try:
                    while True:
                        len(session.table("kernels"))
                except cgpu.Error as error:
                    said.append(str(error))

            threads = [threading.Thread(target=ask) for _ in range(3)]
            for thread in threads:
                thread.start()
            time.sleep(0.02)
            session.close()
            for thread in threads:
                thread.join()
            self.assertEqual(said, ["the session is closed"] * 3)

    IN_FORK = """
import os, sys, threading, cgpu
def in_fork(act):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except BaseException as error:
            print("child:", error, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1]
session = cgpu.open(sys.argv[1])
kernels, events = session.table("kernels"), session.table("slices")
want = len(kernels), len(events.to_dicts()), len(session.table("idle"))
"""

    def test_fork(self):
        text = in_clean_python(self.IN_FORK + """
def child():
    got = len(kernels), len(events.to_dicts()), len(session.table("idle"))
    assert got == want, (got, want)
    with cgpu.open(sys.argv[1]) as again:
        assert len(again.table("kernels")) == want[0]
    try:
        session.table("nothing")
    except cgpu.Error:
        pass
print(in_fork(child))
""", EXAMPLE)
        self.assertEqual(text, "0\n")

    @unittest.skipIf(SANITIZED, "the sanitizer's allocator may be locked by the other thread at the fork")
    def test_fork_while_another_thread_is_at_work(self):
        """The child gets an answer or an error."""
        text = in_clean_python(self.IN_FORK + """
ready, end = threading.Event(), threading.Event()
def ask():
    while not end.is_set():
        session.table("critical_path")
        ready.set()
thread = threading.Thread(target=ask)
thread.start()
ready.wait()
def careful():
    try:
        assert len(session.table("idle")) == want[2]
    except cgpu.Error as error:
        assert "forked" in str(error), error
    with cgpu.open(sys.argv[1]) as again:
        assert len(again.table("kernels")) == want[0]
print([in_fork(careful) for _ in range(20)])
end.set()
thread.join()
""", EXAMPLE)
        self.assertEqual(text, "%s\n" % ([0] * 20))

    def test_processes(self):
        text = in_clean_python("""
import multiprocessing, sys, cgpu
def count(name):
    return len(session.table(name))
session = cgpu.open(sys.argv[1])
names = session.tables()["name"]
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(count, names) == [count(name) for name in names])
""", EXAMPLE)
        self.assertEqual(text, "True\n")

    def test_end_of_the_program(self):
        """With things alive, streams half read, threads still asking: often, and several at once, as it is a race."""
        program = """
import sys, threading, pyarrow, cgpu
session = cgpu.open(sys.argv[1])
reader = pyarrow.RecordBatchReader.from_stream(session.table("slices"))
reader.read_next_batch()
rows = iter(session.table("slices"))
next(rows)
def ask():
    while True:
        session.table("critical_path")
threading.Thread(target=ask, daemon=True).start()
"""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: in_clean_python(program, EXAMPLE), range(8 if SANITIZED else 40)))


class CtrlC(unittest.TestCase):
    PROGRAM = """
import signal, sys, time, cgpu
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell's background job ignores
print("ready", flush=True)
try:
    %s
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.stdin.readline()
    print(len(cgpu.open(sys.argv[2]).table("kernels")), flush=True)
"""

    def interrupt(self, act, path, after):
        """How long it took until the call had ended."""
        with subprocess.Popen([python, "-c", self.PROGRAM % act, path, EXAMPLE], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                self.assertEqual(process.stdout.readline(), "ready\n")
                time.sleep(after)
                start = time.monotonic()
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.stdout.readline(), "stopped\n")
                took = time.monotonic() - start
                process.stdin.write("\n")
                process.stdin.flush()
                self.assertGreater(int(process.stdout.readline()), 3)
                self.assertEqual(process.wait(60), 0)
            finally:
                process.kill()
        return took

    def test_ends_an_opening(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = os.path.join(folder, "many.json")
            write_many_events(whole, 100_000 if SANITIZED else 400_000)
            self.assertLess(self.interrupt("cgpu.open(sys.argv[1], threads=1); time.sleep(60)", whole, 0.1), 5)

    def test_ends_what_a_session_is_asked(self):
        self.assertLess(self.interrupt("""
    session = cgpu.open(sys.argv[1])
    while True:
        session.table("critical_path")""", EXAMPLE, 1), 5)


class WithoutTheLock(unittest.TestCase):
    def test_other_threads_go_on(self):
        """While a profile is opened, another thread of Python counts on."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many.json")
            write_many_events(path, 60_000 if SANITIZED else 300_000)
            ticks, done = [], threading.Event()

            def tick():
                while not done.is_set():
                    ticks.append(time.monotonic())
                    time.sleep(0.001)

            thread = threading.Thread(target=tick)
            thread.start()
            start = time.monotonic()
            opened(path, threads=1).close()
            end = time.monotonic()
            done.set()
            thread.join()
            inside = [at for at in ticks if start < at < end]
            self.assertGreater(len(inside), 5)
            gaps = [b - a for a, b in zip([start, *inside], [*inside, end])]
            self.assertLess(max(gaps), 0.7 * (end - start) + 0.05)


if __name__ == "__main__":
    unittest.main()
