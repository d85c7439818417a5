"""Designs: the front and the best program, limits, journals, replays, and families of packages."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from programs.estimators import halves
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed

import tinyml
from tinyml.tools.design import search, trials
from tinyml.tools.design.families import FAMILIES
from tinyml.tools.design.search import Search
from tinyml.tools.design.task import Limits, task_of
from tinyml.tools.design.trials import Candidate, Cost, Problem, known_cost, limit_of
from tinyml.tools.main import main

IRIS = halves("iris")
X, Y = np.concatenate([IRIS.x, IRIS.held_x]), np.concatenate([IRIS.y, IRIS.held_y])
NAMES = np.array(["setosa", "versicolor", "virginica"])

FAMILIES_OF_TESTS = ["linear", "lda", "tree"]

SMALL: dict[str, Any] = {"families": FAMILIES_OF_TESTS, "candidates": 7, "folds": 3, "jobs": 1, "verbose": False}


def designed(x: Any = X, y: Any = Y, **options: Any) -> tinyml.Design:
    return tinyml.design(x, y, **{**SMALL, **options})


def told(made: tinyml.Design) -> list[Any]:
    """The results of a design, without its times."""
    rows = [(str(row.candidate), row.share, row.fold, row.model, row.program, row.time) for row in made.results]
    programs = [(each.name, each.expected, each.time, each.flash, each.ram) for each in made.front]
    return [rows, programs, made.best.name, made.test, made.test_interval]


@pytest.mark.long(seconds=6)
def test_a_design_has_the_programs_that_none_dominates_and_saves_them(tmp_path: Path):
    made = designed(y=NAMES[Y])
    assert made.best in made.front
    assert made.best.expected == max(each.expected for each in made.front)
    assert [each.time for each in made.front] == sorted(each.time for each in made.front)
    assert made.best.program.classes == [*NAMES]
    # The usual defaults are among the candidates.
    usual = {str(Candidate.of(name, each)) for name in FAMILIES_OF_TESTS for each in FAMILIES.get(name).usual}
    assert usual <= {str(row.candidate) for row in made.results}
    # The figure of the test is that of the saved program on samples of which no row knows.
    assert made.test is not None
    assert made.test_interval is not None
    assert made.test_samples == len(X) // 5
    assert made.test_interval[0] <= made.test <= made.test_interval[1]
    folder = made.save(tmp_path / "out")
    again = tinyml.open(folder / "best")
    assert (again.predict(X) == made.best.program.predict(X)).all()
    assert made.best.name in (folder / "design.html").read_text("utf-8")
    # The folder of a design is replaced; one with other files is not.
    made.save(folder)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(tinyml.InputError, match=r"contains notes\.txt"):
        made.save(folder)


@pytest.mark.long(seconds=6)
def test_a_journal_is_resumed_and_a_record_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    journal = tmp_path / "trials.csv"
    first = designed(journal=journal)
    first.save(tmp_path / "out")
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-3]) + lines[-3][:20])
    run: list[Any] = []

    def counted(problem: Any, tasks: Any) -> Any:
        run.extend(tasks)
        return trials.run_trials(problem, tasks)

    monkeypatch.setattr(search, "run_trials", counted)
    assert told(designed(journal=journal)) == told(first)
    assert len(run) == 3
    replayed = tinyml.design(X, Y, replay=str(tmp_path / "out/design.json"), jobs=1, verbose=False)
    assert told(replayed) == told(first)
    with pytest.raises(tinyml.InputError, match=r"design\.json: is the record of another table"):
        tinyml.design(X[:-1], Y[:-1], replay=str(tmp_path / "out/design.json"), jobs=1, verbose=False)


@pytest.mark.long(seconds=5)
def test_seconds_cut_the_search_and_the_replay_has_the_same_cut(tmp_path: Path):
    made = designed(seconds=1e-3, candidates=None)
    counts = made.record["trials"]
    assert counts["usual"] == 1
    assert "rounds" not in counts
    made.save(tmp_path / "out")
    assert told(tinyml.design(X, Y, replay=str(tmp_path / "out/design.json"), jobs=1, verbose=False)) == told(made)


@pytest.mark.long(seconds=5)
def test_an_interrupt_keeps_what_is_known(monkeypatch: pytest.MonkeyPatch):
    show = interrupted(after=2)
    monkeypatch.setattr(Search, "_results", show)
    made = designed()
    assert len(made.results) == 2
    assert made.best.family == "linear"


def interrupted(after: int) -> Callable[..., Any]:
    """`Search._results`, which is interrupted after some calls."""
    calls: list[None] = []
    results = Search._results  # pyright: ignore[reportPrivateUsage]

    def run(self: Search, tasks: Any) -> Any:
        calls.append(None)
        if len(calls) > after:
            raise KeyboardInterrupt
        return results(self, tasks)

    return run


@pytest.mark.long(seconds=5)
def test_processes_give_the_results_of_one():
    assert told(designed(jobs=2))[1:] == told(designed())[1:]


@pytest.mark.long(seconds=5)
def test_limits_are_those_of_the_compiled_program():
    free = designed()
    least = min(each.flash for each in free.front)
    made = designed(flash=least)
    assert all(each.flash <= least for each in made.front)
    with pytest.raises(tinyml.InputError, match=r"the last of 7 that were trained needs \d+ bytes of flash"):
        designed(flash=20, families=["tree"])
    with pytest.raises(tinyml.InputError, match=r"can be within the limits$"):
        designed(flash=20, families=["linear", "lda"])


def test_what_cannot_fit_is_not_trained():
    task = task_of(X, Y, None, metric=None, at_least=None, folds=3, seed=0)
    problem = Problem(task, "uno", limit_of("uno", Limits()))
    least = known_cost(problem, Candidate.of("neighbours", {"neighbours": 1}))
    assert least == Cost(0, 100 * 4, 0)
    wide = Candidate.of("mlp", {**FAMILIES.get("mlp").usual[0], "neurons": 128})
    narrow = Candidate.of("mlp", {**FAMILIES.get("mlp").usual[0], "neurons": 4})
    one, other = known_cost(problem, wide), known_cost(problem, narrow)
    assert one is not None
    assert other is not None
    assert one.flash > 128 * 7 > other.flash


@pytest.mark.long(seconds=5)
def test_targets_have_programs_with_the_root_mean_squared_error():
    data = halves("diabetes")
    made = designed(data.x, data.y, metric="rmse", families=["linear", "tree"], X_test=data.held_x, y_test=data.held_y)
    assert made.metric == "rmse"
    error = np.sqrt(np.square(made.best.program.predict(data.held_x) - data.held_y).mean())
    assert made.test == pytest.approx(error)
    assert made.best.expected == min(each.expected for each in made.front)


@pytest.mark.long(seconds=6)
@pytest.mark.filterwarnings("ignore:X_val. the float model is right")
def test_a_class_that_must_not_be_missed_is_repeated_in_the_training():
    random = np.random.default_rng(0)
    x = random.standard_normal((400, 3))
    fall = (x[:, 0] + random.standard_normal(400) > 1.5).astype(int)
    y = np.array(["walk", "fall"])[fall]
    made = designed(x, y, families=["linear", "tree"], at_least=["recall:fall=0.8"], candidates=16)
    assert made.best.shortfall == 0
    assert made.best.repeats > 1


@pytest.mark.long(seconds=5)
def test_a_package_adds_a_family():
    folder = str(ROOT / "tests/plugins/rocchio")
    with patch.object(sys, "path", [folder, *sys.path]), installed(*entry_points_of("rocchio")):
        made = designed(families=["rocchio"], candidates=2)
    sys.modules.pop("rocchio", None)
    assert made.best.family == "rocchio"
    assert type(made.best.model).__name__ == "NearestCentroid"


@pytest.mark.long(seconds=6)
def test_the_command_prints_the_candidates_and_writes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    table, out = tmp_path / "iris.csv", tmp_path / "out"
    rows = [f"{a},{b},{c},{d},{NAMES[y]}" for (a, b, c, d), y in zip(X.tolist(), Y, strict=True)]
    table.write_text("\n".join(["sepal,sepal width,petal,petal width,species", *rows]) + "\n")
    options = ["--families", "lda,tree", "--candidates", "3", "--folds", "3", "--jobs", "1"]
    assert main(["design", str(table), *options, "-o", str(out)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "120 samples of 4 features, 3 classes; uno; lda, tree"
    assert printed[-1] == str(out / "design.html")
    assert json.loads((out / "design.json").read_text())["trials"]["usual"] == 3
    assert tinyml.open(out / "best").classes == [*NAMES]
