"""Compilation of models from Python, with data as arrays and options as keywords."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast, overload

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.interface import update_input
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.data import load_data
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.runtime.readers.protected_files import note_input, protect_inputs
from tinyml.targets.c.names import model_name
from tinyml.tools.api.arguments import Arguments, checked_values, python_terms, text
from tinyml.tools.api.data_files import Inputs, array_of, column_names, parts_of, write_data
from tinyml.tools.api.loading import Model, load, takes_example
from tinyml.tools.api.program import CompileWarning, Program
from tinyml.tools.cli.collection import collect_rarely
from tinyml.tools.cli.progress import SILENT
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.compile_request import compile_options, compile_request

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.dialects.options import Option
    from tinyml.tools.api.keywords import CompileKeywords
    from tinyml.tools.api.shared_programs import JoinedPrograms
    from tinyml.tools.driver.request import Request

PASSED_DIFFERENTLY = ("model", "val", "test", "out", "target", "packages", "zip")
"""Command-line options that Python passes differently: as another argument of `compile`, or to `Program.save`."""

DATA = {"val": ("X_val", "y_val"), "test": ("X_test", "y_test")}


@overload
def compile(model: list[Any], **options: Unpack[CompileKeywords]) -> JoinedPrograms: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def compile(
    model: object,
    X_val: object = None,
    y_val: object = None,
    *,
    board: str | None = None,
    X_test: object = None,
    y_test: object = None,
    raw: bool = False,
    verbose: bool = False,
    features: object = None,
    cutoff: float | None = None,
    window: int | None = None,
    **options: Unpack[CompileKeywords],
) -> Program: ...
def compile(
    model: object,
    X_val: object = None,
    y_val: object = None,
    *,
    board: str | None = None,
    X_test: object = None,
    y_test: object = None,
    raw: bool = False,
    verbose: bool = False,
    features: object = None,
    cutoff: float | None = None,
    window: int | None = None,
    **options: Unpack[CompileKeywords],
) -> Program | JoinedPrograms:
    """Compile a model for a board. Measure it if the board's compiler and simulator are installed.

    model: a `Model`, or any source that `load` accepts. For a module of PyTorch and a function of JAX, the first sample
        of X_val is the example.
    X_val: inputs (samples, ...) that determine the number formats: an array, a data frame, lists, or the path of an
        .npz file with `x` and optionally `y`. A model that already has number formats does not require X_val. A model
        with several inputs accepts a tuple or a list of arrays in the order of the inputs, or a dictionary by their
        names. Arrays contain real numbers, of any numeric type; integers are sensor readings only with input_unit.
    y_val: the class of each sample, or its target values, with which the accuracy is measured.
    board: the name of the board; an Arduino Uno by default.
    X_test, y_test: data for the measurement of accuracy, by default X_val and y_val.
    raw: true if X_val and X_test contain raws of the input, for a model that already has number formats; integers in an
        .npz file are always raws.
    verbose: true to show progress on standard error.
    features: for a wake-word model, its front end: `tinyml.features.MicroFrontend` for a .tflite or .json file of
        microWakeWord, `tinyml.features.LogMel` for the wake-word network of MLPerf Tiny.
    cutoff: the probability above which the wake word is detected, by default that of the .json file.
    window: the number of probabilities whose mean is compared with the cutoff, by default that of the .json file.
    options: the options of `tinyml compile`, with underscores in their names.

    A list of programs, or of models that need no data, becomes one C file with one arena.

    If the model stores the names of its training features, these names select the columns of a data frame, and other
    columns are an error. The columns of X_val name the features of a program without names. Nullable types are
    converted to the corresponding types without missing values.

    Arrays are written to a temporary .npz file, which is removed when the call returns. The IR of the program contains
    the profiles, so that its levels can be compiled further without the data. Issues a `CompileWarning` for each entry
    of the report's `warnings`. Raises `InputError` for bad input and for a model that does not fit the board, and
    `TypeError` for an unknown keyword and for an option value of the wrong type.
    """
    if isinstance(model, list):
        return _joined(cast("list[object]", model), board, {**options})
    values = checked_values("compile", options, compile_keywords(options))
    if (features, cutoff, window) != (None, None, None):
        model = imported("tinyml.tools.api.wake_words:wake_word_of")(model, features, cutoff, window)
    if board is not None:
        values["target"] = text("board", board)
    wishes = {"detector": values.get("false_alarms") is not None, "trust_pickle": bool(values.get("trust_pickle"))}
    program = load(model, example=first_of(model, X_val), **wishes)
    with python_terms({}):
        inputs = Inputs.of(program.module, raw, has_unit="input_unit" in values)
        module, inputs = _named(program, X_val, inputs)
    home = Path(tempfile.mkdtemp(prefix="tinyml-"))
    try:
        with temporary_folder() as temporary:
            arrays = {temporary / f"{name}.npz": arguments for name, arguments in DATA.items()}
            with python_terms(arrays):
                given = {"val": (X_val, y_val), "test": (X_test, y_test)}
                for (file, arguments), (name, (x, y)) in zip(arrays.items(), given.items(), strict=True):
                    if (data := _data_file(file, x, y, arguments, inputs)) is not None:
                        values[name] = data
                if "name" not in values and (name := _name_given(program)) is not None:
                    values["name"] = name
                values |= {"model": program.file or Path(program.name), "out": home / "program", "packages": ()}
                passed = {
                    file: arguments if given[name][1] is not None else arguments[:1]
                    for (file, arguments), name in zip(arrays.items(), given, strict=True)
                    if values.get(name) == file
                }
                made = copy_context().run(_compiled, values, module, passed, not verbose)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    weakref.finalize(made, shutil.rmtree, home, ignore_errors=True)
    for warning in made.report.warnings:
        warnings.warn(f"{warning['text']}; {warning['cure']}", CompileWarning, stacklevel=2)
    return made


def _joined(models: Sequence[object], board: str | None, options: dict[str, Any]) -> JoinedPrograms:
    """Programs that share RAM and equal constants.

    models: programs of `compile`, or models that need no data.
    board, options: for the compilation of the models. The option `name` is the name of the common C file.

    Raises `InputError` for fewer than two models, and as `join_programs` does.
    """
    join = imported("tinyml.tools.api.shared_programs:joined_programs")
    name = options.pop("name", None)
    if len(models) < 2:
        raise InputError(f"expected a model, or a list of two or more, got a list of {len(models)}")
    programs = [model if isinstance(model, Program) else compile(model, board=board, **options) for model in models]
    return join(programs, name)


def compile_keywords(given: Iterable[str] | None = None) -> list[Option]:
    """The options that `compile` accepts as keyword arguments.

    given: as in `compile_options`.
    """
    return [option for option in compile_options(given) if option.name not in PASSED_DIFFERENTLY]


def first_of(model: object, x: object = None) -> object:
    """The first input sample, for a module of PyTorch or a function of JAX.

    None for other models and if there are no inputs.

    x: inputs, as X_val of `compile`.

    Raises `InputError` for inputs that are not numbers.
    """
    if x is None or not takes_example(model):
        return None
    with python_terms({}):
        if isinstance(x, str | os.PathLike):
            x = load_data(os.fspath(cast("str | os.PathLike[str]", x))).x
        parts = parts_of(x)
        if isinstance(parts, Mapping):
            parts = [parts[name] for name in _in_order_of(model, parts)]
        arrays = [x] if parts is None else parts
        firsts = [array_of(each, "X_val")[:1] for each in arrays]
        for first in firsts:
            if first.dtype.kind not in "fiub":
                raise InputError(f"expected numbers, got {first.dtype}", file="X_val")
        examples = [first.astype(np.float32) for first in firsts]
        return examples[0] if parts is None else (*examples,)


def _in_order_of(model: object, names: Iterable[str]) -> Sequence[str]:
    try:
        known = signature(getattr(model, "forward", cast("Callable[..., Any]", model))).parameters
    except (TypeError, ValueError):
        return [*names]
    given = [*names]
    return [name for name in known if name in given] if all(name in known for name in given) else given


def _name_given(program: Model) -> str | None:
    """A C identifier for the name that the caller passed for an in-memory model.

    None for a model from a file, and if the name is the program's own.
    """
    own = predict_function(program.module).sym_name.data
    return None if program.file is not None or program.name == own else model_name(program.name)


def _named(program: Model, x: object, inputs: Inputs) -> tuple[ModuleOp, Inputs]:
    names = column_names(x)
    if inputs.names is not None or names is None or len(names) != program.features:
        return program.module, inputs
    module = program.module.clone()
    update_input(module, names=tuple(names))
    return module, replace(inputs, names=names)


def _data_file(file: Path, x: object, y: object, arguments: Arguments, inputs: Inputs) -> Path | None:
    """The data file for the compilation: the user's file, or a new file that contains the arrays; None without data.

    Raises `InputError` for y without inputs, and for y in addition to a file.
    """
    x_label, y_label = arguments
    if x is None:
        if y is not None:
            raise InputError(f"{y_label} needs {x_label}")
        return None
    if isinstance(x, str | os.PathLike):
        if y is not None:
            raise InputError(f"{x_label} is a file, which contains `y`: omit {y_label}")
        return Path(cast("str | os.PathLike[str]", x))
    return write_data(file, x, y, arguments, inputs)


def _compiled(values: Mapping[str, Any], module: Any, arrays: Mapping[Path, Sequence[str]], silent: bool) -> Program:
    """Compile as the command `tinyml compile` does, and return the program.

    The caller must run this function in a copy of the context, because the function sets context variables and does not
    reset them.

    values: the values of the options by name.
    module, arrays: as in `Request`.
    silent: true to show no progress.
    """
    SILENT.set(silent)
    protect_inputs(False)
    request: Request = replace(compile_request(values), module=module, arrays=arrays)
    journal = None if request.search is None else request.search.options.get("journal")
    for file in request.inputs:
        if str(file) != journal:
            note_input(file)
    usual = gc.get_threshold()
    collect_rarely()
    try:
        compile_model(request)
        return Program(request.out, request.inputs)
    finally:
        gc.set_threshold(*usual)
