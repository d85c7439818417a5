"""The choice of the convolutions of a network that run in place, and of their turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, MemRefType, f64, i64
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import packed_bits
from tinyml.dialects.scratch.packing import packed_type
from tinyml.dialects.tdsl.turns import herringbone, lead, single_transpose, turns, window_pixels
from tinyml.transforms.formats.plans.blocks import By
from tinyml.transforms.formats.plans.executable import plan_that_runs
from tinyml.transforms.formats.plans.graph import Kind
from tinyml.transforms.formats.plans.network import Network
from tinyml.transforms.formats.plans.ordinary import ordinary, updated_in_place
from tinyml.transforms.formats.plans.segmentation import Plan, Segment
from tinyml.transforms.formats.streaming.choice import runs, stream_candidates
from tinyml.transforms.formats.tiling.padding import margins_of, padding
from tinyml.transforms.formats.turning.addends import absorbed_addend

METHODS = ("replace", "herringbone", "single-transpose")
"""Modes of execution in which convolutions run in place, op by op."""


def turned_plan(network: Network, method: str) -> Plan:
    """The plan with the least peak in which convolutions may run in place by a method, and residual blocks streamed."""
    graph = network.graph
    candidates = list(_residual_blocks(network))
    for i in range(len(graph.nodes)):
        options = (ordinary(graph, i), updated_in_place(graph, i))
        candidates.append(Segment(i, i, min(bits for bits in options if bits is not None), "ordinary"))
        if _has_turns(network, i):
            least = min(_bits(network, i, rows) for rows in _variants(method, network, i))
            candidates.append(Segment(i, i, graph.boundary(i, i).through + least, method, 1))
    return plan_that_runs(network, candidates, lambda segment: runs(network, segment))


def run_in_turns(network: Network, i: int, method: str) -> None:
    """Make the convolution that is node i run in place by a method."""
    op, *chain = network.ops[i]
    assert isinstance(op, tdsl.Conv2dOp)
    rows = min(_variants(method, network, i), key=lambda rows: _bits(network, i, rows))
    if chain and (new := absorbed_addend(op, chain[0])) is not None:
        Rewriter.replace_op(chain[0], [], [new.out])
        Rewriter.erase_op(op)
        op = new
    if (pad := padding(op.rhs)) is not None:
        top, bottom, left, right = margins_of(pad)
        op.operands[1] = pad.input
        op.padding, op.value = DenseArrayBase.from_list(i64, [top, bottom, left, right]), FloatAttr(pad.filling, f64)
        Rewriter.erase_op(pad)
    op.turns = DenseArrayBase.from_list(i64, rows)


def _residual_blocks(network: Network) -> Iterator[Segment]:
    """Segments from the first reader of an image to the op that adds the image itself to what became of it.

    Two ops read the image, so that neither overwrites it alone. Streamed by pixels, two convolutions of 3x3 keep 2w + 5
    pixels beside the image; by the rows of Gural and Murmann, appendix C.4, it is 3w + 2.
    """
    graph = network.graph
    ends = {
        (graph.users[read.tensor][0], k)
        for k, node in enumerate(graph.nodes)
        if node.kind is Kind.ELEMENTWISE and len(node.reads) > 1
        for read in node.reads
        if graph.users[read.tensor][0] < k == graph.last_use[read.tensor]
    }
    if ends:
        yield from (segment for segment in stream_candidates(network, By.PIXELS) if segment[:2] in ends)


def _has_turns(network: Network, i: int) -> bool:
    """May node i destroy the image that it reads?"""
    op, *chain = network.ops[i]
    node, boundary = network.graph.nodes[i], network.graph.boundary(i, i)
    if not isinstance(op, tdsl.Conv2dOp) or not op.can_turn or op.turns is not None:
        return False
    if not all(map(_can_turn, (op.rhs, op.out))) or not op.rhs.has_one_use():
        return False
    pad, (_, *kernel, _) = padding(op.rhs), tdsl.shape_of(op.lhs)
    image = op.rhs if pad is None else pad.input
    if image not in network.names or not image.has_one_use() or node.operands != boundary.dead or _is_given(image):
        return False
    if any(margin >= kernel[side // 2] for side, margin in enumerate(margins_of(pad))):
        return False
    # A result wider than the tensor that the chain ends in has to be absorbed.
    wide = tdsl.format_of(op.out).dtype.itemsize > tdsl.format_of([op, *chain][-1].out).dtype.itemsize
    return not wide or _can_absorb(op, chain)


def _can_absorb(op: tdsl.Conv2dOp, chain: Sequence[tdsl.TensorOp]) -> bool:
    if not chain or (new := absorbed_addend(op, chain[0])) is None:
        return False
    filter = new.lhs.owner
    Rewriter.erase_op(new)
    if isinstance(filter, tdsl.ConstOp) and filter.result is not op.lhs:
        Rewriter.erase_op(filter)
    return True


def _can_turn(image: SSAValue) -> bool:
    """Have the elements of an image whole bytes, or halves if they are packed?"""
    packed = packed_type(MemRefType(tdsl.format_of(image).type, tdsl.shape_of(image)))
    return packed is None or packed_bits(packed) == 4


def _is_given(image: SSAValue) -> bool:
    """Does an image lie in the caller's array, which nothing overwrites?"""
    while isinstance(reshape := image.owner, tdsl.ReshapeOp):
        image = reshape.input
    if not isinstance(image, BlockArgument):
        return False
    function = image.block.parent_op()
    assert isinstance(function, func.FuncOp)
    return function.arg_attrs is None or tdsl.REUSED not in function.arg_attrs.data[image.index].data


def _variants(method: str, network: Network, i: int) -> Iterator[list[int]]:
    """The rows of each turn, in each variant of a method."""
    result = network.graph.tensors[network.graph.nodes[i].result]
    extents = result.height, result.width
    match method:
        case "replace":
            yield [result.height]
        case "herringbone":
            yield from (herringbone(extents, rows_first) for rows_first in (True, False))
        case _:
            yield from (single_transpose(extents, last) for last in range(result.height + 1))


def _bits(network: Network, i: int, rows: Sequence[int]) -> int:
    """The bits of image and result of node i in one piece of memory, if it runs in turns."""
    op, graph = network.ops[i][0], network.graph
    assert isinstance(op, tdsl.Conv2dOp)
    [read] = graph.nodes[i].reads
    image, result = graph.tensors[read.tensor], graph.tensors[graph.nodes[i].result]
    made = turns(rows, image[:2], result[:2], op.steps, read.before)
    pixels = np.concatenate([window_pixels(turn, read.kernel, op.steps) for turn in made])
    return max(lead(pixels, image.channels * image.bits, result.channels * result.bits) + image.size, result.size)
