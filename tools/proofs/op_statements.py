"""Statements about `num` ops: their lowering and their evaluation equal the documentation of their formats.

Each statement covers the lowering of a single op in its three forms. In the first form, all values are exact integers
in the intervals that the op states. In the second form, the values are in registers. The third form is the second form
after `simplify`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.parser import Parser

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.tools.proofs.function_statements import Call, calls_in
from tinyml.tools.proofs.op_meanings import assumption_of, meaning_of
from tinyml.tools.proofs.proving import Documented, Domain, Promises, Statement, equal
from tinyml.tools.proofs.reading import Promise, read, within
from tinyml.tools.proofs.step_statements import StepStatement, steps_in
from tinyml.tools.proofs.values import Truths, Values
from tinyml.transforms.ir.arithmetic import Interval, OpFunction
from tinyml.transforms.simplify import SimplifyPass

RECORDED, EMITTED, SIMPLE = "in exact integers, ", "", "after simplify, "
"""The stages of an op's lowering, as messages name them."""


@dataclass(frozen=True, kw_only=True)
class OpStatement(Statement):
    """A statement about an op. Every operand of the op is an argument of a block.

    calls: the calls of runtime functions in its lowering.
    steps: the statements about the ops of `exact` in its lowering, by name.
    """

    op: num.NumOp
    calls: set[Call] = field(default_factory=set[Call])
    """Statements about the runtime functions in the op's lowering, available after reading."""

    steps: dict[str, StepStatement] = field(default_factory=dict[str, StepStatement])
    """Statements about the `exact` ops in the op's lowering, by name, available after reading."""

    def promises(self) -> Promises:
        forms = _Forms.of(self.op, self.domains)
        self.calls.update(calls_in(forms.stages[EMITTED]))
        self.steps.update({step.name: step for step in steps_in(forms.stages[RECORDED])})
        return forms.promises

    def evaluated(self, inputs: Sequence[Any]) -> Values | Truths:
        return _evaluated(self.op, inputs)

    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        given = ", ".join(["IR", *map(str, inputs)])
        return (
            f'from tinyml.tools.proofs.op_statements import computed\n\nIR = """\n{_alone(self.op)!s}\n"""\n\n\n'
            f"def test_counterexample():\n    assert computed({given}) == {documented}\n"
        )


def statement(
    name: str,
    make: Callable[[Sequence[SSAValue]], num.NumOp],
    operands: Sequence[tuple[Attribute, Domain]],
    assumed: Documented | None = None,
    cuts: Sequence[int] = (),
) -> OpStatement:
    """The statement about the op that `make` builds from values of the given types.

    name: the part of the statement's name that follows the name of the op.
    operands: the type and the possible raws of each operand.
    assumed: the condition on the operands; by default `assumption_of` the op.
    cuts: as in `Statement`.

    Raises `Undocumented` for an op without a documented meaning.
    """
    block = Block(arg_types=[type for type, _ in operands])
    op = make(block.args)
    block.add_op(op)
    op.verify()
    return OpStatement(
        name=f"{op.name} : {name}",
        subject=op.name,
        domains=[domain for _, domain in operands],
        expected=meaning_of(op),
        assumed=assumption_of(op) if assumed is None else assumed,
        cuts=cuts,
        op=op,
    )


def _alone(op: num.NumOp) -> ModuleOp:
    block = Block(arg_types=[operand.type for operand in op.operands])
    copy = op.clone(value_mapper=dict(zip(op.operands, block.args, strict=True)))
    block.add_ops([copy, func.ReturnOp(*copy.results)])
    return ModuleOp([func.FuncOp("alone", (block.arg_types, copy.result_types), Region(block))])


def computed(text: str, *inputs: int) -> int:
    """The result that device and evaluator compute for some raws, from the text of a module with a function of one op.

    Raises `AssertionError` if a computation violates a promise, or if the results differ.
    """
    [function] = cast("Sequence[func.FuncOp]", [*Parser(context(), text).parse_module().ops])
    op = next(op for op in function.body.block.ops if isinstance(op, num.NumOp))
    forms = _Forms.of(op, [range(number, number + 1) for number in inputs])
    evaluated = int(_evaluated(op, [np.array(number) for number in inputs]).array)
    for promise in forms.promises(inputs, evaluated):
        assert promise.holds is True, f"{inputs}: not true: {promise.text}"
    return evaluated


@dataclass(frozen=True)
class _Forms:
    """The three forms of an op's lowering, and the index of the operand to which the op folds, or None.

    interval: the proven interval of the result, if there is one.
    """

    stages: Mapping[str, Block]
    interval: Interval | None
    folded: int | None

    @classmethod
    def of(cls, op: num.NumOp, domains: Sequence[Domain]) -> _Forms:
        alone = OpFunction.recorded(op, [(domain[0], domain[-1]) for domain in domains])
        recorded = alone.function.clone()
        stages = {RECORDED: recorded.body.block, EMITTED: alone.expanded().block}
        module = alone.context.module.clone()
        SimplifyPass().apply(context(), module)
        [simple] = (one for one in module.ops if isinstance(one, func.FuncOp) and one.sym_name.data == "alone")
        stages[SIMPLE] = simple.body.block
        folded = op.fold() if isinstance(op, HasFolderInterface) else None
        place = None if folded is None else [*op.operands].index(cast(SSAValue, folded[0]))
        return cls(stages, alone.interval, place)

    def promises(self, inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
        if self.folded is not None:
            yield Promise("the op folds to the documented result", equal(inputs[self.folded], expected))
        for words, block in self.stages.items():
            reading = read(block, inputs)
            yield from (Promise(words + promise.text, promise.holds) for promise in reading.promises)
            yield Promise(f"{words}the result is the documented one", equal(reading.result, expected))
            if self.interval is not None:
                low, high = self.interval
                yield Promise(f"{words}the result lies in [{low}, {high}]", within(reading.result, low, high))


def _evaluated(op: num.NumOp, inputs: Sequence[Any]) -> Any:
    operands = [column.astype(_dtype(operand.type)) for operand, column in zip(op.operands, inputs, strict=True)]
    with np.errstate(all="ignore"):
        result = np.asarray(op.computation()(NumpyMachine(), operands))
    return Truths(result) if result.dtype == bool else Values(result.astype(np.int64))


def _dtype(type: Attribute) -> Any:
    if (format := number_format(type)) is not None:
        return format.dtype
    if (accumulator := accumulator_of(type)) is not None:
        type = accumulator.storage
    width = cast("IntegerType[int, Any]", type).width.data if isinstance(type, IntegerType) else 64
    return np.dtype(f"i{-(-width // 8) if width != 24 else 4}")
