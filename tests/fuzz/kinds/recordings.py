"""WAV files whose headers, sizes and chunks may be wrong."""

from __future__ import annotations

import struct
import tempfile
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from programs.pushed_sums import running_sum

from fuzz.kinds.files import damaged
from fuzz.verdicts import ACCEPTED, TINYML, call

SIZES = (0, 1, 2, 3, 15, 17, 1 << 16, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
FIELDS = (
    "<HHIIHH",
    (1, 0, 2, 3, 0xFFFE),
    (1, 0, 2, 0xFFFF),
    (8000, 0, 1, 0xFFFFFFFF),
    (16000,),
    (2, 0),
    (16, 8, 0, 24),
)


@cache
def streaming() -> Path:
    """An output folder with a program that processes a signal as it arrives; cases must not change the folder."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-streaming-"))
    (folder / "sums.mlir").write_text(running_sum("sums", classifies=True))
    np.savez(folder / "val.npz", x=np.random.default_rng(0).uniform(-0.9, 0.9, (2, 6)))
    command = "compile", folder / "sums.mlir", "--val", folder / "val.npz", "--input", "push", "--target", "host"
    assert call(TINYML, *command, "-o", folder / "out") == ACCEPTED
    return folder / "out"


def chunk(name: bytes, content: bytes, random: Random) -> bytes:
    """A chunk of a RIFF file, sometimes with a wrong size."""
    size = random.choice(SIZES) if random.random() < 0.15 else len(content)
    return name + struct.pack("<I", size) + content + b"\0" * (len(content) % 2)


def wav(random: Random) -> bytes:
    """The bytes of a WAV file. Each field of the header, the size and the order of the chunks, and any byte may be
    wrong.
    """
    layout, *choices = FIELDS
    header = [random.choice(values) if random.random() < 0.1 else values[0] for values in choices]
    samples = bytes(random.choices(range(256), k=random.choice([0, 1, 13, 100, 2001])))
    chunks = [chunk(b"fmt ", struct.pack(layout, *header), random), chunk(b"data", samples, random)]
    for _ in range(random.choice([0, 0, 1, 2])):
        name = random.choice([b"JUNK", b"LIST", b"fmt ", b"data", b"\xff\0\0\xff"])
        chunks.insert(random.randrange(3), chunk(name, bytes(random.choice([0, 1, 8])), random))
    if random.random() < 0.1:
        random.shuffle(chunks)
    whole = chunk(b"RIFF", b"WAVE" + b"".join(chunks), random)
    return damaged(whole, random) if random.random() < 0.3 else whole


def recordings(number: int, random: Random, folder: Path) -> str:
    """Run a streaming program on a valid or invalid WAV file, and return the verdict."""
    (folder / "a.wav").write_bytes(wav(random))
    return call(TINYML, "listen", streaming(), "--wav", folder / "a.wav")
