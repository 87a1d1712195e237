// RUN: onnx-opt %s --krnl-check-sizes | FileCheck %s

// Nothing but the pass loads the dialect that it writes.
// CHECK-LABEL: func.func @two_sizes(
// CHECK:         krnl.buffer_bytes
// CHECK:         tensor.empty
func.func @two_sizes(%n: index, %m: index) -> tensor<?x?xi8> {
  %x = tensor.empty(%n, %m) : tensor<?x?xi8>
  return %x : tensor<?x?xi8>
}
