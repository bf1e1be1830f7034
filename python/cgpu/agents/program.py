"""cgpu-mcp DIR...: the server for agents, on standard input and output, or on a port of this machine."""
from __future__ import annotations

import argparse
import sys
import warnings
from typing import List, Optional

from .. import DamagedProfile, Error, __version__

_PORT = 7790


def main(arguments: Optional[List[str]] = None) -> int:
    """The exit status: 2 for an error of usage or input."""
    parser = argparse.ArgumentParser(
        prog="cgpu-mcp", description="Answers questions of agents about profiles, by the Model "
        "Context Protocol, on standard input and output.")
    parser.add_argument("folders", metavar="DIR", nargs="+", help="a folder whose files may be read; nothing else is")
    parser.add_argument(
        "--http", action="store_true", help="serve on 127.0.0.1 instead: streamable HTTP at /mcp, and for "
        "clients of the first revision of the protocol events at /sse")
    parser.add_argument("--port", type=int, help="of --http (default %d; 0: any that is free)" % _PORT)
    parser.add_argument("--version", action="version", version="cgpu-mcp " + __version__)
    options = parser.parse_args(arguments)
    if options.port is not None and not options.http:
        parser.error("--port is for --http")
    try:
        # pylint: disable=import-outside-toplevel
        from .folders import Folders
        from .runs import Runs
        from .server import make_server
        from .transports import serve_http, serve_stdio
    except ImportError as missing:
        return _failed("%s: the server needs more packages: pip install 'cgpu[mcp]'" % missing)
    warnings.simplefilter("ignore", DamagedProfile)  # the answers have them
    try:
        server = make_server(Runs(Folders(options.folders)))
        if options.http:
            serve_http(server, _PORT if options.port is None else options.port)
        else:
            serve_stdio(server)
    except Error as error:
        return _failed(str(error))
    except KeyboardInterrupt:
        pass
    return 0


def _failed(line: str) -> int:
    print("cgpu-mcp: " + line, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
