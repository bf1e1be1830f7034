"""The tools by the Model Context Protocol: its lists, calls, errors and pictures."""
from __future__ import annotations

import base64
import inspect
import re
from typing import Any, Dict, Optional

import anyio.to_thread
from mcp import types
from mcp.server.lowlevel import Server
from pydantic import ValidationError

from .. import Error, __version__, _cgpu
from .answer import Answer
from .runs import Runs
from .tools import TOOLS, Tool

_INSTRUCTIONS = """cgpu answers questions about profiles of programs on CPUs, GPUs and NPUs (PyTorch, Nsight Systems
and Compute, nvprof, ROCm, HPCToolkit, Ascend, Perfetto, ...). Begin with open: without arguments it lists the files,
with paths it gives a handle (r1) and a summary. Then diagnose says why the run is slow and what to do. explain says
what a part of the time or an op is; compare what changed between two runs; table, sql and find answer in exact rows;
timeline draws. Times are whole nanoseconds from the start of the profile, or text with a unit. Empty is absent, not
0. An answer has at most 2,000 tokens, says what it leaves out and how to get it, and ends with the command line
that gives all of it."""


def make_server(runs: Runs) -> Server[Any]:
    """With all tools over these runs. From then on statements of SQL have limits in this process, on memory and texts."""
    _cgpu.limit_sql()

    async def list_tools(_context: Any, _params: Optional[types.PaginatedRequestParams]) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_declared(name, tool) for name, tool in TOOLS.items()])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        # A call whose client no longer waits goes on until it is done.
        return await anyio.to_thread.run_sync(answered, runs, params.name, params.arguments or {},
                                              abandon_on_cancel=True)

    return Server("cgpu", version=__version__, title="cgpu", instructions=_INSTRUCTIONS, on_list_tools=list_tools,
                  on_call_tool=call_tool, website_url=None)


def _declared(name: str, tool: type[Tool]) -> types.Tool:
    schema = tool.model_json_schema(by_alias=True)
    schema = {"type": "object", "additionalProperties": False, "required": schema.get("required", []),
              "properties": {argument: {key: value for key, value in one.items() if key != "title"}
                             for argument, one in schema["properties"].items()}}
    return types.Tool(
        name=name, title=tool.title, description=inspect.cleandoc(tool.__doc__ or ""), input_schema=schema,
        annotations=types.ToolAnnotations(title=tool.title, read_only_hint=True, destructive_hint=False,
                                          idempotent_hint=True, open_world_hint=False))


def answered(runs: Runs, name: str, arguments: Dict[str, Any]) -> types.CallToolResult:
    """What went wrong is an answer, too: one line that says what to do."""
    try:
        if name not in TOOLS:
            raise Error("%s: there is no such tool (there are: %s)" % (name[:100], ", ".join(TOOLS)))
        answer = TOOLS[name].model_validate(arguments).answer(runs)
    except ValidationError as wrong:
        return _error("; ".join(_wrong_argument(name, one) for one in wrong.errors()[:5]))
    except (Error, OSError, ImportError) as wrong:
        return _error(re.sub(r"\bfrom_(?=[=: ]|$)", "from", str(wrong)))  # which is "from" here
    except MemoryError:
        return _error("%s: there is too little memory for this; open a part of it (from, to, rank)" % name)
    return _result(answer)


def _result(answer: Answer) -> types.CallToolResult:
    content: Any = [types.TextContent(type="text", text=answer.text())]
    if answer.png is not None:
        content.insert(
            0, types.ImageContent(type="image", data=base64.b64encode(answer.png).decode(), mime_type="image/png"))
    return types.CallToolResult(content=content)


def _error(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text[:2000])], is_error=True)


def _wrong_argument(tool: str, wrong: Any) -> str:
    if wrong["type"] == "extra_forbidden":
        fields = TOOLS[tool].model_fields
        return "%s: it takes no %s (it takes: %s)" % (tool, str(wrong["loc"][0])[:100], ", ".join(
            field.alias or name for name, field in fields.items()))
    place = [str(part)[:100] for part in wrong["loc"] if "[" not in str(part)]  # without the types of a choice
    return "%s: %s: %s" % (tool, ".".join(place), wrong["msg"])
