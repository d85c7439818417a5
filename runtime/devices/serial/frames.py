"""Frames on a serial line: the byte 0xA5, a kind, a length of 4 bytes, the content, and a checksum of 2 bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

START = 0xA5

HELLO, INPUT, ANSWER, REFUSAL, WEIGHTS = "HXYEW"
"""Kinds of frames: a question for the greeting, or the greeting; an input; the answer; the reason for none; weights, or
their receipt.
"""

_HEAD = struct.Struct("<cI")


def checksum(content: bytes) -> bytes:
    """Fletcher's checksum of 16 bits."""
    low = high = 0
    for byte in content:
        low = (low + byte) % 255
        high = (high + low) % 255
    return bytes((low, high))


def frame(kind: str, content: bytes = b"") -> bytes:
    """The bytes of a frame."""
    body = _HEAD.pack(kind.encode(), len(content)) + content
    return bytes((START,)) + body + checksum(body)


@dataclass(frozen=True)
class Frame:
    """A received frame. whole: false if its checksum is wrong; kind and content are as they arrived."""

    kind: str
    content: bytes
    whole: bool


@dataclass
class FrameReader:
    """A reader of frames from bytes that arrive in pieces.

    longest: bytes of the longest content that is expected. Bytes outside of frames, such as text of a boot loader, are
    skipped, and so is a start whose kind or length cannot be.
    """

    longest: int
    waiting: bytearray = field(default_factory=bytearray)

    def add(self, arrived: bytes) -> None:
        """Append bytes that have arrived."""
        self.waiting += arrived

    def next(self) -> Frame | None:
        """Remove and return the first frame; None if it is not complete."""
        while (at := self.waiting.find(START)) >= 0:
            del self.waiting[:at]
            if len(self.waiting) < 1 + _HEAD.size:
                return None
            kind, length = _HEAD.unpack_from(self.waiting, 1)
            if kind not in b"HYEW" or length > self.longest:
                del self.waiting[0]
                continue
            end = 1 + _HEAD.size + length
            if len(self.waiting) < end + 2:
                return None
            body, sums = bytes(self.waiting[1:end]), bytes(self.waiting[end : end + 2])
            del self.waiting[: end + 2]
            return Frame(kind.decode(), body[_HEAD.size :], sums == checksum(body))
        self.waiting.clear()
        return None
