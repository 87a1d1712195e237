// RUN: onnx-opt %s --krnl-form-parallel-regions | FileCheck %s

// Launches of a real-time run are not a region; the words are looked at after each.
module attributes {krnl.real_time} {
  func.func private @k(memref<64xf32>, memref<1x2xi64>, memref<64xf32>, index, index) attributes {krnl.kernel}

  // CHECK-LABEL: func @error_word
  // CHECK-NOT:     krnl.parallel_region
  // CHECK:         %[[W:.+]] = krnl.error_word
  // CHECK:         krnl.launch @k ins(%arg0, %[[W]]
  // CHECK-NOT:     krnl.launch
  // CHECK:         memref.load %[[W]][
  // CHECK:         krnl.check %{{.+}}, "bad row"
  // CHECK:         krnl.launch @k ins(%arg1
  // CHECK-NOT:     krnl.parallel_region
  func.func @error_word(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c8 = arith.constant 8 : index
    %v = krnl.error_word ["bad row"] at [loc("r")] dimensions [0] : memref<1x2xi64>
    krnl.launch @k ins(%x, %v : memref<64xf32>, memref<1x2xi64>) outs(%y : memref<64xf32>) tiles(%c8)
    %w = krnl.error_word ["bad column"] at [loc("c")] dimensions [0] : memref<1x2xi64>
    krnl.launch @k ins(%y, %w : memref<64xf32>, memref<1x2xi64>) outs(%x : memref<64xf32>) tiles(%c8)
    return
  }
}
