"""The registry of chips, their boards (the targets) and their kernels.

`CHIPS` lists the built-in chips. A separate package adds a chip through an entry point in the group `tinyml.chips` that
names its `Chip`, such as `mychip = "mypackage.chip:CHIP"`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import import_module
from types import NoneType
from typing import TypeVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.layouts.coded_tiles import CodedTile
from tinyml.dialects.plugins import CHIPS as GROUP
from tinyml.dialects.plugins import Plugin, PluginError, plugins
from tinyml.targets.board import Board
from tinyml.targets.c.composer.names import described
from tinyml.targets.chip import Chip
from tinyml.targets.kernel import Kernel, RowCoder
from tinyml.targets.tiles import TileCoder, TileFamily

CHIPS = ("avr", "cortex_m", "riscv", "host")
"""The built-in chips; `targets/NAME/chip.py` defines the `CHIP` of each."""

T = TypeVar("T")

USUAL = "uno"
"""The default target."""

HOST = "host"
"""The host computer, a target that is always available."""


@cache
def chips() -> Sequence[Chip]:
    """Every chip: the built-in ones in the order of `CHIPS`, then those of other packages by entry-point name.

    Chips of others that are not complete, or have the name or a target of another chip, are left out.
    """
    known: list[Chip] = [import_module(f"tinyml.targets.{folder}.chip").CHIP for folder in CHIPS]
    for plugin in plugins(GROUP):
        with plugin.left_out():
            chip = plugin.load(Chip)
            _check(plugin, chip, known)
            _PROVIDERS[chip.name] = plugin
            known.append(chip)
    return known


_PROVIDERS: dict[str, Plugin] = {}
"""The plug-ins that chips come from, by the names of the chips."""


def _check(plugin: Plugin, chip: Chip, known: Sequence[Chip]) -> None:
    """Raise `PluginError` for fields that are not of their types, and for names that are taken."""
    plugin.expect_fields(chip)
    if not chip.boards:
        raise PluginError(f"{plugin}: the chip {chip.name} has no board")
    if any(other.name == chip.name for other in known):
        raise PluginError(f"{plugin}: there is a chip {chip.name} already")
    owners = {board.name: other.name for other in known for board in other.boards}
    for board in chip.boards:
        plugin.expect_fields(board)
        if (owner := owners.setdefault(board.name, chip.name)) != chip.name:
            raise PluginError(f"{plugin}: target '{board.name}' belongs to two chips, {owner} and {chip.name}")


@contextmanager
def blamed(chip: Chip) -> Generator[None]:
    """Any exception within is one of the plug-in that a chip comes from; one of a built-in chip is itself."""
    with nullcontext() if (plugin := _PROVIDERS.get(chip.name)) is None else plugin.blamed():
        yield


def first_answer(kind: type[T], ask: Callable[[Chip], T | None]) -> T | None:
    """The first answer of a chip other than None, those of built-in ones first.

    kind: the type of answers. A chip of others that raises instead, or answers otherwise, is passed over.
    """
    for chip in chips():
        answer = None
        if (plugin := _PROVIDERS.get(chip.name)) is None:
            answer = ask(chip)
        else:
            with plugin.left_out():
                answer = plugin.expect(plugin.call(ask, chip), kind, NoneType)
        if answer is not None:
            return answer
    return None


@cache
def _targets() -> Mapping[str, tuple[Chip, Board]]:
    return {board.name: (chip, board) for chip in chips() for board in chip.boards}


def _target(name: str) -> tuple[Chip, Board]:
    if (target := _targets().get(name)) is None:
        raise InputError(f"unknown target '{name}' (one of {', '.join(_targets())})")
    return target


def boards() -> Sequence[Board]:
    """The boards of all chips; their names are the targets."""
    return [board for _, board in _targets().values()]


def board(target: str) -> Board:
    """The board with a given name; raises `InputError` for an unknown one."""
    return _target(target)[1]


def chip_of(target: str) -> Chip:
    """The chip of a board; raises `InputError` for an unknown one."""
    return _target(target)[0]


def kernels_of(target: str) -> Sequence[Kernel]:
    """The kernels that a board can run, best first; raises `InputError` for an unknown board."""
    chip, board = _target(target)
    return [kernel for kernel in chip.kernels if kernel.needs in ("", *board.features)]


def kernels_for(target: str, wanted: Kernel) -> Sequence[Kernel]:
    """The kernels of a board that compute the sum that a description asks for, the best first, composed ones last.

    Raises `InputError` for an unknown board.
    """
    composed = chip_of(target).compose(wanted)
    listed = [kernel for kernel in kernels_of(target) if kernel.computes(wanted)]
    return [*listed, *(() if composed is None else (composed,))]


def tile_families(target: str, *, large: bool = False) -> Sequence[TileFamily]:
    """The families of kernels for tiles that a board can run, those that take more flash than others, or those others.

    Raises `InputError` for an unknown board.
    """
    chip, board = _target(target)
    return [family for family in chip.tiles if family.needs in ("", *board.features) and family.large == large]


def row_coder(target: str) -> RowCoder | None:
    """What makes rows of constant matrices code on a board; None if nothing does.

    Raises `InputError` for an unknown board.
    """
    chip, board = _target(target)
    return chip.coder if chip.coder is not None and chip.coder.needs in ("", *board.features) else None


def tile_coders(target: str) -> Sequence[TileCoder]:
    """What makes the weights of tiles code on a board; raises `InputError` for an unknown board."""
    chip, board = _target(target)
    return [coder for coder in chip.tile_coders if coder.family.needs in ("", *board.features)]


def spends_flash(target: str) -> bool:
    """Has a board kernels or code that take more flash than others and less time?

    Raises `InputError` for an unknown board.
    """
    code = row_coder(target), *tile_coders(target), *tile_families(target, large=True)
    return any(code)


def coded_kernel(symbol: str, content: CodedRows | CodedTile) -> Kernel:
    """The kernel of a name that a chip's coder of rows or tiles gave; raises `InputError` if no coder has one."""
    kernel = first_answer(
        Kernel, lambda chip: next((one for one in _coded(chip, symbol, content) if one and one.symbol == symbol), None)
    )
    if kernel is None:
        raise InputError(f"no chip has code for '{symbol}'")
    return kernel


