"""Trials of a defect: the FileCheck files of its pass, the tests of the pass, all other FileCheck files, and programs.

Tests run in a copy of the tree. FileCheck files and programs need no copy: a process that has imported all passes
forks, and the forked process replaces the module by the one with the defect.

The limit on the CPU time of a FileCheck tool, a program or a test exceeds the time that any of them needs without a
defect. A defect that causes an endless loop is therefore detected, and no verdict depends on the load of the machine.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from multiprocessing.util import Finalize
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, cast

import lit.discovery
import lit.LitConfig
from layout.sources import module_of
from programs.paths import FILECHECK, ROOT

from mutants.defects import Defect
from mutants.limits import TooLongError, limited, spent
from mutants.subjects import Subject, depending
from tinyml.dialects.discardable_attributes import DiscardableAttribute, declared_attributes

TEST_SECONDS = 400
"""The time of the processor for the tests beside a pass; a trial that spends it before the last test is late: neither
caught nor a survivor."""

STUCK_SECONDS = 3600
"""The time after which a process that computes nothing is ended; its trial is late."""

PROGRAMS = 250
"""How many programs are compiled, in a mixed order; an exit code has room for the number of one."""

CAUGHT, SURVIVED, LATE = "caught", "survived", "late"

FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
"""A line of pytest's summary, and the test."""


@dataclass(frozen=True)
class Trial:
    """A defect in a file of a pass, and the verdicts of the steps that were run.

    A verdict is an empty string for a step that was not run.

    subject: the pass.
    path: the file with the defect.
    filecheck: the verdict of the FileCheck files of the pass.
    tests: the verdict of the tests of the pass.
    suite: the verdict of the FileCheck files of other passes.
    programs: the verdict of the programs whose C is recorded.
    """

    subject: Subject
    path: Path
    defect: Defect
    filecheck: str = ""
    tests: str = ""
    suite: str = ""
    programs: str = ""


class _Source(MetaPathFinder, SourceLoader):
    """An importer that loads one module from a given text."""

    def __init__(self, module: str, path: Path, text: str):
        self._module, self._path, self._text = module, path, text

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        return spec_from_loader(fullname, self) if fullname == self._module else None

    def get_filename(self, fullname: str) -> str:
        return str(self._path)

    def get_data(self, path: str | bytes) -> bytes:
        return self._text.encode()


def _folder() -> str:
    """A new temporary folder, which is removed when this process ends."""
    folder = tempfile.mkdtemp(prefix="mutants-")
    # Unlike functions of atexit, these run in the workers of a pool, too.
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=0)
    return folder


@cache
def _lit() -> tuple[Any, dict[Path, Any]]:
    """lit's configuration, and the tests of the suite by path. They are loaded once; the first call also imports all
    passes.
    """
    make: Any = lit.LitConfig.LitConfig
    folder = _folder()
    config = make("lit", [], "none", False, False, [], False, False, False, "lexical", {})
    find: Any = lit.discovery
    tests = find.find_tests_for_inputs(config, [str(FILECHECK)])
    for test in tests:
        test.suite.exec_root = folder
    return config, {Path(test.getSourcePath()): test for test in tests}


def _failing(checks: Sequence[Path]) -> int:
    """Run FileCheck files until one fails. Return its number, from 1; 0 if all pass."""
    config, tests = _lit()
    for number, path in enumerate(checks, 1):
        test = tests[path]
        if test.config.test_format.execute(test, config).code.isFailure:
            return number
    return 0


def _with_source(path: Path, text: str) -> None:
    """Import a module from another source text, and import again all modules that import it."""
    module = module_of(path)
    stale = {name: sys.modules.pop(name) for name in depending(module) if name in sys.modules}
    # They declare their attributes again, but not those that they import.
    declared = cast("dict[str, DiscardableAttribute]", declared_attributes())
    for name in _attributes_of(stale.values()) - _attributes_of(sys.modules.values()):
        del declared[name]
    sys.meta_path.insert(0, _Source(module, path, text))
    for name in stale:
        importlib.import_module(name)


def _attributes_of(modules: Iterable[ModuleType]) -> set[DiscardableAttribute]:
    return {value for module in modules for value in vars(module).values() if isinstance(value, DiscardableAttribute)}


def run_checks(checks: Sequence[Path], path: Path, text: str) -> int | None:
    """Run FileCheck files on a copy of the compiler whose file `path` has the source `text`.

    Returns the number of the first file that fails, from 1; 0 if none fails; None if a tool exceeds its time. If the
    source cannot be imported, the first file fails.
    """

    def run() -> int:
        try:
            _with_source(path, text)
        except Exception:
            return 1
        return _failing(checks)

    _lit()
    return _forked(run)


