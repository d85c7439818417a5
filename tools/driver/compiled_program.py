"""A compiled program with the IR of every level."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.lowering.options import PipelineOptions
from tinyml.transforms.formats.choose_storage import ChooseStoragePass
from tinyml.transforms.programs.store import Program
from tinyml.transforms.reals.analysis.count_macs import count_macs


@dataclass(frozen=True)
class LevelText:
    """The IR of one level.

    file: the name of its file in the folder `ir/`.
    text: the content of this file.
    """

    file: str
    text: str


@dataclass(frozen=True)
class Compiled:
    """A compiled program.

    reals, formats, buffers, loops, program: the IR of L0, L1, L2, L3 and L5.
    stages: the IR of all levels as text.
    unrounded: the IR of L1 before a plan rounded sums; None if the plan rounds none.
    typed, bits: the program at L1, before a plan rounds sums, and at L4. Other compilations continue from them.
    options: the options of the passes below L1.
    source, header: the C files.
    verilog: the text of the hardware module; None unless the target is an FPGA.
    format, width: the name of the program's number format, and its width in bits.
    parts: the format of the parts that a quantised model computes in floats, such as `fixed 16`; None if there are
        none.
    row_scales: true if each row of constant matrices has its own scale.
    fold_affine: true if affine layers were folded.
    kept: true if the model already had number formats.
    """

    reals: ModuleOp
    formats: ModuleOp
    unrounded: ModuleOp | None
    buffers: ModuleOp
    loops: ModuleOp
    program: ModuleOp
    stages: tuple[LevelText, ...]
    source: str
    header: str
    format: str
    width: int
    row_scales: bool
    typed: Program
    bits: Program
    options: PipelineOptions
    parts: str | None = None
    kept: bool = False
    fold_affine: bool = False
    verilog: str | None = None

    @property
    def macs(self) -> int:
        return count_model_macs(self.reals)


def count_model_macs(reals: ModuleOp) -> int:
    """The number of multiply-accumulates of a program, with matrices in sparse form where that saves memory in
    floats.
    """
    module = reals.clone()
    ChooseStoragePass().apply(Context(), module)
    return count_macs(module)
