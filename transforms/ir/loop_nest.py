"""Builders that insert ops in order, with locations, and builders of loop nests over the elements of memrefs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerType,
    LocationAttr,
    MemRefType,
    UnknownLoc,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import would_be_trivially_dead

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.operations import INDEX, integer_constant
from tinyml.dialects.rewriting import Builder


class LocatedBuilder:
    """A builder that inserts ops at the insertion point of xDSL's `builder`. Ops without a location receive
    `location`.
    """

    def __init__(self, point: InsertPoint, location: LocationAttr) -> None:
        self.builder = Builder(point)
        self.location = location

    def put(self, op: Operation) -> None:
        """Insert an op with any number of results."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        self.builder.insert(op)

    def insert(self, op: Operation) -> SSAValue:
        """Insert an op and return its first result."""
        self.put(op)
        return op.results[0]

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """A context in which ops are inserted at the end of a block. Afterwards, the insertion point and the
        location are restored.
        """
        outer, location = self.builder, self.location
        self.builder = Builder(InsertPoint.at_end(block))
        yield
        self.builder, self.location = outer, location


Indices: TypeAlias = "list[SSAValue]"
"""The index of an element, a value for each axis."""

Mac: TypeAlias = Callable[[SSAValue, SSAValue], SSAValue]
"""A function that emits the addition of a term to a partial sum, given the sum and the term's index."""


