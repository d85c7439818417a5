// What is wrong with the text, an attribute or an operation is told with its line and column, in the file also when
// the file is split.

// RUN: not tinyml-opt %S/Inputs/unknown_op.mlir 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tinyml-opt %S/Inputs/wrong_type.mlir 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: not %bin/tinyml-opt %S/Inputs/wrong_type.mlir -p cse 2>&1 | %bin/filecheck %s --check-prefix=TYPE
// RUN: not tinyml-opt %S/Inputs/split.mlir --split-input-file 2>&1 | filecheck %s --check-prefix=SPLIT
// RUN: not tinyml-opt %S/Inputs/latin1.mlir 2>&1 | filecheck %s --check-prefix=UTF8
// RUN: not tinyml-opt %S/Inputs/program.unknown 2>&1 | filecheck %s --check-prefix=EXTENSION
// RUN: not tinyml-opt %S/Inputs/absent.mlir 2>&1 | filecheck %s --check-prefix=ABSENT
// RUN: tinyml-opt %s --print-debuginfo | filecheck %s --check-prefix=LOC

%0 = "test.op"() : () -> i32

// UNKNOWN: error: {{.*}}unknown_op.mlir:2:3: Operation arith.nonsense is not registered
// TYPE: error: {{.*}}wrong_type.mlir:3:3: 'arith.addi' does not verify: operand 'rhs' at position 1 does not verify: attribute i32 expected
// SPLIT: error: {{.*}}split.mlir:3:18: Integer value 300 is out of range for type i8
// UTF8: error: {{.*}}latin1.mlir:2: the text is not UTF-8
// EXTENSION: error: {{.*}}program.unknown: unknown file extension (known: .mlir, .sd, .tflite, .keras, .h5, .hdf5, .onnx, .json, .ubj, .cbm, .txt, .joblib, .pkl); choose the language with -f
// ABSENT: error: {{.*}}absent.mlir: cannot read the program: No such file or directory
// LOC: "test.op"() : () -> i32 loc("{{.*}}locations.mlir":13:1)
