"""Kernels for a Cortex-M55 are exact, and every call preserves the registers that the calling convention requires."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from programs.chip_kernels import HELIUM, LENGTHS, PATTERNS, Call, built, check, extreme_calls, make_call
from programs.devices import need_tools
from programs.printed import WARNING_FLAGS
from programs.spread import examples, spread
from programs.tile_cases import tile_case
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, i8
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects import num
from tinyml.dialects.num.kernels.lane_programs import LaneProgram
from tinyml.dialects.num.kernels.lane_readers import lane_program
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.headers import texts_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.helium.kernels import CHANNEL_TILES, DOT_TILES, ELEMENTS, KERNELS
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import Tile
from tinyml.transforms.loops.kernels.lane_recorder import Element, LaneRecorder

M55 = "cortex-m55"
DOTS = [kernel for kernel in HELIUM if "distance" not in kernel.name]


@pytest.mark.long
@pytest.mark.parametrize("device", ["host", M55])
def test_dot_products(device: str, tmp_path: Path):
    if device == M55:
        need_tools(M55)
    runner, random = HostRunner(sanitize=True) if device == "host" else runner_for(device), np.random.default_rng(6)
    calls = [call for kernel in DOTS for call in spread(extreme_calls(kernel), 6)]
    calls += [
        make_call(
            kernel,
            int(random.choice([*LENGTHS, 15, 16, 17, 31, 33])),
            random,
            patterns=(str(random.choice(PATTERNS)), str(random.choice(PATTERNS))),
            offsets=(int(random.integers(4)), int(random.integers(4))),
        )
        for kernel in DOTS
        for _ in range(examples(3))
    ]
    for kernel in [kernel for kernel in HELIUM if kernel not in DOTS]:
        # No sum of squares leaves 32 bits.
        reach = min(-int(np.iinfo(kernel.x).min), 1000)
        for n in (0, 1, 3, 4, 7, 8, 9, 63, 300):
            w, x = random.integers(-reach, reach, (2, n))
            calls.append(Call(kernel, w[None].astype(kernel.w), x.astype(kernel.x), np.arange(8)))
    check(runner, built(runner, HELIUM, "-Os", tmp_path), calls)


GUARD = """\
/* Calls a function with five arguments; 0 if r4 to r11 and d8 to d15 are those before the call, and LTPSIZE is 4. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
static TM_NAKED int guarded(const void *function, const int32_t *arguments)
{
    __asm__ volatile(
        "push {r4-r11, lr}\\n vpush {d8-d15}\\n sub sp, #8\\n mov r12, r0\\n ldr r4, [r1, #16]\\n str r4, [sp]\\n"
        "movw r4, #0x4411\\n movw r5, #0x5522\\n movw r6, #0x6633\\n movw r7, #0x7744\\n"
        "movw r8, #0x8855\\n movw r9, #0x9966\\n movw r10, #0xaa77\\n movw r11, #0xbb88\\n"
        "vmov d8, r4, r5\\n vmov d9, r6, r7\\n vmov d10, r8, r9\\n vmov d11, r10, r11\\n"
        "vmov d12, r5, r4\\n vmov d13, r7, r6\\n vmov d14, r9, r8\\n vmov d15, r11, r10\\n"
        "ldr r0, [r1]\\n ldr r2, [r1, #8]\\n ldr r3, [r1, #12]\\n ldr r1, [r1, #4]\\n"
        "blx r12\\n mov r2, #0\\n"
        "movw r0, #0x4411\\n eor r0, r4\\n orr r2, r0\\n movw r0, #0x5522\\n eor r0, r5\\n orr r2, r0\\n"
        "movw r0, #0x6633\\n eor r0, r6\\n orr r2, r0\\n movw r0, #0x7744\\n eor r0, r7\\n orr r2, r0\\n"
        "movw r0, #0x8855\\n eor r0, r8\\n orr r2, r0\\n movw r0, #0x9966\\n eor r0, r9\\n orr r2, r0\\n"
        "movw r0, #0xaa77\\n eor r0, r10\\n orr r2, r0\\n movw r0, #0xbb88\\n eor r0, r11\\n orr r2, r0\\n"
        "vmov r0, r1, d8\\n eor r0, r4\\n orr r2, r0\\n eor r1, r5\\n orr r2, r1\\n"
        "vmov r0, r1, d9\\n eor r0, r6\\n orr r2, r0\\n eor r1, r7\\n orr r2, r1\\n"
        "vmov r0, r1, d10\\n eor r0, r8\\n orr r2, r0\\n eor r1, r9\\n orr r2, r1\\n"
        "vmov r0, r1, d11\\n eor r0, r10\\n orr r2, r0\\n eor r1, r11\\n orr r2, r1\\n"
        "vmov r0, r1, d12\\n eor r0, r5\\n orr r2, r0\\n eor r1, r4\\n orr r2, r1\\n"
        "vmov r0, r1, d13\\n eor r0, r7\\n orr r2, r0\\n eor r1, r6\\n orr r2, r1\\n"
        "vmov r0, r1, d14\\n eor r0, r9\\n orr r2, r0\\n eor r1, r8\\n orr r2, r1\\n"
        "vmov r0, r1, d15\\n eor r0, r11\\n orr r2, r0\\n eor r1, r10\\n orr r2, r1\\n"
        "vmrs r0, fpscr\\n ubfx r0, r0, #16, #3\\n eor r0, #4\\n orr r2, r0\\n"
        "mov r0, r2\\n add sp, #8\\n vpop {d8-d15}\\n pop {r4-r11, pc}");
}
"""


def many_values(count: int) -> LaneProgram:
    """A function on vectors with an inner loop. The vector registers that a callee may change cannot contain all values
    that are live at once.

    count: the number of lanes.
    """
    block = Block(arg_types=[*[MemRefType(i8, [1])] * 2, IndexType()])
    recorder, (run, out, lane) = LaneRecorder(block), block.args

    def at(constant: int, *numbers: SSAValue) -> SSAValue:
        expression = sum(map(AffineExpr.dimension, range(1 + len(numbers))), AffineExpr.constant(constant))
        map_of = AffineMapAttr(AffineMap(1 + len(numbers), 0, (expression,)))
        return recorder.put(affine.ApplyOp([lane, *numbers], map_of))

    def tap(number: SSAValue, totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return [recorder.register(recorder.addi(Element(totals[0], 32), recorder.load(run, at(0, number))))]

    loads = [recorder.load(run, at(offset)) for offset in range(5)]
    [total] = recorder.reduce([num.SUM], [recorder.register(loads[0])], range(3), tap)
    recorder.store(reduce(recorder.addi, loads[1:], Element(total, 32)), out, lane)
    return lane_program(num.LaneFunctionOp("many", [count], Region(block)))


def calls() -> list[tuple[Kernel, list[str]]]:
    """Kernels of each family with the arguments of a call."""
    random = np.random.default_rng(2)
    dots = Tile(6, 10, 4, 10, 2, 5, 3), Tile(5, 3, 9, 21, 3, 5, -5), Tile(10, 1, 643, 0, 643, 1, 127)
    channels = Tile(8, 3, 24, 160, 16, 7, 5), Tile(7, 3, 21, 70, 7, 5, 4)
    shapes = [*((DOT_TILES, tile) for tile in dots), *((CHANNEL_TILES, tile) for tile in channels)]
    tiles = [tile_case(family, tile, random).kernel for family, tile in shapes]
    found = [(kernel, ["memory", "memory + 512", "out"]) for kernel in tiles]
    for count in (70, 3):
        kernel = ELEMENTS.kernel(many_values(count))
        assert kernel is not None
        found.append((kernel, ["memory", "out"]))
    found += [(kernel, ["memory", "memory + 512", "37", "memory", "out"]) for kernel in KERNELS]
    return found


@pytest.mark.long
def test_registers(tmp_path: Path):
    need_tools(M55)
    given = calls()
    texts = {name: text for kernel, _ in given for name, text in texts_of(kernel, M55)}
    cases = [
        f"case {number}: {{ const int32_t a[5] = {{{', '.join(f'(int32_t)({each})' for each in arguments)}}};"
        f" wrong[0] = guarded((const void *){kernel.symbol}, a); break; }}"
        for number, (kernel, arguments) in enumerate(given)
    ]
    (tmp_path / "calls.h").write_text(
        "#include <stdint.h>\n#define calls_INPUT_LENGTH 4\n#define calls_OUTPUT_LENGTH 1\n"
        "const int32_t *calls_scores(void);\nvoid calls_predict(const int8_t *X);\n"
    )
    (tmp_path / "calls.c").write_text(
        "\n".join(
            [
                '#include "calls.h"',
                *texts.values(),
                "static int32_t wrong[1];\nstatic int8_t memory[4096] __attribute__((aligned(8)));",
                "static int8_t out[512] __attribute__((aligned(8)));",
                GUARD,
                "const int32_t *calls_scores(void) { return wrong; }",
                "void calls_predict(const int8_t *X)\n{\n    wrong[0] = -1;\n    switch (X[0]) {",
                *cases,
                "    }\n}",
            ]
        )
    )
    runner, interface = runner_for(M55), Interface("calls", "int8_t", 4, "int32_t", 1, has_label=False)
    build = runner.build(tmp_path, interface, tmp_path, "-O2", WARNING_FLAGS)
    inputs = np.zeros((len(given), 4), np.int8)
    inputs[:, 0] = np.arange(len(given))
    scores = runner.run(build, interface, inputs).scores
    assert scores is not None
    assert {kernel.symbol: int(wrong) for (kernel, _), [wrong] in zip(given, scores, strict=True) if wrong} == {}
