// RUN: onnx-opt %s --krnl-lower-kernels | FileCheck %s

// An index from data: the word of the launch is set where it is out of range,
// and what is read lies inside all the same. Where there are no rows at all the
// host finds out, unless there is nothing to read either.
// CHECK-LABEL: func.func @gather
// CHECK:         %[[ROWS:.+]] = tensor.dim %arg0
// CHECK:         %[[SOME:.+]] = arith.cmpi sgt, %[[ROWS]], %c0
// CHECK:         arith.cmpi eq, %{{.+}}, %c0
// CHECK:         krnl.check %{{.+}}, "bad row"
// CHECK:         %[[WORD:.+]] = krnl.error_word ["bad row"] at [#{{.+}}] : memref<i32>
// CHECK:         krnl.launch @kernel_gather_0 ins(%arg0, %arg1, %{{.+}}, %[[WORD]] :
// CHECK-LABEL: func.func private @kernel_gather_0
// CHECK-SAME:    (%[[X:[^:]+]]: memref<?x4xf32>, %[[I:[^:]+]]: memref<?xi64>, %{{[^:]+}}: index, %[[W:[^:]+]]: memref<i32>, %[[Y:[^:]+]]: memref<?x4xf32>,
// CHECK:         %[[BAD:.+]] = arith.cmpi uge
// CHECK:         %[[ROW:.+]] = scf.if %[[BAD]] -> (index) {
// CHECK:           memref.store %c1_i32, %[[W]][]
// CHECK:           arith.minsi
// CHECK:           arith.maxsi
// CHECK:         } else {
func.func @gather(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0_1 = arith.constant 0 : index
  %m_size = tensor.dim %i, %c0_1 : tensor<?xi64>
  %r = krnl.kernel "gather" loops [m = %m_size, n = 4] ins(%x, %i : tensor<?x4xf32>, tensor<?xi64>)
      outs(%y : tensor<?x4xf32>) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?xi64>, %c: tensor<?x4xf32>, %m_extent: index):
    %c0 = arith.constant 0 : index
    %size = tensor.dim %a, %c0 : tensor<?x4xf32>
    %g = krnl.compute [m, n] (%index = %b[m]) -> (%old = %c[m, n])
        : (tensor<?xi64>) -> tensor<?x4xf32> {
      %at = arith.index_cast %index : i64 to index
      %row = krnl.wrap_index %at, %size, "bad row"
      %column = krnl.index n
      %element = tensor.extract %a[%row, %column] : tensor<?x4xf32>
      linalg.yield %element : f32
    }
    krnl.yield %g : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
