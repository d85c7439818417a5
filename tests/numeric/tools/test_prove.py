"""The statements of `tinyml prove` about formats hold. Inserted defects are found, with inputs that reproduce them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plugins.normal.normal import NormalType
from programs.paths import ROOT
from programs.spread import spread
from xdsl.dialects import func
from xdsl.dialects.builtin import i8
from xdsl.dialects.memref import LoadOp
from xdsl.ir import SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num, scratch
from tinyml.dialects.context import context
from tinyml.dialects.formats.exact import format as exact_format
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.groups import GroupsAttr
from tinyml.dialects.formats.lookup import format_spelled
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.machine import machine, runtime_functions
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.dialects.machine.machine import Int, Machine
from tinyml.dialects.tdsl import elementwise
from tinyml.tools.main import main
from tinyml.tools.proofs.facts import facts
from tinyml.tools.proofs.function_statements import Call, function_statement
from tinyml.tools.proofs.machine_statements import machine_statements
from tinyml.tools.proofs.op_statements import OpStatement
from tinyml.tools.proofs.programs import exponents
from tinyml.tools.proofs.proving import MAX_INPUTS, Counterexample, decide
from tinyml.tools.proofs.statements import Known, statements, variants
from tinyml.tools.proofs.step_statements import steps_in

LEVELS = ("1-formats.mlir", "3-loops.mlir")

FORMATS = (
    "fixed:4",
    "fixed:8",
    "fixed:16",
    "posit:6",
    "minifloat:4",
    "codebook:4",
    "midrise:2",
    "mxint:8",
    "mxfp:4",
    "affine:8",
    "!fixed.s<8, 7, even>",
)


def stated(format: str) -> Iterator[OpStatement]:
    return statements(format_spelled(context(), format))


def is_tried(statement: OpStatement) -> bool:
    size = 1
    for domain in statement.domains:
        size *= domain[-1] - domain[0] + 1
    return size <= MAX_INPUTS


@pytest.mark.long
@pytest.mark.parametrize("format", spread(FORMATS, 4))
def test_statements_with_few_inputs_hold(format: str):
    """Statements about a format that are decided by trying all inputs hold. The test decides every seventh of them."""
    tried = [one for one in stated(format) if is_tried(one)]
    assert tried
    for statement in tried[::7]:
        verdict = decide(statement, 10)
        assert verdict.proved, (statement.name, verdict.how, verdict.counterexample)


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
def test_statements_that_the_solver_proves(format: str):
    pytest.importorskip("z3", reason="the solver is not installed")
    solved = [one for one in stated(format) if not is_tried(one) and not isinstance(one.op, num.CombineOp)]
    assert solved
    for statement in solved[::11]:
        verdict = decide(statement, 60)
        assert verdict.proved, (statement.name, verdict.how, verdict.counterexample)


@pytest.mark.long
@pytest.mark.parametrize("format", [*FORMATS, "posit:8", "minifloat:8"])
def test_facts(format: str):
    """All facts about a format hold: decoding, rounding, tables of kernels, and functions of few arguments."""
    stated_facts = [fact for one in variants(format_spelled(context(), format)) for fact in facts(one)]
    assert stated_facts
    for fact in stated_facts:
        verdict = decide(fact, 10)
        assert verdict.proved, (fact.name, verdict.counterexample)


@pytest.mark.long
@pytest.mark.parametrize("format", spread(["fixed:16", "affine:8", "minifloat:4", "posit:6"], 2))
def test_functions_of_the_runtime(format: str):
    """The calls of runtime functions in sums, products and roundings of a format are proved, except those of functions
    without an integer program. The test tries every ninth call.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    calls: set[Call] = set()
    for statement in stated(format):
        if isinstance(statement.op, num.FinishOp | num.MulOp | num.AddOp):
            statement.promises()
            calls |= statement.calls
    assert calls
    for call in sorted(calls, key=str)[::9]:
        verdict = decide(function_statement(call), 60)
        assert verdict.counterexample is None
        assert verdict.proved or "no integer program" in verdict.how, (verdict.statement.name, verdict.how)


def _false(format: str, op: type[num.NumOp]) -> Counterexample:
    """The counterexample to the first false statement about an op; asserts that it fails when run as a test."""
    verdicts = (decide(statement, 30) for statement in stated(format) if isinstance(statement.op, op))
    found = next(verdict.counterexample for verdict in verdicts if verdict.counterexample is not None)
    assert _fails(found)
    return found


def _fails(found: Counterexample) -> bool:
    """Whether a counterexample fails when it is run as a test."""
    names: dict[str, Any] = {}
    exec(found.as_test(), names)
    try:
        names["test_counterexample"]()
    except (AssertionError, ValueError, VerifyException):
        return True
    return False


