"""Frames on a serial line: valid and damaged frames, split into pieces and between other bytes."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.runtime.devices.streaming_board import ANSWER, HELLO, START, Frame, FrameReader, checksum, frame


def read(content: bytes, piece: int) -> list[Frame]:
    """The frames that are found in bytes which arrive in pieces of `piece` bytes."""
    reader, found = FrameReader(300), list[Frame]()
    for at in range(0, len(content), piece):
        reader.add(content[at : at + piece])
        while (one := reader.next()) is not None:
            found.append(one)
    return found


def test_the_checksum_is_fletchers():
    """The checksums equal those of commonly used test vectors."""
    assert checksum(b"abcde") == bytes((0xF0, 0xC8))
    assert checksum(b"abcdefgh") == bytes((0x27, 0x06))


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_frames_come_out_of_noise(piece: int):
    content = bytes(np.random.default_rng(1).integers(0, 256, 300, np.uint8))
    noise = b"boot\r\n" + bytes((START, 0, START, ord(HELLO), 255, 255, 255, 255))
    sent = noise + frame(HELLO) + b"..." + frame(ANSWER, content) + frame(ANSWER, bytes((START,)) * 9)
    assert read(sent, piece) == [
        Frame(HELLO, b"", True),
        Frame(ANSWER, content, True),
        Frame(ANSWER, bytes((START,)) * 9, True),
    ]


def test_every_flipped_bit_is_noticed():
    whole = frame(ANSWER, b"0123456789")
    for bit in range(8 * len(whole)):
        broken = bytearray(whole)
        broken[bit // 8] ^= 1 << bit % 8
        assert not any(one.whole for one in read(bytes(broken), 1000)), bit


def test_a_frame_that_is_cut_off_is_none():
    assert read(frame(ANSWER, b"0123456789")[:-1], 4) == []
