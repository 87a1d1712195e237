// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file | FileCheck %s
// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-cse --split-input-file | FileCheck %s --check-prefix=SHARED

// The rows of both tables are gathered, then one kernel writes both halves of
// each head, as it is laid out, and copies what is not rotated.
// CHECK-LABEL: func.func @halves
// CHECK:         %[[COS:.+]] = krnl.kernel "Gather" {{.+}} ins(%{{.+}}, %{{.+}} : tensor<9x4xf32>
// CHECK:         %[[SIN:.+]] = krnl.kernel "Gather" {{.+}} ins(%{{.+}}, %{{.+}} : tensor<9x4xf32>
// CHECK:         krnl.kernel "RotaryEmbedding" loops [d0 = 2, d1 = 3, d2 = 5, pair = 4, rest = 2]
// CHECK-SAME:      ins(%{{.+}}, %[[COS]], %[[SIN]] : tensor<2x3x5x10xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>)
// CHECK:           krnl.compute [d0, d1, d2, pair] (%[[X1:.+]] = %[[X:.+]][d0, d1, d2, pair ...], %[[X2:.+]] = %[[X]][d0, d1, d2, pair + 4], %[[C:.+]] = %{{.+}}[d0, d2, pair], %[[S:.+]] = %{{.+}}[d0, d2, pair]) -> (%{{.+}} = %[[Y:.+]][d0, d1, d2, pair ...])
// CHECK:             %[[A:.+]] = arith.mulf %[[C]], %[[X1]]
// CHECK:             %[[B:.+]] = arith.mulf %[[S]], %[[X2]]
// CHECK:             arith.subf %[[A]], %[[B]]
// CHECK:           krnl.compute {{.+}} -> (%{{.+}} = %{{.+}}[d0, d1, d2, pair + 4])
// CHECK:             arith.addf
// CHECK:           krnl.compute [d0, d1, d2, rest] (%{{.+}} = %{{.+}}[d0, d1, d2, rest + 8]) -> (%{{.+}} = %{{.+}}[d0, d1, d2, rest + 8])
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @halves(%x: tensor<2x3x5x10xf32>, %c: tensor<9x4xf32>, %s: tensor<9x4xf32>, %at: tensor<2x5xi64>) -> tensor<2x3x5x10xf32> {
  %y = onnx.RotaryEmbedding(%x, %c, %s) position_ids(%at) {rotary_embedding_dim = 8 : i64} : (tensor<2x3x5x10xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<2x5xi64>) -> tensor<2x3x5x10xf32>
  return %y : tensor<2x3x5x10xf32>
}

// -----

// Heads side by side are a view; tables of one batch are read by all.
// CHECK-LABEL: func.func @interleaved
// CHECK-NOT:     krnl.kernel "Gather"
// CHECK:         krnl.kernel "RotaryEmbedding" loops [d0 = 2, d1 = 5, d2 = 3, pair = 4]
// CHECK:           krnl.compute {{.+}}[d0, d1, d2, pair * 2], {{.+}}[d0, d1, d2, pair * 2 + 1], {{.+}}[0, d1, pair], {{.+}}[0, d1, pair]) -> (%{{.+}} = %{{.+}}[d0, d1, d2, pair * 2])
// CHECK:           krnl.compute {{.+}} -> (%{{.+}} = %{{.+}}[d0, d1, d2, pair * 2 + 1])
func.func @interleaved(%x: tensor<2x5x24xf32>, %c: tensor<1x5x4xf32>, %s: tensor<1x5x4xf32>) -> tensor<2x5x24xf32> {
  %y = onnx.RotaryEmbedding(%x, %c, %s) {interleaved = 1 : i64, num_heads = 3 : i64} : (tensor<2x5x24xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<2x5x24xf32>
  return %y : tensor<2x5x24xf32>
}

// -----

// Where the size of a head is not known, halves are a dimension of a view.
// CHECK-LABEL: func.func @any_size
// CHECK:         krnl.check {{.+}}, "RotaryEmbedding: expected an even number
// CHECK:         krnl.check {{.+}}, "RotaryEmbedding: the sizes of the tables
// CHECK:         krnl.kernel "RotaryEmbedding"
// CHECK:           krnl.compute {{.+}}[d0, d1, d2, 0, pair], {{.+}}[d0, d1, d2, 1, pair]
func.func @any_size(%x: tensor<2x3x5x?xf32>, %c: tensor<2x5x?xf32>, %s: tensor<2x5x?xf32>) -> tensor<2x3x5x?xf32> {
  %y = onnx.RotaryEmbedding(%x, %c, %s) : (tensor<2x3x5x?xf32>, tensor<2x5x?xf32>, tensor<2x5x?xf32>) -> tensor<2x3x5x?xf32>
  return %y : tensor<2x3x5x?xf32>
}

// -----

// CHECK-LABEL: func.func @odd_heads
// CHECK-NOT:     krnl.kernel
// CHECK:         krnl.check {{.+}}, "RotaryEmbedding: the heads do not divide the input"
// CHECK-NOT:     krnl.kernel "RotaryEmbedding"
// CHECK:         return
func.func @odd_heads(%x: tensor<2x5x25xf32>, %c: tensor<2x5x4xf32>, %s: tensor<2x5x4xf32>) -> tensor<2x5x25xf32> {
  %y = onnx.RotaryEmbedding(%x, %c, %s) {num_heads = 3 : i64} : (tensor<2x5x25xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x25xf32>
  return %y : tensor<2x5x25xf32>
}

// -----

// Queries and keys are turned by the same gathered rows.
// SHARED-LABEL: func.func @queries_and_keys
// SHARED-COUNT-2: krnl.kernel "Gather"
// SHARED-NOT:     krnl.kernel "Gather"
// SHARED-COUNT-2: krnl.kernel "RotaryEmbedding"
// SHARED-NOT:     krnl.kernel
// SHARED:         return
func.func @queries_and_keys(%q: tensor<2x5x24xf32>, %k: tensor<2x5x8xf32>, %c: tensor<9x4xf32>, %s: tensor<9x4xf32>, %at: tensor<2x5xi64>) -> (tensor<2x5x24xf32>, tensor<2x5x8xf32>) {
  %0 = onnx.RotaryEmbedding(%q, %c, %s) position_ids(%at) {num_heads = 3 : i64} : (tensor<2x5x24xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<2x5xi64>) -> tensor<2x5x24xf32>
  %1 = onnx.RotaryEmbedding(%k, %c, %s) position_ids(%at) {num_heads = 1 : i64} : (tensor<2x5x8xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<2x5xi64>) -> tensor<2x5x8xf32>
  return %0, %1 : tensor<2x5x24xf32>, tensor<2x5x8xf32>
}
