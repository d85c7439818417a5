"""SeeDot: Gopinath et al., "Compiling KB-sized machine learning models to tiny IoT devices", 2019."""

import re
from pathlib import Path

from programs.paths import MODELS

from measured.commands import measure
from measured.measures.classifiers import beside_floats, by_math, curves, hybrids, on_board
from measured.measures.hardware import beside_uno, elements, lenet, lenets
from measured.measures.numbers import exponentials, loss
from measured.rows import CANNOT, DIFFERS, REPRODUCED, SURPASSED, Measured, Row, Shown, tested
from measured.store import Values

NO_FPGA = "the comparison needs Vivado HLS and an Arty board"
HARDWARE = "numeric/lowering/hw/test_models.py::test_protonn"
FRONTEND = "unit/lowering/frontends/seedot/test_seedot.py"
RULES = "unit/transforms/search/test_maxscale.py"


def cane(models: Path | None) -> Values:
    """GesturePod's classifier on an MKR1000, in floats and in 16 bits."""
    wide, low = (
        measure(f"bench protonn-gesturepod {options} --target mkr1000", models)
        for options in ("--format f32", "--format fixed --width 16")
    )
    return {
        "times": round(wide["core_cycles"] / low["core_cycles"], 1),
        "accuracy": low["accuracy"],
        "float": wide["accuracy"],
    }


NOT_COUNTED = re.compile(r"let \w+ = (?:\(.*\) in \[.*\]|[\d.]+) in|[()]|")
"""Declarations of inputs and parameters, numbers, and parentheses on lines of their own."""


def lines(_models: Path | None) -> Values:
    """Lines of programs in SeeDot's language."""
    texts = {name: MODELS[name].read_text(encoding="utf-8").splitlines() for name in ("protonn", "bonsai")}
    return {name: sum(NOT_COUNTED.fullmatch(line.strip()) is None for line in text) for name, text in texts.items()}


