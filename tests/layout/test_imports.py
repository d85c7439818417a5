"""Imports between top-level packages have one direction, a file of one IR level imports no pass of another level, and
no import is cyclic.
"""

from __future__ import annotations

from programs.paths import ROOT

from layout.sources import MODULES, ROOMS, module_of, name_of, source
from tinyml.lowering.pipeline_steps import PASS_FOLDERS


def test_imports_run_upwards():
    for path in MODULES:
        room = path.relative_to(ROOT).parts[0]
        allowed = ROOMS[: ROOMS.index(room) + 1]
        for line, module in source(path).imports:
            parts = module.split(".")
            assert parts[0] not in ROOMS, f"{name_of(path)}:{line}: write tinyml.{module}"
            if parts[0] == "tinyml":
                assert parts[1] in allowed, f"{name_of(path)}:{line}: {room} must not import {module}"


def is_a_pass(module: str) -> bool:
    """Whether a module, or the module that contains a name, is a file directly in the folder of an IR level."""
    parts = module.split(".")
    if parts[:2] != ["tinyml", "transforms"] or len(parts) < 4 or parts[2] not in PASS_FOLDERS:
        return False
    return ROOT.joinpath("transforms", parts[2], f"{parts[3]}.py").is_file()


def test_level_rooms_import_each_others_libraries_only():
    for path in (ROOT / "transforms").rglob("*.py"):
        level = path.relative_to(ROOT).parts[1]
        for line, module in source(path).imports:
            passes_of_others = is_a_pass(module) and module.split(".")[2] != level
            assert not passes_of_others, f"{name_of(path)}:{line}: {module} is a pass of another level"


def test_no_import_leads_back():
    """The imports between modules form no cycle, including imports in functions. Imports for type checkers do not
    count.
    """
    modules = {module_of(path): path for path in MODULES}
    arrows: dict[str, set[str]] = {}
    for module, path in modules.items():
        names = {name for line, name in source(path).imports if line not in source(path).for_types}
        arrows[module] = {name if name in modules else name.rpartition(".")[0] for name in names} & modules.keys()
        arrows[module].discard(module)
    while leaves := {module for module, targets in arrows.items() if not targets}:
        arrows = {module: targets - leaves for module, targets in arrows.items() if module not in leaves}
    assert arrows == {}, "these import each other, or lead to those that do"
