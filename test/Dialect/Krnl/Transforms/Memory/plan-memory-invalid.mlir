// RUN: onnx-opt %s --krnl-plan-memory --verify-diagnostics

func.func private @k(memref<10000000000000xf32>, memref<10000000000000xf32>, index, index) attributes {krnl.kernel}

// Each buffer alone would fit.
// expected-error @+1 {{the buffers of a run take}}
func.func @too_large(%x: memref<10000000000000xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<10000000000000xf32>
  krnl.launch @k ins(%x : memref<10000000000000xf32>) outs(%a : memref<10000000000000xf32>) tiles(%c0)
  %b = memref.alloc() : memref<10000000000000xf32>
  krnl.launch @k ins(%a : memref<10000000000000xf32>) outs(%b : memref<10000000000000xf32>) tiles(%c0)
  return
}
