"""Links and file names in the pages lead somewhere."""

from __future__ import annotations

import json
import re
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


def _headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them of its headings."""
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


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in HISTORY], ids=lambda page: str(page.relative_to(ROOT))
)
def test_files_exist(page: Path):
    """Paths from the root; words in capitals stand for names."""
    named = [path for path in FILE.findall(_without_blocks(page)) if not re.search(r"[A-Z]{2}|\b[AB]_", path)]
    assert [path for path in named if not (ROOT / path).exists()] == []
