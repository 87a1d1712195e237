// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Dynamic sizes: the host makes room for whole blocks, a launch has
// as many tiles as the outermost dimension has elements, but none where the packed form
// has no element or the kernel has no row to pack for, and the function gets the
// extents of the loops. What is left of each row, if anything, is copied.
// CHECK-LABEL: func.func @open_sizes(
// CHECK-DAG:     %[[B:.+]] = tensor.dim %arg0, %c0
// CHECK-DAG:     %[[M:.+]] = tensor.dim %arg0, %c1
// CHECK-DAG:     %[[N:.+]] = tensor.dim %arg1, %c1
// CHECK-DAG:     %[[K:.+]] = tensor.dim %arg0, %c2
// CHECK:         %[[BLOCKS:.+]] = arith.divui %{{.+}}, %c16
// CHECK:         %[[ROOM:.+]] = tensor.empty(%[[B]], %[[BLOCKS]], %[[K]]) : tensor<?x?x?x16xf32>
// CHECK:         %[[NO_COLUMN:.+]] = arith.cmpi eq, %[[BLOCKS]], %c0
// CHECK:         %[[OF_COLUMNS:.+]] = arith.select %[[NO_COLUMN]], %c0, %[[B]]
// CHECK:         %[[NO_TERM:.+]] = arith.cmpi eq, %[[K]], %c0
// CHECK:         %[[OF_TERMS:.+]] = arith.select %[[NO_TERM]], %c0, %[[OF_COLUMNS]]
// CHECK:         %[[NO_ROW:.+]] = arith.cmpi eq, %[[M]], %c0
// CHECK:         %[[TILES:.+]] = arith.select %[[NO_ROW]], %c0, %[[OF_TERMS]]
// CHECK:         krnl.launch @kernel_pack_0 ins(%arg1 : tensor<?x?x?xf32>) outs(%[[ROOM]] : tensor<?x?x?x16xf32>) tiles(%[[TILES]])
// Of packed_extent the packed operand alone has a dimension of the reduced loop.
// CHECK-LABEL: func.func @packed_extent(
// CHECK:         %[[J:.+]] = tensor.dim %arg0, %c1
// CHECK:         %[[ROOM:.+]] = tensor.empty(%[[J]]) : tensor<13x?xf32>
// CHECK:         krnl.launch @kernel_packed_extent_0 ins(%{{.+}}, %[[J]] : tensor<13x?xf32>, index)
// CHECK-LABEL: func.func private @kernel_open_sizes_0(
// CHECK-SAME:    %{{.+}}: memref<?x?x?xf32>, %{{.+}}: memref<?x?x?x16xf32>, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: memref<?x?x?xf32>
// CHECK-NOT:     memref.dim
// CHECK:         vector.load %{{.+}} : memref<?x?x?x16xf32>, vector<16xf32>
// CHECK-LABEL: func.func private @kernel_pack_0(
// CHECK-SAME:    %[[SOURCE:.+]]: memref<?x?x?xf32>, %[[PACKED:.+]]: memref<?x?x?x16xf32>, %[[FIRST:.+]]: index, %[[END:.+]]: index
// CHECK:         %[[DEPTH:.+]] = memref.dim %[[PACKED]], %c2
// CHECK:         %[[REST:.+]] = arith.remui %[[DEPTH]], %c16
// CHECK:         %[[SQUARES:.+]] = arith.subi %[[DEPTH]], %[[REST]]
// CHECK:         scf.for %{{.+}} = %[[FIRST]] to %[[END]]
// CHECK:         scf.for %{{.+}} = %c0 to %[[SQUARES]] step %c16
// CHECK-COUNT-16: vector.load %[[SOURCE]]
// CHECK:         scf.for %{{.+}} = %[[SQUARES]] to %[[DEPTH]] step %c1
// CHECK:         memref.store %{{.+}}, %[[PACKED]]
// CHECK:         return
func.func @open_sizes(%x: tensor<?x?x?xf32>, %w: tensor<?x?x?xf32>, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %b_size = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %c1 = arith.constant 1 : index
  %m_size = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %n_size = tensor.dim %w, %c1 : tensor<?x?x?xf32>
  %c2 = arith.constant 2 : index
  %k_size = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %y = krnl.kernel "open_sizes" loops [b = %b_size, m = %m_size, n = %n_size, k = %k_size] ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>)
      recipe [block(n, 16) -> (n.o, n.r), block(m, 8) -> (m.o, m.r), order(b, n.o, m.o, k, m.r, n.r), fuse_outer(b, n.o, m.o), register_tile(m.r, n.r, lanes=16), pack(1, [n.o, k, n.r], transpose=16)] {
  ^bb0(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>, %C: tensor<?x?x?xf32>, %b_extent: index, %m_extent: index, %n_extent: index, %k_extent: index):
    %r = krnl.compute [b, m, n | k] (%p = %A[b, m, k], %q = %B[b, n, k]) -> (%s = %C[b, m, n])
        : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    krnl.yield %r : tensor<?x?x?xf32>
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @packed_extent(%x: tensor<13x?xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  %c1 = arith.constant 1 : index
  %j = tensor.dim %x, %c1 : tensor<13x?xf32>
  %y = krnl.kernel "packed_extent" loops [i = 13, j = %j] ins(%x : tensor<13x?xf32>) outs(%o : tensor<13xf32>)
      recipe [pack(0, [i, j])] {
  ^bb0(%a: tensor<13x?xf32>, %b: tensor<13xf32>, %n: index):
    %r = krnl.compute [i | j] (%p = %a[i, j]) -> (%q = %b[i]) : (tensor<13x?xf32>) -> tensor<13xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}
