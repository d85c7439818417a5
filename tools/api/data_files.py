"""Temporary .npz files for in-memory arrays, since passes read their data from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import IndexType, ModuleOp

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import described
from tinyml.dialects.tdsl.interface import read_input
from tinyml.runtime.evaluator.evaluator import predict_function

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.tdsl.inputs import InputPart


@dataclass(frozen=True)
class Inputs:
    """The interpretation of the caller's arrays.

    integers: true if integers are raws or sensor readings rather than reals.
    names: the features in order, which the columns of a data frame must match; None if unknown.
    raw: true if the caller declared integers to be raws; floats are then rejected.
    parts: the inputs of a model with several inputs.
    outputs: the number of outputs of the program.
    """

    integers: bool = False
    names: Sequence[str] | None = None
    raw: bool = False
    parts: Sequence[InputPart] = ()
    outputs: int = 1

    @staticmethod
    def of(program: ModuleOp, raw: object, *, has_unit: bool = False) -> Inputs:
        """Create the interpretation of the inputs of a program.

        raw: true if integers are raws.
        has_unit: true if a sensor unit will be set.

        Raises `TypeError` unless `raw` is True or False.
        """
        if not isinstance(raw, bool):
            raise TypeError(f"raw: expected True or False, got {type(raw).__name__}")
        given = read_input(program)
        results = predict_function(program).function_type.outputs
        tensors = sum(not isinstance(type, IndexType) for type in results)
        return Inputs(raw or has_unit or given.unit is not None, given.names, raw, given.input_parts, tensors)


def write_data(file: Path, x: object, y: object, labels: tuple[str, str], inputs: Inputs) -> Path:
    """Write inputs to a file, with their classes or values unless y is None; return the file.

    x: numbers (samples, ...), as an array, a data frame, a sparse matrix or nested lists. For a model with several
        inputs: one such array per input, in a tuple or a list in the order of the inputs or in a dictionary by their
        names, or one array for all inputs.
    y: the class of each sample, or its values; for a program with several outputs, a tuple or a list with one such
        array or None for each output. y is written unchanged, since only readers of the file have access to the
        program's classes.
    labels: the names of both arguments, for messages.

    Raises `InputError` if x is not numeric, if y is neither numeric nor text, for a frame whose columns are not the
    features, and if x and y have different numbers of samples.
    """
    x_label, y_label = labels
    arrays: dict[str, Any] = {"x": _numbers(x, x_label, inputs)}
    for name, each in _by_output(y, inputs.outputs, y_label).items():
        values = array_of(each, y_label)
        if values.ndim == 0 or len(values) != len(arrays["x"]):
            given = "a single value" if values.ndim == 0 else f"{len(values)}"
            raise InputError(f"expected a value for each of the {len(arrays['x'])} samples, got {given}", file=y_label)
        if values.dtype.kind not in "fiubU":
            raise InputError(f"expected numbers or texts, got {_named_type(values)}", file=y_label)
        arrays[name] = values
    np.savez(file, **arrays)
    return file


def _by_output(y: object, outputs: int, label: str) -> Mapping[str, object]:
    """The arrays of expected outputs by their names in a data set: `y` for the first output, `y_1` for the next, and so
    on. Empty if y is None.

    outputs: the number of outputs of the program.
    label: the name of the argument y, for messages.

    Raises `InputError` for a dictionary and, if the program has several outputs, for a list of arrays whose number is
    not `outputs`. None in a list omits an output.
    """
    if y is None:
        return {}
    if isinstance(y, Mapping):
        raise InputError("expected an array, or for several outputs a tuple of arrays, got a dictionary", file=label)
    given: Sequence[Any] = cast("Sequence[Any]", y) if isinstance(y, tuple | list) else ()
    if outputs < 2 or not any(getattr(each, "ndim", 0) for each in given):
        return {"y": cast(object, y)}
    if len(given) != outputs:
        raise InputError(f"the program has {outputs} outputs, got {len(given)} arrays", file=label)
    names = ["y", *(f"y_{number}" for number in range(1, outputs))]
    return {name: each for name, each in zip(names, given, strict=True) if each is not None}


def _named_type(array: NDArray[Any]) -> str:
    return "objects of several types" if array.dtype.kind == "O" else str(array.dtype)


def array_of(value: object, label: str) -> NDArray[Any]:
    """Convert an argument to an array; raises `InputError` for None and for any exception of numpy or of the argument's
    methods.

    Frames with nullable types yield arrays of objects. These become numbers (NaN for missing values), booleans or
    texts.

    label: the name of the argument, for messages.
    """
    if value is None:
        raise InputError("expected an array, got None", file=label)
    try:
        # np.asarray does not convert sparse matrices.
        dense = getattr(value, "toarray", None)
        return _of_one_type(np.asarray(dense() if callable(dense) else value))
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"expected an array, got {type(value).__name__}: {described(error)}", file=label) from error


def _of_one_type(array: NDArray[Any]) -> NDArray[Any]:
    """Convert an array of objects to numbers, booleans or texts if all elements have one of these types; other arrays
    are unchanged.

    Among numbers, None and `pandas.NA` become NaN.
    """
    if array.dtype.kind != "O":
        return array
    # `pandas.NA` has no conversion to float. Scalars of numpy, such as its texts, are unchanged among objects.
    items: list[Any] = [
        None if type(item).__name__ == "NAType" else item.item() if isinstance(item, np.generic) else item
        for item in array.ravel().tolist()
    ]
    kinds: set[type[Any]] = {type(item) for item in items}
    if kinds and (kinds <= {bool} or all(issubclass(kind, str) for kind in kinds)):
        return np.array(items).reshape(array.shape)
    if kinds - {bool, type(None)} and all(issubclass(kind, int | float | type(None)) for kind in kinds):
        return np.array([np.nan if item is None else item for item in items]).reshape(array.shape)
    return array


def column_names(x: object) -> list[str] | None:
    """The names of a data frame's columns; None for other inputs, and for names that are not strings."""
    try:
        names = [*cast("Sequence[object]", getattr(x, "columns", ()))]
    except (Exception, SystemExit):
        return None
    # Frames without names number their columns.
    texts = [str(name) for name in names if isinstance(name, str)]
    return texts if texts and len(texts) == len(names) else None


