"""A choice that reuses the stored facts of an earlier choice runs fewer passes, finds the same program, and uses no
outdated facts.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.pass_runs import counted_passes
from programs.paths import TESTS

from tinyml.tools.main import main

NETWORK = TESTS / "models/small-network"


def compiled(out: Path, cache: Path | None, *options: str, val: Path = NETWORK / "val.npz") -> dict[str, Any]:
    """The C files and the IR of a compilation, by the name of the file, and the report's entry `chosen`. None of them
    depends on the clock.

    cache: the folder for the facts of choices; None for none.
    options: further options of `tinyml compile`.
    val: the file of validation samples.
    """
    kept = [] if cache is None else ["--cache", str(cache)]
    model = str(NETWORK / "small_network.sd")
    assert main(["compile", model, "--val", str(val), "--target", "uno", *kept, *options, "-o", str(out)]) == 0
    report = json.loads((out / "report.json").read_text())
    files = {file.name: file.read_bytes() for file in (*out.glob("*.[ch]"), *out.glob("ir/*.mlir"))}
    return {"chosen": report["chosen"], **files}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    return counted_passes(monkeypatch)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], int]:
    """The cache folder that a first choice writes, the contents of the choice's output folder, and the number of
    programs that the choice lowers: the alternatives that are estimated, and the one that is taken.
    """
    cache = tmp_path_factory.mktemp("kept") / "cache"
    with pytest.MonkeyPatch.context() as patches:
        runs = counted_passes(patches)
        found = compiled(cache.with_name("first"), cache)
    return cache, found, runs["select-kernels"]


@pytest.mark.long(seconds=5)
def test_a_second_choice_is_the_same_and_lowers_only_what_it_takes(
    tmp_path: Path, runs: Counter[str], kept: tuple[Path, dict[str, Any], int]
):
    cache, first, lowered = kept
    assert lowered > 2
    assert compiled(tmp_path / "without", None) == first
    assert runs["select-kernels"] == lowered
    runs.clear()
    assert compiled(tmp_path / "second", shutil.copytree(cache, tmp_path / "kept")) == first
    assert (runs["select-kernels"], runs["profile"]) == (1, 1)


@pytest.mark.long(seconds=5)
def test_other_data_and_other_options_are_asked_for_anew(
    tmp_path: Path, runs: Counter[str], kept: tuple[Path, dict[str, Any], int]
):
    cache = shutil.copytree(kept[0], tmp_path / "kept")
    val = dict(np.load(NETWORK / "val.npz"))
    val["x"][0, 0] += 0.5
    np.savez(tmp_path / "other.npz", **val)
    compiled(tmp_path / "data", cache, val=tmp_path / "other.npz")
    anew = runs.copy()
    runs.clear()
    compiled(tmp_path / "data-alone", None, val=tmp_path / "other.npz")
    assert anew["select-kernels"] == runs["select-kernels"] > 2
    runs.clear()
    other = compiled(tmp_path / "options", cache, "--pack-buffers")
    assert runs["select-kernels"] > 1
    assert other == compiled(tmp_path / "alone", None, "--pack-buffers")
