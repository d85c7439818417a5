"""The pages of the papers: no item is missing, rows show the commands that were run, and figures support the
verdicts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from measured import assertions
from measured import store as parts
from measured.assertions import NUMBER, Assertion, numbers_of, printed
from measured.paper_pages import (
    VERDICTS,
    is_kept,
    page_of,
    pictures,
    renewed,
    stored,
    values_of,
    with_summary,
    with_totals,
)
from measured.papers import PAPERS
from measured.papers.__main__ import check, chosen, run
from measured.rows import ByTests, Measured, Row, slug
from measured.store import Values

README = Path(__file__).parents[1] / "README.md"


def _numbered(kind: str, last: int, first: int = 1) -> list[str]:
    return [f"{kind} {number}" for number in range(first, last + 1)]


ITEMS: dict[str, list[str]] = {
    "seedot": [
        *_numbered("table", 1),
        *_numbered("figure", 13),
        *_numbered("algorithm", 2),
        *(
            "section 2.3",
            "section 3",
            "section 5.3",
            "section 5.3.1",
            "section 5.3.2",
            "section 6.2.1",
            "section 6.2.2",
        ),
        *("section 7", "section 7.2", "section 7.3.1", "section 7.4", "section 7.6.1", "section 7.6.2", "section 9"),
    ],
    "shiftry": [
        *_numbered("table", 4),
        *_numbered("figure", 12),
        *_numbered("pseudocode", 5),
        *_numbered("library", 9, 6),
        *_numbered("algorithm", 17, 10),
        *_numbered("pseudocode", 19, 18),
        *("section 2.2", "section 3", "section 4", "section 5.3", "section 5.4", "section 7", "section 7.1"),
        *("section 8.3", "section 8.5", "section 10", "appendix B"),
    ],
    "minun": [
        *_numbered("table", 11),
        *_numbered("figure", 9),
        *_numbered("procedure", 3),
        *_numbered("algorithm", 8, 4),
        *("section 2.1", "section 2.2", "section 3", "section 5.1", "section 5.2", "definition 1", "section 5.3"),
        *("section 7.7.1", "section 7.7.2", "section 9"),
    ],
    "pex": [
        *_numbered("table", 4),
        *_numbered("figure", 6),
        *_numbered("algorithm", 1),
        *(
            "definitions 1 to 9",
            "remark 4",
            "definition 11",
            "section 3.5",
            "section 4.2",
            "section 4.3",
            "section 4.4",
        ),
        *("appendix A", "appendix B", "appendix C", "appendix D"),
    ],
    "gural-murmann": [
        *_numbered("table", 2),
        *_numbered("figure", 13),
        *("claim 1", "claim 2", "lemma 3.1", "footnote 1", "section 3.4.1", "section 3.4.2", "section 3.4.3"),
        *("section 4.1", "section 4.2", "section 5.1", "section 5.2", "appendix A", "appendix B", "appendix C.1.1"),
        *("appendix C.1.2", "appendix C.2", "appendix C.3", "appendix C.4", "appendix C.5", "appendix D"),
        *("appendix D.3", "appendix E", "appendix F"),
    ],
    "msf-cnn": ["abstract", "published plans", "published times"],
    "tiny-deja-vu": ["abstract", "method", "pooling", "bfloat16"],
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_item_has_a_row(paper: str):
    """Every item of the paper has a row, or rows with different names for its parts."""
    names = [slug(row.item) for row in PAPERS[paper]]
    assert len(set(names)) == len(names)
    assert set(ITEMS[paper]) <= {row.item.partition(", ")[0] for row in PAPERS[paper]}


@pytest.mark.parametrize("paper", PAPERS)
def test_pages_are_current(paper: str, request: pytest.FixtureRequest):
    page = page_of(paper)
    before = page.read_text(encoding="utf-8")
    after = renewed(before)
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    else:
        assert after == before
    assert "<!-- paper:" in before


@pytest.mark.parametrize(
    ("page", "update", "mark"),
    [(README, with_totals, "<!-- totals of the papers -->"), (VERDICTS, with_summary, "<!-- verdicts -->")],
    ids=["readme", "verdicts"],
)
def test_verdicts_are_summed_up(
    page: Path, update: Callable[[str], str], mark: str, request: pytest.FixtureRequest
) -> None:
    before = page.read_text(encoding="utf-8")
    after = update(before)
    if request.config.getoption("--update-docs"):
        page.write_text(after, encoding="utf-8")
    else:
        assert after == before
    assert mark in before


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_were_run_by_the_commands_that_they_show(paper: str):
    """Figures were measured by the commands that their rows show, and satisfy the conditions of these rows. Rows that
    tests check need no figures, since the tests run in this suite.
    """
    kept = {row.item: row.command(paper) for row in PAPERS[paper] if is_kept(row)}
    entries = stored(paper)
    assert {item: entry["command"] for item, entry in entries.items()}.items() <= kept.items()
    assert all(entry["commit"] for entry in entries.values())
    for row in PAPERS[paper]:
        values = values_of(paper, row)
        if not row.is_open(values):
            assert values or not isinstance(row.run, Measured), row.item
            check(row, values)


ROWS = [(paper, row) for paper, rows in PAPERS.items() for row in rows]


@pytest.mark.parametrize(
    ("paper", "row"),
    [(paper, row) for paper, row in ROWS if isinstance(row.run, ByTests)],
    ids=lambda one: getattr(one, "item", one),
)
def test_rows_name_what_tests_assert(paper: str, row: Row):
    """A row that is checked by tests prints each asserted value, and the test contains this value."""
    assert isinstance(row.run, ByTests)
    for assertion in row.run.assertions:
        assert assertion.values, f"{assertion.test}: which value?"
        assert not assertion.missing(), assertion.test
        unprinted = [
            value for value in assertion.values if not printed(f"{row.title} {row.reports} {row.here} {row.why}", value)
        ]
        assert not unprinted, assertion.test


@pytest.mark.parametrize(
    ("paper", "row"),
    [(paper, row) for paper, row in ROWS if row.holds and not row.verdict.has_reason],
    ids=lambda one: getattr(one, "item", one),
)
def test_conditions_contain_what_the_paper_reports(paper: str, row: Row):
    """If the paper reports numbers, the condition for a successful verdict contains one of them, in its unit, in
    thousands or in millions.
    """
    assert row.holds is not None
    given = [number for number in row.holds.__defaults__ or () if isinstance(number, int | float)]
    numbers = {*numbers_of(row.holds.__code__), *given}
    held = {round(abs(number) / unit, 4) for number in numbers for unit in (1, 1000, 1e6)}
    reported = [float(number.replace(",", "")) for number in NUMBER.findall(row.reports)]
    assert not reported or any(round(value, 1) in {round(number, 1) for number in held} for value in reported)


def test_a_docstring_is_no_assertion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "test_example.py"
    file.write_text(
        'WIDTH = 3\n\n\ndef test_it():\n    """869 elements."""\n    # 915\n    assert WIDTH - 5 == -2, "in 12 bytes"\n'
    )
    monkeypatch.setattr(assertions, "TESTS", tmp_path)
    assert Assertion("test_example.py::test_it", (3, 5, -2, 12)).missing() == []
    assert Assertion("test_example.py::test_it", (869, 915, 2)).missing() == [869, 915]
    with pytest.raises(AssertionError, match="no test test_that"):
        Assertion("test_example.py::test_that", (3,)).missing()


@pytest.mark.parametrize("name", ["minun:section2.1", "pex:table4-mobilenet-v2", "gural-murmann:figure1"])
def test_rows_run_anew(name: str):
    [(paper, row)] = chosen([name])
    assert isinstance(row.run, Measured)
    found = run(row, None)
    check(row, found)
    assert found.items() <= stored(paper)[row.item].items()


def test_a_measurement_that_was_cut_off_goes_on_with_the_next_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parts, "PARTS", tmp_path / "papers")
    monkeypatch.setattr(parts, "head", lambda: "one")
    monkeypatch.setattr(parts, "is_current", "one".__eq__)
    begun: list[str] = []

    def length(part: str) -> Values:
        begun.append(part)
        if begun == ["a", "bb"]:
            raise KeyboardInterrupt
        return {"length": len(part)}

    with pytest.raises(KeyboardInterrupt):
        parts.by_parts("lengths", ["a", "bb", "ccc"], length)
    found = parts.by_parts("lengths", ["a", "bb", "ccc"], length)
    assert found == {"a": {"length": 1}, "bb": {"length": 2}, "ccc": {"length": 3}}
    assert begun == ["a", "bb", "bb", "ccc"]
    monkeypatch.setattr(parts, "is_current", "two".__eq__)
    parts.by_parts("lengths", ["a"], length)
    assert begun[4:] == ["a"], "another product measures anew"


def test_rows_are_chosen_by_names():
    assert [paper for paper, _ in chosen(["pex"])] == ["pex"] * len(PAPERS["pex"])
    parts = [row.item for _, row in chosen(["minun:table3"])]
    assert parts[0] == "table 3, classifiers"
    assert parts[1:3] == [f"table 3, {families} in posits alone" for families in ("ProtoNN and Bonsai", "FastGRNN")]
    assert parts[3:5] == ["table 3, 16 bits", "table 3, detectors"]
    assert parts[5:7] == ["table 3, detectors in posits", "table 3, detectors in 10 bits"]
    assert parts[7:] == ["table 3, Face-B in 10 and 12 bits"]
    with pytest.raises(SystemExit, match="no row is named minun:table33"):
        chosen(["pex", "minun:table33"])


def test_pictures_are_those_of_the_figures():
    assert pictures()
    for file, text in pictures().items():
        assert file.read_text(encoding="utf-8") == text
