"""Verification between passes: every kind of change is detected, and all ops that it may have made invalid are
verified.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32, i16, i32
from xdsl.ir import Block, Operation
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.context import context
from tinyml.transforms.ir.verification import Verification, records_of

TEXT = """
func.func @f(%x: i32, %y: i32) -> i32 {
  %a = arith.addi %x, %y : i32
  %b = arith.muli %a, %x : i32
  %c = scf.execute_region -> (i32) {
    %d = arith.subi %a, %b : i32
    scf.yield %d : i32
  }
  func.return %b : i32
}
"""


def program() -> ModuleOp:
    return Parser(context(), TEXT).parse_module()


def body(module: ModuleOp) -> Block:
    function = module.body.block.first_op
    assert isinstance(function, func.FuncOp)
    return function.body.block


def named(module: ModuleOp, kind: type[Operation]) -> Operation:
    return next(op for op in module.walk() if isinstance(op, kind))


def move_out(module: ModuleOp) -> None:
    """Move an op out of its block without changing the order of the text."""
    inner = named(module, arith.SubiOp)
    inner.detach()
    region = next(op for op in body(module).ops if op.regions)
    body(module).insert_op_before(inner, region)


def turn_property_to_attribute(module: ModuleOp) -> None:
    op = named(module, arith.AddiOp)
    op.attributes["overflowFlags"] = op.properties.pop("overflowFlags")


CHANGES: dict[str, Callable[[ModuleOp], object]] = {
    "operand": lambda module: named(module, arith.MuliOp).operands.__setitem__(0, body(module).args[1]),
    "result type": lambda module: Rewriter.replace_value_with_new_type(named(module, arith.MuliOp).results[0], i16),
    "argument type": lambda module: Rewriter.replace_value_with_new_type(body(module).args[0], f32),
    "new argument": lambda module: body(module).insert_arg(i32, 2),
    "attribute": lambda module: named(module, arith.MuliOp).attributes.__setitem__("seen", UnitAttr()),
    "property": lambda module: named(module, arith.AddiOp).properties.pop("overflowFlags"),
    "property to attribute": turn_property_to_attribute,
    "new operation": lambda module: body(module).insert_op_before(
        arith.AddiOp(body(module).args[0], body(module).args[1]), named(module, arith.MuliOp)
    ),
    "copy": lambda module: Rewriter.replace_op(
        named(module, arith.AddiOp), named(module, arith.AddiOp).clone(), safe_erase=False
    ),
    "block": move_out,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_counts(change: Callable[[ModuleOp], object]):
    module = program()
    before = records_of(module)
    assert before == records_of(module)
    change(module)
    assert before != records_of(module)


def test_changed_operations_and_those_around_are_verified(monkeypatch: pytest.MonkeyPatch):
    module, verified, verification = program(), list[str](), Verification()
    step = CanonicalizePass()
    verification.between(None, module, step)

    def verify(op: Operation, verify_nested_ops: bool = True) -> None:
        verified.append(f"{op.name} with all inside" if verify_nested_ops else op.name)

    monkeypatch.setattr(Operation, "verify", verify)
    verification.between(step, module, step)
    verification.between(step, module, None)
    assert verified == []
    named(module, arith.MuliOp).attributes["seen"] = UnitAttr()
    verification.between(step, module, step)
    assert verified == ["arith.addi", "arith.muli", "arith.subi", "func.return", "func.func", "builtin.module"]
    verified.clear()
    verification.between(step, module, None)
    verification.between(step, module, None)
    assert verified == ["builtin.module with all inside"]


def test_what_an_operation_has_left_is_verified():
    module, step, verification = program(), CanonicalizePass(), Verification()
    verification.between(None, module, step)
    inner = next(op for op in body(module).ops if op.regions).regions[0].block.last_op
    assert inner is not None
    inner.detach()
    body(module).insert_op_before(inner, named(module, arith.AddiOp))
    with pytest.raises(VerifyException, match=r"scf\.(execute_region|yield)"):
        verification.between(step, module, step)


def break_argument(module: ModuleOp) -> None:
    Rewriter.replace_value_with_new_type(body(module).args[0], f32)


def remove_terminator(module: ModuleOp) -> None:
    last = body(module).last_op
    assert last is not None
    Rewriter.erase_op(last)


@pytest.mark.parametrize("spoil", [break_argument, remove_terminator])
def test_what_is_wrong_is_found_each_time(spoil: Callable[[ModuleOp], None]):
    module, step, verification = program(), CanonicalizePass(), Verification()
    verification.between(None, module, step)
    spoil(module)
    for before, after in ((step, step), (step, step), (step, None), (None, step)):
        with pytest.raises(VerifyException):
            verification.between(before, module, after)


CONTRACTION = """
%s, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<2x3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>)
num.contract %row to 2 {
  %r = num.products %s, %w, %x
    : !fixed.acc<32, 18>, memref<2x3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
"""


def test_verifiers_may_rely_on_what_operations_hold():
    module, step, verification = Parser(context(), CONTRACTION).parse_module(), CanonicalizePass(), Verification()
    verification.between(None, module, step)
    made = module.body.block.first_op
    assert made is not None
    Rewriter.replace_value_with_new_type(made.results[2], i32)
    with pytest.raises(VerifyException, match="operand 'vector' at position 2 does not verify"):
        verification.between(step, module, step)
