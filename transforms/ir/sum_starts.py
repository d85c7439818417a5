"""Constant start values of sums, in the units of their accumulator (L1 to L3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws


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
