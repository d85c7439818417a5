"""Expansion of contractions (`num.contract`) into loops over dot products (L3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import INTEGER_CODING, element_format
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.index_maps import mapped
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


def expand_contraction(op: num.ContractOp, first: int = 0) -> None:
    """Replace a contraction by loops over its windows and rows. A single dense row needs no loop.

    If there is a single window and all of several dense rows are expanded, the rows become a `num.nest`, in which each
    dot product is a call.

    first: the index of the first row that is expanded.

    Raises `InputError` for sparse rows in memories of hardware, which `spread-entries` expands.
    """
    nest = LoopBuilder(op)
    sparse = [each for each in op.body.block.ops if _reads_rows(each)]
    lengths = [each.lengths for each in sparse]
    for each in sparse:
        if not isinstance(each.lengths.type, MemRefType):
            raise error_at(each, f"rows in memories of type {each.lengths.type}: run spread-entries before this pass")

    def rows(window: Indices) -> None:
        def row(index: SSAValue, entries: Sequence[SSAValue]) -> list[SSAValue]:
            _inline(op, [*window, index], dict(zip(sparse, entries, strict=True)), nest)
            nest.location = op.location
            walked = zip(entries, lengths, strict=True)
            return [nest.add(entry, nest.unsigned(nest.load(row_lengths, [index]))) for entry, row_lengths in walked]

        def row_of(numbers: Indices) -> None:
            row(numbers[0], ())

        if op.rows > 1 and first == 0 and len(op.shape) == 1 and not sparse:
            nest.nest(op.shape, row_of)
        elif op.rows - first > 1 or sparse:
            nest.fold(nest.index(op.rows), [nest.index(0)] * len(sparse), row, first)
        else:
            row(nest.index(first), [])

    nest.over(op.shape[:-1], rows)
    Rewriter.erase_op(op)


def _reads_rows(op: Operation) -> TypeGuard[num.SparseProductsOp | num.EntriesOp]:
    return isinstance(op, num.SparseProductsOp | num.RowLoopOp)


def _inline(
    op: num.ContractOp,
    indices: Indices,
    entries: Mapping[num.SparseProductsOp | num.EntriesOp, SSAValue],
    nest: LoopBuilder,
) -> None:
    """Insert the body of a contraction at given indices. The products of the body become dot products.

    indices: the indices of the window and the row.
    entries: for each sparse matrix, the number of the row's first entry.
    """
    for argument, index in zip(op.body.block.args, indices, strict=True):
        index.name_hint = index.name_hint or argument.name_hint
        argument.replace_all_uses_with(index)
    for each in list(op.body.block.ops):
        nest.location = each.location
        match each:
            case num.ProductsOp():
                sum = _dots(each, op, indices, nest)
            case num.SparseProductsOp():
                parts = each.sum, each.values, each.gaps, each.lengths, each.vector
                sum = nest.insert(num.CallOp(num.SparseDotAttr(), [*parts, indices[-1], entries[each]]))
            case num.RowLoopOp():
                assert isinstance(each, num.EntriesOp)
                sum = _over_entries(each, indices[-1], entries[each], nest)
            case memref.StoreOp() if len(op.shape) > 1:
                _store(each, nest)
                continue
            case _:
                each.detach()
                nest.put(each)
                continue
        sum.name_hint = each.result.name_hint
        each.result.replace_all_uses_with(sum)
        Rewriter.erase_op(each)


def _dots(op: num.ProductsOp, around: num.ContractOp, indices: Indices, nest: LoopBuilder) -> SSAValue:
    (runs, pitch, _), sum, row = op.spaces, op.sum, indices[-1]
    part = op.length // runs
    for run in range(runs):
        start, first = nest.times(row, op.row_pitch), _first(op, around, indices, nest)
        if run:
            start, first = nest.add(start, nest.index(run * part)), nest.add(first, nest.index(run * pitch))
        weights = nest.insert(scratch.SliceOp(op.weights, start, (part,)))
        if op.channels is None:
            window = nest.insert(scratch.SliceOp(op.vector, first, (part,)))
            sum = nest.insert(num.CallOp(num.DotAttr(), [sum, weights, window]))
        else:
            channel_of_row = AffineMap(1, 0, (AffineExpr.dimension(0) // op.filters_of_channel,))
            [pixel] = [row] if op.filters is None else mapped(channel_of_row, (around.rows,), [row], [], nest)
            begin = nest.add(first, pixel) if len(around.shape) > 1 else pixel
            channel = nest.insert(scratch.SliceOp(op.vector, begin, ((part - 1) * op.stride + 1,)))
            sum = nest.insert(num.CallOp(num.StridedDotAttr.of(op.stride), [sum, weights, channel]))
    return sum


def open_entries(op: num.SparseProductsOp) -> None:
    """Replace an op that adds the products of a compressed row to a sum. The new op, `num.entries`, contains a loop
    body that adds one product.
    """
    nest, body = LoopBuilder(op), Block(arg_types=[op.sum.type, IndexType(), IndexType()])
    sum, entry, column = body.args
    with nest.inside(body):
        product = num.MacOp(sum, nest.load(op.values, [entry]), nest.load(op.vector, [column]))
        nest.put(num.NextOp(nest.insert(product)))
    formats = [element_format(factor.type).without_offset() for factor in op.factors]
    plain = op.accumulator.INTEGER and all(format.coding is INTEGER_CODING for format, _ in formats)
    products = plain and not formats[0][1]
    opened = nest.insert(num.EntriesOp(op.sum, op.gaps, op.lengths, Region(body), products=products))
    opened.name_hint = op.result.name_hint
    Rewriter.replace_op(op, [], [opened])


def _over_entries(op: num.EntriesOp, row: SSAValue, first: SSAValue, nest: LoopBuilder) -> SSAValue:
    def add(*values: SSAValue) -> SSAValue:
        for argument, value in zip(op.body.block.args, values, strict=True):
            argument.replace_all_uses_with(value)
        *terms, end = op.body.block.ops
        for term in terms:
            term.detach()
            nest.put(term)
        return end.operands[0]

    sum = num.over_entries(op.start, op.gaps, op.lengths, row, first, add, nest)
    loop = sum.owner
    assert isinstance(loop, scf.ForOp)
    loop.attributes |= op.attributes
    return sum


def _first(op: num.ProductsOp, around: num.ContractOp, indices: Indices, nest: LoopBuilder) -> SSAValue:
    if len(around.shape) == 1:
        return nest.index(0)
    first = nest.times(indices[-2], op.spaces.step)
    return nest.add(nest.times(indices[-3], op.spaces.pitch), first) if around.lines > 1 else first


def _store(op: memref.StoreOp, nest: LoopBuilder) -> None:
    number: SSAValue | None = None
    for index, extent in zip(op.indices, scratch.memref_type(op.memref).get_shape(), strict=True):
        number = index if number is None else nest.add(nest.times(number, extent), index)
    assert number is not None
    run = nest.insert(scratch.SliceOp(op.memref, nest.index(0), (scratch.elements_of(op.memref),)))
    nest.store(op.value, run, [number])
    Rewriter.erase_op(op)
