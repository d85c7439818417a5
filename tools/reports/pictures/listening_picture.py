"""A picture of a recording and what a program heard in it: spectrogram, scores of the classes and words over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.tools.reports.pictures.svg import COLOURS, Drawing, shortened, ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.tools.driver.listening.heard import Heard
    from tinyml.tools.driver.listening.words import Word

WIDTH, LEFT, RIGHT, TOP, GAP = 760, 74, 14, 26, 24
SPECTRUM, CLASS = 110, 14
"""Pixels of the height of the spectrogram, and of the row of a class."""
BINS, COLUMNS = 64, 640
"""The most frequencies and moments of a spectrogram; of more, the loudest of neighbours is shown."""
RANGE = 60.0
"""Decibels from the loudest, which is black, to white."""
SHADES = 15
"""The shades of a spectrogram between black and white."""


def draw_heard(samples: NDArray[Any], rate: float, hop: int, heard: Heard, words: Sequence[Word]) -> Drawing:
    """The spectrogram of samples, whose frames begin `hop` apart, above the scores, with a line at each word."""
    height = TOP + SPECTRUM + GAP + CLASS * len(heard.names) + 34
    said = ", ".join(f"{word.name} at {word.time:.2f} s" for word in words) or "nothing"
    picture = Drawing(WIDTH, height, f"Spectrogram, scores and words over time; heard: {said}")
    across = (WIDTH - LEFT - RIGHT) / (len(samples) / rate)
    picture.pixels(LEFT, TOP, WIDTH - LEFT - RIGHT, SPECTRUM, _spectrogram(samples, hop))
    for share in (0, 0.5, 1):
        picture.text(LEFT - 6, TOP + SPECTRUM * (1 - share) + 4, f"{share * rate / 2000:g} kHz", "end", kind="small")
    top = TOP + SPECTRUM + GAP
    bottom = top + CLASS * len(heard.names)
    _draw_scores(picture, heard, across, top)
    picture.line(LEFT, bottom, WIDTH - RIGHT, bottom)
    for second in ticks(0, len(samples) / rate, 12):
        x = LEFT + second * across
        picture.line(x, bottom, x, bottom + 4)
        picture.text(x, bottom + 16, f"{second} s", kind="small")
    free = 0.0
    for word in words:
        x = LEFT + word.time * across
        picture.line(x, TOP - 6, x, bottom, "4 3")
        name = shortened(word.name, 12)
        if x - 3.5 * len(name) >= free:
            picture.text(x, TOP - 10, name)
            free = x + 3.5 * len(name)
    return picture


def _draw_scores(picture: Drawing, heard: Heard, across: float, top: float) -> None:
    """A row for each class, in which an answer lasts until the next one; the best class of each has a colour."""
    shades = _shades(heard.scores)
    part = np.diff(heard.times).min(initial=heard.times[0])
    colour = np.array([int(COLOURS[1][i : i + 2], 16) for i in (1, 3, 5)])
    pixels = np.repeat(shades.T[:, :, None], 3, axis=2)
    best = heard.scores.argmax(1)
    pixels[best, np.arange(len(best))] = colour
    left = LEFT + heard.times[0] * across
    width = min(len(best) * part * across, WIDTH - RIGHT - left)
    shown = max(round(width / (part * across)), 1)
    picture.pixels(left, top, width, CLASS * len(heard.names), pixels[:, :shown].astype(np.uint8))
    for at, name in enumerate(heard.names):
        picture.text(LEFT - 6, top + CLASS * at + 11, shortened(name, 10), "end", kind="small")


def _shades(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Greys from white for the least score of an answer to dark for the greatest one."""
    low, high = (limit(scores, axis=1, keepdims=True) for limit in (np.min, np.max))
    return 245 - 150 * (scores - low) / np.maximum(high - low, 1e-9)


def _spectrogram(samples: NDArray[Any], hop: int) -> NDArray[np.uint8]:
    """Pixels (frequencies, moments, 1), the highest frequency first; loud is dark."""
    length = 2 * hop
    filled = np.concatenate([samples, np.zeros(length)])
    apart = max(hop, len(samples) // (4 * COLUMNS))
    frames = np.lib.stride_tricks.sliding_window_view(filled, length)[: len(samples) : apart]
    levels: NDArray[Any] = np.abs(np.fft.rfft(frames * np.hanning(length), axis=1))[:, 1:]
    for axis, most in ((0, COLUMNS), (1, BINS)):
        apart = -(-levels.shape[axis] // most)
        levels = np.maximum.reduceat(levels, list(range(0, levels.shape[axis], apart)), axis=axis)
    decibels: NDArray[np.float64] = 20 * np.log10(levels / max(levels.max(), 1e-9) + 1e-9)
    # Few shades make a small file.
    shades = np.round(np.clip(-decibels / RANGE, 0, 1) * SHADES) * (255 // SHADES)
    return shades.T[::-1, :, None].astype(np.uint8)
