// RUN: tinyml-opt %s -p allow-instances | filecheck %s
// RUN: tinyml-opt %s -p 'refine-formats{instances=true}' | filecheck %s
// RUN: not tinyml-opt %s -p 'receive-input{input=callback},allow-instances' 2>&1 | filecheck %s --check-prefix=ROWS

func.func @image(%X: tensor<1x4x4x2x!fixed.q<8, 4>>) -> tensor<1x4x4x2x!fixed.q<8, 4>> {
  %y = tdsl.neg %X : tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x4x4x2x!fixed.q<8, 4>>
  func.return %y : tensor<1x4x4x2x!fixed.q<8, 4>>
}
// CHECK: #tdsl.interface<instances>
// ROWS: an input that arrives row by row is that of one instance: leave out --instances
