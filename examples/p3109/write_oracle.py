"""`python write_oracle.py TABLES`: write `oracle.json`, the digests that `test_p3109.py` compares with.

TABLES is the folder `Value Tables/Hexadecimal/K8` of https://github.com/P3109/Public. Needs the package `gfloat` (MIT
licence): pip install gfloat==0.4. Neither this module nor the files that it reads use the package `p3109`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from operands import operands

FILE = Path(__file__).with_name("oracle.json")


def digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def published(table: Path) -> list[str]:
    """The lines `pattern number` of a published table, with numbers as `float.hex` prints them."""
    with table.open(newline="") as file:
        return [f"{int(row['codepoint'], 16)} {float.fromhex(row['value']).hex()}" for row in csv.DictReader(file)]


def rounded(p: int) -> list[str]:
    """The pattern to which gfloat rounds each operand."""
    from gfloat import RoundMode, encode_float, round_float
    from gfloat.formats import format_info_p3109

    info = format_info_p3109(p)
    of_finite = {real: round_float(info, real, RoundMode.TiesToEven, sat=True) for real in operands(p)}
    return [str(encode_float(info, number)) for number in of_finite.values()]


def main() -> None:
    folder = Path(sys.argv[1])
    found = {str(p): {"table": digest(published(folder / f"P{p}/signed/Binary8p{p}se.csv"))} for p in range(1, 8)}
    # The bias of gfloat's binary8p1 differs from that of the published table.
    for p in range(2, 8):
        found[str(p)]["rounded"] = digest(rounded(p))
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
