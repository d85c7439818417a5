"""Channels: each of four meets a filter of its own, with the sums of all four in registers, for the DSP extension.

Weights lie in the order in which they are fetched: four channels by taps. Every sum ends in an epilogue.
"""

from __future__ import annotations

from tinyml.targets.cortex_m.composer.assembly import DSP, bytes_of, instructions, joined, statement
from tinyml.targets.cortex_m.composer.epilogues import requantised, requantised_in_c
from tinyml.targets.cortex_m.composer.fetch import QUAD, parted_bytes
from tinyml.targets.cortex_m.composer.loops import counted, time_of_step
from tinyml.targets.cortex_m.composer.multiply import halves
from tinyml.targets.kernel import Composed, Kernel

# Where the frame keeps what has no register, in bytes from the stack pointer.
_WINDOW, _START, _MULTIPLIERS, _SHIFTS, _TAPS, _CHANNELS, _ZERO, _OUT = 0, 4, 8, 48, 52, 56, 60, 64

_STEP = joined(
    parted_bytes("ldr r11, [r0], #4", "r10", "r11"),
    parted_bytes("ldr r9, [r1]", "r8", "r9"),
    "add r1, r1, r2",
    halves("r4", "r6", "r10", "r8"),
    halves("r5", "r7", "r11", "r9"),
)
_BEGIN = joined(
    "push {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}",
    f"ldr r2, [sp, #{_CHANNELS}]",
    f"ldr lr, [sp, #{_OUT}]",
    "add r12, r2, lr",
    f"str r12, [sp, #{_OUT}]",
)
_START_CHANNELS = joined(
    f"ldr r12, [sp, #{_START}]",
    "ldm r12!, {r4, r5, r6, r7}",
    f"str r12, [sp, #{_START}]",
    f"ldr r1, [sp, #{_WINDOW}]",
    "add r12, r1, #4",
    f"str r12, [sp, #{_WINDOW}]",
    f"ldr r3, [sp, #{_TAPS}]",
)
_FINISH_CHANNELS = joined(
    f"ldr r12, [sp, #{_MULTIPLIERS}]",
    "ldm r12!, {r8, r9, r10, r11}",
    f"str r12, [sp, #{_MULTIPLIERS}]",
    f"ldr r3, [sp, #{_SHIFTS}]",
    "ldr r12, [r3], #4",
    f"str r3, [sp, #{_SHIFTS}]",
    # A shift less 1, to the right: the bytes of all four at once.
    "mvn r12, r12",
    f"ldr r3, [sp, #{_ZERO}]",
    requantised("r4", "r8", "r12", "r3"),
    "strb r4, [lr], #1",
    "lsr r12, r12, #8",
    requantised("r5", "r9", "r12", "r3"),
    "strb r5, [lr], #1",
    "lsr r12, r12, #8",
    requantised("r6", "r10", "r12", "r3"),
    "strb r6, [lr], #1",
    "lsr r12, r12, #8",
    requantised("r7", "r11", "r12", "r3"),
    "strb r7, [lr], #1",
    f"ldr r12, [sp, #{_OUT}]",
    "cmp lr, r12",
    "bne 1b",
)
_END = joined("pop {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, pc}")
_FRAME_BYTES, _CALL_BYTES = 68, 44
"""Bytes of stack for the registers and the arguments, and of flash for a call: nine arguments, a branch."""

_PORTABLE = f"""\
    for (int channel = 0; channel < channels; channel++) {{
        int32_t sum = start[channel];
        for (int i = 0; i < taps; i++)
            sum += (int32_t)w[(channel / 4 * taps + i) * 4 + channel % 4] * x[i * channels + channel];
{requantised_in_c(" " * 8, "channel", "out[channel]")}
    }}"""


def channel_tiles() -> Kernel:
    """The kernel for bytes: `channels`, a multiple of four, each with a filter and a column of the window.

    Filters and columns have `taps` elements. Weights stand by four channels, then by taps. Every |start| plus the sum
    of |w| * |x| stays below `REQUANTISED_LIMIT`, every shift is negative.
    """
    symbol = "tm_cm_channel_tile4_s8_s8_s32"
    lines = joined(_BEGIN, "1:", _START_CHANNELS, counted(_STEP, "r3", 4), _FINISH_CHANNELS, _END)
    parameters = (
        "const int8_t *w, const int8_t *x, const int32_t *start, const int32_t *multipliers,\n    "
        "const int8_t *shifts, int taps, int channels, int32_t zero, int8_t *out"
    )
    costs = {
        "": float(instructions(joined(_BEGIN, _END))),
        "odd element": 0.0,
        "element": time_of_step(_STEP) / QUAD,
        "row": (instructions(joined(_START_CHANNELS, _FINISH_CHANNELS)) + 4) / QUAD,
    }
    return Kernel(
        symbol,
        8,
        8,
        32,
        op="num.channel_tiles",
        flash=None,
        rows=QUAD,
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
