"""`bind-weights`: moves the numeric arrays of a C program into a separate file, the blob, from which the program reads
them in place (L5).

The blob begins with 32 bytes, all integers little-endian:

* bytes 0 to 3: `TMLW`.
* bytes 4 to 7: the version of this layout, and the length of these 32 bytes, 16 bits each.
* bytes 8 to 15: the digest of the program.
* bytes 16 to 19: the length of the arrays.
* bytes 20 to 27: zero.
* bytes 28 to 31: the CRC-32 of bytes 0 to 27 and of the arrays.

The arrays follow, each at its alignment. The digest identifies the IR of the program without the content of the arrays.
Two programs with equal digests therefore have the same C.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from struct import pack

from xdsl.context import Context
from xdsl.dialects.builtin import BytesAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import c
from tinyml.dialects.c.declarations import FILES
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import DATA
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.c.text import spell
from tinyml.targets.chip import Chip
from tinyml.targets.registry import chip_of, target_of
from tinyml.transforms.ir.levels import C_PROGRAMS

MAGIC, VERSION, HEAD = b"TMLW", 1, 32
_DIGEST, _CRC = slice(8, 16), 28
BLOB = ".blob"
"""The suffix of the blob's file."""

NEAR = 1 << 16
"""The bytes that a pointer of a chip with a separate address space for constants reaches."""

MOST_ADDRESS = 1 << 32
"""The limit of the end of a blob."""

CODES = ("OK", "MISALIGNED", "UNKNOWN", "VERSION", "PROGRAM", "LENGTH", "DAMAGED")
"""The results of `NAME_bind`, without the prefix `NAME_BLOB_`."""


@dataclass(frozen=True)
class BindWeightsPass(ModulePass):
    """Replace every `c.constant` with the attribute `tinyml.data` by a macro that reads the array through a pointer.
    The C function `NAME_bind` sets the pointer.

    weights_at: the address of the blob, or the linker section of `NAME_blob.c`.
    weights_for: an output folder with a program that must be able to use the new blob; None to skip this check.

    Raises `InputError` for an address or section that the chip cannot read, for a module without a program, for a
    program that contains no such arrays or supports several instances, and for arrays that require a program other than
    the program in `weights_for`.
    """

    name = "bind-weights"
    takes = C_PROGRAMS
    weights_at: str
    weights_for: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        program = op.body.block.first_op
        if not isinstance(program, c.ProgramOp):
            raise error_at(op, "'bind-weights' takes one program in C, the module is empty")
        chip = chip_of(target_of(op))
        arrays = [each for each in program.body.block.ops if isinstance(each, c.ConstantOp) and DATA in each.attributes]
        if any(isinstance(each, c.InstanceOp) for each in program.body.block.ops):
            raise InputError("--weights-at: instances share no pointer to weights: leave out --instances")
        if not arrays:
            raise InputError("--weights-at: the program has no arrays of numbers")
        layout = _Layout.of(program.sym_name.data, arrays, chip, self.weights_at)
        for array in arrays:
            array.detach()
        texts = [_definitions(layout, chip, bytes(8)), _declarations(layout)]
        digest = sha256("\n".join([chip.name, str(program), *texts]).encode()).digest()[:8]
        self._check_program(layout, digest)
        block = program.body.block
        source = c.VerbatimOp(f"{layout.name}_weights", [], _definitions(layout, chip, digest))
        header = c.InlineOp(f"{layout.name}_bind", texts[1])
        Rewriter.insert_op([header, source], InsertPoint.at_start(block))
        blob = layout.blob(digest)
        files = {BLOB: BytesAttr(blob), "_blob.c": StringAttr(_array(layout, chip, blob))}
        program.attributes[FILES] = DictionaryAttr(files)

    def _check_program(self, layout: _Layout, digest: bytes) -> None:
        """Raise `InputError` if `digest` differs from the digest in the blob of the folder `weights_for`. Without
        `weights_for`, nothing is checked.
        """
        if self.weights_for is None:
            return
        file = Path(self.weights_for) / f"{layout.name}{BLOB}"
        if read_bytes(file, "blob")[_DIGEST] != digest:
            raise InputError(
                "--weights-for: these weights need another program, as ir/5-c.mlir of both shows: compile the model "
                "anew, or with the options of this folder",
                file=str(file),
            )


