"""Classes of tensors that have one format, in a program on reals, and the program with formats for the classes.

Tensors whose bits one op moves unchanged are one class. For example, a class may contain an iter_arg of a loop with its
initial value, its yielded value and its result, or the operands and results of ops that only move data. A format is
chosen for a whole class (`FormatChoice`), according to the range of the class and the uses of its members.

Retyping assigns formats to tensors, raws to constants, and a scheme to functions. All operands of an op have formats of
one family: the family of the program's constants. A tensor of another family is computed in a wide format of the
program's own family and cast to its storage format. Ops that compute with the tensor cast it back. These casts are
fused into the elementwise ops around them. If the tensor is an operand of a product, it is cast into a separate buffer,
in memory that is mostly free at that point.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import TypeVar, cast

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.disjoint_set import DisjointSet

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import received
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.formats.assignment.known_ranges import KnownRange, known_ranges
from tinyml.transforms.ir.copies import copied

P = TypeVar("P", func.FuncOp, ModuleOp)


def joint_range(
    function: func.FuncOp, members: Sequence[SSAValue], known: Mapping[SSAValue, KnownRange]
) -> tuple[float, float]:
    """The least and the greatest value that the profiles and the known ranges of several tensors contain. Raises
    `InputError` if there is no profile.

    known: the known ranges of the function's tensors.
    """
    bounds = [pair for value in members for pair in _ranges(function, value)]
    if not bounds:
        raise InputError(f"%{members[0].name_hint or '?'} has no profile: run the profile pass first")
    bounds += [known[value].interval for value in members if value in known]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _ranges(function: func.FuncOp, value: SSAValue) -> Iterator[tuple[float, float]]:
    """Yield (least, greatest) of each range of a value that the interface declares or a profile records."""
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
    for profile in tdsl.result_profiles(value):
        yield profile.low.data, profile.high.data


def readers(members: Sequence[SSAValue]) -> Iterator[Operation]:
    """Yield the ops that compute with the tensors of a class. Ops that only move bits within the class are omitted."""
    for value in members:
        for use in value.uses:
            op = use.operation
            if not (isinstance(op, tdsl.TensorOp) and op.MOVES_BITS and op.out in members):
                yield op


def are_scalars(members: Sequence[SSAValue]) -> bool:
    """Whether the tensors of a class are single elements that stay in registers from their definition to their uses.

    False for arguments and results of the function and for iter_args of loops, which are stored in memory.
    """
    return all(
        prod(tdsl.shape_of(value)) == 1
        and not isinstance(value, BlockArgument)
        and not any(isinstance(use.operation, func.ReturnOp | scf.YieldOp | scf.ForOp) for use in value.uses)
        for value in members
    )


def are_collected(members: Sequence[SSAValue]) -> bool:
    """Whether the tensors of a class are single numbers and a vector into which a loop inserts these numbers."""
    computed = [value for value in members if isinstance(value.owner, tdsl.TensorOp) and not value.owner.MOVES_BITS]
    return any(isinstance(value.owner, tensor.EmptyOp) for value in members) and all(
        prod(tdsl.shape_of(value)) == 1 for value in computed
    )


def is_scalar_op(op: Operation) -> bool:
    return not any(isinstance(result.type, TensorType) and prod(tdsl.shape_of(result)) > 1 for result in op.results)


@dataclass(frozen=True, eq=False)
class TensorClass:
    """Tensors that have one format, in program order.

    name: the first name of a member in the source or, without one, the name of the first member's op; equal names are
        numbered.
    range: the least and the greatest declared, profiled or known value of all members.
    known: the known ranges of computed members, if each of them has a known range; empty otherwise.
    """

    name: str
    members: Sequence[SSAValue]
    range: tuple[float, float]
    known: Sequence[KnownRange] = ()

    @cached_property
    def known_range(self) -> tuple[float, float]:
        """The least and the greatest value that a tensor of the class can have for any input, by the known ranges. The
        class must have known ranges.
        """
        return min(each.interval[0] for each in self.known), max(each.interval[1] for each in self.known)

    @cached_property
    def forests(self) -> Sequence[tdsl.ForestOp]:
        """The forests whose sums are the tensors of the class. Empty if the class has any other tensors."""
        if not all(each.forests for each in self.known):
            return ()
        return tuple(dict.fromkeys(forest for each in self.known for forest in each.forests))

    @cached_property
    def elements(self) -> int:
        """The number of elements of the largest tensor of the class."""
        return max(_elements(value) for value in self.members)

    @cached_property
    def is_constant(self) -> bool:
        """Whether all tensors of the class are constants or parts of constants."""
        return all(tdsl.constant_root(value) is not None for value in self.members)

    @cached_property
    def is_condition(self) -> bool:
        """Whether an op tests which elements of a tensor of the class are positive."""
        uses = ((value, use.operation) for value in self.members for use in value.uses)
        return any(isinstance(op, tdsl.TensorOp) and op.compares(value) for value, op in uses)

    def admits(self, prototype: NumberFormat) -> bool:
        """Whether a search may choose formats of the family of `prototype` for the class.

        Some families are only for constants of many elements (`CONSTANTS_FROM`). A condition requires a format that
        represents 0, because other formats represent the elements that a mask drops by positive numbers.
        """
        least = prototype.CONSTANTS_FROM
        if least is not None and not (self.is_constant and self.elements >= least):
            return False
        return not (self.is_condition and prototype.decode(prototype.encode(np.zeros((1, 1)))).any())

    @cached_property
    def roots(self) -> Sequence[tdsl.ConstOp]:
        """The constants that are tensors of the class, or whose parts are."""
        return list(dict.fromkeys(root for value in self.members if (root := tdsl.constant_root(value)) is not None))

    @cached_property
    def numbers(self) -> NumberFormat | None:
        """The synthesised format (`tdsl.numbers`) that is recorded on the only root of the class. None if there are
        several roots or no such format.
        """
        return number_format(self.roots[0].attributes.get(tdsl.NUMBERS)) if len(self.roots) == 1 else None

    @cached_property
    def is_only_compared(self) -> bool:
        """Whether only comparisons of forests read the class. Forests accept features in formats of any family."""
        return not self.is_constant and all(map(tdsl.is_only_compared, self.members))

    @cached_property
    def readers(self) -> Sequence[Operation]:
        """The ops that compute with tensors of the class, as the function `readers` of this module yields them."""
        return list(readers(self.members))

    @cached_property
    def functions(self) -> Sequence[tdsl.FunctionOp]:
        """The readers that are functions."""
        return [reader for reader in self.readers if isinstance(reader, tdsl.FunctionOp)]

    @cached_property
    def sums(self) -> Sequence[tuple[tuple[SSAValue, SSAValue], SSAValue]]:
        """For each addition that reads a tensor of the class, the pair of addends and the sum.

        Empty unless every reader is an addition or an op that only moves elements within the class.
        """
        users = {use.operation for value in self.members for use in value.uses}
        reading = [user for user in users if isinstance(user, tdsl.TensorOp)]
        sums = [(user.addends, user.out) for user in reading if user.addends is not None]
        moves = [user for user in reading if user.out in self.members]
        return sums if len(sums) + len(moves) >= len(users) else ()

    @cached_property
    def are_scalars(self) -> bool:
        """Whether the tensors of the class are single elements that stay in registers."""
        return are_scalars(self.members)

    @cached_property
    def are_collected(self) -> bool:
        """Whether the tensors of the class are single numbers and the vector in which a loop collects them."""
        return are_collected(self.members)

    def profiles(self) -> Iterator[tdsl.Profile]:
        """Yield the profiles of those tensors of the class that are single numbers computed by ops."""
        for value in self.members:
            if _elements(value) == 1:
                yield from tdsl.result_profiles(value)


def tensor_classes(function: func.FuncOp) -> list[TensorClass]:
    """The classes of a profiled function in the order of their first members. If some tensors already have formats,
    only classes of reals.

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
    known = known_ranges(function)
    return [
        TensorClass(name, values, joint_range(function, values, known), _all_known(values, known))
        for name, values in zip(_names(classes), classes, strict=True)
    ]


