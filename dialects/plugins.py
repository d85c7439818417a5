"""Rows that describe what packages contribute, and the handling of errors in plug-ins.

A row describes a named contribution without importing it. tinyml's packages list tinyml's rows in tables (`tables.py`).
Other packages declare rows as entry points; their contributions are plug-ins. This module finds and loads plug-ins.

A plug-in that cannot be loaded, or whose type does not match its group, is skipped; the others continue to work.
`problems` lists the skipped plug-ins. If the code of a plug-in raises an exception later, the traceback shows the
plug-in to which the exception is attributed (`plugin_of`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.extensions import parts_installed
from tinyml.dialects.interface_version import version_mismatch
from tinyml.dialects.modules import first_line, is_installed
from tinyml.dialects.package_metadata import DISTRIBUTION

T = TypeVar("T")
P = ParamSpec("P")

GROUPS = (
    UNIVERSES := "xdsl.universe",
    CHIPS := "tinyml.chips",
    FRONTENDS := "tinyml.frontends",
    ONNX_OPS := "tinyml.onnx_ops",
    TFLITE_OPS := "tinyml.tflite_ops",
    EXPORTERS := "tinyml.exporters",
    SCHEDULES := "tinyml.schedules",
    PACKERS := "tinyml.packers",
    MEMORIES := "tinyml.memories",
    STEPS := "tinyml.steps",
    ALTERNATIVES := "tinyml.alternatives",
    PACKAGES := "tinyml.packages",
    COMMANDS := "tinyml.commands",
    RUNNERS := "tinyml.runners",
    REPORTS := "tinyml.reports",
    METRICS := "tinyml.metrics",
    FAMILIES := "tinyml.families",
)
"""The groups of entry points: dialects (number formats among them), passes and targets; chips; frontends; ops of ONNX
and TensorFlow Lite; exporters; schedules; packers of buffers; memories of boards; steps of named pipelines; kinds of
`--format auto`; packages of compiled models; commands of `tinyml`; devices of `tinyml run` that are no boards; parts of
the report; metrics; families of models for `tinyml design`."""

NAMES = {CHIPS: "tinyml.boards"}
"""The groups in which a package may list the names that belong to an entry point of the same value.

