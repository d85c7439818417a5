"""The op `num.call`. One attribute defines the computation (the routine), another one selects the kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    BaseAttr,
    MessageConstraint,
    ParsePropInAttrDict,
    VerificationContext,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import INTEGER_CODING, element_format
from tinyml.dialects.num.base import SUM
from tinyml.dialects.num.kernels.kernel_attributes import (
    KERNEL,
    CodeKernelAttr,
    ComposedKernelAttr,
    KernelAttr,
    TileKernelAttr,
)
from tinyml.dialects.operations import DialectOp
from tinyml.dialects.scratch.types import memref_type, packed_bits

if TYPE_CHECKING:
    from tinyml.dialects.machine.emitter import Emitter

__all__ = [
    "CHANNEL_DOTS",
    "DOT_ROWS",
    "SPARSE_DOT",
    "CallOp",
    "LoopRoutineAttr",
    "RoutineAttr",
    "has_bytes",
    "is_of_bytes",
    "run_length",
]

DOT_ROWS, CHANNEL_DOTS, SPARSE_DOT = "num.dot_rows", "num.channel_dots", "num.sparse_dot"
"""The names of routines that chips list kernels for, and whose files only programs with calls of them import."""

MEMREF = BaseAttr[MemRefType[Attribute]](MemRefType)
"""The constraint on operands of a routine that are runs of memory."""


def run_length(*memrefs: SSAValue) -> int:
    """The common length of memrefs of rank 1, in elements. Raises `VerifyException` for other ranks or unequal
    lengths.
    """
    shapes = [memref_type(value).get_shape() for value in memrefs]
    if len(shapes[0]) != 1 or any(shape != shapes[0] for shape in shapes):
        raise VerifyException(f"needs runs of equal length, got shapes {' and '.join(map(str, shapes))}")
    return shapes[0][0]


def has_bytes(run: SSAValue, *, offset: bool = False) -> bool:
    """True if the elements of a run are integers of at most 8 bits, packed or not.

    offset: true if the format may have a zero point.
    """
    format = element_format(run.type)
    integers = format.without_offset()[0] if offset else format
    return integers.coding is INTEGER_CODING and integers.dtype.itemsize == 1


def is_of_bytes(run: SSAValue, *, offset: bool = False) -> bool:
    """True if the elements of a run are 8-bit integers, each in a separate byte.

    offset: true if the format may have a zero point.
    """
    return has_bytes(run, offset=offset) and packed_bits(memref_type(run)) is None


Arguments: TypeAlias = "Callable[[Emitter], Sequence[SSAValue]]"
"""A function that emits the arguments of a C function, in order. The caller casts memrefs to a dynamic length."""


class RoutineAttr(ParametrizedAttribute, ABC):
    """The computation of a call, independent of the kernel: a routine, in the sense of BLAS.

    A routine defines the operands of a call (`CallOp.arguments`) and their effects, the arguments of the C function,
    and the number of products, from which the cost model estimates the time. Operands that are runs are contiguous
    memory of rank 1.
    """

    OPERANDS: ClassVar[Sequence[AttrConstraint]]
    """The types of the operands."""

    ADDS: ClassVar[bool] = False
    """True if the result is the first operand, a sum, plus other numbers, and memory is only read. If false, there is
    no result, and the first operand is the memory that is written.
    """

    def constraints(self, count: int) -> Sequence[AttrConstraint]:
        """The constraints on the types of `count` operands."""
        return self.OPERANDS

    def takes(self, kernel: KernelAttr) -> bool:
        """True if the attribute of a kernel specifies that the kernel computes this routine."""
        if isinstance(kernel, ComposedKernelAttr):
            return kernel.op.data == self.name
        return not isinstance(kernel, TileKernelAttr | CodeKernelAttr)

    @abstractmethod
    def verify_call(self, call: CallOp) -> None:
        """Raise `VerifyException` unless the formats and extents of the operands of a call are valid.

        The caller has already checked the types of the operands against `constraints`.
        """

    def factors(self, call: CallOp) -> tuple[SSAValue, SSAValue]:
        """The operands that a kernel reads as weights and as vector; by default, the last two operands."""
        weights, vector = call.arguments[-2:]
        return weights, vector

    def length(self, call: CallOp) -> int:
        return run_length(self.factors(call)[1])

    def products(self, call: CallOp) -> int | None:
        return self.length(call)

    @property
    def function(self) -> str | None:
        """The name of the C function, if the routine itself specifies it and needs no kernel; None for other
        routines.
        """
        return None

    @property
    def declared(self) -> Mapping[str, Attribute]:
        """Additional attributes of the declaration of the C function, by name, such as the constants that the function
        embeds.
        """
        return {}

    @abstractmethod
    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        """The arguments of the C function. They depend on the current lengths and codings of the operands.

        segments: true if the kernel decodes with the tables of `Coding.segments`.
        """


class LoopBuilding(Protocol):
    """The interface through which a routine builds its loop. `LoopBuilder` implements it."""

    def index(self, value: int) -> SSAValue: ...
    def insert(self, op: Operation) -> SSAValue: ...
    def add(self, a: SSAValue, b: SSAValue) -> SSAValue: ...
    def times(self, a: SSAValue, factor: int) -> SSAValue: ...
    def unsigned(self, value: SSAValue) -> SSAValue: ...
    def load(self, source: SSAValue, indices: Sequence[SSAValue]) -> SSAValue: ...
    def store(self, value: SSAValue, target: SSAValue, indices: Sequence[SSAValue]) -> None: ...
    def over(self, shape: Sequence[int], body: Callable[[list[SSAValue]], None]) -> None: ...
    def fold(
        self,
        extent: SSAValue,
        initial: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]: ...
    def add_up(self, start: SSAValue, length: int, add: Callable[[SSAValue, SSAValue], SSAValue]) -> SSAValue: ...
    def sum_of_products(
        self, start: SSAValue, length: int, mac: Callable[[SSAValue, SSAValue], SSAValue]
    ) -> SSAValue: ...


class LoopRoutineAttr(RoutineAttr, ABC):
    """A routine that is expanded to a loop if the target has no kernel for it."""

    BY_BLOCKS: ClassVar[bool] = False
    """True if calls on successive parts of both runs are equivalent, each with the sum of the previous one."""

    @abstractmethod
    def expand(self, call: CallOp, loops: LoopBuilding) -> SSAValue | None:
        """Insert a loop that computes the routine. Return the value that replaces the result of the call, or None if
        the call has no result.
        """


ROUTINE = MessageConstraint(BaseAttr(RoutineAttr), "expected a routine, as in #num.dot")


class _CallEffects(MemoryEffect):
    """The effects of a call: it reads all memory operands, and writes the first operand unless its routine adds to a
    sum.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        assert isinstance(op, CallOp)
        runs = [value for value in op.arguments if isinstance(value.type, MemRefType)]
        effects = {EffectInstance(MemoryEffectKind.READ, run) for run in runs}
        return effects if op.routine.ADDS else effects | {EffectInstance(MemoryEffectKind.WRITE, op.arguments[0])}


