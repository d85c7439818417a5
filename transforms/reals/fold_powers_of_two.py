"""`fold-powers-of-two`: folds a multiplication by a power of two into an adjacent constant factor (L0).

2 (W x) equals (2 W) x in every bit. This holds for reals and for every format whose precision does not depend on the
magnitude. In floats, the precision depends on the magnitude, so no constant may become subnormal or infinite. In fixed
point only the constant's scale changes, not its raws. A multiplication without such a constant, as in exp(2 x), is
unchanged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.transforms.ir.conditional_pass import ConditionalPass

_Product = tdsl.ProductOp | tdsl.MulOp


@dataclass(frozen=True)
class FoldPowersOfTwoPass(ConditionalPass):
    """Fold multiplications at L0 by plus or minus a power of two into constants that have no other readers.

    The constant must be a factor of a product. Either the multiplication by the power of two reads the result of
    this product, or the product is the only reader of the multiplication.
    """

    name = "fold-powers-of-two"

    def obstacle(self, module: ModuleOp) -> str | None:
        factors = (value for inner in module.walk() if isinstance(inner, tdsl.MulOp) for value in inner.inputs)
        return None if any(_power_of_two(factor) for factor in factors) else "no tdsl.mul by a power of two"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_Fold()).rewrite_module(op)


class _Fold(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MulOp, rewriter: PatternRewriter, /) -> None:
        for scale, scaled in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            power = _power_of_two(scale)
            if power is None or not tdsl.is_real(scale):
                continue
            if tdsl.shape_of(scaled) != tdsl.shape_of(op.out):
                continue
            constants = [*_constants(tdsl.only_maker(scaled)), *_constants(tdsl.only_reader(op.out), op)]
            folded = next((new for old in constants if (new := _scaled(old, power)) is not None), None)
            if folded is not None:
                old, new = folded
                rewriter.insert(new, InsertPoint.before(old))
                rewriter.replace(old, [], [new.result])
                rewriter.replace(op, [], [scaled])
                return


def _power_of_two(value: SSAValue) -> float | None:
    number = tdsl.constant_number(value) or 0.0
    return number if abs(math.frexp(number)[0]) == 0.5 else None


def _constants(product: Operation | None, folded: tdsl.MulOp | None = None) -> list[tdsl.ConstOp]:
    factors = [product.lhs, product.rhs] if isinstance(product, _Product) and product is not folded else []
    owners = [factor.owner for factor in factors if factor.has_one_use()]
    return [owner for owner in owners if isinstance(owner, tdsl.ConstOp)]


def _scaled(constant: tdsl.ConstOp, power: float) -> tuple[tdsl.ConstOp, tdsl.ConstOp] | None:
    """Return a constant, and the constant times a power of two. None unless the product is a normal float for
    every nonzero element.
    """
    raws = constant.raws
    with np.errstate(over="ignore", under="ignore"):
        scaled = (raws * raws.dtype.type(power)).astype(raws.dtype)
        exact = np.isfinite(scaled) & (np.abs(scaled) >= np.finfo(raws.dtype).tiny)
    if not (exact | (raws == 0)).all():
        return None
    return constant, constant.with_raws(scaled, tdsl.format_of(constant.result))
