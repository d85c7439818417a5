"""Import of Keras models by Keras's own converter to TensorFlow Lite, into memory (the extra `keras`).

The model stays in floats: number formats are chosen here. It takes one sample, so that no shape is left open, and its
recurrent layers are unrolled, as the converter has no other form of them that runs without TensorFlow.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.distribution import install_command
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite.importer import read_tflite


def read_keras(content: bytes, file: str) -> ModuleOp:
    """The program of a file that Keras saved (.keras or .h5).

    Raises `InputError` without TensorFlow, for a file that Keras cannot load, and as `import_keras` does.
    """
    keras = _imported("keras", file)
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        copy = Path(folder, f"model{Path(file).suffix}")
        copy.write_bytes(content)
        try:
            model = keras.models.load_model(copy, compile=False)
        except Exception as error:
            raise InputError(f"Keras cannot load the model: {_line(error)}", file=file) from error
    return import_keras(model, file)


def import_keras(model: Any, name: str) -> ModuleOp:
    """The program of a Keras model in inference mode; the model itself is unchanged.

    name: of the file, or of the class. Raises `InputError` without TensorFlow, for a model whose input is not one
    tensor of known shape, for one that the converter does not take, and as `read_tflite` does.
    """
    tensorflow = _imported("tensorflow", name)
    inputs: Sequence[Any] = getattr(model, "inputs", None) or []
    if len(inputs) != 1:
        raise InputError(f"expected a model with one input, got {len(inputs)}: an Input layer gives it one", file=name)
    shape: tuple[int | None, ...] = tuple(inputs[0].shape)[1:]
    if None in shape:
        spelled = ", ".join("None" if extent is None else str(extent) for extent in shape)
        raise InputError(f"the input has the shape ({spelled}): give Input a shape without None", file=name)
    with _unrolled(model):
        try:
            function = tensorflow.function(partial(model, training=False))
            traced = function.get_concrete_function(tensorflow.TensorSpec((1, *shape), inputs[0].dtype))
            content = tensorflow.lite.TFLiteConverter.from_concrete_functions([traced]).convert()
        except Exception as error:
            raise InputError(f"Keras's converter does not take the model: {_line(error)}", file=name) from error
    return read_tflite(content, name)


def _imported(package: str, name: str) -> Any:
    """A package of the extra, whose messages about the computer are left out."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        module = import_module(package)
        import_module("tensorflow")
    except ImportError as error:
        raise InputError(
            f"models of Keras are converted by TensorFlow: {install_command('keras')}, or convert it elsewhere "
            "and compile the .tflite file",
            file=name,
        ) from error
    for logger in ("absl", "tensorflow"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    return module


@contextmanager
def _unrolled(model: Any) -> Generator[None]:
    """A context in which the recurrent layers of a model, at any depth, are unrolled."""
    layers = [layer for layer in model._flatten_layers() if getattr(layer, "unroll", True) is False]
    for layer in layers:
        layer.unroll = True
    try:
        yield
    finally:
        for layer in layers:
            layer.unroll = False


def _line(error: Exception) -> str:
    """The text of an error in one line of bounded length."""
    text = " ".join(str(error).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


LONGEST = 300
"""The characters of a message of another package."""
