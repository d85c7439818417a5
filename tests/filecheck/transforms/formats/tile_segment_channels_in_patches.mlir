// RUN: tinyml-opt %s -p 'choose-accumulators,tile-segment{first=y.0 last=s.2 by=channels-in-patches},canonicalize,cse' | filecheck %s
// RUN: tinyml-opt %s -p 'choose-accumulators,plan-execution{mode=channels-in-patches extra=40}' | filecheck %s --check-prefix=PLAN
// RUN: tinyml-opt %s -p 'choose-accumulators,plan-execution{mode=channels-in-patches extra=39}' | filecheck %s --check-prefix=LESS
// RUN: not tinyml-opt %s -p 'choose-accumulators,tile-segment{first=z.1 last=s.2 by=channels-in-patches}' 2>&1 | filecheck %s --check-prefix=LATER
// RUN: not tinyml-opt %s -p 'choose-accumulators,tile-segment{first=y.0 last=y.0 by=channels-in-patches}' 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: not tinyml-opt %s -p 'choose-accumulators,tile-segment{first=y.0 last=s.2 by=channels-in-patches patches=3}' 2>&1 | filecheck %s --check-prefix=MANY

// Each of the four tiles has sums of its own, of 1x2 pixels, to which 24 channels add; the slices of a channel have the
// size of the tile's parts. The sums are finished pixel by pixel into the whole result.
func.func @bottleneck(%X: tensor<1x4x5x2x!fixed.q<8, 7>>) -> tensor<1x2x3x3x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<24x1x1x2xi8> -> tensor<24x1x1x2x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<24x3x3x1xi8> -> tensor<24x3x3x1x!fixed.q<8, 7>>
  %H = tdsl.const dense<3> : tensor<3x1x1x24xi8> -> tensor<3x1x1x24x!fixed.q<8, 7>>
  %b = tdsl.const dense<[7, 8, 9]> : tensor<3xi8> -> tensor<3x!fixed.q<8, 5>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<24x1x1x2x!fixed.q<8, 7>>, tensor<1x4x5x2x!fixed.q<8, 7>> -> tensor<1x4x5x24x!fixed.q<8, 5>>
  %r = tdsl.relu %y : tensor<1x4x5x24x!fixed.q<8, 5>> -> tensor<1x4x5x24x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %r {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 24 : i64} : tensor<24x3x3x1x!fixed.q<8, 7>>, tensor<1x4x5x24x!fixed.q<8, 5>> -> tensor<1x2x3x24x!fixed.q<8, 5>>
  %s = tdsl.conv2d %H, %z from %b : tensor<3x!fixed.q<8, 5>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x24x!fixed.q<8, 7>>, tensor<1x2x3x24x!fixed.q<8, 5>> -> tensor<1x2x3x3x!fixed.q<8, 5>>
  func.return %s : tensor<1x2x3x3x!fixed.q<8, 5>>
}
// CHECK-DAG: [[by_channel:%.*]] = tdsl.const dense<3> : tensor<24x3x1xi8>
// CHECK-DAG: [[channels:%.*]] = arith.constant 24 : index
// CHECK: scf.for {{.*}} -> (tensor<1x2x3x3x!fixed.q<8, 5>>)
// CHECK: scf.for {{.*}} iter_args([[whole:%.*]] = {{.*}} -> (tensor<1x2x3x3x!fixed.q<8, 5>>)
// CHECK: [[start:%.*]] = tdsl.start %b : tensor<3x!fixed.q<8, 5>> -> tensor<1x1x2x3x!fixed.acc<32, 12>>
// CHECK: [[sums:%.*]] = scf.for [[c:%.*]] = {{.*}} to [[channels]] step {{.*}} iter_args({{.*}} = [[start]])
// CHECK: tensor.empty() : tensor<1x3x4x1x!fixed.q<8, 5>>
// CHECK: tdsl.row_product {{.*}}[[[c]]]
// CHECK: tdsl.relu {{.*}} : tensor<1x1x1x1x!fixed.q<8, 5>>
// CHECK: tensor.empty() : tensor<1x1x2x1x!fixed.q<8, 5>>
// CHECK: tdsl.window {{.*}} ring = array<i64: 4, 5>} : tensor<1x3x4x1x!fixed.q<8, 5>> -> tensor<1x3x3x1x!fixed.q<8, 5>>
// CHECK: tdsl.row_product {{.*}}[[[c]]]
// CHECK: [[weights:%.*]] = tdsl.index [[by_channel]][[[c]]]
// CHECK: tdsl.mac {{.*}}, [[weights]],
// CHECK: scf.for {{.*}} iter_args({{.*}} = [[whole]])
// CHECK: [[sum:%.*]] = tdsl.slice [[sums]]
// CHECK: [[result:%.*]] = tdsl.finish [[sum]]
// CHECK: tdsl.insert_slice [[result]], {{.*}} -> tensor<1x2x3x3x!fixed.q<8, 5>>
// PLAN: tinyml.plan = [{first = "y.0", last = "s.2", by = "2x2 patches by channels", more_macs = 1056 : i64}]
// LESS: tinyml.plan = [{first = "y.0", last = "s.2", by = "partial-32", more_macs = 0 : i64}]
// LATER: 'z.1' to 's.2' do not run by channels-in-patches: patches begin with the network
// ALONE: 'y.0' to 'y.0' do not run by channels-in-patches: no loop over channels takes less memory in a tile than its ops one by one
// MANY: 'y.0' to 's.2' do not run by channels-in-patches: 3 x 3 patches do not divide 2 x 3 pixels
