"""Translation of pass pipelines from MLIR's spelling to xDSL's, and errors that name the offending pass or option."""

import difflib
import re
from collections.abc import Callable, Mapping

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_pipeline

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.arguments import LARGEST

_ANCHOR = re.compile(r"(?:builtin\.module|any)\s*\((?P<body>.*)\)", re.DOTALL)
_PIECE = re.compile(
    r"""
      (?P<literal> "(?:\\.|[^"\\])*" | \[[^\]]*\] )  # a string, or the text passed on by `mlir-opt[...]`
    | (?P<space> \s+ )
    | (?P<sign> [{}=,()] )
    | (?P<word> [^\s{}=,()"\[]+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_-]+|[-+][0-9]+")
_REAL = re.compile(r"(?P<whole>[-+]?[0-9]*)(\.(?P<part>[0-9]*))?(?P<power>[eE][-+]?[0-9]+)?")


def to_xdsl_pipeline(text: str) -> str:
    """A pipeline in xDSL's spelling: `builtin.module(a, b{x=1 y=2})` becomes `a,b{x=1 y=2}`.

    xDSL's own spelling is returned unchanged, except that spaces and line breaks are allowed wherever MLIR allows them;
    one space is kept between two options of a pass. Values that xDSL accepts only in quotes, such as file names, are
    quoted, and every spelling of a real number becomes one that xDSL reads. Raises InputError for a pipeline nested
    below the module, because an xDSL pass always runs on the whole module, and for unbalanced brackets.
    """
    body = text.strip()
    if (anchored := _ANCHOR.fullmatch(body)) is not None:
        body = anchored["body"]
    pieces: list[str] = []
    depth = 0
    gap = False
    for match in _PIECE.finditer(body):
        piece = match.group()
        if match.lastgroup == "space":
            gap = True
            continue
        if match.lastgroup == "sign":
            if piece in "()":
                raise InputError(
                    f"pass pipeline {_shorten(text)}: only builtin.module(...) may enclose passes, "
                    "nested pipelines are not supported"
                )
            depth += {"{": 1, "}": -1}.get(piece, 0)
        elif gap and pieces and pieces[-1] not in "{=,":
            if depth == 0:
                raise InputError(f"pass pipeline {_shorten(text)}: a comma is missing before '{piece}'")
            pieces.append(" ")
        gap = False
        if match.lastgroup == "word" and depth > 0 and pieces[-1] in "=,":
            piece = _value(piece)
        pieces.append(piece)
    if depth != 0:
        raise InputError(f"pass pipeline {_shorten(text)}: the braces do not balance")
    return "".join(pieces)


def _value(word: str) -> str:
    number = _REAL.fullmatch(word)
    if number is not None and (number["part"] is not None or number["power"]) and re.search("[0-9]", word):
        whole = number["whole"] if number["whole"].strip("+-") else number["whole"] + "0"
        return f"{whole}.{number['part'] or 0}{number['power'] or ''}"
    if _PLAIN_VALUE.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\")
    return f'"{escaped}"'


def check_pipeline(pipeline: str, passes: Mapping[str, Callable[[], type[ModulePass]]]) -> None:
    """Raise InputError for an unknown pass or a bad option in a pipeline in xDSL's spelling."""
    for spec in parse_pipeline(pipeline):
        if spec.name not in passes:
            near = difflib.get_close_matches(spec.name, passes, n=1)
            raise InputError(f"unknown pass '{spec.name}'" + (f", did you mean '{near[0]}'?" if near else ""))
        check_options("pass", spec, passes[spec.name]())


def check_options(kind: str, spec: ArgSpec, made: type[ArgSpecConvertible]) -> None:
    """Raise InputError if `made`, a pass or a target (as `kind` says), does not accept the options of `spec`."""
    for option, values in spec.parameters.items():
        if any(isinstance(value, int) and abs(value) > LARGEST for value in values):
            raise InputError(f"{kind} '{spec.name}', option {option}: integers go up to {LARGEST}")
    complaint = _complaint(spec, made)
    if complaint is None:
        return
    # xDSL does not name the rejected option: it is the one whose removal ends the complaint, or at least changes it.
    without = {option: _complaint(_without(spec, option), made) for option in spec.parameters}
    blamed = sorted((text is not None, option) for option, text in without.items() if text != complaint)
    if blamed:
        option = blamed[0][1]
        given = str(ArgSpec("", {option: spec.parameters[option]}))[1:-1]
        raise InputError(f"{kind} '{spec.name}', option {given}: {complaint}")
    raise InputError(f"{kind} '{spec.name}': {complaint}")


def _without(spec: ArgSpec, option: str) -> ArgSpec:
    return ArgSpec(spec.name, {name: values for name, values in spec.parameters.items() if name != option})


def _complaint(spec: ArgSpec, made: type[ArgSpecConvertible]) -> str | None:
    try:
        made.from_spec(spec)
    except ValueError as error:
        return " ".join(str(error).split())
    return None


def _shorten(text: str, limit: int = 60) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 3] + "...")
