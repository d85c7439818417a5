"""The firmware for MLPerf Tiny's runner responds to the commands of the runner over a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import re
import runpy
import shutil
import subprocess
import tty
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import need_tools
from programs.paths import ROOT
from programs.spread import spread
from programs.streaming_network import streaming_network
from programs.tflite_models import VALID, TfliteModel, computed_by_tflm, raws, weighted

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.signals.log_mel import LogMel
from tinyml.targets.registry import board, chip_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request

SCALE, ZERO = 0.05, 3
"""The quantisation of inputs, and of what is reconstructed."""

SHAPES = {
    "kws01": (1, 49, 10, 1),
    "ic01": (1, 32, 32, 3),
    "ic02": (1, 32, 32, 3),
    "vww01": (1, 96, 96, 3),
    "ad01": (1, 640),
}

CHUNK = 31
"""Bytes that the runner sends with a command."""


def small_network(name: str) -> bytes:
    """A network with the input and output of the benchmark's network of this name, but with fewer layers."""
    model, random = TfliteModel(), np.random.default_rng(7)
    shape = SHAPES[name]
    x = first = model.tensor(shape, scales=SCALE, zero_point=ZERO)
    if name == "ic02":
        wide = model.tensor((1, 70), scales=0.8)
        weighted(model, "FULLY_CONNECTED", x, (70, 3072), wide, random)
        x = wide
    if name in ("ic01", "vww01"):
        size = shape[1] // 4
        pooled = model.tensor((1, 4, 4, 3), scales=SCALE, zero_point=ZERO)
        options = {"FilterWidth": size, "FilterHeight": size, "StrideW": size, "StrideH": size}
        model.op("AVERAGE_POOL_2D", [x], pooled, Padding=VALID, **options)
        x = pooled
    length = int(np.prod(model.tensors[x].shape))
    if name == "ad01":
        narrow, y = model.tensor((1, 8), scales=0.8), model.tensor((1, 640), scales=SCALE, zero_point=ZERO)
        weighted(model, "FULLY_CONNECTED", x, (8, length), narrow, random)
        weighted(model, "FULLY_CONNECTED", narrow, (640, 8), y, random)
    else:
        classes = {"kws01": 12, "ic01": 10, "ic02": 10, "vww01": 2}[name]
        sums, y = (
            model.tensor((1, classes), scales=0.4),
            model.tensor((1, classes), scales=1 / 256, zero_point=-128),
        )
        weighted(model, "FULLY_CONNECTED", x, (classes, length), sums, random)
        model.op("SOFTMAX", [sums], y, Beta=1.0)
    return model.finish([first], [y])


def firmware(content: bytes, folder: Path, **options: Any) -> Path:
    """The folder with the firmware that the package writes for a model."""
    file = folder / "small.tflite"
    file.write_bytes(content)
    compile_model(Request(model=file, target="host", packages=("mlperf",), out=folder / "out", **options))
    return folder / "out/mlperf"


class Line:
    """A serial line to the firmware. It sends commands and receives the responses."""

    def __init__(self, file: int) -> None:
        self.file = file

    def answer(self) -> list[str]:
        """The lines of the response up to the next m-ready."""
        text = b""
        while not text.endswith(b"m-ready\r\n"):
            text += os.read(self.file, 4096)
        return text.decode().split("\r\n")[:-2]

    def ask(self, command: str) -> list[str]:
        os.write(self.file, f"{command}%".encode())
        return self.answer()

    def load(self, content: bytes) -> None:
        self.ask(f"db load {len(content)}")
        for at in range(0, len(content), CHUNK):
            said = self.ask(f"db {content[at : at + CHUNK].hex()}")
            assert said == (["m-load-done"] if at + CHUNK >= len(content) else [])

    def results(self, content: bytes, times: int = 1, warm_up: int = 0) -> list[float]:
        """The results of an inference, from the response to the commands that send an input and run it. Asserts that
        the other lines of the response are right.

        times, warm_up: the numbers of measured inferences and of inferences before them.
        """
        self.load(content)
        lines = self.ask(f"infer {times} {warm_up}")
        shown = [f"m-warmup-start-{warm_up}", "m-warmup-done", f"m-infer-start-{times}"]
        assert lines[:3] == shown
        begun, ended = (re.fullmatch("m-lap-us-([0-9]+)", line) for line in lines[3:5])
        assert begun is not None
        assert ended is not None
        assert int(ended[1]) >= int(begun[1])
        assert lines[5] == "m-infer-done"
        assert lines[6:] == self.ask("results")
        found = re.fullmatch(r"m-results-\[([0-9.,]+)\]", lines[6])
        assert found is not None
        return [float(number) for number in found[1].split(",")]


