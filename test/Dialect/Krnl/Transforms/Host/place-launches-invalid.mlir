// RUN: onnx-opt %s --krnl-place-launches --split-input-file --verify-diagnostics
//
// What a device does not run.

module attributes {krnl.host_target = #krnl.target<>} {
  func.func private @k(memref<8xf32>, memref<8xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
  func.func @region(%x: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    scf.execute_region {
      // expected-error @+1 {{'krnl.launch' op is in 'scf.execute_region', which a device does not run yet: compile the model for the processor, by --device=cpu}}
      krnl.launch @k ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) tiles(%c1)
      scf.yield
    }
    return
  }
}

// -----

module attributes {krnl.host_target = #krnl.target<>} {
  func.func private @k(memref<8xf32, strided<[2]>>, memref<8xf32>) attributes {krnl.kernel, krnl.threads = 64 : i64}
  func.func @strided(%x: memref<8xf32, strided<[2]>>, %y: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'krnl.launch' op has a buffer of type 'memref<8xf32, strided<[2]>>', which a device does not have yet: compile the model for the processor, by --device=cpu}}
    krnl.launch @k ins(%x : memref<8xf32, strided<[2]>>) outs(%y : memref<8xf32>) tiles(%c1)
    return
  }
}
