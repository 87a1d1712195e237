// RUN: onnx-opt %s --krnl-fuse --cse | FileCheck %s

// The sum is made in the destination of the epilogue, which takes its place: no temporary.
// CHECK-LABEL: func @epilogue
// CHECK:         krnl.kernel "sum+neg"
// CHECK:         ^bb0(%{{.+}}: tensor<8x16xf32>, %[[OUT:.+]]: tensor<8xf32>)
// CHECK-NOT:       krnl.temporary
// CHECK:           %[[SUM:.+]] = krnl.compute [i | j] {{.+}} -> (%{{.+}} = %[[OUT]][i])
// CHECK:           krnl.compute [i] () -> (%[[S:.+]] = %[[SUM]][i])
// CHECK-NEXT:        arith.negf %[[S]]
func.func @epilogue(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %0 = krnl.kernel "sum" loops [i = 8, j = 16] ins(%x : tensor<8x16xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<8xf32>):
    %c = krnl.compute [i | j] (%s = %p[i, j]) -> (%u = %o[i]) : (tensor<8x16xf32>) -> tensor<8xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  %1 = krnl.kernel "neg" loops [i = 8] ins(%0 : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: tensor<8xf32>, %o: tensor<8xf32>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Elements of another type need memory of their own.
// CHECK-LABEL: func @other_type
// CHECK:         krnl.kernel "sum+narrow"
// CHECK:           krnl.temporary : tensor<8xf32>
// CHECK:           krnl.compute [i | j]
// CHECK:           krnl.compute [i]
// CHECK:             arith.truncf
func.func @other_type(%x: tensor<8x16xf32>) -> tensor<8xf16> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf16>
  %0 = krnl.kernel "sum" loops [i = 8, j = 16] ins(%x : tensor<8x16xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<8xf32>):
    %c = krnl.compute [i | j] (%s = %p[i, j]) -> (%u = %o[i]) : (tensor<8x16xf32>) -> tensor<8xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<8xf32>
  } -> tensor<8xf32>
  %1 = krnl.kernel "narrow" loops [i = 8] ins(%0 : tensor<8xf32>) outs(%f : tensor<8xf16>) {
  ^bb0(%p: tensor<8xf32>, %o: tensor<8xf16>):
    %c = krnl.compute [i] (%s = %p[i]) -> (%u = %o[i]) : (tensor<8xf32>) -> tensor<8xf16> {
      %v = arith.truncf %s : f32 to f16
      linalg.yield %v : f16
    }
    krnl.yield %c : tensor<8xf16>
  } -> tensor<8xf16>
  return %1 : tensor<8xf16>
}

// A dimension of one element that no loop indexes changes nothing.
// CHECK-LABEL: func @unit_dimension
// CHECK:         krnl.kernel "sum+neg"
// CHECK-NOT:       krnl.temporary
// CHECK:         return
func.func @unit_dimension(%x: tensor<8x16xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  %f = tensor.empty() : tensor<1x8xf32>
  %0 = krnl.kernel "sum" loops [i = 8, j = 16] ins(%x : tensor<8x16xf32>) outs(%e : tensor<1x8xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<1x8xf32>):
    %c = krnl.compute [i | j] (%s = %p[i, j]) -> (%u = %o[0, i]) : (tensor<8x16xf32>) -> tensor<1x8xf32> {
      %v = arith.addf %s, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<1x8xf32>
  } -> tensor<1x8xf32>
  %1 = krnl.kernel "neg" loops [i = 8] ins(%0 : tensor<1x8xf32>) outs(%f : tensor<1x8xf32>) {
  ^bb0(%p: tensor<1x8xf32>, %o: tensor<1x8xf32>):
    %c = krnl.compute [i] (%s = %p[0, i]) -> (%u = %o[0, i]) : (tensor<1x8xf32>) -> tensor<1x8xf32> {
      %v = arith.negf %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %c : tensor<1x8xf32>
  } -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}
