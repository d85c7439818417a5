"""Commands of `tinyml` that measure figures. A command refers to a model by the name of its folder or file alone."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from programs import gural_murmann
from programs.acceptance import qualifies
from programs.paths import ROOT

from measured.measures.cells import GENERATED, cells, cells_drawn, write_generated
from measured.measures.posit_sums import posit_sums
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.verilog_tools import placement_tool
from tinyml.targets.registry import board
from tinyml.targets.verilog.fabric import fabric_of
from tinyml.tools.driver.stages import find_model, print_ir
from tinyml.tools.main import main as tinyml

Values = dict[str, Any]

HERE = (ROOT / "examples", ROOT / "tests/models", ROOT / "docs/schedules")
"""The folders of the models that the repository holds."""


def _network(folder: Path) -> Path:
    path = folder / "network.mlir"
    path.write_text(print_ir(gural_murmann.program()), encoding="utf-8")
    return path


WRITTEN: dict[str, Callable[[Path], Path]] = {
    "gural-mnist10-4-bits": _network,
    **{label: partial(write_generated, label) for label in GENERATED},
}
"""Models that the tests write to a folder, by name; each returns its file or folder."""


class Unmeasured(Exception):
    """Raised for a command that cannot run here, because its model is missing."""


def model_path(name: str, models: Path | None) -> Path:
    """The folder or the file of a model; raises `Unmeasured` if it is neither in the repository nor in `models`."""
    further = [models, *sorted(path for path in models.iterdir() if path.is_dir())] if models else []
    for folder in (*HERE, *further):
        for path in (folder / name, *(folder / f"{name}.{suffix}" for suffix in ("tflite", "mlir"))):
            if path.exists():
                return path
    raise Unmeasured(f"no model '{name}'")


def measure(command: str, models: Path | None = None) -> Values:
    """The figures that a command measures; only `error` if the command rejects the program.

    models: a folder of additional models, which may be in subfolders.

    Raises `Unmeasured` if the model is not found.
    """
    name, model, *options = shlex.split(command)
    if name in _OF_TESTS:
        return _OF_TESTS[name](model, options)
    if model not in WRITTEN:
        return _COMMANDS[name](model_path(model, models), options)
    with tempfile.TemporaryDirectory() as folder:
        return _COMMANDS[name](WRITTEN[model](Path(folder)), options)


def _estimator(name: str, options: list[str]) -> Values:
    """The figures of an estimator of `programs.digits` on an Uno, with automatically chosen formats.

    Accuracies are measured on the test samples.

    options: `--input-unit UNIT`, without which the inputs are floats, and `--flash BYTES`, by default the flash of an
        Uno.
    """
    from programs import digits

    given = dict(zip(options[::2], options[1::2], strict=True))
    way = given.get("--input-unit"), int(given["--flash"]) if "--flash" in given else None
    report = digits.on_uno(name, *way).report
    test = digits.digits().test
    values = of_report(report.as_json())
    exact = 100 * float(digits.estimator(name).score(*test))
    values |= {"float": exact, "accuracy": exact - digits.points_lost(name, *way)}
    return {**values, "format": f"{report.format} {report.width}"}


def _called(name: str, options: list[str]) -> Values:
    """The figures of an estimator of `programs.float_callers` that is called with floats.

    `differ` counts the answers of the evaluator that differ from scikit-learn's.

    options: `--flash BYTES` and `--target BOARD`, by default an Uno.
    """
    from programs import float_callers as callers

    given = dict(zip(options[::2], options[1::2], strict=True))
    flash = int(given["--flash"]) if "--flash" in given else None
    _, val, _, _ = callers.split(name)
    try:
        program = callers.on_board(name, given.get("--target", "uno"), flash)
    except InputError as error:
        return {"error": error.message}
    measured = program.measure(val)
    assert measured.float_time is not None
    assert measured.float_flash_bytes is not None
    assert measured.float_ram_bytes is not None
    return {
        "time": round(measured.float_time, 1),
        "flash": measured.float_flash_bytes,
        "ram": measured.float_ram_bytes,
        "differ": int((program.predict(val) != callers.estimator(name).predict(val)).sum()),
        "samples": len(val),
    }


def _sensor(name: str, options: list[str]) -> Values:
    """The figures of a model of `programs.sensor_cases` on all devices, with real inputs and with a sensor's integers.

    Accuracies are computed by the evaluator. `differ` counts the labels on all devices that differ from the
    evaluator's.
    """
    from programs import sensor_cases as sensors

    values: Values = {"differ": 0, "unit": sensors.CASES[name].unit}
    with tempfile.TemporaryDirectory() as folder:
        for integers, kind in ((False, "floats"), (True, "integers")):
            compiled = sensors.CASES[name].compiled(Path(folder, kind), integers=integers)
            expected = compiled.expected.classes
            values |= {"samples": len(expected), f"{kind}_accuracy": 100 * float((expected == compiled.classes).mean())}
            for number, device in enumerate(sensors.DEVICES):
                found = compiled.on_raws(device) if integers else compiled.on_floats(device, Path(folder, str(number)))
                values["differ"] += int((found.labels != expected).sum())
                cycles = found.cycles if found.core_cycles is None else found.core_cycles
                assert cycles is not None
                values[f"{kind}_{device.replace('-', '_')}"] = round(float(cycles.mean()))
    return values


def _bench(model: Path, options: list[str]) -> Values:
    with tempfile.TemporaryDirectory() as out:
        reports = Path(out, "reports.json")
        if (error := _run(["bench", str(model), *options, "--json", str(reports)])) is not None:
            return {"error": error}
        return of_report(json.loads(reports.read_text())[0])


def _weigh(model: Path, options: list[str]) -> Values:
    """The figures of `compile`, and whether `--format auto` would accept the program despite its loss."""
    return _compile(model, options, weighed=True)


def _compile(model: Path, options: list[str], *, weighed: bool = False) -> Values:
    if "--route" in options:
        _need_router(options[options.index("--target") + 1])
    program, val, test = find_model(model) if model.is_dir() else (model, None, None)
    data = [*(["--val", str(val)] if val else []), *(["--test", str(test)] if test else [])]
    with tempfile.TemporaryDirectory() as out:
        folder = Path(out, "out")
        if (error := _run(["compile", str(program), *data, *options, "-o", str(folder)])) is not None:
            return {"error": error}
        values = of_report(json.loads((folder / "report.json").read_text()))
        return values | ({"qualifies": qualifies(folder, val)} if weighed and val else {})


def _need_router(target: str) -> None:
    """Raise `Unmeasured` if the tool that routes modules for a board is not installed."""
    fabric = fabric_of(board(target))
    try:
        placement_tool(fabric)
    except InputError as error:
        raise Unmeasured(error.message) from error


def _plan(model: Path, options: list[str]) -> Values:
    program, val, _ = find_model(model) if model.is_dir() else (model, None, None)
    front = "--front" in options
    data = ["--val", str(val)] if val and front else []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if (error := _run(["plan", str(program), *data, *options, "--json"])) is not None:
            return {"error": error}
    answer = json.loads(printed.getvalue())
    if front:
        return {row.pop("options"): row for row in answer["programs"]}
    return {mode: plan["bytes"] if isinstance(plan, dict) else plan for mode, plan in answer.items()}


def _digits(model: Path, options: list[str]) -> Values:
    from measured.digits_on_boards import on_all_images

    return on_all_images(model / "test.npz")


def _llvm(model: Path, options: list[str]) -> Values:
    from measured.measures.upstream import beside_llvm

    _, target = options
    return beside_llvm(model, target)


def _executors(model: Path, options: list[str]) -> Values:
    """The figures of a model in a format on all executors.

    options: the name of the format, its bits if the format has several widths, and optionally `weights` and the format
        of the weights.
    """
    from measured.measures.upstream import executors

    format, *more = options
    width = int(more[0]) if more and more[0].isdecimal() else None
    return executors(model, format, width, more[-1] if "weights" in more else None)


def _tosa(model: Path, options: list[str]) -> Values:
    from measured.measures.tosa import in_tosa

    return in_tosa(model)


def _circt(model: Path, options: list[str]) -> Values:
    from measured.measures.upstream import beside_circt

    _, width = options
    return beside_circt(model, int(width))


def _board(name: str, options: list[str]) -> Values:
    from measured.digits_on_boards import at_serial_line

    return at_serial_line(options)


def _beside_uno(model: Path, options: list[str]) -> Values:
    from measured.measures.hardware import module_beside_uno

    return dict(module_beside_uno(model, options))


def _equal_module(model: Path, options: list[str]) -> Values:
    from measured.measures.hardware import equal_module

    return dict(equal_module(model, options))


def _sparse_module(model: Path, options: list[str]) -> Values:
    from measured.measures.hardware import sparse_products

    return dict(sparse_products(model, options))


def _cells(model: Path, options: list[str]) -> Values:
    return dict(cells(model, options))


def _scalings(model: Path, options: list[str]) -> Values:
    from measured.measures.scalings import scalings

    _, width = options
    return scalings(model, int(width))


def _unrewritten(model: Path, options: list[str]) -> Values:
    from measured.measures.scalings import unrewritten

    _, width = options
    return unrewritten(model, int(width))


def _scalings_by_loss(model: Path, options: list[str]) -> Values:
    from measured.measures.scalings import scalings_by_loss

    _, width = options
    return scalings_by_loss(model, int(width))


def _rounded_inputs(model: Path, options: list[str]) -> Values:
    from measured.measures.scalings import rounded_inputs

    _, width = options
    return rounded_inputs(model, int(width))


def _es_of_constants(model: Path, options: list[str]) -> Values:
    from measured.measures.scalings import es_of_constants

    _, width = options
    return es_of_constants(model, int(width))


def _standard_posits(model: Path, options: list[str]) -> Values:
    from measured.measures.scalings import standard_posits

    _, width, _, es = options
    return standard_posits(model, int(width), int(es))


def _searches(model: Path, options: list[str]) -> Values:
    from measured.measures.compared_searches import searches

    return dict(searches(model))


def _searches_means(family: str, _: list[str]) -> Values:
    from measured.measures.compared_searches import mean_changes

    return dict(mean_changes(family))


def _third(model: Path, options: list[str]) -> Values:
    from measured.measures.compared_searches import within_a_third

    return dict(within_a_third(model))


def _within_8_bits(model: Path, options: list[str]) -> Values:
    from measured.measures.compared_searches import within_8_bits

    _, search = options
    return dict(within_8_bits(model, search))


def _quire_widths(model: Path, options: list[str]) -> Values:
    from measured.measures.scalings import quire_widths

    return quire_widths(model)


def _cells_drawn(seed: str, options: list[str]) -> Values:
    return dict(cells_drawn(int(seed)))


def _bitnetmcu(checkout: Path, options: list[str]) -> Values:
    from measured.measures.bitnetmcu import bitnetmcu

    return dict(bitnetmcu(checkout, options))


def _judge(name: str, options: list[str]) -> Values:
    from measured.measures.judged_packings import judged

    return judged(name, options)


def _decide(name: str, options: list[str]) -> Values:
    from measured.measures.decided_packings import decided

    return decided(name, options)


def _place(board: str, _: list[str]) -> Values:
    from measured.measures.placed_memories import placed

    return placed(board)


def _bound(row: str, _: list[str]) -> Values:
    from measured.measures.bound_models import bound_model

    return bound_model(row)


def _chain(label: str, _: list[str]) -> Values:
    from measured.measures.fused_chains import recomputed

    return recomputed(*label.split(" | "))


def _tiled(name: str, _: list[str]) -> Values:
    from measured.measures.tiled_networks import tiled

    return tiled(name)


def _finetune(name: str, options: list[str]) -> Values:
    from measured.trainings import finetuned

    return finetuned(name, options)


def _train(name: str, options: list[str]) -> Values:
    from measured.measures.trained import trained

    return trained(name, options)


def _detector(folder: Path, options: list[str]) -> Values:
    """The figures of a head detector on a Cortex-M4 (`programs.face_results`), compiled with the given options.

    The figures are those of a report, and the average precisions of the program and of the model in floating point on
    the measured pictures.
    """
    from programs import face_results

    name, *options = options
    with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(io.StringIO()):
        report = face_results.compiled(name, folder, Path(out), options)
    found = {key: report[key] for key in ("average_precision", "float")}
    return {**of_report(report), **{key: round(value, 6) for key, value in found.items()}}


def _anomalies(name: str, options: list[str]) -> Values:
    """The figures of an anomaly detector of `programs.anomalies`, named by data set and kind, joined by ` | `."""
    from programs.anomalies import figures

    return figures(*name.split(" | "))


def _layer(name: str, options: list[str]) -> Values:
    """The figures of a layer of a quantised network (`measured.measures.layers`), named by its shape."""
    from measured.measures.layers import layer

    _, target = options
    return layer(name, target)


def _estimates(target: str, options: list[str]) -> Values:
    """The ratios of estimated and measured times of networks on a board (`measured.measures.estimates`)."""
    from measured.measures.estimates import estimates

    return estimates(target)


def _choices(target: str, options: list[str]) -> Values:
    """The times of programs that estimates choose, relative to measurements (`measured.measures.choices`)."""
    from measured.measures.choices import choices

    return choices(target)


def _posit_sums(n: str, options: list[str]) -> Values:
    return dict(posit_sums(int(n), int(options[0])))


def _proved(format: str, options: list[str]) -> Values:
    """The figures of the proofs about a format: the number of statements proved by exhaustive trial, the number proved
    by the solver, and the CPU seconds.

    Raises `AssertionError` if a statement is false.
    """
    printed, begun = io.StringIO(), time.process_time()
    with contextlib.redirect_stdout(printed):
        assert tinyml(["prove", format, *options, "--json"]) == 0, printed.getvalue()
    seconds, report = time.process_time() - begun, json.loads(printed.getvalue())
    stated, proved, solved = (sum(row[key] for row in report["ops"]) for key in ("statements", "proved", "by_solver"))
    values = {"statements": stated, "tried": proved - solved, "solved": solved, "open": stated - proved}
    return {**values, "seconds": round(seconds, 1)}


def _bridge(network: str, options: list[str]) -> Values:
    """The figures of a network of `tests/models/mlir` in 16 bits on digits that were not used in training. `--from`
    determines the suffix of its file.
    """
    import numpy as np

    models = ROOT / "tests/models/mlir"
    expected, at = np.load(models / "expected.npz"), options.index("--from")
    with tempfile.TemporaryDirectory() as folder:
        val = Path(folder, "val.npz")
        np.savez(val, x=expected["images"] / 16, y=expected["labels"])
        chosen = [*options[:at], *options[at + 2 :], "--val", str(val), "--width", "16"]
        return _compile(models / f"{network}{options[at + 1]}", chosen)


def _attention(file: str, options: list[str]) -> Values:
    """The figures of an export of the transformer block of `tests/models/attention`."""
    folder = ROOT / "tests/models/attention"
    data = ["--val", str(folder / "val.npz"), "--test", str(folder / "test.npz")]
    return _compile(folder / file, [*data, *options])


def _few_bits(bits: str, options: list[str]) -> Values:
    from measured.measures.few_bits import on_board

    return dict(on_board(bits, options))


def _few_bits_packed(bits: str, options: list[str]) -> Values:
    from measured.measures.few_bits import packed_or_not

    return dict(packed_or_not(bits, options))


def _few_bits_module(model: Path, options: list[str]) -> Values:
    from measured.measures.few_bits import module

    return dict(module(model, options))


def _beside_outputs(folder: Path, options: list[str]) -> Values:
    from measured.measures.attention import beside_outputs

    format, *width = options
    return beside_outputs(folder, format, int(width[0]) if width else None)


def _operators(model: Path, options: list[str]) -> Values:
    from measured.measures.operators import of_operators

    kind, *options = options
    return of_operators(model, kind, options)


_OF_TESTS: dict[str, Callable[[str, list[str]], Values]] = {
    "anomalies": _anomalies,
    "attention": _attention,
    "estimates": _estimates,
    "choices": _choices,
    "estimator": _estimator,
    "called": _called,
    "chain": _chain,
    "few-bits": _few_bits,
    "few-bits-packed": _few_bits_packed,
    "tiled": _tiled,
    "sensor": _sensor,
    "board": _board,
    "bridge": _bridge,
    "cells-drawn": _cells_drawn,
    "decide": _decide,
    "finetune": _finetune,
    "train": _train,
    "judge": _judge,
    "layer": _layer,
    "place": _place,
    "bound": _bound,
    "posit-sums": _posit_sums,
    "prove": _proved,
    "searches-means": _searches_means,
}
"""Measurements of what the tests, or the product, name."""

_COMMANDS = {
    "bench": _bench,
    "compile": _compile,
    "weigh": _weigh,
    "plan": _plan,
    "digits": _digits,
    "detector": _detector,
    "bitnetmcu": _bitnetmcu,
    "llvm": _llvm,
    "tosa": _tosa,
    "beside-outputs": _beside_outputs,
    "beside-uno": _beside_uno,
    "cells": _cells,
    "equal-module": _equal_module,
    "few-bits-module": _few_bits_module,
    "operators": _operators,
    "sparse-module": _sparse_module,
    "executors": _executors,
    "circt": _circt,
    "quire-widths": _quire_widths,
    "searches": _searches,
    "third": _third,
    "within-8-bits": _within_8_bits,
    "rounded-inputs": _rounded_inputs,
    "scalings": _scalings,
    "scalings-by-loss": _scalings_by_loss,
    "es-of-constants": _es_of_constants,
    "standard-posits": _standard_posits,
    "unrewritten": _unrewritten,
}
"""Measurements of a folder or file of a model."""


def _run(arguments: list[str]) -> str | None:
    """Run a command on a model. Return the error message without the model's name, or None if the command succeeds. The
    output of the command is discarded, except that of `tinyml plan`. Raises `SystemExit` if the command was
    interrupted.
    """
    said = io.StringIO()
    printed = contextlib.nullcontext() if arguments[0] == "plan" else contextlib.redirect_stdout(io.StringIO())
    with printed, contextlib.redirect_stderr(said):
        failed = tinyml(arguments)
    error = said.getvalue().strip().splitlines()[-1].removeprefix("error: ") if failed else None
    if error == "interrupted":
        raise SystemExit(failed)
    return error and error.removeprefix(f"{arguments[1]}: ")


def of_report(report: Values) -> Values:
    """The figures of a `report.json` that the tables of the pages show.

    `working` is the RAM without the input, `code` the flash without the constants, and `change` the change of
    accuracy in points. `time` is the cycles or instructions of an inference. For a choice of `--format auto` there
    are also the expected loss in points (`lost`), its `bound`, and whether the program meets the limit on the loss
    (`kept`).

    A hardware module must compute the outputs of the evaluator on all samples of the report. Its figures are the
    cells that yosys counts, and `fmax` in MHz if nextpnr has routed it.
    """
    ram = report["ram_bytes"]
    time = report.get("cycles_per_inference", report.get("instructions_per_inference"))
    if time is None:
        return {"error": f"does not fit on {report['target']}"}
    values = {
        "accuracy": report["accuracy"],
        "float": report["accuracy_float"],
        "change": None if report["accuracy"] is None else round(report["accuracy"] - report["accuracy_float"], 4),
        "flash": report["flash_bytes"],
        "code": report["flash_bytes"] - report["constants_bytes"],
        "arena": ram["arena"],
        "arena_and_input": ram["arena"] + ram["input"],
        "stack": ram["stack"],
        "ram": ram["total"],
        "working": ram["total"] - ram["input"],
        "time": time,
        "core_cycles": report["core_cycles_per_inference"],
        "macs": report["macs"],
        "fits": report["fits"],
    }
    if hardware := report.get("hardware"):
        if report["mismatch"] is not None:
            return {"error": f"hardware and evaluator differ: {report['mismatch']}"}
        values |= {name: hardware[name] for name in ("luts", "registers", "dsps", "brams")}
        values["fmax"] = hardware["fmax_mhz"]
    if chosen := report.get("chosen"):
        plan = chosen["options"].get("plan")
        values |= {"chosen": f"{chosen['name']}, {plan}" if plan else chosen["name"], "bound": chosen["loss"]["bound"]}
        values |= {"lost": chosen["loss"]["points"], "kept": chosen["qualifies"]}
    return {name: value for name, value in values.items() if value is not None}
