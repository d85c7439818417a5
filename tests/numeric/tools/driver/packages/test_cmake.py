"""The CMake project is built and tested on this computer, and built by the compilers of boards."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import gural_murmann
from programs.devices import need_tools
from programs.sensor_models import NAME, SensorModel, inputs, sensor_model
from programs.spread import spread

from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.targets.registry import chip_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import print_ir

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")


def built(model: SensorModel, folder: Path, *options: str) -> Path:
    """The build folder of the project, compiled without warnings."""
    environment = {**os.environ, "CFLAGS": "-Wall -Wextra -Werror"}
    configure = ["cmake", "-S", model.out / "cmake", "-B", folder, *options]
    for command in (configure, ["cmake", "--build", folder]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def ctest(folder: Path) -> int:
    return subprocess.run(["ctest", "--test-dir", folder], capture_output=True, check=False).returncode


@pytest.mark.long
@pytest.mark.parametrize("target", spread(["host", "uno", "nano33ble"], 2))
def test_the_stored_samples_are_right_on_this_computer(target: str, tmp_path: Path):
    """The example of the CMake project computes the stored outputs. In some cases the example itself declares the
    instance of the model.
    """
    model = sensor_model(tmp_path, target, packages=("cmake",), instances=target == "nano33ble")
    build = built(model, tmp_path / "build")
    assert ctest(build) == 0
    said = subprocess.run([build / f"{NAME}_example"], capture_output=True, text=True, check=True).stdout
    words = [f"sample {at}: {word}, as on the desk" for at, word in enumerate(model.words(inputs(50)[:5]))]
    assert said.splitlines() == words
    if target == "host":
        samples = model.out / "cmake/samples.h"
        text = samples.read_text()
        labels = "sample_labels[SAMPLES][1] SAMPLE_FLASH = {\n    {"
        assert labels in text
        samples.write_text(text.replace(labels, f"{labels}1", 1))
        assert ctest(built(model, build)) != 0


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(("target", "has_example"), [("uno", True), ("nano33ble", True), ("esp32-c3", False)])
def test_it_builds_with_the_compiler_of_the_board(target: str, has_example: bool, tmp_path: Path):
    """The board's compiler builds the library and, except for RISC-V, the example. gcc for RISC-V has no C library."""
    need_tools(target)
    model = sensor_model(tmp_path, target, packages=("cmake",))
    build = built(model, tmp_path / "build", f"-DCMAKE_TOOLCHAIN_FILE={model.out / 'cmake/toolchain.cmake'}")
    assert (build / f"lib{NAME}.a").is_file()
    program = build / f"{NAME}_example.elf"
    assert program.is_file() == has_example
    if has_example:
        symbols = subprocess.run([chip_of(target).command("nm"), program], capture_output=True, text=True, check=True)
        assert f" {NAME}_run" in symbols.stdout
        assert " main" in symbols.stdout


@pytest.mark.long
def test_another_project_takes_the_library(tmp_path: Path):
    model = sensor_model(tmp_path, "host", packages=("cmake",))
    project = tmp_path / "project"
    project.mkdir()
    shutil.copytree(model.out / "cmake", project / "model")
    lines = ["cmake_minimum_required(VERSION 3.13)", "project(mine C)", "add_subdirectory(model)"]
    lines += ["add_executable(mine main.c)", f"target_link_libraries(mine {NAME})"]
    (project / "CMakeLists.txt").write_text("\n".join(lines))
    x = inputs(1)[0]
    calls = "".join(f"{NAME}_set({at}, {value}f);" for at, value in enumerate(x.tolist()))
    main = (
        f"#include <{NAME}.h>\n#include <stdio.h>\nint main(void) {{ {calls} puts({NAME}_class_name({NAME}_run())); }}"
    )
    (project / "main.c").write_text(main)
    for command in (["cmake", "-S", project, "-B", tmp_path / "build"], ["cmake", "--build", tmp_path / "build"]):
        subprocess.run(command, capture_output=True, check=True)
    said = subprocess.run([tmp_path / "build/mine"], capture_output=True, text=True, check=True).stdout.split()
    assert said == model.words(x[None])


@pytest.mark.long(seconds=10)
def test_this_computer_reads_images_from_standard_input(tmp_path: Path):
    images = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"])[:4]
    (tmp_path / "network.mlir").write_text(print_ir(gural_murmann.program()))
    np.savez(tmp_path / "images.npz", x=images)
    model, val = tmp_path / "network.mlir", tmp_path / "images.npz"
    options: dict[str, Any] = {"input": "serial", "plan": "rows", "pack_buffers": True, "packages": ("cmake",)}
    compile_model(Request(model=model, val=val, out=tmp_path / "out", target="host", **options))
    build = built(SensorModel(tmp_path / "out"), tmp_path / "build")
    assert ctest(build) == 0
    sent = b"".join(pack_bits(image.astype("i8") - 8, 4).tobytes() for image in images)
    ran = subprocess.run([build / "gural_mnist10_rows"], input=sent, check=True, capture_output=True)
    labels = gural_murmann.logits(images).argmax(1)
    assert ran.stdout.decode().split() == [word for label in labels for word in ("class", str(label))]
    cut = subprocess.run([build / "gural_mnist10_rows"], input=sent[:-1], capture_output=True, check=False)
    assert (cut.returncode, cut.stderr) == (1, b"error: the last image is not complete\n")
