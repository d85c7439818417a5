"""Shiftry's allocator on the examples of its paper."""

from tinyml.transforms.buffers.packing import BufferMove, Effort, Placement, Rectangle, pack

FRAGMENTED = [
    Rectangle("x1", 32, 1, 0, 2),
    Rectangle("x2", 32, 1, 1, 4),
    Rectangle("x3", 32, 1, 2, 2),
    Rectangle("x4", 64, 1, 3, 4),
]
"""Shiftry, section 7.1."""


def test_it_places_its_example_of_section_3_as_pseudocode_5():
    example = [
        Rectangle("t1", 4, 2, 0, 1),
        Rectangle("t2", 4, 2, 1, 2),
        Rectangle("t3", 2, 2, 2, 3),
        Rectangle("t4", 2, 2, 3, 4),
    ]
    assert pack(example, "shiftry") == Placement((0, 4, 0, 2), 8, 8)


def test_it_defragments_its_example_of_section_7_1():
    assert pack(FRAGMENTED, "shiftry") == Placement((0, 32, 64, 32), 96, 96, (BufferMove(3, 1, 0),))
    assert pack(FRAGMENTED, "shiftry", Effort(barred={3})) == Placement((0, 32, 64, 64), 128, 96)


def test_it_rounds_25_bytes_up_to_a_block_of_32():
    """Shiftry, section 7: if most variables have 16 bytes, a variable of 25 bytes takes a block of 32, so that the next
    one starts at byte 32.
    """
    given = [
        Rectangle("wide", 25, 1, 0, 2),
        Rectangle("x", 16, 1, 1, 2),
        Rectangle("y", 16, 1, 1, 2),
        Rectangle("later", 100, 1, 3, 3),
    ]
    assert pack(given, "shiftry").offsets == (0, 32, 48, 0)
    assert pack(given, "first-fit").offsets[1:3] == (25, 41)


def test_it_moves_4_bytes_where_algorithm_17_moves_20():
    """Shiftry, section 7.1: algorithm 17 moves x1 from byte 4 to 0 and x2 from byte 16 to 4, 20 bytes in total. The
    packer moves only x1, 4 bytes, which suffices.
    """
    given = [
        Rectangle("a", 4, 1, 0, 5),
        Rectangle("x1", 4, 1, 1, 6),
        Rectangle("b", 4, 1, 2, 5),
        Rectangle("c", 4, 1, 3, 5),
        Rectangle("x2", 16, 1, 4, 6),
        Rectangle("x3", 12, 1, 6, 6),
    ]
    placement = pack(given, "shiftry")
    assert (placement.offsets[1], placement.offsets[4]) == (4, 16)
    assert placement.moves == (BufferMove(6, 1, 12),)
    assert sum(given[move.index].size for move in placement.moves) == 4
    assert placement.height == 4 + 16 + 12


def test_it_moves_the_least_that_makes_room():
    """To make room for the buffer `new`, the packer moves only the buffer b. Compaction would move b and d."""
    given = [
        Rectangle("a", 8, 1, 0, 3),
        Rectangle("b", 8, 1, 1, 5),
        Rectangle("c", 8, 1, 2, 3),
        Rectangle("d", 8, 1, 3, 5),
        Rectangle("new", 16, 1, 4, 5),
    ]
    assert pack(given, "shiftry") == Placement((0, 8, 16, 24, 0), 32, 32, (BufferMove(4, 1, 16),))
