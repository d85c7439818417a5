"""Weights in a separate blob, which a program uses in place. Binding rejects a blob that is damaged, is too short,
belongs to another program or version, or contains elements that the program must not use.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from programs.far_flash import CODE
from programs.hostile_blobs import (
    CONTENT,
    CRC,
    DAMAGED,
    HEAD,
    LENGTH,
    MISALIGNED,
    OK,
    PROGRAM,
    UNKNOWN,
    VERSION,
    caller_of,
    hostile_blob,
    with_crc,
)
from programs.hostile_blobs import bound as bound_blobs
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import symbols
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.avr.chip import LPM_BYTES
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program

PLACES = {"host": ".weights", "uno": ".weights", "mega": "0x20000", "cortex-m4": ".weights"}
"""The place of the blob by board; on a Mega it is beyond the first 64 KB of flash."""
KINDS = ("network", "forest", "sparse", "neighbours", "vectors")


def digits() -> tuple[Any, Any]:
    x, y = cast(Any, load_digits)(return_X_y=True)
    return x[:600], y[:600]


def network(seed: int, hidden: int = 12, names: str = "") -> Any:
    x, y = digits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return cast(Any, MLPClassifier)((hidden,), learning_rate_init=0.005, max_iter=60, random_state=seed).fit(
            x, np.array([*names])[y] if names else y
        )


def forest(trees: int = 4, leaves: int = 12, seed: int = 0) -> Any:
    return cast(Any, RandomForestClassifier)(trees, max_leaf_nodes=leaves, random_state=seed).fit(*digits())


def sparse(entries: int, seed: int = 0) -> Any:
    """A linear classifier with the given number of nonzero coefficients of 640, at random positions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = cast(Any, LogisticRegression)(max_iter=20).fit(*digits())
    random = cast(Any, np.random.RandomState(seed))
    chosen = random.permutation(np.arange(model.coef_.size) < entries).reshape(model.coef_.shape)
    model.coef_ = np.where(chosen, model.coef_ + 0.01 * (model.coef_ == 0), 0)
    return model


def neighbours(samples: int) -> Any:
    x, y = digits()
    return cast(Any, KNeighborsClassifier)(3).fit(x[:samples], y[:samples])


def trained(kind: str, seed: int) -> Any:
    """A model of a kind. With another seed, a forest has different numbers of trees and nodes, a sparse matrix has
    different entries, and an estimator stores more samples.
    """
    x, y = digits()
    return {
        "network": lambda: network(seed),
        "forest": lambda: forest(4 + seed, 12 - seed, seed),
        "sparse": lambda: sparse(60 + 5 * seed, seed),
        "neighbours": lambda: neighbours(30 + 5 * seed),
        "vectors": lambda: cast(Any, SVC)().fit(x[: 30 + 5 * seed], y[: 30 + 5 * seed]),
    }[kind]()


def filled(x: Any, model: Any, **options: Any) -> Any:
    """A pipeline of an imputer, fitted to x, and the model."""
    return cast(Any, Pipeline)([("filled", cast(Any, SimpleImputer)(**options).fit(x)), ("model", model)])


def compiled(model: Any, folder: Path, board: str | None = None, **options: Any) -> Path:
    if "weights_for" not in options:
        options = {"format": "fixed", "width": 8, "board": board or "host", **options}
    elif board is not None:
        options["board"] = board
    with warnings.catch_warnings():
        # The shares of the time that issue warnings are not the subject here.
        warnings.simplefilter("ignore", tinyml.CompileWarning)
        tinyml.compile(model, *digits(), **options).save(folder)
    return folder


@dataclass(frozen=True)
class Bound:
    """A program whose weights are in a separate blob, and the same model retrained for this program.

    folder: the output folder of the program.
    again: the output folder of the retrained model.
    kind: the kind of the model.
    interface: the interface of the C of both.
    """

    folder: Path
    again: Path
    kind: str
    interface: Interface

    @property
    def blob(self) -> bytes:
        return (self.folder / "model.blob").read_bytes()


