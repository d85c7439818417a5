"""Files made from a folder of templates: `NAME` in a path and `$word` in a text stand for words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

_SUFFIX = ".in"
_NAME = "NAME"


def filled_templates(folder: Traversable, words: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield the path, relative to the folder, and the text of each file that the templates in a folder describe.

    words: the texts for the placeholders; `name` is that in paths, too. Raises `KeyError` for a placeholder without
    a word.
    """
    for path, template in _templates(folder, Path()):
        yield Path(str(path).replace(_NAME, words["name"]).removesuffix(_SUFFIX)), filled(template, words)


def filled(template: Traversable, words: Mapping[str, str]) -> str:
    """The text of a file with words in place of its placeholders; raises `KeyError` for one without a word."""
    return Template(template.read_text("utf-8")).substitute(words)


def _templates(folder: Traversable, path: Path) -> Iterator[tuple[Path, Traversable]]:
    """The templates below a folder, sorted, each with its path, relative to that of the outermost folder."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, path / entry.name)
        elif entry.name.endswith(_SUFFIX):
            yield path / entry.name, entry
