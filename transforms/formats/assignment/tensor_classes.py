"""The tensors of a program on reals, in classes that share one format.

Tensors that share bits (a loop's carried value, the operands and results of ops that only move data) are one class; a
format is chosen for the whole of it.
"""

from __future__ import annotations

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


@dataclass(frozen=True, eq=False)
class TensorClass:
    """Tensors of one format: `members` in program order. name: as the source calls the first that has a name there.

    range: the least and the greatest value that any of them is declared or profiled to have.
    """

    name: str
    members: Sequence[SSAValue]
    range: tuple[float, float]

    @cached_property
    def elements(self) -> int:
        """Of its largest tensor."""
        return max(_elements(value) for value in self.members)

    @cached_property
    def is_constant(self) -> bool:
        return all(tdsl.constant_root(value) is not None for value in self.members)

    def profiles(self) -> Iterator[tdsl.Profile]:
        """Of the members that are single numbers, results of ops, and have one."""
        for value in self.members:
            if _elements(value) == 1:
                yield from _profiles(value)


def tensor_classes(function: func.FuncOp) -> list[TensorClass]:
    """The classes of a profiled function, in the order of their first members.

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
    names = _names(list(members.values()))
    return [
        TensorClass(name, values, _range(function, values))
        for name, values in zip(names, members.values(), strict=True)
    ]


def tensor_values(function: func.FuncOp) -> Iterator[SSAValue]:
    """Every tensor of a function in program order, the same one at the same place in a clone."""
    yield from (a for a in function.body.block.args if isinstance(a.type, TensorType))
    for op in function.body.walk():
        yield from (result for result in op.results if isinstance(result.type, TensorType))
        if isinstance(op, scf.ForOp):
            yield from (a for a in op.body.block.args if isinstance(a.type, TensorType))


def _elements(value: SSAValue) -> int:
    from math import prod

    return prod(tdsl.shape_of(value))


def _names(classes: Sequence[Sequence[SSAValue]]) -> list[str]:
    """The first name hint of each class, or else the name of its first op; numbered where several would be equal."""
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
    """Groups of tensors that an op makes share their bits."""
    if isinstance(op, tdsl.TensorOp) and op.MOVES_BITS:
        yield [*op.inputs, op.out]
    if isinstance(op, scf.ForOp):
        yielded = cast(scf.YieldOp, op.body.block.last_op)
        for group in zip(op.iter_args, op.body.block.args[1:], yielded.operands, op.results, strict=True):
            if isinstance(group[0].type, TensorType):
                yield list(group)


def _range(function: func.FuncOp, members: Sequence[SSAValue]) -> tuple[float, float]:
    found = [bounds for value in members for bounds in _ranges(function, value)]
    if not found:
        raise InputError(f"%{members[0].name_hint or '?'} has no profile: run the profile pass first")
    return min(low for low, _ in found), max(high for _, high in found)


def _ranges(function: func.FuncOp, value: SSAValue) -> Iterator[tuple[float, float]]:
    """The declared and profiled ranges of a value."""
    if isinstance(value, BlockArgument):
        if value.block is not function.body.block or function.arg_attrs is None:
            return
        given = function.arg_attrs.data[value.index].data
        for name in (tdsl.RANGE, tdsl.PROFILE):
            if isinstance(found := given.get(name), tdsl.Range | tdsl.Profile):
                yield found.low.data, found.high.data
        return
    for profile in _profiles(value):
        yield profile.low.data, profile.high.data


def _profiles(value: SSAValue) -> Iterator[tdsl.Profile]:
    """The profile of an op's result, if it has one."""
    if not isinstance(value, OpResult):
        return
    profiles = value.op.attributes.get(tdsl.PROFILE)
    if isinstance(profiles, ArrayAttr):
        found = cast("ArrayAttr[Attribute]", profiles).data[value.index]
        if isinstance(found, tdsl.Profile):
            yield found


def readers(members: Sequence[SSAValue]) -> Iterator[Operation]:
    """The ops that use the numbers of tensors, other than to make another one of these tensors of their bits."""
    for value in members:
        for use in value.uses:
            op = use.operation
            if not (isinstance(op, tdsl.TensorOp) and op.MOVES_BITS and op.out in members):
                yield op


def are_scalars(members: Sequence[SSAValue]) -> bool:
    """Are tensors single elements that live in registers from the op that makes them to the ops that read them?

    What enters or leaves the function or is carried by a loop is stored.
    """
    return all(
        prod(tdsl.shape_of(value)) == 1
        and not isinstance(value, BlockArgument)
        and not any(isinstance(use.operation, func.ReturnOp | scf.YieldOp | scf.ForOp) for use in value.uses)
        for value in members
    )


def are_collected(members: Sequence[SSAValue]) -> bool:
    """Are tensors single numbers, and the vector in which a loop collects them for an op that reads them at once?"""
    computed = [value for value in members if isinstance(value.owner, tdsl.TensorOp) and not value.owner.MOVES_BITS]
    return any(isinstance(value.owner, tensor.EmptyOp) for value in members) and all(
        prod(tdsl.shape_of(value)) == 1 for value in computed
    )


def is_scalar_op(op: Operation) -> bool:
    """Does an op compute one number, index or truth value? Then wide operands cost next to nothing."""
    return not any(isinstance(result.type, TensorType) and prod(tdsl.shape_of(result)) > 1 for result in op.results)
