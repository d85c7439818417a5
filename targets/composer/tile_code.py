"""Families of tile kernels: the C function around the code that a composer generates for a tile.

`RowNest` is the loop nest of a kernel for rows of weights, the same on every instruction set: groups of windows x
blocks of rows x runs x elements, and an epilogue. A register tile determines how many windows and rows are taken at
once; an instruction set implements the abstract methods for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from tinyml.targets.c.composer.constants_in_c import tile_in_c, tile_signature
from tinyml.targets.composer.instructions import Code, Lines, Printed, Repeated, Run, most_bytes, printed, stack_of
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.kernel import REQUANTISED_LIMIT, Composed, Kernel, SharedFunction
from tinyml.targets.tiles import Sums, Tile, TileCoder, TileFamily

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes


L = TypeVar("L")
L_co = TypeVar("L_co", covariant=True)
"""Lines of assembly: their text, or records that an instruction set prints in a way of its own."""


class TileAssembly(Protocol[L_co]):
    """The assembly for a tile, which contains the weights or reads them from a stream.

    fits: true if there is code for the tile. lines: the function. time: the number of instructions of a
    call. runs: the executed instructions, if they are recorded. stack, bytes: bytes of stack and of flash.
    """

    @property
    def fits(self) -> bool: ...
    @property
    def lines(self) -> Sequence[L_co]: ...
    @property
    def time(self) -> float: ...
    @property
    def runs(self) -> Sequence[Run]: ...
    @property
    def stack(self) -> int: ...
    @property
    def bytes(self) -> int: ...


class TileCode(TileAssembly[L_co], Protocol[L_co]):
    """The code for a tile that reads its weights from a stream, whose order is the layout."""

    @property
    def layout(self) -> WeightStream: ...


class RepeatedCode(ABC):
    """Code whose function records the number of executions of each instruction."""

    @abstractmethod
    def function(self) -> Repeated:
        """The complete function."""

    @cached_property
    def code(self) -> Repeated:
        """The complete function, composed once."""
        return self.function()

    @property
    def lines(self) -> Lines:
        return printed(self.code.lines)

    @property
    def time(self) -> float:
        """The number of instructions of a call."""
        return self.code.time

    @property
    def runs(self) -> Sequence[Run]:
        return self.code.runs

    @property
    def stack(self) -> int:
        return stack_of(self.code.lines)

    @property
    def bytes(self) -> int:
        """An upper bound on the bytes of flash."""
        return most_bytes(self.code.lines)


@dataclass(frozen=True)
class LoopedCode(RepeatedCode):
    """Code for a tile whose loops have known trip counts.

    SATURATED: the number of additional instructions for a saturated result.
    """

    tile: Tile
    SATURATED: ClassVar[int]

    @property
    @abstractmethod
    def layout(self) -> WeightStream:
        """The layout of the stream."""

    @property
    def time(self) -> float:
        """The number of instructions of a call in which half of the results are saturated."""
        return self.code.time - self.SATURATED / 2 * self.tile.rows * self.tile.count


@dataclass(frozen=True)
class TileComposer(Generic[L]):
    """The common properties of an instruction set's families.

    header: of the runtime; core: the number of the instruction set in it, or a condition of the preprocessor.
    statement: formats the body of a function.
    needs, flash: as in `Kernel`. call: bytes of flash of a call; enter: the overhead of a call in time.
    bits, limit: of sums, as in `TileFamily`.
    """

    header: str
    core: int | str
    statement: Callable[[Sequence[L]], str]
    call: int
    needs: str = ""
    flash: bool | None = None
    enter: float = 0.0
    bits: int = 32
    limit: int = REQUANTISED_LIMIT

    def coder(self, name: str, family: TileFamily, code: Callable[[Tile, Sums], TileAssembly[L]]) -> TileCoder:
        """A coder that turns the weights of a family's tiles into code."""

        def composed(symbol: str, tile: Tile, sums: Sums) -> Kernel | None:
            made = code(tile, sums)
            if not made.fits:
                return None
            costs = {"": made.time + self.enter}
            bodies = {(self.core,): self.statement(made.lines)}
            portable = tile_in_c(tile, sums)
            head = tile_signature(symbol)
            text = Composed(self.header, head, bodies, portable, costs, self.call, made.stack, runs=made.runs)
            kernel = Kernel(symbol, 8, 8, self.bits, op="num.coded_tile", flash=self.flash, needs=self.needs)
            return replace(kernel, code=made.bytes, composed=text)

        return TileCoder(name, family, composed, self.needs)

    def family(
        self,
        name: str,
        code: Callable[[Tile], TileCode[L]],
        *,
        channels: bool = False,
        large: bool = False,
        lines: int = 1,
        shared: Sequence[SharedFunction] = (),
    ) -> TileFamily:
        """A family of kernels for bytes. channels, large, lines: as in `TileFamily`. shared: called functions.

        Every |start| plus the sum of |w| * |x| stays below `limit`, every shift is negative, and every multiplier is at
        least `LEAST_MULTIPLIER`.
        """

        def composed(symbol: str, tile: Tile) -> Kernel | None:
            made = code(tile)
            if not made.fits:
                return None
            signature = f"void {symbol}(const int8_t *stream, const int8_t *x, int8_t *out)"
            costs = {"": made.time + self.enter, "element": 0.0, "odd element": 0.0}
            bodies = Printed({(self.core,): lambda: self.statement(made.lines)})
            portable = made.layout.portable
            text = Composed(
                self.header, signature, bodies, portable, costs, self.call, made.stack, shared=shared, runs=made.runs
            )
            kernel = Kernel(symbol, 8, 8, self.bits, op="num.tiles", flash=self.flash, needs=self.needs)
            return replace(kernel, code=made.bytes, composed=text)

        def stream(tile: Tile, sums: Sums) -> Bytes:
            return code(tile).layout.stream(sums)

        return TileFamily(
            name, channels, self.needs, composed, stream, self.limit, bits=self.bits, large=large, lines=lines
        )


