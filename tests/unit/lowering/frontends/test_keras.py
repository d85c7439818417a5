"""Models and files of Keras: advice without TensorFlow, and programs if it is installed (`make keras`)."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.keras_archives import archive
from xdsl.dialects import scf

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.keras import import_keras
from tinyml.lowering.frontends.keras_files import ELSEWHERE, HDF5_MAGIC
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.tools.main import main


class Sequential:
    """A class whose name and module are those of a class of Keras, for tests without Keras."""

    __module__ = "keras.src.models"


class Model(Sequential):
    __module__ = "keras.src.models"


@pytest.mark.parametrize("suffix", ["keras", "h5", "hdf5"])
def test_a_file_without_tensorflow(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    (tmp_path / f"net.{suffix}").write_bytes(archive({}) if suffix == "keras" else HDF5_MAGIC)
    assert main(["compile", str(tmp_path / f"net.{suffix}"), "-o", str(tmp_path / "out")]) == 1
    [line] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    assert "models of Keras are converted by TensorFlow: pip install 'tinyml-xdsl[keras]', or convert" in line
    assert "compile the .tflite file" in line
    assert not (tmp_path / "out").exists()


def test_a_model_without_tensorflow(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    with pytest.raises(InputError, match=r"model: models of Keras are converted by TensorFlow: pip install"):
        tinyml.load(Model())


@pytest.mark.parametrize("package", ["qkeras", "hgq"])
def test_a_model_of_quantised_layers(package: str):
    class Quantised(Model):
        layers = (type("QDense", (), {"__module__": f"{package}.layers"})(),)

    with pytest.raises(InputError) as raised:
        tinyml.load(Quantised())
    assert raised.value.message == ELSEWHERE[package]


@pytest.fixture
def keras() -> Any:
    pytest.importorskip("tensorflow")
    return pytest.importorskip("keras")


def models(keras: Any) -> dict[str, Any]:
    layers = keras.layers

    def of(shape: tuple[int | None, ...], *parts: Any) -> Any:
        return keras.Sequential([keras.Input(shape), *parts])

    return {
        "images": of((8, 8, 1), layers.Conv2D(3, 3, activation="relu"), layers.Flatten(), layers.Dense(3)),
        "dilated": of((16, 3), layers.Conv1D(4, 3, dilation_rate=4, padding="causal"), layers.GlobalAveragePooling1D()),
        "lstm": of((6, 3), layers.LSTM(5, return_sequences=True), layers.GRU(4), layers.Dense(2, activation="softmax")),
        "both": of((5, 3), layers.Bidirectional(layers.SimpleRNN(4)), layers.Dense(2)),
        "backwards": of(
            (5, 3),
            layers.Bidirectional(layers.LSTM(4, return_sequences=True), merge_mode="mul"),
            layers.GRU(3, go_backwards=True, return_sequences=True, reset_after=False, use_bias=False),
            layers.RNN(layers.LSTMCell(3, activation="relu", recurrent_activation="hard_sigmoid")),
        ),
        "other activation": of((5, 3), layers.LSTM(4, activation="silu"), layers.Dense(2)),
    }


LOOPS = {"lstm": 2, "both": 2, "backwards": 4}
"""The numbers of loops in programs of models."""


# Keras and TensorFlow warn of themselves.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["images", "dilated", "lstm", "both", "backwards", "other activation"])
def test_a_program_computes_what_keras_computes(name: str, tmp_path: Path, keras: Any):
    model = models(keras)[name]
    x = np.random.default_rng(0).normal(size=(9, *model.input_shape[1:])).astype("f")
    expected = np.asarray(model(x)).reshape(9, -1)
    sources = [model]
    for suffix in ("keras", "h5", "hdf5"):
        sources.append(tmp_path / f"{name}.{suffix}")
        model.save(sources[-1])
    for source in sources:
        module = tinyml.load(source).module
        scores = evaluate_reals(module, x.reshape(9, -1)).scores
        assert scores is not None
        np.testing.assert_allclose(scores, expected, atol=1e-5)
        assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == LOOPS.get(name, 0)
    np.testing.assert_array_equal(np.asarray(model(x)).reshape(9, -1), expected, "the model is as before")


def test_what_is_refused_is_named(keras: Any):
    open_length = keras.Sequential([keras.Input((None, 4)), keras.layers.Conv1D(2, 3)])
    with pytest.raises(InputError, match=r"the input has the shape \(None, 4\): give Input a shape without None"):
        import_keras(open_length, "net")
    with pytest.raises(InputError, match="expected a model with an input: an Input layer gives it one"):
        import_keras(keras.Sequential([keras.layers.Dense(2)]), "net")


@pytest.mark.filterwarnings("ignore")
def test_a_recurrent_network_with_several_inputs(keras: Any):
    """The inputs, whose names are not in alphabetical order, keep their order. One of them is an initial state."""
    window, begun = keras.Input((5, 2), name="window"), keras.Input((3,), name="begun")
    whole, last = keras.layers.GRU(3, return_sequences=True, return_state=True)(window, initial_state=begun)
    both = keras.layers.Concatenate()([keras.layers.SimpleRNN(2)(whole), last])
    model = keras.Model([window, begun], keras.layers.Dense(2)(both))
    random = np.random.default_rng(2)
    x = random.normal(size=(9, 5, 2)).astype("f"), random.normal(size=(9, 3)).astype("f")
    program = tinyml.compile(model, x, board="host", format="f32", outputs="scores")
    np.testing.assert_allclose(program.scores(x), np.asarray(model([*x])), atol=1e-5)
    np.testing.assert_allclose(program.scores({"window": x[0], "begun": x[1]}), np.asarray(model([*x])), atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_a_stateful_network_is_a_step_of_a_stream(keras: Any):
    layers = keras.layers
    first, second = layers.LSTM(4, stateful=True, return_sequences=True), layers.GRU(3, stateful=True)
    model = keras.Sequential([keras.Input((2, 3), batch_size=1), first, second, layers.Dense(2)])
    x = np.random.default_rng(0).normal(size=(1, 2, 2, 3)).astype("f")
    expected = [np.asarray(model(x[:, frame])) for frame in range(2)]
    scores = evaluate_reals(tinyml.load(model).module, x.reshape(1, -1)).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected[1], atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_recurrent_layers_that_are_refused(keras: Any):
    layers = keras.layers
    masked = keras.Sequential([keras.Input((5, 3)), layers.Masking(), layers.LSTM(4, name="memory")])
    with pytest.raises(InputError, match="the layer 'memory' has a mask, with which it skips steps"):
        import_keras(masked, "net")
    stateful = layers.LSTM(4, activation="silu", stateful=True, name="memory")
    with pytest.raises(InputError, match="the layer 'memory' keeps a state: this is supported with cells LSTMCell,"):
        import_keras(keras.Sequential([keras.Input((5, 3), batch_size=1), stateful]), "net")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("named", [False, True])
def test_several_inputs(named: bool, keras: Any):
    """The data of a model with several inputs may be arrays in the order of its Input layers, or a dictionary with the
    names of these layers as keys.
    """
    window, level = keras.Input((5, 2), name="window"), keras.Input((1,), name="level")
    both = keras.layers.Concatenate()([keras.layers.Flatten()(window), level])
    model = keras.Model({"w": window, "l": level} if named else [window, level], keras.layers.Dense(2)(both))
    random = np.random.default_rng(2)
    x = {"window": random.normal(size=(9, 5, 2)).astype("f"), "level": random.normal(size=(9, 1)).astype("f")}
    expected = np.asarray(model({"w": x["window"], "l": x["level"]} if named else [*x.values()]))
    program = tinyml.compile(model, x, board="host", format="f32", outputs="scores")
    np.testing.assert_allclose(program.scores(x), expected, atol=1e-5)


def test_a_program_for_a_board(keras: Any):
    random = np.random.default_rng(1)
    x = random.normal(size=(60, 4)).astype("f")
    program = tinyml.compile(models(keras)["images"], random.normal(size=(40, 8, 8, 1)), board="uno")
    assert program.report.fits
    dense = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    program = tinyml.compile(dense, x, np.asarray(dense(x)).argmax(1), board="uno", outputs="class")
    assert (program.report.accuracy or 0) > 95


@pytest.mark.parametrize("suffix", ["keras", "h5"])
def test_code_in_a_file_runs_only_where_it_is_trusted(suffix: str, tmp_path: Path, keras: Any):
    double: Callable[[Any], Any] = lambda x: 2 * x  # noqa: E731
    doubles = keras.Sequential([keras.Input((3,)), keras.layers.Lambda(double)])
    doubles.save(file := tmp_path / f"net.{suffix}")
    with pytest.raises(InputError, match="holds code, a layer of the class Lambda, which loading it would run"):
        tinyml.load(file)
    scores = evaluate_reals(tinyml.load(file, trust_pickle=True).module, np.ones((1, 3))).scores
    np.testing.assert_array_equal(scores, [[2, 2, 2]])


def test_layers_larger_than_the_limit_are_refused_before_keras_makes_them(tmp_path: Path, keras: Any):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8)])
    model.save(tmp_path / "net.keras")
    with zipfile.ZipFile(tmp_path / "net.keras") as saved:
        members = {name: saved.read(name) for name in saved.namelist()}
    members["config.json"] = members["config.json"].replace(b'"units": 8', b'"units": 2000000000')
    with zipfile.ZipFile(tmp_path / "large.keras", "w") as changed:
        for name, content in members.items():
            changed.writestr(name, content)
    with pytest.raises(InputError, match="the model has 8,000,000,000 weights, more than 50,000,000; --max-elements"):
        tinyml.load(tmp_path / "large.keras")


def _of_keras_2(keras: Any, file: Path, **added: Any) -> Path:
    """The path of a Keras file that looks as if Keras 2.11 had written it. Its depthwise convolution has the additional
    parameters `added`.
    """
    h5py = pytest.importorskip("h5py")
    layers = keras.layers
    keras.Sequential([keras.Input((6, 6, 2)), layers.DepthwiseConv2D(3), layers.Flatten(), layers.Dense(3)]).save(file)
    with h5py.File(file, "r+") as opened:
        configuration = json.loads(opened.attrs["model_config"])
        for layer in configuration["config"]["layers"]:
            layer["config"] |= added if layer["class_name"] == "DepthwiseConv2D" else {}
        opened.attrs["model_config"] = json.dumps(configuration)
        opened.attrs["keras_version"] = "2.11.0"
    return file


def test_a_file_of_keras_2(keras: Any, tmp_path: Path):
    """A file of Keras 2 whose depthwise convolution has the parameter `groups` is accepted. For other parameters that
    Keras 3 rejects, the error contains their names but not the whole configuration.
    """
    assert tinyml.load(str(_of_keras_2(keras, tmp_path / "net.h5", groups=1))).module is not None
    with pytest.raises(
        InputError, match=r"it is of Keras 2.11.0, which converts .*'DepthwiseConv2D': .*{'wonder': 1}"
    ) as error:
        tinyml.load(str(_of_keras_2(keras, tmp_path / "other.h5", wonder=1)))
    assert "using config=" not in str(error.value)
