"""Flash goes to the kernels that save most for each byte, and no further than the limit."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.lowering.cost.model.estimate import Estimate, estimate_on
from tinyml.lowering.cost.spend_flash import Choice, SpendFlashPass, Tile
from tinyml.lowering.pipelines import run
from tinyml.targets.registry import tile_families
from tinyml.transforms.loops.kernels.tiles import call_of_tile
from tinyml.transforms.loops.select_kernels import SelectKernelsPass

TARGET = "cortex-m4"
Q, FLASH = "!zeroskew.q<8, 1.0, 0>", "#scratch.flash"


def tile(channels: int, weights: str, count: int = 4) -> str:
    """A tile of one row of weights and some windows of one row of three pixels."""
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
    """A contraction over windows of one run that starts from %s. types: of outputs, starts, weights and image."""
    results, rows, elements = (int(type.removeprefix("memref<").partition("x")[0]) for type in types[:3])
    result = types[0].partition("x")[2].removesuffix(">")
    shape, matrix = f"memref<{results // rows}x{rows}x{result}>", f"memref<{rows}x{elements // rows}x{Q}, {FLASH}>"
    acc = "!zeroskew.acc<32, 1.0>"
    return f"""
    %{name}_zero = arith.constant 0 : index
    %{name}_y = scratch.slice {outputs}[%{name}_zero] : {types[0]} to {shape}
    %{name}_w = scratch.slice {weights}[%{name}_zero] : {types[2]} to {matrix}
    num.contract %window, %row to {results // rows}, {rows} {{
      %n = memref.load %s[%row] : {types[1]}
      %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> {acc}
      %sum = num.products %start, %{name}_w, {image} {{spacing = array<i64: 1, 0, {step}>}} :
        {acc}, {matrix}, {types[3]} -> {acc}
      %result = num.finish %sum : {acc} -> {result}
      memref.store %result, %{name}_y[%window, %row] : {shape}
    }}"""


def program(*tiles: str) -> str:
    """A function that takes one tile after the other, those behind the first ten times."""
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
    """The families of kernels that take more flash with their steps, and the estimate of the program."""
    module, ctx = Parser(context(), text).parse_module(), context()
    run(module, ctx, [SpendFlashPass(TARGET, flash, ram)])
    kernels = [op.kernel for op in composed(module) if isinstance(op.kernel, num.TileKernelAttr)]
    run(module, ctx, [SelectKernelsPass(TARGET)])
    assert all(op.kernel is not None for op in composed(module))
    estimate = estimate_on(module, TARGET, "-Os")
    assert estimate is not None
    return [f"{kernel.family.data} {kernel.step.data}" for kernel in kernels], estimate


def composed(module: ModuleOp) -> list[num.ComposedTilesOp]:
    return [op for op in module.walk() if isinstance(op, num.ComposedTilesOp)]


def test_flash_goes_first_to_what_runs_most_often():
    often, once = "tm_cm_winograd_strip_s8 4", "tm_cm_winograd_strip_s8 8"
    (none, usual), (both, most) = chosen(0), chosen(1 << 20)
    assert (none, both) == ([], [once, often])
    assert most.time < usual.time
    limits = [
        limit for limit in range(round(usual.flash), round(most.flash) + 2000, 200) if chosen(limit)[0] == [often]
    ]
    assert limits
    assert limits == list(range(limits[0], limits[-1] + 1, 200))
    assert all(chosen(limits[0] - 200 * back)[0] == [] for back in (1, 5))


def test_the_program_keeps_the_limits():
    _, most = chosen(1 << 20)
    names, estimate = chosen(round(most.flash) - 1)
    assert len(names) < 2
    assert estimate.flash < most.flash
    assert most.deepest > chosen(0)[1].deepest
    assert len(chosen(1 << 20, ram=round(most.ram) + 1)[0]) == 2
    assert len(chosen(1 << 20, ram=round(most.ram) - 1)[0]) == 1


def test_tiles_with_the_same_weights_share_a_stream():
    """Both are taken or none."""
    text = program(tile(8, "first"), tile(8, "second", 8))
    (_, usual), (both, most) = chosen(0, text=text), chosen(1 << 20, text=text)
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


def test_what_saves_more_takes_the_place_of_what_saves_more_for_each_byte():
    (_, usual), (_, most) = chosen(0, text=MANY), chosen(1 << 20, text=MANY)
    limits = range(round(usual.flash), round(most.flash) + 2000, 100)
    kernels = [tuple(name.partition(" ")[0] for name in chosen(limit, text=MANY)[0]) for limit in limits]
    assert list(dict.fromkeys(kernels)) == [(), ("tm_cm_wide_strip_s8",), ("tm_cm_winograd_strip_s8",)]


def test_kernels_that_are_called_besides_stay():
    """Flash of a usual kernel is free again only if nothing else calls it."""
    module, ctx = Parser(context(), TILES).parse_module(), context()
    run(module, ctx, [SelectKernelsPass(TARGET)])
    calls = {op.kernel for op in composed(module) if op.kernel is not None}
    [first, second] = [op for op in Parser(context(), TILES).parse_module().walk() if isinstance(op, num.ContractOp)]
    tiles = [Tile(op, call, []) for op in (first, second) if (call := call_of_tile(op, tile_families(TARGET)))]
    large = [call_of_tile(tile.op, tile_families(TARGET, large=True)) for tile in tiles]
    taken = {tile: call for tile, call in zip(tiles, large, strict=True) if call is not None}
    alone, besides = (Choice(tiles, 0, called).added(taken) for called in (set[num.KernelAttr](), calls))
    assert besides - alone == sum(tile.usual.kernel.code for tile in tiles)