The entry point is loaded only for these names, such as the boards of a chip.
"""

INTERFACE = "tinyml.extend"
"""The group in which a package states the version of the interface for which it was written."""

XDSL = "xdsl"
_DISTRIBUTIONS = (DISTRIBUTION, XDSL)
_TOP_LEVEL_MODULES = ("tinyml", XDSL)
_FILE = "entry_points.txt"

_problems: dict[str, None] = {}


class PluginError(InputError):
    """An error in a plug-in. The message names the package and the entry point."""


@dataclass(frozen=True)
class Row:
    """A named contribution of a package, described without importing its module.

    * name: the name of the contribution.
    * value: `module:object`, or a module.
    * help: a line for help texts.
    * names: the names of the contribution's parts, such as the boards of a chip, and aliases. Each name is mapped to
      the primary name of the part.
    * package: the name of the distribution.
    * group: the kind of contribution. For other packages, it is the group of entry points.
    """

    name: str
    value: str
    help: str = ""
    names: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    package: str = DISTRIBUTION
    group: str = ""

    def __str__(self) -> str:
        return f"plug-in {self.name!r} of package {self.package!r} ({self.group})"

    @property
    def is_built_in(self) -> bool:
        """True for a row that tinyml or xDSL declares, that is, not a plug-in."""
        return self.package in _DISTRIBUTIONS

    @property
    def module(self) -> str:
        return self.value.partition(":")[0].strip()

    @property
    def is_installed(self) -> bool:
        return is_installed(self.value)

    @property
    def summary(self) -> str:
        """A description in one line: `help`, the first sentence of the module's docstring, or else the name of the
        package. The module is not imported.
        """
        return self.help or first_line(self.module) or f"of the package {self.package}"

    def load(self, kind: type[T]) -> T:
        """The object of type `kind` that the row names.

        Raises `PluginError` if the object cannot be loaded or has another type, or if the package was written for
        another version of the interface. Raises `InputError` for a row of tinyml whose module needs an extension that
        is not installed.
        """
        if not self.is_built_in:
            _check_version(self)
        with self.blamed(), parts_installed():
            if EntryPoint.pattern.match(self.value) is None:
                raise PluginError(f"{self}: expected MODULE:NAME, got {self.value!r}")
            return self.expect(EntryPoint(self.name, self.value, self.group).load(), kind)

    def load_class(self, base: type[T]) -> type[T]:
        """The class that the row names. Raises `PluginError` if it cannot be loaded, or is no subclass of `base`."""
        with self.blamed():
            return self.expect_class(self.load(type), base)

    def load_function(self, what: str) -> Callable[..., Any]:
        """The function that the row names. If the function later raises an exception, the exception is attributed to
        the plug-in.

        what: a description of the function, for messages.

        Raises `PluginError` if the function cannot be loaded.
        """
        function = self.load(object)
        if not callable(function):
            raise PluginError(f"{self}: expected a function that {what}, got {type(function).__name__}")
        return partial(self.call, function)

    def call(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Call a function of the package and return its result. An exception of the function is attributed to the
        plug-in.
        """
        return function(*arguments, **named)

    def expect(self, thing: object, *kinds: type[T]) -> T:
        """Return `thing` if it is an instance of one of the types; otherwise raise `PluginError`."""
        if not isinstance(thing, kinds):
            assert not self.is_built_in, self.value
            names = " or ".join(kind.__name__ for kind in kinds)
            raise PluginError(f"{self}: expected an object of type {names}, got {type(thing).__name__}")
        return thing

    def expect_class(self, thing: object, base: type[T]) -> type[T]:
        """Return `thing` if it is a subclass of `base`; otherwise raise `PluginError`."""
        if not (isinstance(thing, type) and issubclass(thing, base)):
            assert not self.is_built_in, self.value
            got = thing.__name__ if isinstance(thing, type) else f"an object of type {type(thing).__name__}"
            raise PluginError(f"{self}: expected a subclass of {base.__name__}, got {got}")
        return thing

    def expect_fields(self, thing: object) -> None:
        """Raise `PluginError` if the value of a field of the dataclass instance `thing` does not have the declared
        type.
        """
        for name, declared in get_type_hints(type(thing)).items():
            if not _conforms(getattr(thing, name), declared):
                kind = type(thing).__name__
                raise PluginError(f"{self}: the field '{name}' of a {kind} is of another type than {declared}")

    @contextmanager
    def blamed(self) -> Generator[None]:
        """A context in which exceptions, except interrupts, become a `PluginError` of the plug-in that raised them."""
        try:
            yield
        except (PluginError, KeyboardInterrupt):
            raise
        except BaseException as error:
            if self.is_built_in:
                raise
            plugin = plugin_of(error)
            row = self if plugin is None or plugin.is_built_in else plugin
            raise PluginError(f"{row}: {described(error)}") from error

    @contextmanager
    def left_out(self) -> Generator[None]:
        """A context that suppresses an exception and records it as the reason why the plug-in is skipped."""
        try:
            with self.blamed():
                yield
        except PluginError as error:
            leave_out(error.message)


def _check_version(row: Row) -> None:
    for stated in _declared()[INTERFACE]:
        if stated.package == row.package and (reason := version_mismatch(stated.name)) is not None:
            raise PluginError(f"{row}: {reason}")


def leave_out(reason: str) -> None:
    _problems[reason] = None


def problems() -> Sequence[str]:
    """The reasons why plug-ins were skipped in this process, without duplicates."""
    return list(_problems)


def plugins(group: str) -> Sequence[Row]:
    """The rows that other packages declare for a group of entry points, sorted by name."""
    return sorted((one for one in _declared()[group] if not one.is_built_in), key=lambda one: (one.name, one.package))


