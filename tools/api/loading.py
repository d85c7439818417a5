"""Loading of trained models, from files and from objects in memory, such as estimators, PyTorch modules and Keras
models.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.interface import read_input, read_interface
from tinyml.lowering.frontends.importers import is_function, reading
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.tools.api.arguments import python_terms
from tinyml.tools.cli.user_errors import invalid
from tinyml.tools.driver.stages import load_program

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

EXPECTED = (
    "expected the path of a model (.onnx, .tflite, .keras, .sd, .mlir), an estimator or a pipeline of scikit-learn, a "
    "model of Keras, a torch.nn.Module or a function of JAX with example=..., or an onnx.ModelProto"
)


UNSPECIFIC = ("Functional", "Model", "Sequential", "GraphModule", "ExportedProgram")
"""Classes of Keras and PyTorch whose names say nothing about a model."""

TORCH = {"torch.Module", "torch.ExportedProgram"}
"""The classes of PyTorch's modules and exported programs."""


def class_labels(module: ModuleOp) -> list[str | int] | None:
    """A copy of the labels of a program's classes in order; None without labels."""
    classes = read_interface(module).classes
    return None if classes is None else [*classes]


def feature_names(module: ModuleOp) -> list[str] | None:
    """A copy of the names of a program's features in order; None without names."""
    names = read_input(module).names
    return None if names is None else [*names]


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model as a program on tensors. `load` creates it.

    name: the name of the file without its suffix, or the name of an in-memory object's program. `compile` derives the
        names of the C files and functions from it, unless its argument `name` is set.
    module: the program, on reals unless the model is quantised; compilation works on a copy.
    file: the source file; None for an object in memory.
    estimator: the scikit-learn object that was loaded; None for any other source.
    """

    name: str
    module: ModuleOp
    file: Path | None = None
    estimator: object = None

    @cached_property
    def classes(self) -> list[str | int] | None:
        """The labels of the classes in order; None for a model without labels, which has class indices."""
        return class_labels(self.module)

    @cached_property
    def feature_names(self) -> list[str] | None:
        """The names of the features in order, if the model was trained on a data frame; otherwise None."""
        return feature_names(self.module)

    @property
    def features(self) -> int:
        """The number of values in one input sample."""
        return prod(tdsl.shape_of(predict_function(self.module).body.block.args[0]))

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        return f"<tinyml.Model {self.name!r}: {self.features} values per sample{classes}>"


def load(source: object, *, example: object = None, detector: bool = False, trust_pickle: bool = False) -> Model:
    """Load a trained model.

    source: the path of a file that a frontend reads, an estimator or a pipeline of scikit-learn, XGBoost or LightGBM, a
        `Booster` of XGBoost or LightGBM, a model of CatBoost or Keras, a `torch.nn.Module` or an exported program of
        PyTorch, a function of JAX, or an `onnx.ModelProto`.
    example: an input of a module of PyTorch or of a function of JAX: a tensor or an array with a sample axis, or a
        tuple with one such array per input.
    detector: true to load a k-means or a PCA as an anomaly detector. Its score is the negative squared distance to the
        nearest centre, or the negative squared reconstruction error.
    trust_pickle: true for .pkl and .joblib files from a trusted source; unpickling runs the code in the file.

    Raises `InputError` for an object of any other kind, for an `example` with a source that needs none, for a file that
    cannot be read, and for a model with unsupported parts.
    """
    if isinstance(source, Model):
        return source if source.estimator is None or not detector else load(source.estimator, detector=True)
    with python_terms({}), reading(detector=detector, trust_pickle=trust_pickle):
        if isinstance(source, str | os.PathLike):
            return _from_file(Path(cast("str | os.PathLike[str]", source)))
        kinds = _kinds(source)
        packages = {kind.partition(".")[0] for kind in kinds}
        name = name_of(source)
        if "xdsl.ModuleOp" in kinds:
            return of_object(_verified(source))
        if kinds & TORCH:
            return of_object(_import("torch")("import_torch", source, example, name))
        if is_function(source):
            return of_object(_import("jax")("import_jax", source, example))
        if example is not None:
            raise InputError("example is for modules of PyTorch and functions of JAX", file=name)
        if "keras.Model" in kinds:
            return of_object(_import("keras")("import_keras", source, name))
        if "onnx.ModelProto" in kinds:
            content: bytes = getattr(source, "SerializeToString")()  # noqa: B009
            return of_object(_import("onnx.importer")("read_onnx", content, name))
        if kinds & {"xgboost.Booster", "lightgbm.Booster", "catboost.CatBoost"}:
            return of_object(_import("boosted.objects")("import_booster", source, name))
        if packages & {"sklearn", "xgboost", "lightgbm"}:
            return of_object(_import("sklearn.importer")("import_estimator", source), source)
    raise InputError(f"{EXPECTED}, got an object of the class {type(source).__name__}")


def of_object(module: ModuleOp, estimator: object = None) -> Model:
    """The model of an in-memory object; its name is the name of the program."""
    return Model(predict_function(module).sym_name.data, module, estimator=estimator)


def name_of(source: object) -> str:
    """The name of the program of an object: that of its class or, for classes of the libraries, the name that the user
    gave to the model, or `model`.

    Keras derives the default name of a model from its class and numbers it, as in `functional_1`.
    """
    name = type(source).__name__
    if name not in UNSPECIFIC:
        return name
    given = getattr(source, "name", None)
    is_default = not isinstance(given, str) or re.fullmatch(rf"{name}(_\d+)?", given, re.IGNORECASE) is not None
    return "model" if is_default else str(given)


def takes_example(source: object) -> bool:
    """Whether a source is a PyTorch module or a JAX function, whose import requires an input of the right shape."""
    return bool(_kinds(source) & TORCH) or is_function(source)


def _kinds(source: object) -> set[str]:
    return {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(source).__mro__}


def _import(module: str) -> Callable[..., ModuleOp]:
    """A function that imports a frontend module when it is called, calls a function of this module, and returns the
    result.

    The first argument of the returned function is the name of the function to call; the other arguments are passed to
    it.

    module: the name of the module below `lowering/frontends`.
    """

    def call(name: str, *arguments: Any) -> ModuleOp:
        return getattr(import_module(f"tinyml.lowering.frontends.{module}"), name)(*arguments)

    return call


def _from_file(path: Path) -> Model:
    return Model(path.stem, load_program(path, context()), path)


def _verified(source: Any) -> ModuleOp:
    try:
        source.verify()
    except VerifyException as error:
        raise invalid(source, error, "module") from error
    return source.clone()
