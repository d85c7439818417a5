"""Data sets of programs, as reals and as raws of a program's input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.data import Data, load_data
from tinyml.runtime.model.model_interface import interface_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def load_program_data(module: ModuleOp, file: str) -> Data:
    """Read the data set of a program, with samples of its input's length and labels among its classes.

    Integers are raws of the input's format, unless the format is a float. Samples are reordered to the program's order
    of axes. Raises `InputError` for an unreadable file and for samples or labels that do not fit the program.
    """
    interface = interface_of(module)
    data = load_data(file, elements=interface.input_length, classes=interface.classes)
    data = replace(data, x=_in_order_of(module, data))
    format = input_format(module)
    if not data.integers or format.dtype.kind == "f":
        return data
    wide = data.x.astype(np.int64)
    raws = wide.astype(format.dtype)
    try:
        if (wrong := np.argwhere(raws != wide)).size:
            raise VerifyException(f"{wide[tuple(wrong[0])]} is not the raw value of any {format.type}")
        format.verify_raws(raws)
    except VerifyException as error:
        raise InputError(f"`x` holds integers, which are raws of the input: {error}", file=file) from error
    return replace(data, x=format.decode(raws).astype(np.float32))


def _in_order_of(module: ModuleOp, data: Data) -> NDArray[np.float32]:
    """The samples of a data set, (samples, elements), in the program's order of axes.

    The data set has the axis order of the model's file, or channels last if its shape fits only that order.
    """
    if (axes := interface_of(module).input_axes) is None:
        return data.x
    file = _file_shape(module, axes)
    last = tdsl.channels_last(len(axes))
    given = tuple(range(len(axes)))
    if _without_ones(data.shape) == _without_ones([file[axis] for axis in last]) != _without_ones(file):
        given = last
    return _reordered(data.x, [file[axis] for axis in given], [given.index(axis) for axis in axes])


def in_file_order(module: ModuleOp, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Samples (samples, elements) of a program, reordered to the axis order of the model's file."""
    if (axes := interface_of(module).input_axes) is None:
        return x
    file = _file_shape(module, axes)
    return _reordered(x, [file[axis] for axis in axes], [axes.index(axis) for axis in range(len(axes))])


def _reordered(x: NDArray[np.float32], shape: Sequence[int], permutation: Sequence[int]) -> NDArray[np.float32]:
    """Samples (samples, elements) with their axes permuted. shape: of a sample before the permutation."""
    return x.reshape(-1, *shape).transpose(0, *(1 + axis for axis in permutation)).reshape(len(x), -1)


def _file_shape(module: ModuleOp, axes: tuple[int, ...]) -> tdsl.Shape:
    """The shape of the input in the model's file."""
    shape = tdsl.shape_of(predict_function(module).body.block.args[0])
    return tuple(shape[axes.index(axis)] for axis in range(len(axes)))


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [extent for extent in shape if extent != 1]


def random_data(module: ModuleOp, samples: int) -> Data:
    """Samples of random raws of a program's input, the same in each run."""
    format, length = input_format(module), interface_of(module).input_length
    random = np.random.default_rng(0)
    if format.dtype.kind == "f":
        return Data(random.standard_normal((samples, length)).astype(np.float32), None)
    ends = np.sort(format.encode(np.array([-np.inf, np.inf])).astype(np.int64))
    raws = random.integers(ends[0], ends[1], (samples, length), endpoint=True).astype(format.dtype)
    return Data(format.decode(raws).astype(np.float32), None)


def input_format(module: ModuleOp) -> NumberFormat:
    """The number format of a program's input."""
    return tdsl.format_of(predict_function(module).body.block.args[0])
