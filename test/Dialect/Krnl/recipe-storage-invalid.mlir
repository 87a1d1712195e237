// RUN: onnx-opt %s --split-input-file --verify-diagnostics
//
// Operands that cannot be packed or cached, whichever step makes it so.

// The slice would have no place on the stack.
func.func @cache_of_unknown_size(%x: tensor<13x?xf32>, %o: tensor<13x?xf32>) -> tensor<13x?xf32> {
  %c1 = arith.constant 1 : index
  %j_size = tensor.dim %x, %c1 : tensor<13x?xf32>
  // expected-error @+1 {{recipe step 1 'cache(0, at=i)': cannot cache operand 0 at loop 'i': the extent of loop 'j' is not known}}
  %y = krnl.kernel "cache_of_unknown_size" loops [i = 13, j = %j_size] ins(%x : tensor<13x?xf32>) outs(%o : tensor<13x?xf32>)
      recipe [cache(0, at=i)] {
  ^bb0(%a: tensor<13x?xf32>, %b: tensor<13x?xf32>, %j_extent: index):
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<13x?xf32>) outs(%b : tensor<13x?xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "copy"} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13x?xf32>
    krnl.yield %r : tensor<13x?xf32>
  } -> tensor<13x?xf32>
  return %y : tensor<13x?xf32>
}

// -----

func.func @cache_too_large(%x: tensor<13x20000xf32>, %o: tensor<13x20000xf32>) -> tensor<13x20000xf32> {
  // expected-error @+1 {{cannot cache operand 0 at loop 'i': the slices would be larger than 65536 bytes}}
  %y = krnl.kernel "cache_too_large" loops [i = 13, j = 20000] ins(%x : tensor<13x20000xf32>) outs(%o : tensor<13x20000xf32>)
      recipe [cache(0, at=i)] {
  ^bb0(%a: tensor<13x20000xf32>, %b: tensor<13x20000xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<13x20000xf32>) outs(%b : tensor<13x20000xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "copy"} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13x20000xf32>
    krnl.yield %r : tensor<13x20000xf32>
  } -> tensor<13x20000xf32>
  return %y : tensor<13x20000xf32>
}

// -----

// One slice cannot serve two iterations.
func.func @cache_in_copies(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{recipe step 2 'unroll(i, 2)': cannot cache operand 0 at loop 'j': loop 'i' of op 'copy' takes several iterations at a time there}}
  %y = krnl.kernel "cache_in_copies" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [cache(0, at=j), unroll(i, 2)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<13x17xf32>) outs(%b : tensor<13x17xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "copy"} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13x17xf32>
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @cache_not_read_inside(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{recipe step 1 'zero: cache(0, at=i)': no op inside loop 'i' reads operand 0}}
  %y = krnl.kernel "cache_not_read_inside" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [zero: cache(0, at=i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<13xf32>
    %f = linalg.fill {krnl.axes = ["i"], krnl.name = "zero"} ins(%zero : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<13x17xf32>) outs(%f : tensor<13xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sum"} {
    ^bb0(%p: f32, %q: f32):
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    } -> tensor<13xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<13x17xf32>, tensor<13xf32>) outs(%b : tensor<13x17xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sub"} {
    ^bb0(%p: f32, %t: f32, %q: f32):
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    } -> tensor<13x17xf32>
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// The first step is for both ops that read it.
func.func @cache_twice(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{op 'sum' caches operand 0 already}}
  %y = krnl.kernel "cache_twice" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [cache(0, at=i), sum: cache(0, at=j)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<13xf32>
    %f = linalg.fill {krnl.axes = ["i"], krnl.name = "zero"} ins(%zero : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<13x17xf32>) outs(%f : tensor<13xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sum"} {
    ^bb0(%p: f32, %q: f32):
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    } -> tensor<13xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<13x17xf32>, tensor<13xf32>) outs(%b : tensor<13x17xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sub"} {
    ^bb0(%p: f32, %t: f32, %q: f32):
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    } -> tensor<13x17xf32>
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// The size of the operand is that of its loop, but for what no loop walks.
func.func @pack_of_unknown_part(%x: tensor<13x?xf32>, %o: tensor<13xf32>) -> tensor<13xf32> {
  // expected-error @+1 {{recipe step 1 'pack(0, [i])': cannot pack operand 0: no loop walks a dimension whose size is not known}}
  %y = krnl.kernel "pack_of_unknown_part" loops [i = 13] ins(%x : tensor<13x?xf32>) outs(%o : tensor<13xf32>)
      recipe [pack(0, [i])] {
  ^bb0(%a: tensor<13x?xf32>, %b: tensor<13xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, 0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<13x?xf32>) outs(%b : tensor<13xf32>) attrs = {krnl.axes = ["i"], krnl.name = "copy"} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13xf32>
    krnl.yield %r : tensor<13xf32>
  } -> tensor<13xf32>
  return %y : tensor<13xf32>
}

// -----

func.func @pack_too_large(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{cannot pack operand 0: its packed form would have more than 2147483648 elements}}
  %y = krnl.kernel "pack_too_large" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [block(i, 1048576) -> (i.o, i.i), block(j, 1048576) -> (j.o, j.i), pack(0, [i.i, j.i])] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<13x17xf32>) outs(%b : tensor<13x17xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "copy"} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<13x17xf32>
    krnl.yield %r : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

// Blocked in one op alone, the loops that index the operand differ.
func.func @pack_read_otherwise(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{recipe step 2 'sum: block(j, 4) -> (j.o, j.i)': cannot pack operand 0: op 'sub' reads it with other loops}}
  %y = krnl.kernel "pack_read_otherwise" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [pack(0, [i]), sum: block(j, 4) -> (j.o, j.i)] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<13xf32>
    %f = linalg.fill {krnl.axes = ["i"], krnl.name = "zero"} ins(%zero : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<13x17xf32>) outs(%f : tensor<13xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sum"} {
    ^bb0(%p: f32, %q: f32):
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    } -> tensor<13xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<13x17xf32>, tensor<13xf32>) outs(%b : tensor<13x17xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sub"} {
    ^bb0(%p: f32, %t: f32, %q: f32):
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    } -> tensor<13x17xf32>
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}

// -----

func.func @pack_for_another_op(%x: tensor<13x17xf32>, %o: tensor<13x17xf32>) -> tensor<13x17xf32> {
  // expected-error @+1 {{op 'zero' does not read operand 0}}
  %y = krnl.kernel "pack_for_another_op" loops [i = 13, j = 17] ins(%x : tensor<13x17xf32>) outs(%o : tensor<13x17xf32>)
      recipe [zero: pack(0, [i])] {
  ^bb0(%a: tensor<13x17xf32>, %b: tensor<13x17xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<13xf32>
    %f = linalg.fill {krnl.axes = ["i"], krnl.name = "zero"} ins(%zero : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<13x17xf32>) outs(%f : tensor<13xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sum"} {
    ^bb0(%p: f32, %q: f32):
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    } -> tensor<13xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<13x17xf32>, tensor<13xf32>) outs(%b : tensor<13x17xf32>) attrs = {krnl.axes = ["i", "j"], krnl.name = "sub"} {
    ^bb0(%p: f32, %t: f32, %q: f32):
      %m = arith.subf %p, %t : f32
      linalg.yield %m : f32
    } -> tensor<13x17xf32>
    krnl.yield %t : tensor<13x17xf32>
  } -> tensor<13x17xf32>
  return %y : tensor<13x17xf32>
}
