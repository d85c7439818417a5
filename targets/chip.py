"""A chip: everything that the compiler, the printer of C and the runners have to know about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tinyml.targets.board import Board
from tinyml.targets.kernel import Kernel
from tinyml.targets.package import Package


@dataclass(frozen=True)
class Chip:
    """A family of chips with one instruction set and one C compiler.

    name: as the head of printed C has it. folder: where its files are: `costs/*.json`, the cost tables of its boards;
    `include/tinyml/*.h`, the headers of its own kernels; `harness/*.c`, start-up code and a loop around the model; and
    `harness/*.ld`, the linker script, if it needs one. runner: module and class of its `Runner`, such as
    `package.module:Class`, which is imported when it is first asked for. boards: the targets by which it is known.
    kernels: those that programs may call, best first.

    prefix: what the names of its compiler and binutils begin with, such as `avr-`; flags: those of every compilation,
    libraries: those that programs are linked with. packages: what `make test` installs; modules: Python modules that
    the runner needs.

    alignment: the greatest alignment in bytes that an access can need. object_bytes, flash_bytes: limits of one
    constant array and of all together; None where nothing limits them. flash_attribute: what the definition of a
    constant array carries where constants live in an address space of their own; they are then read by the helpers
    `tm_flash_T` and `tm_next_T` (T one of i8, i16, i32, f32). constant_alignment: the least alignment in bytes of a
    constant array, which kernels profit from. small_counter: the type of loop counters that run from one constant to
    another within 0 to 255. options: compiler options that a source file sets itself. int24: the definition of
    `tm_int24`, a signed integer type of at least 24 bits. helpers: the text of those functions and of `tm_mul8`,
    `tm_mul16` and `tm_mul16_8`, where the chip prefers them to plain products of two int8_t, of two int16_t or of one
    of each; prelude: what is put before the first of them.
    """

    name: str
    folder: Path
    runner: str
    boards: Sequence[Board]
    kernels: Sequence[Kernel] = ()

    prefix: str = ""
    flags: Sequence[str] = ()
    libraries: Sequence[str] = ("-lm",)
    packages: Sequence[Package] = ()
    modules: Sequence[str] = ()

    alignment: int = 8
    object_bytes: int | None = None
    flash_bytes: int | None = None
    flash_attribute: str | None = None
    constant_alignment: int = 1
    small_counter: str = "int"
    options: str = ""
    int24: str = "typedef int32_t tm_int24;\n"
    prelude: str = ""
    helpers: Mapping[str, str] = field(default_factory=dict[str, str])

    def files(self, pattern: str) -> list[Path]:
        """The files of its folder that match a pattern, in order."""
        return sorted(self.folder.glob(pattern))
