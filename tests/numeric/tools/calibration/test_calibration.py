"""Measurements of kernels and cost tables: the chips of the registry, checkpoints, and the quick mode."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from programs.plugins import installed

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.targets import registry
from tinyml.targets.chip import Chip
from tinyml.targets.riscv.chip import CHIP as RISCV
from tinyml.tools.calibration import costs, kernel_costs
from tinyml.tools.calibration.checkpoints import checkpoints, remembered
from tinyml.tools.calibration.programs import (
    estimators,
    float_conversions,
    forests,
    front_ends,
    generated_code,
    networks,
)
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.ir.cost.demand import ENTRY

FOREIGN: Chip = RISCV


def print_figures(levels: Sequence[str]) -> None:
    print("figures of a foreign chip at", *levels)


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chip]:
    """Install a chip of another package whose cost table does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(RISCV.folder / "harness", tmp_path / "chip" / "harness")
    part = dataclasses.replace(RISCV.boards[0], name="foreign", costs="foreign")
    chip = dataclasses.replace(RISCV, name="foreign", folder=tmp_path / "chip", boards=(part,))
    monkeypatch.setattr(f"{__name__}.FOREIGN", chip)
    with installed(EntryPoint("foreign", f"{__name__}:FOREIGN", registry.GROUP)):
        yield chip


def counting(times: list[int]) -> Callable[[], int]:
    def measure() -> int:
        times.append(1)
        return len(times)

    return measure


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    times: list[int] = []

    def cut_off(keys: str, resume: bool) -> None:
        with checkpoints("some", resume=resume):
            found.extend(remembered(key, counting(times)) for key in keys)
            raise KeyboardInterrupt

    found: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        cut_off("aab", resume=False)
    [file] = (tmp_path / "tinyml").iterdir()
    file.write_text(file.read_text() + '["half a line')
    with pytest.raises(KeyboardInterrupt):
        cut_off("abc", resume=True)
    assert found == [1, 1, 2, 1, 2, 3]
    with checkpoints("some", resume=True):
        assert remembered("c", counting(times)) == 3
    assert not file.exists()
    with checkpoints("some", resume=True):
        assert remembered("c", counting(times)) == 4
    assert remembered("c", counting(times)) == 5


@pytest.mark.usefixtures("foreign")
def test_kernels_of_every_registered_chip_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    names = [chip.name for chip in kernel_costs.measured_chips([])]
    assert names == ["avr", "cortex-m", "helium", "riscv", "xtensa", "foreign"]
    assert kernel_costs.main(["toaster"]) == 1
    assert "unknown chip 'toaster' (one of avr, " in capsys.readouterr().err
    monkeypatch.setattr(generated_code, "PRODUCTS", dict(list(generated_code.PRODUCTS.items())[:1]))
    assert kernel_costs.main(["--quick", "foreign"]) == 0
    [name] = generated_code.PRODUCTS
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(name))
    assert 1 < float(row.split()[-1]) < 100
    chip = dataclasses.replace(FOREIGN, figures=f"{__name__}:print_figures")
    kernel_costs.print_figures(chip, ("-Os",))
    assert capsys.readouterr().out == "figures of a foreign chip at -Os\n"


