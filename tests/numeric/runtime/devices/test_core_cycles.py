"""Cycles of assembly on a Cortex-M4, M3, M0+ and M55, as the timing models of these cores compute them, compared with
cycles counted by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from programs.devices import need_tools

from tinyml.runtime.devices.registry import DeviceError, Interface, runner_for

# Each snippet stands in a function of its own, whose argument r0 is an address in RAM, with the cycles that it takes
# beside those of an empty function.
SNIPPETS = {
    "arithmetic": ("adds r1, #1; mla r2, r1, r1, r1; smlad r2, r1, r1, r2; smull r2, r3, r1, r1; ssat r1, #8, r1", 5),
    "division": ("movs r1, #3; udiv r2, r1, r1; sdiv r2, r1, r1", 1 + 7 + 7),
    # A load that follows a load takes one cycle, unless it needs what that loads.
    "loads": ("ldr r1, [r0]; nop; ldrb r1, [r0, #1]; ldrsh r2, [r0, #4]; ldr r3, [r0], #4; nop", 2 + 1 + 2 + 1 + 1 + 1),
    "chained loads": ("str r0, [r0]; nop; ldr r1, [r0]; ldr r2, [r1]", 1 + 1 + 2 + 2),
    "stores": (
        "movs r1, #4; nop; str r1, [r0]; str r1, [r0, r1]; ldr r2, [r0]; str r2, [r0, r1]",
        1 + 1 + 1 + 2 + 2 + 1,
    ),
    "a load after a store": ("ldr r1, [r0]; str r1, [r0]; ldr r1, [r0]; ldr r2, [r0]", 2 + 1 + 2 + 1),
    # Addresses that the instruction before computes wait for it; comparisons and results of others do not matter.
    "addresses": ("adds r0, #4; ldr r1, [r0]; subs r0, #4; strb r1, [r0]", 1 + 3 + 1 + 2),
    "no addresses": ("cmp r0, #4; ldr r1, [r0]; adds r2, r0, #4; str r1, [r0]", 1 + 2 + 1 + 1),
    "long products": ("movs r3, #1; umull r1, r0, r3, r3; ldr r2, [r3, #3]; umull r1, r3, r3, r3; ldrb r2, [r3]", 8),
    # Loads of several registers, and those after them.
    "several": ("ldmia r0!, {r1, r2, r3}; stmdb r0!, {r1, r2, r3}; ldr r1, [r0]; ldrd r2, r3, [r0]", 4 + 4 + 2 + 3),
    "the stack": ("push {r4, r5, lr}; pop.w {r4, r5, lr}; push.w {r4-r11}; pop.w {r4-r11}", 4 + 4 + 9 + 9),
    # Without the end of the empty function.
    "a return by the stack": ("push {r4, lr}; bl 1f; pop {r4, pc}; 1: push {lr}; pop {pc}", 3 + 3 + 2 + 4 + 5 - 3),
    # Three branches, two of which are taken.
    "a loop": ("movs r1, #3; 1: nop; subs r1, #1; bne 1b", 1 + 3 * 3 + 2 * 2),
    "branches": (
        "cmp r0, #0; beq 1f; nop; b 1f; nop; 1: cbz r0, 2f; nop; 2: cbnz r0, 3f; nop; 3:",
        1 + 1 + 1 + 3 + 1 + 1 + 3,
    ),
    "a table": ("movs r1, #1; tbb [pc, r1]; 1: .byte 0, (2f - 1b) / 2; 2: nop", 1 + 2 + 2 + 1),
    # IT is folded into 16 bits.
    "conditions": (
        "cmp r0, #0; ite eq; moveq r1, #1; ldrne r1, [r0]; cmp.w r0, #0; it ne; movne r1, #1",
        1 + 1 + 2 + 3,
    ),
    "floats": ("vldr s0, [r0]; vldr d1, [r0]; vmul.f32 s0, s0, s0; vfma.f32 s0, s1, s1; vdiv.f32 s0, s1, s2", 23),
    "moved floats": ("vmov s0, r0; vmov.f32 s1, s0; vmov r1, s0; vpush {s0-s3}; vpop {s4-s7}", 2 + 1 + 2 + 5 + 5),
    "double floats": ("vpush {d8-d9}; vldmia sp!, {d0-d1}; vstr d0, [r0]", 5 + 5 + 3),
}
OTHERS = {
    # The M3 has no SMLAD; its products with sums and long products take longer.
    "due": {
        "products": (
            "mul r2, r1, r1; mla r2, r1, r1, r1; mls r2, r1, r1, r1; umull r2, r3, r1, r1; smlal r2, r3, r1, r1",
            1 + 2 + 2 + 4 + 6,
        ),
        "loads": ("ldr r1, [r0]; ldr r2, [r0, #4]; nop; str r1, [r0]; nop", 2 + 1 + 1 + 1 + 1),
        "a loop": ("movs r1, #3; 1: nop; subs r1, #1; bne 1b", 1 + 3 * 3 + 2 * 2),
    },
    # The M0+ never overlaps loads, and has two stages to fill.
    "mkr1000": {
        "arithmetic": ("movs r1, #4; adds r1, #1; muls r1, r1; lsls r1, #2; sxtb r1, r1", 5),
        "loads": ("ldr r1, [r0]; ldr r2, [r0, #4]; ldrb r3, [r0]; str r1, [r0]; strh r1, [r0]; adds r0, #4", 5 * 2 + 1),
        "several": ("push {r1, r2}; pop {r1, r2}; ldmia r0!, {r1, r2, r3}", 3 + 3 + 4),
        "a loop": ("movs r1, #3; 1: nop; subs r1, #1; bne 1b", 1 + 3 * 3 + 2 * 1),
        # The call takes 3 cycles and the return 2.
        "a call": ("mov r3, lr; bl 1f; mov lr, r3; b 2f; 1: bx lr; 2:", 1 + 3 + 1 + 2 + 2),
    },
    "cortex-m55": {
        # Units for memory and products work side by side; two loads in a row wait for each other.
        "vectors": (
            "vldrb.u8 q0, [r0]; vmladav.s8 r2, q0, q0; vldrb.u8 q1, [r0]; vmladava.s8 r2, q1, q0",
            1 + 1 + 1 + 1,
        ),
        "vector loads": ("vldrw.u32 q0, [r0]; vldrw.u32 q1, [r0, #16]; vmul.i32 q2, q1, q0; vadd.i32 q2, q2, q1", 5),
        # A gather of 16 bytes holds the memory for eight cycles.
        "a gather": ("vmov.i32 q1, #0; vldrb.u8 q0, [r0, q1]; vadd.i8 q0, q0, q0; vstrb.8 q0, [r0]", 1 + 8 + 1),
        # The end of a low-overhead loop takes no time.
        "a loop": ("mov r3, lr; movs r1, #3; dls lr, r1; 1: nop; nop; le lr, 1b; mov lr, r3", 1 + 1 + 1 + 3 * 2 + 1),
    },
}
"""Snippets of other cores, by a board that has the core."""

INTERFACE = Interface("snippets", "int16_t", 2, None, 0, has_label=True)


def counted(board: str, snippets: Mapping[str, tuple[str, int]], folder: Path) -> dict[str, int]:
    """The cycles of each snippet on a board, minus those of an empty snippet."""
    bodies = ["", *(text for text, _ in snippets.values())]
    functions: list[str] = []
    for number, body in enumerate(bodies):
        lines = "".join(f'"{line.strip()}\\n"' for line in [".syntax unified", *body.split(";"), "bx lr"])
        functions.append(
            f"__attribute__((naked, aligned(4))) static int16_t snippet{number}(int *at)\n{{ __asm__({lines}); }}"
        )
    table = ", ".join(f"snippet{number}" for number in range(len(bodies)))
    (folder / "snippets.h").write_text(
        "#include <stdint.h>\n#define snippets_INPUT_LENGTH 2\n#define snippets_OUTPUT_LENGTH 0\n"
        "int16_t snippets_predict(const int16_t *X);\n"
    )
    (folder / "snippets.c").write_text(
        "\n".join(
            [
                '#include "snippets.h"',
                *functions,
                f"static int16_t (*const table[])(int *) = {{{table}}};",
                "static int words[64];",
                "int16_t snippets_predict(const int16_t *X)\n{",
                # The registers that a snippet may change, but not keep.
                '    table[X[0]](words);\n    __asm__ volatile("" ::: "r4");\n    return 0;\n}',
            ]
        )
    )
    runner = runner_for(board)
    build = runner.build(folder, INTERFACE, folder / "build")
    inputs = np.stack([np.arange(len(bodies)), np.zeros(len(bodies))], axis=1).astype(np.int16)
    counts = runner.run(build, INTERFACE, inputs).core_cycles
    assert counts is not None
    empty, *others = counts.tolist()
    return {name: count - empty for name, count in zip(snippets, others, strict=True)}


@pytest.fixture(scope="module")
def cycles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    return counted("cortex-m4", SNIPPETS, tmp_path_factory.mktemp("snippets"))


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets(name: str, cycles: dict[str, int]):
    assert cycles[name] == SNIPPETS[name][1]


@pytest.mark.long
@pytest.mark.parametrize("board", OTHERS)
def test_snippets_of_other_cores(board: str, tmp_path: Path):
    need_tools(board)
    assert counted(board, OTHERS[board], tmp_path) == {name: cycles for name, (_, cycles) in OTHERS[board].items()}


@pytest.mark.long
@pytest.mark.parametrize("access", ["vldrw.u32 q0, [r0]", "vstrh.16 q0, [r0]", "vldrh.s32 q0, [r0], #2"])
def test_unaligned_vectors_are_reported(access: str, tmp_path: Path):
    """An access to a vector that is not aligned to its elements raises `DeviceError`. The architecture requires this
    alignment, but the emulator does not check it.
    """
    need_tools("cortex-m55")
    with pytest.raises(DeviceError, match="unaligned vector access at 0x6"):
        counted("cortex-m55", {"odd": (f"adds r0, #1; {access}", 0)}, tmp_path)
