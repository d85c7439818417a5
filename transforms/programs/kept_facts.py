"""Results about programs that are stored in a folder, so that later commands do not compute them again.

A fact is the answer to a question, stored as a JSON file. The question includes the digests of the program and of the
data, and every option. The name of the file is a digest of the question and of everything else that determines the
answer: the sources of tinyml and of its plug-ins, Python, and the libraries that compute. A change of any of these
changes the file name, so that a stored answer is never outdated. A file that is damaged, or that contains the answer to
another question, counts as missing and is replaced. No file is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.package_metadata import DISTRIBUTION, PACKAGES
from tinyml.dialects.plugins import GROUPS, plugins

T = TypeVar("T")

LIBRARIES = (DISTRIBUTION, "numpy", "xdsl")


class KeptFacts:
    """The facts that are stored in a folder. Raises `InputError` if the folder cannot be created."""

    def __init__(self, folder: Path):
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder: {error.strerror}", file=str(folder)) from error

    def answer(self, asked: Sequence[str]) -> Any:
        """The stored answer to a question, as JSON values. None if no answer is stored.

        asked: the question, as texts.
        """
        try:
            kept = json.loads(self._file(asked).read_bytes())
            return kept["answer"] if kept["asked"] == self._question(asked) else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def keep(self, asked: Sequence[str], answer: Any) -> None:
        """Store the answer to a question. Raises `InputError` if the file cannot be written.

        asked: the question, as texts.
        """
        file, content = self._file(asked), {"asked": self._question(asked), "answer": answer}
        try:
            file.parent.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
                # Several processes may write the file at once, so each moves a complete file into place.
                fresh = Path(scratch) / file.name
                fresh.write_text(json.dumps(content, default=_number), encoding="utf-8")
                fresh.replace(file)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=str(file)) from error

    def _file(self, asked: Sequence[str]) -> Path:
        name = hashlib.sha256("\n".join(self._question(asked)).encode()).hexdigest()
        return self.folder / name[:2] / f"{name[2:]}.json"

    @staticmethod
    def _question(asked: Sequence[str]) -> list[str]:
        return [environment(), *asked]


CURRENT_FACTS: ContextVar[KeptFacts | None] = ContextVar("CURRENT_FACTS", default=None)
"""The place where facts are stored in this context; None if they are not stored."""


@contextmanager
def kept_in(folder: Path | None) -> Generator[None]:
    """A context in which facts are stored in a folder. If `folder` is None, facts are not stored."""
    token = CURRENT_FACTS.set(None if folder is None else KeptFacts(folder))
    try:
        yield
    finally:
        CURRENT_FACTS.reset(token)


def kept(
    asked: Callable[[], Sequence[str]],
    find: Callable[[], T],
    read: Callable[[Any], T],
    write: Callable[[T], Any] = lambda found: found,
) -> T:
    """Return the stored result of `find` for the inputs that `asked` returns. If no result is stored, call `find`,
    store its result and return it.

    asked: the function that returns all inputs on which the result depends; it is called only if results are stored.
    find: the function that computes the result.
    read, write: functions that convert the result from and to JSON. If `read` raises `ValueError`, `KeyError` or
        `TypeError`, the stored result counts as missing.
    """
    if (facts := CURRENT_FACTS.get()) is None:
        return find()
    question = asked()
    if (answer := facts.answer(question)) is not None:
        try:
            return read(answer)
        except (ValueError, KeyError, TypeError):
            pass
    found = find()
    facts.keep(question, write(found))
    return found


@cache
def environment() -> str:
    """A digest of everything that computes facts: the sources of tinyml and its plug-ins, the libraries that they use,
    Python, and the processor's architecture.
    """
    digest = hashlib.sha256(f"{platform.python_version()} {platform.machine()}".encode())
    for name in LIBRARIES:
        digest.update(f"{name} {version(name)}".encode())
    for module in (*(f"tinyml.{package}" for package in PACKAGES), *others()):
        for name, content in _sources(module):
            digest.update(f"{module} {name} {hashlib.sha256(content).hexdigest()}".encode())
    return digest.hexdigest()


def others() -> list[str]:
    return sorted({row.module.partition(".")[0] for group in GROUPS for row in plugins(group)})


def _sources(module: str) -> Iterator[tuple[str, bytes]]:
    """Yield each source file of a module or package, as its path relative to the package and its content."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        # Plug-ins without a module of this name are ignored everywhere.
        return
    folders = [] if spec is None else spec.submodule_search_locations or []
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(folder).as_posix(), path.read_bytes()
    if spec is not None and spec.origin is not None and not folders:
        yield Path(spec.origin).name, Path(spec.origin).read_bytes()


def _number(value: Any) -> Any:
    return value.item()
