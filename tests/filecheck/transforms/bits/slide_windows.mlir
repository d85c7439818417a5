// RUN: tinyml-opt %s -p slide-windows,canonicalize,cse --split-input-file --verify-diagnostics | filecheck %s

// Windows of 2 x 2 elements of an image of 3 x 4: of the three in a row, each takes in two elements.
func.func @sliding(%x: memref<12xi8>, %y: memref<6xi8>) {
  %w = scratch.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi8> -> memref<1x4xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %window = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %flat = scratch.slice %w[%zero] : memref<1x4xi8, #scratch.flash> to memref<4xi8, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    scf.for %j = %zero to %three step %one {
      scf.for %r = %zero to %two step %one {
        %line = arith.addi %i, %r : index
        %first = arith.muli %line, %four : index
        %from = arith.addi %first, %j : index
        %to = arith.muli %r, %two : index
        scratch.copy_run %x[%from] to %window[%to] count %two {most = 2 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
      }
      scratch.slide %window against %w : memref<4xi8>, memref<1x4xi8, #scratch.flash>
      scf.for %k = %zero to %four step %one {
        %a = memref.load %flat[%k] : memref<4xi8, #scratch.flash>
        %b = memref.load %window[%k] : memref<4xi8>
        "test.op"(%a, %b) : (i8, i8) -> ()
      }
    }
  }
  func.return
}
// CHECK-LABEL: func.func @sliding
// Weights for each turn of the columns.
// CHECK: %w = scratch.constant dense<{{\[\[\[}}1, 2, 3, 4]], {{\[\[}}2, 1, 4, 3]]]>
// The first column of a row of windows, then the second of each, in the place of the one that leaves.
// CHECK: scratch.copy_run %x{{.*}} count %one {most = 1 : i64}
// CHECK: scf.for %j = {{.*}} iter_args([[turn:%.*]] = %zero, [[place:%.*]] = %one)
// CHECK: [[at:%.*]] = arith.muli [[turn]], %four : index
// A view of the weights from before the loop becomes one of those of the turn.
// CHECK: [[weights:%.*]] = scratch.slice %w[[[at]]] : memref<2x1x4xi8, #scratch.flash> to memref<4xi8, #scratch.flash>
// CHECK: [[from:%.*]] = arith.addi %from{{.*}}, %one : index
// CHECK: [[to:%.*]] = arith.addi %to_1, [[place]] : index
// CHECK: scratch.copy_run %x[[[from]]] to %window[[[to]]] count %one {most = 1 : i64}
// CHECK-NOT: scratch.slide
// CHECK: memref.load [[weights]]
// CHECK: scf.yield {{%.*}}, [[turn]] : index, index

// -----

// A window whose bytes another buffer takes in the same loop stays as it is, as does one of an image that grows there.
func.func @written(%x: memref<12xi8>) {
  %w = scratch.constant dense<[[1, 2]]> : tensor<1x2xi8> -> memref<1x2xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %window = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi8>
  %next = scratch.view %arena[1 : i64] : memref<4xi8> to memref<1xi8>
  %other = scratch.view %arena[2 : i64] : memref<4xi8> to memref<2xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %last = arith.constant 11 : index
  %number = arith.constant 1 : i8
  scf.for %j = %zero to %three step %one {
    scratch.copy_run %x[%j] to %window[%zero] count %two {most = 2 : i64, step = 1 : i64} : memref<12xi8> to memref<2xi8>
    scratch.slide %window against %w : memref<2xi8>, memref<1x2xi8, #scratch.flash>
    memref.store %number, %next[%zero] : memref<1xi8>
  }
  scf.for %j = %zero to %three step %one {
    scratch.copy_run %x[%j] to %other[%zero] count %two {most = 2 : i64, step = 1 : i64} : memref<12xi8> to memref<2xi8>
    scratch.slide %other against %w : memref<2xi8>, memref<1x2xi8, #scratch.flash>
    memref.store %number, %x[%last] : memref<12xi8>
  }
  func.return
}
// CHECK-LABEL: func.func @written
// CHECK: scf.for %j = %zero to %three step %one {
// CHECK-NEXT: scratch.copy_run %x[%j] to %window[%zero] count %two
// CHECK-NEXT: memref.store
// CHECK: scf.for
// CHECK-NEXT: scratch.copy_run %x[{{%.*}}] to %other[%zero] count %two

