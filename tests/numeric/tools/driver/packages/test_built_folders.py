"""An output folder in which a tool has built is replaced, and what the tool has written stays and is used again."""

from __future__ import annotations

import shutil
import subprocess
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from programs.estimators import sk

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.tools.cli import atomic_output
from tinyml.tools.driver.build_products import products_among
from tinyml.tools.driver.output_folder import kept_files, readable_report, removable_files

NAME = "gestures"


@cache
def program(board: str, width: int, *, instances: bool = False) -> tinyml.Program:
    x = np.random.default_rng(0).normal(size=(60, 6)).astype(np.float32)
    classes = x[:, :3].argmax(1)
    fitted = sk.LogisticRegression().fit(x, classes)
    # Softmax takes most of the time of so small a program.
    with warnings.catch_warnings(action="ignore", category=tinyml.CompileWarning):
        made = tinyml.compile(fitted, x, classes, board=board, width=width, name=NAME, instances=instances)
    assert isinstance(made, tinyml.Program)
    return made


def contents(folder: Path) -> dict[str, bytes | str]:
    """The content of each file, and the target of each link, by path."""
    return {
        path.relative_to(folder).as_posix(): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def touched(*names: str) -> Callable[[Path], None]:
    """What a tool that is not installed here would write."""

    def build(folder: Path) -> None:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("built")

    return build


def run(folder: Path, *command: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-1000:]


def cmake(folder: Path) -> None:
    run(folder / "cmake", "cmake", "-B", "build", "-D", "CMAKE_POLICY_VERSION_MINIMUM=3.13")
    run(folder / "cmake", "cmake", "--build", "build")
    run(folder / "cmake", "ctest", "--test-dir", "build")


def cmake_elsewhere(folder: Path) -> None:
    run(folder / "cmake", "cmake", "-B", "mine")
    run(folder / "cmake", "cmake", "--build", "mine")


def cmake_within(folder: Path) -> None:
    run(folder / "cmake", "cmake", ".")
    run(folder / "cmake", "cmake", "--build", ".")


def plain(folder: Path) -> None:
    run(folder, "gcc", "-c", f"{NAME}.c", "-o", f"{NAME}.o")
    run(folder, "ar", "rcs", f"lib{NAME}.a", f"{NAME}.o")


def mlir(folder: Path) -> None:
    for tool in ("mlir-opt-19", "clang-19"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    run(folder / "mlir", "make")


def cargo(folder: Path) -> None:
    run(folder / "rust", "cargo", "build", "--offline")


ZEPHYR = (f"{NAME}/sample/build/CMakeCache.txt", f"{NAME}/sample/build/zephyr/zephyr.elf", "twister-out/twister.log")
IDF = ("build/CMakeCache.txt", "build/test.bin", "sdkconfig", "sdkconfig.old", "dependencies.lock")
ESPHOME = (
    *(".gitignore", ".esphome/storage/gestures.yaml.json", ".esphome/build/gestures/src/main.cpp"),
    "components/tinyml_gestures/__pycache__/__init__.cpython-311.pyc",
)
MICROPYTHON = (f"build-x64/{NAME}.o", f"build-x64/{NAME}.config.h", f"{NAME}.mpy", ".mpy_ld_cache-x64/libgcc")

WITH_INSTANCES = ("micropython", "rust")

SKETCH = f"arduino/{NAME}/examples/SelfTest"

PLATFORMIO = (
    *(".pio/build/uno/firmware.elf", ".pio/build/uno/src/main.cpp.o", ".pio/build/project.checksum", ".gitignore"),
    *(".pio/libdeps/uno/integrity.dat", ".vscode/c_cpp_properties.json", "include/README", "lib/README", "test/README"),
)

ARDUINO = {
    "arduino-cli": (f"{SKETCH}/build/arduino.avr.uno/SelfTest.ino.elf", f"{SKETCH}/sketch.yaml"),
    "IDE 1": (f"{SKETCH}/SelfTest.ino.standard.hex", f"{SKETCH}/SelfTest.ino.with_bootloader.standard.hex"),
    "builder": ("firmware/build.options.json", "firmware/core/core.a", "firmware/sketch/SelfTest.ino.cpp"),
}

BUILDS: dict[str, tuple[str, Sequence[str], Callable[[Path], None]]] = {
    "cmake": ("host", ["cmake"], cmake),
    "cmake in a folder of another name": ("host", ["cmake"], cmake_elsewhere),
    "cmake in the project": ("host", ["cmake"], cmake_within),
    "plain C": ("host", ["c"], plain),
    "header": ("host", ["header"], touched("header/a.out", "header/main.o")),
    "mlperf": ("host", ["c"], touched("mlperf/build/CMakeCache.txt", "mlperf/build/mlperf", "mlperf/main/build/a.elf")),
    "mlir": ("host", ["mlir"], mlir),
    "platformio": ("uno", ["platformio"], touched(*(f"platformio/{name}" for name in PLATFORMIO))),
    **{f"arduino, {tool}": ("uno", ["arduino"], touched(*names)) for tool, names in ARDUINO.items()},
    "west": ("nucleo-f401re", ["c"], touched("build/CMakeCache.txt", "build/zephyr/zephyr.elf", ".west/config")),
    "cargo": ("host", ["c"], touched("target/CACHEDIR.TAG", "target/debug/deps/one.rlib", "Cargo.lock")),
    "zephyr": ("nucleo-f401re", ["zephyr"], touched(*(f"zephyr/{name}" for name in ZEPHYR))),
    "idf": ("esp32-c3", ["idf"], touched(*(f"idf/{NAME}/test_apps/{name}" for name in IDF))),
    "esphome": ("esp32-c3", ["esphome"], touched(*(f"esphome/{name}" for name in ESPHOME))),
    "micropython": ("cortex-m4", ["micropython"], touched(*(f"micropython/{NAME}/{name}" for name in MICROPYTHON))),
    "rust": ("cortex-m4", ["rust"], cargo),
    "circt": ("ecp5-25k", ["circt"], touched("circt/bench.vvp", "circt/outputs.txt")),
    "bitstream": (
        "ecp5-25k",
        ["bitstream"],
        touched(*(f"bitstream/board.{end}" for end in ("json", "config", "bit"))),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", BUILDS)
def test_a_folder_that_was_built_is_written_and_built_again(kind: str, tmp_path: Path) -> None:
    board, packages, build = BUILDS[kind]
    out, instances = tmp_path / "out", kind in WITH_INSTANCES
    program(board, 8, instances=instances).save(out, packages=packages)
    written = contents(out)
    build(out)
    built = contents(out)
    products = built.keys() - written.keys()
    assert products
    other = program(board, 16, instances=instances)
    other.save(out, packages=packages)
    again = contents(out)
    assert {name: again[name] for name in products} == {name: built[name] for name in products}
    other.save(tmp_path / "fresh", packages=packages)
    assert {name: data for name, data in again.items() if name not in products} == contents(tmp_path / "fresh")
    # What the tool has written is still none of ours.
    build(out)
    program(board, 8, instances=instances).save(out, packages=packages)
    assert contents(out).keys() >= products
    assert readable_report(out) == readable_report(tmp_path / "out")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return program("host", 8).save(tmp_path / "out", packages=["cmake"])


def test_files_of_the_user_beside_a_build_folder_are_an_obstacle(output: Path) -> None:
    touched("cmake/build/CMakeCache.txt", "cmake/notes.txt")(output)
    with pytest.raises(InputError, match=r"contains cmake/notes.txt, not written by tinyml") as caught:
        program("host", 16).save(output, packages=["cmake"])
    assert (output / "cmake/notes.txt").read_text() == "built"
    assert (output / "cmake/build/CMakeCache.txt").read_text() == "built"
    # The traceback of a Python program has one error.
    assert "direct cause" not in "".join(traceback.format_exception(caught.value))
    assert "During handling" not in "".join(traceback.format_exception(caught.value))


def test_a_changed_file_of_ours_is_an_obstacle_after_a_build(output: Path) -> None:
    touched("cmake/build/CMakeCache.txt", "cmake/main.c")(output)
    with pytest.raises(InputError, match=r"contains cmake/main.c, which was changed"):
        program("host", 16).save(output, packages=["cmake"])


def test_links_and_empty_folders_of_a_build_stay(output: Path) -> None:
    touched("cmake/build/CMakeCache.txt", "cmake/build/lib.so.1")(output)
    (output / "cmake/build/lib.so").symlink_to("lib.so.1")
    (output / "cmake/build/empty").mkdir()
    program("host", 16).save(output, packages=["c"])
    assert (output / "cmake/build/lib.so").readlink() == Path("lib.so.1")
    assert (output / "cmake/build/empty").is_dir()
    assert not (output / "cmake/CMakeLists.txt").exists()


def test_a_product_with_the_name_of_a_new_file_is_an_obstacle(tmp_path: Path) -> None:
    out = program("host", 8).save(tmp_path / "out", packages=["c"])
    touched("cmake/build/CMakeCache.txt")(out)
    (out / "cmake/main.c").mkdir(parents=True)
    touched("cmake/main.c/object.o")(out)
    before = contents(out)
    with pytest.raises(
        InputError, match=r"contains cmake/main\.c/object\.o, which the new output contains, too: move it"
    ):
        program("host", 16).save(out, packages=["cmake"])
    assert contents(out) == before


def test_a_replacement_that_was_cut_short_loses_no_products(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old folder was renamed and the new one is in its place: the next run moves what was built."""
    touched("cmake/build/CMakeCache.txt")(output)
    assert kept_files(output) == ["cmake/build/CMakeCache.txt"]
    assert "cmake/build/CMakeCache.txt" not in removable_files([])(output)

    def killed(old: Path, final: Path, files: Sequence[str]) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(atomic_output, "_move", killed)
        with pytest.raises(KeyboardInterrupt):
            program("host", 16).save(output, packages=["cmake"])
    assert not (output / "cmake/build").exists()
    program("host", 8).save(output, packages=["cmake"])
    assert (output / "cmake/build/CMakeCache.txt").read_text() == "built"
    assert [path.name for path in output.parent.iterdir()] == ["out"]


def test_what_was_built_after_a_replacement_that_was_cut_short_stays(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user has built again before the next run, which must not put the older files in place of the newer ones."""
    touched("cmake/build/CMakeCache.txt", "cmake/build/older")(output)

    def killed(old: Path, final: Path, files: Sequence[str]) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(atomic_output, "_move", killed)
        with pytest.raises(KeyboardInterrupt):
            program("host", 16).save(output, packages=["cmake"])
    (output / "cmake/build").mkdir()
    (output / "cmake/build/CMakeCache.txt").write_text("built again")
    program("host", 8).save(output, packages=["cmake"])
    assert (output / "cmake/build/CMakeCache.txt").read_text() == "built again"
    assert (output / "cmake/build/older").read_text() == "built"


@pytest.mark.parametrize("target", ["deep", "nothing"])
@pytest.mark.parametrize("place", ["out", "other"])
def test_an_opened_program_with_links_of_a_build_is_saved(target: str, place: str, output: Path) -> None:
    touched("cmake/build/CMakeCache.txt", "cmake/build/deep/x")(output)
    (output / "cmake/build/link").symlink_to(target)
    folder = tinyml.open(output).save(output.parent / place, packages=["cmake"])
    assert (folder / "cmake/build/link").is_symlink() == (place == "out")
    assert (output / "cmake/build/link").readlink() == Path(target)


def test_only_files_of_known_tools_are_products() -> None:
    files = ["notes.txt", "cmake/notes.txt", "build/notes.txt", "cmake/main.o", "cmake/build/x", "CACHEDIR.TAG", "tour"]
    assert products_among(files, "tour") == ["cmake/main.o", "cmake/build/x"]
    assert products_among(["mlir/tour", "mlir/other"], "tour") == ["mlir/tour"]


@pytest.mark.parametrize("place", ["out", "other"])
def test_an_opened_program_is_saved_without_what_was_built(place: str, output: Path) -> None:
    written = contents(output)
    touched("build/CMakeCache.txt", "build/deep/er/x", "gestures.o", "cmake/build/CMakeCache.txt")(output)
    built = contents(output)
    folder = tinyml.open(output).save(output.parent / place, packages=["cmake"])
    assert contents(folder).keys() == (built if place == "out" else written).keys()
    program("host", 16).save(folder, packages=["cmake"])
