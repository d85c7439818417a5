"""Fields of objects in JSON, whose types are checked as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Fields:
    """The fields of an object, by name.

    Raises `InputError` for missing fields and for values of another type.
    """

    def __init__(self, data: Any, file: str, name: str = "") -> None:
        self.file, self.name = file, name
        if not isinstance(data, dict):
            raise self.error("expected an object")
        self.data: dict[str, Any] = data

    def error(self, message: str) -> InputError:
        return InputError(f"{self.name}: {message}" if self.name else message, file=self.file)

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def __getitem__(self, name: str) -> Fields:
        """An object."""
        return Fields(self._get(name), self.file, self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.name}.{name}" if self.name else name

    def _get(self, name: str) -> Any:
        if name not in self.data:
            raise self.error(f"has no {name}")
        return self.data[name]

    def text(self, name: str, default: str | None = None) -> str:
        value = self.data.get(name, default) if default is not None else self._get(name)
        return value if isinstance(value, str) else str(value)

    def number(self, name: str, default: float | None = None) -> float:
        """A number, which may be written as a string."""
        value = self.data.get(name, default) if default is not None else self._get(name)
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise self.error(f"expected a number as {name}, got {value!r}") from error

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.number(name, default)
        if not value.is_integer():
            raise self.error(f"expected an integer as {name}, got {value}")
        return int(value)

    def objects(self, name: str) -> Sequence[Fields]:
        """A list of objects."""
        found = self._get(name)
        if not isinstance(found, list):
            raise self.error(f"expected a list as {name}")
        values = cast("list[Any]", found)
        return [Fields(value, self.file, f"{self._path(name)}[{at}]") for at, value in enumerate(values)]

    def numbers(self, name: str, length: int | None = None) -> NDArray[np.float64]:
        """A list of numbers. length: its required length."""
        values = self._get(name)
        try:
            array = np.asarray(values, np.float64)
        except (TypeError, ValueError) as error:
            raise self.error(f"expected numbers as {name}") from error
        if array.ndim != 1 or (length is not None and len(array) != length):
            raise self.error(f"expected {'some' if length is None else length} numbers as {name}, got {array.shape}")
        return array
