// RUN: onnx-opt %s --krnl-check-sizes --cse --krnl-simplify-host | FileCheck %s

// The loop runs as far as the first operand that it indexes alone; the others
// have to be as long. Inputs of the model are called by their names.
// CHECK-LABEL: func @two_operands
// CHECK-SAME:    (%[[A:.+]]: tensor<?xf32>, %[[B:[a-z0-9]+]]: tensor<?xf32> {
// CHECK-DAG:     %[[SIZE_A:.+]] = tensor.dim %[[A]]
// CHECK-DAG:     %[[SIZE_B:.+]] = tensor.dim %[[B]]
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %[[SIZE_B]], %[[SIZE_A]]
// CHECK:         krnl.check %[[SAME]], "the size of dimension 0 of 'b' does not fit" sizes(%[[SIZE_B]], %[[SIZE_A]])
// CHECK-NOT:     krnl.check
// CHECK:         krnl.kernel
func.func @two_operands(%a: tensor<?xf32>, %b: tensor<?xf32> {onnx.name = "b"}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.kernel "add" loops [i = %n] ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: tensor<?xf32>, %z: tensor<?xf32>, %out: tensor<?xf32>, %i_extent: index):
    %r = krnl.compute [i] (%p = %x[i], %q = %z[i]) -> (%s = %out[i])
        : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
      %sum = arith.addf %p, %q : f32
      linalg.yield %sum : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// What a cast claims is checked of what it casts; what only carries the size of
