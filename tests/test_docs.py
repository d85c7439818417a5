"""The outputs and the figures in README.md and docs/.

A block after `<!-- run: COMMAND -->` is the exact output of the command. Sizes and cycles are compared only if the
cross compilers have the versions with which the figures were measured (`docs/figures/`).

`| without NAME, NAME` at the end of a command removes these attributes from the output. `| without runtime headers`
removes the text of the headers that generated C includes. `| lines with OP, OP` removes all lines without one of these
ops. `tinyml demo` runs as on a computer with a C compiler but no cross compiler; `tinyml open --text` explains the
tour's program. The command of `<!-- run apart: COMMAND -->` runs in a folder and an environment that all these blocks
of a page share, in which `pip install` is `copy_installed`.

A block of Python after `<!-- python -->` prints the content of the next block, including warnings of compilations. A
block after `<!-- python with PACKAGE -->` is skipped without that package. A block after `<!-- python at length -->`,
which takes five seconds or more, runs only in `make docs`.

A shell runs the lines of a block after `<!-- typed -->` that begin with `$`. Of commands after `<!-- on a board -->`,
only the boards and the files are checked. `test_blocks.py` checks all other blocks.

Tables that follow a `<!-- figures: NAME -->` are written from `docs/figures/` (`measured/tables.py`).
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from measured import estimates_picture, few_bits_picture, picture, recomputed_picture, tables
from measured.commands import measure
from measured.store import FOLDER, MEASURED, SOURCES, has_measured_compilers, read
from measured.tables import PAGES
from programs.environments import copy_installed
from programs.spread import EXHAUSTIVE, spread

from tinyml import CompileWarning
from tinyml.targets.registry import boards
from tinyml.tools.main import COMMANDS
from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt

ROOT = Path(__file__).parent.parent
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
"""Programs are those of the environment of the tests first."""

BLOCK = re.compile(
    r"<!-- run(?P<apart> apart)?: (?P<command>.*?) -->\n(?P<open>```\w*\n)(?P<text>.*?)(?P<close>```\n)", re.DOTALL
)


def output(command: str, monkeypatch: pytest.MonkeyPatch, scratch: Path) -> str:
    command, _, kept = command.partition(" | lines with ")
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
        if arguments[0] == "open":
            arguments[1] = str(scratch / "tour")
            program = ["docs/tour/tour.sd", "--val", "docs/tour/val.npz", "--width", "16", "-o", arguments[1]]
            with contextlib.redirect_stdout(io.StringIO()):
                assert not main(["compile", *program])
        assert not main(arguments)
    text = stream.getvalue().rstrip() + "\n"
    for name in filter(None, left_out.split(", ")):
        text = without_headers(text) if name == "runtime headers" else without(text, name)
    return "".join(line for line in text.splitlines(keepends=True) if any(op in line for op in kept.split(", ")))


TIMED = re.compile(r"\nTesting Time: .*\n| in [\d.]+s(?: \([\d:]+\))?$", re.MULTILINE)
"""What lit and pytest say of their time."""


def output_apart(commands: str, folder: Path) -> str:
    """The output of commands that run in a folder that contains docs/. Packages that earlier commands have installed
    there are found.
    """
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
        copy_installed(folder / arguments[-1], packages)
        return ""
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env={**os.environ, "PATH": PATH, "PYTHONPATH": str(packages), "COLUMNS": "120", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = TIMED.sub("", done.stdout.strip()) + "\n"
    text = text if text.strip() else ""
    return without(text, left_out) if left_out else text


def without_headers(text: str) -> str:
    """Generated C in which each runtime header and kernel, up to an empty line, is replaced by its name."""
    kept: list[str] = []
    depth = 0
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        kept.append(line)
        if not re.fullmatch(r"/\* (tinyml/\w+\.h|tm_\w+) \*/\n", line):
            continue
        kept[-1] = line.replace(" */", ": left out here */")
        for inner in lines:
            depth += inner.startswith("#if") - inner.startswith("#endif")
            if depth == 0 and not inner.strip():
                kept.append(inner)
                break
    return "".join(kept)


def without(text: str, name: str) -> str:
    """The text of IR, after the attribute `name` has been removed from all dictionaries."""
    value = r"(?:\[#[^\]]*\]>\]|#[\w.]+<[^<>]*>|\[\{.*?\}\])"
    text = re.sub(rf", {re.escape(name)} = {value}", "", text)
    text = re.sub(rf"{re.escape(name)} = {value}, ", "", text)
    return re.sub(rf" \{{{re.escape(name)} = {value}\}}", "", text)


COMPILED = re.compile(r"tinyml (?:bench|explain|compile|run) ")
"""Commands whose output has sizes and cycles of compiled programs."""


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_outputs_are_current(
    page: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)

    def renewed(block: re.Match[str]) -> str:
        apart = block["apart"]
        text = output_apart(block["command"], tmp_path) if apart else output(block["command"], monkeypatch, tmp_path)
        if COMPILED.match(block["command"]) and not has_measured_compilers():
            return block[0]
        return f"<!-- run{apart or ''}: {block['command']} -->\n{block['open']}{text}{block['close']}"

    before = page.read_text(encoding="utf-8")
    after = tables.renewed(BLOCK.sub(renewed, before))
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    else:
        assert after == before


PYTHON = re.compile(
    r"<!-- python(?P<long> at length)?(?: with (?P<package>\w+))? -->\n```python\n(?P<code>.*?)```\n\n"
    r"```\n(?P<printed>.*?)```\n",
    re.DOTALL,
)
"""A block of Python, and what it prints; it is skipped without a package that it needs."""


def show_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    """Print a warning as Python does, but without its location, which would be in the page."""
    print(f"{category.__name__}: {message}")


@pytest.mark.long
@pytest.mark.parametrize(
    ("page", "block"),
    [
        pytest.param(page, number, id=f"{page.name}-{number}")
        for page in PAGES
        for number, block in enumerate(PYTHON.finditer(page.read_text(encoding="utf-8")))
        if not block["long"] or EXHAUSTIVE in os.environ
    ],
)
def test_python_prints_what_is_shown(
    page: Path, block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = page.read_text(encoding="utf-8")
    found = [*PYTHON.finditer(text)][block]
    if found["package"]:
        pytest.importorskip(found["package"])
    # Blocks read models of the repository, and write files of their own.
    for folder in ("docs", "examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), warnings.catch_warnings():
        warnings.simplefilter("always", CompileWarning)
        monkeypatch.setattr(warnings, "showwarning", show_warning)
        if found["package"]:
            # PyTorch warns of its own deprecations.
            warnings.simplefilter("ignore")
        exec(compile(found["code"], str(page), "exec"), {})
    if request.config.getoption("--update-docs"):
        page.write_text(text[: found.start("printed")] + stream.getvalue() + text[found.end("printed") :], "utf-8")
    else:
        assert stream.getvalue() == found["printed"]


TYPED = re.compile(r"<!-- typed -->\n```console\n(?P<text>.*?)```\n", re.DOTALL)
"""What a person types, in lines that begin with `$`, and what that prints on standard output."""

TYPED_PAGES = [page for page in PAGES if TYPED.search(page.read_text(encoding="utf-8"))]

ON_A_BOARD = re.compile(r"<!-- on a board -->\n```console\n(?P<text>.*?)```\n", re.DOTALL)

TIMES = re.compile(r"\d+\.\d+ sec")

OPTIONAL = ("arduino-builder", "cmake", "unzip")
"""Tools without which the pages are not tried."""


def commands(text: str) -> list[str]:
    """The commands of a block, each of one or several lines, without their outputs."""
    found: list[str] = []
    continued = False
    for line in text.splitlines():
        if continued:
            found[-1] += f"\n{line}"
        elif line.startswith("$ "):
            found.append(line.removeprefix("$ "))
        continued = line.endswith("\\") and (continued or line.startswith("$ "))
    return found


ARDUINO = [name for board in boards() for name in board.arduino]
"""Arduino's names of our boards, with the package and the architecture of their core."""


