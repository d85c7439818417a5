"""The site of docs/: every page is in the navigation, and a browser that opens a page makes no network requests.

The tests of the built site run in `make docs`, with `--site FOLDER`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from programs.browser import needs_chromium, visit
from programs.paths import ROOT

DOCS = ROOT / "docs"

LOADED = re.compile(
    r'<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc="?([^\s">]+)|<link\b([^>]*)>|@import ([^;]+)'
)

PAGES = (
    "index.html",
    "makers/index.html",
    "notebooks/digits-on-an-uno.html",
    "tutorial/index.html",
    "tour.html",
    "architecture.html",
    "dialects/tdsl.html",
    "papers/seedot.html",
)


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Path:
    folder = request.config.getoption("--site")
    if folder is None:
        pytest.skip("no built site: make docs")
    return Path(folder).resolve()


def test_every_page_has_one_place_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"(?m)^ +- (?:.+: )?([\w/-]+\.md)$", text[text.index("\nnav:") :])
    pages = [path.relative_to(DOCS).with_suffix(".md") for kind in ("md", "ipynb") for path in DOCS.rglob(f"*.{kind}")]
    assert sorted(listed) == sorted(map(str, pages))


def loaded(page: str) -> list[str]:
    """The addresses of the files that a browser loads for a page."""
    found: list[str] = []
    for source, link, style in LOADED.findall(page):
        if link and not re.search(r'rel="?(?:canonical|prev|next|edit|alternate)', link):
            source = re.findall(r'href="?([^\s">]+)', link)[0]
        found.append(source or style)
    return [address for address in found if address]


def test_pages_load_only_files_of_the_site(site: Path):
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 40
    for page in pages:
        for address in loaded(page.read_text(encoding="utf-8")):
            assert (page.parent / address.partition("?")[0]).is_file(), f"{page.relative_to(site)}: {address}"


def test_addresses_that_a_page_loads():
    page = '<link rel="stylesheet" href="a.css"><link rel=prev href=b.html><script src=c.js></script><img src="d.svg">'
    assert loaded(page) == ["a.css", "c.js", "d.svg"]


@needs_chromium
@pytest.mark.parametrize("page", PAGES)
def test_a_browser_asks_nothing_of_the_network(page: str, site: Path, tmp_path: Path):
    seen = visit((site / page).as_uri(), tmp_path)
    assert "<h1" in seen.document
    assert seen.errors == []
    assert seen.requests == []


@needs_chromium
def test_search_works_without_a_server(site: Path, tmp_path: Path):
    seen = visit(f"{(site / 'index.html').as_uri()}?q=dancing", tmp_path)
    assert "exact-cover.html?h=dancing" in seen.document
    assert seen.errors == []


@pytest.mark.long
@needs_chromium
def test_requests_and_errors_are_noticed(tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text('<h1>A</h1><img src="http://example.invalid/a.png"><script>console.error("odd")</script>')
    seen = visit(page.as_uri(), tmp_path)
    assert seen.requests == ["http://example.invalid/a.png"]
    assert "odd" in seen.errors[0]
