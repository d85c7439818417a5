"""SeeDot: Gopinath et al., "Compiling KB-sized machine learning models to tiny IoT devices", 2019."""

import re
from pathlib import Path

from programs.paths import LENET, MODELS

from measured.commands import measure
from measured.measures.classifiers import (
    SMALL,
    beside_floats,
    by_math,
    curves,
    exploration,
    hybrids,
    in_seedots_arithmetic,
    names,
    on_board,
    sparse_shares,
)
from measured.measures.hardware import beside_uno, elements, lenet, lenets
from measured.measures.numbers import exponentials, loss, loss_beside_seedot, operators, wide_sums
from measured.rows import BETTER, DATA, NOT_DONE, OTHER, REPRODUCED, TEXT, WORSE, Measured, Row, Shown, tested
from measured.store import FOLDER, MEASURED, Values, read

ON_UNO = (
    "{mean:.1f} times ({least:.1f} to {most:.1f}, {models} models; the float programs of {larger:d} do not fit an Uno "
    "and are timed on an ATmega1284P, which has the same core), {lost:.3f} points lost by {losing:d} model, none by "
    "the others"
)
NARROW_PRODUCTS = (
    "SeeDot's arithmetic (`format=seedot`), which divides operands before a product, so that sums of 32 bits suffice: "
    "row *figure 6, MKR1000, in SeeDot's arithmetic*"
)

OWN_FLOATS = (
    "the float programs are our own, not those of the classifiers' authors; models and data differ; the paper's float "
    "programs all fit an Uno"
)

NO_FPGA = "this needs Vivado HLS and an Arty board"
HARDWARE = "numeric/lowering/hw/test_models.py"
FRONTEND = "unit/lowering/frontends/seedot/test_seedot.py"
PROGRAMS = "unit/lowering/frontends/seedot/test_seedot_programs.py"
NUMBERS = "numeric/dialects/formats/test_printed_numbers.py"
METRICS = "unit/transforms/formats/test_metrics.py"
RULES = "unit/transforms/search/test_maxscale.py"


def cane(models: Path | None) -> Values:
    """The figures of GesturePod's classifier on an MKR1000: the time in floating point divided by that in 16 bits, and
    both accuracies.
    """
    wide, low = (
        measure(f"bench protonn-gesturepod {options} --target mkr1000", models)
        for options in ("--format f32", "--format fixed --width 16")
    )
    return {
        "times": round(wide["core_cycles"] / low["core_cycles"], 1),
        "accuracy": low["accuracy"],
        "float": wide["accuracy"],
    }


PROTONNS = "protonn-gesturepod", "protonn-letter26", "protonn-mnist16-10", "protonn-usps10"
BONSAIS = "bonsai-letter26", "bonsai-mnist16-10", "bonsai-usps10"

NOT_COUNTED = re.compile(r"let \w+ = (?:\(.*\) in \[.*\]|[\d.]+) in|[()]|")
"""Declarations of inputs and parameters, numbers, and parentheses on lines of their own."""


def lines(_models: Path | None) -> Values:
    """The number of lines of programs in SeeDot's language."""
    files = {"protonn": MODELS["protonn"], "bonsai": MODELS["bonsai"], "lenet": LENET}
    texts = {name: file.read_text(encoding="utf-8").splitlines() for name, file in files.items()}
    return {name: sum(NOT_COUNTED.fullmatch(line.strip()) is None for line in text) for name, text in texts.items()}


def in_cycles() -> Values:
    """The cycles of hardware modules in simulation, as `docs/fpga.md` shows them."""
    rows = read(FOLDER / "fpga-cycles.json")
    shown = {"protonn": "ProtoNN, gestures", "protonn_letters": "ProtoNN, letter-26", "bonsai": "Bonsai, mnist16-10"}
    return {name: rows[row]["cycles"] for name, row in shown.items()}


def models_of_the_paper() -> Values:
    """The number of SeeDot's models, in both families, whose figures the pages show."""
    published = read(FOLDER / "papers-published.json")
    counts = {
        family: len({*names(family), *(name for name in published if name.startswith(family))})
        for family in ("protonn", "bonsai")
    }
    return {**counts, "models": sum(counts.values())}


def beside_floats_in_both_families() -> Values:
    """The minimum and the maximum of the times in floating point divided by those in 16 bits on an Uno, as
    `beside_floats`.
    """
    of = [beside_floats(family, "compile {} --width 16", "time")() for family in ("protonn", "bonsai")]
    ends = {"least": min(each["least"] for each in of), "most": max(each["most"] for each in of)}
    return {**ends, **{count: sum(each[count] for each in of) for count in ("models", "larger")}}


def in_8_bits() -> Values:
    """The most points that a program of 8 bits loses, over the models of figure 12."""
    measured = read(MEASURED)
    commands = [f"compile {name} --width 8" for name in BONSAIS[:-1]]
    found = [measured[command] for command in (*commands, f"bench {BONSAIS[-1]} --format fixed --width 8")]
    return {"fixed_8": round(max(-values["change"] for values in found), 2)}