def check_on_a_board(command: str, folder: Path) -> None:
    """Assert that a command of Arduino or PlatformIO names known boards and files that the preceding commands have
    written.
    """
    words = shlex.split(command)
    for word in words:
        if word.startswith("out/"):
            assert (folder / word).exists(), f"{command}: there is no {word}"
    match words:
        case ["arduino-cli", "core", "install", core]:
            assert any(name.startswith(f"{core}:") for name in ARDUINO), core
        case ["arduino-cli", "compile", "--fqbn", name, "--library", library, *_, sketch]:
            assert any(one == name or one.startswith(f"{name}:") for one in ARDUINO), name
            assert (folder / library / "library.properties").is_file()
            assert (folder / sketch / f"{Path(sketch).name}.ino").is_file()
        case ["arduino-cli", "monitor", "--port", _, "--config", rate]:
            sketches = [path.read_text() for path in folder.rglob("SelfTest.ino")]
            assert sketches
            assert all(f"Serial.begin({rate.removeprefix('baudrate=')})" in text for text in sketches)
        case ["pio", "run" | "device", *_]:
            [project] = [words[at + 1] for at, word in enumerate(words) if word == "--project-dir"]
            assert (folder / project / "platformio.ini").is_file()
        case _:
            raise AssertionError(f"{command}: nothing is known of it")


