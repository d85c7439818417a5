"""The part of a header that a program needs, and its include guards."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tinyml.runtime.model.headers import header_texts
from tinyml.targets.c.header_items import without_unused, words
from tinyml.targets.chip import Chip
from tinyml.targets.registry import HOST, chip_of, chips

HEADER = """\
/* A header. */
#ifndef OWN_H
#define OWN_H
#include <stdint.h>
#include <string.h>

#define SCALE(x) (TWICE * (x))
#define TWICE \\
    2

/* A comment
 * of two lines. */
typedef struct { int16_t low, high; } pair;

#ifdef __AVR__
static inline int16_t first(pair p)
{
    return inner(p.low); /* } */
}
#elif defined FAST
static inline int16_t first(pair p) { return p.high; }
#else
#define first(p) SCALE((p).low)
#endif

static const uint8_t table[2] = {1, 2};

static inline int16_t inner(int16_t x)
{
    return x;
}

static __attribute__((__unused__)) int32_t second(const uint8_t *t)
{
    return t[0];
}
#endif
"""
GUARD = re.compile(r"#(ifndef|define) \w+_DEFINED|#endif")
"""A line around a definition that several programs may have in common."""

NAMES = {"SCALE", "TWICE", "pair", "first", "table", "inner", "second"}


def part(*used: str) -> str:
    return "\n".join(without_unused(HEADER, set(used)))


def defined(text: str) -> set[str]:
    """The names that a part of the example header defines."""
    found = re.findall(r"#define (\w+)|\} (\w+);|(\w+)\[2\] =|^static.*?(\w+)\((?!\()\w", text, re.MULTILINE)
    return {name for names in found for name in names if name} & NAMES


@pytest.mark.parametrize(
    ("used", "names"),
    [
        (["inner"], {"inner"}),
        (["table", "second"], {"table", "second"}),
        (["TWICE"], {"TWICE"}),
        (["SCALE"], {"SCALE", "TWICE"}),
        (["pair"], {"pair"}),
        # What each of the branches uses.
        (["first"], {"first", "pair", "inner", "SCALE", "TWICE"}),
        (["words", "of", "others"], set[str]()),
    ],
)
def test_a_part_has_what_is_used_and_what_that_uses(used: list[str], names: set[str]) -> None:
    assert defined(part(*used)) == names


def test_nothing_is_left_where_nothing_is_used() -> None:
    assert without_unused(HEADER, set()) == []


def test_a_definition_of_two_branches_stays_in_both() -> None:
    text = part("first")
    assert "#ifdef __AVR__" in text
    assert "#elif defined FAST" in text
    assert text.index("#elif") < text.index("return p.high;") < text.index("#else")
    assert text.index("#else") < text.index("#define first(p)") < text.index("#endif", text.index("#else"))


def test_a_macro_that_decides_a_condition_stays() -> None:
    header = "#define WIDE 1\n#if WIDE\nstatic int wide(void) { return 1; }\n#endif\n#define OTHER 2\n"
    assert without_unused(header, {"wide"})[:2] == ["#define WIDE 1", "#if WIDE"]
    assert "#define OTHER 2" not in without_unused(header, {"wide"})


def test_an_else_branch_depends_on_the_conditions_before_it() -> None:
    header = "#define WIDE 1\n#if WIDE\n#else\nstatic int narrow(void) { return 1; }\n#endif\n"
    assert "#define WIDE 1" in without_unused(header, {"narrow"})


def test_conditions_that_reject_a_compiler_stay_with_what_they_guard() -> None:
    reject = ["#ifdef __AVR__", '#error "not here"', "#endif"]
    header = "\n".join(["#ifndef OWN_H", "#define OWN_H", *reject, "#define ONE 1", "#define TWO 2", "#endif"])
    assert without_unused(header, {"ONE"}) == [*reject, "#define ONE 1"]
    assert without_unused(header, {"THREE"}) == []


def test_includes_and_comments_stay_with_what_they_belong_to() -> None:
    assert part("inner").startswith("#include <stdint.h>\n#include <string.h>\n")
    assert "/* A comment\n * of two lines. */\ntypedef struct" in part("pair")
    assert "of two lines" not in part("inner")


def test_comments_of_lines_and_spaced_directives_are_read() -> None:
    header = "// A #define, and f(x).\n#define ONE 1\n#if ONE\nint f(int x) { return x; }\n# else\n# endif\nint g;\n"
    assert without_unused(header, {"ONE"}) == ["// A #define, and f(x).", "#define ONE 1"]
    function = ["#ifndef F_DEFINED", "#define F_DEFINED", "int f(int x) { return x; }", "#endif"]
    expected = ["// A #define, and f(x).", "#define ONE 1", "#if ONE", *function, "# else", "#endif"]
    assert without_unused(header, {"f"}) == expected


def test_the_guard_of_the_header_gives_way_to_one_of_each_definition() -> None:
    text = part(*NAMES)
    assert "OWN_H" not in text
    for name in ("pair", "table", "inner", "second"):
        assert f"#ifndef {name.upper()}_DEFINED\n#define {name.upper()}_DEFINED\n" in text
    # The same macro may be defined twice.
    assert "SCALE_DEFINED" not in text
    assert "#define TWICE \\\n    2\n" in text


@pytest.mark.parametrize("first", [["inner"], ["second", "first"], [*NAMES]])
@pytest.mark.parametrize("flags", [[], ["-DFAST"], ["-x", "c++"]])
def test_two_parts_in_one_unit_compile(first: list[str], flags: list[str], tmp_path: Path) -> None:
    (tmp_path / "parts.c").write_text(f"{part(*first)}\n{part('first', 'table')}\n{part(*NAMES)}\n")
    syntax_checked("gcc", tmp_path / "parts.c", flags=flags)


def syntax_checked(compiler: str, *files: Path, flags: Sequence[str]) -> None:
    command = [compiler, *flags, "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("chip", chips(), ids=lambda chip: chip.name)
def test_headers_of_the_runtime_are_whole_where_everything_is_used(chip: Chip) -> None:
    """For a program that uses all names of a header, the needed part contains every line of code of the header in
    order, and additionally only guards of definitions.
    """
    for name, text in header_texts(chip).items():
        code = code_of(text.split("\n"))
        guard = re.match(r"#ifndef (\w+)", code[0])
        if guard is not None and code[1] == f"#define {guard[1]}":
            code = code[2:-1]
        kept = code_of(without_unused(text, words(text)))
        assert [line for line in left_over(code, kept) if not GUARD.fullmatch(line)] == [], name


def code_of(lines: Sequence[str]) -> list[str]:
    """The lines of C code with comments removed."""
    text = re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.DOTALL)
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def left_over(within: Sequence[str], lines: Sequence[str]) -> list[str]:
    """The lines of `lines` that do not match the lines of `within` in order, and those of `within` that are not
    found.
    """
    left, at = list[str](), 0
    for line in lines:
        if at < len(within) and within[at] == line:
            at += 1
        else:
            left.append(line)
    return left if at == len(within) else [*left, *within[at:]]


def test_no_runtime_header_takes_memory_from_a_heap() -> None:
    texts = header_texts(chip_of(HOST))
    assert texts
    for name, text in texts.items():
        assert not words(text) & {"malloc", "calloc", "realloc", "free", "alloca"}, name


@pytest.mark.long
def test_all_runtime_headers_compile_where_everything_is_used(tmp_path: Path) -> None:
    """Each header is compiled in C and C++, after the headers that it includes."""
    texts = header_texts(chip_of(HOST))
    include = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)

    def with_needed(name: str) -> list[str]:
        needed = [inner for one in include.findall(texts[name]) for inner in with_needed(f"tinyml/{one}")]
        return [*dict.fromkeys(needed), name]

    for name in texts:
        bare = [include.sub("", texts[one]) for one in with_needed(name)]
        parts = ["\n".join(without_unused(one, words(one))) for one in bare]
        file = tmp_path / f"{name.replace('/', '_')}.c"
        file.write_text("#include <stdint.h>\n" + "\n".join(parts) + "\n")
    for flags in ([], ["-x", "c++"]):
        syntax_checked("gcc", *tmp_path.glob("*.c"), flags=flags)
