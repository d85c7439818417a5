"""Models that are too large for an Uno: the message states the size, what would fit, and which parameter helps."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import datasets, halves, sk, skl2onnx
from programs.network_writer import NetworkWriter
from programs.spread import spread

import tinyml
from tinyml import features
from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.tools.driver.choice import choose_program
from tinyml.tools.driver.choice.trials import ProgramTrial
from tinyml.tools.driver.least_flash import weights_of
from tinyml.tools.main import main


def exported(estimator: Any, x: Any) -> bytes:
    with warnings.catch_warnings(action="ignore"):
        return skl2onnx.to_onnx(estimator, x[:1]).SerializeToString()


def support_vectors() -> Any:
    """The SVC with default options for 1,100 of the digits, which has 537 support vectors."""
    x, y = datasets.load_digits(return_X_y=True)
    some = np.random.default_rng(0).permutation(len(x))[:1100]
    return sk.SVC().fit(x[some].astype(np.float32), y[some])


@pytest.mark.long(seconds=50)
def test_support_vectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """For an SVC in a file of skl2onnx, compiled with an automatic format, the message states how many support vectors
    would fit.
    """
    data, estimator = halves("digits"), support_vectors()
    count = len(estimator.support_vectors_)
    assert count == 537
    file, val = tmp_path / "svc.onnx", tmp_path / "val.npz"
    file.write_bytes(exported(estimator, data.x))
    np.savez(val, x=data.held_x[:20], y=data.held_y[:20])
    allowed = ["--target", "uno", "--flash", "24000"]
    assert main(["compile", str(file), "--val", str(val), *allowed, "-o", str(tmp_path / "out")]) == 1
    [error] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    found = re.search(r"needs ([\d,]+) bytes of flash, --flash allows 24,000; the model has 537 support vectors", error)
    assert found is not None, error
    assert 24_000 < int(found[1].replace(",", "")) < 100 * count
    fitting = re.search(r"about (\d+) would fit: a greater C, a smaller gamma", error)
    assert fitting is not None, error
    assert 200 < int(fitting[1]) < count
    assert len(error) < 400 + len(str(file))


@pytest.mark.long(seconds=5)
def test_neighbours():
    """For a model of nearest neighbours, the message states how many training samples would fit, also if the constant
    of the samples is split into several arrays.
    """
    data = halves("digits")
    estimator = sk.KNeighborsClassifier(3).fit(data.x[:600], data.y[:600])
    said = r"does not fit uno .*: needs [\d,]+ bytes of flash, the board has 32,256; .*the model has 600 training"
    with pytest.raises(tinyml.InputError, match=rf"{said} samples, about \d+ would fit: .*n_neighbors") as error:
        tinyml.compile(estimator, data.held_x[:20], data.held_y[:20], board="uno", width=8)
    assert "\n" not in str(error.value)


SAID = {
    "neighbours": r"about (\d+) would fit: fit it on fewer",
    "trees": r"as many as (\d+) such trees have: train with fewer trees",
    "vectors": r"about [\d,]+ would fit: fit it with nu=([0-9.]+\d)",
}


@pytest.mark.long(seconds=50)
@pytest.mark.parametrize("name", SAID)
def test_as_many_parts_as_a_message_says_fit(name: str):
    """A model with as many parts, such as trees or support vectors, as the message proposes fits the flash."""
    data = halves("digits")
    train, y = np.vstack([data.x, data.held_x]), np.concatenate([data.y, data.held_y])

    def compiled(number: float) -> tinyml.Program:
        count = int(number)
        estimator = {
            "neighbours": lambda: sk.KNeighborsClassifier(1).fit(train[:count], y[:count]),
            "trees": lambda: sk.IsolationForest(n_estimators=count, max_samples=512, random_state=0).fit(train),
            "vectors": lambda: sk.OneClassSVM(nu=number, gamma=0.0005).fit(train[:600]),
        }[name]()
        checked: Any = {"false_alarms": 0.05} if name != "neighbours" else {}
        return tinyml.compile(estimator, train[:40], board="uno", format="fixed", width=16, **checked)

    with warnings.catch_warnings(action="ignore"):
        with pytest.raises(tinyml.InputError, match=SAID[name]) as error:
            compiled({"neighbours": 600, "trees": 100, "vectors": 0.6}[name])
        found = re.search(SAID[name], str(error.value))
        assert found is not None
        assert compiled(float(found[1])).report.fits
        if name == "vectors":
            # The kernel makes more vectors of the samples than nu does.
            with pytest.raises(tinyml.InputError, match=r"would fit: fit it with a smaller gamma, or on fewer samples"):
                tinyml.compile(sk.OneClassSVM(nu=0.1, gamma=0.01).fit(train[:600]), train[:40], board="uno", width=16)


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("frame", spread([384, 336], 1))
def test_shorter_frames_are_advised_where_a_front_end_fills_the_ram(frame: int):
    """If the buffers of a front end exceed the RAM, the message proposes shorter frames, with which the program fits,
    and not fewer trees, which need no RAM.
    """
    random = np.random.default_rng(4)
    signals = random.normal(size=(12, 768)) * 0.3
    bands = ((2, 60),)

    def compiled(frame: int, hop: int, **options: Any) -> tinyml.Program:
        motion = features.Motion(samples=768, axes=3, frame=frame, hop=hop, rate=1600, bands=bands)
        device = features.for_device(motion, np.vstack([signals, 4 * signals]))
        forest = sk.IsolationForest(n_estimators=4, max_samples=16, random_state=0).fit(device(signals))
        model = device.followed_by(forest)
        return tinyml.compile(model, signals, board="uno", format="fixed", width=16, false_alarms=0.02, **options)

    with warnings.catch_warnings(action="ignore"):
        with pytest.raises(tinyml.InputError, match="input='push' keeps a frame of") as error:
            compiled(frame, frame)
        with pytest.raises(tinyml.InputError, match=f"buffers of a frame of {frame} numbers take") as error:
            compiled(frame, frame, input="push")
        assert "trees" not in str(error.value)
        found = re.search(r"a shorter one fits, such as frame=(\d+), hop=(\d+)", str(error.value))
        assert found is not None
        assert compiled(int(found[1]), int(found[2]), input="push").report.fits


@pytest.mark.long
def test_forests_in_floats():
    """For a forest in floats that exceeds the flash, the message proposes 8 bits, in which the forest fits, before the
    number of trees.
    """
    data = halves("digits")
    estimator = sk.RandomForestClassifier(20, max_depth=6, random_state=0).fit(data.x, data.y)
    said = r"needs [\d,]+ bytes of flash, the board has 32,256; format='\w+', width=8(, \w+=True)* needs about"
    with pytest.raises(tinyml.InputError, match=said) as error:
        tinyml.compile(estimator, data.held_x[:20], data.held_y[:20], board="uno", format="f32")
    assert "inner nodes in 20 trees, about" in str(error.value)


@pytest.mark.long
def test_of_large_programs_few_alternatives_are_lowered(monkeypatch: pytest.MonkeyPatch):
    """For a program with exactly as many ops as the limit `MAX_OPS`, the message is based on one alternative only,
    `fixed 8`. For a program with more ops, no alternative is tried.
    """
    x = np.random.default_rng(0).normal(size=(40, 1021))
    estimator = sk.LogisticRegression().fit(x, x[:, 0] > 0)
    lowered, ops, cost = set[str](), set[int](), ProgramTrial.cost

    def noted(trial: ProgramTrial, more: Mapping[str, Any]):
        lowered.add(trial.alternative.name)
        ops.add(sum(1 for _ in trial.trials.program.walk()))
        return cost(trial, more)

    def message() -> str:
        lowered.clear()
        with pytest.raises(tinyml.InputError) as error:
            tinyml.compile(estimator, x, x[:, 0] > 0, board="uno", width=16)
        return str(error.value)

    monkeypatch.setattr(ProgramTrial, "cost", noted)
    assert "width=8 needs about" in message()
    assert len(lowered) > 5
    [count] = ops
    monkeypatch.setattr(choose_program, "MAX_OPS", count)
    assert "width=8 needs about" in message()
    assert lowered == {"fixed 8"}
    monkeypatch.setattr(choose_program, "MAX_OPS", count - 1)
    assert "needs about" not in message()
    assert not lowered


@pytest.mark.long
def test_stacks_that_meet_the_static_data():
    """A program whose arena and input fit the RAM, but not together with the stack, is rejected."""
    x = np.random.default_rng(0).normal(size=(40, 1021))
    estimator = sk.LogisticRegression().fit(x, x[:, 0] > 0)
    said = (
        r"does not fit uno .*: needs 2,0[5-9]\d bytes of RAM, the board has 2,048; format='fixed', width=8 needs about"
    )
    with pytest.raises(tinyml.InputError, match=said) as error:
        tinyml.compile(estimator, x, x[:, 0] > 0, board="uno", width=16)
    assert "mega has" in str(error.value)
    assert "\n" not in str(error.value)


def test_every_door_says_what_a_model_stores():
    data = halves("iris")
    vectors = sk.SVC().fit(data.x, data.y)
    expected = tdsl.read_interface(import_estimator(vectors)).stored
    assert expected is not None
    assert expected.number == len(vectors.support_vectors_)
    assert tdsl.read_interface(read_onnx(exported(vectors, data.x), "model.onnx")).stored == expected
    regressor = import_estimator(sk.SVR().fit(data.x, data.y))
    assert tdsl.read_interface(regressor).stored.what == "support vectors"  # pyright: ignore[reportOptionalMemberAccess]
    trees = sk.RandomForestClassifier(5, max_depth=3, random_state=0).fit(data.x, data.y)
    nodes = sum(int((each.tree_.feature >= 0).sum()) for each in trees.estimators_)
    for module in (import_estimator(trees), read_onnx(exported(trees, data.x), "model.onnx")):
        stored = tdsl.read_interface(module).stored
        assert stored == tdsl.StoredExamples(nodes, "inner nodes in 5 trees", tdsl.SMALLER_FORESTS)
    # One product of matrices remains of a linear kernel.
    assert tdsl.read_interface(import_estimator(sk.SVC(kernel="linear").fit(data.x, data.y))).stored is None


def test_weights_beyond_the_flash_in_any_format_are_refused_before_a_program_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("tinyml.tools.driver.stages.compile_formats", None)
    random, net = np.random.default_rng(0), NetworkWriter((700, 1), format=F32_FORMAT)
    signs = net.constant(random.choice([-1, 1], (700, 700)).astype(np.float32))
    module, x = net.module(net.insert(tdsl.MatmulOp(signs, net.input))), random.normal(size=(40, 700))
    said = (
        r"does not fit uno .*: its 490,000 weights need 490,000 bytes of flash with 8 bits, and at least 61,250 in any "
        r"format, the board has 32,256: about 32,256 weights of 8 bits fit, or 64,512 of 4; .* has .* of flash"
    )
    for format in ("auto", "fixed", "f32"):
        with pytest.raises(tinyml.InputError, match=said):
            tinyml.compile(module, x, board="uno", format=format)


def test_the_least_flash_of_weights():
    random = np.random.default_rng(0)

    def least(*matrices: Any) -> tuple[int, int]:
        net = NetworkWriter((64, 1), format=F32_FORMAT)
        x = net.input
        for matrix in matrices:
            x = net.insert(tdsl.MatmulOp(net.constant(np.asarray(matrix, np.float32)), x))
        return weights_of(net.module(x))

    dense = random.choice([-1.0, 1.0], (64, 64))
    assert least(dense) == (4096, 512), "a bit each"
    assert least(dense, dense) == (4096, 512), "equal constants are stored once"
    assert least(dense, -dense) == (8192, 1024)
    sparse = np.zeros((64, 64))
    sparse[3, :5] = 1.0, 0.5, 0.49, -1.0, 1e-9
    assert least(sparse) == (4096, 2), "three entries are zero in no format"
    assert least(np.zeros((64, 64))) == (4096, 0)
