"""`spread-maps`: replaces each `tdsl.map` by tensor ops, one for each of its steps (L0, L1). The inverse is
`fuse-elementwise`.

Formats are chosen tensor by tensor. Intermediate results inside a map would have neither a profile nor a format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import PatternRewriteWalker, inherit_location
from tinyml.transforms.ir.conditional_pass import ConditionalPass


@dataclass(frozen=True)
class SpreadMapsPass(ConditionalPass):
    """Replace every `tdsl.map` by tensor ops, one for each of its steps. No result changes.

    Raises `InputError` for a step that no tensor op computes.
    """

    name = "spread-maps"
    ACTS_ON = (tdsl.MapOp,)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is None:
            PatternRewriteWalker(SpreadMap(), apply_recursively=False).rewrite_module(op)


class SpreadMap(RewritePattern):
    """A pattern that replaces a `tdsl.map` by tensor ops, one for each of its steps."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MapOp, rewriter: PatternRewriter, /) -> None:
        body = op.scalar_body
        tensors: dict[SSAValue, SSAValue] = dict(zip(body.arguments, op.inputs, strict=True))
        for step in body.steps:
            made = _on_tensors(step, [tensors[operand] for operand in step.operands])
            inherit_location(step.location, made)
            rewriter.insert(made)
            [scalar], [tensor] = step.results, made[-1].results
            tensor.name_hint, tensors[scalar] = scalar.name_hint, tensor
        result = tensors[body.result]
        if isinstance(result.owner, Operation) and body.result not in body.arguments:
            result.owner.attributes |= op.attributes
            result.name_hint = op.out.name_hint
        rewriter.replace(op, [], [result])


def _on_tensors(step: Operation, inputs: Sequence[SSAValue]) -> list[Operation]:
    """The tensor ops that compute one step of a map for all elements. The last op computes the result of the step.
    Raises `InputError` for a step without a tensor op.

    inputs: the operands of the step as tensors.
    """
    element: Attribute = step.results[0].type
    if isinstance(step, num.ClampOp):
        return _clamp(inputs[0], step)
    if isinstance(step, num.ConstantOp):
        return [_scalar(step.value.value.data, element)]
    if (kind := _by_scalar().get(type(step))) is None:
        raise error_at(step, f"'{step.name}' in a tdsl.map has no op on tensors that formats are chosen for")
    shape = np.broadcast_shapes(*map(tdsl.shape_of, inputs))
    return [kind.build(operands=[*inputs, ()], result_types=[TensorType(element, shape)], properties=step.properties)]


def _clamp(value: SSAValue, step: num.ClampOp) -> list[Operation]:
    match step.limits:
        case 0.0, None:
            return [tdsl.ReluOp(value)]
        case 0.0, 6.0:
            return [tdsl.Relu6Op(value)]
        case low, None:
            least = _scalar(low, step.input.type)
            return [least, tdsl.MaximumOp(value, least.result)]
        case low, high:
            return [tdsl.ClipOp(value, low, high)]


def _scalar(value: float, element: Attribute) -> tdsl.ConstOp:
    format = number_format(element)
    assert format is not None
    return tdsl.ConstOp(format.encode(np.array(value)), format)


@cache
def _by_scalar() -> Mapping[type[Operation], type[tdsl.ElementwiseOp]]:
    ops = (op for op in tdsl.TDSL.operations if issubclass(op, tdsl.ElementwiseOp))
    return {op.SCALAR: op for op in ops if "SCALAR" in vars(op)}
