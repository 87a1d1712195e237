// RUN: onnx-opt %s --krnl-refuse-failures --split-input-file --verify-diagnostics

func.func @always(%x: tensor<2xf32>) -> tensor<2xf32> {
  %never = arith.constant false
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{the sizes differ: 2 and 3}}
  krnl.check %never, "the sizes differ" sizes(%c2, %c3)
  return %x : tensor<2xf32>
}

// -----

// Only the first failure would be seen.
func.func @first(%x: tensor<2xf32>) -> tensor<2xf32> {
  %never = arith.constant false
  // expected-error @+1 {{the first}}
  krnl.check %never, "the first"
  krnl.check %never, "the second"
  return %x : tensor<2xf32>
}

// -----

// A branch may never be taken, and the run decides what is not known.
func.func @perhaps(%x: tensor<2xf32>, %here: i1) -> tensor<2xf32> {
  %never = arith.constant false
  scf.if %here {
    krnl.check %never, "here"
  }
  krnl.check %here, "the run decides"
  return %x : tensor<2xf32>
}
