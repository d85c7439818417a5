"""Statements that are proved for all inputs, refuted by a counterexample, or left open with the reason.

A statement with few inputs is decided by enumeration, any other statement by the solver. Python also computes results,
for example in the evaluator. These results are compared on all inputs of an enumeration. If the solver decides, they
are compared at the ends of the operands' domains and on some numbers in between.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from random import Random
from typing import Any, TypeAlias

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number, choose
from tinyml.tools.proofs.formulas import Claim, Unknowns, solver
from tinyml.tools.proofs.reading import Promise, Unread
from tinyml.tools.proofs.values import Truths, Values

MAX_INPUTS = 1 << 17
"""Maximum inputs of a statement that is decided by enumeration."""

ENDS, SAMPLED = 5, 48
"""Inputs at each end of an operand and around zero, and further inputs, on which the evaluator is compared."""

CUTS = 32
"""The number of cuts of a statement per solver query."""

Domain: TypeAlias = Sequence[int]
"""The possible integers of an operand, in ascending order: a `range`, or a short list."""

Documented: TypeAlias = Callable[[Sequence[Number]], Number]
"""The documented result of raws: a number or a condition."""

Promises: TypeAlias = Callable[[Sequence[Number], "Number | Condition"], Iterator[Promise]]
"""All conditions that must be true for some inputs and their documented result."""


@dataclass(frozen=True, kw_only=True)
class Statement(ABC):
    """The claim that a computation equals its documentation, for all inputs that satisfy `assumed`.

    subject: the key by which reports group statements.
    domains: the possible integers of each input.
    expected: returns the documented result for some inputs.
    assumed: the condition on the inputs; None if there is none.
    cuts: integers that divide the domain of a single operand into pieces; each query of the solver covers one piece.
    name: identifies the statement in messages.
    """

    name: str
    subject: str
    domains: Sequence[Domain]
    expected: Documented
    assumed: Documented | None = None
    cuts: Sequence[int] = ()

    @abstractmethod
    def promises(self) -> Promises:
        """The conditions that prove the statement, as a function of the inputs.

        Raises `ValueError` or `VerifyException` if the computation fails, and `InputError` or `Unread` if it cannot be
        interpreted.
        """

    @abstractmethod
    def evaluated(self, inputs: Sequence[Any]) -> Values | Truths:
        """Compute the result in Python for arrays of inputs, one array for each operand."""

    @abstractmethod
    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        """The text of a Python test that fails as long as the statement is false for the given inputs.

        documented: the documented result for these inputs.
        """

    def samples(self) -> list[Any]:
        """Arrays of inputs on which Python's result is compared if not all inputs are enumerated."""
        return _all_of([_some_of(domain, self.cuts) for domain in self.domains])

    def pieces(self) -> Iterator[Sequence[Domain]]:
        """Yield the domains that the solver considers in one query: the domains of all operands, or each piece of a
        single domain.
        """
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
    """Inputs for which a statement is false, and a description of the fault.

    wrong: the description of the fault.
    """

    statement: Statement
    inputs: tuple[int, ...]
    wrong: str

    @property
    def documented(self) -> int:
        return int(self.statement.expected(self.inputs))

    def as_test(self) -> str:
        """The text of a Python test that fails as long as the statement is false."""
        inputs = self.inputs or [domain[0] for domain in self.statement.domains]
        return self.statement.as_test(inputs, int(self.statement.expected(inputs)))


@dataclass(frozen=True)
class Verdict:
    """The decision about a statement.

    seconds: the time that the decision took.
    how: "all inputs", "solver", or the reason why the statement is open.
    counterexample: inputs for which the statement is false; None if none are known.
    is_open: true if the statement is neither proved nor refuted.
    """

    statement: Statement
    seconds: float
    how: str
    counterexample: Counterexample | None = None
    is_open: bool = False

    @property
    def proved(self) -> bool:
        return self.counterexample is None and not self.is_open


def decide(statement: Statement, seconds: float) -> Verdict:
    """Prove or refute a statement. The statement remains open if the solver needs more than `seconds`."""
    started = time.perf_counter()

    def verdict(how: str, counterexample: Counterexample | None = None, is_open: bool = False) -> Verdict:
        return Verdict(statement, time.perf_counter() - started, how, counterexample, is_open)

    try:
        promises = statement.promises()
    except InputError as error:
        return verdict(error.message, is_open=True)
    except (ValueError, VerifyException) as error:
        return verdict("lowering", Counterexample(statement, (), f"it is not computed at all: {error}"))
    try:
        if prod(map(_size, statement.domains)) <= MAX_INPUTS:
            return verdict("all inputs", _tried(statement, promises, _all_of(statement.domains)))
        if (wrong := _tried(statement, promises, statement.samples())) is not None:
            return verdict("some inputs", wrong)
        for piece in statement.pieces():
            left = seconds - (time.perf_counter() - started)
            counterexample = _counterexample(statement, promises, piece, left)
            if isinstance(counterexample, str):
                return verdict(counterexample, is_open=True)
            if counterexample is not None:
                wrong = _tried(statement, promises, [np.array([number]) for number in counterexample])
                if wrong is None:
                    reason = "the solver's counterexample takes a product or an entry that there is not"
                    return verdict(reason, is_open=True)
                return verdict("solver", wrong)
    except Unread as reason:
        return verdict(str(reason), is_open=True)
    return verdict("solver")