@pytest.fixture(scope="module", params=product(PLACES, KINDS), ids="-".join)
def bound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bound:
    folder, (board, kind) = tmp_path_factory.mktemp("bound"), request.param
    first = compiled(trained(kind, 0), folder / "first", board, weights_at=PLACES[board], weights_margin=2.0)
    again = compiled(trained(kind, 1), folder / "again", weights_for=str(first))
    return Bound(first, again, kind, interface_of(load_program(first / "ir/1-formats.mlir", context())))


def variants(blob: bytes, other: bytes) -> list[tuple[bytes, int]]:
    """The unchanged blob and modifications of it, each with the expected result of binding it.

    other: the blob of another program.
    """

    def flipped(byte: int, bit: int = 0) -> bytes:
        return blob[:byte] + bytes([blob[byte] ^ 1 << bit]) + blob[byte + 1 :]

    version = with_crc(blob[:4] + struct.pack("<H", 0) + blob[6:])
    longer = with_crc(blob[:16] + struct.pack("<I", len(blob) - HEAD + 4) + blob[20:])
    shorter = with_crc(blob[:16] + struct.pack("<I", len(blob) - HEAD - 4) + blob[20:])
    return [
        (blob, OK),
        (flipped(HEAD), DAMAGED),
        (flipped(len(blob) - 1, 7), DAMAGED),
        (flipped(CRC), DAMAGED),
        (flipped(20), DAMAGED),
        (blob[:-1] + b"\xff\xff", DAMAGED),
        (bytes(len(blob)), UNKNOWN),
        (b"\xff" * len(blob), UNKNOWN),
        (flipped(3), UNKNOWN),
        (version, VERSION),
        (flipped(8), PROGRAM),
        (other[: len(blob)].ljust(len(blob), b"\xff"), PROGRAM),
        (longer, LENGTH),
        (shorter, LENGTH),
        (blob[: HEAD - 1], LENGTH),
        (blob[:HEAD], LENGTH),
        (blob[:-1], LENGTH),
        (blob + b"\xff", OK),
        (blob, OK),
    ]


def contents(bound: Bound) -> list[tuple[bytes, int]]:
    """Blobs with a valid CRC-32 in which one element is at a limit or beyond it, each with the expected result."""
    blob, text = bound.blob, (bound.folder / "model.c").read_text()
    starts = {name: int(at) for name, at in re.findall(r"#define model_(\w+) .*?model_blob_bytes \+ (\d+)", text)}

    def changed(array: str, index: int, value: int, size: int) -> bytes:
        at = starts[array] + size * index
        return with_crc(blob[:at] + (value % (1 << 8 * size)).to_bytes(size, "little") + blob[at + size :])

    if bound.kind == "forest":
        # Room for 8 trees of 88 inner nodes and 96 leaves, on 64 features.
        return [
            (changed("features", 0, 63, 1), OK),
            (changed("features", 0, 64, 1), CONTENT),
            (changed("features", 87, -1, 1), CONTENT),
            (changed("children", 0, 0, 2), CONTENT),
            (changed("children", 10, 6, 2), OK),
            (changed("children", 11, 5, 2), CONTENT),
            (changed("children", 0, 87, 2), OK),
            (changed("children", 0, 88, 2), CONTENT),
            (changed("children", 175, -96, 2), OK),
            (changed("children", 175, -97, 2), CONTENT),
            (changed("roots", 0, 87, 2), OK),
            (changed("roots", 7, 88, 2), CONTENT),
            (changed("roots", 0, -97, 2), CONTENT),
            (changed("trees", 0, 8, 2), OK),
            (changed("trees", 0, 9, 2), CONTENT),
            (changed("trees", 0, -1, 2), CONTENT),
            (changed("votes", 0, -127, 1), OK),
            (changed("votes", 959, -128, 1), CONTENT),
        ]
    if bound.kind == "sparse":
        # Room for 120 entries in ten rows of 64 columns.
        lengths, gaps = starts["sparse_lengths"], starts["sparse_gaps"]
        first, entries = blob[lengths], sum(blob[lengths : lengths + 10])
        last = blob[lengths + 9]
        column = sum(blob[gaps : gaps + first])
        return [
            (changed("sparse_gaps", 0, blob[gaps] + 63 - column, 1), OK),
            (changed("sparse_gaps", 0, blob[gaps] + 64 - column, 1), CONTENT),
            (changed("sparse_lengths", 9, last + 120 - entries, 1), OK),
            (changed("sparse_lengths", 9, last + 121 - entries, 1), CONTENT),
            (changed("sparse_lengths", 0, 255, 1), CONTENT),
            (changed("sparse", 0, -127, 1), OK),
            (changed("sparse", 119, -128, 1), CONTENT),
        ]
    weights = next(name for name in starts if name.startswith("table"))
    size = 1 if re.search(rf"#define model_{weights} .* int8_t,", text) else 2
    limit = 1 << 8 * size - 1
    return [(changed(weights, 0, 1 - limit, size), OK), (changed(weights, 0, -limit, size), CONTENT)]


