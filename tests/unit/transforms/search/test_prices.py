"""The costs of candidates are computed from results that programs share. They equal the costs of each program computed
separately.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from programs.searches import evaluation_of
from programs.spread import spread

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.ir.cost.demand import arena_and_input
from tinyml.transforms.ir.pipeline_names import (
    BUFFERS_TO_LOOPS,
    ESTIMATE_COST,
    TO_BUFFERS,
    LoweringPasses,
    registered_pass,
)
from tinyml.transforms.search.engine.search import Search

WIDTHS = (4, 6, 8, 10, 12, 16)
LIMITS = (None, 1000, 6000)
"""Bytes of flash: no spending, no room for it, and room."""

CASES = [*product(("protonn", "fastgrnn", "network", "bonsai"), range(63))]


TILED_BY_FORMATS = "network", 13
"""Two candidates of equal widths in memory, whose formats have kernels for different numbers of windows at once."""


@pytest.mark.long
@pytest.mark.parametrize(("model", "seed"), dict.fromkeys([*spread(CASES, 3), TILED_BY_FORMATS]))
def test_a_price_is_that_of_the_whole_program(model: str, seed: int):
    """The memory and the cost of a candidate equal those of its whole program, also if they are computed after another
    candidate that differs in a few tensors.
    """
    random = Random(seed)
    with evaluation_of(model) as evaluation:
        search = Search(evaluation, FixedType.of_width(8))
        first = [FormatChoice(FixedType.of_width(random.choice(WIDTHS))) for _ in search.classes]
        second = [FormatChoice(FixedType.of_width(8), 1) if random.random() < 0.1 else choice for choice in first]
        for choices in (first, second):
            formats = search.formats(choices)
            for flash in LIMITS:
                options = {"target": "uno", "flash": flash}
                whole, _ = evaluation.evaluator.candidates.in_formats(formats)
                LoweringPasses(TO_BUFFERS, **options).apply(whole)
                assert search.memory(formats) == arena_and_input(whole)
                LoweringPasses((BUFFERS_TO_LOOPS,), **options).apply(whole)
                expected = registered_pass(ESTIMATE_COST, target="uno").cost(whole)
                assert search.costs("uno", flash).estimated(formats) == expected
