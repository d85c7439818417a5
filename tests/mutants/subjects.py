"""The files that belong to a pass: its code, its FileCheck files, and its tests."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

from layout.sources import MODULES, defined_passes, module_of, source
from programs.paths import FILECHECK, ROOT, TESTS

ROOMS = ("transforms", "lowering")
"""Those that have passes."""

REFERENCE = TESTS / "unit/tools/reports/test_pass_reference.py"
"""Holds the defaults of all options of passes."""

HARDWARE = ("numeric/lowering/hw/test_hardware.py", "numeric/lowering/hw/test_images.py")
"""Simulations of generated Verilog, which all passes of `rtl` made."""

ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "answer-values": ("numeric/tools/api/test_names.py",),
    "bind-weights": ("numeric/tools/driver/test_bound_weights.py",),
    "choose-votes": ("numeric/dialects/tdsl/test_forests.py",),
    "code-forests": ("numeric/dialects/tdsl/test_forests.py",),
    "decide-class": ("numeric/tools/api/test_names.py",),
    "decode-constants": ("numeric/transforms/loops/test_decoded_runs.py",),
    "expand-loops": HARDWARE,
    "fill-missing": ("numeric/lowering/frontends/sklearn/test_missing_values.py",),
    "flatten-loops": HARDWARE,
    "fold-input-unit": ("numeric/transforms/reals/test_input_units.py",),
    "follow-missing": ("numeric/lowering/frontends/sklearn/test_missing_values.py",),
    "forward-stores": HARDWARE,
    "free-ports": HARDWARE,
    "hint-loops": ("numeric/targets/test_generated_c.py",),
    "inline-hardware-programs": HARDWARE,
    "inline-runtime": HARDWARE,
    "load-weights": ("numeric/tools/driver/test_loaded_weights.py",),
    "lower-arith-to-rtl": HARDWARE,
    "lower-rtl-to-circt": ("numeric/tools/driver/packages/test_circt.py",),
    "lower-rtl-to-hw": HARDWARE,
    "lower-scratch-to-memref": ("numeric/lowering/frontends/mlir/test_small_modules.py",),
    "lower-stablehlo-to-tdsl": ("numeric/lowering/frontends/mlir/test_small_modules.py",),
    "lower-tdsl-to-tosa": (
        "unit/tools/commands/test_export.py",
        "numeric/lowering/frontends/mlir/test_small_modules.py",
        "numeric/lowering/frontends/tflite/test_tflite_bits.py",
    ),
    "measure-cost": ("numeric/transforms/ir/test_costs.py", "unit/transforms/search/test_prices.py"),
    "merge-sums": HARDWARE,
    "pack-buffers": ("numeric/transforms/loops/test_packed_programs.py",),
    "pack-constants": ("numeric/transforms/loops/test_packed_programs.py",),
    "place-arrays": ("numeric/targets/test_generated_c.py",),
    "place-constants": ("numeric/targets/test_generated_c.py",),
    "prune-channels": ("numeric/transforms/reals/test_refitting.py",),
    "scale-features": ("numeric/transforms/reals/test_feature_scales.py",),
    "schedule-cycles": HARDWARE,
    "set-threshold": ("numeric/tools/api/test_detectors.py",),
    "slide-windows": HARDWARE,
    "split-constants": ("numeric/targets/test_generated_c.py",),
    "unroll-loops": HARDWARE,
    "vectorise-loops": ("numeric/transforms/loops/test_vectorised_loops.py",),
    "widen-elements": HARDWARE,
}
"""Tests of a pass, below `tests`, that neither import nor name it: they run a command or a whole compilation."""


@dataclass(frozen=True)
class Subject:
    """A pass with its files and tests.

    path: the file of the pass.
    name: its name in tools.
    helpers: files of the same top-level package that only this pass imports.
    checks: FileCheck files that run the pass, starting with the files of the same name.
    tests: pytest files in this order: files of the same name, files that import a file of the pass, files that mention
        the pass, those in `ELSEWHERE`, and the tests of the documentation.
    """

    name: str
    path: Path
    helpers: tuple[Path, ...]
    checks: tuple[Path, ...]
    tests: tuple[Path, ...]

    @property
    def files(self) -> list[Path]:
        return [self.path, *self.helpers]


class _Text(NamedTuple):
    """A test file, with the words in it.

    place: the path of the source file that corresponds to the test's folder, but with the name of the test file.
    words: the words in the test.
    """

    place: Path
    words: set[str]

    def mirrors(self, file: Path, prefix: str) -> bool:
        """Whether the test file is in the folder of tests for the folder of `file`, and its name is `prefix` and the
        name of `file`, possibly followed by `_` and more.
        """
        return self.place.parent == file.parent and (self.place.stem + "_").startswith(f"{prefix}{file.stem}_")


@cache
def subjects() -> Mapping[str, Subject]:
    """The `Subject` of each pass of `transforms` and `lowering`, by the name of the pass."""
    checks = {
        path: _Text(path.relative_to(FILECHECK), set(_WORD.findall(_run_lines(path))))
        for path in sorted(FILECHECK.rglob("*"))
        if path.suffix in (".mlir", ".sd")
    }
    tests = {
        path: _Text(Path(*path.relative_to(TESTS).parts[1:]), _words(path))
        for path in sorted(TESTS.rglob("test_*.py"))
        if "filecheck" not in path.parts
    }
    passes = {
        name: path for path in MODULES if path.relative_to(ROOT).parts[0] in ROOMS for name in defined_passes(path)
    }
    alone = _used_alone(set(passes.values()))
    return {name: _subject(name, path, tuple(alone[path]), checks, tests) for name, path in sorted(passes.items())}


def _subject(
    name: str, path: Path, helpers: tuple[Path, ...], checks: Mapping[Path, _Text], tests: Mapping[Path, _Text]
) -> Subject:
    place = path.relative_to(ROOT)
    own = [check for check, text in checks.items() if text.mirrors(place, "")]
    others = [check for check, text in checks.items() if check not in own and name in text.words]
    modules = {module_of(file) for file in (path, *helpers)}
    mirrors = [test for test, text in tests.items() if text.mirrors(place, "test_")]
    importing = [test for test, text in tests.items() if test not in mirrors and text.words & modules]
    naming = [test for test, text in tests.items() if test not in {*mirrors, *importing} and name in text.words]
    elsewhere = [TESTS / test for test in ELSEWHERE.get(name, ())]
    return Subject(name, path, helpers, (*own, *others), (*mirrors, *importing, *naming, *elsewhere, REFERENCE))


_WORD = re.compile(r"[\w-]+")
_MODULE = re.compile(r"tinyml(?:\.\w+)+")


def _words(path: Path) -> set[str]:
    """The words in a test, such as names of passes, and the names of imported modules with their packages."""
    text = path.read_text()
    modules = (accumulate(found.split("."), "{}.{}".format) for found in set(_MODULE.findall(text)))
    return {*_WORD.findall(text), *chain.from_iterable(modules)}


def _run_lines(path: Path) -> str:
    return "\n".join(line for line in path.read_text(errors="replace").splitlines() if "RUN:" in line)


@cache
def importers() -> Mapping[str, set[str]]:
    """For each module, the modules that import it, including imports inside functions."""
    modules = {module_of(path): path for path in MODULES}
    found: dict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        for _, name in source(path).imports:
            # `from package import module` and `from module import name`.
            for imported in (name, name.rpartition(".")[0]):
                if imported in modules:
                    found[imported].add(module)
                    break
    return found


def depending(module: str) -> set[str]:
    """A module and all modules that import it directly or indirectly."""
    found, todo = {module}, [module]
    while todo:
        new = importers()[todo.pop()] - found
        found |= new
        todo += new
    return found


def _used_alone(passes: set[Path]) -> Mapping[Path, list[Path]]:
    """For each pass, the files of the pass's top-level package that no file outside the pass imports."""
    owner = {module_of(path): path for path in passes}
    candidates = {
        module_of(path): path for path in MODULES if path.relative_to(ROOT).parts[0] in ROOMS and path not in passes
    }
    while new := dict(_owned(owner, candidates)):
        owner |= new
        candidates = {module: path for module, path in candidates.items() if module not in new}
    files = {module_of(path): path for path in MODULES}
    return {path: [files[m] for m, own in owner.items() if own == path and files[m] != path] for path in passes}


def _owned(owner: Mapping[str, Path], candidates: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    for module in candidates:
        users = {owner.get(user) for user in importers()[module]}
        [*one] = users
        if len(one) == 1 and one[0] is not None:
            yield module, one[0]
