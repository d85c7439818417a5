"""Families of kernels for tiles: the C function around the code that a composer makes for a tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tinyml.targets.composer.lines import Lines, statement
from tinyml.targets.kernel import REQUANTISED_LIMIT, Composed, Kernel
from tinyml.targets.tiles import Sums, Tile, TileFamily

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes


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
    def time(self) -> float: ...
    @property
    def stack(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def portable(self) -> str: ...
    def stream(self, sums: Sums) -> Bytes: ...


@dataclass(frozen=True)
class Machine:
    """What the families of an instruction set have in common.

    header: of the runtime; core: the number of the instruction set there. needs: as in `Kernel`. call: bytes of flash
    of a call. limit: as in `TileFamily`. prologue: lines in front of every function.
    """

    header: str
    core: int
    needs: str
    call: int
    limit: int = REQUANTISED_LIMIT
    prologue: Lines = ()

    def family(self, prefix: str, op: str, code: Callable[[Tile], TileCode], *, large: bool = False) -> TileFamily:
        """A family for bytes. large: as in `TileFamily`.

        Every |start| plus the sum of |w| * |x| stays below `limit`, every shift is negative, and every multiplier at
        least `LEAST_MULTIPLIER`.
        """

        def composed(symbol: str, tile: Tile) -> Kernel | None:
            made = code(tile)
            if not made.fits:
                return None
            signature = f"void {symbol}(const int8_t *stream, const int8_t *x, int8_t *out)"
            costs = {"": float(made.time), "element": 0.0, "odd element": 0.0}
            bodies = {(self.core,): statement((*self.prologue, *made.lines))}
            text = Composed(self.header, signature, bodies, made.portable, costs, self.call, made.stack)
            return Kernel(symbol, 8, 8, 32, op=op, flash=None, code=made.bytes, needs=self.needs, composed=text)

        def stream(tile: Tile, sums: Sums) -> Bytes:
            return code(tile).stream(sums)

        return TileFamily(prefix, op, self.needs, composed, stream, self.limit, large=large)
