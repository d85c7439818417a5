"""A separate scale and zero for each feature, as tabular data require, with the same bits on every device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.runtime_functions import run_figure
from programs.spread import spread
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.registry import HOST, board
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.compiled_program import Compiled
from tinyml.tools.driver.measure import accuracy
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import compile_stages, load_program

LOADERS = {"cancer": load_breast_cancer, "wine": load_wine}
CASES = [("cancer", "fixed", 16), ("wine", "fixed", 8), ("wine", "zeroskew", 8)]
"""A data set, a format and its width, of which one scale for all features loses most answers or some."""


class Compilation(NamedTuple):
    folder: Path
    report: dict[str, Any]


def dense(numbers: Any) -> str:
    return f"dense<{json.dumps(np.asarray(numbers, np.float32).astype(float).tolist())}>"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model for each data set: a pipeline of a scaler and a logistic regression with softmax. Every
    second sample is held back.
    """
    folder = tmp_path_factory.mktemp("models")
    for name, load in LOADERS.items():
        x, y = cast("tuple[Any, Any]", load(return_X_y=True))
        scaler: Any = StandardScaler()
        model: Any = LogisticRegression(max_iter=500)
        model.fit(scaler.fit_transform(x[::2]), y[::2])
        weights, bias = model.coef_, model.intercept_
        if len(weights) == 1:
            weights, bias = np.concatenate([-weights, weights]), np.concatenate([-bias, bias])
        row, scores = f"tensor<1x{x.shape[1]}xf32>", f"tensor<1x{len(weights)}xf32>"
        matrix = f"tensor<{x.shape[1]}x{len(weights)}xf32>"
        (folder / f"{name}.mlir").write_text(
            f"""
            func.func @{name}(%X: {row}) -> (index, {scores}) {{
              %mean = tdsl.const {dense([scaler.mean_])} : {row} -> {row}
              %rate = tdsl.const {dense([1 / scaler.scale_])} : {row} -> {row}
              %W = tdsl.const {dense(weights.T)} : {matrix} -> {matrix}
              %b = tdsl.const {dense([bias])} : {scores} -> {scores}
              %centred = tdsl.sub %X, %mean : {row}, {row} -> {row}
              %scaled = tdsl.mul %centred, %rate : {row}, {row} -> {row}
              %products = tdsl.matmul %scaled, %W : {row}, {matrix} -> {scores}
              %sums = tdsl.add %products, %b : {scores}, {scores} -> {scores}
              %shares = tdsl.softmax %sums : {scores} -> {scores}
              %label = tdsl.argmax %shares : {scores}
              func.return %label, %shares : index, {scores}
            }}
            """
        )
        for part, offset in (("val", 0), ("test", 1)):
            np.savez(folder / f"{name}_{part}.npz", x=x[offset::2].astype(np.float32), y=y[offset::2])
    return folder


def without_device(models: Path, name: str, **options: Any) -> Compiled:
    """A model compiled with its validation data for the host, without a run on a device."""
    program = load_program(models / f"{name}.mlir", context())
    asked = PipelineOptions(data=str(models / f"{name}_val.npz"), **options)
    return compile_stages(program, context(), asked)


def percent(compiled: Compiled, models: Path, name: str) -> float:
    data = load_program_data(compiled.formats, str(models / f"{name}_test.npz"))
    result = accuracy(compiled.reals, compiled.formats, data)
    assert result.formats is not None
    return result.formats


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def compiled(request: pytest.FixtureRequest, models: Path, tmp_path_factory: pytest.TempPathFactory) -> Compilation:
    name, format, width = request.param
    out, val, test = tmp_path_factory.mktemp("out"), models / f"{name}_val.npz", models / f"{name}_test.npz"
    options: dict[str, Any] = {"format": format, "width": width, "feature_scales": True, "outputs": "class"}
    asked = Request(model=models / f"{name}.mlir", val=val, test=test, out=out, **options)
    report = build_folder(asked, board("uno"), out, must_fit=True).report.as_json()
    plain = percent(without_device(models, name, format=format, width=width), models, name)
    assert report["feature_scales"]
    assert report["outputs"] == "class"
    assert plain < report["accuracy_float"] - 1, "one scale for all features is enough for this model"
    return Compilation(out, report)


