"""Objects of XGBoost, LightGBM and CatBoost, and their binary files.

The libraries need not be installed: test objects have the libraries' interfaces and return files that the libraries
wrote.
"""

from __future__ import annotations

import json
import struct
import sys
import tarfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import binary, integers
from programs.estimators import answers, halves, scores_of, sk
from programs.paths import ROOT
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.boosted.ubjson import read_ubjson
from tinyml.lowering.frontends.importers import FRONTENDS
from tinyml.runtime.evaluator.evaluator import evaluate_reals

FOLDER = ROOT / "tests/models/boosted"
DATA = {"iris": 4, "cancer": 30, "diabetes": 10}
"""The features of each data set."""


def read(file: str, name: str = "model") -> ModuleOp:
    """The program of a file, renamed for comparison with another program."""
    return FRONTENDS.get(file.rpartition(".")[2])((FOLDER / file).read_bytes(), name)


def of_catboost() -> bytes:
    """The file of a classifier of three classes as CatBoost exports it."""
    with tarfile.open(FOLDER / "combinations.tar.xz") as archive:
        name = next(name for name in archive.getnames() if name.endswith("catboost-MultiClass.onnx"))
        file = archive.extractfile(name)
        assert file is not None
        return file.read()


class Booster:
    """A substitute for the `Booster` of XGBoost or LightGBM that returns the content of a file that the library
    wrote.
    """

    def __init__(self, content: bytes):
        self.content = content

    def save_raw(self, format: str) -> bytearray:
        assert format == "json"
        return bytearray(self.content)

    def model_to_string(self) -> str:
        return self.content.decode()


def trained(library: str, data: str) -> Any:
    """An estimator with the interface of a library, for a model that the library trained.

    library: `XGB` for XGBoost, `LGBM` for LightGBM.
    data: the name of the data set.
    """
    package, suffix = ("xgboost", "json") if library == "XGB" else ("lightgbm", "txt")
    booster = Booster((FOLDER / f"{package}_{data}.{suffix}").read_bytes())
    fields: dict[str, Any] = {
        "n_features_in_": DATA[data],
        "booster_": booster,
        "get_booster": classmethod(lambda _: booster),
    }
    if data != "diabetes":
        fields["classes_"] = np.array(["a", "b", "c"] if data == "iris" else [-1, 1])
    name = f"{library}{'Regressor' if data == 'diabetes' else 'Classifier'}"
    return type(name, (), {**fields, "__module__": f"{package}.sklearn"})()


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("library", ["XGB", "LGBM"])
def test_estimators_are_what_their_files_are(library: str, data: str) -> None:
    estimator = trained(library, data)
    with np.load(FOLDER / "predictions.npz") as wanted:
        x, expected = wanted[data], wanted[f"{'xgboost' if library == 'XGB' else 'lightgbm'}_{data}"]
    model = tinyml.load(estimator)
    outputs = evaluate_reals(model.module, x)
    if data == "diabetes":
        np.testing.assert_allclose(scores_of(outputs)[:, 0], expected, rtol=1e-5)
    else:
        np.testing.assert_array_equal(answers(model.module, outputs), estimator.classes_[expected])


def test_pipelines_hold_boosters() -> None:
    data = halves("iris")
    scaler = sk.StandardScaler().fit(data.x)
    module = tinyml.load(sk.make_pipeline(sk.FunctionTransformer().fit(data.x), trained("XGB", "iris"))).module
    np.testing.assert_array_equal(
        answers(module, evaluate_reals(module, data.x)),
        answers(alone := tinyml.load(trained("XGB", "iris")).module, evaluate_reals(alone, data.x)),
    )
    scaled = tinyml.load(sk.make_pipeline(scaler, trained("LGBM", "iris"))).module
    np.testing.assert_array_equal(
        answers(scaled, evaluate_reals(scaled, data.x)),
        answers(
            alone := tinyml.load(trained("LGBM", "iris")).module,
            evaluate_reals(alone, scaler.transform(data.x).astype(np.float32)),
        ),
    )


def test_other_objects_are_refused() -> None:
    for name, package, message in (
        ("XGBModel", "xgboost.sklearn", "expected an estimator of scikit-learn"),
        ("DMatrix", "xgboost.core", "expected an estimator of scikit-learn"),
    ):
        with pytest.raises(InputError, match=message):
            tinyml.load(type(name, (), {"__module__": package, "n_features_in_": 2})())
    unfitted = type("LGBMClassifier", (), {"__module__": "lightgbm.sklearn", "n_features_in_": 2})()
    with pytest.raises(InputError, match="its model cannot be read"):
        tinyml.load(unfitted)


