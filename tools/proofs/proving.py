"""Statements about num ops, each proved for all inputs, refuted by one of them, or left open with the reason.

A statement with few inputs is decided by trying all of them, any other by the solver. What is read is what a program
gets: the op lowered alone, and the same after `simplify`, with the intervals claimed for every value in between. The
evaluator's result is compared as well: on all inputs if they are tried, otherwise on ends of the operands and some
numbers between.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.exact_integers import Condition, Number, choose
from tinyml.dialects.machine.machine import Int
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.tools.proofs.formulas import Claim, Unknowns, solver
from tinyml.tools.proofs.reading import Promise, Unread, read
from tinyml.tools.proofs.values import Truths, Values
from tinyml.transforms.ir.arithmetic import FunctionContext, lowered_alone
from tinyml.transforms.simplify import SimplifyPass

TRIED = 1 << 17
"""Statements with up to this many inputs are decided by trying all of them."""

ENDS, SAMPLED = 5, 48
"""Inputs at each end of an operand and around zero, and others, for which the evaluator is compared."""

CUTS = 32
"""The solver gets the inputs between every so many cuts of a statement at a time."""

Domain: TypeAlias = Sequence[int]
"""The integers that an operand can be, in ascending order; a `range`, or a list of few."""

Documented: TypeAlias = Callable[[Sequence[Number]], Number]
"""The documented result of raws, a number or a condition."""

Interval: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Statement:
    """An op computes what is documented, for all inputs that satisfy `assumed`.

    op: of which every operand is an argument of a block. expected: the documented result. cuts: integers at which a
    single operand's domain is divided, so that the solver decides about a piece at a time.
    """

    name: str
    op: num.NumOp
    domains: Sequence[Domain]
    expected: Documented
    assumed: Documented | None = None
    cuts: Sequence[int] = ()

    def pieces(self) -> Iterator[Sequence[Domain]]:
        """The domains, or parts of the only one."""
        if not self.cuts:
            yield self.domains
            return
        [domain] = self.domains
        inner = [cut for cut in self.cuts if domain[0] < cut <= domain[-1]]
        ends = {domain[0], *inner[::CUTS], domain[-1] + 1}
        for start, end in pairwise(sorted(ends)):
            yield [range(start, end)]


@dataclass(frozen=True)
class Counterexample:
    """Inputs for which a statement is false, and what is wrong there."""

    statement: Statement
    inputs: tuple[int, ...]
    wrong: str

    @property
    def documented(self) -> int:
        """The documented result for the inputs."""
        return int(self.statement.expected(self.inputs))

    def as_test(self) -> str:
        """A test in Python that fails as long as the statement is false."""
        given = ", ".join(["IR", *map(str, self.inputs)])
        return (
            f'from tinyml.tools.proofs.proving import computed\n\nIR = """\n{_alone(self.statement.op)!s}\n"""\n\n\n'
            f"def test_counterexample():\n    assert computed({given}) == {self.documented}\n"
        )


def _alone(op: num.NumOp) -> ModuleOp:
    """A module with a function of one op."""
    block = Block(arg_types=[operand.type for operand in op.operands])
    copy = op.clone(value_mapper=dict(zip(op.operands, block.args, strict=True)))
    block.add_ops([copy, func.ReturnOp(*copy.results)])
    return ModuleOp([func.FuncOp("alone", (block.arg_types, copy.result_types), Region(block))])


def computed(text: str, *inputs: int) -> int:
    """What a device and the evaluator compute for some raws, by the text of a module with a function of one op.

    Raises `AssertionError` if either breaks a promise, or if they differ.
    """
    [function] = cast("Sequence[func.FuncOp]", [*Parser(context(), text).parse_module().ops])
    op = next(op for op in function.body.block.ops if isinstance(op, num.NumOp))
    forms = _Forms.of(op, [range(number, number + 1) for number in inputs])
    evaluated = int(_evaluated(op, [np.array(number) for number in inputs]).array)
    for promise in forms.promises(inputs, evaluated):
        assert promise.holds is True, f"{inputs}: not true: {promise.text}"
    return evaluated


@dataclass(frozen=True)
class Verdict:
    """What became of a statement. how: "all inputs", "solver", or the reason why it stays open."""

    statement: Statement
    seconds: float
    how: str
    counterexample: Counterexample | None = None
    is_open: bool = False

    @property
    def proved(self) -> bool:
        return self.counterexample is None and not self.is_open


def statement(
    name: str,
    make: Callable[[Sequence[SSAValue]], num.NumOp],
    operands: Sequence[tuple[Attribute, Domain]],
    expected: Documented,
    assumed: Documented | None = None,
    cuts: Sequence[int] = (),
) -> Statement:
    """A statement about the op that `make` builds of values of the operands' types."""
    block = Block(arg_types=[type for type, _ in operands])
    op = make(block.args)
    block.add_op(op)
    op.verify()
    return Statement(f"{op.name} : {name}", op, [domain for _, domain in operands], expected, assumed, cuts)