@irdl_op_definition
class CallOp(DialectOp):
    """Call a routine on runs of memory. A pass chooses the kernel: the C function that computes the routine.

    A `num.call` without a kernel is expanded to a loop if its routine is a `LoopRoutineAttr`. Any other routine
    requires a kernel, or must itself specify a C function.
    """

    name = "num.call"
    routine = prop_def(ROUTINE)
    kernel = opt_prop_def(KERNEL)
    arguments = var_operand_def()
    outs = var_result_def(SUM)
    traits = traits_def(_CallEffects())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$routine `(` $arguments `)` (`by` $kernel^)? attr-dict `:` functional-type($arguments, $outs)"

    def __init__(self, routine: RoutineAttr, arguments: Sequence[SSAValue], kernel: KernelAttr | None = None):
        results = [arguments[0].type] if routine.ADDS else []
        super().__init__(
            operands=[arguments], properties={"routine": routine, "kernel": kernel}, result_types=[results]
        )

    @property
    def sum(self) -> SSAValue:
        return self.arguments[0]

    @property
    def result(self) -> SSAValue:
        """The result of the call. Only a call whose routine adds to a sum (`ADDS`) has a result."""
        [result] = self.outs
        return result

    @property
    def accumulator(self) -> Accumulator:
        """The accumulator of the sum, or of the sums in memory, that the call computes."""
        sum = self.sum
        type = memref_type(sum).element_type if isinstance(sum.type, MemRefType) else sum.type
        return cast(Accumulator, accumulator_of(type))

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        """The operand that the kernel reads as weights, and the operand that it reads as vector."""
        return self.routine.factors(self)

    @property
    def length(self) -> int:
        return self.routine.length(self)

    @property
    def products(self) -> int | None:
        return self.routine.products(self)

    def verify_(self) -> None:
        routine, kernel, given = self.routine, self.kernel, self.arguments.types
        constraints = routine.constraints(len(given))
        if len(given) != len(constraints):
            raise VerifyException(f"{routine.name} takes {len(constraints)} operands, got {len(given)}")
        if len(self.outs) != routine.ADDS:
            raise VerifyException(f"{routine.name} has {int(routine.ADDS)} results, got {len(self.outs)}")
        # A sum has one type.
        context = VerificationContext()
        types = [*given, *(result.type for result in self.outs)]
        for constraint, type in zip([*constraints, *constraints[: len(self.outs)]], types, strict=True):
            constraint.verify(type, context)
        if kernel is None and routine.function is None and not isinstance(routine, LoopRoutineAttr):
            raise VerifyException("needs a kernel")
        if kernel is not None and not routine.takes(kernel):
            raise VerifyException(f"{routine.name} cannot be computed by {kernel}")
        routine.verify_call(self)
