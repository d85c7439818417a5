// RUN: tinyml-opt %s -p 'lower-tdsl-to-loops,vectorise-loops{target=cortex-m55}' | filecheck %s
// RUN: tinyml-opt %s -p 'lower-tdsl-to-loops,vectorise-loops{target=cortex-m4}' | filecheck %s --check-prefix=M4
// RUN: tinyml-opt %s -p 'lower-tdsl-to-loops,vectorise-loops{target=cortex-m55}' --remarks-filter=vect 2>&1 | filecheck %s --check-prefix=REMARKS
// REMARKS: [passed] vectorise-loops: num.nest 'out = add(x, z)': becomes code for vectors, which takes {{[0-9]+}}, plain code about {{[0-9]+}}
// REMARKS: [missed] vectorise-loops: scf.for 'for i': stays a loop: an iteration may read what another stores
// REMARKS: [missed] vectorise-loops: num.nest 'x = relu(x) #2': stays a loop: code for vectors takes {{[0-9]+}}, plain code about {{[0-9]+}}
// REMARKS: [missed] vectorise-loops: num.nest 'f = relu(f)': stays a loop: it computes on floats

!a = !zeroskew.q<8, 0.5, 3>
!b = !zeroskew.q<8, 0.125, -4>
!y = !zeroskew.q<8, 1.0, -128>
!f = !fixed.q<8, 4>

// All axes over one run are joined; the ops are those of the format, with its constants.
func.func @sum(%x: memref<2x3x8x!a>, %z: memref<2x3x8x!b>, %out: memref<2x3x8x!y>) {
  tdsl.add %x, %z : memref<2x3x8x!a>, memref<2x3x8x!b> into %out : memref<2x3x8x!y>
  func.return
}
// CHECK-LABEL: func.func @sum(%x: memref<2x3x8x!zeroskew.q<8, 0.5, 3>>, %z: memref<2x3x8x!zeroskew.q<8, 0.125, -4>>, %out: memref<2x3x8x!zeroskew.q<8, 1.0, -128>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<2x3x8x!zeroskew.q<8, 0.5, 3>> to memref<48x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %z{{\[}}[[v0]]] : memref<2x3x8x!zeroskew.q<8, 0.125, -4>> to memref<48x!zeroskew.q<8, 0.125, -4>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %out{{\[}}[[v0]]] : memref<2x3x8x!zeroskew.q<8, 1.0, -128>> to memref<48x!zeroskew.q<8, 1.0, -128>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_351e0cdcdc1ae26b}, time = 182, once = 168, call = 16, stack = 20>([[v3]], [[v1]], [[v2]]) by #num.code_kernel<"tm_mve_elements", "351e0cdcdc1ae26b"> : (memref<48x!zeroskew.q<8, 1.0, -128>>, memref<48x!zeroskew.q<8, 0.5, 3>>, memref<48x!zeroskew.q<8, 0.125, -4>>) -> ()
// CHECK-NEXT: func.return
// M4-LABEL: func.func @sum
// M4: num.nest
// M4: num.add
// M4-LABEL: func.func @broadcast(

// An operand that is the same in every row does not visit the run of the others: each row is a line.
func.func @broadcast(%x: memref<3x16x!a>, %z: memref<16x!b>, %out: memref<3x16x!y>) {
  tdsl.add %x, %z : memref<3x16x!a>, memref<16x!b> into %out : memref<3x16x!y>
  func.return
}
// CHECK-LABEL: func.func @broadcast(%x: memref<3x16x!zeroskew.q<8, 0.5, 3>>, %z: memref<16x!zeroskew.q<8, 0.125, -4>>, %out: memref<3x16x!zeroskew.q<8, 1.0, -128>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<3x16x!zeroskew.q<8, 0.5, 3>> to memref<48x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %z{{\[}}[[v0]]] : memref<16x!zeroskew.q<8, 0.125, -4>> to memref<16x!zeroskew.q<8, 0.125, -4>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %out{{\[}}[[v0]]] : memref<3x16x!zeroskew.q<8, 1.0, -128>> to memref<48x!zeroskew.q<8, 1.0, -128>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_5418739e71b7254f}, time = 191, once = 180, call = 16, stack = 24>([[v3]], [[v1]], [[v2]]) by #num.code_kernel<"tm_mve_elements", "5418739e71b7254f"> : (memref<48x!zeroskew.q<8, 1.0, -128>>, memref<48x!zeroskew.q<8, 0.5, 3>>, memref<16x!zeroskew.q<8, 0.125, -4>>) -> ()
// CHECK-NEXT: func.return

// The window of a pool is a loop that carries the total.
func.func @pool(%x: memref<1x4x4x32x!a>, %out: memref<1x1x1x32x!a>) {
  tdsl.average_pool %x {kernel = array<i64: 4, 4>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 4, 4>} : memref<1x4x4x32x!a> into %out : memref<1x1x1x32x!a>
  func.return
}
// CHECK-LABEL: func.func @pool(%x: memref<1x4x4x32x!zeroskew.q<8, 0.5, 3>>, %out: memref<1x1x1x32x!zeroskew.q<8, 0.5, 3>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %x{{\[}}[[v1]]] : memref<1x4x4x32x!zeroskew.q<8, 0.5, 3>> to memref<512x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %out{{\[}}[[v1]]] : memref<1x1x1x32x!zeroskew.q<8, 0.5, 3>> to memref<32x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_ff801e48c52e44c3}, time = 358, once = 376, call = 16, stack = 12>([[v3]], [[v2]]) by #num.code_kernel<"tm_mve_elements", "ff801e48c52e44c3"> : (memref<32x!zeroskew.q<8, 0.5, 3>>, memref<512x!zeroskew.q<8, 0.5, 3>>) -> ()
// CHECK-NEXT: func.return

// The greater of two numbers is one step, without the comparison that chose it.
func.func @greatest(%x: memref<1x4x4x32x!a>, %out: memref<1x1x1x32x!a>) {
  tdsl.max_pool %x {kernel = array<i64: 4, 4>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 4, 4>} : memref<1x4x4x32x!a> into %out : memref<1x1x1x32x!a>
  func.return
}
// CHECK-LABEL: func.func @greatest(%x: memref<1x4x4x32x!zeroskew.q<8, 0.5, 3>>, %out: memref<1x1x1x32x!zeroskew.q<8, 0.5, 3>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %x{{\[}}[[v1]]] : memref<1x4x4x32x!zeroskew.q<8, 0.5, 3>> to memref<512x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %out{{\[}}[[v1]]] : memref<1x1x1x32x!zeroskew.q<8, 0.5, 3>> to memref<32x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_26a0c33ce95becb0}, time = 67, once = 268, call = 16, stack = 4>([[v3]], [[v2]]) by #num.code_kernel<"tm_mve_elements", "26a0c33ce95becb0"> : (memref<32x!zeroskew.q<8, 0.5, 3>>, memref<512x!zeroskew.q<8, 0.5, 3>>) -> ()
// CHECK-NEXT: func.return

