"""A store of programs: each is made once, by the passes from one that is known, and facts about it are kept beside it.

`programs.of(module).at("formats-to-buffers", target="uno").module` lowers a module, or hands out what was lowered
before. Options that a pipeline does not take make no other program. Programs that are the same (`digest.py`), however
they were made, have one representative, whose facts and lower levels are theirs as well.

Modules are forgotten when many others were used since; programs, which take little memory, stay and make theirs again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from tinyml.dialects.context import context
from tinyml.transforms.ir.copies import copied
from tinyml.transforms.ir.pipeline_names import PROOF, registered_pass
from tinyml.transforms.programs.digest import digest_of

T = TypeVar("T")

RECENT = 64
"""The greatest number of modules at one level, behind the same passes, that are kept."""


class Facts:
    """What was found about something, by what was asked."""

    def __init__(self) -> None:
        self.facts: dict[Hashable, Any] = {}

    def fact(self, asked: Hashable, find: Callable[[], T]) -> T:
        """What is known about it. find: finds that out, the first time that it is asked for."""
        if asked not in self.facts:
            self.facts[asked] = find()
        return cast("T", self.facts[asked])


class Programs(Facts):
    """A store of programs, and facts about all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.context = context()
        self._known: dict[Hashable, Program] = {}
        self._first: dict[str, Program] = {}
        self._recent: dict[Sequence[ModulePass], dict[Program, ModuleOp]] = {}

    def run(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        """Rewrite a module by passes, without verification and proof, which would take most of the time."""
        PassPipeline(tuple(step for step in passes if step.name != PROOF)).apply(self.context, module)

    def of(self, module: ModuleOp) -> Program:
        """The program of a module, which must not be changed any more, or the same one that is known."""
        return self.first(Program(self, lambda: module))

    def made(self, key: Hashable, make: Callable[[], ModuleOp], passes: Sequence[ModulePass] = ()) -> Program:
        """The program of a key, such as its formats. make: makes its module once it is asked for; passes: the last."""
        if (known := self._known.get(key)) is None:
            known = self._known[key] = Program(self, make, passes)
        return known

    def first(self, program: Program) -> Program:
        """The first program of the store that is the same as another one, or else that one."""
        return self._first.setdefault(program.digest, program)

    def recent(self, passes: Sequence[ModulePass]) -> dict[Program, ModuleOp]:
        """The modules at hand behind some passes."""
        return self._recent.setdefault(passes, {})


class Program(Facts):
    """A program of a store. passes: the last that made it."""

    def __init__(self, store: Programs, make: Callable[[], ModuleOp], passes: Sequence[ModulePass] = ()):
        super().__init__()
        self.store = store
        self.passes = passes
        self._make = make

    @property
    def is_at_hand(self) -> bool:
        """True if its module was made and not forgotten since."""
        return self in self.store.recent(self.passes)

    @property
    def is_known(self) -> bool:
        """True if its digest is known."""
        return "digest" in vars(self)

    @property
    def module(self) -> ModuleOp:
        """Its module, which must not be changed. Raises the errors of the passes."""
        return self.store.recent(self.passes)[self] if self.is_at_hand else self.keep(self._make())

    def keep(self, module: ModuleOp) -> ModuleOp:
        """Keep a module that was made of this program elsewhere, and return it."""
        recent = self.store.recent(self.passes)
        recent[self] = module
        if len(recent) > RECENT:
            del recent[next(iter(recent))]
        return module

    def forget(self) -> None:
        """Forget its module, which is changed from now on."""
        self.store.recent(self.passes).pop(self, None)

    def copy(self) -> ModuleOp:
        """A copy of its module, which the caller may change."""
        return copied(self.module)

    @cached_property
    def digest(self) -> str:
        """The digest of its module."""
        return digest_of(self.module)

    @property
    def first(self) -> Program:
        """The first program of the store that is the same; programs that share it share what follows."""
        return self.store.first(self)

    def after(self, *passes: ModulePass) -> Program:
        """The program that passes make of it."""

        def make() -> ModuleOp:
            module = self.copy()
            self.store.run(module, passes)
            return module

        return self.store.made((self, passes), make, passes)

    def through(self, *passes: ModulePass) -> Program:
        """The program that passes make of it, one by one: nothing is made twice where programs agree in between."""
        program, spare = self, None
        for step in passes:
            made = program.after(step)
            if not made.is_known:
                # A pass that changes nothing leaves a copy for the next one.
                self.store.run(spare := spare or program.copy(), (step,))
                made.keep(spare)
            if made.first is not program:
                program, spare = made.first, None
            elif spare is not None:
                made.forget()
        return program

    def at(self, *pipelines: str, **options: Any) -> Program:
        """The program behind pipelines, each with those of the options that it takes."""
        program = self
        for name in pipelines:
            program = program.after(*_steps(registered_pass(name, **options)))
        return program


@lru_cache(1 << 10)
def _steps(pipeline: Any) -> tuple[ModulePass, ...]:
    """The passes of a pipeline that has its options."""
    return tuple(pipeline.steps())
