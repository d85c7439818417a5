"""The behaviour of the commands: folders, reports, one-line errors."""

from __future__ import annotations

import json
import re
import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.compiled import some_samples
from programs.devices import need_tools
from programs.paths import MODELS, ROOT
from programs.spread import spread

from tinyml.lowering.options import PipelineOptions
from tinyml.targets.registry import board
from tinyml.tools.cli.arguments import add_options
from tinyml.tools.cli.arguments import given as given_options
from tinyml.tools.driver.request import Request, SearchRequest, search_options
from tinyml.tools.main import main
from tinyml.transforms.search.search_demote import SearchDemotePass

TOUR = ROOT / "docs/tour"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the tour's program that tests may damage."""
    return Path(shutil.copytree(TOUR, tmp_path / "model"))


def compile_(model: Path, out: Path, *options: str) -> int:
    return main(["compile", str(model / "tour.sd"), "--val", str(model / "val.npz"), "-o", str(out), *options])


@pytest.mark.long
def test_compile_writes_a_folder(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert compile_(model, out, "--target", "uno") == 0
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    levels = {"0-reals", "1-formats", "2-buffers", "3-loops", "4-bits", "5-c"}
    library = ["library.properties", "keywords.txt", "README.md", "LICENSE", "src/tour.c", "src/tour.h"]
    library += [f"examples/{name}/{name}.ino" for name in ("AnalogPins", "SelfTest", "Serial", "Stream")]
    project = ["CMakeLists.txt", "toolchain.cmake", "main.c", "samples.h", "tour.c", "tour.h"]
    assert files == {
        "tour.c",
        "tour.h",
        "tour.json",
        "report.json",
        "samples.npz",
        "report.html",
        "errors.npz",
        *(f"pictures/{name}.svg" for name in ("confusion", "errors", "memory", "time", "formats", "loops", "limits")),
        *(f"arduino/tour/{file}" for file in (*library, "examples/SelfTest/samples.h")),
        *(f"cmake/{file}" for file in project),
        *(f"ir/{level}.mlir" for level in levels),
    }
    report = json.loads((out / "report.json").read_text())
    assert report["fits"] is True
    assert report["samples"] == 32
    assert report["macs"] == 8
    assert report["ram_bytes"]["total"] == report["ram_bytes"]["static"] + report["ram_bytes"]["stack"]
    assert report["ram_bytes"]["static"] >= report["ram_bytes"]["arena"] + report["ram_bytes"]["input"]
    assert report["cycles_per_mac"] == round(report["cycles_per_inference"] / 8, 2)
    assert "tour" in capsys.readouterr().out


def test_a_stack_beyond_the_limit_is_reported(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Due has no cost table, so that the limit holds for arena and input only."""
    need_tools("due")

    def report(*options: str) -> dict[str, Any]:
        assert compile_(model, tmp_path / "out", "--target", "due", "--force", *options) == 0
        return json.loads((tmp_path / "out/report.json").read_text())

    free = report()
    ram = free["ram_bytes"]
    assert free["warnings"] == []
    limit = ram["arena"] + ram["input"]
    text = f"the RAM with the stack exceeds --ram by {ram['total'] - limit} bytes"
    assert [warning["text"] for warning in report("--ram", str(limit))["warnings"]] == [text]
    assert f"warning: {text}; reduce --ram by as many" in capsys.readouterr().out
    assert report("--ram", str(ram["total"]))["warnings"] == []
    # The stack of this computer says nothing about a board's.
    assert report("--target", "host", "--ram", str(limit))["warnings"] == []


@pytest.mark.long
def test_compile_states_the_errors_of_functions(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    errors: dict[str | None, float] = {}
    for scheme in (None, "seedot", "shiftry", "math"):
        options = ("--width", "16") if scheme is None else ("--functions", scheme)
        assert compile_(model, out, "--target", "host", *options) == 0
        [stated] = json.loads((out / "report.json").read_text())["functions"]
        assert (stated["function"], stated["scheme"]) == ("tanh", scheme)
        errors[scheme] = stated["error"]
        printed = f"tanh, {stated['argument']} -> {stated['result']}: error at most {stated['error']:.2g}"
        assert printed in capsys.readouterr().out
    assert errors[None] < 1e-4 < errors["shiftry"] < 1e-3 < errors["seedot"]


@pytest.mark.long
def test_compile_twice_gives_the_same_and_replaces(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert compile_(model, out, "--target", "host") == 0
    first = (out / "tour.c").read_text()
    assert compile_(model, out, "--target", "host") == 0
    assert (out / "tour.c").read_text() == first
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.long
@pytest.mark.parametrize("search", ["demote", "maxscale", "promote"])
def test_compile_searches(model: Path, tmp_path: Path, search: str, capsys: pytest.CaptureFixture[str]) -> None:
    searched(model, tmp_path / "out", search, capsys)


def searched(model: Path, out: Path, search: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The report of the model after compilation with a search."""
    assert compile_(model, out, "--search", search, "--jobs", "1", "--metric", "error") == 0
    whole = json.loads((out / "report.json").read_text())
    report = whole["search"]
    assert (report["name"], report["options"]) == (search, {"jobs": 1, "metric": "error"})
    assert report["candidates"] >= 1
    assert [one["name"] for one in report["tensors"]] == ["X", "W", "B", "matmul_sum", "H"]
    assert all(one["why"] and one["error"] >= 0 for one in report["tensors"])
    assert f"{search}: {report['candidates']} candidates" in capsys.readouterr().out
    return whole


@pytest.mark.long
@pytest.mark.parametrize("search", spread(["demote", "promote", "uniform", "maxscale", "by-size", "by-accuracy"], 2))
def test_a_search_keeps_to_the_flash_of_the_built_program(
    model: Path, tmp_path: Path, search: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes: list[int] = []
    for width in ("8", "16"):
        assert compile_(model, tmp_path / "out", "--width", width) == 0
        sizes.append(json.loads((tmp_path / "out" / "report.json").read_text())["flash_bytes"])
    assert sizes[0] < sizes[1]
    asked = ("--search", search, "--jobs", "1", "--metric", "error", "--widths", "8,16", "--flash")
    assert compile_(model, tmp_path / "out", *asked, str(sizes[1] - 1)) == 0
    assert json.loads((tmp_path / "out" / "report.json").read_text())["flash_bytes"] < sizes[1]
    capsys.readouterr()
    assert compile_(model, tmp_path / "small", *asked, "200") == 1
    [line] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error:")]
    assert "no program works in 200 bytes of flash" in line
    assert "the least that was found takes" in line
    assert not (tmp_path / "small").exists()


@pytest.mark.long
@pytest.mark.parametrize("search", spread(["demote", "promote"], 1))
def test_a_search_leaves_room_for_the_stack(model: Path, tmp_path: Path, search: str) -> None:
    """The program that a search finds is within the limit on RAM together with its stack. With the lower of two limits,
    the arena is smaller.
    """
    asked = ("--search", search, "--jobs", "1", "--metric", "error", "--widths", "8,16", "--ram")
    rams: list[int] = []
    for limit in (60, 24):
        assert compile_(model, tmp_path / "out", *asked, str(limit)) == 0
        ram = json.loads((tmp_path / "out" / "report.json").read_text())["ram_bytes"]
        assert ram["total"] <= limit
        rams.append(ram["static"])
    assert rams[1] < rams[0] < limit


@pytest.mark.long
def test_the_page_names_every_option_and_field(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    section = page.partition("\n## tinyml compile")[2].partition("\n## ")[0]
    with pytest.raises(SystemExit):
        main(["compile", "--help-all"])
    options = set(re.findall("--[a-z-]+", capsys.readouterr().out)) - {"--help", "--help-all"}
    assert options - set(re.findall("`(--[a-z-]+)", section)) == set()
    report = searched(model, tmp_path / "out", "pareto", capsys)
    search = report["search"]
    assert compile_(model, tmp_path / "auto", "--target", "uno") == 0
    chosen = json.loads((tmp_path / "auto/report.json").read_text())["chosen"]
    parts = [chosen, chosen["loss"], chosen["beside"]]
    parts += [report, search, search["tensors"][0], search["points"][0], report["functions"][0]]
    parts += [report[name] for name in ("ram_bytes", "memory", "estimate")]
    assert {field for part in parts for field in part} - set(re.findall("`([a-z_]+)`", section)) == set()


@given(
    st.floats(0, allow_infinity=False),
    st.text(st.characters(exclude_categories=["C"])),
    st.lists(st.integers(1, 32), min_size=1),
)
def test_options_of_searches_reach_the_pass(loss: float, journal: str, widths: list[int]) -> None:
    given = ["--loss", repr(loss), f"--journal={journal}", "--widths", ",".join(map(str, widths))]
    parser = ArgumentParser()
    add_options(parser, search_options())
    request = SearchRequest("demote", given_options(parser.parse_args(given), search_options()))
    search = request.search_pass(PipelineOptions(data="", pack_buffers=True, target="cortex-m4"))
    assert isinstance(search, SearchDemotePass)
    assert (search.loss, search.journal, search.widths) == (loss, journal, tuple(widths))
    assert (search.pack_buffers, search.target) == (True, "cortex-m4")


@pytest.mark.long
def test_limits_are_kept_with_the_usual_options(model: Path, tmp_path: Path) -> None:
    asked = ("--search", "demote", "--ram", "60", "--jobs", "1", "--metric", "error")
    assert compile_(model, tmp_path / "out", *asked, "--optimize", "Os", "--packed", "auto") == 0


@pytest.mark.long(seconds=5)
def test_weights_become_code_within_a_limit_on_flash(tmp_path: Path) -> None:
    program, out = MODELS["protonn"], tmp_path / "out"
    data = some_samples(program, tmp_path / "val.npz")
    reports: list[dict[str, Any]] = []
    search = ("--search", "pareto", "--widths", "8", "--effort", "1", "--jobs", "1")
    for options in (("--width", "8"), ("--width", "8", "--flash", "6000"), (*search, "--flash", "6000")):
        command = ["compile", str(program), "--val", str(data), "--target", "uno", "-o", str(out)]
        assert main([*command, *options]) == 0
        reports.append(json.loads((out / "report.json").read_text()))
    plain, *others = reports
    for coded in others:
        assert plain["flash_bytes"] < coded["flash_bytes"] <= 6000
        assert coded["cycles_per_inference"] < plain["cycles_per_inference"]
    # The points of a search are programs that spend flash.
    [chosen] = [point for point in others[-1]["search"]["points"] if point["chosen"]]
    assert plain["flash_bytes"] < chosen["flash"] <= 6000
    # A point's time is that of a call with floats.
    reading = others[-1]["estimate"]["cycles_of_reading"]
    assert chosen["time"] == pytest.approx(others[-1]["cycles_per_inference"] + reading, rel=0.01)


@pytest.mark.long
def test_flash_is_for_kernels_without_a_search(model: Path, tmp_path: Path) -> None:
    request = Request(model=model, out=tmp_path, flash=100)
    assert request.pipeline_options(board("cortex-m4")).flash == 100
    assert compile_(model, tmp_path / "out", "--target", "cortex-m4", "--flash", "100000") == 0


@pytest.mark.long
def test_run_compares_and_reports(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    compile_(model, out, "--width", "16")
    capsys.readouterr()
    command = ["run", str(out), "--data", str(model / "val.npz"), "--device", "uno", "--limit", "4"]
    assert main([*command, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["samples"] == 4
    assert result["mismatch"] is None
    assert result["cycles_per_inference"] > 0
    source = (out / "tour.c").read_text()
    (out / "tour.c").write_text(source.replace("12288", "2288"))
    assert main(command) == 1
    assert "tour.c: is not the C of ir/2-buffers.mlir" in capsys.readouterr().err.splitlines()[-1]


def damage(model: Path, what: str) -> None:
    match what:
        case "missing parameter":
            (model / "W.npy").unlink()
        case "misshapen parameter":
            np.save(model / "W.npy", np.zeros((3, 4), np.float32))
        case "NaN in a parameter":
            np.save(model / "W.npy", np.full((2, 4), np.nan, np.float32))
        case "infinity in the data":
            np.savez(model / "val.npz", x=np.full((2, 4), np.inf, np.float32), y=np.zeros(2, np.int64))
        case "empty data":
            np.savez(model / "val.npz", x=np.zeros((0, 4), np.float32), y=np.zeros(0, np.int64))
        case "wrong number of inputs":
            np.savez(model / "val.npz", x=np.zeros((2, 5), np.float32), y=np.zeros(2, np.int64))
        case "label out of range":
            np.savez(model / "val.npz", x=np.zeros((2, 4), np.float32), y=np.array([0, 2]))
        case "negative label":
            np.savez(model / "val.npz", x=np.zeros((2, 4), np.float32), y=np.array([0, -1]))
        case "missing data":
            (model / "val.npz").unlink()
        case "pickled data":
            np.savez(model / "val.npz", x=np.array([{}], object), y=np.zeros(1, np.int64))
        case "type error":
            (model / "tour.sd").write_text("let X = (4, 1) in [0.0, 1.0] in\nlet W = (2, 4) in [0.0, 1.0] in\nX * W\n")
        case "too large for the board":
            np.save(model / "W.npy", np.ones((3000, 4), np.float32))
            text = "let X = (4, 1) in [0.0, 1.0] in\nlet W = (3000, 4) in [0.0, 1.0] in\nargmax(W * X)\n"
            (model / "tour.sd").write_text(text)
        case _:
            raise AssertionError(what)


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("missing parameter", "tour.sd:3:9: "),
        ("misshapen parameter", "tour.sd:3:9: "),
        ("NaN in a parameter", "tour.sd:3:9: "),
        ("infinity in the data", "val.npz: `x` contains NaN or infinity in sample 0"),
        ("empty data", "val.npz: `x` contains no samples"),
        ("wrong number of inputs", "val.npz: samples of `x` have 5 values, the program expects 4"),
        ("label out of range", "val.npz: `y` contains 2 in sample 1, the classes of the program are 0 to 1"),
        ("negative label", "val.npz: `y` contains -1 in sample 1, the classes of the program are 0 to 1"),
        ("missing data", "val.npz: "),
        ("pickled data", "val.npz: not a readable .npz file of plain arrays"),
        ("type error", "tour.sd:3:"),
        ("too large for the board", "does not fit uno"),
    ],
)
def test_bad_input_is_one_line(
    what: str, said: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(model, what)
    out = tmp_path / "out"
    assert compile_(model, out) == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert said in errors[0]
    assert "Traceback" not in errors[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "toaster"], "unknown target 'toaster'"),
        (["--target", "z80"], "unknown target 'z80' (one of uno, nano, "),
        (["--format", "nonsense"], "unknown number format 'nonsense'"),
        (["--format", "f32", "--width", "16"], "f32 is 32 bits wide"),
        (["--width", "99"], "widths from 2 to 32"),
        (["--functions", "nobody's"], "format 'fixed' has no scheme 'nobody's' for functions"),
        (["--format", "f32", "--functions", "seedot"], "no scheme 'seedot' for functions (it has none)"),
        (["--search", "nonsense"], "unknown search 'nonsense' (one of by-accuracy, by-size, demote"),
        (["--search", "promote", "--loss", "1"], "the search 'promote' has no --loss"),
        (["--search", "promote", "--width", "8"], "use --widths instead of --width"),
        (
            ["--format", "posit", "--weights", "affine:8"],
            "--format posit has no products with --weights affine:8: it takes weights in codebook, fixed, midrise, "
            "minifloat, mxfp, mxint, posit, and --weights affine:8 goes with --format zeroskew",
        ),
        (["--search", "promote", "--weights", "toaster:99"], "omit --weights"),
        (["--search", "demote", "--ram", "60", "--packed", "never"], "leave out --packed never or the limits"),
        (
            ["--search", "pareto", "--flash", "3000", "--optimize", "O3"],
            "searches keep --flash only with --optimize Os",
        ),
        (
            ["--search", "pareto", "--cycles", "300", "--packed", "always"],
            "searches keep --cycles only with --packed auto",
        ),
        *((["--search", "demote", "--loss", x], f"from 0 up, got '{x}'") for x in ("nan", "inf", "-1", "x")),
        (["--search", "demote", "--widths", "8"], "expected the width of demoted tensors and that of others"),
        (["--search", "demote", "--resume", "--journal", "/"], "cannot open the journal"),
        (["--cycles", "100"], "--cycles is an option of --search"),
        (["--flash", "100"], "bytes of flash, --flash allows 100"),
        (["--flash", "100", "--target", "host"], "--flash is an option of --search: host has no kernels that need"),
        (["--flash", "0"], "argument --flash: expected a positive integer"),
        (["--loss", "1", "--width", "8"], "--loss needs --format auto"),
        (["--format", "auto", "--width", "8"], "--format auto sets --width itself"),
        (["--ram", "1"], "bytes of RAM, --ram allows 1"),
        (["--ram", "1", "--plan", "ordinary"], "bytes, --ram allows 1"),
    ],
)
def test_bad_options_are_one_line(
    options: list[str], said: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compile_(model, tmp_path / "out", *options) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: ")
    assert said in error


def test_foreign_folder_is_not_touched(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "precious.txt").write_text("mine")
    assert compile_(model, out) == 1
    assert "already exists and was not written by tinyml" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["precious.txt"]


def test_without_the_cross_compiler_the_model_is_compiled_all_the_same(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing_installed(device: str) -> bool:
        return False

    monkeypatch.setattr("tinyml.runtime.devices.registry.is_available", nothing_installed)
    out = tmp_path / "out"
    assert compile_(model, out) == 0
    report = json.loads((out / "report.json").read_text())
    assert report["flash_bytes"] is None
    assert report["fits"] is None
    assert "not installed" in capsys.readouterr().out


@pytest.mark.long
def test_the_report_says_who_packed_proved_and_checked(tmp_path: Path) -> None:
    """First fit needs more memory for this program than its peak of live bytes. The report states that exact cover
    computed and proved the packing, and that branch and bound checked it.
    """
    folder = ROOT / "tests/models/pytorch"
    with np.load(folder / "expected.npz") as data:
        np.savez(tmp_path / "val.npz", x=data["accelerometer_x"])
    command = ["compile", str(folder / "accelerometer-dynamo.onnx"), "--val", str(tmp_path / "val.npz")]
    assert main([*command, "--width", "8", "--target", "host", "-o", str(tmp_path / "out")]) == 0
    memory = json.loads((tmp_path / "out" / "report.json").read_text())["memory"]
    assert [memory[name] for name in ("packer", "proof", "checked")] == [
        "exact-cover",
        "exact-cover",
        "branch-and-bound",
    ]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "exact-cover packed it; proved by exact-cover, checked by branch-and-bound" in page
