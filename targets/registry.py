"""The registry of chips, their boards (the targets) and their kernels.

`BUILT_IN` names the boards of the built-in chips, so that only the folder of the requested chip is imported. A separate
package adds a chip through an entry point in the group `tinyml.chips` that names its `Chip`, such as `mychip =
"mypackage.chip:CHIP"`; such chips are loaded for a board that is not built in, and to list all boards.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from types import NoneType
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.layouts.coded_rows import CodedRows, CodedTile
from tinyml.dialects.layouts.trees import ForestCode
from tinyml.dialects.num import (
    CodeKernelAttr,
    ComposedKernelAttr,
    FarKernelAttr,
    KernelAttr,
    ListedKernelAttr,
    TileKernelAttr,
)
from tinyml.dialects.own_attributes import TEXT, OwnAttribute, Place
from tinyml.dialects.plugins import CHIPS as GROUP
from tinyml.dialects.plugins import Plugin, PluginError, plugins
from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.targets.kernel import ELEMENT_FUNCTIONS, FarConstants, Kernel, RowCoder
from tinyml.targets.tiles import Tile, TileCoder, TileFamily
from tinyml.targets.verilog.fabric import UNKNOWN, Fabric


@dataclass(frozen=True)
class BuiltIn:
    """A row of `BUILT_IN`.

    boards: the names of the chip's boards. aliases: their other names, and the boards that they are. macro: a macro
    that only its compiler defines, if its programs read constants in a way of their own, so that other compilers have
    to reject them. prefixes: of macros that only its compilers define, by which texts of the runtime select code for
    it.
    """

    boards: Sequence[str]
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    macro: str | None = None
    prefixes: Sequence[str] = ()


BUILT_IN: Mapping[str, BuiltIn] = {
    "avr": BuiltIn(
        ("uno", "nano", "mega", "leonardo", "attiny85", "avr35", "atmega1284p"),
        {"micro": "leonardo"},
        macro="__AVR__",
        prefixes=("__AVR_",),
    ),
    "cortex-m": BuiltIn(
        (
            *("cortex-m0", "cortex-m3", "cortex-m4", "cortex-m4-xip"),
            *("mkr1000", "pico", "due", "nano33ble", "nucleo-l4r5zi", "microbit"),
        ),
        {"mkrzero": "mkr1000", "nano33iot": "mkr1000", "nano33blesense": "nano33ble", "microbit-v2": "microbit"},
        prefixes=("__ARM_", "__thumb"),
    ),
    "riscv": BuiltIn(
        ("riscv", "gd32vf103", "esp32-c3"),
        {"longan-nano": "gd32vf103", "esp32c3": "esp32-c3"},
        prefixes=("__riscv",),
    ),
    "fpga": BuiltIn(("ecp5-25k", "ice40-up5k", "arty-a7")),
    "host": BuiltIn(("host",)),
}
"""The built-in chips by name; `targets/NAME/chip.py`, with `_` for `-`, defines the `CHIP` of each."""

_OWNERS = {board: name for name, row in BUILT_IN.items() for board in (*row.boards, *row.aliases)}

T = TypeVar("T")

USUAL = "uno"
"""The default target."""

HOST = "host"
"""The host computer, a target that is always available."""

TARGET = OwnAttribute("tinyml.target", {Place.MODULE: TEXT}, "The board whose kernels and functions the module calls.")


@cache
def _built_in(name: str) -> Chip:
    return import_module(f"tinyml.targets.{name.replace('-', '_')}.chip").CHIP


@cache
def _of_plugins() -> Sequence[Chip]:
    """The chips of other packages, by entry-point name.

    Chips that are incomplete, or have the name or a target of another chip, are omitted.
    """
    known: list[Chip] = []
    owners = dict(_OWNERS)
    for plugin in plugins(GROUP):
        with plugin.left_out():
            chip = plugin.load(Chip)
            _check(plugin, chip, [*BUILT_IN, *(other.name for other in known)], owners)
            owners |= {name: chip.name for board in chip.boards for name in board.names}
            _PROVIDERS[chip.name] = plugin
            known.append(chip)
    return known


_PROVIDERS: dict[str, Plugin] = {}
"""The plug-in of each chip from another package, by the name of the chip."""


def _check(plugin: Plugin, chip: Chip, taken: Sequence[str], owners: Mapping[str, str]) -> None:
    """Raise `PluginError` for fields of the wrong type, and for names that are taken.

    taken: the names of other chips. owners: the chip of each other board.
    """
    plugin.expect_fields(chip)
    if not chip.boards:
        raise PluginError(f"{plugin}: the chip {chip.name} has no board")
    if chip.name in taken:
        raise PluginError(f"{plugin}: there is a chip {chip.name} already")
    for board in chip.boards:
        plugin.expect_fields(board)
        if (name := next((name for name in board.names if name in owners), None)) is not None:
            owner = owners[name]
            raise PluginError(f"{plugin}: target '{name}' belongs to two chips, {owner} and {chip.name}")


@contextmanager
def blamed(chip: Chip) -> Generator[None]:
    """Attribute exceptions in the context to the plug-in that the chip comes from, if any."""
    with nullcontext() if (plugin := _PROVIDERS.get(chip.name)) is None else plugin.blamed():
        yield


def _answer(chip: Chip, kind: type[T], ask: Callable[[Chip], T | None]) -> T | None:
    """The answer of a chip; raises `PluginError` for a plug-in that raises, or whose answer has another type."""
    if (plugin := _PROVIDERS.get(chip.name)) is None:
        return ask(chip)
    with plugin.blamed():
        return plugin.expect(plugin.call(ask, chip), kind, NoneType)


def chips() -> Sequence[Chip]:
    """All chips: the built-in ones in the order of `BUILT_IN`, then those of other packages. Loads all of them."""
    return [*map(_built_in, BUILT_IN), *_of_plugins()]


def boards() -> Sequence[Board]:
    """The boards of all chips, whose names are the targets. Loads all chips."""
    return [board for chip in chips() for board in chip.boards]


def targets() -> Sequence[str]:
    """The names of all boards, without aliases. Loads the chips of other packages."""
    built_in = [board for row in BUILT_IN.values() for board in row.boards]
    return [*built_in, *(board.name for chip in _of_plugins() for board in chip.boards)]


def chip_of(target: str) -> Chip:
    """The chip of a board; raises `InputError` for an unknown one."""
    if (name := _OWNERS.get(target)) is not None:
        return _built_in(name)
    for chip in _of_plugins():
        if any(target in board.names for board in chip.boards):
            return chip
    raise unknown("target", target, targets(), _OWNERS)


def check_target(target: str) -> None:
    """Raise `InputError` for an unknown board. No built-in chip is loaded."""
    if target not in _OWNERS:
        chip_of(target)


def board(target: str) -> Board:
    """The board with a given name or alias; raises `InputError` for an unknown one."""
    return next(board for board in chip_of(target).boards if target in board.names)


def target_of(op: Operation) -> str:
    """The board for which the module around an op is compiled; the host unless a module names one.

    Raises `InputError` for an attribute that is not a string.
    """
    around: Operation | None = op
    while around is not None:
        if (target := around.attributes.get(TARGET)) is not None:
            if not isinstance(target, StringAttr):
                raise InputError(f"{TARGET}: expected the name of a target, got {target}")
            return target.data
        around = around.parent_op()
    return HOST


def compile_for(module: ModuleOp, target: str) -> None:
    """Record the board whose kernels a module calls; the host has none and is not recorded.

    Raises `InputError` for a module that is compiled for another board.
    """
    if (target := board(target).name) == HOST:
        return
    check_compiled_for(module, target)
    module.attributes[TARGET] = StringAttr(target)


def check_compiled_for(module: ModuleOp, target: str) -> None:
    """Raise `InputError` for a module that is compiled for another board than `target`, unless that is the host."""
    if (known := target_of(module)) not in (HOST, board(target).name):
        raise InputError(f"the module calls kernels of the target '{known}', not of '{target}' ({TARGET})")


def fabric_of(op: Operation) -> Fabric:
    """The FPGA for which the module around an op is compiled; `UNKNOWN` for other targets."""
    return board(target_of(op)).fabric or UNKNOWN


def kernels_of(target: str) -> Sequence[Kernel]:
    """The kernels that a board can run, best first; raises `InputError` for an unknown board."""
    return _runnable(chip_of(target).kernels, target)


def kernels_for(target: str, wanted: Kernel) -> Sequence[Kernel]:
    """The kernels of a board that compute the described sum, the best first, composed ones last.

    Raises `InputError` for an unknown board.
    """
    chip = chip_of(target)
    composed = _composed(target, wanted)
    listed = [kernel for kernel in chip.kernels_by_sum.get(wanted.computed, ()) if kernel.computes(wanted)]
    return [*_runnable(listed, target), *(() if composed is None else (composed,))]


def _runnable(kernels: Iterable[Kernel], target: str) -> list[Kernel]:
    """The kernels for which a board has the features."""
    features = "", *board(target).features
    return [kernel for kernel in kernels if kernel.needs in features]


def tile_families(target: str, *, large: bool = False) -> Sequence[TileFamily]:
    """The families of tile kernels that a board can run: those that take more flash if `large`, otherwise the others.

    Raises `InputError` for an unknown board.
    """
    chip, features = chip_of(target), board(target).features
    return [family for family in chip.tiles if family.needs in ("", *features) and family.large == large]


def maker_of(tile: TileKernelAttr | CodeKernelAttr, target: str) -> TileFamily | TileCoder:
    """The family of a tile's kernel, or the coder that makes it; raises `InputError` if the target has none."""
    if isinstance(tile, CodeKernelAttr):
        makers = [coder for coder in tile_coders(target) if coder.name == tile.coder.data]
    else:
        families, key = (
            (*tile_families(target), *tile_families(target, large=True)),
            (tile.family.data, tile.lines.data),
        )
        makers = [family for family in families if (family.name, family.lines) == key]
    if not makers:
        raise InputError(f"the target '{target}' has no kernel {tile}")
    return makers[0]


