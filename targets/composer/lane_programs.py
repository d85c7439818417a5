"""The loop that a `num.lane_function` is, in the order in which a composer takes its ops (`ElementLoop`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import affine, arith, func, memref
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.layouts.element_loops import Constant, ElementLoop, Operand, Step
from tinyml.dialects.num.index_ranges import is_linear
from tinyml.dialects.scratch import memref_type

_OPS: Mapping[type[Operation], str] = {
    arith.AddiOp: "add",
    arith.SubiOp: "sub",
    arith.MuliOp: "mul",
    arith.AndIOp: "and",
    arith.MinSIOp: "min",
    arith.MaxSIOp: "max",
    arith.SelectOp: "select",
}
_SHIFTS: Mapping[type[Operation], str] = {arith.ShLIOp: "left", arith.ShRSIOp: "right"}
_CASTS = (arith.ExtSIOp, arith.TruncIOp)
_COMPARISONS = {4: "greater", 5: "at_least"}
"""Predicates of `arith.cmpi`: sgt, sge."""

_CALLS = {"tm_leading_zeros_s32": "leading_zeros", "tm_reciprocal_s32": "reciprocal"}
_REQUANTISE = "tm_requantize_s32"


def element_loop(function: num.LaneFunctionOp) -> ElementLoop:
    """The loop of a function; raises `VerifyException` for a function that has no such form."""
    return _Reader(function).read()


class _Reader:
    """The steps of a function, as its ops are visited."""

    def __init__(self, function: num.LaneFunctionOp):
        self.function, self.runs = function, list(function.runs)
        self.steps = list[Step]()
        self.operands = dict[SSAValue, Operand]()
        self.lane: SSAValue | None = function.numbers[-1] if function.numbers else None
        self.first, self.loops = 0, list[SSAValue]()
        self.pitches = [0] * len(self.runs)

    def read(self) -> ElementLoop:
        shape, count = self.function.shape, 0
        for op in self.function.body.block.ops:
            if not shape and isinstance(op, num.ReduceOp):
                count = len(op.numbers)
                self._join(op)
                break
            self._op(op)
        widths = tuple(num.run_width(run) for run in self.runs)
        count, lines = (shape[-1] if shape else count), (shape[0] if len(shape) > 1 else 1)
        pitches = tuple(self.pitches) if lines > 1 else ()
        return ElementLoop(count, widths, tuple(self.steps), lines, pitches).verified

    def _step(self, name: str, operands: Sequence[Operand] = (), numbers: Sequence[int] = ()) -> int:
        self.steps.append(Step(name, tuple(operands), tuple(numbers)))
        return len(self.steps) - 1

    def _operand(self, value: SSAValue) -> Operand:
        if (known := const_evaluate_operand(value)) is not None:
            return Constant(known)
        if value not in self.operands:
            raise VerifyException(f"a lane computes with an index, or with what all lanes join: {value}")
        return self.operands[value]

    def _block(self, block: Block, without: Sequence[Operation] = ()) -> None:
        for op in block.ops:
            if op not in without and not isinstance(op, num.NextOp):
                self._op(op)

    def _op(self, op: Operation) -> None:
        match op:
            case memref.LoadOp():
                self.operands[op.res] = self._load(op)
            case memref.StoreOp():
                self._access(op)
                self._step("store", [self._operand(op.value)])
            case num.ReduceOp():
                self._reduce(op)
            case func.CallOp():
                self.operands[op.res[0]] = self._call(op)
            case arith.CmpiOp():
                if (name := _COMPARISONS.get(op.predicate.value.data)) is None:
                    raise VerifyException("a lane compares by sgt or sge")
                self.operands[op.result] = self._step(name, list(map(self._operand, op.operands)))
            case _ if isinstance(op, _CASTS):
                self.operands[op.results[0]] = self._operand(op.operands[0])
            case _ if (name := _OPS.get(type(op))) is not None:
                self.operands[op.results[0]] = self._step(name, list(map(self._operand, op.operands)))
            case _ if (name := _SHIFTS.get(type(op))) is not None:
                places = const_evaluate_operand(op.operands[1])
                if places is None:
                    raise VerifyException("a lane shifts by a constant")
                self.operands[op.results[0]] = self._step(name, [self._operand(op.operands[0])], [places])
            case arith.ConstantOp() | affine.ApplyOp() | arith.IndexCastOp():
                # Those that use it look it up.
                pass
            case _:
                raise VerifyException(f"a lane does not have {op.name}")

    def _access(self, op: memref.LoadOp | memref.StoreOp) -> tuple[int, int, dict[SSAValue, int]]:
        """The run that an op accesses, the offset of the element, and the factors of the numbers of axes."""
        run, (constant, factors) = self.runs.index(op.memref), _terms(op.indices[0])
        if len(self.function.shape) > 1:
            self.pitches[run] = factors.pop(self.function.numbers[0], 0)
        return run, constant, factors

    def _load(self, op: memref.LoadOp) -> int:
        if isinstance(cast := op.indices[0].owner, arith.IndexCastOp):
            length = memref_type(op.memref).get_shape()[0]
            return self._step("lookup", [self._operand(cast.input)], [self.runs.index(op.memref), length])
        run, offset, factors = self._access(op)
        advance = 0 if self.lane is None else factors.pop(self.lane, 0)
        strides = [factors.pop(number, 0) for number in self.loops]
        if factors or advance > 1 or (advance == 0 and (offset or any(strides))):
            raise VerifyException("a lane loads the element behind that of the lane before, or one that all share")
        if advance == 0:
            return self._step("shared", (), [run])
        return self._step("load", (), [run, offset + self.first, *strides])

    def _call(self, op: func.CallOp) -> int:
        name, (x, *factors) = op.callee.root_reference.data, map(self._operand, op.arguments)
        if name == _REQUANTISE:
            known = [one.value for one in factors if isinstance(one, Constant)]
            if len(known) == len(factors):
                return self._step("requantise", [x], known)
            return self._step("requantise_by", [x, *factors])
        if name not in _CALLS:
            raise VerifyException(f"a lane does not have {name}")
        return self._step(_CALLS[name], [x])

    def _reduce(self, op: num.ReduceOp) -> None:
        if (sum := self._row_sum(op)) is not None:
            self.operands[op.joined[0]] = self._step(*sum)
            return
        (number, *carried), last = op.body.block.args, op.body.block.last_op
        assert isinstance(last, num.NextOp)
        if op.numbers.start:
            raise VerifyException("a window begins at 0")
        for argument, result, start in zip(carried, op.joined, op.starts, strict=True):
            self.operands[argument] = self.operands[result] = self._step("carry", [self._operand(start)])
        self._step("loop", (), [op.numbers.stop])
        self.loops.append(number)
        self._block(op.body.block)
        following = [self._operand(value) for value in last.values]
        for argument, value in zip(carried, following, strict=True):
            self._step("next", [self._operand(argument), value])
        self._step("end")
        self.loops.pop()

    def _row_sum(self, op: num.ReduceOp) -> tuple[str, Sequence[Operand], Sequence[int]] | None:
        """The step of a sum of products, or of squares of differences, of a row and a vector; None for another sum."""
        (number, *carried), last = op.body.block.args, op.body.block.last_op
        if len(carried) != 1 or op.numbers.start or const_evaluate_operand(op.starts[0]) != 0 or self.lane is None:
            return None
        assert isinstance(last, num.NextOp)
        if not isinstance(sum := last.values[0].owner, arith.AddiOp) or sum.lhs is not carried[0]:
            return None
        if not isinstance(product := sum.rhs.owner, arith.MuliOp):
            return None
        name, factors = "dot", [*product.operands]
        if factors[0] is factors[1] and isinstance(difference := factors[0].owner, arith.SubiOp):
            name, factors = "distance", [*difference.operands]
        loads = [
            factor.owner.operands[0].owner if isinstance(factor.owner, _CASTS) else factor.owner for factor in factors
        ]
        found = [self._access(load) for load in loads if isinstance(load, memref.LoadOp)]
        if len(found) < 2:
            return None
        # The factor that differs by lanes has the rows.
        (rows, first, theirs), (vector, begin, ours) = sorted(found, key=lambda each: self.lane not in each[2])
        pitch = theirs.pop(self.lane, 0)
        if pitch < 1 or first or begin or theirs != {number: 1} or ours != {number: 1}:
            return None
        return name, (), (rows, pitch, vector, op.numbers.stop)

    def _join(self, op: num.ReduceOp) -> None:
        """Read a reduction that joins all lanes."""
        (self.lane, *carried), last = op.body.block.args, op.body.block.last_op
        assert isinstance(last, num.NextOp)
        self.first = op.numbers.start
        [used] = [at for at, result in enumerate(op.joined) if result.uses]
        kinds = [kind.data for kind in op.kinds]
        valued = used
        if kinds[used] == num.PLACE:
            # The place of the greatest value, which is carried beside it.
            if sorted(kinds) != [num.GREATEST, num.PLACE]:
                raise VerifyException("a place is that of the greatest value")
            valued = 1 - used
        joins = [cast(Operation, one.owner) for one in last.values]
        joins += [
            one.cond.owner for one in joins if isinstance(one, arith.SelectOp) and isinstance(one.cond.owner, Operation)
        ]
        self._block(op.body.block, joins)
        values = [one for one in joins[valued].operands if one is not carried[valued]]
        if len(values) != 1 or isinstance(self._operand(value := values[0]), Constant):
            raise VerifyException("lanes are joined by a sum, or by the greater of two values")
        start = self._operand(op.starts[valued])
        numbers = list[int]()
        if valued != used:
            other = const_evaluate_operand(op.starts[used])
            compared = [[*one.operands] for one in joins if isinstance(one, arith.CmpiOp)]
            if other is None or compared != [[value, carried[valued]]]:
                raise VerifyException("the first of equal values has the place")
            numbers = [self.first, other]
        self._step(kinds[used], (start, self._operand(value)), numbers)


def _terms(index: SSAValue) -> tuple[int, dict[SSAValue, int]]:
    """An index as a constant, and the factor of each number of an axis."""
    if (known := const_evaluate_operand(index)) is not None:
        return known, {}
    if not isinstance(op := index.owner, affine.ApplyOp):
        return 0, {index: 1}
    map, numbers = op.map.data, list(op.mapOperands)
    if map.num_symbols or not is_linear(map.results[0]):
        raise VerifyException(f"an index of lanes is a sum of multiples of the numbers of axes, got {map}")
    dims = range(len(numbers))
    constant = map.results[0].eval([0] * len(numbers), [])
    factors = {numbers[at]: map.results[0].eval([int(at == dim) for dim in dims], []) - constant for at in dims}
    return constant, {number: factor for number, factor in factors.items() if factor}
