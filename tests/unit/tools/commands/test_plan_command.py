"""`tinyml plan`: tables and JSON, and errors for options out of range."""

import json
from pathlib import Path

import pytest
from programs.network_writer import NetworkWriter
from programs.paths import ROOT

from tinyml.tools.commands.actions.plan import PlannedProgram, print_front
from tinyml.tools.main import main
from tinyml.tools.reports.plots import can_draw

LENET = str(ROOT / "docs/schedules/lenet.mlir")


def test_the_plan_as_json(capsys: pytest.CaptureFixture[str]):
    assert main(["plan", LENET, "--mode", "rows", "--bits", "4", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["lower_bound"] == 392
    report = printed["rows"]
    assert report["bytes"] == 624
    assert report["extra_macs"] == 0
    assert max(segment["bytes"] for segment in report["segments"]) == 624
    assert report["segments"][0]["schedule"] == "streamed by rows"


def test_each_number_of_channels_at_once(capsys: pytest.CaptureFixture[str]):
    """For 1 to 32 channels at once, the plan states 544 bytes for input (144) and sums (400), plus 169 bytes for the
    slices of each channel (12 x 12 and 5 x 5).
    """
    assert main(["plan", str(ROOT / "docs/schedules/bottleneck.mlir"), "--mode", "partial-32", "--json"]) == 0
    several = json.loads(capsys.readouterr().out)["partial-32"]["channels_at_once"]
    assert [one["channels"] for one in several] == [1, 2, 4, 8, 16, 32]
    assert all(one["bytes"] == 544 + 169 * one["channels"] for one in several)
    assert all(one["turns"] == 3 * 32 // one["channels"] for one in several)
    assert all(one["sum_accesses"] == 2 * 100 * 32 // one["channels"] for one in several)


def test_reals_take_four_bytes(capsys: pytest.CaptureFixture[str]):
    assert main(["plan", LENET, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ordinary"]["bytes"] == 4 * 4320


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--mode", "columns"], "unknown mode 'columns' (one of ordinary, rows"),
        (["--bits", "0"], "argument --bits: expected a positive integer"),
        (["--front"], "lenet.mlir: choosing number formats needs data: add --val"),
        (["--front", "--target", "host"], "the target 'host' has no cost table"),
        (["--front", "--mode", "rows"], "argument --mode: not allowed with argument --front"),
        (["--front", "--picture", "front.pdf"], "front.pdf: a picture ends in .svg or .png"),
        (["--picture", "front.svg"], "--picture draws the result of --front or --mode: add one of them"),
        (["--extra", "-1"], "argument --extra: expected a positive integer"),
    ],
)
def test_options_out_of_range(arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", LENET, *arguments]) == 1
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


@pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")
def test_the_layers_of_two_plans_side_by_side(tmp_path: Path):
    picture = tmp_path / "layers.svg"
    assert main(["plan", LENET, "--bits", "8", "--mode", "partial-8", "--picture", str(picture)]) == 0
    drawn = picture.read_text()
    assert all(word in drawn for word in ("<!-- ordinary -->", "<!-- partial-8 -->", "<!-- 2.2 KB -->"))


@pytest.mark.long(seconds=5)
def test_the_front_of_the_programs_that_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    net = NetworkWriter((1, 7, 7, 1), 0)
    image = net.convolution(net.input, 6, 3)
    image = net.convolution(image, 6, 3)
    scores = net.mean(image)
    model = tmp_path / "wide.mlir"
    model.write_text(str(net.module(scores)))
    drawn = ["--picture", str(tmp_path / "front.svg")] if can_draw() else []
    assert main(["plan", str(model), "--front", "--target", "cortex-m4", "--json", *drawn]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["unit"] == "instructions"
    programs = report["programs"]
    for program in programs:
        better = [each for each in programs if each["ram"] <= program["ram"] and each["time"] <= program["time"]]
        # Of programs with the same figures, the first is marked.
        same = all((each["ram"], each["time"]) == (program["ram"], program["time"]) for each in better)
        assert program["best"] == (same and better[0] is program)
    options = [program["options"] for program in programs]
    assert "--plan ordinary" in options
    assert len({program["arena"] for program in programs}) > 2
    assert programs[0]["ram"] < programs[options.index("--plan ordinary")]["ram"]
    if drawn:
        picture = (tmp_path / "front.svg").read_text()
        assert "wide on cortex-m4" in picture
        assert all(option.split()[-1] in picture for option in options)
    # The options of a row lead to its program.
    asked = [*options[0].split(), "--reuse-input", "--target", "cortex-m4"]
    assert main(["compile", str(model), *asked, "-o", str(tmp_path / "out")]) == 0
    compiled = json.loads((tmp_path / "out/report.json").read_text())
    assert compiled["ram_bytes"]["arena"] == programs[0]["arena"]
    assert compiled["estimate"]["instructions_per_call"] == round(programs[0]["time"])
    capsys.readouterr()
    print_front([PlannedProgram(**program) for program in programs], "instructions")
    table = capsys.readouterr().out
    assert all(option in table for option in options)