// The windows of a row of a pool are lines; those at the margins have fewer elements. The results overwrite the image,
// each in front of what later windows read.
func.func @margins(%arena: memref<2048xi8>) {
  %zero = arith.constant 0 : index
  %x = memref.view %arena[%zero][] : memref<2048xi8> to memref<1x8x8x32x!f>
  %out = memref.view %arena[%zero][] : memref<2048xi8> to memref<1x3x3x32x!f>
  tdsl.max_pool %x {kernel = array<i64: 3, 3>, padding = array<i64: 0, 1, 0, 1>, strides = array<i64: 3, 3>} : memref<1x8x8x32x!f> into %out : memref<1x3x3x32x!f>
  func.return
}
// CHECK-LABEL: func.func @margins(%arena: memref<2048xi8>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %x = memref.view %arena[%zero][] : memref<2048xi8> to memref<1x8x8x32x!fixed.q<8, 4>>
// CHECK-NEXT: %out = memref.view %arena[%zero][] : memref<2048xi8> to memref<1x3x3x32x!fixed.q<8, 4>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 6 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v0]] to [[v1]] step [[v2]] {
// CHECK-NEXT: [[v5:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 768 : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v4]], [[v6]] : index
// CHECK-NEXT: [[v8:%.*]] = arith.addi [[v5]], [[v7]] : index
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %x{{\[}}[[v8]]] : memref<1x8x8x32x!fixed.q<8, 4>> to memref<704x!fixed.q<8, 4>>
// CHECK-NEXT: [[v10:%.*]] = arith.constant 96 : index
// CHECK-NEXT: [[v11:%.*]] = arith.muli [[v4]], [[v10]] : index
// CHECK-NEXT: [[v12:%.*]] = arith.addi [[v5]], [[v11]] : index
// CHECK-NEXT: [[v13:%.*]] = scratch.slice %out{{\[}}[[v12]]] : memref<1x3x3x32x!fixed.q<8, 4>> to memref<64x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_ff98c4e230feec7c}, time = 90, once = 188, call = 16, stack = 8>([[v13]], [[v9]]) by #num.code_kernel<"tm_mve_elements", "ff98c4e230feec7c"> : (memref<64x!fixed.q<8, 4>>, memref<704x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: [[v14:%.*]] = arith.constant 192 : index
// CHECK-NEXT: [[v15:%.*]] = arith.constant 768 : index
// CHECK-NEXT: [[v16:%.*]] = arith.muli [[v4]], [[v15]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.addi [[v14]], [[v16]] : index
// CHECK-NEXT: [[v18:%.*]] = scratch.slice %x{{\[}}[[v17]]] : memref<1x8x8x32x!fixed.q<8, 4>> to memref<576x!fixed.q<8, 4>>
// CHECK-NEXT: [[v19:%.*]] = arith.constant 64 : index
// CHECK-NEXT: [[v20:%.*]] = arith.constant 96 : index
// CHECK-NEXT: [[v21:%.*]] = arith.muli [[v4]], [[v20]] : index
// CHECK-NEXT: [[v22:%.*]] = arith.addi [[v19]], [[v21]] : index
// CHECK-NEXT: [[v23:%.*]] = scratch.slice %out{{\[}}[[v22]]] : memref<1x3x3x32x!fixed.q<8, 4>> to memref<32x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_223d04c440b47d1b}, time = 31, once = 124, call = 16, stack = 4>([[v23]], [[v18]]) by #num.code_kernel<"tm_mve_elements", "223d04c440b47d1b"> : (memref<32x!fixed.q<8, 4>>, memref<576x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: [[v24:%.*]] = arith.constant 1536 : index
// CHECK-NEXT: [[v25:%.*]] = scratch.slice %x{{\[}}[[v24]]] : memref<1x8x8x32x!fixed.q<8, 4>> to memref<448x!fixed.q<8, 4>>
// CHECK-NEXT: [[v26:%.*]] = arith.constant 192 : index
// CHECK-NEXT: [[v27:%.*]] = scratch.slice %out{{\[}}[[v26]]] : memref<1x3x3x32x!fixed.q<8, 4>> to memref<64x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_f34f8dcc3e84b90b}, time = 62, once = 132, call = 16, stack = 8>([[v27]], [[v25]]) by #num.code_kernel<"tm_mve_elements", "f34f8dcc3e84b90b"> : (memref<64x!fixed.q<8, 4>>, memref<448x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: [[v28:%.*]] = arith.constant 1728 : index
// CHECK-NEXT: [[v29:%.*]] = scratch.slice %x{{\[}}[[v28]]] : memref<1x8x8x32x!fixed.q<8, 4>> to memref<320x!fixed.q<8, 4>>
// CHECK-NEXT: [[v30:%.*]] = arith.constant 256 : index
// CHECK-NEXT: [[v31:%.*]] = scratch.slice %out{{\[}}[[v30]]] : memref<1x3x3x32x!fixed.q<8, 4>> to memref<32x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_8e9de00124887fac}, time = 21, once = 84, call = 16, stack = 4>([[v31]], [[v29]]) by #num.code_kernel<"tm_mve_elements", "8e9de00124887fac"> : (memref<32x!fixed.q<8, 4>>, memref<320x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: func.return

