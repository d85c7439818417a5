"""The statements of `tinyml prove` about sums of posits in a quire hold, and deliberate defects are found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import SSAValue

from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit import quire
from tinyml.dialects.formats.posit.final_ops import JoinOp
from tinyml.dialects.formats.posit.layout import Layout
from tinyml.dialects.formats.posit.parts import Parts
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.tools.main import main
from tinyml.tools.proofs.posit.quire_statements import statements_of, statements_of_products
from tinyml.tools.proofs.posit.quires import Summed
from tinyml.tools.proofs.proving import Counterexample, Statement, decide


def stated(n: int, es: int, length: int = 784) -> Summed:
    return Summed(PositType(n, es), length)


@pytest.mark.long
@pytest.mark.parametrize("sum", [stated(4, 0), stated(4, 2), stated(5, 0, 9)], ids=str)
def test_all_about_short_posits(sum: Summed):
    """All statements about sums of posits of 4 and 5 bits are proved, both for a quire that is a single integer and for
    a quire of several bins.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    for statement in statements_of(sum):
        verdict = decide(statement, 60)
        assert verdict.proved, (statement.name, verdict.how, verdict.counterexample)


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("sum", [stated(8, 0), stated(8, 2), stated(16, 1)], ids=str)
def test_ops_of_longer_posits(sum: Summed):
    """For sums of posits of 8 and 16 bits, all statements that are tried are proved. Statements about products of
    posits of more than 8 bits, whose proofs take a minute, and most statements about the end of a sum are not tried.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    stated_about = [one for one in statements_of(sum) if sum.format.bits <= 8 or one.subject != "posit.multiply_add"]
    ends = [one for one in stated_about if one.subject in ("posit.join", "posit.round")]
    for statement in [one for one in stated_about if one not in ends] + ends[:: max(len(ends) // 4, 1)]:
        verdict = decide(statement, 60)
        assert verdict.proved, (statement.name, verdict.how, verdict.counterexample)


MIXED = [(PositType(32, es), FixedType(2 + es, 0)) for es in (1, 2, 3)] + [(PositType(5, 1), FixedType(5, 2))]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(("posit", "fixed"), MIXED, ids=str)
def test_products_of_posits_and_integers(posit: PositType, fixed: FixedType):
    """The statements about products of posits of up to 32 bits and of narrow integers are proved. Products of 32 bits
    are among them.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    for statement in statements_of_products(Summed(posit, 784, fixed)):
        verdict = decide(statement, 60)
        assert verdict.proved, (statement.name, verdict.how, verdict.counterexample)


POSITS = st.builds(PositType, st.one_of(st.integers(2, 16), st.just(32)), st.integers(0, 3))
INTEGERS = st.builds(FixedType, st.one_of(st.integers(2, 6), st.integers(7, 16)), st.integers(-4, 20))


@given(POSITS, st.one_of(POSITS, INTEGERS), st.data())
def test_a_product_changes_the_bins_by_its_value(lhs: PositType, rhs: ExactFormat, data: st.DataObject):
    """The lowered addition of a product of two numbers of any two formats is exact. It is tried at the least and the
    greatest significands of some positions.
    """
    statement, *_ = statements_of_products(Summed(lhs, 784, rhs))
    promises = statement.promises()
    for piece in data.draw(st.lists(st.sampled_from(statement.divided), min_size=1, max_size=4)):
        for inputs in product(*({domain[0], domain[-1]} for domain in piece)):
            for promise in promises(inputs, statement.expected(inputs)):
                assert promise.holds is True, (statement.name, inputs, promise.text)


def _false(sum: Summed, subject: str) -> Counterexample:
    """The first counterexample to a statement about the op `subject`; asserts that it fails when run as a test."""
    verdicts = (decide(statement, 30) for statement in statements_of(sum) if statement.subject == subject)
    found = next(verdict.counterexample for verdict in verdicts if verdict.counterexample is not None)
    names: dict[str, Any] = {}
    exec(found.as_test(), names)
    with pytest.raises(AssertionError):
        names["test_counterexample"]()
    return found


