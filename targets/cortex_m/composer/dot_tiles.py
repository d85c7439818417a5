"""Tiles: rows of a matrix by two windows at a time, with the sums of two rows in registers, for the DSP extension.

Both windows are widened once to halfwords, in the order in which weights come apart; the loop over pairs of rows then
fetches each weight once for both. Every row ends in an epilogue, so that no sum goes through memory.
"""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import DSP, Lines, bytes_of, instructions, joined, statement
from tinyml.targets.cortex_m.composer.epilogues import requantised, requantised_in_c
from tinyml.targets.cortex_m.composer.fetch import QUAD, pair_of_windows, parted_bytes
from tinyml.targets.cortex_m.composer.loops import counted, time_of_step
from tinyml.targets.cortex_m.composer.multiply import halfwords
from tinyml.targets.kernel import Composed, Kernel

# Where the frame keeps what has no register, in bytes from the stack pointer.
_ROWS_LEFT, _START, _MULTIPLIERS, _SHIFTS, _LENGTH, _ROWS, _ZERO, _WIDE, _OUT = 0, 4, 8, 48, 52, 56, 60, 64, 68
_FRAME_BYTES, _CALL_BYTES = 72, 48
"""Bytes of stack for the registers and the arguments, and of flash for a call: ten arguments, a branch."""

_WIDENED = joined(
    parted_bytes("ldr r9, [r1], #4", "r8", "r9"),
    parted_bytes("ldr r11, [r4], #4", "r10", "r11"),
    "stm r2!, {r8, r9, r10, r11}",
)
_REST_WIDENED = joined(
    # The last four elements, of which those that were widened before become zeros.
    "add r1, r1, r12",
    "add r4, r4, r12",
    "rsb r3, r12, #4",
    "lsls r3, r3, #3",
    "ldr r9, [r1, #-4]",
    "lsr r9, r9, r3",
    parted_bytes("lsl r9, r9, r3", "r8", "r9"),
    "ldr r11, [r4, #-4]",
    "lsr r11, r11, r3",
    parted_bytes("lsl r11, r11, r3", "r10", "r11"),
    "stm r2!, {r8, r9, r10, r11}",
)


def _row(load: str, first: str, second: str) -> Lines:
    """Four weights of a row by those elements of both windows, added to the row's sums."""
    return joined(
        parted_bytes(load, "r12", "lr"),
        *(halfwords((sum,), "r12", even) for sum, even in ((first, "r8"), (second, "r10"))),
        *(halfwords((sum,), "lr", odd) for sum, odd in ((first, "r9"), (second, "r11"))),
    )


_STEP = joined(
    pair_of_windows("r2", "r8, r9, r10, r11"),
    _row("ldr lr, [r0, r1]", "r6", "r7"),
    _row("ldr lr, [r0], #4", "r4", "r5"),
)
_BEGIN = joined(
    "push {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}",
    f"ldr r2, [sp, #{_WIDE}]",
    f"ldr r12, [sp, #{_LENGTH}]",
    "lsrs r3, r12, #2",
    "add r4, r1, r12",
)
_AFTER_WIDENING = joined("2:", f"ldr r1, [sp, #{_LENGTH}]", f"ldr r12, [sp, #{_ROWS}]", f"str r12, [sp, #{_ROWS_LEFT}]")
_START_ROWS = joined(
    f"ldr r12, [sp, #{_START}]",
    "ldm r12!, {r4, r6}",
    f"str r12, [sp, #{_START}]",
    "mov r5, r4",
    "mov r7, r6",
    f"ldr r2, [sp, #{_WIDE}]",
    "lsrs r3, r1, #2",
)
_REST = joined("ands r12, r1, #3", "beq 8f", "subs r0, #4", "add r0, r0, r12", _STEP, "8:", "add r0, r0, r1")
_FINISH_ROWS = joined(
    f"ldr r12, [sp, #{_MULTIPLIERS}]",
    "ldm r12!, {r8, r9}",
    f"str r12, [sp, #{_MULTIPLIERS}]",
    f"ldr r12, [sp, #{_SHIFTS}]",
    "ldrsb r10, [r12], #1",
    "ldrsb r11, [r12], #1",
    f"str r12, [sp, #{_SHIFTS}]",
    "mvn r10, r10",
    "mvn r11, r11",
    f"ldr r3, [sp, #{_ZERO}]",
    requantised("r4", "r8", "r10", "r3"),
    requantised("r5", "r8", "r10", "r3"),
    requantised("r6", "r9", "r11", "r3"),
    requantised("r7", "r9", "r11", "r3"),
    f"ldr r2, [sp, #{_OUT}]",
    f"ldr r12, [sp, #{_ROWS}]",
    "add r12, r12, r2",
    "strb r6, [r2, #1]",
    "strb r4, [r2], #2",
    "strb r5, [r12]",
    "strb r7, [r12, #1]",
    f"str r2, [sp, #{_OUT}]",
    f"ldr r12, [sp, #{_ROWS_LEFT}]",
    "subs r12, r12, #2",
    f"str r12, [sp, #{_ROWS_LEFT}]",
    "bne 3b",
)
_END = joined("pop {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, pc}")
_PORTABLE = f"""\
    (void)wide;
    for (int row = 0; row < rows; row++, w += n)
        for (int window = 0; window < 2; window++) {{
            int32_t sum = start[row];
            for (int i = 0; i < n; i++)
                sum += (int32_t)w[i] * x[window * n + i];
{requantised_in_c(" " * 12, "row", "out[window * rows + row]")}
        }}"""


def _assembly() -> Lines:
    return joined(
        _BEGIN,
        "1:",
        _WIDENED,
        "subs r3, r3, #1",
        "bne 1b",
        "ands r12, r12, #3",
        "beq 2f",
        _REST_WIDENED,
        _AFTER_WIDENING,
        "3:",
        _START_ROWS,
        counted(_STEP, "r3", 4),
        _REST,
        _FINISH_ROWS,
        _END,
    )


def dot_tiles() -> Kernel:
    """The kernel for bytes: `rows`, an even number, by two windows of `n` elements, at least four, at x.

    Every |start| plus the sum of |w| * |x| stays below `REQUANTISED_LIMIT`, every shift is negative. `wide` has room
    for four bytes per element, in whole fours; the results of the second window follow those of the first.
    """
    symbol, lines = "tm_cm_tile2_s8_s8_s32", _assembly()
    parameters = (
        "const int8_t *w, const int8_t *x, const int32_t *start, const int32_t *multipliers,\n    "
        "const int8_t *shifts, int n, int rows, int32_t zero, int32_t *wide, int8_t *out"
    )
    around = instructions(joined(_START_ROWS, _REST, _FINISH_ROWS)) - instructions(_STEP) + 4
    costs = {
        "": instructions(joined(_BEGIN, _AFTER_WIDENING, _END)) + 2.0,
        "odd element": 0.0,
        "element": time_of_step(_STEP) / (4 * QUAD),
        "column": (instructions(_WIDENED) + 2) / QUAD,
        "row": around / 2,
    }
    return Kernel(
        symbol,
        8,
        8,
        32,
        op="num.dot_tiles",
        flash=None,
        rows=2,
        windows=2,
        step=costs["element"],
        code=bytes_of(lines),
        needs="dsp",
        composed=Composed(
            "tinyml/cores.h",
            f"void {symbol}({parameters})",
            {(DSP,): statement(lines)},
            _PORTABLE,
            costs,
            call=_CALL_BYTES,
            stack=_FRAME_BYTES,
        ),
    )
