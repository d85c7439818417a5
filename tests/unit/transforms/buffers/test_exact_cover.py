"""Dancing links find the covers of well-known problems and stop at their limits. Malformed problems are rejected."""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from itertools import islice

import pytest
from programs.paths import ROOT

from tinyml.transforms.buffers.packing.exact_cover import Coloured, ExactCover


def cover_of(
    primary: Iterable[Hashable], options: Iterable[Iterable[Hashable]], secondary: Iterable[Hashable] = ()
) -> ExactCover:
    cover = ExactCover(primary, secondary)
    for option in options:
        cover.add(option)
    return cover


def test_knuths_example():
    """Example (6) in The Art of Computer Programming 7.2.2.1 has the published cover."""
    cover = cover_of("abcdefg", ["ce", "adg", "bcf", "adf", "bg", "deg"])
    assert [sorted(one) for one in cover.solutions()] == [[0, 3, 4]]
    assert cover.exhausted
    assert len(cover) == 6


def test_knuths_example_with_colours():
    """Example (49) in The Art of Computer Programming 7.2.2.1 has the published cover: options may share x and y if
    they assign the same colour.
    """
    options: list[list[Hashable]] = [
        ["p", "q", "x", Coloured("y", "A")],
        ["p", "r", Coloured("x", "A"), "y"],
        ["p", Coloured("x", "B")],
        ["q", Coloured("x", "A")],
        ["r", Coloured("y", "B")],
    ]
    cover = cover_of("pqr", options, "xy")
    for _ in range(2):
        assert [sorted(one) for one in cover.solutions()] == [[1, 3]]


def maps(bytes: int, first: int, end: int, canvas: int) -> list[list[tuple[int, int]]]:
    """For each position of a tensor on a canvas, the cells that it covers, as (byte, instruction) (MinUn, section 5.3).

    bytes: the size of the tensor.
    first, end: its live range, in instructions.
    canvas: the size of the canvas in bytes.
    """
    return [
        [(low + byte, instruction) for byte in range(bytes) for instruction in range(first, end)]
        for low in range(canvas - bytes + 1)
    ]


def test_maps_of_minun_figure_5():
    """On a canvas of 4 bytes, a tensor of 2 bytes that is live in instructions 2 and 3 has three maps of 2 x 2 cells,
    one for each first byte.
    """
    found = maps(2, 2, 4, 4)
    assert [len(cells) for cells in found] == [4, 4, 4]
    assert found[0] == [(0, 2), (0, 3), (1, 2), (1, 3)]