def each(rows: Iterable[Row], use: Callable[[Row], T]) -> Iterator[T]:
    """Yield the result of `use` for each row. Plug-ins for which `use` raises an exception are skipped."""
    for row in rows:
        made: list[T] = []
        with row.left_out():
            made.append(use(row))
        yield from made


def built_in(group: str) -> Sequence[Row]:
    """The rows of tinyml and xDSL for a group of entry points, sorted by name."""
    return sorted((one for one in _declared()[group] if one.is_built_in), key=lambda one: one.name)


def plugin_of(error: BaseException) -> Row | None:
    """The last plug-in in the calls that led to an exception; None if no plug-in raised it or called the raiser.

    xDSL counts as a plug-in for its own passes and targets, but not when tinyml calls it.
    """
    modules: list[str] = []
    plugin: Row | None = None
    step = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        modules.append(str(frame.f_globals.get("__name__", "")))
        if frame.f_code is Row.call.__code__ and not frame.f_locals["self"].is_built_in:
            plugin = frame.f_locals["self"]
        elif (called := provider(modules[-1])) is not None and (plugin is None or called.package != plugin.package):
            plugin = called
        step = step.tb_next
    if plugin is not None:
        return plugin
    ours = any(module.startswith("tinyml.") and not module.startswith(_TOOLS) for module in modules)
    by_xdsl = bool(modules) and modules[-1].startswith(f"{XDSL}.") and not ours
    return next((one for one in built_in(UNIVERSES) if by_xdsl and one.package == XDSL), None)


_TOOLS = "tinyml.tools."
"""Prefix of tinyml's modules that call the passes and targets of plug-ins."""


def provider(module: str) -> Row | None:
    """The plug-in that contains a module, found by the module's top-level package; None for a module that is not part
    of a plug-in.
    """
    return _by_module().get(module.partition(".")[0])


