"""The values that the fields of `#tdsl.interface<...>` may have.

A field is declared with one of the constants `FLAG` to `STORED`: a description of its values, a check, and the
conversion of a literal of the IR, in which lists are tuples.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from xdsl.ir import Attribute
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.layouts.packed_bits import WIDTHS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.attributes import spell_float
from tinyml.dialects.tdsl.inputs import Pushes, SignalFrames

if TYPE_CHECKING:
    from tinyml.dialects.tdsl.sensor_units import InputUnit

LONGEST_LABEL = 200
"""The maximum number of characters of a label; C code, pages and tables contain complete labels."""


class StoredExamples(NamedTuple):
    """Parts of a model, such as support vectors, whose number is determined by training.

    number: the number of parts of the model.
    what: the plural name of the parts.
    smaller: advice on how to train a model with fewer parts. `{n}` in this text is replaced by the greatest number of
        parts for which the program fits its board, and `{n/1000}` by this number divided by 1000.
    """

    number: int
    what: str
    smaller: str

    def advice(self, fitting: int | None) -> str:
        """The advice on how to train a model with fewer parts.

        fitting: the greatest number of parts for which the program fits its board. If it is None or 0, the advice
            contains no numbers.
        """

        def value(found: re.Match[str]) -> str:
            before, whole = found.groups()
            if not fitting:
                return "" if before == "=" else f"{before}fewer"
            return before + (f"{fitting:,}" if whole is None else f"{fitting / int(whole):.2g}")

        return re.sub(r"(.)\{n(?:/(\d+))?\}", value, self.smaller)


@dataclass(frozen=True)
class FieldKind:
    """The permitted values of a field.

    * words: a description for messages and the reference page.
    * accepts: a function that returns whether a value is permitted, or raises `VerifyException` or `InputError` with a
      specific message.
    * convert: a function that converts a parsed literal, in which lists are tuples, to the value of the field.
    """

    words: str
    accepts: Callable[[Any], bool]
    convert: Callable[[Any], Any] = lambda literal: literal

    def verify(self, name: str, value: object) -> None:
        """Raise `VerifyException` if `value` is not permitted for the field `name`."""
        try:
            if self.accepts(value):
                return
        except InputError as error:
            raise VerifyException(error.message) from error
        text = "no value" if value is True else spell_value(value)
        given = text if len(text) <= 80 else f"{text[:80]}..."
        raise VerifyException(f"'{name}': expected {self.words}, got {given}")


def spell_value(value: object) -> str:
    """The text that represents a value of a field in the IR."""
    match value:
        case str():
            text = StringIO()
            Printer(text).print_string_literal(value)
            return text.getvalue()
        case float():
            return spell_float(value)
        case tuple():
            return f"[{', '.join(map(spell_value, cast('tuple[object, ...]', value)))}]"
        case _:
            return str(value)


def is_integer(value: object) -> bool:
    """True for an integer of 64 bits; a bool is none."""
    return isinstance(value, int) and not isinstance(value, bool) and -1 << 63 <= value < 1 << 63


def is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def is_text(value: object) -> bool:
    """True for a string. Raises `VerifyException` for one that UTF-8 cannot encode."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise VerifyException(f"the name {value!r} is no text") from error
    return isinstance(value, str)


def list_of(accepts: Callable[[Any], object], lengths: Sequence[int] = ()) -> Callable[[Any], bool]:
    """A check for tuples whose elements are accepted, of one of the given lengths; by default of any length above 0."""

    def test(value: Any) -> bool:
        elements = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()
        return len(elements) in (lengths or [len(elements) or 1]) and all(map(accepts, elements))

    return test


def real(literal: Any) -> Any:
    """The float of an integer literal. Other literals are returned unchanged, as by all conversions."""
    return float(literal) if is_integer(literal) else literal


def reals(literal: Any) -> Any:
    return tuple(map(real, cast("tuple[Any, ...]", literal))) if isinstance(literal, tuple) else literal


def singles(literal: Any) -> Any:
    """Numbers rounded to single precision."""
    numbers = reals(literal)
    if not list_of(is_finite)(numbers):
        return literal
    with np.errstate(over="ignore"):
        return tuple(np.array(numbers).astype(np.float32).tolist())


def record(kind: type[Any]) -> Callable[[Any], Any]:
    """The conversion of a list with one value per field to the named tuple `kind`."""
    return lambda literal: kind(*literal) if list_of(lambda _: True, [len(kind._fields)])(literal) else literal


