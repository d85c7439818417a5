// RUN: tinyml-opt %s -p "assign-format{width=8 widths=X:affine}" | filecheck %s --check-prefix=INPUT
// RUN: tinyml-opt %s -p "assign-format{width=8 widths=H:affine,G:bf16},refine-formats" | filecheck %s --check-prefix=FUSED
// RUN: tinyml-opt %s -p "assign-format{width=8 widths=Y:affine}" | filecheck %s --check-prefix=RESULT
// RUN: tinyml-opt %s -p "assign-format{format=bf16 widths=X:fixed:8}" | filecheck %s --check-prefix=FLOAT
// RUN: tinyml-opt %s -p "assign-format{width=8 widths=X:posit:8}" | filecheck %s --check-prefix=SAME
// RUN: not tinyml-opt %s -p "assign-format{width=8 widths=W:affine}" 2>&1 | filecheck %s --check-prefix=CONSTANT

// A tensor of another family is stored in its format, and computed in a wide one of the program's family.
func.func @network(%X: tensor<4x1xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.5, 1.0, 1.0]>}) -> (index, tensor<2x1xf32>) attributes {tdsl.interface = #tdsl.interface<input = <range = [0.0, 1.0]>>} {
  %W = tdsl.const dense<[[0.5, -0.25, 1.0, 0.75], [0.1, 0.9, -0.5, 0.2]]> : tensor<2x4xf32> {tdsl.profile = [#tdsl.profile<-0.5, 1.0, [-0.5, -0.5, 0.1, 1.0, 1.0]>]} -> tensor<2x4xf32>
  %B = tdsl.const dense<[[0.5], [-0.25]]> : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<-0.25, 0.5, [-0.25, -0.25, 0.1, 0.5, 0.5]>]} -> tensor<2x1xf32>
  %H = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-0.5, 2.0, [-0.5, -0.5, 0.5, 2.0, 2.0]>]} : tensor<2x4xf32>, tensor<4x1xf32> -> tensor<2x1xf32>
  %G = tdsl.tanh %H {tdsl.profile = [#tdsl.profile<-0.47, 0.97, [-0.4, -0.4, 0.5, 0.9, 0.9]>]} : tensor<2x1xf32> -> tensor<2x1xf32>
  %Y = tdsl.add %G, %B {tdsl.profile = [#tdsl.profile<-0.8, 1.5, [-0.5, -0.5, 0.5, 1.4, 1.4]>]} : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.argmax %Y : tensor<2x1xf32>
  func.return %y, %Y : index, tensor<2x1xf32>
}

// INPUT: func.func @network(%X: tensor<4x1x[[AFFINE:!zeroskew.q<8, 0.003921569, -128>]]>
// INPUT: %[[X:.*]] = tdsl.cast %X : tensor<4x1x[[AFFINE]]> -> tensor<4x1x!fixed.q<16, 15>>
// INPUT: tdsl.matmul %W, %[[X]]

// No op of its own is left of a cast beside elementwise ops.
// FUSED: tdsl.matmul
// FUSED-NOT: tdsl.cast
// FUSED: tdsl.map %H, %B
// FUSED: num.convert {{.*}} : !fixed.q<16, 14> -> !zeroskew.q
// FUSED: num.convert {{.*}} : !zeroskew.q<{{.*}}> -> !fixed.q<16, 14>
// FUSED: num.tanh
// FUSED: num.convert {{.*}} : !fixed.q<16, 15> -> bf16
// FUSED: num.convert {{.*}} : bf16 -> !fixed.q<16, 15>
// FUSED: num.add

// Labels are found and results are returned as they are stored.
// RESULT: tdsl.add {{.*}} -> tensor<2x1x!fixed.q<16, 14>>
// RESULT: %[[Y:.*]] = tdsl.cast {{.*}} -> tensor<2x1x!zeroskew.q
// RESULT: tdsl.argmax %[[Y]]
// RESULT: func.return {{.*}}, %[[Y]]

// FLOAT-LABEL: func.func @network(%X: tensor<4x1x!fixed.q<8, 7>>
// FLOAT: tdsl.cast %X : tensor<4x1x!fixed.q<8, 7>> -> tensor<4x1xbf16>

// Within a family nothing is cast.
// SAME-NOT: tdsl.cast

// CONSTANT: pass 'assign-format': the constant W in !zeroskew.q<{{.*}}> has no products with numbers in !fixed.q<8, 7>, in which the program computes