def _all_known(members: Sequence[SSAValue], known: Mapping[SSAValue, KnownRange]) -> Sequence[KnownRange]:
    return [known[value] for value in members] if all(value in known for value in members) else ()


def tensor_values(function: func.FuncOp) -> Iterator[SSAValue]:
    """Yield all tensors of a function in program order. A clone of the function has the same order."""
    yield from (a for a in function.body.block.args if isinstance(a.type, TensorType))
    for op in function.body.walk():
        yield from (result for result in op.results if isinstance(result.type, TensorType))
        if isinstance(op, scf.ForOp):
            yield from (a for a in op.body.block.args if isinstance(a.type, TensorType))


def _elements(value: SSAValue) -> int:
    return prod(tdsl.shape_of(value))


def _names(classes: Sequence[Sequence[SSAValue]]) -> list[str]:
    """The name of each class: its first name hint or, without a name hint, the name of its first op. Equal names
    are numbered.
    """
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
    """Yield groups of tensors that have the same bits, because an op only moves the bits or a loop carries them."""
    if isinstance(op, tdsl.TensorOp) and op.MOVES_BITS:
        yield [*op.inputs, op.out]
    if isinstance(op, scf.ForOp):
        yielded = cast(scf.YieldOp, op.body.block.last_op)
        for group in zip(op.iter_args, op.body.block.args[1:], yielded.operands, op.results, strict=True):
            if isinstance(group[0].type, TensorType):
                yield list(group)


