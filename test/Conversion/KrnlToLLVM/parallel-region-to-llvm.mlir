// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file | FileCheck %s

func.func private @k(%x: memref<?xf32>, %s: memref<?xi8>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

// The team's function loads pointers, sizes and tile counts from the frame and
// runs a slice of the tiles; scratch is the worker's own. It divides once, for
// its share of the tiles, and a worker alone passes no barrier.
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         %[[FRAME:.+]] = llvm.alloca %{{.+}} x !llvm.struct<(ptr, ptr, i64, i64)>
// CHECK:         %[[F:.+]] = llvm.mlir.addressof @parallel_region.0
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_rt_parallel_region(%{{.+}}, %[[F]], %[[FRAME]], %{{.+}})
// CHECK:         %[[OK:.+]] = llvm.icmp "eq" %[[STATUS]]
// CHECK:         llvm.cond_br %[[OK]]
// CHECK-LABEL: llvm.func internal @parallel_region.0
// CHECK-SAME:    (%[[FRAME:.+]]: !llvm.ptr, %[[TID:.+]]: i32, %[[N:.+]]: i32, %[[TEAM:.+]]: !llvm.ptr)
// CHECK:         %[[HAS_TEAM:.+]] = llvm.icmp "ne" %[[TEAM]]
// CHECK:         %[[PART:.+]] = llvm.udiv
// CHECK:         %[[FROM:.+]] = llvm.mul %{{.+}}, %[[PART]]
// CHECK:         %[[TO:.+]] = llvm.add %[[FROM]], %[[PART]]
// CHECK:         llvm.zext %[[FROM]] : i64 to i128
// CHECK:         llvm.zext %[[TO]] : i64 to i128
// CHECK-NOT:     llvm.{{[us]}}div
// CHECK:         %[[SCRATCH:.+]] = llvm.call @onnxc_rt_scratch(%{{.+}}, %[[TID]])
// CHECK:         llvm.call @k(%{{.+}}, %[[SCRATCH]], %{{.+}}) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> ()
// CHECK:         llvm.cond_br %[[HAS_TEAM]], ^[[BARRIER:bb[0-9]+]], ^[[ONWARD:bb[0-9]+]]
// CHECK:       ^[[BARRIER]]:
// CHECK-NEXT:    %[[OVER:.+]] = llvm.call @onnxc_rt_barrier(%{{.+}}, %[[TEAM]])
// CHECK:         %[[LEAVES:.+]] = llvm.icmp "ne" %[[OVER]]
// CHECK:         llvm.cond_br %[[LEAVES]], ^[[LEAVE:bb[0-9]+]], ^[[ONWARD]]
// CHECK:       ^[[ONWARD]]:
// CHECK:         llvm.call @k
// CHECK:       ^[[LEAVE]]:
// CHECK-NEXT:    llvm.return
func.func @main_graph(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  krnl.parallel_region tiles(%n) {
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) scratch 128
    krnl.barrier
    krnl.launch @k outs(%x : memref<?xf32>) tiles(%n) scratch 128
  }
  return
}

// -----

