"""Matching of squared distances `(a - b)^T * (a - b)` of column vectors."""

from __future__ import annotations

from tinyml.dialects import tdsl


def is_squared_distance(product: tdsl.MatmulOp, difference: tdsl.SubOp) -> bool:
    """True if a product is that of a column vector with itself, and the vector is a difference without other uses."""
    row = product.lhs.owner
    return (
        isinstance(row, tdsl.ReshapeOp | tdsl.TransposeOp)
        and row.input is difference.out
        and row.out.has_one_use()
        and {use.operation for use in difference.out.uses} == {row, product}
        and tdsl.shape_of(difference.out)[1] == 1
        and tdsl.shape_of(difference.lhs) == tdsl.shape_of(difference.rhs)
    )