@dataclass(frozen=True)
class _Layout:
    """The position of each array in a blob.

    name: the name of the program.
    arrays: the arrays in the order of the blob.
    offsets: the first byte of each array, counted from the start of the blob.
    size: the number of bytes of the arrays, including padding between them.
    alignment: the greatest alignment of an array, in bytes.
    place: a linker section, or an address as a C expression.
    """

    name: str
    arrays: Sequence[c.ConstantOp]
    offsets: Sequence[int]
    size: int
    alignment: int
    place: str

    @classmethod
    def of(cls, name: str, arrays: Sequence[c.ConstantOp], chip: Chip, place: str) -> _Layout:
        if not _is_address(place) and _SECTION.fullmatch(place) is None:
            raise InputError(f"--weights-at: expected an address or the name of a section, got {place!r}")
        ordered = sorted(arrays, key=lambda op: -op.element_size)
        if any(op.far is not None for op in ordered):
            raise InputError(
                f"--weights-at: a blob lies in the first 64 KB of {chip.name}'s flash, and these weights do not"
            )
        offsets, end, alignment = list[int](), HEAD, 4
        for op in ordered:
            unit = max(op.element_size, chip.constant_alignment)
            alignment = max(alignment, unit)
            end += -end % unit
            offsets.append(end)
            end += len(_content(op))
        if HEAD % alignment:
            raise InputError(f"--weights-at: arrays of {chip.name} are aligned to {alignment} bytes")
        if _is_address(place):
            _check_address(place, end, alignment, chip)
        return cls(name, ordered, offsets, end, alignment, place)

    @property
    def address(self) -> int | None:
        """The address of the blob as a number. None if the linker places the blob in a section."""
        return int(self.place, 0) if _is_address(self.place) else None

    @property
    def section(self) -> str:
        return f".{self.name}_blob" if self.address is not None else self.place

    def head(self, digest: bytes) -> bytes:
        """Bytes 0 to 27 of the blob, which precede the CRC-32."""
        return pack("<4sHH8sI8x", MAGIC, VERSION, HEAD, digest, self.size - HEAD)

    def blob(self, digest: bytes) -> bytes:
        content = bytearray(self.size - HEAD)
        for op, offset in zip(self.arrays, self.offsets, strict=True):
            bytes_ = _content(op)
            content[offset - HEAD : offset - HEAD + len(bytes_)] = bytes_
        head = self.head(digest)
        return head + pack("<I", zlib.crc32(head + content)) + bytes(content)


_ADDRESS, _SECTION = re.compile(r"0x[0-9A-Fa-f]+|0|[1-9][0-9]*"), re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$-]*")
"""The spellings of addresses in C, and the names of sections."""


def _is_address(place: str) -> bool:
    return _ADDRESS.fullmatch(place) is not None


def _check_address(place: str, size: int, alignment: int, chip: Chip) -> None:
    address = int(place, 0)
    if address % alignment:
        raise InputError(f"--weights-at: the address must be a multiple of {alignment}, got {place}")
    if address + size > MOST_ADDRESS:
        raise InputError(f"--weights-at: the {size} bytes at {place} end beyond an address of 32 bits")
    if chip.flash_attribute is not None and address + size > NEAR:
        raise InputError(f"--weights-at: the {size} bytes at {place} end beyond the first 64 KB of {chip.name}'s flash")


def _content(op: c.ConstantOp) -> bytes:
    data, size = op.value.data.data, op.element_size
    count = op.value.type.element_count()
    return data * count if len(data) == size else data


