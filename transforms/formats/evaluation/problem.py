"""The problem that a search solves, in a form that can be sent to other processes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SearchProblem:
    """The complete input of a worker.

    program: the profiled program on reals, as text. x: inputs of shape (samples, elements). y: labels, if there are
    any. scheme: of functions, as in `assign-format{functions=...}`.
    """

    program: str
    x: NDArray[Any]
    y: NDArray[Any] | None
    scheme: str | None

    @cached_property
    def digest(self) -> str:
        """A hash that distinguishes problems."""
        digest = hashlib.sha256(f"{self.scheme} {self.program}".encode())
        for array in (self.x, self.y):
            digest.update(b"" if array is None else array.tobytes())
        return digest.hexdigest()
