"""The one exception for bad input, with the place where it was found."""


class InputError(Exception):
    """Something a user gave is wrong: a file, a program, an option, data, or a model that cannot fit.

    `str(error)` is the one line that a command prints after `error: `: `FILE:LINE:COL: message`, with the parts of
    the place that are known. Lines and columns count from 1.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)
