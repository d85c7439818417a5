// RUN: %bin/tinyml-opt --help | %bin/filecheck %s
// RUN: tinyml-opt --version | filecheck %s --check-prefix=VERSION

// CHECK: usage: tinyml-opt
// CHECK: --pass-pipeline PIPELINE
// VERSION: tinyml-opt on xdsl 0.7
