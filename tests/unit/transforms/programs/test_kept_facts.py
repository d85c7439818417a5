"""Facts stored on disk: the requests that read them, files that count as missing, and the inputs that change the key of
a fact.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import GROUPS, Row
from tinyml.transforms.programs import kept_facts
from tinyml.transforms.programs.kept_facts import environment, kept, kept_in


class Finder:
    """A function that computes a number and counts its calls."""

    def __init__(self) -> None:
        self.found = 0

    def __call__(self) -> int:
        self.found += 1
        return 7

    def ask(self, *asked: str, read: Callable[[object], int] = int) -> int:  # type: ignore[assignment]
        return kept(lambda: asked or ("question",), self, read)


@pytest.fixture
def find() -> Finder:
    return Finder()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with kept_in(tmp_path / "new" / "facts"):
        yield tmp_path / "new" / "facts"


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_nothing_is_kept_without_a_folder(find: Finder):
    assert [find.ask(), find.ask()] == [7, 7]
    assert find.found == 2


def test_a_fact_is_found_once(find: Finder, folder: Path):
    assert [find.ask(), find.ask()] == [7, 7]
    assert find.found == 1
    assert len(files(folder)) == 1


def test_another_question_is_another_fact(find: Finder, folder: Path):
    for asked in (("a", "b"), ("a", "c"), ("ab",), ("a", "b", "")):
        find.ask(*asked)
    assert find.found == len(files(folder)) == 4


def test_another_version_is_another_fact(find: Finder, folder: Path, monkeypatch: pytest.MonkeyPatch):
    find.ask()
    monkeypatch.setattr(kept_facts, "environment", lambda: "another one")
    find.ask()
    assert find.found == len(files(folder)) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\x00",
        b'{"asked": ["question"]',
        b"[" * 100_000,
        b"[]",
        b"3",
        b"null",
        b'{"asked": ["other"], "answer": 3}',
        pickle.dumps(3),
    ],
)
def test_a_damaged_or_foreign_file_is_written_anew(content: bytes, find: Finder, folder: Path):
    find.ask()
    [file] = files(folder)
    whole = file.read_bytes()
    file.write_bytes(content)
    assert [find.ask(), find.ask()] == [7, 7]
    assert find.found == 2
    assert file.read_bytes() == whole


def test_an_answer_of_another_kind_is_found_again(find: Finder, folder: Path):
    find.ask()
    [file] = files(folder)
    file.write_text(json.dumps({**json.loads(file.read_text()), "answer": "seven"}))
    assert find.ask() == 7
    assert find.found == 2


def test_a_folder_in_the_place_of_a_file_is_refused(find: Finder, folder: Path):
    find.ask()
    [file] = files(folder)
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        find.ask()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot make the folder"), kept_in(tmp_path / "file"):
        pass


@pytest.mark.long
def test_sources_of_a_plug_in_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "kept_plugin").mkdir()
    source = tmp_path / "kept_plugin" / "chip.py"
    source.write_text("ONE = 1\n")
    rows = [Row(str(number), value) for number, value in enumerate(("kept_plugin.chip:CHIP", "no_such_module", ""))]
    monkeypatch.setattr(kept_facts, "plugins", dict.fromkeys(GROUPS, rows).__getitem__)
    first = environment.__wrapped__()
    assert environment.__wrapped__() == first
    source.write_text("ONE = 2\n")
    assert environment.__wrapped__() != first
    assert "kept_plugin" not in sys.modules
