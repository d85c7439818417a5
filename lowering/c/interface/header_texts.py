"""Texts of the header: units as macros, and names of classes."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects import c, tdsl
from tinyml.lowering.bits.format_notes import Affine
from tinyml.targets.c.text import spell_float
from tinyml.targets.chip import Chip

_SCALES = """\
#define {macro}_SCALE {scale} /* real = (raw - {macro}_ZERO) * {macro}_SCALE */
#define {macro}_ZERO {zero}
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
    """Macros for the parts in which an input is pushed."""
    texts = ("elements of a frame", "elements from one frame to the next", "frames up to an answer")
    texts += ("frames from one answer to the next",)
    macros = zip(("FRAME", "HOP", "STEPS", "STRIDE"), pushes, texts, strict=True)
    return [c.DefineOp(f"{name}_{macro}", number, text) for macro, number, text in macros]


def scale_macros(macro: str, format: Affine) -> c.InlineOp:
    """The macros MACRO_SCALE and MACRO_ZERO of an array whose elements have one scale."""
    text = _SCALES.format(macro=macro, scale=spell_float(format.unit), zero=format.zero)
    return c.InlineOp(f"{macro}_SCALE", text)


def unit_macros(name: str, unit: tdsl.InputUnit) -> c.InlineOp:
    """The macro NAME_INPUT_UNIT with the unit of the integers that the input takes, and their scale if all share it."""
    macro = f"{name}_INPUT"
    text = f'#define {macro}_UNIT "{unit.text}" /* the integers that the input takes */\n'
    if unit.is_uniform:
        scale, zero = unit.units[0].scale, -unit.units[0].offset / unit.units[0].scale
        text += _SCALES.format(macro=macro, scale=spell_float(scale), zero=spell_float(zero))
    return c.InlineOp(f"{macro}_UNIT", text)


def class_names(name: str, labels: Sequence[str | int], chip: Chip) -> c.InlineOp:
    """The function NAME_class_name, whose strings lie in flash."""
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
    """A string literal of C; bytes beyond ASCII are spelled in octal, which ends after three digits."""
    quoted = "".join(map(_escaped, text.encode()))
    # Two question marks could begin a trigraph.
    return '"' + (quoted.replace("?", "\\?") if "??" in quoted else quoted) + '"'


def _escaped(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
