"""The op that takes rows of an image as its caller sends them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.tdsl.base import SHAPED, Shape, build, shape_of, shaped, spell
from tinyml.dialects.tdsl.movement import MovementOp
from tinyml.dialects.tdsl.visits import Move, dimensions

__all__ = ["ReceiveOp"]


@irdl_op_definition
class ReceiveOp(MovementOp):
    """Rows of an image 1 x H x W x C, as many as the result 1 x h x W x C has, starting at row `top`.

    The image is the program's input (`tdsl.received`), which is not in memory: on a device, a function of the caller
    writes the rows. A program therefore takes each row once, in order.
    """

    name = "tdsl.receive"
    image = operand_def(SHAPED)
    top = operand_def(IndexType)
    STORES_LAST: ClassVar[bool] = True
    assembly_format = (
        "$image `[` $top `]` attr-dict `:` type($image) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, image: SSAValue, top: SSAValue, rows: int):
        shape = 1, rows, *shape_of(image)[2:]
        build(self, [image, top], TensorType(shaped(image).get_element_type(), shape))

    def infer_shape(self) -> Shape:
        image, part = shape_of(self.image), shape_of(self.out)
        if len(image) != 4 or len(part) != 4 or image[0] != 1:
            raise VerifyException(f"expected an image 1xHxWxC, got {spell(image)}")
        if not 1 <= part[1] <= image[1]:
            raise VerifyException(f"{part[1]} rows are no part of {spell(image)}")
        return 1, part[1], *image[2:]

    @property
    def indices(self) -> Sequence[SSAValue]:
        return (self.top,)

    @property
    def moves(self) -> Sequence[Move]:
        first, row, column, channel = dimensions(4)
        return self.gather(self.image, [first, row + AffineExpr.symbol(0), column, channel])
