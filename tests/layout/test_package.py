"""The wheel contains everything, the tools start quickly, and a stock xdsl-opt finds what is registered."""

import importlib.util
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from programs.paths import ROOT

from layout.sources import ROOMS, name_of, room_files
from layout.test_files import checks_of
from tinyml.tools.universe import TINYML


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


def test_a_stock_xdsl_opt_reads_our_dialects(tmp_path: Path):
    """A program of each, one after the other, as starting the tool takes most of the time."""
    programs = [(checks_of(name) / "ops.mlir").read_text() for name in sorted(TINYML.all_dialects)]
    (tmp_path / "all.mlir").write_text("\n// -----\n".join(programs))
    printed = stock_xdsl_opt(str(tmp_path / "all.mlir"), "--split-input-file")
    for name in TINYML.all_dialects:
        assert re.search(rf'[\s"!#]{name}\.[a-z]', printed), name