@pytest.mark.long(seconds=20)
def test_a_rough_table_of_a_foreign_chip_then_how_far_it_is_off(
    foreign: Chip, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    first = costs.micro_programs()[0]
    monkeypatch.setattr(costs, "micro_programs", lambda: [first])
    for several in ("FORMATS", "PACKED", "FIXED_WIDTHS", "OTHERS"):
        monkeypatch.setattr(costs, several, getattr(costs, several)[:1])
    monkeypatch.setattr(float_conversions, "CONVERTED_FORMATS", float_conversions.CONVERTED_FORMATS[:1])
    monkeypatch.setattr(float_conversions, "CONVERTED_TYPES", ())
    assert costs.main(["--quick", "foreign"]) == 0
    [file] = foreign.files("costs/*.json")
    text = file.read_text()
    table = json.loads(text)
    assert table["unit"] == "instructions"
    entry = table["program"][0], *(table["steps"][step][0] for step in ENTRY)
    assert min(entry) >= 0
    assert max(entry) > 0
    assert len(table["steps"]) > 10
    assert list(table["floats"]) == [
        "scaled tm_f32_to_s8",
        "scaled tm_multiply_to_even_s9",
        "scaled zeros factors tm_f32_to_s16 tm_limit_i32_i8",
        "scaled zeros tm_f32_to_s16",
        "tm_f32_to_s8",
    ]
    assert costs.main(["--quick", "foreign"]) == 0
    out, err = capfd.readouterr()
    assert "% off the table" in out
    assert not err
    assert file.read_text() == text


def test_a_step_in_few_equations_takes_the_time_of_its_kind() -> None:
    often = [({"node int16_t": n, "vote float": n % 3}, 10 * n + 100 * (n % 3)) for n in range(1, forests.RARE + 4)]
    once = ({"node int8_t": 1.0, "vote float": 1.0}, 300.0)
    assert forests.forest_times([*often, once])["node int8_t"] == pytest.approx(10, rel=0.05)
    repeated = forests.forest_times([*often, *[once] * forests.RARE])["node int8_t"]
    assert repeated == pytest.approx(200, rel=0.05)
    # No row tells the time of this kind.
    assert forests.forest_times([*often, ({"tree": 1.0}, 7.0)])["tree"] == pytest.approx(7)


@pytest.mark.long
def test_steps_of_forests_are_measured_alone(foreign: Chip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forests, "EQUATIONS", 3)
    monkeypatch.setattr(costs, "LOOKUPS", 1)
    file = foreign.folder / "costs" / "foreign.json"
    file.parent.mkdir()
    table = json.loads(RISCV.files("costs/riscv.json")[0].read_text())
    others = {step: row for step, row in table["steps"].items() if not step.startswith("tm_forest")}
    del others[costs.LOOKUP]
    file.write_text(json.dumps({**table, "steps": others | {"tm_forest_code gone": [1.0, 0.0, 0.0, 0.0]}}))
    assert costs.main(["--forests", "foreign"]) == 0
    made = json.loads(file.read_text())
    measured = {step: row for step, row in made["steps"].items() if step.startswith("tm_forest")}
    assert made["steps"].pop(costs.LOOKUP)[0] > 0
    assert {step: row for step, row in made["steps"].items() if step not in measured} == others
    assert {**made, "steps": {}} == {**table, "steps": {}}
    assert "tm_forest_code gone" not in measured
    assert {"tm_forest_code call", "tm_forest_tables call"} <= measured.keys() <= table["steps"].keys()
    assert max(time for time, *_ in measured.values()) > 1


@pytest.mark.long(seconds=5)
def test_steps_of_front_ends_are_measured_alone(foreign: Chip, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--front-ends`, only the steps of front ends are measured; the other rows of the cost table are unchanged.
    Of the two front ends that are measured, one has mel channels and the other a Fourier transform.
    """
    made = [*front_ends.front_ends()]
    monkeypatch.setattr(costs, "front_ends", lambda: [made[3], made[4]])
    file = foreign.folder / "costs" / "foreign.json"
    file.parent.mkdir()
    table = json.loads(RISCV.files("costs/riscv.json")[0].read_text())
    others = {step: row for step, row in table["steps"].items() if not step.startswith(front_ends.STEPS)}
    file.write_text(json.dumps({**table, "steps": others | {"tm_taper_i16 gone": [1.0, 0.0, 0.0, 0.0]}}))
    assert costs.main(["--front-ends", "foreign"]) == 0
    made_table = json.loads(file.read_text())
    measured = {step: row for step, row in made_table["steps"].items() if step.startswith(front_ends.STEPS)}
    assert {step: row for step, row in made_table["steps"].items() if step not in measured} == others
    assert {**made_table, "steps": {}} == {**table, "steps": {}}
    assert "tm_taper_i16 gone" not in measured
    assert {"tm_scaled_spectrum_i16", "tm_channels_i32 element", "tm_real_spectrum_i16 element"} <= measured.keys()
    assert measured.keys() < table["steps"].keys()


def test_no_format_of_a_cost_table_is_none():
    """The measured formats include no fixed point of fewer than 2 bits, which does not exist and would be skipped with
    a message.
    """
    assert min(costs.FIXED_WIDTHS) >= 2
    assert not [weights for _, weights in costs.PACKED if weights == "fixed:1"]


def test_every_estimator_of_the_fit_can_be_trained() -> None:
    """scikit-learn trains all estimators on which the cost model is fitted. If it rejected one, for example a
    covariance of few samples, no calibration could start.
    """
    made = list(estimators.estimators())
    assert len({type(each.estimator[-1]).__name__ for each in made}) > 10
    assert all(len(each.x) == estimators.SAMPLES for each in made)


@pytest.mark.long(seconds=4)
def test_networks_of_the_fit_are_the_same_in_each_run(tmp_path: Path) -> None:
    """All kinds of networks can be imported. A size always has the same weights, and other sizes have other shapes, so
    that no table is judged by a network to which it was fitted.
    """
    made = list(networks.networks([0]))
    assert [each.content for each in made] == [each.content for each in networks.networks([0])]
    for each in made:
        file = each.write(tmp_path / each.kind)
        assert tdsl.has_formats(load_program(file, context())) == each.is_quantised
    judged = [networks.network(kind, networks.FITTED.stop).shape for kind in networks.KINDS]
    assert sum(shape != each.shape for shape, each in zip(judged, made, strict=True)) > len(made) // 2
