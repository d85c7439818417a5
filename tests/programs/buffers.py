"""Random programs on buffers (L2) as text."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

Shape = tuple[int, int]
"""Length and width in bits."""


def spell(shape: Shape) -> str:
    return f"memref<{shape[0]}x!fixed.q<{shape[1]}, 4>>"


@dataclass
class Scope:
    """The values that a generated block can use.

    memrefs: the shape of each memref, by name.
    counters: the names of the counters of loops of two iterations.
    """

    memrefs: dict[str, Shape]
    counters: list[str] = field(default_factory=list[str])


@dataclass
class Writer:
    """A generator of a random program on buffers, line by line."""

    draw: st.DrawFn
    lines: list[str] = field(default_factory=list[str])
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def pick(self, scope: Scope, *lengths: int) -> str:
        return self.draw(st.sampled_from([name for name, (k, _) in scope.memrefs.items() if k in lengths]))

    def pick_like(self, scope: Scope, shape: Shape) -> str:
        return self.draw(st.sampled_from([name for name, other in scope.memrefs.items() if other == shape]))

    def pick_any(self, scope: Scope) -> tuple[str, Shape]:
        return self.draw(st.sampled_from(list(scope.memrefs.items())))

    def block(self, scope: Scope, depth: int) -> Scope:
        """Write statements of an inner scope, and return the scope."""
        inner = Scope({**scope.memrefs}, [*scope.counters])
        kinds: list[Callable[[Scope, int], None]] = [self.alloc, self.alloc, self.compute, self.chain]
        kinds += [self.slice, self.insert, self.fan, self.observe]
        kinds += [self.loop, self.branch, self.carry, self.choose] if depth < 3 else []
        for _ in range(self.draw(st.integers(1, 6))):
            self.draw(st.sampled_from(kinds))(inner, depth + 1)
        return inner

    def alloc(self, scope: Scope, depth: int) -> None:
        """Write an allocation; most are followed by a store of the whole buffer, as in the compiler's output."""
        shape = (self.draw(st.sampled_from([1, 3, 8])), self.draw(st.sampled_from([8, 16, 32])))
        name = self.name()
        self.lines.append(f"{name} = scratch.alloc : {spell(shape)}")
        if self.draw(st.integers(0, 3)):
            self.write(scope, name, shape)
        scope.memrefs[name] = shape

    def chain(self, scope: Scope, depth: int) -> None:
        """Write a chain of buffers: each buffer except the first is computed from the previous one, which has no other
        reader.
        """
        length = self.draw(st.sampled_from([1, 3, 8]))
        known = dict(scope.memrefs)
        for width in self.draw(st.lists(st.sampled_from([8, 16, 32]), min_size=2, max_size=4)):
            name, shape = self.name(), (length, width)
            self.lines.append(f"{name} = scratch.alloc : {spell(shape)}")
            self.write(Scope(known), name, shape)
            known = {**scope.memrefs, name: shape} if self.draw(st.booleans()) else {name: shape}
        scope.memrefs |= known

    def fan(self, scope: Scope, depth: int) -> None:
        """Write several buffers, all of which are live at the same time: each is read once after all are written."""
        shape = (8, self.draw(st.sampled_from([8, 16, 32])))
        names = [self.name() for _ in range(self.draw(st.integers(2, 4)))]
        for name in names:
            self.lines.append(f"{name} = scratch.alloc : {spell(shape)}")
            self.write(scope, name, shape)
        self.lines += [f"{self.name()} = tdsl.argmax {name} : {spell(shape)}" for name in names]

    def insert(self, scope: Scope, depth: int) -> None:
        """Write a buffer whose only reader inserts it into another buffer."""
        whole, (length, width) = self.pick_any(scope)
        part, shape = self.name(), (self.draw(st.sampled_from([k for k in (1, 3, 8) if k <= length])), width)
        offset = self.draw(st.sampled_from(["%c0", *(["%c1", *scope.counters] if shape[0] < length else [])]))
        self.lines.append(f"{part} = scratch.alloc : {spell(shape)}")
        self.write(scope, part, shape)
        types = f"{spell(shape)}, {spell((length, width))}"
        self.lines.append(
            f"tdsl.insert_slice {part}, {whole}[{offset}] : {types} into {whole} : {spell((length, width))}"
        )

    def compute(self, scope: Scope, depth: int) -> None:
        self.write(scope, *self.pick_any(scope))

    def write(self, scope: Scope, dest: str, shape: Shape) -> None:
        if shape in scope.memrefs.values() and self.draw(st.integers(0, 4)) == 0:
            source = self.pick_like(scope, shape)
            self.lines.append(f"tdsl.reverse {source} {{axis = 0}} : {spell(shape)} into {dest} : {spell(shape)}")
            return
        operands = [self.pick(scope, shape[0])]
        operands += [self.pick(scope, shape[0], 1)] if self.draw(st.booleans()) else []
        types = ", ".join(spell(scope.memrefs[name]) for name in operands)
        op = "tdsl.add" if len(operands) == 2 else "tdsl.neg"
        self.lines.append(f"{op} {', '.join(operands)} : {types} into {dest} : {spell(shape)}")

    def slice(self, scope: Scope, depth: int) -> None:
        name, (source, (length, width)) = self.name(), self.pick_any(scope)
        part = (self.draw(st.sampled_from([k for k in (1, 3, 8) if k <= length])), width)
        offset = self.draw(st.sampled_from(["%c0", *(["%c1", *scope.counters] if part[0] < length else [])]))
        self.lines.append(f"{name} = scratch.slice {source}[{offset}] : {spell((length, width))} to {spell(part)}")
        scope.memrefs[name] = part

    def observe(self, scope: Scope, depth: int) -> None:
        source, shape = self.pick_any(scope)
        self.lines.append(f"{self.name()} = tdsl.argmax {source} : {spell(shape)}")

    def condition(self, scope: Scope) -> str:
        if not scope.counters or self.draw(st.booleans()):
            return "%which"
        name = self.name()
        self.lines.append(f"{name} = arith.cmpi eq, {self.draw(st.sampled_from(scope.counters))}, %c0 : index")
        return name

    def loop(self, scope: Scope, depth: int) -> None:
        counter = self.name()
        self.lines.append(f"scf.for {counter} = %c0 to %c2 step %c1 {{")
        self.block(Scope(scope.memrefs, [*scope.counters, counter]), depth)
        self.lines.append("}")

    def branch(self, scope: Scope, depth: int) -> None:
        self.lines.append(f"scf.if {self.condition(scope)} {{")
        self.block(scope, depth)
        if self.draw(st.booleans()):
            self.lines.append("} else {")
            self.block(scope, depth)
        self.lines.append("}")

    def carry(self, scope: Scope, depth: int) -> None:
        """Write a loop that carries a memref and yields either this memref or one from outside the loop."""
        counter, carried, result, (start, shape) = self.name(), self.name(), self.name(), self.pick_any(scope)
        head = f"{result} = scf.for {counter} = %c0 to %c2 step %c1"
        self.lines.append(f"{head} iter_args({carried} = {start}) -> ({spell(shape)}) {{")
        known = Scope({**scope.memrefs, carried: shape}, [*scope.counters, counter])
        self.block(known, depth)
        self.lines += [f"scf.yield {self.pick_like(known, shape)} : {spell(shape)}", "}"]
        scope.memrefs[result] = shape

    def choose(self, scope: Scope, depth: int) -> None:
        """Write a conditional that yields one of two memrefs, which its branches may allocate."""
        condition, result, (_, shape) = self.condition(scope), self.name(), self.pick_any(scope)
        self.lines.append(f"{result} = scf.if {condition} -> ({spell(shape)}) {{")
        for end in ("} else {", "}"):
            chosen = self.pick_like(self.block(scope, depth), shape)
            self.lines += [f"scf.yield {chosen} : {spell(shape)}", end]
        scope.memrefs[result] = shape


@st.composite
def programs(draw: st.DrawFn) -> str:
    writer = Writer(draw)
    given: dict[str, Shape] = {"%X": (8, 16), "%Y": (3, 8), "%Z": (1, 32)}
    last = writer.block(Scope(given), 0)
    returned = [name for name in (writer.pick_any(last)[0], writer.pick_any(last)[0])]
    types = ", ".join(spell(last.memrefs[name]) for name in returned)
    arguments = ", ".join(f"{name}: {spell(shape)}" for name, shape in given.items())
    constants = [f"%c{i} = arith.constant {i} : index" for i in range(3)]
    head = f"func.func @f({arguments}, %which: i1) -> ({types}) {{"
    return "\n".join([head, *constants, *writer.lines, f"func.return {', '.join(returned)} : {types}", "}"])
