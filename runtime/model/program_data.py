"""Data sets of a program, as reals and as raws of the program's input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import (
    by_input,
    encode_inputs,
    feature_encoding,
    feature_map,
    input_formats,
    predict_function,
)
from tinyml.runtime.model.answers import Answers
from tinyml.runtime.model.data import Data, load_data
from tinyml.runtime.model.model_interface import interface_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def load_program_data(module: ModuleOp, file: str, answers: Answers | None = None) -> Data:
    """The data set of a program, as reals.

    Integers in the file are raws: of the sensor if the input has a unit, otherwise of the input's format. If this
    format is a float, integers in the file are the numbers themselves. If the file contains an array for each input,
    this applies to each array. Samples are reordered to the program's order of axes. Encoding the reals returns every
    raw.

    answers: what the program returns; by default, it is derived from the program (`answers_of`).

    Raises `InputError` for an unreadable file, and for samples or labels that do not match the program.
    """
    interface = interface_of(module)
    data = load_data(
        file,
        elements=interface.input_length,
        answers=answers or answers_of(module),
        parts=interface.input_parts,
        missing=tdsl.read_input(module).missing,
    )
    data = replace(data, x=_in_order_of(module, data))
    format = input_format(module)
    if not data.integers:
        return data
    if format.dtype.kind == "f":
        return replace(data, x=data.x.astype(np.float32))
    try:
        return replace(data, x=_reals_beside_raws(module, data))
    except InputError as error:
        raise InputError(f"`x` contains integers, which are raws of the input: {error.message}", file=file) from error


def _reals_beside_raws(module: ModuleOp, data: Data) -> NDArray[Any]:
    """The real inputs of data that contain integers, and perhaps reals for some inputs of the model.

    Raises `InputError` as `reals_of` does.
    """
    raws = np.zeros(data.x.shape[1], bool)
    for elements in data.integers:
        raws[elements] = True
    if raws.all():
        return reals_of(module, data.x)
    single = data.x.astype(np.float32)
    reals = reals_of(module, np.where(raws, data.x, encode_inputs(module, single)))
    return _shortest(module, np.where(raws, reals, single))


def reals_of(module: ModuleOp, integers: NDArray[Any]) -> NDArray[Any]:
    """The real inputs that integers represent.

    Integers are raws of the sensor if the input has a unit, otherwise raws of the input's format.

    integers: shape (samples, elements), or the samples of a stream.

    Raises `InputError` for an integer that is not a raw of the format.
    """
    if integers.dtype == np.uint64 and (large := integers > np.uint64(np.iinfo(np.int64).max)).any():
        raise InputError(f"{integers[large][0]} is not the raw value of any {input_format(module).type}")
    wide = integers.astype(np.int64)

    def checked(format: NumberFormat, integers: NDArray[Any]) -> NDArray[Any]:
        raws = integers.astype(format.dtype)
        if (wrong := np.argwhere(format.delivered(raws) != integers)).size:
            raise VerifyException(f"{integers[tuple(wrong[0])]} is not the raw value of any {format.type}")
        format.verify_raws(raws)
        return raws

    try:
        return _features(module, _by_input(module, wide, checked))
    except VerifyException as error:
        raise InputError(str(error)) from error


def answers_of(module: ModuleOp) -> Answers:
    """The kinds of results that a program returns for a sample, derived from its interface and its class labels."""
    interface, declared = interface_of(module), tdsl.read_interface(module)
    classes = interface.classes if declared.classes is None else len(declared.classes)
    returned = predict_function(module).get_return_op()
    assert returned is not None
    shapes = [tdsl.shape_of(value)[1:] for value in returned.operands if isinstance(value.type, TensorType)]
    return Answers(
        classes,
        declared.classes,
        interface.output_length or None,
        interface.has_label,
        declared.clusters,
        detects=declared.threshold is not None,
        trained=declared.trained,
        shape=shapes[0] if shapes else (),
        further=shapes[1:],
    )


def _by_input(
    module: ModuleOp, numbers: NDArray[Any], convert: Callable[[NumberFormat, NDArray[Any]], NDArray[Any]]
) -> NDArray[Any]:
    """Numbers after `convert` is applied to the elements of each input of the model.

    numbers: shape (samples, elements), or the samples of a stream for a single input.
    convert: a function of the number format and the elements of an input.
    """
    several = len(input_formats(module)) > 1
    return by_input(module, numbers, convert) if several else convert(input_format(module), numbers)


def _features(module: ModuleOp, raws: NDArray[Any]) -> NDArray[Any]:
    """The real inputs that a program's argument with these raws represents.

    Features with separate scales are in double precision. Other reals are in single precision unless a raw, such as
    one of 32 bits, would change.
    """
    if (encoding := feature_encoding(module)) is not None:
        return encoding.features(raws)
    features = feature_map(module)
    reals = _by_input(module, raws, lambda format, part: format.decode(part))
    return _shortest(module, reals) if features is None else features.features(reals)


def _shortest(module: ModuleOp, reals: NDArray[Any]) -> NDArray[Any]:
    """Reals in single precision if this changes none of their raws; otherwise unchanged.

    reals: numbers of the input's formats in double precision.
    """
    single = reals.astype(np.float32)

    def raws(reals: NDArray[Any]) -> NDArray[Any]:
        return _by_input(module, reals.astype(np.float64), lambda format, part: format.encode_clipped(part))

    return single if (raws(single) == raws(reals)).all() else reals


def stored_samples(module: ModuleOp, x: NDArray[Any]) -> NDArray[Any]:
    """Samples in the form in which a data set stores them, in the order of axes of the model's file.

    They are reals in single precision or, if single precision would change a raw, the raws. `load_program_data` returns
    samples with the same raws.

    module: the program at L1.
    x: reals of shape (samples, elements).
    """
    if x.dtype == np.float64 and not np.array_equal(single := x.astype(np.float32), x, equal_nan=True):
        raws = encode_inputs(module, x)
        x = single if np.array_equal(encode_inputs(module, single), raws) else raws
    return in_file_order(module, x)


def _in_order_of(module: ModuleOp, data: Data) -> NDArray[Any]:
    """The samples of a data set, of shape (samples, elements), reordered to the program's order of axes.

    The axes of the data set are expected in the order of the model's file. If its shape matches only an order with
    channels last, this order is assumed.
    """
    if (axes := interface_of(module).input_axes) is None:
        return data.x
    file = _file_shape(module, axes)
    last = tdsl.channels_last(len(axes))
    given = tuple(range(len(axes)))
    if _without_ones(data.shape) == _without_ones([file[axis] for axis in last]) != _without_ones(file):
        given = last
    return _reordered(data.x, [file[axis] for axis in given], [given.index(axis) for axis in axes])


def in_file_order(module: ModuleOp, x: NDArray[Any]) -> NDArray[Any]:
    """Samples whose axes are reordered from the program's order to that of the model's file. Argument and result have
    the shape (samples, elements).
    """
    if (axes := interface_of(module).input_axes) is None:
        return x
    file = _file_shape(module, axes)
    return _reordered(x, [file[axis] for axis in axes], [axes.index(axis) for axis in range(len(axes))])


def _reordered(x: NDArray[Any], shape: Sequence[int], permutation: Sequence[int]) -> NDArray[Any]:
    """Samples `x` of shape (samples, elements) with permuted axes.

    shape: the shape of a sample before the permutation.
    permutation: for each axis of the result, the axis of `shape`.
    """
    return x.reshape(-1, *shape).transpose(0, *(1 + axis for axis in permutation)).reshape(len(x), -1)


def _file_shape(module: ModuleOp, axes: tuple[int, ...]) -> tdsl.Shape:
    """The shape of the input in the model's file. Axis i of the program's input is axis `axes[i]` of the file."""
    shape = tdsl.shape_of(predict_function(module).body.block.args[0])
    return tuple(shape[axes.index(axis)] for axis in range(len(axes)))


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [extent for extent in shape if extent != 1]


def random_data(module: ModuleOp, samples: int) -> Data:
    """Samples of random raws of a program's input, or of random numbers if the input's format is a float. Every call
    returns the same samples.
    """
    format, length = input_format(module), interface_of(module).input_length
    random = np.random.default_rng(0)
    if format.dtype.kind == "f":
        return Data(random.standard_normal((samples, length)).astype(np.float32), None)
    low, high = sorted(int(end) for end in format.ends())
    raws = random.integers(low, high, (samples, length), endpoint=True).astype(format.dtype)
    return Data(_features(module, raws), None)


def input_format(module: ModuleOp) -> NumberFormat:
    """The number format of a program's input. At L0, an input with a unit has the format that the unit implies."""
    function = predict_function(module)
    given = tdsl.read_input(function).format
    return tdsl.format_of(function.body.block.args[0]) if given is None else element_format(given)
