// RUN: onnx-opt %s --krnl-check-sizes --cse --krnl-simplify-host | FileCheck %s

// The size of a result is that of its destination: both operands are as long as %a.
// CHECK-LABEL: func @size_of_a_destination
// CHECK-NOT:     krnl.check
// CHECK:         return
func.func @size_of_a_destination(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %b = krnl.kernel "neg" loops [i = %n] ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>, %extent: index):
    %r = krnl.compute [i] (%u = %p[i]) -> (%w = %q[i]) : (tensor<?xf32>) -> tensor<?xf32> {
      %s = arith.negf %u : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  %y = krnl.kernel "add" loops [i = %n] ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>, %out: tensor<?xf32>, %extent: index):
    %r = krnl.compute [i] (%u = %p[i], %v = %q[i]) -> (%w = %out[i]) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
      %s = arith.addf %u, %v : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// So is that of a branch whose blocks give tensors of one size: what is expanded is
// expanded to it.
// CHECK-LABEL: func @size_of_a_branch
// CHECK-NOT:     krnl.check
// CHECK:         return
func.func @size_of_a_branch(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  %c = scf.if %same -> tensor<?xf32> {
    scf.yield %b : tensor<?xf32>
  } else {
    %e = tensor.empty(%n) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %o = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.kernel "add" loops [i = %n] ins(%a, %c : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>, %out: tensor<?xf32>, %extent: index):
    %r = krnl.compute [i] (%u = %p[i], %v = %q[i]) -> (%w = %out[i]) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
      %s = arith.addf %u, %v : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Sums of sizes are equal whatever their order is.
// CHECK-LABEL: func @sums
// CHECK-NOT:     krnl.check
// CHECK:         return
func.func @sums(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %n2 = arith.muli %n, %c2 : index
  %x = arith.addi %n2, %m : index
  %nm = arith.addi %m, %n : index
  %z = arith.addi %nm, %n : index
  %d = tensor.empty(%x) : tensor<?xf32>
  %e = tensor.empty(%z) : tensor<?xf32>
  %o = tensor.empty(%x) : tensor<?xf32>
  %y = krnl.kernel "add" loops [i = %x] ins(%d, %e : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>, %out: tensor<?xf32>, %extent: index):
    %r = krnl.compute [i] (%u = %p[i], %v = %q[i]) -> (%w = %out[i]) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
      %s = arith.addf %u, %v : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Two inputs may differ, and so may a sum and its largest term.
// CHECK-LABEL: func @others
// CHECK:         krnl.check
func.func @others(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %x = arith.addi %n, %m : index
  %d = tensor.empty(%x) : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %y = krnl.kernel "add" loops [i = %n] ins(%a, %d : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>, %out: tensor<?xf32>, %extent: index):
    %r = krnl.compute [i] (%u = %p[i], %v = %q[i]) -> (%w = %out[i]) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
      %s = arith.addf %u, %v : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
