"""Identifiers of a generated C file. They are unique and never C keywords."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from tinyml.dialects.errors import InputError
from tinyml.targets.c.header_names import is_header

_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Bool _Complex _Imaginary asm typeof main
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
    INT8_MIN INT16_MIN INT32_MIN INT64_MIN INT8_MAX INT16_MAX INT32_MAX INT64_MAX
    UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX INT8_C INT16_C INT32_C INT64_C UINT8_C UINT16_C UINT32_C UINT64_C
    NULL errno linux unix"""
"""Keywords, types, and macros of C, its headers and compilers."""

_MACROS = """BUFSIZ EOF EXIT_FAILURE EXIT_SUCCESS FILENAME_MAX FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN
    FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF HUGE_VALL INFINITY INTMAX_MAX INTMAX_MIN INTPTR_MAX
    INTPTR_MIN L_tmpnam M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4
    M_SQRT1_2 M_SQRT2 MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX NAN PTRDIFF_MAX PTRDIFF_MIN RAND_MAX RANDOM_MAX
    SEEK_CUR SEEK_END SEEK_SET SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIZE_MAX TMP_MAX UINTMAX_MAX UINTPTR_MAX
    WCHAR_MAX WCHAR_MIN WINT_MAX WINT_MIN math_errhandling stderr stdin stdout"""
"""Macros of stdio.h, stdlib.h, stdint.h and math.h of glibc, avr-libc and newlib, which a program with the model's
header may include.
"""

_BUILTINS = """abort abs acos asin atan ceil cos cosh erf exit exp fabs ffs floor fmax fmin gamma index isinf isnan j0
j1 jn labs lgamma log memcmp memcpy memset pow printf puts rindex round signbit sin sinh sqrt strlen tan tanh tgamma
trunc y0 y1 yn"""
"""Functions built into gcc, which warns if a file-level definition reuses such a name."""

_CPP = """alignas alignof and and_eq bitand bitor bool catch char16_t char32_t class compl const_cast constexpr decltype
delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq
private protected public reinterpret_cast static_assert static_cast template this thread_local throw true try typeid
typename using virtual wchar_t xor xor_eq"""
"""Keywords of C++, from which the header of a program may be included."""

RESERVED = frozenset(" ".join((_WORDS, _MACROS, _BUILTINS, _CPP)).split())

OUTPUT_FILES = ("proofs", "report")
"""The names of the other files of an output folder that end in `.json`."""

MAX_NAME_LENGTH = 31
"""Maximum characters of the name of a model; C99 distinguishes 63 characters of its functions' names."""


def model_name(name: str) -> str:
    """A valid model name that is similar to `name`."""
    letters = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:MAX_NAME_LENGTH].strip("_") or "model"
    try:
        check_model_name(letters)
    except InputError:
        return f"m_{letters}"[:MAX_NAME_LENGTH]
    return letters


def is_other_file(name: str) -> bool:
    """Whether NAME.h or NAME.json would be another header, or another file of the output folder."""
    return is_header(name) or name.lower() in OUTPUT_FILES


def check_model_name(name: str) -> None:
    """Raise `InputError` for a model name that is not a valid prefix of C functions.

    Also raise it if the header of the model would have the name of another header, and would hide that header.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or len(name) > MAX_NAME_LENGTH:
        raise InputError(
            f"--name: expected at most {MAX_NAME_LENGTH} letters of A-Z, digits and _, a letter first, got '{name}'"
        )
    if name in RESERVED or name.lower().startswith("tm_"):
        raise InputError(f"--name: '{name}' is a name of C or of the runtime")
    if name.lower() in OUTPUT_FILES:
        raise InputError(f"--name: '{name}.json' is another file of the output folder: choose another name")
    if is_header(name):
        raise InputError(
            f"--name: '{name}.h' is a header of the compiler, of Arduino or of its libraries, which the model's would "
            "hide: choose another name"
        )


def argument_name(hint: str | None) -> str:
    """The name of the argument of a public function, which resembles `hint`.

    Names in capitals may be macros of the user's program, which includes the header of the model: `INPUT` and `A0` of
    Arduino, or the register `ADC`. They become `X`.
    """
    return "X" if hint is None or not re.search(r"[a-z]", hint) else hint


def identifier(hint: str) -> str:
    """A C identifier that resembles `hint`. It is never a reserved word or a name of the runtime (tm_, TM_)."""
    # xDSL numbers equal hints when it prints them; stripping the numbers keeps names stable across print and parse.
    name = re.sub(r"(_\d+)+$", "", re.sub(r"\W", "_", hint, flags=re.ASCII)).lstrip("_") or "value"
    if name in RESERVED or name[0].isdigit() or re.match(r"tm_", name, re.IGNORECASE):
        return f"v_{name}"
    return name


class Names:
    """The identifiers in nested scopes. An identifier differs from all others in its scope and in enclosing scopes.

    taken: names that are in use from the start.
    """

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)
        self._least: dict[str, int] = {}
        """For each base name, a number below which all suffixes are taken."""
        self._scopes: list[list[tuple[str, str, int]]] = [[]]
        """For each scope, its names with their base names and numbers."""

    def take(self, name: str) -> None:
        self._taken.add(name)

    def fresh(self, hint: str) -> str:
        """A new identifier that resembles `hint`. It remains in use until the innermost scope ends."""
        base = identifier(hint)
        number = self._least.get(base, 0)
        while (name := f"{base}_{number}" if number else base) in self._taken:
            number += 1
        self._least[base] = number + 1
        self._taken.add(name)
        self._scopes[-1].append((name, base, number))
        return name

    @contextmanager
    def scope(self) -> Generator[None]:
        """A context that represents a nested scope. At its end, the names of the scope are no longer in use."""
        self._scopes.append([])
        yield
        for name, base, number in self._scopes.pop():
            self._taken.remove(name)
            self._least[base] = min(self._least[base], number)
