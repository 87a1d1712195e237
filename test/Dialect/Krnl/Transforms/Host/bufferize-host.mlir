// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics | FileCheck %s

func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}

// The chain's last launch writes the graph output itself; names and types of
// the border become attributes.
// CHECK-LABEL: func @output_in_place(%arg0: memref<64xf32>)
// CHECK-SAME:    krnl.inputs = [{dims = ["n"], name = "x", type = tensor<64xf32>}]
// CHECK-SAME:    krnl.outputs = [{name = "y", type = tensor<64xf32>}]
// CHECK:         %[[T:.+]] = memref.alloc() : memref<64xf32>
// CHECK:         krnl.launch @k ins(%arg0 : {{.+}}) outs(%[[T]] :
// CHECK:         %[[Y:.+]] = krnl.output 0() : memref<64xf32>
// CHECK:         krnl.launch @k ins(%[[T]] : {{.+}}) outs(%[[Y]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @output_in_place(%x: tensor<64xf32> {onnx.name = "x", onnx.dims = ["n"]})
    -> (tensor<64xf32> {onnx.name = "y"}) {
  %t = arith.constant 4 : index
  %e = tensor.empty() : tensor<64xf32>
  %0 = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  %1 = krnl.launch @k ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

func.func @no_host_op(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tensor.empty() : tensor<2xf32>
  // expected-error @+1 {{cannot be part of the host program on tensors}}
  %1 = linalg.exp ins(%x : tensor<2xf32>) outs(%0 : tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
