"""The C interface of a generated model as a Python object, the counterpart of the header NAME.h."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.layouts.packed_bits import packed_bytes
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.inputs import InputPart, Pushes, named_axes

_DTYPES = {"int8_t": "<i1", "int16_t": "<i2", "int32_t": "<i4", "float": "<f4"}


@dataclass(frozen=True)
class Interface:
    """The functions `NAME_predict`, `NAME_scores` and, optionally, `NAME_input` of a generated model, as a caller needs
    them.

    * name: the name of the model, NAME.
    * input_ctype, output_ctype: the C types of the elements (int8_t, int16_t, int32_t or float). Without scores,
      `output_ctype` is None and `output_length` is 0.
    * input_length, output_length: the numbers of elements.
    * has_label: true if `NAME_predict` returns the class index; otherwise it returns void.
    * packed_bits: the width of each element of a packed input (`tinyml.dialects.layouts.packed_bits`), whose array
      consists of bytes; None if the input is not packed.
    * packed_offset: the number that is subtracted from each element before the element is packed.
    * more_outputs: the C type and the length of each output after the scores. `NAME_output_1` and so on return these
      outputs.
    * input_in_arena: true if the input is in the arena, at the address that `NAME_input` returns. `NAME_predict` then
      has no parameter X.
    * row_elements: the number of elements per row, if the caller's function `NAME_row` supplies the input row by row.
      `NAME_predict` then has no parameter X.
    * input_axes: if channels come first in the model's file, the file's axis for each axis of the input; None for other
      inputs.
    * input_parts: the inputs of a model with several inputs, which are concatenated in the array.
    * input_unit: the unit of sensor readings in the input, in the syntax of `--input-unit`.
    * instances: true if the first parameter of all functions is a pointer to the memory of an instance, a `NAME_ctx`.
    * pushes: set if the caller pushes the input (`NAME_push`). Runners push `row_elements` numbers at a time.
    * skipped_rows: set if the inputs of a run are parts of one recording. The program is then not reset between the
      parts, and this number of rows of the first input is skipped.
    * rate: the number of samples per second of the training data, if the model's front end declares it.

    Raises `ValueError` for any other C type, for a length that is not positive, and if type and length of the scores
    are inconsistent.
    """

    name: str
    input_ctype: str
    input_length: int
    output_ctype: str | None
    output_length: int
    has_label: bool
    packed_bits: int | None = None
    packed_offset: int = 0
    more_outputs: tuple[tuple[str, int], ...] = ()
    input_in_arena: bool = False
    row_elements: int | None = None
    input_axes: tuple[int, ...] | None = None
    input_parts: tuple[InputPart, ...] = ()
    input_unit: str | None = None
    instances: bool = False
    pushes: Pushes | None = None
    skipped_rows: int | None = None
    rate: float | None = None

    def __post_init__(self) -> None:
        for ctype in (self.input_ctype, self.output_ctype, *(ctype for ctype, _ in self.more_outputs)):
            if ctype is not None and ctype not in _DTYPES:
                raise ValueError(f"not an element type of generated code: {ctype}")
        if self.input_length < 1:
            raise ValueError(f"{self.name} needs at least one input element")
        if (self.output_ctype is None) != (self.output_length == 0) or self.output_length < 0:
            raise ValueError(f"{self.name}: scores of type {self.output_ctype} and length {self.output_length}")

    @property
    def classes(self) -> int | None:
        """The number of classes that the model distinguishes; None if unknown."""
        if self.output_length == 1:
            return 2 if self.has_label else None
        return self.output_length or None

    @property
    def input_dtype(self) -> np.dtype:
        """The little-endian numpy type of one raw input element."""
        return np.dtype(_DTYPES[self.input_ctype])

    @property
    def output_dtype(self) -> np.dtype | None:
        """The little-endian numpy type of one raw score; None if there are no scores."""
        return None if self.output_ctype is None else np.dtype(_DTYPES[self.output_ctype])

    @property
    def more_dtypes(self) -> list[np.dtype]:
        """The little-endian numpy types of the elements of `more_outputs`."""
        return [np.dtype(_DTYPES[ctype]) for ctype, _ in self.more_outputs]

    @property
    def array_ctype(self) -> str:
        """The C type of the elements of the caller's array X."""
        return self.input_ctype if self.packed_bits is None else "int8_t"

    @property
    def array_length(self) -> int:
        """The number of elements of the caller's array X."""
        return self.input_length if self.packed_bits is None else packed_bytes(self.input_length, self.packed_bits)

    @property
    def row_length(self) -> int:
        """The number of elements per row of the caller's array if the input is supplied row by row; 0 for any other
        input.
        """
        if self.row_elements is None or self.packed_bits is None:
            return self.row_elements or 0
        return packed_bytes(self.row_elements, self.packed_bits)

    @property
    def row_bytes(self) -> int:
        """The number of bytes per row if the input is supplied row by row; 0 for any other input."""
        return self.row_length * self.input_bytes // self.array_length

    @property
    def input_layout(self) -> str | None:
        """The axes of `input_axes` as text, such as `height x width x channels`; None without `input_axes`."""
        return None if self.input_axes is None else named_axes(self.input_axes)

    @property
    def in_array(self) -> bool:
        """True if `NAME_predict` has the parameter X."""
        return not self.input_in_arena and self.row_elements is None

    @property
    def takes_floats(self) -> bool:
        """True for a model with `NAME_set` and `NAME_predict_floats`, whose input is a buffer of unpacked elements."""
        return self.row_elements is None and self.packed_bits is None

    @property
    def entry(self) -> str:
        """The name of the function that performs an inference. Runners measure the time of this function."""
        return f"{self.name}_predict" if self.pushes is None else "tm_infer"

    @property
    def profiled(self) -> tuple[str, ...]:
        """The names of functions to which profilers may attribute instructions, in order of preference.

        Profilers use the first of these functions that exists, because the compiler may inline the step function of a
        streaming program into its caller.
        """
        return (self.entry,) if self.pushes is None else (f"{self.name}_step", self.entry)

    @property
    def in_own_buffer(self) -> bool:
        """True if a runner writes the input to the address that `NAME_input` returns. This address is in the arena or
        in an instance.
        """
        return (self.input_in_arena or self.instances) and self.pushes is None

    @property
    def input_bytes(self) -> int:
        """The size of the caller's array X in bytes."""
        return self.array_length * (1 if self.packed_bits is not None else self.input_dtype.itemsize)

    @property
    def caller_bytes(self) -> int:
        """The size of the array X in bytes, which the caller must allocate; 0 if `NAME_predict` has no parameter X."""
        return self.input_bytes if self.in_array else 0

    @property
    def output_bytes(self) -> int:
        """The size of the scores in bytes."""
        dtype = self.output_dtype
        return 0 if dtype is None else self.output_length * dtype.itemsize