class LoopBuilder(LocatedBuilder):
    """A builder of ops before a given op, with the location of that op.

    `nest` and `reduce` build nests, whose bodies contain loads, scalar ops and stores. `over` and `fold` build loops,
    whose bodies may contain any ops. Every method leaves the insertion point after the inserted ops.
    """

    def __init__(self, before: Operation):
        super().__init__(InsertPoint.before(before), before.location)
        self._constants: dict[tuple[int, int | None], SSAValue] = {}
        self._entry = InsertPoint.before(before)
        self._bodies: list[Block] = []
        """The bodies of nests and reductions that are being filled, the outermost first."""

    def index(self, value: int) -> SSAValue:
        """Return a constant of type `index`, which is inserted once outside all loops of the nest."""
        return self._constant(value, None)

    def constant(self, value: int, type: Attribute) -> SSAValue:
        """Return a constant of an integer type or of type `index`, which is inserted once outside all loops of the
        nest.
        """
        width = cast("IntegerType[int, Any]", type).width.data if isinstance(type, IntegerType) else None
        return self._constant(value, width)

    def _constant(self, value: int, width: int | None) -> SSAValue:
        if (key := (value, width)) not in self._constants:
            self._constants[key] = Builder(self._entry).insert(integer_constant(value, width)).result
        return self._constants[key]

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if self._bodies:
            return a if b is self._constants.get((0, None)) else self._applied((a, 1), (b, 1))
        return self.insert(arith.AddiOp.create(operands=(a, b), result_types=(a.type,)))

    def times(self, a: SSAValue, factor: int) -> SSAValue:
        if factor == 1:
            return a
        if self._bodies:
            return self._applied((a, factor))
        return self.insert(arith.MuliOp.create(operands=(a, self.index(factor)), result_types=(a.type,)))

    def _applied(self, *terms: tuple[SSAValue, int]) -> SSAValue:
        """Emit an `affine.apply` that computes the sum of indices times factors, and return the result.

        The dimensions of the map are the indices of the enclosing nest.

        terms: pairs of an index and a factor.
        """
        dims, symbols, total = list[SSAValue](), list[SSAValue](), AffineExpr.constant(0)
        for index, factor in terms:
            block = index.owner if isinstance(index.owner, Block) else index.owner.parent
            known, kind = (dims, AffineExpr.dimension) if block in self._bodies else (symbols, AffineExpr.symbol)
            total = total + kind(len(known)) * factor
            known.append(index)
        map = AffineMap(len(dims), len(symbols), (total,))
        return self.insert(affine.ApplyOp([*dims, *symbols], AffineMapAttr(map)))

    def load(self, source: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        element = cast("MemRefType[Attribute]", source.type).element_type
        return self.insert(memref.LoadOp.create(operands=(source, *indices), result_types=(element,)))

    def unsigned(self, value: SSAValue) -> SSAValue:
        """Zero-extend a stored integer of 8 or 16 bits to an index."""
        wide = self.insert(arith.ExtUIOp(value, i16 if value.type == i8 else i32))
        return self.insert(arith.IndexCastOp(wide, INDEX))

    def store(self, value: SSAValue, target: SSAValue, indices: Sequence[SSAValue]) -> None:
        self.put(memref.StoreOp.create(operands=(value, target, *indices)))

    def nest(self, shape: Sequence[int], body: Callable[[Indices], None]) -> None:
        """Insert a `num.nest` that runs `body` at every index of a shape. Axes of extent 1 are omitted. If no axis
        remains, the body is inserted once, without a nest. A body that writes nothing leaves no nest.
        """
        extents = [extent for extent in shape if extent > 1]
        block = Block(arg_types=[INDEX] * len(extents))
        numbers = iter(block.args)
        indices = [next(numbers) if extent > 1 else self.index(0) for extent in shape]
        if not extents:
            body(indices)
            return
        with self._filling(block):
            body(indices)
        nest = num.NestOp(extents, Region(block))
        if would_be_trivially_dead(nest):
            nest.erase()
        else:
            self.put(nest)

    def reduce(
        self,
        kinds: Sequence[str],
        numbers: range,
        initial: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Insert a `num.reduce` over a range of numbers, and return its results.

        kinds: the kind of reduction of each carried value.
        initial: the initial carried values.
        body: returns the next carried values, from a number and the carried values.
        """
        block = Block(arg_types=[INDEX, *(value.type for value in initial)])
        with self._filling(block):
            self.builder.insert(num.NextOp(*body(block.args[0], block.args[1:])))
        op = num.ReduceOp(kinds, initial, numbers, Region(block))
        self.put(op)
        return op.results

    @contextmanager
    def _filling(self, block: Block) -> Generator[None]:
        self._bodies.append(block)
        with self.inside(block):
            yield
        self._bodies.pop()

    def over(self, shape: Sequence[int], body: Callable[[Indices], None]) -> None:
        """Insert loops that run `body` at every index of a shape in row-major order. Axes of extent 1 need no loop."""
        self._over(list(shape), [], body)

    def _over(self, shape: list[int], indices: Indices, body: Callable[[Indices], None]) -> None:
        if not shape:
            body(indices)
            return
        if shape[0] == 1:
            self._over(shape[1:], [*indices, self.index(0)], body)
            return

        def inner(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            self._over(shape[1:], [*indices, i], body)
            return []

        self.fold(self.index(shape[0]), [], inner)

    def fold(
        self,
        extent: SSAValue,
        initial: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
        start: int | SSAValue = 0,
    ) -> Sequence[SSAValue]:
        """Insert a loop from `start` to `extent` with iter_args, and return its results.

        initial: the initial values of the iter_args.
        body: returns the next values, from the index and the iter_args.
        """
        block = Block(arg_types=[INDEX, *(value.type for value in initial)])
        start_value, step = self.index(start) if isinstance(start, int) else start, self.index(1)
        with self.inside(block):
            results = body(block.args[0], block.args[1:])
            self.builder.insert(scf.YieldOp(*results))
        loop = scf.ForOp(start_value, extent, step, initial, block)
        self.put(loop)
        return loop.results

    def add_up(self, start: SSAValue, length: int, add: Mac) -> SSAValue:
        """Emit a reduction that adds `length` terms to `start`, or a loop for a sum in memory. Return the sum."""
        if num.accumulator_type(start).IN_REGISTER:
            return self.reduce((num.SUM,), range(length), [start], lambda k, sums: [add(sums[0], k)])[0]
        return self.fold(self.index(length), [start], lambda k, sums: [add(sums[0], k)])[0]

    def sum_of_products(self, start: SSAValue, length: int, mac: Mac) -> SSAValue:
        """Emit code that adds `length` products to `start`, in the order that the accumulator of `start`
        prescribes. Return the sum.

        The code is a single loop in the order of the summed index, or a loop nest for a tree of sums. A binary
        tree needs no memory for its products. Each level of the tree is a loop of two iterations that carries a
        sum, and the next lower level is nested in this loop. The products that do not fill a whole tree form
        smaller trees, one for each power of two in their number.

        mac: adds one product.
        """
        accumulator = num.accumulator_type(start)
        if accumulator.below is None:
            return self.add_up(start, length, mac)
        size = 1 << _height(accumulator)

        def whole(sum: SSAValue, i: SSAValue) -> SSAValue:
            return self.insert(num.JoinOp(sum, self._tree(accumulator, self.times(i, size), size, mac)))

        sum = self.add_up(start, length // size, whole) if length >= size else start
        if rest := length % size:
            sum = self.insert(num.JoinOp(sum, self._tree(accumulator, self.index(length - rest), rest, mac)))
        return sum

    def _tree(self, accumulator: Accumulator, first: SSAValue, count: int, mac: Mac) -> SSAValue:
        """Emit code that adds `count` products starting at index `first`, and return the sum. `count` is at
        most the size of a tree.

        mac: adds one product.
        """
        zero = self.insert(num.ZeroOp(accumulator.type))
        below = accumulator.below
        if below is None:
            return mac(zero, first)
        half = 1 << _height(below)

        def side(sum: SSAValue, i: SSAValue) -> SSAValue:
            at = self.add(first, self.times(i, half))
            return self.insert(num.JoinOp(sum, self._tree(below, at, half, mac)))

        if count == 2 * half:
            return self.add_up(zero, 2, side)
        sum = self.insert(num.JoinOp(zero, self._tree(below, first, min(count, half), mac)))
        if count > half:
            at = self.add(first, self.index(half))
            sum = self.insert(num.JoinOp(sum, self._tree(below, at, count - half, mac)))
        return sum

    def contract(
        self, shape: Sequence[int], body: Callable[[Indices], None], tile: num.TileKernelAttr | None = None
    ) -> num.ContractOp:
        """Insert a `num.contract` over lines of windows, windows in a line and rows of weights, and return it.

        shape: the extents of these axes.
        body: inserts the body, from the indices of these axes.
        tile: the tile of the contraction, if any.
        """
        block = Block(arg_types=[INDEX] * len(shape))
        with self.inside(block):
            body(list(block.args))
        op = num.ContractOp(shape, Region(block), tile)
        self.put(op)
        return op


def _height(accumulator: Accumulator) -> int:
    return 0 if accumulator.below is None else 1 + _height(accumulator.below)


def function_around(op: Operation) -> func.FuncOp:
    """The function that contains an op, directly or in a region of another op."""
    function = op.parent_op()
    while not isinstance(function, func.FuncOp):
        assert function is not None
        function = function.parent_op()
    return function


def local_array(function: func.FuncOp, element: Attribute, length: int, name: str) -> SSAValue:
    """Allocate a local array on the stack of a function, and return the array."""
    first = function.body.block.first_op
    assert first is not None
    array = LoopBuilder(first).insert(memref.AllocaOp.get(element, shape=[length]))
    array.name_hint = name
    return array


def needed(
    ops: Sequence[Operation | Block], loop: scf.ForOp | num.ContractOp, but: Sequence[Operation] = ()
) -> list[Operation]:
    """Those of `ops` that are in the body of a loop, and the ops of the body on which they depend, in program order.

    but: ops to omit, together with the ops on which only they depend.
    """
    needed: set[Operation] = set()
    pending = list(ops)
    while pending:
        op = pending.pop()
        if isinstance(op, Operation) and op.parent_op() is loop and op not in but and op not in needed:
            needed.add(op)
            pending += [operand.owner for operand in op.operands]
    return [op for op in loop.body.block.ops if op in needed]
