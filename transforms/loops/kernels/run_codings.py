"""The codings of runs of memory that kernels read."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tinyml.dialects.formats.number_format import INTEGER, NumberFormat, element_format
from tinyml.targets.nests import DECODED_BITS


def coding_of(run: SSAValue) -> str:
    coding = element_format(run.type).coding
    return "" if coding is None else coding.name


def decoded_format(run: SSAValue) -> NumberFormat | None:
    """The integer format to which the elements of a run can be decoded. None if they already are integers, or if no
    integer format represents them.
    """
    return None if coding_of(run) == INTEGER else element_format(run.type).as_integers(DECODED_BITS)
