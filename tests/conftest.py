"""Configuration of pytest: command-line options, selection of cases, limits on threads and garbage collection, and
fixtures of all tests.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import defaultdict
from collections.abc import Iterable
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from programs.paths import ROOT
from programs.shared_folders import made_once, shared_root
from programs.spread import EXHAUSTIVE, SEED, covering, drawn, examples, seed_of
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from programs.compiled import CompiledModels
    from programs.environments import PackagesOfOthers

# A busy machine is no error. Longer searches are those of `make exhaustive` and `make fuzz`.
settings.register_profile("tinyml", deadline=None, max_examples=examples(10))
settings.load_profile("tinyml")

# A shell ignores interrupts of what it starts in the background, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

LONG = "long"
"""The mark of tests whose cases together take more than half a second of a processor. `seconds` states what a case
takes if it is more than two.
"""

DRAWN = 2
"""The long cases of each file that a run without `--long` draws, without those that state their seconds."""

DRAWN_SECONDS = 150
"""The seconds of a processor for which a run without `--long` draws cases that state their seconds."""

LONG_RUN = 300
"""Seconds of all tests together, from which on a run lists its slowest tests."""

SLOWEST_TESTS = 10

COLLECT_EVERY = 500_000
"""Programs are cyclic and short-lived: Python's usual 700 new objects cost a tenth of the run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long", action="store_true", help=f"run all tests with the mark {LONG!r}, not only those drawn by {SEED}"
    )
    parser.addoption("--update-docs", action="store_true", help="write the outputs shown in README.md and docs/ anew")
    parser.addoption("--update-costs", action="store_true", help="record the costs of kernels anew")
    parser.addoption("--site", help="the built site, for the tests that look at it (make docs)")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of long tests, and limit the BLAS libraries of numpy to one thread, so that their busy-waiting
    threads do not slow down other test workers.
    """
    config.addinivalue_line(
        "markers",
        f"{LONG}(seconds=2): all cases take more than half a second, or one takes `seconds`; `make test` draws some",
    )
    # Workers get the seed of the process that starts them.
    os.environ[SEED] = seed_of(ROOT)
    threadpool_limits(1, "blas")
    # For libraries that are loaded later, and for the processes that tests start.
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")


def pytest_report_header() -> str:
    return f"cases drawn by {SEED}={os.environ[SEED]}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect cases whose parameter values all occur in other cases of the test, and all long tests except randomly
    drawn cases.

    Cases named on the command line run, too. If the command line names a file, all its long tests run.
    """
    if any("[" in argument for argument in config.args):
        return
    # Cases of one test do not follow each other where those of several tests share a fixture with parameters.
    tests: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    seed = os.environ[SEED]
    kept = {case for test, cases in tests.items() for case in covering(cases, _values, f"{seed} {test}")}
    if not _runs_long_tests(config):
        kept -= _long_tests_to_skip((item for item in items if item in kept), seed)
    left_out = [item for item in items if item not in kept]
    items[:] = [item for item in items if item in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def _runs_long_tests(config: pytest.Config) -> bool:
    files = (argument.partition("::")[0] for argument in config.args)
    return EXHAUSTIVE in os.environ or config.getoption("--long") or any(file.endswith(".py") for file in files)


def _long_tests_to_skip(items: Iterable[pytest.Item], seed: str) -> set[pytest.Item]:
    """The cases of long tests that do not run: all except `DRAWN` of each file and, of those that state their seconds,
    as many of the whole run as take `DRAWN_SECONDS`.
    """
    files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    timed: dict[pytest.Item, int] = {}
    skipped: set[pytest.Item] = set()
    for item in items:
        if (mark := item.get_closest_marker(LONG)) is not None and item.get_closest_marker("skip") is None:
            skipped.add(item)
            if (seconds := mark.kwargs.get("seconds")) is None:
                files[item.nodeid.partition("::")[0]].append(item)
            else:
                timed[item] = seconds
    for file, cases in files.items():
        skipped.difference_update(drawn(cases, DRAWN, f"{seed} {file}"))
    left = DRAWN_SECONDS
    for item in drawn([*timed], len(timed), seed):
        if timed[item] <= left:
            left -= timed[item]
            skipped.remove(item)
    return skipped


def _values(item: pytest.Item) -> list[tuple[str, ...]]:
    """The parameter values of a case: one tuple for each `parametrize` and each fixture with parameters.

    Each value includes the marks of its parameter, so that a skipped case covers no value of a case that runs.
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
    """If the tests took more than `LONG_RUN` seconds in total, print the slowest tests that lack the mark `long`, each
    with the total seconds of its cases.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    total = 0.0
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                total += report.duration
                if LONG not in report.keywords:
                    seconds[report.nodeid.partition("[")[0]] += report.duration
    if total > LONG_RUN:
        terminalreporter.section(f"slowest tests without the mark {LONG!r}")
        for test, taken in nlargest(SLOWEST_TESTS, seconds.items(), key=lambda entry: entry[1]):
            terminalreporter.line(f"{taken:5.1f} s {test}")


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY, 10, 10)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    """Collect the garbage of the tests once, and exclude the remaining objects from the five garbage collections that
    pytest performs at its end.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def compiled_models(tmp_path_factory: pytest.TempPathFactory) -> CompiledModels:
    from programs.compiled import CompiledModels

    return CompiledModels(shared_root(tmp_path_factory) / "compiled_models")


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> PackagesOfOthers:
    """An environment in which a package with a number format is installed, and one package of each kind that `tinyml
    new KIND` generates.
    """
    from programs.environments import PackagesOfOthers, install_packages

    return PackagesOfOthers(made_once(shared_root(tmp_path_factory) / "packages", install_packages))


@pytest.fixture(scope="session")
def example_packages(tmp_path_factory: pytest.TempPathFactory) -> PackagesOfOthers:
    """An environment in which the packages among the examples are installed."""
    from programs.environments import PackagesOfOthers, install_examples

    return PackagesOfOthers(made_once(shared_root(tmp_path_factory) / "example_packages", install_examples))


@pytest.fixture(scope="session")
def kernel_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of C programs, each of which calls one kernel. The tests of several simulated machines share it."""
    return shared_root(tmp_path_factory) / "kernel_programs"