@dataclass(frozen=True)
class FormatChoice:
    """The format requested for a class of tensors.

    prototype: any format of the required family and width.
    zoom: the scale suits a range 2^zoom times narrower than the profiled one, and values outside it saturate; a
        negative zoom widens the range.
    is_made: whether the prototype, with its parameters, was synthesised for this class. Sums of products may still
        narrow it.
    is_given: whether the prototype is a type that an option specifies. Each tensor of the class has exactly this type.
    """

    prototype: NumberFormat
    zoom: int = 0
    is_made: bool = False
    is_given: bool = False

    @property
    def candidates(self) -> Sequence[FormatChoice]:
        """The choices that a search may try for this one: only itself if its type is given, otherwise those of all
        widths of the family.
        """
        return [self] if self.is_given else [FormatChoice(format) for format in self.prototype.candidates]

    def format_for(self, low: float, high: float) -> NumberFormat:
        """The format for values whose profiled range is [low, high]. A synthesised or given prototype is returned as it
        is.
        """
        if self.is_made or self.is_given:
            return self.prototype
        format = self.prototype.for_range(math.ldexp(low, -self.zoom), math.ldexp(high, -self.zoom))
        return received(format, self.prototype.for_range)


def with_choice(choices: Sequence[FormatChoice], index: int, choice: FormatChoice) -> list[FormatChoice]:
    """A copy of `choices` in which one class of tensors has another choice."""
    return [*choices[:index], choice, *choices[index + 1 :]]


def _family_of(formats: Mapping[TensorClass, NumberFormat]) -> str:
    """The family in which a program computes: the family of most constants or, without constants, of most tensors.

    Of equally frequent families, it is the one that occurs last.
    """
    families = [format.FAMILY for tensors, format in formats.items() if tensors.is_constant]
    families = families or [format.FAMILY for format in formats.values()]
    counts = Counter(families)
    return max(reversed(families), key=lambda family: counts[family])


def compute_formats(formats: Mapping[TensorClass, NumberFormat]) -> dict[TensorClass, NumberFormat]:
    """For each class that is stored in a foreign family, the format in which it is computed. Classes that are only
    compared are omitted.

    A compute format has the program's most frequent type, at its greatest width. Raises `InputError` for a constant of
    a foreign family, which could be stored equally well in a format of the program's own family.
    """
    if not formats:
        return {}
    own_family = _family_of(formats)
    foreign = [
        tensors for tensors, format in formats.items() if own_family != format.FAMILY and not tensors.is_only_compared
    ]
    if not foreign:
        return {}
    own = [format for format in formats.values() if own_family == format.FAMILY]
    counts = Counter(type(format) for format in own)
    usual = max(own, key=lambda format: counts[type(format)])
    widest = max(usual.candidates, key=lambda format: format.bits)
    for tensors in foreign:
        if tensors.is_constant:
            raise InputError(
                f"the constant {tensors.name} in {formats[tensors].type} has no products with numbers in {usual.type}, "
                "in which the program computes"
            )
    return {tensors: widest.for_range(*tensors.range) for tensors in foreign}


