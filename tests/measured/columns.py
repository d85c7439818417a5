"""The measured columns of tables. For the heading of each column there is the command that measures it, and a format
string for its cells.

In commands, `{row}` stands for the model of a row, with the options that its label implies (`NAMES`). The cells of
columns that are not declared here are those of `docs/figures/TABLE.json`.
"""

from __future__ import annotations

Column = tuple[str, str]
"""A command, and what a cell says of its figures (`Cells`)."""

HAUNTER = "--search promote --widths 8,16 --metric error"

NAMES = {
    "up to 15 buffers, few bytes free": "apart",
    "up to 12 buffers with overlaps and alignments": "overlapping",
    "Face-A | 8 and 16": f"face-a --ram 232000 {HAUNTER}",
    "Face-B | 8 and 16": f"face-b --ram 165000 {HAUNTER}",
    "Face-C | 8 and 16": f"face-c --ram 185000 {HAUNTER}",
    "dense layers, Uno": "mlp --target uno",
    "convolutions, Cortex-M4": "cnn --target cortex-m4",
    "recurrent, Uno": "rnn --target uno",
    "GRU, Cortex-M4": "gru --target cortex-m4",
    **{
        f"{export}{said}": f"block{file}{option}"
        for export, file in (
            ("ONNX", ".onnx"),
            ("PyTorch", "-pytorch.onnx"),
            ("Keras", "-keras.tflite"),
            ("JAX", "-jax.mlir"),
        )
        for said, option in (("", ""), (", --reuse-input", " --reuse-input"))
    },
    "KWT-1": "kwt",
    **{
        f"{network} | tinyml{said}": f"{file}.onnx{cells}"
        for network, file in (
            ("jet tagging", "qkeras_jettagging"),
            ("TFC-w1a1", "TFC_1W1A"),
            ("TFC-w1a2", "TFC_1W2A"),
            ("TFC-w2a2", "TFC_2W2A"),
        )
        for said, cells in ((", not unrolled", " --cells 1"), (", at 20 %", " --cells 20"))
    },
    "ViT": "vit",
    "LeNet": "cnn-lenet-mnist10",
    "LeNet, streamed by rows": "cnn-lenet-mnist10",
    "cnn-lenet-mnist10, Cortex-M4": "cnn-lenet-mnist10 --target cortex-m4",
    "LeNet, on an ATmega1284P": "cnn-lenet-mnist10 --target atmega1284p",
    "LeNet for MNIST, fixed 8": "cnn-lenet-mnist10 --width 8",
    "Gural and Murmann": "cnn-gural-mnist10-published",
    "Gural and Murmann, --reuse-input": "cnn-gural-mnist10-published --reuse-input",
    "Gural and Murmann, fixed 8": "cnn-gural-mnist10-published --width 8",
    "Gural and Murmann, 4 bits, --pack-buffers --optimize O2 | pixels": (
        "gural-mnist10-4-bits --pack-buffers --optimize O2 --plan pixels"
    ),
    "Gural and Murmann, 4 bits, --pack-buffers | rows": "gural-mnist10-4-bits --pack-buffers --plan rows",
    "LeNet, fixed 8 | rows": "cnn-lenet-mnist10 --width 8 --plan rows",
    "onnx2c's example for the ATmega": "cnn-onnx2c-atmega-mnist10",
    **{
        f"{network}, --flash {flash}": f"{network} --flash {flash}"
        for network, flashes in (
            ("ad01", (1000000,)),
            ("ds_cnn", (60000, 80000, 1000000)),
            ("person_detect", (262144, 300000, 1000000)),
            ("resnet8", (1000000,)),
            ("vww96", (400000, 1000000)),
        )
        for flash in flashes
    },
    "sww01": "mlperf/str_ww_ref_model",
    "FastGRNN, handwritten digits | SeeDot, 16 bits": "compile fastgrnn-mnist16-10 --width 16",
    "ProtoNN, gestures | SeeDot, 16 bits": "compile protonn-gesturepod --width 16",
    "Bonsai, letters | Shiftry, 8 and 16 bits": "compile bonsai-letter26 --width 8",
    "MLP, small digits | emlearn": "estimator 'MLP'",
    "forest, small digits | emlearn": "estimator 'random forest' --input-unit int8",
    "forest, --flash 10000 | emlearn": "estimator 'random forest' --input-unit int8 --flash 10000",
    "tree, 30 features | micromlgen": "called tree",
    "tree, 30 features | m2cgen": "called tree",
    "tree, 30 features | emlearn": "called tree",
    "tree, --flash 530 | micromlgen": "called tree --flash 530",
    "forest, 64 features | micromlgen": "called forest",
    "forest, --flash 8000 | micromlgen": "called forest --flash 8000",
    "scaler and logistic regression, 30 features | m2cgen": "called linear",
    **{
        f"{label}{more}": f"{model}{cells}"
        for label, model in (
            ("ProtoNN, gestures", "protonn-gesturepod"),
            ("ProtoNN, letter-26", "protonn-letter26"),
            ("FastGRNN, usps-10", "fastgrnn-usps10-edgeml"),
            ("Bonsai, mnist16-10", "bonsai-mnist16-10"),
            ("LeNet, mnist-10", "cnn-lenet-mnist10"),
        )
        for more, cells in (
            ("", ""),
            (", at 63 %", " --cells 63"),
            (", at 80 %", " --cells 80"),
            (", not unrolled", " --cells 1"),
        )
    },
    **{
        f"{label} | {width} | {share}": f"'{model or label}' --width {width} --cells {share}{more}"
        for label, width, share, model, more in (
            ("ProtoNN, gestures", 8, 20, "protonn-gesturepod", ""),
            ("ProtoNN, letter-26", 8, 20, "protonn-letter26", ""),
            ("FastGRNN, usps-10", 8, 20, "fastgrnn-usps10-edgeml", ""),
            ("Bonsai, mnist16-10", 8, 20, "bonsai-mnist16-10", ""),
            ("ProtoNN, gestures", 8, 80, "protonn-gesturepod", ""),
            ("Bonsai, mnist16-10", 8, 80, "bonsai-mnist16-10", ""),
            ("FastGRNN, 12 features", 8, 25, "", ""),
            ("convolution, 10 x 10 x 3", 8, 30, "", ""),
            ("ProtoNN, 64 features", 8, 30, "", ""),
            ("Bonsai, 50 features", 16, 40, "", ""),
            ("two dense layers, 30 features", 12, 20, "", ""),
            ("two dense layers, 20 features, posits", 8, 10, "", " --format posit"),
            ("ProtoNN, 25 features", 8, 20, "", ""),
            ("FastGRNN, 10 features, low rank", 8, 30, "", ""),
            ("convolution, 9 x 9 x 4", 8, 20, "", ""),
            ("Bonsai, 70 features, sparse", 16, 20, "", ""),
        )
    },
    "Bonsai, mnist16-10, 16 bits, 40 %": "bonsai-mnist16-10 --width 16 --cells 40",
    "Bonsai, usps-10, 8 bits, 20 %": "bonsai-usps10 --width 8 --cells 20",
    "Bonsai, usps-10, 8 bits, 80 %": "bonsai-usps10 --width 8 --cells 80",
    "mobilenet_v2, 224": "mobilenet_v2_224",
    "mobilenet_v2 at 224x224": "mobilenet_v2_224 --optimize O2",
    **{
        f"{task} | {ram}": f"{task} --plan ordinary --width 8 --ram {ram}"
        for task, ram in (
            ("digits", 517),
            ("digits", 388),
            ("speech", 650),
            ("speech", 488),
            ("letters", 45),
            ("letters", 37),
        )
    },
    **{f"<{n}, {es}>": f"{n} {es}" for n in (8, 16, 32) for es in range(4)},
    "letters, 30 epochs | 37": "letters --plan ordinary --width 8 --ram 37 --epochs 30 --rate 0.006 --batch 128",
    **{
        f"small digits | {format}, 4 bits": f"small-digits --format {format} --width 4"
        for format in ("fixed", "affine")
    },
    "digits | affine, 4 bits": "digits --epochs 1 --quantized-epochs 8 --format affine --width 4",
    "letters | affine, 4 bits": "letters --epochs 1 --quantized-epochs 10 --batch 128 --format affine --width 4",
    **{
        f"speech | sums of {width} bits": f"speech --plan partial-{width} --width 8 --epochs 1 --quantized-epochs 3"
        for width in (16, 8)
    },
}
"""Models in commands by the labels of rows, where these differ."""

