// RUN: tinyml-opt %s -p slide-windows,canonicalize --split-input-file | filecheck %s

// Windows of 2 x 2 elements of an image of 3 x 4: of the three in a row, each takes in two elements.
func.func @sliding(%x: !rtl.memory<12, 8>, %y: !rtl.memory<6, 16>) -> index {
  %w = rtl.memory dense<[1, 2, 3, 4]> : tensor<4xi8> : !rtl.memory<4, 8>
  %window = rtl.memory : !rtl.memory<4, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %start = arith.constant 0 : i16
  scf.for %i = %zero to %two step %one {
    %out = arith.muli %i, %three : index
    scf.for %j = %zero to %three step %one {
      scf.for %r = %zero to %two step %one {
        %line = arith.addi %i, %r : index
        %first = arith.muli %line, %four : index
        %begin = arith.addi %first, %j : index
        %to = arith.muli %r, %two : index
        scf.for %c = %zero to %two step %one {
          %from = arith.addi %begin, %c : index
          %e = rtl.load %x[%from] : !rtl.memory<12, 8> -> i8
          %at = arith.addi %to, %c : index
          rtl.store %e, %window[%at] : i8, !rtl.memory<4, 8>
        }
      }
      %sum = scf.for %k = %zero to %four step %one iter_args(%s = %start) -> (i16) {
        %a = rtl.load %w[%k] : !rtl.memory<4, 8> -> i8
        %b = rtl.load %window[%k] : !rtl.memory<4, 8> -> i8
        %p = arith.muli %a, %b : i8
        %q = arith.extsi %p : i8 to i16
        %n = arith.addi %s, %q : i16
        scf.yield %n : i16
      }
      %place = arith.addi %out, %j : index
      rtl.store %sum, %y[%place] : i16, !rtl.memory<6, 16>
    }
  }
  func.return %zero : index
}
// CHECK: func.func @sliding
// Weights for each turn of the columns.
// CHECK: %w = rtl.memory dense<[1, 2, 3, 4, 2, 1, 4, 3]>
// The first column of a row of windows, then the second of each, in the place of the one that leaves.
// CHECK: rtl.load %x
// CHECK: scf.for %j = {{.*}} iter_args([[turn:%.*]] = {{%.*}}, [[place:%.*]] = {{%.*}})
// CHECK: arith.addi {{%.*}}, [[place]] : index
// CHECK-NEXT: rtl.store
// CHECK: [[weights:%.*]] = arith.muli [[turn]], {{%.*}} : index
// CHECK: [[at:%.*]] = arith.addi %k, [[weights]] : index
// CHECK: rtl.load %w[[[at]]]
// CHECK: scf.yield {{%.*}}, [[turn]] : index, index

// -----

// A window that is read behind the loop, too, stays as it is.
func.func @read(%x: !rtl.memory<12, 8>) -> i8 {
  %w = rtl.memory dense<[1, 2]> : tensor<2xi8> : !rtl.memory<2, 8>
  %window = rtl.memory : !rtl.memory<2, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %start = arith.constant 0 : i8
  scf.for %j = %zero to %three step %one {
    scf.for %r = %zero to %one step %one {
      scf.for %c = %zero to %two step %one {
        %from = arith.addi %j, %c : index
        %e = rtl.load %x[%from] : !rtl.memory<12, 8> -> i8
        rtl.store %e, %window[%c] : i8, !rtl.memory<2, 8>
      }
    }
    %sum = scf.for %k = %zero to %two step %one iter_args(%s = %start) -> (i8) {
      %a = rtl.load %w[%k] : !rtl.memory<2, 8> -> i8
      %b = rtl.load %window[%k] : !rtl.memory<2, 8> -> i8
      %p = arith.muli %a, %b : i8
      %n = arith.addi %s, %p : i8
      scf.yield %n : i8
    }
    rtl.send %sum to 0 : i64 : i8
  }
  %last = rtl.load %window[%one] : !rtl.memory<2, 8> -> i8
  func.return %last : i8
}
// CHECK: func.func @read
// CHECK: dense<[1, 2]>
