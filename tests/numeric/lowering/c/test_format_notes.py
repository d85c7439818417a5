"""Generated comments about raws contain a formula for the real of every raw, or the name of the function that decodes
raws.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from programs.number_formats import FORMATS, raws_of
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.dialects.formats.minifloat import KINDS, MinifloatType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.lowering.c.format_notes import affine_format, describe_format

OTHERS = (
    *(MinifloatType(*kind, shift) for kinds in KINDS.values() for kind in kinds for shift in (None, -2, 5)),
    *(PositType(n, es).for_range(-3.0, 3.0) for n in (2, 3, 4, 6, 8, 10, 12) for es in range(4)),
)
OTHERWISE = ", whose real numbers f() returns"


def by_formula(text: str, raws: np.ndarray) -> np.ndarray:
    """The reals of raws, computed by the formula at the end of a description."""
    formula = re.fullmatch(r".*: real = (?:raw|\(raw ([+-]) (\d+)\)) \* (\S+)", text)
    assert formula is not None, text
    sign, count, unit = formula.groups()
    zero = 0 if sign is None else int(count) * (1 if sign == "-" else -1)
    factor = 2.0 ** int(unit[2:]) if unit.startswith("2^") else float(unit)
    return (raws.astype(np.float64) - zero) * factor


@pytest.mark.long
@pytest.mark.parametrize("format", [*FORMATS, *spread(OTHERS, 24)], ids=lambda format: str(format.type)[:40])
def test_a_formula_holds_for_every_raw(format: NumberFormat):
    text, raws = str(format.type), raws_of(format)
    described = describe_format(context(), text, OTHERWISE)
    affine = affine_format(context(), text)
    if described == text + OTHERWISE:
        # No line goes through all numbers.
        reals = format.decode(raws)
        slopes = np.diff(reals) / np.diff(raws.astype(np.float64))
        assert len(raws) < 3 or slopes.min() != slopes.max()
        assert affine is None
    elif format.dtype.kind == "f":
        assert described == text
    else:
        assert np.array_equal(by_formula(described, raws), format.decode(raws))
    if affine is not None:
        assert np.array_equal((raws - float(affine.zero)) * affine.unit, format.decode(raws))
        assert (affine.low, affine.high) == (raws.min(), raws.max())


def test_text_that_is_no_type_stays():
    assert describe_format(context(), "numbers, packed", OTHERWISE) == "numbers, packed"
