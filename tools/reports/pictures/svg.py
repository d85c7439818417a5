"""Drawings as SVG text, readable on light and dark paper, without a library: each compilation draws one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f")
"""Colours of areas that lie next to each other, with black text on them."""

_STYLE = (
    "text{font:11px sans-serif;fill:#222}.ink{stroke:#222}.paper{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.ink{stroke:#ddd}.paper{fill:#1b1b1b}}"
    "text.on{font-size:9px;fill:#000}"
)


class Drawing:
    """A drawing of `width` times `height` pixels; x goes to the right, y downwards.

    `ink` is the class of lines and `paper` that of areas in the colours of the page, `on` that of text on `COLOURS`.
    """

    def __init__(self, width: int, height: int):
        size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        self._parts = [
            f'<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            f"<style>{_STYLE}</style>",
        ]
        self.rectangle(0, 0, width, height, kind="paper")

    def hatch(self, name: str, path: str, colour: str) -> None:
        """Define a pattern of 8 by 8 pixels for `fill="url(#name)"`, from an SVG path."""
        self._parts.append(
            f'<pattern id="{name}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<path d="{path}" stroke="{colour}" stroke-width="2" stroke-linecap="round"/></pattern>'
        )

    def rectangle(
        self, x: float, y: float, width: float, height: float, *, fill: str = "", kind: str = "", tip: str = ""
    ) -> None:
        """Fill a rectangle with a colour or by its class; `tip` is shown under the pointer."""
        paint = f' fill="{fill}"' if fill else f' class="{kind}"'
        edge = ' stroke="#fff" stroke-width="0.4"' if tip else ""
        inner = f"<title>{escape(tip)}</title>" if tip else ""
        self._parts.append(
            f'<rect x="{x:.6g}" y="{y:.6g}" width="{width:.6g}" height="{height:.6g}"{paint}{edge}>{inner}</rect>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, dashes: str = "") -> None:
        """Draw a line in ink; dashes: lengths in pixels, such as "4 3"."""
        pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._parts.append(
            f'<line class="ink" x1="{x1:.6g}" y1="{y1:.6g}" x2="{x2:.6g}" y2="{y2:.6g}" stroke-width="0.8"{pattern}/>'
        )

    def text(
        self, x: float, y: float, text: str, anchor: str = "middle", *, kind: str = "", turned: bool = False
    ) -> None:
        """Write a line of text; anchor: "start", "middle" or "end"; turned: upwards."""
        turn = f' transform="rotate(-90 {x:.6g} {y:.6g})"' if turned else ""
        style = f" class={quoteattr(kind)}" if kind else ""
        self._parts.append(f'<text x="{x:.6g}" y="{y:.6g}" text-anchor="{anchor}"{style}{turn}>{escape(text)}</text>')

    def finished(self) -> str:
        """The whole file."""
        return "\n".join([*self._parts, "</svg>\n"])


def ticks(low: int, high: int, most: int) -> Sequence[int]:
    """At most `most` round integers from low to high, evenly spaced by 1, 2 or 5 times a power of ten."""
    least = max((high - low) / max(most - 1, 1), 1)
    power = 10 ** math.floor(math.log10(least))
    step = next(int(factor * power) for factor in (1, 2, 5, 10) if factor * power >= least)
    return range(-(-low // step) * step, high + 1, step)
