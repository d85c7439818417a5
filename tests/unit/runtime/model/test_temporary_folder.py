"""If the disk is full or a quota is exhausted, the error names the temporary folder. Other errors are unchanged."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from tinyml.dialects.errors import InputError
from tinyml.runtime.model.temporary_folder import temporary_folder


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_with_the_folder(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    said = f"^{tmp_path}: {os.strerror(number)}; TMPDIR names another folder for temporary files$"
    with pytest.raises(InputError, match=said), temporary_folder():
        raise OSError(number, os.strerror(number))
    assert not [*tmp_path.iterdir()]


def test_other_errors_stay_as_they_are(tmp_path: Path):
    with pytest.raises(OSError, match="No space left") as raised, temporary_folder():
        raise OSError(errno.ENOSPC, "No space left", str(tmp_path / "file"))
    assert raised.value.filename == str(tmp_path / "file")
    with pytest.raises(FileNotFoundError), temporary_folder() as folder:
        (folder / "nothing").read_text()
    assert not folder.exists()
