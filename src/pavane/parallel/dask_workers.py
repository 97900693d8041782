"""Workers of this machine for a remote dask scheduler: processes of one thread each, restarted when killed."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pavane.errors import InputError, PavaneError
from pavane.jit.cache_folder import kernel_cache
from pavane.parallel.cluster import check_address
from pavane.parallel.dask_transport import need_certificates, need_dask
from pavane.text import counted

CONNECT_SECONDS = 60.0
"""The time limit for connecting: long enough to start workers together with their scheduler."""

LEAVE_SECONDS = 10.0


def work_for(address: str, count: int, prepare: Callable[[], None], report: Callable[[str], None]) -> None:
    """Prepare, then work for a scheduler until an interrupt (Ctrl-C, SIGTERM); raise if the scheduler is lost.

    A killed process is restarted. dask limits each to one thread; the only memory limit is the machine's: the system
    kills a process that needs too much, and its task runs again.
    """
    check_address(address)
    need_dask(address)
    need_certificates(address, "worker")
    kernel_cache()  # chosen here, so that all processes share what one compiles
    prepare()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are reported in one line
    asyncio.run(_serve(address, count, report))


async def _serve(address: str, count: int, report: Callable[[str], None]) -> None:
    from distributed import Nanny

    await _wait_for_scheduler(address)
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    settings: dict[str, Any] = {"nthreads": 1, "memory_limit": None, "dashboard": False}
    quiet = {"silence_logs": logging.CRITICAL, "config": {"logging.distributed": "critical"}}
    nannies = [Nanny(address, death_timeout=CONNECT_SECONDS, **settings, **quiet) for _ in range(count)]
    started = asyncio.gather(*nannies)
    waiting: list[asyncio.Future[Any]] = [asyncio.ensure_future(ended.wait()), started]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if not ended.is_set():
        await started
        report(f"{counted(count, 'worker')} for {address} (Ctrl-C ends this)")
        gone = asyncio.gather(*(nanny.finished() for nanny in nannies))
        await asyncio.wait([waiting[0], gone], return_when=asyncio.FIRST_COMPLETED)
    if not ended.is_set():
        raise PavaneError(f"the dask scheduler at {address} is lost, and so are its workers; restart them with it")
    with suppress(Exception):  # a lost scheduler cannot be notified
        await asyncio.gather(*(nanny.close(timeout=LEAVE_SECONDS) for nanny in nannies))


async def _wait_for_scheduler(address: str) -> None:
    from distributed import Security
    from distributed.comm import connect

    try:
        settings = Security().get_connection_args("worker")
        comm = await connect(address, timeout=CONNECT_SECONDS, **settings)
        await comm.close()
    except (OSError, TimeoutError) as error:
        raise InputError(f"{address}: no dask scheduler answers there: {error}; is it running?") from None