def probe(folder: Path, blobs: list[bytes], target: str) -> None:
    """Write the program `probe`, which binds a blob and returns the result as its label. The input X[0] is the number
    of the blob, and X[1] the number of bytes by which the blob is misaligned. If X[0] is -1, the address is 0; if it is
    -2, the address is near the limit of 24 bits.

    target: the board, which determines the memory of the blobs and the type of their addresses.
    """
    header = (folder / "model.h").read_text()
    length = [line.split()[2] for line in header.splitlines() if line.startswith("#define model_INPUT_LENGTH")]
    score = next(line.split()[1] for line in header.splitlines() if line.endswith(" *model_scores(void);"))
    (folder / "probe.h").write_text(
        f"{header}#define probe_INPUT_LENGTH {length[0]}\n#define probe_OUTPUT_LENGTH model_OUTPUT_LENGTH\n"
        f"int16_t probe_predict(const int8_t *X);\nconst {score} *probe_scores(void);\n"
    )
    far = target == "mega"
    flash = {"uno": "TM_FLASH", "mega": '__attribute__((section(".text.tinyml_far")))'}.get(target, "")
    arrays = [
        f"static const uint8_t blob_{i}[] {flash} __attribute__((aligned(8))) = {{{', '.join(map(str, blob))}}};"
        for i, blob in enumerate(blobs)
    ]
    address = "pgm_get_far_address(blob_{})" if far else "blob_{}"
    cases = [f"case {i}: blob = {address.format(i)}; bytes = {len(blob)}; break;" for i, blob in enumerate(blobs)]
    cases += ["case -2: blob = 0xFFFFFC; break;"] if far else []
    (folder / "probe.c").write_text(
        "\n".join(
            [
                '#include "probe.h"',
                *(["#include <avr/pgmspace.h>", CODE] if far else []),
                *arrays,
                f"const {score} *probe_scores(void) {{ return model_scores(); }}",
                "int16_t probe_predict(const int8_t *X) {",
                f"    {'uint32_t ' if far else 'const uint8_t *'}blob = 0;",
                "    uint32_t bytes = 0;",
                f"    switch (X[0]) {{ {' '.join(cases)} }}",
                "    if (X[0] >= 0 || X[1] != 0) blob += X[1];",
                "    return model_bind(blob, bytes);",
                "}",
            ]
        )
    )


def results(bound: Bound, blobs: list[bytes], inputs: list[tuple[int, int]], workdir: Path) -> list[int]:
    """For each run, the result of binding a blob on the device.

    inputs: for each run, the number of the blob and the misalignment.
    """
    for file in ("model.c", "model.h"):
        shutil.copy(bound.folder / file, workdir / file)
    target = json.loads((bound.folder / "report.json").read_text())["target"]
    probe(workdir, blobs, target)
    interface = replace(bound.interface, name="probe")
    raws = np.zeros((len(inputs), bound.interface.array_length), "i1")
    raws[:, :2] = inputs
    runner = runner_for(target)
    build = runner.build(workdir, interface, workdir)
    if target == "mega":
        assert symbols(runner.chip, build.elf)["blob_0"] > LPM_BYTES
    labels = runner.run(build, interface, raws).labels
    assert labels is not None
    return [int(label) for label in labels]


