// RUN: tinyml-opt %s -p 'assign-format{format=posit width=12},choose-accumulators' --split-input-file | filecheck %s

// Posits of 12 bits from -31.5 to 31.5, in units of 2^-10, times 65 ones: no sum exceeds 31 bits and a sign. Only the
// integers of x limit the window then, which have 15 bits; those of the sum's format as well.
func.func @fits(%x: tensor<65x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %w = tdsl.const dense<1.0> : tensor<1x65xf32> {tdsl.profile = [#tdsl.profile<1.0, 1.0, [1.0, 1.0, 1.0, 1.0, 1.0]>]} -> tensor<1x65xf32>
  %y = tdsl.matmul %w, %x {tdsl.profile = [#tdsl.profile<-9.0, 9.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x65xf32>, tensor<65x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @fits(%x: tensor<65x1x!posit.p<12, 0, -10, 5, 1>>
// CHECK: tdsl.matmul {{.*}}acc = !fixed.acc<32, 21>{{.*}} -> tensor<1x1x!posit.p<12, 0, -10, 5, -3>>

// -----

// One more would take a wider accumulator: the window ends at the next power of two.
func.func @ends(%x: tensor<66x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %w = tdsl.const dense<1.0> : tensor<1x66xf32> {tdsl.profile = [#tdsl.profile<1.0, 1.0, [1.0, 1.0, 1.0, 1.0, 1.0]>]} -> tensor<1x66xf32>
  %y = tdsl.matmul %w, %x {tdsl.profile = [#tdsl.profile<-9.0, 9.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x66xf32>, tensor<66x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @ends(%x: tensor<66x1x!posit.p<12, 0, -10, 4, 1>>
// CHECK: tdsl.matmul {{.*}}acc = !fixed.acc<32, 21>

// -----

// Sums of distances have accumulators that are chosen later, and give up precision for them: no operand reaches further.
func.func @distance(%x: tensor<4x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %b = tdsl.const dense<0.5> : tensor<4x1xf32> {tdsl.profile = [#tdsl.profile<0.5, 0.5, [0.5, 0.5, 0.5, 0.5, 0.5]>]} -> tensor<4x1xf32>
  %d = tdsl.sub %x, %b {tdsl.profile = [#tdsl.profile<-1.4, 0.4, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %row = tdsl.transpose %d {permutation = array<i64: 1, 0>, tdsl.profile = [#tdsl.profile<-1.4, 0.4, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<4x1xf32> -> tensor<1x4xf32>
  %y = tdsl.matmul %row, %d {tdsl.profile = [#tdsl.profile<0.0, 7.0, [1.0, 1.0, 1.0, 1.0, 1.0]>]} : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @distance(%x: tensor<4x1x!posit.p<12, 0, -10, 1, 1>>
