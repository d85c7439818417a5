"""Options of the test run."""

import pytest
from hypothesis import settings

# A busy machine is no error.
settings.register_profile("tinyml", deadline=None)
settings.load_profile("tinyml")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-docs", action="store_true", help="write the outputs shown in README.md and docs/ anew")
