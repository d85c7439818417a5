"""Programs that process recordings part by part return the evaluator's results, on the host and on simulated boards."""

from __future__ import annotations

import json
import wave
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from interpreters.streams import evaluate_stream
from programs.devices import need_tools
from programs.network_writer import NetworkWriter
from programs.pushed_sums import running_sum
from xdsl.parser import Parser

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.tdsl.interface import InputInterface, update_interface
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import load_program, print_ir
from tinyml.tools.main import main
from tinyml.transforms.formats.stream_over_time import StreamOverTimePass

RATE = 8


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a program for an Uno that computes running sums of pairs of samples. It returns a result
    after the first three pairs, and then after every two.
    """
    folder = tmp_path_factory.mktemp("sums")
    module = Parser(context(), running_sum("sums", classifies=True)).parse_module()
    update_interface(module, input=InputInterface(rate=float(RATE)), classes=("left", "right"))
    (folder / "sums.mlir").write_text(str(module))
    compile_model(Request(model=folder / "sums.mlir", out=folder / "out", input="push", stride=2, target="uno"))
    return folder / "out"


def sound(samples: int) -> np.ndarray:
    return np.round(np.random.default_rng(5).normal(size=samples).clip(-3, 3) * 4000) / 32768


def by_steps(folder: Path, samples: np.ndarray) -> Outputs:
    """The evaluator's results of all steps, computed one step after another."""
    step = load_program(folder / "ir" / "1-formats.mlir", context())
    length = interface_of(step).input_length
    rows = np.pad(samples, (0, -len(samples) % length)).reshape(-1, length)
    raws = encode_inputs(step, rows).reshape(1, -1)[:, : len(samples)]
    StreamOverTimePass().apply(context(), step)
    answers = evaluate_stream(step, raws)
    return Outputs(
        np.concatenate([each.classes for each in answers]), np.concatenate([each.tensors[0] for each in answers])
    )


@pytest.mark.long
@pytest.mark.parametrize(("board", "count"), [("host", 38), ("host", 6), ("uno", 37), ("cortex-m4", 37), ("riscv", 37)])
def test_answers_are_those_of_the_evaluator(sums: Path, board: str, count: int):
    """Answers equal the evaluator's, for recordings that end after the first window, after a later part, or within a
    part.
    """
    need_tools(board)
    samples = sound(count)
    heard, expected = tinyml.open(sums).listen(samples, board=board), by_steps(sums, samples)
    assert heard.labels.tolist() == [["left", "right"][label] for label in expected.classes]
    np.testing.assert_array_equal(heard.scores * 64, expected.scores)
    np.testing.assert_array_equal(heard.times, (6 + 4 * np.arange(1 + (count - 6) // 4)) / RATE)


@pytest.mark.long
def test_windows_that_overlap_are_those_of_the_whole_program(tmp_path: Path):
    """For overlapping windows, the streaming program returns the results of the whole program. No state of the network
    persists from one window to the next.
    """
    net = NetworkWriter((1, 12, 3, 2), 3)
    image = net.pool(net.convolution(net.input, 4, 3, padding=(0, 0, 1, 1)))
    (tmp_path / "net.mlir").write_text(print_ir(net.module(net.mean(image))))
    request = Request(model=tmp_path / "net.mlir", out=tmp_path / "out", input="push", stride=6, target="host")
    compile_model(request)
    whole = load_program(tmp_path / "out/ir/1-formats.mlir", context())
    raws = np.random.default_rng(1).integers(-127, 128, 6 * 40 + 5).astype(np.int8)
    answers = answers_to(tmp_path / "out", interface_of(whole), raws, target="host", optimize="-O1")
    windows = np.lib.stride_tricks.sliding_window_view(raws, 72)[::36]
    np.testing.assert_array_equal(answers.outputs.scores, evaluate(whole, windows).scores)
    np.testing.assert_array_equal(answers.ends, 72 + 36 * np.arange(len(windows)))


def recording(file: Path, samples: np.ndarray, rate: int = RATE) -> Path:
    with wave.open(str(file), "wb") as to:
        to.setnchannels(1)
        to.setsampwidth(2)
        to.setframerate(rate)
        to.writeframes((samples * 32768).astype("<i2").tobytes())
    return file


@pytest.mark.long
def test_the_command(sums: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    samples = sound(46)
    file, picture = recording(tmp_path / "a.wav", samples), tmp_path / "a.svg"
    expected = by_steps(sums, samples).classes
    changes = np.flatnonzero(np.diff(expected, prepend=-1))
    assert main(["listen", str(sums), "--wav", str(file), "--picture", str(picture)]) == 0
    *lines, total = capsys.readouterr().out.splitlines()
    words = [(float(line.split()[0]), line.split()[3]) for line in lines]
    assert words == [(round((6 + 4 * at) / RATE, 2), ["left", "right"][expected[at]]) for at in changes]
    assert total == f"{len(changes)} words in 5.8 s, 11 answers"
    tree = ElementTree.fromstring(picture.read_text())
    assert sum(element.tag.endswith("image") for element in tree) == 2
    assert main(["listen", str(sums), "--wav", str(file), "--background", "left", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {word["name"] for word in result["words"]} == {"right"}
    assert [answer["name"] == "right" for answer in result["answers"]] == expected.tolist()


@pytest.mark.long
def test_refusals(sums: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def complaint(folder: Path, file: Path, *options: str) -> str:
        assert main(["listen", str(folder), "--wav", str(file), *options]) == 1
        return capsys.readouterr().err.splitlines()[-1]

    good = recording(tmp_path / "good.wav", sound(20))
    (tmp_path / "sums.mlir").write_text(running_sum("sums"))
    compile_model(Request(model=tmp_path / "sums.mlir", out=tmp_path / "memory", target="host"))
    assert "does not stream: compile it with --input push" in complaint(tmp_path / "memory", good)
    fast = recording(tmp_path / "fast.wav", sound(20), 44100)
    assert "the recording has 44100 samples per second, the program expects 8: convert it" in complaint(sums, fast)
    short = recording(tmp_path / "short.wav", sound(5))
    assert "the recording has 5 samples, but the first answer needs 6" in complaint(sums, short)
    (tmp_path / "bad.wav").write_bytes(good.read_bytes()[:30])
    assert "cannot read the recording" in complaint(sums, tmp_path / "bad.wav")
    assert "the program has no class noise: they are left, right" in complaint(sums, good, "--background", "noise")
    assert "expected a folder written by tinyml compile" in complaint(tmp_path, good)
    with pytest.raises(tinyml.InputError, match="the recording has 3 samples, but the first answer needs 6"):
        tinyml.open(sums).listen([1, 2, 3])
