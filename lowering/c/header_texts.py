"""Declarations of the C header beside the functions of a program: macros, class names, feature conversions and the row
function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerType, Signedness, TensorType, f32, i16
from xdsl.ir import Attribute, Operation

from tinyml.dialects import c, tdsl
from tinyml.dialects.c.declarations import ELEMENTS, elements_attribute
from tinyml.dialects.c.header import CALLER
from tinyml.dialects.c.types import RAM
from tinyml.lowering.c.format_notes import Affine
from tinyml.targets.c.header_items import once
from tinyml.targets.c.text import FLASH_TEXT
from tinyml.targets.chip import Chip

_NAMES = """\
    static const char names[{count}][{length}]{attribute} = {{
{rows}
    }};
    static const char none[1]{attribute} = "";
    return {chosen};
"""


def push_macros(name: str, pushes: tdsl.Pushes) -> list[c.DefineOp]:
    """The macros of an input that the caller pushes in several parts (`tdsl.Pushes`).

    NAME_FRAME is the number of elements in a frame, and NAME_HOP the number of elements from the start of a frame to
    the start of the next. NAME_STEPS is the number of frames up to the first prediction, and NAME_STRIDE the number of
    frames from one prediction to the next.
    """
    texts = ("elements of a frame", "elements from one frame to the next", "frames up to an answer")
    texts += ("frames from one answer to the next",)
    macros = zip(("FRAME", "HOP", "STEPS", "STRIDE"), pushes, texts, strict=True)
    return [c.DefineOp(f"{name}_{macro}", number, text) for macro, number, text in macros]


def scale_macros(macro: str, scale: float, zero: float, part: str = "") -> list[c.DefineOp]:
    """The macros MACRO_SCALE and MACRO_ZERO of an array with a single scale.

    part: the name of one of several inputs, which ends the names of its macros; "" for a whole array.
    """
    part = f"_{part}" if part else ""
    text = f"real = (raw - {macro}_ZERO{part}) * {macro}_SCALE{part}"
    return [c.DefineOp(f"{macro}_SCALE{part}", float(scale), text), c.DefineOp(f"{macro}_ZERO{part}", zero)]


def affine_macros(macro: str, format: Affine, part: str = "") -> list[c.DefineOp]:
    return scale_macros(macro, format.unit, format.zero, part)


def threshold_macro(name: str, threshold: float) -> c.DefineOp:
    """The macro NAME_THRESHOLD. A sample is an anomaly if its score is below this threshold."""
    return c.DefineOp(f"{name}_THRESHOLD", float(threshold), "the score below which X is an anomaly")


def class_names(name: str, labels: Sequence[str | int], chip: Chip) -> Iterator[Operation]:
    """The C function NAME_class_name, which returns the name of the class with a given number, as a string in flash.
    For a number that is not that of a class, it returns an empty string.

    labels: the names of the classes.
    """
    texts = [str(label) for label in labels]
    attribute, where, cast = "", "", ""
    if chip.flash_attribute is not None:
        attribute, where = f" {chip.flash_attribute}", ", a string in program memory"
    if chip.flash_text:
        where += ", which Serial.print of Arduino takes as it is"
        cast = f"(const {FLASH_TEXT} *)"
        yield c.InlineOp(FLASH_TEXT, chip.flash_text)
    chosen = f"label >= 0 && label < {len(texts)} ? names[label] : none"
    values = {
        "count": len(texts),
        "length": max(len(text.encode()) for text in texts) + 1,
        "attribute": attribute,
        "chosen": f"{cast}({chosen})" if cast else chosen,
        "rows": "\n".join(f"        {_string(text)}," for text in texts),
    }
    doc = f"The name of a class{where}; an empty string for any other number."
    text = _NAMES.format(**values)
    yield c.PrototypeOp(f"{name}_class_name", {"label": i16}, [c.TextType()], doc, text=text)


def _string(text: str) -> str:
    """Return a C string literal whose value is `text`. Bytes outside ASCII become octal escapes of exactly three
    digits, which a following digit cannot extend.
    """
    quoted = "".join(map(_escaped, text.encode()))
    # Two question marks may begin a trigraph.
    return '"' + (quoted.replace("?", "\\?") if "??" in quoted else quoted) + '"'


def _escaped(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"


_UNUSED_INDEX = "((void)i, {scaled})"
"""The conversion of an input whose features share one unit; the index is not used."""

_READ = "tm_flash_f32"
"""The helper that reads floats from tables that ordinary loads cannot reach."""


def feature_conversion(name: str, features: tdsl.FeatureMap, chip: Chip) -> Iterator[Operation]:
    """The C tables `NAME_feature_scales`, `NAME_feature_zeros` and `NAME_feature_points`, and the C function
    `NAME_feature_number`.

    The function converts a feature to a real number in the units of the program's input. The caller then rounds
    this number to the input format.
    """
    tables = {"scales": features.scales, "zeros": features.zeros}
    if features.points is not None:
        # A quantiser often has no zero point, and subtracts nothing before it divides.
        tables |= {"points": features.points}
        tables = {kind: reals for kind, reals in tables.items() if kind == "scales" or reals.any()}
    tables = {kind: tdsl.shortest_period(reals) for kind, reals in tables.items()}
    read = "*"
    if chip.flash_attribute is not None:
        read = _READ
        yield c.InlineOp(_READ, "\n".join(once(_READ, chip.helpers[_READ].splitlines())))
    indices = {kind: _index(len(reals), len(features.scales)) for kind, reals in tables.items()}
    entries = {kind: f"{name}_feature_{kind}[{index}]" for kind, index in indices.items()}
    feature = f"(number - {entries['points']})" if "points" in tables else "number"
    feature = f"{entries['scales']} * {feature}" + (f" + {entries['zeros']}" if "zeros" in tables else "")
    doc = f"The units of the input: feature i is {feature}."
    for kind, reals in tables.items():
        values = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [len(reals)]), reals.tolist())
        yield c.TableOp(f"{name}_feature_{kind}", len(reals), f32, doc, value=values)
        doc = ""
    loads = {kind: f"{read}({name}_feature_{kind} + {index})" for kind, index in indices.items()}
    scaled = f"(real - {loads['zeros']})" if "zeros" in tables else "real"
    scaled += f" / {loads['scales']}" + (f" + {loads['points']}" if "points" in tables else "")
    if {*indices.values()} == {"0"}:
        scaled = _UNUSED_INDEX.format(scaled=scaled)
    number = "The number that element i of the input holds in its format for a real number, the feature."
    parameters = {"i": IndexType(), "real": f32}
    yield c.PrototypeOp(f"{name}_feature_number", parameters, [f32], number, text=f"    return {scaled};\n")


def _index(length: int, elements: int) -> str:
    """The C expression that maps an element index i to an index into a table. The table stores `length` numbers,
    which repeat over the `elements` elements.
    """
    if length == elements:
        return "i"
    return "0" if length == 1 else f"i % {length}"


ROW_BITS = 16
"""The width of a row number in bits."""


def row_declaration(name: str, element: Attribute, length: int, macro: str, axes: str) -> c.PrototypeOp:
    """The declaration of the C function `NAME_row`, which the caller defines and which writes one row of an input to an
    address.

    element: the type of the elements.
    length, macro: the number of elements in a row, and the macro for it.
    axes: the axes of a row, such as `width x channels`; empty if unknown.
    """
    written = f"{macro} elements{f' ({axes})' if axes else ''}"
    doc = (
        f"Yours to define: writes row `row` of the input, {written}, to `to`. Every inference asks once for each row, "
        "in order, as soon as the model has room for it."
    )
    parameters = {"to": c.PointerType(element, RAM), "row": IntegerType(ROW_BITS, Signedness.UNSIGNED)}
    op = c.PrototypeOp(name, parameters, [], doc, defined=CALLER)
    op.attributes[ELEMENTS] = elements_attribute({"to": length})
    return op