@pytest.mark.parametrize(("canvas", "fits"), [(256, True), (192, False)])
def test_canvas_of_minun_on_its_figure_4(canvas: int, fits: bool):
    """MinUn, figure 4, in units of 64 bytes: a canvas of 256 bytes has a cover, in which A to D are live first, and E,
    of two units, after A and C. A canvas of 192 bytes has none.
    """
    tensors = {"A": (1, 0, 1), "B": (1, 0, 2), "C": (1, 0, 1), "D": (1, 0, 2), "E": (2, 1, 2)}
    cover = ExactCover(tensors, [(byte, instruction) for byte in range(canvas // 64) for instruction in range(2)])
    for name, lives in tensors.items():
        for cells in maps(*lives, canvas // 64):
            cover.add([name, *cells])
    assert (next(cover.solutions(), None) is not None) == fits


def queens(n: int) -> ExactCover:
    lines = [(name, i) for name in ("row", "column") for i in range(n)]
    diagonals = [(name, i) for name in ("up", "down") for i in range(-n, 2 * n)]
    squares: list[list[Hashable]] = [
        [("row", i), ("column", j), ("up", i + j), ("down", i - j)] for i in range(n) for j in range(n)
    ]
    return cover_of(lines, squares, diagonals)


def test_queens():
    counts = [sum(1 for _ in queens(n).solutions()) for n in range(1, 9)]
    assert counts == [1, 0, 0, 2, 10, 4, 40, 92]


def test_langford():
    """For n from 1 to 8, the search finds the known number of Langford pairings: arrangements with k other numbers
    between both copies of each k up to n. Mirror images are counted.
    """

    def langford(n: int) -> int:
        pairs: list[list[Hashable]] = [
            [k, ("place", i), ("place", i + k + 1)] for k in range(1, n + 1) for i in range(2 * n - k - 1)
        ]
        return sum(1 for _ in cover_of([*range(1, n + 1), *(("place", i) for i in range(2 * n))], pairs).solutions())

    assert [langford(n) for n in range(1, 9)] == [0, 0, 2, 2, 0, 0, 52, 300]


def test_sudoku():
    """The search finds the single solution of the Sudoku in Wikipedia's article."""
    rows = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    given = [rows[9 * i : 9 * i + 9] for i in range(9)]
    places = range(9)
    items = [(kind, i, j) for kind in ("cell", "row", "column", "box") for i in places for j in places]
    options: list[list[Hashable]] = []
    answers: list[tuple[int, int, int]] = []
    for r in places:
        for c in places:
            for digit in places if given[r][c] == "." else [int(given[r][c]) - 1]:
                box = 3 * (r // 3) + c // 3
                options.append([("cell", r, c), ("row", r, digit), ("column", c, digit), ("box", box, digit)])
                answers.append((r, c, digit + 1))
    solutions = list(cover_of(items, options).solutions())
    assert len(solutions) == 1
    digits = {(r, c): digit for r, c, digit in (answers[option] for option in solutions[0])}
    assert "".join(str(digits[0, c]) for c in places) == "534678912"
    assert "".join(str(digits[8, c]) for c in places) == "345286179"


PENTOMINOES = {
    "F": "011 110 010",
    "I": "11111",
    "L": "1111 1000",
    "N": "1110 0011",
    "P": "111 110",
    "T": "111 010 010",
    "U": "101 111",
    "V": "100 100 111",
    "W": "100 110 011",
    "X": "010 111 010",
    "Y": "1111 0100",
    "Z": "110 010 011",
}


def shapes(name: str) -> Iterator[frozenset[tuple[int, int]]]:
    cells = frozenset(
        (i, j) for i, row in enumerate(PENTOMINOES[name].split()) for j, cell in enumerate(row) if cell == "1"
    )
    for _ in range(2):
        for _ in range(4):
            yield at_the_corner(cells)
            cells = at_the_corner({(j, -i) for i, j in cells})
        cells = at_the_corner({(i, -j) for i, j in cells})


def at_the_corner(cells: Set[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    top, left = min(i for i, _ in cells), min(j for _, j in cells)
    return frozenset((i - top, j - left) for i, j in cells)


@pytest.mark.long
def test_pentominoes():
    """The 3 x 20 rectangle has two solutions, each with four symmetric forms. If the centre of the cross is in the left
    half, two forms of each remain, 4 in total.
    """
    options: list[Sequence[Hashable]] = []
    for name in PENTOMINOES:
        for shape in sorted({*shapes(name)}, key=sorted):
            height, width = (max(cell[k] for cell in shape) for k in (0, 1))
            for i in range(3 - height):
                places = range(9 if name == "X" else 20 - width)
                options += [[name, *((i + y, j + x) for y, x in sorted(shape))] for j in places]
    items = [*PENTOMINOES, *((i, j) for j in range(20) for i in range(3))]
    assert sum(1 for _ in cover_of(items, options).solutions()) == 4


def test_the_examples_of_the_documentation(capsys: pytest.CaptureFixture[str]):
    """Each example of the documentation prints the output that the comment after its `print` contains."""
    page = (ROOT / "docs/exact-cover.md").read_text()
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)
    assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\)  # (.*)", page)


def test_a_search_may_end_early():
    cover = queens(8)
    assert len(list(islice(cover.solutions(), 3))) == 3
    assert not cover.exhausted
    assert list(cover.solutions(nodes=5)) == []
    assert (cover.nodes, cover.exhausted) == (5, False)
    assert len(list(cover.solutions(steps=1000))) < 92
    assert 1000 < cover.steps < 2000
    assert len(list(cover.solutions(stop=lambda: True))) < 92
    assert cover.nodes == 255
    assert len(list(cover.solutions())) == 92
    assert cover.exhausted


def test_nothing_to_cover():
    cover = ExactCover((), "x")
    assert list(cover.solutions()) == [()]
    assert list(ExactCover("a").solutions()) == []


def test_what_is_no_problem():
    with pytest.raises(ValueError, match="an item is named twice"):
        ExactCover("ab", "b")
    cover = ExactCover("ab", "xy")
    with pytest.raises(KeyError):
        cover.add("ac")
    with pytest.raises(ValueError, match="an option has an item twice"):
        cover.add("aa")
    with pytest.raises(ValueError, match="an option needs a primary item"):
        cover.add("xy")
    with pytest.raises(ValueError, match="only secondary items have colours"):
        cover.add([Coloured("a", 1)])
    assert len(cover) == 0
