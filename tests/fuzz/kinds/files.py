"""Data files, tables of buffers and search journals with random or damaged content."""

from __future__ import annotations

import io
import json
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from programs.paths import ROOT

from fuzz.verdicts import OPT, TINYML, call


@cache
def tour() -> Path:
    """A folder with the smallest model in the documentation: tour.sd, W.npy, B.npy and val.npz."""
    return shutil.copytree(ROOT / "docs" / "tour", Path(tempfile.mkdtemp(prefix="fuzz-tour-")) / "tour")


DTYPES = ("<f4", "<f8", "<i8", "|i1", "|b1", "<f2", ">f4", "<c8", "|O", "<U7", "|S3", "<M8[s]", "|V5", "{", "")


EXTENTS = (0, 1, 2, 4, 4, 5, -1, 1 << 20, 1 << 44)


def npy(random: Random) -> bytes:
    """The bytes of an .npy file. Its header and the number of its elements are random, and often invalid."""
    shape = (2, 4) if random.random() < 0.5 else tuple(random.choices(EXTENTS, k=random.choice([0, 1, 2, 2, 3, 40])))
    data = np.random.default_rng(random.randrange(1000)).normal(size=random.choice([0, 2, 8, 8, 16])).astype("<f4")
    if random.random() < 0.3:
        data[:1] = random.choice([np.nan, np.inf, -1e30])
    dtype = "<f4" if random.random() < 0.5 else random.choice(DTYPES)
    header = repr({"descr": dtype, "fortran_order": random.random() < 0.2, "shape": shape})
    if random.random() < 0.2:
        header = damaged(header.encode(), random).decode("latin-1")
    version = random.choice([b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x09\x00"])
    text = header.encode("latin-1") + b"\n"
    length = struct.pack("<H", len(text) % 65536) if version == b"\x01\x00" else struct.pack("<I", len(text))
    return b"\x93NUMPY" + version + length + text + data.tobytes()


def damaged(data: bytes, random: Random) -> bytes:
    """A copy of `data` after one to four changes at random positions. A change removes one byte, up to four bytes or
    the rest, replaces a byte, or repeats up to eight bytes. At the end of the data, a replacement appends a byte,
    and other changes have no effect.
    """
    piece = bytearray(data)
    for _ in range(random.randint(1, 4)):
        start = random.randrange(len(piece) + 1)
        match random.randrange(3):
            case 0:
                del piece[start : start + random.choice([1, 4, len(piece)])]
            case 1:
                piece[start : start + 1] = bytes([random.randrange(256)])
            case _:
                piece[start:start] = piece[start : start + 8]
    return bytes(piece)


NAMES = ("x.npy", "y.npy", "x", "../x.npy", "z.npy")


def npz(random: Random) -> bytes:
    """The bytes of an .npz file with the entry `x.npy` and up to three other entries, some of which contain no array.
    The compression method is random. About half of the files are damaged.
    """
    file = io.BytesIO()
    method = random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(file, "w", method) as archive:
        for name in [*random.sample(NAMES, random.randint(0, 3)), "x.npy"]:
            if name not in archive.namelist():
                archive.writestr(name, npy(random) if random.random() < 0.8 else b"no array")
    data = file.getvalue()
    return damaged(data, random) if random.random() < 0.5 else data


def arrays(number: int, random: Random, folder: Path) -> str:
    """Load a random or damaged data set or parameter of a model, and return the verdict."""
    for file in tour().iterdir():
        shutil.copy(file, folder)
    if random.random() < 0.5:
        valid = (folder / "val.npz").read_bytes()
        (folder / "val.npz").write_bytes(damaged(valid, random) if random.random() < 0.3 else npz(random))
        return call(OPT, folder / "tour.sd", "-p", f'profile{{data="{folder / "val.npz"}"}}')
    valid = (folder / "W.npy").read_bytes()
    (folder / "W.npy").write_bytes(damaged(valid, random) if random.random() < 0.3 else npy(random))
    return call(OPT, folder / "tour.sd")


COLUMNS = ("id", "lower", "upper", "size", "alignment", "offset")


def tables(number: int, random: Random, folder: Path) -> str:
    """Pack random buffers from a table in which some cells may be invalid, and return the verdict."""
    count = random.choice([0, 1, 3, 10, 60])
    usual = (
        lambda: random.randint(0, 20),
        lambda: random.randint(1, 1000),
        lambda: random.choice([0, 1 << 40, -3, 1 << 70]),
    )
    columns = COLUMNS[: random.choice([3, 4, 4, 4, 5, 6])]
    rows = [",".join(columns)]
    for buffer in range(count):
        start = random.randint(0, 20)
        cells = [str(buffer), str(start), str(start + random.randint(1, 9)), str(usual[1]()), "1", "0"][: len(columns)]
        if random.random() < 0.1:
            cells[random.randrange(len(cells))] = random.choice(
                ["", "x", "-1", "1e9", '"', "9" * 5000, str(usual[2]())]
            )
        rows.append(",".join(cells))
    data = "\n".join(rows).encode()
    (folder / "buffers.csv").write_bytes(damaged(data, random) if random.random() < 0.3 else data)
    mode = random.choice(["exact", "best-fit", "first-fit", "shiftry", "minimalloc", "exact-cover"])
    return call(TINYML, "pack", folder / "buffers.csv", "--seconds", "1", "--packer", mode)


@cache
def journal() -> str:
    """The content of the journal of a search on the model of the tour."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "journal"
        verdict = search(file, resume=False)
        assert verdict == "accepted"
        return file.read_text()


def search(journal: Path, resume: bool) -> str:
    """Run a search that writes a journal, and return its verdict.

    resume: true to continue from the content of the journal.
    """
    also = " resume=true" if resume else ""
    search = f'search-maxscale{{data="{tour() / "val.npz"}" widths=8,16 jobs=1 journal="{journal}"{also}}}'
    return call(OPT, tour() / "tour.sd", "-p", f'profile{{data="{tour() / "val.npz"}"}},{search}')


CHANGES: tuple[Callable[[str, Random], str], ...] = (
    lambda line, random: damaged(line.encode(), random).decode("utf-8", "replace"),
    lambda line, random: random.choice(["null", "[]", "{}", "Infinity", "NaN", '"x"', json.dumps([line])]),
    lambda line, random: line.replace(random.choice("0123456789"), random.choice(["NaN", "-1", "9" * 400, '"'])),
    lambda line, random: "",
)


def journals(number: int, random: Random, folder: Path) -> str:
    """Run a search that continues from a journal with up to two changed lines, and return the verdict."""
    lines = journal().splitlines()
    for _ in range(random.randint(0, 2)):
        index = random.randrange(len(lines))
        lines[index] = random.choice(CHANGES)(lines[index], random)
    file = folder / "journal"
    file.write_text("\n".join(lines) + random.choice(["", "\n"]))
    return search(file, resume=True)