@contextmanager
def running(command: Sequence[str | Path]) -> Generator[Line]:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    with subprocess.Popen(command, stdin=theirs, stdout=theirs) as process:
        os.close(theirs)
        try:
            line = Line(ours)
            begun = line.answer()
            assert begun[0] == "m-timestamp-mode-performance"
            assert begun[-1] == "m-init-done"
            yield line
        finally:
            os.close(ours)
            process.kill()


def compiled(folder: Path) -> Path:
    program = folder / "firmware"
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program]
    subprocess.run(["cc", *flags, *sorted(folder.glob("*.c")), "-lm"], check=True)
    return program


def sent(name: str, samples: NDArray[Any]) -> list[bytes]:
    """The bytes that the runner sends for each sample of raws: for `kws01` the raws, for `ad01` real numbers, for
    images the pixels from 0 to 255.
    """
    if name == "kws01":
        return [sample.tobytes() for sample in samples]
    if name == "ad01":
        return [(np.float32(SCALE) * (sample.astype(np.float32) - ZERO)).tobytes() for sample in samples]
    return [(sample.astype(np.int16) + 128).astype(np.uint8).tobytes() for sample in samples]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("name", spread(SHAPES, 2))
def test_results_are_those_of_tflite_micro(name: str, tmp_path: Path):
    """The results that the firmware sends equal TFLM's, also if the input is in the arena, where an inference
    overwrites it.
    """
    content = small_network(name)
    samples = raws(np.random.default_rng(1), (3, *SHAPES[name]))
    [outputs] = computed_by_tflm(content, samples)
    program = compiled(firmware(content, tmp_path, reuse_input=name in ("ic01", "ad01")))
    with running([program]) as line:
        assert line.ask("profile")[1] == f"m-model-[{name}]"
        for number, (input, raw) in enumerate(zip(sent(name, samples), outputs, strict=True)):
            results = line.results(input, times=1 + number, warm_up=number)
            reals: list[float] = ((raw.astype(float) + 128) / 256).tolist()
            if name == "ad01":
                differences = SCALE * (raw.astype(float) - ZERO) - np.frombuffer(input, np.float32)
                reals = [float((differences**2).mean())]
            assert results == pytest.approx(reals, abs=6e-4)


@pytest.mark.long
def test_the_commands_of_the_runner(tmp_path: Path):
    """The firmware that the package's project builds responds to every command of the runner."""
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    folder = firmware(small_network("kws01"), tmp_path)
    assert not (folder / "mlperf.ino").exists()
    for command in (["-S", folder, "-B", tmp_path / "build"], ["--build", tmp_path / "build"]):
        subprocess.run(["cmake", *command], check=True, stdout=subprocess.DEVNULL)
    with running([tmp_path / "build/small_mlperf"]) as line:
        assert line.ask("name") == ["m-name-dut-[tinyml]"]
        assert line.ask("profile") == ["m-profile-[ULPMark for tinyML Firmware V0.0.1]", "m-model-[kws01]"]
        assert len(line.ask("help")) == 4
        assert line.ask("") == []
        assert line.ask("nonsense 1") == ["e-[Unknown command: nonsense]"]
        assert line.ask("n" * 80) == [f"e-[Unknown command: {'n' * 80}]"]
        for longer in ("n" * 81, "n" * 5000, f"timestamp{' ' * 100}", "db " + "00" * 40):
            assert line.ask(longer) == ["e-[A command has at most 80 characters]"]
        assert line.ask("name") == ["m-name-dut-[tinyml]"]
        assert line.ask("db load 491") == line.ask("db load") == ["e-[db load takes 1 to 490 bytes]"]
        for number in ("3x", "-1", "+3", "4294967299", "18446744073709551619"):
            assert line.ask(f"db load {number}") == ["e-[db load takes 1 to 490 bytes]"]
        assert line.ask("db a1") == ["e-[0 bytes are expected]"]
        assert line.ask("db load 3") == ["m-[Expecting 3 bytes]"]
        assert line.ask("db 0") == ["e-[Odd number of hexadecimal digits]"]
        assert line.ask("db 0x") == ["e-[No hexadecimal digits: 0x]"]
        assert line.ask("db a1B2") == []
        assert line.ask("infer 1 0") == ["e-[The input has 2 of 490 bytes]"]
        assert line.ask("db c3d4") == ["e-[1 bytes are expected]"]
        assert line.ask("db c3") == ["m-load-done"]
        assert line.ask("db print") == ["m-buffer-a1-b2-c3"]
        for counts in ("0", "1 -1", "1x", "9999999999"):
            assert line.ask(f"infer {counts}") == ["e-[infer takes a number from 1 up, and one from 0 up]"]
        assert re.fullmatch("m-lap-us-[0-9]+", line.ask("timestamp")[0])


