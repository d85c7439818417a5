"""Array files that are rejected: headers that state more than the file contains, encryption, damage, and paths that are
not files.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.runtime.readers.arrays import ArrayHeader, read_npy, read_npz

HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"


def anything(header: ArrayHeader) -> None:
    """A check that accepts every array."""


def npy(header: str, data: bytes = bytes(32)) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header.encode() + b"\n" + data


def npy_complaint(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_npy(path, "parameter", anything)
    assert caught.value.file == str(path)
    return caught.value.message


def npz_complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_npz(path, "data", "x", anything)
    assert caught.value.file == str(path)
    return caught.value.message


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", ">f8", "u1"])
def test_arrays_come_back(tmp_path: Path, order: str, dtype: str):
    array = np.asarray(np.arange(6).reshape(2, 3), dtype=dtype, order="F" if order == "F" else "C")
    np.save(tmp_path / "a.npy", array)
    np.testing.assert_array_equal(read_npy(tmp_path / "a.npy", "parameter", anything), array)
    np.savez_compressed(tmp_path / "a.npz", x=array, y=array.T)
    np.testing.assert_array_equal(read_npz(tmp_path / "a.npz", "data", "x", anything), array)
    assert read_npz(tmp_path / "a.npz", "data", "z", anything) is None


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (HEADER.replace(", }", ", "), "the header of the array is damaged"),
        (HEADER.replace("(2, 4)", "(True, 8)"), "the header of the array is damaged"),
        (HEADER.replace("(2, 4)", "(-2, -4)"), "the header of the array is damaged"),
        (HEADER.replace("(2, 4)", "-" * 4000), "the header of the array is damaged"),
        (HEADER.replace("(2, 4)", "(" * 200), "the header of the array is damaged"),
        (HEADER.replace("<f4", "|O"), "the array contains Python objects"),
        (HEADER.replace("<f4", "|S1000000000000"), "the header of the array is damaged"),
        (HEADER.replace("(2, 4)", "(2, 5)"), "the array needs 40 bytes, the file contains 32"),
        (HEADER.replace("(2, 4)", f"({10**30},)"), f"the array needs {4 * 10**30} bytes, the file contains 32"),
    ],
)
def test_headers_are_read_before_arrays(tmp_path: Path, header: str, said: str):
    assert npy_complaint(tmp_path / "W.npy", npy(header)) == f"not a readable .npy file: {said}"


def test_arrays_have_a_limit(tmp_path: Path):
    """An array is rejected if its header states more elements than the limit, also if the file, which is sparse, has
    this size.
    """
    path = tmp_path / "W.npy"
    length = ELEMENT_LIMIT.get() + 1
    path.write_bytes(npy(HEADER.replace("(2, 4)", f"({length},)").replace("<f4", "|u1"), b""))
    os.truncate(path, path.stat().st_size + length)
    with pytest.raises(InputError, match=r"\(50000001,\) has more than 50000000 elements; --max-elements raises"):
        read_npy(path, "parameter", anything)
    path.write_bytes(npy(HEADER.replace("(2, 4)", f"(0, {1 << 62})"), b""))
    with pytest.raises(InputError, match="has more than 50000000 elements"):
        read_npy(path, "parameter", anything)


def damaged(path: Path, change: Callable[[bytearray], None], method: int = zipfile.ZIP_STORED) -> str:
    """The error message for an archive of an array x after `change` has modified the bytes of the archive.

    method: the compression method of the archive.
    """
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("x.npy", npy(HEADER))
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)
    return npz_complaint(path).removeprefix("not a readable .npz file of plain arrays: ")


def test_an_encrypted_archive(tmp_path: Path):
    def encrypt(content: bytearray) -> None:
        content[6] |= 1
        content[content.index(b"PK\x01\x02") + 8] |= 1

    assert damaged(tmp_path / "val.npz", encrypt) == "`x` is encrypted"


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_an_archive_by_another_method(tmp_path: Path, method: int):
    said = damaged(tmp_path / "val.npz", lambda content: content.__setitem__(slice(44, 60), bytes(16)), method)
    assert said == "`x` is not compressed by numpy's method"


def test_an_array_larger_than_its_archive(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "val.npz", "w") as archive:
        archive.writestr("x.npy", npy(HEADER.replace("(2, 4)", f"({2**42},)")))
    assert npz_complaint(tmp_path / "val.npz").endswith("the array needs 17592186044416 bytes, the file contains 32")


@pytest.mark.parametrize("name", ["val.npz", "link.npz"])
def test_pipes_and_devices_are_not_waited_for(tmp_path: Path, name: str):
    os.mkfifo(tmp_path / "val.npz")
    (tmp_path / "link.npz").symlink_to(tmp_path / "val.npz")
    assert npz_complaint(tmp_path / name) == "cannot read the data: expected a regular file, not a pipe"
    (tmp_path / "zero.npz").symlink_to("/dev/zero")
    assert npz_complaint(tmp_path / "zero.npz") == "cannot read the data: expected a regular file, not a device"


def test_a_pointer_of_git_lfs(tmp_path: Path):
    (tmp_path / "val.npz").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    assert npz_complaint(tmp_path / "val.npz").startswith("the data is a pointer of Git LFS")


def test_a_bomb_is_refused_by_its_header(tmp_path: Path):
    """An archive of compressed zeros that would unpack to more elements than the limit is rejected by its header,
    before any element is unpacked.
    """
    with zipfile.ZipFile(tmp_path / "val.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy(HEADER.replace("(2, 4)", f"({10**9}, 1)")))
    content = bytearray((tmp_path / "val.npz").read_bytes())
    # The directory says that the member has the elements that its header declares.
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (4 * 10**9 + 200).to_bytes(4, "little")
    (tmp_path / "val.npz").write_bytes(bytes(content))
    assert "has more than 50000000 elements; --max-elements raises the limit" in npz_complaint(tmp_path / "val.npz")
