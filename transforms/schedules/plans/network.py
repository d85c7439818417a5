"""The graph of a network on tensors: images, and the windows that ops read (L0, L1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import FixedBitwidthType, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.locations import error_at
from tinyml.dialects.tdsl.base import shaped
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Order, Read
from tinyml.transforms.schedules.tiling.axis_orders import gathered, written
from tinyml.transforms.schedules.tiling.padding import padding


@dataclass(frozen=True)
class Network:
    """The graph of a function, and the ops and values that its nodes and tensors represent.

    ops: for each node, the op that computes its result, followed by the elementwise ops and reshapes that belong to
        the node.
    names: for each value, the tensor that contains it.
    """

    graph: Graph
    ops: tuple[tuple[tdsl.TensorOp, ...], ...]
    names: dict[SSAValue, str]

    def convolutions(self, nodes: slice = slice(None)) -> list[tdsl.Conv2dOp]:
        """The convolutions that compute the results of nodes, by default of all nodes."""
        return [op for [op, *_] in self.ops[nodes] if isinstance(op, tdsl.Conv2dOp)]

    def in_order(self, order: Sequence[int]) -> Network:
        """A copy of the network whose nodes are in the topological order `order`, a permutation of their indices."""
        return replace(self, graph=self.graph.in_order(order), ops=tuple(self.ops[i] for i in order))


def graph_of(function: func.FuncOp, bits: int | None = None) -> Graph:
    """The graph of the network that `network_of` returns for the same arguments."""
    return network_of(function, bits).graph


def network_of(function: func.FuncOp, bits: int | None = None) -> Network:
    """The network of a function's ops after its last loop or branch. Tensors that are computed before these ops are
    inputs.

    Padding, reshaping and elementwise ops with a single operand run in the loops of the op that they precede or
    follow. They therefore belong to the node of this op. Constants are in flash. Raises `InputError` if nothing is
    computed after the last loop, and for batches of images.

    bits: the width of an element, instead of the width of its format.
    """
    builder = _Network(bits)
    graph = builder.graph(function)
    return Network(graph, tuple(tuple(builder.ops[node.result]) for node in graph.nodes), builder.names)


class _Network:
    """The graph of a network under construction."""

    def __init__(self, bits: int | None) -> None:
        self.bits = bits
        self.tensors: dict[str, Image] = {}
        self.nodes: list[Node] = []
        self.ops: dict[str, list[tdsl.TensorOp]] = {}
        self.names: dict[SSAValue, str] = {}
        """The tensor that holds each value."""
        self.margins: dict[SSAValue, tuple[SSAValue, tuple[int, int]]] = {}
        """Padded images: the unpadded image, and the number of rows above and of columns to its left."""

    def graph(self, function: func.FuncOp) -> Graph:
        for argument in function.args:
            if not isinstance(argument.type, TensorType):
                raise error_at(function, f"plans are for programs on tensors, not on {argument.type}")
            self.define(argument, name := f"input{argument.index or ''}")
            if tdsl.read_input(function).received is not None:
                # Received piece by piece, it occupies no memory.
                self.tensors[name] = self.tensors[name]._replace(bits=0)
        ops = list(function.body.block.ops)
        last = max((at for at, op in enumerate(ops) if op.regions and not isinstance(op, tdsl.TensorOp)), default=-1)
        before, ops = set(ops[: last + 1]), ops[last + 1 :]
        for value in (operand for op in ops for operand in op.operands):
            is_tensor = isinstance(value.type, TensorType) and not isinstance(value.owner, tdsl.ConstOp)
            if value.owner in before and is_tensor and value not in self.names:
                self.define(value, f"{value.name_hint or 'before'}.{len(self.names)}")
        inputs = tuple(self.names.values())
        for op in ops:
            self.visit(op)
        if before and not self.nodes:
            raise error_at(function, "plans are for networks behind the last loop, but it is the last op")
        read = [
            self.names[value]
            for op in ops
            if not isinstance(op, tdsl.TensorOp | tdsl.ConstOp)
            for value in op.operands
            if value in self.names
        ]
        return Graph(self.tensors, inputs, tuple(self.nodes), tuple(dict.fromkeys(read)))

    def define(self, value: SSAValue, name: str) -> None:
        self.names[value] = name
        self.tensors[name] = self.image(value)

    def image(self, value: SSAValue) -> Image:
        shape = tdsl.shape_of(value)
        if len(shape) == 4 and shape[0] != 1 and isinstance(value.owner, Operation):
            raise error_at(value.owner, f"plans are for single images, got {shape[0]}")
        height, width = shape[1:3] if len(shape) == 4 else (1, 1)
        # Sums that a loop carries have the storage of their accumulators.
        storage = cast(FixedBitwidthType, scratch.storage_of(shaped(value).get_element_type()))
        bits = self.bits or 8 * storage.size
        return Image(height, width, prod(shape) // (height * width), bits)

    def visit(self, op: Operation) -> None:
        if not isinstance(op, tdsl.TensorOp):
            return
        operands = [value for value in op.inputs if value in self.names or value in self.margins]
        if isinstance(op, tdsl.PadOp) and op.input in self.names and _is_margin(op):
            (_, (top, _), (left, _), _) = op.margins
            self.margins[op.out] = op.input, (top, left)
        elif isinstance(op, tdsl.TransposeOp) and op.input in self.names and self.lies(op):
            return
        elif len(operands) == 1 and operands[0] in self.names and self.continues(op, operands[0]):
            name = self.names[op.out] = self.names[operands[0]]
            if isinstance(operands[0], BlockArgument) and operands[0].has_one_use():
                # An image that arrives in another order of axes is described by the transposed one.
                self.tensors[name] = self.image(op.out)
            self.ops.setdefault(name, []).append(op)
        elif operands:
            self.node(op, operands)

    def lies(self, op: tdsl.TransposeOp) -> bool:
        name = self.names[op.input]
        if gathered(op.out) is not None:
            made = [node for node in self.nodes if node.result == name]
            order = Order.ROWS if op.axes[1] == 1 else Order.PLANES
            for tensor in (name, *(read.tensor for node in made for read in node.reads)):
                self.tensors[tensor] = self.image(op.out)._replace(bits=self.tensors[tensor].bits, order=order)
        elif written(op.input) is op and isinstance(self.ops[name][0], tdsl.Conv2dOp):
            self.tensors[name] = self.tensors[name]._replace(order=Order.PLANES)
        else:
            return False
        self.names[op.out] = name
        return True

    def continues(self, op: tdsl.TensorOp, operand: SSAValue) -> bool:
        """Whether the result of an op uses the bytes of an operand, because the op runs in the loops of the
        preceding op, only reshapes, or runs in place.
        """
        if isinstance(op, tdsl.ReshapeOp):
            return True
        if isinstance(op, tdsl.TransposeOp):
            return op.keeps_order or op.in_place is not None
        same = tdsl.shape_of(op.out) == tdsl.shape_of(operand)
        return same and isinstance(op, tdsl.PointwiseOp | tdsl.SoftmaxOp | tdsl.NormaliseOp) and operand.has_one_use()

    def node(self, op: tdsl.TensorOp, operands: list[SSAValue]) -> None:
        footprints = [op.checked_footprint(value) for value in operands]
        reads = [self.read(op, value, window) for value, window in zip(operands, footprints, strict=True)]
        kind = Kind.CONTRACTION
        if isinstance(op, tdsl.ReceiveOp):
            kind = Kind.ARRIVAL
        elif isinstance(op, tdsl.PointwiseOp) and all(read.kernel == (1, 1) for read in reads):
            kind = Kind.ELEMENTWISE
        elif isinstance(op, tdsl.MeanOp) or all(each is not None and each.channelwise for each in footprints):
            kind = Kind.CHANNELWISE
        name = f"{op.out.name_hint or op.name.removeprefix('tdsl.')}.{len(self.nodes)}"
        self.define(op.out, name)
        self.nodes.append(Node(name, kind, tuple(reads), op.macs))
        self.ops[name] = [op]

    def read(self, op: tdsl.TensorOp, value: SSAValue, window: tdsl.Footprint | None) -> Read:
        inner, before = self.margins.get(value, (value, (0, 0)))
        name = self.names[inner]
        image, result = self.tensors[name], tdsl.shape_of(op.out)
        whole = image.height, image.width
        if window is not None:
            above, _, left, _ = window.margins
            sums = isinstance(op, tdsl.PoolOp) and prod(result[1:3]) == 1 and image.pixels > 1
            return Read(name, window.kernel, window.strides, (above + before[0], left + before[1]), sums)
        sums = isinstance(op, tdsl.MeanOp | tdsl.MatmulOp | tdsl.MatmulSumOp)
        if sums and image.pixels > 1 and self.image(op.out).pixels == 1:
            return Read(name, whole, sums=True)
        # All of the operand, for every pixel of the result.
        return Read(name, whole, (0, 0))


def _is_margin(op: tdsl.PadOp) -> bool:
    users = (use.operation for use in op.out.uses)
    return padding(op.out) is op and all(
        isinstance(user, tdsl.TensorOp) and gathers(user, user.footprint(op.out)) for user in users
    )


def gathers(op: tdsl.TensorOp, window: tdsl.Footprint | None) -> bool:
    """Whether an op gathers windows of an operand, with the padding of the image, instead of single pixels. A
    contraction also gathers windows of one pixel.

    window: the window of the operand; None for a single pixel.
    """
    return window is not None and (window.kernel != (1, 1) or isinstance(op, tdsl.ContractionOp))


def scratch_of(network: Network, i: int) -> int:
    """The bits of scratch memory of node i. For a convolution, they are the bits of its gathered window and, if
    elementwise ops follow, of one pixel of its result. 0 for any other op.
    """
    op = network.ops[i][0]
    if not isinstance(op, tdsl.Conv2dOp):
        return 0
    _, height, width, _ = tdsl.shape_of(op.lhs)
    gathered = height * width * tdsl.shape_of(op.rhs)[3] if height * width > 1 else 0
    pixel = prod(tdsl.shape_of(op.out)[3:]) if len(network.ops[i]) > 1 else 0
    return 8 * sum(
        elements * tdsl.format_of(value).dtype.itemsize for elements, value in ((gathered, op.rhs), (pixel, op.out))
    )
