// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse --split-input-file | FileCheck %s

// An index that is brought up to 0 is none of an operand without elements,
// which may have no memory: that is not read. Whether it has elements is found
// out once; if it has, the loops are the usual ones.
// CHECK-LABEL: func private @kernel_clamped_0(
// CHECK-SAME:    %[[X:[^:]+]]: memref<?x4xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[PLACEHOLDER:.+]] = arith.constant 0.0
// CHECK:         %[[ROWS:.+]] = memref.dim %[[X]], %[[ZERO]]
// CHECK:         %[[SOME:.+]] = arith.cmpi ne, %[[ROWS]], %[[ZERO]]
// CHECK:         scf.if %[[SOME]] {
// CHECK:           scf.for
// CHECK-NOT:         scf.if
// CHECK:             memref.load %[[X]]
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-NOT:         memref.load
// CHECK:             memref.store %[[PLACEHOLDER]]
func.func @clamped(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %from: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %y, %c0 : tensor<?x4xf32>
  %r = krnl.kernel "clamped" loops [m = %rows, n = 4] ins(%x, %from : tensor<?x4xf32>, index)
      outs(%y : tensor<?x4xf32>) {
  ^bb0(%a: tensor<?x4xf32>, %low: index, %c: tensor<?x4xf32>, %m_extent: index):
    %zero = arith.constant 0 : index
    %g = krnl.compute [m, n] () -> (%old = %c[m, n]) : () -> tensor<?x4xf32> {
      %m = krnl.index m
      %n = krnl.index n
      %at = arith.subi %m, %low : index
      %row = arith.maxsi %at, %zero : index
      %element = tensor.extract %a[%row, %n] : tensor<?x4xf32>
      linalg.yield %element : f32
    }
    krnl.yield %g : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// Where one of two has none, each read of the other is under a test of its own:
// lanes are read together or not at all.
// CHECK-LABEL: func private @kernel_lanes_0(
// CHECK-SAME:    %[[X:[^:]+]]: memref<?x16xf32>, %[[Z:[^:]+]]: memref<?x16xf32>
// CHECK:         %[[BOTH:.+]] = arith.andi
// CHECK:         scf.if %[[BOTH]] {
// CHECK-NOT:       scf.if
// CHECK:           vector.load %[[X]]
// CHECK-NOT:       scf.if
// CHECK:           vector.load %[[Z]]
// CHECK:         } else {
// CHECK:           scf.if %{{.+}} -> (vector<16xf32>) {
// CHECK-NEXT:        vector.load %[[X]]
// CHECK:           scf.if %{{.+}} -> (vector<16xf32>) {
// CHECK-NEXT:        vector.load %[[Z]]
func.func @lanes(%x: tensor<?x16xf32>, %z: tensor<?x16xf32>, %y: tensor<?x16xf32>, %from: index) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %y, %c0 : tensor<?x16xf32>
  %r = krnl.kernel "lanes" loops [m = %rows, n = 16]
      ins(%x, %z, %from : tensor<?x16xf32>, tensor<?x16xf32>, index)
      outs(%y : tensor<?x16xf32>) recipe [vectorize(n, 16)] {
  ^bb0(%a: tensor<?x16xf32>, %b: tensor<?x16xf32>, %low: index, %c: tensor<?x16xf32>, %m_extent: index):
    %zero = arith.constant 0 : index
    %g = krnl.compute [m, n] () -> (%old = %c[m, n]) : () -> tensor<?x16xf32> {
      %m = krnl.index m
      %n = krnl.index n
      %at = arith.subi %m, %low : index
      %row = arith.maxsi %at, %zero : index
      %first = tensor.extract %a[%row, %n] : tensor<?x16xf32>
      %second = tensor.extract %b[%row, %n] : tensor<?x16xf32>
      %sum = arith.addf %first, %second : f32
      linalg.yield %sum : f32
    }
    krnl.yield %g : tensor<?x16xf32>
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

// The only element of a list that may have none; integers are 1 then, which may
// be divided by.
// CHECK-LABEL: func private @kernel_uniform_0(
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : i64
// CHECK:         scf.if
// CHECK:           memref.load
// CHECK:         } else {
// CHECK:           memref.store %[[ONE]]
func.func @uniform(%x: tensor<?xi64>, %y: tensor<8xi64>) -> tensor<8xi64> {
  %r = krnl.kernel "uniform" loops [m = 8] ins(%x : tensor<?xi64>) outs(%y : tensor<8xi64>) {
  ^bb0(%a: tensor<?xi64>, %c: tensor<8xi64>):
    %zero = arith.constant 0 : index
    %g = krnl.compute [m] () -> (%old = %c[m]) : () -> tensor<8xi64> {
      %element = tensor.extract %a[%zero] : tensor<?xi64>
      linalg.yield %element : i64
    }
    krnl.yield %g : tensor<8xi64>
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// -----

// What is known to have no element is never read.
// CHECK-LABEL: func private @kernel_never_0(
// CHECK-NOT:     memref.load
func.func @never(%x: tensor<0xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = krnl.kernel "never" loops [m = 8] ins(%x : tensor<0xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: tensor<0xf32>, %c: tensor<8xf32>):
    %g = krnl.compute [m] () -> (%old = %c[m]) : () -> tensor<8xf32> {
      %m = krnl.index m
      %element = tensor.extract %a[%m] : tensor<0xf32>
      linalg.yield %element : f32
    }
    krnl.yield %g : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Loops and checked indices have an element wherever they are: no test.
// CHECK-LABEL: func private @kernel_inside_0(
// CHECK-NOT:     scf.if
// CHECK:         memref.load
func.func @inside(%x: tensor<?xf32>, %y: tensor<?xf32>, %step: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %y, %c0 : tensor<?xf32>
  %r = krnl.kernel "inside" loops [m = %rows] ins(%x, %step : tensor<?xf32>, index) outs(%y : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %s: index, %c: tensor<?xf32>, %m_extent: index):
    %g = krnl.compute [m] () -> (%old = %c[m]) : () -> tensor<?xf32> {
      %m = krnl.index m
      %at = arith.muli %m, %s : index
      %element = tensor.extract %a[%at] : tensor<?xf32>
      linalg.yield %element : f32
    }
    krnl.yield %g : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
