"""The loop that replaces copies of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import inherit_location
from tinyml.dialects.tdsl import shape_of
from tinyml.dialects.tdsl.base import shaped
from tinyml.transforms.reals.rolling.copies import Copies, Place, UnlikeError
from tinyml.transforms.reals.rolling.numbering import Numbering, integer_of, sorted_block, spelled


def roll(block: Block, numbering: Numbering, copies: Copies) -> scf.ForOp:
    """Replace copies by a loop over them, and return it. The block is sorted, since the loop needs all inputs of all
    copies at once.

    Raises `UnlikeError`, before any change, for inputs of different types.
    """
    return _Rolling(block, numbering, copies).loop()


Values = tuple[SSAValue, ...]
"""For each copy, a value."""


class _Rolling:
    """The construction of a loop.

    removed: the ops of the copies.
    moves: the values of all copies whose ops move into the loop.
    copied: the values in the loop's body by the values of all copies for which they stand.
    """

    def __init__(self, block: Block, numbering: Numbering, copies: Copies):
        self.block, self.numbering, self.copies = block, numbering, copies
        self.count = len(copies.ops)
        self.removed = {op for ops in copies.ops for op in ops.values()}
        self.end = block.last_op
        self.inner = Block(arg_types=[IndexType()])
        self.copied: dict[Values, SSAValue] = {}
        self.moves = _moves(numbering, copies, self.removed)
        self.location = copies.body[0].location

    def add(self, op: Operation) -> SSAValue:
        """Append an op to the body of the loop, and return its first result."""
        inherit_location(self.location, op)
        self.inner.add_op(op)
        return op.results[0]

    def before(self, op: Operation) -> SSAValue:
        """Insert an op into the block, and return its first result."""
        inherit_location(self.location, op)
        assert self.end is not None
        self.block.insert_op_before(op, self.end)
        return op.results[0]

    def index(self, value: int) -> SSAValue:
        return self.before(arith.ConstantOp.from_int_and_width(value, IndexType()))

    def loop(self) -> scf.ForOp:
        low, high, step = (self.index(bound) for bound in (0, self.count, 1))
        initial, argument_of = list[SSAValue](), dict[tuple[Place, SSAValue], SSAValue]()
        yielded: list[Place] = []
        for (op, at), made in self.copies.state.items():
            begun = self.numbering.operands(self.copies.ops[0][op])[at]
            if (made, begun) not in argument_of:
                initial.append(begun)
                yielded.append(made)
                argument_of[made, begun] = self.inner.insert_arg(begun.type, len(self.inner.args))
        results: dict[Place, SSAValue] = {}
        for op in self.copies.body:
            operands: list[SSAValue] = []
            for at, value in enumerate(self.numbering.operands(op)):
                if (op, at) in self.copies.state:
                    begun = self.numbering.operands(self.copies.ops[0][op])[at]
                    operands.append(argument_of[self.copies.state[op, at], begun])
                elif isinstance(value, OpResult) and value.op in self.copies.ops[0]:
                    operands.append(results[value.op, value.index])
                else:
                    operands.append(
                        self.aligned(tuple(self.numbering.operands(ops[op])[at] for ops in self.copies.ops))
                    )
            new = op.clone(dict(zip(op.operands, operands, strict=True)))
            for position, operand in enumerate(operands):
                new.operands[position] = operand
            new.location = op.location
            self.inner.add_op(new)
            results |= {(op, at): result for at, result in enumerate(new.results)}
        read = [(op, at) for op in self.copies.body for at in range(len(op.results))]
        outside = {place: self.read_outside(place) for place in read}
        last = self.count - 1
        kept = [place for place, numbers in outside.items() if numbers == [last] and place not in yielded]
        whole = [place for place, numbers in outside.items() if numbers and numbers != [last]]
        for place in kept:
            yielded.append(place)
            type = shaped(results[place])
            initial.append(self.before(tdsl.FillOp(0.0, TensorType(type.get_element_type(), type.get_shape()))))
            self.inner.insert_arg(results[place].type, len(self.inner.args))
        values = [results[place] for place in yielded]
        for place in whole:
            shape = shape_of(results[place])
            type = TensorType(tdsl.format_of(results[place]).type, (self.count, *shape))
            initial.append(self.before(tdsl.FillOp(0.0, type)))
            argument = self.inner.insert_arg(type, len(self.inner.args))
            row, zeros = self.add(tdsl.ReshapeOp(results[place], (1, *shape))), [self.index(0) for _ in shape]
            values.append(self.add(tdsl.InsertSliceOp(row, argument, [self.inner.args[0], *zeros])))
        self.inner.add_op(scf.YieldOp(*values))
        loop = scf.ForOp(low, high, step, initial, self.inner)
        self.before(loop)
        self.replace(
            dict(zip(yielded, loop.results, strict=False)), dict(zip(whole, loop.results[len(yielded) :], strict=True))
        )
        return loop

    def read_outside(self, place: Place) -> list[int]:
        """The numbers of the copies whose result at a place is read by other ops than those of the copies."""
        op, at = place
        numbers: list[int] = []
        for number, ops in enumerate(self.copies.ops):
            if op in ops:
                readers = self.numbering.readers.get(self.numbering.of(ops[op].results[at]), ())
                if any(reader not in self.removed for reader, _ in readers):
                    numbers.append(number)
        return numbers

    def aligned(self, values: Values) -> SSAValue:
        """The value in the loop that is `values[i]` in iteration i."""
        if len({*values}) == 1:
            return values[0]
        if values not in self.copied:
            if values in self.moves:
                self.copied[values] = self.moved(values)
            elif (numbers := _progression(values)) is not None:
                self.copied[values] = self.index_in_loop(numbers)
            else:
                self.copied[values] = self.stacked(values)
        return self.copied[values]

    def index_in_loop(self, numbers: range) -> SSAValue:
        index: SSAValue = self.inner.args[0]
        if numbers.step == -1:
            return self.add(arith.SubiOp(self.index(numbers.start), index))
        if numbers.step != 1:
            index = self.add(arith.MuliOp(index, self.index(numbers.step)))
        return self.add(arith.AddiOp(index, self.index(numbers.start))) if numbers.start else index

    def moved(self, values: Values) -> SSAValue:
        """The result of a copy in the loop of the ops that compute `values`."""
        first = values[0]
        assert isinstance(first, OpResult)
        new = first.op.clone()
        for position, operand in enumerate([*map(self.aligned, self.moves[values])]):
            new.operands[position] = operand
        new.location = first.op.location
        self.inner.add_op(new)
        return new.results[first.index]

    def stacked(self, values: Values) -> SSAValue:
        """A part of a new tensor that contains the values of all iterations."""
        shape = shape_of(values[0])
        rows = [self.before(tdsl.ReshapeOp(value, (1, *shape))) for value in values]
        return self.add(tdsl.IndexOp(self.before(tdsl.ConcatOp(rows, 0)), self.inner.args[0]))

    def replace(self, after: dict[Place, SSAValue], sequences: dict[Place, SSAValue]) -> None:
        """Replace the results of the copies: by the loop's last values, or by parts of its sequences."""
        number, block = self.numbering, self.block
        for op in [*block.ops]:
            for at, value in enumerate(op.operands):
                op.operands[at] = number.of(value)
            for inner in op.walk():
                for at, value in enumerate(inner.operands):
                    inner.operands[at] = number.of(value)
        for copy, ops in enumerate(self.copies.ops):
            for mine, op in ops.items():
                for at, result in enumerate(op.results):
                    uses = [use for use in [*result.uses] if use.operation not in self.removed]
                    if not uses:
                        continue
                    place = mine, at
                    new = self.part(sequences[place], copy) if place in sequences else after[place]
                    new.name_hint = new.name_hint or result.name_hint
                    for use in uses:
                        use.operation.operands[use.index] = new
        _erase_unread(block)
        sorted_block(block)
        for op in [*block.ops]:
            if isinstance(op, tdsl.ConcatOp):
                _join_parts(op)
        _erase_unread(block)

    def part(self, sequence: SSAValue, copy: int) -> SSAValue:
        return self.before(tdsl.IndexOp(sequence, self.index(copy)))