def _coded(chip: Chip, symbol: str, content: CodedRows | CodedTile) -> Iterator[Kernel | None]:
    """The kernels of a chip's coders that give rows or tiles such a name."""
    if isinstance(content, CodedTile):
        yield from (coder.kernel(content) for coder in chip.tile_coders if symbol.startswith(coder.prefix))
    elif chip.coder is not None and symbol.startswith(chip.coder.prefix):
        yield chip.coder.composed(symbol, content)


@cache
def known_kernel(symbol: str, target: str | None = None) -> Kernel | None:
    """The kernel with a C function, of a board or else of any chip; None if there is none.

    Raises `InputError` for an unknown board.
    """
    return (
        first_answer(Kernel, lambda chip: _kernel(chip, symbol)) if target is None else _kernel(chip_of(target), symbol)
    )


def _kernel(chip: Chip, symbol: str) -> Kernel | None:
    """The kernel of a chip with a C function; None if there is none."""
    wanted = described(symbol)
    listed = next((kernel for kernel in chip.kernels if kernel.symbol == symbol), None)
    kernel = chip.compose(wanted.wanted) if listed is None and wanted is not None else listed
    if kernel is not None and kernel.symbol == symbol:
        return kernel
    return next(filter(None, (family.named(symbol) for family in chip.tiles)), None)


def kernel_named(symbol: str) -> Kernel:
    """The kernel with a given C function; raises `InputError` if there is none."""
    if (kernel := known_kernel(symbol)) is None:
        raise InputError(f"no kernel is called '{symbol}'")
    return kernel
