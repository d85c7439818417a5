"""exp, tanh and sigmoid of reals: the reference that formats tabulate and are measured against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Function, Reals


def exactly(function: Function, x: Reals) -> Reals:
    """A function in double precision."""
    if function == "exp":
        with np.errstate(over="ignore"):
            return np.exp(x)
    return np.tanh(x) if function == "tanh" else 0.5 + 0.5 * np.tanh(x / 2)
