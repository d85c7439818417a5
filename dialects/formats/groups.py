"""Groups of elements of a tensor that share a power of two. The type of the tensor lists the powers of two.

All axes of the tensor from a given axis on are flattened in row-major order. The resulting vectors are called *runs*.
Each run is divided into groups of one length; its last group may be shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, IntAttr, IntegerType, NoneAttr, i8
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SHIFT = 62
"""The greatest power of two by which groups of one tensor may differ."""

MOST_BITS = 47
"""The maximum width of a number in units of the finest group: sums of thousands of products then fit in 64 bits."""


@irdl_attr_definition
class GroupsAttr(ParametrizedAttribute):
    """`length of run, [shift, ...]`: the length of groups and of runs, in elements, and the left shift of each group.

    The shifts are listed run by run. A run has ceil(run / length) groups.
    """

    name = "num.groups"
    length: IntAttr
    run: IntAttr
    shifts: DenseArrayBase[IntegerType]

    def __init__(self, length: int, run: int, shifts: Sequence[int]):
        super().__init__(IntAttr(length), IntAttr(run), DenseArrayBase.from_list(i8, shifts))

    @classmethod
    def parsed(cls, parser: AttrParser) -> GroupsAttr:
        """Parse the groups among the parameters of a type, and return them."""
        length = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_keyword("of")
        run = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(",")
        start = parser.pos
        shifts = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        if any(shift not in range(MOST_SHIFT + 1) for shift in shifts):
            parser.raise_error(f"shifts of groups lie in [0, {MOST_SHIFT}]", start, parser.pos)
        return cls(length, run, shifts)

    def __str__(self) -> str:
        return f"{self.length.data} of {self.run.data}, {list(self.shifts.get_values())}"

    def verify(self) -> None:
        if not 1 <= self.length.data <= self.run.data:
            raise VerifyException(f"groups have from 1 to {self.run.data} elements, got {self.length.data}")
        shifts = self.shifts.get_values()
        if not shifts or len(shifts) % self.each:
            raise VerifyException(f"runs have {self.each} groups, which do not share {len(shifts)} shifts evenly")
        if min(shifts) < 0 or max(shifts) > MOST_SHIFT:
            raise VerifyException(f"shifts of groups lie in [0, {MOST_SHIFT}], got {list(shifts)}")

    @property
    def each(self) -> int:
        """The number of groups per run."""
        return -(-self.run.data // self.length.data)

    @property
    def elements(self) -> int:
        """The number of elements of a tensor with these groups."""
        return len(self.shifts) // self.each * self.run.data

    @property
    def by_run(self) -> NDArray[np.int8]:
        """The shift of each group, as an array of shape (runs, groups)."""
        return np.array(self.shifts.get_values(), np.int8).reshape(-1, self.each)

    def of_elements(self, shape: Sequence[int]) -> NDArray[np.int64]:
        """The shift of each element of one or several stacked tensors, in row-major order, as an array of the shape
        `shape`.

        Raises `InputError` if `shape` does not consist of whole tensors.
        """
        count = prod(shape)
        if count % self.elements:
            shared = f"groups of {self.length.data} in runs of {self.run.data} divide {self.elements} elements"
            raise InputError(f"{shared}, got {count}")
        one = np.repeat(self.by_run.astype(np.int64), self.length.data, 1)[:, : self.run.data]
        return np.tile(one.reshape(-1), count // self.elements).reshape(tuple(shape))

    def raised(self, integers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The integers of the elements of one or several tensors, shifted left to the unit of the finest group.

        Raises `InputError` for results of more than `MOST_BITS` bits.
        """
        shifts = self.of_elements(integers.shape)
        bits = np.where(integers, np.frexp(np.abs(integers).astype(np.float64))[1] + shifts, 0)
        if (most := int(bits.max(initial=0))) > MOST_BITS:
            raise InputError(
                f"weights have groups 2^{max(self.shifts.get_values())} apart, whose numbers have {most} bits in one "
                f"unit, and sums of 64 bits have room for {MOST_BITS}: coarser scales of the least groups, or weights "
                "without groups, fit"
            )
        return integers << shifts

    def verify_shape(self, shape: Sequence[int]) -> None:
        """Raise `VerifyException` unless these groups divide a tensor of this shape into whole runs."""
        runs = {prod(shape[axis:]) for axis in range(len(shape))}
        if prod(shape) != self.elements or self.run.data not in runs:
            dimensions = "x".join(map(str, shape))
            raise VerifyException(
                f"a tensor of shape {dimensions} does not consist of {self.elements // self.run.data} runs of "
                f"{self.run.data} elements, which share scales in groups of {self.length.data}"
            )


def groups_in_rows(groups: GroupsAttr | None, length: int, shifts: Sequence[int]) -> GroupsAttr:
    """The groups of a matrix whose rows are additionally shifted left.

    groups: the groups before the shift; if None, each row is one group.
    length: the number of elements of a row.
    shifts: the additional left shift of each row.
    """
    if groups is None:
        return GroupsAttr(length, length, shifts)
    rows = groups.by_run.reshape(len(shifts), -1) + np.array(shifts)[:, None]
    return GroupsAttr(groups.length.data, groups.run.data, rows.reshape(-1).tolist())


def parsed_groups(parser: AttrParser) -> GroupsAttr | NoneAttr:
    """Parse the groups after the other parameters of a type; return `NoneAttr` if no parameter follows."""
    return NoneAttr() if parser.parse_optional_punctuation(",") is None else GroupsAttr.parsed(parser)
