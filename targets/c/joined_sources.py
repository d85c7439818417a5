"""Joining the C files of several programs in one translation unit, with one arena and without duplicate constants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml.dialects.errors import InputError

_DEFINITION = re.compile(r"^(?:#define |(?:static )?(?:inline )?(?:const )?\w+ \*?)(?P<name>\w+)")
_CONSTANT = re.compile(r"^static const (?P<type>\w+) (?P<name>\w+)(?P<rest>\[\d+\].* = \{)$")
_ARENA = "_arena"


@dataclass(frozen=True)
class JoinedSources:
    """Several C files, joined to one.

    text: the text of the joined file.
    shared_bytes: the number of bytes of constants that are omitted because an earlier program defines equal constants.
    arena: the variable of the arena; None if no program has an arena.
    """

    text: str
    shared_bytes: int
    arena: str | None


def joined_sources(sources: Sequence[tuple[str, str]], headers: Mapping[str, str] | None = None) -> JoinedSources:
    """Join the C files of programs, as `print_c` prints them.

    sources: for each program, its name and its text.
    headers: for each program, the text of its header, which one C file may include beside the others.

    The first program with an arena declares the arena for all programs. A constant that equals a constant of an earlier
    program, including its type, length and attributes, becomes a macro that expands to the name of the earlier
    constant. Functions of the runtime and kernels have their own guards, so that the file defines each of them once.

    Raises `InputError` if two programs define the same name. This may occur if the name of one program is a prefix of
    the name of another, such as `word` and `word_two`.
    """
    defined: dict[str, str] = {}
    known: dict[tuple[str, ...], str] = {}
    arena: str | None = None
    parts: list[str] = []
    shared = 0
    for program, text in (headers or {}).items():
        for line in text.splitlines():
            _define(line, program, defined)
    for program, text in sources:
        written: list[str] = []
        for item in _items(text.splitlines()):
            _define(item[0], program, defined)
            if (constant := _CONSTANT.match(item[0])) is not None:
                key = constant["type"], constant["rest"], *item[1:]
                name = known.setdefault(key, constant["name"])
                if name != constant["name"]:
                    shared += _bytes(constant["type"], constant["rest"])
                    item = [f"#define {constant['name']} {name}"]
            elif item[0].startswith("static ") and f" {program}{_ARENA}[" in item[0]:
                if arena is None:
                    arena = program
                else:
                    item = [f"#define {program}{_ARENA} {arena}{_ARENA}"]
            written += item
        parts.append("\n".join(written))
    return JoinedSources("\n\n".join(parts) + "\n", shared, None if arena is None else f"{arena}{_ARENA}")


def separate_source(text: str, program: str, name: str) -> str:
    """The C file of one of the programs in a file of its own, whose arena the linker merges with that of the others.

    text: the C file of the program, whose arena has the size of the shared one.
    name: the name of the common file.
    """

    def merged(line: str) -> str:
        if not line.startswith("static ") or f" {program}{_ARENA}[" not in line:
            return line
        declared = line.removeprefix("static ").replace(f" {program}{_ARENA}[", f" {name}{_ARENA}[")
        guard = f"TM_ARENA_OF_{name.upper()}"
        return (
            f"#define {program}{_ARENA} {name}{_ARENA}\n"
            f"/* The programs of {name} share this array. */\n"
            f"#ifndef {guard}\n#define {guard}\n__attribute__((weak)) {declared}\n#endif"
        )

    return "\n".join(map(merged, text.split("\n")))


def _define(line: str, program: str, defined: dict[str, str]) -> None:
    name = "" if (definition := _DEFINITION.match(line)) is None else definition["name"]
    if name.startswith(f"{program}_") and (other := defined.setdefault(name, program)) != program:
        raise InputError(f"'{other}' and '{program}' both define {name}: compile one with another --name")


def _items(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of each definition of a constant together, and every other line alone."""
    rest = iter(lines)
    for line in rest:
        item = [line]
        if _CONSTANT.match(line) is not None:
            while item[-1] != "};":
                item.append(next(rest))
        yield item


def _bytes(type: str, rest: str) -> int:
    """The number of bytes of a constant in C text.

    type: the C type of its elements.
    rest: the text after its name, which starts with the length.
    """
    length = int(rest[1 : rest.index("]")])
    bits = re.search(r"\d+", type)
    return length * (4 if bits is None else int(bits[0]) // 8)
