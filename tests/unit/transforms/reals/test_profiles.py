"""Profiles of tensors in long loops take bounded memory."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.seedot.importer import import_seedot
from tinyml.transforms.reals.analysis import profiles
from tinyml.transforms.reals.analysis.profiles import record_profiles

LOOP = "let X = (4, 1) in [-1.0, 1.0] in\nlet h = X in loop(i = [0:100], h) let h = tanh(h) in h"


def profile_of_loop(inputs: NDArray[np.float64]) -> tdsl.Profile:
    module = import_seedot(LOOP, "f.sd")
    record_profiles(module, inputs)
    [loop] = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    recorded = loop.attributes[tdsl.PROFILE]
    [profile] = cast("ArrayAttr[Attribute]", recorded)
    assert isinstance(profile, tdsl.Profile)
    return profile


def test_samples_of_long_loops_are_thinned(monkeypatch: pytest.MonkeyPatch):
    kept: list[int] = []
    concatenate = np.concatenate

    def count(arrays: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        kept.append(sum(map(len, arrays)))
        return concatenate(arrays)

    inputs = np.random.default_rng(0).uniform(-1, 1, (8, 4))
    whole = profile_of_loop(inputs)
    monkeypatch.setattr(profiles, "MOST_SAMPLED", 2048)
    monkeypatch.setattr(np, "concatenate", count)
    thinned = profile_of_loop(inputs)
    # The value in the loop and the one that the loop carries.
    assert max(kept) <= 2 * 2048 < 2 * 100 * inputs.size
    assert (thinned.low, thinned.high) == (whole.low, whole.high)
    actual, desired = ([value.data for value in profile.percentiles] for profile in (thinned, whole))
    np.testing.assert_allclose(actual, desired, atol=0.1)
