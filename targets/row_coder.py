"""Coders of rows: rows of constant matrices become kernels that hold their weights as immediates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.targets.kernel import Kernel


@dataclass(frozen=True)
class RowCoder:
    """A composer whose kernels hold the weights that they multiply.

    prefix: of the names of the kernels, which a number completes; the rows themselves stand in the program. composed:
    the kernel of a name and rows; None for rows that it does not have a kernel for.
    """

    prefix: str
    composed: Callable[[str, CodedRows], Kernel | None]
