"""The spacing of a convolution's windows in memory that they share (L1 to L3)."""

from __future__ import annotations

from tinyml.dialects import num, tdsl


def spacing(filter: tdsl.Shape, image: tdsl.Shape, across: int) -> tuple[num.Spacing, int]:
    """The layout of the windows of an undilated filter, `across` pixels apart, and the number of lines of windows.

    filter: its shape, O x KH x KW x C. image: 1 x H x W x C with a line of windows for each row starting at row KH - 1,
    or a single line for a 1x1 filter; or N x KH x KW x C, with separate windows.
    """
    count, rows, columns, channels = image
    _, height, width, length = filter
    if count > 1:
        runs = 1 if length == channels else height
        return num.Spacing(runs, columns * channels if runs > 1 else 0, rows * columns * channels), 1
    lines = 1 if (height, width) == (1, 1) else rows - height + 1
    return num.Spacing(height, columns * channels if max(height, lines) > 1 else 0, across * channels), lines


def is_strip(op: tdsl.Conv2dOp) -> bool:
    """True if the windows of a single image form lines with a constant step between adjacent windows.

    Successive lines start one row apart.
    """
    (_, *taps, _), (_, height, _, _) = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)
    rows = tdsl.shape_of(op.out)[1]
    pixels = taps == [1, 1] and op.steps == (1, 1)
    in_lines = height == taps[0] + rows - 1 and (rows == 1 or op.steps[0] == 1)
    return op.spread == (1, 1) and (in_lines or pixels)
