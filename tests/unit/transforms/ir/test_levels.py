"""Passes accept IR of their level, and reject IR of other levels in one line."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.pipeline_steps import PIPELINES
from tinyml.tools.universe import TINYML
from tinyml.transforms.ir.levels import LOOPS, Level, check_level, level_of
from tinyml.transforms.simplify import SimplifyPass

TENSORS = """
func.func @f(%x: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1x!fixed.q<8, 7>> {
  %a = tdsl.tanh %x : tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 7>>
  func.return %a : tensor<2x1x!fixed.q<8, 7>>
}
"""
INDEX = "func.func @f(%i: index) -> index {\n  func.return %i : index\n}"
SCALAR = "func.func @f(%a: !fixed.q<16, 12>) -> !fixed.q<16, 12> {\n  func.return %a : !fixed.q<16, 12>\n}"
RESULTS = """
func.func @f(%x: tensor<2x1xf32>) -> (index, index) {
  %i = tdsl.argmax %x : tensor<2x1xf32>
  func.return %i, %i : index, index
}
"""
NESTED = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.func @g(%y: tensor<2xf32>) -> tensor<2xf32> {
    func.return %y : tensor<2xf32>
  }
  func.return %x : tensor<2xf32>
}
"""
BLOCKS = "func.func @f(%x: memref<4xf32>) -> memref<4xf32> {\n  cf.br ^n\n^n:\n  func.return %x : memref<4xf32>\n}"
MEMREFS = """
func.func @f(%x: memref<4xf32>) -> memref<4xf32> {
  %a = scratch.alloc : memref<4xf32>
  tdsl.exp %x : memref<4xf32> into %a : memref<4xf32>
  func.return %a : memref<4xf32>
}
"""
EARLY = """
func.func @f(%x: memref<4xf32>) {
  %arena = scratch.arena {alignment = 4 : i64} : memref<32xi8>
  tdsl.exp %x : memref<4xf32> into %a : memref<4xf32>
  %a = scratch.view %arena[0 : i64] : memref<32xi8> to memref<4xf32>
  func.return
}
"""
MEMORY = """
func.func @f() {
  %x = rtl.memory : !rtl.memory<4, 8>
  func.return
}
"""


def run(text: str, name: str) -> None:
    options = {"data": "no.npz"}
    steps = pipelines.flatten(name, options) if name in PIPELINES else [TINYML.all_passes[name]()()]
    ctx = context()
    pipelines.run(Parser(ctx, text).parse_module(), ctx, steps)


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (TENSORS, "buffers-to-loops", "a program on memrefs: 'tdsl.tanh' has the type tensor<2x1x!fixed.q<8, 4>>"),
        (TENSORS, "estimate-cost", "a program of loops on memrefs: the function 'f' has an argument of type tensor"),
        (INDEX, "estimate-cost", "the function 'f' has an argument of type index"),
        (SCALAR, "estimate-cost", "the function 'f' has an argument of type !fixed.q<16, 12>"),
        (BLOCKS, "formats-to-buffers", "a program on tensors: the function 'f' has 2 blocks, expected one"),
        (BLOCKS, "loops-to-bits", "loops on memrefs: the function 'f' has 2 blocks, expected one"),
        (BLOCKS, "bits-to-c", "integers, floats and memrefs: the function 'f' has 2 blocks, expected one"),
        (MEMREFS, "formats-to-buffers", "a program on tensors: 'scratch.alloc' has the type memref<4xf32>"),
        (MEMREFS, "bits-to-c", "integers, floats and memrefs: 'tdsl.exp' is of another level"),
        (MEMORY, "bits-to-upstream", "integers, floats and memrefs: 'rtl.memory' is of another level"),
        (MEMORY, "loops-to-bits", "loops on memrefs: 'rtl.memory' is of another level"),
        (MEMORY, "buffers-to-loops", "a program on memrefs: 'rtl.memory' is of another level"),
        (MEMORY, "fold-affine", "a program on tensors: 'rtl.memory' is of another level"),
        (EARLY, "pack-scratch", "a program on memrefs: 'tdsl.exp' uses a value before its definition"),
        (NESTED, "assign-format", "a program on tensors: the function 'g' lies in another one"),
        (INDEX, "measure-cost", "expected an input of numbers, 'f' expects index"),
        (RESULTS, "pack-input", "expected scores, a label or both, 'f' returns index, index"),
    ],
)  # fmt: skip
def test_ir_of_another_level_is_refused(text: str, name: str, said: str):
    with pytest.raises(InputError) as caught:
        run(text, name)
    assert said in str(caught.value)


def test_a_function_without_tensors_has_no_formats():
    run(INDEX, "assign-format")


def test_every_pass_of_a_room_takes_a_level():
    for name, make in TINYML.all_passes.items():
        made = make()
        if name not in PIPELINES and made is not SimplifyPass:
            without_options = object.__new__(made)
            assert isinstance(level_of(without_options), Level), name


@dataclass(frozen=True)
class AnyPass(ModulePass):
    """A plug-in's pass that declares no level."""

    name = "any"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@dataclass(frozen=True)
class LoopsPass(AnyPass):
    """A plug-in's pass that declares the level of its IR."""

    takes = LOOPS


def test_passes_of_plug_ins_take_what_they_declare():
    module = Parser(context(), TENSORS).parse_module()
    check_level(AnyPass(), module)
    with pytest.raises(InputError, match="'any' takes loops on memrefs"):
        check_level(LoopsPass(), module)
    check_level(Universe.get_multiverse().all_passes["canonicalize"]()(), module)
