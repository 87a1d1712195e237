// RUN: onnx-opt %s --krnl-form-parallel-regions --split-input-file | FileCheck %s

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// One barrier: the second launch reads what the first has written, the third
// touches other bytes.
// CHECK-LABEL: func @barrier_where_bytes_meet
// CHECK:         %[[P:.+]] = arith.constant 8 : index
// CHECK:         krnl.parallel_region tiles(%{{.+}}) {
// CHECK-NEXT:      krnl.launch @k ins(%arg0
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @k
// CHECK-NEXT:      krnl.launch @k
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @barrier_where_bytes_meet(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c8 = arith.constant 8 : index
  %a = krnl.arena_view[%c0] () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c8)
  %b = krnl.arena_view[%c256] () : memref<64xf32>
  krnl.launch @k ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c8)
  %c = krnl.arena_view[%c512] () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%c : memref<64xf32>) tiles(%c8)
  return
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// Bytes used again: the third launch overwrites what the second may still read.
// CHECK-LABEL: func @barrier_where_memory_is_reused
// CHECK:         krnl.launch
// CHECK-NEXT:    krnl.barrier
// CHECK-NEXT:    krnl.launch
// CHECK-NEXT:    krnl.barrier
// CHECK-NEXT:    krnl.launch
func.func @barrier_where_memory_is_reused(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c8 = arith.constant 8 : index
  %a = krnl.arena_view[%c0] () : memref<64xf32>
  %b = krnl.arena_view[%c256] () : memref<64xf32>
  %c = krnl.arena_view[%c128] () : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c8)
  krnl.launch @k ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c8)
  krnl.launch @k ins(%x : memref<64xf32>) outs(%c : memref<64xf32>) tiles(%c8)
  return
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// Allocations and checks move before the region; a release, and a load of what
// the region computes, end it.
// CHECK-LABEL: func @what_ends_a_region
// CHECK:         krnl.alloc
// CHECK-NEXT:    krnl.check
// CHECK-NEXT:    krnl.alloc
// CHECK:         krnl.parallel_region
// CHECK-NEXT:      krnl.launch
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch
// CHECK-NEXT:{{^ *}$}}
// CHECK-NEXT:    krnl.release
// CHECK:         krnl.parallel_region
// CHECK-NEXT:      krnl.launch
// CHECK-NEXT:{{^ *}$}}
// CHECK-NEXT:    memref.load
func.func @what_ends_a_region(%x: memref<?xf32>, %n: index, %ok: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %a = krnl.alloc(%n) : memref<?xf32>
  krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%n)
  krnl.check %ok, "no"
  %b = krnl.alloc(%n) : memref<?xf32>
  krnl.launch @k ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) tiles(%n)
  krnl.release %a : memref<?xf32>
  krnl.launch @k ins(%x : memref<?xf32>) outs(%b : memref<?xf32>) tiles(%n)
  %r = memref.load %b[%c0] : memref<?xf32>
  return %r : f32
}

// -----

// 8 tiles of four instructions do not pay for a second worker; a dynamic number
// is weighed when it is known.
func.func private @tiny(%x: memref<?xf32>, %y: memref<?xf32>, %b: index, %e: index) attributes {krnl.kernel} {
  %c1 = arith.constant 1 : index
  scf.for %i = %b to %e step %c1 {
    %0 = memref.load %x[%i] : memref<?xf32>
    %1 = arith.addf %0, %0 : f32
    %2 = arith.addf %1, %0 : f32
    memref.store %2, %y[%i] : memref<?xf32>
  }
  return
}
// CHECK-LABEL: func @team_that_pays
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         krnl.parallel_region tiles(%[[ONE]])
// CHECK:         scf.if
// CHECK-DAG:       %[[GRAIN:.+]] = arith.constant 80000 : index
// CHECK-DAG:       %[[COST:.+]] = arith.constant 4 : index
// CHECK-DAG:       %[[WORK:.+]] = arith.muli %arg1, %[[COST]]
// CHECK:           %[[PIECES:.+]] = arith.divsi %[[WORK]], %[[GRAIN]]
// CHECK:           %[[PAYS:.+]] = arith.maxsi %[[PIECES]]
// CHECK:           %[[TEAM:.+]] = arith.minsi %[[PAYS]]
// CHECK:           krnl.parallel_region tiles(%[[TEAM]])
func.func @team_that_pays(%x: memref<?xf32>, %n: index, %y: memref<?xf32>, %c: i1) {
  %c8 = arith.constant 8 : index
  krnl.launch @tiny ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) tiles(%c8)
  scf.if %c {
    krnl.launch @tiny ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) tiles(%n)
  }
  return
}