def row_coder(target: str) -> RowCoder | None:
    """The coder that turns rows of constant matrices into code on a board; None if there is none.

    Raises `InputError` for an unknown board.
    """
    chip, features = chip_of(target), board(target).features
    return chip.coder if chip.coder is not None and chip.coder.needs in ("", *features) else None


def tile_coders(target: str) -> Sequence[TileCoder]:
    """The coders that turn the weights of tiles into code on a board; raises `InputError` for an unknown board."""
    chip, features = chip_of(target), board(target).features
    return [coder for coder in chip.tile_coders if coder.family.needs in ("", *features)]


def far_constants(target: str) -> FarConstants | None:
    """The far constants of a board; None if it reads near ones only.

    Raises `InputError` for an unknown board.
    """
    far, features = chip_of(target).far, board(target).features
    return far if far is not None and far.needs in ("", *features) else None


def spends_flash(target: str) -> bool:
    """True if a board has kernels or code that are faster than others but take more flash.

    Raises `InputError` for an unknown board.
    """
    code = row_coder(target), *tile_coders(target), *tile_families(target, large=True)
    return any(code)


@cache
def known_kernel(attribute: KernelAttr, target: str) -> Kernel | None:
    """The kernel of a board that an attribute identifies; None if there is none, or if it contains constants.

    Raises `InputError` for an unknown board.
    """
    chip = chip_of(target)
    match attribute:
        case ListedKernelAttr():
            kernels = chip.kernels
        case ComposedKernelAttr():
            widths = attribute.weights.data, attribute.vector.data, attribute.sum.data
            codings = attribute.weights_coding.data, attribute.vector_coding.data
            flash = attribute.ram.data == 0
            kernels = [_composed(target, Kernel("", *widths, op=attribute.op.data, flash=flash, codings=codings))]
        case TileKernelAttr():
            tile, name = Tile.of(attribute), attribute.family.data
            families = [family for family in chip.tiles if (family.name, family.lines) == (name, tile.lines)]
            kernels = [_answer(chip, Kernel, lambda _, family=family: family.kernel(tile)) for family in families]
        case FarKernelAttr():
            near, far = known_kernel(attribute.near, target), far_constants(target)
            found = None if near is None or far is None else far.kernel(near)
            kernels = [None if found is None else replace(found, identity=attribute)]
        case _:
            kernels = ()
    return next((kernel for kernel in kernels if kernel is not None and kernel.attribute == attribute), None)


