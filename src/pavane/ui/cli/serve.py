"""`pavane serve`: the web page for this machine."""

from __future__ import annotations

import socket
import sys
from typing import Annotated

from pavane.errors import InputError
from pavane.text import installing
from pavane.ui.cli.options import option
from pavane.ui.cli.report import print_report
from pavane.ui.cli.signals import heed_signals

HOST = "127.0.0.1"

CONNECTION_SECONDS = 2
"""Seconds that open connections have when the server ends."""


def command(
    port: Annotated[int, option("--port N", "Port to listen at; 0: any free one.", min=0, max=65535)] = 8765,
) -> None:
    """Serve a web page that makes and plays schedules, for this machine alone."""
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError:
        raise InputError(f"the web page needs more packages; install them with: {installing('web')}") from None
    from pavane.ui.web.app import make_app

    listener = _listener(port)
    port = listener.getsockname()[1]
    app = make_app(port)
    settings = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=CONNECTION_SECONDS, lifespan="on")
    server = uvicorn.Server(settings)

    def end(*_: object) -> None:
        """Shut down in order at every signal; at the second one uvicorn would leave the search running."""
        server.should_exit = True
        app.state.searches.end()  # a page that watches it is answered before connections are closed

    server.handle_exit = end  # type: ignore[assignment,method-assign]
    heed_signals(end)  # before the address is printed: a reader of it may end the server at once
    print_report([f"pavane is at http://{HOST}:{port}/ (Ctrl-C ends it)"])
    sys.stdout.flush()
    server.run(sockets=[listener])


def _listener(port: int) -> socket.socket:
    """Return a listening socket, so that the printed address can be called at once."""
    # With the protocol named, asyncio sends short answers at once, and does not wait 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        what = (error.strerror or str(error)).lower()
        raise InputError(f"cannot listen on {HOST} port {port}: {what}; choose another with --port") from None
    return listener
