"""What the printer of C has to know about a chip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ChipTarget:
    """A family of chips and its C compiler.

    `alignment` is the greatest alignment in bytes that an access can need.
    `object_bytes` and `flash_bytes` limit one constant array and all of them together; None where nothing does.
    `flash_attribute` is what the definition of a constant array carries where constants live in an address space of
    their own; they are then read by the functions `tm_flash_T` and `tm_next_T` (T one of i8, i16, i32, f32).
    `constant_alignment` is the least alignment in bytes of a constant array, which kernels profit from.
    `small_counter` is the type of loop counters that run from one constant to another within 0 to 255.
    `options` are those of the compiler that a source file sets itself.
    `int24` defines `tm_int24`, the signed integer type of at least 24 bits.
    `helpers` holds the text of those functions and of `tm_mul8`, `tm_mul16` and `tm_mul16_8`, where the target prefers
    them to plain products of two int8_t, of two int16_t or of one of each; `prelude` is put before the first helper.
    """

    name: str
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
