"""Every block in README.md and docs/ that follows a `<!-- run: COMMAND -->` is the output of that command.

`| without NAME` at the end of a command drops the attribute NAME from the output.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from tinyml.tools.tinyml_opt import main as tinyml_opt

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"<!-- run: (?P<command>.*?) -->\n(?P<open>```\w*\n)(?P<text>.*?)(?P<close>```\n)", re.DOTALL)


def output(command: str) -> str:
    command, _, left_out = command.partition(" | without ")
    program, *arguments = shlex.split(command)
    if program == "cat":
        return (ROOT / arguments[0]).read_text(encoding="utf-8")
    assert program == "tinyml-opt", f"the tests do not run {program}"
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        assert not tinyml_opt(arguments)
    text = stream.getvalue().rstrip() + "\n"
    return without(text, left_out) if left_out else text


def without(text: str, name: str) -> str:
    """The text with an attribute left out of all dictionaries."""
    value = r"(?:\[#[^\]]*\]>\]|#[\w.]+<[^<>]*>)"
    text = re.sub(rf", {re.escape(name)} = {value}", "", text)
    text = re.sub(rf"{re.escape(name)} = {value}, ", "", text)
    return re.sub(rf" \{{{re.escape(name)} = {value}\}}", "", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_outputs_are_current(page: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.chdir(ROOT)
    before = page.read_text(encoding="utf-8")
    after = BLOCK.sub(lambda m: f"<!-- run: {m['command']} -->\n{m['open']}{output(m['command'])}{m['close']}", before)
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    else:
        assert after == before
