"""Loops over elements in plain C, which compilers take without a warning."""

from tinyml.dialects.layouts.element_loops import ElementLoop, Step
from tinyml.targets.c.composer.loops_in_c import loop_in_c


def test_what_all_iterations_share_has_no_variable():
    """A sum begins with it, so that a variable in the loop would be unused."""
    steps = Step("shared", (), (0,)), Step("load", (), (1, 0)), Step("sum", (0, 1))
    assert loop_in_c(ElementLoop(7, (32, 16, 32), steps).verified).splitlines() == [
        "    int32_t all = x0[0];",
        "    for (int i = 0; i < 7; i++) {",
        "        const int32_t v1 = x1[i];",
        "        all += v1;",
        "    }",
        "    out[0] = (int32_t)all;",
    ]