@pytest.mark.long
@pytest.mark.parametrize("page", spread(TYPED_PAGES, 1), ids=lambda page: page.name)
def test_what_is_typed_works(page: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The commands of a page succeed if they are typed in one folder, which contains docs/, examples/ and tests/.

    `make docs` tests all pages.
    """
    for folder in ("docs", "examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    environment = {**os.environ, "PATH": PATH, "COLUMNS": "120", "LC_ALL": "C.UTF-8"}

    def typed(block: re.Match[str]) -> str:
        text = ""
        for command in commands(block["text"]):
            tool = next(word for word in reversed(command.split(" && ")) if word).split()[0]
            if tool in OPTIONAL and shutil.which(tool) is None:
                pytest.skip(f"{tool} is not installed")
            shell = ["bash", "-eo", "pipefail", "-c", command]
            done = subprocess.run(shell, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            text += f"$ {command}\n{TIMES.sub('0.00 sec', done.stdout)}"
        return f"<!-- typed -->\n```console\n{text}```\n"

    before = page.read_text(encoding="utf-8")
    after = TYPED.sub(typed, before)
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    elif has_measured_compilers():
        assert after == before
    for block in ON_A_BOARD.finditer(before):
        for command in commands(block["text"]):
            check_on_a_board(command.replace("\\\n", ""), tmp_path)


ANY_BLOCK = re.compile(r"^(?P<comment>[^\n]*-->\n)?```\w*\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
"""Any block, with the end of a comment that says how it is run."""

COMMAND_LINE = re.compile(r"^(?:\$ )?tinyml (?P<arguments>(?:.*\\\n)*.*)$", re.MULTILINE)

SHOWN_COMMANDS = [
    pytest.param(command["arguments"].replace("\\\n", ""), id=f"{page.name}-{number}")
    for page in PAGES
    for number, command in enumerate(
        command
        for block in ANY_BLOCK.finditer(page.read_text(encoding="utf-8"))
        if not block["comment"]
        for command in COMMAND_LINE.finditer(block["text"])
    )
]


@pytest.mark.parametrize("arguments", SHOWN_COMMANDS)
def test_commands_that_are_only_shown_are_understood(arguments: str):
    """Commands that pages only show are accepted by the parsers of their options. They are not run, because they need a
    board or models outside the repository.
    """
    words = shlex.split(arguments.partition(" | ")[0], comments=True)
    command = import_module(COMMANDS.built_in[words[0]].module)
    with patch.object(command, "run", return_value=0) as run:
        assert tinyml(words) == 0
    run.assert_called_once()


def test_a_stale_cell_is_noticed():
    page = (ROOT / "docs/networks.md").read_text(encoding="utf-8")
    stale = page.replace("| 34,912 |", "| 33,088 |")
    assert stale != page
    assert tables.renewed(stale) == page


def test_a_row_without_figures_is_an_error():
    page = (ROOT / "docs/networks.md").read_text(encoding="utf-8")
    with pytest.raises(tables.MissingFigure, match="'arena' of 'resnet9' is neither measured nor in networks-memory"):
        tables.renewed(page.replace("| resnet8 |", "| resnet9 |"))


@pytest.mark.parametrize(
    "drawn", [picture, recomputed_picture, few_bits_picture, estimates_picture], ids=lambda module: module.FILE.stem
)
def test_the_pictures_are_current(drawn: Any, request: pytest.FixtureRequest):
    if request.config.getoption("--update-docs"):
        drawn.FILE.write_text(drawn.picture(), encoding="utf-8")
    assert drawn.FILE.read_text(encoding="utf-8") == drawn.picture()


WIDE = 0.64
"""The mean width of a letter in DejaVu Sans, in ems: the font of readers who have no other is a wide one."""


def test_the_texts_of_the_picture_are_within_it():
    """The picture of README.md contains more than 40 texts. All of them lie within the picture, by their positions and
    an upper bound on the width of their characters.
    """
    drawn = picture.FILE.read_text(encoding="utf-8")
    width, height = (float(size) for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)[0])
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)"[^>]*>([^<]*)<', drawn)
    assert len(texts) > 40
    for x, y, anchor, text in texts:
        assert anchor == "start"
        assert float(x) + WIDE * 11 * len(text) <= width, text
        assert 11 <= float(y) <= height - 4


def test_the_first_page_begins_with_code_and_how_to_install():
    for page in (ROOT / "README.md", ROOT / "docs/index.md"):
        text = page.read_text(encoding="utf-8")
        assert text.index("tinyml.compile(model") < text.index("pip install '.[sklearn]'") < 2000
    assert text.index("pip install '.[sklearn]'") < text.index("beside-others.svg")


def test_what_pip_is_told_to_install_is_there():
    """Every extra in a `pip install` command of a page exists. A command that installs tinyml from PyPI stands in a
    sentence with the condition "once tinyml is on PyPI".
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = 0
    for page in [*PAGES, *ROOT.glob("examples/*/README.md"), *ROOT.glob("docs/notebooks/*.ipynb")]:
        text = page.read_text("utf-8")
        for command in re.finditer(r"pip install(?: -e)?\s+'?([\w./-]+)(?:\[([\w,]+)\])?", text):
            what, extras = command[1], command[2]
            assert {*(extras or "").split(",")} <= {"", *project["optional-dependencies"]}, (page, command[0])
            found += what == "." and extras is not None
            if what == project["name"]:
                around = text[command.start() - 120 : command.end() + 40].lower().split()
                assert "once tinyml is on pypi" in " ".join(around), page
    assert found >= 10


def test_figures_of_others_are_those_of_results():
    """Flash, RAM and time of other projects in README.md, except emlearn's, equal those in the table
    `results-classifiers`, which docs/results.md shows.
    """
    flashes, rams, times = (TABLES["results-classifiers", part].rows for part in (2, 3, 4))
    cells = {cell for name in flashes for cell in zip(flashes[name], rams[name], times[name], strict=True)}
    parts = {tuple(figure.replace(",", "") for figure in cell) for cell in cells}
    for label, (time, _, flash, _, ram, *_) in TABLES["beside-others", None].rows.items():
        if "emlearn" not in label:
            assert tuple(figure.replace(",", "") for figure in (flash, ram, time)) in parts, label


SAMPLE = ("compile protonn-gesturepod --width 8", "bench protonn-gesturepod --format codebook --width 4")
"""Commands that take seconds, on a model of the repository."""


@pytest.mark.long
@pytest.mark.parametrize("command", SAMPLE)
def test_figures_measured_anew(command: str):
    """A new measurement yields the stored figures. After an intended change, `make figures` writes the new figures."""
    if not has_measured_compilers():
        pytest.skip("other compilers than those of the figures")
    entry = read(MEASURED)[command]
    assert measure(command) == {name: value for name, value in entry.items() if name != "commit"}


TABLES = {(table.name, table.part): table for page in PAGES for table in tables.tables(page.read_text("utf-8"))}


def test_figures_are_shown_and_name_their_source():
    shown = {
        (table.name, label, heading) for table in TABLES.values() for label in table.rows for heading in table.headings
    }
    asked = {tables.column_of(name, heading, label)[0] for name, label, heading in shown}
    for file in FOLDER.glob("*.json"):
        for key, values in read(file).items():
            if file == MEASURED:
                assert key == "compilers" or (key in asked and values["commit"]), f"{file.name}: {key}"
                continue
            assert values.keys() & SOURCES, f"{file.name}: {key} names no commit or source"
            assert {(file.stem, key, heading) for heading in values.keys() - SOURCES} <= shown, f"{file.name}: {key}"


FIGURE = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,]*\d)")
NUMERIC = re.compile(r"[+-]?[\d.,]+")


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_figures_have_one_source(page: Path):
    """Every large number in the text of a page, unless it ends with 000, also occurs in a table. Every table that
    consists mainly of numbers is written from a file of figures or from verdicts.
    """
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    in_tables = {
        figure for table in TABLES.values() for row in table.rows.values() for figure in FIGURE.findall(" ".join(row))
    }
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    assert {figure for figure in FIGURE.findall(prose) if not figure.endswith(",000")} - in_tables == set()
    for table in re.finditer(r"(?P<before>.*)\n\|.*\|\n\|[-|: ]+\|\n(?P<body>(?:\|.*\|\n)+)", text):
        cells = [cell.strip() for row in table["body"].splitlines() for cell in row[1:-1].split("|")[1:]]
        numeric = sum(NUMERIC.fullmatch(cell) is not None for cell in cells)
        assert table["before"].startswith(("<!-- figures: ", "<!-- verdicts -->")) or 2 * numeric <= len(cells), table[
            0
        ]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_pages_hold_no_placeholders(page: Path):
    assert re.findall(r"\b(?:\w+_HERE|TBD|TODO|FIXME|XXX+)\b", page.read_text(encoding="utf-8")) == []
