"""The Python API: its files and results equal those of the command line and of boards."""

from __future__ import annotations

import gc
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.paths import ROOT
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.package_metadata import LICENCE_LINE
from tinyml.dialects.tdsl.interface import update_interface
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"
LABELS = ["down", "up"]


def data() -> tuple[np.ndarray, np.ndarray]:
    with np.load(TOUR / "val.npz") as file:
        return file["x"], file["y"]


def labelled() -> ModuleOp:
    """The tour's program with class labels."""
    module = load_program(TOUR / "tour.sd", context())
    update_interface(module, classes=tuple(LABELS))
    return module


@pytest.fixture(scope="module")
def program() -> tinyml.Program:
    x, y = data()
    return tinyml.compile(tinyml.load(labelled()), x, np.array(LABELS)[y], width=8)


def test_predictions_are_labels(program: tinyml.Program):
    x, y = data()
    predicted = program.predict(x)
    assert program.classes == LABELS
    assert set(predicted) <= set(LABELS)
    assert program.score(x, np.array(LABELS)[y]) == pytest.approx((program.report.accuracy or 0) / 100)
    assert (np.array(LABELS)[program.scores(x).argmax(axis=1)] == predicted).all()
    assert (program.predict(x.tolist()) == predicted).all()


@pytest.mark.long
def test_scores_alone_are_right_where_that_of_the_class_is_greatest():
    """For a program that returns scores only, `score` counts a sample as right if its greatest score is that of its
    class.
    """
    file, x = ROOT / "tests/models/keras/mobile-int8.tflite", np.random.default_rng(0).normal(size=(20, 8, 8, 3))
    program = tinyml.compile(file, board="host")
    greatest = program.scores(x).argmax(axis=1)
    assert program.score(x, greatest) == 1
    assert program.score(x, 1 - greatest) == 0
    assert program.score(x, greatest[:, None]) == 1
    x, y = data()
    named = tinyml.compile(tinyml.load(labelled()), x, np.array(LABELS)[y], width=8, board="host", outputs="scores")
    assert named.score(x, np.array(LABELS)[y]) == (named.scores(x).argmax(axis=1) == y).mean()
    assert named.score(x, y) == named.score(x, np.array(LABELS)[y])


@pytest.mark.long
def test_the_board_computes_what_is_predicted(program: tinyml.Program):
    x, _ = data()
    figures = program.measure(x, limit=3)
    assert (figures.board, figures.samples, figures.unit) == ("uno", 3, "cycles")
    assert figures.time == pytest.approx(program.report.time_per_inference, rel=0.1)
    assert (figures.flash_bytes, figures.ram_bytes) == (program.report.flash_bytes, program.report.ram_bytes.total)
    assert program.measure(board="host").board == "host"


def test_it_shows_itself(program: tinyml.Program):
    assert repr(program) == "<tinyml.Program 'tour' for uno: fixed 8>"
    html = program._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<caption>tour</caption>" in html
    assert f"{program.report.flash_bytes:,} bytes" in html
    assert "% of 32,256" in html
    table = program.report._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.startswith(table)
    assert table.endswith("</table>")
    explanation = program.explain()
    assert "call and return" in str(explanation)
    assert explanation.figures["target"] == "uno"
    assert f"{explanation.figures['cycles_per_inference']:,.0f}" in explanation.text


def test_the_report_is_its_json(program: tinyml.Program, tmp_path: Path):
    written = json.loads((program.save(tmp_path / "out") / "report.json").read_text())
    assert written.pop("tinyml") == tinyml.__version__
    assert len(written.pop("files")) > 5
    assert program.report.as_json() == written
    assert tinyml.Report.of(written) == program.report
    assert program.report.schema == 2
    assert program.report.options["plan"] == "auto"


