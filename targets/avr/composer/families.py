"""The families of kernels for tiles: which code a tile gets, and the C function around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tinyml.targets.avr.composer.assembly import bytes_of, statement
from tinyml.targets.avr.composer.calls import HEADER
from tinyml.targets.avr.composer.channel_rows import ChannelRows
from tinyml.targets.avr.composer.channel_strips import ChannelStrip
from tinyml.targets.avr.composer.dot_strips import DotStrip
from tinyml.targets.avr.composer.epilogues import MOST_RIGHT, REQUANTISE, SUM_BITS
from tinyml.targets.composer.lines import Lines
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.tiles import Sums, Tile, TileFamily

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

_AVR = 2
"""The value of TM_CORE."""

_CALL_CYCLES, _CALL_BYTES = 10, 16
"""A call, with three arguments of two bytes."""


class TileCode(Protocol):
    """The code for a tile.

    fits: does the tile have any? usual: about the cycles of the same results by kernels for single sums. lines: of the
    function; time: the cycles from its first instruction until it has returned; stack: bytes, the return address
    included. portable: its body in plain C. stream: all that belongs to rows, in the order of the function.
    """

    @property
    def fits(self) -> bool: ...
    @property
    def usual(self) -> float: ...
    @property
    def lines(self) -> Lines: ...
    @property
    def time(self) -> int: ...
    @property
    def stack(self) -> int: ...
    @property
    def portable(self) -> str: ...
    def stream(self, sums: Sums) -> Bytes: ...


def _channels(tile: Tile) -> TileCode:
    strip = ChannelStrip(tile)
    return strip if strip.fits else ChannelRows(tile)


def _family(prefix: str, op: str, code: Callable[[Tile], TileCode], most: int, *, shifts: bool) -> TileFamily:
    """A family for bytes whose sums have 24 bits.

    most: bytes of a strip that is gathered. shifts: are sums shifted? Else TensorFlow Lite's requantisation ends them.
    """

    def composed(symbol: str, tile: Tile) -> Kernel | None:
        made = code(tile)
        if not made.fits or made.time > made.usual:
            return None
        signature = f"void {symbol}(const int8_t *stream, const int8_t *x, int8_t *out)"
        shared = () if shifts else (REQUANTISE,)
        bodies = {(_AVR,): statement(made.lines, [function.symbol for function in shared])}
        costs = {"": float(made.time + _CALL_CYCLES), "element": 0.0, "odd element": 0.0}
        text = Composed(HEADER, signature, bodies, made.portable, costs, _CALL_BYTES, made.stack, shared=shared)
        return Kernel(symbol, 8, 8, SUM_BITS, op=op, code=bytes_of(made.lines), composed=text)

    def stream(tile: Tile, sums: Sums) -> Bytes:
        return code(tile).stream(sums)

    return TileFamily(
        prefix, op, "", composed, stream, 1 << SUM_BITS - 1, shifts=shifts, bits=SUM_BITS, right=MOST_RIGHT, most=most
    )


SHIFTED_DOTS = _family("tm_dot_strip_s8_", "num.dot_tiles", DotStrip, 384, shifts=True)
REQUANTISED_DOTS = _family("tm_dot_requantised_s8_", "num.dot_tiles", DotStrip, 384, shifts=False)
"""Rows of a matrix by windows."""

SHIFTED_CHANNELS = _family("tm_channel_strip_s8_", "num.channel_tiles", _channels, 512, shifts=True)
REQUANTISED_CHANNELS = _family("tm_channel_requantised_s8_", "num.channel_tiles", _channels, 512, shifts=False)
"""Channels, each with a filter."""
