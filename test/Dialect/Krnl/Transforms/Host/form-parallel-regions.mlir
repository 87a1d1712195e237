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

// 1,000 cycles do not make up for a second worker; work that depends on a size of the
// run is weighed when that is known: half a cycle for each element, and 100.
func.func private @k(memref<?xf32>, index, memref<?xf32>, index, index) attributes {krnl.kernel}
// CHECK-LABEL: func @profitable_team
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         krnl.parallel_region tiles(%[[ONE]])
// CHECK:         scf.if
// CHECK-DAG:       %[[WAKE:.+]] = arith.constant 60000 : index
// CHECK-DAG:       %[[PARTS:.+]] = arith.constant 64 : index
// CHECK-DAG:       %[[HALF:.+]] = arith.constant 32 : index
// CHECK-DAG:       %[[FIXED:.+]] = arith.constant 100 : index
// CHECK-DAG:       %[[SCALED:.+]] = arith.muli %arg1, %[[HALF]]
// CHECK-DAG:       %[[CYCLES:.+]] = arith.divsi %[[SCALED]], %[[PARTS]]
// CHECK-DAG:       %[[WORK:.+]] = arith.addi %[[CYCLES]], %[[FIXED]]
// CHECK:           %[[PIECES:.+]] = arith.divsi %[[WORK]], %[[WAKE]]
// CHECK:           %[[PAYS:.+]] = arith.maxsi %[[PIECES]]
// CHECK:           %[[TEAM:.+]] = arith.minsi %[[PAYS]]
// CHECK:           krnl.parallel_region tiles(%[[TEAM]])
func.func @profitable_team(%x: memref<?xf32>, %n: index, %y: memref<?xf32>, %c: i1) {
  %c8 = arith.constant 8 : index
  krnl.launch @k ins(%x, %n : memref<?xf32>, index) outs(%y : memref<?xf32>) tiles(%c8) {krnl.cycles = [[1000.0]]}
  scf.if %c {
    krnl.launch @k ins(%x, %n : memref<?xf32>, index) outs(%y : memref<?xf32>) tiles(%n) {krnl.cycles = [[100.0], [0.5, 1]]}
  }
  return
}

// -----

func.func private @k(memref<4096xf32>, memref<4096xf32>, index, index) attributes {krnl.kernel}

// Each launch alone would not be profitable, all of them together are. One tile alone is no
// work that a team could share, and a launch of unknown cost is none.
// CHECK-LABEL: func @whole_work
// CHECK:         %[[THREE:.+]] = arith.constant 3 : index
// CHECK:         krnl.parallel_region tiles(%[[THREE]])
func.func @whole_work(%x: memref<4096xf32>, %y: memref<4096xf32>, %z: memref<4096xf32>, %w: memref<4096xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  krnl.launch @k ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) tiles(%c8) {krnl.cycles = [[65000.0]]}
  krnl.launch @k ins(%x : memref<4096xf32>) outs(%z : memref<4096xf32>) tiles(%c8) {krnl.cycles = [[65000.0]]}
  krnl.launch @k ins(%x : memref<4096xf32>) outs(%w : memref<4096xf32>) tiles(%c8) {krnl.cycles = [[65000.0]]}
  krnl.launch @k ins(%x : memref<4096xf32>) outs(%w : memref<4096xf32>) tiles(%c1) {krnl.cycles = [[1.0e9]]}
  krnl.launch @k ins(%x : memref<4096xf32>) outs(%w : memref<4096xf32>) tiles(%c8)
  return
}

// The cost of a launch without terms is that of its tiles, as many as the run has.
// CHECK-LABEL: func @cost_of_tiles
// CHECK-SAME:    %{{.+}}: memref<4096xf32>, %{{.+}}: memref<4096xf32>, %[[N:.+]]: index
// CHECK:         %[[CYCLES:.+]] = arith.constant 7000 : index
// CHECK:         %[[WORK:.+]] = arith.muli %[[N]], %[[CYCLES]]
// CHECK:         %[[WAKE:.+]] = arith.constant 60000 : index
// CHECK:         arith.divsi %[[WORK]], %[[WAKE]]
// CHECK:         krnl.parallel_region
func.func @cost_of_tiles(%x: memref<4096xf32>, %y: memref<4096xf32>, %n: index) {
  krnl.launch @k ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) tiles(%n) {krnl.tile_cycles = 7000 : i64}
  return
}

