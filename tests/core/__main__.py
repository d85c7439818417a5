"""`make core`: test a wheel that contains only the core, in a separate environment.

The wheel omits the files of the extensions that `dialects/extensions.txt` marks as excluded. The environment contains
the requirements of the core and of its two frontends, and the tools that run tests, in the versions of the current
environment. It remains in `build/core` until these requirements change. The command checks that

* the tests of the core pass, except those listed in `needs_extensions.txt`, which must fail;
* the programs of `programs.py` have the same C as with the complete installation, byte for byte;
* a command that requires a missing extension ends with a line that names the extension;
* after the files of an extension are restored, its programs have the same C as with the complete installation.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distributions
from pathlib import Path

from layout.sources import name_of
from programs.paths import ROOT, TESTS

from core.programs import PROGRAMS, RETURNING
from core.selection import copy_filecheck_tests, failing_unit_tests, unit_tests
from core.wheel import build, files_of

FOLDER = ROOT / "build" / "core"
ENVIRONMENT = FOLDER / "env"
PYTHON = ENVIRONMENT / "bin" / "python"
EXTRAS = ("onnx", "sklearn")
"""The extras of the frontends that the wheel of the core has."""

TOOLS = ("pytest", "pytest-xdist", "hypothesis", "lit", "filecheck", "skl2onnx", "onnxruntime")
"""What runs tests, of the extra `test`, and their oracles."""

PACKED = ("--width", "8", "--packer", "shiftry", "-o", "x")
ABSENT = {
    ("compile", "docs/tour/tour.sd", "-o", "x"): "the frontend 'sd' needs the part 'SeeDot'",
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--target", "esp32", "-o", "x"): (
        "the target 'esp32' needs the part 'RISC-V and Xtensa'"
    ),
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--format", "minifloat", "-o", "x"): (
        "the number format 'minifloat' needs the part 'small formats'"
    ),
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--search", "pareto", "-o", "x"): (
        "the search 'pareto' needs the part 'searches'"
    ),
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--format", "posit", "-o", "x"): (
        "the number format 'posit' needs the part 'posits and published formats'"
    ),
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--plan", "patches", "-o", "x"): (
        "the mode 'patches' needs the part 'schedules'"
    ),
    (*("compile", "tests/models/attention/block-pytorch.onnx", "--val", "tests/models/attention/val.npz"), *PACKED): (
        "the packer 'shiftry' needs the part 'schedules'"
    ),
    ("compile", "tests/models/pytorch/gru-script.onnx", "--width", "8", "-o", "x"): (
        "GRU '/rnn/GRU': the op needs the part 'further ONNX ops'"
    ),
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--plan", "rows", "-o", "x"): (
        "the mode 'rows' needs the part 'schedules'"
    ),
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--flash", "20000", "-o", "x"): (
        "the option '--flash' needs the part 'searches'"
    ),
    ("compile", "tests/models/pytorch/cnn-script.onnx", "--with", "y", "-o", "x"): (
        "the option '--with' needs the part 'memory'"
    ),
    ("bench", "examples"): "the command 'bench' needs the part 'measuring'",
    ("doctor",): "the command 'doctor' needs the part 'developer tools'",
}
"""Command lines that ask for an extension, and what they say."""


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program in the project folder, with the core's environment first in PATH and without Python's environment
    variables.
    """
    path = os.pathsep.join([str(PYTHON.parent), os.environ.get("PATH", "")])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**kept, "PATH": path}
    return subprocess.run(list(map(str, command)), cwd=ROOT, env=environment, capture_output=True, text=True)


