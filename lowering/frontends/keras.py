"""Import of Keras models in memory, through Keras's converter to TensorFlow Lite (the extra `keras`).

The converted model uses floats, since tinyml chooses number formats later. Its batch size is 1, so that every shape is
known. Recurrent layers become single operators (`keras_recurrent.py`); those that do not are unrolled.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.package_metadata import install_command
from tinyml.lowering.frontends.child_process import converted, said
from tinyml.lowering.frontends.importers import TRUST_PICKLE
from tinyml.lowering.frontends.keras_files import (
    ELSEWHERE,
    HDF5_MAGIC,
    check_archive,
    check_hdf5,
    limit_variables,
    weights_in,
)
from tinyml.lowering.frontends.keras_recurrent import constant_variables, recurrent_operators
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.lowering.frontends.tflite.keras_layers import numbered_name
from tinyml.runtime.model.temporary_folder import temporary_folder

SECONDS = 600
"""The time limit in seconds for a file: TensorFlow needs seconds to start, and minutes to unroll a long recurrence."""


def read_keras(content: bytes, file: str) -> ModuleOp:
    """Import a file that Keras saved (.keras, .h5 or .hdf5).

    Raises `InputError` without TensorFlow, for a file that is damaged, too large or contains code (`keras_files`), and
    as `import_keras` does.
    """
    trusted, suffix = TRUST_PICKLE.get(), Path(file).suffix
    if suffix == ".keras":
        check_archive(content, file, trusted=trusted)
    elif not content.startswith(HDF5_MAGIC):
        raise InputError("not a file of Keras, which is HDF5", file=file)
    for package in ("keras", "tensorflow"):
        if find_spec(package) is None:
            raise _missing(file)
    words = file, suffix, str(trusted)
    return read_tflite(converted(to_tflite, content, *words, library="Keras", seconds=SECONDS, file=file), file)


def to_tflite(content: bytes, file: str, suffix: str, trusted: str) -> bytes:
    """Convert a Keras file with the suffix `suffix` to a TensorFlow Lite model. A child process calls this function."""
    keras = _imported("keras", file)
    trust = trusted == str(True)
    whole, version = suffix != ".keras", ""
    for piece in [content] if whole else weights_in(content, file):
        version = check_hdf5(piece, file, trusted=trust, network=whole)
    limit_variables(keras, file)
    with temporary_folder() as folder:
        copy = folder / f"model{suffix}"
        copy.write_bytes(content)
        try:
            with _older_layers(keras):
                model = keras.models.load_model(copy, compile=False, safe_mode=not trust)
        except (InputError, MemoryError):
            raise
        except Exception as error:
            cure = ""
            if version.startswith("2."):
                cure = f"it is of Keras {squeeze(version)}, which converts it to a .tflite file: "
            reason = _without_configurations(said(error, str(copy), file))
            raise InputError(f"Keras cannot load the model: {cure}{reason[:LONGEST]}", file=file) from error
    return _to_tflite(model, file)


def _without_configurations(message: str) -> str:
    before, _, after = message.partition(" using config=")
    _, _, cause = after.rpartition("Exception encountered: ")
    return f"{before}: {cause}" if after else message


def import_keras(model: Any, name: str) -> ModuleOp:
    """Import a Keras model in inference mode; the model itself is unchanged.

    name: the name of the file or of the class.

    Raises `InputError` for layers of QKeras and HGQ2, without TensorFlow, for a model whose input shapes are unknown,
    for a model that the converter rejects, and as `read_tflite` does.
    """
    for layer in getattr(model, "layers", ()):
        if message := ELSEWHERE.get(type(layer).__module__.partition(".")[0]):
            raise InputError(message, file=name)
    _imported("keras", name)
    return read_tflite(_to_tflite(model, name), name)


def _to_tflite(model: Any, name: str) -> bytes:
    tensorflow = import_module("tensorflow")
    inputs: Sequence[Any] = getattr(model, "inputs", None) or []
    if not inputs:
        raise InputError("expected a model with an input: an Input layer gives it one", file=name)
    for tensor in inputs:
        if None in (shape := tuple(tensor.shape)[1:]):
            spelled = ", ".join("None" if extent is None else str(extent) for extent in shape)
            raise InputError(f"the input has the shape ({spelled}): give Input a shape without None", file=name)
    with recurrent_operators(model, name) as recurrent, _unrolled(model):
        names = [
            numbered_name(number, tensor.name) if recurrent else tensor.name for number, tensor in enumerate(inputs)
        ]
        signature = [
            tensorflow.TensorSpec((1, *tensor.shape[1:]), tensor.dtype, name if len(inputs) > 1 else None)
            for name, tensor in zip(names, inputs, strict=True)
        ]
        try:
            answer = partial(_answer, model)
            if not recurrent:
                traced = tensorflow.function(answer).get_concrete_function(*signature)
                return tensorflow.lite.TFLiteConverter.from_concrete_functions([traced]).convert()
            # The converter keeps functions as operators only in a saved model, whose variables it does not make
            # constants.
            with constant_variables(model):
                traced = tensorflow.function(answer).get_concrete_function(*signature)
            converter = tensorflow.lite.TFLiteConverter.from_concrete_functions([traced], tensorflow.Module())
            converter.allow_custom_ops = True
            return converter.convert()
        except MemoryError:
            raise
        except Exception as error:
            raise InputError(
                f"Keras's converter does not take the model: {squeeze(str(error))[:LONGEST]}", file=name
            ) from error


def _answer(model: Any, *inputs: Any) -> Any:
    """The outputs of a model for `inputs`, which are passed in the nesting of the model's Input layers."""
    structure: object = model.input if len(inputs) > 1 else None
    if isinstance(structure, Mapping):
        layers = cast("Mapping[str, object]", structure)
        values = {id(layer): value for layer, value in zip(model.inputs, inputs, strict=True)}
        return model({name: values[id(layer)] for name, layer in layers.items()}, training=False)
    [*given] = inputs
    return model(given if len(given) > 1 else given[0], training=False)


def _imported(package: str, name: str) -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        module = import_module(package)
        import_module("tensorflow")
    except ImportError as error:
        raise _missing(name) from error
    for logger in ("absl", "tensorflow"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    return module


def _missing(name: str) -> InputError:
    return InputError(
        f"models of Keras are converted by TensorFlow: {install_command('keras')}, or convert it elsewhere "
        "and compile the .tflite file",
        file=name,
    )


@contextmanager
def _older_layers(keras: Any) -> Generator[None]:
    """A context in which Keras 3 loads layers that Keras 2 saved.

    Keras 2 stores a parameter `groups` of depthwise convolutions, which has no effect and which Keras 3 rejects.
    """
    kinds = [getattr(keras.layers, name) for name in ("DepthwiseConv2D", "DepthwiseConv1D")]
    before = [kind.__init__ for kind in kinds]

    def taking(construct: Any) -> Any:
        def initialise(self: Any, *arguments: Any, groups: int = 1, **named: Any) -> None:
            construct(self, *arguments, **named)

        return initialise

    for kind, construct in zip(kinds, before, strict=True):
        kind.__init__ = taking(construct)
    try:
        yield
    finally:
        for kind, construct in zip(kinds, before, strict=True):
            kind.__init__ = construct


@contextmanager
def _unrolled(model: Any) -> Generator[None]:
    layers = [layer for layer in model._flatten_layers() if getattr(layer, "unroll", True) is False]
    for layer in layers:
        layer.unroll = True
    try:
        yield
    finally:
        for layer in layers:
            layer.unroll = False


LONGEST = 300
"""Maximum characters quoted from another package's message."""
