"""The registry of chips, their boards (the targets) and their kernels.

A row of `CHIPS` names the boards of a chip, so that only the folder of the requested chip is imported. A separate
package adds a chip by an entry point in the group `tinyml.chips`. The entry point names a `Chip`, such as `mychip =
"mypackage.chip:CHIP"`. Entry points in `tinyml.boards` with the same value name the boards of the chip. If there are
none, the chip is loaded for every board that no row names, and when all boards are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from types import NoneType
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from tinyml.dialects.discardable_attributes import TEXT, DiscardableAttribute, HolderKind
from tinyml.dialects.errors import InputError, did_you_mean, unknown
from tinyml.dialects.extensions import needs, part_of
from tinyml.dialects.layouts.contents import Content
from tinyml.dialects.num import CodeKernelAttr, FarKernelAttr, KernelAttr
from tinyml.dialects.plugins import CHIPS as GROUP
from tinyml.dialects.plugins import NAMES, PluginError, Row, each, plugins
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table
from tinyml.targets.board import Board, bytes_of, spelled_size
from tinyml.targets.chip import Chip
from tinyml.targets.kernel import ELEMENT_FUNCTIONS, Kernel
from tinyml.targets.kernel_table import FarConstants
from tinyml.targets.nests import FarWeightsQuery, KernelQuery, Maker, Offer, SumQuery
from tinyml.targets.tiles import TileFamily

CHIPS = Table(
    GROUP,
    "chip",
    lambda row: _loaded(row),
    home="tinyml.targets",
    built_in=rows_of("chips"),
)
"""The chips: those of tinyml and those of other packages."""

_BOARD_ROWS = {board: row for row in CHIPS.built_in.values() for board in row.names}
"""The rows of the built-in boards and their aliases, installed or not."""

T = TypeVar("T")
M = TypeVar("M", bound=Maker)

DEFAULT_TARGET = "uno"
"""The target of passes and commands if no other is given."""

HOST = "host"
"""The host computer, a target that is always available."""

TARGET = DiscardableAttribute("tinyml.target", {HolderKind.MODULE: TEXT}, "The board for which the module is compiled.")


@cache
def _chip(row: Row) -> Chip | None:
    """The chip of a row; None for a plug-in's chip that is skipped.

    A plug-in's chip is skipped if it is incomplete, or if its name or targets are already in use.
    """
    return next(each([row], CHIPS.load), None)


def _loaded(row: Row) -> Chip:
    chip = row.load(Chip)
    if not row.is_built_in:
        _check(row, chip)
        _PROVIDERS[chip.name] = row
        _PACKAGE_CHIPS.update({name: chip.name for board in chip.boards for name in board.names})
    return chip


_PROVIDERS: dict[str, Row] = {}
"""The row of each chip from another package, by the name of the chip."""

_PACKAGE_CHIPS: dict[str, str] = {}
"""The names of the chips from other packages, by the names of their boards."""


def _check(plugin: Row, chip: Chip) -> None:
    """Raise `PluginError` if a chip of a plug-in has fields of the wrong type, no boards, or names that are already in
    use, or if its boards are not those that the plug-in's entry points name.
    """
    plugin.expect_fields(chip)
    if not chip.boards:
        raise PluginError(f"{plugin}: the chip {chip.name} has no board")
    owners = {name: row.name for name, row in _BOARD_ROWS.items() if row.is_installed} | _PACKAGE_CHIPS
    if chip.name in (*owners.values(), *_PROVIDERS):
        raise PluginError(f"{plugin}: a chip {chip.name} already exists")
    for board in chip.boards:
        plugin.expect_fields(board)
        if (name := next((name for name in board.names if name in owners), None)) is not None:
            raise PluginError(f"{plugin}: target '{name}' belongs to two chips, {owners[name]} and {chip.name}")
    boards = [board.name for board in chip.boards]
    if plugin.names and {*plugin.names} != {*boards}:
        named = f"the entry points of {NAMES[GROUP]} name {', '.join(plugin.names)}"
        raise PluginError(f"{plugin}: its boards are {', '.join(boards)}, {named}")


@contextmanager
def blamed(chip: Chip) -> Generator[None]:
    """A context in which exceptions are attributed to the plug-in that provides the chip. It has no effect for a
    chip of tinyml.
    """
    with nullcontext() if (plugin := _PROVIDERS.get(chip.name)) is None else plugin.blamed():
        yield


def _checked_call(chip: Chip, kind: type[T], ask: Callable[[Chip], T | None]) -> T | None:
    """The object that `ask` returns for a chip, checked if the chip belongs to a plug-in.

    kind: the type that the object must have, unless it is None.

    Raises `PluginError` if a plug-in raises an exception or returns an object of another type.
    """
    if (plugin := _PROVIDERS.get(chip.name)) is None:
        return ask(chip)
    with plugin.blamed():
        return plugin.expect(plugin.call(ask, chip), kind, NoneType)


def chips() -> Sequence[Chip]:
    """All chips: the built-in chips in the order of `CHIPS`, then the chips of other packages. All chips are loaded."""
    return [*filter(None, map(_chip, CHIPS.rows().values()))]


def boards() -> Sequence[Board]:
    """The boards of all chips, whose names are the targets. All chips are loaded."""
    return [board for chip in chips() for board in chip.boards]


def targets() -> Sequence[str]:
    """The names of all boards, without aliases.

    Chips of other packages are loaded if no entry point names their boards.
    """
    names: list[str] = []
    for row in CHIPS.rows().values():
        if row.names:
            names += dict.fromkeys(row.names.values())
        elif (chip := _chip(row)) is not None:
            names += (board.name for board in chip.boards)
    return names


def chip_of(target: str) -> Chip:
    """The chip of a board. Raises `InputError` for an unknown board, and for a chip that is not installed."""
    target, _ = _split_sizes(target)
    return _chip_of_board(target)


@cache
def _chip_of_board(target: str) -> Chip:
    built_in = _BOARD_ROWS.get(target)
    if built_in is not None and built_in.is_installed:
        _ = [_chip(row) for row in plugins(GROUP) if target in row.names]  # They are skipped with a warning.
        return CHIPS.load(built_in)
    # First the chip whose row has the board, then those that have to be loaded to find it, or to resolve an alias.
    for row in sorted(CHIPS.others(), key=lambda row: target not in row.names):
        if (chip := _chip(row)) is not None and any(target in board.names for board in chip.boards):
            return chip
    if built_in is not None:
        raise InputError(f"the target '{target}' {needs(part_of(built_in.value))}")
    raise _unknown_target(target)


def _split_sizes(target: str) -> tuple[str, tuple[int, int] | None]:
    """The name of the board in a target's name, and the sizes of flash and RAM in bytes that follow it.

    Instead of the sizes, the result contains None if no sizes follow (see `Board.with_memories`).
    """
    name, *sizes = target.rsplit("-", 2)
    flash, ram = map(bytes_of, sizes) if len(sizes) == 2 else (None, None)
    return (target, None) if flash is None or ram is None or target in _BOARD_ROWS else (name, (flash, ram))


_PARTS: Mapping[str, Sequence[str]] = {
    "attiny85": ("attiny",),
    "uno": ("atmega", "avr128", "avr64"),
    "cortex-m0": ("stm32f0", "stm32g0", "stm32l0", "stm32c0", "nrf51", "samd1", "samd2", "saml2", "rp2040", "kl25"),
    "cortex-m3": ("stm32f1", "stm32f2", "stm32l1", "sam3", "lpc17"),
    "cortex-m4": ("stm32f3", "stm32f4", "stm32g4", "stm32l4", "stm32wb5", "nrf52", "samd5", "same5", "sam4", "ra4m1"),
    "cortex-m7": ("stm32f7", "stm32h7", "imxrt10", "mimxrt10", "same7", "sams7", "teensy4"),
    "cortex-m33": ("stm32l5", "stm32u5", "stm32h5", "stm32wba", "nrf53", "nrf54", "nrf91", "rp235", "ra6m4", "lpc55"),
    "cortex-m55": ("stm32n6", "alif", "ensemble"),
    "riscv": ("esp32c", "esp32h", "esp32p", "gd32vf", "ch32v"),
    "esp8266": ("esp82", "esp85"),
    "esp32": ("esp32",),
}
"""The first letters of the names of parts that have the instruction set of a target, by that target."""

_LISTED_TARGETS = 16
"""The targets that an error message lists before the host and the boards of packages."""

_SUGGESTED_BOARDS = 3
"""The boards that an error message suggests for an unsupported part."""


def _error_for_part(target: str) -> InputError | None:
    """The error for a target that is the name of a part with a known instruction set. It suggests the nearest boards.

    Returns None for other names.
    """
    part = _plain(target).removeprefix("nucleo").removeprefix("disco")
    if part != _plain(target):
        part = f"stm32{part}"
    core = next((core for core, parts in _PARTS.items() if part.startswith(tuple(parts))), None)
    if core is None:
        return None
    core_board = board(core)
    properties = core_board.features, core_board.flags
    same_core = [board for board in chip_of(core).boards if (board.features, board.flags) == properties]
    with_clock = [board for board in same_core if board.clock is not None]

    def likeness(board: Board) -> float:
        pairs = product((part, _plain(target)), map(_plain, board.names))
        return max(SequenceMatcher(None, *pair).ratio() for pair in pairs)

    nearest = [board.name for board in sorted(with_clock, key=likeness, reverse=True)[:_SUGGESTED_BOARDS]]
    near = f"the nearest boards with its instruction set are {', '.join(nearest)}; " if nearest else ""
    return InputError(f"unknown target '{target}': {near}{_advice_for_part(core)}")


def _advice_for_part(core: str) -> str:
    """The end of an error message: how to compile for a bare part that no board contains.

    core: the core of the part. The sizes in the example are those of the core's memories.
    """
    core_board = board(core)
    assert core_board.flash
    assert core_board.ram
    sizes = f"--flash-size {spelled_size(core_board.flash)} --ram-size {spelled_size(core_board.ram)}"
    return f"for the part itself: --target {core} {sizes}, with its sizes"


def _unknown_target(target: str) -> InputError:
    names, plain_target = [*targets(), *_BOARD_ROWS], _plain(target)
    listed = targets()
    error = unknown("target", target, [*listed[:_LISTED_TARGETS], "...", *listed[listed.index(HOST) :]], names)
    if plain_target in map(_plain, names):
        return error
    ending = next((name for name in listed if name.endswith(f"-{target.lower()}")), None)
    arduino_name = next((name for name in names if plain_target == f"arduino{_plain(name)}"), None)
    if (meant := ending or arduino_name) is not None:
        return InputError(f"unknown target '{target}', did you mean '{meant}'?")
    with_part = [board for board in boards() if plain_target in _plain(f"{board.part} {board.title}")]
    if len(plain_target) > 3 and with_part:
        near = [board.name for board in with_part if board.clock is not None] or [board.name for board in with_part]
        if len(near) == 1:
            return InputError(f"unknown target '{target}', did you mean '{near[0]}'?")
        return InputError(f"unknown target '{target}': the boards with it are {', '.join(near)}")
    if (error_for_part := _error_for_part(target)) is not None:
        return error_for_part
    if did_you_mean(target, names):
        return error
    return InputError(f"{error}; {_advice_for_part('cortex-m4')}")


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def check_target(target: str) -> None:
    """Raise `InputError` for an unknown board. No built-in chip is loaded, unless the name contains memory sizes."""
    if (row := _BOARD_ROWS.get(target)) is None or not row.is_installed:
        board(target)


def board(target: str) -> Board:
    """The board with a given name or alias. The sizes of its memories may follow the name, as `sized` appends them.

    Raises `InputError` for an unknown board.
    """
    name, sizes = _split_sizes(target)
    known = next(board for board in chip_of(name).boards if name in board.names)
    return known if sizes is None else _with_memories(known, *sizes)


def sized(target: str, flash: int | None, ram: int | None) -> str:
    """The name of a target with memories of the given sizes.

    flash, ram: the sizes in bytes; None for the size of the target.

    Raises `InputError` for an unknown target, for a target without memories, and for sizes above the memories of the
    part if compiler and simulator define these memories.
    """
    if flash is None and ram is None:
        return target
    name, sizes = _split_sizes(target)
    known = board(name)
    own_flash, own_ram = sizes or (known.flash, known.ram)
    return _with_memories(known, flash or own_flash, ram or own_ram).name


def _with_memories(known: Board, flash: int | None, ram: int | None) -> Board:
    if flash is None or ram is None or known.flash is None or known.ram is None:
        raise InputError(f"{known.name} has no memories with adjustable sizes")
    if chip_of(known.name).memories_of_part and (flash > known.flash or ram > known.ram):
        raise InputError(
            f"{known.name} ({known.part}) has {known.flash} bytes of flash and {known.ram} of RAM: "
            f"{flash} and {ram} are more"
        )
    return known.with_memories(flash, ram)


def target_of(op: Operation) -> str:
    """The board for which the module that contains an op is compiled; the host if the module specifies no board.

    Raises `InputError` if the module's attribute is not a string.
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
    """Record the board for which a module is compiled. The host, which has no kernels, is not recorded.

    Raises `InputError` for an unknown target, and for a module that is compiled for another board.
    """
    check_compiled_for(module, target)
    if (name := board(target).name) != HOST:
        module.attributes[TARGET] = StringAttr(name)


