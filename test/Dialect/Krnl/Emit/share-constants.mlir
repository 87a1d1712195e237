// RUN: onnx-opt %s --krnl-share-constants --krnl-lower-kernels --split-input-file | FileCheck %s
//
// Kernels that differ in a number have one function, which is given the number.
// What is the same in both stays in the code.

// CHECK-LABEL: func @scales
// CHECK:         %[[A:.+]] = arith.constant 2.500000e-01 : f32
// CHECK:         krnl.launch @[[KERNEL:kernel_scale_0]] ins(%{{[^,]+}}, %[[A]] : tensor<8xf32>, f32)
// CHECK:         %[[B:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:         krnl.launch @[[KERNEL]] ins(%{{[^,]+}}, %[[B]] : tensor<8xf32>, f32)
// CHECK:       func private @[[KERNEL]](%{{[^:]+}}: memref<8xf32>, %[[SCALE:[^:]+]]: f32
// CHECK:         %[[P:.+]] = arith.mulf %{{.+}}, %[[SCALE]]
// CHECK:         %[[ONE:.+]] = arith.constant 1.0
// CHECK:         arith.addf %[[P]], %[[ONE]]
// CHECK-NOT:   func private
func.func @scales(%x: tensor<8xf32>, %o: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = krnl.kernel "scale" loops [i = 8] ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %c[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %k = arith.constant 0.25 : f32
      %v = arith.mulf %p, %k : f32
      %one = arith.constant 1.0 : f32
      %w = arith.addf %v, %one : f32
      linalg.yield %w : f32
    }
    krnl.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  %t = krnl.kernel "again" loops [i = 8] ins(%r : tensor<8xf32>) outs(%u : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %c[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %k = arith.constant 0.5 : f32
      %v = arith.mulf %p, %k : f32
      %one = arith.constant 1.0 : f32
      %w = arith.addf %v, %one : f32
      linalg.yield %w : f32
    }
    krnl.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  return %r, %t : tensor<8xf32>, tensor<8xf32>
}

// -----

// Other kernels differ in what they compute: no number is passed.
// CHECK-LABEL: func @others
// CHECK:         krnl.launch @kernel_scale_0 ins(%{{[^,]+}} : tensor<8xf32>)
// CHECK:         krnl.launch @kernel_shift_0 ins(%{{[^,]+}} : tensor<8xf32>)
func.func @others(%x: tensor<8xf32>, %o: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = krnl.kernel "scale" loops [i = 8] ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %c[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %k = arith.constant 0.25 : f32
      %v = arith.mulf %p, %k : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  %t = krnl.kernel "shift" loops [i = 8] ins(%r : tensor<8xf32>) outs(%u : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %c[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %k = arith.constant 0.5 : f32
      %v = arith.addf %p, %k : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  return %r, %t : tensor<8xf32>, tensor<8xf32>
}
