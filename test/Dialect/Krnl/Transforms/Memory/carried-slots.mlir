// RUN: onnx-opt %s --krnl-plan-memory --split-input-file | FileCheck %s

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// Two buffers in the arena swap  in each turn; both are kept until the
// result has been read, and the buffer of the body comes on top.
// CHECK-LABEL: func @swap
// CHECK-SAME:    krnl.arena_bytes = 768 : i64
// CHECK-DAG:     %[[A:.+]] = krnl.arena_view[%c0{{.*}}] () : memref<64xf32>
// CHECK-DAG:     %[[B:.+]] = krnl.arena_view[%c256] () : memref<64xf32>
// CHECK:         %[[R:.+]]:3 = scf.while (%[[I:.+]] = %{{.+}}, %[[V:.+]] = %[[A]], %[[S:.+]] = %[[B]])
// CHECK:           scf.condition(%{{.+}}) %[[I]], %[[V]], %[[S]]
// CHECK:         ^bb0(%[[I:.+]]: index, %[[V:.+]]: memref<64xf32>, %[[S:.+]]: memref<64xf32>):
// CHECK:           %[[T:.+]] = krnl.arena_view[%c512] ()
// CHECK:           krnl.launch @k ins(%[[V]] {{.+}} outs(%[[T]]
// CHECK:           krnl.launch @k ins(%[[T]] {{.+}} outs(%[[S]]
// CHECK-NOT:       krnl.release
// CHECK:           scf.yield %{{.+}}, %[[S]], %[[V]]
// CHECK:         memref.load %[[R]]#1
// CHECK-NOT:     krnl.release
func.func @swap(%x: memref<64xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = memref.alloc() : memref<64xf32>
  memref.copy %x, %init : memref<64xf32> to memref<64xf32>
  %r:2 = scf.while (%i = %c0, %v = %init) : (index, memref<64xf32>) -> (index, memref<64xf32>) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %v : index, memref<64xf32>
  } do {
  ^bb0(%i: index, %v: memref<64xf32>):
    %t = memref.alloc() : memref<64xf32>
    krnl.launch @k ins(%v : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c0)
    %next = memref.alloc() : memref<64xf32>
    krnl.launch @k ins(%t : memref<64xf32>) outs(%next : memref<64xf32>) tiles(%c0)
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next : index, memref<64xf32>
  }
  %w = memref.load %r#1[%c0] : memref<64xf32>
  return %w : f32
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A size that a turn may change is of the pool.
// CHECK-LABEL: func @grow
// CHECK:         scf.while
// CHECK:           krnl.alloc
// CHECK:           krnl.release
// CHECK:           scf.yield
func.func @grow(%x: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %init = memref.alloc(%m) : memref<?xf32>
  memref.copy %x, %init : memref<?xf32> to memref<?xf32>
  %r:2 = scf.while (%i = %c0, %v = %init) : (index, memref<?xf32>) -> (index, memref<?xf32>) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %v : index, memref<?xf32>
  } do {
  ^bb0(%i: index, %v: memref<?xf32>):
    %j = arith.addi %i, %c1 : index
    %next = memref.alloc(%j) : memref<?xf32>
    krnl.launch @k ins(%v : memref<?xf32>) outs(%next : memref<?xf32>) tiles(%c0)
    scf.yield %j, %next : index, memref<?xf32>
  }
  %w = memref.load %r#1[%c0] : memref<?xf32>
  return %w : f32
}
