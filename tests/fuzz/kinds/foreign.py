"""Files of other tools: CatBoost's and Keras's if these are installed, TensorFlow Lite models with a state, and MLIR of
other projects.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from programs.keras_archives import archive
from programs.paths import FILECHECK, ROOT

from fuzz.kinds.boosted import change, inner, keys_of
from fuzz.kinds.files import damaged
from fuzz.kinds.ir import changed_text
from fuzz.verdicts import OPT, SKIPPED, TINYML, Harm, call

_CATBOOST = """
import sys, catboost, numpy as np
random = np.random.default_rng(0)
x = random.normal(size=(80, 3))
for name, y in (("two", x[:, 0] > 0), ("three", random.integers(0, 3, 80)), ("numbers", x[:, 1])):
    kind = catboost.CatBoostRegressor if name == "numbers" else catboost.CatBoostClassifier
    model = kind(iterations=4, depth=3, verbose=False, allow_writing_files=False)
    model.fit(x, y).save_model(f"{sys.argv[1]}/{name}.cbm")
"""

_KERAS = """
import sys, keras
layers = keras.layers
dense = keras.Sequential([keras.Input((4,)), layers.Dense(5, activation="relu"), layers.Dense(3)])
image = keras.Sequential([keras.Input((6, 6, 1)), layers.Conv2D(2, 3), layers.Flatten(), layers.Dense(2)])
for name, model in (("dense", dense), ("image", image)):
    for suffix in ("keras", "h5"):
        model.save(f"{sys.argv[1]}/{name}.{suffix}")
"""

_LAYERS: list[dict[str, Any]] = [
    {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [None, 4]}},
    {"module": "keras.layers", "class_name": "Dense", "config": {"units": 3, "activation": "relu"}},
]
CONFIGURATION: dict[str, Any] = {"module": "keras", "class_name": "Sequential", "config": {"layers": _LAYERS}}

EVIL = "EXECUTED"
"""The file that the code in models writes."""

COMPILED = 0.05
"""The part of the files with a state that are compiled."""


@cache
def made_by(package: str, script: str) -> list[Path]:
    """The files that a script writes with another package; empty if the package is not installed."""
    if find_spec(package) is None:
        return []
    folder = Path(tempfile.mkdtemp(prefix="fuzz-foreign-"))
    subprocess.run([sys.executable, "-c", script, folder], capture_output=True, check=True)
    return sorted(folder.iterdir())


def catboost(number: int, random: Random, folder: Path) -> str:
    """Import a damaged model of CatBoost, whose own loader has crashed on such files, and return the verdict: `SKIPPED`
    if CatBoost is not installed.
    """
    if not (files := made_by("catboost", _CATBOOST)):
        return SKIPPED
    file = random.choice(files)
    (folder / file.name).write_bytes(damaged(file.read_bytes(), random))
    return call(OPT, folder / file.name)


def keras(number: int, random: Random, folder: Path) -> str:
    """Import a model of Keras with a changed configuration, which may contain code, or with damaged bytes, and return
    the verdict. Raises `Harm` if the code is executed.

    Without Keras, the model is an archive with `CONFIGURATION`, and only the check of the archive is tested.
    """
    files = made_by("keras", _KERAS)
    file = random.choice(files) if files else Path("made.keras")
    content = file.read_bytes() if files else archive(CONFIGURATION)
    if file.suffix == ".keras" and random.random() < 0.8:
        content = _changed_archive(content, random, folder / EVIL)
    if random.random() < 0.3 or file.suffix == ".h5":
        content = damaged(content, random)
    (folder / file.name).write_bytes(content)
    verdict = call(OPT, folder / file.name)
    if (folder / EVIL).exists():
        raise Harm("lost", "the code in a model was executed")
    return verdict


def _changed_archive(content: bytes, random: Random, evil: Path) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        members = {name: given.read(name) for name in given.namelist()}
    model = json.loads(members["config.json"])
    for _ in range(random.choice([1, 1, 2, 4])):
        holders = [*inner(model)]
        objects = [holder for holder in holders if "class_name" in keys_of(holder)]
        if objects and random.random() < 0.2:
            random.choice(objects).update(_attack(random, evil))
        elif holders:
            change(random.choice(holders), random, holders)
    members["config.json"] = json.dumps(model).encode() + b" " * random.choice([0, 0, 0, 1 << 24])
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return made.getvalue()


def _attack(random: Random, evil: Path) -> dict[str, Any]:
    """The fields of a configuration object whose kind has been used in attacks that execute code."""
    function = {"class_name": "function", "config": "system", "registered_name": "system", "module": "os"}
    return random.choice(
        [
            {"module": "os", "class_name": "system", "config": {"command": f"touch {evil}"}},
            {"module": "subprocess", "class_name": "Popen", "config": {"args": ["touch", str(evil)]}},
            {"class_name": "Lambda", "config": {"function": {"class_name": "__lambda__", "config": {"code": "4wEA"}}}},
            {"class_name": "TFSMLayer", "config": {"filepath": str(evil.parent)}},
            {"module": "keras.utils", "class_name": "get_file", "config": {"origin": f"file://{evil}"}},
            {"config": {"name": "a", "activation": function}},
            {"class_name": "Dense", "config": {"units": 2 * 10**9}},
        ]
    )


def stateful(number: int, random: Random, folder: Path) -> str:
    """Import a damaged model of TensorFlow Lite that has a state, or compile it, and return the verdict."""
    file = random.choice(sorted((ROOT / "tests/models/keras").glob("spotter-*.tflite")))
    (folder / "net.tflite").write_bytes(damaged(file.read_bytes(), random))
    if random.random() < COMPILED:
        return call(TINYML, "compile", folder / "net.tflite", "--target", "host", "-o", folder / "out")
    return call(OPT, folder / "net.tflite")


@cache
def _foreign_modules() -> list[str]:
    files = [*(ROOT / "tests/models/mlir").glob("*.mlir"), *(FILECHECK / "lowering/frontends/mlir").glob("*.mlir")]
    texts = [file.read_text() for file in sorted(files)]
    return [part for text in texts for part in text.split("// -----") if len(part) < 30_000]


def foreign_mlir(number: int, random: Random, folder: Path) -> str:
    """Import a module of linalg, StableHLO or TOSA after one to three changes of its text. Return the verdict."""
    text = random.choice(_foreign_modules())
    for _ in range(random.randint(1, 3)):
        text = changed_text(text, random)
    (folder / "module.mlir").write_text(text)
    return call(OPT, folder / "module.mlir")
