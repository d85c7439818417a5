"""The HTML pages of a program: their content is correct and accessible, and browsers load no other files for them."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.browser import needs_chromium, visit
from programs.paths import ROOT
from xdsl.parser import Parser

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.formats.number_format import number_format
from tinyml.targets.registry import board
from tinyml.tools.main import main
from tinyml.tools.reports.facts.answer_pictures import draw_wrong, image_shape, wrong_answers
from tinyml.tools.reports.facts.answers import confusion, wrong_samples
from tinyml.tools.reports.facts.figures import figures_of
from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.plain_terms import plain_format, plain_operation
from tinyml.tools.reports.pages.html import TEMPLATES, table
from tinyml.tools.reports.pages.report_page import report_page
from tinyml.tools.reports.svg import COLOURS, MIN_PICTURE_WIDTH, Drawing, picture_style

TOUR = ROOT / "docs/tour"
MOST_BYTES = 1_500_000

VOID = {"meta", "link", "br", "img", "hr", "input", "path", "rect", "line", "circle"}


def compiled(out: Path, *options: str) -> Path:
    command = ["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "-o", str(out), *options]
    assert main(command) == 0
    return out


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of the tour for the Uno in 16 bits, with all pages."""
    folder = compiled(tmp_path_factory.mktemp("pages") / "out", "--width", "16")
    first = (folder / "report.html").read_text("utf-8")
    assert "those of the cost model" in first
    assert main(["open", str(folder)]) == 0
    assert main(["open", str(folder), "--levels"]) == 0
    return folder


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("pages") / "searched", "--search", "pareto", "--effort", "4")