def _forked(run: Callable[[], int]) -> int | None:
    """Run a function in a forked process, and return its result, or 254 for a greater one. Return 255 if the function
    raises an exception, and None if the process exceeds its time.
    """
    child = os.fork()
    if not child:
        os.setsid()
        code = 255
        try:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            code = min(run(), 254)
        finally:
            os._exit(code)
    end = time.monotonic() + STUCK_SECONDS
    pause = 0.002
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause := min(2 * pause, 0.05))
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def try_filecheck(trial: Trial) -> str:
    return _try_checks(trial, trial.subject.checks)


def try_suite(trial: Trial) -> str:
    """Run the FileCheck files that name other passes, and return the verdict."""
    return _try_checks(trial, [check for check in _lit()[1] if check not in trial.subject.checks])


def _try_checks(trial: Trial, checks: Sequence[Path]) -> str:
    """Run FileCheck files until one fails that passes without the defect; return `CAUGHT`, `SURVIVED` or `LATE`.

    A file may also fail without the defect if a tool is missing.
    """
    text = trial.path.read_text()
    changed = trial.defect.applied(text)
    while checks:
        # An exit code has room for the number of one.
        part = checks[:250]
        failed = run_checks(part, trial.path, changed)
        if failed is None:
            return LATE
        if failed and run_checks([part[failed - 1]], trial.path, text) == 0:
            return CAUGHT
        checks = checks[failed or len(part) :]
    return SURVIVED


def try_programs(trial: Trial) -> str:
    """Compile the programs whose C is recorded (`make hashes`). Return `CAUGHT` if the C of one differs with the defect
    but not without it, `LATE` if a compilation exceeds its time, and otherwise `SURVIVED`.
    """
    text = trial.path.read_text()
    failed = run_programs(trial.path, trial.defect.applied(text))
    if failed is None:
        return LATE
    return CAUGHT if failed and run_programs(trial.path, text, failed) == 0 else SURVIVED


def run_programs(path: Path, text: str, only: int | None = None) -> int | None:
    """Compile programs by a compiler whose file `path` has the source `text`.

    Returns the number of the first program whose C differs, from 1; 0 if none differs; None if a compilation exceeds
    its time.

    only: the number of the only program to compile.
    """

    def run() -> int:
        try:
            _with_source(path, text)
            from hashes.__main__ import digests_of, recorded
            from hashes.corpus import programs
        except Exception:
            return only or 1
        for number, program in enumerate(Random(0).sample(programs(), PROGRAMS), 1):
            if only in (None, number):
                try:
                    with limited():
                        same = digests_of(program)[1] == recorded().get(program.name)
                except (Exception, TooLongError):
                    same = False
                if not same:
                    return number
        return 0

    _lit()
    return _forked(run)


@cache
def _copy() -> Path:
    """A copy of the project's files, without those that git ignores, made once for each process."""
    copy = Path(_folder())
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).exists() or (ROOT / name).is_symlink():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    return copy


@contextmanager
def _changed(trial: Trial) -> Generator[Path]:
    """A context with a copy of the tree that contains the defect."""
    path = _copy() / trial.path.relative_to(ROOT)
    kept = path.stat()
    text = path.read_text()
    path.write_text(trial.defect.applied(text))
    # Python compares the seconds of bytecode's source, and its length.
    os.utime(path, (kept.st_atime, kept.st_mtime - 10 - trial.defect.line * 1000 - trial.defect.start))
    try:
        yield _copy()
    finally:
        path.write_text(text)
        os.utime(path, (kept.st_atime, kept.st_mtime))


def try_tests(trial: Trial) -> str:
    """Run the tests of a pass, most specific first, until one fails only with the defect; return the verdict."""
    begin = spent()
    try:
        for test in trial.subject.tests:
            if spent() - begin > TEST_SECONDS:
                return LATE
            name = test.relative_to(ROOT).as_posix()
            with _changed(trial) as copy:
                failed = _failed_tests(copy, [name])
            if failed and not _failed_tests(copy, failed):
                return CAUGHT
    except subprocess.TimeoutExpired:
        return LATE
    return SURVIVED


def _failed_tests(copy: Path, tests: Sequence[str]) -> list[str]:
    """Run tests in a copy of the tree until one fails, and return a list of this test.

    The list is empty if no test fails. If pytest fails without naming a test, the list contains all given tests. Raises
    `TimeoutExpired` if the run exceeds its time.

    tests: paths or node ids of tests.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-p", limited.__module__, *tests]
    paths = os.pathsep.join(map(str, (copy / ".pyright", copy / "tests")))
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "1000"}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=STUCK_SECONDS)
    # 5: no test was collected.
    return [] if done.returncode in (0, 5) else FAILED.findall(done.stdout) or list(tests)