@pytest.mark.long(seconds=10)
def test_a_wrong_blob_is_refused_with_its_reason(bound: Bound, tmp_path: Path):
    other = compiled(network(0, hidden=13), tmp_path / "other", weights_at=".weights")
    cases = [*variants(bound.blob, (other / "model.blob").read_bytes()), *contents(bound)]
    (tmp_path / "c").mkdir()
    # An Uno has no room for all of them at once.
    for first in range(0, len(cases), 5):
        some = cases[first : first + 5]
        found = results(bound, [blob for blob, _ in some], [(i, 0) for i in range(len(some))], tmp_path / "c")
        assert found == [code for _, code in some]


HOSTILE = 2000
"""Blobs of each kind of model: 10,000 together."""


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_no_blob_with_a_valid_crc_harms(kind: str, tmp_path: Path):
    """Whatever a blob with a valid CRC-32 contains, and wherever it is cut, the program reads nothing beyond the blob
    and its arrays, nothing overflows, and each inference ends. Each blob is rejected or used.
    """
    folder = compiled(trained(kind, 0), tmp_path / "out", weights_at=".weights", weights_margin=2.0)
    blob, random = (folder / "model.blob").read_bytes(), Random(kind)
    blobs = [hostile_blob(blob, random) for _ in range(HOSTILE)]
    results = bound_blobs(caller_of(folder, "model", tmp_path), [blob, *blobs])
    assert results.keys() == {OK, LENGTH, CONTENT}
    assert results[OK] > HOSTILE / 4


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("width", [8, 16])
def test_no_blob_overflows_a_zero_skew_sum(width: int, tmp_path: Path):
    """Sums of products start from 32-bit or 64-bit numbers of a blob, with room for all products up to a limit."""
    options: dict[str, Any] = {"weights_at": ".weights", "format": "zeroskew", "width": width}
    folder = compiled(network(0), tmp_path / "out", **options)
    blob, random, size = (folder / "model.blob").read_bytes(), Random(width), width // 2
    limit = 3 << (29 if size == 4 else 45)
    starts = [limit, -limit, limit + 1, -limit - 1, (1 << 8 * size - 1) - 1]
    first = [with_crc(blob[:HEAD] + struct.pack("<q", start)[:size] + blob[HEAD + size :]) for start in starts]
    caller = caller_of(folder, "model", tmp_path)
    assert bound_blobs(caller, first[:2]) == {OK: 2}
    assert bound_blobs(caller, first[2:]) == {CONTENT: 3}
    blobs = [hostile_blob(blob, random) for _ in range(HOSTILE)]
    assert bound_blobs(caller, [blob, *blobs]).keys() == {OK, LENGTH, CONTENT}


@pytest.mark.long
def test_an_address_that_is_misaligned_or_none_is_refused(bound: Bound, tmp_path: Path):
    wrong = [(-1, 0), (0, 1), (0, 2), (0, 3)]
    if (bound.folder / "model.h").read_text().count("BLOB_FAR"):
        wrong.append((-2, 0))
    assert results(bound, [bound.blob], [*wrong, (0, 0)], tmp_path) == [MISALIGNED] * len(wrong) + [OK]


@pytest.mark.long
def test_the_model_trained_again_needs_no_new_program(bound: Bound):
    for file in ("model.c", "model.h"):
        assert (bound.folder / file).read_bytes() == (bound.again / file).read_bytes()
    again = (bound.again / "model.blob").read_bytes()
    assert again[:CRC] == bound.blob[:CRC]
    assert again[HEAD:] != bound.blob[HEAD:]


