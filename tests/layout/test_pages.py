"""Links and file names in the documentation refer to existing targets."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest
from programs.paths import ROOT

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("docs/**/*.ipynb")),
    *sorted(ROOT.glob("examples/*/README.md")),
]

HISTORY = ("CHANGELOG.md", "changes-for-packages.md")
"""Pages that name files of earlier versions."""

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
FILE = re.compile(r"`((?:dialects|targets|runtime|transforms|lowering|tools|tests|docs)/[\w./-]*(?:\.\w+|/))`")

NAME = re.compile(r"`((?:[\w.-]+/)*[\w-][\w.-]*\.(?:py|md|toml|lark|mlir|c|h|S|json|in|v|yml|ipynb))`")
"""A file, perhaps in folders, as a section that is about a folder names it."""


def _headings(page: Path) -> set[str]:
    """The anchors that GitHub generates for the headings of a page."""
    found = re.findall(r"^#+ (.*)$", _without_blocks(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def _without_blocks(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    for file, heading in LINK.findall(_without_blocks(page)):
        target = page.parent / file if file else page
        assert target.exists(), file
        assert not heading or heading in _headings(target), f"{file}#{heading}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_section_is_there_twice(page: Path):
    found = re.findall(r"^## .*$", _without_blocks(page), re.MULTILINE)
    assert len(found) == len(set(found)), found


def _stands_for_names(path: str) -> bool:
    """Whether a path is a pattern: it contains a word in capitals, or the name of a pass that lowers A to B."""
    return re.search(r"[A-Z]{2}|\b[AB]_", path) is not None


@cache
def _files() -> str:
    """The paths of all files of the tree, one per line, each beginning with `/`."""
    return "".join(f"/{path.relative_to(ROOT).as_posix()}\n" for path in _tree())


@cache
def _sources() -> str:
    """The concatenated text of all sources, which name the files that commands write."""
    return "\n".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in _tree()
        if path.suffix in (".py", ".c", ".h", ".in", ".txt") and path != Path(__file__).resolve()
    )


def _tree() -> list[Path]:
    kept = [path for path in ROOT.iterdir() if path.name[0] != "." and path.name != "build"]
    return [file for path in kept for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]


def _is_written(name: str, page: Path) -> bool:
    """Whether a code block of the page contains the file's name, or a source contains it. For a Python file, only code
    blocks count.
    """
    blocks = "".join(re.findall(r"^```.*?^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
    return name in blocks or (not name.endswith(".py") and _is_in_a_source(name.rpartition("/")[2]))


@cache
def _is_in_a_source(name: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}", _sources()) is not None


CURRENT = pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in HISTORY], ids=lambda page: str(page.relative_to(ROOT))
)


@CURRENT
def test_files_exist(page: Path):
    """Every path on a page, relative to the root, exists, unless it contains a placeholder in capitals."""
    named = [path for path in FILE.findall(_without_blocks(page)) if not _stands_for_names(path)]
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.long
@CURRENT
def test_named_files_exist(page: Path):
    """A file name, with or without folders, must be the end of a path in the tree or of a file that a command
    writes.
    """
    named = [name for name in NAME.findall(_without_blocks(page)) if not _stands_for_names(name)]
    assert [name for name in named if f"/{name}\n" not in _files() and not _is_written(name, page)] == []


@pytest.mark.parametrize("room", ["dialects", "targets", "runtime", "transforms", "lowering", "tools"])
def test_no_message_names_a_page_that_a_wheel_lacks(room: str):
    """Messages and help texts name no page of `docs/`, which only the repository contains. Docstrings may."""
    for file in sorted((ROOT / room).rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if "docs/" not in source:
            continue
        tree = ast.parse(source)
        nodes = list(ast.walk(tree))
        said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        found = [
            text.value for text in texts if id(text) not in said and re.search(r"docs/[\w-]+\.md", str(text.value))
        ]
        assert not found, f"{file}: {found}"


@pytest.mark.long
@pytest.mark.parametrize("name", ["engine/options.py", "transforms/search/engine/options.py", "no_such_notes.md"])
def test_a_file_that_does_not_exist_is_found(name: str, tmp_path: Path):
    """A path to a missing file is an error even if its folder exists."""
    page = tmp_path / "page.md"
    page.write_text(f"See `{name}`.\n")
    with pytest.raises(AssertionError):
        (test_files_exist if name.startswith("transforms/") else test_named_files_exist)(page)