// -----

// Each launch alone would not pay, all of them together do.
func.func private @small(%x: memref<4096xf32>, %y: memref<4096xf32>, %b: index, %e: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  scf.for %t = %b to %e step %c1 {
    scf.for %i = %c0 to %c512 step %c1 {
      %0 = memref.load %x[%i] : memref<4096xf32>
      %1 = math.exp %0 : f32
      memref.store %1, %y[%i] : memref<4096xf32>
    }
  }
  return
}
// CHECK-LABEL: func @whole_work
// CHECK:         %[[THREE:.+]] = arith.constant 3 : index
// CHECK:         krnl.parallel_region tiles(%[[THREE]])
func.func @whole_work(%x: memref<4096xf32>, %y: memref<4096xf32>, %z: memref<4096xf32>, %w: memref<4096xf32>) {
  %c8 = arith.constant 8 : index
  krnl.launch @small ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) tiles(%c8)
  krnl.launch @small ins(%x : memref<4096xf32>) outs(%z : memref<4096xf32>) tiles(%c8)
  krnl.launch @small ins(%x : memref<4096xf32>) outs(%w : memref<4096xf32>) tiles(%c8)
  return
}

// In a loop less work pays: workers are still awake.
// CHECK-LABEL: func @in_loop
// CHECK:         scf.for
// CHECK:           %[[EIGHT:.+]] = arith.constant 8 : index
// CHECK:           krnl.parallel_region tiles(%[[EIGHT]])
func.func @in_loop(%x: memref<4096xf32>, %y: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    krnl.launch @small ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) tiles(%c8)
  }
  return
}

// -----

func.func private @k(memref<?xf32>, memref<?xf32>, index, index) attributes {krnl.kernel}

// Places that are computed are apart if their buffers are needed at the same
// time; the third launch may write where the first one's result was.
// CHECK-LABEL: func @computed_places
// CHECK:         krnl.parallel_region
// CHECK-NEXT:      krnl.launch
// CHECK-NEXT:      krnl.launch
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch
func.func @computed_places(%x: memref<?xf32>, %n: index, %at: index) {
  %c8 = arith.constant 8 : index
  %arena = krnl.arena_reserve %n
  %a = krnl.arena_view[%at] (%n) in %arena lives [0, 5] : memref<?xf32>
  %b = krnl.arena_view[%n] (%n) in %arena lives [1, 6] : memref<?xf32>
  %c = krnl.arena_view[%at] (%n) in %arena lives [6, 7] : memref<?xf32>
  krnl.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>) tiles(%c8)
  krnl.launch @k ins(%x : memref<?xf32>) outs(%b : memref<?xf32>) tiles(%c8)
  krnl.launch @k ins(%x : memref<?xf32>) outs(%c : memref<?xf32>) tiles(%c8)
  return
}

// -----

