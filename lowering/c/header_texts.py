"""Text of the C header in addition to prototypes: macros for units, class names, feature conversions and the row
function.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tinyml.dialects import c, tdsl
from tinyml.lowering.c.format_notes import Affine
from tinyml.targets.c.text import spell_float
from tinyml.targets.chip import Chip

SCALES = """\
#define {macro}_SCALE{part} {scale} /* real = (raw - {macro}_ZERO{part}) * {macro}_SCALE{part} */
#define {macro}_ZERO{part} {zero}
"""

_NAMES = """\
/* The name of a class{where}; an empty string for any other number. */
static inline const {letter} *{name}_class_name(int16_t label)
{{
    static const char names[{count}][{length}]{attribute} = {{
{rows}
    }};
    static const char none[1]{attribute} = "";
    return {chosen};
}}
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


def scale_macros(macro: str, format: Affine, part: str = "") -> c.InlineOp:
    """The macros MACRO_SCALE and MACRO_ZERO of an array with a single scale.

    part: the name of one of several inputs, which ends the names of its macros; "" for a whole array.
    """
    part = f"_{part}" if part else ""
    text = SCALES.format(macro=macro, part=part, scale=spell_float(format.unit), zero=format.zero)
    return c.InlineOp(f"{macro}_SCALE{part}", text)


def threshold_macro(name: str, threshold: float) -> c.InlineOp:
    """The macro NAME_THRESHOLD. A sample is an anomaly if its score is below this threshold."""
    macro = f"{name}_THRESHOLD"
    return c.InlineOp(
        macro, f"#define {macro} ({spell_float(threshold)}) /* the score below which X is an anomaly */\n"
    )


def class_names(name: str, labels: Sequence[str | int], chip: Chip) -> c.InlineOp:
    """The C function NAME_class_name, which returns the name of the class with a given number, as a string in flash.
    For a number that is not that of a class, it returns an empty string.

    labels: the names of the classes.
    """
    texts = [str(label) for label in labels]
    attribute, where, letter, cast = "", "", "char", ""
    if chip.flash_attribute is not None:
        attribute, where = f" {chip.flash_attribute}", ", a string in program memory"
    if chip.flash_text:
        where += ", which Serial.print of Arduino takes as it is"
        letter, cast = "TM_FLASH_TEXT", "(const TM_FLASH_TEXT *)"
    chosen = f"label >= 0 && label < {len(texts)} ? names[label] : none"
    values = {
        "name": name,
        "count": len(texts),
        "length": max(len(text.encode()) for text in texts) + 1,
        "attribute": attribute,
        "where": where,
        "letter": letter,
        "chosen": f"{cast}({chosen})" if cast else chosen,
        "rows": "\n".join(f"        {_string(text)}," for text in texts),
    }
    return c.InlineOp(f"{name}_class_name", chip.flash_text + _NAMES.format(**values))


def _string(text: str) -> str:
    """Return a C string literal whose value is `text`. Bytes outside ASCII become octal escapes of exactly three
    digits, which a following digit cannot extend.
    """
    quoted = "".join(map(_escaped, text.encode()))
    # Two question marks may begin a trigraph.
    return '"' + (quoted.replace("?", "\\?") if "??" in quoted else quoted) + '"'


def _escaped(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"


_TABLE = """\
static const float {table}[{length}]{attribute} = {{
{numbers}
}};
"""

_TABLES = """\
/* The units of the input: feature i is {feature}. */
"""

_NUMBER = """\
/* The number that element i of the input holds in its format for a real number, the feature. */
static inline float {name}_feature_number(int i, float real)
{{
    return {scaled};
}}
"""

_UNUSED_INDEX = "((void)i, {scaled})"
"""The conversion of an input whose features share one unit; the index is not used."""

_READ = "tm_flash_f32"
"""The helper that reads floats from tables that ordinary loads cannot reach."""


def feature_conversion(name: str, features: tdsl.FeatureMap, chip: Chip) -> c.InlineOp:
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
    attribute, read, texts = "", "*", list[str]()
    if chip.flash_attribute is not None:
        attribute, read = f" {chip.flash_attribute}", f"{name}_read"
        texts.append(chip.helpers[_READ].replace(_READ, read))
    indices = {kind: _index(len(reals), len(features.scales)) for kind, reals in tables.items()}
    entries = {kind: f"{name}_feature_{kind}[{index}]" for kind, index in indices.items()}
    feature = f"(number - {entries['points']})" if "points" in tables else "number"
    feature = f"{entries['scales']} * {feature}" + (f" + {entries['zeros']}" if "zeros" in tables else "")
    table = _TABLES.format(feature=feature)
    for kind, reals in tables.items():
        names = {"table": f"{name}_feature_{kind}", "length": len(reals), "attribute": attribute}
        table += _TABLE.format(**names, numbers=_rows(reals.tolist()))
    texts.append(table)
    loads = {kind: f"{read}({name}_feature_{kind} + {index})" for kind, index in indices.items()}
    scaled = f"(real - {loads['zeros']})" if "zeros" in tables else "real"
    scaled += f" / {loads['scales']}" + (f" + {loads['points']}" if "points" in tables else "")
    if {*indices.values()} == {"0"}:
        scaled = _UNUSED_INDEX.format(scaled=scaled)
    texts.append(_NUMBER.format(name=name, scaled=scaled))
    return c.InlineOp(f"{name}_feature_number", "\n".join(text.rstrip("\n") + "\n" for text in texts))


def _index(length: int, elements: int) -> str:
    """The C expression that maps an element index i to an index into a table. The table stores `length` numbers,
    which repeat over the `elements` elements.
    """
    if length == elements:
        return "i"
    return "0" if length == 1 else f"i % {length}"


def _rows(numbers: Sequence[float]) -> str:
    text = ", ".join(map(spell_float, numbers))
    return textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    ")


_ROW = """\
/* Yours to define: writes row `row` of the input, {length} elements{axes}, to `to`.
 * Every inference asks once for each row, in order, as soon as the model has room for it. */
void {name}({type} *to, uint{bits}_t row);
"""

ROW_BITS = 16
"""The width of a row number in bits."""


def row_declaration(name: str, type: str, length: str, axes: str) -> c.InlineOp:
    """The declaration of the C function `NAME_row`, which the caller defines and which writes one row of an input to an
    address.

    type: the C type of the elements.
    length: the macro for the number of elements in a row.
    axes: the axes of a row, such as `width x channels`; empty if unknown.
    """
    return c.InlineOp(
        name, _ROW.format(name=name, type=type, length=length, bits=ROW_BITS, axes=f" ({axes})" if axes else "")
    )
