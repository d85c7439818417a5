"""The layout of a blob of weights, and its content as bytes.

The blob begins with 32 bytes, all integers little-endian:

* bytes 0 to 3: `TMLW`.
* bytes 4 to 7: the version of this layout, and the length of these 32 bytes, 16 bits each.
* bytes 8 to 15: the digest of the program.
* bytes 16 to 19: the length of the arrays.
* bytes 20 to 27: zero.
* bytes 28 to 31: the CRC-32 of bytes 0 to 27 and of the arrays.

The arrays follow, each at its alignment.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack

from tinyml.dialects import c
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.targets.blobs.place import NEAR, address_of, far_section, is_section
from tinyml.targets.chip import FEWER_CONSTANTS, Chip
from tinyml.targets.registry import board, chip_of

MAGIC, VERSION, HEAD = b"TMLW", 1, 32
DIGEST, CRC = slice(8, 16), 28
"""The bytes of the digest, and the first byte of the CRC-32."""

_MAX_ADDRESS = 1 << 32
"""The limit of the end of a blob."""


@dataclass(frozen=True)
class BlobLayout:
    """The position of each array in a blob.

    name: the name of the program.
    arrays: the arrays in the order of the blob.
    offsets: the first byte of each array, counted from the start of the blob.
    size: the number of bytes of the blob.
    alignment: the greatest alignment of an array, in bytes.
    place: a linker section, or an address as a C expression.
    far: the linker section of far constants, if the arrays are far; None if they are near.
    """

    name: str
    arrays: Sequence[c.ConstantOp]
    offsets: Sequence[int]
    size: int
    alignment: int
    place: str
    far: str | None

    @classmethod
    def of(cls, name: str, arrays: Sequence[c.ConstantOp], target: str, place: str) -> BlobLayout:
        """The layout of a blob for a board. Raises `InputError` for a place at which the board cannot read the blob,
        for far constants if a blob on this board cannot be far, and for arrays that are too large or whose alignment
        is too great.
        """
        chip, address = chip_of(target), address_of(place)
        if address is None and not is_section(place):
            raise InputError(f"--weights-at: expected an address or the name of a section, got {place!r}")
        ordered = sorted(arrays, key=lambda op: -op.element_size)
        far = far_section(target) if any(op.far is not None for op in ordered) else None
        if any((op.far is not None) != (far is not None) for op in ordered):
            raise InputError(f"--weights-at: the weights are far constants, which a blob on {target} does not hold")
        offsets, end, alignment = list[int](), HEAD, 4
        for op in ordered:
            unit = max(op.element_size, chip.constant_alignment)
            alignment = max(alignment, unit)
            end += -end % unit
            offsets.append(end)
            end += len(_content(op))
        if HEAD % alignment:
            raise InputError(f"--weights-at: arrays of {chip.name} are aligned to {alignment} bytes")
        layout = cls(name, ordered, offsets, end, alignment, place, far)
        layout._check_size(chip, target)
        if address is not None:
            layout._check_address(address, chip, target)
        return layout

    @property
    def section(self) -> str:
        return f".{self.name}_blob" if address_of(self.place) is not None else self.place

    def _check_size(self, chip: Chip, target: str) -> None:
        if (most := chip.object_bytes) is None:
            return
        for op in self.arrays:
            if (bytes := len(_content(op))) > most:
                raise TooLargeError(
                    f"--weights-at: '{op.sym_name.data}' takes {bytes} bytes, one array of {chip.name} at most {most}: "
                    f"{FEWER_CONSTANTS}"
                )
        if self.far is None and self.size > most:
            beyond = f", or place it at {NEAR:#x} or beyond" if far_section(target) is not None else ""
            raise TooLargeError(
                f"--weights-at: the blob takes {self.size} bytes, one array of {chip.name} at most {most}: "
                f"{FEWER_CONSTANTS}{beyond}"
            )

    def _check_address(self, address: int, chip: Chip, target: str) -> None:
        end, flash = address + self.size, board(target).flash
        here = f"--weights-at: the {self.size} bytes at {self.place} end beyond"
        if address % self.alignment:
            raise InputError(f"--weights-at: the address must be a multiple of {self.alignment}, got {self.place}")
        if end > _MAX_ADDRESS:
            raise InputError(f"{here} an address of 32 bits")
        if chip.flash_attribute is None:
            return
        if flash is not None and end > flash:
            raise InputError(f"{here} the {flash} bytes of flash of {target}")
        if self.far is None and end > NEAR:
            beyond = f": choose {NEAR:#x} or beyond" if far_section(target) is not None else ""
            raise InputError(f"{here} the first 64 KB of {chip.name}'s flash{beyond}")

    def head(self, digest: bytes) -> bytes:
        """Bytes 0 to 27 of the blob, which precede the CRC-32."""
        return pack("<4sHH8sI8x", MAGIC, VERSION, HEAD, digest, self.size - HEAD)

    def blob(self, digest: bytes) -> bytes:
        """The content of the blob."""
        content = bytearray(self.size - HEAD)
        for op, offset in zip(self.arrays, self.offsets, strict=True):
            bytes_ = _content(op)
            content[offset - HEAD : offset - HEAD + len(bytes_)] = bytes_
        head = self.head(digest)
        return head + pack("<I", zlib.crc32(head + content)) + bytes(content)


def _content(op: c.ConstantOp) -> bytes:
    data, size = op.value.data.data, op.element_size
    count = op.value.type.element_count()
    return data * count if len(data) == size else data
