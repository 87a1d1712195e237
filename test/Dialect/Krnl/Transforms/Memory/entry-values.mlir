// RUN: onnx-opt %s --krnl-plan-memory --cse --split-input-file | FileCheck %s

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// The branches share their place. An impossible size and a branch that is not
// taken take no room, and the size is an error only if the branch is taken.
// CHECK-LABEL: func @branch
// CHECK:         %[[S:.+]] = krnl.buffer_bytes(%[[M:.+]]) : memref<?xf32>
// CHECK:         %[[OK:.+]] = arith.cmpi sle, %[[S]], %{{.+}} : index
// CHECK-NEXT:    %[[NEEDED:.+]] = arith.andi %arg1, %[[OK]] : i1
// CHECK-NEXT:    arith.select %[[NEEDED]], %[[S]]
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
