"""A test format for lit that runs the Python tools of a RUN line in forks of a process that has already imported them.

Most commands take less time than a start of Python and an import of xDSL. lit's own shell (`ShTest`) handles everything
else: pipes, redirections, `not`, exit codes. Each command has a separate fork, so that no state passes from one command
to the next.
"""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import resource
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import current_process
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn
from unittest import mock

import lit.formats
import lit.TestRunner
from nearest_lines import filecheck

from tinyml.dialects.context import context
from tinyml.tools import tinyml_opt
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.universe import TINYML

TOOLS: dict[str, Callable[[], object]] = {"tinyml-opt": tinyml_opt.main, "filecheck": filecheck}
"""Entry points of the tools by their names in RUN lines; all other commands start processes."""

LAZY_MODULES = ("numpy.random", "lark", "joblib", "tinyml.tools.driver.optimizer")
"""Modules outside the packages of passes that tools and passes import on first use."""

ROOMS = ("dialects", "transforms", "lowering", "runtime", "targets")
"""Packages whose modules passes import on first use."""

SECONDS = 60
"""The time of the processor that a tool may take: one that never ends fails its test."""

ShTest: Any = lit.formats.ShTest
"""Without types; lit has none."""


EVERY_OP = Path(__file__).with_name("dialects") / "tdsl" / "ops.mlir"
"""A file of all ops, read before the forks."""


def warm_up() -> None:
    """Import the modules that commands need, and fill the caches of Python and xDSL, before the first fork."""
    rooms = [importlib.import_module(f"tinyml.{room}") for room in ROOMS]
    modules = [each.name for room in rooms for each in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")]
    for name in (*LAZY_MODULES, *modules):
        importlib.import_module(name)
    for registry in (TINYML.all_passes, TINYML.all_targets):
        for make in registry.values():
            make()
    for make in TINYML.all_dialects.values():
        # Some dialects collect their ops when these are requested.
        dialect = make()
        _ = *dialect.operations, *dialect.attributes
    ctx = context()
    for text in EVERY_OP.read_bytes().split(b"// -----"):
        module = parse_mlir(ctx, text, EVERY_OP.name)
        module.verify()
        str(module)
    # Forks share the pages of objects that the collector leaves alone.
    gc.freeze()


class ForkedTools(ShTest):
    """lit's `ShTest` with `ForkedProcess` in place of `subprocess.Popen`."""

    def execute(self, test: Any, litConfig: Any) -> Any:
        shell_subprocess = SimpleNamespace(**{**vars(subprocess), "Popen": ForkedProcess})
        with mock.patch.object(lit.TestRunner, "subprocess", shell_subprocess):
            return ShTest.execute(self, test, litConfig)


class ForkedProcess(subprocess.Popen[str]):
    """A replacement for `subprocess.Popen` that runs the tools of this project in a fork, and starts any other
    program.
    """

    def __init__(self, args: Sequence[str], *, env: Mapping[str, str], **options: Any):
        main = TOOLS.get(args[0])
        run = None if main is None else lambda: _run(main, args, env)
        super().__init__(args, env=env, preexec_fn=run, **options)


def _run(main: Callable[[], object], args: Sequence[str], env: Mapping[str, str]) -> NoReturn:
    """Run a tool in the forked process and end it with the exit code of the program.

    main: the tool's function.
    args: its command line.
    env: its environment variables.
    """
    # Popen waits until its pipe to the fork is closed, which executing a program does.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.environ.clear()
    os.environ.update(env)
    # lit's workers are daemons, which may not start processes. A long search starts some.
    current_process().daemon = False
    sys.argv = list(args)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    code = _exit_code(main)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = 120
    os._exit(code)


def _exit_code(main: Callable[[], object]) -> int:
    try:
        result = main()
    except SystemExit as exit:
        result = exit.code
    except BaseException:
        traceback.print_exc()
        return 1
    if result is None:
        return 0
    if isinstance(result, int):
        return result & 0xFF
    print(result, file=sys.stderr)
    return 1


warm_up()
