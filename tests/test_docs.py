"""Every block in README.md and docs/ that follows a `<!-- run: COMMAND -->` is the output of that command.

`| without NAME, NAME` at the end of a command drops these attributes from the output, and `| without runtime headers`
the text of the headers that generated C includes; `tinyml demo` runs as on a
computer that has a C compiler and no cross compiler; `tinyml explain` explains the tour's program. `<!-- run apart:
COMMAND -->` runs in a folder and an environment that the blocks of one page have in common, and in which pip installs.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(
    r"<!-- run(?P<apart> apart)?: (?P<command>.*?) -->\n(?P<open>```\w*\n)(?P<text>.*?)(?P<close>```\n)", re.DOTALL
)


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
            context.setattr("tinyml.runtime.devices.registry.is_available", "host".__eq__)
        if arguments[0] == "explain":
            arguments[1] = str(scratch / "tour")
            program = ["docs/tour/tour.sd", "--val", "docs/tour/val.npz", "-o", arguments[1]]
            with contextlib.redirect_stdout(io.StringIO()):
                assert not main(["compile", *program])
        assert not main(arguments)
    text = stream.getvalue().rstrip() + "\n"
    for name in filter(None, left_out.split(", ")):
        text = without_headers(text) if name == "runtime headers" else without(text, name)
    return text


def output_apart(commands: str, folder: Path) -> str:
    """What commands say in a folder with our docs/, where packages are found that earlier ones installed."""
    return "".join(_output_apart(command, folder) for command in commands.split(" && "))


def _output_apart(command: str, folder: Path) -> str:
    command, _, left_out = command.partition(" | without ")
    program, *arguments = shlex.split(command)
    if not (folder / "docs").exists():
        (folder / "docs").symlink_to(ROOT / "docs")
    packages = folder / "packages"
    if program == "cat":
        return (folder / arguments[0]).read_text(encoding="utf-8")
    if program == "pip":
        arguments += ["--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--target", str(packages)]
    modules = {"tinyml": "tinyml.tools.main", "tinyml-opt": "tinyml.tools.tinyml_opt"}
    done = subprocess.run(
        [sys.executable, "-m", modules.get(program, program), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(packages), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = re.sub(r" in [\d.]+s(?: \([\d:]+\))?$", "", done.stdout.strip(), flags=re.MULTILINE) + "\n"
    text = text if text.strip() else ""
    return without(text, left_out) if left_out else text


def without_headers(text: str) -> str:
    """Generated C with the name in place of each runtime header, up to the end of its include guard, and kernel."""
    kept: list[str] = []
    depth = 0
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        kept.append(line)
        if not re.fullmatch(r"/\* (tinyml/\w+\.h|tm_\w+) \*/\n", line):
            continue
        kept[-1] = line.replace(" */", ": left out here */")
        if "tinyml/" not in line:
            kept += itertools.islice(itertools.dropwhile(str.strip, lines), 1)
            continue
        for inner in lines:
            depth += inner.startswith("#if") - inner.startswith("#endif")
            if depth == 0 and inner.startswith("#endif"):
                break
    return "".join(kept)


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
        apart = block["apart"]
        text = output_apart(block["command"], tmp_path) if apart else output(block["command"], monkeypatch, tmp_path)
        return f"<!-- run{apart or ''}: {block['command']} -->\n{block['open']}{text}{block['close']}"

    before = page.read_text(encoding="utf-8")
    after = BLOCK.sub(renewed, before)
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    else:
        assert FIGURES.sub(masked, after) == FIGURES.sub(masked, before)
        shown, now = (large_numbers("".join(FIGURES.findall(text))) for text in (before, after))
        assert [number for number, most in zip(now, shown, strict=True) if number > SLACK * most] == []


FIGURES = re.compile(r"<!-- run(?: apart)?: tinyml (?:bench|explain|compile) .*?\n```\n\n", re.DOTALL)
"""Sizes and cycles follow the version of avr-gcc, which is the machine's: their digits are not compared."""

SLACK = 1.05
"""The greatest ratio of a size or a number of cycles to that on the page; another compiler stays below it."""


def large_numbers(text: str) -> list[int]:
    """All whole numbers of four digits and more, which sizes and cycles have."""
    return [int(number.replace(",", "")) for number in re.findall(r"(?<![\d.,])\d{1,3}(?:,\d{3})+|\d{4,}", text)]


def masked(block: re.Match[str]) -> str:
    return re.sub(r"[\d,.]+", "#", re.sub(r"[─━ ]+", " ", block[0]))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_pages_hold_no_placeholders(page: Path):
    assert re.findall(r"\b(?:\w+_HERE|TBD|TODO|FIXME|XXX+)\b", page.read_text(encoding="utf-8")) == []
