"""The interface of packagings, which wrap a compiled model for another tool, such as the Arduino IDE.

A `Packaging` is a file of this folder and a row of the section `packages` of `dialects/rows.txt`. A separate package
adds a packaging through an entry point of the group `tinyml.packages`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.toolchain import weights_in
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.board import Board
from tinyml.targets.c.interface_data import SUFFIX

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.model.interface import Interface

STORED_BYTES = 4096
"""Maximum bytes of inputs in a package; the first sample is always stored."""


def every_board(board: Board) -> str | None:
    """The default of `Packaging.lacks`: None, since every board is supported."""


@dataclass(frozen=True, eq=False)
class Packaging:
    """A way to wrap a compiled model in a folder for another tool.

    name: the value of `--package`, and the name of the subfolder of the output folder.
    files: a function that returns the contents of the folder's files, by their paths relative to the folder.
    lacks: a function that returns the feature that a board lacks for this tool, as a phrase for messages; None if the
        tool supports the board.
    archive: a function that returns the subfolder that `--zip` packs for a model; None if the tool accepts no archives.
    loads: true if its examples write the weights of a model that stores them in RAM.
    products: the patterns of what its tool writes into its folder, as paths relative to the folder. `*` also matches
        `/`, `{name}` is the name of the model, and a pattern that matches a folder includes what is in it. These files
        stay if the folder is written again. Objects, executables and build folders of CMake need no pattern.
    """

    name: str
    files: Callable[[PackagedModel], Mapping[str, str]]
    lacks: Callable[[Board], str | None] = every_board
    archive: Callable[[PackagedModel], str] | None = None
    loads: bool = False
    products: Sequence[str] = ()


@dataclass(frozen=True)
class PackagedModel:
    """A compiled model, as packagings use it.

    folder: the output folder, with `NAME.c`, `NAME.h` and `NAME.json`.
    formats: the program at L1.
    board: the board of the compilation.
    serial: true if images arrive over a serial line.
    raws: inputs (samples, elements) as raws of their format.
    expected: the outputs of the program for these inputs.
    """

    folder: Path
    formats: ModuleOp
    board: Board
    serial: bool
    raws: NDArray[Any]
    expected: Outputs

    @cached_property
    def interface(self) -> Interface:
        return interface_of(self.formats)

    @property
    def name(self) -> str:
        return self.interface.name

    @property
    def given(self) -> str:
        """The argument of model functions that have no other argument: the instance in the examples, or an empty text
        without an instance.
        """
        return "&instance" if self.interface.instances else ""

    @property
    def before(self) -> str:
        """The text of `given`, followed by a comma if it is not empty, to precede further arguments."""
        return f"{self.given}, " if self.given else ""

    @property
    def sources(self) -> dict[str, str]:
        """The texts of `NAME.c` and `NAME.h`, by name."""
        names = f"{self.name}.c", f"{self.name}.h"
        return {name: (self.folder / name).read_text("utf-8") for name in names}

    @cached_property
    def declared(self) -> Mapping[str, Any]:
        """The C interface as data: the content of `NAME.json` (docs/interface-data.md)."""
        return json.loads((self.folder / f"{self.name}{SUFFIX}").read_text("utf-8"))

    @property
    def loads(self) -> bool:
        return bool(weights_in(self.folder, self.interface))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one input, without the batch axis."""
        return tdsl.shape_of(predict_function(self.formats).body.block.args[0])

    @cached_property
    def classes(self) -> Sequence[str | int] | None:
        return tdsl.read_interface(self.formats).classes

    @property
    def threshold(self) -> float | None:
        """The score below which a detector reports an anomaly; None for any other model."""
        return tdsl.read_interface(self.formats).threshold

    @property
    def samples(self) -> int:
        return max(1, min(len(self.raws), STORED_BYTES // self.interface.input_bytes))

    @property
    def stored_inputs(self) -> NDArray[Any]:
        """The inputs of the stored samples (samples, array elements), in the form that the C array X stores."""
        interface, raws = self.interface, self.raws[: self.samples]
        if interface.packed_bits is None:
            return raws
        offset, bits = interface.packed_offset, interface.packed_bits
        return np.stack([pack_bits(row - offset, bits).view(np.int8) for row in raws])


def packaged_model(
    folder: Path, formats: ModuleOp, board: Board, x: NDArray[Any], *, serial: bool, expected: Outputs | None = None
) -> PackagedModel:
    """The model in an output folder.

    x: inputs as reals.
    expected: the outputs for x; None to evaluate them.
    serial: as in `PackagedModel`.
    """
    raws = encode_inputs(formats, x)
    return PackagedModel(folder, formats, board, serial, raws, expected or evaluate(formats, raws))
