// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s
//
// Blocks of a GPU take tiles in turn, and each thread has an iteration of the mapped
// loops. What they sum up they combine.

module attributes {krnl.target = #krnl.target<tile_threads = 1024>} {

// 1000 = 3 * 256 + 232: some threads of the last tile have nothing to do.
func.func @main(%x: tensor<1000xf32>, %o: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = krnl.kernel "square" loops [i = 1000]
      ins(%x : tensor<1000xf32>) outs(%o : tensor<1000xf32>)
      recipe [block(i, 256) -> (i.o, i.t), fuse_outer(i.o, i.t), parallel(i.o), map(i.t, thread)] {
  ^bb0(%a: tensor<1000xf32>, %b: tensor<1000xf32>):
    %s = krnl.compute [i] (%p = %a[i]) -> (%q = %b[i]) : (tensor<1000xf32>) -> tensor<1000xf32> {
      %t = arith.mulf %p, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<1000xf32>
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// Threads note the smallest index out of range by an atomic minimum.
// CHECK-LABEL: func.func @gather
// CHECK:         %[[WORD:.+]] = krnl.error_word ["bad row"]
// CHECK:         krnl.launch @kernel_gather_{{[0-9]+}} ins(%arg0, %arg1, %[[WORD]] : {{.+}}, memref<1x2xi64>)
func.func @gather(%x: tensor<8xf32>, %i: tensor<64xi64>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %y = krnl.kernel "gather" loops [m = 64] ins(%x, %i : tensor<8xf32>, tensor<64xi64>)
      outs(%o : tensor<64xf32>)
      recipe [block(m, 64) -> (m.o, m.t), fuse_outer(m.o, m.t), parallel(m.o), map(m.t, thread)] {
  ^bb0(%a: tensor<8xf32>, %b: tensor<64xi64>, %c: tensor<64xf32>):
    %c8 = arith.constant 8 : index
    %g = krnl.compute [m] (%index = %b[m]) -> (%old = %c[m]) : (tensor<64xi64>) -> tensor<64xf32> {
      %at = arith.index_cast %index : i64 to index
      %row = krnl.wrap_index %at, %c8, "bad row"
      %element = tensor.extract %a[%row] : tensor<8xf32>
      linalg.yield %element : f32
    }
    krnl.yield %g : tensor<64xf32>
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// The threads of a block sum up a row.
func.func @sums(%x: tensor<3x200xf16>, %o: tensor<3xf16>) -> tensor<3xf16> {
  %y = krnl.kernel "sums" loops [r = 3, c = 200]
      ins(%x : tensor<3x200xf16>) outs(%o : tensor<3xf16>)
      recipe [block(c, 64) -> (c.o, c.t), fuse_outer(r), parallel(r), map(c.t, thread)] {
  ^bb0(%a: tensor<3x200xf16>, %b: tensor<3xf16>):
    %one = arith.constant 1.0 : f16
    %f = krnl.compute "first" [r] () -> (%q = %b[r]) : () -> tensor<3xf16> {
      linalg.yield %one : f16
    }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r]) : (tensor<3x200xf16>) -> tensor<3xf16> {
      %t = arith.addf %p, %q : f16
      linalg.yield %t : f16
    }
    krnl.yield %s : tensor<3xf16>
  } -> tensor<3xf16>
  return %y : tensor<3xf16>
}

// Two rows of a thread are exchanged at once.
func.func @rows(%x: tensor<4x64xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "rows" loops [r = 4, c = 64]
      ins(%x : tensor<4x64xf32>) outs(%o : tensor<4xf32>)
      recipe [block(r, 2) -> (r.o, r.i), order(r.o, r.i, c), fuse_outer(r.o), parallel(r.o), map(c, thread), unroll(r.i, 2)] {
  ^bb0(%a: tensor<4x64xf32>, %b: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%q = %b[r]) : () -> tensor<4xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute "sum" [r | c] (%p = %a[r, c]) -> (%q = %f[r]) : (tensor<4x64xf32>) -> tensor<4xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func private @kernel_square_0(
// CHECK-SAME:    %[[X:.+]]: memref<1000xf32>, %[[Y:.+]]: memref<1000xf32>)
// CHECK-SAME:    krnl.threads = 256 : i64
// CHECK-DAG:     %[[TID:.+]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-DAG:     %[[THREAD:.+]] = arith.index_castui %[[TID]] : i32 to index
// CHECK-DAG:     %[[CTAID:.+]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG:     %[[FIRST:.+]] = arith.index_castui %[[CTAID]] : i32 to index
// CHECK-DAG:     %[[NCTAID:.+]] = nvvm.read.ptx.sreg.nctaid.x : i32
// CHECK-DAG:     %[[BLOCKS:.+]] = arith.index_castui %[[NCTAID]] : i32 to index
// CHECK:         scf.for %[[TILE:.+]] = %[[FIRST]] to %{{.+}} step %[[BLOCKS]]
// CHECK:           scf.for %[[AT:.+]] = %[[THREAD]] to %{{.+}} step %{{.+}} {
// CHECK:             memref.load %[[X]]
// CHECK:             memref.store %{{.+}}, %[[Y]]
// CHECK-NOT:         scf.for

// CHECK-LABEL: func private @kernel_gather_0(
// CHECK-SAME:    %[[W:[^:]+]]: memref<1x2xi64>, %{{.+}}: memref<64xf32>)
// CHECK:         %[[BAD:.+]] = arith.cmpi uge
// CHECK:         scf.if %[[BAD]]
// CHECK:           memref.atomic_rmw minu %{{.+}}, %[[W]][%c0{{[_0-9]*}}, %c0{{[_0-9]*}}]
// CHECK:           memref.store %{{.+}}, %[[W]][%c0{{[_0-9]*}}, %c1{{[_0-9]*}}]

}

// Each thread begins with nothing. A warp exchanges words, and two warps have two halves of the sum.
// CHECK-LABEL: func private @kernel_sums_0(
// CHECK-SAME:    krnl.threads = 64 : i64
// CHECK-DAG:     %[[NONE:.+]] = arith.constant {{-?}}0.000000e+00 : f16
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f16
// CHECK-DAG:     %[[MEMORY:.+]] = memref.alloca() {alignment = 16 : i64} : memref<1x2xf16, 3>
// CHECK-DAG:     %[[SHARED:.+]] = memref.memory_space_cast %[[MEMORY]] {krnl.exchange} : memref<1x2xf16, 3> to memref<1x2xf16>
// CHECK:         %[[PART:.+]] = scf.for {{.+}} iter_args(%{{.+}} = %[[NONE]]) -> (f16)
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[PART]] : f16 to i16
// CHECK:         %[[WORD:.+]] = arith.extui %[[BITS]] : i16 to i32
// CHECK:         nvvm.shfl.sync bfly %{{.+}}, %[[WORD]], %{{.+}}, %{{.+}} : i32 -> i32
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK:         %[[OF_WARP:.+]] = arith.addf
// CHECK:         nvvm.barrier0
// CHECK:         scf.if
// CHECK:           memref.store %[[OF_WARP]], %[[SHARED]]
// CHECK:         nvvm.barrier0
// CHECK:         memref.load %[[SHARED]]
// CHECK:         nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm
// CHECK:         %[[SUM:.+]] = arith.addf
// CHECK:         arith.addf %{{.*}}%[[SUM]]
// CHECK:         memref.store

// CHECK-LABEL: func private @kernel_rows_0(
// CHECK:         memref.alloca() {alignment = 16 : i64} : memref<2x2xf32, 3>
// CHECK-COUNT-2: nvvm.barrier0
// CHECK-NOT:     nvvm.barrier0
// CHECK:         return
