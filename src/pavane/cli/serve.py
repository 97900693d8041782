"""`pavane serve`: the web page."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from pavane.cli.notes import note
from pavane.cli.signals import heed_signals
from pavane.errors import InputError
from pavane.words import installing


def command(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; the default is this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any free one.")] = 8765,
    store: Annotated[
        Path | None, typer.Option("--store", metavar="FILE", help="Where results are kept. [default: the user's data]")
    ] = None,
    atlas: Annotated[
        str | None,
        typer.Option("--atlas", metavar="FILE", help="An atlas to look at; shipped: the one of the package."),
    ] = None,
    seconds: Annotated[float, typer.Option("--most-seconds", metavar="S", help="The longest search.")] = 60.0,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Searches at a time.")] = 1,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="ADDRESS", help="A dask scheduler whose workers take part in the searches."),
    ] = None,
) -> None:
    """Serve a web page that makes, plays and compares schedules."""
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError:
        raise InputError(f"the web page needs more packages; install them with: {installing('web')}") from None
    import socket

    from pavane.web.app import make_app
    from pavane.web.limits import Limits

    if not seconds > 0:
        raise InputError(f"--most-seconds {seconds:g}: a search needs some time; give more than 0")
    file = store or _default_store()
    if not file.parent.is_dir():
        raise InputError(f"--store {file}: there is no directory {file.parent}; make it first")
    _refuse_store(file)
    if atlas is not None:
        from pavane.atlas.atlas_file import AtlasFile

        AtlasFile(atlas).close()  # refused now rather than when somebody looks
    if cluster is not None:
        _refuse_cluster(cluster)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # whoever reads the address below may call at once
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise InputError(f"cannot listen on {host} port {port}: {what}; choose another with --port") from None
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/"
    # Bound to more than this machine, the page is called by whatever name the others know it by.
    alone = host in ("127.0.0.1", "::1", "localhost")
    limits = Limits(seconds=seconds, workers=workers, cluster=cluster)
    app = make_app(file, limits, [] if alone else ["*"], atlas)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2, lifespan="on")
    server = uvicorn.Server(config)

    def end(*_: object) -> None:
        """End in order, however often one is asked to; uvicorn's own way leaves searches behind at the second time."""
        server.should_exit = app.state.is_ending = True

    server.handle_exit = end  # type: ignore[assignment,method-assign]
    heed_signals(end)  # whoever reads the address below may end it at once, too
    print(f"pavane is at {address} (Ctrl-C ends it); results are kept in {file}", flush=True)
    if not alone:
        print("anyone who reaches this address can start searches", file=sys.stderr, flush=True)
    server.run(sockets=[listener])


def _refuse_store(file: Path) -> None:
    """Refuse a file in which results cannot be kept, before anyone is told that they are."""
    try:
        with closing(sqlite3.connect(file)) as opened:
            opened.execute("BEGIN IMMEDIATE")  # as whoever writes begins; nothing is written
            opened.rollback()
    except sqlite3.Error as error:
        raise InputError(f"--store {file}: results cannot be kept there: {error}; name another file") from None


def _refuse_cluster(address: str) -> None:
    """Refuse a cluster where nobody works, before anyone asks for a search."""
    from pavane.workers.cluster import MPI, hired_from

    if address == MPI:
        raise InputError(
            "--cluster mpi: the page works with a dask scheduler; write tcp://host:8786 or tls://host:8786"
        )
    with hired_from(address, note=note):
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
