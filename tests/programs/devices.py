"""The boards on which tests run programs. They are taken from the registry, so that a new chip is tested without
further changes.
"""

import os
from collections.abc import Sequence
from zlib import crc32

import pytest

from programs.kernel_tables import kernels_of
from programs.spread import EXHAUSTIVE
from tinyml.dialects.num import KernelAttr
from tinyml.runtime.devices.registry import LLVM, is_available
from tinyml.runtime.model.headers import texts_of
from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.targets.kernel_table import FarConstants
from tinyml.targets.registry import DEFAULT_TARGET, HOST, board, chip_of, chips, kernel_of, known_kernel

_ONLY = os.environ.get("TESTED_BOARD")
"""The only board that is tested: one of a package that the suite does not know, for example."""

_SMALLEST = 2048
"""The least RAM in bytes for programs of tests, which run on a larger board with the same core if there is less."""


def need_tools(target: str) -> None:
    """Skip the test if this machine cannot compile for a board and run the result."""
    if not is_available(target):
        pytest.skip(f"the tools of {target} are not installed")


def with_llvm(case: object, every: int = 3) -> list[str]:
    """A list of only the device `LLVM`, which runs programs in upstream dialects; an empty list if LLVM's tools are
    missing or the case is not selected.

    A hash of the case's text selects one of `every` cases; `make exhaustive` selects all.
    """
    taken = EXHAUSTIVE in os.environ or crc32(str(case).encode()) % every == 0
    return [LLVM] if taken and is_available(LLVM) else []


def chips_of_llvm() -> list[str]:
    """The boards, one of each chip, for which LLVM compiles and a simulator runs the result."""
    known = [name for name in SMALL if chip_of(name).triple] if is_available(LLVM) else []
    return [name for name in known if is_available(name)]


def roomy(name: str) -> str:
    """The variant of a board with more memory, or the board itself if there is none."""
    return board(name).larger or name


def _processors() -> list[Chip]:
    """The chips whose programs can be executed on this computer. FPGAs are omitted, because their builds take seconds
    and have separate tests.
    """
    return [chip for chip in chips() if chip.runner and all(one.fabric is None for one in chip.boards)]


def _cores() -> list[str]:
    """The names of the boards of different cores, one board for each core, the host first. Two cores are equal if their
    chips, costs and features are equal, except for far constants.
    """
    first: dict[tuple[str, str, frozenset[str]], str] = {}
    for chip in _processors():
        # Far constants have tests of their own.
        reach = {far.needs for far in chip.entries_of(FarConstants)}
        for one in chip.boards:
            small = one.ram is not None and one.ram < _SMALLEST
            core = chip.name, one.costs, frozenset(one.features) - reach
            first.setdefault(core, roomy(one.name) if small else one.name)
    return sorted(first.values(), key=HOST.__ne__)


BOARDS = [_ONLY] if _ONLY else _cores()
"""All that differ in more than memory, the host first. Runners and kernels are tested on each."""

SIMULATED = [name for name in BOARDS if name != HOST]


def _has_kernels(board: Board) -> bool:
    return not chip_of(board.name).kernels or bool(kernels_of(board.name))


CORES = {
    chip.name: [board.name for board in chip.boards if board.name in SIMULATED and board.costs and _has_kernels(board)]
    or [chip.boards[0].name]
    for chip in ([chip_of(_ONLY)] if _ONLY else _processors())
    if chip.name != HOST
}
"""Of each chip but the host the boards that programs are run on: those with a table of costs, as each core has that
differs from others, and with kernels if the chip has some, or else the first."""

SMALL = [names[0] for names in CORES.values()]
"""The first board of each chip but the host."""

DEVICES = [*([] if _ONLY else [HOST]), *(name for names in CORES.values() for name in names)]

PRINTED = {names[-1]: [HOST, *names] if DEFAULT_TARGET in names else names for names in CORES.values()}
"""A target of each chip, and the boards on which C that is printed for it is run; the host runs that of one chip."""

TURNS = (
    [(name, name) for name in SMALL] * 3 if _ONLY else [(DEFAULT_TARGET, HOST), *((n, n) for n in SMALL), (HOST, HOST)]
)
"""Targets and the boards that run what is printed for them, of which programs take some in turn."""


def owner(kernel: KernelAttr) -> str:
    """The first board in `SMALL` that has a kernel; the host if none has it."""
    return next((name for name in SMALL if known_kernel(kernel, name) is not None), HOST)


def definition_of(kernel: KernelAttr) -> Sequence[tuple[str, str]]:
    """The names and the texts of the functions that a kernel needs, in the version of the board `owner(kernel)`. The
    kernel itself is the last.
    """
    target = owner(kernel)
    return texts_of(kernel_of(kernel, target), target)