@pytest.fixture(scope="module")
def side_by_side(out: Path, searched: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = tmp_path_factory.mktemp("pages") / "compared.html"
    assert main(["compare", str(out), str(searched), "--page", str(page)]) == 0
    return page


@pytest.fixture(scope="module")
def pages(out: Path, searched: Path, side_by_side: Path) -> dict[str, Path]:
    return {
        "report": out / "report.html",
        "levels": out / "levels.html",
        "search": searched / "report.html",
        "compare": side_by_side,
    }


PAGES = ("report", "levels", "search", "compare")


class Outline(HTMLParser):
    """The structure of an HTML page: headings, anchors, addresses, and elements that lack required attributes."""

    def __init__(self, text: str):
        super().__init__()
        self.headings: list[int] = []
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.wrong: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names += [given["id"]] if "id" in given else []
        self.addresses += [given[name] for name in ("href", "src", "action", "data", "xlink:href") if name in given]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "svg" and not given.get("aria-label"):
            self.wrong.append("a picture without words")
        if given.get("tabindex") == "0" and not (given.get("aria-label") or given.get("aria-labelledby")):
            self.wrong.append(f"a {tag} that the keyboard reaches without a name")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(f"</{tag}> closes nothing")


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_loads_nothing(name: str, pages: dict[str, Path]) -> None:
    text = pages[name].read_text("utf-8")
    outline = Outline(text)
    assert (outline.wrong, outline.open) == ([], [])
    assert len(text.encode()) < MOST_BYTES
    assert all(address.startswith(("#", "data:")) for address in outline.addresses)
    assert not re.findall(r"@import|url\((?!#)|fetch\(|XMLHttpRequest|import\(", text)
    assert "default-src 'none'" in text
    assert outline.headings[0] == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(below - above <= 1 for above, below in steps)
    inside = {address[1:] for address in outline.addresses if address.startswith("#")}
    assert inside <= set(outline.names)


@pytest.mark.long
@needs_chromium
@pytest.mark.parametrize("name", ["search", "levels"])
def test_a_browser_finds_no_error(name: str, pages: dict[str, Path], tmp_path: Path) -> None:
    seen = visit(pages[name].as_uri(), tmp_path)
    assert (seen.errors, seen.requests) == ([], [])
    assert 'id="content"' in seen.document


@pytest.mark.long
@needs_chromium
def test_a_page_refuses_to_load(out: Path, tmp_path: Path) -> None:
    text = (out / "report.html").read_text("utf-8")
    damaged = tmp_path / "damaged.html"
    damaged.write_text(text.replace("<main", '<img alt="" src="http://localhost:9/"><main'), encoding="utf-8")
    folder = tmp_path / "browser"
    folder.mkdir()
    assert "Content Security Policy" in "".join(visit(damaged.as_uri(), folder).errors)


def test_a_report_shows_what_was_measured(out: Path) -> None:
    text, report = (out / "report.html").read_text("utf-8"), json.loads((out / "report.json").read_text())
    for section in ("answers", "memory", "time", "formats", "boards", "next"):
        assert f'<section id="{section}">' in text
    assert '<section id="loops" class="ir">' in text
    assert f"{report['cycles_per_inference']:,.0f}" in text
    assert f"{report['flash_bytes']:,} bytes" in text
    assert "matmul_sum(W, X, B)" in text
    shown = re.search(r"measured cycles: ([\d,]+) cycles, 100.0 %", text)
    assert shown is not None
    assert int(shown[1].replace(",", "")) == round(report["cycles_per_inference"])
    called = [line for line in (out / "tour.c").read_text().splitlines() if "tm_dot_s16_s16_s32" in line][-1].strip()
    assert called.partition("&")[0] in text
    # The flame chart's lines add up to the whole.
    lines = re.findall(r"<title>line \d+: [^<]*: ([\d,]+) cycles", (out / "pictures/time.svg").read_text())
    assert sum(int(line.replace(",", "")) for line in lines) <= round(report["cycles_per_inference"]) + len(lines)


BARS = 4
"""The features of the tour."""


def test_a_report_of_a_bad_program_begins_with_what_is_wrong(tmp_path: Path) -> None:
    """The page of a program that loses accuracy begins with this verdict, followed by warnings, figures and answers.
    Its tables and pictures show the stored errors.
    """
    out = compiled(tmp_path / "bad", "--width", "2")
    text, report = (out / "report.html").read_text("utf-8"), json.loads((out / "report.json").read_text())
    lost = report["accuracy_float"] - report["accuracy"]
    assert lost > 2
    verdict = f'<p class="verdict bad">It fits the board and loses {lost:.2f} points of accuracy.</p>'
    order = [text.index(part) for part in (verdict, '<section id="warnings">', '<dl class="figures">', 'id="answers"')]
    assert order == sorted(order)
    assert text.count("points of accuracy; --format auto finds formats that lose less") == 1
    found = report["confusion"]["compiled"]
    for label, row in enumerate(found):
        assert f'<td class="n">{100 * row[label] / sum(row):.1f}</td>' in text
    drawn = (out / "pictures/errors.svg").read_text()
    bars = [float(tall) for tall in re.findall(r'width="28" height="([\d.]+)" fill="#6f9bc8"', drawn)]
    with np.load(out / "errors.npz") as errors, np.load(TOUR / "val.npz") as data:
        assert np.array_equal(errors["least"].ravel(), data["x"].min(0).ravel().astype(np.float32))
        shares = (errors["x"].reshape(-1, BARS) - errors["least"].ravel()) / np.ptp(data["x"], 0).ravel()
    assert bars == pytest.approx(np.maximum(132 * shares, 2).ravel(), abs=0.1)


def test_a_report_speaks_plainly(out: Path) -> None:
    """Types and names of the IR occur only in tooltips, and in content that is hidden until the reader switches it
    on.
    """
    text = re.sub(r"<title>.*?</title>", "", (out / "report.html").read_text("utf-8"))
    shown = re.sub(r'<(t[hd]|section)[^>]* ?class="[^"]*\bir\b[^"]*".*?</\1>', "", text, flags=re.DOTALL)
    assert "16 bits, 15 after the point" in shown
    assert not re.search(r"!fixed|matmul_sum|tdsl", shown)
    assert "!fixed.q&lt;16, " in text


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("b = matmul(U1, H)", "b: weighted sums"),
        ("matmul_sum(_, _, _) #2", "weighted sums #2"),
        ("map(features, _)", "element by element of features"),
        ("global_pool(x, y)", "global pool"),
        ("call and return", "call and return"),
    ],
)
def test_operations_have_plain_names(name: str, plain: str) -> None:
    assert plain_operation(name) == plain


@pytest.mark.parametrize(
    ("type", "words"),
    [
        ("!fixed.q<8, 5>", "8 bits, 5 after the point"),
        ("!fixed.q<16, 0>", "16 bits, 0 after the point"),
        ("!fixed.q<8, -5>", "8 bits, steps of 32"),
        ("!posit.p<8, 2>", "posit, 8 bits"),
        ("f32", "floating point, 32 bits"),
        ("!mxint.b<8, 3, 4 of 4, [1]>", "8 bits, groups with scales of their own"),
    ],
)
def test_formats_have_plain_words(type: str, words: str) -> None:
    format = number_format(Parser(context(), type).parse_attribute())
    assert format is not None
    assert plain_format(format) == words


