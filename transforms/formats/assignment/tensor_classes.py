"""Classes of tensors that share one format, in a program on reals.

Tensors that share bits are one class: an iter_arg of a loop in all its forms, the operands and results of ops that only
move data. A format is chosen for a class as a whole (`FormatChoice`), by its range and by the uses of its members.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import cast

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat


def joint_range(function: func.FuncOp, members: Sequence[SSAValue]) -> tuple[float, float]:
    """The least and the greatest value of several tensors; raises `InputError` without a profile."""
    bounds = [pair for value in members for pair in _ranges(function, value)]
    if not bounds:
        raise InputError(f"%{members[0].name_hint or '?'} has no profile: run the profile pass first")
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _ranges(function: func.FuncOp, value: SSAValue) -> Iterator[tuple[float, float]]:
    """The declared and profiled ranges of a value."""
    if isinstance(value, BlockArgument):
        if value.block is not function.body.block:
            return
        if (declared := tdsl.read_input(function).range) is not None:
            yield declared
        given = function.arg_attrs
        profile = None if given is None else given.data[value.index].data.get(tdsl.PROFILE)
        if isinstance(profile, tdsl.Profile):
            yield profile.low.data, profile.high.data
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


def readers(members: Sequence[SSAValue]) -> Iterator[Operation]:
    """Yield the ops that use the numbers of tensors, except those that only move bits from one of them to another."""
    for value in members:
        for use in value.uses:
            op = use.operation
            if not (isinstance(op, tdsl.TensorOp) and op.MOVES_BITS and op.out in members):
                yield op


def are_scalars(members: Sequence[SSAValue]) -> bool:
    """True for single elements that stay in registers from their definition to their uses.

    Arguments and results of the function and iter_args of loops are stored.
    """
    return all(
        prod(tdsl.shape_of(value)) == 1
        and not isinstance(value, BlockArgument)
        and not any(isinstance(use.operation, func.ReturnOp | scf.YieldOp | scf.ForOp) for use in value.uses)
        for value in members
    )


def are_collected(members: Sequence[SSAValue]) -> bool:
    """True for single numbers and the vector in which a loop collects them for an op that reads them at once."""
    computed = [value for value in members if isinstance(value.owner, tdsl.TensorOp) and not value.owner.MOVES_BITS]
    return any(isinstance(value.owner, tensor.EmptyOp) for value in members) and all(
        prod(tdsl.shape_of(value)) == 1 for value in computed
    )


def is_scalar_op(op: Operation) -> bool:
    """True for an op on a single number, index or truth value, for which wide operands cost almost nothing."""
    return not any(isinstance(result.type, TensorType) and prod(tdsl.shape_of(result)) > 1 for result in op.results)


@dataclass(frozen=True, eq=False)
class TensorClass:
    """Tensors of one format, in program order.

    name: of the first member with a name in the source. range: the least and the greatest declared or profiled value of
    all members.
    """

    name: str
    members: Sequence[SSAValue]
    range: tuple[float, float]

    @cached_property
    def elements(self) -> int:
        """The number of elements of the largest member."""
        return max(_elements(value) for value in self.members)

    @cached_property
    def is_constant(self) -> bool:
        """True if all members are constants or parts of constants."""
        return all(tdsl.constant_root(value) is not None for value in self.members)

    @cached_property
    def readers(self) -> Sequence[Operation]:
        """The ops that use the numbers of members (`readers` of this module)."""
        return list(readers(self.members))

    @cached_property
    def are_scalars(self) -> bool:
        """True for single elements that live in registers."""
        return are_scalars(self.members)

    @cached_property
    def are_collected(self) -> bool:
        """True for single numbers that a loop collects."""
        return are_collected(self.members)

    def profiles(self) -> Iterator[tdsl.Profile]:
        """Yield the profiles of members that are single numbers and results of ops."""
        for value in self.members:
            if _elements(value) == 1:
                yield from result_profiles(value)


def tensor_classes(function: func.FuncOp) -> list[TensorClass]:
    """The classes of a profiled function in order of their first members; only those on reals, if mixed.

    Raises `InputError` for a class without a profile.
    """
    sharing = DisjointSet(list(tensor_values(function)))
    for op in function.walk():
        for first, *others in _sharing(op):
            for value in others:
                sharing.union_left(first, value)
    members: dict[SSAValue, list[SSAValue]] = {}
    for value in tensor_values(function):
        members.setdefault(sharing.find(value), []).append(value)
    classes = [values for values in members.values() if tdsl.is_real(values[0])]
    return [
        TensorClass(name, values, joint_range(function, values))
        for name, values in zip(_names(classes), classes, strict=True)
    ]


def tensor_values(function: func.FuncOp) -> Iterator[SSAValue]:
    """Yield all tensors of a function in program order, which is the same for a clone."""
    yield from (a for a in function.body.block.args if isinstance(a.type, TensorType))
    for op in function.body.walk():
        yield from (result for result in op.results if isinstance(result.type, TensorType))
        if isinstance(op, scf.ForOp):
            yield from (a for a in op.body.block.args if isinstance(a.type, TensorType))


def _elements(value: SSAValue) -> int:
    return prod(tdsl.shape_of(value))


def _names(classes: Sequence[Sequence[SSAValue]]) -> list[str]:
    """The first name hint of each class, or else the name of its first op; equal names are numbered."""
    names: list[str] = []
    seen: Counter[str] = Counter()
    for members in classes:
        hint = next((value.name_hint for value in members if value.name_hint), None)
        owner = members[0].owner
        name = hint or (owner.name.split(".")[-1] if isinstance(owner, Operation) else "argument")
        names.append(f"{name}_{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return names


def _sharing(op: Operation) -> Iterator[list[SSAValue]]:
    """Yield the groups of tensors that share their bits because of an op."""
    if isinstance(op, tdsl.TensorOp) and op.MOVES_BITS:
        yield [*op.inputs, op.out]
    if isinstance(op, scf.ForOp):
        yielded = cast(scf.YieldOp, op.body.block.last_op)
        for group in zip(op.iter_args, op.body.block.args[1:], yielded.operands, op.results, strict=True):
            if isinstance(group[0].type, TensorType):
                yield list(group)


@dataclass(frozen=True)
class FormatChoice:
    """The choice for a class of tensors.

    prototype: any format of the required family and width. zoom: the scale suits a range 2^zoom times narrower than the
    profiled one, outside of which values saturate; a negative zoom widens the range.
    """

    prototype: NumberFormat
    zoom: int = 0

    def format_for(self, low: float, high: float) -> NumberFormat:
        """The format for values whose profiled range is [low, high]."""
        return self.prototype.for_range(math.ldexp(low, -self.zoom), math.ldexp(high, -self.zoom))


def with_choice(choices: Sequence[FormatChoice], index: int, choice: FormatChoice) -> list[FormatChoice]:
    """A copy of `choices` with the choice of one class of tensors replaced."""
    return [*choices[:index], choice, *choices[index + 1 :]]
