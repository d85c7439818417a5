"""Safe distances between operands and results that overlap. Programs run on bytes in an arena filled with random bytes;
a distance that is one byte less must be rejected.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
import pytest
from interpreters.memory import run
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch import ViewOp, bytes_of
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.pipelines import flatten
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.transforms.buffers.check_packing import CheckPackingPass
from tinyml.transforms.buffers.overlap import overlap_distance
from tinyml.transforms.buffers.pack_scratch import PackScratchPass
from tinyml.transforms.formats.tile_segment import TileSegmentPass

Q = "!fixed.q<8, 4>"


def image(height: int, width: int, channels: int, element: str = Q) -> str:
    return f"tensor<1x{height}x{width}x{channels}x{element}>"


def program(operand: str, op: str, result: str, constants: str = "") -> str:
    """A program that computes %a from its input and %b from %a by the op `op`. Nothing else reads %a.

    operand, result: the types of %a and %b.
    constants: the text of constants that the op reads.
    """
    lines = f"%a = tdsl.neg %x : {operand} -> {operand}\n %b = {op} -> {result}\n func.return %b : {result}"
    return f"func.func @main(%x: {operand}) -> {result} {{\n{constants}\n{lines}\n}}"


def convolution(
    height: int, width: int, channels: int, rows: int, kernel: tuple[int, int], strides: tuple[int, int], padding: int
) -> str:
    down, across = (
        (extent + 2 * padding - size) // step + 1
        for extent, size, step in zip((height, width), kernel, strides, strict=True)
    )
    filters = f"tensor<{rows}x{kernel[0]}x{kernel[1]}x{channels}x"
    weights = np.random.default_rng(rows).integers(-30, 30, (rows, *kernel, channels)).tolist()
    padded = image(height + 2 * padding, width + 2 * padding, channels)
    margins = f"array<i64: 0, {padding}, {padding}, 0>"
    pad = f"tdsl.pad %a {{low = {margins}, high = {margins}}} : {image(height, width, channels)} -> {padded}\n"
    operand, lines = ("%p", f"%p = {pad}") if padding else ("%a", "")
    taps = f"strides = array<i64: {strides[0]}, {strides[1]}>, dilations = array<i64: 1, 1>, groups = 1 : i64"
    text = program(
        image(height, width, channels),
        f"tdsl.conv2d %w, {operand} {{{taps}}} : {filters}{Q}>, {padded}",
        image(down, across, rows),
        f"%w = tdsl.const dense<{weights}> : {filters}i8> -> {filters}{Q}>",
    )
    return text.replace(" %b =", f" {lines} %b =")


def pool(kind: str, kernel: int, stride: int, padding: int) -> str:
    height, width = ((extent + padding - kernel) // stride + 1 for extent in (5, 6))
    attributes = f"kernel = array<i64: {kernel}, {kernel}>, padding = array<i64: {padding}, 0, 0, {padding}>"
    op = f"tdsl.{kind}_pool %a {{{attributes}, strides = array<i64: {stride}, {stride}>}} : {image(5, 6, 3)}"
    return program(image(5, 6, 3), op, image(height, width, 3))


class Case(NamedTuple):
    """A program, and the least distance at which its result %b may overlap its operand %a.

    distance: the bytes from the start of the result to the start of the operand; None if they must not overlap.
    """

    text: str
    distance: int | None


CASES = {
    "replace": Case(convolution(5, 5, 4, 4, (3, 3), (1, 1), 0), 0),
    "more channels": Case(convolution(5, 5, 2, 6, (3, 3), (1, 1), 0), 24),
    "padding": Case(convolution(6, 5, 2, 3, (3, 3), (1, 1), 1), 41),
    "stride": Case(convolution(6, 6, 2, 8, (2, 2), (2, 2), 0), 8),
    # The window of a pixel is the pixel itself, which the product reads while it writes.
    "pointwise": Case(convolution(4, 4, 3, 3, (1, 1), (1, 1), 0), 3),
    "overlapping pool": Case(pool("max", 3, 1, 1), 15),
    "pool": Case(pool("max", 2, 2, 0), 0),
    "averages": Case(pool("average", 3, 1, 0), 0),
    "averages with margins": Case(pool("average", 3, 1, 1), 15),
    "wider elements": Case(
        program(image(2, 3, 4), f"tdsl.cast %a : {image(2, 3, 4)}", image(2, 3, 4, "!fixed.q<16, 8>")), 23
    ),
    "transpose": Case(
        program(
            image(3, 4, 2),
            f"tdsl.transpose %a {{permutation = array<i64: 0, 2, 1, 3>}} : {image(3, 4, 2)}",
            image(4, 3, 2),
        ),
        12,
    ),
    "rows that move up": Case(
        program(
            image(4, 3, 2), f"tdsl.move_up %a {{axis = 1 : i64, count = 1 : i64}} : {image(4, 3, 2)}", image(4, 3, 2)
        ),
        18,
    ),
    "concatenation": Case(
        program(
            image(2, 3, 2),
            f"tdsl.concat %a, %a {{axis = 1 : i64}} : {image(2, 3, 2)}, {image(2, 3, 2)}",
            image(4, 3, 2),
        ),
        12,
    ),
    "padded copy": Case(
        program(
            image(2, 3, 2),
            f"tdsl.pad %a {{low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>}} : {image(2, 3, 2)}",
            image(4, 5, 2),
        ),
        None,
    ),
}


def two_convolutions() -> str:
    """Two convolutions of 3x3 windows with padding, on images of 6x5 pixels with 2, 4 and 3 bytes per pixel."""
    lines = ["%a = tdsl.neg %x : IMAGE2 -> IMAGE2"]
    for operand, result, before, rows in (("a", "m", 2, 4), ("m", "b", 4, 3)):
        raws = np.random.default_rng(rows).integers(-30, 30, (rows, 3, 3, before)).tolist()
        filters, padded = f"tensor<{rows}x3x3x{before}x{Q}>", image(8, 7, before)
        margins = "array<i64: 0, 1, 1, 0>"
        taps = "strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64"
        lines += [
            f"%{result}w = tdsl.const dense<{raws}> : tensor<{rows}x3x3x{before}xi8> -> {filters}",
            f"%{result}p = tdsl.pad %{operand} {{low = {margins}, high = {margins}}} : IMAGE{before} -> {padded}",
            f"%{result} = tdsl.conv2d %{result}w, %{result}p {{{taps}}} : {filters}, {padded} -> IMAGE{rows}",
        ]
    text = "\n".join(["func.func @main(%x: IMAGE2) -> IMAGE3 {", *lines, "func.return %b : IMAGE3", "}"])
    for channels in (2, 3, 4):
        text = text.replace(f"IMAGE{channels}", image(6, 5, channels))
    return text


def packed(text: str, by: str | None = None) -> tuple[ModuleOp, ModuleOp]:
    """The program on tensors, and the program on buffers with offsets. The pass `update-in-place` is omitted, because
    it would hide distances of 0.

    by: `rows` or `pixels`, in which the two convolutions are streamed; None if they are not.
    """
    module = Parser(context(), text).parse_module()
    buffers = module.clone()
    if by is not None:
        TileSegmentPass("m.0", "b.1", by).apply(context(), buffers)
    for step in flatten("formats-to-buffers", {}):
        if step.name not in ("update-in-place", PackScratchPass.name, CheckPackingPass.name):
            step.apply(context(), buffers)
    PackScratchPass().apply(context(), buffers)
    CheckPackingPass().apply(context(), buffers)
    buffers.verify()
    return module, buffers


def view(module: ModuleOp, name: str) -> ViewOp:
    return next(op for op in module.walk() if isinstance(op, ViewOp) and op.result.name_hint == name)


def expect_same(module: ModuleOp, buffers: ModuleOp) -> None:
    argument = predict_function(module).body.block.args[0]
    raws = np.random.default_rng(3).integers(-100, 100, (2, prod(shape_of(argument)))).astype(np.int8)
    expected = evaluate(module, raws).scores
    assert expected is not None
    bits = buffers.clone()
    for name in ("buffers-to-loops", "loops-to-bits"):
        for step in flatten(name, {}):
            step.apply(context(), bits)
    for seed, (sample, scores) in enumerate(zip(raws, expected, strict=True)):
        [result] = run(bits, sample, seed)
        assert result.reshape(-1).tobytes() == scores.tobytes()


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_results_over_their_operands(name: str):
    text, distance = CASES[name]
    module, buffers = packed(text)
    expect_same(module, buffers)
    if distance is None:
        result, operand = view(buffers, "b"), view(buffers, "a")
        above = operand.offset.value.data - result.offset.value.data
        assert abs(above) >= min(bytes_of(op.result) for op in (result, operand))
    else:
        expect_distance(buffers, distance)


@pytest.mark.long
@pytest.mark.parametrize(("by", "distance"), [("rows", 20), ("pixels", 23)])
def test_results_of_segments_over_their_operands(by: str, distance: int):
    """Two convolutions are streamed as one segment. By rows, the least safe distance from the start of the result to
    that of the image is 20 bytes: row 3 of the result ends at byte 60 when the first convolution still needs row 4
    of the image, which begins at byte 40.

    By pixels, it is 23: byte 69 is written when the last window, which begins at byte 46, is still to be gathered.
    """
    module, buffers = packed(two_convolutions(), by)
    expect_same(module, buffers)
    expect_distance(buffers, distance)


def expect_distance(buffers: ModuleOp, distance: int) -> None:
    """Assert the distance from the start of %b to that of %a, and that a distance of one byte less is rejected unless
    the distance is 0.
    """
    result, operand = view(buffers, "b"), view(buffers, "a")
    assert operand.offset.value.data - result.offset.value.data == distance
    if distance:
        closer = Parser(context(), str(buffers)).parse_module()
        view(closer, "a").properties["offset"] = IntegerAttr(operand.offset.value.data - 1, i64)
        with pytest.raises(InputError, match=r"writes b .* over a|buffers end at"):
            CheckPackingPass().apply(context(), closer)


def test_pools_of_too_great_windows_keep_their_operands(monkeypatch: pytest.MonkeyPatch):
    """If the windows of a pool have more elements than the limit up to which elements are enumerated, the result of the
    pool does not overlap its operand.
    """
    text, distance = CASES["overlapping pool"]
    assert distance is not None
    monkeypatch.setattr(overlap_distance, "MAX_STEPS", 10)
    module, buffers = packed(text)
    expect_same(module, buffers)
    result, operand = view(buffers, "b"), view(buffers, "a")
    assert abs(operand.offset.value.data - result.offset.value.data) >= min(
        map(bytes_of, (operand.result, result.result))
    )
