"""A ProtoNN of 2 KB, trained here to distinguish odd from even digits (Gural and Murmann 2019, figure 9)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import tinyml
from measured.store import Values
from measured.trainings import Labelled, digits
from tinyml.runtime.training.training import TrainingSchedule
from tinyml.tools.driver.finetune import train_reals

if TYPE_CHECKING:
    from numpy.typing import NDArray

PROJECTED, PROTOTYPES, CLASSES = 6, 60, 2
SCHEDULE = TrainingSchedule(epochs=8, rate=0.02, batch=64, seed=300)

PROGRAM = """\
let X = ({inputs}, 1) in [0.0, 1.0] in
{parameters}
let g2 = {g2:.6f} in
let WX = W * X in
let res = $(i = [0:{prototypes}])
(
    let del = WX - B[i] in
    Z[i] * exp(-g2 * (del^T * del))
) in
argmax(res)
"""


def prototypes(_models: Path | None) -> Values:
    """The percentage of 10,000 images that the program in 8 bits on an Uno classifies correctly, its bytes of
    constants, and its bytes of RAM including the stack.
    """
    train, val, test = (Labelled(part.x, part.y % CLASSES) for part in vars(digits()).values())
    with tempfile.TemporaryDirectory() as folder:
        program = tinyml.load(_written(Path(folder), train))
        train_reals(program.module, train, val, SCHEDULE)
        compiled = tinyml.compile(program, val.x, val.y, width=8, board="uno")
    right = compiled.predict(test.x) == test.y
    return {
        "accuracy": round(100 * float(right.mean()), 2), "images": len(right),
        "constants": compiled.report.constants_bytes, "ram": compiled.report.ram_bytes.total,
    }  # fmt: skip


def _written(folder: Path, train: Labelled) -> str:
    """Write the initial program to a folder and return the path of its source. The rows of its projection are principal
    components, and its prototypes are random samples with their labels.
    """
    random = np.random.default_rng(SCHEDULE.seed)
    components = np.linalg.svd(train.x - train.x.mean(0), full_matrices=False)[2][:PROJECTED]
    chosen = random.choice(len(train.x), PROTOTYPES, replace=False)
    projected = train.x @ components.T
    centres = projected[chosen]
    nearest = ((projected[:, None] - centres) ** 2).sum(-1).min(1)
    parameters: dict[str, NDArray[np.float64]] = {
        "W": components, "B": centres[..., None], "Z": np.eye(CLASSES)[train.y[chosen], :, None],
    }  # fmt: skip
    lines: list[str] = []
    for name, values in parameters.items():
        np.save(folder / f"{name}.npy", values.astype(np.float32))
        lines.append(
            f"let {name} = ({', '.join(map(str, values.shape))}) in [{values.min():.6f}, {values.max():.6f}] in"
        )
    file = folder / "protonn.sd"
    file.write_text(
        PROGRAM.format(
            inputs=train.x.shape[1], parameters="\n".join(lines), prototypes=PROTOTYPES, g2=0.5 / np.median(nearest)
        )
    )
    return str(file)