@pytest.mark.long
def test_the_program_with_other_weights_computes_the_bits_of_the_other_model(bound: Bound, tmp_path: Path):
    """The C of the first model with the blob of each model computes the evaluator's outputs for this model, on the
    board.
    """
    device = json.loads((bound.folder / "report.json").read_text())["target"]
    assert mismatches(bound.folder, bound.again, digits()[0], device, tmp_path) == [None, None]
    if device == "mega":
        runner = runner_for(device)
        elf = runner.build(tmp_path / "mixed-again", bound.interface, tmp_path).elf
        assert symbols(runner.chip, elf)["model_blob"] > LPM_BYTES


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize(("hidden", "far"), [(420, False), (1000, True)])
def test_a_blob_in_a_section_is_far_if_it_is_large(hidden: int, far: bool, tmp_path: Path):
    """On a Mega, a blob of 31 KB in a section has near addresses, and a blob of 75 KB has far addresses. The outputs of
    both programs equal the evaluator's.
    """
    folder = compiled(network(0, hidden), tmp_path / "out", "mega", weights_at=".weights")
    report = json.loads((folder / "report.json").read_text())
    assert report["mismatch"] is None
    assert ("model_BLOB_FAR" in (folder / "model.h").read_text()) == far


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), [("posit", 8), ("posit", 16), ("posit", 32)])
def test_votes_whose_raws_are_not_the_integers_of_their_width(format: str, width: int, tmp_path: Path):
    """There is room for the votes of posits, which are bounded otherwise than integers of their width, and for those of
    a forest that replaces the first one. The device returns the raw values of the evaluator.
    """
    first = compiled(
        trained("forest", 0), tmp_path / "first", format=format, width=width, weights_at=".weights", weights_margin=2.0
    )
    again = compiled(trained("forest", 1), tmp_path / "again", weights_for=str(first))
    for folder in (first, again):
        assert json.loads((folder / "report.json").read_text())["mismatch"] is None


def mismatches(first: Path, again: Path, x: Any, device: str, tmp_path: Path) -> list[Any]:
    """For each of two models, the first difference between the evaluator and the C of the first model with the blob of
    this model; None if there is none.
    """
    np.savez(tmp_path / "x.npz", x=x[:20])
    found = list[Any]()
    for blob in (first, again):
        mixed = tmp_path / f"mixed-{blob.name}"
        shutil.copytree(blob, mixed)
        shutil.copy(first / "model.c", mixed / "model.c")
        if device == "mega":
            (mixed / "before.c").write_text(CODE)
        found.append(run_model(RunRequest(folder=mixed, device=device, data=tmp_path / "x.npz"))["mismatch"])
    return found


