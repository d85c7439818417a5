// RUN: python -c "import numpy as np; x = np.array([[-2.], [-1.], [1.], [2.]]); s = lambda n, y: np.savez('%t-' + n + '.npz', x=x, y=y); s('01', [0, 0, 1, 1]); s('11', [-1, -1, 1, 1]); s('odd', [1, 0, 0, 1]); s('real', [0., 0., .5, 1.]); s('three', [0, 1, 2, 0])"
// RUN: python -c "[open('%t-' + part.split()[0], 'w').write('// ' + part) for part in open('%s').read().split('//--' + '- ')[1:]]"
// RUN: tinyml-opt %t-sigmoid.mlir -p 'decide-class{data="%t-01.npz"}' | filecheck %s --check-prefix=SIGMOID
// RUN: tinyml-opt %t-sigmoid.mlir -p 'decide-class{data="%t-odd.npz"}' | filecheck %s --check-prefix=SIGMOID
// RUN: tinyml-opt %t-sigmoid.mlir -p 'decide-class{data="%t-real.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-sigmoid.mlir -p 'decide-class' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-sigmoid.mlir -p 'decide-class{names=no,yes}' | filecheck %s --check-prefix=SIGMOID
// RUN: tinyml-opt %t-sigmoid.mlir -p 'decide-class{names=no,yes,perhaps}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-01.npz"}' | filecheck %s --check-prefixes=USUAL,LOGIT
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-11.npz"}' | filecheck %s --check-prefixes=SIGNS,LOGIT
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-odd.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{names=no,yes data="%t-01.npz"}' | filecheck %s --check-prefix=LOGIT
// RUN: python -c "import numpy as np; s = lambda n, y: np.savez('%t-' + n + '.npz', x=np.array([-.2, .2])[:, None], y=y); s('near', [0, 1]); s('one', [1, 1])"
// RUN: python -c "import numpy as np; s = lambda n, x, y: np.savez('%t-' + n + '.npz', x=np.array(x, np.float32)[:, None], y=y); s('rare', [-1, 1, 1, 1], [0, 0, 0, 1]); s('same', [-1, -1, -1, -1], [0, 0, 0, 1]); s('zero', [0, 1], [0, 1])"
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-rare.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-same.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-zero.npz"}' | filecheck %s --check-prefix=LOGIT
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-near.npz"}' | filecheck %s --check-prefix=LOGIT
// RUN: tinyml-opt %t-logit.mlir -p 'decide-class{data="%t-one.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-share.mlir -p 'decide-class{data="%t-01.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-share.mlir -p 'decide-class{names=no,yes data="%t-01.npz"}' | filecheck %s --check-prefix=HALF
// RUN: python -c "import numpy as np; s = lambda n, *x: np.savez('%t-' + n + '.npz', x=np.array(x)[:, None], y=[0, 1]); s('flat', 0., 0.); s('low', -3., 2.); s('high', -2., 3.)"
// RUN: tinyml-opt %t-share.mlir -p 'decide-class{names=no,yes data="%t-flat.npz"}' | filecheck %s --check-prefix=LOGIT
// RUN: tinyml-opt %t-share.mlir -p 'decide-class{names=no,yes data="%t-low.npz"}' | filecheck %s --check-prefix=LOGIT
// RUN: tinyml-opt %t-share.mlir -p 'decide-class{names=no,yes data="%t-high.npz"}' | filecheck %s --check-prefix=LOGIT
// RUN: tinyml-opt %t-three.mlir -p 'decide-class{data="%t-three.npz"}' | filecheck %s --check-prefix=THREE
// RUN: tinyml-opt %t-three.mlir -p 'decide-class{names=a,b,c}' | filecheck %s --check-prefix=THREE
// RUN: tinyml-opt %t-three.mlir -p 'decide-class{names=a,b}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-matrix.mlir -p 'decide-class{names=a,b,c,d}' | filecheck %s --check-prefix=KEPT
// RUN: tinyml-opt %t-pair.mlir -p 'decide-class{names=no,yes}' | filecheck %s --check-prefix=KEPT
// RUN: tinyml-opt %t-number.mlir -p 'decide-class{names=no,yes}' | filecheck %s --check-prefix=NUMBER
// RUN: tinyml-opt %t-detector.mlir -p 'decide-class{data="%t-11.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: python -c "import numpy as np; s = lambda n, y: np.savez('%t-' + n + '.npz', x=np.array([[-2.], [-1.], [1.], [2.]]), y=np.array(y)); e = np.eye(3); s('onehot', e[[2, 2, 1, 1]]); s('wrong', e[[0, 0, 0, 1]]); s('parts', e[[2, 2, 1, 1]] / 2); s('twice', e[[2, 2, 1, 1]] + e[0])"
// RUN: tinyml-opt %t-soft.mlir -p 'decide-class{data="%t-onehot.npz"}' | filecheck %s --check-prefix=THREE
// RUN: tinyml-opt %t-soft.mlir -p 'decide-class{data="%t-wrong.npz"}' | filecheck %s --check-prefix=THREE
// RUN: tinyml-opt %t-soft.mlir -p 'decide-class{data="%t-parts.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-soft.mlir -p 'decide-class{data="%t-twice.npz"}' | filecheck %s --check-prefix=VALUE
// RUN: tinyml-opt %t-three.mlir -p 'decide-class{data="%t-onehot.npz"}' | filecheck %s --check-prefix=THREE
// RUN: tinyml-opt %t-three.mlir -p 'decide-class{data="%t-wrong.npz"}' | filecheck %s --check-prefix=VALUE

