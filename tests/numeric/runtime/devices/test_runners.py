"""Hand-written models with the interface of generated C run correctly on every device."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import BOARDS, SIMULATED, need_tools
from programs.printed import WARNING_FLAGS

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices import avr, emulator
from tinyml.runtime.devices.attribution import DEBUG_FLAGS, attribute, source_lines
from tinyml.runtime.devices.avr import AvrRunner
from tinyml.runtime.devices.emulator import EmulatorRunner
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, DeviceError, Interface, Runner, runner_for
from tinyml.runtime.devices.toolchain import call_tool, symbol_table, symbols
from tinyml.targets.registry import board, chip_of, sized

DATA = Path(__file__).parent
FIX = Interface("fixmodel", "int16_t", 16, "int16_t", 4, has_label=True)
FLOAT = Interface("floatmodel", "float", 8, "float", 8, has_label=False)
SKIP = Interface("skipmodel", "int16_t", 1, "int16_t", 5, has_label=True)
SMALL = Interface("small", "int16_t", 2, None, 0, has_label=True)

WriteModel = Callable[..., Path]


def fix_inputs(samples: int) -> np.ndarray:
    return np.random.default_rng(7).integers(-32768, 32768, (samples, 16)).astype(np.int16)


def fix_scores(inputs: np.ndarray) -> np.ndarray:
    row, column = np.mgrid[0:4, 0:16]
    weights = ((row * 37 + column * 101) % 211 - 105) * 64
    return np.clip((inputs.astype(np.int64) @ weights.T + 2048) >> 12, -32768, 32767)


def float_scores(x: np.ndarray) -> np.ndarray:
    first, second, third = (np.roll(x, -shift, axis=1) for shift in (1, 2, 3))
    return (x * first + second) / (third * third + np.float32(1))


def limited(device: str, limit: int) -> Runner:
    runner: Any = runner_for(device)
    return replace(runner, limit=limit)


@pytest.fixture
def write_model(tmp_path: Path) -> WriteModel:
    """A function that writes a model with the given body of `int16_t small_predict(const int16_t *X)`.

    X has two elements. The function returns the folder of the model.
    """

    def write(body: str, before: str = "") -> Path:
        folder = tmp_path / "source"
        folder.mkdir()
        (folder / "small.h").write_text(
            "#include <stdint.h>\n#define small_INPUT_LENGTH 2\n#define small_OUTPUT_LENGTH 0\n"
            "int16_t small_predict(const int16_t *X);\n"
        )
        (folder / "small.c").write_text(
            f'#include "small.h"\n{before}\nint16_t small_predict(const int16_t *X) {{ (void)X; {body} }}\n'
        )
        return folder

    return write


def run_small(runner: Runner, source: Path, tmp_path: Path, x: tuple[int, int] = (3, 4)):
    build = runner.build(source, SMALL, tmp_path / "build")
    return runner.run(build, SMALL, np.array([x], dtype=np.int16))


@pytest.mark.long
@pytest.mark.parametrize("device", BOARDS)
def test_fixed_point_model_gives_the_exact_outputs(device: str, tmp_path: Path):
    runner, inputs = runner_for(device), fix_inputs(50)
    build = runner.build(DATA / "fixmodel", FIX, tmp_path, extra_flags=WARNING_FLAGS)
    result = runner.run(build, FIX, inputs)
    assert result.labels is not None
    assert result.scores is not None
    assert result.scores.dtype == np.int16
    np.testing.assert_array_equal(result.scores, fix_scores(inputs))
    np.testing.assert_array_equal(result.labels, fix_scores(inputs).argmax(axis=1))
    assert result.unit == runner.board.unit
    hosted = runner.board.ram is None
    assert 0 < result.stack_bytes < (1000 if hosted else 100)
    assert 128 < build.flash_bytes < (20000 if hosted else 1500)


@pytest.mark.long
@pytest.mark.parametrize("device", BOARDS)
def test_float_model_gives_the_same_bits_everywhere(device: str, tmp_path: Path):
    inputs = np.random.default_rng(3).normal(scale=10, size=(50, 8)).astype(np.float32)
    runner = runner_for(device)
    build = runner.build(DATA / "floatmodel", FLOAT, tmp_path, extra_flags=WARNING_FLAGS)
    result = runner.run(build, FLOAT, inputs)
    assert result.labels is None
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores.view(np.uint32), float_scores(inputs).view(np.uint32))


@pytest.mark.long
@pytest.mark.parametrize("device", SIMULATED)
def test_costs_are_deterministic_and_the_optimiser_counts(device: str, tmp_path: Path):
    runner, inputs = runner_for(device), fix_inputs(5)
    counts: list[np.ndarray] = []
    for optimize in ("-Os", "-Os", "-O2"):
        result = runner.run(runner.build(DATA / "fixmodel", FIX, tmp_path, optimize), FIX, inputs)
        assert result.cycles is not None
        counts.append(result.cycles)
    np.testing.assert_array_equal(counts[0], counts[1])
    assert not np.array_equal(counts[0], counts[2])


@pytest.mark.long
@pytest.mark.parametrize("device", BOARDS)
def test_static_bytes_include_the_input(device: str, tmp_path: Path):
    build = runner_for(device).build(DATA / "fixmodel", FIX, tmp_path)
    assert build.static_bytes >= FIX.input_bytes + FIX.output_bytes
    if board(device).ram is not None and not chip_of(device).constants_in_ram:
        assert build.static_bytes == FIX.input_bytes + FIX.output_bytes


@pytest.mark.long
@pytest.mark.parametrize("device", BOARDS)
def test_stack_is_measured(device: str, tmp_path: Path, write_model: WriteModel):
    """A local array that is 700 bytes longer increases the measured stack by 700 bytes, up to alignment."""
    # clang would split an array whose address nobody else has, volatile or not.
    body = (
        "int8_t a[LENGTH]; a[0] = (int8_t)X[0]; a[LENGTH - 1] = 1;"
        '__asm__ volatile("" : : "r"(a) : "memory"); return a[0];'
    )
    source = write_model(body)
    runner = runner_for(device)
    depths: list[int] = []
    for length in (100, 800):
        build = runner.build(source, SMALL, tmp_path, extra_flags=[f"-DLENGTH={length}"])
        result = runner.run(build, SMALL, np.array([[3, 4]], dtype=np.int16))
        assert result.labels is not None
        assert result.labels.tolist() == [3]
        depths.append(result.stack_bytes)
    assert abs(depths[1] - depths[0] - 700) < 16
    assert 100 < depths[0] < 256


def test_avr_stack_and_cycles_by_hand(tmp_path: Path, write_model: WriteModel):
    """For a hand-written model, the measured stack has 4 bytes, the return addresses of main and of the call. The 9
    counted cycles are those of movw (1), ld (2), ldd (2) and ret (4).
    """
    source = write_model(
        '__asm__ volatile("movw r30, r24\\n\\tld r24, Z\\n\\tldd r25, Z+1\\n\\tret"); return 0;',
        before="int16_t small_predict(const int16_t *X) __attribute__((naked));",
    )
    result = run_small(AvrRunner(), source, tmp_path, (-300, 0))
    assert result.labels is not None
    assert result.cycles is not None
    assert (result.labels[0], result.cycles[0], result.stack_bytes) == (-300, 9, 4)


def test_skip_over_a_word_that_simavr_takes_for_two(tmp_path: Path):
    """Each instruction that may be skipped takes two cycles if it is executed and one cycle if it is skipped, since it
    has one word. simavr 1.6 mistakes some of these instructions for two words; the driver corrects this.
    """
    x = np.array([5, -5, 256, -256, 0, -1, 300, -300], dtype=np.int64)
    runner = AvrRunner()
    build = runner.build(DATA / "skipmodel", SKIP, tmp_path)
    result = runner.run(build, SKIP, x.astype(np.int16)[:, None])
    skipped = np.stack([x >= 0, x < 0, x % 256 == 0, x >= 0, x < 0], axis=1)
    assert result.scores is not None
    assert result.cycles is not None
    np.testing.assert_array_equal(
        result.scores, x[:, None] + np.where(skipped, 0, np.array([63, -44, 61, -62, 12])) + 1
    )
    cycles = result.cycles + skipped.sum(axis=1)
    assert (cycles == cycles[0]).all()


def step_counts(device: str, build: Build, inputs: np.ndarray) -> list[int]:
    """The instructions of `fixmodel_predict` for each input, counted one by one with a hook that is independent of the
    runner's.
    """
    import unicorn
    from unicorn import arm_const, riscv_const

    image = build.elf.with_suffix(".bin").read_bytes()
    uc: Any
    if device == "riscv":
        sp, x, back = riscv_const.UC_RISCV_REG_SP, riscv_const.UC_RISCV_REG_A0, riscv_const.UC_RISCV_REG_RA
        table, code = symbols(chip_of(device), build.elf), 0
        uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)  # pyright: ignore[reportPrivateImportUsage]
    else:
        sp, x, back = arm_const.UC_ARM_REG_SP, arm_const.UC_ARM_REG_R0, arm_const.UC_ARM_REG_LR
        table, code = symbols(chip_of(device), build.elf), 1
        uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)  # pyright: ignore[reportPrivateImportUsage]
        uc.ctl_set_cpu_model(arm_const.UC_CPU_ARM_CORTEX_M0)
    uc.mem_map(0, 1 << 20)
    uc.mem_map(0x20000000, 1 << 18)
    uc.mem_write(0, image)
    counts: list[int] = []
    for row in inputs:
        count = 0

        def on_instruction(*_: object):
            nonlocal count
            count += 1

        hook = uc.hook_add(unicorn.UC_HOOK_CODE, on_instruction)
        uc.mem_write(table["tm_array"], row.tobytes())
        uc.reg_write(sp, table["tm_stack_top"])
        uc.reg_write(x, table["tm_array"])
        uc.reg_write(back, table["tm_mark"] | code)
        uc.emu_start(table["fixmodel_predict"] | code, table["tm_mark"])
        uc.hook_del(hook)
        counts.append(count)
    return counts


EMULATED = [device for device in SIMULATED if isinstance(runner_for(device), EmulatorRunner)]


@pytest.mark.long
@pytest.mark.parametrize("device", EMULATED)
def test_python_counts_what_c_counts(device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Without a C compiler on the host, counts in Python equal those in C, as do results and stack."""
    runner, inputs = runner_for(device), fix_inputs(3)
    build = runner.build(DATA / "fixmodel", FIX, tmp_path)
    assert emulator.counting_library() is not None
    in_c = runner.run(build, FIX, inputs)
    monkeypatch.setattr(emulator, "counting_library", lambda: None)
    in_python = runner.run(build, FIX, inputs)
    for name in ("labels", "scores", "cycles", "core_cycles", "stack_bytes"):
        np.testing.assert_array_equal(getattr(in_python, name), getattr(in_c, name), err_msg=name)


