"""`tinyml pack`: input and output files, limits, pictures, errors; and packing of published problems."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from programs.paths import TESTS

from tinyml.tools.commands.actions import pack as pack_module
from tinyml.tools.commands.actions.pack import read_problem
from tinyml.tools.main import main
from tinyml.transforms.buffers.packing import MODES, Effort, Placement, Rectangle, lower_bound, pack
from tinyml.transforms.buffers.packing.validator import complaints

PROBLEMS = TESTS / "packing"


def write(folder: Path, text: str) -> str:
    path = folder / "problem.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


SMALL = "id,lower,upper,size\na,0,2,4\nb,1,3,6\nc,2,4,4\n"


def test_csv_in_and_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["pack", write(tmp_path, SMALL)]) == 0
    said = capsys.readouterr()
    assert said.out == "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,6,4\nc,2,4,4,0\n"
    assert said.err.splitlines()[-1] == "3 buffers in 10 bytes: optimal"
    assert main(["pack", write(tmp_path, SMALL), "-o", str(tmp_path / "out.csv")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out.csv").read_text() == said.out


def test_alignment_and_empty_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = "alignment,id,gaps,lower,upper,size,hint\n8,a,,0,2,4,\n,b, ,0,2,1,\n4,c,,0,2,4,\n"
    assert main(["pack", write(tmp_path, text)]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {row["id"]: (row["alignment"], row["offset"]) for row in rows} == {
        "a": ("8", "0"),
        "b": ("1", "8"),
        "c": ("4", "4"),
    }


EXPECTED = "expected a header with id,lower,upper,size and optionally alignment,gaps,offset"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("id,lower,upper,size,note\na,0,2,4,x\n", 1, f"unknown column 'note'; {EXPECTED}"),
        ("id,lower,upper,size,\na,0,2,4,\n", 1, f"unknown column ''; {EXPECTED}"),
        ("id,lower,upper,size,size\na,0,2,4,5\n", 1, f"duplicate column 'size'; {EXPECTED}"),
        (
            "id,lower,upper,size,gaps\nu1,5,12,6,\nu0,0,20,6,5-12 13-14@0:3\n",
            3,
            "gap '13-14@0:3' is not supported: a buffer is unused as a whole or not at all",
        ),
        ("id,lower,upper,size,gaps\nu0,0,20,6,5\n", 2, "a gap must have the form 7-9, got '5'"),
        ("id,lower,upper,size,gaps\nu0,3,20,6,2-4\n", 2, "a gap must be a part of 3-20, got '2-4'"),
        ("id,lower,upper,size,gaps\nu0,3,20,6,19-21\n", 2, "a gap must be a part of 3-20, got '19-21'"),
        ("id,lower,upper,size,gaps\nu0,3,20,6,7-7\n", 2, "a gap must be a part of 3-20, got '7-7'"),
        ("id,lower,upper,size,gaps\nu0,3,20,6,7-20 3-7\n", 2, "the gaps leave nothing of 3-20"),
        ("id,lower,upper,size,offset\nu0,0,4,6,-1\n", 2, "offset must be at least 0, got '-1'"),
        (
            "id,lower,upper,size,alignment,offset\nu0,0,4,6,4,6\n",
            2,
            "offset must be a multiple of alignment 4, got 6",
        ),
        (
            "id,lower,upper,size,hint\nu0,0,4,6,0\n",
            2,
            "hint '0' of buffer 'u0' is not supported: no placement is preferred",
        ),
    ],
)
def test_columns_that_no_packer_takes(
    text: str, line: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = write(tmp_path, text)
    assert main(["pack", path]) == 1
    assert capsys.readouterr().err == f"error: {path}:{line}: {said}\n"


GAPS = "id,lower,upper,size,gaps\nu0,0,20,6,{gaps}\nu1,5,12,9,\n"


@pytest.mark.parametrize("packer", ["auto", "first-fit", "best-fit", "exact-cover", "branch-and-bound"])
@pytest.mark.parametrize(("gaps", "least"), [("5-12", 9), ("8-12 5-8", 9), ("5-11", 15), ("6-12", 15), ("", 15)])
def test_a_buffer_in_the_gap_of_another_one(
    gaps: str, least: int, packer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["pack", write(tmp_path, GAPS.format(gaps=gaps)), "--packer", packer]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"2 buffers in {least} bytes: optimal"


def test_gaps_are_written_and_drawn_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    problem, picture = write(tmp_path, GAPS.format(gaps="5-12 18-20")), tmp_path / "arena.svg"
    assert main(["pack", problem, "--picture", str(picture)]) == 0
    written = "id,lower,upper,size,gaps,offset\nu0,0,18,6,5-12,0\nu1,5,12,9,,0\n"
    assert capsys.readouterr().out == written
    assert picture.read_text().count("u0") >= 2
    assert main(["pack", write(tmp_path, written)]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err.splitlines()[-1]) == (written, "2 buffers in 9 bytes: optimal")


FIXED = "id,lower,upper,size,offset\na,0,4,6,2\nb,0,4,2,{b}\nc,0,4,3,\n"


@pytest.mark.parametrize("packer", MODES)
@pytest.mark.parametrize("limit", [[], ["--seconds", "0"]])
def test_a_fixed_offset_is_kept_by_every_packer(
    packer: str, limit: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["pack", write(tmp_path, FIXED.format(b="")), "--packer", packer, *limit]) == 0
    rows = {row["id"]: int(row["offset"]) for row in csv.DictReader(capsys.readouterr().out.splitlines())}
    assert rows["a"] == 2
    assert not {*range(2, 8)} & {*range(rows["c"], rows["c"] + 3)}


@pytest.mark.parametrize(("b", "fits"), [("0", True), ("1", False), ("7", False), ("8", True)])
def test_fixed_offsets_that_contradict_each_other(
    b: str, fits: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = write(tmp_path, FIXED.format(b=b))
    assert main(["pack", path]) == (0 if fits else 1)
    said = capsys.readouterr().err
    byte = 2 if b == "1" else 7
    contradiction = f"bytes {byte} to {byte} at point 0\n"
    assert said.startswith(f"error: {path}: pinned offsets contradict each other: ") is not fits
    assert said.endswith(contradiction) is not fits


def test_a_buffer_that_moves_has_several_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = "id,lower,upper,size\nx1,0,3,32\nx2,1,5,32\nx3,2,3,32\nx4,3,5,64\n"
    assert main(["pack", write(tmp_path, text), "--packer", "shiftry"]) == 0
    said = capsys.readouterr()
    assert "x2,1,3,32,32\nx2,3,5,32,0\n" in said.out
    assert said.err.splitlines()[-1] == "4 buffers in 96 bytes, 32 bytes moved: optimal"


def test_capacity(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["pack", write(tmp_path, SMALL), "--capacity", "10"]) == 0
    capsys.readouterr()
    assert main(["pack", write(tmp_path, SMALL), "--capacity", "9"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-2:] == ["3 buffers in 10 bytes: optimal", "error: no packing of at most 9 bytes"]


@pytest.mark.parametrize("limit", [["--nodes", "1"], ["--seconds", "0"]])
def test_a_search_that_ends_early_says_the_gap(capsys: pytest.CaptureFixture[str], limit: list[str]):
    assert main(["pack", str(PROBLEMS / "minimalloc" / "E.csv"), *limit]) == 0
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("215 buffers in ")
    assert "x the 1048576 alive at the peak; lower bound 1048576, gap " in last
    assert main(["pack", str(PROBLEMS / "minimalloc" / "E.csv"), *limit, "--capacity", "1048576"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "error: found no packing of at most 1048576 bytes"


def test_searches_that_find_nothing_are_told_in_one_line(capsys: pytest.CaptureFixture[str]):
    problem = str(PROBLEMS / "minimalloc" / "E.csv")
    assert main(["pack", problem, "--nodes", "10000", "--packer", "branch-and-bound"]) == 0
    told = r"^1048576 bytes, fullest, longest \(and 2 more\): out of nodes \(10,000 nodes, "
    assert re.search(told, capsys.readouterr().err, re.MULTILINE)


def test_pictures(tmp_path: Path):
    picture = tmp_path / "arena.svg"
    assert main(["pack", write(tmp_path, SMALL), "--picture", str(picture)]) == 0
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.parametrize("problem", ["a,0,3,9223372036854775807", f"a,0,3,{10**32}", f"a,{10**30},{10**30 + 1},4"])
def test_numbers_of_any_size_are_drawn(tmp_path: Path, problem: str):
    written = write(tmp_path, f"id,lower,upper,size\n{problem}\n")
    assert main(["pack", written, "--picture", str(tmp_path / "p.svg"), "-o", str(tmp_path / "p.csv")]) == 0
    assert "nan" not in (tmp_path / "p.svg").read_text()


@pytest.mark.parametrize("seconds", ["1e10", "1e308"])
def test_a_limit_of_centuries_is_none(seconds: str):
    assert main(["pack", str(PROBLEMS / "minimalloc" / "E.csv"), "--seconds", seconds, "--packer", "best-fit"]) == 0


def test_ctrl_c_gives_the_best_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def interrupted(rectangles: Sequence[Rectangle], mode: str, effort: Effort, coarsen: int) -> Placement:
        effort.best = Placement((0, 4, 10), 14, 10)
        raise KeyboardInterrupt

    monkeypatch.setattr(pack_module, "pack", interrupted)
    assert main(["pack", write(tmp_path, SMALL)]) == 130
    said = capsys.readouterr()
    assert "c,2,4,4,10" in said.out
    assert said.err.splitlines()[-1].startswith("interrupted; 3 buffers in 14 bytes: 1.4000 x the 10 alive")


def test_an_interrupted_search_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch):
    given = [Rectangle("empty", 0, 1, 0, 9), *read_problem(PROBLEMS / "minimalloc" / "E.csv")]
    effort = Effort()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tinyml.transforms.buffers.packing.minimise.Minimiser.minimise", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pack(given, "auto", effort)
    assert effort.best is not None
    assert not list(complaints(given, effort.best))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", f"problem.csv:1: no column 'id'; {EXPECTED}"),
        ("id,lower,upper\n", f"problem.csv:1: no column 'size'; {EXPECTED}"),
        ("id,lower,upper,size\na,0,x,4\n", "problem.csv:2: upper must be an integer, got 'x'"),
        ("id,lower,upper,size\na,0,1\n", "problem.csv:2: size must be an integer, got nothing"),
        ("id,lower,upper,size\na,0,1,4,5\n", "problem.csv:2: more fields than the header has"),
        ("id,lower,upper,size\na,0,1,4\nb,2,2,4\n", "problem.csv:3: upper must be above lower, got 2 and 2"),
        ("id,lower,upper,size\na,0,1,-4\n", "problem.csv:2: size must be at least 0, got '-4'"),
        ("id,lower,upper,size,alignment\na,0,1,4,0\n", "problem.csv:2: alignment must be at least 1, got '0'"),
        ("id,lower,upper,size\na,0,1,4\na,0,1,4\n", "problem.csv:3: duplicate buffer 'a'"),
        ('id,lower,upper,size\n"a,0,1,4\n', "problem.csv:2: unexpected end of data"),
        (
            f"id,lower,upper,size\na,0,1,{'9' * 5000}\n",
            "problem.csv:2: size must be an integer, got '9999999999999999999... (5000 characters)",
        ),
        (
            f"id,lower,upper,size\na,0,{2**129},4\n",
            "problem.csv:2: upper must be at most 2^128, got '6805647338418769269... (39 characters)",
        ),
        (
            f"id,lower,upper,size,gaps\na,0,9,4,2-{'4' * 5000}\n",
            "problem.csv:2: a gap must have the form 7-9, got '2-44444444444444444... (5002 characters)",
        ),
        ("id,lower,upper,size\na,0,1,4\x00\n", "problem.csv:2: size must be an integer, got '4\\x00'"),
    ],
)
def test_what_is_no_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, complaint: str):
    assert main(["pack", write(tmp_path, text)]) == 1
    assert capsys.readouterr().err == f"error: {tmp_path}/{complaint}\n"


def test_other_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    problem = write(tmp_path, SMALL)
    (tmp_path / "latin.csv").write_bytes(b"id\xff")
    for arguments, complaint in (
        ([str(tmp_path / "none.csv")], "No such file or directory"),
        ([str(tmp_path / "latin.csv")], "the text is not UTF-8"),
        ([problem, "--mode", "first-fit"], "unknown option --mode, did you mean '--packer'?"),
        ([problem, "--packer", "firstfit"], "unknown packer 'firstfit', did you mean 'first-fit'?"),
        ([problem, "--picture", "arena.pdf"], "a picture of memory ends in .svg"),
        ([problem, "--capacity", "0"], "expected a positive integer"),
        ([problem, "--seconds", "soon"], "expected a number of seconds, got 'soon'"),
        ([problem, "--capacity", "9", "--minimize"], "not allowed with argument"),
    ):
        assert main(["pack", *arguments]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert complaint in said.err
        assert said.err.count("\n") == 1


def test_no_buffers(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["pack", write(tmp_path, "id,lower,upper,size\n")]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "0 buffers in 0 bytes: optimal"


@pytest.mark.parametrize("path", sorted((PROBLEMS / "networks").iterdir()), ids=lambda path: path.stem)
@pytest.mark.parametrize("packer", ["auto", "exact-cover", "branch-and-bound"])
def test_real_networks_are_packed_optimally(path: Path, packer: str):
    given = read_problem(path)
    placement = pack(given, packer)
    assert placement.height == lower_bound(given)
    assert not list(complaints(given, placement))


@pytest.mark.long
def test_a_challenging_problem_in_python_alone():
    given = read_problem(PROBLEMS / "minimalloc" / "J.csv")
    effort = Effort(nodes=1_000, capacity=1_048_576, core=False)
    placement = pack(given, "auto", effort)
    assert placement.height <= 1_048_576
    assert effort.spent == 502
    assert not list(complaints(given, placement))
