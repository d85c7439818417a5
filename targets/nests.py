"""Queries and offers. By a query, the compiler requests kernels for a loop nest from a chip; an offer is a kernel that
the chip returns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import INTEGER, NumberFormat, Raws, element_format
from tinyml.dialects.layouts.coded_rows import CodedRows, CodedTile
from tinyml.dialects.layouts.contents import CONTENTS, LANES, Content
from tinyml.dialects.layouts.digits import Digits, Width
from tinyml.dialects.layouts.trees import ForestCode
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.modules import on_call
from tinyml.dialects.num import KernelAttr, Spacing
from tinyml.dialects.num.kernels.lane_functions import LaneFunctionOp
from tinyml.targets.kernel import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.num.kernels.lane_programs import LaneProgram


Bytes: TypeAlias = "NDArray[np.int8]"
Numbers: TypeAlias = "NDArray[np.int64]"

WEIGHTS, VECTOR = 0, 1
"""The factors of a sum of products."""

DECODED_BITS = 16
"""The width of the integers to which factors are decoded."""


@dataclass(frozen=True)
class SumQuery:
    """A request for kernels of a routine (`RoutineAttr`) that sums the products of two runs.

    * routine: the name of the routine.
    * weights, vector: the widths of the stored elements in bits, not a multiple of 8 if they are packed. Weights may be
      packed as digits, which then replace their coding.
    * sums: the possible widths of the accumulator, its current width first.
    * codings, flash: as in `Kernel`.
    * decodable: the factors that may be decoded to integers of `DECODED_BITS` bits in RAM before the call. A factor can
      be decoded only together with the factors after it.
    * rows: the number of rows, for kernels that are composed for this number.
    * chunked: true to request only the kernels that add `Kernel.chunk` products in 16 bits; false to request all
      others.
    """

    routine: str
    weights: Width
    vector: int
    sums: tuple[int, ...]
    codings: tuple[str, ...] = (INTEGER, INTEGER)
    flash: bool | None = True
    decodable: tuple[int, ...] = ()
    rows: int = 1
    chunked: bool = False

    @property
    def wanted(self) -> Iterator[tuple[Kernel, tuple[int, ...]]]:
        """Yield pairs (description, factors), the best first.

        description: a `Kernel` without a symbol that would compute the sum.
        factors: the factors that must be decoded for this kernel.
        """
        for width in self.sums:
            bits, coding = self.weights, self.codings[0]
            if isinstance(bits, Digits):
                bits, coding = bits.bits, bits.name
            codings = coding, self.codings[1]
            plain = Kernel(
                "", bits, self.vector, width, self.routine, flash=self.flash, rows=self.rows, codings=codings
            )
            for last in range(len(self.decodable), -1, -1):
                wanted, decoded = plain, self.decodable[last:]
                if WEIGHTS in decoded:
                    wanted = replace(wanted, weights=DECODED_BITS, flash=False, codings=(INTEGER, wanted.codings[1]))
                if VECTOR in decoded:
                    wanted = replace(wanted, vector=DECODED_BITS, codings=(wanted.codings[0], INTEGER))
                yield wanted, decoded

    def fault(self, kernel: Kernel) -> str | None:
        """What a kernel computes that the query does not request, as a message; None for a requested kernel."""
        wanted = [description for description, _ in self.wanted]
        for name, what in _COMPARED.items():
            allowed = dict.fromkeys(getattr(description, name) for description in wanted)
            if (got := getattr(kernel, name)) not in allowed:
                return f"the kernel '{kernel.symbol}' {what.format(got)}, expected {' or '.join(map(str, allowed))}"
        if replace(kernel, chunk=0).computed not in {description.computed for description in wanted}:
            widths = " or ".join(dict.fromkeys(f"{one.weights} and {one.vector}" for one in wanted))
            got = f"{kernel.weights} and {kernel.vector}"
            return f"the kernel '{kernel.symbol}' reads factors of {got} bits, expected {widths}"
        return None

    def rank(self, offer: Offer) -> tuple[int, int]:
        """The sort key of offers, lower is better: the width of the sum, then the number of factors to decode."""
        return self.sums.index(offer.kernel.sum), len(offer.decoded)


_COMPARED = {
    "op": "is one of {}",
    "sum": "has a sum of {} bits",
    "weights": "reads weights of {} bits",
    "vector": "reads a vector of {} bits",
    "codings": "reads the codings {}",
}
"""The fields of a kernel that a query determines, in words for messages."""


@dataclass(frozen=True, eq=False)
class TileQuery:
    """A request for kernels that multiply rows of constant weights by windows. Every sum is converted to an integer.

    * sums: the sums of the rows.
    * run: the number of elements of a run of a window.
    * spaces: the runs of a window, and the distances between runs, windows and lines.
    * windows, lines: the number of windows in a line, and the number of lines.
    * several: true to request kernels that compute several lines per call. `lines` need not be a multiple of the number
      of lines per call.
    * large: true to request the kernels that need more flash than weights, instead of the usual kernels.
    * by: the chosen kernel, to which the query is then restricted.
    * times: the number of such nests that an inference computes.
    """

    sums: RowSums
    run: int
    spaces: Spacing
    windows: int
    lines: int = 1
    several: bool = False
    large: bool = False
    by: KernelAttr | None = None
    times: float = 1


@dataclass(frozen=True)
class FarWeightsQuery:
    """A request for a kernel that computes the same sum as a given kernel, with weights in far flash.

    near: the given kernel, whose weights are in near flash.
    """

    near: Kernel


KernelQuery: TypeAlias = "SumQuery | TileQuery | FarWeightsQuery | CodedRows | LaneProgram | ForestCode"
"""A query to a chip; code for rows of constant matrices, for functions of lanes and for forests is queried by its
content.
"""


LANE_PROGRAM: Callable[..., LaneProgram] = on_call("tinyml.dialects.num.kernels.lane_readers:lane_program")
"""A function that returns the program of a lane function (`num.lane_function`)."""


def content_of(declaration: FuncOp) -> Content:
    """The constants from which the code of a declared function is generated.

    Raises `InputError` for a function that embeds no constants, and for a lane function that is missing or unsupported.
    """
    if isinstance(name := declaration.attributes.get(LANES), SymbolRefAttr):
        function = LaneFunctionOp.named(name.root_reference.data, declaration)
        if function is None:
            raise InputError(f"there is no function of lanes {name}")
        try:
            return LANE_PROGRAM(function)
        except VerifyException as error:
            raise error_at(function, f"no vector unit computes it: {error}") from error
    for name, content in CONTENTS.items():
        if (attribute := declaration.attributes.get(name)) is not None:
            return content(attribute)
    known = ", ".join(sorted([*CONTENTS, LANES]))
    raise InputError(f"the declaration of '{declaration.sym_name.data}' has none of {known}")


@dataclass(frozen=True, eq=False)
class Offer:
    """A kernel that a chip returns for a nest.

    * kernel: the kernel. It computes `kernel.rows` rows per call, in an accumulator of `kernel.sum` bits.
    * decoded: the factors of a `SumQuery` that must be decoded before the call.
    * lines: for a `TileQuery`, the number of lines of windows that a call computes.
    * input_tile: the maximum number of bytes of an input tile.
    * data: the weight stream of a tile, or the constants that the kernel embeds instead of reading a stream.
    """

    kernel: Kernel
    decoded: tuple[int, ...] = ()
    lines: int = 1
    input_tile: int = 0
    data: Callable[[], Bytes | CodedTile] | None = None


class Maker(ABC):
    """An entry of a chip's table of kernels (`Chip.makers`): it lists kernels or generates kernels on demand.

    needs: the feature that a board must have.
    large: true if the kernels need more flash than the weights alone.
    """

    needs: str
    large: bool

    @abstractmethod
    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        """Yield kernels for a nest, the best first. Yields nothing for a kind of nest that this entry does not
        support.
        """

    def kernel_of(self, attribute: KernelAttr, content: Content | None) -> Kernel | None:
        """The kernel that an attribute identifies; None if this entry does not contain it.

        content: the constants that the kernel embeds; None for other kernels.
        """
        return None


@dataclass(frozen=True)
class Start:
    """The initial values of sums, as constants of a format."""

    format: NumberFormat
    raws: Raws

    def recoded(self, accumulator: Accumulator) -> Start:
        """The same initial values in the format whose conversion to sums of `accumulator` is cheapest."""
        format = accumulator.start_format(self.format)
        return Start(format, format.recode(NumpyMachine(), self.raws, self.format))

    def plus(self, integers: NDArray[np.int64]) -> Start | None:
        """The initial values after integers are added to their raws; None if the format cannot represent a result."""
        raws = self.raws.astype(np.int64) + integers
        try:
            self.format.verify_raws(raws)
        except VerifyException:
            return None
        return Start(self.format, raws.astype(self.format.dtype))

    def sums(self, accumulator: Accumulator) -> NDArray[np.int64]:
        """The initial values as raws of the accumulator."""
        raws = self.raws.astype(self.format.dtype)
        return accumulator.widened(32).start(NumpyMachine(), raws, self.format).astype(np.int64)


def zero_start(accumulator: Accumulator, weights: NumberFormat) -> Start:
    """Initial values 0 for sums of products with weights of a format, one for all rows."""
    format = accumulator.start_format(weights)
    return Start(format, np.zeros((), format.dtype))


def constant_start(initial: SSAValue | None, weights: SSAValue, accumulator: Accumulator) -> Start | None:
    """The initial values of sums in the units of their accumulator, so that a program only loads them. None if they are
    not constant.

    initial: the initial values in another format; None for sums that start from zero.
    weights: the left factor of the products.
    """
    if initial is None:
        return zero_start(accumulator, element_format(weights.type))
    raws = raws_of(initial)
    return None if raws is None else Start(element_format(initial.type), raws).recoded(accumulator)


def raws_of(value: SSAValue) -> Raws | None:
    return value.owner.raws if isinstance(value.owner, tdsl.ConstOp | scratch.ConstantOp) else None


@dataclass(frozen=True, eq=False)
class RowSums:
    """Sums of products of integers, one for each row of weights. Each sum is rounded to the format of the result.

    * accumulator, result: the type of the sums, and the format of the result.
    * channels: true if each row is multiplied by a single channel of a window.
    * weights: an array of shape (rows, elements).
    * start: the initial values of the sums.
    * filters: the number of rows for each channel.
    * factors: the widths of the weights and of the elements of windows, in bits.
    """

    channels: bool
    weights: Numbers
    start: Start
    accumulator: Accumulator
    result: NumberFormat
    filters: int = 1
    factors: tuple[int, int] = (8, 8)
