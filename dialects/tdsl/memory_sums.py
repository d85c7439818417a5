"""Tensors of sums, whose elements are accumulators that lie in memory."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.tdsl.base import shaped

__all__ = ["accumulator_elements"]


def accumulator_elements(value: SSAValue) -> Accumulator:
    """The accumulator of the elements of a tensor or memref."""
    element = shaped(value).get_element_type()
    if (accumulator := accumulator_of(element)) is None:
        raise VerifyException(f"elements must be accumulators, got {element}")
    if accumulator.in_memory.type != accumulator.type:
        raise VerifyException(f"{element} lies only in registers, {accumulator.in_memory.type} also in memory")
    return accumulator
