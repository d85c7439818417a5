"""The exception for bad input, with its location."""


class InputError(Exception):
    """Bad input from a user: a file, a program, an option, data, or a model that cannot fit.

    `str(error)` is the line that a command prints after `error: `: `FILE:LINE:COL: message`, with those parts of the
    location that are known. Lines and columns count from 1.
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
        location = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{location}: {message}" if location else message)