@pytest.mark.long(seconds=5)
def test_weights_take_no_ram(bound: Bound, tmp_path: Path):
    """The program needs no more RAM than one with built-in weights, except for the pointer to the blob and its
    alignment.
    """
    report = json.loads((bound.folder / "report.json").read_text())
    if bound.kind in ("neighbours", "vectors"):
        # More samples need a larger arena.
        whole = compiled(trained(bound.kind, 0), tmp_path / "whole", report["target"], weights_at=report["weights_at"])
        report = json.loads((whole / "report.json").read_text())
    ram = report["ram_bytes"]
    pointer = {"host": 8, "uno": 2, "mega": 3, "cortex-m4": 4}[report["target"]]
    plain = compiled(trained(bound.kind, 0), tmp_path / "plain", report["target"])
    without = json.loads((plain / "report.json").read_text())["ram_bytes"]
    assert ram["arena"] == without["arena"]
    # On the host, sections are aligned to 32 bytes.
    assert 0 <= ram["static"] - without["static"] <= (32 if report["target"] == "host" else 2 * pointer)
    assert len(bound.blob) > 200


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights_at": "0x1002"}, "the address must be a multiple of 4, got 0x1002"),
        ({"weights_at": ""}, "expected an address or the name of a section, got ''"),
        ({"weights_at": '.a"b'}, "expected an address or the name of a section, got '.a\"b'"),
        ({"weights_at": "1_000"}, "expected an address or the name of a section, got '1_000'"),
        ({"weights_at": "0b1000"}, "expected an address or the name of a section, got '0b1000'"),
        ({"weights_at": "\u0664"}, "expected an address or the name of a section, got '\u0664'"),
        ({"weights_at": "0xFFFFFFF0"}, "bytes at 0xFFFFFFF0 end beyond an address of 32 bits"),
        ({"weights_margin": 2.0}, "weights-margin is room in a blob: it needs --weights-at"),
        (
            {"weights_at": ".w", "weights_margin": 2.0, "format": "seedot"},
            "weights-margin: the scales of seedot are those of its paper, without room",
        ),
        ({"weights_at": "0x10Z"}, "expected an address or the name of a section, got '0x10Z'"),
        ({"weights_at": "0xFF00", "board": "mega"}, "beyond the first 64 KB of avr's flash: choose 0x10000 or beyond"),
        ({"weights_at": "0x3DF00", "board": "mega"}, "bytes at 0x3DF00 end beyond the 253952 bytes of flash of mega"),
        ({"weights_at": ".w", "flash": 9000, "board": "uno"}, "--flash spends flash on weights as code"),
        ({"weights_at": ".w", "board": "ecp5-25k"}, "the weights of ecp5-25k are in its own memories"),
        ({"weights_at": ".w", "load_weights": True}, "keeps the weights in RAM: leave out one of them"),
        ({"weights_at": ".w", "instances": True}, "instances share no pointer to weights"),
        ({"weights_at": ".w", "weights_margin": 0.5}, "expected a factor of at least 1, got 0.5"),
    ],
)
def test_refusals(options: dict[str, Any], said: str, tmp_path: Path):
    with pytest.raises(InputError) as error:
        compiled(network(0), tmp_path / "out", **options)
    assert said.replace("--", "").replace("_", "-") in str(error.value).replace("--", "").replace("_", "-")


@pytest.mark.long(seconds=5)
def test_weights_beyond_the_margin_and_other_shapes_need_a_new_program(tmp_path: Path):
    first = compiled(network(0), tmp_path / "first", weights_at="0x08060000")
    assert "#define model_BLOB_ADDRESS 0x08060000u" in (first / "model.h").read_text()
    larger = network(0)
    larger.coefs_[0] *= 8
    with pytest.raises(InputError, match=r"but the program has room for .*: compile the model anew"):
        compiled(larger, tmp_path / "again", weights_for=str(first))
    with pytest.raises(InputError, match="other operations or shapes than the program of this folder"):
        compiled(network(0, hidden=13), tmp_path / "again", weights_for=str(first))
    plain = compiled(network(0), tmp_path / "plain")
    with pytest.raises(InputError, match=r"compile this program with (--)?weights.at first"):
        compiled(network(0), tmp_path / "again", weights_for=str(plain))


FORESTS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (DecisionTreeClassifier, {"max_leaf_nodes": 20}),
    (GradientBoostingClassifier, {"n_estimators": 2, "subsample": 0.8}),
    (GradientBoostingRegressor, {"n_estimators": 8, "subsample": 0.7}),
    (RandomForestRegressor, {"n_estimators": 6, "max_depth": 4}),
    (IsolationForest, {"n_estimators": 8, "max_samples": 64}),
)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(("model", "options"), FORESTS)
def test_each_kind_of_forest_can_be_replaced(model: Any, options: dict[str, Any], tmp_path: Path):
    """If a forest is trained on other samples for an existing program, the C is unchanged, and with the blob of each
    forest it computes the evaluator's bits for that forest.
    """
    x, y = cast(Any, load_diabetes)(return_X_y=True) if model.__name__.endswith("Regressor") else digits()
    targets: dict[str, Any] = {} if model is IsolationForest else {"y_val": y}

    def fit(seed: int) -> Any:
        return cast(Any, model)(random_state=seed, **options).fit(x[40 * seed :], y[40 * seed :])

    first, again = tmp_path / "first", tmp_path / "again"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tinyml.CompileWarning)
        tinyml.compile(
            fit(0), x, **targets, name="model", board="host", weights_at=".weights", weights_margin=2.0
        ).save(first)
        tinyml.compile(fit(1), x, **targets, weights_for=str(first)).save(again)
    assert (first / "model.c").read_bytes() == (again / "model.c").read_bytes()
    assert (first / "model.blob").read_bytes() != (again / "model.blob").read_bytes()
    assert mismatches(first, again, x, "host", tmp_path) == [None, None]


