"""The description of a chip that the compiler, the C printer and the runners use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tinyml.dialects.errors import TooLargeError
from tinyml.targets.board import Board
from tinyml.targets.c.composer.elements import element_function
from tinyml.targets.c.composer.forests_in_c import FORESTS
from tinyml.targets.kernel import ElementFunction, Kernel, PackedReads
from tinyml.targets.kernel_table import ListedKernels
from tinyml.targets.nests import KernelQuery, Maker, Offer
from tinyml.targets.package import Package

M = TypeVar("M", bound=Maker)

WEIGHTS = ".weights"
"""The suffix of the file with the numbers that a program receives before the first inference."""

MEMORY, SERIAL, CALLBACK, PUSH = INPUTS = ("memory", "serial", "callback", "push")
"""The sources of an input: an array in memory, or rows that arrive over a serial line or from a callback."""

FILE_ORDER, CHANNELS_LAST = INPUT_ORDERS = ("file", "channels-last")
"""The orders of an input's axes: as in the model's file, or with the channels of each pixel adjacent."""

FEWER_CONSTANTS = "fewer bits, a smaller model or a 32-bit board helps"
"""Remedies for a program with more constants than the chip reads."""


@dataclass(frozen=True, eq=False)
class Chip:
    """A family of chips with one instruction set and one C compiler.

    Description:

    * name: the name printed at the top of generated C.
    * folder: the folder of the chip's files: `costs/*.json` (the cost tables of the boards), `include/tinyml/*.h` (the
      headers of chip-specific kernels), `harness/*.c` (start-up code and a loop around the model), and `harness/*.ld`
      (the linker script, if one is needed).
    * runner: the module and class of the `Runner`, such as `package.module:Class`, imported on first use. Empty if
      programs can only be written, not built and run; `not_run` is then the reason.
    * boards: the targets.
    * makers: the chip's table of kernels, best first. Its entries (`Maker`) are lists of kernels and kernel generators,
      such as `SumComposer` (`tinyml.targets.kernel_table`).
    * functions: a function that returns the text of a function that reads or writes packed elements.
    * packed_reads: the costs of packed constants that no kernel reads.
    * extends: a chip whose kernels are also available, with the headers that define them.

    Tools:

    * prefix: the common prefix of compiler and binutils, such as `avr-`.
    * compiler: the command of the C compiler, gcc or clang; by default the prefix followed by `gcc`.
    * tools: the commands of tools without the prefix, by their usual names (`size`, `nm`, `objcopy`, `objdump`,
      `addr2line`).
    * flags: the compiler flags of every program.
    * harness_flags: the flags of builds with the harness only.
    * libraries: the linker flags.
    * memory_flags: a function that returns the linker flags for the memories of a board. Without these flags, a program
      may be larger than the memories, so that reports can state by how much. None if the linker does not check
      memories.
    * memories_of_part: true if compiler and simulator define the memories of each part. A target may then have less
      memory than its part, but not more.
    * triple: LLVM's name of the target, for programs that LLVM compiles; empty for this computer and for chips without
      LLVM support.
    * packages: the Debian packages that `make test` installs.
    * modules: the Python modules that the runner needs.

    Memory and C text:

    * instruction_alignment: instructions start at multiples of this number of bytes.
    * alignment: the greatest alignment in bytes that an access may need.
    * object_bytes: the limit on the size of one constant array; None if unlimited.
    * flash_bytes: the limit on the size of all near constant arrays together; None if unlimited.
    * flash_attribute: the attribute of constant arrays if constants have a separate address space. The helpers
      `tm_flash_T` and `tm_next_T` then read constants (T is one of i8, i16, i32, i64, f32). Far constants have this
      attribute with the suffix `_FAR`. Their addresses have the type `tm_far` and are computed by `TM_FAR`; `tm_far_T`
      and `tm_next_far_T` read them. The helper `tm_far` defines this type, the macro and the functions.
    * flash_text: the text that defines `TM_FLASH_TEXT`, the character type of a string with that attribute, if the
      caller's language has a special character type.
    * constant_alignment: the least alignment in bytes of constant arrays, for kernels.
    * buffer_alignment: the alignment of buffers in the arena, for memories with wide words.
    * constants_in_ram: true if constants occupy RAM in addition to flash.
    * small_counter: the type of loop counters whose constant bounds lie in [0, 255].
    * options: the compiler options that a source file sets.
    * sums_options: the text before a function with sums in memory, such as the sums of standard posits.
    * int24: the text that defines `TM_INT24`, a signed type of at least 24 bits.
    * helpers: the text of the helpers stated above. Also contains `tm_mul8`, `tm_mul16` and `tm_mul16_8` if the chip
      prefers them to plain products of two int8_t, of two int16_t, or of an int16_t and an int8_t.
    * prelude: text printed before the first helper.
    * macros: prefixes of the macros that only the chip's compilers define. Texts of the runtime select code for the
      chip by these macros. None if any compiler accepts the chip's programs, which then contain the code for each
      compiler.
    * replaces: headers of the runtime, such as `tinyml/add.h`, that the chip replaces by headers of the same names. The
      replacements define the same functions.
    * trap: a statement with an illegal instruction, used by tests to provoke a crash.
    * weighted_sums: the feature of the boards on which `num.weighted_sum` takes less time than conversions between
      scales, the empty string for all boards; None if there are no such boards.
    * backend: the module of tinyml that generates hardware for the chip's programs; empty for processors.
    * figures: the module and function that print the costs of the chip's kernels at several levels of optimization
      (`make kernels`).
    """

    name: str
    folder: Path
    boards: Sequence[Board]
    runner: str = ""
    not_run: str = ""
    makers: Sequence[Maker] = FORESTS
    functions: Callable[[ElementFunction], str] = element_function
    packed_reads: PackedReads = field(default_factory=PackedReads)

    prefix: str = ""
    compiler: str = ""
    tools: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: Sequence[str] = ()
    harness_flags: Sequence[str] = ()
    libraries: Sequence[str] = ("-lm",)
    memory_flags: Callable[[Board], Sequence[str]] = lambda board: ()
    memories_of_part: bool = False
    triple: str = ""
    packages: Sequence[Package] = ()
    modules: Sequence[str] = ()
    extends: Chip | None = None

    instruction_alignment: int = 2
    alignment: int = 8
    object_bytes: int | None = None
    flash_bytes: int | None = None
    flash_attribute: str | None = None
    flash_text: str = ""
    constant_alignment: int = 1
    buffer_alignment: int = 1
    constants_in_ram: bool = False
    small_counter: str = "int"
    options: str = ""
    sums_options: str = ""
    int24: str = "#define TM_INT24 int32_t\n"
    prelude: str = ""
    replaces: Sequence[str] = ()
    trap: str = "__builtin_trap();"
    figures: str = ""
    helpers: Mapping[str, str] = field(default_factory=dict[str, str])
    macros: Sequence[str] | None = None
    weighted_sums: str | None = None
    backend: str = ""

    def offers(self, nest: KernelQuery, features: Sequence[str] = ()) -> Iterator[Offer]:
        """Yield the kernels that can compute a nest, in the order of the kernel table.

        features: the features of the board (`Board.features`).
        """
        for entry in self.makers:
            if entry.needs in ("", *features):
                yield from (offer for offer in entry.offers(nest) if offer.kernel.needs in ("", *features))

    def entries_of(self, kind: type[M]) -> list[M]:
        """The entries of the kernel table (`makers`) that are instances of `kind`."""
        return [entry for entry in self.makers if isinstance(entry, kind)]

    @property
    def kernels(self) -> Sequence[Kernel]:
        """The kernels that the chip lists by name, best first."""
        return [kernel for listed in self.entries_of(ListedKernels) for kernel in listed.kernels]

    def check_constants(self, total: float, board: Board, far: float = 0) -> None:
        """Raise `TooLargeError` if the near constants exceed the limit of the chip (`flash_bytes`). On a chip with this
        limit, also raise it if near and far constants together exceed the flash of the board.

        total: the number of bytes of all constants.
        board: one of the boards of the chip.
        far: the number of bytes of far constants, which are included in `total`.
        """
        if self.flash_bytes is None:
            return
        if total - far > self.flash_bytes:
            near = f", {total - far:,.0f} of them not as far constants," if far else ","
            raise TooLargeError(
                f"the constants take {total:,.0f} bytes{near} of the flash of {board.name} a program reads "
                f"{self.flash_bytes:,} as constants: {FEWER_CONSTANTS}"
            )
        if far and total > (board.flash or total):
            raise TooLargeError(
                f"the constants take {total:,.0f} bytes, {board.name} has {board.flash:,} of flash: {FEWER_CONSTANTS}"
            )

    def command(self, tool: str) -> str:
        """The command of the C compiler (`cc`) or of another tool, such as `avr-nm` for `nm`."""
        if tool == "cc":
            return self.compiler or f"{self.prefix}gcc"
        return self.tools.get(tool, f"{self.prefix}{tool}")

    def replacement(self, header: str) -> str | None:
        """The text by which the chip replaces a header of the runtime, such as `tinyml/add.h`; None if it does not."""
        file = self.folder / "include" / header
        return file.read_text("utf-8") if header in self.replaces and file.is_file() else None

    @property
    def include_folders(self) -> Sequence[Path]:
        """The folders that contain the headers of the chip's kernels."""
        folders = self.files("include")
        return folders if self.extends is None else [*self.extends.include_folders, *folders]

    def files(self, pattern: str) -> list[Path]:
        """The files in the chip's folder that match a glob pattern, sorted."""
        return sorted(self.folder.glob(pattern))