func.func private @k(%x: memref<64xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

// A launch that polls runs a few tiles at a time. When the run is to end, the
// worker of a team goes to the next barrier, and computes nothing before
// it; one alone leaves. Constants are not fields of the frame.
// CHECK-LABEL: @onnxc_main_graph
// CHECK:         llvm.alloca %{{.+}} x !llvm.struct<(ptr, ptr, ptr)>
// CHECK-LABEL: llvm.func internal @parallel_region.0
// CHECK:         llvm.br ^[[BODY:bb[0-9]+]](%[[BEGIN:[0-9]+]] : i64)
// CHECK:       ^[[BODY]](%[[AT:.+]]: i64):
// CHECK:         %[[NEXT:.+]] = llvm.add %[[AT]]
// CHECK:         %[[STOP:.+]] = llvm.intr.smin(%[[NEXT]], %[[END:[0-9]+]])
// CHECK:         llvm.call @k(%{{.+}}, %[[AT]], %[[STOP]])
// CHECK:         llvm.icmp "slt" %[[STOP]], %[[END]] : i64
// CHECK:         llvm.cond_br %{{.+}}, ^[[ASK:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
// CHECK:       ^[[ASK]]:
// CHECK:         %[[POLL:.+]] = llvm.call @onnxc_rt_poll
// CHECK:         %[[ENDS:.+]] = llvm.icmp "ne" %[[POLL]]
// CHECK:         llvm.cond_br %[[ENDS]], ^[[ENDING:bb[0-9]+]], ^[[AGAIN:bb[0-9]+]]
// CHECK:       ^[[AFTER]]:
// CHECK:         llvm.call @onnxc_rt_poll
// CHECK:         llvm.cond_br %{{.+}}, ^{{bb[0-9]+}}, ^[[SECOND:bb[0-9]+]]
// CHECK:       ^[[AGAIN]]:
// CHECK-NEXT:    llvm.br ^[[BODY]](%[[STOP]] : i64)
// CHECK:       ^[[ENDING]]:
// CHECK-NEXT:    llvm.cond_br %[[HAS_TEAM:.+]], ^[[MEETING:bb[0-9]+]], ^[[LEAVE:bb[0-9]+]]
// CHECK:       ^[[SECOND]]:
// CHECK:         llvm.call @k
// CHECK:         llvm.cond_br %[[HAS_TEAM]], ^[[MEETING]], ^
// CHECK:       ^[[MEETING]]:
// CHECK:         llvm.call @onnxc_rt_barrier
func.func @main_graph(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c16 = arith.constant 16 : index
  krnl.parallel_region tiles(%c16) {
    krnl.launch @k outs(%x : memref<64xf32>) tiles(%c16) {krnl.poll_tiles = 3 : i64}
    krnl.launch @k outs(%y : memref<64xf32>) tiles(%c16) {krnl.poll_first}
    krnl.barrier
    krnl.launch @k outs(%x : memref<64xf32>) tiles(%c16)
  }
  return
}

// -----

func.func private @k(%x: memref<64xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

// The launches of a region for one worker are the leader's own, after it has
// asked whether the run is to end.
// CHECK-LABEL: @onnxc_main_graph
// CHECK-NOT:     onnxc_rt_parallel_region
// CHECK:         %[[STATUS:.+]] = llvm.call @onnxc_rt_poll
// CHECK:         %[[OK:.+]] = llvm.icmp "eq" %[[STATUS]]
// CHECK:         llvm.cond_br %[[OK]], ^[[GO:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK:       ^[[END]]:
// CHECK-NEXT:    llvm.return %[[STATUS]]
// CHECK:       ^[[GO]]:
// CHECK:         llvm.call @k
// CHECK-NOT:     onnxc_rt_barrier
// CHECK:         llvm.call @k
// CHECK-NOT:   @parallel_region.0
func.func @main_graph(%x: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  krnl.parallel_region tiles(%c1) {
    krnl.launch @k outs(%x : memref<64xf32>) tiles(%c16)
    krnl.barrier
    krnl.launch @k outs(%x : memref<64xf32>) tiles(%c16)
  }
  return
}

// -----

func.func private @k(%x: memref<?x?xf32>, %n: index, %m: index, %y: memref<?x?xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}

// Three tiles of 100 cycles between polls, or as many as take as long with the sizes of the run:
// 64 times 300 for each of all tiles, over 64ths of their cycles.
// CHECK-LABEL: @onnxc_main_graph
// CHECK:       llvm.func internal @parallel_region.0
// CHECK:         %[[EACH:.+]] = llvm.mlir.constant(19200 : i64)
// CHECK:         %[[MOST:.+]] = llvm.mul %{{.+}}, %[[EACH]] : i64
// CHECK:         %[[TERM:.+]] = llvm.mlir.constant(160 : i64)
// CHECK:         %[[ROWS:.+]] = llvm.mul %[[TERM]], %{{.+}} : i64
// CHECK:         %[[CYCLES:.+]] = llvm.mul %[[ROWS]], %{{.+}} : i64
// CHECK:         %[[SUM:.+]] = llvm.add %{{.+}}, %[[CYCLES]]
// CHECK:         %[[ALL:.+]] = llvm.intr.umax(%[[SUM]], %[[ONE:.+]])
// CHECK:         %[[COUNT:.+]] = llvm.udiv %[[MOST]], %[[ALL]]
// CHECK:         %[[STEP:.+]] = llvm.intr.smax(%[[COUNT]], %[[ONE]])
// CHECK:       ^{{.+}}(%[[AT:.+]]: i64):
// CHECK:         llvm.add %[[AT]], %[[STEP]]
func.func @main_graph(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  krnl.parallel_region tiles(%n) {
    krnl.launch @k ins(%x, %n, %m : memref<?x?xf32>, index, index) outs(%x : memref<?x?xf32>) tiles(%n)
        {krnl.cycles = [[2.5, 1, 2]], krnl.poll_by_sizes, krnl.poll_tiles = 3 : i64, krnl.tile_cycles = 100 : i64}
  }
  return
}
