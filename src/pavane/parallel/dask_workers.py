"""Workers of this machine for a dask scheduler elsewhere: processes of one thread each, started again when killed."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pavane.errors import InputError, PavaneError
from pavane.jit.cache_folder import kernel_cache
from pavane.parallel.cluster import refuse_address
from pavane.parallel.dask_engine import need_certificates, need_dask
from pavane.text import counted

CONNECT_SECONDS = 60.0
"""How long the scheduler may take to answer: whoever starts both need not wait between."""

LEAVE_SECONDS = 10.0


def work_for(address: str, count: int, prepare: Callable[[], None], tell: Callable[[str], None]) -> None:
    """Prepare, then work for a scheduler until an interrupt (Ctrl-C, SIGTERM) comes; raise where the scheduler is gone.

    A process that is killed is started again. dask sees to it that each uses one thread, and there is no limit on the
    memory of one beyond the machine's: what is too large for all is killed by the system, and its call made again.
    """
    refuse_address(address)
    need_dask(address)
    need_certificates(address, "worker")
    kernel_cache()  # chosen here, so that what one process compiles serves all
    prepare()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what ends here is told in one line
    asyncio.run(_served(address, count, tell))


async def _served(address: str, count: int, tell: Callable[[str], None]) -> None:
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
        tell(f"{counted(count, 'worker')} for {address} (Ctrl-C ends this)")
        gone = asyncio.gather(*(nanny.finished() for nanny in nannies))
        await asyncio.wait([waiting[0], gone], return_when=asyncio.FIRST_COMPLETED)
    if not ended.is_set():
        raise PavaneError(f"the dask scheduler at {address} is gone, and so are its workers; start them again with it")
    with suppress(Exception):  # what cannot be said goodbye to is gone
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
