"""Statements about functions of the runtime, with the constant arguments that emitted code passes to them.

Hardware computes a function by its integer program; the evaluator computes it by its reference in numpy. Both must
return the documented result whenever that result fits the function's result type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import scratch
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.tools.proofs.proving import Promises, Statement, equal
from tinyml.tools.proofs.reading import Promise, Unread, read, within
from tinyml.tools.proofs.values import Truths, Values

Argument: TypeAlias = "int | tuple[int, ...] | None"
"""An argument: a constant, a table, or None for a computed operand."""


class Call(NamedTuple):
    """A call of a runtime function, with the function's constant arguments."""

    function: str
    arguments: tuple[Argument, ...]

    def completed(self, computed: Sequence[Any]) -> list[Any]:
        """All arguments of the call in order; `computed` supplies the arguments that are not constant."""
        rest = iter(computed)
        return [next(rest) if argument is None else argument for argument in self.arguments]


def calls_in(block: Block) -> Iterator[Call]:
    """Yield the calls of functions that have a documented meaning on integers."""
    for op in block.ops:
        if isinstance(op, func.CallOp) and RUNTIME_FUNCTIONS[op.callee.string_value()].meaning is not None:
            yield Call(op.callee.string_value(), tuple(_argument(operand) for operand in op.operands))


def _argument(value: SSAValue) -> Argument:
    if isinstance(value.type, MemRefType):
        owner = value.owner
        table = owner.source.owner if isinstance(owner, memref.CastOp) else owner
        assert isinstance(table, scratch.ConstantOp)
        return tuple(table.raws.tolist())
    return const_evaluate_operand(value)


@dataclass(frozen=True, kw_only=True)
class FunctionStatement(Statement):
    """A statement about a function, for all values of its integer operands."""

    call: Call

    def promises(self) -> Promises:
        if RUNTIME_FUNCTIONS[self.call.function].program is None:
            return self._unread
        block = _inlined(self.call)

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            reading = read(block, inputs)
            yield from reading.promises
            yield Promise("the integer program gives the documented result", equal(reading.result, expected))

        return promises

    def _unread(self, inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
        if not all(isinstance(one, Values) for one in inputs):
            raise Unread(f"{self.call.function} has no integer program; its reference agrees where it was tried")
        return iter(())

    def evaluated(self, inputs: Sequence[Any]) -> Values | Truths:
        known = RUNTIME_FUNCTIONS[self.call.function]
        arguments = [
            np.array(argument).astype(_dtype(type))
            for argument, type in zip(self.call.completed(inputs), known.arguments, strict=True)
        ]
        with np.errstate(all="ignore"):
            return Values(np.asarray(known.reference(*arguments)).astype(np.int64))

    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        arguments = tuple(self.call.completed(inputs))
        return (
            "from tinyml.tools.proofs.function_statements import called\n\n\n"
            f"def test_counterexample():\n    assert called({self.call.function!r}, {arguments}) == {documented}\n"
        )


def function_statement(call: Call) -> FunctionStatement:
    """The statement about a function called with given constant arguments."""
    known = RUNTIME_FUNCTIONS[call.function]
    meaning = known.meaning
    assert meaning is not None
    result = limits(_width(known.result))
    tables = [argument for argument in call.arguments if isinstance(argument, tuple)]
    shown = ", ".join(
        "a table" if isinstance(one, tuple) else "_" if one is None else str(one) for one in call.arguments
    )
    return FunctionStatement(
        name=f"{call.function}({shown})",
        subject=call.function,
        domains=[
            range(low, high + 1)
            for (low, high), argument in zip(map(_ends, known.arguments), call.arguments, strict=True)
            if argument is None
        ],
        expected=lambda x: meaning(*call.completed(x)),
        assumed=lambda x: within(meaning(*call.completed(x)), *result),
        cuts=tables[0] if tables and call.arguments.count(None) == 1 else (),
        call=call,
    )


def called(function: str, arguments: Sequence[Any]) -> int:
    """Compute the result of a function; raises `AssertionError` if its integer program and its reference differ."""
    call = Call(function, tuple(arguments))
    result = int(np.asarray(function_statement(call).evaluated([]).array).ravel()[0])
    if RUNTIME_FUNCTIONS[function].program is not None:
        reading = read(_inlined(call), [])
        assert all(promise.holds is True for promise in reading.promises)
        assert reading.result == result, f"the program gives {reading.result}, the reference {result}"
    return result


def _inlined(call: Call) -> Block:
    """The integer program of a call, as a block whose arguments are the computed arguments of the call."""
    known = RUNTIME_FUNCTIONS[call.function]
    pairs = [*zip(known.arguments, call.arguments, strict=True)]
    block = Block(arg_types=[type for type, argument in pairs if argument is None])
    rest = iter(block.args)
    operands: list[SSAValue] = []
    for type, argument in pairs:
        if argument is None:
            operands.append(next(rest))
            continue
        made: Operation
        if isinstance(argument, tuple):
            element = cast("MemRefType[IntegerType]", type).element_type
            made = scratch.ConstantOp.of(np.array(argument).astype(_dtype(type)), element)
        else:
            made = arith.ConstantOp(IntegerAttr(argument, cast(IntegerType, type)))
        block.add_op(made)
        operands.append(made.results[0])
    op = func.CallOp(call.function, operands, [known.result])
    block.add_ops([op, func.ReturnOp(*op.results)])
    assert known.program is not None
    op.results[0].replace_all_uses_with(known.program(IntegerBuilder(op), *operands))
    Rewriter.erase_op(op)
    return block


def _width(type: Attribute) -> int:
    element = cast("MemRefType[IntegerType]", type).element_type if isinstance(type, MemRefType) else type
    return cast("IntegerType[int, Any]", element).width.data


def _ends(type: Attribute) -> tuple[int, int]:
    return limits(_width(type))


def _dtype(type: Attribute) -> Any:
    width = _width(type)
    return np.dtype(f"i{4 if width == 24 else width // 8}")