def kernel_of(attribute: KernelAttr, target: str) -> Kernel:
    """The kernel of a board that an attribute identifies; raises `InputError` if there is none."""
    if (kernel := known_kernel(attribute, target)) is None:
        raise InputError(f"the target '{target}' has no kernel {attribute}")
    return kernel


def _composed(target: str, wanted: Kernel) -> Kernel | None:
    """The kernel that a board's chip composes for a description; None if there is none that the board can run."""
    chip = chip_of(target)
    kernel = _answer(chip, Kernel, lambda chip: chip.compose(wanted))
    if kernel is None or not _runnable([kernel], target):
        return None
    widths = kernel.weights, kernel.vector
    with blamed(chip):
        ram = kernel.flash is False
        identity = ComposedKernelAttr.of(kernel.op, kernel.codings, widths, kernel.sum, kernel.gaps, ram=ram)
    return replace(kernel, identity=identity)


def coded_kernel(attribute: CodeKernelAttr, content: CodedRows | CodedTile | ForestCode, target: str) -> Kernel:
    """The kernel that contains rows, a tile or a forest.

    Raises `InputError` if no coder of a board gives them this attribute.
    """
    chip = chip_of(target)
    kernel = _answer(chip, Kernel, lambda chip: _coded(chip, attribute, content))
    if kernel is None or kernel.attribute != attribute:
        raise InputError(f"the chip {chip.name} has no code for {attribute}")
    return kernel


def _coded(chip: Chip, attribute: CodeKernelAttr, content: CodedRows | CodedTile | ForestCode) -> Kernel | None:
    name = attribute.coder.data
    if isinstance(content, ForestCode):
        return next((coder.kernel(content) for coder in chip.forests if coder.name == name), None)
    if isinstance(content, CodedTile):
        return next((coder.kernel(content) for coder in chip.tile_coders if coder.name == name), None)
    coder = chip.coder
    return None if coder is None or coder.name != name else coder.kernel(attribute.key.data, content)


def element_function(symbol: str, target: str) -> str | None:
    """The text of a function on packed elements for a board's chip; None for other functions."""
    if (function := ELEMENT_FUNCTIONS.get(symbol)) is None:
        return None
    return _answer(chip_of(target), str, lambda chip: chip.functions(function))
