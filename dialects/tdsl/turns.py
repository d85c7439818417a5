"""Convolutions in place that turn the image: Gural and Murmann's herringbone and single transpose (2019, section 3.4).

Results are computed row by row and written one after the other in front of the image, from whose beginning a row is
dead after each. Dead pixels on the right lie scattered; if the rest of the image is transposed in place, columns become
rows. A *turn* is some rows of the result, then such a transposition. The result is transposed back, from the last turn
to the first, once all of it has been computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Extents = tuple[int, int]
"""Height and width."""


class Turn(NamedTuple):
    """A turn, with rows and columns as they lie in memory when it begins.

    rows: the rows of the result that it computes. image, result: what is left of either. read, written: the pixels of
    the image that are dead, and of the result that have been written. turned: whether rows are columns of the image.
    before: rows of padding above what is left of the image, and columns on its left.
    """

    rows: int
    image: Extents
    result: Extents
    read: int
    written: int
    turned: bool
    before: Extents = (0, 0)

    def drop(self, steps: Extents) -> tuple[Extents, int]:
        """The rest of the image after the turn, and the pixels in front of it."""
        dead = min(max(self.rows * steps[self.turned] - self.before[0], 0), self.image[0])
        return (self.image[0] - dead, self.image[1]), self.read + dead * self.image[1]


def turns(rows: Sequence[int], image: Extents, result: Extents, steps: Extents, before: Extents = (0, 0)) -> list[Turn]:
    """The turns of a convolution. rows: of each turn. steps: the strides. before: the padding above and on the left.

    Raises `VerifyException` unless they compute the whole result, and each but the first at least one row.
    """
    made: list[Turn] = []
    read = written = 0
    for number, count in enumerate(rows):
        if not (0 if number == 0 else 1) <= count <= result[0] or result[1] < 1:
            raise VerifyException(f"turn {number} takes {count} of {result[0]} rows of {result[1]} pixels")
        turn = Turn(count, image, result, read, written, number % 2 == 1, before)
        made.append(turn)
        image, read = turn.drop(steps)
        written += count * result[1]
        before = before[1], max(before[0] - count * steps[turn.turned], 0)
        image, result = (image[1], image[0]), (result[1], result[0] - count)
    if 0 not in result:
        raise VerifyException(f"turns of {list(rows)} rows leave {result[1]}x{result[0]} pixels")
    return made


def herringbone(result: Extents, rows_first: bool = True) -> list[int]:
    """The rows of each turn if rows and columns alternate, once what is left of a result is square."""
    (height, width), counts, along_rows = result, [0], True
    while height and width:
        if (height >= width + (not rows_first)) != along_rows:
            counts.append(0)
            along_rows = not along_rows
        counts[-1] += 1
        height, width = (height - 1, width) if along_rows else (height, width - 1)
    return counts


def single_transpose(result: Extents, last: int) -> list[int]:
    """The rows of each turn if the last `last` rows are computed column by column."""
    height, width = result
    return [count for count in (height - last, width if last else 0) if count] if last < height else [0, width]


def lead(pixels: NDArray[np.int64], image: int, result: int) -> int:
    """The least distance at which an image has to begin behind the result that overwrites it.

    pixels: of each window, in the order of computation. image, result: the size of a pixel of either, in any unit. A
    window is read once all elements of its result but the last have been written.
    """
    first = pixels.min(1) * image
    pending = np.minimum.accumulate(first[::-1])[::-1]
    written = (1 + np.arange(len(first))) * result
    ahead = [written[:-1] - pending[1:], written - 1 - pending]
    return max(0, *(int(part.max(initial=0)) for part in ahead))


def window_pixels(turn: Turn, kernel: Extents, steps: Extents) -> NDArray[np.int64]:
    """The pixels of the image in each window of a turn (rows * width of the result, pixels), by their index in memory.

    kernel: rows and columns of a window; pixels are in the order of a window that has not been turned. The last pixel
    of the window that lies in the image stands for padding; each window has one.
    """
    down, right = steps[::-1] if turn.turned else steps
    row, column = (axis.reshape(-1, 1) for axis in np.indices((turn.rows, turn.result[1])))
    i, j = (axis.reshape(1, -1) for axis in np.indices(kernel))
    if turn.turned:
        i, j = j, i
    y, x = row * down - turn.before[0] + i, column * right - turn.before[1] + j
    inside = (y >= 0) & (y < turn.image[0]) & (x >= 0) & (x < turn.image[1])
    pixels = np.where(inside, turn.read + y * turn.image[1] + x, -1)
    return np.where(inside, pixels, pixels.max(1, keepdims=True))
