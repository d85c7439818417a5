"""Verification between passes: it is repeated after every kind of change, and only then."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32, i16, i32
from xdsl.ir import Block, Operation
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter

from tinyml.dialects.context import context
from tinyml.transforms.ir.verification import Verification, structure_of

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
    """The order of the text stays."""
    yielded = body(module).last_op
    assert yielded is not None
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
    before = structure_of(module)
    assert before == structure_of(module)
    change(module)
    assert before != structure_of(module)


def test_it_is_repeated_after_a_change_alone(monkeypatch: pytest.MonkeyPatch):
    module, verified = program(), list[ModuleOp]()

    def verify(op: ModuleOp) -> None:
        verified.append(op)

    monkeypatch.setattr(ModuleOp, "verify", verify)
    verification = Verification()
    verification.check(module, None)
    verification.check(module, None)
    assert verified == [module]
    named(module, arith.MuliOp).attributes["seen"] = UnitAttr()
    verification.check(module, None)
    assert verified == [module, module]


def test_what_failed_fails_again():
    module, verification = program(), Verification()
    verification.check(module, None)
    Rewriter.replace_value_with_new_type(body(module).args[0], f32)
    for _ in range(2):
        with pytest.raises(Exception, match="does not verify"):
            verification.check(module, None)
