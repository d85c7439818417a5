"""The choices of `--format auto` satisfy its rule, are reproducible, and depend only on the model and the data."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.acceptance import qualifies
from programs.estimators import halves, sk
from programs.network_writer import NetworkWriter
from programs.paths import ROOT
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.targets.board import Board
from tinyml.targets.chip import Chip
from tinyml.tools.driver.choice.alternatives import considered
from tinyml.tools.driver.choice.choose import FASTER_RATIO
from tinyml.tools.main import main
from tinyml.tools.tinyml_opt import main as tinyml_opt
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.reals.scale_features import ScaleFeaturesPass


@pytest.fixture(autouse=True)
def without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ensure that no program is built, as on a computer without cross compilers."""
    monkeypatch.setenv("PATH", "")


def network(folder: Path, seed: int, scale: float = 1.0, hidden: int = 8, samples: int = 240) -> Path:
    """Write a random network with a hidden layer to `net.sd`, and its data to `val.npz` and `test.npz`. Return the
    path of `net.sd`.

    scale: the ratio of the greatest range of a feature to the least.
    """
    random = np.random.default_rng(seed)
    features, classes = 6, 3
    arrays = {"A": (hidden, features), "B": (hidden, 1), "C": (classes, hidden)}
    spread = np.geomspace(1, scale, features)
    for name, shape in arrays.items():
        values = random.standard_normal(shape)
        np.save(folder / f"{name}.npy", (values / spread if name == "A" else values).astype(np.float32))
    x = (random.standard_normal((2 * samples, features)) * spread).astype(np.float32)
    text = f"let X = ({features}, 1) in [{x.min():.3f}, {x.max():.3f}] in\n"
    for name, shape in arrays.items():
        weights = np.load(folder / f"{name}.npy")
        text += f"let {name} = {shape} in [{weights.min():.3f}, {weights.max():.3f}] in\n"
    (folder / "net.sd").write_text(f"{text}let H = tanh(A * X + B) in\nargmax(C * H)\n")
    a, b, c = (np.load(folder / f"{name}.npy") for name in arrays)
    y = (np.tanh(x @ a.T + b.T) @ c.T).argmax(1)
    np.savez(folder / "val.npz", x=x[:samples], y=y[:samples])
    np.savez(folder / "test.npz", x=x[samples:], y=y[samples:])
    return folder / "net.sd"


def compiled(model: Path, out: Path, *options: str) -> dict[str, Any]:
    data = ["--val", str(model.with_name("val.npz"))]
    assert main(["compile", str(model), *data, *options, "-o", str(out)]) == 0
    return json.loads((out / "report.json").read_text())


def source(out: Path) -> str:
    return (out / "net.c").read_text()


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any]]:
    """The path of a model, the output folder of the program that `auto` chooses for it, and the report of the
    program.
    """
    folder = tmp_path_factory.mktemp("auto")
    model = network(folder, 1)
    return model, folder / "out", compiled(model, folder / "out")


