"""The table of units on the page about sensors is generated from the units of the compiler."""

from __future__ import annotations

import re

import pytest
from programs.paths import ROOT

from tinyml.dialects.tdsl.sensor_units import UNITS

PAGE = ROOT / "docs/sensors.md"
TABLE = re.compile(r"(?s)(?<=<!-- table of units -->\n).*?(?=\n\n)")


def test_the_page_has_the_table(request: pytest.FixtureRequest) -> None:
    rows = ["| unit | raws | reals | parameter |", "|---|---|---|---|"]
    rows += [f"| `{row.name}` | {row.raws} | {row.trained} | {row.parameter or '-'} |" for row in UNITS]
    text = PAGE.read_text("utf-8")
    if request.config.getoption("--update-docs"):
        PAGE.write_text(text := TABLE.sub("\n".join(rows), text), "utf-8")
    assert TABLE.findall(text) == ["\n".join(rows)]
