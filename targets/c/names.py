"""Identifiers of a generated file: unique, and none of them a C keyword."""

from __future__ import annotations

import re

_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Bool _Complex _Imaginary asm typeof main
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
    INT8_MIN INT16_MIN INT32_MIN INT64_MIN"""
_BUILTINS = """abort abs acos asin atan ceil cos cosh erf exit exp fabs ffs floor fmax fmin gamma index isinf isnan j0
j1 jn labs lgamma log memcmp memcpy memset pow printf puts rindex round signbit sin sinh sqrt strlen tan tanh tgamma
trunc y0 y1 yn"""
"""Functions built into gcc, which warns if a file-level definition reuses such a name."""

RESERVED = frozenset(_WORDS.split()) | frozenset(_BUILTINS.split())


def identifier(hint: str) -> str:
    """A C identifier close to a name hint, never a reserved word or one of the runtime's names (tm_, TM_)."""
    # xDSL numbers equal hints when it prints them; stripping the numbers keeps names stable across print and parse.
    name = re.sub(r"(_\d+)+$", "", re.sub(r"\W", "_", hint, flags=re.ASCII)).lstrip("_") or "value"
    if name in RESERVED or name[0].isdigit() or re.match(r"tm_", name, re.IGNORECASE):
        return f"v_{name}"
    return name


def fresh(hint: str, taken: set[str]) -> str:
    """An identifier not yet in `taken`, which is added to it."""
    name = base = identifier(hint)
    number = 1
    while name in taken:
        name = f"{base}_{number}"
        number += 1
    taken.add(name)
    return name
