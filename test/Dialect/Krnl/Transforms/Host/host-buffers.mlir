// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics | FileCheck %s

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// An input, a constant and a value given twice are copied.
// CHECK-LABEL: module
// CHECK-SAME:    krnl.weights = [{offset = 0 : i64, value = dense<1.000000e+00> : tensor<64xf32>}]
// CHECK-SAME:    krnl.weights_bytes = 256
// CHECK-LABEL: func @outputs_that_are_copied
// CHECK-DAG:     %[[W:.+]] = krnl.weight_view[0] : memref<64xf32>
// CHECK-DAG:     %[[Y2:.+]] = krnl.output 2() : memref<64xf32>
// CHECK:         krnl.launch @k {{.+}} outs(%[[Y2]] :
// CHECK:         %[[Y0:.+]] = krnl.output 0()
// CHECK-NEXT:    memref.copy %arg0, %[[Y0]]
// CHECK-NEXT:    %[[Y1:.+]] = krnl.output 1()
// CHECK-NEXT:    memref.copy %[[W]], %[[Y1]]
// CHECK-NEXT:    %[[Y3:.+]] = krnl.output 3()
// CHECK-NEXT:    memref.copy %[[Y2]], %[[Y3]]
func.func @outputs_that_are_copied(%x: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %t = arith.constant 1 : index
  %w = krnl.constant dense<1.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %0 = krnl.launch @k ins(%w : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  return %x, %w, %0, %0 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Equal constants are one entry; numbers of type index are stored as i64, and entries begin
// at multiples of the alignment of buffers.
// CHECK-LABEL: module
// CHECK-SAME:    krnl.weights = [{offset = 0 : i64, value = dense<[1, 2, 3]> : tensor<3xi64>}, {offset = 64 : i64, value = dense<1.000000e+00> : tensor<4xf32>}]
// CHECK-LABEL: func @entries
// CHECK-DAG:     krnl.weight_view[0] : memref<3xindex>
// CHECK-DAG:     krnl.weight_view[64] : memref<4xf32>
func.func @entries() -> (tensor<3xindex>, tensor<4xf32>, tensor<4xf32>) {
  %i = krnl.constant dense<[1, 2, 3]> : tensor<3xindex>
  %w = krnl.constant dense<1.0> : tensor<4xf32>
  %v = krnl.constant dense<1.0> : tensor<4xf32>
  return %i, %w, %v : tensor<3xindex>, tensor<4xf32>, tensor<4xf32>
}
