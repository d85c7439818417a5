"""`block-rows`: multiplies several rows of a matrix by a vector at once where the target has a kernel for that (L3).

A kernel for several rows loads each element of the vector once for all of them, and is called once. The sums of a block
wait in a small local array; the code before and after the dot product of a row stays as it is, in loops over the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.coding import INTEGER_CODING
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import HOST, compile_for, kernels_of, tile_families
from tinyml.targets.tiles import TileFamily
from tinyml.transforms.ir.loop_nest import LoopNest, local_array, needed
from tinyml.transforms.loops.kernels.finished_rows import tile_of_rows


@dataclass(frozen=True)
class BlockRowsPass(ModulePass):
    """Blocks loops over rows of matrices, each iteration a chain of dot products with loop-invariant vectors.

    target: as for printing C. Raises `InputError` for an unknown target.
    """

    name = "block-rows"
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        blocks = num.DotRowsOp.name, num.ChannelDotsOp.name
        families = tile_families(self.target)
        kernels = [kernel for kernel in kernels_of(self.target) if kernel.op in blocks]
        for function in defined_functions(op):
            # One array for all loops: no two of them run at the same time.
            arrays: dict[tuple[Attribute, int], SSAValue] = {}
            for loop in [loop for loop in function.walk() if isinstance(loop, scf.ForOp)]:
                rows = _Rows.find(loop, kernels)
                if rows is not None and not rows.is_one_tile(families):
                    kind = rows.accumulator.type, rows.block
                    if kind not in arrays:
                        arrays[kind] = local_array(function, *kind, "sums")
                    rows.rewrite(arrays[kind])


def tile_rows(module: ModuleOp, target: str) -> None:
    """Replaces loops over all rows of a matrix by tiles, where a kernel of a board finishes the sums."""
    kernels, families = kernels_of(target), tile_families(target)
    blocks = [kernel for kernel in kernels if kernel.op == num.DotRowsOp.name]
    for function in defined_functions(module):
        for loop in [loop for loop in function.walk() if isinstance(loop, scf.ForOp)]:
            if (rows := _Rows.find(loop, blocks)) is not None:
                rows.is_one_tile(families)


@dataclass
class _Product:
    """A dot product of one row of a matrix with a vector or with the channel of its number, and its kernel."""

    dot: num.DotOp | num.StridedDotOp
    row: scratch.SliceOp
    kernel: Kernel


@dataclass
class _Rows:
    """A loop over rows, and the dot products that each row's sum passes through in order, in one accumulator."""

    loop: scf.ForOp
    trips: int
    accumulator: Accumulator
    products: list[_Product]

    @property
    def block(self) -> int:
        return self.products[0].kernel.rows

    @classmethod
    def find(cls, loop: scf.ForOp, kernels: Sequence[Kernel]) -> _Rows | None:
        """The rows of a loop, if they can be taken in blocks."""
        body = loop.body.block
        bounds = [const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step)]
        stores = [op for op in body.ops if not op.results and op is not body.last_op]
        if loop.iter_args or any(op.regions for op in body.ops) or bounds[0] != 0 or bounds[1] is None:
            return None
        dots = [op for op in body.ops if isinstance(op, num.DotOp | num.StridedDotOp)]
        if bounds[2] != 1 or not dots:
            return None
        chained = all(after.sum is before.result for before, after in pairwise(dots))
        alone = all(len(list(dot.result.uses)) == 1 for dot in dots[:-1])
        after = all(isinstance(op, memref.StoreOp) and dots[-1].is_before_in_block(op) for op in stores)
        if not (chained and alone and after) or _reads_earlier_rows(loop):
            return None
        for accumulator in _accumulators(dots[0].sum, dots[-1].result):
            matches = [cls._product(dot, accumulator, loop, kernels) for dot in dots]
            products = [product for product in matches if product is not None]
            same = {product.kernel.rows for product in products}
            if len(products) == len(dots) and len(same) == 1 and bounds[1] >= products[0].kernel.rows:
                return cls(loop, bounds[1], accumulator, products)
        return None

    def is_one_tile(self, families: Sequence[TileFamily]) -> bool:
        """Replace the loop by a tile, where a kernel finishes all rows."""
        [product, *others] = self.products
        return (
            not others
            and isinstance(product.dot, num.DotOp)
            and tile_of_rows(self.loop, self.trips, product.dot, product.row, families)
        )

    @staticmethod
    def _product(
        dot: num.DotOp | num.StridedDotOp, accumulator: Accumulator, loop: scf.ForOp, kernels: Sequence[Kernel]
    ) -> _Product | None:
        index, row = loop.body.block.args[0], dot.lhs.owner
        if not isinstance(row, scratch.SliceOp) or _inside(row.source, loop):
            return None
        offset = row.offset.owner
        if isinstance(offset, arith.MuliOp):
            consecutive = offset.lhs is index and const_evaluate_operand(offset.rhs) == num.run_length(dot.lhs)
        else:
            consecutive = row.offset is index and num.run_length(dot.lhs) == 1
        if isinstance(dot, num.StridedDotOp):
            channel = dot.rhs.owner
            if not isinstance(channel, scratch.SliceOp) or channel.offset is not index or _inside(channel.source, loop):
                return None
            if scratch.elements_of(channel.source) != dot.length * dot.stride.value.data:
                return None
        elif index in _read(dot.rhs, loop):
            return None
        if not consecutive:
            return None
        formats = [element_format(operand.type) for operand in (dot.lhs, dot.rhs)]
        if not all(format.coding is INTEGER_CODING for format in formats):
            return None
        if any(scratch.packed_bits(scratch.memref_type(operand)) is not None for operand in (dot.lhs, dot.rhs)):
            return None
        bits = [8 * format.dtype.itemsize for format in formats]
        flash = [scratch.in_flash(scratch.memref_type(operand)) for operand in (dot.lhs, dot.rhs)]
        op = num.DotRowsOp.name if isinstance(dot, num.DotOp) else num.ChannelDotsOp.name
        wanted = Kernel("", bits[0], bits[1], accumulator.bits, op=op, flash=flash[0])
        kernel = next((kernel for kernel in kernels if kernel.computes(wanted)), None)
        return None if kernel is None or flash[1] else _Product(dot, row, kernel)

    def rewrite(self, sums: SSAValue) -> None:
        """Put whole blocks before the loop, which keeps the last rows; `sums` is an array for one block."""
        nest = LoopNest(self.loop)
        rest = self.trips % self.block
        starts = self._zeros(nest) or sums
        blocks = nest.index((self.trips - rest) // self.block)

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            first = nest.times(number, self.block)
            if starts is sums:
                self._each(nest, first, sums, start=True)
            for product in self.products:
                length = num.run_length(product.dot.lhs)
                place = nest.times(first, length)
                matrix = nest.insert(scratch.SliceOp(product.row.source, place, (self.block * length,)))
                begin = starts if product is self.products[0] else sums
                self._multiply(nest, product, (sums, begin, matrix), first)
            self._each(nest, first, sums, start=False)
            return []

        nest.fold(blocks, [], body)
        if rest:
            self.loop.operands[0] = nest.index(self.trips - rest)
        else:
            Rewriter.erase_op(self.loop)

    def _multiply(
        self, nest: LoopNest, product: _Product, memory: tuple[SSAValue, SSAValue, SSAValue], first: SSAValue
    ) -> None:
        """The products of a block from its first row on; memory: sums, their starts and the rows."""
        dot, kernel = product.dot, product.kernel.attribute
        if isinstance(dot, num.DotOp):
            vector = self._copy(nest, needed([dot.rhs.owner], self.loop), {}).get(dot.rhs)
            nest.put(num.DotRowsOp(*memory, vector or dot.rhs, kernel))
        else:
            channel, stride = dot.rhs.owner, dot.stride.value.data
            assert isinstance(channel, scratch.SliceOp)
            reach = (dot.length - 1) * stride + self.block
            window = nest.insert(scratch.SliceOp(channel.source, first, (reach,)))
            nest.put(num.ChannelDotsOp(*memory, window, stride, kernel))

    def _zeros(self, nest: LoopNest) -> SSAValue | None:
        """Zeros in flash, where sums start from zero."""
        if not isinstance(self.products[0].dot.sum.owner, num.ZeroOp):
            return None
        raws = np.zeros(self.block, f"i{self.accumulator.bits // 8}")
        zeros = nest.insert(scratch.ConstantOp.of(raws, self.accumulator.type))
        zeros.name_hint = "zeros"
        return zeros

    def _each(self, nest: LoopNest, first: SSAValue, sums: SSAValue, *, start: bool) -> None:
        """A loop over the rows of a block that stores the start of each sum, or finishes it."""
        last, loop = self.products[-1].dot, self.loop
        begin = self.products[0].dot.sum

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            values: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: nest.add(first, number)}
            if start:
                values = self._copy(nest, needed([begin.owner], loop), values)
                nest.store(values.get(begin, begin), sums, [number])
            else:
                values[last.result] = nest.load(sums, [number])
                values[last.result].name_hint = last.result.name_hint
                stores = [op for op in loop.body.block.ops if isinstance(op, memref.StoreOp)]
                self._copy(nest, needed(stores, loop, but=last), values)
            return []

        nest.fold(nest.index(self.block), [], body)

    def _copy(
        self, nest: LoopNest, ops: Sequence[Operation], values: dict[SSAValue, SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        values = dict(values)
        for op in ops:
            if isinstance(op, num.ShiftOp | num.StartOp):
                # Built anew: the sum may have become wider.
                first = values.get(op.operands[0], op.operands[0])
                if isinstance(op, num.ShiftOp):
                    copy = num.ShiftOp(first, values.get(op.places, op.places))
                else:
                    copy = num.StartOp(first, self.accumulator.type)
                copy.result.name_hint = op.result.name_hint
                values[op.result] = copy.result
            else:
                copy = op.clone(value_mapper=values)
            nest.put(copy)
        return values


def _accumulators(start: SSAValue, end: SSAValue) -> Iterator[Accumulator]:
    """The accumulator of a sum, then wider ones if it begins here and is only shifted and finished afterwards."""
    accumulator = num.accumulator_type(start)
    if not accumulator.INTEGER:
        return
    yield accumulator
    users = [use.operation for use in end.uses]
    while len(users) == 1 and isinstance(shift := users[0], num.ShiftOp):
        users = [use.operation for use in shift.result.uses]
    if isinstance(start.owner, num.ZeroOp | num.StartOp) and all(isinstance(user, num.FinishOp) for user in users):
        while (wider := accumulator.widened(accumulator.bits + 1)).type != accumulator.type:
            accumulator = wider
            yield accumulator


def _reads_earlier_rows(loop: scf.ForOp) -> bool:
    """May a row read an element that an earlier row has stored? Then rows cannot be taken at once.

    Different buffers do not overlap while both are in use; in the same buffer a row may read the element it stores.
    """
    ops = list(loop.body.block.ops)
    stores = [op for op in ops if isinstance(op, memref.StoreOp)]
    stored = {scratch.root(op.memref): [op.memref, *op.indices] for op in stores}
    if len(stored) < len(stores):
        return True
    dots = [op for op in ops if isinstance(op, num.DotOp | num.StridedDotOp)]
    loads = [op for op in ops if isinstance(op, memref.LoadOp)]
    return any(scratch.root(factor) in stored for dot in dots for factor in (dot.lhs, dot.rhs)) or any(
        stored.get(scratch.root(op.memref), element) != element
        for op in loads
        for element in [[op.memref, *op.indices]]
    )


def _inside(value: SSAValue, loop: scf.ForOp) -> bool:
    return value.owner is loop.body.block or (isinstance(value.owner, Operation) and value.owner.parent_op() is loop)


def _read(value: SSAValue, loop: scf.ForOp) -> set[SSAValue]:
    """A value and the values in the loop's body that it is computed from."""
    return {value, *(operand for op in needed([value.owner], loop) for operand in op.operands)}