def check_compiled_for(module: ModuleOp, target: str) -> None:
    """Raise `InputError` for a module that is compiled for a board other than `target`. A module that is compiled for
    the host is accepted for every target.
    """
    if (known := target_of(module)) not in (HOST, board(target).name):
        raise InputError(f"the module is compiled for the target '{known}', not for '{target}' ({TARGET})")


def table_entries(target: str, kind: type[M]) -> list[M]:
    """The entries of class `kind` in a chip's kernel table, except those that need a feature that the board lacks.

    Raises `InputError` for an unknown board.
    """
    features = "", *board(target).features
    return [entry for entry in chip_of(target).entries_of(kind) if entry.needs in features]


def offers(target: str, nest: KernelQuery) -> Iterator[Offer]:
    """Yield the kernels of a board for a nest, the best first.

    Raises `InputError` for an unknown board. Raises `PluginError` if a plug-in's chip raises an exception or
    returns an invalid result.
    """
    if isinstance(nest, SumQuery):
        return iter(_sum_offers(target, nest))
    return _checked_offers(target, nest)


@cache
def _sum_offers(target: str, nest: SumQuery) -> Sequence[Offer]:
    return sorted(_checked_offers(target, nest), key=nest.rank)


def _checked_offers(target: str, nest: KernelQuery) -> Iterator[Offer]:
    """Yield the offers of a chip for a nest.

    An offer of a plug-in is checked: its kernel must compute one of the requested sums.
    """
    chip, features = chip_of(target), board(target).features
    if (plugin := _PROVIDERS.get(chip.name)) is None:
        yield from chip.offers(nest, features)
        return
    with plugin.blamed():
        answers = list(chip.offers(nest, features))
        for answer in answers:
            plugin.expect(answer.kernel, Kernel)
            if isinstance(nest, SumQuery) and (fault := nest.fault(answer.kernel)) is not None:
                raise PluginError(f"{plugin}: {fault}")
    yield from answers


