"""The kernels for Cortex-M are exact: on the emulated chips, and plain C on the host, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.kernels_cortex_m import INTERFACE, KERNELS, LENGTHS, PATTERNS, Call, Kernel, make_call
from programs.printed import WARNING_FLAGS

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, Runner, runner_for
from tinyml.runtime.devices.toolchain import call_tool, symbols
from tinyml.runtime.model.headers import definition_of

PROGRAM = Path(__file__).parent / "kernels_cortex_m"
ARM = ("cortex-m0", "cortex-m3", "cortex-m4")
DEVICES = ("host", *ARM)
LEVELS = ("-O0", "-Os", "-O2", "-O3")
BUFFERS = {"weights": 2560, "vector": 640}
"""The addresses at which `data/kernels_cortex_m` puts w and x, and their bytes."""

EXTREMES = [(w, x) for w in ("lowest", "highest") for x in ("lowest", "highest")]
PAIRS = [*EXTREMES, ("alternating", "alternating"), ("random", "random")]
"""Patterns of the weights and of the vector."""

RunCalls = Callable[[list[Call]], None]


def build_kernels(runner: Runner, optimize: str, folder: Path) -> Build:
    texts = {name: text for kernel in KERNELS for name, text in definition_of(kernel.name)}
    (folder / "composed.h").write_text("\n".join(texts.values()))
    return runner.build(PROGRAM, INTERFACE, folder, optimize, [*WARNING_FLAGS, f"-I{folder}"])


def check(runner: Runner, build: Build, calls: list[Call]) -> None:
    result = runner.run(build, INTERFACE, np.stack([call.input() for call in calls]))
    assert result.scores is not None
    for call, scores in zip(calls, result.scores, strict=True):
        np.testing.assert_array_equal(scores, call.expected(), err_msg=str(call))


@pytest.fixture(scope="module", params=DEVICES)
def run_calls(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunCalls:
    runner = runner_for(request.param)
    build = build_kernels(runner, "-Os", tmp_path_factory.mktemp("kernels"))
    return lambda calls: check(runner, build, calls)


def extreme_calls(kernel: Kernel) -> list[Call]:
    """Every length with the extremes of both operands, the alignments in turn."""
    random = np.random.default_rng(1)
    calls: list[Call] = []
    for n in LENGTHS:
        for patterns in PAIRS:
            turn = len(calls)
            calls.append(
                make_call(
                    kernel,
                    n,
                    random,
                    patterns=patterns,
                    offsets=(turn % 4, turn // 4 % 4),
                )
            )
    return calls


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_extremes(run_calls: RunCalls, kernel: Kernel):
    run_calls(extreme_calls(kernel))


@st.composite
def drawn_call(draw: st.DrawFn) -> Call:
    n = draw(st.integers(0, 80) | st.sampled_from(LENGTHS))
    return make_call(
        draw(st.sampled_from(KERNELS)),
        n,
        np.random.default_rng(draw(st.integers(0, 2**32))),
        patterns=(draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(PATTERNS))),
        offsets=(draw(st.integers(0, 3)), draw(st.integers(0, 3))),
    )


@pytest.fixture(scope="module")
def small_builds(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Runner, Build]]:
    runners = [HostRunner(sanitize=True), *map(runner_for, ARM)]
    folder = tmp_path_factory.mktemp("small")
    return [(runner, build_kernels(runner, "-Os", folder)) for runner in runners]


@settings(max_examples=25)
@given(st.lists(drawn_call(), min_size=1, max_size=12))
def test_any_calls(small_builds: list[tuple[Runner, Build]], calls: list[Call]):
    for runner, build in small_builds:
        check(runner, build, calls)


def pair_base(first: int) -> int | None:
    """Base register of a Thumb instruction that loads several words, by its first halfword: LDM, POP and LDRD."""
    if first & 0xF800 == 0xC800:
        return first >> 8 & 7
    if first & 0xFFD0 == 0xE890 or first & 0xFE50 == 0xE850:
        return first & 15
    return None


class Watch:
    """An emulated chip that looks at every instruction for what the runner does not check."""

    def __init__(self, device: str, build: Build) -> None:
        import unicorn
        from unicorn import arm_const

        table = symbols("arm-none-eabi-", build.elf)
        self.table = table
        image = build.elf.with_suffix(".bin")
        call_tool("arm-none-eabi-", "objcopy", ["-O", "binary", build.elf, image])
        self.image = image.read_bytes()
        watched = "tm_cm_dot", "tm_cm_tile", "tm_cm_channel_tile"
        self.kernels = {address for name, address in table.items() if name.startswith(watched)}
        self.uc: Any = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)  # pyright: ignore[reportPrivateImportUsage]
        self.uc.ctl_set_cpu_model(getattr(arm_const, f"UC_CPU_ARM_{device.upper().replace('-', '_')}"))
        for address, size in [(0, 1 << 20), (0x20000000, 1 << 18), (0xE000E000, 1 << 12)]:
            self.uc.mem_map(address, size)
        self.uc.mem_write(0, self.image)
        self.registers = [getattr(arm_const, f"UC_ARM_REG_R{i}") for i in range(13)]
        self.sp, self.lr = arm_const.UC_ARM_REG_SP, arm_const.UC_ARM_REG_LR
        self.operands: list[range] = []
        self.calls: list[tuple[int, list[int]]] = []
        self.wrong: list[str] = []
        self.seen = {"calls": 0, "pairs": 0, "reads": 0}
        self.run(table["tm_reset"])
        self.uc.hook_add(unicorn.UC_HOOK_CODE, self.on_instruction)
        for name, size in BUFFERS.items():
            # Of these addresses only: after this hook unicorn forgets that it is in an IT block.
            start = table[name]
            self.uc.hook_add(unicorn.UC_HOOK_MEM_READ, self.on_read, begin=start, end=start + size - 1)

    def run(self, start: int) -> None:
        """From an address to the harness's mark."""
        self.uc.reg_write(self.sp, self.table["tm_stack_top"])
        self.uc.reg_write(self.lr, self.table["tm_mark"] | 1)
        self.uc.emu_start(start | 1, self.table["tm_mark"])

    def check(self, call: Call) -> None:
        self.operands = [
            range(self.table[name] + offset, self.table[name] + offset + operand.nbytes)
            for name, offset, operand in zip(BUFFERS, call.offsets, (call.w, call.x), strict=True)
        ]
        self.uc.mem_write(self.table["tm_array"], call.input().tobytes())
        self.uc.reg_write(self.registers[0], self.table["tm_array"])
        self.run(self.table["kernels_predict"])
        assert not self.wrong, f"{self.wrong[0]}: {call}"
        assert not self.calls

    def preserved(self) -> list[int]:
        return [self.uc.reg_read(register) for register in (*self.registers[4:12], self.sp)]

    def on_instruction(self, _uc: object, address: int, *_: object) -> None:
        if self.calls and address == self.calls[-1][0] and self.calls.pop()[1] != self.preserved():
            self.wrong.append(f"a register is lost by the call before 0x{address:x}")
        if address in self.kernels:
            self.seen["calls"] += 1
            self.calls.append((self.uc.reg_read(self.lr) & ~1, self.preserved()))
        base = pair_base(int.from_bytes(self.image[address : address + 2], "little"))
        if base is not None and base < 13:
            self.seen["pairs"] += 1
            if self.uc.reg_read(self.registers[base]) % 4:
                self.wrong.append(f"unaligned load of several words at 0x{address:x}")

    def on_read(self, _uc: object, _access: int, address: int, size: int, *_: object) -> None:
        self.seen["reads"] += 1
        if not any(address in operand and address + size - 1 in operand for operand in self.operands):
            self.wrong.append(f"read of {size} bytes at 0x{address:x}, outside an operand")


def short_calls() -> list[Call]:
    """Every kernel with every rest of its unrolled loops, at several alignments."""
    random = np.random.default_rng(2)
    return [
        make_call(kernel, n, random, offsets=offsets)
        for kernel in KERNELS
        for n in range(10)
        for offsets in [(0, 0), (1, 0), (0, 1), (2, 3), (3, 2)]
    ]


@pytest.mark.parametrize("optimize", LEVELS)
@pytest.mark.parametrize("device", ARM)
def test_optimisation_changes_nothing(device: str, optimize: str, tmp_path: Path):
    runner = runner_for(device)
    check(runner, build_kernels(runner, optimize, tmp_path), short_calls())


@pytest.mark.parametrize("device", ARM)
def test_loads_and_registers(device: str, tmp_path: Path):
    """Loads of several words are aligned (an M4 faults, the emulator does not), nothing beside the operands is read and
    every call preserves the registers that the calling convention says."""
    watch = Watch(device, build_kernels(runner_for(device), "-O2", tmp_path))
    for call in short_calls():
        watch.check(call)
    assert min(watch.seen.values()) > 100
