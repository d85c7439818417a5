"""Control characters of names in messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tinyml.dialects.errors import InputError, visible
from tinyml.tools.main import main


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\rb\x7f\x00", "a\\rb\\x7f\\x00"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("tab\tand\nline, äé漢\\", "tab\tand\nline, äé漢\\"),
    ],
)
def test_characters_that_a_terminal_obeys_are_escaped(text: str, shown: str):
    assert visible(text) == visible(visible(text)) == shown
    assert str(InputError(text, file="f", line=1)) == f"f:1: {shown}"


def test_a_command_prints_no_control_character_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "word.json"
    micro = {"probability_cutoff": 0.5, "sliding_window_size": 3}
    file.write_text(json.dumps({"type": "micro", "wake_word": "a", "model": "\x1b]0;pwn\x07.tflite", "micro": micro}))
    assert main(["compile", str(file), "-o", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "\\x1b]0;pwn\\x07.tflite" in said
    assert "\x1b" not in said
