"""The declared or profiled ranges of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError


def joint_range(function: func.FuncOp, members: Sequence[SSAValue]) -> tuple[float, float]:
    """The least and the greatest value of several tensors; raises `InputError` without a profile."""
    bounds = [pair for value in members for pair in _ranges(function, value)]
    if not bounds:
        raise InputError(f"%{members[0].name_hint or '?'} has no profile: run the profile pass first")
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _ranges(function: func.FuncOp, value: SSAValue) -> Iterator[tuple[float, float]]:
    """The declared and profiled ranges of a value."""
    if isinstance(value, BlockArgument):
        if value.block is not function.body.block or function.arg_attrs is None:
            return
        given = function.arg_attrs.data[value.index].data
        for name in (tdsl.RANGE, tdsl.PROFILE):
            if isinstance(declared := given.get(name), tdsl.Range | tdsl.Profile):
                yield declared.low.data, declared.high.data
        return
    for profile in result_profiles(value):
        yield profile.low.data, profile.high.data


def result_profiles(value: SSAValue) -> Iterator[tdsl.Profile]:
    """The profile of an op's result, if it has one."""
    if not isinstance(value, OpResult):
        return
    profiles = value.op.attributes.get(tdsl.PROFILE)
    if isinstance(profiles, ArrayAttr):
        profile = cast("ArrayAttr[Attribute]", profiles).data[value.index]
        if isinstance(profile, tdsl.Profile):
            yield profile
