"""Branches of the preprocessor for other chips are removed from C text. Branches whose condition does not depend only
on the chip remain.
"""

from __future__ import annotations

import pytest

from tinyml.targets.c.header_items import without_branches

TEXT = """\
first
/* Of another chip. */
#if {condition}
theirs
#elif defined(__AVR__) || \\
    defined(OWN)
own
#else
any
#endif
last
"""
OWN = ["#if defined(__AVR__) || \\", "    defined(OWN)", "own", "#else", "any", "#endif"]


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("defined(__ARM_FP)", ["first", *OWN, "last"]),
        ("defined(__riscv_flen) || (defined(__ARM_FP) && (__ARM_FP & 4))", ["first", *OWN, "last"]),
        ("defined __ARM_FP && X == 'M'", ["first", *OWN, "last"]),
        ("!defined(__ARM_FP)", ["first", "theirs", "last"]),
        ("defined(__x86_64__) || !defined(__ARM_FP)", ["first", "theirs", "last"]),
    ],
)
def test_decided_conditions_vanish(condition: str, kept: list[str]) -> None:
    text = TEXT.format(condition=condition)
    assert without_branches(text, ["__ARM_", "__riscv"]).split() == " ".join(kept).split()


@pytest.mark.parametrize(
    "condition", ["defined(__AVR__)", "!defined(X) || defined(__ARM_FP)", "__ARM_FP > 1L", "A == 2"]
)
def test_others_stay(condition: str) -> None:
    text = TEXT.format(condition=condition)
    assert without_branches(text, ["__ARM_", "__riscv"]) == text


def test_branches_in_branches() -> None:
    text = "#ifdef X\n#ifdef __ARM_FP\na\n#ifdef Y\nb\n#endif\n#else\nc\n#endif\n#ifndef __ARM_FP\nd\n#endif\n#endif\ne"
    assert without_branches(text, ["__ARM_"]) == "#ifdef X\nc\nd\n#endif\ne"


def test_a_branch_behind_an_undecided_one() -> None:
    text = "#ifdef X\na\n#elif !defined(__ARM_FP)\nb\n#else\nc\n#endif"
    assert without_branches(text, ["__ARM_"]) == "#ifdef X\na\n#else\nb\n#endif"
