"""Files of Keras are checked before Keras loads them. These tests do not need Keras."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from programs.keras_archives import archive

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.keras_files import (
    check_archive,
    check_configuration,
    check_hdf5,
    weights_in,
)
from tinyml.tools.main import main


def layer(name: str, module: str | None = "keras.layers", **config: Any) -> dict[str, Any]:
    named = {} if module is None else {"module": module, "registered_name": None}
    return {"class_name": name, "config": {"name": "one", **config}, **named}


def model(*layers: Any) -> dict[str, Any]:
    return {"module": "keras", "class_name": "Sequential", "config": {"name": "net", "layers": [*layers]}}


FUNCTION = {"class_name": "__lambda__", "config": {"code": "4wEA", "defaults": None, "closure": None}}
POLICY = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}, "registered_name": None}
RELU = {"module": "keras.activations", "class_name": "function", "config": "relu", "registered_name": "relu"}

USUAL = [
    model(),
    model(
        layer(
            "Dense", units=8, dtype=POLICY, activation="relu", kernel_initializer=layer("Zeros", "keras.initializers")
        )
    ),
    model(layer("Activation", activation=RELU), layer("TimeDistributed", layer=layer("LSTM", units=3))),
    model(
        layer("Add", "keras.src.ops.numpy"),
        layer("BatchNormalization", None),
        layer("Functional", "keras.src.models.functional"),
    ),
    {"class_name": "Sequential", "config": [layer("Dense", None, units=8)]},
]

CODE = [
    (layer("Lambda", function=FUNCTION), "a layer of the class Lambda"),
    (layer("Lambda", None, function=["4wEA", None, None], function_type="lambda"), "a layer of the class Lambda"),
    (layer("Lambda", "keras.src.layers.core.lambda_layer"), "a layer of the class Lambda"),
    (layer("TimeDistributed", layer=layer("Lambda")), "a layer of the class Lambda"),
    (layer("Custom>Lambda", None), "a layer of the class Lambda"),
    (layer("Dense", activation=FUNCTION), "code, a lambda"),
    (layer("Dense", activation={"function_type": "lambda", "function": "4wEA"}), "code, a lambda"),
    (layer("TFSMLayer", filepath="elsewhere"), "a layer of the class TFSMLayer"),
    (layer("TorchModuleWrapper", module="gASV"), "a layer of the class TorchModuleWrapper"),
    (layer("system", "os"), "'os.system'"),
    (layer("Popen", "subprocess"), "'subprocess.Popen'"),
    (layer("get_file", "keras.utils"), "'keras.utils.get_file'"),
    (
        layer("Dense", activation={**RELU, "module": "keras.config", "config": "enable_unsafe_deserialization"}),
        "'keras.config",
    ),
    (
        layer("Dense", activation={**RELU, "module": "keras.models", "config": "load_model"}),
        "'keras.models.load_model'",
    ),
    (layer("Dense", "keras_layers_of_mine"), "'keras_layers_of_mine.Dense'"),
    (layer("deserialize"), "a function that loads models"),
    ({"class_name": ["Lambda"]}, "an object whose class has no name"),
]


@pytest.mark.parametrize("configuration", USUAL)
def test_models_of_layers_pass(configuration: object):
    check_archive(archive(configuration), "net.keras", trusted=False)


@pytest.mark.parametrize(("found", "words"), CODE)
def test_code_at_any_depth_is_refused_unless_it_is_trusted(found: object, words: str):
    content = archive(model(layer("Dense", units=2), layer("Bidirectional", layer=found)))
    with pytest.raises(InputError) as raised:
        check_archive(content, "net.keras", trusted=False)
    message = str(raised.value)
    assert message.startswith("net.keras: holds ")
    assert words in message
    assert message.endswith("which loading it would run: give --trust-pickle if you trust where the file comes from")
    check_archive(content, "net.keras", trusted=True)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (layer("QDense", "qkeras.qlayers"), "QKeras are imported from QONNX: qonnx.converters.from_keras(model)"),
        (layer("QDense", None), "QKeras are imported from QONNX"),
        (layer("qkeras>QConv2DBatchnorm", None), "QKeras are imported from QONNX"),
        (layer("QDense", "hgq.layers.core.dense"), "HGQ2 are not supported, because HGQ2 has no export to QONNX"),
    ],
)
@pytest.mark.parametrize("trusted", [False, True])
def test_quantised_layers_name_the_export_to_qonnx(found: object, words: str, trusted: bool):
    content = archive(model(layer("Dense", units=2), found))
    with pytest.raises(InputError) as raised:
        check_archive(content, "net.keras", trusted=trusted)
    assert str(raised.value).startswith(f"net.keras: layers of {words}")


def test_a_command_refuses_code_without_keras(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.keras").write_bytes(archive(model(layer("Lambda", function=FUNCTION))))
    assert main(["compile", str(tmp_path / "net.keras"), "-o", str(tmp_path / "out")]) == 1
    assert "net.keras: holds code, a layer of the class Lambda" in capsys.readouterr().err


@pytest.mark.long
def test_an_archive_is_as_large_as_its_header_says():
    bomb = archive(model(), blanks=100 << 20)
    assert len(bomb) < 1 << 18
    with pytest.raises(InputError, match=r"config\.json unpacks to 104,\d+,\d+ bytes, expected at most 16,777,216"):
        check_archive(bomb, "net.keras", trusted=True)
    token = ELEMENT_LIMIT.set(1000)
    try:
        with pytest.raises(InputError, match=r"unpacks to 9,\d+ bytes, more than 1,000 elements take; --max-elements"):
            check_archive(archive(model(), blanks=9000), "net.keras", trusted=False)
    finally:
        ELEMENT_LIMIT.reset(token)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK", "not a file of Keras, an archive with a config.json: File is not a zip file"),
        (archive(model())[:-30], "not a file of Keras, an archive with a config.json: File is not a zip file"),
        (
            archive(model()).replace(b"config.json", b"config.jsom"),
            "There is no item named 'config.json' in the archive",
        ),
    ],
    ids=["two bytes", "cut", "other member"],
)
def test_a_damaged_archive_is_one_line(content: bytes, message: str):
    with pytest.raises(InputError, match=message):
        check_archive(content, "net.keras", trusted=False)


def test_a_damaged_configuration_is_one_line():
    for text in ("{", "[" * 100_000, b"\xff"):
        with pytest.raises(InputError, match="net: the configuration of the model is no JSON: "):
            check_configuration(text, "net", trusted=True)


def test_hdf5_is_read_by_its_library(tmp_path: Path):
    h5py: Any = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "lambda.h5", "w") as file:
        file.attrs["model_config"] = json.dumps(model(layer("Lambda", function=FUNCTION)))
    with pytest.raises(InputError, match="holds code, a layer of the class Lambda"):
        check_hdf5((tmp_path / "lambda.h5").read_bytes(), "lambda.h5", trusted=False, network=True)
    with h5py.File(tmp_path / "large.h5", "w") as file:
        file.create_dataset("weights", (1 << 20, 1 << 20), dtype="f4", chunks=(1, 1))
    with pytest.raises(InputError, match="the model has 1,099,511,627,776 weights, more than 50,000,000"):
        check_hdf5((tmp_path / "large.h5").read_bytes(), "large.h5", trusted=True, network=True)
    with h5py.File(tmp_path / "link.h5", "w") as file:
        file["other"] = h5py.ExternalLink("/etc/secret.h5", "/")
    with pytest.raises(InputError, match="the weights `other` are in another file"):
        check_hdf5((tmp_path / "link.h5").read_bytes(), "link.h5", trusted=True, network=True)
    with pytest.raises(InputError, match="not a readable HDF5 file"):
        check_hdf5((tmp_path / "large.h5").read_bytes()[:600], "large.h5", trusted=True, network=True)


def test_weights_alone_are_no_model(tmp_path: Path):
    """Files that `save_weights` wrote are rejected. Weights in an archive that also contains the network are loaded."""
    h5py: Any = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "net.weights.h5", "w") as file:
        file.create_dataset("layers/dense/vars/0", (3, 2), dtype="f4")
        file.attrs["keras_version"] = "2.11.0"
    content = (tmp_path / "net.weights.h5").read_bytes()
    message = r"net.weights.h5: holds weights alone, .*: in Python, build the model, model.load_weights\(file\)"
    with pytest.raises(InputError, match=message):
        check_hdf5(content, "net.weights.h5", trusted=False, network=True)
    assert check_hdf5(content, "net.keras", trusted=False, network=False) == "2.11.0"


def test_damaged_weights_in_an_archive_are_refused():
    """An archive with damaged weights is rejected, even if its configuration, which is checked first, is valid."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr("model.weights.h5", b"weights of a network")
    content = stream.getvalue().replace(b"weights of a", b"weights or a")
    with pytest.raises(InputError, match="the archive is damaged: Bad CRC-32"):
        weights_in(content, "net.keras")
