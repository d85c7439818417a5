"""`search-weights`: stored bits are within the limit, and the loss is less than with one format for all constants."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from programs.paths import FILECHECK
from programs.searches import evaluation_of
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.codebook import CodebookType
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.midrise import MidriseType
from tinyml.dialects.formats.mxint import MxIntType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, tensor_classes
from tinyml.transforms.search import search_weights
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.search_weights import SearchWeightsPass

WEIGHTS: Any = search_weights
OTHERS = CodebookType.of_width(4), MxIntType.of_width(4)


def search_in(evaluation: Evaluation, others: Sequence[NumberFormat] = OTHERS) -> Search:
    evaluation.metric = "margin"
    return Search(evaluation, FixedType.of_width(16), [*map(FormatChoice, others)])


def bits_of(search: Search, choices: Sequence[FormatChoice]) -> float:
    """The mean number of bits for an element of the constants with more than one element, including bits that several
    elements share.
    """
    pairs = zip(search.classes, search.formats(choices), strict=True)
    constants = [(one.elements, format) for one, format in pairs if one.is_constant and one.elements > 1]
    stored = sum(elements * format.bits + format.shared_bits for elements, format in constants)
    return stored / sum(elements for elements, _ in constants)


@pytest.mark.long
def test_less_is_lost_than_by_codebooks_of_as_many_bits():
    with evaluation_of("protonn") as evaluation:
        search = search_in(evaluation)
        found = SearchWeightsPass("", weight_bits=4.5).search(search)
        codebook = FormatChoice(CodebookType.of_width(4))
        alike = [codebook if one.is_constant and one.elements >= 64 else FormatChoice(search.prototype)
                 for one in search.classes]  # fmt: skip
        assert bits_of(search, found.choices) <= 4.5
        assert found.loss < search.losses([alike])[0]


@pytest.mark.long
def test_lists_made_by_the_errors_of_margins_lose_less(monkeypatch: pytest.MonkeyPatch):
    with evaluation_of("protonn") as evaluation:
        search = search_in(evaluation)
        made = SearchWeightsPass("", weight_bits=3).search(search)
        monkeypatch.setattr(search_weights, "SYNTHESISED_BITS", 0)
        fitted = SearchWeightsPass("", weight_bits=3).search(search)
        assert bits_of(search, made.choices) <= 3
        assert any(choice.is_made for choice in made.choices)
        assert not any(choice.is_made for choice in fitted.choices)
        assert made.loss < fitted.loss


def test_a_wide_limit_changes_nothing_for_the_worse():
    with evaluation_of("protonn") as evaluation:
        search = search_in(evaluation, OTHERS[1:])
        [wide] = search.losses([search.uniform(search.prototype)])
        assert SearchWeightsPass("", weight_bits=16).search(search).loss <= wide


@pytest.mark.parametrize(
    ("format", "shared"),
    [
        (FixedType.of_width(8), 0),
        (CodebookType(3, 2, [-4, -1, 0, 2]), 4 * 16),
        (MxIntType.of_width(4), 0),
    ],
    ids=str,
)
def test_bits_that_elements_share(format: FixedType | CodebookType | MxIntType, shared: int):
    assert format.shared_bits == shared


@pytest.mark.long
def test_losses_below_zero_end(monkeypatch: pytest.MonkeyPatch):
    """The loss of a program that is more accurate than the model on reals is negative. The search ends even if all
    candidates have the same negative loss.
    """
    asked = 0

    def losses(search: Search, candidates: Sequence[Sequence[FormatChoice]], at_most: object = None) -> list[float]:
        nonlocal asked
        asked += 1
        assert asked < 200
        return [-1.0] * len(candidates)

    with evaluation_of("protonn") as evaluation:
        search = search_in(evaluation)
        monkeypatch.setattr(Search, "losses", losses)
        assert SearchWeightsPass("", weight_bits=4.5).search(search).loss == -1.0


MASKED = (FILECHECK / "transforms/formats/assign_format_masks.mlir").read_text()


def test_a_mask_has_a_format_with_0_and_computed_tensors_have_none_for_constants():
    [function] = defined_functions(Parser(context(), MASKED).parse_module())
    classes = {tensors.name: tensors for tensors in tensor_classes(function)}
    admitted = {
        name: [format for format in (MidriseType.of_width(1), *OTHERS) if tensors.admits(format)]
        for name, tensors in classes.items()
    }
    midrise, codebook, mxint = MidriseType.of_width(1), *OTHERS
    assert admitted["W"] == [midrise, codebook, mxint]
    assert admitted["m"] == [codebook, mxint]
    assert admitted["X"] == admitted["s"] == [format for format in OTHERS if format.CONSTANTS_FROM is None]


def narrowed(limit: float, *constants: Sequence[tuple[float, float]]) -> list[float]:
    """The bits of each constant of one element after `narrowed` within a limit.

    constants: for each constant, the bits and the losses of its options.
    """
    weights = WEIGHTS._Weights(SimpleNamespace(classes=[]), [], limit)
    weights.elements = len(constants)
    choice = FormatChoice(OTHERS[0])
    weights.options = {i: [WEIGHTS._Option(choice, *one) for one in options] for i, options in enumerate(constants)}
    return [option.bits for option in weights.narrowed().values()]


def test_what_adds_the_least_loss_for_a_bit_is_narrowed_first():
    """The constant whose narrower option adds the least loss for each saved bit is narrowed first, even if its loss was
    greater before. Of equal constants, the first one is narrowed.
    """
    high, low = [(8, 5.0), (4, 6.0)], [(8, 0.0), (4, 2.0)]
    assert narrowed(6, high, low) == [4, 8]
    assert narrowed(6, low, high) == [8, 4]
    # Both lose as much, one of them for fewer bits.
    assert narrowed(6, [(8, 0.0), (6, 2.0)], [(8, 0.0), (4, 2.0)]) == [8, 4]
    # Of two constants that add as much, the first one is narrowed.
    assert narrowed(6, low, low) == [4, 8]


def test_constants_just_within_the_limit_stay():
    options = [(8, 0.0), (4, 1.0)]
    assert narrowed(8, options, options) == [8, 8]
    assert narrowed(7.75, options, options) == [4, 8]
    assert narrowed(4, options, options) == [4, 4]
    with pytest.raises(InputError, match=r"constants take 4.00 bits an element at least, more than 3.99"):
        narrowed(3.99, options, options)
