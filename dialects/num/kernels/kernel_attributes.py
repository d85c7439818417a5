"""Attributes that identify the kernel of an op, by a name or by the parameters of a kernel generator (composer).

The chip of a board maps an attribute to a kernel (`tinyml.targets.registry.kernel_of`) and to the name of its C
function. This name is printed but never parsed. The declaration of the function has the same attribute.
"""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Self

from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import BaseAttr, MessageConstraint, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.discardable_attributes import DiscardableAttribute, HolderKind, instance

__all__ = [
    "DECLARED",
    "TILE",
    "TILE_OR_CODE",
    "CodeKernelAttr",
    "ComposedKernelAttr",
    "FarKernelAttr",
    "KernelAttr",
    "ListedKernelAttr",
    "TileKernelAttr",
    "declared_kernels",
    "verify_identifier",
]


class KernelAttr(ParametrizedAttribute, ABC):
    """The base class of attributes that identify the kernel of an op."""


DECLARED = DiscardableAttribute(
    "tinyml.kernel",
    {HolderKind.DECLARATION: instance(KernelAttr, "a kernel, as in #num.kernel<...>")},
    "The kernel that a C function implements.",
)


KERNEL = MessageConstraint(BaseAttr(KernelAttr), "expected a kernel, as in #num.kernel<...>")


@irdl_attr_definition
class ListedKernelAttr(KernelAttr):
    """A kernel that is listed in the table of a chip.

    function: the name of the kernel's C function.
    """

    name = "num.kernel"
    function: StringAttr

    @classmethod
    def of(cls, function: str) -> Self:
        return cls(StringAttr(function))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.function.data)

    def verify(self) -> None:
        verify_identifier(self.function)


_USUAL_SUM = {"gaps": 0, "ram": 0, "rows": 1}


