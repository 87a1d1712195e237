// RUN: onnx-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(krnl-expand-math)))' | FileCheck %s

// A device has no libm for large angles.
// CHECK-LABEL: module @device
// CHECK:         scf.if
// CHECK:         } else {
// CHECK-NOT:       math.sin
// CHECK:           arith.mului_extended %{{.+}}, %{{.+}} : vector<4xi64>
// CHECK:           arith.select %{{.+}} : vector<4xi1>, vector<4xf32>
// CHECK:         return
module @device attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024>} {
  func.func @sin(%x: vector<4xf32>) -> vector<4xf32> {
    %y = math.sin %x : vector<4xf32>
    return %y : vector<4xf32>
  }
  // Of f64 the bits of 2/pi are chosen among 1200.
  // CHECK-LABEL: func @doubles
  // CHECK-NOT:     math.{{sin|tan}}
  // CHECK:         arith.mului_extended %{{.+}}, %{{.+}} : vector<2xi64>
  // CHECK-NOT:     math.{{sin|tan}}
  // CHECK:         return
  func.func @doubles(%x: vector<2xf64>) -> vector<2xf64> {
    %0 = math.sin %x : vector<2xf64>
    %1 = math.tan %0 : vector<2xf64>
    return %1 : vector<2xf64>
  }
}

// Processors have one.
// CHECK-LABEL: module @processor
// CHECK:         math.tan %{{.+}} : f32
// CHECK:         math.cos %{{.+}} : f64
module @processor attributes {krnl.target = #krnl.target<vector_bytes = 32, instructions = {fma_f32 = "", fma_f64 = ""}>} {
  func.func @large(%x: f32, %y: f64) -> (f32, f64) {
    %0 = math.tan %x : f32
    %1 = math.cos %y : f64
    return %0, %1 : f32, f64
  }
}
