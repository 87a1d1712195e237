// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @unknown_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{names 'j', which is not a loop of the kernel}}
    %f = krnl.compute [j] () -> (%_ = %a[j]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @axis_twice(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{names loop 'i' twice}}
    %f = krnl.compute [i, i] () -> (%_ = %a[i, i]) : () -> tensor<4x4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @unknown_in_index(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{use of undeclared identifier}}
    %f = krnl.compute [i] () -> (%_ = %a[j]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @too_few_indices(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{has 1 indices for operand 0 of rank 2}}
    %f = krnl.compute [i] () -> (%_ = %a[i]) : () -> tensor<4x4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @no_indices(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{has 0 indices for operand 0 of rank 1}}
    %f = krnl.compute [i] () -> (%_ = %a) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @too_many_maps(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{has 2 maps for 1 operands}}
    %f = "krnl.compute"(%a) <{parallel = ["i"], reduced = [], indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], operandSegmentSizes = array<i32: 0, 1>}> ({ ^bb0(%_: f32): "linalg.yield"(%zero) : (f32) -> () }) : (tensor<4xf32>) -> tensor<4xf32>
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @map_of_more_loops(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{map 0 must be over 1 loops}}
    %f = "krnl.compute"(%a) <{parallel = ["i"], reduced = [], indexing_maps = [affine_map<(d0, d1) -> (d0)>], operandSegmentSizes = array<i32: 0, 1>}> ({ ^bb0(%_: f32): "linalg.yield"(%zero) : (f32) -> () }) : (tensor<4xf32>) -> tensor<4xf32>
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @map_with_symbol(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{map 0 must be over 1 loops}}
    %f = "krnl.compute"(%a) <{parallel = ["i"], reduced = [], indexing_maps = [affine_map<(d0)[s0] -> (d0)>], operandSegmentSizes = array<i32: 0, 1>}> ({ ^bb0(%_: f32): "linalg.yield"(%zero) : (f32) -> () }) : (tensor<4xf32>) -> tensor<4xf32>
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @above(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{accesses dimension 0 of operand 0, which has size 4, at 1 to 4}}
    %f = krnl.compute [i] () -> (%_ = %a[i + 1]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @below(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{accesses dimension 0 of operand 0, which has size 4, at -3 to 0}}
    %f = krnl.compute [i] () -> (%_ = %a[-i]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @constant_above(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{accesses dimension 0 of operand 0, which has size 4, at 4 to 4}}
    %f = krnl.compute [] () -> (%_ = %a[4]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @another_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{'linalg.fill' op is not allowed in the body of a kernel}}
    %f = linalg.fill ins(%zero : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @name_of_an_operator(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{loop 'mod' must be named by an identifier that indices can use}}
  %y = krnl.kernel "k" loops [mod = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_identifier(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{loop 'a b' must be named by an identifier that indices can use}}
  %y = krnl.kernel "k" loops ["a b" = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    krnl.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @outside(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  // expected-error @+1 {{expects parent op 'krnl.kernel'}}
  %f = krnl.compute [i] () -> (%_ = %x[i]) : () -> tensor<4xf32> { linalg.yield %v : f32 }
  return %f : tensor<4xf32>
}

// -----

func.func @types(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{number of operands and types do not match: got 2 operands and 1 types}}
    %f = krnl.compute [i] (%p = %a[i], %q = %a[i]) -> (%_ = %a[i]) : (tensor<4xf32>) -> tensor<4xf32> { linalg.yield %p : f32 }
    krnl.yield %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @part_of_a_sum(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<6xf32>) {
  ^bb0(%a: tensor<6xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{expected a loop alone before '...'}}
    %f = krnl.compute [i] () -> (%_ = %a[i + 1 ...]) : () -> tensor<6xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @part_of_no_index(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = krnl.kernel "k" loops [i = 4] outs(%x : tensor<6xf32>) {
  ^bb0(%a: tensor<6xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{parts must be the numbers, in order, of indices that are a loop alone}}
    %f = "krnl.compute"(%a) <{parallel = ["i"], reduced = [], indexing_maps = [affine_map<(d0) -> (d0)>], parts = array<i64: 1>, operandSegmentSizes = array<i32: 0, 1>}> ({ ^bb0(%_: f32): "linalg.yield"(%zero) : (f32) -> () }) : (tensor<6xf32>) -> tensor<6xf32>
    krnl.yield %f : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @part_too_long(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = krnl.kernel "k" loops [i = 8] outs(%x : tensor<6xf32>) {
  ^bb0(%a: tensor<6xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{accesses dimension 0 of operand 0, which has size 6, at 0 to 7}}
    %f = krnl.compute [i] () -> (%_ = %a[i ...]) : () -> tensor<6xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @index_of_other_loop(%x: tensor<6xi64>) -> tensor<6xi64> {
  %y = krnl.kernel "k" loops [i = 6, j = 8] outs(%x : tensor<6xi64>) {
  ^bb0(%a: tensor<6xi64>):
    %f = krnl.compute [i] () -> (%_ = %a[i]) : () -> tensor<6xi64> {
      // expected-error @+1 {{names 'j', which is not a loop of the structured op}}
      %j = krnl.index j
      %v = arith.index_cast %j : index to i64
      linalg.yield %v : i64
    }
    krnl.yield %f : tensor<6xi64>
  } -> tensor<6xi64>
  return %y : tensor<6xi64>
}

// -----

func.func @temporary_of_two(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = krnl.kernel "k" loops [i = 6] outs(%x : tensor<6xf32>) {
  ^bb0(%a: tensor<6xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{must be an output of one structured op and nothing else}}
    %t = krnl.temporary : tensor<6xf32>
    %d = krnl.compute [i] () -> (%_ = %t[i]) : () -> tensor<6xf32> { linalg.yield %zero : f32 }
    %e = krnl.compute [i] () -> (%_ = %t[i]) : () -> tensor<6xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute [i] (%u = %d[i], %v = %e[i]) -> (%_ = %a[i]) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32> { linalg.yield %u : f32 }
    krnl.yield %f : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @temporary_of_no_size(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = krnl.kernel "k" loops [i = 6] outs(%x : tensor<6xf32>) {
  ^bb0(%a: tensor<6xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{has dynamic dimension 0, which no loop covers}}
    %t = krnl.temporary : tensor<?xf32>
    %e = krnl.compute [i] () -> (%_ = %t[i + 1]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %f = krnl.compute [i] (%v = %e[i + 1]) -> (%_ = %a[i]) : (tensor<?xf32>) -> tensor<6xf32> { linalg.yield %v : f32 }
    krnl.yield %f : tensor<6xf32>
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @range_too_long(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{reads dimension 0 of operand 0, which has size 6, in the range 0 to 7}}
    %f = krnl.compute [i] (%e = %a[i - 1 in 0 to 7]) -> (%_ = %b[i]) : (tensor<6xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_to_known_end(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{reads dimension 0 of operand 0 up to its end, which needs a range from 0 and a dynamic size}}
    %f = krnl.compute [i] (%e = %a[i - 1 in 0 to ?]) -> (%_ = %b[i]) : (tensor<6xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_from_inside(%x: tensor<?xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<?xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<?xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{reads dimension 0 of operand 0 up to its end, which needs a range from 0 and a dynamic size}}
    %f = krnl.compute [i] (%e = %a[i in 1 to ?]) -> (%_ = %b[i]) : (tensor<?xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_empty(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{in the range 3 to 3}}
    %f = krnl.compute [i] (%e = %a[i - 1 in 3 to 3]) -> (%_ = %b[i]) : (tensor<6xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_handed_on(%o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] outs(%o : tensor<8xf32>) {
  ^bb0(%b: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{writes operand 0, which is more than stored, in a range}}
    %f = krnl.compute [i] () -> (%_ = %b[i in 0 to 4]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    %g = krnl.compute [i] (%e = %f[i]) -> (%_ = %f[i]) : (tensor<8xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %g : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_of_temporary(%o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] outs(%o : tensor<8xf32>) {
  ^bb0(%b: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8xf32>
    // expected-error @+1 {{writes operand 0, which is more than stored, in a range}}
    %f = krnl.compute [i] () -> (%_ = %t[i in 0 to 4]) : () -> tensor<8xf32> { linalg.yield %zero : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_written_over(%o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] outs(%o : tensor<8xf32>) {
  ^bb0(%b: tensor<8xf32>):
    // expected-error @+1 {{writes operand 0, which is more than stored, in a range}}
    %f = krnl.compute [i] () -> (%e = %b[i in 0 to 4]) : () -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_of_sum(%x: tensor<8xf32>, %o: tensor<1xf32>) -> tensor<1xf32> {
  %y = krnl.kernel "k" loops [i = 2, k = 8] ins(%x : tensor<8xf32>) outs(%o : tensor<1xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<1xf32>):
    // expected-error @+1 {{writes operand 1, which is more than stored, in a range}}
    %f = krnl.compute [i | k] (%e = %a[k]) -> (%s = %b[i in 0 to 1]) : (tensor<8xf32>) -> tensor<1xf32> {
      %v = arith.addf %e, %s : f32
      linalg.yield %v : f32
    }
    krnl.yield %f : tensor<1xf32>
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

func.func @range_of_result(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{reads operand 1, which is not an input of the kernel, in a range}}
    %f = krnl.compute [i] (%e = %a[i - 1 in 0 to 6], %d = %b[i in 0 to 8]) -> (%_ = %b[i]) : (tensor<6xf32>, tensor<8xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @loops_apart(%x: tensor<16xf32>, %o: tensor<16xf32>) -> tensor<16xf32> {
  %y = krnl.kernel "k" loops [h = 16, r = 3] ins(%x : tensor<16xf32>) outs(%o : tensor<16xf32>) {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    // expected-error @+1 {{accesses dimension 0 of operand 0, which has size 16, at -1 to 16}}
    %f = krnl.compute [h | r] (%e = %a[h - r + 1]) -> (%u = %b[h]) : (tensor<16xf32>) -> tensor<16xf32> {
      %m = arith.addf %u, %e : f32
      linalg.yield %m : f32
    }
    krnl.yield %f : tensor<16xf32>
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

func.func @range_order(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{ranges must be the number of an index, its first value and that after the last one, in order of the numbers}}
    %f = "krnl.compute"(%a, %b) <{parallel = ["i"], reduced = [], indexing_maps = [affine_map<(d0) -> (d0 - 1)>, affine_map<(d0) -> (d0)>], ranges = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 1>}> ({ ^bb0(%e: f32, %_: f32): "linalg.yield"(%e) : (f32) -> () }) : (tensor<6xf32>, tensor<8xf32>) -> tensor<8xf32>
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_else_type(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{has an element of type 'f16' outside of a range of operand 0, whose elements are of 'f32'}}
    %f = krnl.compute [i] (%e = %a[i - 1 in 0 to 6 else 1.0 : f16]) -> (%_ = %b[i]) : (tensor<6xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_else_differs(%x: tensor<6x6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6x6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6x6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{has different elements outside of the ranges of operand 0}}
    %f = krnl.compute [i] (%e = %a[i - 1 in 0 to 6 else 1.0 : f32, i - 1 in 0 to 6]) -> (%_ = %b[i]) : (tensor<6x6xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @range_else_text(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{expected attribute value}}
    %f = krnl.compute [i] (%e = %a[i - 1 in 0 to 6 else]) -> (%_ = %b[i]) : (tensor<6xf32>) -> tensor<8xf32> { linalg.yield %e : f32 }
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @outsides_of_none(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{outsides must be the element outside of each range, or unit, and one of them at least an element}}
    %f = "krnl.compute"(%a, %b) <{parallel = ["i"], reduced = [], indexing_maps = [affine_map<(d0) -> (d0 - 1)>, affine_map<(d0) -> (d0)>], ranges = array<i64: 0, 0, 6>, outsides = [unit], operandSegmentSizes = array<i32: 1, 1>}> ({ ^bb0(%e: f32, %_: f32): "linalg.yield"(%e) : (f32) -> () }) : (tensor<6xf32>, tensor<8xf32>) -> tensor<8xf32>
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @outsides_too_many(%x: tensor<6xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %y = krnl.kernel "k" loops [i = 8] ins(%x : tensor<6xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: tensor<6xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{outsides must be the element outside of each range, or unit, and one of them at least an element}}
    %f = "krnl.compute"(%a, %b) <{parallel = ["i"], reduced = [], indexing_maps = [affine_map<(d0) -> (d0 - 1)>, affine_map<(d0) -> (d0)>], ranges = array<i64: 0, 0, 6>, outsides = [1.0 : f32, 1.0 : f32], operandSegmentSizes = array<i32: 1, 1>}> ({ ^bb0(%e: f32, %_: f32): "linalg.yield"(%e) : (f32) -> () }) : (tensor<6xf32>, tensor<8xf32>) -> tensor<8xf32>
    krnl.yield %f : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
