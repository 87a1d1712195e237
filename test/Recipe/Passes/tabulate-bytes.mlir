// RUN: onnx-opt %s --krnl-tabulate-bytes --verify-diagnostics | FileCheck %s
// RUN: onnx-opt %s --krnl-tabulate-bytes --remarks-filter=krnl-tabulate-bytes 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] TabulateBytes {{.+}} From={{[0-9]+}}, Into="a table"

module attributes {krnl.target = #krnl.target<triple = "x86_64-unknown-linux-gnu", vector_bytes = 32, instructions = {shuffle_x32 = "llvm.x86.avx2.pshuf.b"}>} {

// The table has the function's value for each byte, unsigned.
// CHECK-LABEL: func @root
// CHECK:         krnl.compute [i] (%[[X:[a-z0-9]+]] = %{{.+}}[i])
// CHECK-NEXT:      %[[Y:.+]] = krnl.lookup %[[X]] in [0, 1, 1, 1, 2, 2, 2, 2, 2, 3,{{.*}} 15, 15] : i8
// CHECK-NEXT:      linalg.yield %[[Y]] : i8
func.func @root(%x: tensor<100xi8>, %o: tensor<100xi8>) -> tensor<100xi8> {
  %y = krnl.kernel "root" loops [i = 100] ins(%x : tensor<100xi8>) outs(%o : tensor<100xi8>) {
  ^bb0(%a: tensor<100xi8>, %b: tensor<100xi8>):
    %byteOne = arith.constant 1 : i8
    %r = krnl.compute [i] (%e = %a[i]) -> (%f = %b[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %one = arith.uitofp %byteOne : i8 to f32
      %real = arith.uitofp %e : i8 to f32
      %same = arith.divf %real, %one : f32
      %root = math.sqrt %same : f32
      %byte = arith.fptoui %root : f32 to i8
      linalg.yield %byte : i8
    }
    krnl.yield %r : tensor<100xi8>
  } -> tensor<100xi8>
  return %y : tensor<100xi8>
}

// A byte in the middle of the payload, whose sum with another one is a function of two.
// CHECK-LABEL: func @middle
// CHECK:         krnl.compute [i] (%[[X:[a-z0-9]+]] = %{{.+}}[i], %[[Z:[a-z0-9]+]] = %{{.+}}[i])
// CHECK-NEXT:      %[[Y:.+]] = krnl.lookup %[[X]]
// CHECK-NEXT:      %[[S:.+]] = arith.addi %[[Y]], %[[Z]] : i8
// CHECK-NEXT:      linalg.yield %[[S]] : i8
func.func @middle(%x: tensor<100xi8>, %z: tensor<100xi8>, %o: tensor<100xi8>) -> tensor<100xi8> {
  %y = krnl.kernel "middle" loops [i = 100] ins(%x, %z : tensor<100xi8>, tensor<100xi8>) outs(%o : tensor<100xi8>) {
  ^bb0(%a: tensor<100xi8>, %c: tensor<100xi8>, %b: tensor<100xi8>):
    %r = krnl.compute [i] (%e = %a[i], %g = %c[i]) -> (%f = %b[i]) : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi8> {
      %real = arith.uitofp %e : i8 to f32
      %root = math.sqrt %real : f32
      %byte = arith.fptoui %root : f32 to i8
      %sum = arith.addi %byte, %g : i8
      linalg.yield %sum : i8
    }
    krnl.yield %r : tensor<100xi8>
  } -> tensor<100xi8>
  return %y : tensor<100xi8>
}

// Functions that differ in constants have tables of their own, equal ones the same.
// CHECK-LABEL: func @scaled
// CHECK:         krnl.lookup %{{.+}} in [0, 1, 2, 2, 2, 3,{{.*}} 22] : i8
// CHECK:         krnl.lookup %{{.+}} in [0, 2, 2, 3, 4,{{.*}} 31] : i8
// CHECK:         krnl.lookup %{{.+}} in [0, 1, 2, 2, 2, 3,{{.*}} 22] : i8
func.func @scaled(%x: tensor<100xi8>, %o: tensor<100xi8>, %p: tensor<100xi8>, %q: tensor<100xi8>) -> (tensor<100xi8>, tensor<100xi8>, tensor<100xi8>) {
  %y:3 = krnl.kernel "scaled" loops [i = 100] ins(%x : tensor<100xi8>) outs(%o, %p, %q : tensor<100xi8>, tensor<100xi8>, tensor<100xi8>) {
  ^bb0(%a: tensor<100xi8>, %b: tensor<100xi8>, %c: tensor<100xi8>, %d: tensor<100xi8>):
    %two = arith.constant 2.0 : f32
    %four = arith.constant 4.0 : f32
    %r = krnl.compute [i] (%e = %a[i]) -> (%f = %b[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %real = arith.uitofp %e : i8 to f32
      %product = arith.mulf %real, %two : f32
      %root = math.sqrt %product : f32
      %byte = arith.fptoui %root : f32 to i8
      linalg.yield %byte : i8
    }
    %s = krnl.compute [i] (%e = %a[i]) -> (%f = %c[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %real = arith.uitofp %e : i8 to f32
      %product = arith.mulf %real, %four : f32
      %root = math.sqrt %product : f32
      %byte = arith.fptoui %root : f32 to i8
      linalg.yield %byte : i8
    }
    %t = krnl.compute [i] (%e = %a[i]) -> (%f = %d[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %factor = arith.constant 2.0 : f32
      %real = arith.uitofp %e : i8 to f32
      %product = arith.mulf %real, %factor : f32
      %root = math.sqrt %product : f32
      %byte = arith.fptoui %root : f32 to i8
      linalg.yield %byte : i8
    }
    krnl.yield %r, %s, %t : tensor<100xi8>, tensor<100xi8>, tensor<100xi8>
  } -> tensor<100xi8>, tensor<100xi8>, tensor<100xi8>
  return %y#0, %y#1, %y#2 : tensor<100xi8>, tensor<100xi8>, tensor<100xi8>
}

// A function that the compiler cannot compute is left; those beside it have tables.
// CHECK-LABEL: func @failing
// CHECK-NOT:     krnl.lookup
// CHECK:         math.sin
// CHECK-NOT:     krnl.lookup
func.func @failing(%x: tensor<100xi8>, %o: tensor<100xi8>) -> tensor<100xi8> {
  %y = krnl.kernel "failing" loops [i = 100] ins(%x : tensor<100xi8>) outs(%o : tensor<100xi8>) {
  ^bb0(%a: tensor<100xi8>, %b: tensor<100xi8>):
    %r = krnl.compute [i] (%e = %a[i]) -> (%f = %b[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %real = arith.uitofp %e : i8 to f128
      %sine = math.sin %real : f128
      // expected-remark @+1 {{a function of a byte, but computed for each: failed to legalize operation 'math.sin'}}
      %byte = arith.fptosi %sine : f128 to i8
      linalg.yield %byte : i8
    }
    krnl.yield %r : tensor<100xi8>
  } -> tensor<100xi8>
  return %y : tensor<100xi8>
}

// A byte of two others is looked up, and so are these.
// CHECK-LABEL: func @after_table
// CHECK:         %[[A:.+]] = krnl.lookup
// CHECK:         %[[B:.+]] = krnl.lookup
// CHECK:         %[[SUM:.+]] = arith.addi %[[A]], %[[B]] : i8
// CHECK:         %[[Y:.+]] = krnl.lookup %[[SUM]]
// CHECK-NEXT:    linalg.yield %[[Y]] : i8
func.func @after_table(%x: tensor<100xi8>, %z: tensor<100xi8>, %o: tensor<100xi8>) -> tensor<100xi8> {
  %y = krnl.kernel "after_table" loops [i = 100] ins(%x, %z : tensor<100xi8>, tensor<100xi8>) outs(%o : tensor<100xi8>) {
  ^bb0(%a: tensor<100xi8>, %b: tensor<100xi8>, %c: tensor<100xi8>):
    %r = krnl.compute [i] (%e = %a[i], %g = %b[i]) -> (%f = %c[i]) : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi8> {
      %r0 = arith.uitofp %e : i8 to f32
      %q0 = math.sqrt %r0 : f32
      %w0 = math.exp %q0 : f32
      %first = arith.fptoui %w0 : f32 to i8
      %r1 = arith.uitofp %g : i8 to f32
      %q1 = math.sqrt %r1 : f32
      %w1 = math.exp %q1 : f32
      %second = arith.fptoui %w1 : f32 to i8
      %sum = arith.addi %first, %second : i8
      %r2 = arith.uitofp %sum : i8 to f32
      %q2 = math.sqrt %r2 : f32
      %w2 = math.exp %q2 : f32
      %byte = arith.fptoui %w2 : f32 to i8
      linalg.yield %byte : i8
    }
    krnl.yield %r : tensor<100xi8>
  } -> tensor<100xi8>
  return %y : tensor<100xi8>
}

// One operation on bytes takes less than a lookup; a division by 0 must not end the compiler; sums contract.
// CHECK-LABEL: func @kept
// CHECK-NOT:     krnl.lookup
func.func @kept(%x: tensor<100xi8>, %o: tensor<100xi8>, %p: tensor<100xi8>, %q: tensor<i8>) -> (tensor<100xi8>, tensor<100xi8>, tensor<i8>) {
  %y:3 = krnl.kernel "kept" loops [i = 100] ins(%x : tensor<100xi8>) outs(%o, %p, %q : tensor<100xi8>, tensor<100xi8>, tensor<i8>) {
  ^bb0(%a: tensor<100xi8>, %b: tensor<100xi8>, %c: tensor<100xi8>, %d: tensor<i8>):
    %one = arith.constant 1 : i8
    %many = arith.constant 1000 : i64
    %r = krnl.compute [i] (%e = %a[i]) -> (%f = %b[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %bit = arith.andi %e, %one : i8
      linalg.yield %bit : i8
    }
    %s = krnl.compute [i] (%e = %a[i]) -> (%f = %c[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %wide = arith.extui %e : i8 to i64
      %ratio = arith.divui %many, %wide : i64
      %next = arith.remui %ratio, %many : i64
      %byte = arith.trunci %next : i64 to i8
      linalg.yield %byte : i8
    }
    %t = krnl.compute [| i] (%e = %a[i]) -> (%f = %d[]) : (tensor<100xi8>) -> tensor<i8> {
      %real = arith.uitofp %e : i8 to f32
      %root = math.sqrt %real : f32
      %byte = arith.fptoui %root : f32 to i8
      %sum = arith.addi %byte, %f : i8
      linalg.yield %sum : i8
    }
    krnl.yield %r, %s, %t : tensor<100xi8>, tensor<100xi8>, tensor<i8>
  } -> tensor<100xi8>, tensor<100xi8>, tensor<i8>
  return %y#0, %y#1, %y#2 : tensor<100xi8>, tensor<100xi8>, tensor<i8>
}

}

// A target without instructions for it.
// CHECK-LABEL: func @plain
// CHECK-NOT:     krnl.lookup
module attributes {krnl.target = #krnl.target<triple = "x86_64-unknown-linux-gnu">} {
func.func @plain(%x: tensor<100xi8>, %o: tensor<100xi8>) -> tensor<100xi8> {
  %y = krnl.kernel "plain" loops [i = 100] ins(%x : tensor<100xi8>) outs(%o : tensor<100xi8>) {
  ^bb0(%a: tensor<100xi8>, %b: tensor<100xi8>):
    %r = krnl.compute [i] (%e = %a[i]) -> (%f = %b[i]) : (tensor<100xi8>) -> tensor<100xi8> {
      %real = arith.uitofp %e : i8 to f32
      %root = math.sqrt %real : f32
      %byte = arith.fptoui %root : f32 to i8
      linalg.yield %byte : i8
    }
    krnl.yield %r : tensor<100xi8>
  } -> tensor<100xi8>
  return %y : tensor<100xi8>
}
}