func.func private @k(memref<64xf32>, memref<i32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// Launches that note errors share a region; the words are looked at behind it.
// CHECK-LABEL: func @error_words
// CHECK:         %[[A:.+]] = krnl.error_word
// CHECK:         %[[B:.+]] = krnl.error_word
// CHECK:         krnl.parallel_region
// CHECK-NEXT:      krnl.launch @k ins(%arg0, %[[A]]
// CHECK-NEXT:      krnl.launch @k ins(%arg0, %[[B]]
// CHECK-NEXT:    }
// CHECK:         %[[X:.+]] = memref.load %[[A]][]
// CHECK:         %[[OK:.+]] = arith.cmpi ne, %[[X]], %c1{{.*}} : i32
// CHECK-NEXT:    krnl.check %[[OK]], "bad row"
// CHECK:         %[[OK:.+]] = arith.cmpi ne, %[[X]], %c2{{.*}} : i32
// CHECK-NEXT:    krnl.check %[[OK]], "bad column"
// CHECK:         memref.load %[[B]][]
// CHECK:         krnl.check %{{.+}}, "bad place"
// CHECK:         return
func.func @error_words(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>) {
  %c8 = arith.constant 8 : index
  %v = krnl.error_word ["bad row", "bad column"] at [loc("r"), loc("c")] : memref<i32>
  krnl.launch @k ins(%x, %v : memref<64xf32>, memref<i32>) outs(%a : memref<64xf32>) tiles(%c8)
  %w = krnl.error_word ["bad place"] at [loc("p")] : memref<i32>
  krnl.launch @k ins(%x, %w : memref<64xf32>, memref<i32>) outs(%b : memref<64xf32>) tiles(%c8)
  return
}

// -----

// The lengths of loops inside follow from the sizes of the operands: of whole
// vectors and what is left, and of the blocks of the first tile. One tile alone
// is no work that a team could share.
func.func private @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %b: index, %e: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m4 = arith.constant -4 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %t = %b to %e step %c1 {
    %before = arith.muli %t, %m4 : index
    %rest = arith.addi %rows, %before : index
    %length = arith.minsi %rest, %c4 : index
    scf.for %i = %c0 to %length step %c1 {
      scf.for %j = %c0 to %columns step %c1 {
        %0 = memref.load %x[%i, %j] : memref<?x?xf32>
        memref.store %0, %y[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
// CHECK-LABEL: func @sizes_of_operands
// CHECK-DAG:     %[[FOUR:.+]] = arith.constant 4 : index
// CHECK-DAG:     %[[COLUMNS:.+]] = arith.maxsi %arg3
// CHECK-DAG:     %[[EACH:.+]] = arith.muli %[[COLUMNS]], %{{.+}}
// CHECK-DAG:     %[[LENGTH:.+]] = arith.minsi %arg2, %[[FOUR]]
// CHECK-DAG:     %[[ROWS:.+]] = arith.maxsi %[[LENGTH]]
// CHECK-DAG:     %[[TILE:.+]] = arith.muli %[[EACH]], %[[ROWS]]
// CHECK-DAG:     %[[WORK:.+]] = arith.muli %arg1, %[[TILE]]
// CHECK:         %[[PIECES:.+]] = arith.divsi %[[WORK]]
// CHECK:         krnl.parallel_region
// CHECK:         scf.if
// CHECK:           krnl.parallel_region tiles(%[[ONE:.+]]) {
func.func @sizes_of_operands(%x: memref<?x?xf32>, %tiles: index, %n: index, %m: index, %c: i1) {
  %c1 = arith.constant 1 : index
  %a = krnl.alloc(%n, %m) : memref<?x?xf32>
  krnl.launch @rows ins(%a : memref<?x?xf32>) outs(%x : memref<?x?xf32>) tiles(%tiles)
  scf.if %c {
    krnl.launch @rows ins(%x : memref<?x?xf32>) outs(%a : memref<?x?xf32>) tiles(%c1)
  }
  return
}

// -----

// Workers ask whether the run is to end after about 100,000 instructions: after
// 3 tiles of 32,776, and before the next launch; not between two of 60,000, but
// behind them. Sizes that only the run knows count as 64.
func.func private @long(%x: memref<8192xf32>, %b: index, %e: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8192 : index
  scf.for %t = %b to %e step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %x[%i] : memref<8192xf32>
      %1 = arith.addf %0, %0 : f32
      %2 = arith.mulf %1, %1 : f32
      memref.store %2, %x[%i] : memref<8192xf32>
    }
  }
  return
}
func.func private @short(%x: memref<8192xf32>, %b: index, %e: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 15000 : index
  scf.for %t = %b to %e step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %x[%c0] : memref<8192xf32>
      memref.store %0, %x[%c1] : memref<8192xf32>
    }
  }
  return
}
func.func private @sized(%x: memref<?xf32>, %b: index, %e: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %t = %b to %e step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %x[%i] : memref<?xf32>
      memref.store %0, %x[%i] : memref<?xf32>
    }
  }
  return
}
// CHECK-LABEL: func @polls
// CHECK:         krnl.parallel_region
// CHECK-NEXT:      krnl.launch @long outs(%{{.+}}) tiles(%{{.+}}) {krnl.poll_tiles = 3 : i64}
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @short outs(%{{.+}}) tiles(%{{[^)]+}}){{$}}
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @short outs(%{{.+}}) tiles(%{{.+}}) {krnl.poll_first}
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @short outs(%{{.+}}) tiles(%{{[^)]+}}){{$}}
// CHECK-NEXT:      krnl.launch @sized outs(%{{.+}}) tiles(%{{.+}}) {krnl.poll_first, krnl.poll_tiles = 781 : i64}
// CHECK-NEXT:    }
func.func @polls(%x: memref<8192xf32>, %n: index) {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %y = krnl.alloc(%n) : memref<?xf32>
  krnl.launch @long outs(%x : memref<8192xf32>) tiles(%c8)
  krnl.launch @short outs(%x : memref<8192xf32>) tiles(%c2)
  krnl.launch @short outs(%x : memref<8192xf32>) tiles(%c2)
  krnl.launch @short outs(%x : memref<8192xf32>) tiles(%c2)
  krnl.launch @sized outs(%y : memref<?xf32>) tiles(%n)
  return
}
