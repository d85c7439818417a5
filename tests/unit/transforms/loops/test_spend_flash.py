"""Flash is spent on the kernels that save the most time per byte, within the limit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten, run
from tinyml.targets.board import Timing
from tinyml.targets.composer.instructions import cycles_of_runs
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import board
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_on
from tinyml.transforms.loops.flash.attempts import next_attempt
from tinyml.transforms.loops.flash.candidates import Group, TileCandidate, TimeSaving
from tinyml.transforms.loops.flash.choice import Choice
from tinyml.transforms.loops.flash.estimates import Estimates
from tinyml.transforms.loops.flash.tile_candidates import Tiles
from tinyml.transforms.loops.kernels.tiles import calls_of_tile, is_bought
from tinyml.transforms.loops.select_kernels import SelectKernelsPass
from tinyml.transforms.loops.spend_flash import SpendFlashPass

TARGET = "cortex-m4"
Q, FLASH = "!zeroskew.q<8, 1.0, 0>", "#scratch.flash"


def tile(channels: int, weights: str, count: int = 4) -> str:
    """The text of a tile with one row of weights and `count` windows, which have three pixels each.

    channels: the number of elements of a pixel.
    weights: the name of the constant with the weights.
    """
    length = 3 * channels
    types = [
        f"memref<{count}x!zeroskew.q<8, 4.0, -3>>",
        f"memref<1x!zeroskew.q<32, 1.0, 0>, {FLASH}>",
        f"memref<{length}x{Q}, {FLASH}>",
        f"memref<{(count + 2) * channels}x{Q}>",
    ]
    contraction = windows(f"%y{count}", f"%{weights}", f"%x{(count + 2) * channels}", types, channels, weights)
    return f"""
    %{weights} = scratch.constant dense<1> : tensor<{length}xi8> -> {types[2]}{contraction}"""


def windows(outputs: str, weights: str, image: str, types: Sequence[str], step: int, name: str) -> str:
    """The text of a contraction over windows of one run, whose initial values are in the buffer %s.

    outputs, weights, image: the names of these buffers.
    types: the types of outputs, initial values, weights and image.
    step: the number of elements from one window to the next.
    name: the prefix of the names of new values.
    """
    results, rows, elements = (int(type.removeprefix("memref<").partition("x")[0]) for type in types[:3])
    result = types[0].partition("x")[2].removesuffix(">")
    shape, matrix = f"memref<{results // rows}x{rows}x{result}>", f"memref<{rows}x{elements // rows}x{Q}, {FLASH}>"
    acc = "!zeroskew.acc<32, 1.0>"
    tile = {"rows": rows, "runs": 1, "length": elements // rows, "pitch": 0, "step": step, "count": results // rows}
    kernel = ", ".join(f"{name} = {value}" for name, value in {**tile, "zero": -3}.items())
    return f"""
    %{name}_zero = arith.constant 0 : index
    %{name}_y = scratch.slice {outputs}[%{name}_zero] : {types[0]} to {shape}
    %{name}_w = scratch.slice {weights}[%{name}_zero] : {types[2]} to {matrix}
    num.contract %window, %row to {results // rows}, {rows} by #num.tile_kernel<"tm_cm_dot_tile_s8", {kernel}> {{
      %n = memref.load %s[%row] : {types[1]}
      %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> {acc}
      %sum = num.products %start, %{name}_w, {image} {{spacing = array<i64: 1, 0, {step}>}} :
        {acc}, {matrix}, {types[3]} -> {acc}
      %result = num.finish %sum : {acc} -> {result}
      memref.store %result, %{name}_y[%window, %row] : {shape}
    }}"""


def program(*tiles: str) -> str:
    """A function that executes the tiles one after another; all except the first are executed ten times."""
    first, *more = tiles
    return f"""
