// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// A sum's multiply and add are one operation in any recipe. An op that writes
// its result over an operand rounds as one that has a result of its own.
// CHECK-LABEL: func private @kernel_over_an_operand_0(
// CHECK:         arith.mulf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : vector<16xf32>
// CHECK-NEXT:    arith.addf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : vector<16xf32>
// CHECK-LABEL: func private @kernel_sum_0(
// CHECK:         arith.mulf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} fastmath<contract> : vector<16xf32>
// CHECK-NEXT:    arith.addf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} fastmath<contract> : vector<16xf32>
func.func @over_an_operand(%x: tensor<4096xf32>, %y: tensor<4096xf32>, %z: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = krnl.kernel "over_an_operand" loops [i = 4096] ins(%x, %y : tensor<4096xf32>, tensor<4096xf32>)
      outs(%z : tensor<4096xf32>) recipe [vectorize(i, 16)] {
  ^bb0(%X: tensor<4096xf32>, %Y: tensor<4096xf32>, %Z: tensor<4096xf32>):
    %r = krnl.compute [i] (%a = %X[i], %b = %Y[i]) -> (%c = %Z[i])
        : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32> {
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<4096xf32>
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

func.func @sum(%x: tensor<8x4096xf32>, %y: tensor<8x4096xf32>, %z: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = krnl.kernel "sum" loops [i = 4096, k = 8] ins(%x, %y : tensor<8x4096xf32>, tensor<8x4096xf32>)
      outs(%z : tensor<4096xf32>) recipe [order(i, k), vectorize(i, 16)] {
  ^bb0(%X: tensor<8x4096xf32>, %Y: tensor<8x4096xf32>, %Z: tensor<4096xf32>):
    %r = krnl.compute [i | k] (%a = %X[k, i], %b = %Y[k, i]) -> (%c = %Z[i])
        : (tensor<8x4096xf32>, tensor<8x4096xf32>) -> tensor<4096xf32> {
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<4096xf32>
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
