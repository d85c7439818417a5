"""Statements about ops of `exact`: their results in registers and in the evaluator equal their documentation.

A statement covers all integers in the intervals of the op's operands, independently of the ops that compute these
integers. The module `op_statements.py` contains the statements about `num` ops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import MemRefType, ModuleOp, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser

from tinyml.dialects import exact
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.exact.expansion import expand
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number
from tinyml.dialects.machine.machine import Int
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.tools.proofs.proving import Domain, Promises, Statement, equal
from tinyml.tools.proofs.reading import Promise, read
from tinyml.tools.proofs.values import Truths, Values
from tinyml.transforms.ir.arithmetic import FunctionContext


@dataclass(frozen=True, kw_only=True)
class StepStatement(Statement):
    """A statement about an op in a separate function. The arguments of the function are the operands that are not
    constant.
    """

    op: exact.RecordedOp

    def promises(self) -> Promises:
        module = _module_of(self.op).clone()
        [function] = cast("Sequence[func.FuncOp]", [*module.ops])
        expand(function, FunctionContext(module, function))
        block, recorded = function.body.block, _block_of(self.op)

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            # The interval that the op states is one of these.
            yield from read(recorded, _arguments(recorded, inputs)).promises
            reading = read(block, _arguments(block, inputs))
            yield from reading.promises
            yield Promise("registers hold the documented result", equal(reading.result, expected))

        return promises

    def evaluated(self, inputs: Sequence[Any]) -> Values | Truths:
        machine = NumpyMachine()
        columns: dict[SSAValue, Any] = dict(zip(_block_of(self.op).args, inputs, strict=True))

        def operand(value: SSAValue) -> Int[Any]:
            known = exact.integer_of(value)
            if known.constant is not None:
                return Int(machine.int_constant(known.constant, known.width), known.width, known.low, known.high)
            column = columns[value.owner.value if isinstance(value.owner, exact.WithinOp) else value]
            if value.type == i1:
                return Int(column == 1, known.width, known.low, known.high)
            return Int(machine.resize(column, known.width), known.width, known.low, known.high)

        with np.errstate(all="ignore"):
            made = self.op.computed(machine, operand)
        result = np.asarray(made.value if isinstance(made, Int) else made)
        return Truths(result) if result.dtype == bool else Values(result.astype(np.int64))

    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        given = ", ".join(["IR", *map(str, inputs)])
        return (
            f'from tinyml.tools.proofs.step_statements import computed\n\nIR = """\n{_module_of(self.op)!s}\n"""\n\n\n'
            f"def test_counterexample():\n    assert computed({given}) == {documented}\n"
        )


def steps_in(block: Block) -> Iterator[StepStatement]:
    """Yield a statement about each op of `exact` in a block; ops of undocumented formats are skipped."""
    for op in block.ops:
        if isinstance(op, exact.RecordedOp):
            try:
                yield _statement(_apart(op))
            except InputError:
                continue


def computed(text: str, *inputs: int) -> int:
    """The result that device and evaluator compute for some integers, from the text of a module with a function of one
    op.

    Raises `AssertionError` if registers overflow, or if the results differ.
    """
    module = Parser(context(), text).parse_module()
    [op] = (op for op in module.walk() if isinstance(op, exact.RecordedOp))
    statement = _statement(op)
    evaluated = int(statement.evaluated([np.array(number) for number in inputs]).array)
    for promise in statement.promises()(inputs, evaluated):
        assert promise.holds is True, f"{inputs}: not true: {promise.text}"
    return evaluated


def _statement(op: exact.RecordedOp) -> StepStatement:
    """The statement about an op in a separate function; raises `InputError` for an undocumented format."""
    block = _block_of(op)
    operands = [exact.integer_of(value) for value in op.operands if not _is_table(value)]
    shown = ", ".join(
        str(operand.low) if operand.constant is not None else f"[{operand.low}, {operand.high}]" for operand in operands
    )
    widths = ", ".join(str(value.type) for value in (*op.operands, *op.results))
    given = zip(op.parameters(), op.arguments, strict=True)
    properties = "".join(
        f" {name} {operand.type if isinstance(operand, exact.Coder) else operand}"
        for name, operand in given
        if not isinstance(operand, SSAValue)
    )
    return StepStatement(
        name=f"{op.name} {shown}{properties} : {widths}",
        subject=op.name,
        domains=[_domain(op, argument) for argument in block.args],
        expected=lambda x: read(block, _arguments(block, x)).result,
        cuts=op.documented.cuts(op.scale.value.data) if isinstance(op, exact.EncodeOp) else (),
        op=op,
    )


def _apart(op: exact.RecordedOp) -> exact.RecordedOp:
    """Copy an op into a separate function, with the op's constants and tables. Return the copy.

    The other operands become arguments of the function and keep their intervals.
    """
    operands = dict.fromkeys(op.operands)
    computed = [value for value in operands if not isinstance(value.owner, arith.ConstantOp) and not _is_table(value)]
    block = Block(arg_types=[value.type for value in computed])
    arguments = dict(zip(computed, block.args, strict=True))
    copies: dict[SSAValue, SSAValue] = {}
    for value in operands:
        owner = value.owner
        if (argument := arguments.get(value)) is None:
            assert isinstance(owner, Operation)
            made = owner.clone()
        elif value.type == i1:
            copies[value] = argument
            continue
        else:
            known = exact.integer_of(value)
            made = exact.WithinOp(argument, known.low, known.high)
        block.add_op(made)
        copies[value] = made.results[0]
    copy = op.clone(value_mapper=copies)
    block.add_ops([copy, func.ReturnOp(*copy.results)])
    types = [argument.type for argument in block.args], [result.type for result in copy.results]
    ModuleOp([func.FuncOp("alone", types, Region(block))])
    return copy


def _is_table(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType)


def _block_of(op: exact.RecordedOp) -> Block:
    block = op.parent
    assert block is not None
    return block


def _module_of(op: exact.RecordedOp) -> ModuleOp:
    return cast(ModuleOp, cast(Operation, op.parent_op()).parent_op())


def _domain(op: exact.RecordedOp, argument: SSAValue) -> Domain:
    if argument.type == i1:
        return range(2)
    [use] = argument.uses
    known = exact.integer_of(use.operation.results[0])
    if isinstance(op, exact.DecodeOp):
        return [raw for raw in op.documented.raws if known.low <= raw <= known.high]
    return range(known.low, known.high + 1)


def _arguments(block: Block, inputs: Sequence[Number]) -> list[Number | Condition]:
    """Convert inputs to arguments of a block; boolean inputs become conditions."""
    return [one >= 1 if argument.type == i1 else one for argument, one in zip(block.args, inputs, strict=True)]
