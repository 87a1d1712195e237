// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s
// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-check-sizes --krnl-simplify-host --krnl-resolve-sizes \
// RUN:     --onnx-share-input-sizes --krnl-cse --krnl-simplify-host --krnl-resolve-sizes --krnl-cse \
// RUN:   | FileCheck %s --check-prefix=SHARED

// The result has the size of the input, which is checked once; the second sum has
// nothing to choose from.
// CHECK-LABEL: func @size_of_an_input
// CHECK:         %[[CHOSEN:.+]] = arith.select
// CHECK:         krnl.check %[[SAME:.+]], "sizes of the operands do not fit together" sizes(%[[CHOSEN]], %[[N:.+]])
// CHECK-NEXT:    tensor.empty(%[[N]])
// CHECK:         krnl.kernel "Add" loops [d0 = %[[N]], d1 = 8]
// SHARED-LABEL: func @size_of_an_input
// SHARED:         %[[N:.+]] = tensor.dim %arg0
// SHARED:         krnl.check %{{.+}}, "sizes of the operands do not fit together" sizes(%{{.+}}, %[[N]])
// SHARED-NOT:     scf.if
// SHARED:         krnl.kernel "Add" loops [d0 = %[[N]], d1 = 8]
// SHARED-NOT:     scf.if
// SHARED:         krnl.kernel "Mul" loops [d0 = %[[N]], d1 = 8]
func.func @size_of_an_input(%x: tensor<?x8xf32> {onnx.dims = ["n", ""]}, %y: tensor<?x8xf32> {onnx.dims = ["m", ""]})
    -> tensor<?x8xf32> {
  %0 = onnx.Add(%x, %y) {onnx.dims = [["n", "8"]]} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = onnx.Mul(%0, %x) {onnx.dims = [["n", "8"]]} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// An input without a name for its size gives it its own; a size that is not an input's
// stays as it is computed, and so do those of texts that do not fit the result.
// CHECK-LABEL: func @other_names
// CHECK:         krnl.check %{{.+}}, "sizes of the operands do not fit together" sizes(%{{.+}}, %[[N:.+]])
// CHECK-NEXT:    tensor.empty(%[[N]])
// CHECK:         krnl.kernel "Add"
// CHECK-NOT:     "sizes of the operands do not fit together"
// CHECK:         krnl.kernel "Sub"
// CHECK-NOT:     "sizes of the operands do not fit together"
// CHECK:         krnl.kernel "Mul"
func.func @other_names(%x: tensor<?xf32> {onnx.name = "x"}, %y: tensor<?xf32> {onnx.name = "y"})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = onnx.Add(%x, %y) {onnx.dims = [["x.0"]]} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Sub(%x, %y) {onnx.dims = [["max(x.0, y.0)"]]} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = onnx.Mul(%x, %y) {onnx.dims = [["x.0", "8"], 3]} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A padded tensor is a view of what is computed, and has the size as well: the sum is of equal sizes.
// CHECK-LABEL: func @view
// CHECK:         krnl.check %{{.+}}, "sizes of the operands do not fit together" sizes(%{{.+}}, %[[KEYS:.+]])
// CHECK-NEXT:    %[[SHAPE:.+]] = tensor.from_elements %{{.+}}, %[[KEYS]] : tensor<2xindex>
// CHECK-NEXT:    tensor.reshape %{{.+}}(%[[SHAPE]])
// SHARED-LABEL: func @view
// SHARED:         krnl.kernel "pad"
// SHARED-NOT:     scf.if
// SHARED:         krnl.kernel "Add" loops [d0 = 2, d1 = %{{.+}}] ins(%arg0, %{{.+}} : tensor<2x?xf32>, tensor<2x?xf32>)
func.func @view(%k: tensor<2x?xf32> {onnx.dims = ["", "keys"]}, %m: tensor<2x?xf32> {onnx.dims = ["", "known"]}, %missing: tensor<2xi64>)
    -> tensor<2x?xf32> {
  %none = onnx.Constant dense<-1.0> : tensor<f32>
  %last = onnx.Constant dense<1> : tensor<1xi64>
  %p = onnx.Pad(%m, %missing) constant_value(%none) axes(%last) {mode = "constant", onnx.dims = [["2", "keys"]]} : (tensor<2x?xf32>, tensor<2xi64>, tensor<f32>, tensor<1xi64>) -> tensor<2x?xf32>
  %y = onnx.Add(%k, %p) {onnx.dims = [["2", "keys"]]} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}