def test_a_posit_at_a_wrong_place(monkeypatch: pytest.MonkeyPatch):
    given = Parts.packed

    def packed(self: Parts, raws: Any, *more: int) -> Any:
        return given(self, np.where(raws == 5, 6, raws), *more)

    monkeypatch.setattr(Parts, "packed", packed)
    assert _false(stated(8, 2), "posit.decode").inputs == (5,)


def test_bits_that_are_lost_and_do_not_count(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a sum just above the midpoint of two posits is rounded as a tie."""
    given = JoinOp._highest  # pyright: ignore[reportPrivateUsage]

    def highest(self: JoinOp, e: Emitter, sign: SSAValue) -> tuple[Sequence[SSAValue], SSAValue, SSAValue]:
        words, _, left = given(self, e, sign)
        return words, e.int_constant(0, 32), left

    monkeypatch.setattr(JoinOp, "_highest", highest)
    assert "nothing but the bits cut off is lost" in _false(stated(8, 2), "posit.join").wrong


def test_a_tie_that_goes_up(monkeypatch: pytest.MonkeyPatch):
    """A defect is found that exists only in the program for hardware: halves are rounded away from zero instead of to
    even.
    """
    given = IntegerBuilder.compare

    def compare(self: IntegerBuilder, a: SSAValue, predicate: str, b: SSAValue | int) -> SSAValue:
        is_tie = predicate == "sgt" and isinstance(b, int) and b > 1 << 30
        return given(self, a, "sge" if is_tie else predicate, b)

    monkeypatch.setattr(IntegerBuilder, "compare", compare)
    assert "nearest posit" in _false(stated(8, 2), "posit.round").wrong


def test_a_quire_that_is_too_narrow(monkeypatch: pytest.MonkeyPatch):
    given = quire._reach  # pyright: ignore[reportPrivateUsage]

    def reach(*arguments: Any) -> tuple[int, int]:
        top, frac = given(*arguments)
        return top - 3, frac

    monkeypatch.setattr(quire, "_reach", reach)
    assert "fit in" in _false(stated(8, 2), "posit.quire").wrong


def test_bins_without_room_for_the_length(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a number is added to one bin without being split, so that sums of many numbers
    overflow the bin.
    """

    def holds(self: Layout, bits: int, length: int = 1, *, moved: bool = False) -> bool:
        return True

    def parts(self: Layout, bits: int, *, moved: bool) -> int:
        return 1

    monkeypatch.setattr(Layout, "holds", holds)
    monkeypatch.setattr(Layout, "parts", parts)
    assert "fit in 32 bits" in _false(stated(12, 0, 1 << 14), "posit.quire").wrong


def test_a_carry_that_loses_a_sign(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a negative bin passes no carry to the next bin."""
    given = Emitter.shrsi

    def shrsi(self: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
        return given(self, self.maxsi(a, self.int_constant(0, self.width_of(a))), b)

    sum = stated(8, 2)
    assert isinstance(sum.quire, quire.QuireType)
    monkeypatch.setattr(Emitter, "shrsi", shrsi)
    assert "nothing is lost" in _false(sum, "posit.join").wrong


@pytest.mark.long
def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """`tinyml prove` also proves statements about sums for a format with no other statements, as for posits of more
    than 12 bits. The test omits all other statements.
    """
    pytest.importorskip("z3", reason="the solver is not installed")

    def none(*_: NumberFormat) -> Sequence[Statement]:
        return []

    monkeypatch.setattr("tinyml.tools.commands.actions.prove.variants", none)
    monkeypatch.setattr("tinyml.tools.commands.actions.prove.machine_statements", none)
    monkeypatch.setattr("tinyml.tools.proofs.posit.quire_statements.EXPONENTS", (0,))
    assert main(["prove", "posit:3"]) == 0
    assert "posit.multiply_add" in capsys.readouterr().out