def _values(numbering: Numbering, copies: Copies, place: Place) -> Values:
    """The operand of each copy at a place."""
    op, at = place
    return tuple(numbering.operands(ops[op])[at] for ops in copies.ops)


def _moves(numbering: Numbering, copies: Copies, removed: AbstractSet[Operation]) -> Mapping[Values, Sequence[Values]]:
    """The inputs of copies that move into the loop with the ops that compute them, and the operands of these ops.

    Ops move if they are equal in all copies, and if they only move elements or no op outside of the loop reads them.

    Raises `UnlikeError` for other inputs that have no common type.
    """
    roots = [_values(numbering, copies, place) for place in copies.inputs]
    equal: dict[Values, Sequence[Values]] = {}
    waiting = [*roots]
    while waiting:
        values = waiting.pop()
        if values not in equal and len({*values}) > 1 and _progression(values) is None and _are_equal(values):
            owners = [value.owner for value in values]
            columns = zip(*(numbering.operands(op) for op in owners if isinstance(op, Operation)), strict=True)
            equal[values] = [*columns]
            waiting += equal[values]
    while True:
        moves, stacks = dict[Values, Sequence[Values]](), list[Values]()
        seen, waiting = set[Values](), [*roots]
        while waiting:
            values = waiting.pop()
            if values in seen:
                continue
            seen.add(values)
            if values in equal:
                moves[values] = equal[values]
                waiting += equal[values]
            elif len({*values}) > 1 and _progression(values) is None:
                stacks.append(values)
        moved = {value.owner for values in moves for value in values}
        stacked = {value.owner for values in stacks for value in values}

        def stays(values: Values) -> bool:
            for value in values:
                reads_inside = all(op in removed or op in moved for op, _ in numbering.readers.get(value, ()))  # noqa: B023
                if value.owner in stacked or not (reads_inside or isinstance(value.owner, tdsl.MovementOp)):  # noqa: B023
                    return True
            return False

        left = [values for values in moves if stays(values)]
        if not left:
            break
        for values in left:
            del equal[values]
    for values in stacks:
        if len({value.type for value in values}) > 1 or not isinstance(values[0].type, TensorType):
            raise UnlikeError("its inputs have different types")
    return moves


