"""Kernels: C functions of the runtime or of a chip that compute exact sums of integer products, or evaluate forests or
lane functions.

A chip lists its kernels in `targets/NAME/kernels.py`. Headers of the chip, or the shared headers in
`runtime/include/tinyml/`, define the functions that are not composed. Assembly code is always accompanied by a
reference implementation in plain C, so that a generated file has the same results on every machine.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.layouts.digits import DIGITS, Digits, Width
from tinyml.dialects.layouts.packed_bits import WIDTHS
from tinyml.dialects.num import KernelAttr, ListedKernelAttr
from tinyml.targets.composer.instructions import Run


@dataclass(frozen=True)
class SharedFunction:
    """A C function that several kernels call. It is printed once per program.

    symbol, text: its name and its C text.
    code: the bytes of flash.
    """

    symbol: str
    text: str
    code: int


@dataclass(frozen=True)
class Composed:
    """The C text and the costs of a composed kernel.

    * header: the runtime header that the kernel needs, or empty.
    * functions: the other runtime functions that the kernel calls.
    * shared: the functions that the kernel shares with other kernels.
    * signature: the head of the function.
    * bodies: assembly statements by instruction set. An instruction set is a value of TM_CORE or a preprocessor
      condition.
    * portable: the statements for all other machines.
    * costs: the time of a call (""), of each product ("element") and of each other unit of the kernel's work: cycles on
      an AVR, instructions on other chips. A unit that is not stated takes no time. A kernel without costs is measured.
    * counts: for a function in C that contains its constants, the number of times that a call executes each step of the
      cost tables. `costs` is then a rough time.
    * call: the bytes of flash of a call.
    * stack: the bytes of stack.
    * block: the number of elements in an iteration, if the time of each element after whole iterations is known
      ("rest").
    * runs: the instructions that a call executes, if they are recorded.
    * near: true if the code contains constants. They count towards the limit of a chip (`Chip.flash_bytes`).
    """

    header: str
    signature: str
    bodies: Mapping[Any, str]
    portable: str
    costs: Mapping[str, float] = field(default_factory=dict[str, float])
    call: int = 0
    stack: int = 0
    functions: Sequence[str] = ()
    shared: Sequence[SharedFunction] = ()
    block: int = 0
    runs: Sequence[Run] = ()
    near: bool = False
    counts: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def text(self) -> str:
        """The C text of the function, including assembly and the portable statements."""
        if not self.bodies:
            return f"static TM_SHARED {self.signature}\n{{\n{self.portable}\n}}\n"
        lines: list[str] = []
        for cores, body in self.bodies.items():
            lines += [f"#{'elif' if lines else 'if'} {_any_of(cores)}", body]
        return "\n".join(
            [
                "/* A naked function has no code that names its parameters. */",
                "#pragma GCC diagnostic push",
                '#pragma GCC diagnostic ignored "-Wunused-parameter"',
                f"#if {_any_of([core for cores in self.bodies for core in cores])}",
                f"static TM_NAKED{' TM_NEAR' if self.near else ''}",
                "#else",
                "static TM_SHARED",
                "#endif",
                self.signature,
                "{",
                *lines,
                "#else",
                self.portable,
                "#endif",
                "}",
                "#pragma GCC diagnostic pop",
                "",
            ]
        )


class Inlined(Composed):
    """A function in plain C that is inlined."""

    @property
    def text(self) -> str:
        return f"static inline __attribute__((__unused__)) {self.signature}\n{{\n{self.portable}\n}}\n"


def _any_of(cores: Sequence[int | str]) -> str:
    return " || ".join(core if isinstance(core, str) else f"TM_CORE == {core}" for core in cores)


@dataclass(frozen=True)
class Kernel:
    """A C function and the sum that it computes.

    * symbol: the name of the function.
    * op: the num op that the kernel implements. The factor of `num.axpy` counts as the vector.
    * weights, vector: the widths of the stored integers in bits; not a multiple of 8 if they are packed.
    * sum: the width of the accumulator in bits.
    * gaps: the width in bits of the distance from the previous weight's column, for sparse rows that are byte streams:
      8 for `pack_rows` and 4 for `delta_rows`. For `gathered_rows`, it is 8 plus 16 divided by the number of entries of
      a group. For all other rows, it is 0.
    * flash: true if the weights are in flash, false for RAM, None if the chip has a single address space.
    * rows: the number of matrix rows computed per call.
    * step: the time of one entry of a sum, in cycles on an AVR and in instructions on other chips, 0 if unknown.
    * code: the bytes of flash. `make kernels` measures `step` and `code`.
    * codings: the codings of weights and vector; tables are the first arguments.
    * segments: true if the tables are those of `Coding.segments`.
    * needs: the feature that a board must have.
    * composed: the text of a kernel that no header defines.
    * chunk: the number of consecutive products, counted from the last one, whose sum is proven to fit in 16 bits.
    * large: true if the kernel needs more flash than its weights; only `spend-flash` chooses such a kernel.
    * identity: the attribute that identifies the kernel in the IR; None for a kernel that the chip lists, which its
      symbol identifies.
    """

    symbol: str
    weights: int
    vector: int
    sum: int
    op: str = "num.dot"
    gaps: int = 0
    flash: bool | None = True
    rows: int = 1
    step: float = 0.0
    codings: tuple[str, ...] = (INTEGER, INTEGER)
    code: int = 0
    segments: bool = False
    needs: str = ""
    composed: Composed | None = None
    chunk: int = 0
    large: bool = False
    identity: KernelAttr | None = None

    @property
    def attribute(self) -> KernelAttr:
        """The attribute that identifies the kernel in the IR."""
        return self.identity or ListedKernelAttr.of(self.symbol)

    @property
    def stack(self) -> int:
        """The bytes of stack of a composed kernel; 0 if unknown."""
        return 0 if self.composed is None else self.composed.stack

    @property
    def gathered(self) -> int | None:
        """The number of entries in a group of `gathered_rows`; None for other layouts."""
        return 16 // (self.gaps - 8) if self.gaps > 8 else None

    @property
    def fetches(self) -> bool:
        """True if the elements of the vector are packed, so that the kernel must extract them."""
        return self.vector % 8 != 0

    @property
    def wanted(self) -> Kernel:
        """A `Kernel` that only describes the computed sum. It has the routine, the widths, the codings, the memory of
        the weights and the number of rows of this kernel.
        """
        widths = self.weights, self.vector, self.sum
        return Kernel("", *widths, op=self.op, flash=self.flash, rows=self.rows, codings=self.codings)

    @property
    def computed(self) -> Hashable:
        """A key that is equal for kernels that compute the same sum, regardless of the memory of the weights."""
        return self.weights, self.vector, self.sum, self.op, self.codings, self.chunk


REQUANTISED_LIMIT = (1 << 31) - 256
"""The magnitude below which a tile kernel can requantise sums, with negative shifts."""

MIN_MULTIPLIER = 1 << 30
"""The least multiplier with which a tile kernel requantises sums."""


LONGEST_IN_CHUNKS = 1530
"""The greatest length of a run that a kernel processes in chunks."""


@dataclass(frozen=True)
class PackedReads:
    """The costs of packed constants whose elements are read one by one, without a kernel.

    * loop: the time of a packed element divided by that of a plain element, in a loop that reads elements singly.
    * kernel: the same quotient, in a loop that replaces a kernel.
    * call: the number of bytes of flash by which the call of the reading function exceeds a load.
    * code: the bytes of flash of the reading function, by the width of the elements in bits.
    """

    loop: float = 1.6
    kernel: float = 5.0
    call: int = 12
    code: Mapping[int, int] = field(default_factory=dict[int, int])


@dataclass(frozen=True)
class ElementFunction:
    """The description of a C function on packed elements.

    * kind: what the function does: read an element by its index, write an element to RAM, or unpack whole groups from
      RAM to a plain array.
    * bits: the width of an element, or the digits as which elements are packed.
    * flash: true if the function reads from flash.
    * signed: false if unpacked elements have no sign.
    """

    kind: Literal["read", "write", "unpack"]
    bits: Width
    flash: bool = False
    signed: bool = True

    @property
    def symbol(self) -> str:
        """The name of the C function."""
        stem = {"read": "packed", "write": "pack", "unpack": "unpack"}[self.kind]
        memory = "_ram" if self.kind == "read" and not self.flash else ""
        width = f"{self.bits.name}{self.bits.bits}" if isinstance(self.bits, Digits) else f"s{self.bits}"
        return f"tm_{stem}_{width if self.signed else f'u{self.bits}'}{memory}"


ELEMENT_FUNCTIONS: Mapping[str, ElementFunction] = {
    function.symbol: function
    for function in (
        *(ElementFunction("read", bits, flash=True) for bits in (*WIDTHS, *DIGITS)),
        *(ElementFunction(kind, bits) for bits in WIDTHS for kind in ("read", "write", "unpack")),
        *(ElementFunction("unpack", bits, signed=False) for bits in WIDTHS),
    )
}
"""The functions on packed elements by their symbols."""


def packed_reader(bits: Width, *, flash: bool = True) -> str:
    return ElementFunction("read", bits, flash=flash).symbol


def packed_writer(bits: int) -> str:
    return ElementFunction("write", bits).symbol


def packed_copier(bits: int, *, signed: bool = True) -> str:
    """The name of the C function that unpacks groups of `bits`-bit elements from RAM to a plain array.

    signed: false for elements without a sign bit.
    """
    return ElementFunction("unpack", bits, signed=signed).symbol
