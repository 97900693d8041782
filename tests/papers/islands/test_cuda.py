"""A GPU that is not there, or not reached, is one line."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from papers.islands.cuda import cuda_device

from pavane.errors import InputError


@pytest.fixture(autouse=True)
def fresh() -> Any:
    """Forget which GPU there was."""
    cuda_device.cache_clear()
    yield
    cuda_device.cache_clear()


def test_without_cupy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the package."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(InputError, match="need CuPy, which is not installed: pip install 'cupy"):
        cuda_device()


@pytest.mark.parametrize(
    ("count", "words"), [(0, "need a CUDA GPU, and there is none"), (None, "CUDA does not answer .*driver")]
)
def test_without_a_gpu_it_says_so(count: int | None, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No GPU, or a driver that fails."""

    def counted() -> int:
        if count is None:
            raise RuntimeError("the driver is too old")
        return count

    cupy = ModuleType("cupy")
    cupy.cuda = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=counted))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(InputError, match=words):
        cuda_device()
