"""The request for the weights of a model that was trained again, for a program that exists (`--weights-for`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.lowering.options import CompileOptions
from tinyml.tools.driver.output_folder import read_report
from tinyml.tools.driver.program_in_folder import stated_memory
from tinyml.tools.driver.request import Request


def as_in_folder(request: Request) -> Request:
    """The request with the board, the name and the options of the program in the folder `weights_for`.

    Raises `InputError` for a folder whose program has its weights in its code, and for an option of the request that
    contradicts the program.
    """
    folder = str(request.weights_for)
    report = read_report(Path(folder))
    if report.get("weights_at") is None:
        raise InputError("--weights-for: compile this program with --weights-at first", file=folder)
    names = {option.name for option in options_of(CompileOptions)} - {"weights_for", "functions", "memory"}
    options: dict[str, Any] = {name: report[name] for name in names & report.keys()}
    options["memory"] = stated_memory(report)
    if options.get("classes") is not None:
        options["classes"] = tuple(options["classes"])
    options |= {"target": report["target"], "optimize": report["optimize"].removeprefix("-"), "name": report["name"]}
    for declared in options_of(Request):
        given = getattr(request, declared.name)
        if declared.name in options and given not in (declared.default, options[declared.name]):
            raise InputError(
                f"{declared.flags[-1]}: the program of --weights-for has other options: leave out this one",
                file=folder,
            )
    return replace(request, **options, flash_size=None, ram_size=None)
