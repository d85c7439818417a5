"""The store of programs: which programs count as equal, which results are computed only once, and which programs are
removed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.transforms.programs import store
from tinyml.transforms.programs.digest import digest_of
from tinyml.transforms.programs.store import Program, Programs
from tinyml.transforms.simplify import SimplifyPass

SUM = """func.func @predict(%x : tensor<2xf32>) -> tensor<2xf32> {
  %c = tdsl.const dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %y = tdsl.add %x, %c : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}"""
DEAD = SUM.replace("  return", "  %z = tdsl.add %y, %y : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>\n  return")


def module(text: str = SUM) -> ModuleOp:
    return Parser(context(), text).parse_module()


def test_names_of_values_make_no_other_program():
    assert digest_of(module()) == digest_of(module(SUM.replace("%y", "%other")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2.0]", "2.5]"),
        ("tdsl.add %x, %c", "tdsl.add %c, %x"),
        ("tdsl.add", "tdsl.sub"),
        ("@predict", "@other"),
        ("f32", "bf16"),
        ("(%x : tensor<2xf32>)", "(%x : tensor<2xf32> {tdsl.range = 1.0 : f32})"),
    ],
)
def test_constants_uses_ops_names_of_functions_types_and_attributes_make_another_program(old: str, new: str):
    assert old in SUM
    assert digest_of(module()) != digest_of(module(SUM.replace(old, new)))


def test_an_attribute_of_a_module_makes_another_program():
    other = module()
    other.attributes["tinyml.note"] = StringAttr("other")
    assert digest_of(module()) != digest_of(other)


@pytest.mark.long
def test_a_digest_is_the_same_in_every_process():
    script = f"""from xdsl.parser import Parser
from tinyml.dialects.context import context
from tinyml.transforms.programs.digest import digest_of
print(digest_of(Parser(context(), '''{SUM}''').parse_module()))"""
    printed = [
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert {text.strip() for text in printed} == {digest_of(module())}


@dataclass(frozen=True)
class ChangeNothingPass(ModulePass):
    """A pass that does not change a program."""

    name = "change-nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


class CountingPrograms(Programs):
    """A store that counts the passes it runs."""

    runs = 0

    def run(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        self.runs += len(passes)
        super().run(module, passes)


def test_a_program_is_made_once():
    programs = CountingPrograms()
    program = programs.of(module())
    assert programs.of(module()) is program
    simplified, again = (program.after(SimplifyPass()) for _ in range(2))
    assert simplified is again
    assert simplified.module is again.module
    assert programs.runs == 1


def test_options_that_a_pipeline_does_not_take_make_no_other_program():
    program = Programs().of(module())
    assert program.at("buffers-to-loops", flash=1) is not program.at("buffers-to-loops", flash=2)
    assert program.at("buffers-to-loops", votes="hard") is program.at("buffers-to-loops", votes="soft")


def test_programs_that_passes_make_equal_share_what_follows():
    programs = CountingPrograms()
    dead, usual = (programs.of(module(text)).after(SimplifyPass()) for text in (DEAD, SUM))
    assert dead is not usual
    assert dead.first is usual.first
    assert dead.first.fact("ops", lambda: 3) == usual.first.fact("ops", lambda: 4) == 3


def test_a_copy_may_be_changed():
    program = Programs().of(module())
    program.copy().attributes["tinyml.note"] = StringAttr("other")
    assert not program.module.attributes


def test_modules_that_are_forgotten_are_made_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(store, "MODULES_PER_LEVEL", 1)
    programs = CountingPrograms()
    dead, usual = (programs.of(module(text)).after(SimplifyPass()) for text in (DEAD, SUM))
    digest = dead.digest
    assert usual.digest == digest
    assert not dead.is_at_hand
    assert usual.is_at_hand
    assert digest_of(dead.module) == digest
    assert programs.runs == 3


def test_a_program_that_cannot_be_made_is_asked_for_again():
    def refuse() -> ModuleOp:
        raise InputError("no program")

    program: Program = Programs().made("key", refuse)
    for _ in range(2):
        with pytest.raises(InputError, match="no program"):
            _ = program.module
    assert not program.is_at_hand


def test_passes_one_by_one_are_made_once_where_programs_agree():
    programs = CountingPrograms()
    usual, dead = programs.of(module()), programs.of(module(DEAD))
    passes = (SimplifyPass(), ChangeNothingPass(), SimplifyPass())
    assert usual.through(*passes) is usual
    assert programs.runs == 2
    assert dead.through(*passes) is usual
    assert programs.runs == 3
    assert digest_of(usual.module) == digest_of(module())
    assert digest_of(dead.module) == digest_of(module(DEAD))