@pytest.mark.long
def test_answers_are_those_on_reals(compiled: Compilation) -> None:
    """A program with feature scales and the model on reals return different classes for at most two of a hundred
    held-back samples.
    """
    assert compiled.report["disagreements"] <= compiled.report["samples"] / 50


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 3))
def test_device_equals_evaluator(compiled: Compilation, models: Path, device: str) -> None:
    """A device computes the evaluator's bits from reals. The host also computes them from raws, which the program uses
    unchanged.
    """
    data = models / f"{compiled.report['name']}_test.npz"
    asked = RunRequest(folder=compiled.folder, data=data, device=device, limit=None if device == HOST else 10)
    assert run_model(asked)["mismatch"] is None


def test_raws_are_given_back(compiled: Compilation, tmp_path: Path) -> None:
    """Integers in a data file are raws. Decoding them to features and encoding these again results in the same
    integers.
    """
    formats = load_program(compiled.folder / "ir" / "1-formats.mlir", context())
    samples = np.random.default_rng(3).integers(-120, 120, (50, interface_of(formats).input_length))
    np.savez(tmp_path / "raws.npz", x=samples)
    data = load_program_data(formats, str(tmp_path / "raws.npz"))
    np.testing.assert_array_equal(encode_inputs(formats, data.x), samples)


ENCODES = """\
#include "figure.h"
#include "{source}"
static {type} out[{name}_INPUT_LENGTH];
const {type} *figure_scores(void) {{ return out; }}
void figure_predict(const int32_t *X)
{{
    for (int i = 0; i < {name}_INPUT_LENGTH; i++) {{
        union {{ int32_t bits; float value; }} real;
        real.bits = X[i];
        {name}_set(i, real.value);
        out[i] = {name}_input()[i];
    }}
}}
"""


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 3))
def test_the_program_encodes_as_the_evaluator(compiled: Compilation, models: Path, tmp_path: Path, device: str) -> None:
    """Every kind of float, including NaN and subnormal numbers, is encoded as by the evaluator."""
    name = compiled.report["name"]
    formats = load_program(compiled.folder / "ir" / "1-formats.mlir", context())
    x = load_program_data(formats, str(models / f"{name}_test.npz")).x[:40]
    odd = [[-1e30], [1e30], [np.inf], [-np.inf], [np.nan], [-np.nan], [-0.0], [1e-45], [-1e-45], [-1e-39]]
    x = np.concatenate([x, np.repeat(odd, x.shape[1], 1)]).astype(np.float32)
    type = interface_of(formats).input_ctype
    source = ENCODES.format(name=name, type=type, source=compiled.folder / f"{name}.c")
    raws = run_figure(source, x.view(np.int32), x.shape[1], device, tmp_path, output=type)
    np.testing.assert_array_equal(raws, encode_inputs(formats, x))


@pytest.mark.long
@pytest.mark.parametrize("format", ["fixed", "posit"])
@pytest.mark.parametrize("target", ["cortex-m4", HOST])
def test_programs_for_chips_with_plain_memory_encode(models: Path, tmp_path: Path, target: str, format: str) -> None:
    """Programs whose tables are read by ordinary loads encode features as the evaluator does, up to a difference of 1,
    in fixed point and in posits.
    """
    compiled = without_device(models, "wine", format=format, width=8, feature_scales=True, target=target)
    own = tmp_path / "own"
    own.mkdir()
    (own / "wine.h").write_text(compiled.header)
    (own / "wine.c").write_text(compiled.source)
    x = load_program_data(compiled.formats, str(models / "wine_test.npz")).x[:40]
    type = interface_of(compiled.formats).input_ctype
    source = ENCODES.format(name="wine", type=type, source=own / "wine.c")
    raws = run_figure(source, x.astype(np.float32).view(np.int32), x.shape[1], HOST, tmp_path, output=type)
    assert np.abs(raws.astype(np.int64) - encode_inputs(compiled.formats, x)).max() <= 1


@pytest.mark.long
def test_folding_is_taken_only_where_no_more_answers_change(models: Path) -> None:
    """With `fold_affine`, the scaler is folded into the weights in 16 bits, where accuracy does not decrease. In 12
    bits it is not folded, nor if feature scales have absorbed it.
    """
    folded = without_device(models, "cancer", width=16, fold_affine=True)
    plain = without_device(models, "cancer", width=16)
    assert folded.fold_affine
    assert "tdsl.sub" not in str(folded.formats)
    assert percent(folded, models, "cancer") >= percent(plain, models, "cancer")
    kept = without_device(models, "cancer", width=12, fold_affine=True)
    assert not kept.fold_affine
    assert kept.source == without_device(models, "cancer", width=12).source
    scaled = without_device(models, "cancer", width=12, fold_affine=True, feature_scales=True)
    assert not scaled.fold_affine
