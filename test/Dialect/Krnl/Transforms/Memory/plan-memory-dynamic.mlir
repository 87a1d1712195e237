// RUN: onnx-opt %s --krnl-plan-memory --cse --split-input-file | FileCheck %s

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