def _insert_casts(value: SSAValue, compute_format: NumberFormat) -> SSAValue:
    """Insert a cast from `compute_format` to the stored format of a tensor after the op that computes it, and a cast
    back before each op that computes with it. Return the tensor in its stored format.
    """
    stored = value
    if isinstance(op := value.owner, tdsl.TensorOp) and _computes(op):
        element = tdsl.format_of(value).type
        computed = Rewriter.replace_value_with_new_type(value, TensorType(compute_format.type, tdsl.shape_of(value)))
        cast = tdsl.CastOp(computed, element)
        cast.out.name_hint = computed.name_hint
        computed.replace_all_uses_with(cast.out)
        cast.operands[0] = computed
        Rewriter.insert_op(cast, InsertPoint.after(op))
        stored = cast.out
    readers = [use for use in list(stored.uses) if _computes(use.operation)]
    for user in dict.fromkeys(use.operation for use in readers):
        back = tdsl.CastOp(stored, compute_format.type)
        back.out.name_hint = stored.name_hint
        Rewriter.insert_op(back, InsertPoint.before(user))
        for use in readers:
            if use.operation is user:
                user.operands[use.index] = back.out
    return stored


def _computes(op: Operation) -> bool:
    return isinstance(op, tdsl.TensorOp) and not op.MOVES_BITS and not isinstance(op, tdsl.CastOp)


def check_reals(function: func.FuncOp, *, mixed: bool = False) -> None:
    """Raise `InputError` for a function with buffers, and for a function whose tensors are not all reals.

    mixed: whether to permit tensors with formats, if casts separate them from the reals.
    """
    for op in function.walk():
        if any(isinstance(value.type, MemRefType) for value in (*op.operands, *op.results)):
            raise error_at(op, "assign-format expects tensors, not buffers")
        if mixed and isinstance(op, tdsl.TensorOp) and not isinstance(op, tdsl.CastOp):
            tensors = [value for value in (*op.inputs, op.out) if isinstance(value.type, TensorType)]
            if len({tdsl.is_real(value) for value in tensors}) > 1:
                raise error_at(op, f"'{op.name}' computes with f32 and another format: 'tdsl.cast' goes between them")
    others = [value for value in tensor_values(function) if not tdsl.is_real(value)]
    if others and not mixed:
        raise InputError(f"assign-format expects a program of f32 tensors, found {others[0].type}")


@lru_cache(1 << 12)
def _of_elements(type: TensorType[Attribute], element: Attribute) -> TensorType[Attribute]:
    return TensorType(element, type.get_shape(), type.encoding)


def retype(
    program: P,
    formats: Mapping[SSAValue, NumberFormat],
    constants: Mapping[SSAValue, tdsl.ConstOp],
    compute_formats: Mapping[SSAValue, NumberFormat],
    scheme: str | None,
) -> tuple[P, dict[SSAValue, SSAValue]]:
    """Copy a function, or the module around it, with formats for the tensors and a scheme for the functions. Return
    the copy and, for each tensor of `formats`, the corresponding tensor in the copy.

    constants: detached replacements of the function's constants.
    compute_formats: the formats of tensors whose compute format differs from their stored format.
    scheme: the scheme of exp, tanh and sigmoid; None for the default.
    """
    values: dict[SSAValue, SSAValue] = {}
    moving = {value: format for value, format in formats.items() if value not in constants}
    types = {
        value: _of_elements(cast("TensorType[Attribute]", value.type), format.type) for value, format in moving.items()
    }
    copy = copied(program, values, types, constants)
    retyped = {value: values[value] for value in formats}
    retyped |= {value: _insert_casts(values[value], format) for value, format in compute_formats.items()}
    [function] = [copy] if isinstance(copy, func.FuncOp) else defined_functions(copy)
    function.update_function_type()
    # From now on the type of the argument states its format.
    tdsl.update_input(function, format=None)
    last = cast(func.ReturnOp, function.body.block.last_op)
    assert tuple(function.function_type.outputs) == tuple(last.operand_types)
    for value in formats:
        if isinstance(op := values[value].owner, tdsl.FunctionOp):
            op.scheme = None if scheme is None else StringAttr(scheme)
    return copy, retyped