func.func @tiles(%x24: memref<24x{Q}>, %x48: memref<48x{Q}>, %x80: memref<80x{Q}>,
    %y4: memref<4x!zeroskew.q<8, 4.0, -3>>, %y8: memref<8x!zeroskew.q<8, 4.0, -3>>) {{
  %s = scratch.constant dense<9> : tensor<1xi32> -> memref<1x!zeroskew.q<32, 1.0, 0>, {FLASH}>
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %one = arith.constant 1 : index
  {first}
  scf.for %i = %zero to %ten step %one {{
    {" ".join(more)}
  }}
  func.return
}}
"""


TILES = program(tile(8, "first"), tile(4, "second"))


def chosen(flash: int, ram: int | None = None, text: str = TILES) -> tuple[list[str], Estimate]:
    """The families and steps of the chosen kernels that need more flash, and the estimate of the program within `flash`
    and `ram`.
    """
    module, ctx = Parser(context(), text).parse_module(), context()
    run(module, ctx, [SpendFlashPass(TARGET, flash, ram)])
    tiles = [op.tile for op in module.walk() if isinstance(op, num.ContractOp)]
    kernels = [tile for tile in tiles if isinstance(tile, num.TileKernelAttr) and is_bought(tile, TARGET)]
    run(module, ctx, [SelectKernelsPass(TARGET)])
    assert all(op.kernel is not None for op in composed(module))
    estimate = estimate_on(module, TARGET, "-Os")
    assert estimate is not None
    return [f"{kernel.family.data} {kernel.step.data}" for kernel in kernels], estimate


def composed(module: ModuleOp) -> list[num.CallOp]:
    return [op for op in module.walk() if isinstance(op, num.CallOp) and isinstance(op.routine, num.TilesAttr)]


@pytest.mark.long
def test_flash_goes_first_to_what_runs_most_often():
    often, once = "tm_cm_winograd_1d_s8 4", "tm_cm_winograd_1d_s8 8"
    (none, usual), (both, most) = chosen(1), chosen(1 << 20)
    assert (none, both) == ([], [once, often])
    groups = Tiles(Parser(context(), TILES).parse_module(), TARGET).groups(1e6)
    best = {op: max(group[op].saving.cycles for group in groups if op in group) for group in groups for op in group}
    assert len(best) == 2
    assert all(cycles > 0 for cycles in best.values())
    limits = [
        limit for limit in range(round(usual.flash), round(most.flash) + 2000, 200) if chosen(limit)[0] == [often]
    ]
    assert limits
    assert limits == list(range(limits[0], limits[-1] + 1, 200))
    assert all(often not in chosen(limits[0] - 200 * back)[0] for back in (1, 5))


def test_the_program_keeps_the_limits():
    both, most = chosen(1 << 20)
    names, estimate = chosen(round(most.flash) - 1)
    assert names != both
    assert estimate.flash < most.flash
    assert most.deepest > chosen(1)[1].deepest
    assert chosen(1 << 20, ram=round(most.ram) + 1)[0] == both
    names, estimate = chosen(1 << 20, ram=round(most.ram) - 1)
    assert names != both
    assert estimate.ram < most.ram


def test_attempts_are_programs_of_their_own():
    """If each built program exceeds the limit on flash by two bytes, two to four further attempts are made, each on a
    new program. The flash that an attempt may spend decreases by more than two bytes from one attempt to the next.
    """
    within, spent = 1 << 20, list[float]()
    while within is not None:
        module = Parser(context(), TILES).parse_module()
        run(module, context(), [SpendFlashPass(TARGET, within)])
        after = next_attempt(module, within, taken=30_002, limit=30_000)
        if after is not None:
            spent.append(after)
        within = after
    assert 2 <= len(spent) <= 4
    assert all(b < a - 2 for a, b in pairwise(spent)), spent


@pytest.mark.long
def test_tiles_with_the_same_weights_share_a_stream():
    """Two tiles with the same weights share one weight stream. Therefore either both of their kernels are replaced, or
    neither is.
    """
    text = program(tile(8, "first"), tile(8, "second", 8))
    (_, usual), (both, most) = chosen(1, text=text), chosen(1 << 20, text=text)
    assert len(both) == 2
    limits = range(round(usual.flash), round(most.flash) + 2000, 250)
    assert {len(chosen(limit, text=text)[0]) for limit in limits} == {0, 2}


X, Y = f"memref<80x{Q}>", "memref<64x!zeroskew.q<8, 64.0, -3>>"
S, W = f"memref<8x!zeroskew.q<32, 1.0, 0>, {FLASH}>", f"memref<192x{Q}, {FLASH}>"
MANY = f"""
func.func @many(%x: {X}, %y: {Y}) {{
  %s = scratch.constant dense<9> : tensor<8xi32> -> {S}
  %w = scratch.constant dense<3> : tensor<192xi8> -> {W}{windows("%y", "%w", "%x", (Y, S, W, X), 8, "many")}
  func.return
}}
"""
"""A tile of eight rows and eight windows."""


@pytest.mark.long
def test_what_saves_more_takes_the_place_of_what_saves_more_for_each_byte():
    (_, usual), (_, most) = chosen(1, text=MANY), chosen(1 << 20, text=MANY)
    limits = range(round(usual.flash), round(most.flash) + 2000, 100)
    kernels = [tuple(name.partition(" ")[0] for name in chosen(limit, text=MANY)[0]) for limit in limits]
    assert list(dict.fromkeys(kernels)) == [(), ("tm_cm_wide_tile_s8",), ("tm_cm_winograd_1d_s8",)]


def test_kernels_that_are_called_besides_stay():
    """If an ordinary kernel is replaced, its flash counts as freed only if no other code calls it."""
    module = Parser(context(), TILES).parse_module()
    tiles = Tiles(module, TARGET)
    taken = {part: each for group in tiles.groups(1e6) for part, each in group.items()}
    alone = tiles.added(taken)
    tiles.called |= {call.kernel.attribute for call in tiles.usual.values()}
    assert len(taken) == 2
    assert tiles.added(taken) - alone == sum(call.kernel.code for call in tiles.usual.values())


def test_what_runs_ten_times_saves_ten_times_as_much():
    def savings(text: str) -> list[tuple[float, float]]:
        groups = Tiles(Parser(context(), text).parse_module(), TARGET).groups(1e6)
        return [each.saving for group in groups for each in group.values() if isinstance(each, TileCandidate)]

    once = savings(program(tile(4, "once")))
    assert once
    assert savings(program("", tile(4, "often"))) == [(10 * units, 10 * cycles) for units, cycles in once]


def test_time_counts_in_cycles_of_the_core():
    """The saving of a kernel is the difference between the cycles that `cycles_of_runs` computes for it and for the
    kernel that it replaces. `check_times` compares these cycles with those of programs.
    """
    timing, tiles = board(TARGET).timing, Tiles(Parser(context(), MANY).parse_module(), TARGET)
    assert timing is not None
    [usual] = tiles.usual.values()
    units, cycles = times(usual.kernel, timing)
    candidates = [each for group in tiles.groups(1e6) for each in group.values() if isinstance(each, TileCandidate)]
    assert len(candidates) == 2
    for candidate in candidates:
        less_units, less_cycles = times(candidate.call.kernel, timing)
        assert candidate.saving == (units - less_units, cycles - less_cycles)
        assert 0 < candidate.saving.units != candidate.saving.cycles


ROWS, COLUMNS = 9, 40
WEIGHTS = [0 if number % 3 else (37 * number) % 255 - 127 for number in range(ROWS * COLUMNS)]
X8, W8 = f"memref<{COLUMNS}x!fixed.q<8, 6>>", f"memref<{ROWS}x{COLUMNS}x!fixed.q<8, 4>, {FLASH}>"
DENSE = f"""
func.func @dense(%x: {X8}, %y: memref<{ROWS}x!fixed.q<8, 2>>) {{
  %w = scratch.constant dense<{[WEIGHTS[first : first + COLUMNS] for first in range(0, ROWS * COLUMNS, COLUMNS)]}>
    : tensor<{ROWS}x{COLUMNS}xi8> -> {W8}
  num.contract %i to {ROWS} {{
    %start = num.zero : !fixed.acc<32, 10>
    %sum = num.products %start, %w, %x : !fixed.acc<32, 10>, {W8}, {X8} -> !fixed.acc<32, 10>
    %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%i] : memref<{ROWS}x!fixed.q<8, 2>>
  }}
  func.return
}}
"""
"""Rows that a kernel takes in blocks of four."""


def test_no_limit_makes_a_program_slower():
    def estimated(flash: int | None) -> Estimate:
        module, ctx = Parser(context(), DENSE).parse_module(), context()
        run(module, ctx, [SpendFlashPass(TARGET, flash), *flatten("loops-to-kernels", {"target": TARGET})])
        estimate = estimate_on(module, TARGET, "-Os")
        assert estimate is not None
        return estimate

    plain, most = estimated(None), estimated(1 << 20)
    assert most.time < plain.time
    for limit in range(round(plain.flash), round(most.flash) + 200, 200):
        estimate = estimated(limit)
        assert estimate.flash <= limit + 1
        assert estimate.time <= plain.time, limit


def times(kernel: Kernel, timing: Timing) -> tuple[float, float]:
    """The instructions and the cycles of a call."""
    assert kernel.composed is not None
    return kernel.composed.costs[""], cycles_of_runs(timing, kernel.composed.runs)


@pytest.mark.parametrize(("savings", "best"), [([(9, 5), (1, 8)], 1), ([(9, 8), (1, 5)], 0), ([(5, 9), (8, 1)], 0)])
def test_the_order_that_saves_more_cycles_is_taken(savings: list[tuple[int, int]], best: int):
    """The flash is sufficient for only one of two candidates; the one that saves more cycles is taken."""
    module = Parser(context(), TILES).parse_module()
    tiles, estimates = Tiles(module, TARGET), Estimates(module, TARGET, "auto", pack_buffers=False)
    groups: list[Group] = []
    for (part, _), saving in zip(tiles.usual.items(), savings, strict=True):
        calls = calls_of_tile(part, TARGET, large=True)
        [call] = [call for call in calls if "winograd_1d" in call.kernel.symbol]
        groups.append({part: TileCandidate(part, call, TimeSaving(*saving))})
    room = max(tiles.added(group) for group in groups)
    taken = Choice(groups, tiles, estimates, estimates.plain.flash + room, estimates.plain.ram + 4096).made()
    assert taken == groups[best]


def test_later_choices_count_only_the_bytes_that_they_add():
    """For each candidate, only the bytes that it adds to the choice so far count. After the first, of 100 bytes, a
    candidate that saves 2 cycles with 1 byte is chosen before one that saves 10 cycles with 10 bytes. Within 110
    bytes, the latter no longer fits.
    """
    sizes = {"first": 100, "small": 1, "large": 10}
    savings: dict[Any, int] = {"first": 1000, "small": 2, "large": 10}
    nothing = SimpleNamespace(flash=0, ram=0, time=0)
    tiles: Any = SimpleNamespace(added=lambda taken: sum(map(sizes.__getitem__, taken)))  # pyright: ignore
    estimates: Any = SimpleNamespace(of=lambda _: nothing)  # pyright: ignore
    call: Any = None
    groups: Any = [{part: TileCandidate(part, call, TimeSaving(saved, saved))} for part, saved in savings.items()]
    assert [*Choice(groups, tiles, estimates, 110, 0).made()] == ["first", "small"]
    assert [*Choice(groups, tiles, estimates, 111, 0).made()] == ["first", "small", "large"]