@dataclass(frozen=True)
class RowNest(LoopedCode):
    """The code for a tile. The rows of a block are those of the weight stream."""

    @property
    @abstractmethod
    def windows(self) -> Sequence[tuple[int, int]]:
        """Pairs of a repetition count and a number of windows taken at once, in order of the windows."""

    @abstractmethod
    def enter(self) -> Code:
        """Save registers and arguments."""

    @abstractmethod
    def leave(self) -> Code:
        """Restore the registers and return."""

    @abstractmethod
    def load_windows(self, windows: int) -> Repeated:
        """Set up windows before the first block, and reset the stream pointer to the start."""

    @abstractmethod
    def start(self, rows: int, windows: int) -> Code:
        """Load the starts of the sums of a block."""

    @abstractmethod
    def products(self, rows: int, windows: int) -> Repeated:
        """Add the products of all runs and elements to the sums."""

    @abstractmethod
    def finish(self, rows: int, windows: int) -> Code:
        """The epilogue: store the results of a block."""

    @abstractmethod
    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        """The loop over equal blocks, those of a group of the stream."""

    @abstractmethod
    def over_windows(self, code: Repeated, times: int) -> Repeated:
        """The loop over groups of equally many windows."""

    def next_windows(self, windows: int) -> Code:
        """Advance to the next windows."""
        return ()

    def function(self) -> Repeated:
        code = Repeated.once(self.enter())
        for times, windows in self.windows:
            code = code.followed_by(self.over_windows(self.all_rows(windows), times))
        return code.then(self.leave())

    def all_rows(self, windows: int) -> Repeated:
        """All rows for the given number of windows."""
        code = self.load_windows(windows)
        for group, (times, rows) in enumerate(self.layout.groups):
            code = code.followed_by(self.over_rows(self.block(rows, windows), times, group))
        return code.then(self.next_windows(windows))

    def block(self, rows: int, windows: int) -> Repeated:
        """A block of rows for the given number of windows."""
        start = Repeated.once(self.start(rows, windows))
        return start.followed_by(self.products(rows, windows)).then(self.finish(rows, windows))


def unrolled(step: Code, count: int, at_once: int, loop: Callable[[Repeated, int], Repeated]) -> Repeated:
    """A step repeated `count` times, in a loop over `at_once` steps if there are more than twice as many."""
    loops, single = divmod(count, at_once) if count > 2 * at_once else (0, count)
    code = Repeated.once(step * single)
    return code.followed_by(loop(Repeated.once(step * at_once), loops)) if loops else code


def overlapping(column: int, windows: int, across: int, width: int) -> list[tuple[int, int]]:
    """The windows that contain a column of elements, each with the column of its filter.

    across: columns between adjacent windows. width: columns of a filter.
    """
    met = ((window, column - window * across) for window in range(windows))
    return [(window, tap) for window, tap in met if 0 <= tap < width]
