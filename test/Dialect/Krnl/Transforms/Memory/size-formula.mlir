// RUN: onnx-opt %s --krnl-plan-memory --cse --split-input-file | FileCheck %s

func.func private @k(memref<?x4xf32>, memref<?x4xf32>, index, index) attributes {krnl.kernel}

// Sizes follow from those of the input: the arena is reserved once, the second
// buffer begins where the first one ends, and the third takes the place of the
// first. 64 more bytes stand for rounding each size up.
// CHECK-LABEL: func @reuse
// CHECK-SAME:    krnl.arena_bytes = 0 : i64
// CHECK-SAME:    krnl.arena_formula = "at most 128 + 32*batch B"
// CHECK:         %[[N:.+]] = memref.dim %arg0, %[[C0:.+]] :
// CHECK-NEXT:    %[[S:.+]] = krnl.buffer_bytes(%[[N]]) : memref<?x4xf32>
// CHECK:         %[[ALL:.+]] = krnl.arena_reserve
// CHECK:         %[[A:.+]] = krnl.arena_view[%{{c0.*}}] (%[[N]]) in %[[ALL]] lives {{.+}} : memref<?x4xf32>
// CHECK:         krnl.launch @k {{.+}} outs(%[[A]]
// CHECK:         %[[B:.+]] = krnl.arena_view[%[[AT:.+]]] (%[[N]]) in %[[ALL]]
// CHECK:         krnl.launch @k ins(%[[A]] {{.+}} outs(%[[B]]
// CHECK:         %[[C:.+]] = krnl.arena_view[%{{c0.*}}] (%[[N]]) in %[[ALL]]
// CHECK:         krnl.launch @k ins(%[[B]] {{.+}} outs(%[[C]]
func.func @reuse(%x: memref<?x4xf32>) -> f32 attributes {
    krnl.inputs = [{name = "x", type = tensor<?x4xf32>, dims = ["batch", ""]}]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %a = memref.alloc(%n) : memref<?x4xf32>
  krnl.launch @k ins(%x : memref<?x4xf32>) outs(%a : memref<?x4xf32>) tiles(%c0)
  %b = memref.alloc(%n) : memref<?x4xf32>
  krnl.launch @k ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xf32>) tiles(%c0)
  %c = memref.alloc(%n) : memref<?x4xf32>
  krnl.launch @k ins(%b : memref<?x4xf32>) outs(%c : memref<?x4xf32>) tiles(%c0)
  %w = memref.load %c[%c0, %c0] : memref<?x4xf32>
  return %w : f32
}

// -----

// Equal products are one term, whatever the order of their factors; constants come first.
func.func private @k(memref<?x?xf32>, memref<?x?xf32>, index, index) attributes {krnl.kernel}
// CHECK-LABEL: func @products
// CHECK-SAME:    krnl.arena_formula = "at most 128 + 8*x.0*x.1 B"
func.func @products(%x: memref<?x?xf32>) -> f32 attributes {
    krnl.inputs = [{name = "x", type = tensor<?x?xf32>, dims = ["", ""]}]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  krnl.launch @k ins(%x : memref<?x?xf32>) outs(%a : memref<?x?xf32>) tiles(%c0)
  %b = memref.alloc(%m, %n) : memref<?x?xf32>
  krnl.launch @k ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) tiles(%c0)
  %w = memref.load %b[%c0, %c0] : memref<?x?xf32>
  return %w : f32
}
