"""The C texts of a program that reads its weights from a blob."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness, i8
from xdsl.ir import Operation

from tinyml.dialects import c
from tinyml.dialects.c.header import BLOB, SOURCE
from tinyml.targets.blobs.checks import ContentChecks
from tinyml.targets.blobs.layout import CRC, HEAD, BlobLayout
from tinyml.targets.blobs.place import address_of
from tinyml.targets.c.header_items import once
from tinyml.targets.c.text import FAR_TYPE, spell
from tinyml.targets.chip import Chip

CODES = ("OK", "MISALIGNED", "UNKNOWN", "VERSION", "PROGRAM", "LENGTH", "DAMAGED", "CONTENT")
"""The results of `NAME_bind`, without the prefix `NAME_BLOB_`."""

_UI32 = IntegerType(32, Signedness.UNSIGNED)

_MAX_FAR = 1 << 24
"""The limit of the end of a far blob, since far addresses have 24 bits."""


def definitions(layout: BlobLayout, chip: Chip, digest: bytes) -> str:
    """C code that defines the address of the blob, a macro for each array, and the function `NAME_bind`."""
    name, size, separate, far = layout.name, layout.size, chip.flash_attribute is not None, layout.far is not None
    head = layout.head(digest)[: CRC - 8]
    lines, read, read_head = list[str](), "*({})", "*({})"
    if separate:
        lines += chip.prelude.splitlines()
        read_head = read = f"(uint8_t){_helper(lines, layout, chip, 'flash', 'i8')}((const int8_t *)({{}}))"
    if far:
        lines += once(FAR_TYPE, chip.helpers[FAR_TYPE].splitlines())
        read = f"(uint8_t){_helper(lines, layout, chip, 'far', 'far_i8')}({{}})"
    pointer = f"{FAR_TYPE} " if far else "const uint8_t *"
    byte = read.format(f"start + (i < {CRC} ? i : i + 4)")
    lines += ["/* The blob, or 0 before it is bound. */", f"static {pointer}{name}_blob_bytes;"]
    for op, offset in zip(layout.arrays, layout.offsets, strict=True):
        symbol = op.sym_name.data
        symbol = symbol if symbol.startswith(f"{name}_") else f"{name}_{symbol}"
        doc = "" if op.doc is None else f" /* {op.doc.data} */"
        at = f"{name}_blob_bytes + {offset}"
        lines.append(f"#define {symbol} ({at if far else f'(const {spell(op.element)} *)({at})'}){doc}")
    wrong = f" || blob > {_MAX_FAR - size}u" if far else ""
    number = "blob" if far else "(uintptr_t)blob"
    start = f"{FAR_TYPE} start = ({FAR_TYPE})" if far else "const uint8_t *const start = (const uint8_t *)"
    checks = ContentChecks.of(layout, pointer, read)
    lines += [
        f"static const uint8_t {name}_blob_head[{len(head)}]{f' {chip.flash_attribute}' if separate else ''} = {{",
        f"    {', '.join(map(str, head))}",
        "};",
        "",
        *checks.functions,
        f"int8_t {name}_bind({_parameters(layout)})",
        "{",
        f"    {start}blob;",
        "    uint32_t crc = 0xFFFFFFFFu, wanted = 0;",
        f"    {name}_blob_bytes = 0;",
        f"    if (blob == 0 || {number} % {layout.alignment} != 0{wrong})",
        f"        return {name}_BLOB_MISALIGNED;",
        f"    if (bytes < {HEAD})",
        f"        return {name}_BLOB_LENGTH;",
        f"    for (uint8_t i = 0; i < {len(head)}; i++)",
        f"        if ({read.format('start + i')} != {read_head.format(f'{name}_blob_head + i')})",
        f"            return i < 4 ? {name}_BLOB_UNKNOWN : i < 8 ? {name}_BLOB_VERSION : i < 16 ? "
        f"{name}_BLOB_PROGRAM : {name}_BLOB_LENGTH;",
        f"    if (bytes < {size}u)",
        f"        return {name}_BLOB_LENGTH;",
        f"    for (uint32_t i = 0; i < {size - 4}u; i++) {{",
        f"        crc ^= {byte};",
        "        for (uint8_t bit = 0; bit < 8; bit++)",
        "            crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1u));",
        "    }",
        "    for (uint8_t i = 4; i > 0; i--)",
        f"        wanted = wanted << 8 | {read.format(f'start + {CRC - 1} + i')};",
        "    if (~crc != wanted)",
        f"        return {name}_BLOB_DAMAGED;",
        *(f"    if (!{condition})\n        return {name}_BLOB_CONTENT;" for condition in checks.conditions),
        f"    {name}_blob_bytes = start;",
        f"    return {name}_BLOB_OK;",
        "}",
    ]
    return "\n".join(lines)


def _helper(lines: list[str], layout: BlobLayout, chip: Chip, kind: str, suffix: str) -> str:
    # The program itself may define the helper, further below.
    name, helper = f"{layout.name}_blob_{suffix}", f"tm_{kind}_i8"
    lines += chip.helpers[helper].replace(helper, name).splitlines()
    return name


def _parameters(layout: BlobLayout) -> str:
    return f"{'const void *' if layout.far is None else 'uint32_t '}blob, uint32_t bytes"


def declarations(layout: BlobLayout) -> list[Operation]:
    """The declarations of the header NAME.h."""
    name, address = layout.name, address_of(layout.place)
    found: list[Operation] = [
        c.DefineOp(f"{name}_BLOB_BYTES", layout.size, f"bytes of {name}.blob"),
        c.DefineOp(f"{name}_BLOB_ALIGNMENT", layout.alignment, "its address is a multiple of this"),
    ]
    if address is not None:
        found.append(c.DefineOp.address(f"{name}_BLOB_ADDRESS", address, f"where {name}.blob lies"))
    if layout.far is not None:
        found.append(c.DefineOp(f"{name}_BLOB_FAR", 1, "its address has more than 16 bits"))
    found += [c.DefineOp(f"{name}_BLOB_{code}", number) for number, code in enumerate(CODES)]
    doc = (
        f"Uses the weights at an address, which are {name}.blob and stay there: call it before anything else. Reads at "
        f"most the given number of bytes, of which the weights take BLOB_BYTES. Returns {name}_BLOB_OK, or why it "
        "refuses them."
    )
    parameters = {"blob": c.AddressType() if layout.far is None else _UI32, "bytes": _UI32}
    found.append(c.PrototypeOp(f"{name}_bind", parameters, [i8], doc, defined=SOURCE))
    if layout.far is not None:
        doc = f"The address of the weights with which the program was compiled, if {name}_blob.c is linked."
        found.append(c.PrototypeOp(f"{name}_blob_address", {}, [_UI32], doc, defined=BLOB))
    else:
        doc = f"The weights with which the program was compiled, if {name}_blob.c is linked."
        byte = IntegerType(8, Signedness.UNSIGNED)
        found.append(c.TableOp(f"{name}_blob", layout.size, byte, doc, defined=BLOB))
    return found


def linked(layout: BlobLayout, chip: Chip, blob: bytes) -> str:
    """The text of a C file that defines the blob in a linker section."""
    name, address = layout.name, address_of(layout.place)
    at = "" if address is None else f", with -Wl,--section-start={layout.section}={layout.place}"
    lines = [
        f"/* {name}_blob.c: the content of {name}.blob, for the linker{at}. Written by tinyml; do not edit. */",
        f'#include "{name}.h"',
        "",
        *(chip.prelude.splitlines() if chip.flash_attribute is not None else []),
    ]
    rows = [", ".join(map(str, blob[i : i + 20])) for i in range(0, len(blob), 20)]
    body = _array(layout, chip, rows) if layout.far is None else _far_bytes(layout, layout.far, chip, rows)
    return "\n".join([*lines, *body, ""])


def _array(layout: BlobLayout, chip: Chip, rows: list[str]) -> list[str]:
    name, plain = layout.name, f"__attribute__((aligned({layout.alignment})))"
    flash = "" if chip.flash_attribute is None else f"{chip.flash_attribute} "
    return [
        "#if TM_BLOB",
        f"#define TM_BLOB_PLACE {flash}{plain}",
        "#else",
        f'#define TM_BLOB_PLACE __attribute__((section("{layout.section}"), aligned({layout.alignment})))',
        "#endif",
        f"const uint8_t {name}_blob[{name}_BLOB_BYTES] TM_BLOB_PLACE = {{",
        *(f"    {row}," for row in rows[:-1]),
        f"    {rows[-1]}",
        "};",
    ]


def _far_bytes(layout: BlobLayout, section: str, chip: Chip, rows: list[str]) -> list[str]:
    """The lines of C that define a far blob and a function that returns its address. The bytes are assembler text,
    since a far blob may be larger than an array in C.
    """
    name = layout.name
    return [
        *once(FAR_TYPE, chip.helpers[FAR_TYPE].splitlines()),
        "#if TM_BLOB",
        f'#define TM_BLOB_PLACE "{section}"',
        "#else",
        f'#define TM_BLOB_PLACE "{layout.section}"',
        "#endif",
        "__asm__(",
        f'    ".section " TM_BLOB_PLACE ",\\"ax\\",@progbits\\n.balign {layout.alignment}\\n{name}_blob:\\n"',
        *(f'    ".byte {row}\\n"' for row in rows),
        f'    ".balign {layout.alignment}\\n.text\\n");',
        f"extern const uint8_t {name}_blob[];",
        f"uint32_t {name}_blob_address(void)",
        "{",
        f"    return TM_FAR({name}_blob);",
        "}",
    ]
