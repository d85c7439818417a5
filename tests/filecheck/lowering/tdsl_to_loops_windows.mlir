// RUN: tinyml-opt %s -p lower-tdsl-to-loops,canonicalize --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p lower-tdsl-to-loops,simplify,cse,simplify,cse,dce --split-input-file | tinyml-opt --split-input-file | filecheck %s --check-prefix=KEPT

// Each row of the window is copied where it lies in the image, and filled elsewhere.
func.func @window(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 0, 0, 1>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x3x3x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @window(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<1x4x5x2x!fixed.q<8, 7>> to memref<40x!fixed.q<8, 7>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x3x3x2x!fixed.q<8, 7>> to memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: [[v3:%.*]] = num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for [[v9:%.*]] = [[v0]] to [[v4]] step [[v5]] {
// CHECK-NEXT: [[v10:%.*]] = arith.addi %top, [[v9]] : index
// CHECK-NEXT: [[v11:%.*]] = arith.subi [[v6]], %left : index
// CHECK-NEXT: [[v12:%.*]] = arith.minsi [[v11]], [[v4]] : index
// CHECK-NEXT: [[v13:%.*]] = arith.cmpi slt, [[v10]], [[v0]] : index
// CHECK-NEXT: [[v14:%.*]] = arith.select [[v13]], [[v4]], [[v0]] : index
// CHECK-NEXT: [[v15:%.*]] = arith.select [[v13]], [[v4]], [[v12]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.muli [[v9]], [[v7]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.muli [[v14]], [[v8]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.muli [[v15]], [[v8]] : index
// CHECK-NEXT: scf.for [[v19:%.*]] = [[v0]] to [[v17]] step [[v5]] {
// CHECK-NEXT: [[v20:%.*]] = arith.addi [[v16]], [[v19]] : index
// CHECK-NEXT: memref.store [[v3]], [[v2]]{{\[}}[[v20]]] : memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v21:%.*]] = arith.muli [[v10]], [[v6]] : index
// CHECK-NEXT: [[v22:%.*]] = arith.addi [[v21]], %left : index
// CHECK-NEXT: [[v23:%.*]] = arith.muli [[v22]], [[v8]] : index
// CHECK-NEXT: [[v24:%.*]] = arith.subi [[v18]], [[v17]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v23]], [[v17]] : index
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v16]], [[v17]] : index
// CHECK-NEXT: scratch.copy_run [[v1]]{{\[}}[[v25]]] to [[v2]]{{\[}}[[v26]]] count [[v24]] {most = 6 : i64} : memref<40x!fixed.q<8, 7>> to memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: scf.for [[v27:%.*]] = [[v18]] to [[v7]] step [[v5]] {
// CHECK-NEXT: [[v28:%.*]] = arith.addi [[v16]], [[v27]] : index
// CHECK-NEXT: memref.store [[v3]], [[v2]]{{\[}}[[v28]]] : memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A window that lies in the image is only copied; constants in flash are copied one by one.
func.func @inside(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %F: memref<1x4x5x2x!fixed.q<8, 7>, #scratch.flash>, %w: memref<1x2x2x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
  tdsl.window %F[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>, #scratch.flash> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @inside(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %F: memref<1x4x5x2x!fixed.q<8, 7>, #scratch.flash>, %w: memref<1x2x2x2x!fixed.q<8, 7>>, %top: index, %left: index) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<1x4x5x2x!fixed.q<8, 7>> to memref<40x!fixed.q<8, 7>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x2x2x2x!fixed.q<8, 7>> to memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 4 : index
// CHECK-NEXT: scf.for [[v8:%.*]] = [[v0]] to [[v3]] step [[v4]] {
// CHECK-NEXT: [[v9:%.*]] = arith.addi %top, [[v8]] : index
// CHECK-NEXT: [[v10:%.*]] = arith.muli [[v8]], [[v5]] : index
// CHECK-NEXT: [[v11:%.*]] = arith.muli [[v9]], [[v6]] : index
// CHECK-NEXT: [[v12:%.*]] = arith.addi [[v11]], %left : index
// CHECK-NEXT: [[v13:%.*]] = arith.muli [[v12]], [[v3]] : index
// CHECK-NEXT: scratch.copy_run [[v1]]{{\[}}[[v13]]] to [[v2]]{{\[}}[[v10]]] count [[v7]] {most = 4 : i64} : memref<40x!fixed.q<8, 7>> to memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v14:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v15:%.*]] = scratch.slice %F{{\[}}[[v14]]] : memref<1x4x5x2x!fixed.q<8, 7>, #scratch.flash> to memref<40x!fixed.q<8, 7>, #scratch.flash>
// CHECK-NEXT: [[v16:%.*]] = scratch.slice %w{{\[}}[[v14]]] : memref<1x2x2x2x!fixed.q<8, 7>> to memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: [[v17:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v18:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v19:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v20:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v21:%.*]] = arith.constant 4 : index
// CHECK-NEXT: scf.for [[v22:%.*]] = [[v14]] to [[v17]] step [[v18]] {
// CHECK-NEXT: [[v23:%.*]] = arith.addi %top, [[v22]] : index
// CHECK-NEXT: [[v24:%.*]] = arith.muli [[v22]], [[v19]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.muli [[v23]], [[v20]] : index
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v25]], %left : index
// CHECK-NEXT: [[v27:%.*]] = arith.muli [[v26]], [[v17]] : index
// CHECK-NEXT: scf.for [[v28:%.*]] = [[v14]] to [[v21]] step [[v18]] {
// CHECK-NEXT: [[v29:%.*]] = arith.addi [[v27]], [[v28]] : index
// CHECK-NEXT: [[v30:%.*]] = memref.load [[v15]]{{\[}}[[v29]]] : memref<40x!fixed.q<8, 7>, #scratch.flash>
// CHECK-NEXT: [[v31:%.*]] = arith.addi [[v24]], [[v28]] : index
// CHECK-NEXT: memref.store [[v30]], [[v16]]{{\[}}[[v31]]] : memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The channels of a window meet their filters, and the starts of sums absorb the zero point of the image.
func.func @depthwise(%w: memref<1x2x1x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>) {
  %F = scratch.constant dense<[[[[1]], [[2]]], [[[3]], [[4]]]]> : tensor<2x2x1x1xi8> -> memref<2x2x1x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : memref<2x2x1x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x1x2x!zeroskew.q<8, 0.5, 3>> into %y : memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @depthwise(%w: memref<1x2x1x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>) {
// CHECK-NEXT: %F = scratch.constant dense<{{\[\[}}{{\[\[}}1]], {{\[\[}}2]]], {{\[\[}}[3]], {{\[\[}}4]]]]> : tensor<2x2x1x1xi8> -> memref<2x2x1x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: %start = scratch.constant dense<[-9, -21]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %F{{\[}}[[v0]]] : memref<2x2x1x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x2x1x2x!zeroskew.q<8, 0.5, 3>> to memref<4x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: num.contract [[v3:%.*]] to 2 {
// CHECK-NEXT: [[v4:%.*]] = memref.load %start{{\[}}[[v3]]] : memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: %sum = num.start [[v4]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v5:%.*]] = num.products %sum, [[v1]], [[v2]] {channels} : !zeroskew.acc<32, 0.25>, memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<4x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v6:%.*]] = num.finish [[v5]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v6]], %y{{\[}}[[v0]], [[v0]], [[v0]], [[v3]]] : memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Windows beside each other are gathered one after the other; all filters meet them at once, a single window by rows.
func.func @several(%X: memref<1x3x4x1x!zeroskew.q<8, 0.5, 3>>, %w: memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>>, %y: memref<2x1x1x2x!zeroskew.q<8, 1.0, 0>>, %v: memref<1x2x2x1x!zeroskew.q<8, 0.5, 3>>, %z: memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>, %top: index, %left: index) {
  %F = scratch.constant dense<[[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]]]> : tensor<2x2x2x1xi8> -> memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, across = 2 : i64} : memref<1x3x4x1x!zeroskew.q<8, 0.5, 3>> into %w : memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>> into %y : memref<2x1x1x2x!zeroskew.q<8, 1.0, 0>>
  tdsl.conv2d %F, %v {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x2x1x!zeroskew.q<8, 0.5, 3>> into %z : memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @several(%X: memref<1x3x4x1x!zeroskew.q<8, 0.5, 3>>, %w: memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>>, %y: memref<2x1x1x2x!zeroskew.q<8, 1.0, 0>>, %v: memref<1x2x2x1x!zeroskew.q<8, 0.5, 3>>, %z: memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>, %top: index, %left: index) {
// CHECK-NEXT: %F = scratch.constant dense<{{\[\[}}{{\[\[}}1], [2]], {{\[\[}}3], [4]]], {{\[\[}}[5], [6]], {{\[\[}}7], [8]]]]> : tensor<2x2x2x1xi8> -> memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<1x3x4x1x!zeroskew.q<8, 0.5, 3>> to memref<12x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for [[v6:%.*]] = [[v0]] to [[v2]] step [[v3]] {
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v6]], [[v2]] : index
// CHECK-NEXT: [[v8:%.*]] = arith.muli [[v6]], [[v4]] : index
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %w{{\[}}[[v8]]] : memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>> to memref<4x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v10:%.*]] = arith.addi %left, [[v7]] : index
// CHECK-NEXT: scf.for [[v11:%.*]] = [[v0]] to [[v2]] step [[v3]] {
// CHECK-NEXT: [[v12:%.*]] = arith.addi %top, [[v11]] : index
// CHECK-NEXT: [[v13:%.*]] = arith.muli [[v11]], [[v2]] : index
// CHECK-NEXT: [[v14:%.*]] = arith.muli [[v12]], [[v4]] : index
// CHECK-NEXT: [[v15:%.*]] = arith.addi [[v14]], [[v10]] : index
// CHECK-NEXT: scratch.copy_run [[v1]]{{\[}}[[v15]]] to [[v9]]{{\[}}[[v13]]] count [[v5]] {most = 2 : i64} : memref<12x!zeroskew.q<8, 0.5, 3>> to memref<4x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %start = scratch.constant dense<[-30, -78]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v16:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v17:%.*]] = scratch.slice %F{{\[}}[[v16]]] : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v18:%.*]] = scratch.slice %w{{\[}}[[v16]]] : memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>> to memref<8x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[v19:%.*]] = scratch.slice %y{{\[}}[[v16]]] : memref<2x1x1x2x!zeroskew.q<8, 1.0, 0>> to memref<2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.contract [[v20:%.*]], [[v21:%.*]] to 2, 2 {
// CHECK-NEXT: [[v22:%.*]] = memref.load %start{{\[}}[[v21]]] : memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: %sum = num.start [[v22]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v23:%.*]] = num.products %sum, [[v17]], [[v18]] {spacing = array<i64: 1, 0, 4>} : !zeroskew.acc<32, 0.25>, memref<2x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<8x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v24:%.*]] = num.finish [[v23]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v24]], [[v19]]{{\[}}[[v20]], [[v21]]] : memref<2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vstart_1:%.*]] = scratch.constant dense<[-30, -78]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v25:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v26:%.*]] = scratch.slice %F{{\[}}[[v25]]] : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v27:%.*]] = scratch.slice %v{{\[}}[[v25]]] : memref<1x2x2x1x!zeroskew.q<8, 0.5, 3>> to memref<4x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[v28:%.*]] = scratch.slice %z{{\[}}[[v25]]] : memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>> to memref<2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.contract [[v29:%.*]] to 2 {
// CHECK-NEXT: [[v30:%.*]] = memref.load [[vstart_1]]{{\[}}[[v29]]] : memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[vsum_1:%.*]] = num.start [[v30]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v31:%.*]] = num.products [[vsum_1]], [[v26]], [[v27]] : !zeroskew.acc<32, 0.25>, memref<2x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<4x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v32:%.*]] = num.finish [[v31]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v32]], [[v28]]{{\[}}[[v29]]] : memref<2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The rows of a ring begin where the first one lies, and go on at its beginning.
func.func @rows(%X: memref<1x3x5x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 0, 0, 0>, ring = array<i64: 9, 5>} : memref<1x3x5x2x!fixed.q<8, 7>> into %w : memref<1x3x3x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @rows(%X: memref<1x3x5x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<1x3x5x2x!fixed.q<8, 7>> to memref<30x!fixed.q<8, 7>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x3x3x2x!fixed.q<8, 7>> to memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: [[v3:%.*]] = num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v5:%.*]] = arith.addi %top, [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.remsi [[v5]], [[v4]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v10:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v11:%.*]] = arith.constant 6 : index
// CHECK-NEXT: scf.for [[v12:%.*]] = [[v0]] to [[v4]] step [[v7]] {
// CHECK-NEXT: [[v13:%.*]] = arith.addi %top, [[v12]] : index
// CHECK-NEXT: [[v14:%.*]] = arith.addi [[v6]], [[v12]] : index
// CHECK-NEXT: [[v15:%.*]] = arith.cmpi sge, [[v14]], [[v4]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.subi [[v14]], [[v4]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.select [[v15]], [[v16]], [[v14]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.cmpi slt, [[v13]], [[v0]] : index
// CHECK-NEXT: [[v19:%.*]] = arith.select [[v18]], [[v4]], [[v0]] : index
// CHECK-NEXT: [[v20:%.*]] = arith.muli [[v12]], [[v8]] : index
// CHECK-NEXT: [[v21:%.*]] = arith.muli [[v19]], [[v9]] : index
// CHECK-NEXT: scf.for [[v22:%.*]] = [[v0]] to [[v21]] step [[v7]] {
// CHECK-NEXT: [[v23:%.*]] = arith.addi [[v20]], [[v22]] : index
// CHECK-NEXT: memref.store [[v3]], [[v2]]{{\[}}[[v23]]] : memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v24:%.*]] = arith.muli [[v17]], [[v10]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v24]], %left : index
// CHECK-NEXT: [[v26:%.*]] = arith.muli [[v25]], [[v9]] : index
// CHECK-NEXT: [[v27:%.*]] = arith.subi [[v11]], [[v21]] : index
// CHECK-NEXT: [[v28:%.*]] = arith.addi [[v26]], [[v21]] : index
// CHECK-NEXT: [[v29:%.*]] = arith.addi [[v20]], [[v21]] : index
// CHECK-NEXT: scratch.copy_run [[v1]]{{\[}}[[v28]]] to [[v2]]{{\[}}[[v29]]] count [[v27]] {most = 6 : i64} : memref<30x!fixed.q<8, 7>> to memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The pixels of a ring of pixels may go on at its beginning within a row of the window.
func.func @pixels(%X: memref<1x1x14x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 9, 5>} : memref<1x1x14x2x!fixed.q<8, 7>> into %w : memref<1x3x3x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @pixels(%X: memref<1x1x14x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<1x1x14x2x!fixed.q<8, 7>> to memref<28x!fixed.q<8, 7>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x3x3x2x!fixed.q<8, 7>> to memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 14 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for [[v10:%.*]] = [[v0]] to [[v3]] step [[v4]] {
// CHECK-NEXT: [[v11:%.*]] = arith.addi %top, [[v10]] : index
// CHECK-NEXT: [[v12:%.*]] = arith.muli [[v10]], [[v5]] : index
// CHECK-NEXT: [[v13:%.*]] = arith.muli [[v11]], [[v8]] : index
// CHECK-NEXT: [[v14:%.*]] = arith.addi [[v13]], %left : index
// CHECK-NEXT: [[v15:%.*]] = arith.remsi [[v14]], [[v7]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.subi [[v7]], [[v15]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.minsi [[v9]], [[v16]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.muli [[v17]], [[v6]] : index
// CHECK-NEXT: [[v19:%.*]] = arith.muli [[v15]], [[v6]] : index
// CHECK-NEXT: scratch.copy_run [[v1]]{{\[}}[[v19]]] to [[v2]]{{\[}}[[v12]]] count [[v18]] {most = 6 : i64} : memref<28x!fixed.q<8, 7>> to memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: [[v20:%.*]] = arith.addi [[v12]], [[v18]] : index
// CHECK-NEXT: [[v21:%.*]] = arith.subi [[v9]], [[v17]] : index
// CHECK-NEXT: [[v22:%.*]] = arith.muli [[v21]], [[v6]] : index
// CHECK-NEXT: scratch.copy_run [[v1]]{{\[}}[[v0]]] to [[v2]]{{\[}}[[v20]]] count [[v22]] {most = 6 : i64} : memref<28x!fixed.q<8, 7>> to memref<18x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The windows of a tile overlap in memory; so do those of channels. A filter of a single pixel meets several rows.
func.func @tiles(%w: memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>, %z: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>, %v: memref<1x2x3x2x!zeroskew.q<8, 1.0, 0>>) {
  %F = scratch.constant dense<1> : tensor<2x2x2x2xi8> -> memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  %G = scratch.constant dense<1> : tensor<2x2x2x1xi8> -> memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  %H = scratch.constant dense<1> : tensor<2x1x1x2xi8> -> memref<2x1x1x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0>} : memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %y : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>
  tdsl.conv2d %G, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tile = #num.tile_kernel<"tm_channels", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0>} : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %z : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>
  tdsl.conv2d %H, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 2, runs = 1, length = 2, pitch = 0, step = 2, count = 6, zero = 0>} : memref<2x1x1x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %v : memref<1x2x3x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @tiles(%w: memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>, %z: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>, %v: memref<1x2x3x2x!zeroskew.q<8, 1.0, 0>>) {
// CHECK-NEXT: %F = scratch.constant dense<1> : tensor<2x2x2x2xi8> -> memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: %G = scratch.constant dense<1> : tensor<2x2x2x1xi8> -> memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: %H = scratch.constant dense<1> : tensor<2x1x1x2xi8> -> memref<2x1x1x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: %start = scratch.constant dense<-24> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %F{{\[}}[[v0]]] : memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x8x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> to memref<12x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %y{{\[}}[[v0]]] : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>> to memref<2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.contract [[v4:%.*]], [[v5:%.*]] to 2, 2 by #num.tile_kernel<"tm_tile", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0> {
// CHECK-NEXT: [[v6:%.*]] = memref.load %start{{\[}}[[v5]]] : memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: %sum = num.start [[v6]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v7:%.*]] = num.products %sum, [[v1]], [[v2]] {spacing = array<i64: 2, 6, 2>} : !zeroskew.acc<32, 0.25>, memref<2x8x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<12x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v8:%.*]] = num.finish [[v7]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v8]], [[v3]]{{\[}}[[v4]], [[v5]]] : memref<2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vstart_1:%.*]] = scratch.constant dense<-12> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v9:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v10:%.*]] = scratch.slice %G{{\[}}[[v9]]] : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v11:%.*]] = scratch.slice %w{{\[}}[[v9]]] : memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> to memref<12x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[v12:%.*]] = scratch.slice %z{{\[}}[[v9]]] : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>> to memref<2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.contract [[v13:%.*]], [[v14:%.*]] to 2, 2 by #num.tile_kernel<"tm_channels", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0> {
// CHECK-NEXT: [[v15:%.*]] = memref.load [[vstart_1]]{{\[}}[[v14]]] : memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[vsum_1:%.*]] = num.start [[v15]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v16:%.*]] = num.products [[vsum_1]], [[v10]], [[v11]] {spacing = array<i64: 2, 6, 2>, channels} : !zeroskew.acc<32, 0.25>, memref<2x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<12x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v17:%.*]] = num.finish [[v16]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v17]], [[v12]]{{\[}}[[v13]], [[v14]]] : memref<2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vstart_2:%.*]] = scratch.constant dense<-6> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v18:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v19:%.*]] = scratch.slice %H{{\[}}[[v18]]] : memref<2x1x1x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v20:%.*]] = scratch.slice %w{{\[}}[[v18]]] : memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> to memref<12x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[v21:%.*]] = scratch.slice %v{{\[}}[[v18]]] : memref<1x2x3x2x!zeroskew.q<8, 1.0, 0>> to memref<6x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.contract [[v22:%.*]], [[v23:%.*]] to 6, 2 by #num.tile_kernel<"tm_tile", rows = 2, runs = 1, length = 2, pitch = 0, step = 2, count = 6, zero = 0> {
// CHECK-NEXT: [[v24:%.*]] = memref.load [[vstart_2]]{{\[}}[[v23]]] : memref<2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[vsum_2:%.*]] = num.start [[v24]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v25:%.*]] = num.products [[vsum_2]], [[v19]], [[v20]] {spacing = array<i64: 1, 0, 2>} : !zeroskew.acc<32, 0.25>, memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<12x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v26:%.*]] = num.finish [[v25]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v26]], [[v21]]{{\[}}[[v22]], [[v23]]] : memref<6x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// KEPT-LABEL: func.func @tiles
// KEPT: num.contract {{.*}} to 2, 2 by #num.tile_kernel<"tm_tile",
// KEPT-LABEL: func.func @no_tile(

// -----

// Windows without a tile become loops, wherever they lie.
func.func @no_tile(%w: memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>) {
  %F = scratch.constant dense<1> : tensor<2x2x2x2xi8> -> memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %y : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @no_tile(%w: memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>) {
// CHECK-NEXT: %F = scratch.constant dense<1> : tensor<2x2x2x2xi8> -> memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] {
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v0]] to [[v1]] step [[v2]] {
// CHECK-NEXT: %sum = num.zero : !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v5:%.*]] = scf.for [[v6:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[v7:%.*]] = %sum) -> (!zeroskew.acc<32, 0.25>) {
// CHECK-NEXT: [[v8:%.*]] = scf.for [[v9:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[v10:%.*]] = [[v7]]) -> (!zeroskew.acc<32, 0.25>) {
// CHECK-NEXT: [[v11:%.*]] = scf.for [[v12:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[v13:%.*]] = [[v10]]) -> (!zeroskew.acc<32, 0.25>) {
// CHECK-NEXT: [[v14:%.*]] = memref.load %F{{\[}}[[v4]], [[v6]], [[v9]], [[v12]]] : memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v15:%.*]] = arith.addi [[v3]], [[v9]] : index
// CHECK-NEXT: [[v16:%.*]] = memref.load %w{{\[}}[[v0]], [[v6]], [[v15]], [[v12]]] : memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v17:%.*]] = num.mac [[v13]], [[v14]], [[v16]] : !zeroskew.acc<32, 0.25>, !zeroskew.q<8, 0.5, 0>, !zeroskew.q<8, 0.5, 3> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: scf.yield [[v17]] : !zeroskew.acc<32, 0.25>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[v11]] : !zeroskew.acc<32, 0.25>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[v8]] : !zeroskew.acc<32, 0.25>
// CHECK-NEXT: }
// CHECK-NEXT: [[v18:%.*]] = num.finish [[v5]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v18]], %y{{\[}}[[v0]], [[v0]], [[v3]], [[v4]]] : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A window that the loop around moves by a pixel states so: two of its four elements in a row are new.
func.func @slides(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %w: memref<1x2x2x2x!fixed.q<8, 7>>, %top: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %j = %zero to %four step %one {
    tdsl.window %X[%top, %j] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
    tdsl.window %X[%j, %top] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
  }
  func.return
}
// CHECK-LABEL: func.func @slides(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %w: memref<1x2x2x2x!fixed.q<8, 7>>, %top: index) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v10:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v11:%.*]] = arith.constant 4 : index
// CHECK-NEXT: scf.for %j = %zero to %four step %one {
// CHECK-NEXT: [[v12:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<1x4x5x2x!fixed.q<8, 7>> to memref<40x!fixed.q<8, 7>>
// CHECK-NEXT: [[v13:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x2x2x2x!fixed.q<8, 7>> to memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: scf.for [[v14:%.*]] = [[v0]] to [[v1]] step [[v2]] {
// CHECK-NEXT: [[v15:%.*]] = arith.addi %top, [[v14]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.muli [[v14]], [[v3]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.muli [[v15]], [[v4]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v17]], %j : index
// CHECK-NEXT: [[v19:%.*]] = arith.muli [[v18]], [[v1]] : index
// CHECK-NEXT: scratch.copy_run [[v12]]{{\[}}[[v19]]] to [[v13]]{{\[}}[[v16]]] count [[v10]] {most = 4 : i64, step = 2 : i64} : memref<40x!fixed.q<8, 7>> to memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v20:%.*]] = scratch.slice %X{{\[}}[[v5]]] : memref<1x4x5x2x!fixed.q<8, 7>> to memref<40x!fixed.q<8, 7>>
// CHECK-NEXT: [[v21:%.*]] = scratch.slice %w{{\[}}[[v5]]] : memref<1x2x2x2x!fixed.q<8, 7>> to memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: scf.for [[v22:%.*]] = [[v5]] to [[v6]] step [[v7]] {
// CHECK-NEXT: [[v23:%.*]] = arith.addi %j, [[v22]] : index
// CHECK-NEXT: [[v24:%.*]] = arith.muli [[v22]], [[v8]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.muli [[v23]], [[v9]] : index
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v25]], %top : index
// CHECK-NEXT: [[v27:%.*]] = arith.muli [[v26]], [[v6]] : index
// CHECK-NEXT: scratch.copy_run [[v20]]{{\[}}[[v27]]] to [[v21]]{{\[}}[[v24]]] count [[v11]] {most = 4 : i64} : memref<40x!fixed.q<8, 7>> to memref<8x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Each of two channels of a tile has two filters.
func.func @filters(%w: memref<1x2x3x2x!zeroskew.q<8, 0.5, 0>>, %y: memref<1x1x2x4x!zeroskew.q<8, 1.0, 0>>) {
  %F = scratch.constant dense<1> : tensor<4x2x2x1xi8> -> memref<4x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tile = #num.tile_kernel<"tm_channels", rows = 4, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0, filters = 2>} : memref<4x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 0>> into %y : memref<1x1x2x4x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @filters(
// CHECK: num.contract {{%.*}}, {{%.*}} to 2, 4 by #num.tile_kernel<"tm_channels", rows = 4, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0, filters = 2> {
// CHECK: num.products {{%.*}}, {{%.*}}, {{%.*}} {spacing = array<i64: 2, 6, 2>, channels, filters = 2 : i64} : !zeroskew.acc<32, 0.25>, memref<4x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<12x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
