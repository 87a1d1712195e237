// RUN: onnx-opt %s --krnl-cse --split-input-file | FileCheck %s

// Kernels of equal operands are told apart by what is in them.
// CHECK-LABEL: func @kernels_that_are_equal_become_one
// CHECK:         %[[NEG:.+]] = krnl.kernel "neg"
// CHECK:         %[[EXP:.+]] = krnl.kernel "exp"
// CHECK-NOT:     krnl.kernel
// CHECK:         return %[[NEG]], %[[EXP]], %[[NEG]]
func.func @kernels_that_are_equal_become_one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %o = tensor.empty() : tensor<4xf32>
  %a = krnl.kernel "neg" loops [i = 4] ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %r = krnl.compute [i] (%p = %in[i]) -> (%q = %out[i]) : (tensor<4xf32>) -> tensor<4xf32> {
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  %b = krnl.kernel "exp" loops [i = 4] ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %r = krnl.compute [i] (%p = %in[i]) -> (%q = %out[i]) : (tensor<4xf32>) -> tensor<4xf32> {
      %n = math.exp %p : f32
      linalg.yield %n : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  %c = krnl.kernel "neg" loops [i = 4] ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %r = krnl.compute [i] (%p = %in[i]) -> (%q = %out[i]) : (tensor<4xf32>) -> tensor<4xf32> {
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    }
    krnl.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Operands of what commutes have no order; what is unused goes.
// CHECK-LABEL: func @sums_commute
// CHECK-NEXT:    %[[SUM:.+]] = arith.addi
// CHECK-NEXT:    return %[[SUM]], %[[SUM]]
func.func @sums_commute(%a: index, %b: index) -> (index, index) {
  %x = arith.addi %a, %b : index
  %y = arith.addi %b, %a : index
  %z = arith.muli %a, %b : index
  return %x, %y : index, index
}

// -----

// A read is what it was until something writes, in a region of another
// operation, too.
// CHECK-LABEL: func @reads_end_at_writes
// CHECK:         %[[A:.+]] = memref.load
// CHECK:         scf.if
// CHECK:           memref.store
// CHECK:         %[[B:.+]] = memref.load
// CHECK:         memref.store
// CHECK:         %[[C:.+]] = memref.load
// CHECK:         return %[[A]], %[[A]], %[[B]], %[[C]]
func.func @reads_end_at_writes(%m: memref<4xf32>, %i: index, %v: f32, %if: i1) -> (f32, f32, f32, f32) {
  %a = memref.load %m[%i] : memref<4xf32>
  %again = memref.load %m[%i] : memref<4xf32>
  scf.if %if {
    memref.store %v, %m[%i] : memref<4xf32>
  }
  %b = memref.load %m[%i] : memref<4xf32>
  memref.store %v, %m[%i] : memref<4xf32>
  %c = memref.load %m[%i] : memref<4xf32>
  return %a, %again, %b, %c : f32, f32, f32, f32
}

// -----

// What a branch computes is known in it, and not after it.
// CHECK-LABEL: func @branches_know_what_is_around_them
// CHECK:         %[[SUM:.+]] = arith.addi
// CHECK:         scf.if
// CHECK-NEXT:      %[[PRODUCT:.+]] = arith.muli
// CHECK-NEXT:      %[[BOTH:.+]] = arith.addi %[[SUM]], %[[PRODUCT]]
// CHECK-NEXT:      scf.yield %[[BOTH]]
// CHECK:         arith.muli
func.func @branches_know_what_is_around_them(%a: index, %b: index, %if: i1) -> (index, index, index) {
  %x = arith.addi %a, %b : index
  %y = scf.if %if -> index {
    %same = arith.addi %a, %b : index
    %p = arith.muli %a, %b : index
    %r = arith.addi %same, %p : index
    scf.yield %r : index
  } else {
    scf.yield %a : index
  }
  %z = arith.muli %a, %b : index
  return %x, %y, %z : index, index, index
}

// -----

// Branches are compared as they are without what is in them twice.
// CHECK-LABEL: func @regions_come_first
// CHECK:         %[[Y:.+]] = scf.if
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi
// CHECK-NEXT:      %[[PRODUCT:.+]] = arith.muli %[[SUM]], %[[SUM]]
// CHECK-NEXT:      scf.yield %[[PRODUCT]]
// CHECK-NOT:     scf.if
// CHECK:         return %[[Y]], %[[Y]]
func.func @regions_come_first(%a: index, %b: index, %if: i1) -> (index, index) {
  %y = scf.if %if -> index {
    %p = arith.addi %a, %b : index
    %q = arith.addi %a, %b : index
    %r = arith.muli %p, %q : index
    scf.yield %r : index
  } else {
    scf.yield %a : index
  }
  %z = scf.if %if -> index {
    %p = arith.addi %a, %b : index
    %q = arith.addi %a, %b : index
    %r = arith.muli %p, %q : index
    scf.yield %r : index
  } else {
    scf.yield %a : index
  }
  return %y, %z : index, index
}
