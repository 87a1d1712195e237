// RUN: onnx-opt %s --krnl-plan-memory --split-input-file | FileCheck %s
// RUN: onnx-opt %s --krnl-plan-memory=record-plan --split-input-file | FileCheck %s --check-prefix=PLAN

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}
func.func private @small(memref<64xf32>, memref<4xf32>, index, index) attributes {krnl.kernel}

// The first and the third buffer are never alive together; the small one goes
// after both, as largest come first. Starts are multiples of 64. The recorded
// plan has offset, bytes, the first and the last launch, and the location.
// PLAN:        krnl.arena_plan = [
// PLAN-SAME:     [0, 256, 0, 1, #loc{{[0-9]*}}], [256, 256, 1, 3, #loc{{[0-9]*}}],
// PLAN-SAME:     [512, 64, 2, 3, #loc{{[0-9]*}}], [0, 256, 3, 3, #loc{{[0-9]*}}]]
// CHECK-LABEL: func @reuse
// CHECK-SAME:    krnl.arena_bytes = 576 : i64
// CHECK:         %[[A:.+]] = krnl.arena_view[%[[C0:.+]]] () : memref<64xf32>
// CHECK:         krnl.launch @k {{.+}} outs(%[[A]]
// CHECK:         %[[B:.+]] = krnl.arena_view[%c256] () : memref<64xf32>
// CHECK:         krnl.launch @k ins(%[[A]] {{.+}} outs(%[[B]]
// CHECK:         %[[S:.+]] = krnl.arena_view[%c512] () : memref<4xf32>
// CHECK:         krnl.launch @small ins(%[[B]] {{.+}} outs(%[[S]]
// CHECK:         %[[C:.+]] = krnl.arena_view[%{{c0.*}}] () : memref<64xf32>
// CHECK:         krnl.launch @k ins(%[[B]] {{.+}} outs(%[[C]]
func.func @reuse(%x: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c0)
  %b = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c0)
  %s = memref.alloc() : memref<4xf32>
  krnl.launch @small ins(%b : memref<64xf32>) outs(%s : memref<4xf32>) tiles(%c0)
  %c = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%b : memref<64xf32>) outs(%c : memref<64xf32>) tiles(%c0)
  %v = memref.load %s[%c0] : memref<4xf32>
  %w = memref.load %c[%c0] : memref<64xf32>
  %r = arith.addf %v, %w : f32
  return %r : f32
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// A view keeps what it shows alive.
// CHECK-LABEL: func @view
// CHECK-SAME:    krnl.arena_bytes = 512 : i64
func.func @view(%x: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c0)
  %v = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %b = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c0)
  %r = memref.load %v[%c0, %c0] : memref<8x8xf32>
  return %r : f32
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// A data-dependent size makes a buffer of the pool, which goes back
// after the last use, also one through a view.
// CHECK-LABEL: func @pool
// CHECK:         %[[N:.+]] = arith.index_cast
// CHECK:         %[[A:.+]] = krnl.alloc(%[[N]]) : memref<?xf32>
// CHECK:         krnl.launch @k {{.+}} outs(%[[A]]
// CHECK-NEXT:    %[[V:.+]] = memref.cast %[[A]]
// CHECK-NEXT:    %[[B:.+]] = krnl.alloc
// CHECK-NEXT:    krnl.launch @k ins(%[[A]] {{.+}} outs(%[[B]]
// CHECK-NEXT:    memref.load %[[V]]
// CHECK-NEXT:    krnl.release %[[A]]
// CHECK-NEXT:    memref.load %[[B]]
// CHECK-NEXT:    krnl.release %[[B]]
func.func @pool(%x: memref<?xf32>, %s: memref<?xi64>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %e = memref.load %s[%c0] : memref<?xi64>
  %n = arith.index_cast %e : i64 to index
  %a = memref.alloc(%n) : memref<?xf32>
  krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c0)
  %v = memref.cast %a : memref<?xf32> to memref<8xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  krnl.launch @k ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) tiles(%c0)
  %r = memref.load %v[%c0] : memref<8xf32>
  %q = memref.load %b[%c0] : memref<?xf32>
  return %r, %q : f32, f32
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// What a loop carries is of the pool though its size is known; the old value is
// released in each turn, the last one after the loop. What the body needs for
// itself has a slot in the arena.
// CHECK-LABEL: func @loop
// CHECK-SAME:    krnl.arena_bytes = 256 : i64
// CHECK:         %[[INIT:.+]] = krnl.alloc{{ ?}}() : memref<64xf32>
// CHECK:         %[[R:.+]] = scf.for {{.+}} iter_args(%[[A:.+]] = %[[INIT]])
// CHECK:           krnl.arena_view
// CHECK:           %[[B:.+]] = krnl.alloc{{ ?}}()
// CHECK:           krnl.launch @k ins(%[[A]]
// CHECK-NEXT:      krnl.release %[[A]]
// CHECK:           scf.yield %[[B]]
// CHECK:         memref.load %[[R]]
// CHECK-NEXT:    krnl.release %[[R]]
func.func @loop(%x: memref<64xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = memref.alloc() : memref<64xf32>
  memref.copy %x, %init : memref<64xf32> to memref<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> memref<64xf32> {
    %t = memref.alloc() : memref<64xf32>
    krnl.launch @k ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) tiles(%c0)
    %b = memref.alloc() : memref<64xf32>
    krnl.launch @k ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c0)
    krnl.launch @k ins(%t : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c0)
    scf.yield %b : memref<64xf32>
  }
  %v = memref.load %r[%c0] : memref<64xf32>
  return %v : f32
}

// -----

// A result that nothing reads is released where it appears, and a branch gives
// its buffers on.
// CHECK-LABEL: func @branch
// CHECK:         %[[R:.+]] = scf.if
// CHECK:           %[[A:.+]] = krnl.alloc
// CHECK-NEXT:      scf.yield %[[A]]
// CHECK:           %[[B:.+]] = krnl.alloc
// CHECK-NEXT:      scf.yield %[[B]]
// CHECK:         }
// CHECK-NEXT:    krnl.release %[[R]]
func.func @branch(%c: i1, %n: index) {
  %r = scf.if %c -> memref<?xf32> {
    %a = memref.alloc(%n) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    %b = memref.alloc(%n) : memref<?xf32>
    scf.yield %b : memref<?xf32>
  }
  return
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// Both buffers of a choice are needed as long as what is chosen.
// CHECK-LABEL: func @choice
// CHECK-SAME:    krnl.arena_bytes = 768 : i64
// CHECK:         krnl.arena_view[%[[A:.+]]] ()
// CHECK:         krnl.arena_view[%[[B:.+]]] ()
// CHECK:         krnl.arena_view[%[[C:.+]]] ()
func.func @choice(%x: memref<64xf32>, %cond: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c0)
  %b = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c0)
  %r = arith.select %cond, %a, %b : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  krnl.launch @k ins(%r : memref<64xf32>) outs(%c : memref<64xf32>) tiles(%c0)
  %v = memref.load %c[%c0] : memref<64xf32>
  return %v : f32
}