def _are_equal(values: Values) -> bool:
    """Whether different ops with equal attributes and types, without side effects, compute the values."""
    first = values[0]
    if len({value.owner for value in values}) < len(values) or not isinstance(first, OpResult):
        return False
    if not isinstance(first.op, tdsl.TensorOp) or not is_side_effect_free(first.op) or not first.op.operands:
        return False
    what = spelled(first.op), [*first.op.operand_types], first.index
    return all(
        isinstance(value, OpResult) and (spelled(value.op), [*value.op.operand_types], value.index) == what
        for value in values
    )


def _progression(values: Values) -> range | None:
    """The numbers of index constants that grow by the same amount from value to value; None for other values."""
    numbers = [integer_of(value) for value in values if isinstance(value.type, IndexType)]
    known = [number for number in numbers if number is not None]
    if len(known) < len(values) or (step := known[1] - known[0]) == 0:
        return None
    progression = range(known[0], known[0] + step * len(known), step)
    return progression if [*progression] == known else None


def _erase_unread(block: Block) -> None:
    for op in reversed([*block.ops]):
        if op.results and is_side_effect_free(op) and all(result.first_use is None for result in op.results):
            block.erase_op(op)


def _join_parts(op: tdsl.ConcatOp) -> None:
    """Replace operands of a concatenation that are all parts of a sequence, in order, by the sequence."""
    axis = op.axis.value.data
    new, left = list[SSAValue](), [*op.inputs]
    insert = partial(op.parent.insert_op_before, existing_op=op) if op.parent is not None else None
    while left:
        sequence = _sequence_of(left, axis)
        if sequence is None or insert is None:
            new.append(left.pop(0))
            continue
        count, shape = shape_of(sequence)[0], [*shape_of(left[0])]
        shape[axis] *= count
        reshape = tdsl.ReshapeOp(sequence, shape)
        inherit_location(op.location, reshape)
        insert(reshape)
        new.append(reshape.out)
        del left[:count]
    if len(new) == len(op.inputs):
        return
    if len(new) == 1:
        op.out.replace_all_uses_with(new[0])
        return
    joined = tdsl.ConcatOp(new, axis)
    joined.location = op.location
    assert insert is not None
    insert(joined)
    op.out.replace_all_uses_with(joined.out)


def _sequence_of(values: Sequence[SSAValue], axis: int) -> SSAValue | None:
    """The sequence whose parts are the first of `values`, if a reshape of it is their concatenation."""
    first = tdsl.unreshaped(values[0]).owner
    if not isinstance(first, tdsl.IndexOp) or prod(shape_of(values[0])[:axis]) != 1:
        return None
    sequence = first.input
    for number in range(shape_of(sequence)[0]):
        part = tdsl.unreshaped(values[number]).owner if number < len(values) else None
        if not isinstance(part, tdsl.IndexOp) or part.input is not sequence or len(part.indices) != 1:
            return None
        if integer_of(part.indices[0]) != number or shape_of(values[number]) != shape_of(values[0]):
            return None
    return sequence
