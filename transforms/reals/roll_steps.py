"""`roll-steps`: replaces the copies of a recurrent step by a loop over the steps (L0, L1).

Exporters write the steps of a recurrent layer one after another: converters of TensorFlow Lite for Keras's layers with
`unroll=True`, and PyTorch for loops of Python. The copies use the same weights, and each copy reads the state that the
previous one computes. A loop computes the same bits, and its code does not grow with the number of steps.

A file may quantise each copy by scales of its own. Such copies stay, and the module records them in the attribute
`tinyml.unrolled`, from which `tinyml compile` warns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import layers_of
from tinyml.dialects.remarks import missed, passed
from tinyml.dialects.tdsl.attributes import UNROLLED
from tinyml.transforms.reals.rolling.copies import FEWEST, UnlikeError, copies_of, levels
from tinyml.transforms.reals.rolling.loop import roll
from tinyml.transforms.reals.rolling.numbering import Numbering, constants_of, spelled


@dataclass(frozen=True)
class RollStepsPass(ModulePass):
    """Replace three or more equal copies of a step by an `scf.for` whose iter_args are the state.

    Copies begin with products of one constant, of which each depends on the previous one. They are equal if their ops
    have equal attributes and types, and equal operands apart from the state, index constants that grow by a constant,
    and inputs that no copy computes. Results that are read in several copies form a sequence.
    """

    name = "roll-steps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        roll_steps(op)


def roll_steps(module: ModuleOp) -> None:
    """Replace the copies of steps in the functions of a module by loops, and record those that stay."""
    found = [text for function in defined_functions(module) for text in _rolled(function.body.block)]
    module.attributes.pop(UNROLLED, None)
    if found:
        module.attributes[UNROLLED] = ArrayAttr([StringAttr(text) for text in dict.fromkeys(found)])


def _rolled(block: Block) -> Sequence[str]:
    """Roll the copies of steps in a block. Return a text for each kind of copies that stay."""
    if sum(isinstance(op, tdsl.ContractionOp) for op in block.ops) < FEWEST:
        return []
    different: dict[Operation, str] = {}
    while True:
        numbering = Numbering(block)
        for anchors in _groups(block, numbering):
            if anchors[0] in different:
                continue
            try:
                copies = copies_of(numbering, anchors)
                loop = roll(block, numbering, copies)
            except UnlikeError as error:
                different[anchors[0]] = str(error)
                continue
            passed(loop, f"a loop of {len(copies.ops)} equal copies of {len(copies.body)} operations")
            break
        else:
            break
    return [_stays(products, different) for products in _repeated(block, numbering)]


def _repeated(block: Block, numbering: Numbering) -> Sequence[Sequence[Operation]]:
    """The products of each constant of which every product depends on the previous one, in program order."""
    products: dict[SSAValue, list[Operation]] = {}
    for op in block.ops:
        if not op.results or numbering.of(op.results[0]) is op.results[0]:
            for constant in constants_of(op, numbering):
                products.setdefault(constant, []).append(op)
    return [ops for ops in products.values() if len(ops) >= FEWEST and _is_chain(numbering, ops)]


def _is_chain(numbering: Numbering, ops: Sequence[Operation]) -> bool:
    level = levels(numbering, ops)
    return [level[op] for op in ops] == [*range(1, 1 + len(ops))]


def _groups(block: Block, numbering: Numbering) -> Sequence[Sequence[Operation]]:
    """The equal products in each list that `_repeated` returns, if they are enough for a loop."""
    groups: list[Sequence[Operation]] = []
    for ops in _repeated(block, numbering):
        equal: dict[Any, list[Operation]] = {}
        for op in ops:
            equal.setdefault((spelled(op), tuple(op.operand_types)), []).append(op)
        groups += [same for same in equal.values() if len(same) >= FEWEST and _is_chain(numbering, same)]
    return groups


def _stays(products: Sequence[Operation], different: Mapping[Operation, str]) -> str:
    """A text on copies that stay, which names their first product and the reason."""
    reason = next((different[op] for op in products if op in different), "their tensors have different types")
    names = layers_of(products[0])
    text = f"{names[-1] if names else products[0].name} and its step are written {len(products)} times: {reason}"
    missed(products[0], text)
    return text
