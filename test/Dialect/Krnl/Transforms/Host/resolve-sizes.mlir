// RUN: onnx-opt %s --krnl-resolve-sizes --split-input-file | FileCheck %s

// A chain of kernels is as long as its input. No size of a result is left, and
// nothing is computed that nothing uses.
// CHECK-LABEL: func @sizes_of_chains_are_sizes_of_the_input
// CHECK-SAME:    (%[[X:.+]]: tensor<?x4xf32>)
// CHECK:         %[[N:.+]] = tensor.dim %[[X]]
// CHECK-NOT:     tensor.dim
// CHECK:         tensor.empty(%[[N]])
// CHECK:         krnl.kernel "first"
// CHECK:         tensor.empty(%[[LAST:.+]])
// CHECK:         krnl.kernel "second"
// CHECK:         %[[FOUR:.+]] = arith.constant 4
// CHECK:         return %{{.+}}, %[[N]], %[[FOUR]]
func.func @sizes_of_chains_are_sizes_of_the_input(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %a = krnl.kernel "first" loops [i = %n, j = 4] ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%in: tensor<?x4xf32>, %out: tensor<?x4xf32>, %i_extent: index):
    %r = krnl.compute [i, j] (%p = %in[i, j]) -> (%q = %out[i, j])
        : (tensor<?x4xf32>) -> tensor<?x4xf32> {
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  %m = tensor.dim %a, %c0 : tensor<?x4xf32>
  %o2 = tensor.empty(%m) : tensor<?x4xf32>
  %b = krnl.kernel "second" loops [i = %n, j = 4] ins(%a : tensor<?x4xf32>) outs(%o2 : tensor<?x4xf32>) {
  ^bb0(%in: tensor<?x4xf32>, %out: tensor<?x4xf32>, %i_extent_1: index):
    %r = krnl.compute [i, j] (%p = %in[i, j]) -> (%q = %out[i, j])
        : (tensor<?x4xf32>) -> tensor<?x4xf32> {
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  %rows = tensor.dim %b, %c0 : tensor<?x4xf32>
  %columns = tensor.dim %b, %c1 : tensor<?x4xf32>
  return %b, %rows, %columns : tensor<?x4xf32>, index, index
}

// -----

// The size of an input and a dynamic one stay.
// CHECK-LABEL: func @sizes_of_inputs_stay
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>, %[[I:.+]]: index)
// CHECK-DAG:     %[[FIRST:.+]] = tensor.dim %[[X]], %{{.+}}
// CHECK-DAG:     %[[ANY:.+]] = tensor.dim %[[X]], %[[I]]
// CHECK:         return %[[FIRST]], %[[ANY]]
func.func @sizes_of_inputs_stay(%x: tensor<?xf32>, %i: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %first = tensor.dim %x, %c0 : tensor<?xf32>
  %any = tensor.dim %x, %i : tensor<?xf32>
  return %first, %any : index, index
}

// -----

// A cast has the sizes of its operand; both lead to the kernel's.
// CHECK-LABEL: func @sizes_through_casts
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>)
// CHECK:         %[[N:.+]] = tensor.dim %[[X]]
// CHECK-NOT:     tensor.dim
// CHECK:         return %[[N]]
func.func @sizes_through_casts(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %a = krnl.kernel "neg" loops [i = %n] ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%in: tensor<?xf32>, %out: tensor<?xf32>, %i_extent: index):
    %r = krnl.compute [i] (%p = %in[i]) -> (%q = %out[i]) : (tensor<?xf32>) -> tensor<?xf32> {
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  %cast = tensor.cast %a : tensor<?xf32> to tensor<*xf32>
  %m = tensor.dim %cast, %c0 : tensor<*xf32>
  return %m : index
}

// -----

// A reshape to the sizes of its operand goes while these can be seen.
// CHECK-LABEL: func @reshape_to_the_same_sizes
// CHECK-NOT:     tensor.reshape
// CHECK:         return %{{.+}} : tensor<?x1xf32>
func.func @reshape_to_the_same_sizes(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x1xf32>
  %o = tensor.empty(%n) : tensor<?x1xf32>
  %a = krnl.kernel "neg" loops [i = %n, j = 1] ins(%x : tensor<?x1xf32>) outs(%o : tensor<?x1xf32>) {
  ^bb0(%in: tensor<?x1xf32>, %out: tensor<?x1xf32>, %i_extent: index):
    %r = krnl.compute [i, j] (%p = %in[i, j]) -> (%q = %out[i, j])
        : (tensor<?x1xf32>) -> tensor<?x1xf32> {
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x1xf32>
  } -> tensor<?x1xf32>
  %m = tensor.dim %a, %c0 : tensor<?x1xf32>
  %shape = tensor.from_elements %m, %c1 : tensor<2xindex>
  %y = tensor.reshape %a(%shape) : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