// Each pass of a softmax is a call, whose single result the next one takes from an array of one element.
func.func @softmax(%x: memref<1x64x!a>, %out: memref<1x64x!zeroskew.q<8, 0.00390625, -128>>) {
  tdsl.softmax %x : memref<1x64x!a> into %out : memref<1x64x!zeroskew.q<8, 0.00390625, -128>>
  func.return
}
// CHECK-LABEL: func.func @softmax(%x: memref<1x64x!zeroskew.q<8, 0.5, 3>>, %out: memref<1x64x!zeroskew.q<8, 0.00390625, -128>>) {
// CHECK-NEXT: %single = memref.alloca() : memref<1xi32>
// CHECK-NEXT: %greatest = memref.alloca() : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vsingle_1:%.*]] = memref.alloca() : memref<1xi32>
// CHECK-NEXT: [[vgreatest_1:%.*]] = memref.alloca() : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vgreatest_2:%.*]] = memref.alloca() : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vsingle_2:%.*]] = memref.alloca() : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = memref.load %x{{\[}}[[v0]], [[v0]]] : memref<1x64x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v2:%.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.store [[v1]], [[vsingle_2]]{{\[}}[[v2]]] : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = scratch.slice %x{{\[}}[[v3]]] : memref<1x64x!zeroskew.q<8, 0.5, 3>> to memref<63x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_0a5b8998b1090a0f}, time = 25, once = 76, call = 16, stack = 4>([[vgreatest_2]], [[vsingle_2]], [[v4]]) by #num.code_kernel<"tm_mve_elements", "0a5b8998b1090a0f"> : (memref<1x!zeroskew.q<8, 0.5, 3>>, memref<1x!zeroskew.q<8, 0.5, 3>>, memref<63x!zeroskew.q<8, 0.5, 3>>) -> ()
// CHECK-NEXT: [[vgreatest_3:%.*]] = memref.load [[vgreatest_2]]{{\[}}[[v2]]] : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %total = arith.constant 0 : i32
// CHECK-NEXT: [[v5:%.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.store [[vgreatest_3]], [[vgreatest_1]]{{\[}}[[v5]]] : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %softmax_table = scratch.constant dense<[2147483647, 1302515042, 790015308, 479168506, 290630390, 176276242, 106916946, 64848406, 39332546, 23856395, 14469635, 8776277, 5323081, 3228612, 1958252, 1187740, 720401, 436945, 265021, 160743, 97496, 59134, 35867, 21754, 13195, 8003, 4854, 2944, 1786, 1083, 657, 398, 0]> : tensor<33xi32> -> memref<33xi32, #scratch.flash>
// CHECK-NEXT: [[v6:%.*]] = scratch.slice %x{{\[}}[[v5]]] : memref<1x64x!zeroskew.q<8, 0.5, 3>> to memref<64x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v7:%.*]] = scratch.slice %softmax_table{{\[}}[[v5]]] : memref<33xi32, #scratch.flash> to memref<33xi32, #scratch.flash>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_d952dee9bf043910}, time = 193, once = 156, call = 16, stack = 68>([[vsingle_1]], [[v6]], [[vgreatest_1]], [[v7]]) by #num.code_kernel<"tm_mve_elements", "d952dee9bf043910"> : (memref<1xi32>, memref<64x!zeroskew.q<8, 0.5, 3>>, memref<1x!zeroskew.q<8, 0.5, 3>>, memref<33xi32, #scratch.flash>) -> ()
// CHECK-NEXT: [[v8:%.*]] = memref.load [[vsingle_1]]{{\[}}[[v5]]] : memref<1xi32>
// CHECK-NEXT: [[v9:%.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.store [[vgreatest_3]], %greatest{{\[}}[[v9]]] : memref<1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vsoftmax_table_1:%.*]] = scratch.constant dense<[2147483647, 1302515042, 790015308, 479168506, 290630390, 176276242, 106916946, 64848406, 39332546, 23856395, 14469635, 8776277, 5323081, 3228612, 1958252, 1187740, 720401, 436945, 265021, 160743, 97496, 59134, 35867, 21754, 13195, 8003, 4854, 2944, 1786, 1083, 657, 398, 0]> : tensor<33xi32> -> memref<33xi32, #scratch.flash>
// CHECK-NEXT: memref.store [[v8]], %single{{\[}}[[v9]]] : memref<1xi32>
// CHECK-NEXT: [[v10:%.*]] = scratch.slice %x{{\[}}[[v9]]] : memref<1x64x!zeroskew.q<8, 0.5, 3>> to memref<64x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v11:%.*]] = scratch.slice [[vsoftmax_table_1]]{{\[}}[[v9]]] : memref<33xi32, #scratch.flash> to memref<33xi32, #scratch.flash>
// CHECK-NEXT: [[v12:%.*]] = scratch.slice %out{{\[}}[[v9]]] : memref<1x64x!zeroskew.q<8, 0.00390625, -128>> to memref<64x!zeroskew.q<8, 0.00390625, -128>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_9ea4cbd3f8b73e97}, time = 911, once = 508, call = 16, stack = 80>([[v12]], [[v10]], %greatest, [[v11]], %single) by #num.code_kernel<"tm_mve_elements", "9ea4cbd3f8b73e97"> : (memref<64x!zeroskew.q<8, 0.00390625, -128>>, memref<64x!zeroskew.q<8, 0.5, 3>>, memref<1x!zeroskew.q<8, 0.5, 3>>, memref<33xi32, #scratch.flash>, memref<1xi32>) -> ()
// CHECK-NEXT: func.return

