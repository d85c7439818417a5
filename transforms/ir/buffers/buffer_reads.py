"""Uses of a buffer, through its views."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue, Use

from tinyml.dialects.scratch import SliceOp


def buffer_reads(value: SSAValue) -> Iterator[Use]:
    """The uses of a buffer and of its views, except those that make a view."""
    for use in value.uses:
        if isinstance(view := use.operation, SliceOp):
            yield from buffer_reads(view.result)
        else:
            yield use
