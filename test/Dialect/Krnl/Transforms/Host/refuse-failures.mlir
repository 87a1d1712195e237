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

// Sizes of the run are not known yet.
func.func @of_format(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %never = arith.constant false
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{another shape: input [?, 2], requested [4]}}
  krnl.check %never, "another shape" sizes(%n, %c2) format "input [{}, {}], requested [4]"
  return %x : tensor<?xf32>
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

// No memory holds a tensor of 2^62 floats, wherever it is, or one of 2^61 rows
// whose number is dynamic: what comes next multiplies sizes.
func.func @too_large(%here: i1) {
  scf.if %here {
    // expected-error @+1 {{a tensor of type 'tensor<4611686018427387904xf32>' is too large: at most 70368744177664 bytes}}
    %x = tensor.empty() : tensor<4611686018427387904xf32>
  }
  return
}

// -----

func.func @too_large_rows(%n: index) {
  // expected-error @+1 {{is too large}}
  %x = tensor.empty(%n) : tensor<?x0x2305843009213693952xi8>
  return
}

// -----

// expected-error @+1 {{is too large}}
func.func @too_large_input(%x: tensor<4294967296x4294967296xi8>) {
  return
}

// -----

func.func @as_large_as_can_be() {
  %x = tensor.empty() : tensor<70368744177664xi8>
  return
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
