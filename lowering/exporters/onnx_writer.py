"""Export of programs on reals as ONNX models, for training loops and other runtimes.

The model accepts a batch of any size N. A column of n numbers becomes a tensor N x n. An image of height x width x
channels becomes a tensor N x C x H x W, the axis order of ONNX's layers. A bias becomes part of the preceding
convolution or dense layer. The weights of a dense layer after a flattened image are permuted to channels-first order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.package_metadata import install_command
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.simplify import SimplifyPass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32] | NDArray[np.int64]

OPSET, IR_VERSION = 17, 8

CHANNELS_FIRST = (0, 3, 1, 2)
"""The axes of an image of height x width x channels in the order of ONNX."""

ELEMENTWISE: dict[type[Operation], str] = {
    tdsl.AddOp: "Add",
    tdsl.SubOp: "Sub",
    tdsl.MulOp: "Mul",
    tdsl.MaximumOp: "Max",
    tdsl.MinimumOp: "Min",
    tdsl.ReluOp: "Relu",
    tdsl.ErfOp: "Erf",
    tdsl.ExpOp: "Exp",
    tdsl.LogOp: "Log",
    tdsl.NegOp: "Neg",
    tdsl.SigmoidOp: "Sigmoid",
    tdsl.SoftplusOp: "Softplus",
    tdsl.TanhOp: "Tanh",
    tdsl.HardSwishOp: "HardSwish",
}


def write_onnx(module: ModuleOp) -> bytes:
    """Write a program on reals without loops as an ONNX model of opset 17. The outputs of the model are the tensors
    that the program returns.

    Constants keep their names. Raises `InputError` for ops and shapes that an ONNX model cannot represent, for inputs
    whose features have scales, for programs that return no tensor, and if the package `onnx` is not installed.
    """
    try:
        onnx: Any = import_module("onnx")
    except ImportError as error:
        raise InputError(f"ONNX models need the package onnx: {install_command('onnx')}") from error
    module = module.clone()
    SimplifyPass().apply(Context(), module)
    function = predict_function(module)
    if tdsl.read_input(function).scales is not None:
        raise error_at(function, "the caller divides the input by scales, which cannot be written as ONNX")
    return _Writer(onnx).model(function)


class _Writer:
    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.initializers: dict[str, Array] = {}
        self.names: set[str] = set()
        self.values: dict[SSAValue, tuple[str, tuple[int, ...]]] = {}
        """For each tensor, its name, and for each of its axes in ONNX the axis in the program."""
        self.done: set[Operation] = set()
        """Ops that the node of an earlier op includes."""

    def model(self, function: func.FuncOp) -> bytes:
        helper, declared = self.onnx.helper, self.onnx.TensorProto.FLOAT
        inputs: list[Any] = []
        for argument in function.args:
            name = self.fresh(argument.name_hint or f"input{argument.index or ''}")
            self.define(argument, name, tuple(range(len(tdsl.shape_of(argument)))))
            extents: list[Any] = list(self.dims(argument))
            inputs.append(helper.make_tensor_value_info(name, declared, ["N", *extents]))
        outputs: list[Any] = []
        for op in function.body.block.ops:
            if isinstance(op, func.ReturnOp):
                for value in op.operands:
                    if not isinstance(value.type, TensorType):
                        continue
                    if value not in self.values:
                        raise error_at(op, "returns a tensor that no op of ONNX computes")
                    name = self.name(value)
                    if name in {tensor.name for tensor in (*inputs, *outputs)}:
                        name = self.add("Identity", [name], value.name_hint)
                    outputs.append(helper.make_tensor_value_info(name, declared, ["N", *self.sample(value)]))
            elif isinstance(op, tdsl.TensorOp) and op not in self.done:
                self.visit(op)
        if not outputs:
            raise error_at(function, "returns no tensor that could be the output of an ONNX model")
        to_tensor = self.onnx.numpy_helper.from_array
        initializers = [to_tensor(np.ascontiguousarray(array), name) for name, array in self.initializers.items()]
        graph = helper.make_graph(self.nodes, function.sym_name.data, inputs, outputs, initializers)
        domains = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=domains, ir_version=IR_VERSION).SerializeToString()

    def fresh(self, hint: str) -> str:
        name, count = hint, 1
        while name in self.names:
            name, count = f"{hint}_{count}", count + 1
        self.names.add(name)
        return name

    def constant(self, array: Array, hint: str | None) -> str:
        """Add an initializer `array` for one use of a constant, and return its name. Each use has a separate
        initializer, since uses may require different axis orders.
        """
        name = self.fresh(hint or "constant")
        self.initializers[name] = array
        return name

    def add(self, kind: str, inputs: Sequence[str], hint: str | None, **attributes: Any) -> str:
        name = self.fresh(hint or kind.lower())
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def define(self, value: SSAValue, name: str, axes: tuple[int, ...]) -> None:
        self.values[value] = name, axes

    def dims(self, value: SSAValue) -> tuple[int, ...]:
        """The extents of an image or a vector, without the sample axis. Raises `InputError` for other shapes."""
        shape = tdsl.shape_of(value)
        if len(shape) == 4 and shape[0] == 1:
            return shape[1:]
        if prod(shape) != max(shape, default=1) or len(shape) == 4:
            raise InputError(f"an ONNX model has vectors and single images, not tensors of shape {list(shape)}")
        return (prod(shape),)

    def sample(self, value: SSAValue) -> list[Any]:
        """The extents of one sample of an output, channels first."""
        dims = self.dims(value)
        return [dims[axis - 1] for axis in CHANNELS_FIRST[1:]] if len(dims) == 3 else [*dims]

    def image(self, value: SSAValue) -> str:
        name, axes = self.values[value]
        if axes == CHANNELS_FIRST:
            return name
        order = [axes.index(axis) for axis in CHANNELS_FIRST]
        name = self.add("Transpose", [name], None, perm=order)
        self.define(value, name, CHANNELS_FIRST)
        return name

    def vector(self, value: SSAValue) -> str:
        _ = self.dims(value)
        return self.values[value][0]

    def name(self, value: SSAValue) -> str:
        return self.image(value) if len(tdsl.shape_of(value)) == 4 else self.vector(value)

    def visit(self, op: tdsl.TensorOp) -> None:
        if not all(isinstance(value.owner, tdsl.ConstOp) or value in self.values for value in op.inputs):
            raise error_at(op, f"'{op.name}' has an operand that an ONNX model cannot hold here")
        handler = HANDLERS.get(type(op)) or (_elementwise if type(op) in ELEMENTWISE else None)
        if handler is None:
            raise error_at(op, f"'{op.name}' cannot be written as ONNX")
        handler(self, op)


Handler = Callable[[_Writer, Any], None]


def _result(to: _Writer, op: tdsl.TensorOp, name: str) -> None:
    _ = to.dims(op.out)
    axes = CHANNELS_FIRST if len(tdsl.shape_of(op.out)) == 4 else tuple(range(len(tdsl.shape_of(op.out))))
    to.define(op.out, name, axes)


def _bias(to: _Writer, op: tdsl.ContractionOp, channels: int) -> tuple[list[str], tdsl.TensorOp]:
    """Return the names of the bias inputs of a layer's ONNX node, and the last op that the node replaces.

    The bias is the constant that the program adds to the channels of the layer's result, or the constant initial value
    of the layer's sums. Without such a constant, the list is empty. Raises `InputError` for initial values that are not
    one constant per channel.
    """
    if op.initial is not None:
        if (constant := _for_each(op.initial, channels)) is None:
            raise error_at(op, f"'{op.name}' does not start from a constant for each channel")
        return [to.constant(constant.raws.reshape(-1), constant.result.name_hint)], op
    value, passed = op.out, list[tdsl.TensorOp]()
    if isinstance(reshape := _only_user(value), tdsl.ReshapeOp) and len(tdsl.shape_of(value)) < 4:
        value, passed = reshape.out, [reshape]
    if isinstance(add := _only_user(value), tdsl.AddOp) and tdsl.shape_of(add.out) == tdsl.shape_of(value):
        constant = _for_each(add.other(value), channels)
        if constant is not None:
            to.done |= {*passed, add}
            return [to.constant(constant.raws.reshape(-1), constant.result.name_hint)], add
    return [], op


def _only_user(value: SSAValue) -> Operation | None:
    return next(iter(value.uses)).operation if value.has_one_use() else None


def _for_each(value: SSAValue, channels: int) -> tdsl.ConstOp | None:
    shape = tdsl.shape_of(value)
    fits = prod(shape) == channels and (len(shape) < 4 or shape[3] == channels)
    return value.owner if fits and isinstance(value.owner, tdsl.ConstOp) else None


def _weights(op: Operation, value: SSAValue) -> tuple[NDArray[np.float32], str | None]:
    if not isinstance(value.owner, tdsl.ConstOp):
        raise error_at(op, f"'{op.name}' has no constant weights")
    return value.owner.raws, value.name_hint


def _convolution(to: _Writer, op: tdsl.Conv2dOp) -> None:
    raws, hint = _weights(op, op.lhs)
    if op.shifts is not None:
        raise error_at(op, "scales of rows cannot be written as ONNX")
    weights = to.constant(raws.transpose(CHANNELS_FIRST), hint)
    image, pads = op.rhs, [0, 0, 0, 0]
    if isinstance(pad := image.owner, tdsl.PadOp) and (margins := _margins(pad)) is not None and not pad.filling:
        image, pads = pad.input, margins
    operand = to.image(image)
    bias, last = _bias(to, op, tdsl.shape_of(op.lhs)[0])
    attributes = {"strides": op.steps, "dilations": op.spread, "group": op.group_count, "pads": pads}
    _result(to, last, to.add("Conv", [operand, weights, *bias], last.out.name_hint, **attributes))


def _margins(op: tdsl.PadOp) -> list[int] | None:
    """The padding of an image in ONNX's order: before height, before width, after height, after width.

    Returns None for a tensor without four axes, and if the op pads another axis or inserts elements between others.
    """
    if len(tdsl.shape_of(op.input)) != 4 or any((*op.gaps, *op.margins[0], *op.margins[3])):
        return None
    return [op.margins[1][0], op.margins[2][0], op.margins[1][1], op.margins[2][1]]


def _pad(to: _Writer, op: tdsl.PadOp) -> None:
    margins = _margins(op)
    if margins is None:
        raise error_at(op, "only the height and the width of images can be padded in ONNX")
    if all(isinstance(use.operation, tdsl.Conv2dOp) for use in op.out.uses) and not op.filling:
        to.define(op.out, *to.values[op.input])
        return
    top, left, bottom, right = margins
    name = to.fresh("pads")
    to.initializers[name] = np.array([0, 0, top, left, 0, 0, bottom, right], np.int64)
    filling = to.constant(np.array(op.filling, np.float32), "filling")
    _result(to, op, to.add("Pad", [to.image(op.input), name, filling], op.out.name_hint))


def _product(to: _Writer, op: tdsl.MatrixProductsOp) -> None:
    left = isinstance(op.operands[0].owner, tdsl.ConstOp)
    raws, hint = _weights(op, op.operands[0 if left else 1])
    data = op.operands[1 if left else 0]
    if len(op.terms) > 1 or op.shifts is not None:
        raise error_at(op, f"'{op.name}' sums products of several matrices, or has scales of rows")
    rows = raws if left else raws.T
    if isinstance(reshape := data.owner, tdsl.ReshapeOp) and len(shape := tdsl.shape_of(reshape.input)) == 4:
        # In ONNX a flattened image is in channels-first order.
        rows = rows.reshape(-1, *shape[1:]).transpose(CHANNELS_FIRST).reshape(len(rows), -1)
        operand = to.add("Flatten", [to.image(reshape.input)], None)
    else:
        operand = to.vector(data)
    weights = to.constant(rows, hint)
    bias, last = _bias(to, op, len(rows))
    _result(to, last, to.add("Gemm", [operand, weights, *bias], last.out.name_hint, transB=1))


def _elementwise(to: _Writer, op: tdsl.TensorOp) -> None:
    _plain(to, op, ELEMENTWISE[type(op)])


def _plain(to: _Writer, op: tdsl.TensorOp, kind: str, **attributes: Any) -> None:
    rank = len(tdsl.shape_of(op.out))
    operands: list[str] = []
    for value in op.inputs:
        shape = tdsl.shape_of(value)
        if isinstance(constant := value.owner, tdsl.ConstOp):
            raws = constant.raws
            if rank == 4:
                raws = raws.reshape((1,) * (4 - len(shape)) + shape).transpose(CHANNELS_FIRST)
            operands.append(to.constant(raws if rank == 4 else raws.reshape(-1), constant.result.name_hint))
        elif len(shape) == rank:
            operands.append(to.name(value))
        else:
            raise error_at(op, f"'{op.name}' broadcasts a tensor of shape {list(shape)}")
    _result(to, op, to.add(kind, operands, op.out.name_hint, **attributes))


def _clip(to: _Writer, op: tdsl.ClampOp) -> None:
    limits = [
        to.constant(np.array(limit, np.float32), name)
        for name, limit in zip(("low", "high"), op.limits, strict=True)
        if limit is not None
    ]
    _result(to, op, to.add("Clip", [to.name(op.input), *limits], op.out.name_hint))


def _leaky(to: _Writer, op: tdsl.LeakyReluOp) -> None:
    _plain(to, op, "LeakyRelu", alpha=op.slope.value.data)


def _pool(kind: str) -> Handler:
    def handler(to: _Writer, op: tdsl.PoolOp) -> None:
        top, bottom, left, right = op.margins
        pads = [top, left, bottom, right]
        window = {"kernel_shape": op.window, "strides": op.steps, "pads": pads}
        _result(to, op, to.add(kind, [to.image(op.image)], op.out.name_hint, **window))

    return handler


def _mean(to: _Writer, op: tdsl.MeanOp) -> None:
    if len(tdsl.shape_of(op.input)) != 4 or op.reduced != (1, 2):
        raise error_at(op, "only means over the height and the width of images can be written as ONNX")
    _result(to, op, to.add("GlobalAveragePool", [to.image(op.input)], op.out.name_hint))


def _softmax(to: _Writer, op: tdsl.SoftmaxOp) -> None:
    if len(tdsl.shape_of(op.out)) == 4:
        raise error_at(op, "only the softmax of a vector can be written as ONNX")
    _result(to, op, to.add("Softmax", [to.vector(op.input)], op.out.name_hint, axis=-1))


def _concatenation(to: _Writer, op: tdsl.ConcatOp) -> None:
    if len(tdsl.shape_of(op.out)) != 4:
        raise error_at(op, "only images can be concatenated in ONNX")
    axis = CHANNELS_FIRST.index(op.axis.value.data)
    _plain(to, op, "Concat", axis=axis)


def _transpose(to: _Writer, op: tdsl.TransposeOp) -> None:
    if len(op.axes) != 4:
        _reshape(to, op)
        return
    _reorder(to, op, op.axes)


def _reorder(to: _Writer, op: tdsl.ReshapeOp | tdsl.TransposeOp, permutation: Sequence[int]) -> None:
    """Record the operand's ONNX tensor as the result of a reshape or transposition, with its axes permuted: axis i
    of the result is axis `permutation[i]` of the operand.
    """
    name, axes = to.values[op.input]
    to.define(op.out, name, tuple(permutation.index(axis) for axis in axes))


def _moved_ones(shape: tdsl.Shape, result: tdsl.Shape) -> list[int] | None:
    """The permutation of axes that is equivalent to a reshape of a 4-axis shape. Returns None if the reshape changes
    more than the positions of axes of extent 1.
    """
    long, short = ([axis for axis in range(1, 4) if (shape[axis] > 1) is is_long] for is_long in (True, False))
    if [shape[axis] for axis in long] != [extent for extent in result[1:] if extent > 1]:
        return None
    return [0, *((long if extent > 1 else short).pop(0) for extent in result[1:])]


def _reshape(to: _Writer, op: tdsl.ReshapeOp | tdsl.TransposeOp) -> None:
    shape, result = tdsl.shape_of(op.input), tdsl.shape_of(op.out)
    if len(shape) == 4 and len(result) < 4:
        users = [use.operation for use in op.out.uses]
        if all(isinstance(user, tdsl.MatrixProductsOp) for user in users) and prod(result) == max(result):
            # The product flattens the image itself.
            to.define(op.out, *to.values[op.input])
            return
        name, axes = to.values[op.input]
        order = [axes.index(axis) for axis in range(4)]
        if order != [0, 1, 2, 3] and prod(shape[1:3]) > 1 and shape[3] > 1:
            name = to.add("Transpose", [name], None, perm=order)
        _result(to, op, to.add("Flatten", [name], op.out.name_hint))
    elif len(result) == 4 and len(shape) < 4:
        extents = to.fresh("extents")
        to.initializers[extents] = np.array([-1, *to.dims(op.out)], np.int64)
        name = to.add("Reshape", [to.vector(op.input), extents], op.out.name_hint)
        to.define(op.out, name, (0, 1, 2, 3))
    elif len(result) == 4:
        if (permutation := _moved_ones(shape, result)) is None:
            raise error_at(op, f"a reshape from {list(shape)} to {list(result)} cannot be written as ONNX")
        _reorder(to, op, permutation)
    else:
        _result(to, op, to.vector(op.input))


HANDLERS: dict[type[Operation], Handler] = {
    tdsl.Conv2dOp: _convolution,
    tdsl.PadOp: _pad,
    tdsl.MatmulOp: _product,
    tdsl.MatmulSumOp: _product,
    tdsl.SpmvOp: _product,
    tdsl.Relu6Op: _clip,
    tdsl.ClipOp: _clip,
    tdsl.LeakyReluOp: _leaky,
    tdsl.MaxPoolOp: _pool("MaxPool"),
    tdsl.AveragePoolOp: _pool("AveragePool"),
    tdsl.MeanOp: _mean,
    tdsl.SoftmaxOp: _softmax,
    tdsl.ConcatOp: _concatenation,
    tdsl.TransposeOp: _transpose,
    tdsl.ReshapeOp: _reshape,
}
