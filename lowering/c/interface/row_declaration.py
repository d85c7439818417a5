"""Declaration of the function that supplies the rows of an input; the user of a program defines it."""

from __future__ import annotations

from tinyml.dialects import c

_ROW = """\
/* Yours to define: writes row `row` of the input, {length} elements{axes}, to `to`.
 * Every inference asks once for each row, in order, as soon as the model has room for it. */
void {name}({type} *to, uint{bits}_t row);
"""

ROW_BITS = 16
"""The width of a row number in bits."""


def row_declaration(name: str, type: str, length: str, axes: str) -> c.InlineOp:
    """The declaration of `NAME_row`.

    type: the C type of the elements. length: the macro for their number. axes: of a row, such as `width x channels`;
    empty if they are not known.
    """
    return c.InlineOp(
        name, _ROW.format(name=name, type=type, length=length, bits=ROW_BITS, axes=f" ({axes})" if axes else "")
    )
