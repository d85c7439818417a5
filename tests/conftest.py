"""Configuration of pytest: command-line options, limits on threads and garbage collection, and fixtures of all
tests.
"""

import gc
import os
import signal
from collections import defaultdict
from heapq import nlargest
from pathlib import Path

import pytest
from hypothesis import settings
from programs.compiled import CompiledModels
from programs.environments import PackagesOfOthers, install_packages
from programs.shared_folders import made_once, shared_root
from programs.spread import covering, examples
from threadpoolctl import threadpool_limits

# A busy machine is no error. Longer searches are those of `make exhaustive` and `make fuzz`.
settings.register_profile("tinyml", deadline=None, max_examples=examples(10))
settings.load_profile("tinyml")

# A shell ignores interrupts of what it starts in the background, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

LONG_RUN = 300
"""Seconds of all tests together, from which on a run names its slowest files."""

SLOWEST_FILES = 10

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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect combinations of parameters whose values other cases of the test have; a case asked for by name runs."""
    if any("[" in argument for argument in config.args):
        return
    # Cases of one test do not follow each other where those of several tests share a fixture with parameters.
    tests: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    kept = {case for test, cases in tests.items() for case in covering(cases, _values, test)}
    left_out = [item for item in items if item not in kept]
    items[:] = [item for item in items if item in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def _values(item: pytest.Item) -> list[tuple[str, ...]]:
    """The values of a case, one for each `parametrize` and each fixture with parameters.

    The marks of its parameters belong to each value, so that a case that is skipped covers no value of one that runs.
    """
    spec = vars(item).get("callspec")
    parameters: dict[str, object] = {} if spec is None else spec.params
    marks = [] if spec is None else sorted({mark.name for mark in spec.marks})
    marked = [marker.args[0] for marker in item.iter_markers("parametrize")]
    axes = [tuple(names.replace(",", " ").split()) if isinstance(names, str) else tuple(names) for names in marked]
    single = {*parameters} - {name for names in axes for name in names}
    axes += [(name,) for name in sorted(single)]
    return [(*names, *(repr(id(parameters[name])) for name in names), *marks) for names in axes]


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the share of the test time that each of the slowest files of a long run takes."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    total = sum(seconds.values())
    if total > LONG_RUN:
        terminalreporter.section("slowest files")
        for file, taken in nlargest(SLOWEST_FILES, seconds.items(), key=lambda entry: entry[1]):
            terminalreporter.line(f"{100 * taken / total:5.1f} % {file}")


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