// In a loop less work is profitable: workers are still awake.
// CHECK-LABEL: func @in_loop
// CHECK:         scf.for
// CHECK:           %[[EIGHT:.+]] = arith.constant 8 : index
// CHECK:           krnl.parallel_region tiles(%[[EIGHT]])
func.func @in_loop(%x: memref<4096xf32>, %y: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    krnl.launch @k ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) tiles(%c8) {krnl.cycles = [[40000.0]]}
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

func.func private @k(memref<64xf32>, memref<2x2xi64>, memref<64xf32>, index, index) attributes {krnl.kernel}
func.func private @l(memref<64xf32>, memref<1x2xi64>, memref<64xf32>, index, index) attributes {krnl.kernel}

// Launches that note errors share a region; the words are looked at after it,
// those of each message: there is one if the size is not -1.
// CHECK-LABEL: func @error_words
// CHECK:         %[[A:.+]] = krnl.error_word
// CHECK:         %[[B:.+]] = krnl.error_word
// CHECK:         krnl.parallel_region
// CHECK-NEXT:      krnl.launch @k ins(%arg0, %[[A]]
// CHECK-NEXT:      krnl.launch @l ins(%arg0, %[[B]]
// CHECK-NEXT:    }
// CHECK:         %[[FOUND:.+]] = memref.load %[[A]][%c0{{[_0-9]*}}, %c0{{[_0-9]*}}]
// CHECK:         %[[OF:.+]] = memref.load %[[A]][%c0{{[_0-9]*}}, %c1{{[_0-9]*}}]
// CHECK:         %[[OK:.+]] = arith.cmpi eq, %[[OF]], %c-1{{.*}} : i64
// CHECK:         %[[INDEX:.+]] = arith.index_cast %[[FOUND]]
// CHECK:         %[[SIZE:.+]] = arith.index_cast %[[OF]]
// CHECK-NEXT:    krnl.check %[[OK]], "bad row" sizes(%[[INDEX]], %[[SIZE]]) dimension 1{{$}}
// CHECK:         memref.load %[[A]][%c1{{[_0-9]*}}, %c0{{[_0-9]*}}]
// CHECK:         krnl.check %{{.+}}, "bad column" sizes(%{{.+}}, %{{.+}}){{$}}
// CHECK:         memref.load %[[B]][
// CHECK:         krnl.check %{{.+}}, "bad place" sizes(%{{.+}}, %{{.+}}) dimension 0{{$}}
// CHECK:         return
func.func @error_words(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>) {
  %c8 = arith.constant 8 : index
  %v = krnl.error_word ["bad row", "bad column"] at [loc("r"), loc("c")] dimensions [1, -1] : memref<2x2xi64>
  krnl.launch @k ins(%x, %v : memref<64xf32>, memref<2x2xi64>) outs(%a : memref<64xf32>) tiles(%c8)
  %w = krnl.error_word ["bad place"] at [loc("p")] dimensions [0] : memref<1x2xi64>
  krnl.launch @l ins(%x, %w : memref<64xf32>, memref<1x2xi64>) outs(%b : memref<64xf32>) tiles(%c8)
  return
}

// -----

// A cost may grow with the product of several sizes.
func.func private @k(memref<?x?xf32>, index, index, memref<?x?xf32>, index, index) attributes {krnl.kernel}
// CHECK-LABEL: func @product_of_sizes
// CHECK-DAG:     %[[EACH:.+]] = arith.constant 70 : index
// CHECK-DAG:     %[[POINTS:.+]] = arith.muli %arg1, %arg2
// CHECK:         %[[WORK:.+]] = arith.muli %[[POINTS]], %[[EACH]]
// CHECK:         %[[PIECES:.+]] = arith.divsi %[[WORK]]
// CHECK:         krnl.parallel_region
func.func @product_of_sizes(%x: memref<?x?xf32>, %n: index, %m: index) {
  %a = krnl.alloc(%n, %m) : memref<?x?xf32>
  krnl.launch @k ins(%a, %n, %m : memref<?x?xf32>, index, index) outs(%x : memref<?x?xf32>) tiles(%n) {krnl.cycles = [[70.0, 1, 2]]}
  return
}

// -----

func.func private @k(memref<8192xf32>, index, index) attributes {krnl.kernel}

