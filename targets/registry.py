"""The registry of chips, their boards (the targets) and their kernels.

`CHIPS` lists the built-in chips. A separate package adds a chip through an entry point in the group `tinyml.chips` that
names its `Chip`, such as `mychip = "mypackage.chip:CHIP"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.layouts.coded_tiles import CodedTile
from tinyml.targets.board import Board
from tinyml.targets.c.composer.names import described
from tinyml.targets.chip import Chip
from tinyml.targets.kernel import Kernel, RowCoder
from tinyml.targets.tiles import TileCoder, TileFamily

CHIPS = ("avr", "cortex_m", "riscv", "host")
"""The built-in chips; `targets/NAME/chip.py` defines the `CHIP` of each."""

GROUP = "tinyml.chips"

USUAL = "uno"
"""The default target."""

HOST = "host"
"""The host computer, a target that is always available."""


@cache
def chips() -> Sequence[Chip]:
    """Every chip: the built-in ones in the order of `CHIPS`, then those of other packages by entry-point name."""
    foreign = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return [
        *(import_module(f"tinyml.targets.{folder}.chip").CHIP for folder in CHIPS),
        *(entry.load() for entry in foreign),
    ]


@cache
def _targets() -> Mapping[str, tuple[Chip, Board]]:
    targets: dict[str, tuple[Chip, Board]] = {}
    for chip in chips():
        for board in chip.boards:
            if board.name in targets:
                raise InputError(
                    f"target '{board.name}' belongs to two chips, {targets[board.name][0].name} and {chip.name}"
                )
            targets[board.name] = (chip, board)
    return targets


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
    kernels = _coded_tiles(symbol, content) if isinstance(content, CodedTile) else _coded_rows(symbol, content)
    kernel = next((kernel for kernel in kernels if kernel is not None and kernel.symbol == symbol), None)
    if kernel is None:
        raise InputError(f"no chip has code for '{symbol}'")
    return kernel


def _coded_rows(symbol: str, rows: CodedRows) -> Iterator[Kernel | None]:
    """The kernels of the coders that give rows such a name."""
    coders = (chip.coder for chip in chips() if chip.coder is not None)
    return (coder.composed(symbol, rows) for coder in coders if symbol.startswith(coder.prefix))


def _coded_tiles(symbol: str, tile: CodedTile) -> Iterator[Kernel | None]:
    """The kernels of the coders that give tiles such a name."""
    coders = (coder for chip in chips() for coder in chip.tile_coders)
    return (coder.kernel(tile) for coder in coders if symbol.startswith(coder.prefix))


@cache
def known_kernel(symbol: str, target: str | None = None) -> Kernel | None:
    """The kernel with a C function, of a board or else of any chip; None if there is none.

    Raises `InputError` for an unknown board.
    """
    among = chips() if target is None else [chip_of(target)]
    wanted = described(symbol)
    for chip in among:
        listed = next((kernel for kernel in chip.kernels if kernel.symbol == symbol), None)
        kernel = chip.compose(wanted.wanted) if listed is None and wanted is not None else listed
        if kernel is not None and kernel.symbol == symbol:
            return kernel
        if (tile := next(filter(None, (family.named(symbol) for family in chip.tiles)), None)) is not None:
            return tile
    return None


def kernel_named(symbol: str) -> Kernel:
    """The kernel with a given C function; raises `InputError` if there is none."""
    if (kernel := known_kernel(symbol)) is None:
        raise InputError(f"no kernel is called '{symbol}'")
    return kernel