def _numbers(x: object, label: str, inputs: Inputs) -> NDArray[Any]:
    """Convert inputs to an array of numbers whose first axis is the samples; integers become floats unless
    `inputs.integers`.

    label: the name of the argument, for messages.

    Raises `InputError` for other elements than numbers, for an array without an axis of elements, and for floats that
    are declared to be raws.
    """
    if (parts := parts_of(x, len(inputs.parts))) is not None:
        return _joined(parts, label, inputs)
    array = array_of(_in_order(x, label, inputs), label)
    if array.dtype.kind == "b":
        array = array.astype(np.int8)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (Exception, SystemExit) as error:
            raise InputError("expected numbers, got objects", file=label) from error
    if array.dtype.kind not in "fiu":
        raise InputError(f"expected numbers, got {array.dtype}", file=label)
    if array.ndim < 2:
        raise InputError(f"expected shape (samples, elements), got {array.shape}", file=label)
    if inputs.raw and array.dtype.kind == "f":
        raise InputError(f"expected integers, got {array.dtype}: with raw=True they are raws of the input", file=label)
    return array if array.dtype.kind == "f" or inputs.integers else array.astype(np.float32)


def parts_of(x: object, inputs: int | None = None) -> Mapping[str, object] | Sequence[object] | None:
    """The arrays of several inputs, from a dictionary, a tuple or a list. None for a single array, which may be a list
    of rows.

    Arrays of different shapes are separate inputs. Arrays of equal shape are separate inputs if the model has as many
    inputs. If the number of inputs is unknown, arrays of equal shape are inputs in a tuple, but samples in a list.

    inputs: the number of inputs of the model; None if it is unknown.
    """
    if isinstance(x, Mapping):
        return cast("Mapping[str, object]", x)
    if not isinstance(x, tuple | list):
        return None
    arrays = cast("Sequence[Any]", x)
    if len(arrays) < 2 or any(getattr(each, "ndim", 0) < 2 for each in arrays):
        return None
    differ = len({np.shape(each) for each in arrays}) > 1
    return arrays if differ or (isinstance(x, tuple) if inputs is None else inputs == len(arrays)) else None


def _joined(given: Mapping[str, object] | Sequence[object], label: str, inputs: Inputs) -> NDArray[Any]:
    """Concatenate the inputs of a model with several inputs to an array (samples, values).

    label: the name of the argument, for messages.

    Raises `InputError` for a model with one input, and for inputs that do not match those of the model.
    """
    names = [part.name for part in inputs.parts]
    if not names:
        kind = "a dictionary" if isinstance(given, Mapping) else f"{len(given)} arrays"
        raise InputError(f"the model has one input, got {kind}: pass one array", file=label)
    if isinstance(given, Mapping):
        for name in (*given, *names):
            if name not in names:
                raise InputError(f"the model has no input {name!r}{did_you_mean(name, names)}", file=label)
            if name not in given:
                raise InputError(f"there is no array for the input '{name}'", file=label)
        given = [given[name] for name in names]
    if len(given) != len(names):
        raise InputError(f"expected {len(names)} arrays ({', '.join(names)}), got {len(given)}", file=label)
    alone = replace(inputs, parts=(), names=None)
    arrays = [_numbers(each, f"{label}, input '{name}'", alone) for each, name in zip(given, names, strict=True)]
    for array, part in zip(arrays, inputs.parts, strict=True):
        if len(array) != len(arrays[0]):
            raise InputError(f"the input '{part.name}' has {len(array)} samples, others {len(arrays[0])}", file=label)
        if prod(array.shape[1:]) != part.length:
            expected = f"the input '{part.name}' has {part.length} values"
            raise InputError(f"{expected}, got an array of shape {array.shape}", file=label)
    if len(kinds := {array.dtype.kind == "f" for array in arrays}) > 1:
        named = ", ".join(f"'{name}' {array.dtype}" for name, array in zip(names, arrays, strict=True))
        raise InputError(f"integers are sensor readings, floats are reals: expected one kind, got {named}", file=label)
    if not any(kinds):
        arrays = [array.astype(np.int64) for array in arrays]
    return np.concatenate([array.reshape(len(array), -1) for array in arrays], axis=1)


def _in_order(x: Any, label: str, inputs: Inputs) -> Any:
    """Sort the columns of a data frame in the order of the features; other inputs are unchanged.

    Raises `InputError` for a frame whose columns are not the features.
    """
    if (known := inputs.names) is None or (given := column_names(x)) is None or given == [*known]:
        return x
    for name in given:
        if name not in known:
            raise InputError(
                f"the column {name!r} is not one of the model's features{did_you_mean(name, known)}", file=label
            )
    for name in known:
        if name not in given:
            raise InputError(f"there is no column {name!r}, which is a feature of the model", file=label)
    if len(given) != len(known):
        raise InputError(f"there are {len(given)} columns for the {len(known)} features of the model", file=label)
    try:
        return x[[*known]]
    except (Exception, SystemExit) as error:
        raise InputError(f"its columns cannot be ordered as the features: {described(error)}", file=label) from error
