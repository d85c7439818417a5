"""In Python, warnings and reports use the names of keyword arguments, and a printed report is the table of the
command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from programs.estimators import halves, sk
from programs.paths import ROOT

import tinyml
from tinyml.tools.api.arguments import in_python
from tinyml.tools.main import main


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--loss 0.8 admits fixed 8: 43 cycles", "loss=0.8 admits fixed 8: 43 cycles"),
        ("choose a larger board or a larger --loss", "choose a larger board or a larger loss"),
        ("--outputs class omits it", "outputs='class' omits it"),
        ("(--format fixed --width 8 --row-scales)", "(format='fixed', width=8, row_scales=True)"),
        ("--format finds it, --format auto decides", "format finds it, format='auto' decides"),
        ("--weights fixed:8, or --width 8, have sums", "weights='fixed:8', or width=8, have sums"),
        ("--search pareto gives", "search='pareto' gives"),
        ("--val has 5 samples, --test more; give --val VAL.npz", "X_val has 5 samples, X_test more; give X_val"),
        ("--quantization anew chooses on --val", "quantization='anew' chooses on X_val"),
        ("a dash -- and minus -2", "a dash -- and minus -2"),
        ("give --epochs 3", "give epochs=3"),
        ("print it with mlir-opt --mlir-print-op-generic", "print it with mlir-opt --mlir-print-op-generic"),
        ("mlir-opt --format x, or give --width 8", "mlir-opt --format x, or give width=8"),
        ("pip install --upgrade torch; then --format auto", "pip install --upgrade torch; then format='auto'"),
        ("--package platformio: pico2; --package takes", "packages=['platformio']: pico2; packages takes"),
        ("--max-elements raises the limit", "--max-elements raises the limit"),
    ],
)
def test_options_are_arguments(line: str, said: str):
    assert in_python(line) == said


TOUR = ROOT / "docs/tour"


def model() -> tuple[Any, Any, Any]:
    half = halves("cancer")
    return sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression()).fit(half.x, half.y), half.held_x, half.held_y


def test_a_fault_of_the_data_is_a_warning():
    estimator, x, y = model()
    twice = estimator[0].transform(x)
    with pytest.warns(tinyml.CompileWarning) as caught:
        program = tinyml.compile(estimator, twice, y, board="host", format="fixed", width=8)
    assert {warning.filename for warning in caught} == {__file__}
    messages = [str(warning.message) for warning in caught]
    assert messages[0].startswith("X_val: the float model is right about ")
    assert messages == [f"{each['text']}; {each['cure']}" for each in program.report.warnings]
    assert not any("--" in message for message in messages)


@pytest.mark.long
def test_a_printed_report_is_what_the_command_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, data = TOUR / "tour.sd", TOUR / "val.npz"
    assert main(["compile", str(model), "--val", str(data), "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out.removesuffix(f"Wrote {tmp_path / 'out'}\n").rstrip()
    printed = str(tinyml.compile(model, data).report)
    assert printed == in_python(said) == str(tinyml.open(tmp_path / "out").report)
    assert "Chosen: fixed 8 (format='fixed', width=8); " in printed
    assert "Chosen: fixed 8 (--format fixed --width 8); " in said
