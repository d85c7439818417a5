"""Families of kernels: the C functions that contain the code that a composer generates for a tile or for a lane
function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tinyml.dialects.modules import on_call
from tinyml.targets.c.composer.constants_in_c import tile_in_c, tile_signature
from tinyml.targets.composer.instructions import Printed, Run
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.kernel import REQUANTISED_LIMIT, Composed, Kernel, SharedFunction
from tinyml.targets.kernel_table import LoopCoder
from tinyml.targets.nests import Bytes
from tinyml.targets.tiles import BYTES, Sums, Tile, TileCoder, TileFamily, Widths

if TYPE_CHECKING:
    from tinyml.dialects.num.kernels.lane_programs import LaneProgram


_LANES_HEAD = on_call("tinyml.targets.c.composer.loops_in_c:loop_signature")
_LANES_IN_C = on_call("tinyml.targets.c.composer.loops_in_c:loop_in_c")
"""Functions that return the head and the body, in plain C, of the C function for a lane function."""

L = TypeVar("L")
L_co = TypeVar("L_co", covariant=True)
"""Lines of assembly: text, or records that an instruction set prints in a special syntax."""


class TileAssembly(Protocol[L_co]):
    """The assembly code for a tile, which embeds the weights or reads them from a stream.

    * fits: true if the code can be generated for the tile.
    * lines: the function.
    * time: the time of a call: cycles on an AVR, the number of executed instructions on other chips.
    * runs: the executed instructions, if they are recorded.
    * stack, bytes: the number of bytes of stack and of flash.
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
    """The assembly code for a tile that reads its weights from a stream.

    layout: the layout of this stream.
    """

    @property
    def layout(self) -> WeightStream: ...


@dataclass(frozen=True)
class TileComposer(Generic[L]):
    """The properties that the kernel families of an instruction set share.

    * header: a header of the runtime.
    * core: the number of the instruction set in this header, or a preprocessor condition.
    * statement: a function that formats the body of a function.
    * needs, flash: as in `Kernel`.
    * call: the bytes of flash of a call.
    * enter: the time of a call in addition to the time of the function's code, in the unit of `TileAssembly.time`.
    * bits, limit: the width and the limit of sums, as in `TileFamily`.
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
        """A kernel generator that embeds the weights of a tile in code.

        name: the name of the generator.
        family: the family of kernels that read their weights from a stream instead.
        code: a function that returns the assembly code.
        """

        def composed(symbol: str, tile: Tile, sums: Sums) -> Kernel | None:
            assembly = code(tile, sums)
            if not assembly.fits:
                return None
            costs = {"": assembly.time + self.enter}
            bodies = {(self.core,): self.statement(assembly.lines)}
            portable = tile_in_c(tile, sums)
            head = tile_signature(symbol)
            text = Composed(self.header, head, bodies, portable, costs, self.call, assembly.stack, runs=assembly.runs)
            kernel = Kernel(symbol, 8, 8, self.bits, op="num.coded_tile", flash=self.flash, needs=self.needs)
            return replace(kernel, code=assembly.bytes, composed=text)

        return TileCoder(name, family, composed, self.needs)

    def lanes(self, name: str, code: Callable[[LaneProgram], TileAssembly[L]]) -> LoopCoder:
        """A kernel generator that compiles lane functions (`num.lane_function`).

        name: the name of the generator.
        code: a function that returns the assembly code.
        """

        def composed(symbol: str, program: LaneProgram) -> Kernel | None:
            assembly = code(program)
            if not assembly.fits:
                return None
            bodies = Printed({(self.core,): lambda: self.statement(assembly.lines)})
            head, portable, costs = _LANES_HEAD(symbol, program), _LANES_IN_C(program), {"": assembly.time}
            text = Composed(
                self.header, head, bodies, portable, costs, self.call, assembly.stack, program.calls, runs=assembly.runs
            )
            kernel = Kernel(symbol, 8, 8, 32, op="num.coded_loop", flash=None, needs=self.needs)
            return replace(kernel, code=assembly.bytes, composed=text)

        return LoopCoder(name, composed, self.needs)

    def family(
        self,
        name: str,
        code: Callable[[Tile], TileCode[L]],
        *,
        channels: bool = False,
        large: bool = False,
        lines: int = 1,
        shifts: bool = False,
        several: bool = False,
        to_even: bool = False,
        widths: Widths = BYTES,
        common: bool = False,
        admits: Callable[[Sums], bool] | None = None,
        shared: Callable[[Tile], Sequence[SharedFunction]] | None = None,
    ) -> TileFamily:
        """The family `name` of tile kernels.

        For every row, |start| plus the sum of |w| * |x| must be below `limit`. Every shift must be negative unless
        factors are common, and every multiplier at least `MIN_MULTIPLIER`.

        * code: a function that returns the assembly code for a tile.
        * channels: true if each row of weights is multiplied by a channel of windows.
        * large: true if streams need more flash than weights.
        * lines: the number of lines of the tiles that have kernels.
        * shifts: true if sums are finished by a shift instead of a requantisation.
        * several: true if a channel may have several rows of weights.
        * to_even: true if the code may also round sums once, halves to even.
        * widths, common, admits: as in `TileFamily`.
        * shared: a function that returns the functions that the code for a tile calls; None if it calls none.
        """

        def composed(symbol: str, tile: Tile) -> Kernel | None:
            assembly = code(tile)
            if not assembly.fits:
                return None
            signature = (
                f"void {symbol}(const int8_t *stream, const int{widths.vector}_t *x, int{widths.results}_t *out)"
            )
            costs = {"": assembly.time + self.enter}
            bodies = Printed({(self.core,): lambda: self.statement(assembly.lines)})
            portable = assembly.layout.portable
            text = Composed(
                self.header,
                signature,
                bodies,
                portable,
                costs,
                self.call,
                assembly.stack,
                shared=() if shared is None else shared(tile),
                runs=assembly.runs,
            )
            factors = widths.weights, widths.vector
            kernel = Kernel(symbol, *factors, self.bits, op="num.tiles", flash=self.flash, needs=self.needs)
            return replace(kernel, code=assembly.bytes, composed=text)

        def stream(tile: Tile, sums: Sums) -> Bytes:
            return code(tile).layout.stream(sums)

        return TileFamily(
            name,
            channels,
            self.needs,
            composed,
            stream,
            self.limit,
            shifts,
            self.bits,
            large=large,
            lines=lines,
            several=several,
            to_even=to_even,
            widths=widths,
            common=common,
            admits=admits,
        )