// -----

// A window of an image into which the loop receives rows stays as it is.
func.func @received(%input: memref<3x4xi8>, %x: memref<4xi8>, %window: memref<2xi8>) {
  %w = scratch.constant dense<[[1, 2]]> : tensor<1x2xi8> -> memref<1x2xi8, #scratch.flash>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  scf.for %j = %zero to %three step %one {
    scratch.receive %input[%j] to %x : memref<3x4xi8> to memref<4xi8>
    scratch.copy_run %x[%j] to %window[%zero] count %two {most = 2 : i64, step = 1 : i64} : memref<4xi8> to memref<2xi8>
    scratch.slide %window against %w : memref<2xi8>, memref<1x2xi8, #scratch.flash>
  }
  func.return
}
// CHECK-LABEL: func.func @received
// CHECK: scf.for %j = %zero to %three step %one {
// CHECK: scratch.copy_run %x[%j] to %window[%zero] count %two

// -----

func.func @unfilled(%window: memref<2xi8>) {
  %w = scratch.constant dense<[[1, 2]]> : tensor<1x2xi8> -> memref<1x2xi8, #scratch.flash>
  scratch.slide %window against %w : memref<2xi8>, memref<1x2xi8, #scratch.flash>
  func.return
}
// CHECK: expected one 'scratch.copy_run' with a step to fill the window, got 0

// -----

// Two turns of 2016 x 4 bytes are an eighth of the 56 block RAMs of 18432 bits; those of another row are more.
func.func @eighth(%x: memref<12xi8>, %y: memref<6xi8>) {
  %w = scratch.constant dense<1> : tensor<2016x4xi8> -> memref<2016x4xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %window = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %flat = scratch.slice %w[%zero] : memref<2016x4xi8, #scratch.flash> to memref<4xi8, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    scf.for %j = %zero to %three step %one {
      scf.for %r = %zero to %two step %one {
        %line = arith.addi %i, %r : index
        %first = arith.muli %line, %four : index
        %from = arith.addi %first, %j : index
        %to = arith.muli %r, %two : index
        scratch.copy_run %x[%from] to %window[%to] count %two {most = 2 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
      }
      scratch.slide %window against %w : memref<4xi8>, memref<2016x4xi8, #scratch.flash>
      scf.for %k = %zero to %four step %one {
        %a = memref.load %flat[%k] : memref<4xi8, #scratch.flash>
        %b = memref.load %window[%k] : memref<4xi8>
        "test.op"(%a, %b) : (i8, i8) -> ()
      }
    }
  }
  func.return
}
// CHECK-LABEL: func.func @eighth
// CHECK: memref<2x2016x4xi8, #scratch.flash>
// CHECK: scf.for %j = {{.*}} iter_args

// -----

func.func @more(%x: memref<12xi8>, %y: memref<6xi8>) {
  %w = scratch.constant dense<1> : tensor<2017x4xi8> -> memref<2017x4xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %window = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %flat = scratch.slice %w[%zero] : memref<2017x4xi8, #scratch.flash> to memref<4xi8, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    scf.for %j = %zero to %three step %one {
      scf.for %r = %zero to %two step %one {
        %line = arith.addi %i, %r : index
        %first = arith.muli %line, %four : index
        %from = arith.addi %first, %j : index
        %to = arith.muli %r, %two : index
        scratch.copy_run %x[%from] to %window[%to] count %two {most = 2 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
      }
      scratch.slide %window against %w : memref<4xi8>, memref<2017x4xi8, #scratch.flash>
      scf.for %k = %zero to %four step %one {
        %a = memref.load %flat[%k] : memref<4xi8, #scratch.flash>
        %b = memref.load %window[%k] : memref<4xi8>
        "test.op"(%a, %b) : (i8, i8) -> ()
      }
    }
  }
  func.return
}
// CHECK-LABEL: func.func @more
// CHECK-NOT: memref<2x2017x4xi8
// CHECK: scf.for %j = %zero to %three step %one {

