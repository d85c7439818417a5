"""Constants from which sums start, in the units of their accumulator (L1 to L3)."""

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
    """The start of sums: constants of a format."""

    format: NumberFormat
    raws: Raws

    def recoded(self, accumulator: Accumulator) -> Start:
        """The start in the format that an accumulator loads at the least cost."""
        from tinyml.dialects.machine.numpy_machine import NumpyMachine

        format = accumulator.start_format(self.format)
        return Start(format, format.recode(NumpyMachine(), self.raws, self.format))

    def plus(self, integers: NDArray[np.int64]) -> Start | None:
        """The start with integers added to its raws; None if the format does not hold the sums."""
        raws = self.raws.astype(np.int64) + integers
        try:
            self.format.verify_raws(raws)
        except VerifyException:
            return None
        return Start(self.format, raws.astype(self.format.dtype))

    def sums(self, accumulator: Accumulator) -> NDArray[np.int64]:
        """The raws of sums that begin so."""
        from tinyml.dialects.machine.numpy_machine import NumpyMachine

        raws = self.raws.astype(self.format.dtype)
        return accumulator.widened(32).start(NumpyMachine(), raws, self.format).astype(np.int64)


def zero_start(accumulator: Accumulator, weights: NumberFormat) -> Start:
    """A start from 0, of sums of products with weights of a format."""
    format = accumulator.start_format(weights)
    return Start(format, np.zeros((), format.dtype))
