"""Command lines and pipelines that reproduce a choice. Every decision of `auto` is an option."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, cast

from tinyml.dialects.options import options_of
from tinyml.lowering.options import CompileOptions, PipelineOptions
from tinyml.lowering.pipelines import pipeline
from tinyml.tools.driver.request import Request

LIMITS = ("ram", "flash")


def chosen_request(request: Request, options: PipelineOptions) -> Request:
    """The request for the chosen program, which leaves no decision to `auto`."""
    values = asdict(options)
    decided = {"loss": None, "measure": False, "measured": None}
    return replace(request, **decided, **{field.name: values[field.name] for field in fields(CompileOptions)})


def replay_command(request: Request) -> str:
    """The command line of a request with an explicit format; for Python objects, the call of `tinyml.compile`."""
    if request.in_memory:
        return _replay_call(request)
    given = _given(request)
    limits = {name: given.pop(name) for name in LIMITS if name in given}
    return f"tinyml compile {shlex.quote(str(request.model))} {spelled_options({**given, **limits})} -o OUT"


def _replay_call(request: Request) -> str:
    given = _given(request)
    model = repr(str(request.model)) if request.model.is_file() else str(request.model)
    arguments = [model]
    for option in ("val", "test"):
        file = given.pop(option, None)
        if file is not None:
            names = request.arrays.get(file, ())
            # Arrays of the validation set come first, by position.
            by_name = [f"{name}={name}" for name in names] or [f"X_{option}={str(file)!r}"]
            arguments += names if option == "val" and names else by_name
    named = {"board" if name == "target" else name: value for name, value in given.items()}
    return f"tinyml.compile({', '.join([*arguments, *(f'{name}={value!r}' for name, value in named.items())])})"


def _given(request: Request) -> dict[str, Any]:
    # Packages are written from a program, whatever its options; preserved formats change no package.
    left_out = {"model", "out", "format", "packages", "zip", "cache"}
    given: dict[str, Any] = {"format": request.format}
    for declared in options_of(Request):
        value = getattr(request, declared.name)
        if declared.name not in left_out and (declared.required or value != declared.default):
            given[declared.name] = value
    return given | {name: value for name in LIMITS if (value := getattr(request, name)) is not None}


def spelled_options(options: Mapping[str, Any]) -> str:
    """Options in command-line syntax. Options whose value is None or False are omitted."""
    parts: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        flag = f"--{name.replace('_', '-')}"
        parts.append(flag if value is True else f"{flag} {shlex.quote(_text(value))}")
    return " ".join(parts)


def _text(value: object) -> str:
    return ",".join(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else str(value)


def replay_pipeline(request: Request, options: PipelineOptions) -> str:
    """The pipeline from the model to C, for `tinyml-opt MODEL --pass-pipeline`. Arrays appear as the files that would
    store them.
    """
    made = pipeline("reals-to-c")
    taken = {field.name for field in fields(made)}
    if request.val in request.arrays:
        options = replace(options, data=Path(options.data).name)
    values = {name: value for name, value in asdict(options).items() if name in taken and value is not None}
    return f"builtin.module({made(**values).pipeline_pass_spec()})"
