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

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A buffer of a branch takes no room where the run is known not to take the branch, nor one of a
// loop without iterations.
// CHECK-LABEL: func @not_taken
// CHECK:         %[[N:.+]] = memref.dim %arg0
// CHECK:         %[[FEW:.+]] = arith.cmpi slt, %[[N]], %{{.+}} : index
// CHECK:         %[[RUNS:.+]] = arith.cmpi slt, %c0, %arg1
// CHECK:         %[[INNER:.+]] = arith.andi %[[FEW]], %[[RUNS]]
// CHECK:         %[[NEEDED:.+]] = arith.andi %[[INNER]], %{{.+}}
// CHECK:         arith.select %[[NEEDED]], %{{.+}}, %c0
// CHECK:         %[[BYTES:.+]] = krnl.buffer_bytes(%[[N]])
// CHECK:         %[[POSSIBLE:.+]] = arith.cmpi sle, %[[BYTES]]
// CHECK:         %[[BRANCH:.+]] = arith.andi %[[FEW]], %[[POSSIBLE]]
// CHECK:         arith.select %[[BRANCH]], %[[BYTES]], %c0
// CHECK:         krnl.arena_reserve
func.func @not_taken(%x: memref<?xf32>, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %few = arith.cmpi slt, %n, %c9 : index
  scf.if %few {
    %a = memref.alloc(%n) : memref<?xf32>
    krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c0)
    scf.for %i = %c0 to %count step %c1 {
      %m = arith.addi %n, %n : index
      %b = memref.alloc(%m) : memref<?xf32>
      krnl.launch @k ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) tiles(%c0)
    }
  }
  return
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// Nor one of a loop whose counter is past the end before the first iteration.
// CHECK-LABEL: func @counts
// CHECK:         %[[RUNS:.+]] = arith.cmpi slt, %c0, %arg1
// CHECK:         %[[NEEDED:.+]] = arith.andi %[[RUNS]], %{{.+}}
// CHECK:         arith.select %[[NEEDED]], %{{.+}}, %c0
// CHECK:         krnl.arena_reserve
func.func @counts(%x: memref<?xf32>, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %last = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %count : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.alloc(%n) : memref<?xf32>
    krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c0)
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// Where the condition comes from data, only the branch that is taken asks for its memory.
// CHECK-LABEL: func @from_data
// CHECK-NOT:     krnl.arena_reserve
// CHECK:         scf.if
// CHECK:           %[[A:.+]] = krnl.alloc(
// CHECK:           krnl.launch @k ins(%arg0 {{.*}} outs(%[[A]] :
// CHECK:           krnl.release %[[A]]
func.func @from_data(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %first = memref.load %x[%c0] : memref<?xf32>
  %positive = arith.cmpf ogt, %first, %first : f32
  scf.if %positive {
    %a = memref.alloc(%n) : memref<?xf32>
    krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c0)
  }
  return
}
