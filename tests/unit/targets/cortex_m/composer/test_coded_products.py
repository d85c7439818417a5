"""Products of an element and constants are exact and take few instructions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tinyml.targets.composer.instructions import Lines, printed
from tinyml.targets.cortex_m.composer.coded_rows_armv6m import products

SUMS = ("r8", "r9", "r10")


def executed(lines: Lines, registers: dict[str, int]) -> dict[str, int]:
    """The content of registers after instructions."""
    for line in lines:
        name, _, rest = line.partition(" ")
        to, *sources = rest.split(", ")
        values = [int(source[1:]) if source.startswith("#") else registers[source] for source in sources]
        match name, values:
            case (("mov" | "movs"), [value]):
                registers[to] = value
            case (("add" | "adds"), [a, b]):
                registers[to] = a + b
            case "subs", [a, b]:
                registers[to] = a - b
            case "rsbs", [a, 0]:
                registers[to] = -a
            case "muls", [a, b]:
                assert sources[1] == to
                registers[to] = a * b
            case "lsls", [a, b]:
                registers[to] = a << b
            case _:
                raise AssertionError(line)
    return registers


@given(
    st.lists(st.tuples(st.sampled_from(SUMS), st.integers(-128, 127).filter(bool)), min_size=1, max_size=6),
    st.integers(-128, 127),
    st.integers(0, 4),
)
def test_products_are_exact(users: list[tuple[str, int]], element: int, kept: int):
    registers = dict(zip({weight for _, weight in users}, ("r0", "r1", "r2", "r5")[:kept], strict=False))
    held = {name: weight for weight, name in registers.items()} | dict.fromkeys(SUMS, 0) | {"r7": element, "r6": 99}
    result = executed(printed(products(users, registers)), held)
    for sum in SUMS:
        assert result[sum] == element * sum_of(users, sum)


def sum_of(users: list[tuple[str, int]], name: str) -> int:
    return sum(weight for sum, weight in users if sum == name)
