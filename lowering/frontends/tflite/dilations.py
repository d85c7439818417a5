"""Dilated convolutions, which converters write as ordinary convolutions on interleaved parts of an image.

SPACE_TO_BATCH_ND pads an image and splits it into a batch of images. Adjacent pixels of an image of the batch are as
far apart in the original image as the dilation states. A convolution without padding processes the batch, and
BATCH_TO_SPACE_ND interleaves the results. If the image is a sequence, reshapes surround these operators. Converters
write this form if the number of samples is open. This module replaces it by one dilated convolution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph
from tinyml.lowering.frontends.tflite.operands import input_of, integers_of

CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D")
SHAPES = ("EXPAND_DIMS", "RESHAPE", "SQUEEZE")


def dilated(graph: TfliteGraph) -> TfliteGraph:
    """Replace each convolution on interleaved parts by a dilated convolution.

    Raises `InputError` for block sizes and paddings that are not constant or do not match the image.
    """
    operators: list[Operator] = []
    skipped: set[Operator] = set()
    for op in graph.operators:
        if op in skipped:
            continue
        try:
            chain = _chain(graph, op) if op.kind == "SPACE_TO_BATCH_ND" else None
            operators += [op] if chain is None else _dilated(chain)
        except VerifyException as error:
            raise InputError(f"{op}: {error}") from error
        skipped.update(chain or ())
    return replace(graph, operators=operators)


def _chain(graph: TfliteGraph, first: Operator) -> list[Operator] | None:
    """The operators from a SPACE_TO_BATCH_ND to its BATCH_TO_SPACE_ND.

    Returns None unless one convolution with the options `PLAIN`, and otherwise only reshapes, lie between them, each
    result on the way has one user, and both operators have the same block sizes.

    first: the SPACE_TO_BATCH_ND.
    """
    chain = [first]
    while chain[-1].kind != "BATCH_TO_SPACE_ND":
        outputs = chain[-1].outputs
        users = [op for op in graph.operators if outputs and outputs[0] in op.inputs]
        if len(outputs) != 1 or outputs[0] in graph.outputs or len(users) != 1 or users[0].inputs[0] is not outputs[0]:
            return None
        if users[0].kind not in (*CONVOLUTIONS, *SHAPES, "BATCH_TO_SPACE_ND") or users[0] in chain:
            return None
        chain.append(users[0])
    convolutions = [op for op in chain if op.kind in CONVOLUTIONS]
    if (
        len(convolutions) != 1
        or not chain[-1].outputs
        or any(convolutions[0].options[name] != value for name, value in PLAIN.items())
    ):
        return None
    blocks = [integers_of(op, 1, "the block") for op in (first, chain[-1])]
    return chain if blocks[0] == blocks[1] else None


PLAIN = {"padding": "VALID", "stride_h": 1, "stride_w": 1, "dilation_h": 1, "dilation_w": 1}
"""The options that the convolution on the parts of an image must have."""


def _dilated(chain: Sequence[Operator]) -> list[Operator]:
    """The operators that replace a chain: a padding, the convolution and a slice, with reshapes between them.

    Raises `VerifyException` for shapes, block sizes and paddings that are inconsistent.
    """
    first, last = chain[0], chain[-1]
    [convolution] = [op for op in chain if op.kind in CONVOLUTIONS]
    source, filter, blocks = input_of(first, 0), input_of(convolution, 1), input_of(convolution, 0)
    block, result = integers_of(first, 1, "the block"), convolution.outputs[0]
    listed = [integers_of(op, 2, "the margins") for op in (first, last)]
    ranks = len(source.shape) - 2, len(blocks.shape) - 2, len(filter.shape) - 2, len(result.shape) - 2
    if (
        ranks != (len(block), 2, 2, 2)
        or not 1 <= len(block) <= 2
        or {len(numbers) // 2 for numbers in listed} != {len(block)}
    ):
        raise VerifyException(f"blocks of {block} of a tensor of shape {source.shape} with margins {listed[0]}")
    paddings, crops = (np.reshape(numbers, (-1, 2)).tolist() for numbers in listed)
    batch, *extents, channels = source.shape
    padded = [extent + sum(margins) for extent, margins in zip(extents, paddings, strict=True)]
    image, spread = padded, block
    if len(block) == 1:
        # A sequence is an image of one row, or of one column.
        before, after = ([1], []) if blocks.shape[1] == 1 else ([], [1])
        image, spread = [*before, *padded, *after], [*before, *block, *after]
    left = [extent - step * (taps - 1) for extent, step, taps in zip(image, spread, filter.shape[1:3], strict=True)]
    if min(*block, *left) < 1 or any(extent % step for extent, step in zip(image, spread, strict=True)):
        raise VerifyException(
            f"blocks of {block} do not divide an image of {padded} for windows of {filter.shape[1:3]}"
        )
    made = left if len(block) == 2 else [max(left)]
    wide = replace(source, shape=(batch, *padded, channels))
    pixels = replace(source, shape=(batch, *image, channels))
    sums = replace(result, shape=(batch, *left, result.shape[3]))
    joined = replace(result, shape=(batch, *made, result.shape[3]))
    margins = _constant(source, [[0, 0], *paddings, [0, 0]])
    ends = _constant(source, [0, *(low for low, _ in crops), 0]), _constant(source, last.outputs[0].shape)
    options = {**convolution.options, "dilation_h": spread[0], "dilation_w": spread[1]}
    return [
        Operator(first.index, "PAD", [source, margins], [wide], {}),
        Operator(first.index, "RESHAPE", [wide], [pixels], {}),
        replace(convolution, inputs=[pixels, *convolution.inputs[1:]], outputs=[sums], options=options),
        Operator(last.index, "RESHAPE", [sums], [joined], {}),
        Operator(last.index, "SLICE", [joined, *ends], last.outputs, {}),
    ]


def _constant(like: Tensor, numbers: Sequence[object]) -> Tensor:
    data = np.array(numbers, np.int32)
    return Tensor(like.index, like.name, data.shape, "int32", None, data)