// -----

// A loop that carries something takes in whole windows.
func.func @carried(%x: memref<12xi8>, %y: memref<6xi8>) {
  %w = scratch.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi8> -> memref<1x4xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %window = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %flat = scratch.slice %w[%zero] : memref<1x4xi8, #scratch.flash> to memref<4xi8, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    %last = scf.for %j = %zero to %three step %one iter_args(%c = %zero) -> (index) {
      scf.for %r = %zero to %two step %one {
        %line = arith.addi %i, %r : index
        %first = arith.muli %line, %four : index
        %from = arith.addi %first, %j : index
        %to = arith.muli %r, %two : index
        scratch.copy_run %x[%from] to %window[%to] count %two {most = 2 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
      }
      scratch.slide %window against %w : memref<4xi8>, memref<1x4xi8, #scratch.flash>
      scf.for %k = %zero to %four step %one {
        %a = memref.load %flat[%k] : memref<4xi8, #scratch.flash>
        %b = memref.load %window[%k] : memref<4xi8>
        "test.op"(%a, %b) : (i8, i8) -> ()
      }
      %next = arith.addi %c, %one : index
      scf.yield %next : index
    }
    "test.op"(%last) : (index) -> ()
  }
  func.return
}
// CHECK-LABEL: func.func @carried
// CHECK: scratch.copy_run %x[%from] to %window[%to] count %two {most = 2 : i64
// CHECK-NOT: scratch.slide

// -----

// So does one that begins with the second window.
func.func @later(%x: memref<12xi8>, %y: memref<6xi8>) {
  %w = scratch.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi8> -> memref<1x4xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %window = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %flat = scratch.slice %w[%zero] : memref<1x4xi8, #scratch.flash> to memref<4xi8, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    scf.for %j = %one to %three step %one {
      scf.for %r = %zero to %two step %one {
        %line = arith.addi %i, %r : index
        %first = arith.muli %line, %four : index
        %from = arith.addi %first, %j : index
        %to = arith.muli %r, %two : index
        scratch.copy_run %x[%from] to %window[%to] count %two {most = 2 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
      }
      scratch.slide %window against %w : memref<4xi8>, memref<1x4xi8, #scratch.flash>
      scf.for %k = %zero to %four step %one {
        %a = memref.load %flat[%k] : memref<4xi8, #scratch.flash>
        %b = memref.load %window[%k] : memref<4xi8>
        "test.op"(%a, %b) : (i8, i8) -> ()
      }
    }
  }
  func.return
}
// CHECK-LABEL: func.func @later
// CHECK: scratch.copy_run %x[%from] to %window[%to] count %two {most = 2 : i64
// CHECK-NOT: scratch.slide

// -----