// VALUE-NOT: tdsl.sign
// VALUE-NOT: tdsl.argmax
// VALUE: func.return %{{[a-z]+}} : tensor<1x{{[13]}}xf32>

// A sigmoid decides at 1/2, by the sign of its argument, however poor it is.
// SIGMOID: -> (index, tensor<1x1xf32>)
// SIGMOID: %y = tdsl.sigmoid %x
// SIGMOID-NEXT: %label = tdsl.sign %x
// SIGMOID-NEXT: func.return %label, %y

// 3x predicts 0 and 1 worse than their mean does, and tells them apart.
// SIGNS: classes = [-1, 1]
// USUAL-NOT: classes =
// LOGIT: %label = tdsl.sign %y
// LOGIT-NEXT: func.return %label, %y

// Numbers from 0 to 1 are shares, unless all are equal; others are no shares.
// HALF: %[[half:.*]] = tdsl.const dense<5.000000e-01>
// HALF: %[[above:.*]] = tdsl.sub %y, %[[half]]
// HALF: tdsl.sign %[[above]]

// Of several scores, the greatest decides: rows with a one are classes beside a softmax, however poor it is, and beside
// scores that tell classes and are no values.
// THREE: %label = tdsl.argmax %y
// THREE-NEXT: func.return %label, %y

// Neither a matrix nor two results decide, but a number without axes does.
// KEPT-NOT: tdsl.sign
// KEPT-NOT: tdsl.argmax
// KEPT: func.return
// NUMBER: %label = tdsl.sign %y
// NUMBER-NEXT: func.return %label, %y : index, tensor<f32>

//--- sigmoid.mlir
func.func @sigmoid(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %y = tdsl.sigmoid %x : tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

//--- logit.mlir
func.func @logit(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %three = tdsl.const dense<3.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %y = tdsl.mul %three, %x : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

//--- share.mlir
func.func @share(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %quarter = tdsl.const dense<0.25> : tensor<1x1xf32> -> tensor<1x1xf32>
  %two = tdsl.const dense<2.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %more = tdsl.add %x, %two : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %y = tdsl.mul %more, %quarter : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

//--- three.mlir
func.func @three(%x: tensor<1x1xf32>) -> tensor<1x3xf32> {
  %w = tdsl.const dense<[[1.0, 2.0, -1.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.matmul %x, %w : tensor<1x1xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}

//--- soft.mlir
func.func @soft(%x: tensor<1x1xf32>) -> tensor<1x3xf32> {
  %w = tdsl.const dense<[[1.0, 2.0, -1.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %z = tdsl.matmul %x, %w : tensor<1x1xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.softmax %z : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}

//--- detector.mlir
func.func @detector(%x: tensor<1x1xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<threshold = 0.5>} {
  %three = tdsl.const dense<3.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %y = tdsl.mul %three, %x : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}

//--- matrix.mlir
func.func @matrix(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = tdsl.neg %x : tensor<2x2xf32> -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

//--- pair.mlir
func.func @pair(%x: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %y = tdsl.neg %x : tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %x, %y : tensor<1x1xf32>, tensor<1x1xf32>
}

//--- number.mlir
func.func @number(%x: tensor<f32>) -> tensor<f32> {
  %y = tdsl.neg %x : tensor<f32> -> tensor<f32>
  func.return %y : tensor<f32>
}
