"""The passes that extensions and other packages add to the named pipelines, and the complete steps of a pipeline.

The name of a row states the place of its pass: `PASS.before.STEP.in.PIPELINE` or `PASS.after.STEP.in.PIPELINE`. With
`.if.OPTION` at the end, the step runs only if the option is set. The value of a row is the class of the pass. So that
tools find the pass by its name, a package also registers it in the group `xdsl.universe`.

STEP occurs once in the pipeline, or in the only one of its inner pipelines that has this step. The pass then becomes a
step of the inner pipeline. Steps at one place run in the order of their rows, those of other packages last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, NamedTuple

from xdsl.passes import ModulePass

from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import needs, part_of
from tinyml.dialects.own_rows import own_rows
from tinyml.dialects.plugins import STEPS as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.tables import Table
from tinyml.lowering.pipeline_steps import PIPELINES, If

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
    found = _NAME.fullmatch(row.name)
    if found is None:
        raise PluginError(f"{row}: expected a name PASS.before.STEP.in.PIPELINE or PASS.after.STEP.in.PIPELINE")
    return AddedStep(*found.groups())


def _check(row: Row) -> None:
    """Raise `PluginError` for a row of another package that names no place, no pass or an unknown option."""
    from tinyml.dialects.options import options_of
    from tinyml.lowering.options import PipelineOptions

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
    """The pass of a row. Raises `PluginError` for another pass than the name states, and for a pass of another package
    that cannot run without options.
    """
    added, step = row.load_class(ModulePass), added_step(row).step
    if added.name != step:
        raise PluginError(f"{row}: expected the pass '{step}', got '{added.name}'")
    if not row.is_ours and (missing := [one.name for one in fields(added) if _is_required(one)]):
        raise PluginError(f"{row}: the pass '{step}' cannot run without {', '.join(missing)}")
    return added


def _is_required(field: Field[Any]) -> bool:
    return field.init and field.default is MISSING and field.default_factory is MISSING


STEPS = Table(
    GROUP,
    "step",
    _loaded,
    home="tinyml",
    ours=own_rows("steps"),
    check=_check,
)


@cache
def steps_of(name: str) -> Sequence[str | If]:
    """The steps of a pipeline, including the steps that extensions and other packages add.

    The list contains a step of an extension that is not installed if the step depends on an option. Setting this option
    then raises an error.
    """
    steps, last_after = list(PIPELINES[name].steps), dict[str, str]()
    for row in _used():
        with row.left_out():
            _insert(row, name, steps, last_after)
    return steps


def _used() -> Iterator[Row]:
    """Yield the rows in their order, without unconditional steps of extensions that are not installed."""
    for row in STEPS.ours.values():
        if row.is_installed or added_step(row).condition is not None:
            yield row
    yield from STEPS.others()


def _insert(row: Row, pipeline: str, steps: list[str | If], last_after: dict[str, str]) -> None:
    """Insert the step of a row if the pipeline receives it. Raises `PluginError` for a pass that cannot be loaded, and
    unless the pipeline has exactly one step beside which the pass runs.

    last_after: for each step, the last pass that a row added after it.
    """
    added = added_step(row)
    if _receiver(added) != pipeline:
        return
    if not row.is_ours:
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


def pass_of(step: str | If) -> str:
    """The name of the pass or pipeline that a step runs."""
    return step.step if isinstance(step, If) else step


def _receiver(added: AddedStep) -> str:
    """The pipeline into which a step is inserted: the named pipeline or, if it lacks the step `beside`, the only one of
    its inner pipelines that has this step.

    If no inner pipeline or several of them have the step, the named pipeline is returned.
    """

    def has_step(pipeline: str) -> bool:
        if added.beside in map(pass_of, PIPELINES[pipeline].steps):
            return True
        ours = map(added_step, STEPS.ours.values())
        return any((one.pipeline, one.step) == (pipeline, added.beside) for one in ours)

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
    for row in STEPS.ours.values():
        condition = added_step(row).condition
        if condition is not None and is_set(options.get(condition)) and not row.is_installed:
            raise InputError(f"the option '--{condition.replace('_', '-')}' {needs(part_of(row.value))}")


def check_installed(step: If) -> None:
    """Raise `InputError` if a step is in an extension that is not installed."""
    for row in STEPS.ours.values():
        if added_step(row).step == step.step and not row.is_installed:
            raise InputError(f"the option '{step.condition}' {needs(part_of(row.value))}")
