"""Classes of tensors that share one format, in a program on reals.

Tensors that share bits are one class: an iter_arg of a loop in all its forms, the operands and results of ops that only
move data. A format is chosen for a class as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from tinyml.dialects import tdsl
from tinyml.transforms.formats.assignment.profiled_ranges import joint_range, result_profiles
from tinyml.transforms.formats.assignment.tensor_uses import are_collected, are_scalars, readers


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
        """The ops that use the numbers of members (`tensor_uses.readers`)."""
        return list(readers(self.members))

    @cached_property
    def are_scalars(self) -> bool:
        """True for single elements that live in registers (`tensor_uses.are_scalars`)."""
        return are_scalars(self.members)

    @cached_property
    def are_collected(self) -> bool:
        """True for single numbers that a loop collects (`tensor_uses.are_collected`)."""
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
