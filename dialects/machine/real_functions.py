"""Functions of reals, as the reference for tables and tests of number formats.

Properties of the functions, such as their greatest derivatives, determine the sizes of tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Function, Reals


MOST_EXPONENT = 80.0
"""An exponent of e for which the power exceeds every fixed-point format."""


@dataclass(frozen=True)
class RealFunction:
    """An increasing function of reals, with properties that determine the sizes of its tables.

    * exact: the function in double precision.
    * steepest: returns the greatest derivative at arguments up to a given argument.
    * inverse: the inverse function.
    * flat: returns, for a number n, the argument above which the function is within `tail` * e^-n of its upper limit;
      None for a function without an upper limit.
    * tail: the factor in the definition of `flat`.
    * centre: the value c for which the function minus c is odd; None if there is none.
    * widest: the number of bits of the widest result that linear interpolation between 16-bit entries can approximate.
    """

    exact: Callable[[Reals], Reals]
    steepest: Callable[[float], float]
    inverse: Callable[[float], float]
    flat: Callable[[float], float] | None = None
    tail: float = 1.0
    centre: float | None = None
    widest: int = 32


def _exp(x: Reals) -> Reals:
    with np.errstate(over="ignore"):
        return np.exp(x)


def _tanh(x: Reals) -> Reals:
    return np.tanh(x)


def _logistic(x: Reals) -> Reals:
    return 0.5 + 0.5 * np.tanh(x / 2)


def _softplus(x: Reals) -> Reals:
    return np.logaddexp(0.0, x)


def _log(x: Reals) -> Reals:
    """The natural logarithm. Arguments below 2^-126, the least positive normal number of single precision, are replaced
    by this number.
    """
    return np.log(np.maximum(x, LEAST_POSITIVE))


def _erf(x: Reals) -> Reals:
    return np.asarray(np.vectorize(math.erf, otypes=[np.float64])(x))


def _inverse_erf(y: float) -> float:
    """The inverse of the error function, by bisection between -6 and 6, since erf(6) is 1 in double precision."""
    low, high = -6.0, 6.0
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < y else (low, middle)
    return high


LEAST_POSITIVE = 2.0**-126
"""The least argument that logarithms distinguish from 0."""

REAL_FUNCTIONS: Mapping[Function, RealFunction] = {
    "exp": RealFunction(_exp, math.exp, math.log),
    "softplus": RealFunction(_softplus, lambda x: 1.0, lambda y: y + math.log(-math.expm1(-y)), widest=16),
    "tanh": RealFunction(_tanh, lambda x: 1.0, math.atanh, lambda n: n / 2, tail=2.0, centre=0.0),
    "erf": RealFunction(_erf, lambda x: 2 / math.sqrt(math.pi), _inverse_erf, math.sqrt, centre=0.0),
    "sigmoid": RealFunction(_logistic, lambda x: 0.25, lambda y: math.log(y / (1 - y)), lambda n: n, centre=0.5),
    "log": RealFunction(_log, lambda x: 1 / LEAST_POSITIVE, lambda y: math.exp(min(y, MOST_EXPONENT)), widest=0),
}


def exactly(function: Function, x: Reals) -> Reals:
    return REAL_FUNCTIONS[function].exact(x)
