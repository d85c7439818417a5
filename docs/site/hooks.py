"""Hooks of mkdocs: pages of notebooks, highlighted MLIR, and pages without the comments for tests."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any, cast

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

COMMAND = re.compile(r"^<!-- run: (.*?)(?:, no cross compiler| \| without [^>]*)? -->\n", re.MULTILINE | re.DOTALL)
"""The comment with the command whose output follows."""

COMMENT = re.compile(r"^<!-- (?:run|python|typed|figures|table)\b.*?-->\n", re.MULTILINE | re.DOTALL)
"""Other comments by which tests find blocks and tables."""

CELL = re.compile(r"(?<!<tr>\n)<td\b.*?</td>", re.DOTALL)
"""A cell behind the first of its row."""

CODE = re.compile(r"(?<=<code>)[^<\n]*(?=</code>)")
OPTION = re.compile(r"<code>(?=--[^<\n]{,30}</code>)")
BREAK = re.compile(r"(?<=[/_])(?=\w)|(?<=::)")
"""The characters behind which code in a cell of a table may be wrapped."""

PIPE = re.compile(r"(?m)^\|.*\|$")

LINK = re.compile(r"(\]\([\w./-]*)\.ipynb\)")


class MlirLexer(RegexLexer):
    """A lexer of MLIR: values, symbols, types and attributes by their prefixes, and the names of ops."""

    name = "MLIR"
    tokens = {
        "root": [
            (r"//.*", Comment.Single),
            (r'"[^"]*"', String),
            (r"[%^][\w$.-]+(#\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r"![\w.]+", Keyword.Type),
            (r"#[\w.]+", Name.Decorator),
            (words(("tensor", "memref", "array", "dense", "index"), prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (r"\b(?:\d+x)*(?:[su]?i\d+|f\d+|bf16)\b", Keyword.Type),
            (r"\b[a-z]\w*\.[\w.]+", Keyword),
            (r"-?\b\d[\w.+-]*", Number),
            (r"->|[=:*?]", Operator),
            (r"[{}()\[\]<>,]", Punctuation),
            (r"\w+|\s+|.", Text),
        ]
    }


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    fence = {"name": "mlir", "class": "highlight", "format": _mlir}
    options = cast(dict[str, Any], config.mdx_configs)  # pyright: ignore[reportUnknownMemberType]
    options.setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each notebook, from which the notebook can be downloaded."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        text = _page(Path(file.abs_src_path or ""))
        files.append(File.generated(config, file.src_uri.removesuffix(".ipynb") + ".md", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Convert the Markdown of a page from GitHub's syntax to that of the site.

    Commands are shown above their outputs, and other comments for tests are omitted. Links to notebooks are replaced by
    links to their pages. The first page has no sidebars. In a table, GitHub requires an escaped pipe even in code,
    where Python-Markdown would show the backslash; it is therefore removed.
    """
    if page.is_homepage:
        page.meta["hide"] = ["navigation", "toc"]
    text = COMMENT.sub("", COMMAND.sub(_shown, markdown))
    text = PIPE.sub(lambda row: row[0].replace("\\|", "|"), text)
    return text if page.file.src_uri.startswith("notebooks/") else LINK.sub(r"\1.md)", text)


def _shown(command: re.Match[str]) -> str:
    return f'<p class="command"><code>$ {escape(" ".join(command[1].split()), quote=False)}</code></p>\n\n'


def on_page_content(html: str, **_: Any) -> str:
    """Allow line breaks in long code in tables after slashes and underscores, but none in options."""
    html = OPTION.sub('<code class="option">', html)
    return CELL.sub(lambda cell: CODE.sub(lambda code: BREAK.sub("<wbr>", code[0]), cell[0]), html)


def _mlir(source: str, *_: Any, **__: Any) -> str:
    return highlight(source, MlirLexer(), HtmlFormatter(cssclass="highlight", wrapcode=True))


def _page(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    title, *parts = [part for cell in cells for part in _parts(cell)]
    download = f'[This page is a notebook: download it]({notebook.name}){{ download="{notebook.name}" }}'
    return "\n\n".join([title, download, *parts]) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source.split("\n\n", 1)
    parts = [f"```python\n{source}\n```"]
    for output in cell["outputs"]:
        data = output.get("data", {})
        if svg := data.get("image/svg+xml"):
            parts.append(f'<div class="picture">{"".join(svg)}</div>')
        elif text := "".join(output.get("text", data.get("text/plain", ""))):
            language = "mlir" if re.match(r"(builtin\.module|func\.func)", text) else "text"
            parts.append(f"```{language}\n{text.rstrip()}\n```")
    return parts
