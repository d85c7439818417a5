"""Estimators in files of pickle and joblib, which are only read on explicit request."""

from __future__ import annotations

import io
from contextvars import ContextVar
from importlib import import_module

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import described

TRUST_PICKLE: ContextVar[bool] = ContextVar("TRUST_PICKLE", default=False)
"""True if files may be unpickled, which runs the code that they contain; set by `--trust-pickle`."""

_PACKAGES = {
    "sklearn": "scikit-learn",
    "joblib": "scikit-learn",
    "imblearn": "imbalanced-learn",
    "scipy": "scipy",
    "pandas": "pandas",
    "xgboost": "xgboost",
    "lightgbm": "lightgbm",
}
"""Packages to suggest for modules that pickles of estimators may need; other names in a file are not trusted."""


def read_pickle(content: bytes, file: str) -> ModuleOp:
    """Import the estimator in a file (`import_estimator`).

    Raises `InputError` unless the file is trusted, for a file that cannot be unpickled, and as the importer does.
    """
    if not TRUST_PICKLE.get():
        reason = "reading a pickle runs the code that it holds"
        raise InputError(f"{reason}: give --trust-pickle if you trust where the file comes from", file=file)
    from tinyml.lowering.frontends.sklearn.importer import import_estimator

    try:
        estimator = import_module("joblib").load(io.BytesIO(content))
    except (MemoryError, KeyboardInterrupt):
        raise
    # Unpickling runs the file's code, which may raise anything, even exit.
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if (package := _PACKAGES.get(missing or "")) is not None:
            raise InputError(f"needs the package {package}: pip install {package}", file=file) from error
        raise InputError(f"cannot be unpickled: {described(error)}", file=file) from error
    return import_estimator(estimator, file=file)