def comparable(folder: Path) -> dict[str, Any]:
    """The contents of a folder, without the duration of the compilation and without random names in pictures."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    found: dict[str, Any] = {
        str(path.relative_to(folder)): None if path.suffix == ".svg" else path.read_bytes() for path in files
    }
    report = json.loads(found.pop("report.json"))
    return found | {
        "report": {name: report[name] for name in report.keys() - {"seconds", "files", "model", "requested"}}
    }


@pytest.mark.long
def test_it_saves_what_the_command_writes(tmp_path: Path):
    x, y = data()
    program = tinyml.compile(TOUR / "tour.sd", x, y, width=8, row_scales=True)
    options = ["--width", "8", "--row-scales"]
    command = ["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "-o", str(tmp_path / "c")]
    assert main([*command, *options]) == 0
    saved = program.save(tmp_path / "saved")
    assert comparable(saved) == comparable(tmp_path / "c")
    assert (saved / "tour.c").read_text() == program.c
    assert (saved / "tour.h").read_text() == program.h
    generated = [path for path in saved.rglob("*") if path.suffix in (".c", ".h", ".ino")]
    assert len(generated) == 13
    assert all(LICENCE_LINE in path.read_text() for path in generated)
    # It may replace its own output, and nothing else.
    program.save(saved)
    (saved / "mine.txt").touch()
    with pytest.raises(tinyml.InputError, match=r"contains mine\.txt, not written by tinyml"):
        program.save(saved)
    shutil.copytree(TOUR, tmp_path / "model")
    other = tinyml.compile(tmp_path / "model/tour.sd", tmp_path / "model/val.npz", board="host")
    with pytest.raises(tinyml.InputError, match="contains the input"):
        other.save(tmp_path / "model")
    opened = tinyml.open(tmp_path / "c")
    assert opened.report.target == "uno"
    assert (opened.predict(x) == program.predict(x)).all()


@pytest.mark.long
def test_a_program_lives_as_long_as_its_object():
    x, _ = data()
    program = tinyml.compile(TOUR / "tour.sd", x, board="host")
    folder = program.folder
    assert folder.is_dir()
    del program
    gc.collect()
    assert not folder.exists()


def test_models_of_values_score_r_squared(tmp_path: Path):
    module = tmp_path / "line.sd"
    module.write_text("let X = (2, 1) in [-1.0, 1.0] in\nlet W = (1, 2) in [0.0, 1.0] in\nW * X\n")
    np.save(tmp_path / "W.npy", np.array([[0.5, -0.25]], np.float32))
    x = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    program = tinyml.compile(module, x, board="host")
    y = x @ [0.5, -0.25]
    assert program.predict(x).shape == (50,)
    assert np.abs(program.predict(x) - y).max() < 1e-3
    assert program.score(x, y) == pytest.approx(1, abs=1e-5)
    assert program.score(x, y[::-1]) < 0.5
    assert program.score(x, y[:, None]) == program.score(x, y)
    assert program.score(x, np.zeros(50)) == 0
    with pytest.raises(tinyml.InputError, match=r"^expected y to contain 50 numbers, got shape \(50, 2\)"):
        program.score(x, x)


def test_without_tools_nothing_is_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tinyml.runtime.devices.registry.is_available", "host".__eq__)
    x, y = data()
    program = tinyml.compile(TOUR / "tour.sd", x, y)
    assert program.report.flash_bytes is None
    assert program.report.fits is None
    with pytest.raises(tinyml.InputError, match="the simulator of uno is not installed: tinyml doctor"):
        program.measure()


def test_a_part_is_given_by_its_memories():
    x, y = data()
    program = tinyml.compile(TOUR / "tour.sd", x, y, board="attiny85", flash_size="4K", ram_size=256)
    assert program.report.target == "attiny85-4K-256"
    assert (program.report.flash_limit, program.report.ram_limit) == (4096, 256)
    assert program.report.fits


@pytest.mark.long
def test_nothing_is_printed_unless_asked(capsys: pytest.CaptureFixture[str]):
    x, _ = data()
    tinyml.compile(TOUR / "tour.sd", x, board="host")
    assert capsys.readouterr() == ("", "")
    tinyml.compile(TOUR / "tour.sd", x, board="host", verbose=True)
    assert "compiling" in capsys.readouterr().err


KEYWORDS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "misspelt": (
        {"widht": 8},
        TypeError,
        "compile() got an unexpected keyword argument 'widht', did you mean 'width'?",
    ),
    "the command line's": (
        {"target": "uno"},
        TypeError,
        "compile() got an unexpected keyword argument 'target', did you mean 'board'?",
    ),
    "unheard of": ({"colour": 8}, TypeError, "compile() got an unexpected keyword argument 'colour'"),
    "text": ({"width": "8"}, TypeError, "width: expected an integer, got str"),
    "truth": ({"width": True}, TypeError, "width: expected an integer, got bool"),
    "number": ({"row_scales": 1}, TypeError, "row_scales: expected True or False, got int"),
    "small": ({"width": 0}, tinyml.InputError, "width: expected a positive integer up to 9223372036854775807, got '0'"),
    "choice": ({"plan": "rowz"}, tinyml.InputError, "unknown plan 'rowz', did you mean 'rows'?"),
    "search": ({"search": "parreto"}, tinyml.InputError, "unknown search 'parreto', did you mean 'pareto'?"),
    "of a search": ({"cycles": 3}, tinyml.InputError, "cycles is an option of search"),
    "size": (
        {"flash_size": "512KB"},
        tinyml.InputError,
        "flash_size: expected a multiple of 16 bytes up to 256M, such as 65536, 512K or 2M, got '512KB'",
    ),
    "more than the part": ({"ram_size": 4096}, tinyml.InputError, "uno (atmega328p) has 32256 bytes of flash and 2048"),
    "list": ({"search": "demote", "widths": 8}, TypeError, "widths: expected a sequence, got int"),
    "items": ({"search": "demote", "widths": [8, "x"]}, tinyml.InputError, "widths: expected a positive integer"),
    "real": (
        {"search": "demote", "loss": float("nan")},
        tinyml.InputError,
        "loss: expected a number from 0 up, got 'nan'",
    ),
}


@pytest.mark.parametrize("name", KEYWORDS)
def test_wrong_keywords(name: str):
    keywords, kind, message = KEYWORDS[name]
    untyped: Callable[..., Any] = tinyml.compile
    with pytest.raises(kind) as raised:
        untyped(TOUR / "tour.sd", *data(), **keywords)
    assert str(raised.value).startswith(message)


@pytest.mark.long
def test_keywords_of_numpy_and_none_are_values():
    x, y = data()
    widths: Any = np.array([8, 16])
    searched = tinyml.compile(
        TOUR / "tour.sd", x, y, board="host", search="demote", widths=widths, jobs=1, loss=1, ram=None, resume=False
    )
    assert searched.report.search is not None
    assert searched.report.search["options"] == {"widths": [8, 16], "jobs": 1, "loss": 1.0, "resume": False}


def test_labels_that_the_model_does_not_have():
    x, y = data()
    model = tinyml.load(labelled())
    for wrong, said in (
        (["left"] * len(x), "y_val contains 'left' in sample 0, not one of the classes 'down', 'up'"),
        (np.full_like(y, 2), "y_val contains 2 in sample 0, the classes of the program are 0 to 1"),
    ):
        with pytest.raises(tinyml.InputError) as raised:
            tinyml.compile(model, x, wrong)
        assert str(raised.value) == said


@pytest.mark.long
def test_names_of_classes_are_an_option():
    """With the option `classes`, data may contain the names of classes or their indices. A wrong number of names is
    rejected, as are other names in the data.
    """
    x, y = data()
    options: dict[str, Any] = {"board": "host", "width": 8, "classes": ["left", "right"]}
    programs = [
        tinyml.compile(TOUR / "tour.sd", x, answers, **options) for answers in (y, np.array(["left", "right"])[y])
    ]
    assert programs[0].classes == ["left", "right"]
    assert set(programs[0].predict(x)) == {"left", "right"}
    assert programs[0].c == programs[1].c
    assert programs[0].report.accuracy == programs[1].report.accuracy is not None
    assert programs[0].report.options["classes"] == ["left", "right"]
    assert '"right"' in programs[0].h
    for classes, answers, message in (
        (["left"], y, "classes has 1 name, the model has 2 classes"),
        (["a", "b"], np.array(["left", "right"])[y], "y_val contains '"),
    ):
        with pytest.raises(tinyml.InputError) as raised:
            tinyml.compile(TOUR / "tour.sd", x, answers, board="host", width=8, classes=classes)
        assert str(raised.value).startswith(message)


@pytest.mark.parametrize("thing", [None, 3, [1, 2], object()])
def test_objects_that_are_no_model(thing: object):
    with pytest.raises(tinyml.InputError, match=r"^expected the path of a model .*, got an object of the class "):
        tinyml.load(thing)


@pytest.mark.long
def test_a_choice_names_the_call_that_replays_it():
    """The report contains the call of `tinyml.compile` that repeats the choice. Neither the report nor the call
    contains the name of a temporary file.
    """
    x, y = data()
    # The time from floats is a matter of concern where the clock of the board is unknown.
    with pytest.warns(tinyml.CompileWarning, match="pass the sensor's integers with input_unit"):
        program = tinyml.compile(tinyml.load(TOUR / "tour.sd").module, x, y, board="cortex-m0")
    report = program.report
    assert report.chosen is not None
    assert report.requested == {"format": "auto", "target": "cortex-m0", "val": "X_val, y_val"}
    assert report.chosen["command"].startswith("tinyml.compile(tour, X_val, y_val, format=")
    assert 'data="val.npz"' in report.chosen["pipeline"]
    names = {"tinyml": tinyml, "tour": tinyml.load(TOUR / "tour.sd").module, "X_val": x, "y_val": y}
    with pytest.warns(tinyml.CompileWarning):
        assert eval(report.chosen["command"], names).c == program.c