def _definitions(layout: _Layout, chip: Chip, digest: bytes) -> str:
    """C code that defines the pointer to the blob, a macro for each array, and the function `NAME_bind`."""
    name, separate = layout.name, chip.flash_attribute is not None
    head = layout.head(digest)[: _CRC - 8]
    lines, read = list[str](), "*({})"
    if separate:
        # The program itself may define the helper, further below.
        byte = f"{name}_blob_i8"
        lines += [*chip.prelude.splitlines(), *chip.helpers["tm_flash_i8"].replace("tm_flash_i8", byte).splitlines()]
        read = f"(uint8_t){byte}((const int8_t *)({{}}))"
    flash = f" {chip.flash_attribute}" if separate else ""
    byte = read.format("bytes + (i < {crc} ? i : i + 4)").replace("{crc}", str(_CRC))
    lines += ["/* The blob, or 0 before it is bound. */", f"static const uint8_t *{name}_blob_bytes;"]
    for op, offset in zip(layout.arrays, layout.offsets, strict=True):
        symbol = op.sym_name.data
        symbol = symbol if symbol.startswith(f"{name}_") else f"{name}_{symbol}"
        doc = "" if op.doc is None else f" /* {op.doc.data} */"
        lines.append(f"#define {symbol} ((const {spell(op.element)} *)({name}_blob_bytes + {offset})){doc}")
    lines += [
        f"static const uint8_t {name}_blob_head[{len(head)}]{flash} = {{",
        f"    {', '.join(map(str, head))}",
        "};",
        "",
        f"int8_t {name}_bind(const void *blob)",
        "{",
        "    const uint8_t *const bytes = (const uint8_t *)blob;",
        "    uint32_t crc = 0xFFFFFFFFu, wanted = 0;",
        f"    {name}_blob_bytes = 0;",
        f"    if (blob == 0 || (uintptr_t)blob % {layout.alignment} != 0)",
        f"        return {name}_BLOB_MISALIGNED;",
        f"    for (uint8_t i = 0; i < {len(head)}; i++)",
        f"        if ({read.format('bytes + i')} != {read.format(f'{name}_blob_head + i')})",
        f"            return i < 4 ? {name}_BLOB_UNKNOWN : i < 8 ? {name}_BLOB_VERSION : i < 16 ? "
        f"{name}_BLOB_PROGRAM : {name}_BLOB_LENGTH;",
        f"    for (uint32_t i = 0; i < {layout.size - 4}u; i++) {{",
        f"        crc ^= {byte};",
        "        for (uint8_t bit = 0; bit < 8; bit++)",
        "            crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1u));",
        "    }",
        "    for (uint8_t i = 4; i > 0; i--)",
        f"        wanted = wanted << 8 | {read.format(f'bytes + {_CRC - 1} + i')};",
        "    if (~crc != wanted)",
        f"        return {name}_BLOB_DAMAGED;",
        f"    {name}_blob_bytes = bytes;",
        f"    return {name}_BLOB_OK;",
        "}",
    ]
    return "\n".join(lines)


def _declarations(layout: _Layout) -> str:
    name = layout.name
    lines = [
        f"#define {name}_BLOB_BYTES {layout.size} /* bytes of {name}.blob */",
        f"#define {name}_BLOB_ALIGNMENT {layout.alignment} /* its address is a multiple of this */",
    ]
    if layout.address is not None:
        lines.append(f"#define {name}_BLOB_ADDRESS {layout.place}u /* where {name}.blob lies */")
    lines += [f"#define {name}_BLOB_{code} {number}" for number, code in enumerate(CODES)]
    lines += [
        f"/* Uses the weights at an address, which are {name}.blob and stay there: call it before anything else.",
        f" * Returns {name}_BLOB_OK, or why it refuses them. */",
        f"int8_t {name}_bind(const void *blob);",
        f"/* The weights with which the program was compiled, if {name}_blob.c is linked. */",
        f"extern const uint8_t {name}_blob[{name}_BLOB_BYTES];",
    ]
    return "\n".join(lines)


def _array(layout: _Layout, chip: Chip, blob: bytes) -> str:
    """The text of a C file that defines the blob as an array in a linker section."""
    name, address = layout.name, layout.address
    at = "" if address is None else f", with -Wl,--section-start={layout.section}={layout.place}"
    rows = [", ".join(map(str, blob[i : i + 20])) for i in range(0, len(blob), 20)]
    section = f'section("{layout.section}"), '
    plain = f"__attribute__((aligned({layout.alignment})))"
    flash = "" if chip.flash_attribute is None else f"{chip.flash_attribute} "
    return "\n".join(
        [
            f"/* {name}_blob.c: the content of {name}.blob, for the linker{at}. Written by tinyml; do not edit. */",
            f'#include "{name}.h"',
            "",
            *(chip.prelude.splitlines() if flash else []),
            "#if TM_BLOB",
            f"#define TM_BLOB_PLACE {flash}{plain}",
            "#else",
            f"#define TM_BLOB_PLACE __attribute__(({section}aligned({layout.alignment})))",
            "#endif",
            f"const uint8_t {name}_blob[{name}_BLOB_BYTES] TM_BLOB_PLACE = {{",
            *(f"    {row}," for row in rows[:-1]),
            f"    {rows[-1]}",
            "};",
            "",
        ]
    )
