// RUN: not tinyml-opt %s -p cse,canonicalise 2>&1 | filecheck %s --check-prefix=PASS --match-full-lines
// RUN: not tinyml-opt %s -p "scf-parallel-loop-tiling{parallel-loop-tile-sizes=4 size=2}" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not tinyml-opt %s -p "scf-parallel-loop-tiling{parallel-loop-tile-sizes=wide}" 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not tinyml-opt %s -p profile 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not tinyml-opt %s -p "cse cse" 2>&1 | filecheck %s --check-prefix=COMMA --match-full-lines
// RUN: not tinyml-opt %s -p "builtin.module(func.func(cse))" 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: not tinyml-opt %s -p "cse{x=}" 2>&1 | filecheck %s --check-prefix=SYNTAX
// RUN: not tinyml-opt %s -t c89 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not tinyml-opt %s -t "mlir{width=80}" 2>&1 | filecheck %s --check-prefix=TARGET-OPTION
// RUN: not tinyml-opt %s --canonicalize 2>&1 | filecheck %s --check-prefix=ARGUMENT --match-full-lines

builtin.module {}

// PASS: error: unknown pass 'canonicalise', did you mean 'canonicalize'?
// OPTION: error: pass 'scf-parallel-loop-tiling': unknown option 'size' (one of parallel_loop_tile_sizes)
// VALUE: error: pass 'scf-parallel-loop-tiling', option parallel-loop-tile-sizes="wide": expected a list, each an integer, as in 1,2
// MISSING: error: pass 'profile': the option 'data' is missing
// COMMA: error: pass pipeline 'cse cse': a comma is missing before 'cse'
// NESTED: error: pass pipeline 'builtin.module(func.func(cse))': only builtin.module(...) may enclose passes
// SYNTAX: error: Unknown argument value, wrap argument in quotes to pass arbitrary string values, at "}"
// TARGET: error: argument -t/--target: invalid choice: 'c89' (choose from
// TARGET-OPTION: error: target 'mlir': unknown option 'width' (one of
// ARGUMENT: error: unrecognized arguments: --canonicalize (see tinyml-opt --help)