@contextmanager
def attributed() -> Generator[None]:
    """A context in which an exception that a plug-in raises is converted to a `PluginError`.

    Unlike arbitrary exceptions, a `PluginError` can be sent to other processes.
    """
    try:
        yield
    except (InputError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if (plugin := plugin_of(error)) is None or plugin.is_built_in:
            raise
        raise PluginError(f"{plugin}: {described(error)}") from error


@contextmanager
def others_left_out() -> Generator[None]:
    """A context that suppresses an exception of a plug-in and records it as the reason why its contribution is
    skipped.
    """
    try:
        with attributed():
            yield
    except PluginError as error:
        leave_out(error.message)


def expected(thing: object, kind: type[T], maker: type | Callable[..., object], count: int | None = None) -> T:
    """The object `thing`, if it has the type `kind`. Otherwise, raises the error of `wrong_result`.

    maker: the function or class that created the object.
    count: the length that the object must have; None for any length.
    """
    if not isinstance(thing, kind):
        wanted, got = f"an object of type {kind.__name__}", type(thing).__name__
    elif count is not None and (length := len(cast("Sequence[Any]", thing))) != count:
        wanted, got = f"{count} elements", str(length)
    else:
        return thing
    raise wrong_result(maker, f"expected {wanted} from {maker.__qualname__}, got {got}")


def wrong_result(maker: type | Callable[..., object], fault: str) -> Exception:
    """The error for a wrong result of `maker`: a `PluginError` if a plug-in defines it, else an `AssertionError`."""
    plugin = provider(maker.__module__)
    return AssertionError(fault) if plugin is None else PluginError(f"{plugin}: {fault}")


def described(error: BaseException) -> str:
    """A description of an exception on one line: its type and message or, for a `SystemExit`, the exit code.

    If converting the exception to text fails, the line states its type and this failure.
    """
    try:
        exits = isinstance(error, SystemExit)
        said = f"it ends the program with exit code {error.code}" if exits else f"{type(error).__name__}: {error}"
        return " ".join(said.split())
    except Exception as unreadable:
        return f"{type(error).__name__}, whose message raises {type(unreadable).__name__}"
    except SystemExit:
        return f"{type(error).__name__}, whose message ends the program"


def _conforms(value: object, declared: Any) -> bool:
    """True if a value has a declared type. The elements of sequences are also checked, those of mappings are not."""
    kind, arguments = get_origin(declared) or declared, get_args(declared)
    if kind in (Union, UnionType):
        return any(_conforms(value, one) for one in arguments)
    if getattr(kind, "_is_protocol", False):
        return True
    if not isinstance(value, kind):
        return False
    if kind in (Sequence, tuple):
        items = cast("Sequence[Any]", value)
        return not isinstance(items, str) and all(_conforms(item, arguments[0]) for item in items)
    return True


@cache
def _by_module() -> Mapping[str, Row]:
    """The rows of plug-ins by the name of their top-level module. tinyml's own rows are excluded."""
    rows = ((row.module.partition(".")[0], row) for group in GROUPS for row in plugins(group))
    return {module: row for module, row in rows if module not in (*_TOP_LEVEL_MODULES, *sys.stdlib_module_names)}


@cache
def _declared() -> Mapping[str, Sequence[Row]]:
    """The rows that packages declare as entry points, by group.

    The result is cached, because installed packages do not change while a process runs, and reading their metadata
    takes milliseconds.
    """
    found: dict[str, dict[Row, None]] = {group: {} for group in (*GROUPS, INTERFACE)}
    packages: dict[str, Distribution] = {}
    for package in distributions():
        # If two packages have the same name, Python imports the first.
        packages.setdefault(_short_name(package), package)
    for package in packages.values():
        for plugin in _entries(package):
            found[plugin.group][plugin] = None
    return {group: list(entries) for group, entries in found.items()}


def _short_name(package: Distribution) -> str:
    """The normalised name of a package, from its metadata folder, such as `tinyml_xdsl-0.1.0.dist-info`."""
    folder = Path(str(getattr(package, "_path", package))).name
    return folder.partition("-")[0].replace("_", "-").lower()


def _entries(package: Distribution) -> Sequence[Row]:
    """The entry points that a package declares in tinyml's groups. If they cannot be read, the result is empty, and the
    reason is recorded by `leave_out`.
    """
    name = _short_name(package)
    try:
        text = package.read_text(_FILE) or ""
        if not any(f"[{prefix}." in text for prefix in _TOP_LEVEL_MODULES):
            return ()
        # Reading all metadata takes as long as the rest of a help text.
        name = name if name in _DISTRIBUTIONS else package.metadata["Name"] or name
        sections = _sections(text)
        known = (*GROUPS, *NAMES.values(), INTERFACE)
        for group in sorted(sections.keys() - {*known}):
            if name not in _DISTRIBUTIONS and (group.startswith("tinyml.") or did_you_mean(group, known)):
                leave_out(f"package {name!r}: unknown group of entry points '{group}'{did_you_mean(group, known)}")
        rows: list[Row] = []
        for group in (group for group in (*GROUPS, INTERFACE) if group in sections):
            parts = sections.get(NAMES.get(group, ""), {})
            for key, value in sections[group].items():
                names = {part: part for part, whole in parts.items() if whole == value}
                rows.append(Row(key, value, names=names, package=name, group=group))
        return rows
    except Exception as error:
        leave_out(f"package {name!r}: {_FILE} cannot be read: {described(error)}")
        return ()


def _sections(text: str) -> Mapping[str, Mapping[str, str]]:
    """The entry points in the text of a file: for each group, a mapping from names to values.

    Raises `ValueError` for a malformed line. Importing a general parser would take longer than parsing these files.
    """
    sections: dict[str, dict[str, str]] = {}
    section: dict[str, str] | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        name, sign, value = map(str.strip, line.partition("="))
        if line.startswith("[") and line.endswith("]"):
            section = sections.setdefault(line[1:-1], {})
        elif section is not None and name and sign:
            section[name] = value
        elif line and not line.startswith("#"):
            raise ValueError(f"[line {number}] expected NAME = VALUE, got {line!r}")
    return sections
