// RUN: tinyml-opt %s -p 'name-classes{classes="one","the other","third"}' | filecheck %s
// RUN: tinyml-opt %s -p 'name-classes{classes="a","b","c"},name-classes{classes="one","the other","third"}' | filecheck %s
// RUN: tinyml-opt %s -p name-classes | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'name-classes{classes="one","two"}' 2>&1 | filecheck %s --check-prefix=FEWER
// RUN: not tinyml-opt %s -p 'name-classes{classes="one"}' 2>&1 | filecheck %s --check-prefix=SINGLE
// RUN: not tinyml-opt %s -p 'name-classes{classes="one","two","one"}' 2>&1 | filecheck %s --check-prefix=EQUAL
// RUN: not tinyml-opt %s -p 'name-classes{classes="one","","two"}' 2>&1 | filecheck %s --check-prefix=EMPTY

builtin.module {
  func.func @three(%X: tensor<3x1xf32>) -> (index, tensor<3x1xf32>) attributes {tdsl.interface = #tdsl.interface<classes = [7, 8, 9]>} {
    %c = tdsl.argmax %X : tensor<3x1xf32>
    func.return %c, %X : index, tensor<3x1xf32>
  }
}
// CHECK-LABEL: func.func @three(%X: tensor<3x1xf32>) -> (index, tensor<3x1xf32>) attributes {tdsl.interface = #tdsl.interface<classes = ["one", "the other", "third"], trained = [7, 8, 9]>} {
// CHECK-NEXT: %c = tdsl.argmax %X : tensor<3x1xf32>
// CHECK-NEXT: func.return %c, %X : index, tensor<3x1xf32>
// NONE: #tdsl.interface<classes = [7, 8, 9]>
// FEWER: error: {{.*}}--classes has 2 names, the model has 3 classes: one, two
// SINGLE: --classes has 1 name, the model has 3 classes: one
// EQUAL: --classes: expected two or more different labels, {{.*}}['one', 'two', 'one']
// EMPTY: --classes has an empty name: 'one,,two'
