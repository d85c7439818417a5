"""Replacement of an output folder by a new one: obstacles, the state after failures, and temporary folders of killed
runs.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.atomic_output import MARKER_FILE, atomic_folder, only_empty, pending_output, stale_outputs


def everything(folder: Path) -> Sequence[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def write(out: Path) -> None:
    with atomic_folder(out, everything) as folder:
        (folder / "ir").mkdir()
        (folder / "ir/new").write_text("new")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An existing output folder."""
    (tmp_path / "out/ir").mkdir(parents=True)
    (tmp_path / "out/ir/old").write_text("old")
    return tmp_path / "out"


def test_an_earlier_output_is_replaced(out: Path):
    write(out)
    assert everything(out) == ["ir/new"]
    assert list(out.parent.iterdir()) == [out]


def test_a_link_is_kept(out: Path):
    link = out.with_name("link")
    link.symlink_to(out)
    write(link)
    assert link.is_symlink()
    assert everything(out) == ["ir/new"]


@pytest.mark.parametrize("failing", [1, 2])
def test_a_failing_rename_leaves_the_old_folder(out: Path, failing: int, monkeypatch: pytest.MonkeyPatch):
    rename, calls = Path.rename, 0

    def fail(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(16, "Device or resource busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(InputError, match="cannot be replaced: Device or resource busy"):
        write(out)
    assert everything(out) == ["ir/old"]
    assert list(out.parent.iterdir()) == [out]


def test_a_mount_point_is_refused(out: Path, monkeypatch: pytest.MonkeyPatch):
    def is_mount(path: Path) -> bool:
        return path == out

    monkeypatch.setattr(Path, "is_mount", is_mount)
    with pytest.raises(InputError, match="is a mount point, which cannot be replaced"):
        write(out)
    assert everything(out) == ["ir/old"]


def test_a_file_that_arrives_while_the_folder_is_written_stays(out: Path):
    @contextmanager
    def arriving() -> Generator[None]:
        with atomic_folder(out.with_name("empty"), only_empty):
            out.with_name("empty").mkdir()
            out.with_name("empty").joinpath("mine").touch()
            yield

    with pytest.raises(InputError, match="the folder is not empty"), arriving():
        pass
    assert sorted(path.name for path in out.parent.iterdir()) == ["empty", "out"]
    assert everything(out.with_name("empty")) == ["mine"]


def test_folders_above_are_made_and_removed_again(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), atomic_folder(tmp_path / "a/b/c", only_empty):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    write(tmp_path / "a/b/c")
    assert everything(tmp_path) == ["a/b/c/ir/new"]


KILLED = """
import os, sys
from pathlib import Path
from tinyml.tools.cli.atomic_output import hold, pending_output

out = Path(sys.argv[1])
waiting, held = pending_output(out), hold(out)
waiting.new.mkdir()
(waiting.new / "half").touch()
if sys.argv[2] == "between renames":
    out.rename(waiting.old)
if sys.argv[2] == "after both":
    out.rename(waiting.old)
    waiting.new.rename(out)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    ("moment", "left"), [("early", "ir/old"), ("between renames", "ir/old"), ("after both", "half")]
)
def test_the_next_run_tidies_up_after_a_killed_one(out: Path, moment: str, left: str):
    subprocess.run([sys.executable, "-c", KILLED, str(out), moment], check=False)
    with pytest.raises(ZeroDivisionError), atomic_folder(out, everything):
        raise ZeroDivisionError
    assert everything(out) == [left]
    assert list(out.parent.iterdir()) == [out]


@pytest.mark.parametrize("moment", ["mkdir", "open", "flock"])
def test_the_next_run_tidies_up_after_one_killed_before_its_mark(out: Path, moment: str):
    killed = f"""
import fcntl, os, sys
from pathlib import Path
from tinyml.tools.cli.atomic_output import pending_output

def kill_after(usual):
    def call(*given):
        usual(*given)
        os.kill(os.getpid(), 9)
    return call

place = {{"mkdir": Path, "open": os, "flock": fcntl}}["{moment}"]
setattr(place, "{moment}", kill_after(getattr(place, "{moment}")))
pending_output(Path(sys.argv[1]))
"""
    subprocess.run([sys.executable, "-c", killed, str(out)], check=False)
    assert len(list(out.parent.iterdir())) == 2
    write(out)
    assert list(out.parent.iterdir()) == [out]


@pytest.mark.parametrize("moment", ["mkdir", "open", "flock"])
def test_a_folder_taken_before_its_mark_is_made_again(out: Path, moment: str, monkeypatch: pytest.MonkeyPatch):
    place = {"mkdir": Path, "open": os, "flock": fcntl}[moment]
    usual = getattr(place, moment)
    taken: list[set[Path]] = []

    def take_after(*given: Any) -> Any:
        monkeypatch.undo()
        before = usual(*given) if moment != "flock" else None
        assert list(stale_outputs(out)) == []
        taken.append(set(out.parent.iterdir()))
        return usual(*given) if moment == "flock" else before

    monkeypatch.setattr(place, moment, take_after)
    pending = pending_output(out)
    assert taken == [{out}]
    assert set(out.parent.iterdir()) == {out, pending.folder}
    pending.close()
    assert set(out.parent.iterdir()) == {out}


def test_the_work_of_a_run_that_lives_stays(out: Path):
    living = pending_output(out)
    write(out)
    assert {path.name for path in out.parent.iterdir()} == {"out", living.folder.name}
    living.lock.release()
    write(out)
    assert {path.name for path in out.parent.iterdir()} == {"out"}


def another_name(out: Path) -> Path:
    """The path of another temporary folder for the same output folder."""
    pending = pending_output(out)
    pending.close()
    return pending.folder


def test_what_only_looks_like_a_leftover_stays(out: Path):
    """Folders of the user are not removed even if their names are like those of temporary folders, nor are files with
    such names.
    """
    copy, plain, linked, file = (another_name(out) for _ in range(4))
    killed = pending_output(out)
    killed.new.mkdir()
    killed.lock.release()
    empty = out.with_name(".out.tinyml-0123456789abcdef")
    shutil.copytree(killed.folder, copy)
    for folder in (plain, plain / "new", plain / "old", empty):
        folder.mkdir()
    (plain / "new/mine").write_text("mine")
    (plain / MARKER_FILE).touch()
    linked.symlink_to(killed.folder)
    file.write_text("mine")
    write(out)
    assert set(out.parent.iterdir()) == {out, copy, plain, empty, linked, file}
    assert (plain / "new/mine").read_text() == file.read_text() == "mine"
    assert set(plain.iterdir()) == {plain / "new", plain / "old", plain / MARKER_FILE}
