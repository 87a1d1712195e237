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

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A buffer of known size keeps a constant place below; what is checked of the
// sizes is checked before memory is asked for.
// CHECK-LABEL: func @check_first
// CHECK:         memref.dim %arg0
// CHECK:         krnl.check %{{.+}}, "too short"
// CHECK:         %[[SIZE:.+]] = krnl.buffer_bytes
// CHECK:         %[[ALL:.+]] = arith.maxsi
// CHECK-NEXT:    krnl.arena_reserve %[[ALL]]
// CHECK-NOT:     krnl.check
func.func @check_first(%x: memref<?xf32>, %y: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %b = memref.alloc() : memref<64xf32>
  memref.copy %y, %b : memref<64xf32> to memref<64xf32>
  %n = memref.dim %x, %c0 : memref<?xf32>
  %ok = arith.cmpi sgt, %n, %c9 : index
  krnl.check %ok, "too short"
  %m = arith.subi %n, %c9 : index
  %a = memref.alloc(%m) : memref<?xf32>
  krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c0)
  %v = memref.load %a[%c0] : memref<?xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %r = arith.addf %v, %w : f32
  return %r : f32
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// The branches share their place. An impossible size takes no room, and is an
// error only if the branch is taken.
// CHECK-LABEL: func @branch
// CHECK:         %[[S:.+]] = krnl.buffer_bytes(%[[M:.+]]) : memref<?xf32>
// CHECK:         %[[OK:.+]] = arith.cmpi sle, %[[S]], %{{.+}} : index
// CHECK-NEXT:    arith.select %[[OK]], %[[S]]
// CHECK:         krnl.arena_reserve
// CHECK:         scf.if
// CHECK:           krnl.check %[[OK]], "a size is negative or too large"
// CHECK-NEXT:      krnl.arena_view[%{{c0.*}}] (%[[M]])
// CHECK:         else
// CHECK:           krnl.arena_view[%{{c0.*}}]
func.func @branch(%x: memref<?xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.if %c {
    %m = arith.subi %n, %c9 : index
    %a = memref.alloc(%m) : memref<?xf32>
    krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c0)
  } else {
    %b = memref.alloc(%n) : memref<?xf32>
    krnl.launch @k ins(%x : memref<?xf32>) outs(%b : memref<?xf32>) tiles(%c0)
  }
  return
}

// -----

// A division that may trap is not made earlier than the model has it, and an
// element is read early only where there is one.
// CHECK-LABEL: func @not_at_entry
// CHECK-SAME:    krnl.arena_formula = "at most 64 + an element of input2 B"
// CHECK:         krnl.alloc(
// CHECK:         krnl.alloc(
// CHECK:         krnl.arena_view
func.func @not_at_entry(%x: memref<?xf32>, %s: memref<?xindex>, %t: memref<2xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %q = arith.divsi %c1, %n : index
  %a = memref.alloc(%q) : memref<?xi8>
  %e = memref.load %s[%c0] : memref<?xindex>
  %b = memref.alloc(%e) : memref<?xi8>
  %f = memref.load %t[%c1] : memref<2xindex>
  %c = memref.alloc(%f) : memref<?xi8>
  memref.copy %a, %b : memref<?xi8> to memref<?xi8>
  memref.copy %b, %c : memref<?xi8> to memref<?xi8>
  return
}
