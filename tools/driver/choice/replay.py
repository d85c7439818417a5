"""Command lines and pipelines that compile what was chosen: every decision of `auto` is an option."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects.options import options_of
from tinyml.lowering.options import CompileOptions, PipelineOptions

if TYPE_CHECKING:
    from tinyml.tools.driver.requests.request import Request


def chosen_request(request: Request, options: PipelineOptions) -> Request:
    """The request for what was chosen, which leaves nothing to decide."""
    values = asdict(options)
    return replace(request, loss=None, **{field.name: values[field.name] for field in fields(CompileOptions)})


def replay_command(request: Request) -> str:
    """The command line of a request that asks for a format."""
    from tinyml.tools.driver.requests.request import Request

    left_out = {"model", "out", "format"}
    given: dict[str, Any] = {"format": request.format}
    for declared in options_of(Request):
        value = getattr(request, declared.name)
        if declared.name not in left_out and (declared.required or value != declared.default):
            given[declared.name] = value
    limits = {name: value for name in ("ram", "flash") if (value := getattr(request, name)) is not None}
    return f"tinyml compile {shlex.quote(str(request.model))} {spelled_options({**given, **limits})} -o OUT"


def spelled_options(options: Mapping[str, Any]) -> str:
    """Options as on a command line; the usual format goes without saying."""
    parts: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        flag = f"--{name.replace('_', '-')}"
        parts.append(flag if value is True else f"{flag} {shlex.quote(str(value))}")
    return " ".join(parts)


def replay_pipeline(options: PipelineOptions) -> str:
    """The pipeline from the model to C, for `tinyml-opt MODEL --pass-pipeline`."""
    from tinyml.lowering.pipelines import pipeline

    made = pipeline("reals-to-c")
    taken = {field.name for field in fields(made)}
    values = {name: value for name, value in asdict(options).items() if name in taken and value is not None}
    return f"builtin.module({made(**values).pipeline_pass_spec()})"
