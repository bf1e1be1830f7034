"""A client of `cgpu-mcp`: the official SDK's own, in conversations over standard input and output and over HTTP, with what
every answer has to be; and how the text of an answer is read.
"""
import contextlib
import csv
import importlib
import io
import os
import re
import signal
import socket
import subprocess
import time

from . import tokens, tool
from .python_package import PROGRAM, ROOT, installed

EXAMPLES = ROOT / "examples"
GENERATED = str(EXAMPLES / "generated_training.json.gz")
WORKERS_0, WORKERS_4 = str(EXAMPLES / "cnn_workers0.json.gz"), str(EXAMPLES / "cnn_workers4.json.gz")
MOST = 2000  # tokens

mcp = from_thread = None
server_program = None
count_tokens = estimated_tokens = None  # the first where its package can be had


def set_up():
    """Call it before the first conversation. Raises unittest.SkipTest where the packages cannot be had."""
    global mcp, from_thread, server_program, count_tokens, estimated_tokens
    tool.must_exist()
    extra = re.search(r"^mcp = \[(.*)\]$", (ROOT / "python/pyproject.toml").read_text(), re.M)[1]
    environment, _ = installed("python-mcp", [one.split(";")[0] for one in re.findall(r'"([^"]+)"', extra)])
    mcp, from_thread = (importlib.import_module(name) for name in ("mcp", "anyio.from_thread"))
    server_program = str(environment / "bin/cgpu-mcp")
    estimated_tokens = importlib.import_module("cgpu.agents.tokens").estimated_tokens
    count_tokens = tokens.counter()


def tokens_of(text):
    """As they are counted, or, where they cannot be, estimated: which is at most a twentieth less."""
    return count_tokens(text) if count_tokens else round(estimated_tokens(text) / 0.95)


class Talk:
    """A client in a conversation with a server: a target of the SDK's Client."""

    def __init__(self, test, target, **options):
        self._test = test
        self._portal = test.enterContext(from_thread.start_blocking_portal())
        self.client = test.enterContext(self._portal.wrap_async_context_manager(mcp.Client(target, **options)))

    def call(self, tool_name, /, **arguments):
        """The result. from_ is "from"."""
        given = {key.rstrip("_"): value for key, value in arguments.items()}
        return self._portal.call(self.client.call_tool, tool_name, given)

    def tools(self):
        return self._portal.call(self.client.list_tools).tools

    def ask(self, tool_name, /, **arguments):
        """The text of an answer, which has to be short and to end with a command."""
        result = self.call(tool_name, **arguments)
        text = result.content[-1].text
        self._test.assertFalse(result.is_error, text)
        self._test.assertLessEqual(tokens_of(text), MOST)
        self._test.assertRegex(text.splitlines()[-1], r"^In full: (cgpu|ls) ")
        return text

    def open(self, *paths, **options):
        """The handle of a run."""
        return self.ask("open", paths=[str(path) for path in paths], **options).split(" ", 1)[0]

    def refused(self, tool_name, /, **arguments):
        """The line of an error."""
        result = self.call(tool_name, **arguments)
        text = result.content[0].text
        self._test.assertTrue(result.is_error, text)
        self._test.assertLessEqual(len(text), 2000)
        self._test.assertNotIn("Traceback", text)
        return text


def by_stdio(*folders):
    from mcp.client.stdio import StdioServerParameters  # pylint: disable=import-outside-toplevel

    return StdioServerParameters(command=server_program, args=[str(folder) for folder in folders])


@contextlib.contextmanager
def serving(*folders):
    """A server by HTTP; its port."""
    with subprocess.Popen([server_program, "--http", "--port", "0", *map(str, folders)], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stderr.readline()
            port = int(re.match(r"http://127\.0\.0\.1:(\d+)/mcp", line)[1])
            wait_for(port)
            yield port
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    if process.returncode not in (0, -signal.SIGINT, 130):
        raise AssertionError("the server ended with %d" % process.returncode)


def wait_for(port):
    for _ in range(200):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("nobody listens on port %d" % port)


def rows_in(text):
    """The CSV of an answer, rows as dicts: from the line with most commas on, which is a heading or a row."""
    lines = [line for line in text.splitlines() if not re.match(r"(Left out|In full): |\(no rows", line)]
    begin = next(at for at, line in enumerate(lines) if re.fullmatch(r"[\w.]+( \[[^]]+\])?(,[\w.]+( \[[^]]+\])?)+", line))
    return list(csv.DictReader(io.StringIO("\n".join(lines[begin:]))))


def command_in(text):
    """The output of the command that an answer ends with. Fails where it does not run."""
    command = text.splitlines()[-1].removeprefix("In full: ")
    done = in_a_shell(command)
    if done.returncode:
        raise AssertionError("%s: exit %d: %s" % (command, done.returncode, done.stderr.decode()))
    return done.stdout.decode()


def in_a_shell(command):
    return subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, check=False,
                          env=dict(os.environ, NO_COLOR="1", PATH="%s:%s" % (PROGRAM.parent, os.environ["PATH"])))
