"""A routine of another package, defined by one class: loops, calls of kernels and costs work without further
changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

import pytest
from programs.plugins import forget
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import AttrConstraint, irdl_attr_definition
from xdsl.parser import Parser

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.dialects.num.base import SAME_SUM
from tinyml.dialects.num.kernels.calls import MEMREF, Arguments, LoopBuilding
from tinyml.dialects.plugins import Row
from tinyml.lowering.exact_to_arith import LowerExactToArithPass
from tinyml.lowering.num_to_exact import LowerNumToExactPass
from tinyml.targets import registry
from tinyml.targets.chip import Chip
from tinyml.targets.kernel import Kernel
from tinyml.targets.kernel_table import ListedKernels
from tinyml.targets.riscv.chip import CHIP as RISCV
from tinyml.transforms.bits.fold_rounding import SUMS
from tinyml.transforms.ir.cost.demand import demand_of
from tinyml.transforms.loops.select_kernels import SelectKernelsPass

MODULE = """
func.func @model(%x: memref<8x!fixed.q<8, 4>>) -> !fixed.acc<32, 8> {
  %zero = num.zero : !fixed.acc<32, 8>
  %sum = num.call #signal.energy(%zero, %x) : (!fixed.acc<32, 8>, memref<8x!fixed.q<8, 4>>) -> !fixed.acc<32, 8>
  func.return %sum : !fixed.acc<32, 8>
}
"""


@irdl_attr_definition
class EnergyAttr(num.LoopRoutineAttr):
    """The routine of `num.call` with the arguments sum and run. It computes the sum plus the squares of the elements of
    the run.
    """

    name = "signal.energy"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (SAME_SUM, MEMREF)
    ADDS: ClassVar[bool] = True

    def factors(self, call: num.CallOp) -> tuple[SSAValue, SSAValue]:
        return call.arguments[1], call.arguments[1]

    def verify_call(self, call: num.CallOp) -> None:
        num.run_length(call.arguments[1])

    def expand(self, call: num.CallOp, loops: LoopBuilding) -> SSAValue:
        def mac(sum: SSAValue, k: SSAValue) -> SSAValue:
            x = loops.load(call.arguments[1], [k])
            return loops.insert(num.MacOp(sum, x, x))

        return loops.sum_of_products(call.sum, self.length(call), mac)

    def arguments(self, call: num.CallOp, *, segments: bool) -> Arguments:
        return lambda e: [call.arguments[1], call.sum]


def selected(target: str) -> ModuleOp:
    ctx = context()
    ctx.load_dialect(Dialect("signal", [], [EnergyAttr]))
    module = Parser(ctx, MODULE).parse_module()
    SelectKernelsPass(target).apply(ctx, module)
    module.verify()
    return module


def test_a_routine_without_a_kernel_is_its_loop():
    ops = list(selected("host").walk())
    assert not any(isinstance(op, num.CallOp) for op in ops)
    assert sum(isinstance(op, num.ReduceOp) for op in ops) == 1


@pytest.fixture
def with_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    energy = Kernel("tm_energy_s8_s32", 8, 8, 32, op=EnergyAttr.name, flash=None)
    chip = replace(RISCV, makers=(ListedKernels([energy]), *RISCV.makers))

    def energetic(_: Row) -> Chip:
        return chip

    monkeypatch.setattr(registry.CHIPS, "load", energetic)
    forget()
    yield
    monkeypatch.undo()
    forget()


@pytest.mark.usefixtures("with_kernel")
def test_a_listed_kernel_is_called_and_counted():
    module = selected("riscv")
    [call] = [op for op in module.walk() if isinstance(op, num.CallOp)]
    assert call.kernel == num.ListedKernelAttr.of("tm_energy_s8_s32")
    runs = demand_of(module).operations[""].runs
    assert (runs["tm_energy_s8_s32"], runs["tm_energy_s8_s32 element"]) == (1, 8)
    LowerNumToExactPass().apply(context(), module)
    LowerExactToArithPass().apply(context(), module)
    [called] = [op for op in module.walk() if isinstance(op, func.CallOp)]
    assert called.callee.string_value() == "tm_energy_s8_s32"
    assert [isinstance(operand.type, MemRefType) for operand in called.arguments] == [True, False]


def test_fold_rounding_lists_all_routines_that_add_to_a_sum():
    routines = (kind for kind in num.NUM.attributes if issubclass(kind, num.RoutineAttr))
    assert {kind.name for kind in routines if kind.ADDS} == SUMS