// a loop is not read.
// CHECK-LABEL: func @after_a_cast
// CHECK-SAME:    (%[[A:.+]]: tensor<?xf32>, %[[CARRIER:.+]]: tensor<?xi8>)
// CHECK:         %[[SIZE:.+]] = tensor.dim %[[A]]
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %[[SIZE]], %c8
// CHECK:         krnl.check %[[SAME]], {{.+}} sizes(%[[SIZE]], %c8)
// CHECK-NOT:     krnl.check
func.func @after_a_cast(%a: tensor<?xf32>, %carrier: tensor<?xi8>) -> tensor<8xf32> {
  %b = tensor.cast %a : tensor<?xf32> to tensor<8xf32>
  %o = tensor.empty() : tensor<8xf32>
  %y = krnl.kernel "copy" loops [i = 8] ins(%b, %carrier : tensor<8xf32>, tensor<?xi8>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: tensor<8xf32>, %c: tensor<?xi8>, %out: tensor<8xf32>):
    %r = krnl.compute [i] (%p = %x[i], %q = %c[i]) -> (%s = %out[i])
        : (tensor<8xf32>, tensor<?xi8>) -> tensor<8xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Windows end at 2 * (3 - 1) + (k - 1): seven places for three elements. Where
// no window has an element, nothing is read.
// CHECK-LABEL: func @window
// CHECK-SAME:    (%[[A:.+]]: tensor<?xf32>, %[[W:.+]]: tensor<?xf32>)
// CHECK-DAG:     %[[SIZE:.+]] = tensor.dim %[[A]]
// CHECK-DAG:     %[[K:.+]] = tensor.dim %[[W]]
// CHECK:         %[[FITS:.+]] = arith.cmpi sge, %[[SIZE]], %[[LAST:[a-z0-9_]+]]
// CHECK:         %[[EMPTY:.+]] = arith.cmpi eq, %[[K]], %c0
// CHECK:         %[[OR:.+]] = arith.ori %[[FITS]], %[[EMPTY]]
// CHECK:         krnl.check %[[OR]], {{.+}} sizes(%[[SIZE]], %[[LAST]])
func.func @window(%a: tensor<?xf32>, %w: tensor<?xf32>) -> tensor<3xf32> {
  %o = tensor.empty() : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %k_size = tensor.dim %w, %c0 : tensor<?xf32>
  %y = krnl.kernel "conv" loops [i = 3, k = %k_size] ins(%a, %w : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%x: tensor<?xf32>, %v: tensor<?xf32>, %out: tensor<3xf32>, %k_extent: index):
    %r = krnl.compute [i | k] (%p = %x[i * 2 + k], %q = %v[k]) -> (%s = %out[i])
        : (tensor<?xf32>, tensor<?xf32>) -> tensor<3xf32> {
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<3xf32>
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// An extent that is the size of no operand is not negative.
// CHECK-LABEL: func @window_of_any_size
// CHECK-SAME:    %[[K:[a-z0-9]+]]: index
// CHECK:         %[[SOME:.+]] = arith.cmpi sge, %[[K]], %c0
// CHECK:         krnl.check %[[SOME]], "a size is negative or too large"
func.func @window_of_any_size(%a: tensor<?xf32>, %k: index) -> tensor<3xf32> {
  %o = tensor.empty() : tensor<3xf32>
  %y = krnl.kernel "pool" loops [i = 3, k = %k] ins(%a : tensor<?xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%x: tensor<?xf32>, %out: tensor<3xf32>, %n: index):
    %r = krnl.compute [i | k] (%p = %x[i * 2 + k]) -> (%s = %out[i])
        : (tensor<?xf32>) -> tensor<3xf32> {
      %t = arith.maximumf %s, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<3xf32>
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Sizes of two tensors: what collapses them later multiplies them. Those of one
// tensor, one size alone, and the same two again need no check.
// CHECK-LABEL: func.func @products
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[Y:.+]]: tensor<?xf32>)
// CHECK:         %[[M:.+]] = tensor.dim %[[Y]], %c0
// CHECK-NOT:     krnl.check
// CHECK:         tensor.empty(%[[N:.+]], %{{.+}}) : tensor<?x?xf32>
// CHECK-NOT:     krnl.check
// CHECK:         tensor.empty(%[[N]]) : tensor<?x768xf32>
// CHECK:         %[[BYTES:.+]] = krnl.buffer_bytes(%[[N]], %[[M]]) : memref<?x4x?xf32>
// CHECK:         %[[FITS:.+]] = arith.cmpi sle, %[[BYTES]], %{{.+}} : index
// CHECK:         krnl.check %[[FITS]], "a size is negative or too large"
// CHECK:         tensor.empty(%[[N]], %[[M]]) : tensor<?x4x?xf32>
// CHECK-NOT:     krnl.check
// CHECK:         return
func.func @products(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x768xf32>, tensor<?x4x?xf32>, tensor<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %a = tensor.empty(%n, %k) : tensor<?x?xf32>
  %b = tensor.empty(%n) : tensor<?x768xf32>
  %c = tensor.empty(%n, %m) : tensor<?x4x?xf32>
  %d = tensor.empty(%m, %n) : tensor<?x?xf64>
  return %a, %b, %c, %d : tensor<?x?xf32>, tensor<?x768xf32>, tensor<?x4x?xf32>, tensor<?x?xf64>
}

// Where the known sizes are large, a product is checked again with larger ones.
// CHECK-LABEL: func.func @known_sizes
// CHECK:         krnl.buffer_bytes(%{{.+}}) : memref<?x1048576xf32>
// CHECK:         krnl.buffer_bytes(%{{.+}}) : memref<?x4194304xf32>
// CHECK-NOT:     krnl.buffer_bytes
// CHECK:         return
func.func @known_sizes(%x: tensor<?xf32>) -> (tensor<?x1048576xf32>, tensor<?x4194304xf32>, tensor<?x2097152xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = tensor.empty(%n) : tensor<?x1048576xf32>
  %b = tensor.empty(%n) : tensor<?x4194304xf32>
  %c = tensor.empty(%n) : tensor<?x2097152xf32>
  return %a, %b, %c : tensor<?x1048576xf32>, tensor<?x4194304xf32>, tensor<?x2097152xf32>
}

// A size that turns out to be constant counts as one of several, too.
// CHECK-LABEL: func.func @constant_factor
// CHECK:         krnl.buffer_bytes
// CHECK:         krnl.check %{{.+}}, "a size is negative or too large"
// CHECK:         return
func.func @constant_factor(%x: tensor<?xf32>, %y: tensor<3xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %k = tensor.dim %y, %c0 : tensor<3xf32>
  %a = tensor.empty(%n, %k) : tensor<?x?xf32>
  return %a : tensor<?x?xf32>
}
