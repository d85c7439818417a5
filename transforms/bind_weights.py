"""`bind-weights`: moves the numeric arrays of a C program into a separate file, the blob, from which the program reads
them in place (L5).

`targets/blobs/layout.py` describes the blob. A digest in the blob identifies the IR of the program without the content
of the arrays. Two programs with equal digests therefore have the same C.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import BytesAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import c
from tinyml.dialects.c.declarations import FILES
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import DATA
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.blobs.layout import DIGEST, BlobLayout
from tinyml.targets.blobs.texts import declarations, definitions, linked
from tinyml.targets.registry import chip_of, target_of
from tinyml.transforms.ir.levels import C_PROGRAMS

BLOB = ".blob"
"""The suffix of the blob's file."""


@dataclass(frozen=True)
class BindWeightsPass(ModulePass):
    """Replace every `c.constant` with the attribute `tinyml.data` by a macro that computes the address of the array
    from the address of the blob, which the C function `NAME_bind` sets.

    Either all of these arrays are near constants, or all of them are far constants. For far constants, the ops that
    take their addresses also receive the attribute `tinyml.data`.

    weights_at: the address of the blob, or the linker section of `NAME_blob.c`.
    weights_for: an output folder with a program that must be able to use the new blob; None to skip this check.

    Raises `InputError` for an address or section that the chip cannot read, for a module without a program, for a
    program that contains no such arrays or supports several instances, and for arrays that require a program other than
    the program in `weights_for`.
    """

    name = "bind-weights"
    takes = C_PROGRAMS
    weights_at: str
    weights_for: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        program = op.body.block.first_op
        if not isinstance(program, c.ProgramOp):
            raise error_at(op, "'bind-weights' takes one program in C, the module is empty")
        target = target_of(op)
        chip = chip_of(target)
        arrays = [each for each in program.body.block.ops if isinstance(each, c.ConstantOp) and DATA in each.attributes]
        if any(isinstance(each, c.InstanceOp) for each in program.body.block.ops):
            raise InputError("--weights-at: instances share no pointer to weights: leave out --instances")
        if not arrays:
            raise InputError("--weights-at: the program has no arrays of numbers")
        layout = BlobLayout.of(program.sym_name.data, arrays, target, self.weights_at)
        if layout.far is not None:
            _mark_symbols(program, {each.sym_name.data for each in arrays})
        for array in arrays:
            array.detach()
        declared = declarations(layout)
        texts = [definitions(layout, chip, bytes(8)), *map(str, declared)]
        digest = sha256("\n".join([chip.name, str(program), *texts]).encode()).digest()[:8]
        self._check_program(layout, digest)
        block = program.body.block
        source = c.VerbatimOp(f"{layout.name}_weights", [], definitions(layout, chip, digest))
        Rewriter.insert_op(source, InsertPoint.at_start(block))
        Rewriter.insert_op(declared, InsertPoint.at_end(block))
        blob = layout.blob(digest)
        files = {BLOB: BytesAttr(blob), "_blob.c": StringAttr(linked(layout, chip, blob))}
        program.attributes[FILES] = DictionaryAttr(files)

    def _check_program(self, layout: BlobLayout, digest: bytes) -> None:
        if self.weights_for is None:
            return
        file = Path(self.weights_for) / f"{layout.name}{BLOB}"
        if read_bytes(file, "blob")[DIGEST] != digest:
            raise InputError(
                "--weights-for: these weights need another program, as ir/5-c.mlir of both shows: compile the model "
                "anew, or with the options of this folder",
                file=str(file),
            )


def _mark_symbols(program: c.ProgramOp, names: Collection[str]) -> None:
    for op in program.walk():
        if isinstance(op, c.SymbolOp) and op.symbol.string_value() in names:
            op.attributes[DATA] = UnitAttr()
