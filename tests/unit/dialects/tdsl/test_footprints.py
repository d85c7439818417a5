"""The windows on which pixels of a result depend (`footprint`), computed from the index maps of ops."""

from __future__ import annotations

import pytest
from programs.network_writer import NetworkWriter
from xdsl.dialects.builtin import IntegerAttr, TensorType, f32, i64
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.base import SHAPED, build
from tinyml.dialects.tdsl.index_maps import Term


def images(*shapes: tuple[int, ...]) -> list[SSAValue]:
    return list(Block(arg_types=[TensorType(f32, shape) for shape in shapes]).args)


@pytest.mark.parametrize(
    ("filter", "groups", "strides", "dilations", "expected"),
    [
        ((4, 3, 5, 2), 1, (1, 2), (1, 1), tdsl.Footprint((3, 5), (1, 2), channelwise=False)),
        ((4, 3, 2, 2), 1, (2, 1), (2, 3), tdsl.Footprint((5, 4), (2, 1), channelwise=False)),
        ((2, 3, 3, 1), 2, (1, 1), (1, 1), tdsl.Footprint((3, 3))),
        ((4, 3, 3, 1), 2, (1, 1), (1, 1), None),
    ],
)
def test_convolutions(
    filter: tuple[int, ...],
    groups: int,
    strides: tuple[int, int],
    dilations: tuple[int, int],
    expected: tdsl.Footprint | None,
):
    weights, image = images(filter, (1, 12, 12, 2))
    op = tdsl.Conv2dOp(weights, image, strides, dilations, groups)
    assert op.footprint(weights) is None
    assert op.footprint(image) == (expected or tdsl.Footprint((3, 3), channelwise=False))


def test_pixels():
    """The footprint of elementwise ops and of moves within pixels is a single pixel. Ops that move pixels, such as a
    concatenation of rows, have none, nor has an operand that is broadcast to all pixels.
    """
    net = NetworkWriter((1, 4, 4, 3))
    one, wide = net.input, net.constant(net.random.integers(-9, 9, (3,), "i1"))
    add = tdsl.AddOp(one, wide)
    assert (add.footprint(one), add.footprint(wide)) == (tdsl.Footprint(), None)
    assert tdsl.ConcatOp([one, one], 3).footprint(one) == tdsl.Footprint(channelwise=False)
    assert tdsl.ConcatOp([one, one], 1).footprint(one) is None
    assert tdsl.ReverseOp(one, 1).footprint(one) is None


def test_a_term_without_summed_axes():
    """In a product of two images without a sum, the footprint in each operand is one pixel. For the second operand,
    whose height and width are twice those of the first, it has strides of 2.
    """
    lhs, rhs = images((1, 4, 4, 3), (1, 8, 8, 3))
    n, y, x, c = map(AffineExpr.dimension, range(4))
    term = Term(lhs, rhs, (), AffineMap(4, 0, (n, y, x, c)), AffineMap(4, 0, (n, y * 2, x * 2, c)))
    assert term.footprint(lhs, (1, 4, 4, 3)) == tdsl.Footprint()
    assert term.footprint(rhs, (1, 4, 4, 3)) == tdsl.Footprint(strides=(2, 2))


@irdl_op_definition
class WindowsOp(tdsl.TensorOp):
    """An op with windows of 2x2 pixels, two rows and one column apart, and a margin of one column on the left."""

    name = "test.windows"
    image = operand_def(SHAPED)
    channelwise = prop_def(IntegerAttr)

    def __init__(self, image: SSAValue, channelwise: bool):
        result = TensorType(f32, (1, 2, 3, 2))
        build(self, [image], result, {"channelwise": IntegerAttr(channelwise, i64)})

    def infer_shape(self) -> tdsl.Shape:
        return tdsl.shape_of(self.out)

    def footprint(self, operand: SSAValue) -> tdsl.Footprint:
        return tdsl.Footprint((2, 2), (2, 1), (0, 0, 1, 0), channelwise=bool(self.channelwise.value.data))


@pytest.mark.parametrize("channelwise", [True, False])
def test_steps_of_windows(channelwise: bool):
    """An op with a footprint loads one window in each step, of one channel or of all. In place of a pixel outside the
    image, it is the nearest pixel inside.
    """
    [image] = images((1, 4, 3, 2))
    [run] = WindowsOp(image, channelwise).visits
    [(operand, elements)] = run.loads
    assert operand is image
    assert run.stores.tolist() == list(range(12))
    pixels = {0: (0, 3), 2: (0, 1, 3, 4), 4: (1, 2, 4, 5), 6: (6, 9), 10: (7, 8, 10, 11)}
    for step, window in pixels.items():
        for channel in range(2):
            expected = {2 * pixel + each for pixel in window for each in ([channel] if channelwise else range(2))}
            assert {*elements[step + channel].tolist()} == expected
