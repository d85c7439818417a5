"""Prints what the kernels of the runtime cost on the ATmega328P: cycles, bytes of code, bytes of stack.

`loop` is the time of a call with n entries less that of one with none, over n; `call` is the whole call, from the first
instruction that loads an argument to the last that adds the start of the sum, over n.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kernel_program import DENSE, INCLUDE, SPARSE
from tinyml.dialects.packed_rows import pack_rows
from tinyml.runtime.interface import Interface
from tinyml.runtime.runner import runner_for
from tinyml.runtime.toolchain import find_tool

OPTIMIZE = sys.argv[1] if len(sys.argv) > 1 else "-Os"
LENGTHS = (16, 32, 64, 300)
ACCEPTED = {"s8_s8_s16": 12.5, "s8_s8_s32": 17, "s8_s16_s32": 26, "s16_s16_s32": 36}
LIMIT = {
    **{"s8_s8_s16": 9, "s8_s8_s24": 11, "s8_s8_s32": 11, "s8_s8_s16_ram": 8, "s8_s8_s32_ram": 10},
    **{"s8_s16_s32": 19, "s16_s8_s32": 20, "s16_s16_s32": 31, "s16_s16_s32_ram": 29, "s16_s16_s40": 33},
    **{"sparse_s8_s8_s16": 14, "sparse_s8_s8_s24": 16, "sparse_s8_s8_s32": 16},
    **{"sparse_s8_s16_s32": 24, "sparse_s16_s16_s32": 36},
}
"""Cycles of one step without the loop around it."""
SHIFTS = {
    "round_s32_s16": (2, 4, 7, 8, 10, 12, 14, 15, 16, 18, 20),
    "round_s32_s8": (4, 7, 8, 10, 12, 14, 15, 16, 20),
    "round_s16_s8": (2, 4, 5, 6, 7, 8, 10),
    "mul_s16_s16": (4, 8, 10, 12, 14, 15, 16, 18),
    "mul_s8_s8": (3, 4, 5, 6, 7, 8, 10),
}

_SOURCE = """\
#include "bench.h"
#include "tinyml/dot_s8.h"
#include "tinyml/dot_s16.h"
#include "tinyml/round.h"
static const uint8_t flash[] __attribute__((__progmem__)) = {%s};
static int16_t memory[600];
static volatile int64_t out;
#define KEEP(x) __asm__ volatile("" : : "r"(x))
#define HIDE(x) __asm__ volatile("" : "+r"(x))
int16_t bench_predict(const int16_t *X)
{
    const void *x = memory;
    const void *w = %s;
    const uint8_t *row = w;
    (void)x, (void)w, (void)row;
    %s
    return 0;
}
"""
_HEADER = """\
#include <stdint.h>
#define bench_INPUT_LENGTH %d
#define bench_OUTPUT_LENGTH 0
int16_t bench_predict(const int16_t *X);
"""


@dataclass(frozen=True)
class Cost:
    cycles: np.ndarray
    stack: int
    code: int
    flash: int
    labels: np.ndarray


def measure(statement: str, inputs: np.ndarray, flash: bytes = bytes(700), weights: str = "flash") -> Cost:
    """Of one statement, for each input. The code is that of the functions that the statement brings along."""
    interface = Interface("bench", "int16_t", inputs.shape[1], None, 0, has_label=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.mkdir()
        (source / "bench.c").write_text(_SOURCE % (", ".join(map(str, flash)), weights, statement))
        (source / "bench.h").write_text(_HEADER % inputs.shape[1])
        runner = runner_for("simavr")
        built = runner.build(source, interface, Path(folder), OPTIMIZE, [f"-I{INCLUDE}"])
        outcome = runner.run(built, interface, inputs)
        assert outcome.cycles is not None
        assert outcome.labels is not None
        table = subprocess.run(
            [find_tool("avr-", "nm"), "-S", built.elf], capture_output=True, text=True, check=True
        ).stdout
    sizes = {line.split()[-1]: int(line.split()[1], 16) for line in table.splitlines() if len(line.split()) == 4}
    shared = sum(size for name, size in sizes.items() if "tm_" in name and name != "tm_input")
    return Cost(outcome.cycles, outcome.stack_bytes, shared, built.flash_bytes, outcome.labels)


def words(*columns: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.array(columns).T.astype(np.int16)


def dot(name: str, length: int) -> Cost:
    """A call with constant arguments, less everything that is not the call."""
    ctype = {16: "int16_t", 24: "int32_t", 32: "int32_t", 40: "int64_t"}[DENSE[name.removeprefix("sparse_")][2]]
    weight, width, _ = DENSE[name.removeprefix("sparse_")]
    start, keep = "7", f"{ctype} y = %s; KEEP(y);"
    if ctype == "int64_t":
        keep = "int64_t y = %s; KEEP((int32_t)y); KEEP((int32_t)(y >> 32));"
    weights, flash = ("memory" if name.endswith("_ram") else "flash"), bytes(700)
    if name.startswith("sparse_"):
        flash = pack_rows(np.full((1, length), 1, f"<i{weight // 8}"), width // 8).tobytes() + bytes(1)
        call = f"tm_dot_{name}(&row, x, {start})"
        keep += " KEEP(row);"
    else:
        call = f"tm_dot_{name}(w, x, {length}, {start})"
    with_call = measure(keep % call, words([0]), flash, weights)
    without = measure("", words([0]), flash, weights)
    return replace(with_call, cycles=with_call.cycles - without.cycles, stack=with_call.stack - without.stack)


def show_dots() -> None:
    print(f"{'cycles per entry':<22}{'step':>6}", *(f"{f'n={n}':>8} call" for n in LENGTHS), "   bytes  stack  accept")
    for name in (*DENSE, *(f"sparse_{name}" for name in SPARSE)):
        empty = dot(name, 0)
        row = f"{name:<22}{LIMIT[name]:>6}"
        for length in LENGTHS:
            cost = dot(name, length)
            row += f"{(cost.cycles[0] - empty.cycles[0]) / length:>8.2f}{cost.cycles[0] / length:>6.2f}"
        print(row, f"{empty.code:>7}{empty.stack:>7}{ACCEPTED.get(name, ''):>8}")


def show_ends() -> None:
    """`tm` is the function of the runtime, `C` what the generator prints in its place: limits first, then a shift by
    whole bytes. Both start from operands in registers and are checked to give the same values."""
    print("\ncycles: mean where the result fits, mean where it saturates; bytes: shared, at each place of use; stack")
    for name in ("round_s32_s16", "round_s32_s8", "round_s16_s8", "mul_s16_s16", "mul_s8_s8"):
        for shift in SHIFTS[name]:
            print(f"{name:<14} >>{shift:<3}", *(f"  {what}: {text}" for what, text in end(name, shift).items()))


def end(name: str, shift: int) -> dict[str, str]:
    operation, wide, narrow = name.split("_")[0], *(int(part[1:]) for part in name.split("_")[1:])
    random = np.random.default_rng(0)
    limit, half = (1 << (narrow - 1)) - 1, 1 << (shift - 1)
    low, high = -limit << shift, ((limit + 1) << shift) - 1
    if operation == "mul":
        values = random.integers(-limit, limit + 1, (400, 2))
        exact = values[:, 0] * values[:, 1] + half >> shift
        inputs, bits = words(*values.T), 2 * wide
        operands = "".join(f"int{wide}_t {v} = (int{wide}_t)X[{i}]; HIDE({v});" for i, v in enumerate("ab"))
        call, sum = f"tm_{name}(a, b, {shift})", f"(int{bits}_t)a * (int{bits}_t)b + {half}"
        bound = limit * limit + half
    else:
        most = (1 << (wide - 1)) - 1
        values = np.concatenate(
            [
                random.integers(-most - 1, most + 1, 200),
                random.integers(max(low, -most - 1), min(high, most) + 1, 200),
            ]
        )
        exact, bits, bound = values >> shift, wide, most + 1
        inputs = words(values & 0xFFFF, values >> 16)
        read = "(int32_t)((uint32_t)(uint16_t)X[0] | (uint32_t)(uint16_t)X[1] << 16)" if wide == 32 else "X[0]"
        operands, call, sum = f"int{wide}_t s = {read}; HIDE(s);", f"tm_{name}(s, {shift})", "s"
    expected = exact.clip(-limit, limit)
    plain = f"int{bits}_t t = (int{bits}_t)({sum});"
    # Only limits that can bind are printed.
    if -bound < low:
        plain += f" t = t > {low} ? t : {low};"
    if bound - 1 > high:
        plain += f" t = t < {high} ? t : {high};"
    left = (8 if 4 < shift < 8 else 16 if 8 < shift < 16 else shift) - shift
    if min(bound, 1 << (narrow - 1 + shift)) << left > 1 << (bits - 1):
        left = 0
    plain += f" int{narrow}_t y = (int{narrow}_t)(({'t' if not left else f't * {1 << left}'}) >> {shift + left});"
    base = measure(f"{operands} return 0;", inputs)
    costs: dict[str, str] = {}
    for what, text in (("tm", f"int{narrow}_t y = {call};"), ("C", plain)):
        # Without HIDE the call would become a jump, which it cannot be inside of a loop.
        cost = measure(f"{operands} {text} HIDE(y); return y;", inputs)
        wrong = np.flatnonzero(cost.labels != expected)
        assert not len(wrong), f"{name} >> {shift} {what}: {len(wrong)} wrong, {values[wrong[0]]}"
        cycles, fits = cost.cycles - base.cycles, np.abs(exact) <= limit
        means = [f"{cycles[mask].mean():6.1f}" if mask.any() else "     -" for mask in (fits, ~fits)]
        site = cost.flash - base.flash - cost.code
        costs[what] = f"{means[0]}{means[1]} {cost.code:>3}+{site:<3} B {cost.stack - base.stack:>2} B"
    return costs


if __name__ == "__main__":
    show_dots()
    show_ends()