def _counterexample(
    statement: Statement, promises: Promises, domains: Sequence[Domain], seconds: float
) -> Sequence[int] | str | None:
    """Search with the solver for inputs for which a statement is false.

    domains: the possible integers of each input.
    seconds: the limit on the solver's time.

    Returns such inputs, None if there are none, or the reason why the solver found no answer.
    """
    unknowns = Unknowns()
    inputs: list[Any] = [
        domain[0] if _size(domain) == 1 else unknowns.fresh(f"x{place}", domain[0], domain[-1])
        for place, domain in enumerate(domains)
    ]
    for unknown, domain in zip(inputs, domains, strict=True):
        _exclude_gaps(unknown, domain, unknowns)
    if statement.assumed is not None and isinstance(assumed := statement.assumed(inputs), Claim):
        unknowns.facts.append(assumed.term)
    terms = [solver().IntVal(one) if isinstance(one, int) else one.term for one in inputs]
    return _solved([*promises(inputs, statement.expected(inputs))], unknowns, terms, seconds)


def _exclude_gaps(unknown: Any, domain: Domain, unknowns: Unknowns) -> None:
    if isinstance(unknown, int) or isinstance(domain, range) or domain[-1] - domain[0] + 1 == len(domain):
        return
    z3 = solver()
    unknowns.facts += [
        z3.Or(unknown.term <= below, unknown.term >= above) for below, above in pairwise(domain) if above > below + 1
    ]


def _solved(
    promises: Sequence[Promise], unknowns: Unknowns, inputs: Sequence[Any], seconds: float
) -> Sequence[int] | str | None:
    """Solve one query. Return inputs for which a promise is false, None if all promises are true, or the reason why the
    solver found no answer.

    seconds: the limit on the solver's time.
    """
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
    outcome = search.check()
    if outcome == z3.unsat:
        return None
    if outcome == z3.unknown:
        return "the solver exceeded its time limit"
    model = search.model()
    return [model.eval(term, model_completion=True).as_long() for term in inputs]


def _some_of(domain: Domain, cuts: Sequence[int]) -> Domain:
    """Some integers of a domain: the ends, integers around zero and around cuts, and some integers between them. A
    domain of at most 4 `ENDS` integers is returned unchanged.
    """
    if _size(domain) <= 4 * ENDS:
        return domain
    at = (*range(-ENDS, ENDS + 1), *cuts, *(cut - 1 for cut in cuts))
    around = [number for number in at if number in domain]
    random = Random(0)
    between = (domain[random.randrange(_size(domain))] for _ in range(SAMPLED))
    return sorted({*domain[:ENDS], *around, *domain[-ENDS:], *between})


def _size(domain: Domain) -> int:
    """The number of integers in a domain, which Python's `len` cannot compute for a range of 64 bits."""
    return domain.stop - domain.start if isinstance(domain, range) else len(domain)


def _all_of(domains: Sequence[Domain]) -> list[Any]:
    """For each operand, an array of integers. Together the arrays enumerate all combinations of the domains."""
    axes = np.meshgrid(*(np.array(domain, np.int64) for domain in domains), indexing="ij")
    return [axis.ravel() for axis in axes]


def _tried(statement: Statement, promises: Promises, inputs: Sequence[Any]) -> Counterexample | None:
    values = _values(statement, inputs)
    if statement.assumed is not None:
        allowed = np.broadcast_to(_holds(statement.assumed(values)), inputs[0].shape)
        inputs = [column[allowed] for column in inputs]
        values = _values(statement, inputs)
    if inputs and len(inputs[0]) == 0:
        return None
    expected = statement.expected(values)
    evaluated = equal(statement.evaluated(inputs), expected)
    compared = Promise("the result in Python is the documented one", evaluated)
    for promise in (*promises(values, expected), compared):
        broken = np.flatnonzero(~np.broadcast_to(_holds(promise.holds), inputs[0].shape if inputs else (1,)))
        if len(broken):
            at = broken[0]
            numbers = tuple(int(column[at]) for column in inputs)
            return Counterexample(statement, numbers, f"not true: {promise.text}")
    return None


def _values(statement: Statement, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as values for a computation; for an operand with a single possible integer, this integer."""
    return [
        domain[0] if _size(domain) == 1 else Values(column)
        for domain, column in zip(statement.domains, inputs, strict=True)
    ]


def _holds(condition: Any) -> Any:
    return condition.array if isinstance(condition, Truths) else np.array(condition)


def equal(a: Any, b: Any) -> Any:
    if isinstance(a, bool | Claim | Truths) or isinstance(b, bool | Claim | Truths):
        a, b = (choose(side, 1, 0) for side in (a, b))
    if isinstance(a, int):
        a, b = b, a
    return a == b if isinstance(a, int) else a.equals(b)
