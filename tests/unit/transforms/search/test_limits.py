"""Every search keeps limits on RAM and flash, and reports the least memory if nothing fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from programs.searches import evaluation_of

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.search_pass import LimitedPass
from tinyml.transforms.search.search_by_accuracy import SearchByAccuracyPass
from tinyml.transforms.search.search_by_size import SearchBySizePass
from tinyml.transforms.search.search_demote import SearchDemotePass
from tinyml.transforms.search.search_maxscale import SearchMaxscalePass
from tinyml.transforms.search.search_promote import SearchPromotePass
from tinyml.transforms.search.search_uniform import SearchUniformPass

WIDTHS = (8, 16)
SEARCHES = {
    "by accuracy": SearchByAccuracyPass,
    "by size": SearchBySizePass,
    "demote": SearchDemotePass,
    "maxscale": SearchMaxscalePass,
    "promote": SearchPromotePass,
    "uniform": SearchUniformPass,
}


@pytest.fixture(scope="module")
def search() -> Iterator[Search]:
    with evaluation_of("protonn", samples=40) as evaluation:
        yield Search(evaluation, FixedType.of_width(16), target="host")


def memory(search: Search, choices: Any) -> dict[str, int]:
    """The bytes of a program that are limited, by the name of the limit: `ram`, and for `flash` the bytes of constants,
    since the target has unknown costs.
    """
    formats = search.formats(choices)
    return {"ram": search.memory(formats), "flash": search.constant_bytes(formats)}


@pytest.fixture(scope="module")
def uniform(search: Search) -> list[dict[str, int]]:
    """The memory of the uniform programs of 8 and of 16 bits."""
    return [memory(search, search.uniform(FixedType.of_width(width))) for width in WIDTHS]


def made(name: str, **limits: int) -> Any:
    declared: type[LimitedPass] = SEARCHES[name]
    options: dict[str, Any] = {"metric": "disagreement", "widths": WIDTHS, "target": "host", **limits}
    return declared("", **options)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["ram", "flash"])
@pytest.mark.parametrize("name", SEARCHES)
def test_limits_are_kept(search: Search, uniform: list[dict[str, int]], name: str, kind: str):
    narrow, wide = uniform
    assert narrow[kind] < wide[kind]
    for limit in (narrow[kind], (narrow[kind] + wide[kind]) // 2, wide[kind]):
        assert memory(search, made(name, **{kind: limit}).search(search).choices)[kind] <= limit


@pytest.mark.parametrize("name", SEARCHES)
def test_both_limits_are_kept(search: Search, uniform: list[dict[str, int]], name: str):
    limits = {kind: uniform[0][kind] + 10 for kind in ("ram", "flash")}
    found = memory(search, made(name, **limits).search(search).choices)
    assert all(found[kind] <= limit for kind, limit in limits.items())


@pytest.mark.parametrize("name", SEARCHES)
def test_the_least_that_was_found_is_told(search: Search, uniform: list[dict[str, int]], name: str):
    narrow = uniform[0]
    cases = {
        ("flash",): f"{narrow['flash']:,} bytes of flash",
        ("ram",): f"{narrow['ram']:,} bytes of RAM",
        ("ram", "flash"): f"{narrow['ram']:,} bytes of RAM and {narrow['flash']:,} of flash",
    }
    for kinds, least in cases.items():
        with pytest.raises(InputError, match=re.escape(f": the least that was found takes {least}")) as error:
            made(name, **{kind: narrow[kind] - 1 for kind in kinds}).search(search)
        assert error.value.message.startswith(f"no program works in {narrow[kinds[0]] - 1:,} bytes of ")
