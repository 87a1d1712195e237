// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// A dynamic number of rows is multiplied by weights of two sizes: one function does
// both. The length of the sums is a size of an argument; the launches stay as they are.
// CHECK-LABEL: func.func @lengths(
// CHECK:         krnl.launch @kernel_p_0 ins(%arg0, %arg1, %{{.+}} : tensor<?x3xf32>, tensor<3x4xf32>, index) outs(%arg4 : tensor<?x4xf32>)
// CHECK:         krnl.launch @kernel_p_0 ins(%arg2, %arg3, %{{.+}} : tensor<?x5xf32>, tensor<5x4xf32>, index) outs(%arg5 : tensor<?x4xf32>)
func.func @lengths(%x: tensor<?x3xf32>, %w: tensor<3x4xf32>, %x2: tensor<?x5xf32>, %w2: tensor<5x4xf32>, %o: tensor<?x4xf32>, %o2: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %m_size = tensor.dim %x, %c0 : tensor<?x3xf32>
  %y = krnl.kernel "p" loops [m = %m_size, n = 4, k = 3] ins(%x, %w : tensor<?x3xf32>, tensor<3x4xf32>) outs(%o : tensor<?x4xf32>)
      recipe [order(m, k, n), vectorize(n, 4)] {
  ^bb0(%A: tensor<?x3xf32>, %B: tensor<3x4xf32>, %C: tensor<?x4xf32>, %m_extent: index):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  %m_size_1 = tensor.dim %x2, %c0 : tensor<?x5xf32>
  %y2 = krnl.kernel "p" loops [m = %m_size_1, n = 4, k = 5] ins(%x2, %w2 : tensor<?x5xf32>, tensor<5x4xf32>) outs(%o2 : tensor<?x4xf32>)
      recipe [order(m, k, n), vectorize(n, 4)] {
  ^bb0(%A: tensor<?x5xf32>, %B: tensor<5x4xf32>, %C: tensor<?x4xf32>, %m_extent_1: index):
    %r = krnl.compute [m, n | k] (%p = %A[m, k], %q = %B[k, n]) -> (%s = %C[m, n])
        : (tensor<?x5xf32>, tensor<5x4xf32>) -> tensor<?x4xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  return %y, %y2 : tensor<?x4xf32>, tensor<?x4xf32>
}

// What is not a size of an argument is passed: where the rows begin that are copied.
// CHECK-LABEL: func.func @parts(
// CHECK:         krnl.launch @kernel_part_0 ins(%arg0, %{{.+}}, %c2 : tensor<?x8xf32>, index, index)
// CHECK:         krnl.launch @kernel_part_0 ins(%arg0, %{{.+}}, %c3 : tensor<?x8xf32>, index, index)
func.func @parts(%x: tensor<?x8xf32>, %o: tensor<?x4xf32>, %o2: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %r_size = tensor.dim %x, %c0 : tensor<?x8xf32>
  %y = krnl.kernel "part" loops [r = %r_size, c = 4] ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x4xf32>) recipe [] {
  ^bb0(%A: tensor<?x8xf32>, %C: tensor<?x4xf32>, %r_extent: index):
    %r = krnl.compute [r, c] (%p = %A[r, c + 2]) -> (%s = %C[r, c])
        : (tensor<?x8xf32>) -> tensor<?x4xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  %y2 = krnl.kernel "part" loops [r = %r_size, c = 4] ins(%x : tensor<?x8xf32>) outs(%o2 : tensor<?x4xf32>) recipe [] {
  ^bb0(%A: tensor<?x8xf32>, %C: tensor<?x4xf32>, %r_extent_1: index):
    %r = krnl.compute [r, c] (%p = %A[r, c + 3]) -> (%s = %C[r, c])
        : (tensor<?x8xf32>) -> tensor<?x4xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  return %y, %y2 : tensor<?x4xf32>, tensor<?x4xf32>
}

// Where all sizes are known, each kernel keeps what is known of its own.
// CHECK-LABEL: func.func @known(
// CHECK:         krnl.launch @kernel_k_0
// CHECK:         krnl.launch @kernel_k_1
func.func @known(%x: tensor<6xf32>, %x2: tensor<9xf32>, %o: tensor<6xf32>, %o2: tensor<9xf32>) -> (tensor<6xf32>, tensor<9xf32>) {
  %y = krnl.kernel "k" loops [c = 6] ins(%x : tensor<6xf32>) outs(%o : tensor<6xf32>) recipe [] {
  ^bb0(%A: tensor<6xf32>, %C: tensor<6xf32>):
    %r = krnl.compute [c] (%p = %A[c]) -> (%s = %C[c]) : (tensor<6xf32>) -> tensor<6xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<6xf32>
  } -> tensor<6xf32>
  %y2 = krnl.kernel "k" loops [c = 9] ins(%x2 : tensor<9xf32>) outs(%o2 : tensor<9xf32>) recipe [] {
  ^bb0(%A: tensor<9xf32>, %C: tensor<9xf32>):
    %r = krnl.compute [c] (%p = %A[c]) -> (%s = %C[c]) : (tensor<9xf32>) -> tensor<9xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<9xf32>
  } -> tensor<9xf32>
  return %y, %y2 : tensor<6xf32>, tensor<9xf32>
}

// CHECK-LABEL: func private @kernel_p_0(
// CHECK-SAME:    %arg0: memref<?x?xf32>, %arg1: memref<?x4xf32>, %arg2: index, %arg3: memref<?x4xf32>, %arg4: index, %arg5: index)
// CHECK:         %[[LENGTH:.+]] = memref.dim %arg0, %c1 : memref<?x?xf32>
// CHECK:         scf.for %{{.+}} = %c0 to %[[LENGTH]] step %c1

// CHECK-LABEL: func private @kernel_part_0(
// CHECK-SAME:    %arg0: memref<?x8xf32>, %arg1: index, %arg2: index, %arg3: memref<?x4xf32>,
// CHECK:         arith.addi %{{.+}}, %arg2