PROVED = "prove {row}"
SUMS = "posit-sums {row}"
ESTIMATES = "estimates {row}"
CHOICES = "choices {row}"
THIRD = "third {row}"
COMPARED = "searches {row}"
SEARCHED = {
    "8 bits, width of operands": "narrow",
    "8 bits, twice the width": "wide",
    "demotion": "demotion",
    "promotion": "promotion",
    "8 bits, ours": "ours",
    "demotion, ours": "ours_demotion",
    "promotion, ours": "ours_promotion",
    "pareto": "ours_pareto",
}

FORMATS = {
    "f32": "bench {row} --format f32",
    "bf16": "bench {row} --format bf16",
    "fixed 16": "compile {row} --width 16",
    "posit 16": "bench {row} --format posit --width 16",
    "fixed 8": "compile {row} --width 8",
    "posit 8": "bench {row} --format posit --width 8",
    "affine 8": "bench {row} --format affine --width 8",
    "minifloat 8": "bench {row} --format minifloat --width 8",
    "codebook 5": "bench {row} --format codebook --width 5",
    "codebook 4": "bench {row} --format codebook --width 4",
}
"""Commands by formats; what may exceed an Arduino Uno is measured on a larger board by `bench`."""

ON_HOST = "--target host"
ON_CORTEX_M4 = "--target cortex-m4"
ON_M4 = "compile {row} --target cortex-m4 --optimize O2"
ON_M0 = "compile {row} --target cortex-m0 --flash-size 1M --ram-size 256K --optimize O2"
ON_RISCV = "compile {row} --target riscv --flash-size 1M --ram-size 256K --optimize O2"
ON_M55 = "compile {row} --target cortex-m55 --optimize O2"
LAYER_ON_M4 = "layer '{row}' --target cortex-m4"
LAYER_ON_M55 = "layer '{row}' --target cortex-m55"
CORES = {
    "M0+": "cortex-m0",
    "M4": "cortex-m4",
    "M33": "cortex-m33",
    "M7": "cortex-m7",
    "M55": "cortex-m55",
    "RISC-V": "riscv",
}
SVDF = "operators {row} SVDF --target cortex-m4"
BESIDE_OUTPUTS = "beside-outputs CCT_1_16_16_8 {row}"
ATTENTION = "compile {row} --width 8 --target cortex-m4 --reuse-input"
ON_FPGA = "compile {row} --width 8 --target ecp5-25k --cells 1"
IN_ARENA = f"{ON_M4} --reuse-input"
STREAMED = "compile {row} --target cortex-m4 --reuse-input --plan"
CHAIN = "chain '{row}'"
TILED = "tiled '{row}'"
PLAN = "plan {row} --bits 8"
BY_ROWS = "compile {row} --input callback"
IN_PLACE = "compile gural-mnist10-4-bits --reuse-input --pack-buffers --plan {row}"
LOADED = "gural-mnist10-4-bits --plan {row}"
FRONT = "plan resnet8 --front --target cortex-m4"
TYPED = "compile {row}"
ANOMALIES = "anomalies '{row}'"
MODULE = "compile {row} --target ecp5-25k"
SMALL_MODULE = "compile {row} --target ice40-up5k --width 8"
SPARSE_MODULE = "sparse-module {row}"
CELLS_DRAWN = "cells-drawn {row}"
TRAINED_WIDTHS = "few-bits '{row}' --target cortex-m4"
TRAINED_MODULE = "few-bits-module {row} --target ecp5-25k"
BESIDE_UNO = "beside-uno {row} --cells 80"
BITNETMCU = "bitnetmcu BitNetMCU {row}"
LLVM_M0 = "llvm {row} --target cortex-m0"
CIRCT = "circt {row}"
LLVM_RISCV = "llvm {row} --target riscv"
DETECTOR = "detector rnnpool-face {row}"
WEIGHED = "weigh {row} --outputs class --width 8"
TRAINED = "{accuracy:.1f} ({least:.1f} to {greatest:.1f})"
UNO = "{flash}; {ram}; {time:k}"
CORTEX_M4 = "{flash}; {ram}; {core_cycles:k}"
QUALITY = "{accuracy:.2f}; {flash}; {ram}; {time:k}"
CLASSIFIER = "{accuracy:.2f}; {flash:d}; {working:d}; {time:k}"
FEW_BITS = {
    "fixed 8": "compile {row} --format fixed --width 8",
    "fixed 16": "compile {row} --format fixed --width 16",
    **{
        f"weights {name} 4": f"compile {{row}} --format fixed --width 16 --weights {name}:4"
        for name in ("fixed", "mxint", "mxfp", "codebook")
    },
    "4.5 bits by search": "compile {row} --format fixed --search weights --weight-bits 4.5",
}
"""Programs on an Uno by the bits of their weights."""


