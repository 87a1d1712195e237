// RUN: onnx-opt %s -split-input-file --krnl-lower-kernels | FileCheck %s

// An index from data: it and the size are noted where it is out of range, and
// what is read lies inside all the same. Where there are no rows at all the host
// finds out, unless there is nothing to read either.
// CHECK-LABEL: func.func @gather
// CHECK:         %[[ROWS:.+]] = tensor.dim %arg0
// CHECK:         %[[SOME:.+]] = arith.cmpi sgt, %[[ROWS]], %c0
// CHECK:         arith.cmpi eq, %{{.+}}, %c0
// CHECK:         krnl.check %{{.+}}, "bad row: dimension 0 has size 0"
// CHECK:         %[[WORD:.+]] = krnl.error_word ["bad row"] at [#{{.+}}] dimensions [0] : memref<1x2xi64>
// CHECK:         krnl.launch @kernel_gather_0 ins(%arg0, %arg1, %{{.+}}, %[[WORD]] :
// CHECK-LABEL: func.func private @kernel_gather_0
// CHECK-SAME:    (%[[X:[^:]+]]: memref<?x4xf32>, %[[I:[^:]+]]: memref<?xi64>, %{{[^:]+}}: index, %[[W:[^:]+]]: memref<1x2xi64>, %[[Y:[^:]+]]: memref<?x4xf32>,
// CHECK:         %[[BAD:.+]] = arith.cmpi uge
// CHECK:         %[[ROW:.+]] = scf.if %[[BAD]] -> (index) {
// CHECK:           memref.atomic_rmw minu %{{.+}}, %[[W]][%c0{{[_0-9]*}}, %c0{{[_0-9]*}}]
// CHECK:           memref.store %{{.+}}, %[[W]][%c0{{[_0-9]*}}, %c1{{[_0-9]*}}]
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
      %row = krnl.wrap_index %at, %size, "bad row" dimension 0
      %column = krnl.index n
      %element = tensor.extract %a[%row, %column] : tensor<?x4xf32>
      linalg.yield %element : f32
    }
    krnl.yield %g : tensor<?x4xf32>
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A count may be as large as the size, and is not counted from the end. Lanes
// note the smallest of their bad counts.
// CHECK-LABEL: func.func @count
// CHECK-NOT:     krnl.check
// CHECK:         krnl.error_word ["bad count"] at [#{{.+}}] dimensions [-1] : memref<1x2xi64>
// CHECK-LABEL: func.func private @kernel_count_
// CHECK:         %[[BAD:.+]] = arith.cmpi ugt, %{{.+}}, %{{.+}} : vector<8xindex>
// CHECK:         %[[ANY:.+]] = vector.reduction <or>, %[[BAD]]
// CHECK:         scf.if %[[ANY]]
// CHECK:           %[[WORDS:.+]] = arith.select %[[BAD]], %{{.+}}, %{{.+}} : vector<8xi1>, vector<8xi64>
// CHECK:           %[[LEAST:.+]] = vector.reduction <minui>, %[[WORDS]]
// CHECK:           memref.atomic_rmw minu %[[LEAST]]
func.func @count(%i: tensor<64xi64>, %y: tensor<64xi64>) -> tensor<64xi64> {
  %r = krnl.kernel "count" loops [m = 64] ins(%i : tensor<64xi64>) outs(%y : tensor<64xi64>)
      recipe [vectorize(m, 8)] {
  ^bb0(%b: tensor<64xi64>, %c: tensor<64xi64>):
    %size = arith.constant 5 : index
    %g = krnl.compute [m] (%index = %b[m]) -> (%old = %c[m]) : (tensor<64xi64>) -> tensor<64xi64> {
      %at = arith.index_cast %index : i64 to index
      %inside = krnl.wrap_index %at, %size, "bad count" count
      %k = arith.index_cast %inside : index to i64
      linalg.yield %k : i64
    }
    krnl.yield %g : tensor<64xi64>
  } -> tensor<64xi64>
  return %r : tensor<64xi64>
}
