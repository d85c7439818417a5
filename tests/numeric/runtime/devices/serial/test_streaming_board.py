"""A board at a serial port: a simulated Uno that runs the sketch, and boards that respond incorrectly."""

from __future__ import annotations

import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT
from programs.simulated_board import UNO, compiled_board, played_board, pseudo_terminal, simulated_board

from tinyml.runtime.devices.registry import is_available
from tinyml.runtime.devices.serial_port import open_port
from tinyml.runtime.devices.streaming_board import ANSWER, HELLO, REFUSAL, digest_of, frame
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"
SAMPLES = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tour's model for an Uno in `out`, and data for the model."""
    folder = tmp_path_factory.mktemp("streamed")
    request = Request(
        model=TOUR / "tour.sd", val=TOUR / "val.npz", target=UNO.name, format="fixed", width=16, out=folder / "out"
    )
    compile_model(request)
    x = np.random.default_rng(9).uniform(-1, 1, (SAMPLES, 4)).astype(np.float32)
    np.savez(folder / "test.npz", x=x)
    return folder


@pytest.mark.long
@pytest.mark.skipif(not is_available(UNO.name), reason="simavr is not installed")
def test_a_hundred_samples_over_a_simulated_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """For a hundred samples sent over the simulated line, every bit of the outputs equals the evaluator's. The time
    that the board measures differs from the simulator's by less than 0.02 ms. A board with another model is
    reported.
    """
    with simulated_board(compiled_board(folder / "out", tmp_path), tmp_path) as port:
        request = RunRequest(folder=folder / "out", data=folder / "test.npz", port=port, save=tmp_path / "saved.npz")
        result = run_model(request)
        assert (result["samples"], result["mismatch"], result["device"]) == (SAMPLES, None, port)
        assert np.load(tmp_path / "saved.npz")["labels"].shape == (SAMPLES,)
        assert result["time_source"] == "board"
        assert abs(result["milliseconds_per_inference"] - result["expected_milliseconds"]) < 0.02
        # The board answers again; another model on the desk is noticed.
        assert (
            main(["run", str(folder / "out"), "--data", str(folder / "test.npz"), "--port", port, "--limit", "3"]) == 0
        )
        assert "ms simulated): all raw outputs equal the evaluator's" in capsys.readouterr().out
        monkeypatch.setattr("tinyml.tools.driver.run_on_port.digest_of", another)
        assert refusal(folder, port, capsys) == "the board runs another model"


def another(source: str) -> int:
    """A replacement for `digest_of` that returns the digest of a model other than the board's."""
    return digest_of("another")


def refusal(folder: Path, port: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """The error message of `tinyml run`, without the port and the text after the first bracket or colon. Asserts that
    the message has one line and that the command returns 1.
    """
    command = ["run", str(folder / "out"), "--data", str(folder / "test.npz"), "--port", port, "--limit", "2"]
    capsys.readouterr()
    assert main([*command, *options]) == 1
    said = capsys.readouterr()
    [line] = [line for line in said.err.splitlines() if line.startswith("error: ")]
    assert said.out == ""
    return line.removeprefix("error: ").removeprefix(f"{port}: ").partition(" (")[0].partition(":")[0]


def player(folder: Path, answer: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A function that simulates a board: it returns the board's greeting for `HELLO`, and otherwise the result of
    `answer` for the received bytes.
    """
    digest = digest_of((folder / "out/tour.c").read_text())

    def play(got: bytes) -> bytes:
        if got.startswith(frame(HELLO)):
            return frame(HELLO, struct.pack("<BIII", 1, digest, 8, 4))
        return answer(got)

    return play


def right(got: bytes) -> bytes:
    return frame(ANSWER, struct.pack("<iIhh", 0, 1000, 0, 0))


def late(got: bytes) -> bytes:
    return right(got).replace(struct.pack("<I", 1000), struct.pack("<I", 1001))


WRONG: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda got: b"", "sample 0: no answer within 0.3 s"),
    (lambda got: frame(REFUSAL, b"\1"), "sample 0: the board received corrupted bytes"),
    (lambda got: right(got)[:-1] + b"\0", "sample 0: a corrupted answer"),
    (late, "sample 0: a corrupted answer"),
    (lambda got: frame(ANSWER, b"123"), "sample 0: an answer of 3 bytes, not 12"),
    (lambda got: right(got)[:5], "sample 0: no answer within 0.3 s"),
]
"""Answers, and the line that each gets."""


@pytest.mark.long
@pytest.mark.parametrize(("answer", "said"), WRONG)
def test_answers_that_are_none(
    answer: Callable[[bytes], bytes], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
):
    with played_board(player(folder, answer)) as port:
        command = ["run", str(folder / "out"), "--data", str(folder / "test.npz"), "--port", port, "--timeout", "0.3"]
        assert main(command) == 1
        assert f"error: {port}: {said}" in capsys.readouterr().err


def test_an_output_that_differs_is_named(folder: Path, capsys: pytest.CaptureFixture[str]):
    with played_board(player(folder, right)) as port:
        assert main(["run", str(folder / "out"), "--data", str(folder / "test.npz"), "--port", port]) == 1
        assert f"{port} and the evaluator differ: sample 0: score 0 is 0" in capsys.readouterr().err


@pytest.mark.long
def test_boards_and_ports_that_are_none(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "file").write_text("")
    none = str(tmp_path / "none")
    assert refusal(folder, none, capsys) == "cannot be opened"
    assert refusal(folder, str(tmp_path / "file"), capsys) == "is not a serial port"
    with pseudo_terminal() as (_, port):
        assert refusal(folder, port, capsys, "--timeout", "0.2").startswith("no greeting within 0.2 s")
        assert refusal(folder, port, capsys, "--timeout", "0") == "--timeout"
        with open_port(port):
            assert refusal(folder, port, capsys) == "another program uses the port"
    greeting = frame(HELLO, struct.pack("<BIII", 2, 0, 8, 4))
    with played_board(lambda got: greeting) as port:
        assert refusal(folder, port, capsys).startswith("the board speaks version 2 of the protocol")


def test_lines_of_a_terminal_become_lines_of_bytes():
    """On an opened terminal, all 256 byte values are transmitted unchanged in both directions, without echo or
    interrupts. When it is closed, its earlier settings are restored.
    """
    sent = bytes(range(256))
    with pseudo_terminal() as (master, port):
        descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY)
        try:
            before = termios.tcgetattr(descriptor)
            before[0] |= termios.ICRNL | termios.IXON
            before[1] |= termios.OPOST | termios.ONLCR
            before[3] |= termios.ICANON | termios.ECHO | termios.ISIG
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
            before = termios.tcgetattr(descriptor)
            with open_port(port) as line:
                os.write(master, sent)
                assert line.read(5) == sent
                line.write(sent, 5)
                assert os.read(master, 1000) == sent
            assert termios.tcgetattr(descriptor) == before
        finally:
            os.close(descriptor)


@pytest.mark.long
def test_an_interrupt_leaves_the_port_free(folder: Path):
    """After a signal has ended the command, the serial port can be opened again."""
    with pseudo_terminal() as (master, port):
        command = [sys.executable, "-m", "tinyml.tools.main", "run", str(folder / "out")]
        command += ["--data", str(folder / "test.npz"), "--port", port, "--timeout", "60"]
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert select.select([master], [], [], 60)[0]
        time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 130
        assert [line for line in said.splitlines() if line.startswith("error: ")] == ["error: interrupted"]
        with open_port(port):
            pass
