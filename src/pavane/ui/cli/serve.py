"""`pavane serve`: the web page."""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
import string
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.text import installing
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import option
from pavane.ui.cli.report import print_report
from pavane.ui.cli.signals import heed_signals

if TYPE_CHECKING:
    from pavane.ui.web.access import AccessPolicy

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LEAST_TOKEN = 16
NAME_CHARACTERS = frozenset(string.ascii_letters + string.digits + "-.:")
TOKEN_CHARACTERS = frozenset(string.ascii_letters + string.digits + "-_")
REQUESTS_A_SECOND, REQUESTS_AT_ONCE = 20.0, 200
JOBS_A_MINUTE, JOBS_AT_ONCE = 12.0, 10
"""Rates of requests and searches of a client beyond this machine."""

CONNECTION_SECONDS = 2
"""Seconds that open connections have when the server ends."""

EXPOSED = (
    "anyone who reaches this address and has the token can start searches, and see and delete all results; the "
    "connection is not encrypted"
)


@dataclass(frozen=True)
class Listening:
    """Address and access."""

    host: Annotated[str, option("--host ADDRESS", "Address to listen at; the default serves this machine alone.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, option("--port N", "Port to listen at; 0: any free one.", min=0, max=65535)] = 8765
    allow_host: Annotated[
        list[str] | None, option("--allow-host NAME", "A name of this machine in addresses. May be repeated.")
    ] = None
    token_file: Annotated[
        Path | None,
        option(
            "--token-file FILE",
            "A file with the token that clients must send. [default: beyond this machine a new one, printed once]",
        ),
    ] = None


def command(
    listening: Listening,
    store: Annotated[
        Path | None, option("--store FILE", "File of results. [default: in the user's data folder]")
    ] = None,
    seconds: Annotated[float, option("--most-seconds S", "Time limit of a search, in seconds.")] = 60.0,
    workers: Annotated[int, option("--workers N", "Number of searches at a time.", min=1)] = 1,
    cluster: Annotated[
        str | None, option("--cluster ADDRESS", "A dask scheduler whose workers take part in the searches.")
    ] = None,
) -> None:
    """Serve a web page that makes, plays and compares schedules."""
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError:
        raise InputError(f"the web page needs more packages; install them with: {installing('web')}") from None
    from pavane.ui.web.app import make_app
    from pavane.ui.web.limits import ServerLimits

    if not seconds > 0:
        raise InputError(f"--most-seconds {seconds:g}: a search needs some time; give more than 0")
    file = store or _default_store()
    if not file.parent.is_dir():
        raise InputError(f"--store {file}: there is no directory {file.parent}; make it first")
    _refuse_store(file)
    if cluster is not None:
        _refuse_cluster(cluster)
    policy = _access_policy(listening)
    listener = _listener(listening.host, listening.port)
    app = make_app(file, ServerLimits(seconds=seconds, workers=workers, cluster=cluster), policy)
    settings = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=CONNECTION_SECONDS, lifespan="on")
    server = uvicorn.Server(settings)

    def end(*_: object) -> None:
        """Shut down in order at every signal; at the second one uvicorn would leave searches running."""
        tasks = None if app.state.is_ending else getattr(app.state, "short_tasks", None)
        server.should_exit = app.state.is_ending = True
        if tasks is not None:  # requests that wait for one are answered before connections are closed
            tasks.close()

    server.handle_exit = end  # type: ignore[assignment,method-assign]
    heed_signals(end)  # before the address is printed: a reader of it may end the server at once
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    address = f"http://{host}:{listener.getsockname()[1]}/"
    token = "" if policy.token is None or listening.token_file is not None else f"?token={policy.token}"
    print_report([f"pavane is at {address}{token} (Ctrl-C ends it); results are stored in {file}"])
    sys.stdout.flush()
    if listening.host not in LOOPBACK:
        print(EXPOSED, file=sys.stderr, flush=True)
    server.run(sockets=[listener])


def _listener(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that the printed address can be called at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends short answers at once, and does not wait 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        what = (error.strerror or str(error)).lower()
        raise InputError(f"cannot listen on {host} port {port}: {what}; choose another with --port") from None
    return listener


def _access_policy(listening: Listening) -> AccessPolicy:
    """Return the rules of access: none on this machine alone, a token and limited rates beyond it."""
    from pavane.ui.web.access import AccessPolicy, Rate

    host, names, token_file = listening.host, listening.allow_host or [], listening.token_file
    for name in names:
        if not name or not set(name) <= NAME_CHARACTERS:
            raise InputError(f"--allow-host: expected the name of a machine, without a port, got {name!r}")
    hosts = tuple(name.lower() for name in (*names, host))
    if host in LOOPBACK:
        return AccessPolicy(hosts, token=None if token_file is None else _token_of(token_file))
    token = secrets.token_urlsafe(24) if token_file is None else _token_of(token_file)
    requests, jobs = Rate(REQUESTS_A_SECOND, REQUESTS_AT_ONCE), Rate(JOBS_A_MINUTE / 60, JOBS_AT_ONCE)
    return AccessPolicy(hosts, addresses=True, token=token, requests=requests, jobs=jobs)


def _token_of(file: Path) -> str:
    """Return the token in a file."""
    try:
        token = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror.lower() if isinstance(error, OSError) and error.strerror else "it is not plain text"
        raise InputError(
            f"--token-file {file}: {why}; put one line of {LEAST_TOKEN} characters or more there"
        ) from None
    if len(token) < LEAST_TOKEN or not set(token) <= TOKEN_CHARACTERS:
        raise InputError(
            f"--token-file {file}: a token is one line of {LEAST_TOKEN} or more letters, digits, - and _; "
            "`openssl rand -hex 16` makes one"
        )
    return token


def _refuse_store(file: Path) -> None:
    """Refuse a file in which results cannot be stored."""
    try:
        with closing(sqlite3.connect(file)) as opened:
            opened.execute("BEGIN IMMEDIATE")  # as every write begins; nothing is written
            opened.rollback()
    except sqlite3.Error as error:
        raise InputError(f"--store {file}: results cannot be stored there: {error}; name another file") from None


def _refuse_cluster(address: str) -> None:
    """Refuse a cluster without workers before the first search."""
    from pavane.parallel.cluster import MPI, cluster_workers

    if address == MPI:
        raise InputError(
            "--cluster mpi: the page works with a dask scheduler; write tcp://host:8786 or tls://host:8786"
        )
    with cluster_workers(address, note=note):
        return


def _default_store() -> Path:
    folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "pavane"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be made ({(error.strerror or '').lower()}); name a file with --store"
        ) from None
    return folder / "results.sqlite"