@pytest.mark.long(seconds=5)
def test_a_forest_beyond_the_room_is_refused(tmp_path: Path):
    """Three trees of twelve leaves have 33 inner nodes. With a margin of 4/3, their program has space for four trees
    and 44 nodes. Forests with more trees or more nodes are rejected.
    """
    first = compiled(forest(3), tmp_path / "first", weights_at=".weights", weights_margin=4 / 3)
    assert "tinyml.forest_room = array<i64: 4, 44, " in (first / "ir/1-formats.mlir").read_text()
    compiled(forest(4), tmp_path / "again", weights_for=str(first))
    for larger, said in (
        (forest(5, 8), "the forest has 5 trees, but the program has room for 4: compile the model anew"),
        (forest(3, 16), "the forest has 45 inner nodes, but the program has room for 44: compile the model anew"),
    ):
        with pytest.raises(InputError) as error:
            compiled(larger, tmp_path / "larger", weights_for=str(first))
        assert said in str(error.value)
        assert len(str(error.value).splitlines()) == 1
        assert not (tmp_path / "larger").exists()


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize(
    ("made", "said"),
    [
        (sparse, "the sparse matrix has 34 entries, but the program has room for 33: compile the model anew"),
        (neighbours, "the model has 34 training samples, but the program has room for 33: compile the model anew"),
    ],
)
def test_entries_and_samples_beyond_the_room_are_refused(made: Callable[[int], Any], said: str, tmp_path: Path):
    """With a margin of 1.1, a program for 30 entries or samples has space for 33. A model with 34 is rejected."""
    first = compiled(made(30), tmp_path / "first", weights_at=".weights", weights_margin=1.1)
    again = compiled(made(33), tmp_path / "again", weights_for=str(first))
    assert (first / "model.c").read_bytes() == (again / "model.c").read_bytes()
    compiled(made(20), tmp_path / "less", weights_for=str(first))
    with pytest.raises(InputError) as error:
        compiled(made(34), tmp_path / "larger", weights_for=str(first))
    assert said in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert not (tmp_path / "larger").exists()


@pytest.mark.long
@pytest.mark.parametrize("board", ["host", "uno"])
def test_added_samples_are_never_the_nearest(board: str, tmp_path: Path):
    """The samples that fill the margin of a blob are never among the nearest ones: for any inputs, also those far from
    all samples, three samples of the model vote, each with a third.
    """
    folder = compiled(neighbours(30), tmp_path, board, weights_at=".weights", weights_margin=2.0)
    module = load_program(folder / "ir/1-formats.mlir", context())
    x = np.random.RandomState(0).randint(-128, 128, (200, 64)).astype("i1")
    x[:4] = np.array([[-128], [127], [0], [1]])
    votes = np.asarray(evaluate(module, x).scores).astype(int).reshape(200, -1)
    # The sums are rounded.
    assert votes.sum(1).min() > 0.9 * votes.sum(1).max()


@pytest.mark.long
def test_samples_that_cannot_be_replaced_are_refused(tmp_path: Path):
    with pytest.raises(InputError, match="no number ranks below all samples: use the format fixed"):
        compiled(neighbours(30), tmp_path / "floats", weights_at=".w", format="f32", width=None, weights_margin=2.0)


