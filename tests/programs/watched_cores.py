"""Emulated Cortex-M chips that check loads and registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from tinyml.runtime.devices.registry import Build
from tinyml.runtime.devices.toolchain import call_tool, symbols
from tinyml.targets.registry import chip_of


def pair_base(first: int) -> int | None:
    """The number of the base register of a Thumb instruction that loads several words: LDM, POP or LDRD. None for any
    other instruction.

    first: the first halfword of the instruction.
    """
    if first & 0xF800 == 0xC800:
        return first >> 8 & 7
    if first & 0xFFD0 == 0xE890 or first & 0xFE50 == 0xE850:
        return first & 15
    return None


class Watch:
    """An emulated chip that checks every instruction for violations that the runner does not detect.

    model: the name of the program's model.
    buffers: the sizes in bytes of the arrays in which only operands may be read, by name.
    kernels: the prefix of the names of functions that must preserve registers.
    device: the name of the board.
    build: the program that runs.
    """

    def __init__(self, device: str, build: Build, model: str, buffers: Mapping[str, int], kernels: str) -> None:
        import unicorn
        from unicorn import arm_const

        table = symbols(chip_of(device), build.elf)
        self.table = table
        image = build.elf.with_suffix(".bin")
        call_tool(chip_of(device), "objcopy", ["-O", "binary", build.elf, image])
        self.image = image.read_bytes()
        self.predict = table[f"{model}_predict"]
        self.kernels = {address for name, address in table.items() if name.startswith(kernels)}
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
        for name, size in buffers.items():
            # Of these addresses only: after this hook unicorn forgets that it is in an IT block.
            start = table[name]
            self.uc.hook_add(unicorn.UC_HOOK_MEM_READ, self.on_read, begin=start, end=start + size - 1)

    def run(self, start: int) -> None:
        """Run from an address until the program reaches the harness's symbol `tm_mark`.

        start: the address.
        """
        self.uc.reg_write(self.sp, self.table["tm_stack_top"])
        self.uc.reg_write(self.lr, self.table["tm_mark"] | 1)
        self.uc.emu_start(start | 1, self.table["tm_mark"])

    def check(self, content: NDArray[Any], operands: Mapping[str, tuple[int, int]]) -> None:
        """Run the model on an input. Assert that no instruction violates a rule, and that every call has returned.

        operands: the start and the size in bytes of the operand in each buffer, which a kernel may read.
        """
        self.operands = [
            range(self.table[name] + offset, self.table[name] + offset + size)
            for name, (offset, size) in operands.items()
        ]
        self.uc.mem_write(self.table["tm_array"], content.tobytes())
        self.uc.reg_write(self.registers[0], self.table["tm_array"])
        self.run(self.predict)
        assert not self.wrong, self.wrong[0]
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
