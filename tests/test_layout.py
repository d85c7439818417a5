"""The promises about where things stand: files and names, arrows between rooms, what the wheel contains."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.lowering.pipelines import PIPELINES
from tinyml.targets.chip import Chip
from tinyml.targets.registry import chips
from tinyml.tools.universe import TINYML

ROOT = Path(__file__).parent.parent
ROOMS = ("dialects", "targets", "runtime", "transforms", "lowering", "tools")
FILECHECK = ROOT / "tests" / "filecheck"
LONGEST_FILE = 400

PASSES = sorted(TINYML.all_passes.keys() - PIPELINES.keys())


def room_files(pattern: str) -> list[Path]:
    return sorted(
        path
        for room in ROOMS
        for path in (ROOT / room).rglob(pattern)
        if path.is_file() and "__pycache__" not in path.parts
    )


MODULES = room_files("*.py")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def defined_passes(path: Path) -> Iterator[str]:
    """The names of the passes that a file defines."""
    module = import_module(".".join(["tinyml", *path.relative_to(ROOT).with_suffix("").parts]))
    for made in vars(module).values():
        if isinstance(made, type) and issubclass(made, ModulePass) and made.__module__ == module.__name__:
            name = getattr(made, "name", None)
            if isinstance(name, str):
                yield name


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that a file imports, at its top, in functions or by name."""
    package = ["tinyml", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                parent = package[: len(package) - level + 1] if level else []
                base = ".".join([*parent, *([module] if module else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(str(name)), *_]):
                if called in ("import_module", "__import__"):
                    yield node.lineno, name
            case _:
                pass


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_is_a_file_and_a_test(name: str):
    made = TINYML.all_passes[name]()
    assert made.name == name
    package, room, *level, stem = made.__module__.split(".")
    assert (package, room) in (("tinyml", "transforms"), ("tinyml", "lowering"))
    assert len(level) == 1 if room == "transforms" else level in ([], ["cost"])
    assert stem == name.removeprefix("lower-" if room == "lowering" else "").replace("-", "_")
    check = FILECHECK.joinpath(room, *level, f"{stem}.mlir")
    assert check.is_file(), f"pass {name} has no {name_of(check)}"
    assert name in check.read_text(), f"{name_of(check)} does not run {name}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_pass_is_registered(path: Path):
    assert set(defined_passes(path)) <= TINYML.all_passes.keys()


def test_every_named_pipeline_is_registered():
    assert PIPELINES.keys() <= TINYML.all_passes.keys()
    assert all(TINYML.all_passes[name]().name == name for name in PIPELINES)


def checks_of(dialect: str) -> Path:
    """The folder of a dialect's FileCheck tests."""
    level = "dialects/formats" if dialect in (name.partition(".")[0] for name in FORMATS) else "dialects"
    return FILECHECK / level / dialect


@pytest.mark.parametrize("name", sorted(TINYML.all_dialects))
def test_a_dialect_has_its_tests(name: str):
    assert TINYML.all_dialects[name]().name == name
    for file in ("ops.mlir", "invalid.mlir"):
        assert (checks_of(name) / file).is_file(), f"dialect {name} has no {file}"


FORMATS: dict[str, type[Attribute]] = {
    attribute.name: attribute
    for make in TINYML.all_dialects.values()
    for attribute in make().attributes
    if issubclass(attribute, NumberFormat)
}
NAMING_FORMATS = {
    "dialects/formats/exact/accumulator.py": "all exact formats add up in `!fixed.acc`",
    "dialects/formats/lookup.py": "the usual format",
    "dialects/formats/published/base.py": "the papers compute functions by what fixed point has as schemes",
    "tools/driver/compare_formats.py": "the formats that MinUn compares, and ours",
    "tools/universe.py": "the registry",
}
"""Files that name a format which is not theirs, and why."""


LITERATURE = ("seedot", "shiftry")
"""Formats that are called as a paper is: so are a language, a packing and ways to compute functions."""


def words(path: Path) -> Iterator[tuple[int, str]]:
    """What a file says other than in docstrings and comments: identifiers, imports, strings."""
    tree = ast.parse(path.read_text())
    said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if node not in said:
                yield node.lineno, text
            case ast.Name(id=text) | ast.Attribute(attr=text):
                yield node.lineno, text
            case ast.ImportFrom(module=str(text)):
                yield node.lineno, text
            case _:
                pass


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_no_format_is_named_outside_its_own_files(name: str):
    """Its own are the file of its name in `dialects/formats/`, or the folder.
    Calibration measures programs in formats that it chooses."""
    format = FORMATS[name]
    *_, folder, stem = format.__module__.split(".")
    if stem == "type":
        stem = folder
    spelled = [re.escape(format.__module__), rf"\b{format.__name__}\b", rf"\b{re.escape(name)}\b"]
    if stem not in LITERATURE:
        spelled.append(rf"(?<![a-zA-Z]){stem}(?![a-zA-Z])")
    for path in MODULES:
        if (
            stem in (path.stem, path.parent.name)
            or name_of(path) in NAMING_FORMATS
            or path.parent.name == "calibration"
        ):
            continue
        for line, text in words(path):
            assert not re.search("|".join(spelled), text), f"{name_of(path)}:{line} names a format: {text}"


NAMING_CHIPS = {
    "targets/registry.py": "the registry, the usual target and the host",
    "tools/driver/arduino_sketch.py": "sketches are for the boards of the Arduino IDE that are AVRs",
}
"""Files that name a chip which is not theirs, and why."""


def own_by_convention(path: Path, chip: Chip) -> bool:
    """Does a file belong to a chip? The runner does; calibration measures chips that it chooses."""
    runner = chip.runner.partition(":")[0].removeprefix("tinyml.").replace(".", "/")
    return chip.folder in path.parents or name_of(path) == f"{runner}.py" or path.parent.name == "calibration"


@pytest.mark.parametrize("chip", chips(), ids=lambda chip: chip.name)
def test_no_chip_is_named_outside_its_own_files(chip: Chip):
    """Its own are its folder and its runner; its names those of its boards and parts, of its runner and its tools."""
    names = {chip.name, chip.folder.name, chip.prefix, *chip.runner.rpartition(".")[2].split(":")} - {""}
    names |= {name for board in chip.boards for name in (board.name, board.part)}
    spelled = re.compile("|".join(rf"(?<![a-zA-Z0-9]){re.escape(name)}(?![a-zA-Z0-9])" for name in sorted(names)))
    for path in MODULES:
        if own_by_convention(path, chip) or name_of(path) in NAMING_CHIPS:
            continue
        for line, text in words(path):
            assert not spelled.search(text), f"{name_of(path)}:{line} names a chip: {text}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_upwards(path: Path):
    room = path.relative_to(ROOT).parts[0]
    allowed = ROOMS[: ROOMS.index(room) + 1]
    for line, module in imports(path):
        parts = module.split(".")
        assert parts[0] not in ROOMS, f"{name_of(path)}:{line}: write tinyml.{module}"
        if parts[0] == "tinyml":
            assert parts[1] in allowed, f"{name_of(path)}:{line}: {room} must not import {module}"


LEVELS = ("reals", "formats", "buffers", "loops", "bits", "search")
"""The level rooms of transforms/; its room `ir` is a library for all of them."""

TRANSFORMS = [path for path in MODULES if path.relative_to(ROOT).parts[0] == "transforms"]


def is_a_pass(module: str) -> bool:
    """Is a module, or a name in it, from a file directly in a level room?"""
    parts = module.split(".")
    if parts[:2] != ["tinyml", "transforms"] or len(parts) < 4 or parts[2] not in LEVELS:
        return False
    return ROOT.joinpath("transforms", parts[2], f"{parts[3]}.py").is_file()


@pytest.mark.parametrize("path", TRANSFORMS, ids=name_of)
def test_level_rooms_import_each_others_libraries_only(path: Path):
    level = path.relative_to(ROOT).parts[1]
    for line, module in imports(path):
        assert not is_a_pass(module) or module.split(".")[2] == level, (
            f"{name_of(path)}:{line}: {module} is a pass of another level"
        )


@pytest.mark.parametrize("path", [path for path in TRANSFORMS if path.name != "__init__.py"], ids=name_of)
def test_a_file_directly_in_a_level_room_is_a_pass_of_its_name(path: Path):
    _, *folders, _ = path.relative_to(ROOT).parts
    passes = [] if len(folders) != 1 or folders[0] == "ir" else [path.stem.replace("_", "-")]
    assert folders
    assert list(defined_passes(path)) == passes


@pytest.mark.parametrize(
    "path",
    [*MODULES, *room_files("*.[ch]"), *room_files("*.lark"), *sorted((ROOT / "tests").rglob("*.py"))],
    ids=name_of,
)
def test_no_file_is_long(path: Path):
    assert len(path.read_text().splitlines()) <= LONGEST_FILE


def can_build_without_isolation() -> bool:
    from importlib.metadata import version

    if importlib.util.find_spec("setuptools") is None:
        return False
    return tuple(int(part) for part in version("setuptools").split(".")[:2]) >= (77, 0)


def test_the_wheel_contains_every_room(tmp_path: Path):
    """Headers, grammars and harnesses too: an editable installation would not show that one is missing."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", *ROOMS):
        (source / name).symlink_to(ROOT / name)
    isolation = ["--no-build-isolation"] if can_build_without_isolation() else []
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", *isolation, "-w", str(tmp_path), str(source)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp_path.glob("tinyml-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    missing = {f"tinyml/{name_of(path)}" for path in room_files("*")} - inside
    assert missing == set()
    assert any(name.endswith("licenses/LICENSE") for name in inside)


def fresh_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


HEAVY = "print(*sorted({'numpy', 'lark', 'rich', 'unicorn', 'elftools'} & sys.modules.keys()))"


def test_the_tool_starts_without_heavy_modules():
    assert fresh_python(f"import sys, tinyml.tools.tinyml_opt; {HEAVY}").strip() == ""


def test_help_and_every_registered_thing_load_without_heavy_modules():
    code = f"""if True:
        import contextlib, io, sys
        from tinyml.tools.tinyml_opt import main
        from tinyml.tools.universe import TINYML
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            main(["--help"])
        for things in (TINYML.all_dialects, TINYML.all_passes, TINYML.all_targets):
            for make in things.values():
                make()
        {HEAVY}
    """
    assert fresh_python(code).strip() == ""


def stock_xdsl_opt(*args: str) -> str:
    command = [str(Path(sys.executable).with_name("xdsl-opt")), *args]
    # argparse folds its help to the terminal and would break names at their dashes.
    environment = {**os.environ, "COLUMNS": "100000"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_a_stock_xdsl_opt_lists_our_passes_and_targets():
    text = stock_xdsl_opt("--help")
    passes = text.partition("Available passes are: ")[2].split()[0].split(",")
    targets = text.partition("Available targets are: ")[2].split()[0].split(",")
    assert TINYML.all_passes.keys() <= set(passes)
    assert TINYML.all_targets.keys() <= set(targets)


@pytest.mark.parametrize("name", sorted(TINYML.all_dialects))
def test_a_stock_xdsl_opt_reads_our_dialects(name: str):
    assert stock_xdsl_opt(str(checks_of(name) / "ops.mlir"), "--split-input-file")
