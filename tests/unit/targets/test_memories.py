"""The memories of boards, and the values of `--memory`."""

from __future__ import annotations

import re

import pytest

from tinyml.dialects.errors import InputError
from tinyml.targets.memories.requested import requested, with_requested
from tinyml.targets.memories.rows import MemoryKind, memories_of, rows_of_chip
from tinyml.targets.registry import board, boards

CHIPS = ("cortex_m", "helium", "xtensa_lx")
"""The chips whose folders list memories of boards."""


def test_rows_are_of_boards_and_have_sources():
    known = {each.name: each for each in boards()}
    all_rows = {name: rows for folder in CHIPS for name, rows in rows_of_chip(folder).items()}
    assert len(all_rows) == 7
    for name, rows in all_rows.items():
        assert name in known
        assert len({row.name for row in rows}) == len(rows)
        for row in rows:
            assert re.fullmatch("[a-z][a-z0-9_]*", row.name)
            assert row.source
            assert row.size > 0
            assert row.size % 16 == 0 or row.name == "sram"
            assert row.readers[0] == "core"
            assert (row.read is None) == (row.write is None) or not row.kind.writable


def test_a_board_of_another_size_has_the_rows_of_the_board():
    assert memories_of(board("pico2-2M-256K")) == memories_of(board("pico2")) != ()
    assert memories_of(board("host")) == ()


def test_sizes_and_wait_states_come_from_rows_or_from_the_text():
    given = requested("dtcm=64K,ocram=128K:3/3,psram=8M", board("teensy41"))
    assert [(m.name, m.size, m.read, m.write) for m in given.memories] == [
        ("dtcm", 65536, 0, 0),
        ("ocram", 131072, 3, 3),
        ("psram", 8388608, 300, 300),
    ]
    assert [m.own_section for m in given.memories] == ["", ".dmabuffers", ".externalram"]
    assert (given.flash.kind, given.flash.read) == (MemoryKind.CACHED_FLASH, 240)
    assert given.stack == 0
    given = requested("fast=1K:0/1,stack=512,flash=1M:5/0", board("cortex-m4"))
    assert [(m.name, m.read, m.write, m.macro, m.own_section) for m in given.memories] == [
        ("fast", 0, 1, "TM_MEMORY_FAST", ".bss.tinyml.fast")
    ]
    assert (given.stack, given.flash.read) == (512, 5)


def test_board_stands_for_the_rows_with_wait_states():
    assert [memory.name for memory in requested("board", board("pico2")).memories] == ["sram", "scratch"]
    assert [memory.name for memory in requested("board", board("teensy41")).memories] == ["dtcm", "psram"]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "teensy41", "expected NAME=SIZE or NAME=SIZE:READ/WRITE, such as dtcm=64K:0/0, got ''"),
        ("dtcm", "teensy41", "got 'dtcm'"),
        ("dtcm=64K:0", "teensy41", "got 'dtcm=64K:0'"),
        ("DTCM=64K", "teensy41", "got 'DTCM=64K'"),
        ("dtcm=10", "teensy41", "expected the size of dtcm as a multiple of 16 bytes"),
        ("dtcm=512K,dtcm=64K", "teensy41", "dtcm occurs twice"),
        ("dtcm=524304", "teensy41", "dtcm of teensy41 has 524288 bytes, got 524304"),
        ("ocram=64K", "teensy41", "the wait states of ocram of teensy41 are not published: write ocram=64K:READ/WRITE"),
        ("dtmc=64K", "teensy41", "are known: write dtmc=64K:READ/WRITE, did you mean 'dtcm'?"),
        ("other=64K", "teensy41", "write other=64K:READ/WRITE; teensy41 has dtcm, ocram, psram, flash"),
        ("fast=64K", "cortex-m4", "no wait states of fast are known: write fast=64K:READ/WRITE"),
        ("board", "cortex-m4", "no memories of cortex-m4 are known"),
        ("dtcm=64K,stack=1K:0/0", "teensy41", "the stack has the wait states of its memory: write stack=1K"),
        ("stack=1K", "teensy41", "no memory for buffers"),
    ],
)
def test_one_line_says_what_is_wrong(text: str, name: str, message: str):
    with pytest.raises(InputError) as error:
        requested(text, board(name))
    assert message in error.value.message
    assert "\n" not in error.value.message


def test_the_greatest_size_of_a_row_is_allowed():
    assert requested("dtcm=512K", board("teensy41")).memories[0].size == 524288


def test_the_ram_of_a_board_grows_to_its_memories():
    teensy = board("teensy41")
    assert with_requested(teensy, "dtcm=64K").ram == teensy.ram
    assert with_requested(teensy, "dtcm=64K,psram=8M").ram == (64 << 10) + (8 << 20)