// An exact format ignores the total of a normalisation, which its factor includes: lanes do not take it.
func.func @normalise(%x: memref<1x64x!f>, %out: memref<1x64x!fixed.q<8, 7>>) {
  tdsl.normalise %x : memref<1x64x!f> into %out : memref<1x64x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @normalise(
// CHECK: num.inverse_root
// CHECK: num.call #num.coded_loop<{{.*}}>([[OUT:%.*]], [[X:%.*]], %factor) by

// The first of the greatest elements, from the second on, or else the first one.
func.func @argmax(%x: memref<64x!f>) -> index {
  %label = tdsl.argmax %x : memref<64x!f>
  func.return %label : index
}
// CHECK-LABEL: func.func @argmax(%x: memref<64x!fixed.q<8, 4>>) -> index {
// CHECK-NEXT: %label = memref.alloca() : memref<1xi32>
// CHECK-NEXT: %best = memref.alloca() : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<64x!fixed.q<8, 4>> to memref<64x!fixed.q<8, 4>>
// CHECK-NEXT: [[vbest_1:%.*]] = memref.load [[v1]]{{\[}}[[v0]]] : memref<64x!fixed.q<8, 4>>
// CHECK-NEXT: [[v2:%.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.store [[vbest_1]], %best{{\[}}[[v2]]] : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = scratch.slice %x{{\[}}[[v3]]] : memref<64x!fixed.q<8, 4>> to memref<63x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_6f1825cc3b293c2b}, time = 137, once = 156, call = 16, stack = 72>(%label, %best, [[v4]]) by #num.code_kernel<"tm_mve_elements", "6f1825cc3b293c2b"> : (memref<1xi32>, memref<1x!fixed.q<8, 4>>, memref<63x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: [[v5:%.*]] = memref.load %label{{\[}}[[v2]]] : memref<1xi32>
// CHECK-NEXT: [[vlabel_1:%.*]] = arith.index_cast [[v5]] : i32 to index
// CHECK-NEXT: func.return [[vlabel_1]] : index

// Overwritten where it lies: each element is read before the iteration writes it.
func.func @in_place(%x: memref<32x!a>) {
  tdsl.relu %x : memref<32x!a> into %x : memref<32x!a>
  func.return
}
// CHECK-LABEL: func.func @in_place(%x: memref<32x!zeroskew.q<8, 0.5, 3>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<32x!zeroskew.q<8, 0.5, 3>> to memref<32x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<32x!zeroskew.q<8, 0.5, 3>> to memref<32x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_10b458fb3857ef31}, time = 10, once = 40, call = 16, stack = 4>([[v2]], [[v1]]) by #num.code_kernel<"tm_mve_elements", "10b458fb3857ef31"> : (memref<32x!zeroskew.q<8, 0.5, 3>>, memref<32x!zeroskew.q<8, 0.5, 3>>) -> ()
// CHECK-NEXT: func.return

// Written in front of what later iterations read: the order of iterations counts.
func.func @shifted(%x: memref<32x!a>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 31 : index
  scf.for %i = %zero to %end step %one {
    %next = arith.addi %i, %one : index
    %a = memref.load %x[%i] : memref<32x!a>
    %b = num.clamp %a {low = 0.0 : f64} : !a -> !a
    memref.store %b, %x[%next] : memref<32x!a>
  }
  func.return
}
// CHECK-LABEL: func.func @shifted(%x: memref<32x!zeroskew.q<8, 0.5, 3>>) {
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %end = arith.constant 31 : index
// CHECK-NEXT: scf.for %i = %zero to %end step %one {
// CHECK-NEXT: %next = arith.addi %i, %one : index
// CHECK-NEXT: %a = memref.load %x[%i] : memref<32x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %b = num.clamp %a {low = 0.000000e+00 : f64} : !zeroskew.q<8, 0.5, 3> -> !zeroskew.q<8, 0.5, 3>
// CHECK-NEXT: memref.store %b, %x[%next] : memref<32x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Three elements take plain code less time; copies are left to the compiler; floats have no steps.
func.func @others(%x: memref<3x!a>, %y: memref<64x!a>, %z: memref<64x!a>, %f: memref<64xf32>) {
  tdsl.relu %x : memref<3x!a> into %x : memref<3x!a>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 64 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %y[%i] : memref<64x!a>
    memref.store %a, %z[%i] : memref<64x!a>
  }
  tdsl.relu %f : memref<64xf32> into %f : memref<64xf32>
  func.return
}
// CHECK-LABEL: func.func @others(%x: memref<3x!zeroskew.q<8, 0.5, 3>>, %y: memref<64x!zeroskew.q<8, 0.5, 3>>, %z: memref<64x!zeroskew.q<8, 0.5, 3>>, %f: memref<64xf32>) {
// CHECK-NEXT: num.nest [[v0:%.*]] to 3 {
// CHECK-NEXT: [[v1:%.*]] = memref.load %x{{\[}}[[v0]]] : memref<3x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v2:%.*]] = num.clamp [[v1]] {low = 0.000000e+00 : f64} : !zeroskew.q<8, 0.5, 3> -> !zeroskew.q<8, 0.5, 3>
// CHECK-NEXT: memref.store [[v2]], %x{{\[}}[[v0]]] : memref<3x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %end = arith.constant 64 : index
// CHECK-NEXT: scf.for %i = %zero to %end step %one {
// CHECK-NEXT: %a = memref.load %y[%i] : memref<64x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: memref.store %a, %z[%i] : memref<64x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[v3:%.*]] to 64 {
// CHECK-NEXT: [[v4:%.*]] = memref.load %f{{\[}}[[v3]]] : memref<64xf32>
// CHECK-NEXT: [[v5:%.*]] = num.clamp [[v4]] {low = 0.000000e+00 : f64} : f32 -> f32
// CHECK-NEXT: memref.store [[v5]], %f{{\[}}[[v3]]] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// An iteration that reads what the one before wrote stays in order, also where the load follows the store.
func.func @reloaded(%x: memref<32x!a>, %z: memref<64x!a>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 32 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %x[%i] : memref<32x!a>
    %b = num.clamp %a {low = 0.0 : f64} : !a -> !a
    memref.store %b, %z[%i] : memref<64x!a>
    %c = memref.load %z[%i] : memref<64x!a>
    %d = num.add %b, %c : !a, !a -> !a
  }
  func.return
}
// CHECK-LABEL: func.func @reloaded(%x: memref<32x!zeroskew.q<8, 0.5, 3>>, %z: memref<64x!zeroskew.q<8, 0.5, 3>>) {
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %end = arith.constant 32 : index
// CHECK-NEXT: scf.for %i = %zero to %end step %one {
// CHECK-NEXT: %a = memref.load %x[%i] : memref<32x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %b = num.clamp %a {low = 0.000000e+00 : f64} : !zeroskew.q<8, 0.5, 3> -> !zeroskew.q<8, 0.5, 3>
// CHECK-NEXT: memref.store %b, %z[%i] : memref<64x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %c = memref.load %z[%i] : memref<64x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %d = num.add %b, %c : !zeroskew.q<8, 0.5, 3>, !zeroskew.q<8, 0.5, 3> -> !zeroskew.q<8, 0.5, 3>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Carried values that change places: after the first replacement, the second would read it; also where it is widened.
func.func @exchanged(%x: memref<32x!f>, %z: memref<32x!f>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 32 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %x[%i] : memref<32x!f>
    %b = num.clamp %a {low = 0.0 : f64} : !f -> !f
    %sum = num.start %b : !f -> !fixed.acc<32, 4>
    %c, %d = scf.for %k = %zero to %end step %one iter_args(%m = %a, %n = %sum) -> (!f, !fixed.acc<32, 4>) {
      %rounded = num.finish %n : !fixed.acc<32, 4> -> !f
      %widened = num.start %m : !f -> !fixed.acc<32, 4>
      scf.yield %rounded, %widened : !f, !fixed.acc<32, 4>
    }
    memref.store %c, %z[%i] : memref<32x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @exchanged(%x: memref<32x!fixed.q<8, 4>>, %z: memref<32x!fixed.q<8, 4>>) {
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %end = arith.constant 32 : index
// CHECK-NEXT: scf.for %i = %zero to %end step %one {
// CHECK-NEXT: %a = memref.load %x[%i] : memref<32x!fixed.q<8, 4>>
// CHECK-NEXT: %b = num.clamp %a {low = 0.000000e+00 : f64} : !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK-NEXT: %sum = num.start %b : !fixed.q<8, 4> -> !fixed.acc<32, 4>
// CHECK-NEXT: %c, %d = scf.for %k = %zero to %end step %one iter_args(%m = %a, %n = %sum) -> (!fixed.q<8, 4>, !fixed.acc<32, 4>) {
// CHECK-NEXT: %rounded = num.finish %n : !fixed.acc<32, 4> -> !fixed.q<8, 4>
// CHECK-NEXT: %widened = num.start %m : !fixed.q<8, 4> -> !fixed.acc<32, 4>
// CHECK-NEXT: scf.yield %rounded, %widened : !fixed.q<8, 4>, !fixed.acc<32, 4>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %c, %z[%i] : memref<32x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// A comparison that decides between comparisons has no steps, as vectors have one predicate.
func.func @compared_twice(%x: memref<32x!f>, %z: memref<32x!f>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 32 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %x[%i] : memref<32x!f>
    %b = num.clamp %a {low = 0.0 : f64} : !f -> !f
    %high = num.at_least %a {threshold = 1.0 : f64} : !f
    %low = num.at_least %b {threshold = 2.0 : f64} : !f
    %either = arith.select %high, %low, %high : i1
    %c = arith.select %either, %a, %b : !f
    memref.store %c, %z[%i] : memref<32x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @compared_twice(%x: memref<32x!fixed.q<8, 4>>, %z: memref<32x!fixed.q<8, 4>>) {
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %end = arith.constant 32 : index
// CHECK-NEXT: scf.for %i = %zero to %end step %one {
// CHECK-NEXT: %a = memref.load %x[%i] : memref<32x!fixed.q<8, 4>>
// CHECK-NEXT: %b = num.clamp %a {low = 0.000000e+00 : f64} : !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK-NEXT: %high = num.at_least %a {threshold = 1.000000e+00 : f64} : !fixed.q<8, 4>
// CHECK-NEXT: %low = num.at_least %b {threshold = 2.000000e+00 : f64} : !fixed.q<8, 4>
// CHECK-NEXT: %either = arith.select %high, %low, %high : i1
// CHECK-NEXT: %c = arith.select %either, %a, %b : !fixed.q<8, 4>
// CHECK-NEXT: memref.store %c, %z[%i] : memref<32x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Rows that meet a vector, with what follows their sums; the function that reads a table gathers from it.
func.func @rows(%w: memref<12x9x!f>, %v: memref<9x!f>, %b: memref<12x!f>, %out: memref<12x!f>) {
  num.contract %r to 12 {
    %zero = num.zero : !fixed.acc<24, 8>
    %sum = num.products %zero, %w, %v : !fixed.acc<24, 8>, memref<12x9x!f>, memref<9x!f> -> !fixed.acc<24, 8>
    %rounded = num.finish %sum : !fixed.acc<24, 8> -> !f
    %bias = memref.load %b[%r] : memref<12x!f>
    %both = num.add %rounded, %bias : !f, !f -> !f
    %y = num.tanh %both : !f -> !f
    memref.store %y, %out[%r] : memref<12x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @rows(%w: memref<12x9x!fixed.q<8, 4>>, %v: memref<9x!fixed.q<8, 4>>, %b: memref<12x!fixed.q<8, 4>>, %out: memref<12x!fixed.q<8, 4>>) {
// CHECK-NEXT: %tanh_table = scratch.constant dense<[-16, -15, -15, -15, -15, -15, -15, -15, -15, -15, -14, -14, -14, -14, -14, -13, -13, -13, -12, -12, -11, -11, -10, -10, -9, -8, -7, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11, 11, 12, 12, 13, 13, 13, 14, 14, 14, 14, 14, 15, 15, 15, 15, 15, 15, 15, 15, 15, 16]> : tensor<69xi8> -> memref<69xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<12x9x!fixed.q<8, 4>> to memref<108x!fixed.q<8, 4>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %v{{\[}}[[v0]]] : memref<9x!fixed.q<8, 4>> to memref<9x!fixed.q<8, 4>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %b{{\[}}[[v0]]] : memref<12x!fixed.q<8, 4>> to memref<12x!fixed.q<8, 4>>
// CHECK-NEXT: [[v4:%.*]] = scratch.slice %tanh_table{{\[}}[[v0]]] : memref<69xi8, #scratch.flash> to memref<69xi8, #scratch.flash>
// CHECK-NEXT: [[v5:%.*]] = scratch.slice %out{{\[}}[[v0]]] : memref<12x!fixed.q<8, 4>> to memref<12x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_8b38f060ea43028c}, time = 103, once = 308, call = 16, stack = 84>([[v5]], [[v1]], [[v2]], [[v3]], [[v4]]) by #num.code_kernel<"tm_mve_elements", "8b38f060ea43028c"> : (memref<12x!fixed.q<8, 4>>, memref<108x!fixed.q<8, 4>>, memref<9x!fixed.q<8, 4>>, memref<12x!fixed.q<8, 4>>, memref<69xi8, #scratch.flash>) -> ()
// CHECK-NEXT: func.return
// M4-LABEL: func.func @rows
// M4: num.contract
// M4-LABEL: func.func @distances(

// Distances from one vector; what an iteration stores for itself alone is not stored.
func.func @distances(%w: memref<12x8x!f>, %v: memref<8x!f>, %out: memref<12x!f>) {
  %arena = scratch.arena {alignment = 1 : i64, lower_bound = 1 : i64} : memref<1xi8>
  %cell = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1xi8> to memref<1x!f>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %end = arith.constant 12 : index
  scf.for %i = %zero to %end step %one {
    %at = arith.muli %i, %eight : index
    %row = scratch.slice %w[%at] : memref<12x8x!f> to memref<8x!f>
    %none = num.zero : !fixed.acc<24, 8>
    %sum = num.call #num.distance(%none, %v, %row) : (!fixed.acc<24, 8>, memref<8x!f>, memref<8x!f>) -> !fixed.acc<24, 8>
    %rounded = num.finish %sum : !fixed.acc<24, 8> -> !f
    memref.store %rounded, %cell[%zero] : memref<1x!f>
    %again = memref.load %cell[%zero] : memref<1x!f>
    %y = num.clamp %again {low = 0.0 : f64} : !f -> !f
    memref.store %y, %out[%i] : memref<12x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @distances(%w: memref<12x8x!fixed.q<8, 4>>, %v: memref<8x!fixed.q<8, 4>>, %out: memref<12x!fixed.q<8, 4>>) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64, lower_bound = 1 : i64} : memref<1xi8>
// CHECK-NEXT: %cell = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1xi8> to memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: %end = arith.constant 12 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<12x8x!fixed.q<8, 4>> to memref<96x!fixed.q<8, 4>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %v{{\[}}[[v0]]] : memref<8x!fixed.q<8, 4>> to memref<8x!fixed.q<8, 4>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %out{{\[}}[[v0]]] : memref<12x!fixed.q<8, 4>> to memref<12x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_f2d9056db4e5862f}, time = 77, once = 224, call = 16, stack = 76>([[v3]], [[v1]], [[v2]]) by #num.code_kernel<"tm_mve_elements", "f2d9056db4e5862f"> : (memref<12x!fixed.q<8, 4>>, memref<96x!fixed.q<8, 4>>, memref<8x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: func.return

// The cell is read outside, too.
func.func @kept(%w: memref<12x!f>, %out: memref<12x!f>) -> !f {
  %arena = scratch.arena {alignment = 1 : i64, lower_bound = 1 : i64} : memref<1xi8>
  %cell = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1xi8> to memref<1x!f>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 12 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %w[%i] : memref<12x!f>
    memref.store %a, %cell[%zero] : memref<1x!f>
    %b = memref.load %cell[%zero] : memref<1x!f>
    %y = num.clamp %b {low = 0.0 : f64} : !f -> !f
    memref.store %y, %out[%i] : memref<12x!f>
  }
  %last = memref.load %cell[%zero] : memref<1x!f>
  func.return %last : !f
}
// CHECK-LABEL: func.func @kept(%w: memref<12x!fixed.q<8, 4>>, %out: memref<12x!fixed.q<8, 4>>) -> !fixed.q<8, 4> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64, lower_bound = 1 : i64} : memref<1xi8>
// CHECK-NEXT: %cell = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1xi8> to memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %end = arith.constant 12 : index
// CHECK-NEXT: scf.for %i = %zero to %end step %one {
// CHECK-NEXT: %a = memref.load %w[%i] : memref<12x!fixed.q<8, 4>>
// CHECK-NEXT: memref.store %a, %cell[%zero] : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: %b = memref.load %cell[%zero] : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: %y = num.clamp %b {low = 0.000000e+00 : f64} : !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store %y, %out[%i] : memref<12x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: %last = memref.load %cell[%zero] : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %last : !fixed.q<8, 4>

// The vector lies where results are written.
func.func @overwritten(%w: memref<12x12x!f>, %v: memref<12x!f>) {
  num.contract %r to 12 {
    %zero = num.zero : !fixed.acc<24, 8>
    %sum = num.products %zero, %w, %v : !fixed.acc<24, 8>, memref<12x12x!f>, memref<12x!f> -> !fixed.acc<24, 8>
    %rounded = num.finish %sum : !fixed.acc<24, 8> -> !f
    memref.store %rounded, %v[%r] : memref<12x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @overwritten(%w: memref<12x12x!fixed.q<8, 4>>, %v: memref<12x!fixed.q<8, 4>>) {
// CHECK-NEXT: num.contract %r to 12 {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<24, 8>
// CHECK-NEXT: %sum = num.products %zero, %w, %v : !fixed.acc<24, 8>, memref<12x12x!fixed.q<8, 4>>, memref<12x!fixed.q<8, 4>> -> !fixed.acc<24, 8>
// CHECK-NEXT: %rounded = num.finish %sum : !fixed.acc<24, 8> -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store %rounded, %v[%r] : memref<12x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// A constant that the loop around the rows makes is in front of the call that replaces both.
func.func @made_inside(%x: memref<4x16x!f>, %out: memref<4x16x!f>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  scf.for %i = %zero to %four step %one {
    %at = arith.muli %i, %sixteen : index
    %row = scratch.slice %x[%at] : memref<4x16x!f> to memref<16x!f>
    %b = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi8> -> memref<16x!f, #scratch.flash>
    %to = scratch.slice %out[%at] : memref<4x16x!f> to memref<16x!f>
    scf.for %j = %zero to %sixteen step %one {
      %a = memref.load %row[%j] : memref<16x!f>
      %c = memref.load %b[%j] : memref<16x!f, #scratch.flash>
      %y = num.add %a, %c : !f, !f -> !f
      memref.store %y, %to[%j] : memref<16x!f>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @made_inside(%x: memref<4x16x!fixed.q<8, 4>>, %out: memref<4x16x!fixed.q<8, 4>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %sixteen = arith.constant 16 : index
// CHECK-NEXT: %b = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi8> -> memref<16x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<4x16x!fixed.q<8, 4>> to memref<64x!fixed.q<8, 4>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %b{{\[}}[[v0]]] : memref<16x!fixed.q<8, 4>, #scratch.flash> to memref<16x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %out{{\[}}[[v0]]] : memref<4x16x!fixed.q<8, 4>> to memref<64x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_c7e5fb3fba2dc1be}, time = 61, once = 88, call = 16, stack = 8>([[v3]], [[v1]], [[v2]]) by #num.code_kernel<"tm_mve_elements", "c7e5fb3fba2dc1be"> : (memref<64x!fixed.q<8, 4>>, memref<64x!fixed.q<8, 4>>, memref<16x!fixed.q<8, 4>, #scratch.flash>) -> ()
// CHECK-NEXT: func.return

// A value that the loop around the rows makes differs from row to row: the call stays in that loop.
func.func @differs(%x: memref<4x16x!f>, %scale: !f, %out: memref<4x16x!f>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  scf.for %i = %zero to %four step %one {
    %at = arith.muli %i, %sixteen : index
    %row = scratch.slice %x[%at] : memref<4x16x!f> to memref<16x!f>
    %to = scratch.slice %out[%at] : memref<4x16x!f> to memref<16x!f>
    %minus = num.neg %scale : !f -> !f
    scf.for %j = %zero to %sixteen step %one {
      %a = memref.load %row[%j] : memref<16x!f>
      %y = num.add %a, %minus : !f, !f -> !f
      memref.store %y, %to[%j] : memref<16x!f>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @differs(%x: memref<4x16x!fixed.q<8, 4>>, %scale: !fixed.q<8, 4>, %out: memref<4x16x!fixed.q<8, 4>>) {
// CHECK-NEXT: %minus = memref.alloca() : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %sixteen = arith.constant 16 : index
// CHECK-NEXT: scf.for %i = %zero to %four step %one {
// CHECK-NEXT: %at = arith.muli %i, %sixteen : index
// CHECK-NEXT: %row = scratch.slice %x[%at] : memref<4x16x!fixed.q<8, 4>> to memref<16x!fixed.q<8, 4>>
// CHECK-NEXT: %to = scratch.slice %out[%at] : memref<4x16x!fixed.q<8, 4>> to memref<16x!fixed.q<8, 4>>
// CHECK-NEXT: [[vminus_1:%.*]] = num.neg %scale : !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.store [[vminus_1]], %minus{{\[}}[[v0]]] : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 16 : index
// CHECK-NEXT: [[v2:%.*]] = arith.muli %i, [[v1]] : index
// CHECK-NEXT: [[v3:%.*]] = arith.addi [[v0]], [[v2]] : index
// CHECK-NEXT: [[v4:%.*]] = scratch.slice %x{{\[}}[[v3]]] : memref<4x16x!fixed.q<8, 4>> to memref<16x!fixed.q<8, 4>>
// CHECK-NEXT: [[v5:%.*]] = arith.muli %i, [[v1]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.addi [[v0]], [[v5]] : index
// CHECK-NEXT: [[v7:%.*]] = scratch.slice %out{{\[}}[[v6]]] : memref<4x16x!fixed.q<8, 4>> to memref<16x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.coded_loop<{function = @lanes_b2a0dc612963a648}, time = 21, once = 84, call = 16, stack = 68>([[v7]], [[v4]], %minus) by #num.code_kernel<"tm_mve_elements", "b2a0dc612963a648"> : (memref<16x!fixed.q<8, 4>>, memref<16x!fixed.q<8, 4>>, memref<1x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Halves to even: with scales in powers of two, ties occur, and more instructions round them.
func.func @ties(%x: memref<64x!zeroskew.q<8, 0.5, 3, even>>, %out: memref<64x!zeroskew.q<8, 1.0, 5, even>>) {
  tdsl.cast %x : memref<64x!zeroskew.q<8, 0.5, 3, even>> into %out : memref<64x!zeroskew.q<8, 1.0, 5, even>>
  func.return
}

func.func @no_ties(%x: memref<64x!zeroskew.q<8, 0.5, 3, even>>, %out: memref<64x!zeroskew.q<8, 0.7, 5, even>>) {
  tdsl.cast %x : memref<64x!zeroskew.q<8, 0.5, 3, even>> into %out : memref<64x!zeroskew.q<8, 0.7, 5, even>>
  func.return
}
// CHECK-LABEL: func.func @ties(
// CHECK: num.call #num.coded_loop<{function = @lanes_bf1d0f742bd36a9a}, time = 236,
// CHECK-LABEL: func.func @no_ties(
// CHECK: num.call #num.coded_loop<{function = @lanes_8a52fc277b8925ec}, time = 140,

// Functions by tables interpolate between two entries, with 8 bits of fraction; odd ones by the magnitude.
func.func @odd(%x: memref<64x!fixed.q<16, 12>>, %y: memref<64x!fixed.q<16, 15>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 64 : index
  scf.for %i = %zero to %n step %one {
    %a = memref.load %x[%i] : memref<64x!fixed.q<16, 12>>
    %b = num.tanh %a : !fixed.q<16, 12> -> !fixed.q<16, 15>
    memref.store %b, %y[%i] : memref<64x!fixed.q<16, 15>>
  }
  func.return
}

func.func @decays(%x: memref<64x!fixed.q<16, 11>>, %y: memref<64x!fixed.q<16, 10>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 64 : index
  scf.for %i = %zero to %n step %one {
    %a = memref.load %x[%i] : memref<64x!fixed.q<16, 11>>
    %b = num.exp %a : !fixed.q<16, 11> -> !fixed.q<16, 10>
    memref.store %b, %y[%i] : memref<64x!fixed.q<16, 10>>
  }
  func.return
}

// The functions of lanes that these calls name.

// Rows of three axes are one run of lanes: the ops are those of the format, with its constants.
// CHECK: num.lane_function @lanes_351e0cdcdc1ae26b(%x: memref<48xi8>, %z: memref<48xi8>, %out: memref<48xi8>) at [[v0:%.*]] to 48 {
// CHECK-NEXT: [[v1:%.*]] = arith.constant -128 : i32
// CHECK-NEXT: [[v2:%.*]] = arith.constant 255 : i32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant -19 : i8
// CHECK-NEXT: [[v5:%.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: [[v6:%.*]] = arith.constant 17 : i32
// CHECK-NEXT: [[v7:%.*]] = arith.constant -4 : i32
// CHECK-NEXT: [[v8:%.*]] = arith.constant 19 : i32
// CHECK-NEXT: [[v9:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v10:%.*]] = memref.load %x{{\[}}[[v0]]] : memref<48xi8>
// CHECK-NEXT: [[v11:%.*]] = arith.extsi [[v10]] : i8 to i32
// CHECK-NEXT: [[v12:%.*]] = memref.load %z{{\[}}[[v0]]] : memref<48xi8>
// CHECK-NEXT: [[v13:%.*]] = arith.extsi [[v12]] : i8 to i32
// CHECK-NEXT: [[v14:%.*]] = arith.subi [[v11]], [[v9]] : i32
// CHECK-NEXT: [[v15:%.*]] = arith.shli [[v14]], [[v8]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.subi [[v13]], [[v7]] : i32
// CHECK-NEXT: [[v17:%.*]] = arith.shli [[v16]], [[v6]] : i32
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v15]], [[v17]] : i32
// CHECK-NEXT: [[v19:%.*]] = func.call @tm_requantize_s32([[v18]], [[v5]], [[v4]]) : (i32, i32, i8) -> i32
// CHECK-NEXT: [[v20:%.*]] = arith.maxsi [[v19]], [[v3]] : i32
// CHECK-NEXT: [[v21:%.*]] = arith.minsi [[v20]], [[v2]] : i32
// CHECK-NEXT: [[v22:%.*]] = arith.addi [[v21]], [[v1]] : i32
// CHECK-NEXT: [[v23:%.*]] = arith.trunci [[v22]] : i32 to i8
// CHECK-NEXT: memref.store [[v23]], %out{{\[}}[[v0]]] : memref<48xi8>
// CHECK-NEXT: }

// All lanes are joined to the place of the greatest.
// CHECK: num.lane_function @lanes_6f1825cc3b293c2b(%best: memref<1xi8>, %x: memref<63xi8>, %label: memref<1xi32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = memref.load %best{{\[}}[[v0]]] : memref<1xi8>
// CHECK-NEXT: [[v2:%.*]] = arith.extsi [[v1]] : i8 to i32
// CHECK-NEXT: [[v3:%.*]], [[v4:%.*]] = num.reduce [[v2]], [[v0]] {first = 1 : i64, extent = 64 : i64, kinds = ["greatest", "place"]} : i32, index -> i32, index {
// CHECK-NEXT: ^bb0([[v5:%.*]]: index, [[v6:%.*]]: i32, [[v7:%.*]]: index):
// CHECK-NEXT: [[v8:%.*]] = affine.apply affine_map<(d0) -> ((d0 + -1))> ([[v5]])
// CHECK-NEXT: [[v9:%.*]] = memref.load %x{{\[}}[[v8]]] : memref<63xi8>
// CHECK-NEXT: [[v10:%.*]] = arith.extsi [[v9]] : i8 to i32
// CHECK-NEXT: [[v11:%.*]] = arith.cmpi sgt, [[v10]], [[v6]] : i32
// CHECK-NEXT: [[v12:%.*]] = arith.maxsi [[v10]], [[v6]] : i32
// CHECK-NEXT: [[v13:%.*]] = arith.select [[v11]], [[v5]], [[v7]] : index
// CHECK-NEXT: num.next [[v12]], [[v13]] : i32, index
// CHECK-NEXT: }
// CHECK-NEXT: [[v14:%.*]] = arith.index_cast [[v4]] : index to i32
// CHECK-NEXT: memref.store [[v14]], %label{{\[}}[[v0]]] : memref<1xi32>
// CHECK-NEXT: }

// A row of each lane meets a vector that all share.
// CHECK: num.lane_function @lanes_8b38f060ea43028c(%w: memref<108xi8>, %v: memref<9xi8>, %b: memref<12xi8>, %tanh_table: memref<69xi8>, %out: memref<12xi8>) at [[v0:%.*]] to 12 {
// CHECK-NEXT: [[v1:%.*]] = arith.constant 34 : i32
// CHECK-NEXT: [[v2:%.*]] = arith.constant -34 : i32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 127 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant -127 : i32
// CHECK-NEXT: [[v5:%.*]] = arith.constant 4 : i32
// CHECK-NEXT: [[v6:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v7:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v8:%.*]] = num.reduce [[v7]] {first = 0 : i64, extent = 9 : i64, kinds = ["sum"]} : i32 -> i32 {
// CHECK-NEXT: ^bb0([[v9:%.*]]: index, [[v10:%.*]]: i32):
// CHECK-NEXT: [[v11:%.*]] = affine.apply affine_map<(d0, d1) -> ((d1 + (d0 * 9)))> ([[v0]], [[v9]])
// CHECK-NEXT: [[v12:%.*]] = memref.load %w{{\[}}[[v11]]] : memref<108xi8>
// CHECK-NEXT: [[v13:%.*]] = arith.extsi [[v12]] : i8 to i32
// CHECK-NEXT: [[v14:%.*]] = memref.load %v{{\[}}[[v9]]] : memref<9xi8>
// CHECK-NEXT: [[v15:%.*]] = arith.extsi [[v14]] : i8 to i32
// CHECK-NEXT: [[v16:%.*]] = arith.muli [[v13]], [[v15]] : i32
// CHECK-NEXT: [[v17:%.*]] = arith.addi [[v10]], [[v16]] : i32
// CHECK-NEXT: num.next [[v17]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v8]], [[v6]] : i32
// CHECK-NEXT: [[v19:%.*]] = arith.shrsi [[v18]], [[v5]] : i32
// CHECK-NEXT: [[v20:%.*]] = arith.maxsi [[v19]], [[v4]] : i32
// CHECK-NEXT: [[v21:%.*]] = arith.minsi [[v20]], [[v3]] : i32
// CHECK-NEXT: [[v22:%.*]] = memref.load %b{{\[}}[[v0]]] : memref<12xi8>
// CHECK-NEXT: [[v23:%.*]] = arith.extsi [[v22]] : i8 to i32
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[v21]], [[v23]] : i32
// CHECK-NEXT: [[v25:%.*]] = arith.maxsi [[v24]], [[v4]] : i32
// CHECK-NEXT: [[v26:%.*]] = arith.minsi [[v25]], [[v3]] : i32
// CHECK-NEXT: [[v27:%.*]] = arith.maxsi [[v26]], [[v2]] : i32
// CHECK-NEXT: [[v28:%.*]] = arith.minsi [[v27]], [[v1]] : i32
// CHECK-NEXT: [[v29:%.*]] = arith.subi [[v28]], [[v2]] : i32
// CHECK-NEXT: [[v30:%.*]] = arith.index_cast [[v29]] : i32 to index
// CHECK-NEXT: [[v31:%.*]] = memref.load %tanh_table{{\[}}[[v30]]] : memref<69xi8>
// CHECK-NEXT: [[v32:%.*]] = arith.extsi [[v31]] : i8 to i32
// CHECK-NEXT: [[v33:%.*]] = arith.trunci [[v32]] : i32 to i8
// CHECK-NEXT: memref.store [[v33]], %out{{\[}}[[v0]]] : memref<12xi8>
// CHECK-NEXT: }

// The magnitude is looked up.
// CHECK: num.lane_function @lanes_f88ccfdff86846cc(%x: memref<64xi16>, %tanh_table: memref<268xi16>, %y: memref<64xi16>) at [[v0:%.*]] to 64 {
// CHECK-NEXT: [[v1:%.*]] = arith.constant 128 : i32
// CHECK-NEXT: [[v2:%.*]] = arith.constant 255 : i32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v5:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v6:%.*]] = arith.constant 22714 : i32
// CHECK-NEXT: [[v7:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v8:%.*]] = memref.load %x{{\[}}[[v0]]] : memref<64xi16>
// CHECK-NEXT: [[v9:%.*]] = arith.extsi [[v8]] : i16 to i32
// CHECK-NEXT: [[v10:%.*]] = arith.subi [[v7]], [[v9]] : i32
// CHECK-NEXT: [[v11:%.*]] = arith.maxsi [[v9]], [[v10]] : i32
// CHECK-NEXT: [[v12:%.*]] = arith.minsi [[v11]], [[v6]] : i32
// CHECK-NEXT: [[v13:%.*]] = arith.muli [[v12]], [[v5]] : i32
// CHECK-NEXT: [[v14:%.*]] = arith.shrsi [[v13]], [[v4]] : i32
// CHECK-NEXT: [[v15:%.*]] = arith.index_cast [[v14]] : i32 to index
// CHECK-NEXT: [[v16:%.*]] = memref.load %tanh_table{{\[}}[[v15]]] : memref<268xi16>
// CHECK-NEXT: [[v17:%.*]] = arith.extsi [[v16]] : i16 to i32
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v14]], [[v3]] : i32
// CHECK-NEXT: [[v19:%.*]] = arith.index_cast [[v18]] : i32 to index
// CHECK-NEXT: [[v20:%.*]] = memref.load %tanh_table{{\[}}[[v19]]] : memref<268xi16>
// CHECK-NEXT: [[v21:%.*]] = arith.extsi [[v20]] : i16 to i32
// CHECK-NEXT: [[v22:%.*]] = arith.andi [[v13]], [[v2]] : i32
// CHECK-NEXT: [[v23:%.*]] = arith.subi [[v21]], [[v17]] : i32
// CHECK-NEXT: [[v24:%.*]] = arith.muli [[v23]], [[v22]] : i32
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v24]], [[v1]] : i32
// CHECK-NEXT: [[v26:%.*]] = arith.shrsi [[v25]], [[v4]] : i32
// CHECK-NEXT: [[v27:%.*]] = arith.addi [[v17]], [[v26]] : i32
// CHECK-NEXT: [[v28:%.*]] = arith.cmpi sge, [[v9]], [[v7]] : i32
// CHECK-NEXT: [[v29:%.*]] = arith.subi [[v7]], [[v27]] : i32
// CHECK-NEXT: [[v30:%.*]] = arith.select [[v28]], [[v27]], [[v29]] : i32
// CHECK-NEXT: [[v31:%.*]] = arith.trunci [[v30]] : i32 to i16
// CHECK-NEXT: memref.store [[v31]], %y{{\[}}[[v0]]] : memref<64xi16>
// CHECK-NEXT: }

// Entries beyond the ends are those at the ends.
// CHECK: num.lane_function @lanes_b41b26d477ab2051(%x: memref<64xi16>, %exp_table: memref<356xi16>, %y: memref<64xi16>) at [[v0:%.*]] to 64 {
// CHECK-NEXT: [[v1:%.*]] = arith.constant 32767 : i32
// CHECK-NEXT: [[v2:%.*]] = arith.constant 128 : i32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 255 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v5:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v6:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: [[v7:%.*]] = arith.constant 7098 : i32
// CHECK-NEXT: [[v8:%.*]] = arith.constant -15616 : i32
// CHECK-NEXT: [[v9:%.*]] = memref.load %x{{\[}}[[v0]]] : memref<64xi16>
// CHECK-NEXT: [[v10:%.*]] = arith.extsi [[v9]] : i16 to i32
// CHECK-NEXT: [[v11:%.*]] = arith.maxsi [[v10]], [[v8]] : i32
// CHECK-NEXT: [[v12:%.*]] = arith.minsi [[v11]], [[v7]] : i32
// CHECK-NEXT: [[v13:%.*]] = arith.subi [[v7]], [[v12]] : i32
// CHECK-NEXT: [[v14:%.*]] = arith.shli [[v13]], [[v6]] : i32
// CHECK-NEXT: [[v15:%.*]] = arith.shrsi [[v14]], [[v5]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.index_cast [[v15]] : i32 to index
// CHECK-NEXT: [[v17:%.*]] = memref.load %exp_table{{\[}}[[v16]]] : memref<356xi16>
// CHECK-NEXT: [[v18:%.*]] = arith.extsi [[v17]] : i16 to i32
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v15]], [[v4]] : i32
// CHECK-NEXT: [[v20:%.*]] = arith.index_cast [[v19]] : i32 to index
// CHECK-NEXT: [[v21:%.*]] = memref.load %exp_table{{\[}}[[v20]]] : memref<356xi16>
// CHECK-NEXT: [[v22:%.*]] = arith.extsi [[v21]] : i16 to i32
// CHECK-NEXT: [[v23:%.*]] = arith.andi [[v14]], [[v3]] : i32
// CHECK-NEXT: [[v24:%.*]] = arith.subi [[v22]], [[v18]] : i32
// CHECK-NEXT: [[v25:%.*]] = arith.muli [[v24]], [[v23]] : i32
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v25]], [[v2]] : i32
// CHECK-NEXT: [[v27:%.*]] = arith.shrsi [[v26]], [[v5]] : i32
// CHECK-NEXT: [[v28:%.*]] = arith.addi [[v18]], [[v27]] : i32
// CHECK-NEXT: [[v29:%.*]] = arith.shli [[v28]], [[v4]] : i32
// CHECK-NEXT: [[v30:%.*]] = arith.minsi [[v29]], [[v1]] : i32
// CHECK-NEXT: [[v31:%.*]] = arith.trunci [[v30]] : i32 to i16
// CHECK-NEXT: memref.store [[v31]], %y{{\[}}[[v0]]] : memref<64xi16>
// CHECK-NEXT: }