def usual_input_tile(target: str) -> int:
    """The maximum number of bytes of an input tile that all tile kernels of a board support, except kernels that are
    `large`; 0 if there are no such kernels.
    """
    families = table_entries(target, TileFamily)
    return min((family.input_tile_bytes for family in families if not family.large), default=0)


def far_load(target: str) -> float | None:
    """The additional time of reading an element of a far constant, in the unit of the board; None if the board has
    no far constants.
    """
    return next((far.load for far in table_entries(target, FarConstants)), None)


def spends_flash(target: str) -> bool:
    """True if a board has kernels that are faster than the usual kernels and need more flash.

    Raises `InputError` for an unknown board.
    """
    return any(entry.large for entry in table_entries(target, Maker))


@cache
def known_kernel(attribute: KernelAttr, target: str) -> Kernel | None:
    """The kernel of a board that an attribute identifies.

    Returns None if there is no such kernel, or if the kernel embeds constants. Raises `InputError` for an unknown
    board.
    """
    if isinstance(attribute, FarKernelAttr):
        near = known_kernel(attribute.near, target)
        return None if near is None else next((far.kernel for far in offers(target, FarWeightsQuery(near))), None)
    return _identified(target, attribute, None)


def kernel_of(attribute: KernelAttr, target: str) -> Kernel:
    """The kernel of a board that an attribute identifies. Raises `InputError` if there is none."""
    if (kernel := known_kernel(attribute, target)) is None:
        raise InputError(f"the target '{target}' has no kernel {attribute}")
    return kernel


