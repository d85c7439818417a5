// RUN: tinyml-opt %s -p check-sharing --split-input-file --verify-diagnostics | filecheck %s
// RUN: sed 's/, proof = "peak"//' %s | not tinyml-opt -p check-sharing --split-input-file 2>&1 | filecheck %s --check-prefix=UNPROVED
// UNPROVED: expected a dictionary of bytes, alignment, lower_bound and proof

// The scratch of @two ends where the state of @one begins.
builtin.module attributes {scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64, proof = "peak"}} {
  func.func @one(%i: index) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<8xi8>
    %kept = scratch.view %arena[4 : i64] {live = [-1 : i64, 1 : i64], state} : memref<8xi8> to memref<1xf32>
    tdsl.neg %kept : memref<1xf32> into %kept : memref<1xf32>
    func.return %i : index
  }
  func.func @two(%X: memref<1xf32>) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
    %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<4xi8> to memref<1xf32>
    tdsl.neg %X : memref<1xf32> into %y : memref<1xf32>
    %l = tdsl.argmax %y : memref<1xf32>
    func.return %l : index
  }
}
// CHECK: scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64, proof = "peak", checked = ["exact-cover", "branch-and-bound"]}

// -----

// One byte further, the state is lost.
builtin.module attributes {scratch.shared = {bytes = 4 : i64, alignment = 4 : i64, lower_bound = 4 : i64, proof = "peak"}} {
  func.func @one(%i: index) -> index {
    %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
    %kept = scratch.view %arena[3 : i64] {live = [-1 : i64, 1 : i64], state} : memref<4xi8> to memref<1x!fixed.q<8, 7>>
    tdsl.neg %kept : memref<1x!fixed.q<8, 7>> into %kept : memref<1x!fixed.q<8, 7>>
    func.return %i : index
  }
  func.func @two(%X: memref<1xf32>) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
    %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<4xi8> to memref<1xf32>
    tdsl.neg %X : memref<1xf32> into %y : memref<1xf32>
    %l = tdsl.argmax %y : memref<1xf32>
    func.return %l : index
  }
}
// CHECK: @two writes y (bytes 0 to 3) over kept of @one, which keeps its value

// -----

// The recorded size is one byte too large.
builtin.module attributes {scratch.shared = {bytes = 5 : i64, alignment = 4 : i64, lower_bound = 4 : i64, proof = "peak"}} {
  func.func @one(%X: memref<1xf32>) -> index {
    %l = tdsl.argmax %X : memref<1xf32>
    func.return %l : index
  }
  func.func @two(%X: memref<1xf32>) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
    %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<4xi8> to memref<1xf32>
    tdsl.neg %X : memref<1xf32> into %y : memref<1xf32>
    %l = tdsl.argmax %y : memref<1xf32>
    func.return %l : index
  }
}
// CHECK: the shared arena: the height is 4 bytes, not 5

// -----

// The bound is one byte too high, which a judge refutes: two bytes that are never alive together.
builtin.module attributes {scratch.shared = {bytes = 2 : i64, alignment = 1 : i64, lower_bound = 2 : i64, proof = "exact-cover"}} {
  func.func @one(%X: memref<1x!fixed.q<8, 7>>) -> index {
    %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
    %y = scratch.view %arena[1 : i64] {live = [0 : i64, 1 : i64]} : memref<2xi8> to memref<1x!fixed.q<8, 7>>
    tdsl.neg %X : memref<1x!fixed.q<8, 7>> into %y : memref<1x!fixed.q<8, 7>>
    %l = tdsl.argmax %y : memref<1x!fixed.q<8, 7>>
    func.return %l : index
  }
  func.func @two(%X: memref<1x!fixed.q<8, 7>>) -> index {
    %arena = scratch.arena {alignment = 1 : i64} : memref<1xi8>
    %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1xi8> to memref<1x!fixed.q<8, 7>>
    tdsl.neg %X : memref<1x!fixed.q<8, 7>> into %y : memref<1x!fixed.q<8, 7>>
    %l = tdsl.argmax %y : memref<1x!fixed.q<8, 7>>
    func.return %l : index
  }
}
// CHECK: the shared arena: the lower bound is 2 bytes, but 1 are enough

// -----

func.func @one(%X: memref<1xf32>) -> index {
  %l = tdsl.argmax %X : memref<1xf32>
  func.return %l : index
}
// CHECK: the functions share no arena: run share-arena first

// -----

// Exact cover does not judge more than 1 MB, and branch and bound does.
builtin.module attributes {scratch.shared = {bytes = 1048580 : i64, alignment = 4 : i64, lower_bound = 1048580 : i64, proof = "peak"}} {
  func.func @one(%i: index) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<1048580xi8>
    %kept = scratch.view %arena[1048576 : i64] {live = [-1 : i64, 1 : i64], state} : memref<1048580xi8> to memref<1xf32>
    tdsl.neg %kept : memref<1xf32> into %kept : memref<1xf32>
    func.return %i : index
  }
  func.func @two(%X: memref<262144xf32>) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<1048576xi8>
    %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1048576xi8> to memref<262144xf32>
    tdsl.neg %X : memref<262144xf32> into %y : memref<262144xf32>
    %l = tdsl.argmax %y : memref<262144xf32>
    func.return %l : index
  }
}
// CHECK: scratch.shared = {bytes = 1048580 : i64, alignment = 4 : i64, lower_bound = 1048580 : i64, proof = "peak", checked = ["branch-and-bound"]}

// -----

// The state has the bytes of the scratch of @two.
builtin.module attributes {scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64, proof = "peak"}} {
  func.func @one(%i: index) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<8xi8>
    %kept = scratch.view %arena[4 : i64] {live = [-1 : i64, 1 : i64], state} : memref<8xi8> to memref<1xf32>
    tdsl.neg %kept : memref<1xf32> into %kept : memref<1xf32>
    func.return %i : index
  }
  func.func @two(%X: memref<1xf32>) -> index {
    %arena = scratch.arena {alignment = 4 : i64} : memref<8xi8>
    %y = scratch.view %arena[4 : i64] {live = [0 : i64, 1 : i64]} : memref<8xi8> to memref<1xf32>
    tdsl.neg %X : memref<1xf32> into %y : memref<1xf32>
    %l = tdsl.argmax %y : memref<1xf32>
    func.return %l : index
  }
}
// CHECK: @two writes y (bytes 4 to 7) over kept of @one, which keeps its value

// -----

// A buffer without elements needs no byte, and no packing needs less.
builtin.module attributes {scratch.shared = {bytes = 0 : i64, alignment = 4 : i64, lower_bound = 0 : i64, proof = "peak"}} {
  func.func @one(%X: memref<0xf32>) {
    %arena = scratch.arena {alignment = 4 : i64} : memref<0xi8>
    %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<0xi8> to memref<0xf32>
    tdsl.neg %X : memref<0xf32> into %y : memref<0xf32>
    func.return
  }
  func.func @two(%i: index) -> index {
    func.return %i : index
  }
}
// CHECK: scratch.shared = {bytes = 0 : i64, {{.*}}checked = ["exact-cover", "branch-and-bound"]}

// -----

// Neither do functions without buffers.
builtin.module attributes {scratch.shared = {bytes = 0 : i64, alignment = 1 : i64, lower_bound = 0 : i64, proof = "peak"}} {
  func.func @one(%i: index) -> index {
    func.return %i : index
  }
  func.func @two(%i: index) -> index {
    func.return %i : index
  }
}
// CHECK: scratch.shared = {bytes = 0 : i64, {{.*}}checked = ["exact-cover", "branch-and-bound"]}
