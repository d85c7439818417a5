"""The graph of a network is derived from its program on tensors."""

import pytest
from programs.graphs import lenet, resnet8
from programs.paths import ROOT
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Read
from tinyml.transforms.schedules.plans.network import graph_of, network_of
from tinyml.transforms.schedules.table import schedule_named, schedules

Q = "!fixed.q<8, 4>"


def graph(text: str, bits: int | None = None) -> Graph:
    module = Parser(context(), text).parse_module()
    module.verify()
    return graph_of(predict_function(module), bits)


def test_a_program_is_the_network_of_its_shapes():
    read = graph((ROOT / "docs/schedules/lenet.mlir").read_text(), 8)
    for schedule in schedules():
        assert schedule.plan(read).bits == schedule.plan(lenet()).bits
    assert read.macs == lenet().macs


def image(channels: int, height: int = 6, width: int = 6) -> str:
    return f"tensor<1x{height}x{width}x{channels}x{Q}>"


def convolution(filter: str, operand: str, groups: int) -> str:
    taps = f"strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = {groups} : i64"
    return f"tdsl.conv2d {filter}, {operand} {{{taps}}}"


F, G = (f"tensor<{shape}x{Q}>" for shape in ("3x3x3x1", "4x1x1x3"))
BLOCK = f"""
func.func @block(%X: {image(3)}) -> {image(4, 1, 1)} {{
  %f = tdsl.const dense<1> : tensor<3x3x3x1xi8> -> {F}
  %g = tdsl.const dense<1> : tensor<4x1x1x3xi8> -> {G}
  %padded = tdsl.pad %X {{low = array<i64: 0, 1, 2, 0>, high = array<i64: 0, 1, 0, 0>}} : {image(3)} -> {image(3, 8, 8)}
  %depth = {convolution("%f", "%padded", 3)} : {F}, {image(3, 8, 8)} -> {image(3)}
  %above = tdsl.relu %depth : {image(3)} -> {image(3)}
  %sum = tdsl.add %above, %X : {image(3)}, {image(3)} -> {image(3)}
  %point = {convolution("%g", "%sum", 1)} : {G}, {image(3)} -> {image(4)}
  %mean = tdsl.mean %point {{axes = array<i64: 1, 2>}} : {image(4)} -> {image(4, 1, 1)}
  func.return %mean : {image(4, 1, 1)}
}}"""


def test_windows_kinds_and_sums():
    read = graph(BLOCK)
    depth, total, point, mean = read.nodes
    assert depth.reads == (Read("input", (3, 3), (1, 1), (1, 2)),)
    assert [node.kind for node in read.nodes] == [
        Kind.CHANNELWISE,
        Kind.ELEMENTWISE,
        Kind.CONTRACTION,
        Kind.CHANNELWISE,
    ]
    assert total.operands == [depth.result, "input"]
    assert read.tensors[point.result] == Image(6, 6, 4)
    assert mean.reads == (Read(point.result, (6, 6), sums=True),)
    assert read.outputs == (mean.result,)
    assert depth.macs == 6 * 6 * 3 * 9


def test_sums_that_a_loop_carried_have_the_size_of_accumulators():
    total, row, result = (f"tensor<{shape}>" for shape in ("3x1x!fixed.acc<32, 8>", f"1x3x{Q}", f"1x1x{Q}"))
    read = graph(
        f"func.func @f(%x: {row}) -> {result} {{\n"
        "%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
        f"%none = tdsl.zero -> {total}\n"
        f"%sums = scf.for %i = %zero to %one step %one iter_args(%s = %none) -> ({total}) {{\n"
        f"scf.yield %s : {total}\n}}\n"
        f"%y = tdsl.finish %sums {{bound = array<i64: -9, 9>}} : {total} -> tensor<3x1x{Q}>\n"
        f"%z = tdsl.matmul %x, %y : {row}, tensor<3x1x{Q}> -> {result}\n"
        f"func.return %z : {result} }}"
    )
    [node] = read.nodes
    assert sorted(read.tensors[each.tensor].bits for each in node.reads) == [8, 32]


def test_what_has_no_plan():
    with pytest.raises(InputError, match="plans are for single images, got 2"):
        graph(
            f"func.func @f(%X: tensor<2x2x2x1x{Q}>) -> tensor<2x1x1x1x{Q}> {{\n"
            f"%y = tdsl.mean %X {{axes = array<i64: 1, 2>}} : tensor<2x2x2x1x{Q}> -> tensor<2x1x1x1x{Q}>\n"
            f"func.return %y : tensor<2x1x1x1x{Q}> }}"
        )
    with pytest.raises(InputError, match="plans are for networks behind the last loop"):
        graph(
            f"func.func @f(%X: tensor<2x{Q}>) -> tensor<2x{Q}> {{\n"
            "%c0 = arith.constant 0 : index\n %c1 = arith.constant 1 : index\n"
            f"%y = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %X) -> (tensor<2x{Q}>) {{\n"
            f"scf.yield %s : tensor<2x{Q}> }}\n"
            f"func.return %y : tensor<2x{Q}> }}"
        )


def test_an_input_read_at_will_costs_nothing():
    """If the input has no bits, as if a camera provided it pixel by pixel, the plan by pixels has a lower peak."""
    net = resnet8()
    streamed = Graph(net.tensors | {"input": net.tensors["input"]._replace(bits=0)}, net.inputs, net.nodes, net.outputs)
    assert schedule_named("pixels").plan(streamed).bits < schedule_named("pixels").plan(net).bits


def test_an_image_that_arrives_in_another_order_of_axes():
    """An image with one channel arrives row by row also with channels first. LeNet then needs the same memory as with
    channels last.
    """
    text = (ROOT / "docs/schedules/lenet.mlir").read_text()
    moved = "{permutation = array<i64: 0, 2, 3, 1>} : tensor<1x1x28x28xf32> -> tensor<1x28x28x1xf32>"
    first = text.replace("%X: tensor<1x28x28x1xf32>", "%Y: tensor<1x1x28x28xf32>").replace(
        "{\n", "{\n  %X = tdsl.transpose %Y " + moved + "\n", 1
    )
    assert graph(first, 8).tensors["input"] == Image(28, 28, 1)
    assert schedule_named("rows").plan(graph(first, 8)).bits == schedule_named("rows").plan(graph(text, 8)).bits


def test_programs_on_numbers_have_no_plan():
    module = Parser(context(), "func.func @f(%i: index) -> index { func.return %i : index }").parse_module()
    with pytest.raises(InputError, match="plans are for programs on tensors, not on index"):
        network_of(defined_functions(module)[0])
