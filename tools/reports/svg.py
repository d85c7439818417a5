"""Drawings as SVG text, for files and for parts of pages, readable on light and dark backgrounds. No library is
required.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLOURS = ("#6f9bc8", "#f28e2b", "#66b05c", "#ee7f80", "#76b7b2", "#edc948", "#bd8fb8", "#b8937f")
"""Colours of areas that lie next to each other, with black text on them."""

MIN_PICTURE_WIDTH = 720
"""The minimum width of a picture on a page in pixels; at this width, text of a 1000-pixel picture has 6 to 8 pixels."""

_STYLE = (
    ".tm-picture text{font:11px sans-serif;fill:#222}.tm-picture .ink{stroke:#222}.tm-picture .paper{fill:#fff}"
    ".tm-picture text.on{font-size:9px;fill:#000}.tm-picture text.small{font-size:9px}"
    ".tm-picture .faint{stroke:#8884}.tm-picture :focus{outline:2px solid #d55e00;stroke:#d55e00}"
    "@media(prefers-color-scheme:dark){.tm-picture text{fill:#ddd}.tm-picture text.on{fill:#000}"
    ".tm-picture .ink{stroke:#ddd}.tm-picture .paper{fill:#1b1b1b}}"
)


class Drawing:
    """A drawing of `width` times `height` pixels. x increases to the right, y downwards.

    Elements have classes. Lines of the class `ink` and areas of the class `paper` have the colours of the page. Text of
    the class `on` is black, for areas in a colour of `COLOURS`. Text of the classes `on` and `small` is smaller than
    other text.

    title: the alternative text.
    """

    def __init__(self, width: float, height: float, title: str = ""):
        self.width, self.height, self.title = width, height, title
        self._parts: list[str] = []
        self.rectangle(0, 0, width, height, kind="paper")

    def hatch(self, name: str, path: str, colour: str) -> None:
        """Define a pattern of 8 by 8 pixels for `fill="url(#name)"`, from an SVG path."""
        self._parts.append(
            f'<pattern id="{name}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<path d="{path}" stroke="{colour}" stroke-width="2" stroke-linecap="round"/></pattern>'
        )

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "",
        kind: str = "",
        tip: str = "",
        opacity: float = 1.0,
    ) -> None:
        """Fill a rectangle with a colour or by its class.

        tip: the tooltip.
        fill, kind: the colour, or the class if `fill` is empty.
        opacity: from 0 (transparent) to 1.
        """
        paint = f' fill="{fill}"' if fill else f' class="{kind}"'
        paint += f' fill-opacity="{opacity:.3g}"' if opacity < 1 else ""
        edge = f' stroke="#fff" stroke-width="0.4" stroke-opacity="{opacity:.3g}"' if tip else ""
        self._parts.append(
            f'<rect x="{x:.6g}" y="{y:.6g}" width="{max(width, 0):.6g}" height="{max(height, 0):.6g}"{paint}{edge}>'
            f"{_tip(tip)}</rect>"
        )

    def shade(self, x: float, y: float, width: float, height: float, fill: str, opacity: float, tip: str) -> None:
        """Fill a rectangle with a faint colour on a white background, so that black text on it is readable.

        fill: the colour.
        opacity: from 0 (transparent) to 1.
        tip: the tooltip.
        """
        self.rectangle(x, y, width, height, fill="#fff")
        self.rectangle(x, y, width, height, fill=fill, tip=tip, opacity=opacity)

    def frame(self, x: float, y: float, width: float, height: float, *, tip: str = "") -> None:
        """Draw the outline of a rectangle in ink.

        tip: the tooltip.
        """
        self._parts.append(
            f'<rect class="ink" fill="none" stroke-width="0.8" x="{x:.6g}" y="{y:.6g}" width="{width:.6g}" '
            f'height="{height:.6g}" rx="3">{_tip(tip)}</rect>'
        )

    def dot(self, x: float, y: float, radius: float, fill: str, tip: str = "", *, reached: bool = False) -> None:
        """Draw a dot.

        fill: the colour.
        tip: the tooltip.
        reached: true if the keyboard can focus the dot, so that screen readers announce its tip.
        """
        keys = f' tabindex="0" role="img" aria-label={quoteattr(tip)}' if reached else ""
        self._parts.append(
            f'<circle cx="{x:.6g}" cy="{y:.6g}" r="{radius:.3g}" fill="{fill}"{keys}>{_tip(tip)}</circle>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, dashes: str = "", *, kind: str = "ink") -> None:
        """Draw a line, by default in ink.

        dashes: lengths in pixels, such as "4 3"; empty for a solid line.
        kind: the class of the line.
        """
        pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
        ends = f'x1="{x1:.6g}" y1="{y1:.6g}" x2="{x2:.6g}" y2="{y2:.6g}"'
        self._parts.append(f'<line class="{kind}" {ends} stroke-width="0.8"{pattern}/>')

    def marks_below(self, y: float, marks: Iterable[tuple[float, str]], *, kind: str = "") -> None:
        """Draw the marks of a horizontal axis at height y.

        marks: the x position and the text of each mark; the text is below the mark.
        kind: the class of the texts.
        """
        for x, text in marks:
            self.line(x, y, x, y + 4)
            self.text(x, y + 16, text, kind=kind)

    def curve(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """Draw a polyline through points."""
        path = " ".join(f"{x:.4g},{y:.4g}" for x, y in points)
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.4"/>')

    def pixels(self, x: float, y: float, width: float, height: float, pixels: NDArray[np.uint8]) -> None:
        """Draw an image (height, width, 1 or 3 channels), without smoothing."""
        self._parts.append(
            f'<image x="{x:.6g}" y="{y:.6g}" width="{width:.6g}" height="{height:.6g}" href="{_png(pixels)}" '
            'style="image-rendering:pixelated" preserveAspectRatio="none"/>'
        )

    def text(
        self, x: float, y: float, text: str, anchor: str = "middle", *, kind: str = "", turned: bool = False
    ) -> None:
        """Draw a line of text.

        anchor: "start", "middle" or "end".
        turned: true to rotate the text to read upwards.
        kind: the classes of the text.
        """
        turn = f' transform="rotate(-90 {x:.6g} {y:.6g})"' if turned else ""
        style = f" class={quoteattr(kind)}" if kind else ""
        self._parts.append(f'<text x="{x:.6g}" y="{y:.6g}" text-anchor="{anchor}"{style}{turn}>{escape(text)}</text>')

    def inline(self) -> str:
        """The SVG element for an HTML page, without the style, which `picture_style` returns.

        The maximum width of the element is the width of its container. The minimum width keeps the text readable, so
        that the container must scroll.
        """
        label = f' role="group" aria-label={quoteattr(self.title)}' if self.title else ' aria-hidden="true"'
        style = f"max-width:100%;min-width:{min(self.width, MIN_PICTURE_WIDTH):g}px;height:auto"
        return f'<svg class="tm-picture" {self._size()}{label} style="{style}">{self._body()}</svg>'

    def finished(self) -> str:
        """The text of the complete SVG file."""
        title = f"<title>{escape(self.title)}</title>\n" if self.title else ""
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tm-picture" {self._size()}>\n'
            f"{title}<style>{_STYLE}</style>\n{self._body()}\n</svg>\n"
        )

    def _size(self) -> str:
        width, height = f"{self.width:g}", f"{self.height:g}"
        return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'

    def _body(self) -> str:
        return "\n".join(self._parts)


def picture_style() -> str:
    """The style sheet for drawings within an HTML page."""
    return _STYLE


def _tip(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def _png(pixels: NDArray[np.uint8]) -> str:
    height, width, channels = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    # Each row begins with the number of its filter.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)), chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def ticks(low: float, high: float, most: int) -> Sequence[int]:
    """At most `most` round integers from low to high, evenly spaced by 1, 2 or 5 times a power of ten."""
    least = max((high - low) / max(most - 1, 1), 1)
    power = 10 ** math.floor(math.log10(least))
    step = next(int(factor * power) for factor in (1, 2, 5, 10) if factor * power >= least)
    return range(-(-math.floor(low) // step) * step, math.floor(high) + 1, step)


def shortened(text: str, most: int) -> str:
    """`text`, or if it is longer than `most` characters (2 or more), its beginning and an ellipsis, `most`
    characters together.
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
