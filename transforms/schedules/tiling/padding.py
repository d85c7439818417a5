"""Padding of images in height and width."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl


def padding(image: SSAValue) -> tdsl.PadOp | None:
    """The padding that defines an image, if it only pads height and width. None otherwise."""
    pad = image.owner
    if not isinstance(pad, tdsl.PadOp) or len(pad.margins) != 4:
        return None
    first, _, _, last = pad.margins
    return None if any((*first, *last, *pad.gaps)) else pad


def margins_of(pad: tdsl.PadOp | None) -> tuple[int, int, int, int]:
    """Return the padding above, below, on the left and on the right. Zeros without padding."""
    if pad is None:
        return 0, 0, 0, 0
    _, down, across, _ = pad.margins
    return *down, *across
