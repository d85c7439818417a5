"""Programs that share an arena compute the same outputs as alone, even if the other program is called in between."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.estimators import halves, sk
from programs.spread import spread
from programs.streamed_tflite import spotter
from programs.tflite_models import computed_by_tflm, inputs_of

import tinyml
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import run_on_device
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.shared_programs import SharedPrograms, join_programs

IRIS = halves("iris")

pytestmark = pytest.mark.filterwarnings("ignore::tinyml.tools.api.program.CompileWarning")


@cache
def plain(board: str) -> list[tinyml.Program]:
    """The programs of a network and a forest for the same features."""
    mlp = sk.MLPClassifier((12,), max_iter=400, solver="lbfgs", random_state=0).fit(IRIS.x, IRIS.y)
    forest = sk.RandomForestClassifier(5, max_depth=3, random_state=0).fit(IRIS.x, IRIS.y)
    given: dict[str, Any] = {"board": board, "format": "fixed", "width": 8, "outputs": "class"}
    return [
        tinyml.compile(model, IRIS.x, IRIS.y, name=name, **given) for name, model in (("mlp", mlp), ("forest", forest))
    ]


def joined(programs: list[tinyml.Program], out: Path) -> SharedPrograms:
    return join_programs([program.folder for program in programs], out)


def interrupt(out: Path, name: str, function: str, other: str) -> None:
    """Change a function of the program `name` so that it first executes `other`, a C statement that runs another
    program.
    """
    [source] = out.glob("*.c")
    text = source.read_text()
    head = re.search(rf"^(\w+ {name}_{function})(\(.*\))$", text, re.MULTILINE)
    assert head is not None
    values = ", ".join(re.findall(r"(\w+)(?:,|\))", head[2]))
    alone = text.replace(head[0], f"static {head[1]}_alone{head[2]}")
    alone += f"\n{head[0]}\n{{\n    {other}\n    return {name}_{function}_alone({values});\n}}\n"
    source.write_text(alone)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("target", spread(DEVICES, 2))
def test_a_network_and_a_forest_compute_what_they_compute_alone(target: str, tmp_path: Path):
    mlp, forest = plain(target)
    found = joined([mlp, forest], tmp_path / "out")
    assert found.arena.bytes == found.arena.lower_bound == max(found.alone.values()) < sum(found.alone.values())
    for program, other in ((mlp, forest), (forest, mlp)):
        out = joined([mlp, forest], tmp_path / program.name) and tmp_path / program.name
        some = "static const int16_t some[4] = {0x2040, 0x6010, 0x1122, 0x7f01};"
        interrupt(out, program.name, "predict", f"{some} {other.name}_predict((const void *)some);")
        formats = program_in(program.folder).formats
        _, mismatch = run_on_device(out, formats, IRIS.held_x[:20], target=target)
        assert mismatch is None


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("widths", [(8, 16), (16, 8)])
def test_programs_with_elements_of_different_types_share_an_arena(widths: tuple[int, int], tmp_path: Path):
    mlp = sk.MLPClassifier((12,), max_iter=400, solver="lbfgs", random_state=0).fit(IRIS.x, IRIS.y)
    programs = [
        tinyml.compile(mlp, IRIS.x, IRIS.y, name=f"mlp{width}", board="host", format="fixed", width=width)
        for width in widths
    ]
    for program in programs:
        out = tmp_path / program.name
        joined(programs, out)
        [source] = out.glob("*.c")
        # A pointer to elements of another type is a warning of older compilers.
        source.write_text('#pragma GCC diagnostic error "-Wincompatible-pointer-types"\n' + source.read_text())
        _, mismatch = run_on_device(out, program_in(program.folder).formats, IRIS.held_x[:20], target="host")
        assert mismatch is None


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("board", ["host", "cortex-m4"])
def test_the_arena_has_room_for_the_decoded_elements_of_each_program(board: str, tmp_path: Path):
    """A program in posits decodes its vectors to bytes behind all buffers, also if the other program declares the
    arena.
    """
    mlp = sk.MLPClassifier((12,), max_iter=400, solver="lbfgs", random_state=0).fit(IRIS.x, IRIS.y)
    programs = [
        tinyml.compile(mlp, IRIS.x, IRIS.y, name=format, board=board, format=format, width=width)
        for format, width in (("fixed", 8), ("posit", 10))
    ]
    for program in programs:
        out = tmp_path / program.name
        found = joined(programs, out)
        assert found.arena.bytes == max(found.alone.values())
        if board == "host":
            [source] = out.glob("*.c")
            assert f"fixed_arena[{found.arena.bytes}]" in source.read_text()
        _, mismatch = run_on_device(out, program_in(program.folder).formats, IRIS.held_x[:20], target=board)
        assert mismatch is None


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("target", spread(["host", "uno", "cortex-m4", "riscv"], 2))
def test_states_are_kept_while_the_other_program_runs(target: str, tmp_path: Path):
    streams: list[tinyml.Program] = []
    contents = [spotter(seed) for seed in (4, 11)]
    for name, content in zip(("one", "two"), contents, strict=True):
        file = tmp_path / f"{name}.tflite"
        file.write_bytes(content)
        streams.append(tinyml.compile(file, board=target))
    out = tmp_path / "out"
    found = joined(streams, out)
    assert max(found.alone.values()) < found.arena.bytes < sum(found.alone.values())
    noise = "static const int8_t noise[5] = {3, -100, 77, 20, -9}; if (two_ready()) two_predict(); two_push(noise, 5);"
    interrupt(out, "one", "push", noise)
    x = inputs_of(contents[0], 24)
    [scores] = computed_by_tflm(contents[0], x)
    formats = program_in(streams[0].folder).formats
    heard = answers_to(out, interface_of(formats), x.ravel(), target=target, optimize="-Os")
    np.testing.assert_array_equal(heard.outputs.tensors[0], scores[1:].astype(int) - 128)


@pytest.mark.long(seconds=20)
def test_equal_constants_and_functions_are_in_flash_once(tmp_path: Path):
    file = tmp_path / "one.tflite"
    file.write_bytes(spotter(4))
    programs = [tinyml.compile(file, board="cortex-m4", name=name) for name in ("one", "two")]
    out = tmp_path / "out"
    found = joined(programs, out)
    assert found.constants == programs[0].report.constants_bytes
    interrupt(out, "one", "push", "if (two_ready()) two_predict(); two_push(samples, n);")
    runner, formats = runner_for("cortex-m4"), program_in(programs[0].folder).formats
    pair, alone = tmp_path / "pair", tmp_path / "alone"
    for folder in (pair, alone):
        folder.mkdir()
    flash = [
        runner.build(source, interface_of(formats), work).flash_bytes
        for source, work in ((out, pair), (programs[0].folder, alone))
    ]
    assert flash[0] < 2 * flash[1] - found.constants


@pytest.mark.long(seconds=20)
def test_programs_that_cannot_share_an_arena_are_refused_in_one_line(tmp_path: Path):
    file = tmp_path / "one.tflite"
    file.write_bytes(spotter(4))
    given: dict[str, dict[str, Any]] = {
        "same": {"board": "host"},
        "other": {"board": "cortex-m4", "name": "other"},
        "many": {"board": "host", "name": "many", "instances": True},
    }
    made = {name: tinyml.compile(file, **options) for name, options in given.items()}
    given["spread"] = {"board": "cortex-m4", "name": "spread", "memory": "ram=64K:0/0"}
    made |= {"spread": tinyml.compile(file, **given["spread"])}
    with pytest.raises(tinyml.InputError, match="'spread' has buffers in several memories: omit --memory"):
        joined([made["other"], made["spread"]], tmp_path / "out")
    for name, said in (
        ("same", "two programs have the name 'one': compile one of them with another --name"),
        ("other", "'one' is for host, 'other' for cortex-m4: compile both for one board"),
        ("many", "'many' has memory of its own: omit --instances"),
    ):
        with pytest.raises(tinyml.InputError) as caught:
            joined([made["same"], made[name]], tmp_path / "out")
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(tinyml.InputError, match="a list of 1"):
        tinyml.compile([made["same"]])
    assert not (tmp_path / "out").exists()


@pytest.mark.long(seconds=10)
def test_unpacked_elements_do_not_overwrite_the_state_of_another_program(tmp_path: Path):
    """Two programs cannot share an arena if one of them unpacks elements into bytes in which the other keeps a state;
    the error names both.
    """
    file = tmp_path / "one.tflite"
    file.write_bytes(spotter(4))
    digits = halves("digits")
    mlp = sk.MLPClassifier((24, 12), max_iter=200, solver="lbfgs", random_state=0).fit(digits.x, digits.y)
    given: dict[str, Any] = {"pack_buffers": True, "reuse_input": True}
    packed = tinyml.compile(mlp, digits.x, digits.y, name="packed", board="uno", format="fixed", width=10, **given)
    stream = tinyml.compile(file, board="uno")
    with pytest.raises(tinyml.InputError, match="'packed' would unpack elements over a state of 'one': compile"):
        joined([stream, packed], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.long(seconds=10)
def test_a_list_of_programs_becomes_one_file(tmp_path: Path):
    file = tmp_path / "one.tflite"
    file.write_bytes(spotter(4))
    programs = [tinyml.compile(file, board="host", name=name) for name in ("one", "two")]
    together = tinyml.compile([*programs], name="both")
    assert (together.name, together.programs) == ("both", programs)
    saved = together.save(tmp_path / "out")
    assert {file.name for file in saved.glob("*.[ch]")} == {"both.c", "both.h", "one.h", "two.h"}
    assert (saved / "both.c").read_text() == together.c
    assert str(together).startswith("shared arena: ")