def test_ties(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: ties are rounded down instead of up."""

    def rescale(self: Machine[Any], x: Int[Any], right: int) -> Int[Any]:
        if right <= 0:
            return self.mul(x, self.const(1 << -right))
        return self.shift_right(self.add(x, self.const((1 << right - 1) - 1)), right)

    monkeypatch.setattr(Machine, "rescale", rescale)
    _false("fixed:8", num.AverageOp)


def test_saturation(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: results may be the least two's complement integer, which is not a raw of the
    format.
    """
    monkeypatch.setattr(FixedType, "limits", property(lambda self: machine.limits(self.width.data)))
    found = _false("fixed:8", num.SubOp)
    assert found.documented == -127


def test_overflow(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: the registers of results are one bit too narrow, so that a sum does not fit in 8
    bits.
    """
    given = machine.width_for

    def width_for(low: int, high: int, widths: Any = machine.WIDTHS) -> int:
        return given(low // 2, high // 2, widths)

    monkeypatch.setattr(machine, "width_for", width_for)
    found = _false("fixed:8", num.AddOp)
    assert "fits in 8 bits" in found.wrong


def test_interval(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: the interval of a difference lacks the least value."""
    given = Machine[Any].sub

    def sub(self: Machine[Any], a: Int[Any], b: Int[Any]) -> Int[Any]:
        result = given(self, a, b)
        return Int(result.value, result.width, result.low + 1, result.high)

    monkeypatch.setattr(Machine, "sub", sub)
    found = _false("fixed:8", num.SubOp)
    assert "lies in" in found.wrong


def _wrong_steps(subject: str) -> list[Counterexample]:
    """The counterexamples to the statements about the ops whose names match `subject`, in all formats, and to a fifth
    of the other statements. Asserts that each counterexample fails when run as a test.
    """
    every = [*machine_statements()]
    named = [step for step in every if re.search(subject, step.name) is not None]
    asked = [*named, *(step for step in every[::5] if step not in named)]
    assert named
    found = [one for step in asked if (one := decide(step, 30).counterexample) is not None]
    assert all(map(_fails, found))
    return found


@pytest.mark.long
def test_ops_that_all_formats_share():
    pytest.importorskip("z3", reason="the solver is not installed")
    for step in [*machine_statements()][::5]:
        verdict = decide(step, 30)
        assert verdict.proved, (step.name, verdict.how, verdict.counterexample)


@pytest.mark.long
def test_a_sum_one_past_a_register(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a sum of 128 is stored in 8 bits. Sums of two numbers of an 8-bit format never have
    128 as their greatest value.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    given = Machine[Any].add

    def add(self: Machine[Any], a: Int[Any], b: Int[Any]) -> Int[Any]:
        result = given(self, a, b)
        return result if result.high != 128 else Int(self.resize(result.value, 8), 8, result.low, 127)

    monkeypatch.setattr(Machine, "add", add)
    assert "exact.add [0, 127], [0, 1] : i8, i8, i8" in {one.statement.name for one in _wrong_steps("^exact.add")}


@pytest.mark.long
@pytest.mark.parametrize("amount", [1, 6, 13])
def test_a_rounding_of_one_amount(amount: int, monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: ties are rounded down if the shift amount is `amount`. Statements about formats
    alone would not find it, because their scales do not lead to all amounts.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    given = Machine[Any].rescale

    def rescale(self: Machine[Any], x: Int[Any], right: int) -> Int[Any]:
        return given(self, x, right) if right != amount else self.shift_right(x, right)

    monkeypatch.setattr(Machine, "rescale", rescale)
    found = _wrong_steps(rf" right {amount}\b")
    assert {one.statement.name.partition(" : ")[0].rpartition("]")[2] for one in found} == {f" right {amount}"}


def test_neighbouring_scales(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a format rounds down instead of to nearest if the scale of the rounded number
    exceeds that of the format by one.
    """
    given = FixedType.store

    def store(self: FixedType, m: Machine[Any], x: Int[Any], scale: int) -> Any:
        near = scale == self.frac.data + 1
        return m.settle(m.clamp(m.shift_right(x, 1), *self.limits), 8) if near else given(self, m, x, scale)

    monkeypatch.setattr(FixedType, "store", store)
    _false("fixed:8", num.ConvertOp)


@pytest.mark.parametrize("format", ["mxint:4", "mxfp:4"])
def test_exponents_of_groups(format: str, monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: exponents of groups wrap around at 32. Both kinds of facts detect it, those about
    given groups and those about the choice of exponents.
    """
    [one] = variants(format_spelled(context(), format))
    given: Callable[[GroupsAttr], Any] = GroupsAttr.by_run.fget  # pyright: ignore
    monkeypatch.setattr(GroupsAttr, "by_run", property(lambda self: given(self) % 32))
    wrong = [found for fact in facts(one) if (found := decide(fact, 10).counterexample) is not None]
    assert {found.statement.subject for found in wrong} == {"numbers of groups", "exponents of groups"}
    assert all(map(_fails, wrong))


@pytest.mark.long
def test_a_scaffold_of_a_grouped_format():
    """Statements about the format that `tinyml new format --grouped` writes are proved, including one about a
    multiplication by a power of two.
    """
    [statement, *_] = statements(NormalType.of_width(None))
    assert decide(statement, 10).proved
    scale = next(one for one in statements(NormalType.of_width(None)) if isinstance(one.op, num.ScaleOp))
    assert decide(scale, 10).proved


def test_fold(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a conversion between formats with equal storage folds to its operand."""

    def fold(self: num.ConvertOp) -> Any:
        formats = [one.type for one in (self.input, self.result)]
        return (self.input,) if all(isinstance(one, FixedType) for one in formats) else None

    monkeypatch.setattr(num.ConvertOp, "fold", fold)
    found = _false("fixed:8", num.ConvertOp)
    assert found.wrong == "not true: the op folds to the documented result"


def test_fold_on_tensors(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a clamp folds to an earlier, wider clamp."""
    monkeypatch.setattr(elementwise, "_contains", lambda outer, inner: outer[0] <= inner[0])  # pyright: ignore
    one = Known(FixedType(8, 4), FixedType(8, 4).specification)
    wrong = [found for fact in facts(one) if (found := decide(fact, 10).counterexample) is not None]
    assert [found.statement.name.partition(" : ")[2].partition(" : ")[0] for found in wrong] == [
        "tdsl.relu6 of tdsl.relu"
    ]
    assert all(map(_fails, wrong))
    assert wrong[0].inputs[0] > 6 << 4


def test_decoder(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: one raw of a posit is decoded as its neighbour."""
    given: Callable[[PositType], Any] = PositType.table.fget  # pyright: ignore

    def table(self: PositType) -> Any:
        changed = np.array(given(self))
        changed[5] = changed[6]
        return changed

    monkeypatch.setattr(PositType, "table", property(table))
    _false("posit:8", num.AddOp)


@pytest.mark.long
def test_division(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: a reciprocal is one too small, which affects only a few of millions of totals."""
    pytest.importorskip("z3", reason="the solver is not installed")

    def reciprocal(divisor: int, most: int) -> tuple[int, int] | None:
        return ((1 << 24) // divisor, 24) if most << 24 < divisor << 31 else None

    monkeypatch.setattr(machine, "_reciprocal", reciprocal)
    _false("fixed:16", num.AverageOp)


def test_rounding_when_a_program_is_compiled(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: constants are rounded with halves to even."""
    monkeypatch.setattr(FixedType, "rounded", lambda self, reals: np.rint(np.asarray(reals, np.float64)))  # pyright: ignore
    [one, *_] = variants(format_spelled(context(), "fixed:8"))
    [found] = (decide(fact, 10).counterexample for fact in facts(one) if fact.subject == "encode")
    assert found is not None
    assert _fails(found)


def test_program_of_a_function(monkeypatch: pytest.MonkeyPatch):
    """An inserted defect is found: in the integer program of `tm_requantize_s32`, which hardware uses, halves are
    rounded up instead of away from zero.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    call = Call("tm_requantize_s32", (None, 1395864371, -5))
    assert decide(function_statement(call), 60).proved
    known = runtime_functions.RUNTIME_FUNCTIONS["tm_requantize_s32"]

    def program(m: IntegerBuilder, x: SSAValue, multiplier: SSAValue, shift: SSAValue) -> SSAValue:
        product = m.mul(m.resize(x, 64), m.resize(multiplier, 64))
        high = m.resize(m.shift_right(m.add(product, 1 << 30), 31), 33)
        return m.resize(m.shift_right(m.add(high, 1 << 4), 5), 32)

    wrong = replace(known, program=program)
    monkeypatch.setitem(runtime_functions.RUNTIME_FUNCTIONS, "tm_requantize_s32", wrong)
    found = decide(function_statement(call), 60).counterexample
    assert found is not None
    assert found.inputs[0] < 0
    assert _fails(found)


def test_an_op_that_has_one_value_twice():
    """A product whose factors are the same value is stated as a function of one argument. It can therefore be proved to
    be nonnegative.
    """
    text = """func.func @square(%a: i16) -> i32 {
  %x = exact.within %a : i16 in [-300, 200]
  %y = exact.mul %x, %x : i16, i16 -> i32 in [-60000, 90000]
  func.return %y : i32
}"""
    [block] = (op.body.block for op in Parser(context(), text).parse_module().ops if isinstance(op, func.FuncOp))
    [statement] = steps_in(block)
    assert statement.domains == [range(-300, 201)]
    assert decide(statement, 10).proved


@pytest.mark.long
def test_command(capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("z3", reason="the solver is not installed")
    assert main(["prove", "mxint:4"]) == 0
    assert "num.add" in capsys.readouterr().out
    assert main(["prove", "f32"]) == 1
    assert "f32 has no `specification` that could be proved" in capsys.readouterr().err


def test_without_the_solver(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(sys.modules, "z3", None)
    assert main(["prove", "mxint:4"]) == 1
    assert capsys.readouterr().err.strip().endswith("proofs need the solver Z3: pip install 'tinyml-xdsl[prove]'")


def _compiled_tour(folder: Path, *options: str) -> str:
    source = ROOT / "docs" / "tour"
    out = str(folder / "out")
    data = ["--val", str(source / "val.npz"), "--target", "uno"]
    assert main(["compile", str(source / "tour.sd"), *data, *options, "-o", out]) == 0
    return out


@pytest.mark.long
def test_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("z3", reason="the solver is not installed")
    out = _compiled_tour(tmp_path)
    capsys.readouterr()
    assert main(["prove", out, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert not report["open"]
    assert not report["false"]
    proved = {row["op"]: row["proved"] for row in report["ops"]}
    assert proved["accumulators"] == proved["num.finish"] == 1
    count = sum(proved.values())
    page = Path(out, "report.html").read_text("utf-8")
    assert f"Of {count} statements about the operations and sums of the program, {count} are proved" in page


@pytest.mark.long
def test_a_program_that_its_c_does_not_come_from_is_not_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """If a weight in the stored IR at L1 is changed, the command reports that the next level does not match. A proof
    would be about a program other than that of the C.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    monkeypatch.setattr("tinyml.tools.commands.actions.prove.decide", None)
    out = _compiled_tour(tmp_path)
    before = {path: path.read_bytes() for path in Path(out).rglob("*") if path.is_file()}
    formats = Path(out, "ir/1-formats.mlir")
    text = formats.read_text()
    first = re.search(r"tdsl\.const dense<\[\[(-?\d+)", text)
    assert first is not None
    formats.write_text(f"{text[: first.start(1)]}1{text[first.end(1) :]}")
    capsys.readouterr()
    assert main(["prove", out]) == 1
    assert (
        capsys.readouterr()
        .err.strip()
        .endswith(
            "2-buffers.mlir: does not match ir/1-formats.mlir, so it does not describe the C: compile the model again"
        )
    )
    formats.write_text(text)
    for page in ("report.html", "pictures/formats.svg"):
        Path(out, page).write_bytes(before[Path(out, page)] + b" ")
        assert main(["prove", out]) == 1
        assert (
            capsys.readouterr()
            .err.strip()
            .endswith(f"{page}: was changed or was not written by tinyml: move it to another folder")
        )
        Path(out, page).write_bytes(before[Path(out, page)])
    assert {path: path.read_bytes() for path in Path(out).rglob("*") if path.is_file()} == before


@pytest.mark.long
def test_a_program_whose_groups_have_exponents(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """For weights in groups, each shift amount in the C is proved to be the exponent of its group. Changed amounts are
    refuted.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    out = _compiled_tour(tmp_path, "--format", "fixed", "--width", "8", "--weights", "mxint:4")
    capsys.readouterr()
    assert main(["prove", out, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert not report["open"]
    assert {row["op"] for row in report["ops"]} >= {"accumulators", "num.finish", "exponents of groups"}
    formats, loops = (Parser(context(), Path(out, "ir", name).read_text()).parse_module() for name in LEVELS)
    assert all(decide(one, 10).proved for one in exponents(formats, loops))
    [read] = {op.places.owner for op in loops.walk() if isinstance(op, num.AddShiftedOp)}
    assert isinstance(read, LoadOp)
    shifts = scratch.root(read.memref).owner
    assert isinstance(shifts, scratch.ConstantOp)
    wrapped = scratch.ConstantOp.of(shifts.raws + np.int8(64), i8)
    shifts.value = wrapped.value
    assert all(decide(one, 10).counterexample is not None for one in exponents(formats, loops))


@pytest.mark.long
def test_a_bound_that_sums_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """An inserted defect is found: a function returns half of the right bounds of sums. Accumulators are chosen by
    these bounds and verified by the same function.
    """
    pytest.importorskip("z3", reason="the solver is not installed")
    given = exact_format._of_rows  # pyright: ignore

    def of_rows(constant: Any, other: tuple[int, int]) -> tuple[int, int]:
        low, high = given(constant, other)
        return low // 2, high // 2

    monkeypatch.setattr(exact_format, "_of_rows", of_rows)
    out = _compiled_tour(tmp_path)
    capsys.readouterr()
    assert main(["prove", out, "--json"]) == 1
    [found] = json.loads(capsys.readouterr().out)["false"]
    assert found["statement"].startswith("tdsl.matmul")
    assert "lie within the bound" in found["wrong"]