def weights_of(bits: int, *families: str) -> dict[str, Column]:
    """Columns with the change of accuracy for weights of `bits` bits, one for each format family.

    All other tensors have 16 bits, or 8 bits if the family is `affine`.
    """
    values = {"affine": "affine --width 8"}
    return {
        family: (
            f"compile {{row}} --format {values.get(family, 'fixed --width 16')} --weights {family}:{bits} {ON_HOST}",
            "{change:+.2f}",
        )
        for family in families
    }


def scalings_of(width: int) -> dict[str, Column]:
    """A column for each rule of scales, and two for the numbers of activations and of constants of each es.

    The cells of a rule are the change of accuracy in points and, in brackets, two numbers of answers: those that are
    right only in floating point, and those that are right only in the program. The cells of programs with one es for
    all activations begin with this es.
    """
    command = f"scalings {{row}} --width {width}"
    kinds = {
        "fixed": "fixed",
        "fixed, scores": "fixed_scores",
        "posit, greatest": "posit_greatest",
        "posit": "posit",
    }
    changes = {kind: f"{{{kind}.change:+.2f}} ({{{kind}.lost}}, {{{kind}.won}})" for kind in (*kinds.values(), "one")}
    return {
        **{heading: (command, changes[kind]) for heading, kind in kinds.items()},
        "one es": (command, f"{{one_es}}: {changes['one']}"),
        "activations of each es": (command, "{tensors:s}"),
        "constants of each es": (f"es-of-constants {{row}} --width {width}", "{constants:s}"),
    }


def module_cells(command: str) -> dict[str, Column]:
    """Columns with the cells of a hardware module as yosys counts them, and its clock frequency after nextpnr's
    routing.

    command: the command that measures the module.
    """
    cells = {"LUTs": "{luts}", "registers": "{registers}", "DSPs": "{dsps}", "block RAMs": "{brams}"}
    routed = (f"{command} --route", "{fmax}")
    return {**{heading: (command, cell) for heading, cell in cells.items()}, "MHz": routed}


def estimated(command: str) -> dict[str, Column]:
    """Columns with the LUTs of a module as yosys counts them and as estimated, and their ratio.

    command: the command that measures the module.
    """
    return {
        "LUTs by yosys": (command, "{luts}"),
        "estimate": (command, "{estimate}"),
        "ratio": (command, "{estimate/luts:.2f}"),
    }


def standard_of(width: int, *exponents: int) -> dict[str, Column]:
    """Columns with the changes of answers of programs in standard posits of a width, by es."""
    return {
        f"`<{width}, {es}>`": (f"standard-posits {{row}} --width {width} --es {es}", "{change:+.2f} ({lost}, {won})")
        for es in exponents
    }


FORMAT = "{change:+.2f}; {ram}; {time:k}"
TIME_AND_FLASH = "{time:k}; {flash}"

TRAINING: dict[str, Column] = {
    "float": ("finetune {row}", "{before:.1f}"),
    "rounded": ("finetune {row}", "{rounded:.1f}"),
    "trained": ("finetune {row}", TRAINED),
    "ranges learned": ("finetune {row} --learn-ranges", TRAINED),
    "differ": ("finetune {row} --learn-ranges", "{differ} of {samples}"),
}


