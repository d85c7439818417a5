"""Rows of a matrix by the windows of a strip, two by two with their sums in registers, each shifted in the end.

The weights of two rows stand in turn behind the starts of both, so that each is fetched once for two windows. An odd
last pixel is computed together with the one before, once more. Where that takes longer than rows one by one, there is
no kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr.composer import accumulate
from tinyml.targets.avr.composer.assembly import bytes_of, cycles, statement
from tinyml.targets.avr.composer.calls import HEADER
from tinyml.targets.avr.composer.dense import dot_in_chunks
from tinyml.targets.avr.composer.epilogues import shifted
from tinyml.targets.avr.composer.fetch import FLASH, RAM, next_byte
from tinyml.targets.avr.composer.loops import END, Loop, counted_in_byte, moved
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.tiles import SHIFTED_BITS, Sums, Tile, TileFamily

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

_AVR = 2
"""The value of TM_CORE."""

_WINDOW, _ROWS, _PAIRS, _ELEMENTS, _RUNS = "r20", "r22", "r23", "r24", "r25"
"""A pointer to the first window; counters of pairs of rows, pairs of pixels, elements and runs."""

_RIGHT, _ZERO = "r14", "r15"
_SAVED = [f"r{number}" for number in (*range(2, 18), 28, 29)]
_SUMS = [(f"r{first}", f"r{first + 1}", f"r{first + 2}") for first in (2, 5, 8, 11)]
"""Of both rows by the first window, then by the second one."""

_FACTORS = (("r16", "r18"), ("r17", "r18"), ("r16", "r19"), ("r17", "r19"))
_STEP = joined(
    *(next_byte(FLASH, "Z")(weight) for weight in ("r16", "r17")),
    next_byte(RAM, "X")("r18"),
    next_byte(RAM, "Y")("r19"),
    *(
        joined(f"muls {weight},{element}", accumulate.three_bytes(sum, _ZERO))
        for sum, (weight, element) in zip(_SUMS, _FACTORS, strict=True)
    ),
)
_START = joined(
    *(next_byte(FLASH, "Z")(register) for sum in _SUMS[:2] for register in sum),
    ("movw r8,r2", "mov r10,r4", "mov r11,r5", "movw r12,r6"),
)
_EPILOGUE = joined("50:", shifted(("r16", "r17", "r18"), _RIGHT, "r19", 60), "ret")
_SHIFTED = 33
"""About the cycles of an epilogue: a byte, some bits, and a result in range."""

_FINISHED = 30
"""About the cycles that compiled C takes to finish the sum of a row and to go on to the next."""

_START_BYTES, _MOST = 3, 255


@dataclass(frozen=True)
class _Strip:
    """The code for a tile: r31:r30 walks along the stream, the results wait on the stack."""

    tile: Tile

    @property
    def fits(self) -> bool:
        """Do counters have one byte each?"""
        tile = self.tile
        counts = tile.rows // 2, tile.runs, -(-tile.count // 2), tile.length // 2 + 1
        return tile.rows % 2 == 0 and tile.count > 1 and max(counts) <= _MOST

    @property
    def stream_bytes(self) -> int:
        """The bytes of the stream behind the places of the shift."""
        return self.tile.rows // 2 * (2 * _START_BYTES + 2 * self.tile.runs * self.tile.length)

    @cached_property
    def run(self) -> Loop:
        """A run of both windows."""
        loop = counted_in_byte(_STEP, 2, _ELEMENTS)
        length = self.tile.length
        enter = joined(f"ldi {_ELEMENTS},{length // 2 + length % 2}", "rjmp 1f" if length % 2 else ())
        return replace(loop, lines=joined(enter, loop.lines[: -len(END)]), least=cycles(enter))

    def parts(self) -> tuple[Lines, Lines, Lines, Lines, Lines, Lines]:
        """What runs once, for both pixels, for two rows, behind a run, behind the rows, and behind both pixels."""
        tile = self.tile
        pairs, far = -(-tile.count // 2), tile.pitch - tile.length
        begin = joined(
            [f"push {register}" for register in _SAVED],
            ("push r20", "push r21", "movw r30,r24", f"movw {_WINDOW},r22", f"clr {_ZERO}"),
            next_byte(FLASH, "Z")(_RIGHT),
            f"ldi {_PAIRS},{pairs}",
        )
        rows = joined(
            _START,
            (f"movw r26,{_WINDOW}", f"movw r28,{_WINDOW}"),
            moved("r28", tile.step),
            f"ldi {_RUNS},{tile.runs}" if tile.runs > 1 else (),
        )
        gap = joined(moved("r26", far), moved("r28", far), f"dec {_RUNS}", "breq 45f", "rjmp 44b", "45:")
        finish = joined(
            ("pop r29", "pop r28"),
            ("movw r16,r2", "mov r18,r4", "rcall 50f", "st Y,r16"),
            ("mov r16,r5", "mov r17,r6", "mov r18,r7", "rcall 50f", "std Y+1,r16"),
            ("movw r24,r28", *moved("r28", tile.rows)),
            ("movw r16,r8", "mov r18,r10", "rcall 50f", "st Y,r16"),
            ("mov r16,r11", "mov r17,r12", "mov r18,r13", "rcall 50f", "std Y+1,r16"),
            ("adiw r24,2", "push r24", "push r25"),
            (f"dec {_ROWS}", "breq 43f", "rjmp 42b", "43:"),
        )
        last = (
            joined(f"cpi {_PAIRS},1", "brne 46f", moved(_WINDOW, -tile.step), moved("r28", -tile.rows), "46:")
            if tile.count % 2
            else ()
        )
        following = joined(
            (f"dec {_PAIRS}", "breq 47f", "pop r29", "pop r28"),
            moved(_WINDOW, 2 * tile.step),
            moved("r28", tile.rows),
            last,
            ("push r28", "push r29"),
            moved("r30", -self.stream_bytes),
            ("rjmp 41b", "47:"),
        )
        return begin, (f"ldi {_ROWS},{tile.rows // 2}",), rows, gap if tile.runs > 1 else (), finish, following

    @cached_property
    def assembly(self) -> Lines:
        begin, pixels, rows, gap, finish, following = self.parts()
        several = self.tile.count > 2
        end = joined("pop r0", "pop r0", [f"pop {register}" for register in reversed(_SAVED)], END)
        return joined(
            (*begin, "41:", *pixels, "42:", *rows),
            "44:" if self.tile.runs > 1 else (),
            (*self.run.lines, *gap, *finish),
            following if several else (),
            (*end, *_EPILOGUE),
        )

    @property
    def time(self) -> float:
        """The cycles of a call, more or less, as those of an epilogue depend on its shift."""
        begin, _, rows, gap, finish, following = self.parts()
        tile, pairs = self.tile, -(-self.tile.count // 2)
        each = cycles(rows) + tile.runs * (self.run.least + tile.length * self.run.step + cycles(gap))
        block = each + cycles(finish) + 4 * _SHIFTED
        ends = cycles(begin) + 2 * len(_SAVED) + 9 + 4
        return ends + pairs * (1 + tile.rows // 2 * block) + (pairs - 1) * cycles(following)


def _stream(tile: Tile, sums: Sums) -> Bytes:
    begins = sums.starts.astype("<i4").reshape(-1, 2, 1).view(np.int8)[..., :_START_BYTES].reshape(tile.rows // 2, -1)
    weights = sums.weights.astype(np.int8).reshape(tile.rows // 2, 2, -1).transpose(0, 2, 1).reshape(len(begins), -1)
    return np.concatenate([-sums.shifts[:1].astype(np.int8), np.concatenate([begins, weights], axis=1).reshape(-1)])


def _portable(tile: Tile) -> str:
    length = tile.runs * tile.length
    return f"""\
    for (int row = 0; row < {tile.rows}; row++) {{
        const int8_t *w = stream + 1 + row / 2 * {2 * _START_BYTES + 2 * length};
        const uint8_t *start = (const uint8_t *)w + {_START_BYTES} * (row % 2);
        for (int window = 0; window < {tile.count}; window++) {{
            int32_t sum = (int32_t)(start[0] | start[1] << 8) + (int8_t)start[2] * (int32_t)65536;
            for (int run = 0; run < {tile.runs}; run++)
                for (int i = 0; i < {tile.length}; i++)
                    sum += (int32_t)w[{2 * _START_BYTES} + 2 * (run * {tile.length} + i) + row % 2]
                        * x[window * {tile.step} + run * {tile.pitch} + i];
            sum >>= stream[0];
            out[window * {tile.rows} + row] = (int8_t)(sum < -127 ? -127 : sum > 127 ? 127 : sum);
        }}
    }}"""


@cache
def _time_of_rows(length: int) -> float:
    """The cycles of a result by a kernel for single rows, at best."""
    kernel = dot_in_chunks(24, 4)
    assert kernel.composed is not None
    costs = kernel.composed.costs
    return costs[""] + length * costs["element"] + _FINISHED


def _composed(symbol: str, tile: Tile) -> Kernel | None:
    strip = _Strip(tile)
    # An odd last pixel takes as long as two.
    if not strip.fits or strip.time > tile.rows * tile.count * _time_of_rows(tile.runs * tile.length):
        return None
    lines = strip.assembly
    return Kernel(
        symbol,
        8,
        8,
        24,
        op=DOT_STRIPS.op,
        code=bytes_of(lines),
        composed=Composed(
            HEADER,
            f"void {symbol}(const int8_t *stream, const int8_t *x, int8_t *out)",
            {(_AVR,): statement(lines)},
            _portable(tile),
            {"": strip.time, "element": 0.0, "odd element": 0.0},
            call=16,
            stack=len(_SAVED) + 6,
        ),
    )


DOT_STRIPS = TileFamily(
    "tm_dot_strip_s8_", "num.dot_tiles", "", _composed, _stream, 1 << SHIFTED_BITS - 1, shifts=True, most=384
)
"""The kernels for bytes: rows of a matrix by windows, with sums of 24 bits."""
