"""Configuration of pytest: command-line options, limits on threads and garbage collection, and fixtures of all
tests.
"""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings
from programs.compiled import CompiledModels
from programs.environments import PackagesOfOthers, install_packages
from programs.shared_folders import made_once, shared_root
from threadpoolctl import threadpool_limits

# A busy machine is no error. Longer searches are those of `make fuzz`.
settings.register_profile("tinyml", deadline=None, max_examples=25)
settings.load_profile("tinyml")

# A shell ignores interrupts of what it starts in the background, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

COLLECT_EVERY = 500_000
"""Programs are cyclic and short-lived: Python's usual 700 new objects cost a tenth of the run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-docs", action="store_true", help="write the outputs shown in README.md and docs/ anew")
    parser.addoption("--update-costs", action="store_true", help="record the costs of kernels anew")
    parser.addoption("--site", help="the built site, for the tests that look at it (make docs)")


def pytest_configure() -> None:
    """Limit the BLAS libraries of numpy to one thread, so that their busy-waiting threads do not slow down other test
    workers.
    """
    threadpool_limits(1, "blas")
    # For libraries that are loaded later, and for the processes that tests start.
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY, 10, 10)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    """Collect the garbage of the tests once, and exclude the remaining objects from the five collections at the end of
    pytest.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def compiled_models(tmp_path_factory: pytest.TempPathFactory) -> CompiledModels:
    return CompiledModels(shared_root(tmp_path_factory) / "compiled_models")


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> PackagesOfOthers:
    """An environment with a number format of another package, and a package of each kind that `tinyml new-KIND`
    writes.
    """
    return PackagesOfOthers(made_once(shared_root(tmp_path_factory) / "packages", install_packages))


@pytest.fixture(scope="session")
def kernel_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs that each call one kernel. Several machines execute their C."""
    return shared_root(tmp_path_factory) / "kernel_programs"