ROWS = (
    Row(
        item="section 2.2",
        title="metrics other than accuracy",
        reports="recall, precision and F1-score can be used",
        here="`--metric recall`, `precision`, `f1`, of one class or the mean, and others, as in scikit-learn",
        verdict=REPRODUCED,
        run=tested((f"{METRICS}::test_figures_of_classes", "recall", "precision", "f1")),
    ),
    Row(
        item="section 2.3",
        title="pi and e in 8 bits",
        reports="pi is 100 and e 86 with scale 5, the greatest without overflow, and 0 with scale -2",
        here="the same integers",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_numbers_of_seedot", 100, 86, 5, -2)),
    ),
    Row(
        item="section 2.3, overflow",
        title="pi in 8 bits with scale 6",
        reports="200, which is -56 in 8 bits",
        here="201, which is -55 in 8 bits",
        verdict=TEXT,
        why="the text doubles the 100 of scale 5; by its own rule the integer is 201",
        run=tested((f"{NUMBERS}::test_pi_overflows_at_scale_6", 201, -55, 200 - 256)),
    ),
    Row(
        item="section 2.3, sum",
        title="pi + e",
        reports="-70 by overflow; 93 with scale 4, which is 5.8125, after both are halved",
        here="the same integers",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_sums_and_products_of_seedot", -70, 93, 4, 5.8125)),
    ),
    Row(
        item="section 2.3, product",
        title="pi times e",
        reports="30 with scale 2, which is 7.5, after both are divided by 16",
        here="the same integer",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_sums_and_products_of_seedot", 30, 2, 7.5)),
    ),
    Row(
        item="section 3",
        title="the linear classifier",
        reports="-2.625 by the mechanical rules, -98 with scale 5 (-3.0625) with maxscale 5",
        here="-98 with scale 5, and the scales of both programs; program (2) gives -24 with scale 3, which is -3.0",
        verdict=TEXT,
        why="-2.625, which would be -21, does not follow from the printed program",
        run=tested(
            ("numeric/dialects/formats/test_published.py::test_the_motivating_example_of_seedot", -98, 5, -24, 3),
            (f"{RULES}::test_a_sum_of_products", 5, 3),
        ),
    ),
    Row(
        item="section 3, possibilities",
        title="the number of evaluated programs",
        reports="a small constant that does not depend on the input program (5.3.2: 16 for 16 bits), where the scales "
        "of all subexpressions of the example have over 10^20 combinations",
        here="`search-maxscale` evaluates 8 programs for 8 bits and 16 for 16, for any program; the combinations are "
        "not counted here, since the paper does not define them",
        verdict=REPRODUCED,
        run=tested((f"{RULES}::test_as_many_programs_as_bits", 8, 16)),
    ),
    Row(
        item="section 4",
        title="the choice of maxscale for the example",
        reports="the sum of two products of scale 5 has scale 5 with maxscale 5, and 4 with 3; the program with the "
        "best accuracy on the training set is taken, even if outliers overflow",
        here="the same scales; the choice is by the accuracy on the samples of `--val`, which may be those of "
        "training, without regard to overflows",
        verdict=REPRODUCED,
        run=tested((f"{RULES}::test_a_sum_of_the_motivating_example", 3, 4, 5)),
    ),
    Row(
        item="figure 1",
        title="syntax",
        reports="constants, `let`, sums, dense and sparse products, exp, `argmax`",
        here="all of them (`exp`; the left operand of a sparse product is stored as `#tdsl.csr`), and, as in the full "
        "language (5.1), loops (`loop`), slices and convolutions (`conv2d`)",
        verdict=REPRODUCED,
        run=tested(
            (f"{FRONTEND}::test_precedence_and_forms", "let", "loop", "conv2d"),
            (f"{PROGRAMS}::test_values", "exp"),
            (
                f"{PROGRAMS}::test_parameters_are_read_in_row_major_order_and_sparse_ones_keep_their_dense_use",
                "#tdsl.csr",
            ),
            (f"{PROGRAMS}::test_results", "argmax"),
        ),
    ),
    Row(
        item="figure 2",
        title="types",
        reports="shapes are checked when a program is compiled",
        here="one line for each kind of error, such as `inner dimensions differ`, with its position in the file",
        verdict=REPRODUCED,
        run=tested((f"{FRONTEND}::test_errors_of_meaning", "inner dimensions differ")),
    ),
    Row(
        item="figure 3",
        title="compilation rules",
        reports="scales of results from those of operands and maxscale",
        here="the rules are `search-maxscale` with `format=seedot`: with maxscale 0, 13 and 15 a product of matrices "
        "has scale 11, 13 and 15",
        verdict=REPRODUCED,
        run=tested((f"{RULES}::test_scales_are_propagated", 11, 13, 15)),
    ),
    Row(
        item="section 5.3",
        title="1.23 and 1.23 + 1.23 in 16 bits",
        reports="20152 with scale 14; their sum 20152 with scale 13, which is 2.4599609375, or with 14 where "
        "maxscale is large",
        here="the same integers and scales",
        verdict=REPRODUCED,
        run=tested(
            (f"{NUMBERS}::test_numbers_of_seedot", 20152, 14),
            (f"{NUMBERS}::test_sums_and_products_of_seedot", 20152, 13, 2.4599609375),
            (f"{RULES}::test_a_sum", 13, 14),
        ),
    ),
    Row(
        item="figure 4",
        title="exp by two tables",
        reports="a product of two entries of tables",
        here="the scheme `seedot`: the greatest error of {samples} arguments is {seedot_error:.5f}",
        verdict=REPRODUCED,
        run=Measured(lambda models: {**exponentials("uno")(models), "samples": 128}),
        holds=lambda found: found["seedot_error"] < 0.002,
    ),
    Row(
        item="section 5.3.1",
        title="tables of exp for positive numbers of 16 bits",
        reports="T = 6 and k = 3: 64 entries in each of two tables, 256 bytes, where one table takes 128 KB",
        here="64 entries and one more, 256 bytes and 2 more",
        verdict=WORSE,
        win_back="64 entries for truncated arguments, at a greater error",
        why="arguments are rounded instead of truncated, so that the greatest needs an entry of its own; two tables "
        "serve both signs, where the paper has four",
        run=tested((f"{NUMBERS}::test_tables_of_seedot", 6, 3, 64, 256)),
    ),
    Row(
        item="section 5.3.2",
        title="the range of arguments of exp",
        reports="m and M by profile, so that more than 90 % of arguments are within",
        here="only from the formats: in 16 bits with scale 11 for arguments and 14 for results, m is -21294, below "
        "which results are less than half a unit, and M 1420, above which they saturate",
        verdict=NOT_DONE,
        why="no argument need be excluded",
        run=tested((f"{NUMBERS}::test_the_range_of_arguments_of_exp", 16, 11, 14, -21294, 1420)),
    ),
    Row(
        item="section 5.3.2, time",
        title="enumeration of maxscale",
        reports="usually a couple of minutes at most for each step of the exploration",
        here="{seconds:.0f} s of one core for all {programs} programs of ProtoNN on usps10, with their accuracies",
        verdict=BETTER,
        why="candidates are evaluated in numpy on all inputs together, while the paper compiles and runs each",
        run=Measured(exploration),
        holds=lambda found: found["seconds"] < 120,
    ),
    Row(
        item="algorithm 1",
        title="auxiliary functions",
        reports="GETP, MULSCALE, ADDSCALE, TREESUMSCALE; EXPTABLE has a row of its own",
        here="in `transforms/search/search_maxscale.py`: GETP of 1.23 in 16 bits is 14, and so is that of 1; MULSCALE "
        "of scales 7 and 6 with maxscale 6 is 7, ADDSCALE of 14 is 13, TREESUMSCALE of 5 for four products 3",
        verdict=TEXT,
        why="the printed scale of a power of two is one greater (15 for 1), and the number overflows in 16 bits; GETP "
        "of other numbers and the other three functions are as printed",
        run=tested(
            (f"{RULES}::test_the_best_scale_of_a_number", 1.23, 14),
            (f"{RULES}::test_a_power_of_two_does_not_overflow", 14),
            (f"{RULES}::test_operands_are_divided_by_whole_powers", 7, 6),
            (f"{RULES}::test_a_sum", 14, 13),
            (f"{RULES}::test_a_sum_of_products", 5, 3),
        ),
    ),
    Row(
        item="algorithm 1, EXPTABLE",
        title="the tables of exp",
        reports="e^((m + 2^(k - T) i) / 2^P) with scale GETP(e^m), and e^(2^(k - 2 T) i / 2^P) with scale GETP(1)",
        here="the first table for arguments from m to M = 1420 with scale 11: the same numbers with scale 14, that of "
        "the greatest entry",
        verdict=TEXT,
        why="the printed scale is 30, that of the least entry, e^m, at which the greatest entry overflows in 16 bits",
        run=tested((f"{NUMBERS}::test_exptable_of_seedot", 1420, 11, 14, 30)),
    ),
    Row(
        item="algorithm 2",
        title="procedures of generated code",
        reports="MATMUL, SPARSEMATMUL, TREESUM, MATADD, EXP, ARGMAX",
        here="the bits of five of them, executed line by line: MATMUL with TREESUM for 1 to 300 terms, SPARSEMATMUL, "
        "which has no tree, for rows of 40, MATADD and ARGMAX for 200 vectors; EXP is a row of its own (section 5.3.1)",
        verdict=TEXT,
        why="in the available text TREESUM has `while k > 1`, which never adds the last two terms, instead of "
        "`k >= 1`; MATMUL has A[i][j] and B[i][j] instead of A[i][k] and B[k][j]; SPARSEMATMUL has i instead of the "
        "row j that it reads",
        run=tested(
            ("numeric/dialects/formats/test_published.py::test_tree_sums", 1, 300),
            ("numeric/dialects/formats/test_published.py::test_sparse_products_of_algorithm_2", 40),
            ("numeric/dialects/formats/test_published.py::test_sums_of_algorithm_2", 200),
            ("numeric/dialects/formats/test_published.py::test_classes_of_algorithm_2", 200),
        ),
    ),
    Row(
        item="figure 5",
        title="the path to an FPGA",
        reports="a flow chart",
        here="programs on bits become Verilog ([hardware](../fpga.md)); C with hints (`UNROLL factor`) for tools as "
        "the paper's computes the same bits",
        verdict=OTHER,
        why="no such tool is used: passes decide cycles and memories",
        run=tested((f"{HARDWARE}::test_hints_leave_the_bits", "UNROLL factor")),
    ),
    Row(
        item="section 6.2.1",
        title="processing elements for sparse products",
        reports="three quarters of the columns are assigned statically, a quarter to free elements",
        here="all entries are assigned statically, by the row (`spread-entries`): 3 projections of Bonsai take {rows} "
        "cycles on 4, 8, 16 and 32 elements, summed over all; the scheme of the paper takes {fed}, at most {saved:d} "
        "less for one product, and with the sums of the rows joined {joined}; elements that are never idle would take "
        "{least}",
        verdict=WORSE,
        win_back="an assignment of a part of the entries at run time, which saves 52 of 4,023 cycles",
        why="an entry takes one cycle, so that an assignment at run time can be computed at compile time. If columns "
        "are assigned, the partial sums of all elements must be added, one cycle per row; every such assignment takes "
        "at least as many cycles as ours. The 2.6 to 14.9 times over high-level synthesis are not measured",
        run=Measured(elements),
        holds=lambda found: found["fed"] < found["rows"] < found["joined"],
    ),
    Row(
        item="section 6.2.1, share",
        title="time of sparse products",
        reports="56 % of the execution time on average",
        here="{mean:.1f} % of the estimated cycles of an Uno in 16 bits, on average of the {models:d} models with "
        "sparse projections (Bonsai, {least:.1f} and {most:.1f} %), of {all:d} models",
        verdict=OTHER,
        why="cycles are estimated, and the other models here have no sparse matrix; the paper does not say over which "
        "models it averages",
        run=Measured(sparse_shares),
        holds=lambda found: abs(found["mean"] - 56) < 6 and found["models"] == 2,
    ),
    Row(
        item="section 6.2.2",
        title="unrolling of A - B + C",
        reports="10 elements, 0.4 R and 0.1 R for each: hints of factor 2 for both loops, 0.8 R and 0.2 R",
        here="`unroll-loops{{order=sequential}}` on two sums over 10 elements of these shares: 5 iterations of two "
        "elements each within R, and the second loop as it is with one LUT less",
        verdict=NOT_DONE,
        why="loops that store elements, as A - B + C itself does, process one element per iteration, and the usual "
        "order compares the savings of all sums together",
        run=tested(("filecheck/transforms/rtl/unroll_loops.mlir", 5, 10)),
    ),
    Row(
        item="figure 6, Uno, ProtoNN",
        title="16 bits compared with floats",
        reports="2.9 times as fast on average, 1.855 points lost on average of the models that lose any",
        here=ON_UNO,
        verdict=BETTER,
        why=OWN_FLOATS,
        run=Shown(("results-formats",), beside_floats("protonn", "compile {} --width 16", "time")),
        holds=lambda found: found["least"] > 2.9 and found["lost"] < 1.855 and found["losing"] == 1,
    ),
    Row(
        item="figure 6, Uno, Bonsai",
        title="16 bits compared with floats",
        reports="3.1 times as fast on average, 0.345 points lost on average of the models that lose any",
        here=ON_UNO,
        verdict=BETTER,
        why=OWN_FLOATS,
        run=Shown(("results-formats",), beside_floats("bonsai", "compile {} --width 16", "time")),
        holds=lambda found: found["least"] > 3.1 and found["lost"] < 0.345 and found["losing"] == 1,
    ),
    Row(
        item="figure 6, MKR1000",
        title="32 bits compared with floats",
        reports="ProtoNN 8.3 and Bonsai 4.9 times as fast, 0.051 and 0.127 points lost on average of the models that "
        "lose any",
        here="in 16 bits ProtoNN {protonn_16:.1f} and Bonsai {bonsai_16:.1f} times as fast as our own program in "
        "floats, {protonn_16_lost:.3f} and {bonsai_16_lost:.3f} points lost on average of all; in 32 bits "
        "{protonn_32:.1f} and {bonsai_32:.1f} times, {protonn_32_lost:.3f} and {bonsai_32_lost:.3f} points",
        verdict=WORSE,
        win_back=NARROW_PRODUCTS,
        why="the floats are our own program, and 32 bits take about ten times the cycles of 16 bits, since they add "
        "products of 64 bits (figure 9); the paper does not measure 16 bits here",
        run=Measured(on_board("mkr1000", (16, 32))),
        holds=lambda found: (
            (found["protonn_16"] > 8.3 > found["protonn_32"] and found["protonn_16_lost"] <= 0.051)
            and (found["bonsai_16"] > 4.9 > found["bonsai_32"] and found["bonsai_16_lost"] <= 0.127)
        ),
    ),
    Row(
        item="figure 6, MKR1000, in SeeDot's arithmetic",
        title="32 bits compared with floats",
        reports="ProtoNN 8.3 and Bonsai 4.9 times as fast, 0.051 and 0.127 points lost on average of the models that "
        "lose any",
        here="in SeeDot's arithmetic of 32 bits (`--search maxscale --format seedot --widths 32`) ProtoNN "
        "{protonn:.1f} and Bonsai {bonsai:.1f} times as fast as our own program in floats, {protonn_lost:.3f} and "
        "{bonsai_lost:.3f} points lost on average of all",
        verdict=WORSE,
        win_back="a kernel that computes the upper half of a product of 32 bits on a core without long multiplication",
        why="the floats are our own program, and GesturePod's classifier loses most of the points",
        run=Measured(in_seedots_arithmetic),
        holds=lambda found: found["protonn"] < 8.3 and found["bonsai"] < 4.9,
    ),
    Row(
        item="section 7.1.1, accuracy",
        title="32 bits compared with floats on an MKR1000",
        reports="in most cases, the accuracy in 32 bits is better than in floats",
        here="more accurate than in floats are {protonn_32_better:d} of {protonn_models:d} models of ProtoNN and "
        "{bonsai_32_better:d} of {bonsai_models:d} of Bonsai; {protonn_32_lost:.3f} and {bonsai_32_lost:.3f} points "
        "are lost on average",
        verdict=DATA,
        why="32 bits are as accurate as floats here; the paper does not explain the gain",
        run=Measured(on_board("mkr1000", (32,))),
        holds=lambda found: (
            found["protonn_32_better"] == found["bonsai_32_better"] == 0
            and found["protonn_32_lost"] == found["bonsai_32_lost"] == 0
        ),
    ),
    Row(
        item="section 7.1.1, custom programs",
        title="comparison with fixed-point programs written by hand",
        reports="performance comparable with that of the classifiers' authors' own fixed-point programs",
        here="no program written by hand is measured",
        verdict=DATA,
        why="the paper states no figure, and tinyml has no such program",
        nothing_to_run="the paper has no figure for it",
    ),
    Row(
        item="section 7.1.1",
        title="floats compared with integers on an Uno",
        reports="sums 11.3 and products 7.1 times as fast in integers",
        here="sums {sum_times:.0f} and products {product_times:.0f} times: {float_sum:.0f} and {float_product:.0f} "
        "cycles in floats, {integer_sum:.1f} and {integer_product:.1f} in 16 bits, without the loop around them, which "
        "takes {float_loop:.1f} and {integer_loop:.1f} cycles with its load and its store",
        verdict=TEXT,
        why="the text does not define the cost of an operation: with the loop, which is not counted here, the ratios "
        "are smaller",
        run=Measured(operators),
        holds=lambda found: found["sum_times"] > 11.3 and found["product_times"] > 7.1,
    ),
    *(
        Row(
            item=f"figure 7, {shown}",
            title="comparison with MATLAB's fixed point",
            reports=f"{dense} times as fast on average, {sparse} with sparse matrices, which gain up to 4.8 times",
            here="C with full products and each sum in 64 bits, rounded to its variable: the products and sums of a "
            "model's parameters take {bits_16:.1f} times as long as our whole program of 16 bits ({bits_16_cycles:d} "
            "cycles each, {models:d} models on an Uno), in numbers of 32 bits {bits_32:.1f} times "
            "({bits_32_cycles:d} cycles); without zeros {bits_16_sparse:.1f} and {bits_32_sparse:.1f} times",
            verdict=DATA,
            why="MATLAB's toolboxes are commercial, and the paper gives neither their widths nor their code: with the "
            "documented defaults, products and sums in full precision, these are lower bounds",
            run=Measured(wide_sums(family, names(family, SMALL))),
            holds=lambda found, dense=dense: 1 < found["bits_16"] < found["bits_32"] < dense,
        )
        for shown, family, dense, sparse in (("ProtoNN", "protonn", 28.2, 15.6), ("Bonsai", "bonsai", 51, 11.6))
    ),
    Row(
        item="section 7.1.2",
        title="accuracy of MATLAB's fixed point",
        reports="in some cases that of a random classifier",
        here="only times are measured, see figure 7",
        verdict=DATA,
        why="MATLAB's toolboxes are commercial",
        nothing_to_run="this needs MATLAB",
    ),
    *(
        Row(
            item=f"figure 8, {shown}",
            title="comparison with TensorFlow Lite's hybrid",
            reports=f"{times} times as fast as weights of 8 bits that are converted to floats, on an Uno; these are "
            "slower than floats",
            here="the hybrid runs the whole program, `--format f32 --weights hybrid:8` with a format of "
            "`tests/programs/hybrid.py`: 16 bits are {times:.1f} times as fast ({count:d} models on an Arduino Mega), "
            "floats {floats:.2f} times; the hybrid changes accuracy by {change:.2f} points",
            verdict=BETTER,
            why="the hybrid is our own program, on a board with more memory than the paper's Uno; as in the paper, it "
            "is slower than floats",
            run=Measured(hybrids(family)),
            holds=lambda found, times=times: found["times"] > times and found["floats"] > 1,
        )
        for shown, family, times in (("ProtoNN", "protonn", 5.5), ("Bonsai", "bonsai", 6.4))
    ),
    Row(
        item="section 7.2",
        title="exp compared with others on an Uno",
        reports="23.2 times as fast as `math.h`, 4.1 times as Schraudolph's",
        here="SeeDot's tables {beside_math:.1f} and {beside_schraudolph:.1f} times (`math.h` {math:.0f} cycles, "
        "Schraudolph's {schraudolph:.0f}, tables {seedot:.0f}); ours {ours_beside_math:.1f} and "
        "{ours_beside_schraudolph:.1f} times ({ours:.0f} cycles, greatest error {ours_error:.5f})",
        verdict=WORSE,
        win_back="nothing is known, since the paper does not print its program; our own exp takes half the cycles of "
        "SeeDot's tables",
        why="the paper does not print its program of Schraudolph's method, compared with which the tables gain less "
        "than reported; compared with `math.h` they gain more",
        run=Measured(exponentials("uno")),
        holds=lambda found: found["beside_math"] > 23.2 and found["beside_schraudolph"] < 4.1,
    ),
    Row(
        item="figure 9",
        title="exp on an MKR1000",
        reports="in 32 bits (7.1.1), ProtoNN gains another 3.8 to 9.4 times by tables instead of `math.h`",
        here="whole programs in fixed point ({count:d} models): compared with `--functions math` SeeDot's tables are "
        "{seedot:.1f} times as fast in 32 bits ({seedot_least:.1f} to {seedot_most:.1f}), and {seedot_16:.1f} "
        "times in 16 ({seedot_16_least:.1f} to {seedot_16_most:.1f}); ours {ours:.1f} and {ours_16:.1f} times",
        verdict=WORSE,
        win_back=NARROW_PRODUCTS,
        why="in 32 bits the other operations take most of the time: our fixed point adds exact products of 64 bits, "
        "where SeeDot divides operands first; in 16 bits the range is that of the paper, which has 32",
        run=Measured(by_math),
        holds=lambda found: found["seedot_most"] < 3.8 <= found["seedot_16_least"] and found["seedot_16_most"] <= 9.4,
    ),
    Row(
        item="figure 10",
        title="Bonsai on an FPGA at 10 MHz",
        reports="33.1 to 235.7 times as fast as on an Uno; with hints and elements 3.6 to 21 times as fast as floats "
        "by high-level synthesis (7.3.1)",
        here="16 bits, 40 % of an LFE5U-25F: {least:.0f} to {most:.0f} times ({models} models); on average {plain:.0f} "
        "times without unrolled loops and processing elements, {hints:.0f} with hints, {sparse:.0f} with elements for "
        "sparse products, {both:.0f} with both",
        verdict=DATA,
        why="models, data and FPGA differ; a comparison with high-level synthesis needs Vivado HLS",
        run=Measured(beside_uno(BONSAIS, 16, 40)),
        holds=lambda found: found["least"] > 33.1 and found["most"] < 235.7,
    ),
    Row(
        item="section 7.3.1, bits",
        title="results of the FPGA and of the Uno",
        reports="bit-wise equivalent",
        here="three modules of ProtoNN on gestures, of at most 1.2, 0.4 and 0.3 cycles per product, compute the "
        "evaluator's bits, and so does the program of this model on a simulated `uno`; the measurement of figure 10 "
        "fails if a module of Bonsai does not",
        verdict=REPRODUCED,
        run=tested((f"{HARDWARE}::test_protonn", 1.2, 0.4, 0.3), (f"{HARDWARE}::test_protonn_on_an_uno", "uno")),
    ),
    Row(
        item="figure 11",
        title="ProtoNN on an FPGA at two clocks",
        reports="with all optimisations of section 6 disabled, half as fast as floats by high-level synthesis at "
        "10 MHz, 1.5 times as fast at 100 MHz",
        here="cycles in simulation, for any clock: ProtoNN {protonn:s} on gestures and {protonn_letters:s} on "
        "letter26, Bonsai {bonsai:s} on mnist16-10 ([hardware](../fpga.md))",
        verdict=DATA,
        why=NO_FPGA,
        run=Shown(("fpga-cycles",), in_cycles),
    ),
    Row(
        item="figure 12, ProtoNN",
        title="one fixed-point type for all numbers, 16 bits",
        reports="`ap_fixed` loses 39.69 points on average in its best format",
        here="the same arithmetic loses {mean:.2f} points on average: letter26 {protonn-letter26:.2f}, mnist16-10 "
        "{protonn-mnist16-10:.2f}, usps10 {protonn-usps10:.2f}, and GesturePod, by the answers of its program in "
        "floats, {protonn-gesturepod:.2f}",
        verdict=DATA,
        why="of these models only GesturePod's has ranges that exceed every format of 16 and of 32 bits; the paper's "
        "models are not published",
        run=Measured(loss("protonn", PROTONNS, 16)),
        holds=lambda found: found["protonn-gesturepod"] > 20 and found["mean"] < 39.69,
    ),
    Row(
        item="figure 12, Bonsai",
        title="one fixed-point type for all numbers, 8 bits",
        reports="`ap_fixed` loses 17.26 points on average in its best format",
        here="the same arithmetic loses {mean:.2f} points on average of letter26, mnist16-10 and usps10; `fixed` of 8 "
        "bits at most {fixed_8:.2f}",
        verdict=DATA,
        why="the loss is much greater here: without their small features these models guess among 10 and 26 classes, "
        "while the paper names three of its ten data sets as binary",
        run=Measured(lambda models: {**loss("bonsai", BONSAIS, 8)(models), **in_8_bits()}),
        holds=lambda found: found["mean"] > 17,
    ),
    Row(
        item="figure 12, ProtoNN in 32 bits",
        title="one fixed-point type for all numbers",
        reports="accuracy comparable with SeeDot's",
        here="points lost by `ap_fixed`, and by `format=seedot` with the best maxscale: letter26 "
        "{protonn-letter26:.2f} and {seedot-protonn-letter26:.2f}, mnist16-10 {protonn-mnist16-10:.2f} and "
        "{seedot-protonn-mnist16-10:.2f}, usps10 {protonn-usps10:.2f} and {seedot-protonn-usps10:.2f}, GesturePod "
        "{protonn-gesturepod:.2f} and {seedot-protonn-gesturepod:.2f}",
        verdict=DATA,
        why="GesturePod's sums of squares reach 1.4 * 10^7 and its gamma^2 is 1.5 * 10^-6: no format of 32 bits holds "
        "both, and the best one answers only the most frequent class; the other three models agree",
        run=Measured(loss_beside_seedot("protonn", PROTONNS, 32)),
        holds=lambda found: (
            _apart(found, "protonn-gesturepod") > 20 and all(_apart(found, name) < 0.5 for name in PROTONNS[1:])
        ),
    ),
    Row(
        item="figure 12, Bonsai in 16 bits",
        title="one fixed-point type for all numbers",
        reports="accuracy comparable with SeeDot's",
        here="points lost by `ap_fixed`, and by `format=seedot` with the best maxscale: letter26 "
        "{bonsai-letter26:.2f} and {seedot-bonsai-letter26:.2f}, mnist16-10 {bonsai-mnist16-10:.2f} and "
        "{seedot-bonsai-mnist16-10:.2f}, usps10 {bonsai-usps10:.2f} and {seedot-bonsai-usps10:.2f}",
        verdict=DATA,
        why="on letter26 SeeDot's arithmetic loses 1.5 points and `ap_fixed`, whose format is chosen on the test set, "
        "none; the other two models agree",
        run=Measured(loss_beside_seedot("bonsai", BONSAIS, 16)),
        holds=lambda found: (
            _apart(found, "bonsai-letter26") > 1 and all(_apart(found, name) < 0.5 for name in BONSAIS[1:])
        ),
    ),
    Row(
        item="table 1, accuracy",
        title="LeNet for CIFAR-10 on an MKR1000",
        reports="50K parameters: 2.45 points lost in 16 bits, none in 32; 105K: 1.16 in 16; above 70 % (7.4)",
        here="LeNet for MNIST, 3.9K parameters: {lost:.2f} points lost in 16 bits, {times:.1f} times as fast",
        verdict=DATA,
        why="neither the weights nor CIFAR-10 with a licence for training are available here, and the network is "
        "smaller",
        run=Measured(lenet),
        holds=lambda found: found["lost"] < 1 and found["times"] > 2.5,
    ),
    Row(
        item="table 1, memory and time",
        title="LeNet for CIFAR-10 on an MKR1000",
        reports="50K parameters 3.3 times as fast as floats in 32 bits, 2.5 in 16; 105K parameters fit in 16 bits, not "
        "in floats",
        here="LeNets of 48,914 and 105,632 parameters: the first fits in floats, in 32 bits ({times_50K_32:.1f} times "
        "as fast) and in 16 ({times_50K_16:.1f} times, {ram_50K_16:k} KB of RAM), the second in 16 "
        "({flash_105K_16:k} KB of flash), neither in floats nor in 32",
        verdict=WORSE,
        win_back=NARROW_PRODUCTS,
        why="our 32 bits add products of 64 bits (figure 9) and are slower than 16 bits, while in the paper they are "
        "faster; what the paper says about memory is reproduced",
        run=Measured(lenets),
        holds=lambda found: (
            [found[f"fits_{name}_{bits}"] for name in ("50K", "105K") for bits in (0, 32, 16)] == [1, 1, 1, 0, 0, 1]
            and found["times_50K_32"] < 3.3
            and found["times_50K_16"] > 2.5
        ),
    ),
    Row(
        item="section 7.4",
        title="expressiveness",
        reports="Bonsai takes 11 lines, ProtoNN 5, LeNet 10",
        here="Bonsai (two levels of branches) {bonsai:d} lines, ProtoNN {protonn:d}, LeNet (`examples/lenet/lenet.sd`) "
        "{lenet:d}, without declarations",
        verdict=OTHER,
        why="EdgeML breaks ProtoNN's sum into two lines, and Bonsai's lines depend on its depth; a layer of LeNet is "
        "one line, and ours, for digits, has one dense layer, while the paper does not state the number of its dense "
        "layers",
        run=Measured(lines),
        holds=lambda found: found["bonsai"] <= 11 and found["protonn"] <= 6 and found["lenet"] < 10,
    ),
    Row(
        item="section 7.4, C",
        title="LeNet written by hand in C",
        reports="several hundred lines",
        here="no LeNet written by hand in C is counted",
        verdict=DATA,
        why="the paper does not publish this program",
        nothing_to_run="there is no program",
    ),
    Row(
        item="figure 13",
        title="accuracy by maxscale",
        reports="on the training set, the best maxscale for ProtoNN on usps10 is 8; Bonsai on mnist10 changes most for "
        "3, 4 and 5",
        here="on the validation set, ProtoNN is best at {protonn-usps10.best:d} ({protonn-usps10.most:.1f} %, at 8 "
        "{protonn-usps10.at_8:.1f}); Bonsai rises from {bonsai-mnist10.at_4:.1f} % at 4 to {bonsai-mnist10.at_7:.1f} "
        "at 7 and is best at {bonsai-mnist10.best:d} ({bonsai-mnist10.most:.1f}), [below](#accuracy-by-maxscale)",
        verdict=DATA,
        why="the models are trained again on the same data sets, so that their ranges differ, and accuracies are "
        "measured on other samples",
        run=Measured(curves),
        holds=lambda found: (
            found["protonn-usps10"]["best"] == found["bonsai-mnist10"]["best"] == 9
            and found["bonsai-mnist10"]["at_7"] - found["bonsai-mnist10"]["at_4"] > 80
        ),
    ),
    Row(
        item="section 7.6.1",
        title="sensors on farms",
        reports="98.0 % in 32 bits, floats 96.9 %, 1.6 times as fast",
        here="a classifier of the same kind on gestures, see section 7.6.2",
        verdict=DATA,
        why="neither the classifier nor its data are published",
        nothing_to_run="there is no model",
    ),
    Row(
        item="section 7.6.2",
        title="GesturePod on an MKR1000",
        reports="99.79 % in 16 bits, floats 99.86 %; 9.8 times as fast",
        here="{accuracy:.2f} % of the float program's answers in 16 bits; {times:.1f} times as fast",
        verdict=BETTER,
        why="the paper compares with the program that was deployed on the pod, we with our own in floats; the pod's "
        "test set is not published, so that answers are compared with those of the float program",
        run=Measured(cane),
        holds=lambda found: found["accuracy"] >= 99.79,
    ),
    Row(
        item="section 7",
        title="models",
        reports="20 models, Bonsai and ProtoNN on ten data sets",
        here="{models:d} models, {protonn:d} of ProtoNN and {bonsai:d} of Bonsai, on letter26, mnist10, mnist2, "
        "usps10, images of 16 x 16 pixels and gestures",
        verdict=DATA,
        why="the other data sets and all trained models of the paper are not published",
        run=Shown(("results-formats", "papers-published"), models_of_the_paper),
        holds=lambda found: (found["protonn"], found["bonsai"]) == (6, 4),
    ),
    Row(
        item="section 9",
        title="comparison with all alternatives",
        reports="2.4 to 82.2 times as fast on microcontrollers, 3.6 to 21 times on FPGAs",
        here="compared with our own float programs {least:.1f} to {most:.1f} times as fast on an Uno in 16 bits "
        "({models:d} models; the float programs of {larger:d} of them are timed on an ATmega1284P); for hybrids see "
        "figure 8",
        verdict=DATA,
        run=Shown(("results-formats",), beside_floats_in_both_families),
        holds=lambda found: found["least"] > 2.4 and found["most"] < 82.2,
        why="the greatest of these figures are comparisons with MATLAB and high-level synthesis, which are not "
        "available here",
    ),
    Row(
        item="section 7.3.1, ahead",
        title="models of megabytes and FPGAs of servers",
        reports="an outlook",
        here="networks of up to 105,632 parameters on an MKR1000, of megabytes by their memory "
        "([schedules](../schedules.md))",
        verdict=DATA,
        why="no such FPGA is available here",
        nothing_to_run="the paper has no figure for it",
    ),
)


def _apart(found: Values, name: str) -> float:
    """The difference of the points that a model loses by `ap_fixed` and by SeeDot's arithmetic."""
    return abs(found[name] - found[f"seedot-{name}"])