def coded_kernel(attribute: CodeKernelAttr, content: Content, target: str) -> Kernel:
    """The kernel that embeds the given rows, tile, forest or lane program.

    Raises `InputError` if no kernel generator of the board generates a kernel with this attribute for this content.
    """
    kernel = _identified(target, attribute, content)
    if kernel is None or kernel.attribute != attribute:
        raise InputError(f"the chip {chip_of(target).name} has no code for {attribute}")
    return kernel


def _identified(target: str, attribute: KernelAttr, content: Content | None) -> Kernel | None:
    """The kernel that an attribute identifies, on any board of the target's chip; None if there is no such kernel.

    content: the constants that the kernel embeds; None for other kernels.
    """
    chip = chip_of(target)
    kernels = (
        _checked_call(chip, Kernel, lambda _, entry=entry: entry.kernel_of(attribute, content)) for entry in chip.makers
    )
    return next((kernel for kernel in kernels if kernel is not None), None)


def element_function(symbol: str, target: str) -> str | None:
    """The text of a C function on packed elements for a board's chip; None if `symbol` is not the name of such a
    function.
    """
    if (function := ELEMENT_FUNCTIONS.get(symbol)) is None:
        return None
    return _checked_call(chip_of(target), str, lambda chip: chip.functions(function))
