"""Every block in README.md and docs/ that follows a `<!-- run: COMMAND -->` is the output of that command.

`| without NAME, NAME` at the end of a command drops these attributes from the output; `tinyml demo` runs as on a
computer that has a C compiler and no cross compiler; `tinyml explain` explains the tour's program.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"<!-- run: (?P<command>.*?) -->\n(?P<open>```\w*\n)(?P<text>.*?)(?P<close>```\n)", re.DOTALL)


def output(command: str, monkeypatch: pytest.MonkeyPatch, scratch: Path) -> str:
    command, _, left_out = command.partition(" | without ")
    program, *arguments = shlex.split(command)
    if program == "cat":
        return (ROOT / arguments[0]).read_text(encoding="utf-8")
    main = {"tinyml": tinyml, "tinyml-opt": tinyml_opt}[program]
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), monkeypatch.context() as context:
        if arguments == ["demo,", "no", "cross", "compiler"]:
            arguments = ["demo", "--examples", str(ROOT / "examples")]
            context.chdir(scratch)
            context.setattr("tinyml.runtime.runner.is_available", "host".__eq__)
        if arguments[0] == "explain":
            arguments[1] = str(scratch / "tour")
            program = ["docs/tour/tour.sd", "--val", "docs/tour/val.npz", "-o", arguments[1]]
            with contextlib.redirect_stdout(io.StringIO()):
                assert not main(["compile", *program])
        assert not main(arguments)
    text = stream.getvalue().rstrip() + "\n"
    for name in filter(None, left_out.split(", ")):
        text = without(text, name)
    return text


def without(text: str, name: str) -> str:
    """The text with an attribute left out of all dictionaries."""
    value = r"(?:\[#[^\]]*\]>\]|#[\w.]+<[^<>]*>|\[\{.*?\}\])"
    text = re.sub(rf", {re.escape(name)} = {value}", "", text)
    text = re.sub(rf"{re.escape(name)} = {value}, ", "", text)
    return re.sub(rf" \{{{re.escape(name)} = {value}\}}", "", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_outputs_are_current(
    page: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)

    def renewed(block: re.Match[str]) -> str:
        text = output(block["command"], monkeypatch, tmp_path)
        return f"<!-- run: {block['command']} -->\n{block['open']}{text}{block['close']}"

    before = page.read_text(encoding="utf-8")
    after = BLOCK.sub(renewed, before)
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    else:
        assert FIGURES.sub(masked, after) == FIGURES.sub(masked, before)


FIGURES = re.compile(r"<!-- run: tinyml (?:bench|explain) .*?\n```\n\n", re.DOTALL)
"""Sizes and cycles follow the version of avr-gcc, which is the machine's: their digits are not compared."""


def masked(block: re.Match[str]) -> str:
    return re.sub(r"[\d,.]+", "#", re.sub(r"[─━ ]+", " ", block[0]))
