"""The constants of a program as weights in double precision, which are rounded into the program before each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.attributes import Csr

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
Slopes: TypeAlias = "Mapping[SSAValue, NDArray[Any]]"


@dataclass
class Weight:
    """A constant: its real in double precision, and what its format holds of it.

    low, high: the least and the greatest real of the format, for each element. dense: where elements are stored, True
    for all but the zeros of a sparse matrix, which stay zero.
    """

    constant: tdsl.ConstOp
    real: Array

    def __post_init__(self) -> None:
        format = tdsl.format_of(self.constant.result)
        # Rows may have scales of their own.
        ends = (np.full(self.real.shape, end) for end in (-np.inf, np.inf))
        self.low, self.high = (format.decode(format.encode(end)) for end in ends)
        sparse = isinstance(self.constant.result.type.encoding, Csr)
        self.dense = self.constant.raws != format.encode(np.zeros(1)) if sparse else np.True_


class TrainedWeights:
    """The constants of a program that are trained.

    reals: where to start from, by the names of constants; a constant without a name, or with another shape there,
    starts from what its raws stand for. renew: called after the constants of the program changed.
    """

    def __init__(
        self,
        module: ModuleOp,
        reals: Mapping[str, Array] | None = None,
        renew: Callable[[ModuleOp], None] = lambda _: None,
    ):
        self.module, self.renew = module, renew
        self.weights: list[Weight] = []
        for op in module.walk():
            if isinstance(op, tdsl.ConstOp):
                decoded = tdsl.format_of(op.result).decode(op.raws).astype(np.float64)
                given = (reals or {}).get(op.result.name_hint or "")
                # A name may belong to another constant since the program was rewritten: they would differ by far.
                start = given if given is not None and given.shape == decoded.shape else decoded
                self.weights.append(Weight(op, np.array(start, np.float64)))

    @property
    def trained(self) -> list[tdsl.ConstOp]:
        """The constants."""
        return [weight.constant for weight in self.weights]

    @property
    def variables(self) -> list[Array]:
        """The arrays that an optimiser changes in place."""
        return [weight.real for weight in self.weights]

    def derivatives(self, slopes: Slopes) -> list[Array]:
        """The derivatives by the variables, from those by the constants' results; zeros where there are none."""
        return [
            np.where(weight.dense, slopes[weight.constant.result], 0.0)
            if weight.constant.result in slopes
            else np.zeros_like(weight.real)
            for weight in self.weights
        ]

    def write(self) -> None:
        """Round the weights into the program. They are kept within the reals of their formats."""
        for weight in self.weights:
            np.clip(weight.real, weight.low, weight.high, out=weight.real)
            _set_reals(weight.constant, weight.real)
        self.renew(self.module)

    def reals(self) -> dict[str, Array]:
        """The reals of the weights, by the names of their constants."""
        return {weight.constant.result.name_hint or "": weight.real.copy() for weight in self.weights}

    def state(self) -> list[Array]:
        """A copy of the variables, for `restore`."""
        return [variable.copy() for variable in self.variables]

    def restore(self, state: list[Array]) -> None:
        """Take variables back, and write them into the program."""
        for variable, value in zip(self.variables, state, strict=True):
            variable[...] = value
        self.write()


def _set_reals(constant: tdsl.ConstOp, reals: Array) -> None:
    """Round reals into a constant, in place: training writes thousands of times."""
    format = tdsl.format_of(constant.result)
    with np.errstate(over="ignore"):
        raws = format.encode(reals)
    raws = raws.astype(format.dtype.newbyteorder("<"))
    constant.value = DenseIntOrFPElementsAttr(constant.value.type, BytesAttr(raws.tobytes()))