@pytest.mark.long(seconds=5)
def test_a_choice_replays(chosen: tuple[Path, Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    model, out, report = chosen
    command = shlex.split(report["chosen"]["command"])
    again = out.with_name("again")
    assert main([*command[1:-1], str(again)]) == 0
    assert source(again) == source(out)
    capsys.readouterr()
    pipeline = ["--pass-pipeline", report["chosen"]["pipeline"], "-t", f"c{{target={report['target']}}}"]
    assert tinyml_opt([str(model), *pipeline]) in (0, None)
    assert capsys.readouterr().out.strip() == source(out).strip()


@pytest.mark.long(seconds=20)
def test_a_choice_of_memory_replays(tmp_path: Path) -> None:
    """If `auto` moves the input into the arena or streams the network because RAM is short, the printed command repeats
    this choice.
    """
    model = network(tmp_path, 6, hidden=60)
    usual = compiled(model, tmp_path / "usual")["estimate"]["ram_bytes"]
    report = compiled(model, tmp_path / "small", "--ram", str(usual + 12))
    assert report["chosen"]["options"]["reuse_input"]
    assert report["ram_bytes"]["input"] == 0
    assert main([*shlex.split(report["chosen"]["command"])[1:-1], str(tmp_path / "again")]) == 0
    assert source(tmp_path / "again") == source(tmp_path / "small")
    net = NetworkWriter((1, 16, 16, 1), 0)
    image = net.convolution(net.input, 12, 3)
    image = net.convolution(image, 4, 3, strides=2)
    reals = net.module(net.mean(image))
    LiftToRealsPass().apply(context(), reals)
    (tmp_path / "network.mlir").write_text(str(reals))
    np.savez(tmp_path / "val.npz", x=np.random.default_rng(1).standard_normal((20, 256)).astype(np.float32))
    streamed = compiled(tmp_path / "network.mlir", tmp_path / "streamed")
    assert streamed["chosen"]["options"]["plan"] in ("pixels", "rows", "patches")
    assert streamed["estimate"]["ram_bytes"] <= streamed["ram_limit"]
    assert main([*shlex.split(streamed["chosen"]["command"])[1:-1], str(tmp_path / "network")]) == 0
    c_files = [(tmp_path / folder / "network.c").read_text() for folder in ("streamed", "network")]
    assert c_files[0] == c_files[1]


@pytest.mark.long
def test_a_choice_is_the_same_beside_cross_compilers_and_other_tests(
    chosen: tuple[Path, Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, out, report = chosen
    monkeypatch.undo()
    y = np.zeros(4, np.int64)
    np.savez(tmp_path / "test.npz", x=np.full((4, 6), 1e3, np.float32), y=y)
    beside = compiled(model, tmp_path / "out", "--test", str(tmp_path / "test.npz"))
    assert source(tmp_path / "out") == source(out)
    assert beside["accuracy"] != report["accuracy"]
    different = {"command"}
    assert {name: value for name, value in beside["chosen"].items() if name not in different} == {
        name: value for name, value in report["chosen"].items() if name not in different
    }


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("seed", [2, 3])
def test_a_choice_keeps_its_rule(tmp_path: Path, seed: int) -> None:
    """On random models whose features have different ranges, every alternative that is faster than the chosen one, or
    that was not estimated, has a verdict that excludes it.
    """
    model = network(tmp_path, seed, scale=10.0 ** (seed - 2))
    report = compiled(model, tmp_path / "out")
    chosen, rows = report["chosen"], report["chosen"]["alternatives"]
    [taken] = [row for row in rows if row["name"] == chosen["name"]]
    assert report["requested"]["format"] == "auto"
    assert report["estimate"]["flash_bytes"] <= report["flash_limit"]
    assert chosen["qualifies"] == (chosen["loss"]["points"] <= chosen["permitted_loss"])
    assert chosen["qualifies"] == all(warning["name"] != "unmet loss" for warning in report["warnings"])
    verdicts = {row["name"]: row["verdict"] for row in rows}
    for row in rows:
        if row["verdict"] == "considered only where no other fits":
            assert row["name"] in [one.name for one in considered() if one.compact]
        elif row["verdict"] == "considered only where no other keeps the loss":
            assert row["name"] in [one.name for one in considered() if one.last_resort]
            assert chosen["qualifies"]
        elif row["time"] is None:
            beside = row["verdict"].removeprefix("considered only where ").removesuffix(" is refused")
            assert not verdicts[beside].startswith("loses")
        elif row["time"] < FASTER_RATIO * taken["time"]:
            assert row["verdict"].startswith(("loses", "gains", "no loss", "changes", "weighed", "needs"))
            assert " at first" not in row["verdict"] or row["look"]["points"] > chosen["permitted_loss"]
    assert [line.partition(":")[0] for line in report["lines"] if "Estimated" not in line] == ["Chosen", "Next"]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(("seed", "narrow"), [(10, True), (9, False)])
def test_a_choice_is_no_slower_than_8_bits_that_qualify(tmp_path: Path, seed: int, narrow: bool) -> None:
    """The chosen program qualifies. If uniform 8-bit fixed point qualifies, the choice is not slower than it.

    narrow: whether uniform 8-bit fixed point qualifies.
    """
    model = network(tmp_path, seed, scale=1.0 if narrow else 4.0)
    auto = compiled(model, tmp_path / "auto", "--target", "cortex-m0")
    uniform = compiled(model, tmp_path / "8", "--target", "cortex-m0", "--width", "8", "--outputs", "class")
    time = "instructions_per_inference"
    assert qualifies(tmp_path / "8", tmp_path / "val.npz") == narrow
    assert qualifies(tmp_path / "auto", tmp_path / "val.npz")
    assert not narrow or auto["estimate"][time] <= uniform["estimate"][time]


@pytest.mark.long(seconds=5)
def test_acceptance_and_choice_judge_the_same_numbers(tmp_path: Path) -> None:
    """For a classifier of gestures, `auto` chooses 8-bit fixed point, and the test of acceptance agrees. Both compare
    classes by exact sums, as the program does; by rounded scores, 8 bits would lose too much.
    """
    model = ROOT / "examples/protonn-gesturepod/protonn_gesturepod.sd"
    report = compiled(model, tmp_path / "auto")
    assert report["chosen"]["name"] == "fixed 8"
    assert report["chosen"]["qualifies"]
    assert qualifies(tmp_path / "auto", model.with_name("val.npz"))


@pytest.mark.long(seconds=5)
def test_scales_of_features_come_first_where_they_spare_a_scaler(tmp_path: Path) -> None:
    """An alternative with feature scales is estimated at once for a model with a scaler. For a model without one, it is
    estimated only after the same format without feature scales is rejected, because feature scales change the
    caller's code.
    """
    model = network(tmp_path, 1)
    scaled = tmp_path / "scaled.sd"
    text = model.read_text().replace("let H = tanh(A * X", "let D = (6, 1) in [-1.0, 1.0] in\nlet H = tanh(A * (X - D)")
    scaled.write_text(text)
    np.save(tmp_path / "D.npy", np.linspace(-1, 1, 6, dtype=np.float32)[:, np.newaxis])
    for file, first in ((model, False), (scaled, True)):
        rows = compiled(file, tmp_path / file.stem)["chosen"]["alternatives"]
        times = {row["name"]: row["time"] for row in rows}
        assert (times["fixed 16, feature scales"] is not None) == first


@pytest.mark.long
def test_an_option_that_says_how_to_compute_decides(tmp_path: Path) -> None:
    model = network(tmp_path, 4)
    by_name = compiled(model, tmp_path / "named", "--format", "fixed")
    by_width = compiled(model, tmp_path / "wide", "--width", "16")
    assert source(tmp_path / "named") == source(tmp_path / "wide")
    assert by_name["chosen"] is by_width["chosen"] is None
    assert by_name["width"] == 16


@pytest.mark.long(seconds=10)
def test_a_limit_on_ram_counts_the_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = network(tmp_path, 5, hidden=60)
    asked = ["--reuse-input", "--width"]
    wide, narrow = (compiled(model, tmp_path / width, *asked, width) for width in ("16", "8"))
    needed = wide["estimate"]["ram_bytes"]
    assert needed > wide["ram_bytes"]["arena"] + wide["ram_bytes"]["input"]
    compiled(model, tmp_path / "16", *asked, "16", "--ram", str(needed))
    capsys.readouterr()
    command = ["compile", str(model), "--val", str(model.with_name("val.npz")), "-o", str(tmp_path / "small")]
    assert main([*command, *asked, "16", "--ram", str(needed - 1)]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert f"take {needed} bytes, --ram allows {needed - 1}" in said
    assert f"--format fixed --width 8 needs about {narrow['estimate']['ram_bytes']} bytes of RAM" in said
    assert not (tmp_path / "small").exists()


@pytest.mark.long
def test_what_does_not_fit_names_a_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "W.npy", np.ones((4, 4000), np.float32))
    (tmp_path / "net.sd").write_text(
        "let X = (4000, 1) in [0.0, 1.0] in\nlet W = (4, 4000) in [0.0, 1.0] in\nargmax(W * X)\n"
    )
    np.savez(tmp_path / "val.npz", x=np.eye(4, 4000, dtype=np.float32), y=np.zeros(4, np.int64))
    command = ["compile", str(tmp_path / "net.sd"), "--val", str(tmp_path / "val.npz"), "-o", str(tmp_path / "out")]
    assert main(command) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert "does not fit uno (atmega328p): needs 4," in said
    assert "the board has 2,048" in said
    assert "mega has 8,192 bytes of RAM" in said


@pytest.mark.long
@pytest.mark.parametrize("error", [InputError("has no scaler here"), KeyError("reshape")])
def test_an_alternative_that_fails_is_a_warning_with_its_reason(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: ScaleFeaturesPass, ctx: Context, op: ModuleOp) -> None:
        raise error

    monkeypatch.setattr(ScaleFeaturesPass, "apply", fail)
    report = compiled(network(tmp_path, 1), tmp_path / "out")
    [warning] = [warning for warning in report["warnings"] if warning["name"] == "alternatives"]
    rows = {row["name"]: row for row in report["chosen"]["alternatives"]}
    reason = "has no scaler here" if isinstance(error, InputError) else "KeyError: 'reshape'"
    failing = ("fixed 16, feature scales", "fixed 8, feature scales")
    for name in failing:
        assert rows[name]["time"] is None
        assert rows[name]["verdict"] == f"makes no program: {reason}"
    assert f"{', '.join(failing)} ({reason})" in warning["text"]


@pytest.mark.long
def test_an_alternative_with_too_many_constants_is_no_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[float] = []

    def check(self: Chip, total: float, board: Board, far: float = 0) -> None:
        checked.append(total)
        if len(checked) == 1:
            raise TooLargeError("has too many constants")

    monkeypatch.setattr(Chip, "check_constants", check)
    report = compiled(network(tmp_path, 1), tmp_path / "out")
    verdicts = {row["name"]: row["verdict"] for row in report["chosen"]["alternatives"]}
    assert verdicts["fixed 16"] == "makes no program: has too many constants"
    assert all(warning["name"] != "alternatives" for warning in report["warnings"])


@pytest.mark.long(seconds=5)
def test_scores_for_labels_are_those_of_a_classifier(tmp_path: Path) -> None:
    """A network that returns only scores is treated as a classifier if the data have labels."""
    net = NetworkWriter((1, 8, 8, 1), 0)
    image = net.convolution(net.input, 3, 3)
    reals = net.module(net.mean(image))
    LiftToRealsPass().apply(context(), reals)
    (tmp_path / "network.mlir").write_text(str(reals))
    x = np.random.default_rng(1).standard_normal((20, 64)).astype(np.float32)
    arrays: dict[str, Any] = {"x": x}
    for name in ("scores", "class"):
        if name == "class":
            arrays["y"] = np.arange(20) % 3
        np.savez(tmp_path / "val.npz", **arrays)
        assert compiled(tmp_path / "network.mlir", tmp_path / name)["outputs"] == name


def test_a_width_that_a_quantised_model_keeps_from_is_refused(
    chosen: tuple[Path, Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = chosen
    command = ["compile", str(out / "ir" / "1-formats.mlir"), "--width", "8", "-o", str(tmp_path / "out")]
    assert main(command) == 1
    assert "--width and --weights need --quantization anew" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def unlike_features(samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of six features whose units differ by up to six powers of ten, and the classes of the samples, of which
    there are three.
    """
    x = np.random.default_rng(seed).normal(size=(samples, 6))
    y = (x[:, 0] + x[:, 1] * x[:, 2] + 0.3 * x[:, 3] > 0).astype(int) + (x[:, 4] > 0.5)
    return x * [1e-3, 1, 1e3, 50, 0.1, 10], y


@pytest.mark.long(seconds=10)
def test_support_vectors_of_scaled_features_take_few_bits():
    """For a support vector machine with a scaler, `auto` chooses at most 16 bits and feature scales, and loses less
    than a point. Compilation with these options given explicitly also succeeds.
    """
    x, y = unlike_features(900, 0)
    model = sk.make_pipeline(sk.StandardScaler(), sk.SVC()).fit(x[:200], y[:200])
    program = tinyml.compile(model, x[200:500], y[200:500], board="uno", X_test=x[500:], y_test=y[500:])
    report = program.report
    assert (report.format, report.feature_scales) == ("fixed", True)
    assert report.width in (8, 16)
    assert report.accuracy_float is not None
    assert report.accuracy is not None
    assert report.accuracy > report.accuracy_float - 1
    tinyml.compile(model, x[200:500], y[200:500], board="uno", width=16, feature_scales=True)


@pytest.mark.long(seconds=5)
def test_where_the_bound_says_nothing_the_safer_program_is_taken():
    """For 45 samples, which are too few to rule out a loss of 0.5 points, `auto` chooses a program that changes no
    answer, and not one that happens to gain three points and changes six answers.
    """
    half = halves("wine")
    model = sk.KNeighborsClassifier().fit(half.x, half.y)
    report = tinyml.compile(model, half.held_x[:45], half.held_y[:45], board="uno").report
    assert report.chosen is not None
    loss = report.chosen["loss"]
    assert (loss["lost"], loss["gained"], report.disagreements) == (0, 0, 0)
    assert loss["bound"] == round(100 * (1 - 0.05 ** (1 / 45)), 4)
    # Of 598 samples without a loss, 0.995^598 is below 5 %; 45 samples are told once.
    said = "no answer changed; 45 samples cannot rule out 6.44 points: about 600 would rule out more than 0.5 points"
    assert report.lines[0].endswith(said)
    assert not any("45 samples" in line for line in report.lines[1:])
    # Whatever loses nothing is not said to gain or lose a negative number.
    assert not any("-0.00" in line or "loses -" in line for line in report.lines)
