// RUN: onnx-opt %s --select-target="triple=thumbv7em-none-eabi" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --select-target="triple=thumbv6m-none-eabi" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=PLAIN
// RUN: onnx-opt %s --select-target="triple=thumbv8.1m.main-none-eabi cpu=cortex-m55" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=LONG

// Without vectors a tile is of single elements, few enough for the registers of
// integers, and no column is packed to lie beside another one. Bytes are multiplied
// in groups where the processor has instructions for that; there are no threads.
// CHECK-LABEL: kernel "bytes"
// CHECK-NEXT:    block(n, 2) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 2) -> (m.o, m.r),
// CHECK-NEXT:    block(k, 4) -> (k.o, k.q),
// CHECK-NEXT:    order(m.o, n.o, k.o, k.q, m.r, n.r),
// CHECK-NEXT:    fuse_outer(m.o, n.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=1),
// CHECK-NEXT:    1: dot(k.q)
// CHECK-NEXT:  ]
// Vectors of bytes are multiplied for one sum each, whose lanes the ops after them have.
// LONG-LABEL: kernel "bytes"
// LONG-NEXT:    block(n, 4) -> (n.o, n.r),
// LONG-NEXT:    block(m, 2) -> (m.o, m.r),
// LONG-NEXT:    block(k, 16, tail=peel) -> (k.o, k.q),
// LONG-NEXT:    order(n.o, m.o, k.o, k.q, m.r, n.r),
// LONG-NEXT:    fuse_outer(n.o, m.o),
// LONG-NEXT:    register_tile(m.r, n.r, lanes=4),
// LONG-NEXT:    pack(1, [n.o, k.o, n.r, k.q]),
// LONG-NEXT:    1: dot(k.q)
// PLAIN-LABEL: kernel "bytes"
// PLAIN-NEXT:    block(n, 2) -> (n.o, n.r),
// PLAIN-NEXT:    block(m, 3) -> (m.o, m.r),
// PLAIN-NEXT:    order(m.o, n.o, k, m.r, n.r),
// PLAIN-NEXT:    fuse_outer(m.o, n.o),
// PLAIN-NEXT:    register_tile(m.r, n.r, lanes=1)
// PLAIN-NEXT:  ]
func.func @bytes(%x: tensor<6x24xi8>, %o: tensor<6x8xi32>) -> tensor<6x8xi32> {
  %w = krnl.constant dense<3> : tensor<8x24xi8>
  %y = krnl.kernel "bytes" loops [m = 6, n = 8, k = 24]
      ins(%x, %w : tensor<6x24xi8>, tensor<8x24xi8>) outs(%o : tensor<6x8xi32>) {
  ^bb0(%a: tensor<6x24xi8>, %b: tensor<8x24xi8>, %c: tensor<6x8xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<6x8xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[n, k]) -> (%s = %f[m, n])
        : (tensor<6x24xi8>, tensor<8x24xi8>) -> tensor<6x8xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<6x8xi32>
  } -> tensor<6x8xi32>
  return %y : tensor<6x8xi32>
}