// Windows of three pairs, each of which takes in one pair: the first two come before the loop, and the third at place 2.
func.func @pairs(%x: memref<12xi8>) {
  %w = scratch.constant dense<[[1, 2, 3, 4, 5, 6]]> : tensor<1x6xi8> -> memref<1x6xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<6xi8>
  %window = scratch.view %arena[0 : i64] : memref<6xi8> to memref<6xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %six = arith.constant 6 : index
  %flat = scratch.slice %w[%zero] : memref<1x6xi8, #scratch.flash> to memref<6xi8, #scratch.flash>
  scf.for %j = %zero to %four step %one {
    %from = arith.muli %j, %two : index
    scratch.copy_run %x[%from] to %window[%zero] count %six {most = 6 : i64, step = 2 : i64} : memref<12xi8> to memref<6xi8>
    scratch.slide %window against %w : memref<6xi8>, memref<1x6xi8, #scratch.flash>
    scf.for %k = %zero to %six step %one {
      %a = memref.load %flat[%k] : memref<6xi8, #scratch.flash>
      %b = memref.load %window[%k] : memref<6xi8>
      "test.op"(%a, %b) : (i8, i8) -> ()
    }
  }
  func.return
}
// CHECK-LABEL: func.func @pairs
// CHECK: %w = scratch.constant dense<{{\[\[\[}}1, 2, 3, 4, 5, 6]], {{\[\[}}5, 6, 1, 2, 3, 4]], {{\[\[}}3, 4, 5, 6, 1, 2]]]>
// CHECK: scratch.copy_run %x[%zero] to %window[%zero] count %four {most = 4 : i64}
// CHECK: [[three:%.*]] = arith.constant 3 : index
// CHECK: scf.for %j = %zero to %four step %one iter_args([[turn:%.*]] = %zero, [[place:%.*]] = %two)
// CHECK: arith.muli [[turn]], %six : index
// CHECK: [[from:%.*]] = arith.addi %from{{.*}}, %four : index
// CHECK: [[to:%.*]] = arith.muli [[place]], %two : index
// CHECK: scratch.copy_run %x[[[from]]] to %window[[[to]]] count %two {most = 2 : i64}
// CHECK: [[following:%.*]] = arith.addi [[turn]], %one : index
// CHECK: [[goes_on:%.*]] = arith.cmpi slt, [[following]], [[three]]
// CHECK: [[next:%.*]] = arith.select [[goes_on]], [[following]], %zero
// CHECK: scf.yield [[next]], [[turn]] : index, index

// -----

// Windows stay whose row is no whole number of steps, that are not filled, that are filled before the loop, and without one.
func.func @whole(%x: memref<12xi8>) {
  %w = scratch.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi8> -> memref<1x4xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 1 : i64} : memref<16xi8>
  %uneven = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xi8>
  %part = scratch.view %arena[4 : i64] : memref<16xi8> to memref<4xi8>
  %before = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4xi8>
  %alone = scratch.view %arena[12 : i64] : memref<16xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  scf.for %j = %zero to %two step %one {
    scratch.copy_run %x[%j] to %uneven[%zero] count %four {most = 4 : i64, step = 3 : i64} : memref<12xi8> to memref<4xi8>
    scratch.slide %uneven against %w : memref<4xi8>, memref<1x4xi8, #scratch.flash>
  }
  scf.for %j = %zero to %two step %one {
    scratch.copy_run %x[%j] to %part[%zero] count %two {most = 4 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
    scratch.slide %part against %w : memref<4xi8>, memref<1x4xi8, #scratch.flash>
  }
  scratch.copy_run %x[%one] to %before[%zero] count %four {most = 4 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
  scf.for %j = %zero to %two step %one {
    scratch.slide %before against %w : memref<4xi8>, memref<1x4xi8, #scratch.flash>
  }
  scratch.copy_run %x[%two] to %alone[%zero] count %four {most = 4 : i64, step = 1 : i64} : memref<12xi8> to memref<4xi8>
  scratch.slide %alone against %w : memref<4xi8>, memref<1x4xi8, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @whole
// CHECK-NOT: iter_args
// CHECK: count %four {most = 4 : i64, step = 3 : i64}
// CHECK-NOT: iter_args
// CHECK: count %two {most = 4 : i64, step = 1 : i64}
// CHECK-NOT: iter_args
// CHECK: scratch.copy_run %x[%one] to %before[%zero] count %four {most = 4 : i64, step = 1 : i64}
// CHECK-NOT: iter_args
// CHECK: scratch.copy_run %x[%two] to %alone[%zero] count %four {most = 4 : i64, step = 1 : i64}