@pytest.mark.parametrize("data", DATA)
def test_boosters_are_what_their_files_are(data: str) -> None:
    for package, suffix in (("xgboost", "json"), ("lightgbm", "txt")):
        kind = type("Booster", (Booster,), {"__module__": f"{package}.basic"})
        booster = kind((FOLDER / f"{package}_{data}.{suffix}").read_bytes())
        assert tinyml.load(booster).module.is_structurally_equivalent(read(f"{package}_{data}.{suffix}", "Booster"))


CATBOOST = """
import os, signal
from pathlib import Path

class CatBoost:
    def load_model(self, blob):
        if blob == b"attack":
            os.kill(os.getpid(), signal.SIGSEGV)
        if blob != b"model":
            raise ValueError("Incorrect model file descriptor")

    def save_model(self, path, format):
        assert format == "onnx"
        Path(path).write_bytes(Path({path!r}).read_bytes())

CatBoost.__module__ = "catboost.core"
"""


@pytest.mark.long(seconds=5)
def test_models_of_catboost_are_exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = of_catboost()
    (tmp_path / "exported.onnx").write_bytes(content)
    file = tmp_path / "model.cbm"
    file.write_bytes(b"model")
    monkeypatch.setitem(sys.modules, "catboost", None)
    with pytest.raises(InputError, match="needs the package catboost"):
        tinyml.load(file)
    (tmp_path / "catboost.py").write_text(CATBOOST.replace("{path!r}", repr(str(tmp_path / "exported.onnx"))))
    monkeypatch.delitem(sys.modules, "catboost")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    expected = [FRONTENDS.get("onnx")(content, name) for name in ("CatBoost", "model.cbm")]
    assert tinyml.load(file).module.is_structurally_equivalent(expected[1])
    assert "catboost" not in sys.modules, "a child reads the file"
    for damaged, words in (
        (b"another", "not a model of CatBoost: .*descriptor"),
        (b"attack", r"crashes .*\(SIGSEGV\)"),
    ):
        file.write_bytes(damaged)
        with pytest.raises(InputError, match=rf"model\.cbm: .*{words}"):
            tinyml.load(file)
    model = import_module("catboost").CatBoost()
    monkeypatch.delitem(sys.modules, "catboost")
    assert tinyml.load(model).module.is_structurally_equivalent(expected[0])


@pytest.mark.parametrize("data", DATA)
def test_binary_files_are_what_json_is(data: str) -> None:
    found = read(f"xgboost_{data}.ubj")
    assert found.is_structurally_equivalent(read(f"xgboost_{data}.json"))
    plain = plain_ubjson(json.loads((FOLDER / f"xgboost_{data}.json").read_bytes()))
    assert read_ubjson(plain, "model").is_structurally_equivalent(found)


def plain_ubjson(value: Any) -> bytes:
    """A value in UBJSON as writers other than XGBoost's produce it: without optimised containers, which state the type
    and the number of their elements once.
    """
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return b"{" + b"".join(plain_ubjson(name)[1:] + plain_ubjson(each) for name, each in items) + b"}"
    if isinstance(value, list):
        return b"[N" + b"".join(map(plain_ubjson, cast("list[Any]", value))) + b"]"
    if isinstance(value, str):
        return b"SL" + struct.pack(">q", len(value.encode())) + value.encode()
    if isinstance(value, bool) or value is None:
        return {True: b"T", False: b"F", None: b"Z"}[value]
    return b"l" + struct.pack(">i", value) if isinstance(value, int) else b"D" + struct.pack(">d", value)


@given(integers(0, 4000), binary(max_size=3))
def test_damaged_binary_files_are_refused(at: int, others: bytes) -> None:
    content = (FOLDER / "xgboost_cancer.ubj").read_bytes()
    at %= len(content)
    damaged = content[:at] + others + content[at + max(len(others), 1) :]
    with suppress(InputError):
        read_ubjson(damaged, "model")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "1 bytes do not follow at byte 0"),
        (b"[" * 100, "more than 64 containers"),
        (b"[$T#L" + b"\x7f" * 8, "elements do not follow"),
        (b"[$T]", "expected the number of elements"),
        (b"{i\x01ai\x01i\x01ai\x02}", "the name 'a' a second time"),
        (b"{}x", "expected the end of the file at byte 2"),
        (b"{}", r"expected a model as XGBoost's save_model\('model.ubj'\) writes it"),
        (b"?", "unknown type"),
        (b"Si\xff", "-1 bytes do not follow"),
        (b"SC", "expected an integer as a length"),
    ],
)
def test_what_is_no_model_says_so(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_ubjson(content, "model")
