// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A size of 1 is read at 0 all along the other operand's dimension.
// CHECK-LABEL: func @repeats_size_one
// CHECK:         krnl.kernel "Add" loops [d0 = 4, d1 = 8]
// CHECK:         krnl.compute [d0, d1] {{.*}}[d0, 0]
// CHECK:           arith.addf
func.func @repeats_size_one(%a: tensor<4x8xf32>, %b: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %y = onnx.Add(%a, %b) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Whether a size is 1 or that of the result shows at run time: the cold branch
// expands the operand, by a loop that fills rows and one that copies them, of which
// one has no iterations.
// CHECK-LABEL: func @sizes_known_at_run_time
// CHECK:         krnl.check
// CHECK:         scf.if
// CHECK:           %[[FILL:.+]] = arith.select %[[SINGLE:.+]], %[[N:.+]], %[[ZERO:.+]] : index
// CHECK:           %[[COPY:.+]] = arith.select %[[SINGLE]], %[[ZERO]], %[[N]] : index
// CHECK:           krnl.kernel "expand" loops [fill = %[[FILL]], copy = %[[COPY]]]
// CHECK:             krnl.compute [fill] () -> (%{{.+}} = %{{.+}}[fill ...])
// CHECK:               tensor.extract %{{.+}}[%c0
// CHECK:             krnl.compute [copy] () -> (%{{.+}} = %{{.+}}[copy ...])
// CHECK:               %[[I:.+]] = krnl.index copy
// CHECK:               tensor.extract %{{.+}}[%[[I]]]
// CHECK:         krnl.kernel "Mul"
func.func @sizes_known_at_run_time(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %y = onnx.Mul(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Elements that are gathered repeat from the last index on, so that no branch keeps the gather from the kernel that
// multiplies them.
// CHECK-LABEL: func @gather_repeats
// CHECK:         %[[LAST:.+]] = arith.addi %{{.+}}, %c-1
// CHECK-NOT:     scf.if {{.+}}tensor<?x8x16xf32>
// CHECK:         krnl.kernel "Gather" loops [d0 = %[[SIZE:.+]], d1 = 8, d2 = 16] {{.+}}%[[LAST]]
// CHECK:           %[[AT:.+]] = arith.minsi
// CHECK:           tensor.extract %{{.+}}[%[[AT]]] : tensor<?xi64>
// CHECK:         krnl.kernel "MatMul" loops [b0 = %[[SIZE]],
func.func @gather_repeats(%w: tensor<4x8x16xf32>, %i: tensor<?xi64>, %x: tensor<?x16x1xf32>) -> tensor<?x8x1xf32> {
  %g = onnx.Gather(%w, %i) : (tensor<4x8x16xf32>, tensor<?xi64>) -> tensor<?x8x16xf32>
  %y = onnx.MatMul(%g, %x) : (tensor<?x8x16xf32>, tensor<?x16x1xf32>) -> tensor<?x8x1xf32>
  return %y : tensor<?x8x1xf32>
}

// Adjacent elements stay adjacent: along the last dimension the branch expands them.
// CHECK-LABEL: func @gathered_rows_stay_whole
// CHECK:         scf.if
// CHECK:           krnl.kernel "expand"
func.func @gathered_rows_stay_whole(%w: tensor<4x?xf32>, %i: tensor<?xi64>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %g = onnx.Gather(%w, %i) : (tensor<4x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  %y = onnx.Add(%g, %x) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A dimension that cannot grow is read in order.
// CHECK-LABEL: func @rows_stay
// CHECK:         scf.if
// CHECK:           krnl.kernel "expand" loops [d0 = %{{.+}}, d1 = 64]
// CHECK:               %[[R:.+]] = arith.minsi
// CHECK:               tensor.extract %{{.+}}[%[[R]], %{{.+}}]
func.func @rows_stay(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = onnx.Mul(%a, %b) : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
