"""Estimators in files of pickle and joblib, which are read on explicit request only."""

from __future__ import annotations

import io
from contextvars import ContextVar
from importlib import import_module

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError

TRUST_PICKLE: ContextVar[bool] = ContextVar("TRUST_PICKLE", default=False)
"""True if files may be unpickled, which runs the code that they hold; `--trust-pickle` sets it."""

_PACKAGES = {"sklearn": "scikit-learn", "joblib": "scikit-learn"}
"""The packages of modules with other names."""


def read_pickle(content: bytes, file: str) -> ModuleOp:
    """The estimator in a file, imported (`import_estimator`).

    Raises `InputError` without the request to trust the file, for a file that cannot be unpickled, and for what the
    importer refuses.
    """
    if not TRUST_PICKLE.get():
        reason = "reading a pickle runs the code that it holds"
        raise InputError(f"{reason}: give --trust-pickle if you trust where the file comes from", file=file)
    from tinyml.lowering.frontends.sklearn.importer import import_estimator

    try:
        estimator = import_module("joblib").load(io.BytesIO(content))
    except ImportError as error:
        package = _PACKAGES.get(error.name or "", error.name)
        raise InputError(f"needs the package {package}: pip install {package}", file=file) from error
    # Unpickling runs the file's code, which may raise anything.
    except Exception as error:
        what = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"cannot be unpickled: {what}", file=file) from error
    return import_estimator(estimator, file=file)
