"""`fold-rounding`: moves the rounding bias from the end of each sum to its initial value (L4).

The rounding bias is half a unit in the last place of the result. The pass saves one addition per row of a matrix. The
sum of a row then starts from a nonzero constant, or from an element of a bias vector in flash that includes the
rounding bias. The accumulators are proven to be wide enough for the rounding bias. Integer addition is associative, so
results are unchanged.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import DATA
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.targets.registry import kernel_of, target_of
from tinyml.transforms.ir.conditional_pass import ConditionalPass

SUMS = {"num.distance", "num.dot", "num.packed_dot", "num.sparse_dot", "num.strided_dot"}
"""The routines that add to a sum (`ADDS`), whose kernels take its start value as their last argument."""


@dataclass(frozen=True)
class FoldRoundingPass(ConditionalPass):
    """Remove the `arith.addi` that adds a constant to a kernel's sum, and add the constant to the sum's initial value.

    The initial value has to be a constant, or an element of a constant array in flash. No other op may read the array.
    The element type of the array must represent every increased value. Between the initial value and the addition, the
    sum may pass through several kernels and multiplications by constants. If one of these conditions does not hold, the
    sum is unchanged.
    """

    name = "fold-rounding"

    def obstacle(self, module: ModuleOp) -> str | None:
        pattern = _FoldRounding(_sums(module))
        sums = any(isinstance(inner, arith.AddiOp) and pattern.bias_of(inner) is not None for inner in module.walk())
        return None if sums else "no constant is added to the sum of a kernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_FoldRounding(_sums(op)), apply_recursively=False).rewrite_module(op)


def _sums(module: ModuleOp) -> AbstractSet[str]:
    """The names of the declared functions whose last argument is the initial value of a sum."""
    target, kernels = target_of(module), num.declared_kernels(module)
    return {
        function
        for function, (kernel, _) in kernels.items()
        if not isinstance(kernel, num.CodeKernelAttr) and kernel_of(kernel, target).op in SUMS
    }


@dataclass
class _FoldRounding(RewritePattern):
    """A pattern that removes the addition of a constant to a sum, and increases the initial value of the sum by the
    constant.

    functions: the names of functions whose last argument is the initial value of a sum.
    """

    functions: AbstractSet[str]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /) -> None:
        half = self.bias_of(op)
        if half is not None and self._add(op.lhs, half, rewriter):
            rewriter.replace(op, [], [op.lhs])

    def bias_of(self, op: arith.AddiOp) -> int | None:
        """The constant that an op adds to the result of a kernel or to its low bits. None for any other op."""
        owner = op.lhs.owner
        call = self._call_of(owner.input if isinstance(owner, arith.TruncIOp) else op.lhs)
        return None if call is None else const_evaluate_operand(op.rhs)

    def _call_of(self, value: SSAValue) -> func.CallOp | None:
        call = value.owner
        return call if isinstance(call, func.CallOp) and call.callee.string_value() in self.functions else None

    def _add(self, value: SSAValue, constant: int, rewriter: PatternRewriter) -> bool:
        """Add a constant to a value by changing the ops that compute the value. Return whether this was
        possible; if not, nothing is changed.
        """
        if not value.has_one_use():
            return False
        match owner := value.owner:
            case func.CallOp() if (call := self._call_of(value)) is not None:
                start = call.arguments[-1]
                if (known := const_evaluate_operand(start)) is None:
                    return self._add(start, constant, rewriter)
                changed = arith.ConstantOp(IntegerAttr(known + constant, cast(IntegerType, start.type)))
                rewriter.insert(changed, InsertPoint.before(call))
                call.operands[len(call.operands) - 1] = changed.result
                return True
            case arith.TruncIOp():
                return self._add(owner.input, constant, rewriter)
            case arith.ExtSIOp():
                return isinstance(owner.input.owner, memref.LoadOp) and self._add(owner.input, constant, rewriter)
            case arith.MuliOp():
                factor = const_evaluate_operand(owner.rhs)
                return bool(factor) and constant % factor == 0 and self._add(owner.lhs, constant // factor, rewriter)
            case memref.LoadOp() if isinstance(array := owner.memref.owner, scratch.ConstantOp):
                return array.result.has_one_use() and _add_to_array(array, constant, rewriter)
            case _:
                return False


def _add_to_array(array: scratch.ConstantOp, constant: int, rewriter: PatternRewriter) -> bool:
    if DATA in array.attributes:
        return False
    limits = np.iinfo(array.raws.dtype)
    sums = array.raws.astype(np.int64) + constant
    if sums.size == 0 or sums.min() < limits.min or sums.max() > limits.max:
        return False
    type = array.result.type
    changed = scratch.ConstantOp.of(sums.astype(array.raws.dtype), type.element_type, loaded=array.loaded)
    changed.attributes |= array.attributes
    changed.result.name_hint = array.result.name_hint
    rewriter.replace(array, changed)
    return True