class _WatchedEmitter(Emitter):
    """An emitter that notes every interval on which what it emits relies."""

    def __init__(self, claims: list[tuple[SSAValue, Interval]], before: Operation, context: FunctionContext):
        super().__init__(before, context)
        self.claims = claims

    def held(self, x: Int[SSAValue], width: int) -> SSAValue:
        self.claims.append((x.value, (x.low, x.high)))
        return super().held(x, width)

    def clamp(self, x: Int[SSAValue], low: int, high: int) -> Int[SSAValue]:
        self.claims.append((x.value, (x.low, x.high)))
        return super().clamp(x, low, high)

    def at_least(self, x: Int[SSAValue], threshold: int) -> SSAValue:
        self.claims.append((x.value, (x.low, x.high)))
        return super().at_least(x, threshold)


@dataclass(frozen=True)
class _Forms:
    """What an op lowers to, before and after `simplify`, and the operand that it folds to, if it folds.

    intervals: those claimed for values of the first.
    """

    plain: Block
    simple: Block
    intervals: Mapping[SSAValue, Interval]
    folded: int | None

    @classmethod
    def of(cls, op: num.NumOp, domains: Sequence[Domain]) -> _Forms:
        claims: list[tuple[SSAValue, Interval]] = []
        known = [(domain[0], domain[-1]) for domain in domains]
        block, result = lowered_alone(op, known, partial(_WatchedEmitter, claims))
        intervals: dict[SSAValue, Interval] = {}
        returned = cast(Operation, block.last_op).operands[0]
        for value, (low, high) in [*claims, *([(returned, result)] if result is not None else [])]:
            least, most = intervals.get(value, (low, high))
            intervals[value] = max(low, least), min(high, most)
        module = cast(ModuleOp, cast(Operation, block.parent_op()).parent_op())
        copy = module.clone()
        SimplifyPass().apply(context(), copy)
        [simple] = (one for one in copy.ops if isinstance(one, func.FuncOp) and one.sym_name.data == "alone")
        folded = op.fold() if isinstance(op, HasFolderInterface) else None
        place = None if folded is None else [*op.operands].index(cast(SSAValue, folded[0]))
        return cls(block, simple.body.block, intervals, place)

    def promises(self, inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
        """All that has to hold for these inputs."""
        if self.folded is not None:
            yield Promise("the op folds to the documented result", _equal(inputs[self.folded], expected))
        none: Mapping[SSAValue, Interval] = {}
        for words, block, intervals in (("", self.plain, self.intervals), ("after simplify, ", self.simple, none)):
            reading = read(block, inputs, intervals)
            yield from (Promise(words + one.text, one.holds) for one in reading.promises)
            yield Promise(f"{words}the result is the documented one", _equal(reading.result, expected))


def _equal(a: Any, b: Any) -> Any:
    if isinstance(a, bool | Claim | Truths) or isinstance(b, bool | Claim | Truths):
        a, b = (choose(side, 1, 0) for side in (a, b))
    if isinstance(a, int):
        a, b = b, a
    return a == b if isinstance(a, int) else a.equals(b)


def decide(statement: Statement, seconds: float) -> Verdict:
    """Prove a statement, or refute it; it stays open if the solver takes more than `seconds`."""
    started = time.perf_counter()

    def verdict(how: str, found: Counterexample | None = None, is_open: bool = False) -> Verdict:
        return Verdict(statement, time.perf_counter() - started, how, found, is_open)

    try:
        forms = _Forms.of(statement.op, statement.domains)
    except InputError as error:
        return verdict(error.message, is_open=True)
    except ValueError as error:
        return verdict("lowering", Counterexample(statement, (), f"the op does not lower: {error}"))
    try:
        if prod(map(len, statement.domains)) <= TRIED:
            return verdict("all inputs", _tried(statement, forms, _all_of(statement.domains)))
        if (wrong := _tried(statement, forms, _all_of([*map(_ends_of, statement.domains)]))) is not None:
            return verdict("ends", wrong)
        for piece in statement.pieces():
            left = seconds - (time.perf_counter() - started)
            found = _counterexample(statement, forms, piece, left)
            if isinstance(found, str):
                return verdict(found, is_open=True)
            if found is not None:
                wrong = _tried(statement, forms, [np.array([number]) for number in found])
                if wrong is None:
                    reason = "the solver's counterexample takes a product or an entry that there is not"
                    return verdict(reason, is_open=True)
                return verdict("solver", wrong)
    except Unread as reason:
        return verdict(str(reason), is_open=True)
    return verdict("solver")


def _counterexample(
    statement: Statement, forms: _Forms, domains: Sequence[Domain], seconds: float
) -> Sequence[int] | str | None:
    """Inputs for which the solver finds a statement false, None if there are none, or why that is not known."""
    unknowns = Unknowns()
    inputs = [unknowns.fresh(f"x{place}", domain[0], domain[-1]) for place, domain in enumerate(domains)]
    for unknown, domain in zip(inputs, domains, strict=True):
        _exclude_gaps(unknown, domain, unknowns)
    if statement.assumed is not None and isinstance(assumed := statement.assumed(inputs), Claim):
        unknowns.facts.append(assumed.term)
    promises = forms.promises(inputs, statement.expected(inputs))
    return _solved([*promises], unknowns, [unknown.term for unknown in inputs], seconds)


def _exclude_gaps(unknown: Any, domain: Domain, unknowns: Unknowns) -> None:
    if isinstance(domain, range) or domain[-1] - domain[0] + 1 == len(domain):
        return
    z3 = solver()
    unknowns.facts += [
        z3.Or(unknown.term <= below, unknown.term >= above) for below, above in pairwise(domain) if above > below + 1
    ]


def _solved(
    promises: Sequence[Promise], unknowns: Unknowns, inputs: Sequence[Any], seconds: float
) -> Sequence[int] | str | None:
    """None if all promises hold, the inputs for which one does not, or why that is not known."""
    z3 = solver()
    broken: list[Any] = [z3.Not(promise.holds.term) for promise in promises if isinstance(promise.holds, Claim)]
    if any(promise.holds is False for promise in promises):
        broken = []
    elif not broken:
        return None
    search = z3.Solver()
    search.set("timeout", max(int(seconds * 1000), 1))
    search.add(*unknowns.facts)
    if broken:
        search.add(z3.Or(*broken))
    found = search.check()
    if found == z3.unsat:
        return None
    if found == z3.unknown:
        return "the solver takes too long"
    model = search.model()
    return [model.eval(term, model_completion=True).as_long() for term in inputs]


def _ends_of(domain: Domain) -> Domain:
    """Some integers of a domain: its ends, and those around zero."""
    if len(domain) <= 4 * ENDS:
        return domain
    around = [number for number in range(-ENDS, ENDS + 1) if number in domain]
    between: Sequence[int] = np.random.default_rng(0).integers(0, len(domain), SAMPLED).tolist()
    return sorted({*domain[:ENDS], *around, *domain[-ENDS:], *(domain[place] for place in between)})


def _all_of(domains: Sequence[Domain]) -> list[Any]:
    """Arrays of all combinations of the integers of some domains."""
    axes = np.meshgrid(*(np.array(domain, np.int64) for domain in domains), indexing="ij")
    return [axis.ravel() for axis in axes]


def _tried(statement: Statement, forms: _Forms, inputs: Sequence[Any]) -> Counterexample | None:
    """The first of some inputs for which a statement is false."""
    values = [Values(column) for column in inputs]
    if statement.assumed is not None:
        allowed = np.broadcast_to(_holds(statement.assumed(values)), inputs[0].shape)
        inputs = [column[allowed] for column in inputs]
        values = [Values(column) for column in inputs]
    if inputs and len(inputs[0]) == 0:
        return None
    expected = statement.expected(values)
    evaluated = _evaluated(statement.op, inputs)
    promises = [*forms.promises(values, expected)]
    promises.append(Promise("the evaluator's result is the documented one", _equal(evaluated, expected)))
    for promise in promises:
        broken = np.flatnonzero(~np.broadcast_to(_holds(promise.holds), inputs[0].shape if inputs else (1,)))
        if len(broken):
            at = broken[0]
            given = tuple(int(column[at]) for column in inputs)
            return Counterexample(statement, given, f"not true: {promise.text}")
    return None


def _holds(condition: Any) -> Any:
    return condition.array if isinstance(condition, Truths) else np.array(condition)


def _evaluated(op: num.NumOp, inputs: Sequence[Any]) -> Any:
    """The result on the machine of the evaluator."""
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
