"""`make same-code` reports files whose code differs from a commit, but not files with changed docstrings or
comments.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from layout.same_code import code_of, different_files

CODE = '''"""A module."""

LIMIT = 3
"""The limit."""


class Counter:
    """A counter."""

    def up(self, by: int) -> str:
        """Counts up."""
        # By one.
        return "text" * by
'''

WORDS = {
    "docstring": ('"""Counts up."""', '"""Count up.\n\n        by: steps.\n        """'),
    "docstring of an attribute": ('"""The limit."""\n', ""),
    "comment": ("# By one.", "# By more than one."),
    "layout": ("def up(self, by: int) -> str:", "def up(\n        self, by: int\n    ) -> str:"),
}

CHANGES = {
    "string": ('"text"', '"words"'),
    "number": ("LIMIT = 3", "LIMIT = 4"),
    "name": ("up(", "down("),
    "annotation": ("by: int", "by: float"),
    "order": ("LIMIT = 3\n", "OTHER = 1\nLIMIT = 3\n"),
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A Git repository with three files in one commit."""
    for name in ("words.py", "code.py", "gone.py"):
        (tmp_path / name).write_text(CODE)
    author = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    for arguments in (("init", "-q"), ("add", "."), (*author, "commit", "-qm", "All")):
        subprocess.run(("git", *arguments), cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("change", WORDS)
def test_words_are_not_code(change: str):
    assert CODE.replace(*WORDS[change]) != CODE
    assert code_of(CODE.replace(*WORDS[change])) == code_of(CODE)


@pytest.mark.parametrize("change", CHANGES)
def test_code_is(change: str):
    assert code_of(CODE.replace(*CHANGES[change])) != code_of(CODE)


def test_files_whose_code_differs(repository: Path):
    assert different_files(repository, "HEAD") == []
    (repository / "words.py").write_text(CODE.replace(*WORDS["docstring"]))
    assert different_files(repository, "HEAD") == []
    (repository / "code.py").write_text(CODE.replace(*CHANGES["string"]))
    (repository / "gone.py").unlink()
    (repository / "added.py").write_text(CODE)
    assert different_files(repository, "HEAD") == ["added.py", "code.py", "gone.py"]


def test_an_unknown_commit(repository: Path):
    with pytest.raises(SystemExit, match="nowhere"):
        different_files(repository, "nowhere")
