"""Every code block of the pages is run or checked. This file tests the blocks that `test_docs.py` does not run.

A comment above a block specifies the test:

* `<!-- error: COMMAND -->`: the error message of the command, in a folder of small models (`errors`); the prefix
  `N MB FREE:` limits the available memory; `<!-- warning: COMMAND -->`: the warning of the command;
* `<!-- C: COMMAND -->`: C or C++ that is compiled with the header that the command writes;
* `<!-- code of: FILE -->`: a part of a file that the tests run;
* `<!-- lines of: PAGE -->`: lines of a page whose blocks are run;
* `<!-- on a board -->`: commands of Arduino or PlatformIO, which `test_docs.py` checks after the typed commands.

In a block without a comment, the options of commands are checked.
"""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from measured.tables import PAGES
from programs.paths import ROOT
from programs.plugins import forget, install
from programs.pushed_sums import running_sum

from tinyml.runtime.devices.toolchain import call_tool
from tinyml.runtime.model import memory
from tinyml.targets.registry import HOST, chip_of
from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt

BLOCK = re.compile(
    r"(?:<!-- (?P<way>[\w ]+?)(?:: (?P<said>(?:(?!-->).)*?))? -->\n)?"
    r"(?P<open>^(?P<fence>```+)(?P<language>\w*)[^\n]*\n)(?P<text>.*?)(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)

WAYS = {
    *("run", "run apart", "python", "python at length", "typed", "error", "warning"),
    *("C", "code of", "lines of", "on a board"),
}

WHOLE = (
    {
        "docs/api.md": "tests/unit/tools/api/test_api_reference.py",
        "docs/passes.md": "tests/unit/tools/reports/test_pass_reference.py",
        "docs/exact-cover.md": "tests/unit/transforms/buffers/test_exact_cover.py",
    }
    | {
        str(page.relative_to(ROOT)): "tests/unit/tools/reports/test_dialect_reference.py"
        for page in (ROOT / "docs/dialects").glob("*.md")
    }
    | {
        f"docs/packages/{page}.md": "tests/numeric/tools/driver/packages/test_package_pages.py"
        for page in ("esp-idf", "esphome", "micropython", "rust", "zephyr")
    }
)
"""Pages that are generated or run as a whole, and the tests of them."""

COMMAND = re.compile(r"(?:\$ )?(?:tinyml |pip install |python -m (?P<module>programs\.\w+) )")


def blocks(way: str | None = None) -> Iterator[tuple[Path, re.Match[str]]]:
    """Yield the blocks of pages that are not tested as a whole, with their pages.

    way: the kind of comment; None for blocks without a comment.
    """
    for page in PAGES:
        if str(page.relative_to(ROOT)) not in WHOLE:
            for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
                if way is None or block["way"] == way:
                    yield page, block


def ways(way: str) -> list[object]:
    return [pytest.param(page, block, id=f"{page.stem}-{block.start()}") for page, block in blocks(way)]


def test_no_block_is_left_out():
    unknown: list[str] = []
    for page, block in blocks():
        way = (block["way"] or "").partition(" with ")[0]
        before = page.read_text(encoding="utf-8")[: block.start()].rstrip()
        # Behind a block of Python stands what it prints.
        printed = re.search(r"<!-- python[\w ]* -->\n```python\n(?:(?!```).)*```$", before, re.DOTALL) is not None
        lines = block["text"].replace("\\\n", "").splitlines()
        if way not in WAYS and not printed and not all(map(COMMAND.match, lines)):
            unknown.append(f"{page.name}: {block['text'][:60]!r}")
    assert not unknown, "\n".join(unknown)
    for page, test in WHOLE.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        assert Path(page).name in text or "docs/dialects" in text, page


def test_packages_and_modules_of_commands_are_there():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for named in re.findall(r"tinyml-xdsl\[([\w,-]+)\]", text):
            assert {*named.split(",")} <= extras.keys(), f"{page.name}: {named}"
        for module in re.findall(r"python -m ((?:programs|figures)[\w.]*)", text):
            assert (ROOT / "tests" / f"{module.replace('.', '/')}.py").is_file(), f"{page.name}: {module}"


CHIP = "X = {}['flash']"
FRONTEND = "def X(*_, **__):\n    return None\n"


@pytest.fixture
def errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of models and data, some of which are damaged or too large; the working directory of a test."""
    for source in (ROOT / "docs/tour").glob("*.*"):
        shutil.copy(source, tmp_path)
    (tmp_path / "f.mlir").write_text(
        "func.func @f(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {\n"
        "  %y = tdsl.tanh %x : tensor<2x1xf32> -> tensor<2x1xf32>\n"
        "  func.return %y : tensor<2x1xf32>\n}\n"
    )
    np.savez(tmp_path / "many.npz", x=np.zeros((50_000, 4), np.float32))
    (tmp_path / "model.table").write_text("1,2\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    forget()


@pytest.mark.parametrize(("page", "block"), [*ways("error"), *ways("warning")])
def test_errors_are_said(
    page: Path,
    block: re.Match[str],
    errors: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
):
    free, _, command = block["said"].rpartition(" MB FREE: ")
    if free:
        monkeypatch.setattr(memory, "free_memory", lambda: int(free) * 1_000_000)
    if "pocket" in command:
        install(errors / "chips", monkeypatch, "tinyml.chips", CHIP, entry="pocket = {}:X", package="pocket-chips")
    if "old_chip" in command:
        entry = "old_chip = {0}:X\n[tinyml.extend]\nversion-0 = {0}"
        install(errors / "old", monkeypatch, "tinyml.chips", "", entry=entry, package="old-chips")
    if "table" in command:
        install(errors / "tables", monkeypatch, "tinyml.frontends", FRONTEND, entry="table = {}:X", package="tables")
    name, *arguments = shlex.split(command)
    with monkeypatch.context() as context:
        context.setenv("COLUMNS", "10000")
        assert {"tinyml": tinyml, "tinyml-opt": tinyml_opt}[name](arguments) == 1
    lines = capsys.readouterr().err.splitlines(keepends=True)
    said = "".join(line for line in lines if line.startswith(f"{block['way']}: "))
    if request.config.getoption("--update-docs"):
        page.write_text(page.read_text(encoding="utf-8").replace(block["text"], said), encoding="utf-8")
    else:
        assert said == block["text"]


AROUND = """\
#include <string.h>
#include "{name}.h"
float read_left(void);
float read_right(void);
int16_t next_reading(void);
int read_samples(int8_t *samples);
void act_on();
void alarm(void);
extern const int8_t features[12];
extern const float x[4];
extern const unsigned char received[1000], frame[8];
"""
"""What the caller has, in the examples of the pages."""


@pytest.mark.long
@pytest.mark.parametrize(("page", "block"), ways("C"))
def test_code_of_callers_compiles(page: Path, block: re.Match[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Code of callers compiles with the header of a small program that has the name of the page's model."""
    for source in (ROOT / "docs/tour").glob("*.np*"):
        (tmp_path / source.name).symlink_to(source)
    for name in ("image", "digits", "protonn_gesturepod", "tour"):
        (tmp_path / f"{name}.sd").symlink_to(ROOT / "docs/tour/tour.sd")
    (tmp_path / "spotter.tflite").symlink_to(ROOT / "tests/models/keras/spotter-int8.tflite")
    (tmp_path / "words.mlir").write_text(running_sum("words", classifies=True))
    (tmp_path / "model.mlir").write_text(
        "func.func @model(%x: tensor<4x1xf32>) -> tensor<1x1xf32> {\n"
        "  %score = tdsl.mean %x {axes = array<i64: 0, 1>} : tensor<4x1xf32> -> tensor<1x1xf32>\n"
        "  func.return %score : tensor<1x1xf32>\n}\n"
    )
    np.savez(tmp_path / "usual.npz", x=np.linspace(-1, 1, 40, dtype=np.float32).reshape(10, 4))
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(block["said"])
    assert tinyml([*arguments[1:], "--target", HOST, "--package", "c", "-o", "out"]) == 0
    name, text = Path(arguments[2]).stem, block["text"].replace("    ...\n", "")
    if not re.search(r"^(?:#include|void)", text, re.MULTILINE):
        text = f"void caller(void)\n{{\n    int n;\n    int8_t samples[16];\n    (void)n, (void)samples;\n{text}}}\n"
    language, suffix = ("c++", "cpp") if block["language"] == "cpp" else ("c", "c")
    (tmp_path / f"caller.{suffix}").write_text(text if "#include" in text else AROUND.format(name=name) + text)
    flags = ["-Wall", "-Werror", "-Wno-unused-variable", "-fsyntax-only", "-I", "out"]
    call_tool(chip_of(HOST), "cc", ["-x", language, *flags, f"caller.{suffix}"])


@pytest.mark.parametrize(("page", "block"), [*ways("code of"), *ways("lines of")])
def test_parts_of_other_files_are_there(page: Path, block: re.Match[str]):
    whole = (ROOT / block["said"]).read_text(encoding="utf-8")
    if block["way"] == "code of":
        assert block["text"] in whole
    else:
        assert {*block["text"].splitlines()} <= {*whole.splitlines()}
