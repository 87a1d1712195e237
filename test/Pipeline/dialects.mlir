// RUN: onnx-opt %s | FileCheck %s

// Dialects of scalar code are there for IR without kernels, too.
// CHECK: complex.cos
func.func @cosine(%z: complex<f32>) -> complex<f32> {
  %0 = complex.cos %z : complex<f32>
  return %0 : complex<f32>
}