def required() -> list[str]:
    """The requirements of the core's environment in pip's syntax, without the wheel of the core."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for extra in EXTRAS for line in optional[extra])]
    return [*lines, *(line for line in optional["test"] if re.split(r"[^\w-]", line)[0] in TOOLS)]


def make_environment() -> None:
    """Create the environment without the wheel, unless it has the current requirements."""
    stamp, requirements = ENVIRONMENT / "requirements.txt", "\n".join(required())
    if stamp.is_file() and stamp.read_text("utf-8") == requirements:
        return
    subprocess.run([ROOT / ".ci" / "venv", sys.executable, ENVIRONMENT], check=True)
    versions = FOLDER / "versions.txt"
    versions.write_text("".join(f"{one.name}=={one.version}\n" for one in distributions() if one.name != "tinyml-xdsl"))
    quiet = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*quiet, "-c", versions, *required()], check=True)
    stamp.write_text(requirements, "utf-8")


def install() -> None:
    """Build the wheel and install it without its dependencies."""
    wheel = build(FOLDER / "wheel")
    site = next(ENVIRONMENT.glob("lib/python*/site-packages"))
    shutil.rmtree(site / "tinyml", ignore_errors=True)
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--force-reinstall"]
    subprocess.run([*pip, "--no-compile", wheel], check=True)
    found = run(PYTHON, "-c", "import tinyml; print(tinyml.__file__)").stdout.strip()
    assert Path(found).is_relative_to(site), f"another tinyml is imported: {found}"


def run_filecheck() -> str:
    """Run the FileCheck files of the core; the files in `needs_extensions.txt` must fail. Returns the errors, "" for
    none.
    """
    files, failing = copy_filecheck_tests(FOLDER / "tests" / "filecheck")
    done = run(PYTHON.with_name("lit"), "-sq", f"--xfail={';'.join(failing)}", *files)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def run_unit_tests() -> str:
    """Run the unit tests of the core; the files in `needs_extensions.txt` must fail. Returns the errors, "" for
    none.
    """
    pytest = PYTHON.with_name("pytest"), "-q", "-p", "no:cacheprovider"
    done = run(*pytest, "-n", "auto", *unit_tests())
    wrong = "" if done.returncode == 0 else done.stdout + done.stderr
    passing = [name_of(path) for path in failing_unit_tests() if run(*pytest, "-x", path).returncode == 0]
    return wrong + "".join(f"{name} passes: remove it from needs_extensions.txt\n" for name in passing)


def run_programs(folder: str, names: Sequence[str]) -> str:
    """Compile programs in both environments, compare their C, and return the differences as text; "" for none.

    folder: the subfolder for the compiled programs, whose earlier content is removed.
    names: the names of the programs.
    """
    made = {python: FOLDER / folder / which for python, which in ((PYTHON, "core"), (Path(sys.executable), "whole"))}
    shutil.rmtree(FOLDER / folder, ignore_errors=True)

    def compiled(python: Path) -> subprocess.CompletedProcess[str]:
        return run(python, "-W", "ignore", TESTS / "core" / "programs.py", made[python], *names)

    with ThreadPoolExecutor() as both:
        runs = list(both.map(compiled, made))
    if wrong := "".join(done.stderr for done in runs if done.returncode != 0):
        return wrong
    core, whole = ({name: texts(place / name) for name in names} for place in made.values())
    assert all(core.values()), "a program has no C"
    return "".join(
        f"the C of {name} differs from that of the whole installation\n" for name in names if core[name] != whole[name]
    )


def texts(folder: Path) -> dict[str, bytes]:
    """The C files and headers in a program's folder, by file name."""
    return {path.name: path.read_bytes() for path in folder.glob("*.[ch]")}


def run_absent() -> str:
    """Run commands that require missing extensions, and return the names and messages of those whose message is wrong;
    "" for none.
    """
    wrong = ""
    for arguments, message in ABSENT.items():
        done = run(PYTHON.with_name("tinyml"), *arguments)
        last = (done.stderr.strip().splitlines() or [""])[-1]
        if done.returncode != 1 or not last.endswith(f"{message} of tinyml, which is not installed"):
            wrong += f"tinyml {' '.join(arguments)}: {last}\n"
    return wrong


def put_back() -> str:
    """Restore the files of extensions in the environment, and compile the programs that require them.

    Returns the differences from the complete installation, "" for none.
    """
    site = next(ENVIRONMENT.glob("lib/python*/site-packages"))
    for extension in {extension for extensions, _ in RETURNING.values() for extension in extensions}:
        for path in files_of(extension):
            copy = site / "tinyml" / name_of(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return run_programs("returning", [*RETURNING])


STEPS = {
    "environment": make_environment,
    "wheel": install,
    "programs": lambda: run_programs("programs", [*PROGRAMS]),
    "what is absent": run_absent,
    "FileCheck": run_filecheck,
    "unit tests": run_unit_tests,
    "extensions put back": put_back,
}


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = False
    for name, step in STEPS.items():
        start = time.monotonic()
        wrong = step()
        print(f"core: {name}: {'failed' if wrong else 'passed'} in {time.monotonic() - start:.0f} s", flush=True)
        if wrong:
            print(wrong.rstrip("\n"))
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
