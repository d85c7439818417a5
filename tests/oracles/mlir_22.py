"""Programs as modules in TOSA 1.0, executed by MLIR 22: mlir-opt lowers a module, mlir-runner compiles it, and Python
calls the result.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.lowering.exporters.tosa_writer import write_tosa
from tinyml.runtime.evaluator.evaluator import predict_function

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Raws = NDArray[np.int8]

TOOLS = ("mlir-opt-22", "mlir-runner-22")

PASSES = (
    "func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale=true},tosa-to-tensor)",
    "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}",
    "buffer-results-to-out-params{modify-public-functions=true}",
    "convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf",
    "finalize-memref-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm",
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts",
)

END = "}) : () -> ()"
NOTHING = f'  "func.func"() <{{function_type = () -> (), sym_name = "nothing"}}> ({{ "func.return"() : () -> () {END}\n'
"""A function that mlir-runner calls, since it compiles nothing without."""


def is_installed() -> bool:
    """Whether the tools of MLIR 22 are installed (Debian's mlir-22-tools)."""
    return all(map(shutil.which, TOOLS))


class TosaModule:
    """A program in 8 bits, written in TOSA by `write_tosa` and compiled in a folder."""

    def __init__(self, program: ModuleOp, folder: Path) -> None:
        function = predict_function(program)
        name = function.sym_name.data
        module, lowered, compiled = (folder / f"{name}{suffix}" for suffix in (".tosa.mlir", ".llvm.mlir", ".o"))
        head, end, _ = write_tosa(program).decode().rstrip().rpartition(END)
        module.write_text(f"{head}{NOTHING}{end}\n", encoding="utf-8")
        optimizer, runner = TOOLS
        self._run(optimizer, module, f"--pass-pipeline=builtin.module({','.join(PASSES)})", "-o", lowered)
        # Its function memrefCopy copies parts of arrays.
        libraries = Path(shutil.which(runner) or "").resolve().parents[1] / "lib"
        copies = next(libraries.glob("libmlir_c_runner_utils.so*"))
        called = "-e", "nothing", "--entry-point-result=void", f"--shared-libs={copies}"
        self._run(runner, "-O0", lowered, *called, "--dump-object-file", f"--object-filename={compiled}")
        library = folder / f"{name}.so"
        self._run("cc", "-shared", "-Wl,-z,notext", f"-Wl,-rpath,{copies.parent}", compiled, copies, "-o", library)
        self._function = getattr(ctypes.CDLL(str(library)), name)
        returned = function.body.block.last_op
        assert returned is not None
        self._results = [tdsl.shape_of(result) for result in returned.operands]

    @staticmethod
    def _run(*command: object) -> None:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command[0]}: {done.stderr[:2000]}"

    def __call__(self, inputs: Raws) -> list[Raws]:
        """The raws of each result for samples, which are the rows of `inputs`."""
        outputs = [np.zeros((len(inputs), *shape), np.int8) for shape in self._results]
        for at, sample in enumerate(inputs):
            arrays = [np.ascontiguousarray(sample, np.int8), *(output[at] for output in outputs)]
            self._function(*(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))
        return [output.reshape(len(inputs), -1) for output in outputs]
