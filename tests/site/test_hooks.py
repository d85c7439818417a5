"""docs/site/hooks.py transforms pages: notebooks, highlighted MLIR, and tables in GitHub's syntax."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType, SimpleNamespace

import pytest
from programs.paths import ROOT


@pytest.fixture
def hooks() -> ModuleType:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: make docs")
    spec = spec_from_file_location("hooks", ROOT / "docs/site/hooks.py")
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(module := module_from_spec(spec))
    return module


def markdown(hooks: ModuleType, text: str, uri: str = "a.md", *, home: bool = False) -> str:
    page = SimpleNamespace(is_homepage=home, file=SimpleNamespace(src_uri=uri), meta={})
    return hooks.on_page_markdown(text, page=page)


def test_comments_for_tests_are_left_out(hooks: ModuleType):
    text = "a\n\n<!-- run apart: tinyml new pass\nb -->\n```\nc\n```\n\n<!-- kept -->\n"
    assert markdown(hooks, text) == "a\n\n```\nc\n```\n\n<!-- kept -->\n"


@pytest.mark.parametrize("command", ["tinyml demo, no cross compiler", "tinyml demo | without a, b", "tinyml\ndemo"])
def test_commands_are_shown(hooks: ModuleType, command: str):
    shown = markdown(hooks, f"<!-- run: {command} -->\n```\nc\n```\n")
    assert shown == '<p class="command"><code>$ tinyml demo</code></p>\n\n```\nc\n```\n'


def test_pipes_in_tables(hooks: ModuleType):
    assert markdown(hooks, "| `a\\|b` | c |\nd \\| e\n") == "| `a|b` | c |\nd \\| e\n"


def test_links_of_notebooks_lead_to_their_pages(hooks: ModuleType):
    assert markdown(hooks, "[a](notebooks/b.ipynb)") == "[a](notebooks/b.md)"
    assert markdown(hooks, "[a](b.ipynb)", "notebooks/b.md") == "[a](b.ipynb)"


def test_code_in_cells_breaks_behind_slashes(hooks: ModuleType):
    page = "<p><code>a/b_c</code></p><tr>\n<td><code>a_b</code></td>\n<td><code>a/b_c::d</code> e/f</td>"
    kept, first, cell = hooks.on_page_content(page).split("<td>")
    assert kept == "<p><code>a/b_c</code></p><tr>\n"
    assert first == "<code>a_b</code></td>\n"
    assert cell == "<code>a/<wbr>b_<wbr>c::<wbr>d</code> e/f</td>"


def test_options_stay_in_one_line(hooks: ModuleType):
    assert hooks.on_page_content("<code>--plan</code>") == '<code class="option">--plan</code>'
    assert hooks.on_page_content("<code>a --b</code>") == "<code>a --b</code>"


def test_all_of_the_tour_is_mlir(hooks: ModuleType):
    """The highlighted IR of the tour contains no invalid token. Types, ops and values have different kinds of
    tokens.
    """
    blocks = re.findall(r"```mlir\n(.*?)```", (ROOT / "docs/tour.md").read_text(encoding="utf-8"), re.DOTALL)
    tokens = [(str(kind), text) for block in blocks for kind, text in hooks.MlirLexer().get_tokens(block)]
    assert "Token.Error" not in {kind for kind, _ in tokens}
    for expected in (
        ("Token.Keyword", "tdsl.matmul"),
        ("Token.Keyword.Type", "!fixed.q"),
        ("Token.Keyword.Type", "4x1xf32"),
        ("Token.Name.Variable", "%W"),
        ("Token.Name.Decorator", "#scratch.flash"),
    ):
        assert expected in tokens


def test_a_notebook_is_a_page(hooks: ModuleType):
    page = hooks._page(ROOT / "docs/notebooks/search-and-pack.ipynb")
    assert page.startswith("# 6. Search and pack\n\n[This page is a notebook: download it](search-and-pack.ipynb)")
    assert "```python\nfrom tinyml.transforms.buffers.packing import Rectangle" in page
    assert "```text\n8 bytes, optimal: True\n" in page
