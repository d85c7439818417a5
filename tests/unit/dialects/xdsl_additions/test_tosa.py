"""The verifiers of TOSA's ops report errors. The syntax is checked by mlir-opt, which parses the printed ops."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.context import context

IMAGE = "%x, %w, %b, %z, %z"
CONVOLUTION = "(tensor<1x5x5x2xi8>, tensor<{w}xi8>, tensor<{b}xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<{y}xi32>"
WINDOWS = "<{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>}>"


def convolution(kind: str, w: str, b: str, y: str) -> str:
    operands = f'%x = "test.op"() : () -> tensor<1x5x5x2xi8>\n%w = "test.op"() : () -> tensor<{w}xi8>\n'
    operands += f'%b = "test.op"() : () -> tensor<{b}xi32>\n%z = "test.op"() : () -> tensor<1xi8>\n'
    return f'{operands}%y = "tosa.{kind}"({IMAGE}) {WINDOWS} : {CONVOLUTION.format(w=w, b=b, y=y)}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (convolution("conv2d", "3x3x3x2", "3", "1x2x2x3"), ""),
        (convolution("conv2d", "3x3x3x1", "3", "1x2x2x3"), "filters of 1 channels for 2"),
        (convolution("conv2d", "3x3x3x2", "4", "1x2x2x3"), "expected results and a bias of 3 channels"),
        (convolution("conv2d", "3x2x3x2", "3", "1x2x2x3"), "3 steps along axis 1 in strides of 2 do not give 2"),
        (convolution("depthwise_conv2d", "3x3x2x2", "4", "1x2x2x4"), ""),
        (convolution("depthwise_conv2d", "3x3x2x2", "2", "1x2x2x2"), "expected results and a bias of 4 channels"),
        (
            '%y = "tosa.const_shape"() <{values = dense<[2, 3]> : tensor<2xindex>}> : () -> !tosa.shape<3>',
            "expected values of tensor<3xindex>",
        ),
        (
            '%x = "test.op"() : () -> tensor<2x3xi8>\n%y = "tosa.transpose"(%x) <{perms = array<i32: 1, 1>}>'
            " : (tensor<2x3xi8>) -> tensor<3x2xi8>",
            r"perms \[1, 1\] do not bring",
        ),
        (
            '%x = "test.op"() : () -> tensor<2x3xi32>\n%y = "tosa.intdiv"(%x, %x)'
            " : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<1x3xi32>",
            "operands do not broadcast to tensor<1x3xi32>",
        ),
        (
            '%x = "test.op"() : () -> tensor<2xi8>\n%y = "tosa.table"(%x, %x)'
            " : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>",
            "expected a table of 256 entries",
        ),
    ],
)
def test_errors(text: str, message: str):
    """The verifier rejects an invalid op with the message; it accepts ops for which `message` is empty."""
    module = Parser(context(), text).parse_module()
    with pytest.raises(VerifyException, match=message) if message else nullcontext():
        module.verify()
