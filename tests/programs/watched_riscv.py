"""Emulated RISC-V chips that check registers."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from tinyml.runtime.devices.registry import Build
from tinyml.runtime.devices.toolchain import call_tool, symbols
from tinyml.targets.registry import chip_of

_CHIP = chip_of("riscv")


class Watch:
    """An emulated chip that compares the registers that calls must preserve before and after each call.

    model: the name of the program's model.
    """

    def __init__(self, program: Build, model: str) -> None:
        import unicorn
        from unicorn import riscv_const

        self.table = symbols(_CHIP, program.elf)
        self.predict = self.table[f"{model}_predict"]
        image = program.elf.with_suffix(".bin")
        call_tool(_CHIP, "objcopy", ["-O", "binary", program.elf, image])
        self.kernels = {address for name, address in self.table.items() if name.startswith("tm_rv_")}
        self.uc: Any = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)  # pyright: ignore[reportPrivateImportUsage]
        for address, size in [(0, 1 << 20), (0x20000000, 1 << 18)]:
            self.uc.mem_map(address, size)
        self.uc.mem_write(0, image.read_bytes())
        names = ("SP", "GP", "TP", *(f"S{number}" for number in range(12)))
        self.registers = [getattr(riscv_const, f"UC_RISCV_REG_{name}") for name in names]
        self.sp, self.ra, self.argument = self.registers[0], riscv_const.UC_RISCV_REG_RA, riscv_const.UC_RISCV_REG_A0
        self.calls: list[tuple[int, list[int]]] = []
        self.returned = 0
        self.wrong: list[str] = []
        self.run(self.table["tm_reset"])
        self.uc.hook_add(unicorn.UC_HOOK_CODE, self.on_instruction)

    def run(self, start: int) -> None:
        """Run from an address until the program reaches the harness's symbol `tm_mark`.

        start: the address.
        """
        self.uc.reg_write(self.sp, self.table["tm_stack_top"])
        self.uc.reg_write(self.ra, self.table["tm_mark"])
        self.uc.emu_start(start, self.table["tm_mark"])

    def check(self, content: NDArray[Any]) -> None:
        """Run the model on an input. Assert that every call has returned and has preserved its registers."""
        self.uc.mem_write(self.table["tm_array"], content.tobytes())
        self.uc.reg_write(self.argument, self.table["tm_array"])
        self.run(self.predict)
        assert not self.wrong, self.wrong[0]
        assert not self.calls

    def preserved(self) -> list[int]:
        return [self.uc.reg_read(register) for register in self.registers]

    def on_instruction(self, _uc: object, address: int, *_: object) -> None:
        if self.calls and address == self.calls[-1][0]:
            self.returned += 1
            if self.calls.pop()[1] != self.preserved():
                self.wrong.append(f"a register is lost by the call before 0x{address:x}")
        if address in self.kernels:
            self.calls.append((self.uc.reg_read(self.ra), self.preserved()))
