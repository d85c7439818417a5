"""The names of a SeeDot program during its import, with the current meaning of each."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from tinyml.lowering.frontends.seedot.ast import Location


@dataclass
class ScopedVariable:
    value: SSAValue
    location: Location
    """The location in the text that introduced the name."""
    constant: bool = False
    """True for the input and for parameters, which no program can change."""
    mutable: bool = False
    """True for a variable of a loop, which a `let` rebinds."""
    carried: bool = False
    """True for a variable that an enclosing loop carries, so that its shape is fixed."""


class Scope(dict[str, ScopedVariable]):
    """The visible names. A name is never hidden by a second one, so leaving a scope only deletes."""

    def find(self, name: str, location: Location) -> ScopedVariable:
        if (variable := self.get(name)) is None:
            raise location.error(f"unknown name '{name}'")
        return variable

    def can_change(self, name: str) -> bool:
        """True for a visible name of a tensor that the program computes."""
        known = self.get(name)
        return known is not None and not known.constant and not isinstance(known.value.type, IndexType)

    def check_new(self, name: str, location: Location) -> None:
        if (known := self.get(name)) is not None:
            raise location.error(f"'{name}' is already defined in line {known.location.line}")

    def define(self, name: str, value: SSAValue, location: Location, constant: bool = False) -> None:
        self.check_new(name, location)
        self[name] = ScopedVariable(value, location, constant)


def hint(value: SSAValue, name: str) -> None:
    """Name a value after a name of the program; xDSL numbers values of the same name."""
    if name.strip("_0123456789"):
        value.name_hint = name.replace("'", "_prime")
