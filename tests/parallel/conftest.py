"""The pools that tests are run with: this process, processes of this machine, and workers elsewhere."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pavane.parallel.cluster import cluster_workers
from pavane.parallel.pool import Pool
from pavane.parallel.pools import Workers, local_pool
from tests.parallel.clusters import Cluster, need_dask

IN_MPI_JOB = "PAVANE_TESTS_IN_MPI_JOB"
"""Set where these tests are run by the first process of an MPI job; test_cluster.py starts one."""

ENGINES = ["mpi"] if IN_MPI_JOB in os.environ else ["1", "2", "3", "dask"]

Hire = Callable[[Any], Pool]
"""Makes a pool for what its calls share."""


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Cluster]:
    """Start a scheduler and two workers; a test that kills some starts as many more."""
    need_dask()
    cluster = Cluster()
    try:
        cluster.start_scheduler()
        cluster.start_worker()
        cluster.start_worker()
        yield cluster
    finally:
        cluster.end()


@pytest.fixture(scope="session")
def on_dask(dask_cluster: Cluster) -> Iterator[Workers]:
    """Return the workers of that cluster."""
    with cluster_workers(dask_cluster.address) as workers:
        yield workers


def _hirer(name: str, request: pytest.FixtureRequest) -> Hire:
    if name.isdigit():
        return lambda shared: local_pool(int(name), shared)
    workers: Workers = request.getfixturevalue("in_mpi_job" if name == "mpi" else "on_dask")
    return lambda shared: workers.pool(9, shared)


@pytest.fixture(scope="session")
def in_mpi_job() -> Iterator[Workers]:
    """Return the other processes of this MPI job."""
    with cluster_workers("mpi") as workers:
        yield workers


@pytest.fixture(params=ENGINES)
def hire(request: pytest.FixtureRequest) -> Hire:
    """Return who hires a pool, of any kind."""
    return _hirer(request.param, request)


@pytest.fixture(params=[name for name in ENGINES if name != "1"])
def hire_others(request: pytest.FixtureRequest) -> Hire:
    """Return who hires a pool of others than this process."""
    return _hirer(request.param, request)
