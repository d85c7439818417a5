"""Epilogues for ARMv6-M requantise every sum as numpy does, on an emulated Cortex-M0+."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.printed import WARNING_FLAGS

from tinyml.dialects.machine.runtime_functions import requantize
from tinyml.runtime.devices.registry import Build, runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.coded_epilogues_armv6m import THIRDS_LIMIT, factor_words, requantised_from_words
from tinyml.targets.cortex_m.composer.fragments import ARMV6M, statement
from tinyml.targets.cortex_m.thumb import at

SumAndFactor: TypeAlias = tuple[int, int, int, int]
"""A sum, a multiplier, a shift to the right and a zero point."""

LIMITS = {True: THIRDS_LIMIT, False: 1 << 30}
"""The magnitude below which sums are requantised by thirds, and by halves."""

WORDS = 4
INTERFACE = Interface("epilogue", "int8_t", 4 * WORDS, "int8_t", 1, has_label=False)


@cache
def built(folder: Path, *, by_thirds: bool) -> Build:
    """A program with an epilogue. Its input consists of a sum, the two words of a factor, and a zero point; its output
    is the requantised byte.

    by_thirds: whether the epilogue multiplies by three parts of the multiplier instead of two halves.
    """
    function = statement(
        [
            *(t.push(("r4", "r5", "r6", "r7", "lr")), t.mov("r5", "r0"), t.mov("r7", "r1")),
            *(t.ldr("r0", at("r5")), t.ldr("r4", at("r5", 4 * WORDS - 4)), t.movs("r3", 0)),
            *requantised_from_words(4, at("r7"), by_thirds=by_thirds),
            t.pop(("r4", "r5", "r6", "r7", "pc")),
        ],
        ARMV6M,
    )
    (folder / "epilogue.h").write_text(
        f"#include <stdint.h>\n#define epilogue_INPUT_LENGTH {INTERFACE.input_length}\n"
        "#define epilogue_OUTPUT_LENGTH 1\n"
        "const int8_t *epilogue_scores(void);\nvoid epilogue_predict(const int8_t *X);\n"
    )
    (folder / "epilogue.c").write_text(
        f"""#include "epilogue.h"
#include <string.h>
static int8_t result;
__attribute__((naked, noinline)) static void finish(const int32_t *words __attribute__((unused)),
                                                    int8_t *out __attribute__((unused)))
{{
{function}
}}
const int8_t *epilogue_scores(void) {{ return &result; }}
void epilogue_predict(const int8_t *X)
{{
    int32_t words[{WORDS}];
    memcpy(words, X, sizeof words);
    finish(words, &result);
}}
"""
    )
    (folder / "build").mkdir()
    return runner_for("cortex-m0").build(folder, INTERFACE, folder / "build", "-O2", WARNING_FLAGS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    return {by_thirds: tmp_path_factory.mktemp("epilogue") for by_thirds in LIMITS}


def near(limit: int) -> st.SearchStrategy[SumAndFactor]:
    """Sums with a magnitude below a limit, including the greatest ones and sums of few bits, each with a random
    multiplier, shift and zero point.
    """
    ends = st.sampled_from([1 - limit, limit - 1, -1, 0, 1])
    sums = ends | st.integers(1 - limit, limit - 1) | st.integers(-9999, 9999)
    multipliers = st.sampled_from([1 << 30, (1 << 31) - 1]) | st.integers(1 << 30, (1 << 31) - 1)
    return st.tuples(sums, multipliers, st.integers(1, 31), st.integers(-128, 127))


@pytest.mark.long
@pytest.mark.parametrize("by_thirds", LIMITS)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_any_sum_is_requantised(folders: dict[bool, Path], by_thirds: bool, data: st.DataObject):
    drawn = data.draw(st.lists(near(LIMITS[by_thirds]), min_size=100, max_size=200))
    check(folders[by_thirds], drawn, by_thirds=by_thirds)


@pytest.mark.parametrize("by_thirds", LIMITS)
def test_the_greatest_and_least_numbers_are_requantised(folders: dict[bool, Path], by_thirds: bool):
    most = LIMITS[by_thirds] - 1
    sums = [-most, -most + 1, -3, -2, -1, 0, 1, 2, 3, most - 1, most]
    factors = [(multiplier, right) for multiplier in (1 << 30, (1 << 31) - 1) for right in (1, 2, 12, 20, 30, 31)]
    check(folders[by_thirds], [(sum, *factor, 0) for sum in sums for factor in factors], by_thirds=by_thirds)


def check(folder: Path, numbers: list[SumAndFactor], *, by_thirds: bool) -> None:
    """Assert that the requantised bytes of sums equal those of numpy.

    numbers: sums, each with a multiplier, a shift and a zero point.
    by_thirds: as in `built`.
    """
    words = np.array(
        [(sum, *factor_words(multiplier, right, by_thirds=by_thirds), zero) for sum, multiplier, right, zero in numbers]
    )
    inputs = words.astype("<i4").view(np.int8)
    scores = runner_for("cortex-m0").run(built(folder, by_thirds=by_thirds), INTERFACE, inputs).scores
    assert scores is not None
    sums, multipliers, rights, zeros = np.array(numbers).T
    finished = requantize(sums.astype(np.int32), multipliers.astype(np.int32), -rights.astype(np.int8))
    np.testing.assert_array_equal(scores[:, 0], np.clip(finished.astype(np.int64) + zeros, -128, 127))
