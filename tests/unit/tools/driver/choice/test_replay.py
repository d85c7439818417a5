"""The command that a choice prints repeats the compilation of the chosen program."""

from __future__ import annotations

from pathlib import Path

from tinyml.tools.driver.choice.replay import replay_command
from tinyml.tools.driver.request import Request


def test_lists_are_spelled_with_commas():
    request = Request(model=Path("m.sd"), out=Path("out"), format="fixed", classes=("left", "not left"))
    assert replay_command(request) == "tinyml compile m.sd --format fixed --classes 'left,not left' -o OUT"
