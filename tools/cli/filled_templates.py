"""Files that are generated from a folder of templates. `NAME` in the path of a template and `$word` in its content are
replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

_SUFFIX = ".in"
_NAME = "NAME"


def filled_templates(folder: Traversable, words: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield the path, relative to the folder, and the text of each file that the templates in a folder generate.

    words: the texts for the placeholders; `name` also replaces `NAME` in paths.

    Raises `KeyError` for a placeholder without a word.
    """
    for path, template in _templates(folder, Path()):
        yield Path(str(path).replace(_NAME, words["name"]).removesuffix(_SUFFIX)), filled(template, words)


def filled(template: Traversable, words: Mapping[str, str]) -> str:
    """The text of a template with placeholders replaced; raises `KeyError` for a placeholder without a word.

    words: the texts for the placeholders.
    """
    return Template(template.read_text("utf-8")).substitute(words)


def _templates(folder: Traversable, path: Path) -> Iterator[tuple[Path, Traversable]]:
    """Yield the sorted templates below a folder, each with its path relative to the outermost folder."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, path / entry.name)
        elif entry.name.endswith(_SUFFIX):
            yield path / entry.name, entry
