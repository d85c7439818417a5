"""The page docs/passes.md, generated from the registry: every pass by level, and every pipeline with its steps."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import MISSING, Field, fields
from typing import get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.hints import type_repr

from tinyml.dialects.context import own_passes
from tinyml.dialects.options import options_of
from tinyml.lowering.added_steps import steps_of
from tinyml.lowering.options import PipelineOptions
from tinyml.lowering.pipeline_steps import PIPELINES, If

HEAD = """\
# Passes

Generated from the registry by `pytest --update-docs tests/unit/tools/reports/test_pass_reference.py`; do not edit.
`tinyml-opt FILE -p 'NAME{option=value}'` runs any pass or pipeline listed on this page. The words of an option may be
joined by `-` or `_`.
"""

HEADINGS = {
    "transforms": "Any level",
    "transforms.reals": "L0, reals",
    "transforms.search": "L0 to L1, searches for formats",
    "transforms.formats": "L1, formats",
    "lowering": "From one level to the next",
    "transforms.buffers": "L2, buffers",
    "transforms.loops": "L3, loops",
    "transforms.bits": "L4, bits",
    "transforms.rtl": "Hardware",
}
"""The headings of the packages that contain passes, in the order of the page."""


def pass_reference() -> str:
    """The text of the page."""
    passes = {name: make() for name, make in sorted(own_passes().items())}
    parts = [HEAD, "## Pipelines\n"]
    parts += [_section(name, passes[name], _steps(name)) for name in PIPELINES]
    for package, heading in HEADINGS.items():
        parts.append(f"## {heading}\n")
        own = [
            name for name, pass_type in passes.items() if pass_type.__module__.rpartition(".")[0] == f"tinyml.{package}"
        ]
        parts += [_section(name, passes[name], "") for name in own if name not in PIPELINES]
    others = [name for name, pass_type in passes.items() if not pass_type.__module__.startswith("tinyml.")]
    parts += ["## Passes of other packages\n"] if others else []
    parts += [_section(name, passes[name], "") for name in others]
    return "\n".join(parts)


def _section(name: str, pass_type: type[ModulePass], steps: str) -> str:
    text, _ = _described(pass_type)
    parts = [f"### {name}", _summary(pass_type), text, steps, _table(pass_type)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(pass_type: type[ModulePass]) -> str:
    """The first paragraph of the module docstring of a pass; empty for a pipeline, which shares its file with
    others.
    """
    if pass_type.name in PIPELINES:
        return ""
    first = inspect.cleandoc(sys.modules[pass_type.__module__].__doc__ or "").split("\n\n")[0]
    text = " ".join(first.removeprefix(f"`{pass_type.name}`: ").split())
    return text[:1].upper() + text[1:]


def _steps(name: str) -> str:
    def spelled(step: str | If) -> str:
        return f"`{step.step}` if `{step.condition}`" if isinstance(step, If) else f"`{step}`"

    return f"Steps: {', '.join(map(spelled, steps_of(name)))}."


def _table(pass_type: type[ModulePass]) -> str:
    hints = get_type_hints(pass_type)
    helps = option_helps(pass_type)
    rows = "".join(
        f"| `{field.name}` | {_type(hints[field.name])} | {_default(field)} | {helps[field.name]} |\n"
        for field in fields(pass_type)
    )
    return ("| option | type | default | meaning |\n|---|---|---|---|\n" + rows).rstrip() if rows else ""


def _type(type: object) -> str:
    return type_repr(type).replace("|", " or ")


def _default(field: Field[object]) -> str:
    if field.default is MISSING:
        return "required"
    return "" if field.default in (None, ()) else f"`{str(field.default).lower()}`"


def option_helps(pass_type: type[ModulePass]) -> dict[str, str]:
    """The help text of every option of a pass, from the option's declaration or from a docstring; empty for an option
    that neither describes.

    The docstring of the pass, or of one of its base classes, may contain `NAME: text.` or `NAME, NAME: text.`
    """
    said: dict[str, str] = {}
    for base in reversed(pass_type.__mro__):
        if issubclass(base, ModulePass) and base is not ModulePass:
            said |= _described(base)[1]
    declared = _pipeline_helps() if pass_type.name in PIPELINES else {}
    return {
        field.name: field.metadata.get("help") or declared.get(field.name) or said.get(field.name, "")
        for field in fields(pass_type)
    }


def _pipeline_helps() -> dict[str, str]:
    return {option.name: option.help for option in options_of(PipelineOptions)}


def _described(pass_type: type[ModulePass]) -> tuple[str, dict[str, str]]:
    names = "|".join(field.name for field in fields(pass_type)) or "(?!)"
    marker = re.compile(rf"(?<![\w`])((?:{names})(?:, (?:{names}))*): ")
    paragraphs: list[str] = []
    helps: dict[str, str] = {}
    for paragraph in inspect.cleandoc(pass_type.__doc__ or "").split("\n\n"):
        rest, *options = marker.split(" ".join(paragraph.split()))
        for listed, text in zip(options[::2], options[1::2], strict=True):
            help, raises, tail = text.partition(" Raises ")
            rest = f"{rest.rstrip()}{raises}{tail}"
            helps |= {name: _sentence(help) for name in listed.split(", ")}
        if rest.strip():
            paragraphs.append(rest.strip())
    return "\n\n".join(paragraphs), helps


def _sentence(text: str) -> str:
    return text.strip().removesuffix(".").removesuffix(";").replace("|", "\\|")
