"""The graph that represents an imported tensor module. Its nodes are those of an ONNX model, appended op by op.

The ONNX importer converts the graph to a program, so that a layer has the same meaning in all file formats. Values that
do not depend on the input are computed while the graph is built. The graph contains no broadcasts. Instead, a `Tensor`
stores an extent of 1 along an axis of repeated elements, and elementwise ops repeat the element along the axis.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.locations import origin, source_location
from tinyml.lowering.frontends.onnx.graph import Attribute, Declared, OnnxGraph, OnnxNode
from tinyml.lowering.frontends.onnx.reader import OPSETS, needed_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class SourceNode(OnnxNode):
    """A graph node that was created from an op of the module.

    source: the op. Errors state its name and location.
    """

    source: Operation

    @property
    def location(self) -> LocationAttr:
        return origin(self.source.location)

    def error(self, message: str) -> InputError:
        return error_at(self.source, message, self.file)

    @property
    def advice(self) -> str:
        return "write what it computes with other ops, or end the model before it"


def error_at(op: Operation, message: str, file: str) -> InputError:
    """An `InputError` that names an op and its location, or `file` if the location is unknown."""
    path, line, column = source_location(op) or (file, None, None)
    return InputError(f"{op_name(op)}: {message}", file=path, line=line, column=column)


def op_name(op: Operation) -> str:
    """The name of an op, such as `linalg.add`, also of an op that is not registered."""
    name = getattr(op, "op_name", None)
    return op.name if name is None else name.data


@dataclass(frozen=True)
class TensorOrigin:
    """The node that computes a tensor: its op, operands and attributes."""

    op: str
    inputs: tuple[Tensor, ...]
    attributes: Mapping[str, Attribute]

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes over which a reduction runs."""
        array = self.inputs[1].array
        assert array is not None
        return tuple(int(axis) for axis in array)


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value of the module.

    shape: the extents of the value.
    stored: the extents of the value in the graph, of the same rank; an extent of 1 represents repeated elements.
    array: the elements in the shape `stored`, if known.
    steps: if the value is a number that depends only on the iteration of the innermost loop, the number in each
        iteration.
    producer: the node that computes the value; None for an input and for known elements.
    """

    name: str
    shape: Shape
    stored: Shape
    array: Array | None = None
    steps: Array | None = None
    producer: TensorOrigin | None = None

    @property
    def is_known(self) -> bool:
        return self.array is not None

    @property
    def number(self) -> float | int | bool | None:
        """The number that all elements equal; None if the elements differ or are unknown."""
        return self.array.item() if self.array is not None and self.array.size == 1 else None

    def produced_by(self, *ops: str) -> TensorOrigin | None:
        return self.producer if self.producer is not None and self.producer.op in ops else None


@dataclass
class Body:
    """The graph of a function or of a loop during construction.

    trips: the number of iterations of a loop; None for a function.
    nodes: the nodes appended so far.
    known: the results of these nodes, by op, inputs and attributes; equal nodes are shared.
    arguments: the named tensors that no node computes, such as the carried values of a loop.
    sequences: the inputs of a loop that are slices of tensors, by tensor, axis and the position in each iteration.
    """

    trips: int | None = None
    nodes: list[OnnxNode] = field(default_factory=list[OnnxNode])
    known: dict[Any, Tensor] = field(default_factory=dict[Any, Tensor])
    arguments: list[Tensor] = field(default_factory=list[Tensor])
    sequences: dict[tuple[Tensor, int, tuple[int, ...]], Tensor] = field(
        default_factory=dict[tuple["Tensor", int, tuple[int, ...]], Tensor]
    )


class GraphWriter:
    """A writer that appends nodes to a graph.

    source: the current op of the module, which errors name.
    """

    def __init__(self, file: str, source: Operation) -> None:
        self.file = file
        self.source = source
        self.constants: dict[str, Array] = {}
        self.shapes: dict[str, Shape] = {}
        self.bodies = [Body()]
        self._names: dict[tuple[str, Shape, bytes], str] = {}
        self._count = 0
        self._elements = 0

    def error(self, message: str) -> InputError:
        return error_at(self.source, message, self.file)

    def fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}_{self._count}"

    @contextmanager
    def body(self, trips: int) -> Generator[Body]:
        """A context in which nodes are appended to the body of a loop of `trips` iterations."""
        self.bodies.append(Body(trips))
        try:
            yield self.bodies[-1]
        finally:
            self.bodies.pop()

    def argument(self, stem: str, shape: Shape) -> Tensor:
        """Declare an input of the graph or of a loop's body, with a name derived from `stem`."""
        argument = Tensor(self.fresh(stem), shape, shape)
        self.shapes[argument.name] = shape
        self.bodies[-1].arguments.append(argument)
        return argument

    def constant(self, array: Array, shape: Shape | None = None) -> Tensor:
        """A tensor with known elements, whose extents are `shape` or, by default, those of the array."""
        array = np.asarray(array)
        shape = array.shape if shape is None else shape
        self.count(array)
        if array.size and array.ndim and (array == array.flat[0]).all():
            array = array.reshape(-1)[:1].reshape((1,) * array.ndim)
        return Tensor("", shape, array.shape, array)

    def count(self, array: Array) -> None:
        self._elements += array.size
        if self._elements > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"constants of more than {limit} elements are computed; --max-elements raises the limit")

    def name(self, tensor: Tensor, *, broadcasts: bool = False) -> str:
        """The name of a tensor in the graph. A known tensor becomes a constant. A number that is known for each loop
        iteration becomes a slice of a constant.

        broadcasts: whether a constant of one element may be a scalar without axes.
        """
        if tensor.steps is not None:
            return self.part_of_step(self.constant(tensor.steps), 0, range(len(tensor.steps))).name
        if tensor.array is None:
            return tensor.name
        array = tensor.array.reshape(()) if broadcasts and tensor.array.size == 1 else tensor.array
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._names:
            self._names[key] = self.fresh("number" if array.size == 1 else "w")
            self.constants[self._names[key]] = array
        return self._names[key]

    def integers(self, values: Sequence[int]) -> Tensor:
        """A vector of integers as a known tensor, the form in which nodes accept shapes and axes."""
        array = np.array(values, np.int64)
        return Tensor("", array.shape, array.shape, array)

    def node(
        self,
        op: str,
        inputs: Sequence[Tensor],
        shape: Shape,
        stored: Shape | None = None,
        *,
        broadcasts: bool = False,
        **attributes: Attribute,
    ) -> Tensor:
        """Append a node and return its result. An equal existing node is reused.

        shape: the shape of the result.
        stored: the stored extents of the result, by default `shape`.
        broadcasts: as in `name`.
        """
        names = tuple(self.name(operand, broadcasts=broadcasts) for operand in inputs)
        stored = shape if stored is None else stored
        key = op, names, tuple(sorted(attributes.items())), shape, stored
        for body in self.bodies:
            if (known := body.known.get(key)) is not None:
                return known
        name = self.fresh(op.lower())
        node = SourceNode(op, "", OPSETS[-1], name, names, (name,), attributes, self.file, self.source)
        result = Tensor(name, shape, stored, producer=TensorOrigin(op, tuple(inputs), attributes))
        self.shapes[name] = stored
        self.bodies[-1].nodes.append(node)
        self.bodies[-1].known[key] = result
        return result

    def whole(self, tensor: Tensor) -> Tensor:
        """Materialise the repeated elements of a tensor, so that its stored extents equal its shape."""
        if tensor.stored == tensor.shape:
            return tensor
        if tensor.array is not None:
            self.check(tensor.shape)
            array = np.broadcast_to(tensor.array, tensor.shape)
            return Tensor("", tensor.shape, tensor.shape, array)
        self.check(tensor.shape)
        stored_tensor = Tensor(tensor.name, tensor.stored, tensor.stored, producer=tensor.producer)
        for axis, extent in enumerate(tensor.shape):
            if (stored := stored_tensor.shape)[axis] != extent:
                stored_tensor = self.node(
                    "Concat", [stored_tensor] * extent, (*stored[:axis], extent, *stored[axis + 1 :]), axis=axis
                )
        return stored_tensor

    def check(self, shape: Shape) -> None:
        if prod(shape) > (limit := ELEMENT_LIMIT.get()):
            raise self.error(f"shape {list(shape)} has more than {limit} elements; --max-elements raises the limit")

    def reshape(self, tensor: Tensor, shape: Shape) -> Tensor:
        """Reshape a tensor to a shape with the same number of elements."""
        if prod(shape) != prod(tensor.shape):
            raise self.error(f"{list(tensor.shape)} cannot become {list(shape)}")
        if shape == tensor.shape:
            return tensor
        if tensor.array is not None:
            if tensor.array.size == 1:
                return Tensor("", shape, (1,) * len(shape), tensor.array.reshape((1,) * len(shape)))
            stored = _stored_after(tensor, shape)
            if stored is not None:
                return Tensor("", shape, stored, tensor.array.reshape(stored))
            return Tensor("", shape, shape, np.broadcast_to(tensor.array, tensor.shape).reshape(shape))
        stored = _stored_after(tensor, shape)
        if stored is None:
            tensor, stored = self.whole(tensor), shape
        while (inner := tensor.produced_by("Reshape")) is not None and tensor.stored == tensor.shape:
            tensor = inner.inputs[0]
        if tensor.stored == stored and tensor.stored == tensor.shape:
            return tensor
        return self.node("Reshape", [tensor, self.integers(stored)], shape, stored)

    def transpose(self, tensor: Tensor, axes: Sequence[int]) -> Tensor:
        """Permute the axes of a tensor, as `numpy.transpose` does."""
        if sorted(axes) != list(range(len(tensor.shape))):
            raise self.error(f"{list(axes)} does not order the axes of {list(tensor.shape)}")
        if list(axes) == sorted(axes):
            return tensor
        shape, stored = (tuple(extents[axis] for axis in axes) for extents in (tensor.shape, tensor.stored))
        if tensor.array is not None:
            return Tensor("", shape, stored, tensor.array.transpose(axes))
        if (inner := tensor.produced_by("Transpose")) is not None:
            before = inner.attributes["perm"]
            assert isinstance(before, tuple)
            return self.transpose(inner.inputs[0], [int(before[axis]) for axis in axes])
        return self.node("Transpose", [tensor], shape, stored, perm=tuple(axes))

    def broadcast(self, tensor: Tensor, dimensions: Sequence[int], shape: Shape) -> Tensor:
        """Broadcast a tensor to a larger shape.

        dimensions: the axis of the result for each axis of the tensor.
        """
        if len(set(dimensions)) != len(tensor.shape) or not all(0 <= axis < len(shape) for axis in dimensions):
            raise self.error(f"dimensions {list(dimensions)} do not fit {list(tensor.shape)} and {list(shape)}")
        if any(extent not in (1, shape[axis]) for extent, axis in zip(tensor.shape, dimensions, strict=True)):
            raise self.error(f"{list(tensor.shape)} does not broadcast to {list(shape)}")
        if shape == tensor.shape and list(dimensions) == list(range(len(shape))):
            return tensor
        order = sorted(range(len(dimensions)), key=dimensions.__getitem__)
        tensor = self.transpose(tensor, order)
        stored = [1] * len(shape)
        for axis, extent in zip(sorted(dimensions), tensor.stored, strict=True):
            stored[axis] = extent
        if tensor.array is not None:
            return Tensor("", shape, tuple(stored), tensor.array.reshape(stored))
        if tensor.steps is not None:
            if not shape:
                return tensor
            tensor = Tensor(self.name(tensor), (), ())
        stored_tensor = self.reshape(
            Tensor(tensor.name, tensor.stored, tensor.stored, producer=tensor.producer), tuple(stored)
        )
        return Tensor(stored_tensor.name, shape, stored_tensor.stored, producer=stored_tensor.producer)

    def slice(self, tensor: Tensor, starts: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> Tensor:
        """Slice a tensor at the constant offsets `starts`, with the extents `sizes`.

        steps: the stride along each axis.
        """
        shape = tuple(sizes)
        ends = [start + (size - 1) * step + 1 for start, size, step in zip(starts, sizes, steps, strict=True)]
        if not all(s >= 0 and e <= extent for s, e, extent in zip(starts, ends, tensor.shape, strict=True)):
            raise self.error(f"the part from {[*starts]} to {ends} does not lie in {list(tensor.shape)}")
        if shape == tensor.shape:
            return tensor
        axes = [axis for axis in range(len(shape)) if tensor.stored[axis] != 1]
        stored = tuple(shape[axis] if axis in axes else 1 for axis in range(len(shape)))
        if tensor.array is not None:
            index = tuple(
                slice(starts[axis], ends[axis], steps[axis]) if axis in axes else slice(None)
                for axis in range(len(shape))
            )
            return Tensor("", shape, stored, tensor.array[index])
        axes_sliced = [axis for axis in axes if shape[axis] != tensor.shape[axis]]
        bounds = [self.integers([numbers[axis] for axis in axes_sliced]) for numbers in (starts, ends)]
        more = [self.integers(axes_sliced), self.integers([steps[axis] for axis in axes_sliced])]
        return self.node("Slice", [tensor, *bounds, *more], shape, stored)

    def part_of_step(self, tensor: Tensor, axis: int, positions: Sequence[int]) -> Tensor:
        """The slice of a tensor at one position along `axis` per loop iteration. The slice lacks the axis.

        positions: the position in each iteration.
        """
        body = self.bodies[-1]
        key = tensor, axis, tuple(positions)
        if key not in body.sequences:
            shape = tuple(extent for at, extent in enumerate(tensor.shape) if at != axis)
            body.sequences[key] = self.argument("part", shape)
        return body.sequences[key]

    def graph(self, body: Body, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> OnnxGraph:
        """Convert a finished body to an ONNX graph. Only the outermost graph contains constants."""
        declared = [Declared(self.name(output), "float32", output.shape) for output in outputs]
        nodes = [*needed_nodes(body.nodes, declared)]
        own = {name for node in nodes for name in node.outputs} | {tensor.name for tensor in inputs}
        read = {name for node in nodes for name in node.inputs} | {declaration.name for declaration in declared}
        read |= {
            name
            for node in nodes
            for value in node.attributes.values()
            if isinstance(value, OnnxGraph)
            for name in value.free
        }
        arguments = [Declared(tensor.name, "float32", tensor.shape) for tensor in inputs]
        constants = {} if len(self.bodies) > 1 else self.constants
        return OnnxGraph(nodes, constants, arguments, declared, frozenset(read - own), shapes=self.shapes)


def _stored_after(tensor: Tensor, shape: Shape) -> Shape | None:
    """The stored extents of a tensor after a reshape; None if the reshape merges stored and repeated elements into one
    axis.

    Axes are grouped from the left so that each group has the same number of elements before and after.

    shape: the new extents.
    """
    stored: list[int] = []
    first, before = 0, 0
    while first < len(shape) or before < len(tensor.shape):
        end, behind = first + (first < len(shape)), before + (before < len(tensor.shape))
        while (left := prod(tensor.shape[before:behind])) != (right := prod(shape[first:end])):
            end, behind = (end + 1, behind) if right < left else (end, behind + 1)
        group = tensor.shape[before:behind], tensor.stored[before:behind]
        if group[0] == group[1]:
            stored += shape[first:end]
        elif prod(group[1]) == 1:
            stored += [1] * (end - first)
        else:
            return None
        first, before = end, behind
    return tuple(stored)
