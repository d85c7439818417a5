"""Access to the fields of JSON objects. Each access checks the type of the field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LONGEST = 60
"""Maximum characters of a value in a message."""


class Fields:
    """The fields of a JSON object, by name. Each access checks the type.

    Raises `InputError` for a missing field, a value of another type and a number that is not finite.
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
        return Fields(self._get(name), self.file, self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.name}.{name}" if self.name else name

    def _get(self, name: str) -> Any:
        if name not in self.data:
            raise self.error(f"has no {name}")
        return self.data[name]

    def text(self, name: str, default: str | None = None) -> str:
        """The string in the field `name`, or `default` if the field is missing. A number is converted to a string."""
        value = self.data.get(name, default) if default is not None else self._get(name)
        if not isinstance(value, str | int | float):
            raise self.error(f"expected a text as {name}, got {_shown(value)}")
        return str(value)

    def number(self, name: str, default: float | None = None, *, infinite: bool = False) -> float:
        """The finite number in the field `name`, or `default` if the field is missing. The file may store the number as
        a string.

        infinite: true to accept positive infinity.
        """
        value = self.data.get(name, default) if default is not None else self._get(name)
        try:
            number = float(value)
        except (TypeError, ValueError) as error:
            raise self.error(f"expected a number as {name}, got {_shown(value)}") from error
        if not isfinite(number) and not (infinite and number == inf):
            raise self.error(f"expected a finite number as {name}, got {_shown(value)}")
        return number

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.number(name, default)
        if not value.is_integer():
            raise self.error(f"expected an integer as {name}, got {value}")
        return int(value)

    def index(self, name: str) -> int:
        """The integer in the field `name`. Raises `InputError` unless it is in [0, 2^31)."""
        value = self.integer(name)
        if not 0 <= value < 1 << 31:
            raise self.error(f"expected an index as {name}, got {value:g}")
        return value

    def objects(self, name: str) -> Sequence[Fields]:
        """The objects in the field `name`, which must be a list of objects. Raises `InputError` for any other value."""
        listed = self._get(name)
        if not isinstance(listed, list):
            raise self.error(f"expected a list as {name}")
        values = cast("list[Any]", listed)
        return [Fields(value, self.file, f"{self._path(name)}[{at}]") for at, value in enumerate(values)]

    def numbers(self, name: str, length: int | None = None) -> NDArray[np.float64]:
        """The list of finite numbers in the field `name`. If `length` is not None, the list must have this length."""
        values = self._get(name)
        try:
            array = np.asarray(values, np.float64)
        except (TypeError, ValueError) as error:
            raise self.error(f"expected numbers as {name}") from error
        if array.ndim != 1 or (length is not None and len(array) != length):
            raise self.error(f"expected {'some' if length is None else length} numbers as {name}, got {array.shape}")
        if (wrong := array[~np.isfinite(array)]).size:
            raise self.error(f"expected finite numbers as {name}, got {wrong[0]}")
        return array

    def integers(self, name: str, length: int | None = None) -> NDArray[np.int64]:
        """The list of 32-bit integers in the field `name`. If `length` is not None, the list must have this length."""
        return as_integers(self.numbers(name, length), name, self.error)


def as_integers(numbers: NDArray[np.float64], name: str, error: Callable[[str], InputError]) -> NDArray[np.int64]:
    """The numbers of the field `name` as integers. Raises `error` for numbers that are not integers of a magnitude
    below 2^31: XGBoost and LightGBM store integers as signed 32-bit integers.
    """
    wrong = numbers[(numbers != np.rint(numbers)) | (np.abs(numbers) >= 1 << 31)]
    if wrong.size:
        raise error(f"expected integers of 32 bits as {name}, got {wrong[0]:g}")
    return numbers.astype(np.int64)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