@irdl_attr_definition
class ComposedKernelAttr(KernelAttr):
    """A kernel for sums of products that the composer of a chip generates.

    * op: the routine that the kernel computes.
    * weights_coding, vector_coding: the codings of the factors (`tinyml.dialects.formats.number_format`), or the digits
      as which weights are packed.
    * weights, vector, sum: the widths of the stored factors and of the accumulator, in bits.
    * gaps: for a sparse row, the width in bits of the number that is stored with each weight and encodes the
      distance from the column of the previous weight to the column of this weight; 0 for a dense row.
    * ram: 1 if the weights are in RAM, on a chip that has different instructions for reading flash; otherwise 0.
    * rows: the number of rows computed per call.
    """

    name = "num.composed_kernel"
    op: StringAttr
    weights_coding: StringAttr
    weights: IntAttr
    vector_coding: StringAttr
    vector: IntAttr
    sum: IntAttr
    gaps: IntAttr
    ram: IntAttr
    rows: IntAttr

    @classmethod
    def of(
        cls,
        op: str,
        codings: Sequence[str],
        widths: Sequence[int],
        sum: int,
        gaps: int = 0,
        *,
        ram: bool = False,
        rows: int = 1,
    ) -> Self:
        """The attribute of a composed kernel for the routine `op`.

        codings: the codings of the weights and of the vector.
        widths: the widths of the weights and of the vector, in bits.
        sum: the width of the accumulator in bits.
        gaps, ram, rows: as in the class.
        """
        factors = [(StringAttr(coding), IntAttr(width)) for coding, width in zip(codings, widths, strict=True)]
        numbers = map(IntAttr, (sum, gaps, int(ram), rows))
        return cls(StringAttr(op), *factors[0], *factors[1], *numbers)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            parameters: list[Attribute] = [
                StringAttr(parser.parse_identifier(context_msg=": expected the name of an op"))
            ]
            for what in ("weights", "vector"):
                parser.parse_punctuation(",")
                parameters.append(
                    StringAttr(parser.parse_identifier(context_msg=f": expected the coding of the {what}"))
                )
                parameters.append(IntAttr(parser.parse_integer(allow_boolean=False)))
            return [*parameters, *parse_numbers(parser, ("sum", *_USUAL_SUM), _USUAL_SUM)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            factors = (self.weights_coding, self.weights), (self.vector_coding, self.vector)
            texts = [self.op.data, *(f"{coding.data} {width.data}" for coding, width in factors)]
            printer.print_string(", ".join(texts))
            numbers = {"sum": self.sum, "gaps": self.gaps, "ram": self.ram, "rows": self.rows}
            print_numbers(printer, numbers, _USUAL_SUM)

    def verify(self) -> None:
        _verify_range({"weights": self.weights, "vector": self.vector}, 1, 64)
        _verify_range({"gaps": self.gaps}, 0, 8)
        _verify_range({"ram": self.ram}, 0, 1)
        _verify_range({"rows": self.rows}, 1, None)
        if self.sum.data not in range(8, 65, 8):
            raise VerifyException(f"sum must be whole bytes, 8 to 64 bits, got {self.sum.data}")


_SHAPE = ("rows", "runs", "length", "pitch", "step", "count", "zero", "right", "lines", "filters", "to_even")
_DEFAULTS = {"right": 0, "lines": 1, "filters": 1, "to_even": 0}


@irdl_attr_definition
class TileKernelAttr(KernelAttr):
    """A kernel for tiles. `family` names its `TileFamily`. The integer parameters are those of
    `tinyml.targets.tiles.Tile`.
    """

    name = "num.tile_kernel"
    family: StringAttr
    rows: IntAttr
    runs: IntAttr
    length: IntAttr
    pitch: IntAttr
    step: IntAttr
    count: IntAttr
    zero: IntAttr
    right: IntAttr
    lines: IntAttr
    filters: IntAttr
    to_even: IntAttr

    @classmethod
    def of(cls, family: str, shape: Sequence[int]) -> Self:
        """The attribute of a kernel of a family.

        shape: the integer parameters, in the order in which the family declares them.
        """
        return cls(StringAttr(family), *map(IntAttr, shape))

    @property
    def shape(self) -> Mapping[str, IntAttr]:
        return {name: getattr(self, name) for name in _SHAPE}

    @property
    def extents(self) -> tuple[int, int, int]:
        return self.lines.data, self.count.data, self.rows.data

    def verify_windows(self, runs: int, length: int, pitch: int, step: int, filters: int = 1) -> None:
        """Raise `VerifyException` unless the kernel supports windows of this layout.

        runs, length: the number of runs of a window, and the number of elements of a run.
        pitch, step: the distances as in `Spacing`. The pitch is not checked for a single line of windows with one run.
        filters: the number of rows for each channel.
        """
        expected = runs, length, pitch if max(runs, self.lines.data) > 1 else 0, step
        given = self.runs.data, self.length.data, self.pitch.data, self.step.data
        if given != expected:
            raise VerifyException(f"runs, their length, pitch and step are {expected}, those of the tile {given}")
        if self.filters.data != filters:
            raise VerifyException(f"channels have {filters} filters, those of the tile {self.filters.data}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal()), *parse_numbers(parser, _SHAPE, _DEFAULTS)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.family.data)
            print_numbers(printer, self.shape, _DEFAULTS)

    def verify(self) -> None:
        verify_identifier(self.family)
        for names, low, high in (
            (("rows", "runs", "length", "count", "lines", "filters"), 1, None),
            (("pitch", "step"), 0, None),
            (("zero",), -128, 127),
            (("right",), -31, 31),
            (("to_even",), 0, 1),
        ):
            _verify_range({name: self.shape[name] for name in names}, low, high)


@irdl_attr_definition
class CodeKernelAttr(KernelAttr):
    """A kernel whose code embeds its constant weights. The op that contains this attribute, or the declaration of the
    kernel's C function, stores the weights.

    * coder: the name of the generator of the kernel.
    * key: a digest of the constants, which distinguishes kernels of the same generator.
    """

    name = "num.code_kernel"
    coder: StringAttr
    key: StringAttr

    @classmethod
    def of(cls, coder: str, key: str) -> Self:
        return cls(StringAttr(coder), StringAttr(key))

    @property
    def function(self) -> str:
        return f"{self.coder.data}_{self.key.data}"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            coder = parser.parse_str_literal()
            parser.parse_punctuation(",")
            return [StringAttr(coder), StringAttr(parser.parse_str_literal())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.coder.data)
            printer.print_string(", ")
            printer.print_string_literal(self.key.data)

    def verify(self) -> None:
        verify_identifier(self.coder)
        if not re.fullmatch(r"\w+", self.key.data, re.ASCII):
            raise VerifyException(f"expected a key of letters and digits, got '{self.key.data}'")


_EXPECTED = "expected the kernel of a tile, as in #num.tile_kernel<...>"
TILE = MessageConstraint(BaseAttr(TileKernelAttr), _EXPECTED)
TILE_OR_CODE = MessageConstraint(BaseAttr(TileKernelAttr) | BaseAttr(CodeKernelAttr), _EXPECTED)


@irdl_attr_definition
class FarKernelAttr(KernelAttr):
    """`#num.far_kernel<#num.kernel<"tm_dot">>`: a kernel whose weights are a far constant (`scratch.constant`)."""

    name = "num.far_kernel"
    near: KernelAttr

    @classmethod
    def of(cls, near: KernelAttr) -> Self:
        return cls(near)

    def verify(self) -> None:
        if isinstance(self.near, FarKernelAttr):
            raise VerifyException(f"expected the kernel of near weights, got {self.near}")


def verify_identifier(name: StringAttr) -> None:
    if not re.fullmatch(r"[A-Za-z_]\w*", name.data, re.ASCII):
        raise VerifyException(f"expected a C identifier, got '{name.data}'")


def _verify_range(numbers: Mapping[str, IntAttr], low: int, high: int | None) -> None:
    for name, number in numbers.items():
        if number.data < low or (high is not None and number.data > high):
            limits = f"at least {low}" if high is None else f"{low} to {high}"
            raise VerifyException(f"{name} must be {limits}, got {number.data}")


def parse_numbers(parser: AttrParser, names: Sequence[str], usual: Mapping[str, int]) -> Sequence[IntAttr]:
    """Parse named integers in any order, each after a comma, as in `, rows = 4`. Return them in the order of `names`.

    names: the names of all integers.
    usual: the default values of optional integers, by name.
    """
    numbers: dict[str, int] = {}
    while parser.parse_optional_punctuation(",") is not None:
        name = parser.parse_keyword_in([name for name in names if name not in numbers])
        parser.parse_punctuation("=")
        numbers[name] = parser.parse_integer(allow_boolean=False)
    numbers = {**usual, **numbers}
    if missing := [name for name in names if name not in numbers]:
        parser.raise_error(f"expected {', '.join(missing)}")
    return [IntAttr(numbers[name]) for name in names]


def print_numbers(printer: Printer, numbers: Mapping[str, IntAttr], usual: Mapping[str, int]) -> None:
    for name, number in numbers.items():
        if number.data != usual.get(name):
            printer.print_string(f", {name} = {number.data}")


def declared_kernels(module: Operation | None) -> Mapping[str, tuple[KernelAttr, FuncOp]]:
    """The kernels that a module declares; empty if `module` is no module.

    The key is the name of the C function, the value a pair (kernel, declaration).
    """
    if not isinstance(module, ModuleOp):
        return {}
    declared = [(op.attributes.get(DECLARED), op) for op in module.ops if isinstance(op, FuncOp)]
    return {op.sym_name.data: (kernel, op) for kernel, op in declared if isinstance(kernel, KernelAttr)}