def integer(low: int, high: int | None = None) -> FieldKind:
    words = f"an integer from {low}" + ("" if high is None else f" to {high}")
    return FieldKind(words, lambda value: is_integer(value) and value >= low and (high is None or value <= high))


def parse_unit(text: str, elements: int | None) -> InputUnit:
    """`InputUnit.parse`; raises `InputError` without the extension that contains units of sensors."""
    unit: type[InputUnit] = imported("tinyml.dialects.tdsl.sensor_units:InputUnit")
    return unit.parse(text, elements)


def _is_range(value: Any) -> bool:
    return list_of(is_finite, [2])(value) and value[0] <= value[1]


def _is_order(axes: Any) -> bool:
    return list_of(is_integer, [3, 4])(axes) and axes[0] == 0 and sorted(axes) == [*range(len(axes))]


def _is_format(type: object) -> bool:
    return isinstance(type, Attribute) and number_format(type) is not None


def _is_part(part: Any) -> bool:
    if not list_of(bool, [2, 3])(part):
        return False
    return is_text(part[0]) and is_integer(part[1]) and part[1] >= 1 and all(map(_is_format, part[2:]))


def _is_unit(text: object) -> bool:
    return isinstance(text, str) and bool(parse_unit(text, None))


def _are_labels(labels: Any) -> bool:
    """True if the argument is a list of two or more different labels, all strings or all integers; false if it is not a
    list or is empty.

    Raises `VerifyException` for a list that violates one of these conditions, and for a label of more than
    `LONGEST_LABEL` characters.
    """
    if not list_of(lambda _: True)(labels):
        return False
    texts: list[str] = [label for label in labels if is_text(label)]
    if (longest := max(map(len, texts), default=0)) > LONGEST_LABEL:
        raise VerifyException(f"the label of a class has {longest:,} characters, expected at most {LONGEST_LABEL}")
    alike = len(texts) == len(labels) or all(map(is_integer, labels))
    if not alike or len(labels) < 2 or len(set(labels)) < len(labels):
        raise VerifyException(f"expected {LABELS.words}, got {[*labels]}")
    return True


def _is_stored(stored: Any) -> bool:
    return isinstance(stored, StoredExamples) and is_integer(stored.number) and all(map(is_text, stored[1:]))


def _is_frames(value: Any) -> bool:
    return list_of(is_integer, [4])(value) and min(value[:3]) >= 1 and value[3] >= 0


FLAG = FieldKind("no value", lambda value: isinstance(value, bool))
RANGE = FieldKind("a least and a greatest number, as in [-1.0, 1.0]", _is_range, reals)
SHARE = FieldKind("a share above 0, at most 1", lambda share: isinstance(share, float) and 0 < share <= 1, real)
NUMBER = FieldKind("a finite number", is_finite, real)
RATE = FieldKind("a finite number above 0", lambda rate: isinstance(rate, float) and 0 < rate < math.inf, real)
SCALES = FieldKind("a list of finite numbers other than 0", list_of(lambda scale: is_finite(scale) and scale), singles)
NUMBERS = FieldKind("a list of finite numbers", list_of(is_finite), singles)
INDICES = FieldKind("a list of integers from 0", list_of(lambda index: is_integer(index) and index >= 0))
INTEGERS = FieldKind("a list of integers", list_of(is_integer))
NAMES = FieldKind("a list of strings", list_of(is_text))
PACKED = FieldKind("a number of bits, 1 to 7 or 9 to 15", lambda value: is_integer(value) and value in WIDTHS)
UNIT = FieldKind("the text of a unit, for all elements", _is_unit)
FORMAT = FieldKind("a number format", _is_format)
ORDER = FieldKind("an order of 3 or 4 axes that begins with 0, as in [0, 2, 3, 1]", _is_order)
PARTS = FieldKind("a list of names, each with a length from 1 and perhaps a number format", list_of(_is_part))
PUSHES = FieldKind(
    "four integers from 1: frame, hop, steps and stride",
    list_of(lambda count: is_integer(count) and count >= 1, [4]),
    record(Pushes),
)
FRAMES = FieldKind("four integers: frame, hop and rows from 1, and a grain from 0", _is_frames, record(SignalFrames))
LABELS = FieldKind("two or more different labels, all strings or all integers", _are_labels)
STORED = FieldKind("a number, what it counts, and what makes it smaller", _is_stored, record(StoredExamples))