@pytest.mark.parametrize("device", ["cortex-m0", "riscv"])
def test_instructions_are_exact(device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Instructions are counted exactly, in C or, if the host has no C compiler, in Python."""
    runner, inputs = runner_for(device), fix_inputs(4)
    build = runner.build(DATA / "fixmodel", FIX, tmp_path)
    in_c = runner.run(build, FIX, inputs).cycles
    monkeypatch.setattr(emulator, "counting_library", lambda: None)
    in_python = runner.run(build, FIX, inputs).cycles
    assert in_c is not None
    assert in_python is not None
    assert np.array_equal(in_c, in_python)
    assert in_c.tolist() == step_counts(device, build, inputs)


@pytest.mark.parametrize("x", [-5, 5])
def test_instructions_by_hand_with_an_it_block(x: int, tmp_path: Path, write_model: WriteModel):
    """For a hand-written model with an IT block, six instructions are counted: ldrsh, cmp, ite, both conditional moves,
    although one of them is not executed, and bx.
    """
    source = write_model(
        '__asm__ volatile("ldrsh r0, [r0]; cmp r0, #0; ite lt; movlt r0, #1; movge r0, #2; bx lr"); return 0;',
        before="int16_t small_predict(const int16_t *X) __attribute__((naked));",
    )
    result = run_small(runner_for("cortex-m3"), source, tmp_path, (x, 0))
    assert result.labels is not None
    assert result.cycles is not None
    assert (result.labels[0], result.cycles[0]) == (1 if x < 0 else 2, 6)


@pytest.mark.long
@pytest.mark.parametrize("device", SIMULATED)
def test_an_endless_inference_is_reported(device: str, tmp_path: Path, write_model: WriteModel):
    source = write_model("for (;;) *(const volatile int16_t *)X;")
    with pytest.raises(DeviceError, match=r"^small on .*: did not end within"):
        run_small(limited(device, 10000), source, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("device", BOARDS)
def test_an_illegal_instruction_is_reported(device: str, tmp_path: Path, write_model: WriteModel):
    runner = runner_for(device)
    source = write_model(runner.chip.trap + "return X[0];")
    with pytest.raises(DeviceError, match=rf"^small on ({device}|{runner.board.part}): (crash at 0x|killed by signal)"):
        run_small(runner, source, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("device", SIMULATED)
def test_a_jump_out_of_the_program_is_reported(device: str, tmp_path: Path, write_model: WriteModel):
    source = write_model("void (*volatile f)(void) = (void (*)(void))0x3ff1; f(); return 1;")
    with pytest.raises(DeviceError, match="outside the program"):
        run_small(runner_for(device), source, tmp_path)


def test_a_stack_in_the_static_data_is_reported(tmp_path: Path, write_model: WriteModel):
    source = write_model("volatile int8_t a[2041]; a[2040] = (int8_t)X[0]; return a[2040];")
    with pytest.raises(DeviceError, match="stack overflow"):
        run_small(AvrRunner(), source, tmp_path)
    build = AvrRunner("atmega1284p").build(source, SMALL, tmp_path)
    result = AvrRunner("atmega1284p").run(build, SMALL, np.array([[9, 0]], dtype=np.int16))
    assert result.labels is not None
    assert result.labels.tolist() == [9]
    assert result.stack_bytes > 2041


@pytest.mark.parametrize(
    ("section", "what"),
    [
        ('__attribute__((section(".progmem.data"))) const', "32768 bytes of flash"),
        ("", "RAM of the atmega328p"),
    ],
)
def test_a_program_larger_than_the_chip_is_measured_but_not_run(
    section: str, what: str, tmp_path: Path, write_model: WriteModel
):
    source = write_model("return a[X[0]] + b[X[1]];", before=f"static {section} volatile int8_t a[20000], b[20000];")
    runner = AvrRunner()
    build = runner.build(source, SMALL, tmp_path)
    assert max(build.flash_bytes, build.static_bytes) > 40000
    with pytest.raises(DeviceError, match=what):
        runner.run(build, SMALL, np.zeros((1, 2), dtype=np.int16))


@pytest.mark.long
@pytest.mark.parametrize("core", ["cortex-m55", "esp8266"])
def test_a_part_with_more_memory_than_the_emulated_machine(core: str, tmp_path: Path, write_model: WriteModel):
    need_tools(core)
    runner = runner_for(sized(core, 16 << 20, 256 << 20))
    source = write_model("static volatile int8_t a[LENGTH]; a[LENGTH - 1] = (int8_t)X[0]; return a[LENGTH - 1];")
    build = runner.build(source, SMALL, tmp_path, extra_flags=["-DLENGTH=3000000"])
    result = runner.run(build, SMALL, np.array([[9, 0]], dtype=np.int16))
    assert result.labels is not None
    assert result.labels.tolist() == [9]
    with pytest.raises(InputError, match=r"static data exceeds the RAM of the emulated machine by \d+ bytes"):
        runner.build(source, SMALL, tmp_path, extra_flags=["-DLENGTH=100000000"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("volatile int a = 2147483647; a += X[0]; return (int16_t)a;", "signed integer overflow"),
        ("return X[2];", "AddressSanitizer"),
    ],
)
def test_the_sanitized_host_finds_undefined_behaviour(body: str, what: str, tmp_path: Path, write_model: WriteModel):
    with pytest.raises(DeviceError, match=what):
        run_small(HostRunner(sanitize=True), write_model(body), tmp_path)


def test_the_sanitized_host_runs_clean_code(tmp_path: Path):
    runner, inputs = HostRunner(sanitize=True), fix_inputs(20)
    result = runner.run(runner.build(DATA / "fixmodel", FIX, tmp_path), FIX, inputs)
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores, fix_scores(inputs))
    assert result.stack_bytes == 0


@pytest.mark.parametrize(
    ("device", "tool", "packages"),
    [
        ("host", "gcc", "apt install gcc libc6-dev$"),
        ("uno", "avr-gcc", "apt install gcc-avr avr-libc"),
        ("cortex-m4", "arm-none-eabi-gcc", "apt install gcc-arm-none-eabi"),
        ("riscv", "riscv64-unknown-elf-gcc", "apt install gcc-riscv64-unknown-elf$"),
    ],
)
def test_a_missing_compiler_names_its_package(
    device: str, tool: str, packages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=f"'{tool}' is not installed.*{packages}"):
        runner_for(device).build(DATA / "fixmodel", FIX, tmp_path)


def test_a_missing_emulator_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    runner = runner_for("cortex-m0")
    build = runner.build(DATA / "fixmodel", FIX, tmp_path)
    monkeypatch.setitem(sys.modules, "unicorn", None)
    with pytest.raises(InputError, match=r"pip install 'tinyml-xdsl\[devices\]'"):
        runner.run(build, FIX, fix_inputs(1))


def test_a_missing_libsimavr_names_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    runner = AvrRunner()
    build = runner.build(DATA / "fixmodel", FIX, tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "simavr_driver.c").write_text("#include <simavr/not_there.h>\n")
    monkeypatch.setattr(avr, "chip_of", lambda name: replace(chip_of(name), folder=tmp_path))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(InputError, match="apt install libsimavr-dev"):
        runner.run(build, FIX, fix_inputs(1))


@pytest.mark.long
@pytest.mark.parametrize("device", BOARDS)
def test_inputs_of_another_shape_or_type_are_refused(device: str, tmp_path: Path):
    runner = runner_for(device)
    build = runner.build(DATA / "fixmodel", FIX, tmp_path)
    with pytest.raises(InputError, match="shape"):
        runner.run(build, FIX, fix_inputs(2)[:, :15])
    with pytest.raises(InputError, match="type int32"):
        runner.run(build, FIX, fix_inputs(2).astype(np.int32))


def test_code_that_does_not_compile_or_does_not_fit_its_description(tmp_path: Path, write_model: WriteModel):
    with pytest.raises(InputError, match=r"small\.c:3:.*error: 'Y' undeclared"):
        run_small(runner_for("host"), write_model("return Y;"), tmp_path)
    with pytest.raises(InputError, match="tm_check_input"):
        runner_for("host").build(DATA / "fixmodel", replace(FIX, input_length=8), tmp_path)


def test_runner_for_refuses_unknown_devices():
    with pytest.raises(InputError, match="unknown target 'pdp-11'"):
        runner_for("pdp-11")
    assert runner_for("atmega1284p") == AvrRunner("atmega1284p")


@pytest.mark.long
@pytest.mark.parametrize("device", ["host", *SIMULATED])
def test_symbols_are_those_of_nm(device: str, tmp_path: Path):
    runner = runner_for(device)
    elf = runner.build(DATA / "fixmodel", FIX, tmp_path).elf
    rows = [line.split() for line in call_tool(runner.chip, "nm", ["--defined-only", "--print-size", elf]).splitlines()]
    expected = {(name, int(place, 16), int(size[0], 16) if size else 0, kind) for place, *size, kind, name in rows}
    found = symbol_table(runner.chip, elf)
    assert {(one.name, one.address, one.size, one.kind) for one in found} == expected
    assert [one.address for one in found] == sorted(one.address for one in found)


@pytest.mark.long
@pytest.mark.parametrize("device", SIMULATED)
def test_a_profile_accounts_for_every_cycle(device: str, tmp_path: Path):
    runner, inputs = runner_for(device), fix_inputs(3)
    build = runner.build(DATA / "fixmodel", FIX, tmp_path, extra_flags=DEBUG_FLAGS)
    profile = runner.profile(build, FIX, inputs)
    assert profile.result.cycles is not None
    assert sum(profile.spent.values()) == pytest.approx(profile.result.cycles.mean())
    [predict] = [one for one in symbol_table(runner.chip, build.elf) if one.name == "fixmodel_predict"]
    inside = range(predict.address & ~1, (predict.address & ~1) + predict.size)
    assert all(site in inside and (pc == site or pc not in inside) for site, pc in profile.spent)
    lines = source_lines(runner.chip, build.elf, inside, "fixmodel.c")
    text = (DATA / "fixmodel" / "fixmodel.c").read_text().splitlines()
    assert {text[line - 1] for line in lines.values()} & {line for line in text if "for (" in line}


@pytest.mark.parametrize("device", ["cortex-m4", "esp8266"])
def test_all_time_belongs_to_lines(device: str, tmp_path: Path):
    """The times of the source lines add up to the time of an inference, also on Xtensa, whose instructions may begin at
    odd addresses.
    """
    need_tools(device)
    found = attribute(runner_for(device), DATA / "fixmodel", FIX, fix_inputs(3), tmp_path, "-Os", ())
    assert found.result.cycles is not None
    assert sum(found.time.values()) == pytest.approx(found.result.cycles.mean())
    assert 0 not in {*found.time, *found.code}
    assert not found.calls


def test_the_host_has_no_profile(tmp_path: Path):
    build = runner_for("host").build(DATA / "fixmodel", FIX, tmp_path)
    with pytest.raises(InputError, match="the device 'host' cannot measure the time of each operation"):
        runner_for("host").profile(build, FIX, fix_inputs(1))


def test_debug_information_takes_no_flash(tmp_path: Path):
    runner = AvrRunner()
    plain = runner.build(DATA / "fixmodel", FIX, tmp_path / "plain")
    assert (
        runner.build(DATA / "fixmodel", FIX, tmp_path / "debug", extra_flags=DEBUG_FLAGS).flash_bytes
        == plain.flash_bytes
    )
