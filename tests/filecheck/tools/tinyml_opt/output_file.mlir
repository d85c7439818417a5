// An output file appears whole or not at all, and what stood there before stays when the tool fails.

// RUN: echo before > %t
// RUN: not tinyml-opt %s -p "cse{x=1}" -o %t
// RUN: not tinyml-opt %S/Inputs/split.mlir --split-input-file -o %t
// RUN: filecheck %s --check-prefix=BEFORE < %t
// RUN: %bin/tinyml-opt %s -o %t
// RUN: filecheck %s < %t
// RUN: not tinyml-opt %s -o %t.folder/file 2>&1 | filecheck %s --check-prefix=NOWHERE

"test.op"() : () -> ()

// BEFORE: before
// CHECK: "test.op"() : () -> ()
// NOWHERE: error: {{.*}}.folder/file: No such file or directory
