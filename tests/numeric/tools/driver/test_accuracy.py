"""The accuracy that the repository's trained models lose with 8 and 16 bits, measured on test data. Scales are
determined on validation data.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.paths import MODELS
from programs.spread import spread_product

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.model.data import load_data
from tinyml.tools.driver.measure import accuracy
from tinyml.tools.driver.stages import load_program


def points_lost(model: Path, width: int) -> float:
    """The loss of accuracy on the test set in percentage points."""
    ctx = context()
    reals = load_program(model, ctx)
    formats = reals.clone()
    options = {"data": str(model.parent / "val.npz"), "width": width}
    pipelines.run(formats, ctx, pipelines.flatten("reals-to-formats", options))
    found = accuracy(reals, formats, load_data(str(model.parent / "test.npz")))
    assert found.reals is not None
    assert found.formats is not None
    return found.reals - found.formats


@pytest.mark.long
@pytest.mark.parametrize(("model", "limit"), spread_product(3, MODELS, [(8, 1.0), (16, 0.1)]))
def test_points_lost(model: str, limit: tuple[int, float]) -> None:
    width, most = limit
    assert points_lost(MODELS[model], width) <= most
