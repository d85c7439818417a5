"""The copies of a recurrent step in a block, and how they depend on each other.

The *anchors* of the copies are products of equal weights, each of which depends on the previous one. A copy consists of
the ops through which the next anchor depends on its own: those between two anchors. The other operands of these ops are
the state, which the previous copy computes, and inputs, such as a part of a sequence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Operation, OpResult, SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.reals.rolling.numbering import Numbering, spelled

FEWEST = 3
"""The least number of copies that become a loop."""

Place = tuple[Operation, int]
"""An operand, or a result, of an op of the last complete copy: the op and a position."""


class UnlikeError(Exception):
    """Copies that differ. The message states in what."""


@dataclass(frozen=True)
class Copies:
    """Equal copies of a step.

    body: the ops of the last but one copy, in program order. They stand for the ops of all copies.
    ops: for each copy, the ops that correspond to those of `body`. Ops of the last copy that no other op needs are
        missing.
    state: for each operand that the previous copy computes, the result of `body` that it is.
    inputs: the operands that no copy computes.
    """

    body: Sequence[Operation]
    ops: Sequence[Mapping[Operation, Operation]]
    state: Mapping[Place, Place]
    inputs: Sequence[Place]


def levels(
    numbering: Numbering, anchors: Sequence[Operation], states: Mapping[SSAValue, int] | None = None
) -> Mapping[Operation, int]:
    """For each op that depends on an anchor, the number of the copy to which it belongs, counted from 1: the greatest
    number of anchors on a path to the op, its own included.

    states: for states that anchors read, the number of the copy that reads them. Its other ops that read the state do
        not depend on its anchor.
    """
    counted, level, known_states = set(anchors), dict[Operation, int](), states or {}
    for op in numbering.position:
        values = [value for inner in op.walk() for value in numbering.operands(inner)]
        known = max((level.get(value.owner, 0) for value in values if isinstance(value.owner, Operation)), default=0)
        known = max(known + (op in counted), max((known_states.get(value, 0) for value in values), default=0))
        if known:
            level[op] = known
    return level


def copies_of(numbering: Numbering, anchors: Sequence[Operation]) -> Copies:
    """The copies of which the last begin with the given anchors, at least `FEWEST`.

    anchors: equal products in program order, each of which depends on the one before it.

    Raises `UnlikeError` if there are fewer equal copies.
    """
    return _Alignment(numbering, anchors).copies()


class _Alignment:
    def __init__(self, numbering: Numbering, anchors: Sequence[Operation]):
        self.numbering, self.anchors = numbering, anchors
        plain = levels(numbering, anchors)
        operands = [numbering.operands(anchor) for anchor in anchors]
        template = len(anchors) - 2
        # The operands of an anchor that the previous copy computes.
        places = [
            at for at, value in enumerate(operands[template]) if plain.get(cast(Operation, value.owner)) == template
        ]
        self.read = [[values[at] for at in places] for values in operands]
        states = {value: 1 + copy for copy, values in enumerate(self.read) if copy for value in values}
        self.level = levels(numbering, anchors, states)
        self.body = self._between(len(anchors) - 2)
        self.inside = set(self.body)

    def _level(self, value: SSAValue) -> int:
        return self.level.get(value.owner, 0) if isinstance(value.owner, Operation) else 0

    def _between(self, copy: int) -> Sequence[Operation]:
        """The ops through which the anchor of the next copy depends on the anchor of a copy."""
        found: set[Operation] = set()
        waiting = [self.anchors[copy + 1]]
        while waiting:
            for value in self.numbering.operands(waiting.pop()):
                if (
                    self._level(value) == copy + 1
                    and isinstance(maker := value.owner, Operation)
                    and maker not in found
                ):
                    found.add(maker)
                    waiting.append(maker)
        return sorted(found, key=self.numbering.position.__getitem__)

    def copies(self) -> Copies:
        last, template = len(self.anchors) - 1, len(self.anchors) - 2
        ops: list[Mapping[Operation, Operation]] = []
        differences = ""
        for copy in range(last, -1, -1):
            try:
                ops.insert(0, self._aligned(copy, complete=copy < last))
            except UnlikeError as error:
                differences = str(error)
                break
        if len(ops) < FEWEST:
            raise UnlikeError(differences or f"fewer than {FEWEST} copies")
        first = last + 1 - len(ops)
        inverse = {op: mine for mine, op in ops[template - 1 - first].items()}
        state, inputs = dict[Place, Place](), list[Place]()
        for op in self.body:
            for at, value in enumerate(self.numbering.operands(op)):
                level = self._level(value)
                if level == template:
                    maker = inverse.get(value.owner) if isinstance(value.owner, Operation) else None
                    if maker is None or not isinstance(value, OpResult):
                        raise UnlikeError("a copy reads a value that is no state of the previous copy")
                    state[op, at] = maker, value.index
                elif level <= template:
                    inputs.append((op, at))
        copies = Copies(self.body, ops, state, inputs)
        self._check(copies, first)
        return copies

    def _aligned(self, copy: int, *, complete: bool) -> Mapping[Operation, Operation]:
        """The ops of a copy by those of the body. Raises `UnlikeError` if one of a complete copy is missing."""
        template = len(self.anchors) - 2
        known = {self.anchors[template]: self.anchors[copy]}
        states = dict(zip(self.read[template], self.read[copy], strict=True))
        for op in self.body:
            if op in known:
                continue
            found = self._counterpart(op, known, states)
            if found is not None:
                known[op] = found
            elif complete:
                raise UnlikeError(f"{op.name} of one copy has no counterpart in another")
        return known

    def _counterpart(
        self, op: Operation, known: Mapping[Operation, Operation], states: Mapping[SSAValue, SSAValue]
    ) -> Operation | None:
        operands = self.numbering.operands(op)
        mapped: dict[int, SSAValue] = {}
        for at, value in enumerate(operands):
            if value in states:
                mapped[at] = states[value]
            elif isinstance(value, OpResult) and value.op in self.inside:
                if value.op not in known:
                    return None
                mapped[at] = known[value.op].results[value.index]
            elif isinstance(value.owner, tdsl.ConstOp):
                mapped[at] = value
        starts = [at for at in mapped if not isinstance(operands[at].owner, tdsl.ConstOp)]
        what, found = (spelled(op), [*op.operand_types]), list[Operation]()
        for reader, place in self.numbering.readers.get(mapped[starts[0]], ()) if starts else ():
            if place != starts[0] or (spelled(reader), [*reader.operand_types]) != what:
                continue
            others = self.numbering.operands(reader)
            if all(others[at] is value for at, value in mapped.items()):
                found.append(reader)
        if len(found) > 1:
            found = [each for each in found if self._differences(op, each) == 0]
        return found[0] if found else None

    def _differences(self, op: Operation, other: Operation) -> int:
        pairs = zip(self.numbering.operands(op), self.numbering.operands(other), strict=True)
        return sum(mine is not theirs for mine, theirs in pairs if mine.owner not in self.inside)

    def _check(self, copies: Copies, first: int) -> None:
        """Raise `UnlikeError` unless the operands of all copies are those that `copies` states."""
        operands = self.numbering.operands
        for number, ops in enumerate(copies.ops):
            for (op, at), (maker, result) in copies.state.items():
                if op not in ops:
                    continue
                value = operands(ops[op])[at]
                if number and value is not self.numbering.of(copies.ops[number - 1][maker].results[result]):
                    raise UnlikeError("a copy reads a value that is no state of the previous copy")
                if self._level(value) > first + number:
                    raise UnlikeError("the initial state depends on a later copy")
            for op, at in copies.inputs:
                if op not in ops:
                    raise UnlikeError("the last copy is incomplete")
                if self._level(operands(ops[op])[at]) > first:
                    raise UnlikeError("an input of a copy depends on an earlier copy")