def test_pages_belong_to_the_folder(out: Path, tmp_path: Path) -> None:
    """A folder with pages counts as an output folder, which a compilation may replace, unless a page was changed."""
    program = tinyml.open(out)
    copy = program.save(tmp_path / "copy")
    again = (copy / "report.html").read_text("utf-8")
    assert main(["open", str(copy)]) == 0
    assert (copy / "report.html").read_text("utf-8") == again, "measured once"
    compiled(copy, "--width", "16")
    assert not (copy / "levels.html").exists()
    with (copy / "report.html").open("a") as page:
        page.write("changed")
    command = ["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "-o", str(copy)]
    assert main(command) == 1


def test_a_report_of_another_version_is_one_line(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tinyml.open(out).save(tmp_path / "copy")
    report = json.loads((copy / "report.json").read_text())
    del report["confusion"]
    (copy / "report.json").write_text(json.dumps(report))
    capsys.readouterr()
    assert main(["open", str(copy)]) == 1
    said = "the report is of another version of tinyml: compile the model again (it has no `confusion`)"
    assert capsys.readouterr().err == f"error: {copy / 'report.json'}: {said}\n"


@pytest.mark.long
def test_a_page_is_opened_only_as_it_was_written(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tinyml open` opens a page with measurements. It rejects a page that was changed, and a page of a program that
    has changed since the measurement.
    """
    shown: list[Path] = []
    monkeypatch.setattr("tinyml.tools.commands.actions.open.show", shown.append)
    copy = tinyml.open(out).save(tmp_path / "copy")
    page, source = copy / "report.html", copy / "tour.c"
    assert main(["open", str(copy)]) == 0
    assert shown == [page]
    measured, c = page.read_text("utf-8"), source.read_text("utf-8")
    for planted in ("<!-- measured --><script>alert(1)</script>", measured + "more"):
        page.write_text(planted, "utf-8")
        capsys.readouterr()
        assert main(["open", str(copy)]) == 1
        assert f"error: {page}: was changed or was not written by tinyml" in capsys.readouterr().err
        assert page.read_text("utf-8") == planted
    page.write_text(measured, "utf-8")
    source.write_text(c + "int more;", "utf-8")
    assert main(["open", str(copy)]) == 1
    assert "is not the C of ir/2-buffers.mlir" in capsys.readouterr().err
    source.write_text(c, "utf-8")
    assert main(["open", str(copy)]) == 0
    assert len(shown) == 2


WRONG: dict[str, Any] = {
    "accuracy": "97",
    "accuracy_float": None,
    "plan": ["rows"],
    "unit": "years",
    "time_source": "the stars",
    "flash_limit": "all",
    "flash_bytes": 10**30,
    "constants_bytes": 1.5e30,
    "cycles_per_inference": True,
    "name": 7,
    "packed": {"a": 1},
    "width": "16",
    "lines": [None],
    "warnings": [{"text": 3, "cure": "rest"}],
    "chosen": {"alternatives": [{"name": "a"}]},
    "segments": [[]],
    "ram_bytes": {"arena": -1, "input": 0, "static": 1, "stack": 1, "total": 1},
    "memory": {"map": "x"},
    "confusion": {"classes": ["a"], "float": [[1]], "compiled": [[1, 2]]},
    "regression": {"reals": None, "formats": {"r2": 1, "rmse": 0, "mae": 0}, "difference": 0},
    "estimate": {"cycles_per_inference": 1, "operations": [{"operation": "a", "cycles": None, "code_bytes": 1}]},
    "search": {"name": "pareto", "candidates": 1, "tensors": None, "points": 4},
    "functions": [{"function": "exp"}],
    "stream": [1],
}


@pytest.mark.long
@pytest.mark.parametrize("field", WRONG)
def test_a_report_with_other_types_is_one_line(
    out: Path, tmp_path: Path, field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A field of a wrong type in a report causes the same error of one line in every command that reads the report."""
    shutil.copytree(out, tmp_path / "copy")
    file = tmp_path / "copy/report.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), field: WRONG[field]}))
    data = str(TOUR / "val.npz")
    for command in (["open"], ["open", "--text"], ["open", "--levels"], ["run", "--data", data], ["compare", str(out)]):
        capsys.readouterr()
        assert main([*command, str(tmp_path / "copy")]) == 1
        *_, line = capsys.readouterr().err.splitlines()
        assert line.startswith(f"error: {file}: ")
        assert f"`{field}" in line or field == "unit"


def test_a_notebook_has_the_pictures(out: Path) -> None:
    program = tinyml.open(out)
    assert {"confusion", "formats", "limits", "loops", "memory", "time"} <= set(program.pictures)
    html = program._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count("<svg") == len(program.pictures)
    assert "<?xml" not in html


@pytest.mark.long
def test_a_figure_is_worded_alike_wherever_it_stands(
    out: Path, searched: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, report = tinyml.open(out), json.loads((out / "report.json").read_text())
    assert main(["compare", str(out), str(searched)]) == 0
    compared = capsys.readouterr().out
    notebook = program._repr_html_()  # pyright: ignore[reportPrivateUsage]
    texts = {
        "format": "fixed 16",
        "accuracy": f"{report['accuracy']:.2f} %",
        "time of an inference": f"{report['cycles_per_inference']:,.0f} cycles",
        "flash": f"{report['flash_bytes']:,} bytes",
        "RAM": f"{report['ram_bytes']['total']} bytes",
    }
    for name, text in texts.items():
        for shown in ((out / "report.html").read_text("utf-8"), notebook, compared):
            assert re.search(rf"\b{name}\W[^.]*?{text}", shown), name


def test_a_program_that_was_not_measured_shows_estimates(out: Path) -> None:
    measured = tinyml.open(out).report
    figures = figures_of(measured)
    assert (figures["estimated time"].value, figures["arena and input"].value) == (None, None)
    assert figures["flash"].note == f"{100 * (measured.flash_bytes or 0) / 32_256:.0f} % of 32,256"
    ram = replace(measured.ram_bytes, static=None, stack=None, total=None)
    unknown = replace(measured, flash_bytes=None, ram_bytes=ram, time_per_inference=None)
    figures = figures_of(unknown)
    assert measured.estimate is not None
    assert figures["estimated time"].text == f"{measured.estimate['cycles_per_inference']:,} cycles"
    assert figures["arena and input"].value == ram.arena + ram.input
    assert [figures[name].text for name in ("flash", "RAM", "time of an inference")] == ["-"] * 3


def test_a_regressor_has_errors_in_place_of_answers(out: Path) -> None:
    errors = {"reals": {"r2": 0.75, "rmse": 2.0, "mae": 1.0}, "formats": {"r2": 0.5, "rmse": 3.0, "mae": 1.5}}
    report = replace(tinyml.open(out).report, accuracy=None, regression={**errors, "difference": 0.1})
    figures = figures_of(report)
    assert (figures["R2"].text, figures["R2"].note) == ("0.5", "float model 0.75")
    assert (figures["accuracy"].value, figures["other answers"].value) == (None, None)
    page = report_page(PageFacts(report, board("uno"), [], [], []))
    assert all(f">{number}<" in page for number in ("0.5", "3", "1.5", "0.75", "2", "1"))


@pytest.mark.long
def test_two_programs_side_by_side(out: Path, searched: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(out), str(searched)]) == 0
    said = capsys.readouterr().out
    reports: list[dict[str, Any]] = [json.loads((folder / "report.json").read_text()) for folder in (out, searched)]
    for report in reports:
        assert f"{report['flash_bytes']:,}" in said
    # The name of a search stands in place of the width of the format.
    assert re.search(rf"\bwidth\W+16 bits\W+{reports[1]['width']} bits\b", said)
    assert main(["compare", str(out), str(out)]) == 0
    assert "Both need about the same time" in capsys.readouterr().out


def test_levels_are_linked(out: Path) -> None:
    """On the page of levels, a sum of products is linked from each level to the next, down to the instructions that
    call its kernel.
    """
    text = (out / "levels.html").read_text("utf-8")
    columns = text.split("<section")[1:]
    titles = [re.search(r"<h2[^>]*>([^<]*)", column) for column in columns]
    assert [title[1] for title in titles if title] == [
        "L0 reals",
        "L1 formats",
        "L2 buffers",
        "L3 loops",
        "L4 bits",
        "L5 C",
        "Assembly",
    ]
    number = re.search(r'data-s="(\d+)"[^>]*title="matmul_sum\(W, X, B\)"', text)
    assert number is not None
    wanted = {1: "tdsl.matmul_sum", 2: "tdsl.matmul_sum", 3: "num.dot", 5: "tm_dot_s16_s16_s32", 6: "call"}
    for column, word in wanted.items():
        lines = re.findall(rf'data-s="{number[1]}"[^>]*>(.*?)</(?:a|span)>', columns[column])
        assert any(word in line for line in lines), titles[column]
    # The tanh is no part of it anywhere.
    for column in columns:
        assert not any("num.tanh" in line for line in re.findall(rf'data-s="{number[1]}"[^>]*>(.*?)<', column))


def test_confusion_counts() -> None:
    wanted, reals, formats = np.array([0, 1, 2, 2]), np.array([0, 1, 2, 1]), np.array([0, 2, 2, 1])
    counted = confusion(wanted, reals, formats, ["a", "b", "c"])
    assert counted is not None
    assert counted["float"] == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert counted["compiled"] == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    assert wrong_samples(wanted, reals, formats).tolist() == [1, 3]
    assert confusion(np.array([99]), np.array([0]), np.array([0]), None) is None


def test_vectors_that_are_images_are_drawn_so() -> None:
    rows, columns = np.mgrid[:16, :16] / 16
    smooth = np.stack([np.sin(3 * rows + k) * np.cos(4 * columns) for k in range(5)]).reshape(5, 256)
    assert image_shape(smooth) == (16, 16)
    assert image_shape(np.random.default_rng(0).normal(size=(5, 256))) is None
    assert image_shape(smooth[:, :255]) is None
    assert image_shape(np.zeros((2, 32, 32, 3))) == (32, 32, 3)


@pytest.mark.parametrize(("width", "least"), [(300, 300), (960, MIN_PICTURE_WIDTH)])
def test_a_picture_on_a_narrow_screen_scrolls_rather_than_shrinks(width: int, least: int) -> None:
    """A picture has a maximum width of 100 %, and a minimum width, below which it scrolls. Pictures narrower than
    `MIN_PICTURE_WIDTH` have their own width as minimum.
    """
    assert f'style="max-width:100%;min-width:{least}px;' in Drawing(width, 10).inline()


def luminance(colour: str) -> float:
    """The relative luminance of `#rgb` or `#rrggbb` (WCAG 2.2)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_text_stands_out_in_both_themes() -> None:
    """In the light and the dark theme, the contrast between text and background is at least 4.5, as level AA of WCAG
    2.2 requires.
    """
    style = (TEMPLATES / "page.css").read_text("utf-8")
    themes = [dict(re.findall(r"--(\w+): (#\w+)", block)) for block in re.findall(r":root \{([^}]*)\}", style)]
    assert len(themes) == 2
    for theme in themes:
        for ink in ("ink", "soft", "link", "good", "bad"):
            assert contrast(theme[ink], theme["paper"]) >= 4.5
            assert contrast(theme[ink], theme["band"]) >= 4.5
    assert all(contrast("#000", colour) >= 4.5 for colour in COLOURS)
    light, dark = re.findall(r"-picture text\{(?:font[^}]*)?fill:(#\w+)\}", picture_style())
    papers = re.findall(r"\.paper\{fill:(#\w+)\}", picture_style())
    assert contrast(light, papers[0]) >= 4.5
    assert contrast(dark, papers[1]) >= 4.5


def test_missing_features_have_no_bar() -> None:
    """The picture of wrong answers shows no bar for a feature that is missing in a sample, nor for a feature that is
    missing in all samples.
    """
    x = np.array([[1.0, np.nan, np.nan], [2.0, 3.0, np.nan]])
    arrays = {"sample": np.array([0, 1]), "x": x, "float": np.array([0, 1]), "compiled": np.array([1, 0])}
    arrays |= {"least": np.fmin.reduce(x), "greatest": np.fmax.reduce(x)}
    drawn = str(draw_wrong(wrong_answers(arrays), None).finished())
    assert "nan" not in drawn
    assert drawn.count("feature 1: ") == 1
    assert "feature 2: " not in drawn


def test_columns_of_long_texts_do_not_become_tall() -> None:
    """Columns with long texts have a minimum width, and the table scrolls in its own box."""
    shown = table(("name", "bytes", "why"), [("a", 1, "one that is long enough to wrap on a telephone")], caption="c")
    assert '<div class="wide"' in shown
    assert '<th scope="row">a</th><td class="n">1</td><td class="t">one that' in shown
