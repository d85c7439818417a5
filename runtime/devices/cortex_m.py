"""The runner of ARM Cortex-M chips on the emulator. It computes cycles from the published timing of the core."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tinyml.runtime.devices.emulator import Core, EmulatorRunner
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.targets.board import Timing
from tinyml.targets.chip import Chip
from tinyml.targets.composer.instructions import CycleClass, Instruction, cycles_of_block

_LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f]{4}(?: [0-9a-f]{4})?) *\t([a-z]\S*)(?:\t([^@;<\n]*))?", re.MULTILINE)
_CONDITION = r"(?:eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
_SINGLE = re.compile(rf"(ldr|str)(?:b|h|sb|sh)?{_CONDITION}")
_SEVERAL = re.compile(
    rf"(?:(?:ldr|str)d|(?:ldm|stm)(?:ia|db|ea|fd)?|v?push|v?pop|v(?:ldr|str)|v(?:ldm|stm)(?:ia|db)?){_CONDITION}"
)
_BRANCH = re.compile(rf"b(?:l|x|lx)?{_CONDITION}|cbn?z|tb[bh]")
_COMPARISON = re.compile(rf"(?:cmp|cmn|tst|teq){_CONDITION}")
_LONG = re.compile(r"[us]m[lu](?:al|ll|sld)|umaal")
_REGISTER = re.compile(r"\b(?:r\d+|ip|sp|lr|pc|fp|sl|[sd]\d+)\b")
_RUN = re.compile(r"\b([rsd])(\d+)-\1(\d+)\b|" + _REGISTER.pattern)


class ThumbCycles:
    """The cycles of the basic blocks of a linked program.

    Effects that depend on data are ignored: early termination of divisions (the timing contains a mean), failing
    conditions in IT blocks, unaligned accesses, stalls on floating-point results, and instruction fetches that conflict
    with loads from flash.
    """

    def __init__(self, timing: Timing, chip: Chip, elf: Path) -> None:
        self._timing = timing
        self._instructions = _disassembly(chip, elf, elf.stat().st_mtime_ns)

    @property
    def refill(self) -> int:
        """The additional cycles of a taken branch."""
        return self._timing.refill

    def block(self, addresses: Sequence[int]) -> int:
        """The cycles of the instructions at consecutive `addresses`. A final branch counts as not taken."""
        instructions = [self._instructions[address] for address in addresses if address in self._instructions]
        # Illegal instructions have no disassembly.
        return len(addresses) - len(instructions) + cycles_of_block(self._timing, instructions)


@lru_cache(4)
def _disassembly(chip: Chip, elf: Path, written: int) -> dict[int, Instruction]:
    """The instructions of an ELF file for a chip, by address. The result is cached.

    written: the modification time of the file, which is part of the cache key.
    """
    return disassembled(call_tool(chip, "objdump", ["-d", elf]))


def disassembled(text: str, vector: Callable[[int], Instruction | None] = lambda code: None) -> dict[int, Instruction]:
    """The instructions of `text`, a disassembly, by address. An instruction states the registers on which its cycles
    depend.

    vector: a function that returns the instruction for a 32-bit opcode that binutils cannot decode; None for an unknown
        opcode.
    """
    instructions: dict[int, Instruction] = {}
    for address, code, name, operands in _LINE.findall(text):
        known = vector(int(code.replace(" ", ""), 16)) if len(code) > 4 else None
        instructions[int(address, 16)] = known or _instruction(2 if len(code) == 4 else 4, name.split(".")[0], operands)
    return instructions


@lru_cache(1 << 12)
def _instruction(size: int, name: str, operands: str) -> Instruction:
    registers, words = _REGISTER.findall(operands), _words(name, operands)
    address, written = list[str](), 0
    single = _SINGLE.fullmatch(name)
    cycles: CycleClass = "other"
    if single or words:
        cycles = "several" if words else "load" if name.startswith("ldr") else "store"
        written = int(cycles == "load")
        if "[" in operands:
            address = _REGISTER.findall(operands[operands.index("[") : operands.index("]")])
        else:
            address = ["sp"] if name.startswith(("push", "pop", "vpush", "vpop")) else registers[:1]
    elif name.startswith("it"):
        cycles = "it"
    elif _BRANCH.fullmatch(name):
        cycles = "branch"
    elif not _COMPARISON.fullmatch(name):
        written = 2 if _LONG.match(name) else 1
    if name.startswith("vmov") and any(register[0] not in "sd" for register in registers):
        name = "vmov core"
    return Instruction(f"{name} {operands}", name, size, cycles, words, address, registers, registers[:written])


def _words(name: str, operands: str) -> int:
    """The number of 32-bit registers that an instruction transfers: a load multiple or store multiple, a push or pop,
    LDRD or STRD, or VLDR or VSTR. A `d` register counts as two. 0 for any other instruction.
    """
    if not _SEVERAL.fullmatch(name):
        return 0
    if name.startswith(("ldrd", "strd")):
        return 2
    if name.startswith(("vldr", "vstr")):
        return 2 if operands.startswith("d") else 1
    count = 0
    for match in _RUN.finditer(operands[operands.index("{") :]):
        registers = int(match[3]) - int(match[2]) + 1 if match[1] else 1
        count += 2 * registers if match[0].startswith("d") else registers
    return count


@dataclass(frozen=True)
class CortexMRunner(EmulatorRunner):
    """The runner of an emulated Cortex-M core without Helium. The part of the board names the core.

    An instruction in an IT block whose condition is false is also counted, because it occupies the pipeline.
    """

    def code_cycles(self, elf: Path) -> ThumbCycles | None:
        return ThumbCycles(self.board.timing, self.chip, elf) if self.board.timing else None

    def core(self, unicorn: Any) -> Core:
        arm: Any = importlib.import_module("unicorn.arm_const")
        model = f"UC_CPU_ARM_{self.board.part.upper().replace('-', '_')}"
        return Core(
            unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS, getattr(arm, model)),
            pc=arm.UC_ARM_REG_PC,
            back=arm.UC_ARM_REG_LR,
            sp=arm.UC_ARM_REG_SP,
            arguments=(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R1),
            size_of=_size_of,
            code=1,
            # System registers, CPACR among them.
            devices={0xE000E000: 1 << 12},
        )


def _size_of(halfword: int) -> int:
    """The size of an instruction in bytes: 4 if its first halfword starts with 11101, 11110 or 11111, otherwise 2."""
    return 4 if halfword >> 11 >= 0b11101 else 2
