// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @two_loops_of_one_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has two loops 'i'}}
  %y = krnl.kernel "k" loops [i = 4, i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @limit_of_known_extent(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{limit 8 of loop 'i' must be more than 1 and of a dynamic extent}}
  %y = krnl.kernel "k" loops [i = 4 < 8] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @minimum_of_known_extent(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{minimum 2 of loop 'i' must be more than 1 and of a dynamic extent}}
  %y = krnl.kernel "k" loops [i = 4 >= 2] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @minimum_of_nothing(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @+1 {{minimum 0 of loop 'i' must be more than 1}}
  %y = krnl.kernel "k" loops [i = %n >= 0] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %extent: index):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @minimum_of_one(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @+1 {{minimum 1 of loop 'i' must be more than 1 and of a dynamic extent}}
  %y = krnl.kernel "k" loops [i = %n >= 1] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %extent: index):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @limit_of_no_more(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @+1 {{limit 8 of loop 'i' must be more than its minimum 8}}
  %y = krnl.kernel "k" loops [i = %n >= 8 < 8] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %extent: index):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @limit_of_nothing(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @+1 {{limit 0 of loop 'i' must be more than 1}}
  %y = krnl.kernel "k" loops [i = %n < 0] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %extent: index):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @limit_of_no_iterations(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @+1 {{limit 1 of loop 'i' must be more than 1 and of a dynamic extent}}
  %y = krnl.kernel "k" loops [i = %n < 1] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %extent: index):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_extent(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{loop 'i' has a negative extent}}
  %y = krnl.kernel "k" loops [i = -4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @results_unlike_outs(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{results must have the types of the outs}}
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @too_few_arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{body has 1 arguments for 2 operands}}
  %y = krnl.kernel "k" loops [i = 4] ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @argument_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{body argument 0 has type 'tensor<8xf32>', but the operand has type 'tensor<4xf32>'}}
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<8xf32>):
    krnl.yield %a : tensor<8xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @wrong_extent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 5] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{loop 'i' has extent 5, but dimension 0 of operand 0 has size 4}}
    %f = krnl.compute [i] () -> (%_ = %a[i]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The fill writes dimension 0 along i, the copy reads dimension 0 along j.
func.func @name_means_two_dimensions(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = krnl.kernel "k" loops [i = 4, j = 4] outs(%x : tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<4x4xf32>
    // expected-note @+1 {{the operand is written along that loop here}}
    %f = krnl.compute [i, j] () -> (%_ = %e[i, j]) : () -> tensor<4x4xf32> { linalg.yield %zero : f32 }
    // expected-error @+1 {{loop 'i' is not dimension 0 of operand 0}}
    %t = krnl.compute [i, j] (%p = %f[j, i]) -> (%q = %a[i, j])
        : (tensor<4x4xf32>) -> tensor<4x4xf32> {
      linalg.yield %p : f32
    }
    krnl.yield %t : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @foreign_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{is not allowed in the body of a kernel}}
    %s = tensor.splat %zero : tensor<4xf32>
    krnl.yield %s : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @branch_in_payload(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] ins(%c : i1) outs(%x : tensor<4xf32>) {
  ^bb0(%d: i1, %a: tensor<4xf32>):
    %f = krnl.compute [i] () -> (%q = %a[i]) : () -> tensor<4xf32> {
      // expected-error @+1 {{is not allowed in a structured op of a kernel}}
      %v = scf.if %d -> f32 {
        scf.yield %q : f32
      } else {
        scf.yield %q : f32
      }
      linalg.yield %v : f32
    }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @extract_from_temporary(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %c0 = arith.constant 0 : index
    %f = krnl.compute [i] () -> (%q = %a[i]) : () -> tensor<4xf32> {
      // expected-error @+1 {{must read an input of the kernel}}
      %v = tensor.extract %a[%c0] : tensor<4xf32>
      linalg.yield %v : f32
    }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @yields_too_little(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{yields 0 values, but the kernel has 1 outs}}
    krnl.yield
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @yields_elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<4xf32>
    %f = krnl.compute [i] () -> (%_ = %e[i]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    // expected-error @+1 {{value 0 is not written into out 0 by a structured op}}
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @extents_missing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 0 extents for 1 loops of dynamic extent}}
  %y = "krnl.kernel"(%x) <{loops = [#krnl.loop<i, -9223372036854775808>], name = "k", operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @writes_nothing() {
  // expected-error @+1 {{writes nothing: expected at least one of outs}}
  "krnl.kernel"() <{name = "k", loops = [], recipe = [], operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    krnl.yield
  }) : () -> ()
  return
}

// -----

func.func @no_yield(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{body must end with krnl.yield}}
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    llvm.unreachable
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @bytes_of_a_product(%sum: vector<4xi32>, %x: vector<8xi8>) -> vector<4xi32> {
  // expected-error @+1 {{expects 16 bytes for 4 sums, but got 8}}
  %0 = krnl.dot %sum, %x, %x : vector<4xi32>, vector<8xi8>
  return %0 : vector<4xi32>
}

// -----

func.func @pairs_of_a_product(%sum: vector<4xi32>, %x: vector<16xi16>) -> vector<4xi32> {
  // expected-error @+1 {{expects 8 numbers of 16 bits for 4 sums, but got 16}}
  %0 = krnl.dot %sum, %x, %x : vector<4xi32>, vector<16xi16>
  return %0 : vector<4xi32>
}

// -----

func.func @bytes_of_sums(%x: vector<16xi8>) -> vector<16xi16> {
  // expected-error @+1 {{expects 32 bytes for 16 sums, but got 16}}
  %0 = krnl.pair_sums %x, %x : vector<16xi8> -> vector<16xi16>
  return %0 : vector<16xi16>
}

// -----

func.func @bytes_of_a_table(%x: vector<8xi8>) -> vector<8xi8> {
  // expected-error @+1 {{expects a table of 256 bytes, but got 2}}
  %0 = krnl.lookup %x in [1, 2] : vector<8xi8>
  return %0 : vector<8xi8>
}

// -----

func.func @types_of_matrices(%sum: vector<4xi32>, %x: vector<8xf16>, %w: vector<4xf16>) -> vector<4xi32> {
  // expected-error @+1 {{expects factors of one type, and sums of f32 or i32}}
  %0 = krnl.mma %sum, %x, %w : vector<4xi32>, vector<8xf16>, vector<4xf16>
  return %0 : vector<4xi32>
}

// -----

func.func @elements_of_matrices(%sum: vector<4xf32>, %x: vector<8xf32>) -> vector<4xf32> {
  // expected-error @+1 {{expects 4 and 2 elements of a thread}}
  %0 = krnl.mma %sum, %x, %x : vector<4xf32>, vector<8xf32>, vector<8xf32>
  return %0 : vector<4xf32>
}

// -----

func.func @elements_of_memory(%x: memref<64xf32>, %i: index) -> vector<8xf16> {
  // expected-error @+1 {{expects elements of 'f32'}}
  %0 = krnl.load_matrix %x[%i] : memref<64xf32> -> vector<8xf16>
  return %0 : vector<8xf16>
}

// -----

func.func @size_of_matrices(%x: memref<64xf32>, %i: index) -> vector<8xf32> {
  // expected-error @+1 {{expects 8 or 16 bytes of each thread, but got 256 bits}}
  %0 = krnl.load_matrix %x[%i] : memref<64xf32> -> vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

func.func @transposed_words(%x: memref<64xf32>, %i: index) -> vector<4xf32> {
  // expected-error @+1 {{transposes elements of 16 bits only}}
  %0 = krnl.load_matrix %x[%i] transposed : memref<64xf32> -> vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

func.func @indices_of_matrices(%x: memref<64xf16>, %i: index) -> vector<8xf16> {
  // expected-error @+1 {{expects 1 indices}}
  %0 = krnl.load_matrix %x[%i, %i] : memref<64xf16> -> vector<8xf16>
  return %0 : vector<8xf16>
}

// -----

func.func @copy_async_elements(%x: memref<64xf16>, %t: memref<64xf32>, %i: index) {
  // expected-error @+1 {{'krnl.copy_async' op copies elements of 'f16' to those of 'f32'}}
  krnl.copy_async %x[%i] to %t[%i], 8 : memref<64xf16> to memref<64xf32>
  return
}

// -----

func.func @copy_async_bytes(%x: memref<64xf16>, %t: memref<64xf16>, %i: index) {
  // expected-error @+1 {{'krnl.copy_async' op copies 4, 8 or 16 bytes, but got 6}}
  krnl.copy_async %x[%i] to %t[%i], 3 : memref<64xf16> to memref<64xf16>
  return
}

// -----

func.func @copy_async_indices(%x: memref<64xf16>, %t: memref<64xf16>, %i: index) {
  // expected-error @+1 {{'krnl.copy_async' op expects 1 indices}}
  krnl.copy_async %x[%i, %i] to %t[%i], 8 : memref<64xf16> to memref<64xf16>
  return
}

// -----

func.func @elements_of_descriptor(%x: memref<64xf64>, %i: index) {
  // expected-error @+1 {{'krnl.matrix_descriptor' op expects f16, bf16, f32 or bytes, but got 'f64'}}
  %0 = krnl.matrix_descriptor %x[%i], swizzle = 128, leading = 16, stride = 1024 : memref<64xf64>
  return
}

// -----

func.func @lines_of_descriptor(%x: memref<64xf16>, %i: index) {
  // expected-error @+1 {{'krnl.matrix_descriptor' op expects lines of 32, 64 or 128 bytes, but got 16}}
  %0 = krnl.matrix_descriptor %x[%i], swizzle = 16, leading = 16, stride = 1024 : memref<64xf16>
  return
}

// -----

func.func @distance_of_descriptor(%x: memref<64xf16>, %i: index) {
  // expected-error @+1 {{'krnl.matrix_descriptor' op expects distances that are multiples of 16 bytes below 256 KiB, but got 1032}}
  %0 = krnl.matrix_descriptor %x[%i], swizzle = 128, leading = 16, stride = 1032 : memref<64xf16>
  return
}

// -----

func.func @sums_in_flight(%x: vector<4xf32>) {
  // expected-error @+1 {{'krnl.wgmma_wait' op expects no sums where groups stay in flight}}
  %0 = "krnl.wgmma_wait"(%x) <{inFlight = 1 : i64}> : (vector<4xf32>) -> vector<4xf32>
  return
}

// -----

func.func @sums_of_wgmma(%x: vector<6xf32>, %d: i64) {
  // expected-error @+1 {{'krnl.wgmma' op expects 4, 8, ... 128 sums of a thread, but got 6}}
  %0 = krnl.wgmma %x, %d, %d of f16 : vector<6xf32>
  return
}

// -----

func.func @element_of_wgmma(%x: vector<4xf32>, %d: i64) {
  // expected-error @+1 {{'krnl.wgmma' op multiplies f16, bf16, f32 or bytes, but got 'f64'}}
  %0 = krnl.wgmma %x, %d, %d of f64 : vector<4xf32>
  return
}

// -----

func.func @type_of_sums(%x: vector<4xf32>, %d: i64) {
  // expected-error @+1 {{'krnl.wgmma' op adds up i32}}
  %0 = krnl.wgmma %x, %d, %d of i8 : vector<4xf32>
  return
}

// -----

func.func @columns_of_wgmma(%x: vector<20xi32>, %d: i64) {
  // expected-error @+1 {{'krnl.wgmma' op has no 40 columns of 'i8'}}
  %0 = krnl.wgmma %x, %d, %d of i8 : vector<20xi32>
  return
}

// -----

func.func @transposed_bytes(%x: vector<4xi32>, %d: i64) {
  // expected-error @+1 {{'krnl.wgmma' op transposes elements of 16 bits only}}
  %0 = krnl.wgmma %x, %d, %d of i8 {rhsTransposed} : vector<4xi32>
  return
}

// -----

func.func @pitch_of_tensor(%x: memref<64x60xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{its rows of 120 bytes do not begin at multiples of 16}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[64, 32], swizzle=64 : memref<64x60xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @size_of_tensor(%x: memref<2147483648x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{a dimension has not 1 to 2^31 - 1 elements}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[64, 32], swizzle=64 : memref<2147483648x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @bytes_of_tensor(%x: memref<2147483647x2147483647x2147483647x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{it has not less than 2^40 bytes}}
  krnl.copy_tensor %x[%i, %i, %i, %i] to %t[%i], %b[%i], box=[1, 1, 64, 32], swizzle=64 : memref<2147483647x2147483647x2147483647x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @lines_of_box(%x: memref<64x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{'krnl.copy_tensor' op copies groups of 8 lines, but got 12}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[12, 32], swizzle=64 : memref<64x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @indices_of_box(%x: memref<64x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{'krnl.copy_tensor' op expects 2 indices and sizes of the box}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[1, 16, 32], swizzle=64 : memref<64x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @memory_of_box(%x: memref<64x64xf16>, %t: memref<64x64xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{'krnl.copy_tensor' op expects memory of one dimension}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[16, 32], swizzle=64 : memref<64x64xf16> to memref<64x64xf16>, memref<2xi64>
  return
}

// -----

func.func @size_of_box(%x: memref<64x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{'krnl.copy_tensor' op copies 1 to 256 elements of a dimension, but got 512}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[512, 32], swizzle=64 : memref<64x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @line_of_box(%x: memref<64x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{'krnl.copy_tensor' op expects a line of 64 bytes, but got 32}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[16, 16], swizzle=64 : memref<64x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @cluster_of_copy(%x: memref<64x64xf16>, %t: memref<4096xf16>, %b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{'krnl.copy_tensor' op expects a cluster of a power of two from 1 to 8 blocks, but got 70}}
  krnl.copy_tensor %x[%i, %i] to %t[%i], %b[%i], box=[16, 32], swizzle=64 {blocks = 70 : i64} : memref<64x64xf16> to memref<4096xf16>, memref<2xi64>
  return
}

// -----

func.func @cluster_of_arrival(%b: memref<2xi64>, %i: index) {
  // expected-error @+1 {{'krnl.barrier_arrive' op expects a cluster of a power of two from 1 to 8 blocks, but got -1}}
  krnl.barrier_arrive %b[%i], blocks=-1 : memref<2xi64>
  return
}

// -----

func.func @indices_of_part(%m: memref<8x64xf32>, %i: index) {
  // expected-error @+1 {{'krnl.load_cluster' op expects 2 indices}}
  %v = krnl.load_cluster %m[%i], block=0 : memref<8x64xf32>, f32
  return
}

// -----

func.func @element_of_part(%m: memref<8x64xf32>, %i: index) {
  // expected-error @+1 {{'krnl.load_cluster' op loads 'vector<4xf16>' from memory of 'f32'}}
  %v = krnl.load_cluster %m[%i, %i], block=0 : memref<8x64xf32>, vector<4xf16>
  return
}

// -----

func.func @block_of_part(%m: memref<8x64xf32>, %i: index) {
  // expected-error @+1 {{'krnl.load_cluster' op expects one of 8 blocks, but got block 8}}
  %v = krnl.load_cluster %m[%i, %i], block=8 : memref<8x64xf32>, f32
  return
}

// -----

func.func @arrivals(%b: memref<2xi64>) {
  // expected-error @+1 {{'krnl.barrier_init' op expects 1 to 1048575 arrivals, but got -5}}
  krnl.barrier_init %b {arrivals = -5 : i64} : memref<2xi64>
  return
}

// -----

func.func @flag_with_a_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{attribute 'keepUnitLoops' failed to satisfy constraint: unit attribute}}
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) attributes {keepUnitLoops = 4} {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @tensor_arithmetic(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    // expected-error @+1 {{'arith.addf' op is not allowed in the body of a kernel}}
    %d = arith.addf %a, %a : tensor<4xf32>
    %r = krnl.compute [i] (%e = %d[i]) -> (%_ = %b[i]) : (tensor<4xf32>) -> tensor<4xf32> { linalg.yield %e : f32 }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @size_of_a_computed_dimension(%x: tensor<?xf32>, %n: index, %o: tensor<4xindex>) -> tensor<4xindex> {
  %y = krnl.kernel "k" loops [i = 4] ins(%x, %n : tensor<?xf32>, index) outs(%o : tensor<4xindex>) {
  ^bb0(%a: tensor<?xf32>, %dim: index, %b: tensor<4xindex>):
    // expected-error @+1 {{'tensor.dim' op needs a constant dimension of its tensor}}
    %d = tensor.dim %a, %dim : tensor<?xf32>
    %r = krnl.compute [i] () -> (%_ = %b[i]) : () -> tensor<4xindex> { linalg.yield %d : index }
    krnl.yield %r : tensor<4xindex>
  } -> tensor<4xindex>
  return %y : tensor<4xindex>
}

// -----

func.func @size_of_an_unwritten_temporary(%o: tensor<4xindex>) -> tensor<4xindex> {
  %y = krnl.kernel "k" loops [i = 4] outs(%o : tensor<4xindex>) {
  ^bb0(%b: tensor<4xindex>):
    %t = krnl.temporary : tensor<0x?xf32>
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'tensor.dim' op needs a tensor that an op has written}}
    %d = tensor.dim %t, %c1 : tensor<0x?xf32>
    %r = krnl.compute [i] () -> (%_ = %b[i]) : () -> tensor<4xindex> { linalg.yield %d : index }
    krnl.yield %r : tensor<4xindex>
  } -> tensor<4xindex>
  return %y : tensor<4xindex>
}

// -----

// Of two wrong ops the one that has the mistake is named.
func.func @temporary_with_too_many_indices(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %t = krnl.temporary : tensor<4xf32>
    // expected-error @+1 {{'krnl.compute' op}}
    %q = krnl.compute [i] (%e = %a[i]) -> (%_ = %t[i, i]) : (tensor<4xf32>) -> tensor<4xf32> { linalg.yield %e : f32 }
    %r = krnl.compute [i] (%e = %q[i]) -> (%_ = %b[i]) : (tensor<4xf32>) -> tensor<4xf32> { linalg.yield %e : f32 }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
