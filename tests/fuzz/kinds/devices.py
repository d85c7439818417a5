"""Random trained models on every simulated device, with blobs, several memories and execution plans."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
from programs.devices import BOARDS
from programs.number_formats import SORTS
from programs.random_models import FAMILIES

import tinyml
from fuzz.verdicts import ACCEPTED, REFUSED, Harm
from tinyml.dialects.errors import InputError
from tinyml.tools.driver.measure import MismatchError
from tinyml.transforms.schedules.table import schedule_names

RUNS = 4
"""The samples that run on the device."""

MEMORIES: Mapping[str, tuple[str, ...]] = {
    "cortex-m55": ("dtcm=1K:0/0,sram=256K:2/2", "dtcm=64K,sram=1M:3/3,flash=4M:2/0"),
    "cortex-m4": ("fast=512:0/0,slow=64K:4/4", "fast=2K:0/0,slow=64K:2/1,flash=1M:5/0"),
    "cortex-m0": ("near=256:0/0,far=8K:1/1",),
    "riscv": ("near=512:0/0,far=16K:6/6",),
    "portenta-h7": ("dtcm=64K:0/0,sram=256K:2/2,flash=768K:5/0",),
    "esp32-c3": ("near=512:0/0,far=64K:6/6",),
}
"""Values of `memory` by board."""

DEVICES = (*BOARDS, "mega", "portenta-h7", "esp32-c3")


def options_of(family: str, board: str, random: Random) -> dict[str, Any]:
    """Random options for a model of a family on a board."""
    sort = random.choice(SORTS).option if random.random() < 0.4 else random.choice([("fixed", 8), ("fixed", 16)])
    options: dict[str, Any] = {"format": sort[0], "width": sort[1]}
    if random.random() < 0.6:
        options["plan"] = random.choice(schedule_names())
    choice = random.random()
    if choice < 0.25:
        options["weights_at"] = "0x20000" if board == "mega" and random.random() < 0.5 else ".weights"
        if random.random() < 0.5:
            options["weights_margin"] = random.choice([1.0, 1.5, 2.0])
    elif choice < 0.5 and board in MEMORIES:
        options["memory"] = random.choice(MEMORIES[board])
    elif choice < 0.65:
        options[random.choice(["load_weights", "instances", "pack_buffers"])] = True
    if random.random() < 0.2:
        options["reuse_input"] = True
    if random.random() < 0.3:
        options["packed"] = random.choice(["never", "always"])
    if random.random() < 0.1:
        options["packer"] = random.choice(["first-fit", "best-fit", "shiftry", "branch-and-bound"])
    return options


def on_devices(number: int, random: Random, folder: Path) -> str:
    """Compile a random model for a device, and compare every raw output of the simulated device with the evaluator's.
    Devices and families take turns. Return the verdict on the compilation.

    Raises `Harm` if an output differs.
    """
    board = DEVICES[number % len(DEVICES)]
    family = list(FAMILIES)[number // len(DEVICES) % len(FAMILIES)]
    made = FAMILIES[family](random)
    options = options_of(family, board, random)
    told = f"{made.family} on {board}, {options}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = tinyml.compile(made.save(folder), made.x, made.y, board=board, **options)
            program.measure(_others(made.x, random), limit=RUNS)
    except MismatchError as error:
        raise Harm("mismatch", f"{told}: {error}") from error
    except InputError:
        return REFUSED
    except Exception as error:
        raise Harm("traceback", f"{told}: {type(error).__name__}: {' '.join(str(error).split())[:400]}") from error
    return ACCEPTED


def _others(x: Any, random: Random) -> Any:
    """Inputs of the shape of `x` that the formats were not chosen for, some of them out of their range."""
    if isinstance(x, dict):
        return {name: _others(each, random) for name, each in cast("dict[str, Any]", x).items()}
    few = np.asarray(x)[:RUNS]
    numbers = np.random.default_rng(random.randrange(1 << 30))
    return (few * numbers.normal(size=few.shape) * random.choice([1, 1, 30])).astype(np.float32)
