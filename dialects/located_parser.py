"""A parser of MLIR text that records the source location of each operation."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

from xdsl.dialects.builtin import (
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    UnregisteredAttr,
)
from xdsl.ir import Attribute, Data, Dialect, Operation, ParametrizedAttribute
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tinyml.dialects.errors import InputError, did_you_mean, squeeze
from tinyml.dialects.guarded_parser import GuardedParser

_DEFINITION = re.compile(r"^[ \t]*([#!][A-Za-z_0-9][\w$.-]*)[ \t]*=(?!=)", re.MULTILINE)


class LocatedParser(GuardedParser):
    """A parser that assigns locations to operations whose text contains no `loc(...)`.

    The location of such an operation is the line and column of its text. As in mlir-opt, a verifier or a pass that
    fails later can therefore report a location. Lines and columns count from 1. The locations are printed only with
    --print-debuginfo. Location aliases may be defined after their first use, as in the text that MLIR prints.
    """

    line_offset: int = 0
    """Number of lines of the file before the parsed text (a piece of a split file)."""

    _start: int | None = None
    """The start of the innermost operation being parsed."""

    _definitions: dict[str, int] | None = None
    """The positions of the text's alias definitions; None until an alias is used before its definition."""

    _ahead: frozenset[str] = frozenset()
    """The aliases that are used before their definition."""

    _line_starts: list[int] | None = None
    _file: StringAttr | None = None

    def line_and_column(self, position: int | None = None) -> tuple[int, int]:
        """The line and the column in the file for a position in the parsed text; by default, for the operation that is
        being parsed.
        """
        if position is None:
            position = self.pos if self._start is None else self._start
        if self._line_starts is None:
            text = self.lexer.input.content
            self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        line = bisect_right(self._line_starts, position)
        return line + self.line_offset, position - self._line_starts[line - 1] + 1

    def parse_operation(self) -> Operation:
        outer, start = self._start, self.pos
        self._start = start
        op = super().parse_operation()
        self._start = outer
        if isinstance(op.location, UnknownLoc):
            if self._file is None:
                self._file = StringAttr(self.lexer.input.name)
            line, column = self.line_and_column(start)
            op.location = FileLineColLoc(self._file, IntAttr(line), IntAttr(column))
        return op

    def _parse_alias_def(self) -> None:
        if (name := self._current_token.text) in self._ahead:
            self._ahead -= {name}
            del self.attribute_aliases[name]
        super()._parse_alias_def()

    def _parse_extended_type_or_attribute(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Any:
        name = f"{'!' if is_type else '#'}{attr_or_dialect_name}"
        if name not in self.attribute_aliases and self._current_token.kind is not MLIRTokenKind.LESS:
            self._define(name)
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)

    def _define(self, name: str) -> None:
        """Parse the definition of the location alias `name`, wherever it is in the text. The method does nothing if the
        text does not define the alias.
        """
        if self._definitions is None:
            text = self.lexer.input.content
            self._definitions = {match[1]: match.start(1) for match in _DEFINITION.finditer(text)}
        # A definition is removed when it is parsed, so that a definition that refers to itself is undefined.
        if (start := self._definitions.pop(name, None)) is not None:
            here = self._current_token.span.start
            self._resume_from(start)
            super()._parse_alias_def()
            self._resume_from(here)
            self._ahead |= {name}

    def _parse_location(self) -> LocationAttr:
        """Parse a location and return it. For a range, the result is its start.

        The method replaces that of xDSL's parser, which supports neither ranges nor the metadata of fused locations.
        """
        location = self._parse_fused() or super()._parse_location()
        if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to") is not None:
            if self.parse_optional_punctuation(":") is None:
                self.parse_integer(False, False)
                self.parse_punctuation(":")
            self.parse_integer(False, False)
        return location

    def _parse_fused(self) -> FusedLoc | None:
        if self.parse_optional_keyword("fused") is None:
            return None
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<") is not None:
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        return FusedLoc(tuple(self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)), metadata)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError as error:
            # xDSL reports the token after the name.
            self.raise_error(f"{error.msg}{self._similar(name, lambda dialect: dialect.operations)}", self._start)

    def _similar(self, name: str, members: Callable[[Dialect], Iterable[type[Operation] | type[Attribute]]]) -> str:
        dialect = self.ctx.get_optional_dialect(name.partition(".")[0])
        return "" if dialect is None else did_you_mean(name, (member.name for member in members(dialect)))

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ) -> UnregisteredAttr | ParametrizedAttribute | Data[Any]:
        start = self._current_token.span.start - len(attr_name) - 1
        try:
            return super()._parse_dialect_type_or_attribute_body(attr_name, is_type, is_opaque, starting_opaque_pos)
        except VerifyException as error:
            line, column = self.line_and_column(start)
            name = self.lexer.input.name
            raise InputError(squeeze(str(error)), file=name, line=line, column=column) from error
        except ParseError as error:
            if error.msg != f"'{attr_name}' is not registered":
                raise
            self.raise_error(f"{error.msg}{self._similar(attr_name, lambda dialect: dialect.attributes)}", start, start)
