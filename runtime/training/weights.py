"""The constants of a program as trainable weights in double precision. Before each step, the rounded weights are stored
in the program.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
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


COARSE_WIDTH = 8
"""The width in bits below which the steps of a format are so large that weights must change faster."""

ROUNDING_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Candidate fractions of the distance from the real of a weight's raw to another real. The greatest fraction for which
the real is rounded to the raw is used.
"""


@dataclass
class Weight:
    """A constant of the program, and its weights in double precision.

    * constant, real: the constant, and its weights as reals.
    * low, high: for each element, the least and the greatest real of the format.
    * dense: true for stored elements; the zeros of a sparse matrix remain zero.
    * pace: the factor by which the learning rate is multiplied. It doubles for each bit by which the format is narrower
      than `COARSE_WIDTH`.
    """

    constant: tdsl.ConstOp
    real: Array

    def __post_init__(self) -> None:
        format = tdsl.format_of(self.constant.result)
        self.pace = 2.0 ** max(0, COARSE_WIDTH - format.bits)
        # Rows may have separate scales.
        self.low, self.high = map(format.decode, format.ends(self.real.shape))
        sparse = isinstance(self.constant.result.type.encoding, Csr)
        self.dense = self.constant.raws != format.encode(np.zeros(1)) if sparse else np.True_


class TrainedWeights:
    """The constants of a program that are trained.

    * module: the program.
    * reals: initial weights, by the names of constants. A weight that is not rounded to the raw of the program is moved
      towards the number of this raw until it is. A constant that is missing, or has another shape, starts from its
      decoded raws.
    * renew: a function that is called after the constants of the program have changed.
    * executed: another program with the same constants and results, in which constants may have other shapes and
      positions; by default the program itself.
    """

    def __init__(
        self,
        module: ModuleOp,
        reals: Mapping[str, Array] | None = None,
        renew: Callable[[ModuleOp], None] = lambda _: None,
        executed: ModuleOp | None = None,
    ):
        self.module, self.renew, self._executed = module, renew, executed
        self.weights: list[Weight] = []
        for op in module.walk():
            if isinstance(op, tdsl.ConstOp):
                decoded = tdsl.format_of(op.result).decode(op.raws).astype(np.float64)
                given = (reals or {}).get(op.result.name_hint or "")
                # If the program was rewritten, a name may belong to another constant.
                if given is not None and given.shape == decoded.shape:
                    decoded = _towards(given, decoded, op)
                self.weights.append(Weight(op, np.array(decoded, np.float64)))

    @property
    def constants(self) -> list[tdsl.ConstOp]:
        return [weight.constant for weight in self.weights]

    @property
    def variables(self) -> list[Array]:
        """The weights as arrays, which an optimiser updates in place."""
        return [weight.real for weight in self.weights]

    def derivatives(self, slopes: Slopes) -> list[Array]:
        """The gradient with respect to each variable; zeros for a variable on which the loss does not depend.

        slopes: the gradients with respect to the results of constants.
        """
        return [
            np.where(weight.dense, slopes[weight.constant.result], 0.0)
            if weight.constant.result in slopes
            else np.zeros_like(weight.real)
            for weight in self.weights
        ]

    def write(self) -> None:
        """Clamp the weights to the ranges of their formats and store the rounded weights in the program."""
        for weight in self.weights:
            np.clip(weight.real, weight.low, weight.high, out=weight.real)
            _set_reals(weight.constant, weight.real)
        self.renew(self.module)

    def program(self) -> ModuleOp:
        """The program with the current weights: `executed` if it is set, otherwise the trained program itself."""
        if self._executed is None:
            return self.module
        trained: dict[Hashable, list[Array]] = {}
        for weight in self.weights:
            trained.setdefault(_key(weight), []).append(weight.real)
        twin = TrainedWeights(self._executed, renew=self.renew)
        for weight in twin.weights:
            weight.real[...] = trained[_key(weight)].pop(0).reshape(weight.real.shape)
        twin.write()
        return self._executed

    def reals(self) -> dict[str, Array]:
        return {weight.constant.result.name_hint or "": weight.real.copy() for weight in self.weights}

    def state(self) -> list[Array]:
        """A copy of the variables, which `restore` accepts."""
        return [variable.copy() for variable in self.variables]

    def restore(self, state: list[Array]) -> None:
        """Restore the variables from a copy that the method `state` returned, and store them in the program."""
        for variable, value in zip(self.variables, state, strict=True):
            variable[...] = value
        self.write()


def _key(weight: Weight) -> Hashable:
    """A key that is equal for corresponding constants of `executed` and of the trained program."""
    result = weight.constant.result
    return result.name_hint, tdsl.format_of(result).type, weight.real.size


def _towards(given: Array, decoded: Array, constant: tdsl.ConstOp) -> Array:
    """For each element of a constant, a real that is rounded to the element's raw: the given real or, if it is rounded
    to another raw, a real between it and the decoded raw.

    given: the given reals.
    decoded: the decoded raws of the constant.

    The result is the real nearest to the given real among those at the fractions `ROUNDING_SHARES` of the distance.
    """
    format, raws = tdsl.format_of(constant.result), constant.raws
    nearest = decoded
    for share in reversed(ROUNDING_SHARES):
        tried = decoded + share * (given - decoded)
        nearest = np.where(format.encode(tried) == raws, tried, nearest)
    return nearest


def _set_reals(constant: tdsl.ConstOp, reals: Array) -> None:
    """Round reals and store them in a constant, in place. No new attribute is created, because training stores
    constants thousands of times.
    """
    format = tdsl.format_of(constant.result)
    with np.errstate(over="ignore"):
        raws = format.encode(reals)
    raws = raws.astype(format.dtype.newbyteorder("<"))
    constant.value = DenseIntOrFPElementsAttr(constant.value.type, BytesAttr(raws.tobytes()))
