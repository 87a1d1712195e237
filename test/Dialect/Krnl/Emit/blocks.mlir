// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s
//
// Blocks of a GPU take tiles in turn, and each thread has an iteration of the mapped
// loop.

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

// Launches share the word of errors, in which the smallest number is. The host
// says which number is the first of the kernel.
// CHECK-LABEL: func.func @gather
// CHECK:         %[[WORD:.+]] = krnl.error_word ["bad row"]
// CHECK:         krnl.launch @kernel_gather_{{[0-9]+}} ins(%arg0, %arg1, %[[WORD]], %{{.+}} : {{.+}}, memref<i32>, i32)
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
// CHECK-SAME:    %[[W:[^:]+]]: memref<i32>, %[[ERROR:[^:]+]]: i32, %{{.+}}: memref<64xf32>)
// CHECK:         arith.cmpi uge
// CHECK:         %[[ROW:.+]] = arith.addi %[[ERROR]], %c0_i32
// CHECK-NEXT:    memref.atomic_rmw minu %[[ROW]], %[[W]][]

}
