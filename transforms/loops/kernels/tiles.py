"""Kernels for the rows of weights and several windows of a tile, and the calls that replace contractions (L3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import CodedTile
from tinyml.dialects.locations import error_at
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import family_of
from tinyml.targets.tiles import Sums, Tile, TileCoder, TileFamily, coded_tile, tile_of
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.loops.kernels.finished_sums import FinishedSums

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes


def select_tile_kernels(module: ModuleOp, target: str) -> None:
    """Replace contractions that have a tile by calls of its kernel, unless their weights have been packed or loaded."""
    for function in defined_functions(module):
        for op in [op for op in function.walk() if isinstance(op, num.ContractOp)]:
            if (call := call_of_tile(op, target)) is not None:
                call.replace(op)


def usual_tile(op: num.ContractOp, families: Sequence[TileFamily]) -> num.TileKernelAttr | None:
    """The tile of the first family that has a kernel for a contraction; None without one."""
    call = next(calls_of_tile(op, families), None)
    return None if call is None else tile_of(call.kernel)


@dataclass(frozen=True)
class TileCall:
    """A kernel for a tile or for some of its lines, and its weight stream. times: the number of calls for all lines."""

    kernel: Kernel
    stream: Bytes
    tile: Tile
    times: int

    @property
    def time(self) -> float:
        """The time of all calls, in the target's unit."""
        return self.times * _time(self.kernel)

    @cached_property
    def content(self) -> bytes:
        """The data in flash that calls of the same kernel can share: the weight stream."""
        return self.stream.tobytes()

    def replace(self, op: num.ContractOp) -> None:
        """Replace a contraction by the calls."""
        sums, nest = _finished(op), LoopNest(op)
        stream = nest.insert(scratch.ConstantOp.of(self.stream, i8))
        stream.name_hint = sums.products.weights.name_hint
        windows, results = sums.products.vector, sums.count // self.times
        for number in range(self.times):
            outputs = nest.insert(scratch.SliceOp(sums.outputs, nest.index(number * results), (results,)))
            if self.times > 1:
                first = number * self.tile.lines * sums.products.spaces.pitch
                windows = nest.insert(scratch.SliceOp(sums.products.vector, nest.index(first), (self.tile.elements,)))
            operands = [outputs, stream, windows]
            products = results * sums.products.length
            nest.put(num.ComposedTilesOp(operands, sums.products.sum.type, products, self.kernel.attribute))
        _erase(sums)


@dataclass(frozen=True)
class CodeCall:
    """A kernel for a tile that contains its weights as code."""

    kernel: Kernel
    tile: CodedTile

    @property
    def times(self) -> int:
        """The number of calls."""
        return 1

    @property
    def time(self) -> float:
        """The time of the call, in the target's unit."""
        return _time(self.kernel)

    @property
    def content(self) -> bytes:
        """The data in flash that calls of the same kernel can share: none, as the kernel contains its weights."""
        return b""

    def replace(self, op: num.ContractOp) -> None:
        """Replace a contraction by the call."""
        sums, nest = _finished(op), LoopNest(op)
        outputs = nest.insert(scratch.SliceOp(sums.outputs, nest.index(0), (sums.count,)))
        windows = sums.products.vector
        nest.put(num.CodedTileOp(outputs, windows, self.tile, code_of(self.kernel), size_of(self.kernel)))
        _erase(sums)


def _finished(op: num.ContractOp) -> FinishedSums:
    sums = FinishedSums.of(op)
    assert sums is not None
    return sums


def _erase(sums: FinishedSums) -> None:
    """Erase a contraction and the views that only it reads."""
    values = sums.products.weights, sums.starts, sums.outputs
    Rewriter.erase_op(sums.op)
    for value in values:
        while isinstance(view := value.owner, scratch.SliceOp) and not value.uses:
            value = view.source
            Rewriter.erase_op(view)


def _fitted(op: num.ContractOp, families: Sequence[TileFamily]) -> Iterator[tuple[TileFamily, Tile, Sums]]:
    """Yield the tile of a contraction, or of some of its lines, and its sums for each family that can finish them."""
    found = FinishedSums.of(op)
    if found is None or (rows := found.row_sums) is None:
        return
    products = found.products
    for family in families:
        if op.lines % family.lines == 0 and (given := rows.finished(family)) is not None:
            finish, sums = given
            yield family, family.tile(finish, op.rows, products.run, products.spaces, op.windows), sums


def _time(kernel: Kernel) -> float:
    return 0.0 if kernel.composed is None else kernel.composed.costs[""]


def code_of(kernel: Kernel) -> num.CodeKernelAttr:
    """The attribute of a kernel that contains its constants."""
    assert isinstance(kernel.attribute, num.CodeKernelAttr)
    return kernel.attribute


def size_of(kernel: Kernel) -> num.CodeSize:
    """The cost of a call, code bytes and stack of a composed kernel."""
    composed = kernel.composed
    assert composed is not None
    return num.CodeSize(round(composed.costs[""]), kernel.code, composed.call, composed.stack)


def code_of_tile(op: num.ContractOp, coder: TileCoder) -> CodeCall | None:
    """The call of a kernel that contains the weights of a contraction; None if there is none."""
    for _, tile, sums in _fitted(op, [coder.family]) if op.lines == coder.family.lines else ():
        code = coded_tile(tile, sums)
        if (kernel := coder.kernel(code)) is not None:
            return CodeCall(kernel, code)
    return None


def call_of_tile(op: num.ContractOp, target: str) -> TileCall | None:
    """The call of the kernel of a contraction's tile; None without a tile or if its weights are no constant bytes.

    Raises `InputError` for a tile of which the target has no kernel, or of other sums.
    """
    if op.tile is None:
        return None
    call = next(calls_of_tile(op, [family_of(op.tile, target)]), None)
    if call is not None and call.kernel.attribute != op.tile:
        raise error_at(op, f"the kernel of these sums is {call.kernel.attribute}, got {op.tile}")
    return call


def calls_of_tile(op: num.ContractOp, families: Sequence[TileFamily]) -> Iterator[TileCall]:
    """Yield the calls of all families that have a kernel for a contraction over windows, or for some of its lines."""
    for family, tile, sums in _fitted(op, families):
        if (kernel := family.kernel(tile)) is not None:
            yield TileCall(kernel, family.stream(tile, sums), tile, op.lines // family.lines)
