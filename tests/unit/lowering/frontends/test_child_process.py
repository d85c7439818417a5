"""Readers of other libraries run in a child process. If a reader crashes, hangs or exits, the parent process reports
one line about the file.
"""

from __future__ import annotations

import re

import pytest
from programs import hostile_readers

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.child_process import Convert, converted


def test_content_words_and_limits_go_in_and_bytes_come_out():
    token = ELEMENT_LIMIT.set(12345)
    try:
        read = converted(hostile_readers.reverse, b"\0ab\n", "a word\n", library="L", seconds=60, file="m.x")
    finally:
        ELEMENT_LIMIT.reset(token)
    assert read == b"\nba\0 a word\n 12345"


@pytest.mark.parametrize(
    ("convert", "seconds", "message"),
    [
        (hostile_readers.refuse, 60, "m.x: 3 bytes are too few"),
        (hostile_readers.crash, 60, "m.x: L crashes when it reads it (SIGSEGV): the file is damaged"),
        (hostile_readers.leave, 60, "m.x: L crashes when it reads it (exit code 3): the file is damaged"),
        (hostile_readers.wait, 1, "m.x: L does not read it within 1 s"),
        (hostile_readers.grow, 60, "m.x: reading it takes more memory than there is"),
    ],
)
def test_an_end_is_one_line(convert: Convert, seconds: int, message: str):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        converted(convert, b"abc", library="L", seconds=seconds, file="m.x")


def test_a_defect_of_ours_is_none_of_the_file():
    with pytest.raises(RuntimeError, match=r"(?s)Traceback .*KeyError: 'a field'"):
        converted(hostile_readers.fail, b"abc", library="L", seconds=60, file="m.x")
