"""Families of kernels for tiles: the C function around the code that a composer makes for a tile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

from tinyml.targets.c.composer import coded_tiles_in_c
from tinyml.targets.composer.instructions import most_bytes, printed, stack_of
from tinyml.targets.composer.lines import Lines, Printed, statement
from tinyml.targets.composer.repeated import Repeated, Run
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.kernel import REQUANTISED_LIMIT, Composed, Kernel, SharedFunction
from tinyml.targets.tiles import Sums, Tile, TileCoder, TileFamily

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes


class TileAssembly(Protocol):
    """The assembly for a tile, which contains the weights or gets them in a stream.

    fits: whether the tile has any. lines: the text of the function. time: the instructions of a call. runs: those that
    it executes, where they are recorded. stack, bytes: bytes of stack and of flash.
    """

    @property
    def fits(self) -> bool: ...
    @property
    def lines(self) -> Lines: ...
    @property
    def time(self) -> float: ...
    @property
    def runs(self) -> Sequence[Run]: ...
    @property
    def stack(self) -> int: ...
    @property
    def bytes(self) -> int: ...


class TileCode(TileAssembly, Protocol):
    """The code for a tile that gets its weights in a stream, whose order is the layout."""

    @property
    def layout(self) -> WeightStream: ...


class RepeatedCode(ABC):
    """Code whose function records how often each of its instructions runs."""

    @abstractmethod
    def function(self) -> Repeated:
        """The whole function."""

    @cached_property
    def code(self) -> Repeated:
        """The whole function, composed once."""
        return self.function()

    @property
    def lines(self) -> Lines:
        return printed(self.code.lines)

    @property
    def time(self) -> float:
        """The instructions of a call."""
        return self.code.time

    @property
    def runs(self) -> Sequence[Run]:
        return self.code.runs

    @property
    def stack(self) -> int:
        return stack_of(self.code.lines)

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return most_bytes(self.code.lines)


@dataclass(frozen=True)
class LoopedCode(RepeatedCode):
    """Code for a tile that is loops with known iterations.

    SATURATED: the instructions that only saturated results take.
    """

    tile: Tile
    SATURATED: ClassVar[int]

    @property
    @abstractmethod
    def layout(self) -> WeightStream:
        """The layout of the stream."""

    @property
    def time(self) -> float:
        """The instructions of a call, if half of the results are saturated."""
        return self.code.time - self.SATURATED / 2 * self.tile.rows * self.tile.count


@dataclass(frozen=True)
class TileComposer:
    """What the families of an instruction set have in common.

    header: of the runtime; core: the number of the instruction set there. needs, flash: as in `Kernel`. call: bytes of
    flash of a call; enter: the time that it takes besides the function. bits, limit: of sums, as in `TileFamily`.
    statement: the body of a function; prologue: lines in front of every one.
    """

    header: str
    core: int
    call: int
    needs: str = ""
    flash: bool | None = None
    enter: float = 0.0
    bits: int = 32
    limit: int = REQUANTISED_LIMIT
    statement: Callable[[Lines], str] = statement
    prologue: Lines = ()

    def coder(self, name: str, family: TileFamily, code: Callable[[Tile, Sums], TileAssembly]) -> TileCoder:
        """What makes the weights of tiles code, for those of a family."""

        def composed(symbol: str, tile: Tile, sums: Sums) -> Kernel | None:
            made = code(tile, sums)
            if not made.fits:
                return None
            costs = {"": made.time + self.enter}
            bodies = {(self.core,): self.statement((*self.prologue, *made.lines))}
            portable = coded_tiles_in_c.portable(tile, sums)
            head = coded_tiles_in_c.signature(symbol)
            text = Composed(self.header, head, bodies, portable, costs, self.call, made.stack, runs=made.runs)
            kernel = Kernel(symbol, 8, 8, self.bits, op="num.coded_tile", flash=self.flash, needs=self.needs)
            return replace(kernel, code=made.bytes, composed=text)

        return TileCoder(name, family, composed)

    def family(
        self,
        name: str,
        code: Callable[[Tile], TileCode],
        *,
        channels: bool = False,
        large: bool = False,
        lines: int = 1,
        shared: Sequence[SharedFunction] = (),
    ) -> TileFamily:
        """A family for bytes. channels, large, lines: as in `TileFamily`. shared: functions that the code calls.

        Every |start| plus the sum of |w| * |x| stays below `limit`, every shift is negative, and every multiplier at
        least `LEAST_MULTIPLIER`.
        """

        def composed(symbol: str, tile: Tile) -> Kernel | None:
            made = code(tile)
            if not made.fits:
                return None
            signature = f"void {symbol}(const int8_t *stream, const int8_t *x, int8_t *out)"
            costs = {"": made.time + self.enter, "element": 0.0, "odd element": 0.0}
            bodies = Printed({(self.core,): lambda: self.statement((*self.prologue, *made.lines))})
            portable = made.layout.portable
            text = Composed(
                self.header, signature, bodies, portable, costs, self.call, made.stack, shared=shared, runs=made.runs
            )
            kernel = Kernel(symbol, 8, 8, self.bits, op="num.composed_tiles", flash=self.flash, needs=self.needs)
            return replace(kernel, code=made.bytes, composed=text)

        def stream(tile: Tile, sums: Sums) -> Bytes:
            return code(tile).layout.stream(sums)

        return TileFamily(
            name, channels, self.needs, composed, stream, self.limit, bits=self.bits, large=large, lines=lines
        )
