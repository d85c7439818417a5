"""ARM Cortex-M chips, counting instructions, on the emulator `unicorn`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, DeviceError, Profile, Runner, RunResult, raw_inputs
from tinyml.runtime.devices.toolchain import HARNESS, build_model, call_tool, symbol_table, symbols
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    import numpy as np

_PREFIX = "arm-none-eabi-"
_PAINT = 0xC5
_RAM = 0x20000000

_CPU_FLAGS = {
    "cortex-m0": ("-mcpu=cortex-m0plus",),
    "cortex-m3": ("-mcpu=cortex-m3",),
    "cortex-m4": ("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"),
}


@dataclass(frozen=True)
class CortexMRunner(Runner):
    """A Cortex-M0+, M3 or M4 (with its FPU) with 1 MiB of flash and 256 KiB of RAM, named as in DEVICES.

    Counts the instructions of an inference exactly, from the first of `NAME_predict` through its return; one in an IT
    block whose condition fails counts too, as it takes its place in the pipeline. These are not cycles. More than
    `limit` instructions, an access to no memory, an illegal instruction and a stack overflow raise DeviceError. The
    linker refuses what does not fit the memories with InputError.
    """

    name: str
    limit: int = 1_000_000_000
    prefix = _PREFIX

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str = "-Os",
        extra_flags: Sequence[str] = (),
    ) -> Build:
        libraries = ("-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", f"-T{HARNESS / 'cortex_m.ld'}")
        flags = [optimize, *extra_flags, "-mthumb", *_CPU_FLAGS[self.name], *libraries]
        elf = workdir / f"{interface.name}-{self.name}.elf"
        return build_model(_PREFIX, source_dir, interface, elf, flags, harness=["cortex_m_main.c"])

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        return self._run(_Machine(self, build.elf, interface), interface, inputs)

    def profile(self, build: Build, interface: Interface, inputs: np.ndarray) -> Profile:
        machine = _Machine(self, build.elf, interface)
        result = self._run(machine, interface, inputs)
        spent: dict[tuple[int, int], float] = {}
        for (site, *block), times in machine.entered.items():
            for pc in machine.instructions_of[block[0], block[1]]:
                key = (pc if site is None else site, pc)
                spent[key] = spent.get(key, 0) + times / len(inputs)
        return Profile(result, spent)

    def _run(self, machine: _Machine, interface: Interface, inputs: np.ndarray) -> RunResult:
        import numpy as np

        raw = raw_inputs(interface, inputs)
        samples, size = len(inputs), interface.input_bytes
        labels = np.zeros(samples, dtype=np.int64)
        counts = np.zeros(samples, dtype=np.int64)
        scores: list[bytes] = []
        stack = 0
        for i in range(samples):
            labels[i], counts[i], depth, score = machine.infer(raw[i * size : (i + 1) * size])
            stack = max(stack, depth)
            scores.append(score)
        dtype = interface.output_dtype
        return RunResult(
            labels=labels if interface.has_label else None,
            scores=None
            if dtype is None
            else np.frombuffer(b"".join(scores), dtype=dtype).reshape(samples, interface.output_length),
            cycles=counts,
            unit="instructions",
            stack_bytes=stack,
        )


class _Machine:
    """An emulated chip that has started up and waits at its first `tm_mark`."""

    def __init__(self, runner: CortexMRunner, elf: Path, interface: Interface) -> None:
        try:
            # Its type information is incomplete; a module imported by name is Any.
            unicorn = importlib.import_module("unicorn")
            arm_const = importlib.import_module("unicorn.arm_const")
        except ImportError as error:
            raise InputError("the emulator 'unicorn' is not installed: pip install tinyml[devices]") from error
        self._error: type[Exception] = unicorn.UcError
        self._what = f"{interface.name} on {runner.name}"
        self._limit = runner.limit
        self._interface = interface
        self._symbols = symbols(_PREFIX, elf)
        self._pc, self._lr, self._sp, self._r0 = (
            arm_const.UC_ARM_REG_PC,
            arm_const.UC_ARM_REG_LR,
            arm_const.UC_ARM_REG_SP,
            arm_const.UC_ARM_REG_R0,
        )
        models = {
            "cortex-m0": arm_const.UC_CPU_ARM_CORTEX_M0,
            "cortex-m3": arm_const.UC_CPU_ARM_CORTEX_M3,
            "cortex-m4": arm_const.UC_CPU_ARM_CORTEX_M4,
        }
        image_path = elf.with_suffix(".bin")
        call_tool(_PREFIX, "objcopy", ["-O", "binary", elf, image_path])
        self._image = image_path.read_bytes()
        self._uc: Any = unicorn.Uc(
            unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS, models[runner.name]
        )
        self._uc.mem_map(0, 1 << 20, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        self._uc.mem_map(_RAM, 1 << 18, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        # System registers, CPACR among them.
        self._uc.mem_map(0xE000E000, 1 << 12, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        self._uc.mem_write(0, self._image)
        self._executed = 0
        self.instructions_of: dict[tuple[int, int], Sequence[int]] = {}
        """The addresses of the instructions of a block, given as address and size; none of the harness."""
        self.entered: dict[tuple[int | None, int, int], int] = {}
        """How often each block ran: after which instruction of NAME_predict (None: it belongs to it), address, size."""
        self._inferring = False
        self._site = 0
        predict = next(s for s in symbol_table(_PREFIX, elf) if s.name == f"{interface.name}_predict")
        self._predict = range(predict.address & ~1, (predict.address & ~1) + predict.size)
        self._uc.hook_add(unicorn.UC_HOOK_BLOCK, self._on_block)
        self._uc.reg_write(self._sp, int.from_bytes(self._image[0:4], "little"))
        self._run_to_mark(int.from_bytes(self._image[4:8], "little"))

    def infer(self, raw: bytes) -> tuple[int, int, int, bytes]:
        """Label, instructions, depth of the stack in bytes and raw scores of one input."""
        free, top = self._symbols["tm_bss_end"], self._symbols["tm_stack_top"]
        unused: int = self._uc.reg_read(self._sp) - free
        self._uc.mem_write(self._symbols["tm_input"], raw)
        self._uc.mem_write(free, bytes([_PAINT]) * unused)
        self._inferring = True
        label = self._run_to_mark(self._uc.reg_read(self._lr))
        self._inferring = False
        executed = self._executed
        ram = bytes(self._uc.mem_read(free, unused))
        untouched = unused - len(ram.lstrip(bytes([_PAINT])))
        if untouched == 0:
            raise DeviceError(f"{self._what}: stack overflow, it grew into the static data")
        scores = b""
        if self._interface.output_bytes:
            address = self._run_to_mark(self._uc.reg_read(self._lr))
            scores = bytes(self._uc.mem_read(address, self._interface.output_bytes))
        # On to the mark in front of the next inference.
        self._run_to_mark(self._uc.reg_read(self._lr))
        return (label ^ 0x80000000) - 0x80000000, executed, top - free - untouched, scores

    def _run_to_mark(self, start: int) -> int:
        """Run from a code address to the next `tm_mark` and give its argument."""
        mark = self._symbols["tm_mark"]
        self._executed = 0
        try:
            self._uc.emu_start(start | 1, mark)
        except self._error as error:
            at: int = self._uc.reg_read(self._pc)
            raise DeviceError(f"{self._what}: crash at 0x{at:x}: {error}") from error
        at = self._uc.reg_read(self._pc)
        if at >= len(self._image):
            raise DeviceError(f"{self._what}: jump to 0x{at:x}, out of the program")
        if at != mark:
            raise DeviceError(f"{self._what}: no end within {self._limit} instructions, at 0x{at:x}")
        return self._uc.reg_read(self._r0)

    def _on_block(self, _uc: object, address: int, size: int, _data: object) -> None:
        if (instructions := self.instructions_of.get((address, size))) is None:
            instructions = self.instructions_of[address, size] = self._instructions_in(address, size)
        self._executed += len(instructions)
        if self._inferring:
            inside = address in self._predict
            block = None if inside else self._site, address, size
            self.entered[block] = self.entered.get(block, 0) + 1
            if inside:
                self._site = instructions[-1]
        if self._executed > self._limit or address >= len(self._image):
            self._uc.emu_stop()

    def _instructions_in(self, address: int, size: int) -> Sequence[int]:
        """The Thumb instructions of a block: straight-line code that is entered only at its start."""
        if self._symbols["tm_harness_start"] <= address < self._symbols["tm_harness_end"]:
            return ()
        found: list[int] = []
        at, end = address, min(address + size, len(self._image))
        while at < end:
            found.append(at)
            # A first halfword that starts with 11101, 11110 or 11111 has a second one.
            at += 4 if self._image[at + 1] >> 3 >= 0b11101 else 2
        return found
