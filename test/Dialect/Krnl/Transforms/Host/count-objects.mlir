// RUN: onnx-opt %s --krnl-count-objects | FileCheck %s

// What is looked at last is released after that; what nothing uses, at once.
// CHECK-LABEL: func @looked_at
// CHECK-SAME: (%[[A:.*]]: !krnl.obj, %[[B:.*]]: !krnl.obj)
// CHECK-NEXT: krnl.release %[[B]]
// CHECK-NEXT: krnl.call @length(%[[A]])
// CHECK-NEXT: krnl.call @length(%[[A]])
// CHECK-NEXT: krnl.release %[[A]]
// CHECK-NEXT: return
func.func @looked_at(%a: !krnl.obj, %b: !krnl.obj) {
  %0 = krnl.call @length(%a) : (!krnl.obj) -> index
  %1 = krnl.call @length(%a) : (!krnl.obj) -> index
  return
}

// The last use takes the reference over; one before it gets its own.
// CHECK-LABEL: func @taken
// CHECK-SAME: (%[[A:.*]]: !krnl.obj
// CHECK-NEXT: krnl.retain %[[A]]
// CHECK-NEXT: %[[B:.*]] = krnl.call @insert(%[[A]], %{{.*}}) takes [0]
// CHECK-NEXT: %[[C:.*]] = krnl.call @insert(%[[A]], %{{.*}}) takes [0]
// CHECK-NOT: krnl.retain
// CHECK: krnl.release %[[B]]
// CHECK: memref.store %[[C]]
// CHECK-NOT: krnl.release
// CHECK: return
func.func @taken(%a: !krnl.obj, %i: index) {
  %b = krnl.call @insert(%a, %i) takes [0] : (!krnl.obj, index) -> !krnl.obj
  %c = krnl.call @insert(%a, %i) takes [0] : (!krnl.obj, index) -> !krnl.obj
  %n = krnl.call @length(%b) : (!krnl.obj) -> index
  %o = krnl.output 0 () : memref<!krnl.obj>
  memref.store %c, %o[] : memref<!krnl.obj>
  return
}

// A call that takes an object and looks at the same one gets two references.
// CHECK-LABEL: func @taken_and_looked_at
// CHECK-SAME: (%[[A:.*]]: !krnl.obj)
// CHECK-NEXT: krnl.retain %[[A]]
// CHECK-NEXT: %[[B:.*]] = krnl.call @insert(%[[A]], %[[A]]) takes [0]
// CHECK-NEXT: krnl.release %[[A]]
// CHECK-NEXT: krnl.release %[[B]]
func.func @taken_and_looked_at(%a: !krnl.obj) {
  %b = krnl.call @insert(%a, %a) takes [0] : (!krnl.obj, !krnl.obj) -> !krnl.obj
  return
}

// A branch gives a value of its own away, and a reference to one from outside.
// CHECK-LABEL: func @branches
// CHECK-SAME: (%[[A:.*]]: !krnl.obj
// CHECK: %[[R:.*]] = scf.if
// CHECK-NEXT: krnl.retain %[[A]]
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NEXT: else
// CHECK-NEXT: %[[E:.*]] = krnl.call @empty()
// CHECK-NEXT: scf.yield %[[E]]
// CHECK: krnl.release %[[A]]
// CHECK-NEXT: krnl.call @length(%[[R]])
// CHECK-NEXT: krnl.release %[[R]]
func.func @branches(%a: !krnl.obj, %c: i1) {
  %r = scf.if %c -> !krnl.obj {
    scf.yield %a : !krnl.obj
  } else {
    %e = krnl.call @empty() : () -> !krnl.obj
    scf.yield %e : !krnl.obj
  }
  %n = krnl.call @length(%r) : (!krnl.obj) -> index
  return
}

// A choice is a branch.
// CHECK-LABEL: func @choice
// CHECK-NOT: arith.select
// CHECK: scf.if
// CHECK-NEXT: krnl.retain
// CHECK: else
// CHECK-NEXT: krnl.retain
func.func @choice(%a: !krnl.obj, %b: !krnl.obj, %c: i1) {
  %r = arith.select %c, %a, %b : !krnl.obj
  %n = krnl.call @length(%r) : (!krnl.obj) -> index
  return
}

// What a loop carries goes round; a value that it replaces is released in the
// iteration, one that it only captures after the loop.
// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[A:.*]]: !krnl.obj, %[[OUTSIDE:.*]]: !krnl.obj
// CHECK: scf.while (%[[X:.*]] = %[[A]])
// CHECK-NOT: krnl.re
// CHECK: scf.condition(%{{.*}}) %[[X]]
// CHECK: ^bb0(%[[Y:.*]]: !krnl.obj):
// CHECK-NEXT: krnl.release %[[Y]]
// CHECK-NEXT: krnl.call @length(%[[OUTSIDE]])
// CHECK-NEXT: %[[NEXT:.*]] = krnl.call @empty()
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: krnl.release %[[OUTSIDE]]
func.func @loop(%a: !krnl.obj, %outside: !krnl.obj, %c: i1) {
  %r = scf.while (%x = %a) : (!krnl.obj) -> !krnl.obj {
    scf.condition(%c) %x : !krnl.obj
  } do {
  ^bb0(%y: !krnl.obj):
    %n = krnl.call @length(%outside) : (!krnl.obj) -> index
    %next = krnl.call @empty() : () -> !krnl.obj
    scf.yield %next : !krnl.obj
  }
  return
}
