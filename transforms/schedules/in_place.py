"""Convolutions in place: the result overwrites the operand pixel by pixel (Gural and Murmann 2019, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, MemRefType, f64, i64
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import packed_bits
from tinyml.dialects.scratch.types import packed_type
from tinyml.dialects.tdsl.convolution import herringbone, lead, single_transpose, turns, window_pixels
from tinyml.transforms.schedules.ordinary import ONE_BY_ONE, each, usual, usual_segments
from tinyml.transforms.schedules.plans.graph import Graph, Kind
from tinyml.transforms.schedules.plans.least_turns import counted, placed
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.plans.pixel_orders import alive, order_of
from tinyml.transforms.schedules.protocol import Schedule
from tinyml.transforms.schedules.rings.pooled_blocks import By
from tinyml.transforms.schedules.segments import Kernels, Rewrite, Segment, Tiling
from tinyml.transforms.schedules.streaming import streamed_in_programs
from tinyml.transforms.schedules.tiling.absorbed_bias import absorbed_addend, added_precision
from tinyml.transforms.schedules.tiling.padding import margins_of, padding


@dataclass(frozen=True)
class InPlace(Tiling):
    """A convolution that overwrites its operand.

    method: the name of the schedule.
    """

    method: str

    @property
    def name(self) -> str:
        return self.method

    def alive(self, graph: Graph, i: int) -> int:
        """The greatest number of bits that the live pixels of the operand and the result occupy at once while node i
        runs, in the best order of pixels.
        """
        raise NotImplementedError

    def taken(self, network: Network, i: int) -> tuple[int, list[int]]:
        """Return the bits of the buffer that contains the operand and the result of node i, and the number of rows or
        columns of each turn.

        A turn computes consecutive rows or consecutive columns.
        """
        raise NotImplementedError

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        def rewrite(kernels: Kernels) -> str:
            _run_in_turns(network, first, self.taken(network, first)[1])
            return self.method

        return rewrite

    def gathered(self, network: Network, segment: Segment) -> int:
        return 0


class Variants(InPlace):
    """A convolution in place that computes its pixels in the best of a few orders of rows and columns."""

    def variants(self, height: int, width: int) -> Iterator[list[int]]:
        """Yield the orders among which the method chooses, for a result of `height` x `width` pixels. An order is a
        list with the number of rows or columns that each turn computes.
        """
        match self.method:
            case "replace":
                yield [height]
            case "herringbone":
                yield from (herringbone((height, width), rows_first) for rows_first in (True, False))
            case _:
                yield from (single_transpose((height, width), last) for last in range(height + 1))

    def alive(self, graph: Graph, i: int) -> int:
        height, width, *_ = graph.tensors[graph.nodes[i].result]
        return min(alive(graph, i, order_of(rows, height, width)) for rows in self.variants(height, width))

    def taken(self, network: Network, i: int) -> tuple[int, list[int]]:
        height, width, *_ = network.graph.tensors[network.graph.nodes[i].result]
        options = ((_bits(network, i, rows), rows) for rows in self.variants(height, width))
        return min(options, key=lambda option: option[0])


class BestTurns(InPlace):
    """A convolution in place that computes its pixels in the best of all orders of rows and columns."""

    def alive(self, graph: Graph, i: int) -> int:
        return counted(graph, i).least()[0]

    def taken(self, network: Network, i: int) -> tuple[int, list[int]]:
        tensors, node = network.graph.tensors, network.graph.nodes[i]
        [read] = node.reads
        return placed(read, tensors[read.tensor], tensors[node.result]).least()


class Overwriting(Schedule):
    """A schedule that executes one op after the other, and each convolution in place. In compiled programs, the
    schedule also streams residual blocks: it computes their ops pixel by pixel in one segment.
    """

    sliced = False

    def __init__(self, tiling: InPlace, help: str) -> None:
        self.name, self.help, self.tiling = tiling.name, help, tiling

    def segments(self, graph: Graph) -> Iterator[Segment]:
        def bits(graph: Graph, i: int) -> int | None:
            node, boundary = graph.nodes[i], graph.boundary(i, i)
            overwrites = len(node.reads) == 1 and not node.reads[0].sums and node.operands == boundary.dead
            return boundary.through + self.tiling.alive(graph, i) if overwrites else None

        yield from usual_segments(graph)
        yield from each(graph, self.tiling, bits)

    def program_segments(self, network: Network) -> Iterator[Segment]:
        graph = network.graph
        yield from _residual_blocks(network)
        for i in range(len(graph.nodes)):
            yield Segment(i, i, usual(graph, i), ONE_BY_ONE)
            if _has_turns(network, i):
                yield Segment(i, i, graph.boundary(i, i).through + self.tiling.taken(network, i)[0], self.tiling, 1)


REPLACE = Overwriting(Variants("replace"), "each result overwrites its operand, pixel by pixel, row by row")
SINGLE_TRANSPOSE = Overwriting(
    Variants("single-transpose"),
    "as `replace`, first row by row and, after some row, column by column (Gural and Murmann 2019)",
)
HERRINGBONE = Overwriting(
    Variants("herringbone"),
    "as `replace`, in alternating rows and columns (Gural and Murmann 2019), optimal for a layer with a square kernel, "
    "strides of 1, no padding and more channels in the result than in the operand",
)
OPTIMAL_TURNS = Overwriting(
    BestTurns("optimal-turns"),
    "as `replace`, in the order of rows and columns with the least peak, for any kernel shape, strides and padding",
)


def _run_in_turns(network: Network, i: int, rows: Sequence[int]) -> None:
    op, *chain = network.ops[i]
    assert isinstance(op, tdsl.Conv2dOp)
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
    graph = network.graph
    ends = {
        (graph.users[read.tensor][0], k)
        for k, node in enumerate(graph.nodes)
        if node.kind is Kind.ELEMENTWISE and len(node.reads) > 1
        for read in node.reads
        if graph.users[read.tensor][0] < k == graph.last_use[read.tensor]
    }
    if ends:
        yield from (segment for segment in streamed_in_programs(network, By.PIXELS) if segment[:2] in ends)


def _has_turns(network: Network, i: int) -> bool:
    op, *chain = network.ops[i]
    node, boundary = network.graph.nodes[i], network.graph.boundary(i, i)
    if not isinstance(op, tdsl.Conv2dOp) or not op.can_turn or op.turns is not None or len(node.reads) != 1:
        return False
    if not all(map(_can_turn, (op.rhs, op.out))) or not op.rhs.has_one_use():
        return False
    pad, (_, *kernel, _) = padding(op.rhs), tdsl.shape_of(op.lhs)
    image = op.rhs if pad is None else pad.input
    if image not in network.names or not image.has_one_use() or node.operands != boundary.dead or _is_given(image):
        return False
    if any(margin >= kernel[side // 2] for side, margin in enumerate(margins_of(pad))):
        return False
    # A result with wider elements than the chain's final tensor must be absorbed.
    wide = tdsl.format_of(op.out).dtype.itemsize > tdsl.format_of([op, *chain][-1].out).dtype.itemsize
    return not wide or (bool(chain) and added_precision(op, chain[0]) is not None)


def _can_turn(image: SSAValue) -> bool:
    packed = packed_type(MemRefType(tdsl.format_of(image).type, tdsl.shape_of(image)))
    return packed is None or packed_bits(packed) == 4


def _is_given(image: SSAValue) -> bool:
    given = tdsl.input_of(tdsl.unreshaped(image))
    return given is not None and not given.reused


def _bits(network: Network, i: int, rows: Sequence[int]) -> int:
    """The size in bits of the buffer that contains operand and result of node i if the node runs in the turns
    `rows`.
    """
    op, graph = network.ops[i][0], network.graph
    assert isinstance(op, tdsl.Conv2dOp)
    [read] = graph.nodes[i].reads
    image, result = graph.tensors[read.tensor], graph.tensors[graph.nodes[i].result]
    made = turns(rows, image[:2], result[:2], op.steps, read.before)
    pixels = np.concatenate([window_pixels(turn, read.kernel, op.steps) for turn in made])
    return max(lead(pixels, image.channels * image.bits, result.channels * result.bits) + image.size, result.size)
