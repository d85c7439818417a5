"""Routines whose constants are embedded in generated C functions: rows of constant matrices, tiles and elementwise
loops.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Self

from xdsl.dialects.builtin import DictionaryAttr, IntAttr, SymbolRefAttr
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.coded_rows import ROWS, TILE, CodedRows, CodedTile
from tinyml.dialects.layouts.contents import LANES
from tinyml.dialects.num.kernels.calls import MEMREF, Arguments, CallOp, RoutineAttr, is_of_bytes, run_length
from tinyml.dialects.num.kernels.kernel_attributes import CodeKernelAttr, KernelAttr, parse_numbers, print_numbers
from tinyml.dialects.num.kernels.lane_functions import LaneFunctionOp, run_width
from tinyml.dialects.scratch.types import element_bytes, memref_type, packed_bits

_FUNCTION = "function"

__all__ = ["CodeAttr", "CodeSize", "CodedLoopAttr", "CodedRowsAttr", "CodedTileAttr"]


class CodeSize(NamedTuple):
    """The time and memory of a kernel that contains its weights.

    * time: the time of a call, in the unit of the device.
    * once: bytes of flash per program.
    * call: bytes of flash per call.
    * stack: the bytes of stack that a call needs.
    """

    time: int
    once: int
    call: int
    stack: int


class CodeAttr(RoutineAttr, ABC):
    """A routine whose constants are embedded in the function that computes the routine.

    The operands of a call are the outputs, then the inputs.

    * constants: the attribute from which the function is generated. The declaration of the function has the same
      attribute.
    * time, once, call, stack: the fields of a `CodeSize`.
    """

    DECLARED_AS: ClassVar[str]
    """The attribute of the declaration that stores the constants."""

    constants: DictionaryAttr
    time: IntAttr
    once: IntAttr
    call: IntAttr
    stack: IntAttr

    @classmethod
    def of(cls, constants: DictionaryAttr, size: CodeSize) -> Self:
        return cls(constants, *map(IntAttr, size))

    @property
    def size(self) -> CodeSize:
        return CodeSize(self.time.data, self.once.data, self.call.data, self.stack.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [DictionaryAttr(parser.parse_optional_dictionary_attr_dict()), *parse_numbers(parser, _SIZE, {})]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.constants)
            print_numbers(printer, dict(zip(_SIZE, map(IntAttr, self.size), strict=True)), {})

    def verify(self) -> None:
        if min(self.size) < 0:
            raise VerifyException(f"{', '.join(_SIZE)} are at least 0, got {list(self.size)}")

    def takes(self, kernel: KernelAttr) -> bool:
        return isinstance(kernel, CodeKernelAttr)

    @property
    def declared(self) -> Mapping[str, Attribute]:
        return {self.DECLARED_AS: self.constants}

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        return lambda e: [*call.arguments[1:], call.arguments[0]]


_SIZE = CodeSize._fields


def _lengths_of_bytes(call: CallOp) -> list[int]:
    outputs, *read = call.arguments
    for run in (*read, outputs):
        if not is_of_bytes(run, offset=run is outputs):
            raise VerifyException(f"needs integers of one byte that are not packed, got {run.type}")
    return [run_length(run) for run in call.arguments]


@irdl_attr_definition
class CodedRowsAttr(CodeAttr):
    """`outputs[r]` is the start value of row r plus, for each matrix, the products of its row r and the matrix's
    vector.

    The sum is shifted right and clamped. `constants` is the attribute that stores a `CodedRows`.
    """

    name = "num.coded_rows"
    DECLARED_AS: ClassVar[str] = ROWS

    def constraints(self, count: int) -> Sequence[AttrConstraint]:
        return [MEMREF] * max(count, 1)

    def verify_call(self, call: CallOp) -> None:
        rows, (results, *read) = CodedRows.of(self.constants), _lengths_of_bytes(call)
        needed = [matrix.shape[1] for matrix in rows.weights]
        if (results, read) != (rows.rows, needed):
            raise VerifyException(f"{rows.rows} rows of {needed} elements do not give {results} results of {read}")


@irdl_attr_definition
class CodedTileAttr(CodeAttr):
    """`outputs[p, r]` is the start value of row r plus the products of row r of the weights and window p, requantised.

    `constants` is the attribute that stores a `CodedTile`.
    """

    name = "num.coded_tile"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (MEMREF, MEMREF)
    DECLARED_AS: ClassVar[str] = TILE

    def verify_call(self, call: CallOp) -> None:
        tile, (results, elements) = CodedTile.of(self.constants), _lengths_of_bytes(call)
        given = tile.count * tile.rows
        if results != given or elements < tile.elements:
            raise VerifyException(f"{given} results of {tile.elements} elements are not {results} of {elements}")


@irdl_attr_definition
class CodedLoopAttr(CodeAttr):
    """`outputs` is the run that a `num.lane_function` computes from the input runs. `constants` is the name of the lane
    function.
    """

    name = "num.coded_loop"
    DECLARED_AS: ClassVar[str] = LANES

    @classmethod
    def named(cls, function: str, size: CodeSize) -> Self:
        """The routine that calls the lane function with this name and the cost `size`."""
        return cls.of(DictionaryAttr({_FUNCTION: SymbolRefAttr(function)}), size)

    @property
    def function_name(self) -> str:
        """The name of the lane function. Raises `VerifyException` if the constants contain no name."""
        name = self.constants.data.get(_FUNCTION)
        if not isinstance(name, SymbolRefAttr):
            raise VerifyException(f"{self.name} has the name of a function of lanes, got {self.constants}")
        return name.root_reference.data

    @property
    def declared(self) -> Mapping[str, Attribute]:
        return {self.DECLARED_AS: SymbolRefAttr(self.function_name)}

    def constraints(self, count: int) -> Sequence[AttrConstraint]:
        return [MEMREF] * max(count, 1)

    def verify_call(self, call: CallOp) -> None:
        results, *read = call.arguments
        for run in call.arguments:
            if packed_bits(memref_type(run)) is not None:
                raise VerifyException(f"needs elements that are not packed, got {run.type}")
        if (function := LaneFunctionOp.named(self.function_name, call)) is None:
            raise VerifyException(f"there is no function of lanes '{self.function_name}'")
        given = [(8 * element_bytes(memref_type(run)), run_length(run)) for run in (*read, results)]
        needed = [(run_width(run), run_length(run)) for run in function.runs]
        if given != needed:
            raise VerifyException(f"runs have the widths and lengths {needed}, got {given}")
