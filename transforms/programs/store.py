"""A store of programs. Passes create each program once from a known program, and facts about a program are stored with
it.

`programs.of(module).at("formats-to-buffers", target="uno").module` lowers a module, or returns the result of an earlier
lowering. Options that a pipeline does not define do not make a different program. Equal programs (`digest.py`) have one
representative, regardless of how they were created. Facts and lower levels are stored at the representative only.

Of the modules that the same passes created, the last `MODULES_PER_LEVEL` stay in memory. A program whose module was
discarded needs little memory, and can create the module again.
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

MODULES_PER_LEVEL = 64
"""The greatest number of modules that are kept at one level, after the same passes."""


class FactCache:
    """A cache of computed facts, keyed by the questions that they answer."""

    def __init__(self) -> None:
        self.facts: dict[Hashable, Any] = {}

    def fact(self, asked: Hashable, find: Callable[[], T]) -> T:
        """The cached result of `find` for a key.

        asked: the key, which must determine the result of `find`.
        find: the function that computes the result; it is called only if the key is not in the cache.
        """
        if asked not in self.facts:
            self.facts[asked] = find()
        return cast("T", self.facts[asked])


class Programs(FactCache):
    """A store of programs, with the facts that have been computed about each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.context = context()
        self._known: dict[Hashable, Program] = {}
        self._first: dict[str, Program] = {}
        self._recent: dict[Sequence[ModulePass], dict[Program, ModuleOp]] = {}

    def run(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        """Apply passes to a module in place. The module is not verified, and `check-packing` is omitted, because both
        would take most of the time.
        """
        PassPipeline(tuple(step for step in passes if step.name != PROOF)).apply(self.context, module)

    def of(self, module: ModuleOp) -> Program:
        """The program of a module, or a known program that is equal to it. The module must not be changed
        afterwards.
        """
        return self.first(Program(self, lambda: module))

    def made(
        self,
        key: Hashable,
        make: Callable[[], ModuleOp],
        passes: Sequence[ModulePass] = (),
        before: Program | None = None,
    ) -> Program:
        """The program with a key, such as its formats. It is added to the store on first use.

        make: creates the module when it is first needed.
        passes, before: as in `Program`.
        """
        if (known := self._known.get(key)) is None:
            known = self._known[key] = Program(self, make, passes, before)
        return known

    def first(self, program: Program) -> Program:
        """The first program in the store that is equal to the given program. If there is none, the given program, which
        is added to the store.
        """
        return self._first.setdefault(program.digest, program)

    def recent(self, passes: Sequence[ModulePass]) -> dict[Program, ModuleOp]:
        return self._recent.setdefault(passes, {})


class Program(FactCache):
    """A program of a store.

    passes: the last passes that created it; empty if no passes did.
    before: the program on which they ran; None if no passes did.
    """

    def __init__(
        self,
        store: Programs,
        make: Callable[[], ModuleOp],
        passes: Sequence[ModulePass] = (),
        before: Program | None = None,
    ):
        super().__init__()
        self.store, self.before = store, before
        self.passes = passes
        self._make = make

    @property
    def is_at_hand(self) -> bool:
        """Whether the module is in memory: it was created and has not been discarded."""
        return self in self.store.recent(self.passes)

    @property
    def is_known(self) -> bool:
        """Whether the digest has been computed, so that equal programs are recognised without their modules."""
        return "digest" in vars(self)

    @property
    def module(self) -> ModuleOp:
        """The module of the program, which must not be changed. Raises the errors of the passes that create it."""
        return self.store.recent(self.passes)[self] if self.is_at_hand else self.keep(self._make())

    def keep(self, module: ModuleOp) -> ModuleOp:
        """Store a module that was created elsewhere as the module of this program, and return it."""
        recent = self.store.recent(self.passes)
        recent[self] = module
        if len(recent) > MODULES_PER_LEVEL:
            del recent[next(iter(recent))]
        return module

    def forget(self) -> None:
        """Discard the module from the store, because the caller will change it."""
        self.store.recent(self.passes).pop(self, None)

    def copy(self) -> ModuleOp:
        """A copy of the module, which the caller may change."""
        return copied(self.module)

    @cached_property
    def digest(self) -> str:
        """The digest of the program's module (`digest_of`), which equal programs have in common."""
        return digest_of(self.module)

    @property
    def first(self) -> Program:
        """The first program of the store that is equal to this program. The programs derived from equal
        programs are stored at the first one.
        """
        return self.store.first(self)

    def after(self, *passes: ModulePass) -> Program:
        """The program that results from running the passes on this program. Only the last module is stored."""

        def make() -> ModuleOp:
            module = self.copy()
            self.store.run(module, passes)
            return module

        return self.store.made((self, passes), make, passes, self)

    def through(self, *passes: ModulePass) -> Program:
        """The program that results from running passes on this program, one after the other.

        The result of each pass is a separate program in the store. If two sequences of passes lead to equal
        programs, all later programs are created once for both.
        """
        program, spare = self, None
        for step in passes:
            made = program.after(step)
            if not made.is_known:
                # If a pass changes nothing, its copy is used for the next pass.
                self.store.run(spare := spare or program.copy(), (step,))
                made.keep(spare)
            if made.first is not program:
                program, spare = made.first, None
            elif spare is not None:
                made.forget()
        return program

    def at(self, *pipelines: str, **options: Any) -> Program:
        """The program after the named pipelines. Each pipeline receives the options that it defines."""
        program = self
        for name in pipelines:
            program = program.after(*_steps(registered_pass(name, **options)))
        return program


@lru_cache(1 << 10)
def _steps(pipeline: Any) -> tuple[ModulePass, ...]:
    return tuple(pipeline.steps())
