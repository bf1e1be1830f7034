#!/usr/bin/env python3
"""How `cgpu-mcp` speaks the Model Context Protocol: both eras of it, over standard input and output and over HTTP, to several
clients, to this machine alone; and the protocol's conformance tests, where npm has them (scripts/mcp-conformance).

Environment: CGPU (the binary in its build folder).
"""
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import mcp_client  # noqa: E402
from oracle.mcp_client import EXAMPLES, Talk, by_stdio, serving  # noqa: E402
from oracle.python_package import ROOT  # noqa: E402

TOOLS = {"open", "diagnose", "explain", "compare", "table", "sql", "find", "timeline"}
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def setUpModule():
    mcp_client.set_up()


class Transports(unittest.TestCase):
    """Both eras of the protocol, by every way there is."""

    def check(self, talk, version=None):
        tools = {one.name: one for one in talk.tools()}
        self.assertEqual(set(tools), TOOLS)
        for one in tools.values():
            self.assertTrue(one.annotations.read_only_hint)
            self.assertFalse(one.annotations.open_world_hint)
            self.assertFalse(one.annotations.destructive_hint)
            self.assertGreater(len(one.description), 40)
            self.assertFalse(one.input_schema["additionalProperties"])
        self.assertLess(len(json.dumps([one.model_dump(mode="json", exclude_none=True) for one in tools.values()])), 16_000)
        if version:
            self.assertEqual(talk.client.protocol_version, version)
        run = talk.open("generated_training.json.gz")
        self.assertIn("fused_moe_kernel", talk.ask("table", run=run, table="kernels", top=3))
        self.assertTrue(talk.call("diagnose", run="r99").is_error)

    def test_standard_input_and_output(self):
        for mode, version in ERAS.items():
            with self.subTest(mode):
                self.check(Talk(self, by_stdio(EXAMPLES), mode=mode), version)

    def test_http(self):
        with serving(EXAMPLES) as port:
            for mode, version in ERAS.items():
                with self.subTest(mode):
                    case = unittest.TestCase()
                    self.check(Talk(case, "http://127.0.0.1:%d/mcp" % port, mode=mode), version)
                    case.doCleanups()

    def test_events_of_the_first_revision(self):
        from mcp.client.sse import sse_client  # pylint: disable=import-outside-toplevel

        with serving(EXAMPLES) as port:
            case = unittest.TestCase()
            self.check(Talk(case, sse_client("http://127.0.0.1:%d/sse" % port), mode="legacy"))
            case.doCleanups()

    def test_two_clients_at_once(self):
        """They see the same runs, and get the same answers as one alone."""
        with serving(EXAMPLES) as port:
            case = unittest.TestCase()
            talks = [Talk(case, "http://127.0.0.1:%d/mcp" % port, mode=mode) for mode in ERAS]
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                opened = list(pool.map(lambda talk: talk.open("generated_training.json.gz"), talks * 4))
                self.assertEqual(set(opened), {"r1"})
                calls = [(talk, name, arguments) for talk in talks for name, arguments in (
                    ("table", {"table": "kernels"}), ("diagnose", {}), ("find", {"name": "gemm"}), ("table", {"table": "idle"}),
                    ("explain", {"name": "fused_moe_kernel"}), ("explain", {"from": "20ms", "to": "25ms"}))] * 3
                answers = collections.defaultdict(set)
                for (_, name, arguments), text in zip(calls, pool.map(
                        lambda one: one[0].ask(one[1], run="r1", **one[2]), calls)):
                    answers[name, str(arguments)].add(text)
            self.assertEqual({len(texts) for texts in answers.values()}, {1})
            talks[0].ask("open", close="r1")
            self.assertIn("is closed", talks[1].refused("diagnose", run="r1"))
            case.doCleanups()

    def test_only_this_machine_and_no_pages(self):
        with serving(EXAMPLES) as port:
            def status(path="/mcp", method="POST", **headers):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
                connection.putrequest(method, path, skip_host="Host" in headers)
                for name, value in dict({"Content-Type": "application/json", "Content-Length": str(len(body)),
                                         "Accept": "application/json, text/event-stream"}, **headers).items():
                    connection.putheader(name, value)
                connection.endheaders(body.encode())
                found = connection.getresponse().status
                connection.close()
                return found

            self.assertEqual(status(), 200)
            self.assertEqual(status(Host="localhost:%d" % port), 200)
            self.assertEqual(status(Origin="http://localhost:%d" % port), 200)
            for headers in ({"Host": "example.com"}, {"Host": "example.com:%d" % port}, {"Host": "127.0.0.1"},
                            {"Host": "127.0.0.1:%d.example.com" % port}, {"Origin": "http://example.com"}, {"Origin": "null"},
                            {"Origin": "http://127.0.0.1:%d.example.com" % port}, {"Origin": "http://127.0.0.1:1"}):
                with self.subTest(**headers):
                    self.assertIn(status(**headers), (403, 421))
                    self.assertIn(status("/sse", "GET", **headers), (403, 421))
            addresses = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
            bound = {line.split()[1] for line in addresses if line.split()[3] == "0A"}
            self.assertIn("0100007F:%04X" % port, bound)
            self.assertNotIn("00000000:%04X" % port, bound)
            self.assertEqual(status("/nothing"), 404)

    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            done = subprocess.run([mcp_client.server_program, "--http", "--port", str(taken.getsockname()[1]), str(EXAMPLES)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--port names another", done.stderr)


class Conformance(unittest.TestCase):
    """The protocol's own tests of servers: those that need no tools made for them."""

    SCENARIOS = ("server-initialize", "server-session-lifecycle", "server-stateless", "ping", "tools-list", "tools-call-error",
                 "server-sse-multiple-streams", "dns-rebinding-protection", "http-header-validation",
                 "input-required-result-unsupported-methods")
    # Only a server with a tool that is made for the test can be asked for these.
    NOT_APPLICABLE = {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}

    def test_scenarios(self):
        found = subprocess.run([str(ROOT / "scripts/mcp-conformance")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, check=False)
        if found.returncode:
            self.skipTest("the conformance tests cannot be installed: " + found.stderr.strip())
        programs = os.path.join(found.stdout.strip(), "node_modules", ".bin")
        with serving(EXAMPLES) as port:
            for scenario in self.SCENARIOS:
                with self.subTest(scenario):
                    done = subprocess.run(
                        [os.path.join(programs, "conformance"), "server", "--url", "http://127.0.0.1:%d/mcp" % port, "--scenario",
                         scenario], env=dict(os.environ, PATH=programs + os.pathsep + os.environ["PATH"]),
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
                    text = re.sub(r"\x1b\[\d*m", "", done.stdout)
                    checks = collections.defaultdict(set)
                    for name, outcome in re.findall(r"(?m)^\S+Z \[([\w-]+) *\] (\w+)", text):
                        checks[outcome].add(name)
                    self.assertTrue(checks["SUCCESS"], text[-2000:])
                    self.assertLessEqual(checks["FAILURE"], self.NOT_APPLICABLE, text[-2000:])


if __name__ == "__main__":
    unittest.main()
