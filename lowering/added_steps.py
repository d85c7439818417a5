"""The passes that other packages add to the named pipelines, and the complete steps of a pipeline.

The name of a row states the place of its pass: `PASS.before.STEP.in.PIPELINE` or `PASS.after.STEP.in.PIPELINE`. With
`.if.OPTION` at the end, the step runs only if the option is set. The value of a row is the class of the pass. So that
tools find the pass by its name, a package also registers it in the group `xdsl.universe`.

STEP occurs once in the pipeline, or in the only one of its inner pipelines that has this step. The pass then becomes a
step of the inner pipeline. Steps at one place run in the order of their rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, NamedTuple

from xdsl.passes import ModulePass

from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import CORE, needs, part_of
from tinyml.dialects.options import options_of
from tinyml.dialects.plugins import STEPS as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.tables import Table
from tinyml.lowering.options import PipelineOptions
from tinyml.lowering.pipeline_steps import PASS_FOLDERS, PIPELINES, If, OfChip, Step

_NAME = re.compile(r"([^.]+)\.(before|after)\.([^.]+)\.in\.([^.]+)(?:\.if\.([^.]+))?")


class AddedStep(NamedTuple):
    """The content of the name of a row.

    step: the name of the pass.
    side: `before` or `after`.
    beside: the step of the pipeline before or after which the pass runs.
    pipeline: the name of a row of `PIPELINES`.
    condition: the option that requests the step; None for a step that always runs.
    """

    step: str
    side: str
    beside: str
    pipeline: str
    condition: str | None


def added_step(row: Row) -> AddedStep:
    """The step that a row adds. Raises `PluginError` for a name that states no place."""
    match = _NAME.fullmatch(row.name)
    if match is None:
        raise PluginError(f"{row}: expected a name PASS.before.STEP.in.PIPELINE or PASS.after.STEP.in.PIPELINE")
    return AddedStep(*match.groups())


def _check(row: Row) -> None:
    added = added_step(row)
    if added.pipeline not in PIPELINES:
        raise PluginError(f"{row}: there is no pipeline '{added.pipeline}'")
    if added.step not in registry().all_passes:
        raise PluginError(f"{row}: there is no pass '{added.step}'")
    if added.step in PIPELINES:
        raise PluginError(f"{row}: '{added.step}' is a pipeline, and no pass")
    if added.condition not in (None, *(option.name for option in options_of(PipelineOptions))):
        raise PluginError(f"{row}: there is no option '{added.condition}'")


def _loaded(row: Row) -> type[ModulePass]:
    added, step = row.load_class(ModulePass), added_step(row).step
    if added.name != step:
        raise PluginError(f"{row}: expected the pass '{step}', got '{added.name}'")
    if missing := [option.name for option in fields(added) if _is_required(option)]:
        raise PluginError(f"{row}: the pass '{step}' cannot run without {', '.join(missing)}")
    return added


def _is_required(field: Field[Any]) -> bool:
    return field.init and field.default is MISSING and field.default_factory is MISSING


STEPS = Table(GROUP, "step", _loaded, check=_check)


@cache
def steps_of(name: str) -> Sequence[str | If]:
    """The steps of a pipeline, including the steps that other packages add, without the steps of chips that are not
    installed.

    The list contains a step of an extension that is not installed if the step depends on an option. Setting this option
    then raises an error.
    """
    steps, last_after = list[str | If](), dict[str, str]()
    for step in PIPELINES[name].steps:
        if not isinstance(step, OfChip):
            steps.append(step)
        elif step.step in registry().all_passes:
            steps.append(step.step)
    for row in STEPS.others():
        with row.left_out():
            _insert(row, name, steps, last_after)
    return steps


def _insert(row: Row, pipeline: str, steps: list[str | If], last_after: dict[str, str]) -> None:
    """Insert the step of a row if the pipeline receives it. Raises `PluginError` for a pass that cannot be loaded, and
    unless the pipeline has exactly one step beside which the pass runs.

    last_after: for each step, the last pass that a row added after it.
    """
    added = added_step(row)
    if _receiver(added) != pipeline:
        return
    STEPS.load(row)
    names = [pass_of(step) for step in steps]
    if (count := names.count(added.beside)) != 1:
        raise PluginError(f"{row}: '{pipeline}' has {count} steps '{added.beside}', expected one")
    if added.side == "before":
        at = names.index(added.beside)
    else:
        at = names.index(last_after.get(added.beside, added.beside), names.index(added.beside)) + 1
        last_after[added.beside] = added.step
    steps.insert(at, added.step if added.condition is None else If(added.condition, added.step))


def pass_of(step: Step) -> str:
    return step if isinstance(step, str) else step.step


def _receiver(added: AddedStep) -> str:
    """The pipeline into which a step is inserted: the named pipeline or, if it lacks the step `beside`, the only one of
    its inner pipelines that has this step.

    If no inner pipeline or several of them have the step, the named pipeline is returned.
    """

    def has_step(pipeline: str) -> bool:
        return added.beside in map(pass_of, PIPELINES[pipeline].steps)

    if has_step(added.pipeline):
        return added.pipeline
    inner = [step for step in map(pass_of, PIPELINES[added.pipeline].steps) if step in PIPELINES and has_step(step)]
    return inner[0] if len(inner) == 1 else added.pipeline


def is_set(value: object) -> bool:
    """Whether the value of an option makes a step's condition true: any value except None and False, and thus also the
    number 0.
    """
    return value is not None and value is not False


def check_parts(options: Mapping[str, Any]) -> None:
    """Raise `InputError` for an option whose step belongs to an extension that is not installed.

    options: some of `PipelineOptions` by name.
    """
    for pipeline in PIPELINES.values():
        for step in pipeline.steps:
            if isinstance(step, If) and is_set(options.get(step.condition)):
                _check_installed(step, f"--{step.condition.replace('_', '-')}")


def check_installed(step: If) -> None:
    _check_installed(step, step.condition)


def _check_installed(step: If, option: str) -> None:
    if step.step not in registry().all_passes:
        raise InputError(f"the option '{option}' {needs(part_of_pass(step.step))}")


def part_of_pass(name: str) -> str:
    """The extension that contains a pass of tinyml, installed or not: the file of a pass has the name of the pass."""
    stem = name.replace("-", "_")
    folders = ("", *(f"{level}." for level in PASS_FOLDERS))
    extensions = (part_of(f"tinyml.transforms.{folder}{stem}") for folder in folders)
    return next((extension for extension in extensions if extension != CORE), CORE)