@pytest.mark.long
def test_forests_that_compare_floats_or_are_several_are_refused(tmp_path: Path):
    with pytest.raises(InputError, match="a forest in a blob compares integers, its input has floats"):
        compiled(forest(), tmp_path / "floats", weights_at=".weights", float_features=True)
    both = cast(Any, VotingClassifier)([("a", forest()), ("b", forest(seed=1))], voting="soft").fit(*digits())
    with pytest.raises(InputError, match="a blob holds one forest, the model has 2"):
        compiled(both, tmp_path / "both", weights_at=".weights")


@pytest.mark.long
def test_weights_of_zero_are_named(tmp_path: Path):
    """For a layer of zeros, importers omit operations, so the program of a network has no room for it."""
    first, zero = compiled(network(0), tmp_path / "first", weights_at=".weights"), network(0)
    for array in (*zero.coefs_, *zero.intercepts_):
        array[:] = 0
    said = r"other operations or shapes than .*: all weights of a matrix of 1 x 64 are zero in the model"
    with pytest.raises(InputError, match=said):
        compiled(zero, tmp_path / "again", weights_for=str(first))


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"width": 16}, "width: the program of"),
        ({"board": "cortex-m4"}, "the program of"),
        ({"weights_margin": 2.0}, "margin: the program of"),
        ({"weights_at": "0x1000"}, "at: the program of"),
    ],
)
def test_options_other_than_those_of_the_folder_are_refused(options: dict[str, Any], said: str, tmp_path: Path):
    first = compiled(network(0), tmp_path / "first", weights_at=".weights", weights_margin=4.0)
    with pytest.raises(InputError, match=said):
        compiled(network(0), tmp_path / "again", weights_for=str(first), **options)


@pytest.mark.long
def test_other_labels_and_fills_need_a_new_program(tmp_path: Path):
    """A retrained model with other labels or fill values is rejected for an existing program, because these are in the
    code and not in the blob.
    """
    x, _ = digits()
    model = network(0)
    first = compiled(filled(x, model), tmp_path / "first", weights_at=".weights")
    with pytest.raises(InputError, match=r"by other values than .* anew, or .* SimpleImputer\(strategy='constant'\)"):
        compiled(filled(x / 2, model), tmp_path / "again", weights_for=str(first))
    with pytest.raises(InputError, match=r"another interface than .* \(classes\): compile the model anew"):
        tinyml.compile(filled(x, network(0, names="abcdefghij")), x, weights_for=str(first))


@pytest.mark.long(seconds=5)
def test_the_weights_behind_equal_fills(tmp_path: Path):
    """A model that was trained again behind an imputer of a constant fits the program, and fills missing features."""
    x, _ = digits()
    models = [filled(x / scale, network(seed), strategy="constant", fill_value=3) for seed, scale in ((0, 1), (1, 2))]
    first = compiled(models[0], tmp_path / "first", weights_at=".weights")
    again = compiled(models[1], tmp_path / "again", weights_for=str(first))
    holes = x[:50].copy()
    holes[:, ::5] = np.nan
    expected = models[1].predict(holes)
    assert (expected != models[0].predict(holes)).any()
    assert (np.asarray(tinyml.open(again).predict(holes)) == expected).mean() >= 0.9


@pytest.mark.long(seconds=10)
def test_the_weights_of_a_model_that_keeps_its_formats(tmp_path: Path):
    file = Path(__file__).parents[3] / "models" / "microwakeword" / "hey_jarvis.json"
    tinyml.compile(file, board="host", weights_at=".weights").save(tmp_path / "first")
    tinyml.compile(file, weights_for=str(tmp_path / "first")).save(tmp_path / "again")
    first, again = ((tmp_path / folder / "hey_jarvis.blob").read_bytes() for folder in ("first", "again"))
    assert first == again
    with pytest.raises(InputError, match=r"keeps its number formats: .*margin needs quantization"):
        tinyml.compile(file, board="host", weights_at=".weights", weights_margin=2.0)
