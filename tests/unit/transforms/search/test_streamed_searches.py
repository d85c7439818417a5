"""Searches within a limit on RAM that ordinary execution exceeds. Candidates are evaluated with streaming."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from programs.network_writer import NetworkWriter
from programs.spread import spread

from tinyml.tools.main import main


@pytest.mark.long
@pytest.mark.parametrize("search", spread(["demote", "promote"], 1))
def test_a_network_that_does_not_fit_streams(search: str, tmp_path: Path) -> None:
    net = NetworkWriter((1, 9, 9, 1))
    image = net.convolution(net.input, 6, 3)
    image = net.convolution(image, 6, 3)
    scores = net.mean(image)
    (tmp_path / "net.mlir").write_text(str(net.module(scores)))
    np.savez(tmp_path / "val.npz", x=net.random.standard_normal((8, 81)).astype(np.float32))
    asked = ["compile", str(tmp_path / "net.mlir"), "--val", str(tmp_path / "val.npz"), "--target", "host"]
    asked += ["--quantization", "anew"]
    limit = 300
    assert main([*asked, "--width", "8", "-o", str(tmp_path / "usual")]) == 0
    assert taken(tmp_path / "usual") > limit
    search_options = ["--search", search, "--jobs", "1", "--metric", "error", "--widths", "8,16", "--ram", str(limit)]
    assert main([*asked, *search_options, "-o", str(tmp_path / "small")]) == 0
    assert taken(tmp_path / "small") <= limit
    report = json.loads((tmp_path / "small/report.json").read_text())
    assert {segment["by"] for segment in report["segments"]} == {"pixels"}


def taken(folder: Path) -> int:
    """The bytes of arena and input of a compiled program."""
    ram = json.loads((folder / "report.json").read_text())["ram_bytes"]
    return ram["arena"] + ram["input"]
