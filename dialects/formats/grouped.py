"""Formats whose elements share scales in groups: a number is an element times the power of two of its group.

A grouped format is the format of one constant tensor. The powers of two are parameters of the type
(`dialects/formats/groups.py`). Such a tensor can be an operand only of sums of products. All its numbers are integers
in one unit, so a sum of products is exact and is rounded once. A device sums the products of each group separately, and
shifts the sum of a group before it adds this sum to the total.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.grouping import Grouping
from tinyml.dialects.formats.groups import MOST_BITS, GroupsAttr, parsed_groups
from tinyml.dialects.formats.number_format import Coding
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals

BLOCK = 32
"""The usual length of a group (OCP Microscaling Formats specification 1.0, section 5.2)."""


class GroupedFormat(ParametrizedAttribute, TypeAttribute, ExactFormat):
    """A mixin for the format of an element: it divides a constant into groups and assigns one power of two to each
    group.

    The parameters of the type are integers, followed by the groups. A format without groups, which `of_width` returns,
    is the format of an element. `for_range` returns a format for a tensor that is not divided into groups.
    """

    if TYPE_CHECKING:
        # Declared by the type, because fields are ordered as declared.
        shared: GroupsAttr | NoneAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        _, *others = cls.get_irdl_definition().parameters
        with parser.in_angle_brackets():
            numbers = [parser.parse_integer(allow_boolean=False)]
            for _ in others[1:]:
                parser.parse_punctuation(",")
                numbers.append(parser.parse_integer(allow_boolean=False))
            return [*map(IntAttr, numbers), parsed_groups(parser)]

    def print_parameters(self, printer: Printer) -> None:
        *numbers, shared = self.parameters
        with printer.in_angle_brackets():
            printer.print_string(", ".join(str(cast(IntAttr, number).data) for number in numbers))
            if isinstance(shared, GroupsAttr):
                printer.print_string(f", {shared}")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def groups(self) -> GroupsAttr | None:
        return self.shared if isinstance(self.shared, GroupsAttr) else None

    SCALES: ClassVar[Sequence[int]] = FRACS
    """The scales that `with_groups` accepts; other scales are rounded to the nearest of them."""

    @abstractmethod
    def with_groups(self, scale: int, groups: GroupsAttr | None) -> Self:
        """The format of the same elements in units of 2^-scale, with these `groups`; None for no groups."""

    @property
    def element(self) -> ExactNumbers:
        """The format of elements in a group whose shift is 0."""
        return self if self.groups is None else self.with_groups(self.scale, None)

    def group_length(self, run: int) -> int:
        """The number of elements in each group of a run of `run` elements."""
        return min(BLOCK, run)

    def shared_scales(self, blocks: Reals) -> NDArray[np.int64]:
        """For each group, the scale s, whose unit is 2^-s, by the OCP Microscaling specification, section 6.3. The
        result has the shape (groups,).

        blocks: numbers of shape (groups, length).

        At the scale of a group, the number of greatest magnitude in the group has the same exponent as the greatest
        number of the element format.
        """
        greatest = np.abs(blocks).max(-1)
        most = max(map(abs, self.element.integer_limits)).bit_length()
        exponents = np.frexp(np.where(greatest, greatest, 1.0))[1].astype(np.int64)
        return most - exponents

    def best_scales(self, blocks: Reals, weights: Reals) -> NDArray[np.int64]:
        """For each group, the scale s with the least weighted squared error. The candidates are the scale of
        `shared_scales`, the next finer scale and the next coarser scale. The result has the shape (groups,).

        blocks: numbers of shape (groups, length).
        weights: the weights of the squared errors, same shape.
        """
        usual = self.shared_scales(blocks)
        unit = self.with_groups(0, None)
        tried = usual[:, None] + np.array([0, 1, -1])
        scaled = np.ldexp(blocks[:, None], tried[..., None])
        errors = np.ldexp(unit.decode(unit.encode(scaled)) - scaled, -tried[..., None])
        return tried[np.arange(len(usual)), (weights[:, None] * errors**2).sum(-1).argmin(-1)]

    def grouped(self, constant: Reals, importance: Reals | None, finest: Grouping) -> Self:
        return self.divided(constant, importance, finest)

    def divided(self, constant: Reals, importance: Reals | None, finest: Grouping) -> Self:
        """The format for a constant that is divided into groups along the axes of `finest`. The scales of groups are
        those of `best_scales`, limited so that all integers in the unit of the finest group have at most `MOST_BITS`
        bits.

        importance: the weights of the squared errors, broadcast to the constant; None for equal weights.
        """
        run = prod(constant.shape[finest.axis :])
        length = run if finest.length is None else max(self.group_length(run), finest.length)
        weights = np.ones(constant.shape) if importance is None else np.broadcast_to(importance, constant.shape)
        each = -(-run // length)
        blocks, weights = (
            np.pad(part.reshape(-1, run), ((0, 0), (0, each * length - run))).reshape(-1, length)
            for part in (constant.astype(np.float64), weights + 1e-6 * float(weights.max(initial=0)) + 1e-30)
        )
        scales = self.best_scales(blocks, weights)
        used = blocks.any(-1)
        # Groups whose scales differ too much lose their least numbers.
        room = MOST_BITS - max(map(abs, self.element.integer_limits)).bit_length()
        unit = min(int(scales[used].max()), int(scales[used].min()) + room, self.SCALES[-1]) if used.any() else 0
        shifts = np.where(used, np.maximum(unit - scales, 0), 0)
        return self.with_groups(unit, GroupsAttr(length, run, shifts.tolist()))

    def narrowed(self, bits: int) -> Self:
        """The format whose finest unit is 2^`bits` times that of this format. Groups whose unit is already at least as
        great do not change. A format without groups is returned unchanged.
        """
        if (groups := self.groups) is None:
            return self
        shifts = np.maximum(np.array(groups.shifts.get_values()) - bits, 0)
        return self.with_groups(self.scale - bits, GroupsAttr(groups.length.data, groups.run.data, shifts.tolist()))

    @property
    def integer_limits(self) -> tuple[int, int]:
        if (groups := self.groups) is None:
            return super().integer_limits
        low, high = self.element.integer_limits
        most = max(groups.shifts.get_values())
        return low << most, high << most

    def integers(self, raws: Raws, dtype: DTypeLike = "i8") -> NDArray[Any]:
        if self.groups is None:
            return super().integers(raws, dtype)
        return self.integers_in(self.groups, raws).astype(dtype)

    def encode(self, reals: Reals) -> Raws:
        if (groups := self.groups) is None:
            return super().encode(reals)
        return self.element.encode(np.ldexp(reals, -groups.of_elements(np.shape(reals))))

    def encode_away(self, reals: Reals) -> Raws:
        if (groups := self.groups) is None:
            return super().encode_away(reals)
        return self.element.encode_away(np.ldexp(reals, -groups.of_elements(np.shape(reals))))

    def decode(self, raws: Raws) -> Reals:
        if (groups := self.groups) is None:
            return super().decode(raws)
        return np.ldexp(self.element.decode(raws), groups.of_elements(raws.shape))

    @property
    def coding(self) -> Coding | None:
        """The rule by which kernels decode elements; None for a format with groups, because no kernel decodes them."""
        return super().coding if self.groups is None else None

    def verify_raws(self, raws: Raws) -> None:
        if self.groups is not None:
            self.groups.verify_shape(raws.shape)
        super().verify_raws(raws)
