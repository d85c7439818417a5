"""`fold-powers-of-two`: folds a multiplication by a power of two into constant factors (L0).

2 (W x) equals (2 W) x in every bit, and 2 (W x + b) equals (2 W) x + 2 b. This holds for reals and for every format
whose precision does not depend on the magnitude. In floats, the precision depends on the magnitude, so no constant may
become subnormal or infinite. In fixed point only the constant's scale changes, not its raws. A multiplication without
such a constant, as in exp(2 x), is unchanged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import PatternRewriteWalker

_Product = tdsl.ProductOp | tdsl.Conv2dOp | tdsl.MulOp


@dataclass(frozen=True)
class FoldPowersOfTwoPass(ModulePass):
    """Fold multiplications at L0 by plus or minus a power of two into constants that have no other readers.

    The constant must be a factor of a product. Either the multiplication by the power of two reads the result of
    this product, or the product is the only reader of the multiplication. The multiplication may also read a sum of
    such products and of constants, or the product of another such result, and elements may be reordered on the way.
    """

    name = "fold-powers-of-two"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_Fold()).rewrite_module(op)


class _Fold(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MulOp, rewriter: PatternRewriter, /) -> None:
        for scale, scaled in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            power = tdsl.constant_number(scale) or 0.0
            if abs(math.frexp(power)[0]) != 0.5 or not tdsl.is_real(scale):
                continue
            if tdsl.shape_of(scaled) != tdsl.shape_of(op.out):
                continue
            reader = tdsl.only_reader(op.out)
            factors = [reader.lhs, reader.rhs] if isinstance(reader, _Product) and reader is not op else []
            constants = [factor for factor in factors if isinstance(factor.owner, tdsl.ConstOp)]
            folded = next(filter(None, (_folded(value, power) for value in (scaled, *constants))), None)
            if folded is not None:
                for old, new in folded:
                    rewriter.insert(new, InsertPoint.before(old))
                    rewriter.replace(old, [], [new.result])
                rewriter.replace(op, [], [scaled])
                return


_Folded = list[tuple[tdsl.ConstOp, tdsl.ConstOp]]


def _folded(value: SSAValue, power: float) -> _Folded | None:
    """Constants with their replacements, by which a value becomes `power` times the value. None if there are none, or
    if the value, or a value that is computed from a replaced constant, has several readers.
    """
    if not value.has_one_use():
        return None
    match op := value.owner:
        case tdsl.ConstOp():
            return None if (scaled := _scaled(op, power)) is None else [scaled]
        case tdsl.ReshapeOp() | tdsl.TransposeOp():
            return _folded(op.input, power)
        case tdsl.AddOp() | tdsl.SubOp():
            left = _folded(op.lhs, power)
            right = None if left is None else _folded(op.rhs, power)
            return None if left is None or right is None else left + right
        case tdsl.ProductOp() | tdsl.Conv2dOp() | tdsl.MulOp():
            start = None if isinstance(op, tdsl.MulOp) else op.initial
            for factor in sorted((op.lhs, op.rhs), key=lambda factor: not isinstance(factor.owner, tdsl.ConstOp)):
                found = _folded(factor, power)
                added = [] if start is None else _folded(start, power)
                if found is not None and added is not None:
                    return found + added
            return None
        case _:
            return None


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