@pytest.mark.long(seconds=10)
def test_the_streaming_network_detects_what_the_program_detects(tmp_path: Path):
    file, sound = tmp_path / "word.tflite", tmp_path / "sound.raw"
    file.write_bytes(streaming_network())
    program = tinyml.compile(file, features=LogMel(), cutoff=0.5, board="host")
    random = np.random.default_rng(0)
    loudness = np.repeat(random.uniform(-12, 0, 60), 512)
    samples = (32768 * np.exp(loudness) * random.uniform(-1, 1, 30_720)).astype(np.int16)
    samples.tofile(sound)
    heard = program.listen(np.concatenate([np.zeros(512), samples / 32768]))
    blocks = [1, *(30 + np.flatnonzero(heard.labels == "wake word")).tolist()]
    assert 3 < len(blocks) < 28
    folder = program.save(tmp_path / "out", packages=["mlperf"]) / "mlperf"
    assert not (folder / "mlperf.ino").exists()
    with running([compiled(folder), sound]) as line:
        assert line.ask("profile")[1] == "m-model-[sww01]"
        assert line.ask("db load 4") == ["e-[Unknown command: db]"]
        for _ in range(2):
            assert line.ask("start") == ["m-streaming-started"]
            *detected, last = line.ask("stop")
            assert detected == [f"m-detected-ms-{32 * block}" for block in blocks]
            assert last == "m-streaming-stopped"


@pytest.mark.long(seconds=5)
def test_the_firmware_of_the_streaming_network_compiles_for_its_board(tmp_path: Path):
    """All files of the firmware, except the port for a computer, compile for its board."""
    need_tools("nucleo-l4r5zi")
    file = tmp_path / "word.tflite"
    file.write_bytes(streaming_network())
    program = tinyml.compile(file, features=LogMel(), cutoff=0.5, board="nucleo-l4r5zi")
    folder, chip = program.save(tmp_path / "out", packages=["mlperf"]) / "mlperf", chip_of("nucleo-l4r5zi")
    sources = sorted({*folder.glob("*.c")} - {folder / "port_posix.c"})
    assert {"commands.c", "stream.c", "submitter.c", "word.c"} <= {source.name for source in sources}
    flags = [*chip.flags, *board("nucleo-l4r5zi").flags, "-std=c99", "-Os", "-Wall", "-Wextra", "-Werror", "-c"]
    subprocess.run([f"{chip.prefix}gcc", *flags, *sources], check=True, cwd=tmp_path)


@pytest.mark.long
def test_a_sketch_is_written_for_boards_of_arduino(tmp_path: Path):
    file = tmp_path / "small.tflite"
    file.write_bytes(small_network("kws01"))
    compile_model(Request(model=file, target="nano33ble", packages=("mlperf",), out=tmp_path / "out"))
    assert "Serial.begin(115200)" in (tmp_path / "out/mlperf/mlperf.ino").read_text()


@pytest.mark.long
def test_what_the_runner_does_not_know(tmp_path: Path):
    model = TfliteModel()
    x, y = model.tensor((1, 5), scales=SCALE), model.tensor((1, 4), scales=SCALE)
    weighted(model, "FULLY_CONNECTED", x, (4, 5), y, np.random.default_rng(0))
    with pytest.raises(InputError, match="the model maps 5 numbers to 4, the benchmark's kws01 490 to 12, ic01 3072"):
        firmware(model.finish([x], [y]), tmp_path)
    with pytest.raises(InputError, match="the runner sends whole inputs: omit --input"):
        firmware(small_network("vww01"), tmp_path, input="callback")
    with pytest.raises(InputError, match=r"sends sounds to sww01: compile it with features=features\.LogMel"):
        firmware(streaming_network(), tmp_path)
    assert not (tmp_path / "out").exists()


def test_samples_of_keywords_become_an_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`examples/kws01/make_data.py` converts the bytes of the samples to reals by the scale and zero point of the
    reference model. These reals, divided by the scale and shifted by the zero point, are the same bytes again.

    The classes of the samples are the third column of y_labels.csv.
    """
    raws = np.random.default_rng(0).integers(-128, 128, (2, 490), np.int8)
    (tmp_path / "kws01").mkdir()
    for number, sample in enumerate(raws):
        sample.tofile(tmp_path / "kws01" / f"{number}.bin")
    (tmp_path / "kws01" / "y_labels.csv").write_text("0.bin, 12, 3\n1.bin, 12, 11\n")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples/kws01/make_data.py"))
    with np.load(tmp_path / "kws01.npz") as data:
        assert data["y"].tolist() == [3, 11]
        assert np.array_equal(np.rint(data["x"] / 0.5847029) + 83, raws.reshape(2, 49, 10, 1))
