"""Sums of products with rows of constant weights, as tile kernels compute them (L1 to L3).

A sum has a constant start value in the units of its accumulator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, Requantisation
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.tiles import Sums, TileFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws
    from tinyml.targets.tiles import Numbers


@dataclass(frozen=True)
class Start:
    """The start values of sums: constants of a format."""

    format: NumberFormat
    raws: Raws

    def recoded(self, accumulator: Accumulator) -> Start:
        """The same start values in the format that an accumulator loads at the least cost."""
        from tinyml.dialects.machine.numpy_machine import NumpyMachine

        format = accumulator.start_format(self.format)
        return Start(format, format.recode(NumpyMachine(), self.raws, self.format))

    def plus(self, integers: NDArray[np.int64]) -> Start | None:
        """The start values with integers added to their raws; None if the format cannot hold the sums."""
        raws = self.raws.astype(np.int64) + integers
        try:
            self.format.verify_raws(raws)
        except VerifyException:
            return None
        return Start(self.format, raws.astype(self.format.dtype))

    def sums(self, accumulator: Accumulator) -> NDArray[np.int64]:
        """The raws of sums with these start values."""
        from tinyml.dialects.machine.numpy_machine import NumpyMachine

        raws = self.raws.astype(self.format.dtype)
        return accumulator.widened(32).start(NumpyMachine(), raws, self.format).astype(np.int64)


def zero_start(accumulator: Accumulator, weights: NumberFormat) -> Start:
    """The start value 0 for sums of products with weights of a format."""
    format = accumulator.start_format(weights)
    return Start(format, np.zeros((), format.dtype))


@dataclass(frozen=True)
class RowSums:
    """Sums of products of bytes, one for each row of weights, each finished in the format of the result.

    channels: true if each row is multiplied by a single channel of a window. weights: rows x elements.
    """

    channels: bool
    weights: Numbers
    start: Start
    accumulator: Accumulator
    result: NumberFormat

    def finished(self, family: TileFamily) -> tuple[Requantisation, Sums] | None:
        """How a family's kernels finish the sums, and the sums as these compute them; None if they cannot."""
        if family.channels != self.channels:
            return None
        if (finish := family.finish(self.accumulator, self.result, len(self.weights))) is None:
            return None
        if family.shifts:
            half = 1 << -int(finish.shifts[0]) - 1
            sums = Sums(self.weights, self.start.sums(self.accumulator) + half, finish.multipliers, finish.shifts)
        else:
            sums = Sums.requantised(self.weights, self.start.raws.astype(np.int64), finish)
        bounded = family.bounded(sums, finish.zero)
        return None if bounded is None else (finish, bounded)