// Groups of columns that do not lie in a line are packed, which a constant can be.
// CHECK-LABEL: kernel "columns"
// CHECK:         pack(1, [n.o, k.o, n.r, k.q]),
// CHECK-NEXT:    1: dot(k.q)
func.func @columns(%x: tensor<6x24xi8>, %o: tensor<6x8xi32>) -> tensor<6x8xi32> {
  %w = krnl.constant dense<3> : tensor<24x8xi8>
  %y = krnl.kernel "columns" loops [m = 6, n = 8, k = 24]
      ins(%x, %w : tensor<6x24xi8>, tensor<24x8xi8>) outs(%o : tensor<6x8xi32>) {
  ^bb0(%a: tensor<6x24xi8>, %b: tensor<24x8xi8>, %c: tensor<6x8xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<6x8xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %f[m, n])
        : (tensor<6x24xi8>, tensor<24x8xi8>) -> tensor<6x8xi32> {
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<6x8xi32>
  } -> tensor<6x8xi32>
  return %y : tensor<6x8xi32>
}

// Floats have registers of their own; seven rows are one tile and no rest.
// CHECK-LABEL: kernel "floats"
// CHECK-NEXT:    block(n, 1) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 7) -> (m.o, m.r),
// CHECK:         register_tile(m.r, n.r, lanes=1)
func.func @floats(%x: tensor<7x24xf32>, %w: tensor<11x24xf32>, %o: tensor<7x11xf32>) -> tensor<7x11xf32> {
  %y = krnl.kernel "floats" loops [m = 7, n = 11, k = 24]
      ins(%x, %w : tensor<7x24xf32>, tensor<11x24xf32>) outs(%o : tensor<7x11xf32>) {
  ^bb0(%a: tensor<7x24xf32>, %b: tensor<11x24xf32>, %c: tensor<7x11xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<7x11xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[n, k]) -> (%s = %f[m, n])
        : (tensor<7x24xf32>, tensor<11x24xf32>) -> tensor<7x11xf32> {
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<7x11xf32>
  } -> tensor<7x11xf32>
  return %y : tensor<7x11xf32>
}

// One row: columns side by side, as many as leave no rest.
// CHECK-LABEL: kernel "row"
// CHECK-NEXT:    block(n, 3) -> (n.p, n.r),
// CHECK-NEXT:    block(k, 4) -> (k.o, k.q),
// CHECK-NEXT:    order(n.p, k.o, k.q, n.r),
// CHECK-NEXT:    fuse_outer(n.p),
// CHECK-NEXT:    unroll(n.r, 3),
// CHECK-NEXT:    pack(1, [n.p, k.o, n.r, k.q]),
// CHECK-NEXT:    1: dot(k.q),
// PLAIN-LABEL: kernel "row"
// PLAIN-NEXT:    block(n, 3) -> (n.p, n.r),
// PLAIN-NEXT:    order(n.p, k, n.r),
// PLAIN-NEXT:    fuse_outer(n.p),
// PLAIN-NEXT:    unroll(n.r, 3),
// PLAIN-NEXT:    pack(1, [n.p, k, n.r]),
func.func @row(%x: tensor<24xi8>, %o: tensor<9xi32>) -> tensor<9xi32> {
  %w = krnl.constant dense<3> : tensor<9x24xi8>
  %y = krnl.kernel "row" loops [n = 9, k = 24]
      ins(%x, %w : tensor<24xi8>, tensor<9x24xi8>) outs(%o : tensor<9xi32>) {
  ^bb0(%a: tensor<24xi8>, %b: tensor<9x24xi8>, %c: tensor<9xi32>):
    %zero = arith.constant 0 : i32
    %f = krnl.compute [n] () -> (%_ = %c[n]) : () -> tensor<9xi32> { linalg.yield %zero : i32 }
    %r = krnl.compute [n | k] (%p = %a[k], %q = %b[n, k]) -> (%s = %f[n])
        : (tensor<24xi8>, tensor<9x24xi8>) -> tensor<9xi32> {
      %u = arith.extsi %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    }
    krnl.yield %r : tensor<9xi32>
  } -> tensor<9xi32>
  return %y : tensor<9xi32>
}

// A window over channels that do not mix is unrolled for one result.
// CHECK-LABEL: kernel "depthwise"
// CHECK-NEXT:    block(c, 1) -> (c.o, c.r),
// CHECK-NEXT:    block(w, 1) -> (w.o, w.r),
// CHECK-NEXT:    order(h, w.o, c.o, r, s, w.r, c.r),
// CHECK-NEXT:    fuse_outer(h, w.o, c.o),
// CHECK-NEXT:    register_tile(w.r, c.r, lanes=1),
// CHECK-NEXT:    1: unroll(s, 3),
// CHECK-NEXT:    1: unroll(r, 3)
func.func @depthwise(%x: tensor<8x8x16xf32>, %w: tensor<16x3x3xf32>, %o: tensor<6x6x16xf32>) -> tensor<6x6x16xf32> {
  %y = krnl.kernel "depthwise" loops [h = 6, w = 6, c = 16, r = 3, s = 3]
      ins(%x, %w : tensor<8x8x16xf32>, tensor<16x3x3xf32>) outs(%o : tensor<6x6x16xf32>) {
  ^bb0(%a: tensor<8x8x16xf32>, %b: tensor<16x3x3xf32>, %d: tensor<6x6x16xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [h, w, c] () -> (%_ = %d[h, w, c]) : () -> tensor<6x6x16xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [h, w, c | r, s] (%p = %a[h + r, w + s, c], %q = %b[c, r, s]) -> (%t = %f[h, w, c])
        : (tensor<8x8x16xf32>, tensor<16x3x3xf32>) -> tensor<6x6x16xf32> {
      %m = arith.mulf %p, %q : f32
      %n = arith.addf %t, %m : f32
      linalg.yield %n : f32
    }
    krnl.yield %s : tensor<6x6x16xf32>
  } -> tensor<6x6x16xf32>
  return %y : tensor<6x6x16xf32>
}
