// RUN: tinyml-opt %s -p fuse-distances | filecheck %s

// The vectors give up 1 and 2 bits: then 4 squares of (16383 + |b|) are proven to fit 32 bits.
func.func @protonn(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>, %i: index) -> tensor<1x1x!fixed.q<16, 6>> {
  %b = tdsl.const dense<[[[16000], [1], [-3], [5]], [[8], [-16000], [2], [4]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<16, 12>>
  %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
  %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 12>>
  %del = tdsl.sub %wx, %bi : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @protonn(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>, %i: index) -> tensor<1x1x!fixed.q<16, 6>> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}[4000], [0], [-1], [1]], {{\[\[}}2], [-4000], [0], [1]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<14, 10>>
// CHECK-NEXT: %wx = tdsl.matmul %w, %x {acc = !fixed.acc<64, 29>, bound = array<i64: -4294705156, 4294705156>} : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<15, 10>>
// CHECK-NEXT: %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<14, 10>> -> tensor<4x1x!fixed.q<14, 10>>
// CHECK-NEXT: %d = tdsl.squared_distance %wx, %bi {acc = !fixed.acc<32, 20>, bound = array<i64: 0, 1220773059>} : tensor<4x1x!fixed.q<15, 10>>, tensor<4x1x!fixed.q<14, 10>> -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: func.return %d : tensor<1x1x!fixed.q<16, 6>>

// Somebody else reads the differences: they stay.
func.func @shared(%x: tensor<4x1x!fixed.q<14, 9>>, %y: tensor<4x1x!fixed.q<14, 9>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 9>>) {
  %del = tdsl.sub %x, %y : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<14, 9>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.reshape %del : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d, %del : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 9>>
}
// CHECK-LABEL: func.func @shared(%x: tensor<4x1x!fixed.q<14, 9>>, %y: tensor<4x1x!fixed.q<14, 9>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 9>>) {
// CHECK-NEXT: %del = tdsl.sub %x, %y : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<14, 9>> -> tensor<4x1x!fixed.q<16, 9>>
// CHECK-NEXT: %row = tdsl.reshape %del : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
// CHECK-NEXT: %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: func.return %d, %del : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 9>>

// Inputs keep their format: these suit each other.
func.func @inputs(%x: tensor<4x1x!fixed.q<14, 9>>, %y: tensor<4x1x!fixed.q<14, 9>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %del = tdsl.sub %x, %y : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<14, 9>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.reshape %del : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @inputs(%x: tensor<4x1x!fixed.q<14, 9>>, %y: tensor<4x1x!fixed.q<14, 9>>) -> tensor<1x1x!fixed.q<16, 6>> {
// CHECK-NEXT: %d = tdsl.squared_distance %x, %y {acc = !fixed.acc<32, 18>, bound = array<i64: 0, 1073479696>} : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<14, 9>> -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: func.return %d : tensor<1x1x!fixed.q<16, 6>>

// Floats have no exact differences.
func.func @floats(%x: tensor<4x1xf32>, %y: tensor<4x1xf32>) -> tensor<1x1xf32> {
  %del = tdsl.sub %x, %y : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %row = tdsl.reshape %del : tensor<4x1xf32> -> tensor<1x4xf32>
  %d = tdsl.matmul %row, %del : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %d : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @floats(%x: tensor<4x1xf32>, %y: tensor<4x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %del = tdsl.sub %x, %y : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %row = tdsl.reshape %del : tensor<4x1xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %d = tdsl.matmul %row, %del : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %d : tensor<1x1xf32>

// An op with a body names its format there, too: what it gives keeps it, and these formats then do not suit each other.
func.func @mapped(%x: tensor<4x1x!fixed.q<16, 11>>, %y: tensor<4x1x!fixed.q<16, 12>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %b = tdsl.const dense<[[16000], [1], [-3], [5]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
  %wx = tdsl.map %x : tensor<4x1x!fixed.q<16, 11>> -> tensor<4x1x!fixed.q<16, 11>> {
  ^bb0(%e: !fixed.q<16, 11>):
    %n = num.neg %e : !fixed.q<16, 11> -> !fixed.q<16, 11>
    tdsl.yield %n : !fixed.q<16, 11>
  }
  %del = tdsl.sub %wx, %b : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
  %row = tdsl.reshape %del : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @mapped(%x: tensor<4x1x!fixed.q<16, 11>>, %y: tensor<4x1x!fixed.q<16, 12>>) -> tensor<1x1x!fixed.q<16, 6>> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}16000], [1], [-3], [5]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
// CHECK-NEXT: %wx = tdsl.map %x : tensor<4x1x!fixed.q<16, 11>> -> tensor<4x1x!fixed.q<16, 11>> {
// CHECK-NEXT: ^bb0(%e: !fixed.q<16, 11>):
// CHECK-NEXT: %n = num.neg %e : !fixed.q<16, 11> -> !fixed.q<16, 11>
// CHECK-NEXT: tdsl.yield %n : !fixed.q<16, 11>
// CHECK-NEXT: }
// CHECK-NEXT: %del = tdsl.sub %wx, %b : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
// CHECK-NEXT: %row = tdsl.reshape %del : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
// CHECK-NEXT: %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: func.return %d : tensor<1x1x!fixed.q<16, 6>>

// A vector that something else reads gives up no bits, and a constant that something else reads neither: these do not
// suit each other then.
func.func @read(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 11>>) {
  %b = tdsl.const dense<[[16000], [1], [-3], [5]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
  %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
  %del = tdsl.sub %wx, %b : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d, %wx : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 11>>
}
// CHECK-LABEL: func.func @read(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 11>>) {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}16000], [1], [-3], [5]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
// CHECK-NEXT: %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
// CHECK-NEXT: %del = tdsl.sub %wx, %b : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
// CHECK-NEXT: %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
// CHECK-NEXT: %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: func.return %d, %wx : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 11>>

func.func @constant(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>) {
  %b = tdsl.const dense<[[16000], [1], [-3], [5]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
  %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
  %del = tdsl.sub %wx, %b : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d, %b : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @constant(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>) {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}16000], [1], [-3], [5]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
// CHECK-NEXT: %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
// CHECK-NEXT: %del = tdsl.sub %wx, %b : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
// CHECK-NEXT: %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
// CHECK-NEXT: %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: func.return %d, %b : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>

// Nor does one that is indexed for another reader.
func.func @indexed(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>, %i: index) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>) {
  %b = tdsl.const dense<[[[16000], [1], [-3], [5]], [[8], [-16000], [2], [4]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<16, 12>>
  %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
  %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 12>>
  %del = tdsl.sub %wx, %bi : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d, %bi : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @indexed(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>, %i: index) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>) {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}[16000], [1], [-3], [5]], {{\[\[}}8], [-16000], [2], [4]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<16, 12>>
// CHECK-NEXT: %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
// CHECK-NEXT: %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 12>>
// CHECK-NEXT: %del = tdsl.sub %wx, %bi : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
// CHECK-NEXT: %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
// CHECK-NEXT: %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: func.return %d, %bi : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<16, 12>>

// A constant gives up six bits, and no seven.
func.func @six(%x: tensor<4x1x!fixed.q<15, 9>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %b = tdsl.const dense<[[128], [-256], [384], [128]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 15>>
  %del = tdsl.sub %x, %b : tensor<4x1x!fixed.q<15, 9>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @six
// CHECK: tensor<4x1x!fixed.q<10, 9>>
// CHECK-NOT: tdsl.sub

func.func @seven(%x: tensor<4x1x!fixed.q<15, 9>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %b = tdsl.const dense<[[128], [-256], [384], [128]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 16>>
  %del = tdsl.sub %x, %b : tensor<4x1x!fixed.q<15, 9>>, tensor<4x1x!fixed.q<16, 16>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @seven
// CHECK: tdsl.sub

// A constant that something else reads keeps its format, whether this suits the vector or has one bit more.
func.func @suits(%x: tensor<4x1x!fixed.q<14, 9>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<14, 9>>) {
  %b = tdsl.const dense<[[128], [-256], [384], [128]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<14, 9>>
  %del = tdsl.sub %x, %b : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<14, 9>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d, %b : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<14, 9>>
}
// CHECK-LABEL: func.func @suits
// CHECK: tdsl.squared_distance %x, %b

func.func @one_more(%x: tensor<4x1x!fixed.q<14, 9>>) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<15, 10>>) {
  %b = tdsl.const dense<[[128], [-256], [384], [128]]> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<15, 10>>
  %del = tdsl.sub %x, %b : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d, %b : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<15, 10>>
}
// CHECK-LABEL: func.func @one_more
// CHECK: tdsl.sub

// So does one that is indexed twice, and a vector that moves the bits of another.
func.func @indexed_twice(%x: tensor<4x1x!fixed.q<14, 9>>, %i: index, %j: index) -> (tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<15, 10>>) {
  %b = tdsl.const dense<[[[128], [-256], [384], [128]], [[8], [4], [2], [6]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<15, 10>>
  %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<15, 10>>
  %bj = tdsl.index %b[%j] : tensor<2x4x1x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<15, 10>>
  %del = tdsl.sub %x, %bi : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d, %bj : tensor<1x1x!fixed.q<16, 6>>, tensor<4x1x!fixed.q<15, 10>>
}
// CHECK-LABEL: func.func @indexed_twice
// CHECK: tdsl.sub

func.func @moved(%x: tensor<1x4x!fixed.q<15, 10>>, %y: tensor<4x1x!fixed.q<14, 9>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %column = tdsl.reshape %x : tensor<1x4x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<15, 10>>
  %del = tdsl.sub %column, %y : tensor<4x1x!fixed.q<15, 10>>, tensor<4x1x!fixed.q<14, 9>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @moved
// CHECK: tdsl.sub

// Reshapes of a constant move its bits: they keep its format, also before an index.
func.func @reshaped(%x: tensor<4x1x!fixed.q<14, 9>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %c = tdsl.const dense<[128, -256, 384, 128]> : tensor<4xi16> -> tensor<4x!fixed.q<15, 10>>
  %b = tdsl.reshape %c : tensor<4x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<15, 10>>
  %del = tdsl.sub %x, %b : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @reshaped
// CHECK: tdsl.sub %x, %b

func.func @reshaped_and_indexed(%x: tensor<4x1x!fixed.q<14, 9>>, %i: index) -> tensor<1x1x!fixed.q<16, 6>> {
  %c = tdsl.const dense<[[128, -256, 384, 128], [8, 4, 2, 6]]> : tensor<2x4xi16> -> tensor<2x4x!fixed.q<15, 10>>
  %b = tdsl.reshape %c : tensor<2x4x!fixed.q<15, 10>> -> tensor<2x4x1x!fixed.q<15, 10>>
  %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<15, 10>>
  %del = tdsl.sub %x, %bi : tensor<4x1x!fixed.q<14, 9>>, tensor<4x1x!fixed.q<15, 10>> -> tensor<4x1x!fixed.q<16, 9>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 9>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 9>>, tensor<4x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @reshaped_and_indexed
// CHECK: tdsl.sub %x, %bi

// Options gave the types of both vectors, which therefore give up no bit. Another given type changes nothing.
func.func @given(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>, %i: index) -> tensor<1x1x!fixed.q<16, 6>> attributes {tdsl.given = [!fixed.q<16, 11>, !fixed.q<16, 12>]} {
  %b = tdsl.const dense<[[[16000], [1], [-3], [5]], [[8], [-16000], [2], [4]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<16, 12>>
  %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
  %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 12>>
  %del = tdsl.sub %wx, %bi : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @given
// CHECK: tdsl.sub {{.*}} : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>>
func.func @other_given(%w: tensor<4x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 15>>, %i: index) -> tensor<1x1x!fixed.q<16, 6>> attributes {tdsl.given = [!fixed.q<16, 10>]} {
  %b = tdsl.const dense<[[[16000], [1], [-3], [5]], [[8], [-16000], [2], [4]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<16, 12>>
  %wx = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 11>>
  %bi = tdsl.index %b[%i] : tensor<2x4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 12>>
  %del = tdsl.sub %wx, %bi : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 11>>
  %row = tdsl.transpose %del {permutation = array<i64: 1, 0>} : tensor<4x1x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 11>>
  %d = tdsl.matmul %row, %del : tensor<1x4x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @other_given
// CHECK: tdsl.squared_distance %wx, %bi {{.*}} : tensor<4x1x!fixed.q<15, 10>>, tensor<4x1x!fixed.q<14, 10>>
