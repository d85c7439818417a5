"""The families of kernels for tiles: which code a tile gets, and the C function around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tinyml.targets.cortex_m.composer.assembly import DSP, Lines, statement
from tinyml.targets.cortex_m.composer.channel_strips import ChannelStrip
from tinyml.targets.cortex_m.composer.dot_strips import Strip
from tinyml.targets.cortex_m.composer.dot_window import Window
from tinyml.targets.cortex_m.composer.winograd_strips import WinogradStrip
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.tiles import Sums, Tile, TileFamily

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

_CALL_BYTES = 16
"""Bytes of flash of a call: three arguments, a branch."""


class TileCode(Protocol):
    """The code for a tile.

    fits: does the tile have any? lines: of the function; time: the instructions of a call; stack, bytes: what it takes
    of stack and flash. portable: its body in plain C. stream: all that belongs to rows, in the order of the function.
    """

    @property
    def fits(self) -> bool: ...
    @property
    def lines(self) -> Lines: ...
    @property
    def time(self) -> int: ...
    @property
    def stack(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def portable(self) -> str: ...
    def stream(self, sums: Sums) -> Bytes: ...


def _dots(tile: Tile) -> TileCode:
    window = Window(tile)
    return window if tile.count == 1 and window.fits else Strip(tile)


def _family(
    prefix: str, op: str, code: Callable[[Tile], TileCode], *, headroom: int = 1, large: bool = False
) -> TileFamily:
    """A family for bytes.

    Every |start| plus the sum of |w| * |x| stays below `REQUANTISED_LIMIT`, every shift is negative, and every
    multiplier at least `LEAST_MULTIPLIER`.
    """
    needs = "dsp"

    def composed(symbol: str, tile: Tile) -> Kernel | None:
        made = code(tile)
        if not made.fits:
            return None
        signature = f"void {symbol}(const int8_t *stream, const int8_t *x, int8_t *out)"
        costs = {"": float(made.time), "element": 0.0, "odd element": 0.0}
        bodies = {(DSP,): statement(made.lines)}
        text = Composed("tinyml/cores.h", signature, bodies, made.portable, costs, _CALL_BYTES, made.stack)
        return Kernel(symbol, 8, 8, 32, op=op, flash=None, code=made.bytes, needs=needs, composed=text)

    return TileFamily(
        prefix, op, needs, composed, lambda tile, sums: code(tile).stream(sums), headroom=headroom, large=large
    )


DOT_TILES = _family("tm_cm_dot_strip_s8_", "num.dot_tiles", _dots)
"""Rows of a matrix by windows."""

CHANNEL_TILES = _family("tm_cm_channel_strip_s8_", "num.channel_tiles", ChannelStrip)
"""Channels, each with a filter."""

WINOGRAD_TILES = _family("tm_cm_winograd_strip_s8_", "num.dot_tiles", WinogradStrip, headroom=2, large=True)
"""Rows of a matrix by windows one pixel apart, with two products for three."""
