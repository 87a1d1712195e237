// RUN: onnx-opt %s --krnl-fold-copies | FileCheck %s

// The maker writes inside the border, what is left is to fill the border. A
// second reader reads inside, too.
// CHECK-LABEL: func @border
// CHECK:         %[[LARGE:.+]] = tensor.empty() : tensor<8x18xf32>
// CHECK:         %[[MADE:.+]] = krnl.kernel "neg" loops [i = 8, j = 16]
// CHECK-SAME:      outs(%[[LARGE]] : tensor<8x18xf32>)
// CHECK:           krnl.compute [i, j] {{.+}} -> (%{{.+}} = %{{.+}}[i, j + 1])
// CHECK:         %[[PADDED:.+]] = krnl.kernel "pad" loops [p = 8]
// CHECK-SAME:      outs(%[[MADE]] : tensor<8x18xf32>)
// CHECK:           krnl.compute [p] () -> (%{{.+}} = %{{.+}}[p, 0])
// CHECK:           krnl.compute [p] () -> (%{{.+}} = %{{.+}}[p, 17])
// CHECK-NOT:       krnl.compute
// CHECK:         krnl.kernel "again" loops [i = 8, j = 16] ins(%[[PADDED]]
// CHECK:           krnl.compute [i, j] (%{{.+}} = %{{.+}}[i, j + 1])
func.func @border(%x: tensor<8x16xf32>, %z: f32) -> (tensor<8x18xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "neg" loops [i = 8, j = 16] ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<8x16xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<8x16xf32>) -> tensor<8x16xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x18xf32>
  %1 = krnl.kernel "pad" loops [p = 8, q = 18, d = 16] ins(%0, %z : tensor<8x16xf32>, f32) outs(%f : tensor<8x18xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %v: f32, %o: tensor<8x18xf32>):
    %a = krnl.compute [p, q] () -> (%q = %o[p, q]) : () -> tensor<8x18xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [p, d] (%s = %p[p, d]) -> (%q = %a[p, d + 1])
        : (tensor<8x16xf32>) -> tensor<8x18xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x18xf32>
  } -> tensor<8x18xf32>
  %2 = krnl.kernel "again" loops [i = 8, j = 16] ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<8x16xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<8x16xf32>) -> tensor<8x16xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  return %1, %2 : tensor<8x18xf32>, tensor<8x16xf32>
}

// Who is returned, or read at computed indices, keeps its own memory.
// CHECK-LABEL: func @wanted_whole
// CHECK:         krnl.kernel "neg" {{.+}} outs(%{{.+}} : tensor<8x16xf32>)
// CHECK:         krnl.kernel "pad" {{.+}} ins(
func.func @wanted_whole(%x: tensor<8x16xf32>, %z: f32) -> (tensor<8x18xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = krnl.kernel "neg" loops [i = 8, j = 16] ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %o: tensor<8x16xf32>):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<8x16xf32>) -> tensor<8x16xf32> {
      %m = arith.negf %s : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x18xf32>
  %1 = krnl.kernel "pad" loops [p = 8, q = 18, d = 16] ins(%0, %z : tensor<8x16xf32>, f32) outs(%f : tensor<8x18xf32>) {
  ^bb0(%p: tensor<8x16xf32>, %v: f32, %o: tensor<8x18xf32>):
    %a = krnl.compute [p, q] () -> (%q = %o[p, q]) : () -> tensor<8x18xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [p, d] (%s = %p[p, d]) -> (%q = %a[p, d + 1])
        : (tensor<8x16xf32>) -> tensor<8x18xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<8x18xf32>
  } -> tensor<8x18xf32>
  return %1, %0 : tensor<8x18xf32>, tensor<8x16xf32>
}

// The sizes are dynamic: the strip after the part begins where that
// ends, and is as long as the two sizes differ. The reader's loops keep their
// lengths.
// CHECK-LABEL: func @open_sizes
// CHECK-SAME:      %[[N:[^:]+]]: index, %[[M:[^:]+]]: index
// CHECK:         %[[WIDE:.+]] = arith.addi %[[M]], %c3
// CHECK:         %[[LARGE:.+]] = tensor.empty(%[[N]], %[[WIDE]])
// CHECK:         %[[MADE:.+]] = krnl.kernel "neg" loops [i = %{{[^],]+}}, j = %{{[^],]+}}]
// CHECK-SAME:      outs(%[[LARGE]] : tensor<?x?xf32>)
// CHECK:           krnl.compute [i, j] {{.+}} -> (%{{.+}} = %{{.+}}[i, j + 1])
// CHECK:         %[[END:.+]] = arith.addi %[[M]], %c1
// CHECK:         krnl.kernel "pad" loops [p = %{{[^],]+}}, b1_1 = 2] ins({{.+}}, %[[END]] : f32, index)
// CHECK-SAME:      outs(%[[MADE]] : tensor<?x?xf32>)
// CHECK:           ^bb0({{.+}}, %[[AT:[^:]+]]: index, %{{.+}}: tensor<?x?xf32>
// CHECK:           krnl.compute [p] () -> (%{{.+}} = %{{.+}}[p, 0])
// CHECK:             linalg.yield %{{.+}} : f32
// CHECK:           krnl.compute
// CHECK:             krnl.scatter_store %{{.+}} at[%c0{{.*}}, %[[AT]]]
// CHECK-NOT:       krnl.compute
// CHECK:         krnl.kernel "again" loops [i = %{{[^],]+}}, j = %{{[^],]+}}]
// CHECK:           krnl.compute [i, j] (%{{.+}} = %{{.+}}[i, j + 1])
func.func @open_sizes(%n: index, %m: index, %x: tensor<?x?xf32>, %z: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %i_size = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %j_size = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = krnl.kernel "neg" loops [i = %i_size, j = %j_size] ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %o: tensor<?x?xf32>, %i_extent: index, %j_extent: index):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      %k = arith.negf %s : f32
      linalg.yield %k : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  %c3 = arith.constant 3 : index
  %w = arith.addi %m, %c3 : index
  %f = tensor.empty(%n, %w) : tensor<?x?xf32>
  %1 = krnl.kernel "pad" loops [p = %n, q = %w, d = %m] ins(%0, %z : tensor<?x?xf32>, f32) outs(%f : tensor<?x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %v: f32, %o: tensor<?x?xf32>, %p_extent: index, %q_extent: index, %d_extent: index):
    %a = krnl.compute [p, q] () -> (%q = %o[p, q]) : () -> tensor<?x?xf32> {
      linalg.yield %v : f32
    }
    %r = krnl.compute [p, d] (%s = %p[p, d]) -> (%q = %a[p, d + 1])
        : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  %g = tensor.empty(%n, %m) : tensor<?x?xf32>
  %2 = krnl.kernel "again" loops [i = %n, j = %m] ins(%0 : tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) {
  ^bb0(%p: tensor<?x?xf32>, %o: tensor<?x?xf32>, %i_extent_1: index, %j_extent_1: index):
    %r = krnl.compute [i, j] (%s = %p[i, j]) -> (%q = %o[i, j])
        : (tensor<?x?xf32>) -> tensor<?x?xf32> {
      %k = arith.negf %s : f32
      linalg.yield %k : f32
    }
    krnl.yield %r : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>
}
