"""How clients reach the server: by standard input and output, or by HTTP on this machine."""
from __future__ import annotations

import signal
import socket
import sys
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from .. import Error


def serve_stdio(server: Server[Any]) -> None:
    """Until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what reads standard input cannot be woken otherwise

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(server: Server[Any], port: int) -> None:
    """On 127.0.0.1 alone, until Ctrl-C; port 0: any that is free. Says its address on standard error. Raises Error."""
    with _listening(port) as listening:
        port = listening.getsockname()[1]
        print("http://127.0.0.1:%d/mcp (Ctrl-C ends it)" % port, file=sys.stderr, flush=True)
        config = uvicorn.Config(_application(server, port), log_level="warning", timeout_graceful_shutdown=2)
        anyio.run(lambda: uvicorn.Server(config).serve(sockets=[listening]))


def _listening(port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        opened.close()
        raise Error("port %d of 127.0.0.1: %s; --port names another" % (port, error)) from None
    return opened


def _application(server: Server[Any], port: int) -> Starlette:
    """Streamable HTTP at /mcp, for both eras of the protocol, and the events of its first revision at /sse. Requests
    that pages of other origins make, or that came by another name of the machine, are refused.
    """
    hosts = ["%s:%d" % (host, port) for host in ("127.0.0.1", "localhost")]
    security = TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=hosts,
                                         allowed_origins=["http://" + host for host in hosts])
    events = SseServerTransport("/messages/", security_settings=security)

    async def serve_events(request: Request) -> Response:
        async with events.connect_sse(request.scope, request.receive, request._send) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return Response()

    return server.streamable_http_app(
        transport_security=security, custom_starlette_routes=[
            Route("/sse", endpoint=serve_events, methods=["GET"]),
            Mount("/messages/", app=events.handle_post_message)
        ])