TABLES: dict[str, dict[str, Column]] = {
    "training-pruning": {
        "whole, float": ("finetune {row} --pruning norms", "{before:.1f}"),
        "norms": ("finetune {row} --pruning norms", TRAINED),
        "refit": ("finetune {row} --pruning refit", TRAINED),
        "differ": ("finetune {row} --pruning refit", "{differ} of {samples}"),
    },
    "training-formats": {**TRAINING, "compiled": ("finetune {row}", "{compiled:.1f}")},
    "training-sums": TRAINING,
    "estimates": {
        "programs": (ESTIMATES, "{programs}"),
        "within 10 %": (ESTIMATES, "{within}"),
        "median error, %": (ESTIMATES, "{median:.1f}"),
        "worst error, %": (ESTIMATES, "{worst:.1f}"),
        "guessed steps": (ESTIMATES, "{guessed}"),
    },
    "choices": {
        "models": (CHOICES, "{models}"),
        "within 5 %": (CHOICES, "{close}"),
        "within 15 %": (CHOICES, "{near}"),
        "worst, %": (CHOICES, "{worst:.1f}"),
        "more than 5 % slower": (CHOICES, "{others:s}"),
    },
    "posit-sums": {
        "M4": (SUMS, "{m4_product:.1f}"),
        "ATmega": (SUMS, "{uno_product:.1f}"),
        "M4, both": (SUMS, "{m4_both:.1f}"),
        "ATmega, both": (SUMS, "{uno_both:,.1f}"),
        "M4, rest": (SUMS, "{m4_rest:,}"),
        "ATmega, rest": (SUMS, "{uno_rest:,}"),
        "bins": (SUMS, "{bins}"),
        "weight": (SUMS, "{weight}"),
        "flash, M4": (SUMS, "{m4_flash:,}"),
        "flash, ATmega": (SUMS, "{uno_flash:,}"),
    },
    "posit-widths": {
        f"`<{n}, {es}>`{said}": ("quire-widths {row}", f"{{p{n}_{es}{name}.least}} to {{p{n}_{es}{name}.greatest}}")
        for said, name in (("", ""), (", at most 1", "_one"))
        for n, es in ((8, 2), (16, 1), (16, 2))
    },
    "proofs": {
        "statements": (PROVED, "{statements}"),
        "all inputs": (PROVED, "{tried}"),
        "solver": (PROVED, "{solved}"),
        "open": (PROVED, "{open}"),
        "seconds": (PROVED, "{seconds:,.0f}"),
    },
    "c-api-instances": {
        "Uno": (FORMATS["fixed 16"], UNO),
        "Uno, `--instances`": (f"{FORMATS['fixed 16']} --instances", UNO),
        "Cortex-M4": (f"{FORMATS['fixed 16']} {ON_CORTEX_M4}", CORTEX_M4),
        "Cortex-M4, `--instances`": (f"{FORMATS['fixed 16']} {ON_CORTEX_M4} --instances", CORTEX_M4),
    },
    "results-classifiers": {
        "float %": (FORMATS["fixed 16"], "{float:.2f}"),
        "fixed 16": (FORMATS["fixed 16"], CLASSIFIER),
        "fixed 8": (FORMATS["fixed 8"], CLASSIFIER),
    },
    "upstream-classifiers": {
        f"{chip}, {by}": (command, f"{{{way}.time:k}}; {{{way}.flash}}")
        for chip, command in (("M0+", LLVM_M0), ("RISC-V", LLVM_RISCV))
        for by, way in (("kernels", "ours"), ("loops", "plain"), ("LLVM", "llvm"))
    },
    "fpga-equal": {
        "fixed 8": ("equal-module {row} --width 8", "{time}"),
        "fixed 16": ("equal-module {row} --width 16", "{time}"),
        "posit 8": ("equal-module {row} --format posit --width 8", "{time}"),
    },
    "fpga-estimate": estimated("cells {row}"),
    "fpga-drawn": {
        "model": (CELLS_DRAWN, "{model:s}"),
        "bits": (CELLS_DRAWN, "{width}"),
        "share, %": (CELLS_DRAWN, "{share}"),
        **estimated(CELLS_DRAWN),
    },
    "fpga-placed": {"cycles": (f"{MODULE} --width 8", "{time}"), **module_cells(f"{MODULE} --width 8")},
    "fpga-small": {"cycles": (SMALL_MODULE, "{time}"), **module_cells(SMALL_MODULE)},
    "fpga-sparse": {
        "loops over gaps": (SPARSE_MODULE, "{gaps}"),
        "dense lanes": (SPARSE_MODULE, "{dense}"),
        "processing elements": (SPARSE_MODULE, "{time}"),
        **module_cells(SPARSE_MODULE),
        "MHz": (f"{MODULE} --route", "{fmax}"),
    },
    "fpga-few-bits": {"cycles": (TRAINED_MODULE, "{time}"), **module_cells(TRAINED_MODULE)},
    "few-bits": {
        "accuracy in PyTorch, %": (TRAINED_WIDTHS, "{torch:.1f}"),
        "accuracy compiled, %": (TRAINED_WIDTHS, "{accuracy:.1f}"),
        "equal answers, %": (TRAINED_WIDTHS, "{equal:.1f}"),
        "flash, bytes": (TRAINED_WIDTHS, "{flash}"),
        "RAM, bytes": (TRAINED_WIDTHS, "{ram}"),
        "instructions": (TRAINED_WIDTHS, "{time}"),
    },
    "few-bits-packed": {
        f"{board}{heading}": (f"few-bits-packed '{{row}}' --target {target}", f"{{{value}}}")
        for board, target in (("Uno", "uno"), ("Cortex-M4", "cortex-m4"), ("ESP32-C3", "esp32c3"))
        for heading, value in (("", "packed:,.0f"), (", unpacked", "never:,.0f"))
    },
    "fpga-beside-uno": {
        "cycles, Uno": (BESIDE_UNO, "{uno}"),
        "cycles, module": (BESIDE_UNO, "{cycles}"),
        "speed-up at 10 MHz": (BESIDE_UNO, "{times}"),
    },
    "mlir-bridges": {
        heading: (f"bridge {{row}} --from {suffix}", "{accuracy:.1f}; {flash}; {time:k}")
        for heading, suffix in (
            ("ONNX", ".onnx"),
            ("JAX", "-jax.mlir"),
            ("IREE", "-iree.mlir"),
            ("torch-mlir, linalg", "-torch-linalg.mlir"),
            ("torch-mlir, TOSA", "-torch-tosa.mlir"),
        )
    },
    "upstream-executors": {
        heading: ("executors protonn-gesturepod {row}", f"{{{key}:s}}")
        for heading, key in {
            "host": "host",
            "AVR": "uno",
            "M0+": "cortex_m0",
            "M4": "cortex_m4",
            "M55": "cortex_m55",
            "RISC-V": "riscv",
            "LLVM": "llvm",
            "LLVM, M0+": "llvm_cortex_m0",
            "LLVM, RISC-V": "llvm_riscv",
            "Verilog": "verilog",
            "Verilog, CIRCT": "circt",
        }.items()
    },
    "upstream-tosa": {
        "ops of TOSA": ("tosa {row}", "{ops}"),
        "bytes of all layers": ("tosa {row}", "{bytes}"),
        "bytes that differ": ("tosa {row}", "{differ}"),
    },
    "upstream-circt": {
        "cycles": (CIRCT, "{cycles}"),
        **{
            f"{name}, {by}": (CIRCT, f"{{{way}.{key}}}")
            for name, key in (("LUTs", "luts"), ("registers", "registers"), ("DSPs", "dsps"), ("block RAMs", "brams"))
            for by, way in (("ours", "ours"), ("CIRCT", "circt"))
        },
    },
    "beside-others": {
        "time, tinyml": ("{row}", "{time:k}"),
        "flash, tinyml": ("{row}", "{flash}"),
        "RAM, tinyml": ("{row}", "{ram}"),
        "float, %": ("{row}", "{float:.1f}"),
        "tinyml, %": ("{row}", "{accuracy:.1f}"),
    },
    "floats-beside-others": {
        "cycles, tinyml": ("{row}", "{time:,.0f}"),
        "flash, tinyml": ("{row}", "{flash}"),
        "RAM, tinyml": ("{row}", "{ram}"),
        "changed answers": ("{row}", "{differ} of {samples}"),
        "instructions, Cortex-M4": (f"{{row}} {ON_CORTEX_M4}", "{time:,.0f}"),
    },
    "results-formats": {
        **{heading: (command, FORMAT) for heading, command in FORMATS.items()},
        **{
            f"fixed, {search}": (f"within-8-bits {{row}} --search {search}", FORMAT) for search in ("promote", "pareto")
        },
    },
    "results-codebooks": {
        "float": (FORMATS["fixed 16"], "{float:.2f}"),
        "5 bits": (FORMATS["codebook 5"], "{change:+.2f}"),
        "4 bits": (FORMATS["codebook 4"], "{change:+.2f}"),
    },
    "results-networks": {
        "Cortex-M4": (ON_M4, "{time:M}"),
        "Cortex-M0": (ON_M0, "{time:M}"),
        "RISC-V": (ON_RISCV, "{time:M}"),
        "flash on M4": (ON_M4, "{code}"),
    },
    "results-uno-networks": {
        "cycles": (FORMATS["fixed 8"], "{time}"),
        "flash": (FORMATS["fixed 8"], "{flash}"),
        "RAM": (FORMATS["fixed 8"], "{ram}"),
    },
    "attention-block": {
        heading: (f"attention {{row}} --width 8 --target {target}", "{time/macs:.2f}; {ram}")
        for heading, target in (("M4", "cortex-m4"), ("M55", "cortex-m55"), ("Mega", "mega"))
    },
    "attention-networks": {
        "float, %": (ATTENTION, "{float:.2f}"),
        "fixed 8, %": (ATTENTION, "{accuracy:.2f}"),
        "products": (ATTENTION, "{macs}"),
        "instructions": (ATTENTION, "{time}"),
        "per product": (ATTENTION, "{time/macs:.2f}"),
        "flash": (ATTENTION, "{flash}"),
        "RAM": (ATTENTION, "{ram}"),
    },
    "attention-fpga": {
        "fixed 8, %": (ON_FPGA, "{accuracy:.2f}"),
        "products": (ON_FPGA, "{macs}"),
        "cycles": (ON_FPGA, "{time}"),
        "per product": (ON_FPGA, "{time/macs:.2f}"),
    },
    "attention-cct": {
        "greatest difference": (BESIDE_OUTPUTS, "{off:.1g}"),
        "products": (BESIDE_OUTPUTS, "{macs}"),
        "instructions": (BESIDE_OUTPUTS, "{time}"),
        "per product": (BESIDE_OUTPUTS, "{time/macs:.2f}"),
        "flash": (BESIDE_OUTPUTS, "{flash}"),
        "RAM": (BESIDE_OUTPUTS, "{ram}"),
    },
    "networks-accuracy": {
        "float": (f"{FORMATS['fixed 8']} {ON_HOST}", "{float:.2f}"),
        **{
            heading: (f"{FORMATS[heading]} {ON_HOST}", "{accuracy:.2f}")
            for heading in ("fixed 16", "fixed 8", "affine 8", "codebook 4")
        },
    },
    "searches-compared": {
        "float": (COMPARED, "{float:.2f}"),
        "B": (COMPARED, "{bytes}"),
        **{heading: (COMPARED, f"{{{name}:.2f}}") for heading, name in SEARCHED.items()},
    },
    "searches-means": {heading: ("searches-means {row}", f"{{{name}:.2f}}") for heading, name in SEARCHED.items()},
    "results-third": {
        "f32, B": (THIRD, "{f32:d}"),
        "RAM, B": (THIRD, "{ram:d}"),
        "ratio": (THIRD, "{ratio:.2f}"),
        "flash, B": (THIRD, "{flash:d}"),
        "float, %": (THIRD, "{float:.2f}"),
        "change": (THIRD, "{change:+.2f}"),
    },
    "searches-weights": {
        "float": (FEW_BITS["fixed 8"], "{float:.2f}"),
        **{heading: (command, "{change:+.2f}; {flash}; {time:k}") for heading, command in FEW_BITS.items()},
    },
    "searches-lists": {
        "float": (weights_of(4, "codebook")["codebook"][0], "{float:.2f}"),
        "least-squares list": weights_of(4, "codebook")["codebook"],
        "list made for the model": weights_of(4, "synthesised")["synthesised"],
    },
    "results-posits-6": scalings_of(6),
    "results-posits-8": scalings_of(8) | standard_of(8, 0, 2),
    "results-posits-standard": {
        "float": ("scalings {row} --width 6", "{float:.2f}"),
        **standard_of(6, 0, 1),
        **standard_of(8, 0, 2),
        **standard_of(10, 1),
        "posit 16": (FORMATS["posit 16"], "{change:+.2f}"),
        "fixed 6, posit weights": (
            "compile {row} --format fixed --weights posit:6 --width 6 --scale-by scores --target host",
            "{change:+.2f}",
        ),
    },
    "results-posits-memory": {
        f"{chip}, {width} bits": (f"compile {{row}} --format posit --width {width} --target {target}", "{ram}")
        for chip, target in (("M4", "cortex-m4"), ("Uno", "uno"))
        for width in (8, 7, 6, 5, 4)
    },
    "results-posits-10": scalings_of(10),
    "results-posits-unrewritten": {
        heading: (
            "unrewritten protonn-gesturepod --width {row}",
            f"{{{kind}.change:+.2f}} ({{{kind}.lost}}, {{{kind}.won}})",
        )
        for heading, kind in (
            ("fixed", "fixed_greatest"),
            ("fixed, scores", "fixed_scores"),
            ("posit, greatest", "posit_greatest"),
            ("posit", "posit_scores"),
        )
    },
    "results-posits-loss": {
        "float": ("scalings {row} --width 6", "{float:.2f}"),
        **{
            f"{format}, by {rule}": (
                f"{command} {{row}} --width 6",
                f"{{{kind}.change:+.2f}} ({{{kind}.lost}}, {{{kind}.won}})",
            )
            for rule, command, kinds in (
                ("scores", "scalings", ("fixed_scores", "posit")),
                ("loss", "scalings-by-loss", ("fixed", "posit")),
            )
            for format, kind in zip(("fixed", "posit"), kinds, strict=True)
        },
    },
    "results-posits-inputs": {
        format: ("rounded-inputs {row} --width 6", f"{{{format}.change:+.2f}} ({{{format}.lost}}, {{{format}.won}})")
        for format in ("fixed", "posit")
    },
    "results-posits-costs": {
        heading: (command, "{flash}; {time:k}")
        for heading, command in (
            ("fixed 6", "compile {row} --width 6"),
            ("posit 6", "bench {row} --format posit --width 6"),
            ("fixed 8", FORMATS["fixed 8"]),
            ("posit 8", FORMATS["posit 8"]),
            ("fixed 10", "compile {row} --width 10"),
            ("posit 10", "bench {row} --format posit --width 10"),
            ("fixed 16", FORMATS["fixed 16"]),
            ("posit 16", FORMATS["posit 16"]),
        )
    },
    "results-posits-weights": {
        heading: (f"compile {{row}} {options} --width 6 --scale-by scores {ON_HOST}", "{change:+.2f}")
        for heading, options in (
            ("fixed", "--format fixed"),
            ("posit", "--format posit"),
            ("fixed, posits as weights", "--format fixed --weights posit:6"),
            ("posit, fixed as weights", "--format posit --weights fixed:6"),
        )
    },
    "results-weights-8": weights_of(8, "fixed", "affine", "posit", "minifloat", "mxint", "mxfp", "codebook"),
    "results-weights-4": {
        **weights_of(4, "fixed", "affine", "posit", "minifloat", "mxint", "mxfp", "codebook"),
        "4.5 by search": (f"{FEW_BITS['4.5 bits by search']} {ON_HOST}", "{change:+.2f}"),
    },
    "results-weights-2": weights_of(2, "fixed", "affine", "posit", "mxint", "codebook"),
    "packed-constants-programs": {
        f"{model}, sparse too": (f"compile {model} --width {{row}}", "{flash}; {time:k}")
        for model in ("bonsai-mnist10", "bonsai-mnist16-10")
    },
    "packing-judged": {
        "problems": ("judge {row}", "{problems}"),
        "agreed": ("judge {row}", "{agreed}"),
        "refuted": ("judge {row}", "{refuted}"),
        "undecided": ("judge {row}", "{undecided}"),
        "above the peak": ("judge {row}", "{above}"),
        "confirmed heights": ("judge {row}", "{packed}"),
        "time, relative to the search": ("judge {row}", "{times} times"),
    },
    "packing-exact-cover": {
        "exact cover": ("judge cuts-{row}", "{exact-cover} of {problems}"),
        "branch and bound": ("judge cuts-{row}", "{branch-and-bound} of {problems}"),
        "time of exact cover": ("judge cuts-{row}", "{times:g} times"),
    },
    "packing-decided": {
        "exact cover": ("decide {row}", "{exact-cover} of {problems}"),
        "branch and bound": ("decide {row}", "{branch-and-bound} of {problems}"),
        "only exact cover": ("decide {row}", "{only-exact-cover}"),
        "only branch and bound": ("decide {row}", "{only-branch-and-bound}"),
        "nodes, exact cover": ("decide {row}", "{cover-nodes:,}"),
        "nodes, branch and bound": ("decide {row}", "{search-nodes:,}"),
        "time of exact cover": ("decide {row}", "{times:g} times"),
        "`auto`, by exact cover": ("decide {row}", "{auto} of {problems}"),
        "first fit, %": ("decide {row}", "{first-fit:.1f}"),
        "best fit, %": ("decide {row}", "{best-fit:.1f}"),
        "Shiftry, %": ("decide {row}", "{shiftry:.1f}"),
    },
    "packing-programs": {
        "programs": ("decide {row}", "{programs}"),
        "problems": ("decide {row}", "{problems}"),
        "with overlaps": ("decide {row}", "{overlapping}"),
        "first fit or best fit": ("decide {row}", "{greedy}"),
        "exact cover": ("decide {row}", "{exact-cover}"),
        "branch and bound": ("decide {row}", "{branch-and-bound}"),
        "open": ("decide {row}", "{open}"),
    },
    "networks-memory": {
        "arena": (IN_ARENA, "{arena}"),
        "stack": (IN_ARENA, "{stack}"),
        "RAM": (IN_ARENA, "{ram}"),
        "largest live set": (PLAN, "{ordinary}"),
    },
    "papers-published": {
        "float": ("bench {row} --format fixed --width 8", "{float:.2f}"),
        "fixed 16": ("bench {row} --format fixed --width 16", QUALITY),
        "fixed 8": ("bench {row} --format fixed --width 8", QUALITY),
    },
    "schedules-front": {
        "arena and input": (FRONT, "{{row}.arena}"),
        "RAM": (FRONT, "{{row}.ram}"),
        "instructions, millions": (FRONT, "{{row}.time:M4}"),
        "front": (FRONT, "{{row}.best:yes}"),
    },
    "schedules-streamed": {
        f"{heading}, {mode}": (f"{STREAMED} {mode}", cell)
        for mode in ("ordinary", "rows", "pixels")
        for heading, cell in {"arena": "{arena}", "instructions": "{time}"}.items()
    },
    "schedules-input": {
        "arena": (BY_ROWS, "{arena}"),
        "stack": (BY_ROWS, "{stack}"),
        "cycles, M": (BY_ROWS, "{time:M}"),
    },
    "schedules-in-place": {
        "arena": (IN_PLACE, "{arena}"),
        "stack": (IN_PLACE, "{stack}"),
        "cycles, M": (IN_PLACE, "{time:M}"),
    },
    "memory-weights": {
        heading: (f"board {LOADED}", cell)
        for heading, cell in {
            "weights": "{weights}",
            "static data": "{static}",
            "stack": "{stack}",
            "RAM": "{ram}",
            "cycles, M": "{time:M}",
            "equal logits": "{equal} of {images}",
        }.items()
    },
    "memory-placed": {
        "wait cycles": ("place {row}", "{wait_cycles}"),
        "without the first memory": ("place {row}", "{one_memory}"),
        "bytes used": ("place {row}", "{used1} and {used2}"),
        "bytes accessed, by the loops": ("place {row}", "{stated1} and {stated2}"),
        "bytes accessed, in the emulator": ("place {row}", "{counted1} and {counted2}"),
    },
    **{
        name: {
            heading: (f"bound '{model}{{row}}'", cell)
            for heading, cell in {
                "flash": "{flash}",
                "cycles": "{cycles}",
                "RAM": "{ram}",
                "accuracy, %": "{accuracy:.1f}",
            }.items()
        }
        for name, model in (("memory-blob", ""), ("memory-blob-lists", ""), ("memory-blob-forests", "forest, "))
    },
    "memory-digits": {
        "images": ("digits cnn-gural-mnist10-4bit", "{images}"),
        "right, %": ("digits cnn-gural-mnist10-4bit", "{accuracy:.2f}"),
        "equal logits": ("digits cnn-gural-mnist10-4bit", "{equal}"),
    },
    "schedules-recomputed": {
        "work": (CHAIN, "{work:.2f}"),
        "arena": (CHAIN, "{arena}"),
        "equal outputs": (CHAIN, "{equal}"),
    },
    "schedules-tiled": {
        "ordinary": (TILED, "{ordinary}"),
        "by channels": (TILED, "{channels}"),
        "ratio": (TILED, "{ratio:.3f}"),
        "equal outputs": (TILED, "{equal}"),
    },
    "schedules-published": {
        "ordinary": (PLAN, "{ordinary}"),
        "PEX, sums of 32 / 8 bits": (PLAN, "{partial-32} / {partial-8}"),
        "patches, 30 % more work": (PLAN, "{patches}"),
        "rows": (PLAN, "{rows}"),
        "pixels": (PLAN, "{pixels}"),
    },
    "kernels-networks": {
        "products": (ON_M4, "{macs}"),
        "instructions, M": (ON_M4, "{time:M4}"),
        "instructions per product": (ON_M4, "{time/macs:.2f}"),
        "cycles, M": (ON_M4, "{core_cycles:M4}"),
        "cycles per product": (ON_M4, "{core_cycles/macs:.2f}"),
    },
    "kernels-coded-networks": {
        "instructions, M": (ON_M4, "{time:M4}"),
        "cycles, M": (ON_M4, "{core_cycles:M4}"),
        "flash": (ON_M4, "{flash}"),
    },
    "kernels-coded-networks-m0": {"instructions, M": (ON_M0, "{time:M4}"), "flash": (ON_M0, "{flash}")},
    "kernels-coded-rows-m4": {
        f"{figure}{said}": (f"compile {{row}} --width 8{option} --target cortex-m4 --optimize O2", cell)
        for said, option in (("", ""), (", `--flash 32256`", " --flash 32256"))
        for figure, cell in (("instructions", "{time:,.0f}"), ("cycles", "{core_cycles:,.0f}"), ("flash", "{flash}"))
    },
    "kernels-svdf": {
        "products": (SVDF, "{macs}"),
        "instructions": (SVDF, "{time:,.0f}"),
        "per product": (SVDF, "{time/macs:.2f}"),
    },
    "cores-instructions": {
        core: (f"compile {{row}} --target {target} --optimize O2", "{time:M}") for core, target in CORES.items()
    },
    "cores-memory": {
        core: (f"compile {{row}} --target {target} --optimize O2", "{flash}; {ram}") for core, target in CORES.items()
    },
    "kernels-1x1": {
        "instructions": (LAYER_ON_M4, "{time/macs:.2f}"),
        "cycles": (LAYER_ON_M4, "{core_cycles/macs:.2f}"),
        "wrong": (LAYER_ON_M4, "{differ:d}"),
    },
    "helium-layers": {
        "instructions": (LAYER_ON_M55, "{time/macs:.3f}"),
        "cycles, modelled": (LAYER_ON_M55, "{core_cycles/macs:.2f}"),
        "wrong": (LAYER_ON_M55, "{differ:d}"),
        "M4, instructions": (LAYER_ON_M4, "{time/macs:.2f}"),
    },
    "helium-classifiers": {
        "M4, instructions": ("compile {row} --width 8 --target cortex-m4 --optimize O2", "{time:,.0f}"),
        "M55, instructions": ("compile {row} --width 8 --target cortex-m55 --optimize O2", "{time:,.0f}"),
        "M55, cycles, modelled": ("compile {row} --width 8 --target cortex-m55 --optimize O2", "{core_cycles:,.0f}"),
    },
    "helium-networks": {
        "products": (ON_M55, "{macs}"),
        "instructions": (ON_M55, "{time:,.0f}"),
        "per product": (ON_M55, "{time/macs:.2f}"),
        "cycles, modelled": (ON_M55, "{core_cycles:,.0f}"),
        "RAM": (ON_M55, "{ram}"),
    },
    "mlperf-m4": {"tinyml, cycles, M": (ON_M4, "{core_cycles:M4}"), "flash": (ON_M4, "{flash}")},
    "mlperf-m85": {"tinyml, cycles, M": (ON_M55, "{core_cycles:M4}")},
    "mlperf-m33-m7": {
        f"{core}, instructions, M": (f"compile {{row}} --target {CORES[core]} --optimize O2", "{time:M}")
        for core in ("M33", "M7")
    },
    "mlperf-esp": {
        "instructions, M": ("compile {row} --target esp32-c3 --optimize O2", "{time:M}"),
        "flash; RAM": ("compile {row} --target esp32-c3 --optimize O2", "{flash}; {ram}"),
    },
    "models": {
        "nonzero numbers": ("train '{row}'", "{numbers:,d}"),
        "float, %": ("train '{row}'", "{float:.1f}"),
        "16 bits, %": ("train '{row}'", "{program:.1f}"),
        "CPU seconds of `fit`": ("train '{row}'", "{seconds:d}"),
    },
    "sklearn-digits": {
        "scikit-learn, %": ("estimator '{row}'", "{float:.2f}"),
        "on the Uno, %": ("estimator '{row}'", "{accuracy:.2f}"),
        "cycles": ("estimator '{row}'", "{time:,.0f}"),
        "flash, bytes": ("estimator '{row}'", "{flash}"),
        "RAM, bytes": ("estimator '{row}'", "{ram}"),
    },
    "anomalies": {
        "area, float": (ANOMALIES, "{float:.3f}"),
        "on the Uno": (ANOMALIES, "{auc:.3f}"),
        "changed decisions": (ANOMALIES, "{other:d} of {far}"),
        "format": (ANOMALIES, "{chosen:s}"),
        "flash": (ANOMALIES, "{flash}"),
        "RAM": (ANOMALIES, "{ram}"),
        "cycles, thousands": (ANOMALIES, "{time:k}"),
        "M4, instructions, thousands": (ANOMALIES, "{instructions:k}"),
    },
    "auto-suite": {
        "chosen": (TYPED, "{chosen:s}"),
        "float %": (TYPED, "{float:.2f}"),
        "fixed 16": (FORMATS["fixed 16"], QUALITY),
        "fixed 8": (WEIGHED, QUALITY),
        "qualifies": (WEIGHED, "{qualifies:yes}"),
        "auto": (TYPED, QUALITY),
        "lost": (TYPED, "{lost:z.2f}, at most {bound:z.2f}"),
    },
    "sensors": {
        "unit": ("sensor {row}", "`{unit:s}`"),
        "samples": ("sensor {row}", "{samples}"),
        "accuracy on reals, %": ("sensor {row}", "{floats_accuracy:.2f}"),
        "accuracy on integers, %": ("sensor {row}", "{integers_accuracy:.2f}"),
        "changed labels": ("sensor {row}", "{differ:d}"),
        "AVR, floats": ("sensor {row}", "{floats_atmega1284p}"),
        "AVR, integers": ("sensor {row}", "{integers_atmega1284p}"),
        "M4, floats": ("sensor {row}", "{floats_cortex_m4}"),
        "M4, integers": ("sensor {row}", "{integers_cortex_m4}"),
    },
    "networks-faces": {
        "float": (DETECTOR, "{float:.3f}"),
        "compiled": (DETECTOR, "{average_precision:.3f}"),
        "RAM": (DETECTOR, "{ram:k}"),
        "flash": (DETECTOR, "{flash:k}"),
        "instructions, M": (DETECTOR, "{time:M}"),
    },
    "packed-constants-bitnetmcu": {
        "instructions": (BITNETMCU, "{ours}"),
        "instructions, BitNetMCU": (BITNETMCU, "{theirs}"),
        "flash": (BITNETMCU, "{ours_flash}"),
        "flash, BitNetMCU": (BITNETMCU, "{theirs_flash}"),
        "right": (BITNETMCU, "{ours_right:.2f}"),
        "right, BitNetMCU": (BITNETMCU, "{theirs_right:.2f}"),
        "changed answers": (BITNETMCU, "{differ} of {samples}"),
    },
    "kernels-flash-uno": {
        "without": (FORMATS["fixed 8"], TIME_AND_FLASH),
        "`--flash 16000`": ("compile {row} --width 8 --flash 16000", TIME_AND_FLASH),
        "`--flash 32256`": ("compile {row} --width 8 --flash 32256", TIME_AND_FLASH),
    },
}