// Workers ask whether the run is to end after about 100,000 cycles: after 3 tiles
// of 32,776, and before the next launch; not between two of 60,000, but after
// them.
// CHECK-LABEL: func @polls
// CHECK:         krnl.parallel_region
// CHECK-NEXT:      krnl.launch @k outs(%{{.+}}) tiles(%{{.+}}) {krnl.poll_tiles = 3 : i64, krnl.tile_cycles = 32776 : i64}
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @k outs(%{{.+}}) tiles(%{{[^)]+}}) {krnl.tile_cycles = 30000 : i64}
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @k outs(%{{.+}}) tiles(%{{.+}}) {krnl.poll_first, krnl.tile_cycles = 30000 : i64}
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @k outs(%{{.+}}) tiles(%{{[^)]+}}) {krnl.tile_cycles = 30000 : i64}
// CHECK-NEXT:      krnl.barrier
// CHECK-NEXT:      krnl.launch @k outs(%{{.+}}) tiles(%{{.+}}) {krnl.poll_first, krnl.poll_tiles = 781 : i64, krnl.tile_cycles = 128 : i64}
// CHECK-NEXT:    }
func.func @polls(%x: memref<8192xf32>, %n: index) {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  krnl.launch @k outs(%x : memref<8192xf32>) tiles(%c8) {krnl.tile_cycles = 32776}
  krnl.launch @k outs(%x : memref<8192xf32>) tiles(%c2) {krnl.tile_cycles = 30000}
  krnl.launch @k outs(%x : memref<8192xf32>) tiles(%c2) {krnl.tile_cycles = 30000}
  krnl.launch @k outs(%x : memref<8192xf32>) tiles(%c2) {krnl.tile_cycles = 30000}
  krnl.launch @k outs(%x : memref<8192xf32>) tiles(%n) {krnl.tile_cycles = 128}
  return
}

// -----

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// Either buffer of a choice may be the one that was written before.
// CHECK-LABEL: func @barrier_before_a_choice
// CHECK:         krnl.launch
// CHECK-NEXT:    krnl.barrier
// CHECK-NEXT:    krnl.launch
func.func @barrier_before_a_choice(%x: memref<64xf32>, %cond: i1) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c8 = arith.constant 8 : index
  %a = krnl.arena_view[%c0] () : memref<64xf32>
  %b = krnl.arena_view[%c256] () : memref<64xf32>
  %r = arith.select %cond, %x, %a : memref<64xf32>
  krnl.launch @k ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) tiles(%c8)
  krnl.launch @k ins(%r : memref<64xf32>) outs(%b : memref<64xf32>) tiles(%c8)
  return
}

// -----

func.func private @k(memref<8192xf32>, index, index, memref<8192xf32>, index, index) attributes {krnl.kernel}

// How often workers ask depends on the run where the cost of a tile does: it grows with a size
// that the number of tiles is not computed from, or with the square of one that it is.
// CHECK-LABEL: func @polls_by_sizes
// CHECK:         krnl.parallel_region
// CHECK:           krnl.launch @k {{.+}} {krnl.cycles = {{.+}}, krnl.poll_by_sizes, krnl.poll_tiles = 140 : i64, krnl.tile_cycles = 714 : i64}
// CHECK:           krnl.launch @k {{.+}} {krnl.cycles = {{.+}}, krnl.poll_by_sizes, krnl.poll_tiles = 140 : i64, krnl.tile_cycles = 714 : i64}
// CHECK:           krnl.launch @k {{.+}} {krnl.cycles = {{.+}}, krnl.poll_by_sizes, krnl.poll_tiles = 140 : i64, krnl.tile_cycles = 714 : i64}
// CHECK:           krnl.launch @k {{.+}} {krnl.cycles = {{[^_]+}}, krnl.poll_tiles = 140 : i64, krnl.tile_cycles = 714 : i64}
func.func @polls_by_sizes(%x: memref<8192xf32>, %n: index, %m: index) {
  %c4 = arith.constant 4 : index
  %tiles = arith.ceildivsi %n, %c4 : index
  krnl.launch @k ins(%x, %n, %m : memref<8192xf32>, index, index) outs(%x : memref<8192xf32>) tiles(%tiles) {krnl.cycles = [[10.5, 1, 2], [38.0, 1]], krnl.tile_cycles = 714}
  krnl.launch @k ins(%x, %n, %n : memref<8192xf32>, index, index) outs(%x : memref<8192xf32>) tiles(%tiles) {krnl.cycles = [[10.5, 1, 2]], krnl.tile_cycles = 714}
  krnl.launch @k ins(%x, %n, %m : memref<8192xf32>, index, index) outs(%x : memref<8192xf32>) tiles(%c4) {krnl.cycles = [[10.5, 1]], krnl.tile_cycles = 714}
  krnl.launch @k ins(%x, %n, %m : memref<8192xf32>, index, index) outs(%x : memref<8192xf32>) tiles(%tiles) {krnl.cycles = [[38.0, 1]], krnl.tile_cycles = 714}
  return
}
