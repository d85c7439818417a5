"""Decoding of runs for integer kernels, by the load program of their format (L3).

A run that is invariant in the enclosing loop is decoded once, before the loop: the vector of a product with a matrix,
or the row of a product with several columns. Other runs are decoded block by block, once for each product of their
elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.number_format import INTEGER, NumberFormat, element_format
from tinyml.targets.nests import DECODED_BITS, Offer
from tinyml.transforms.ir.loop_nest import LoopNest, function_around, local_array

BLOCK = 32
"""The number of elements in a block, which takes 64 bytes of stack."""

SHARE = 8
"""A run is decoded as a whole if it takes at most 1/`SHARE` of the board's RAM."""


def coding_of(run: SSAValue) -> str:
    """The name of the coding of a run's elements; "" for a format that is only loaded by its own program."""
    coding = element_format(run.type).coding
    return "" if coding is None else coding.name


def decoded_format(run: SSAValue) -> NumberFormat | None:
    """The integers to which the elements of a run can be decoded; None if they are integers already, or do not fit."""
    format = element_format(run.type)
    return format.as_integers(DECODED_BITS) if isinstance(format, ExactFormat) and coding_of(run) != INTEGER else None


class DecodedRuns:
    """Rewriter of dot products. ram: RAM of the board in bytes; None for no limit."""

    def __init__(self, ram: int | None) -> None:
        self._ram = ram
        self._arrays: dict[tuple[object, ...], SSAValue] = {}
        self._before: Counter[Operation] = Counter()

    def sum(self, op: num.CallOp, offer: Offer) -> SSAValue:
        """The dot product by the kernel of an offer, for which runs are decoded first."""
        factors, arrays = list(op.arguments[1:]), dict[int, SSAValue]()
        length = op.length
        for turn, run in enumerate(factors):
            if turn in offer.decoded:
                if self._stays(op, run):
                    factors[turn] = self._whole(op, run)
                else:
                    arrays[turn] = self._array(op, run, min(length, BLOCK), ("block", turn))
        nest = LoopNest(op)

        def dot(sum: SSAValue, runs: Sequence[SSAValue]) -> SSAValue:
            return nest.insert(num.CallOp(op.routine, [sum, *runs], offer.kernel.attribute))

        if not arrays:
            return dot(op.sum, factors)

        def block(sum: SSAValue, first: SSAValue, count: int) -> SSAValue:
            runs = [nest.insert(scratch.SliceOp(run, first, (count,))) for run in factors]
            for turn, array in arrays.items():
                runs[turn] = _decode(nest, runs[turn], array)
            return dot(sum, runs)

        def whole(number: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
            return [block(sums[0], nest.times(number, BLOCK), BLOCK)]

        sum, (blocks, rest) = op.sum, divmod(length, BLOCK)
        if blocks == 1:
            sum = block(sum, nest.index(0), BLOCK)
        elif blocks:
            [sum] = nest.fold(nest.index(blocks), [sum], whole)
        return block(sum, nest.index(blocks * BLOCK), rest) if rest else sum

    def _stays(self, op: num.CallOp, run: SSAValue) -> bool:
        """True if a run is invariant in the enclosing loop and RAM has room for it."""
        bytes = num.run_length(run) * DECODED_BITS // 8
        room = self._ram is None or bytes <= self._ram // SHARE
        return room and isinstance(op.parent_op(), scf.ForOp) and _needed(op, run) is not None

    def _whole(self, op: num.CallOp, run: SSAValue) -> SSAValue:
        """Decode the run before the enclosing loop."""
        loop, needed = op.parent_op(), _needed(op, run)
        assert loop is not None
        assert needed is not None
        nest, values = LoopNest(loop), dict[SSAValue, SSAValue]()
        for address_op in needed:
            nest.put(copy := address_op.clone(value_mapper=values))
            values[address_op.results[0]] = copy.results[0]
        # Successive loops share an array, nested loops do not.
        kind = _depth(loop), self._before[loop]
        self._before[loop] += 1
        array = self._array(op, run, num.run_length(run), (*kind, num.run_length(run)))
        return _decode(nest, values.get(run, run), array)

    def _array(self, op: num.CallOp, run: SSAValue, length: int, kind: Sequence[object]) -> SSAValue:
        """A local array of at least `length` integers, one for each kind and type."""
        format, function = decoded_format(run), function_around(op)
        assert format is not None
        key: tuple[object, ...] = (function, format.storage, *kind)
        known = self._arrays.get(key)
        if known is None or num.run_length(known) < length:
            self._arrays[key] = local_array(function, format.storage, length, "decoded")
            if known is not None:
                known.replace_all_uses_with(self._arrays[key])
        return self._arrays[key]


def _decode(nest: LoopNest, coded: SSAValue, array: SSAValue) -> SSAValue:
    """Decode a run into an array, and return the view that holds its integers."""
    format, length = decoded_format(coded), num.run_length(coded)
    assert format is not None
    type: Attribute = format.type
    whole = nest.insert(scratch.SliceOp(array, nest.index(0), (length,), type))

    def decode(at: list[SSAValue]) -> None:
        nest.store(nest.insert(num.ConvertOp(nest.load(coded, at), type)), whole, at)

    nest.over((length,), decode)
    return whole


def _depth(op: Operation) -> int:
    """The number of loops around an op."""
    around = op.parent_op()
    return 0 if around is None else isinstance(around, scf.ForOp) + _depth(around)


def _needed(op: num.CallOp, run: SSAValue) -> list[Operation] | None:
    """The ops in the enclosing loop that compute a run's address, in order.

    None if the address or the elements may change from one iteration to the next.
    """
    if not isinstance(loop := op.parent_op(), scf.ForOp):
        return None
    needed: list[Operation] = []
    pending = [run]
    while pending:
        value = pending.pop()
        if isinstance(owner := value.owner, Operation) and owner.parent_op() is loop:
            if not isinstance(owner, scratch.SliceOp | arith.ConstantOp | arith.AddiOp | arith.MuliOp):
                return None
            needed.append(owner)
            pending += owner.operands
        elif value.owner is loop.body.block:
            return None
    stored = {scratch.root(store.memref) for store in loop.walk() if isinstance(store, memref.StoreOp)}
    return None if scratch.root(run) in stored else [op for op in loop.body.block.ops if op in needed]
