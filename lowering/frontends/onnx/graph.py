"""Nodes and graphs of a model, with typed access to attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import LocationAttr

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import file_location, in_layer

if TYPE_CHECKING:
    from numpy.typing import NDArray

Attribute: TypeAlias = (
    "int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | NDArray[Any] | OnnxGraph"
)

Dims: TypeAlias = tuple["int | str", ...]
"""The extents of a value: numbers, or names (possibly empty) of extents that the file leaves open."""

MICROSOFT = "com.microsoft"
"""The domain of ONNX Runtime's own ops."""

PACKAGE_OPS = "a package can import it, as 'tinyml new op' writes one, or end the model before it"
"""Advice for ops of domains other than ONNX's."""

_KINDS = {int: "an integer", float: "a number", str: "a string", tuple: "a list"}


@dataclass(frozen=True)
class Declared:
    """A declared input or output of a graph.

    element: the name of the element type, such as `float32`.
    dims: the extents; None if the file declares no shape.
    format: the number format of the program's argument, if an extension determines it.
    scale, point: the float x becomes x / scale + point before it is rounded to `format`.
    """

    name: str
    element: str
    dims: Dims | None
    format: NumberFormat | None = None
    scale: float = 1.0
    point: float = 0.0


@dataclass(frozen=True)
class OnnxNode:
    """A node of a model. Omitted inputs have empty names.

    version: the opset of the node's domain.
    layer: the PyTorch layer that the node was exported from, such as `Linear 'head'`; empty if the file names none.
    in_integers: whether the model states that quantised results are rounded once from integers, halves to even.
    """

    op: str
    domain: str
    version: int
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute]
    file: str
    layer: str = field(default="", kw_only=True)
    in_integers: bool = field(default=False, kw_only=True)

    @property
    def location(self) -> LocationAttr:
        """The location for the ops that import the node: its PyTorch layer or, if the file names none, the
        node's name. Binary models have no line numbers.
        """
        return in_layer(file_location(self.file), self.layer or self.name)

    def error(self, message: str) -> InputError:
        """An error whose message begins with the op, name and layer of this node."""
        layer = f" of the layer {self.layer}" if self.layer else ""
        return InputError(f"{self.op} '{self.name}'{layer}: {message}", file=self.file)

    @property
    def advice(self) -> str:
        """Advice to the user on how to replace the node if its op is not supported."""
        if self.domain:
            return PACKAGE_OPS
        return (
            "let onnxsim fold what is constant, write it with other ops, or "
            "end the model before it (onnx.utils.extract_model)"
        )

    def integer(self, name: str, default: int | None = None) -> int:
        return self._typed(name, int, default)

    def number(self, name: str, default: float | None = None) -> float:
        return float(self._typed(name, float, default))

    def text(self, name: str, default: str | None = None) -> str:
        return self._typed(name, str, default)

    def integers(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        values = self._typed(name, tuple, None if default is None else tuple(default))
        if not all(isinstance(value, int) for value in values):
            raise self.error(f"attribute '{name}' is not a list of integers")
        return values

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A list attribute of numbers; empty if the attribute is absent."""
        values = self._typed(name, tuple, ())
        if any(isinstance(value, str) for value in values):
            raise self.error(f"attribute '{name}' is not a list of numbers")
        return np.array(values, np.float64)

    def labels(self, *names: str) -> tuple[str | int, ...]:
        """Class labels from the first of the named attributes that is present. Raises `InputError` if none is present,
        or if a label is a float.
        """
        name = next((name for name in names if self.attributes.get(name)), None)
        if name is None:
            raise self.error(f"needs the attribute {' or '.join(names)}")
        labels = self._typed(name, tuple, ())
        if any(isinstance(label, float) for label in labels):
            raise self.error(f"attribute '{name}' is not a list of integers or strings")
        return labels

    def graph(self, name: str) -> OnnxGraph:
        value = self.attributes.get(name)
        if not isinstance(value, OnnxGraph):
            raise self.error(f"attribute '{name}' is not a graph")
        return value

    def only(self, name: str, *allowed: Attribute) -> None:
        """Raise `InputError` if the attribute `name` has a value that is not in `allowed`. The first allowed
        value is the attribute's default.
        """
        value = self.attributes.get(name, allowed[0])
        if not any(type(value) is type(candidate) and value == candidate for candidate in allowed):
            raise self.error(f"{name} = {_spelled(value)} is not supported, only {' or '.join(map(_spelled, allowed))}")

    def _typed(self, name: str, kind: type[Any], default: Any) -> Any:
        if name not in self.attributes and default is None:
            raise self.error(f"needs the attribute '{name}'")
        value = self.attributes.get(name, default)
        if not isinstance(value, kind):
            raise self.error(f"attribute '{name}' is not {_KINDS[kind]}")
        return value


@dataclass(frozen=True)
class OnnxGraph:
    """A graph: its nodes in topological order, its constants by name, its inputs without the constants, and its
    outputs.
    """

    nodes: Sequence[OnnxNode]
    constants: Mapping[str, NDArray[Any]]
    inputs: Sequence[Declared]
    outputs: Sequence[Declared]

    free: frozenset[str] = field(default=frozenset())
    """Names that nodes or outputs read from an enclosing graph."""

    producer: str = ""
    """The program that wrote the model; empty if unknown, and for inner graphs."""

    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    """The metadata of the model; empty for inner graphs."""

    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the name of a value, the type of integers that it contains, as FINN annotates it: `INT4`, `UINT8`, `BIPOLAR`.
    """

    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """The extents of computed values, by name, where the frontend knows them."""


def _spelled(value: Attribute) -> str:
    return "..." if isinstance(value, OnnxGraph) else str(value)