ROWS = (
    Row(
        item="section 2.3",
        title="pi and e in 8 bits",
        reports="pi is 100 with scale 5; the greatest scale without overflow is 5",
        here="the same scales",
        verdict=REPRODUCED,
        run=tested(f"{RULES}::test_the_best_scale_of_a_number"),
    ),
    Row(
        item="section 3",
        title="the linear classifier",
        reports="-2.625 by the mechanical rules, -98 with scale 5 (-3.0625) with maxscale 5",
        here="-98 with scale 5, and the scales of both programs; program (2) gives -24 with scale 3, which is -3.0",
        verdict=DIFFERS,
        why="-2.625, which would be -21, does not follow from the printed program",
        run=tested(
            "numeric/dialects/formats/test_published.py::test_the_motivating_example_of_seedot",
            f"{RULES}::test_a_sum_of_products",
        ),
    ),
    Row(
        item="figure 1",
        title="syntax",
        reports="constants, let, sums, dense and sparse products, exp, argmax",
        here="all of them, and the loops, slices and convolutions of EdgeML's language",
        verdict=SURPASSED,
        run=tested(f"{FRONTEND}::test_precedence_and_forms", f"{FRONTEND}::test_the_grammar_has_no_conflicts"),
    ),
    Row(
        item="figure 2",
        title="types",
        reports="shapes are checked when a program is compiled",
        here="one line for each kind of mistake, with its place in the file",
        verdict=REPRODUCED,
        run=tested(f"{FRONTEND}::test_errors_of_meaning"),
    ),
    Row(
        item="figure 3",
        title="compilation rules",
        reports="scales of results from those of operands and maxscale",
        here="the rules are `search-maxscale` with `format=seedot`",
        verdict=REPRODUCED,
        run=tested(f"{RULES}::test_scales_are_propagated"),
    ),
    Row(
        item="section 5.3",
        title="1.23 and 1.23 + 1.23 in 16 bits",
        reports="scale 14; the sum has scale 13, or 14 where maxscale is large",
        here="the same scales",
        verdict=REPRODUCED,
        run=tested(f"{RULES}::test_the_best_scale_of_a_number", f"{RULES}::test_a_sum"),
    ),
    Row(
        item="figure 4",
        title="exp by two tables",
        reports="a product of two entries of tables that take 0.25 KB",
        here="the scheme `seedot`: the greatest error of {samples} arguments is {seedot_error:.5f}",
        verdict=REPRODUCED,
        run=Measured(lambda models: {**exponentials("uno")(models), "samples": 128}),
        holds=lambda found: found["seedot_error"] < 0.002,
    ),
    Row(
        item="algorithm 1",
        title="auxiliary functions",
        reports="GETP, MULSCALE, ADDSCALE, TREESUMSCALE",
        here="in `transforms/search/search_maxscale.py`",
        verdict=REPRODUCED,
        run=tested(
            f"{RULES}::test_the_best_scale_of_a_number",
            f"{RULES}::test_a_power_of_two_does_not_overflow",
            f"{RULES}::test_operands_are_divided_by_whole_powers",
        ),
    ),
    Row(
        item="algorithm 2",
        title="procedures of generated code",
        reports="TREESUM and the products of matrices",
        here="the bits of TREESUM executed line by line",
        verdict=REPRODUCED,
        run=tested("numeric/dialects/formats/test_published.py::test_tree_sums"),
    ),
    Row(
        item="figure 5",
        title="the way to an FPGA",
        reports="a flow chart",
        here="programs on bits become Verilog ([hardware](../fpga.md)); ProtoNN gives the evaluator's outputs",
        verdict=DIFFERS,
        why="no tool for high-level synthesis is between: cycles and memories are decided by passes",
        run=tested(HARDWARE),
    ),
    Row(
        item="section 6.2.1",
        title="processing elements for sparse products",
        reports="three quarters of the columns are assigned beforehand, a quarter to elements that are free",
        here="all of {entries} entries of Bonsai's projection are dealt out beforehand (`spread-entries`): "
        "{dealt} cycles on 8 elements; the scheme of the paper takes {fed}, and with the sums of {rows} rows joined "
        "{joined}",
        verdict=DIFFERS,
        why="the scheme of the paper takes fewer cycles if joining the sums of a row is free, and more if it takes one "
        "a row; its 2.6 to 14.9 times over high-level synthesis are not measured",
        run=Measured(elements("bonsai-mnist16-10", "Z", 8)),
        holds=lambda found: found["fed"] < found["dealt"] < found["joined"],
    ),
    Row(
        item="section 6.2.2",
        title="unrolling of A - B + C",
        reports="hints of factor 2 for both loops",
        here="`unroll-loops` within a budget: ProtoNN's products take at most 0.3 cycles on half of an ECP5, else 1.2",
        verdict=DIFFERS,
        why="all sums are weighed at once by what they save; `order=sequential` is the heuristic of the paper",
        run=tested(HARDWARE),
    ),
    Row(
        item="figure 6, Uno, ProtoNN",
        title="16 bits beside floats",
        reports="2.9 times as fast on average",
        here="{mean:.1f} times ({least:.1f} to {most:.1f}, {models} models)",
        verdict=SURPASSED,
        run=Shown(("results-formats",), beside_floats("protonn", "compile {} --width 16", "time")),
        holds=lambda found: found["least"] > 2.9,
    ),
    Row(
        item="figure 6, Uno, Bonsai",
        title="16 bits beside floats",
        reports="3.1 times as fast on average",
        here="{mean:.1f} times ({least:.1f} to {most:.1f}, {models} models)",
        verdict=SURPASSED,
        run=Shown(("results-formats",), beside_floats("bonsai", "compile {} --width 16", "time")),
        holds=lambda found: found["least"] > 3.1,
    ),
    Row(
        item="figure 6, MKR1000",
        title="32 bits beside floats",
        reports="ProtoNN 8.3 and Bonsai 4.9 times as fast, 0.051 and 0.127 points lost on average",
        here="in 16 bits ProtoNN {protonn_16:.1f} and Bonsai {bonsai_16:.1f} times as fast as our own program in "
        "floats, {protonn_16_lost:.3f} and {bonsai_16_lost:.3f} points lost; in 32 bits {protonn_32:.1f} and "
        "{bonsai_32:.1f} times, {protonn_32_lost:.3f} and {bonsai_32_lost:.3f} points",
        verdict=DIFFERS,
        why="our program in floats is the faster one: in 32 bits the ratio is smaller, in 16 bits, which the paper "
        "does not have here, greater",
        run=Measured(on_board("mkr1000", (16, 32))),
        holds=lambda found: (
            (found["protonn_16"] > 8.3 > found["protonn_32"] and found["protonn_16_lost"] <= 0.051)
            and (found["bonsai_16"] > 4.9 > found["bonsai_32"] and found["bonsai_16_lost"] <= 0.127)
        ),
    ),
    Row(
        item="figure 7",
        title="beside MATLAB's fixed point",
        reports="11.6 times (Bonsai) and 15.6 times (ProtoNN) as fast, with sparse matrices",
        here="beside floats, see figure 6",
        verdict=CANNOT,
        why="MATLAB Coder, Embedded Coder and Fixed-Point Designer are commercial",
    ),
    *(
        Row(
            item=f"figure 8, {shown}",
            title="beside TensorFlow Lite's hybrid",
            reports=f"{times} times as fast as weights of 8 bits that are converted to floats",
            here="the whole program by the hybrid, `--format f32 --weights hybrid:8` with a format of "
            "`tests/programs/hybrid.py`: 16 bits are {times:.1f} times as fast ({count:d} models on an Arduino Mega), "
            "floats {floats:.2f} times; the hybrid changes accuracy by {change:.2f} points",
            verdict=SURPASSED,
            run=Measured(hybrids(family)),
            holds=lambda found, times=times: found["times"] > times,
        )
        for shown, family, times in (("ProtoNN", "protonn", 5.5), ("Bonsai", "bonsai", 6.4))
    ),
    Row(
        item="section 7.2",
        title="exp beside others on an Uno",
        reports="23.2 times as fast as `math.h`, 4.1 times as Schraudolph's",
        here="SeeDot's tables {beside_math:.1f} and {beside_schraudolph:.1f} times (`math.h` {math:.0f} cycles, "
        "Schraudolph's {schraudolph:.0f}, tables {seedot:.0f}); ours {ours_beside_math:.1f} and "
        "{ours_beside_schraudolph:.1f} times ({ours:.0f} cycles, greatest error {ours_error:.5f})",
        verdict=DIFFERS,
        why="Schraudolph's takes one product and one conversion of floats, which no table beats four times here: "
        "`math.h` is passed by more than reported, Schraudolph's by less",
        run=Measured(exponentials("uno")),
        holds=lambda found: found["beside_math"] > 23.2,
    ),
    Row(
        item="figure 9",
        title="exp on an MKR1000",
        reports="ProtoNN gains another 3.8 to 9.4 times by tables in place of `math.h`",
        here="whole programs of 16 bits ({count:d} models): beside `--functions math` SeeDot's tables are "
        "{seedot:.1f} times as fast ({seedot_least:.1f} to {seedot_most:.1f}), ours {ours:.1f} times ({ours_least:.1f} "
        "to {ours_most:.1f})",
        verdict=REPRODUCED,
        run=Measured(by_math),
        holds=lambda found: 3.8 <= found["seedot"] <= 9.4,
    ),
    Row(
        item="figure 10",
        title="Bonsai on an FPGA at 10 MHz",
        reports="33.1 to 235.7 times as fast as on an Uno",
        here="16 bits, 40 % of an LFE5U-25F: {least:.0f} to {most:.0f} times ({models} models); on average {plain:.0f} "
        "times without unrolled loops and processing elements, {hints:.0f} with hints, {sparse:.0f} with elements for "
        "sparse products, {both:.0f} with both",
        verdict=DIFFERS,
        why="the Uno's programs are faster here (figure 6), and the FPGA is another one",
        run=Measured(beside_uno(("bonsai-letter26", "bonsai-mnist16-10", "bonsai-usps10"), 16, 40)),
        holds=lambda found: found["both"] > 33.1,
    ),
    Row(
        item="figure 11",
        title="ProtoNN on an FPGA at two clocks",
        reports="half as fast as floats at 10 MHz, 1.5 times as fast at 100 MHz",
        here="cycles of ProtoNN in simulation, see section 6.2.2",
        verdict=CANNOT,
        why=NO_FPGA,
    ),
    Row(
        item="figure 12, ProtoNN",
        title="one fixed-point type for all numbers, 16 bits",
        reports="`ap_fixed` loses 39.69 points on average in its best format",
        here="the same arithmetic loses {mean:.2f} points on average of letter26, mnist16-10 and usps10 (letter26 "
        "{protonn-letter26:.2f})",
        verdict=DIFFERS,
        why="the paper's models have wider ranges than these; GesturePod's, the widest, has no labels of its own",
        run=Measured(loss("protonn", ("protonn-letter26", "protonn-mnist16-10", "protonn-usps10"), 16)),
    ),
    Row(
        item="figure 12, Bonsai",
        title="one fixed-point type for all numbers, 8 bits",
        reports="`ap_fixed` loses 17.26 points on average in its best format",
        here="the same arithmetic loses {mean:.2f} points on average of letter26, mnist16-10 and usps10; `fixed` of 8 "
        "bits at most 0.53",
        verdict=DIFFERS,
        why="far more is lost here: without their small features these are guesses among 10 and 26 classes, where most "
        "data sets of the paper have two",
        run=Measured(loss("bonsai", ("bonsai-letter26", "bonsai-mnist16-10", "bonsai-usps10"), 8)),
        holds=lambda found: found["mean"] > 17,
    ),
    Row(
        item="table 1, accuracy",
        title="LeNet for CIFAR-10 on an MKR1000",
        reports="50K parameters: 2.45 points lost in 16 bits, none in 32; 105K: 1.16 in 16",
        here="LeNet for MNIST, 3.9K parameters: {lost:.2f} points lost in 16 bits, {times:.1f} times as fast",
        verdict=DIFFERS,
        why="neither the weights nor CIFAR-10 with a licence to train on are here, and the network is smaller",
        run=Measured(lenet),
        holds=lambda found: found["lost"] < 1 and found["times"] > 2.5,
    ),
    Row(
        item="table 1, memory and time",
        title="LeNet for CIFAR-10 on an MKR1000",
        reports="50K parameters 3.3 times as fast as floats in 32 bits, 2.5 in 16; 105K fit only in 16",
        here="LeNets of 48,914 and 105,632 parameters: the first fits in floats, in 32 bits ({times_50K_32:.1f} times "
        "as fast) and in 16 ({times_50K_16:.1f} times, {ram_50K_16:k} KB of RAM), the second only in 16 "
        "({flash_105K_16:k} KB of flash)",
        verdict=REPRODUCED,
        run=Measured(lenets),
        holds=lambda found: (
            [found[f"fits_{name}_{bits}"] for name in ("50K", "105K") for bits in (0, 32, 16)] == [1, 1, 1, 0, 0, 1]
            and found["times_50K_16"] > 2.5
        ),
    ),
    Row(
        item="section 7.4",
        title="expressiveness",
        reports="Bonsai takes 11 lines, ProtoNN 5",
        here="Bonsai (two levels of branches) {bonsai:d} lines, ProtoNN {protonn:d}, without declarations",
        verdict=DIFFERS,
        why="EdgeML breaks ProtoNN's sum into two lines, and Bonsai's lines depend on its depth",
        run=Measured(lines),
        holds=lambda found: found["bonsai"] <= 11 and found["protonn"] <= 6,
    ),
    Row(
        item="figure 13",
        title="accuracy by maxscale",
        reports="the best for ProtoNN on usps10 is 8; Bonsai on mnist10 changes most from 3 to 5",
        here="the same sharp rise and a plateau: best {protonn-usps10.best:d} for ProtoNN "
        "({protonn-usps10.most:.1f} %) and {bonsai-mnist10.best:d} for Bonsai ({bonsai-mnist10.most:.1f} %), "
        "[below](#accuracy-by-maxscale)",
        verdict=DIFFERS,
        why="the models are trained anew on the same data sets, and their ranges shift the plateau",
        run=Measured(curves),
        holds=lambda found: all(curve["most"] - min(curve["right"]) > 40 for curve in _models(found)),
    ),
    Row(
        item="section 7.6.1",
        title="sensors on farms",
        reports="98.0 % in 32 bits, floats 96.9 %, 1.6 times as fast",
        here="a classifier of the same kind on gestures, see section 7.6.2",
        verdict=CANNOT,
        why="neither the classifier nor its data are published",
    ),
    Row(
        item="section 7.6.2",
        title="GesturePod on an MKR1000",
        reports="99.79 % in 16 bits, floats 99.86 %; 9.8 times as fast",
        here="{accuracy:.2f} % of the float program's answers in 16 bits; {times:.1f} times as fast",
        verdict=DIFFERS,
        why="the paper is faster than the program that was deployed on the pod, we than our own in floats; the pod's "
        "test set is not published, so that answers are compared with the float program's",
        run=Measured(cane),
        holds=lambda found: found["accuracy"] >= 99.79,
    ),
)


def _models(found: Values) -> list[Values]:
    return [value for value in found.values() if isinstance(value, dict)]
