// RUN: onnx-opt %s -split-input-file --krnl-split-rows | FileCheck %s
// RUN: onnx-opt %s -split-input-file --krnl-split-rows=keep-order | FileCheck %s --check-prefix=ORDER
//
// A device of many multiprocessors, and a few long rows.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// The size of the parts does not divide the row: what is past the end is not added.
// CHECK-LABEL: func @sum
// CHECK:         %[[SCRATCH:.+]] = tensor.empty() : tensor<2x[[P:[0-9]+]]xf32>
// CHECK:         %[[PARTS:.+]] = krnl.kernel "sum parts" loops [r = 2, k.part = [[P]], k = [[SIZE:[0-9]+]]]
// CHECK-SAME:      outs(%[[SCRATCH]] : tensor<2x[[P]]xf32>)
// CHECK:           krnl.compute [r, k.part | k] (%[[X:.+]] = %{{.+}}[r, k.part * [[SIZE]] + k in 0 to 100003]) -> (%[[S:.+]] = %{{.+}}[r, k.part])
// CHECK:             %[[INSIDE:.+]] = arith.cmpi ult
// CHECK:             %[[TERM:.+]] = arith.select %[[INSIDE]], %[[X]], %{{.+}} : f32
// CHECK:             arith.addf %[[S]], %[[TERM]] : f32
// CHECK:         krnl.kernel "sum" loops [r = 2, k.part = [[P]]] ins(%[[PARTS]] : tensor<2x[[P]]xf32>)
// CHECK:           krnl.compute [r | k.part] (%[[T:.+]] = %{{.+}}[r, k.part]) -> (%[[A:.+]] = %{{.+}}[r])
// CHECK:             arith.addf %[[A]], %[[T]] : f32
// CHECK-NOT:     krnl.kernel
// ORDER-LABEL: func @sum
// ORDER-NOT:     parts
func.func @sum(%x: tensor<2x100003xf32>, %o: tensor<2xf32>) -> tensor<2xf32> {
  %y = krnl.kernel "sum" loops [r = 2, k = 100003] ins(%x : tensor<2x100003xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%a: tensor<2x100003xf32>, %c: tensor<2xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%q = %c[r]) : () -> tensor<2xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | k] (%p = %a[r, k]) -> (%q = %f[r]) : (tensor<2x100003xf32>) -> tensor<2xf32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<2xf32>
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Exponentials of distances to the maximum of each part; a part of which all elements are -infinity has none.
// CHECK-LABEL: func @exponentials
// CHECK:         krnl.kernel "exponentials parts" loops [k.part = [[P:[0-9]+]], k = [[SIZE:[0-9]+]]]
// CHECK:           %[[MAX:.+]] = krnl.compute [k.part | k] ({{.+}}[k.part * [[SIZE]] + k])
// CHECK:           %[[GUARD:.+]] = krnl.compute [k.part] (%{{.+}} = %[[MAX]][k.part])
// CHECK:             arith.select
// CHECK:           krnl.compute [k.part | k] (%{{.+}} = %{{.+}}[k.part * [[SIZE]] + k], %{{.+}} = %[[GUARD]][k.part])
// CHECK:             math.exp
// Each block that writes a part of the elements combines all parts: its threads have these and the elements.
// CHECK:         krnl.kernel "exponentials" loops [k.part = [[P]], parts = [[P]], k = [[SIZE]]]
// CHECK:           %[[ALL:.+]] = krnl.compute [k.part | parts] (%{{.+}} = %{{.+}}[parts]) -> (%{{.+}} = %{{.+}}[k.part])
// CHECK:           %[[TOTAL:.+]] = krnl.compute [k.part | parts]
// CHECK:             %[[WEIGHT:.+]] = math.exp
// CHECK:             %[[DIFFERS:.+]] = arith.cmpf one
// CHECK:             %[[NONE:.+]] = arith.cmpf oeq
// CHECK:             %[[EMPTY:.+]] = arith.andi %[[NONE]], %[[DIFFERS]] : i1
// CHECK:             %[[W:.+]] = arith.select %[[EMPTY]], %{{.+}}, %[[WEIGHT]] : f32
// CHECK:             arith.mulf %{{.+}}, %[[W]] : f32
// What the weights write over is computed again.
// CHECK:           krnl.compute [k.part, k] (%{{.+}} = %[[TOTAL]][k.part], %{{.+}} = %{{.+}}[k.part * [[SIZE]] + k], %{{.+}} = %[[ALL]][k.part])
// CHECK:             math.exp
// CHECK:             arith.divf
// CHECK-NOT:     krnl.kernel
func.func @exponentials(%x: tensor<131072xf32>, %o: tensor<131072xf32>) -> tensor<131072xf32> {
  %y = krnl.kernel "exponentials" loops [k = 131072] ins(%x : tensor<131072xf32>) outs(%o : tensor<131072xf32>) {
  ^bb0(%a: tensor<131072xf32>, %c: tensor<131072xf32>):
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<f32>
    %f = krnl.compute [] () -> (%q = %t[]) : () -> tensor<f32> { linalg.yield %least : f32 }
    %m = krnl.compute [| k] (%p = %a[k]) -> (%q = %f[]) : (tensor<131072xf32>) -> tensor<f32> {
      %v = arith.maximumf %q, %p : f32
      linalg.yield %v : f32
    }
    %e = krnl.compute [k] (%p = %a[k], %u = %m[]) -> (%q = %c[k]) : (tensor<131072xf32>, tensor<f32>) -> tensor<131072xf32> {
      %d = arith.subf %p, %u : f32
      %v = math.exp %d : f32
      linalg.yield %v : f32
    }
    %t2 = krnl.temporary : tensor<f32>
    %g = krnl.compute [] () -> (%q = %t2[]) : () -> tensor<f32> { linalg.yield %zero : f32 }
    %s = krnl.compute [| k] (%p = %e[k]) -> (%q = %g[]) : (tensor<131072xf32>) -> tensor<f32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    %w = krnl.compute [k] (%p = %s[]) -> (%q = %e[k]) : (tensor<f32>) -> tensor<131072xf32> {
      %v = arith.divf %q, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %w : tensor<131072xf32>
  } -> tensor<131072xf32>
  return %y : tensor<131072xf32>
}

// What stands for a maximum may lie in another order.
// CHECK-LABEL: func @exponentials_of_rows
// CHECK:         krnl.kernel "rows parts" loops [i = 2, k.part = [[P:[0-9]+]], k = [[SIZE:[0-9]+]]]
// CHECK:         krnl.kernel "rows" loops [i = 2, k.part = [[P]]]
func.func @exponentials_of_rows(%x: tensor<2x131072xf32>, %o: tensor<2xf32>) -> tensor<2xf32> {
  %y = krnl.kernel "rows" loops [i = 2, k = 131072] ins(%x : tensor<2x131072xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%a: tensor<2x131072xf32>, %c: tensor<2xf32>):
    %least = arith.constant 0xFF800000 : f32
    %most = arith.constant 0x7F800000 : f32
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<2xf32>
    %f = krnl.compute [i] () -> (%q = %t[i]) : () -> tensor<2xf32> { linalg.yield %least : f32 }
    %m = krnl.compute [i | k] (%p = %a[i, k]) -> (%q = %f[i]) : (tensor<2x131072xf32>) -> tensor<2xf32> {
      %v = arith.maximumf %q, %p : f32
      linalg.yield %v : f32
    }
    %t2 = krnl.temporary : tensor<2x1xf32>
    %z = krnl.compute [i] (%p = %m[i]) -> (%q = %t2[i, 0]) : (tensor<2xf32>) -> tensor<2x1xf32> {
      %d = math.absf %p : f32
      %w = arith.cmpf oeq, %d, %most : f32
      %v = arith.select %w, %zero, %p : f32
      linalg.yield %v : f32
    }
    %g = krnl.compute [i] () -> (%q = %c[i]) : () -> tensor<2xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [i | k] (%p = %a[i, k], %u = %z[i, 0]) -> (%q = %g[i])
        : (tensor<2x131072xf32>, tensor<2x1xf32>) -> tensor<2xf32> {
      %d = arith.subf %p, %u : f32
      %e = math.exp %d : f32
      %v = arith.addf %q, %e : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<2xf32>
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Squares are moved from the mean of the part to m of the row, whatever that follows from its sum by.
// CHECK-LABEL: func @squares
// CHECK:         %[[PARTS:.+]]:3 = krnl.kernel "squares parts" loops [k.part = [[P:[0-9]+]], k = [[SIZE:[0-9]+]]]
// CHECK:           %[[SUM:.+]] = krnl.compute [k.part | k]
// CHECK:           %[[MEAN:.+]] = krnl.compute [k.part] (%[[T:.+]] = %[[SUM]][k.part])
// CHECK:             arith.divf %[[T]], %{{.+}} : f32
// CHECK:           krnl.compute [k.part | k] (%{{.+}} = %{{.+}}[k.part * [[SIZE]] + k], %{{.+}} = %[[MEAN]][k.part])
// CHECK:             arith.mulf
// CHECK:         krnl.kernel "squares" loops [k.part = [[P]]] ins(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2 :
// CHECK:           %[[DISTANCE:.+]] = arith.subf
// CHECK:           %[[MORE:.+]] = arith.mulf %[[DISTANCE]], %{{.+}} : f32
// CHECK:           arith.addf %{{.+}}, %[[MORE]] : f32
func.func @squares(%x: tensor<131072xf32>, %o: tensor<f32>) -> tensor<f32> {
  %y = krnl.kernel "squares" loops [k = 131072] ins(%x : tensor<131072xf32>) outs(%o : tensor<f32>) {
  ^bb0(%a: tensor<131072xf32>, %c: tensor<f32>):
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 131072.0 : f32
    %t = krnl.temporary : tensor<f32>
    %f = krnl.compute [] () -> (%q = %t[]) : () -> tensor<f32> { linalg.yield %zero : f32 }
    %s = krnl.compute [| k] (%p = %a[k]) -> (%q = %f[]) : (tensor<131072xf32>) -> tensor<f32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    %t2 = krnl.temporary : tensor<f32>
    %m = krnl.compute [] (%p = %s[]) -> (%q = %t2[]) : (tensor<f32>) -> tensor<f32> {
      %v = arith.divf %p, %n : f32
      linalg.yield %v : f32
    }
    %g = krnl.compute [] () -> (%q = %c[]) : () -> tensor<f32> { linalg.yield %zero : f32 }
    %d = krnl.compute [| k] (%p = %a[k], %u = %m[]) -> (%q = %g[]) : (tensor<131072xf32>, tensor<f32>) -> tensor<f32> {
      %d = arith.subf %p, %u : f32
      %h = arith.mulf %d, %d : f32
      %v = arith.addf %q, %h : f32
      linalg.yield %v : f32
    }
    krnl.yield %d : tensor<f32>
  } -> tensor<f32>
  return %y : tensor<f32>
}

// The length of the rows is dynamic: one kernel has short ones, and others have long ones in parts of a known size.
// The kernels that are not wanted have no iterations, and the last part may be shorter. Where a block had more parts to
// combine than threads, they take turns.
// CHECK-LABEL: func @dynamic(
// CHECK-SAME:    %[[X:.+]]: tensor<2x?xf32>, %[[O:.+]]: tensor<2x?xf32>, %[[N:.+]]: index)
// CHECK:         %[[LEAST:.+]] = arith.constant {{[0-9]+}} : index
// CHECK:         %[[LONG:.+]] = arith.cmpi uge, %[[N]], %[[LEAST]] : index
// CHECK:         %[[FITS:.+]] = arith.cmpi ule, %[[N]], %c[[MOST:[0-9]+]]
// CHECK:         %[[ONCE:.+]] = arith.andi %[[LONG]], %[[FITS]] : i1
// CHECK:         %[[EXCEEDS:.+]] = arith.cmpi ugt, %[[N]], %c[[MOST]]
// CHECK:         %[[TURNS:.+]] = arith.andi %[[LONG]], %[[EXCEEDS]] : i1
// CHECK:         %[[WHOLE:.+]] = arith.select %[[ONCE]], %[[N]], %c0{{.*}} : index
// CHECK:         %[[ROWS:.+]] = arith.select %[[ONCE]], %c2{{.*}}, %c0{{.*}} : index
// CHECK:         %[[LONGER:.+]] = arith.select %[[TURNS]], %[[N]], %c0{{.*}} : index
// CHECK:         %[[OF_LONGER:.+]] = arith.select %[[TURNS]], %c2{{.*}}, %c0{{.*}} : index
// CHECK:         %[[OTHERS:.+]] = arith.select %[[LONG]], %c0{{.*}}, %c2{{.*}} : index
// CHECK:         %[[SHORT:.+]] = krnl.kernel "dynamic short" loops [r = %[[OTHERS]] < 3, k = %[[N]]] ins(%[[X]] : tensor<2x?xf32>) outs(%[[O]] : tensor<2x?xf32>)
// CHECK:         %[[COUNT:.+]] = arith.divui
// CHECK:         %[[SCRATCH:.+]] = tensor.empty(%[[COUNT]]) : tensor<2x?xf32>
// CHECK:         %[[PARTS:.+]] = krnl.kernel "dynamic parts" loops [r = %[[ROWS]] < 3, k.part = %[[COUNT]] < 1025, k = [[SIZE:[0-9]+]]] ins(%[[WHOLE]], %[[X]] :
// CHECK:           ^bb0(%[[END:[a-z0-9]+]]: index,
// CHECK:           krnl.compute [r, k.part | k] (%{{.+}} = %{{.+}}[r, k.part * [[SIZE]] + k in 0 to ?])
// CHECK:             arith.cmpi ult, %{{.+}}, %[[END]] : index
// CHECK:         %[[LAST:.+]] = krnl.kernel "dynamic" loops [r = %[[ROWS]] < 3, k.part = %[[COUNT]] < 1025, parts = %[[COUNT]] < 1025, k = [[SIZE]]]
// CHECK-SAME:      outs(%[[SHORT]] : tensor<2x?xf32>)
// CHECK:           krnl.compute [r, k.part | parts]
// CHECK:           krnl.compute [r, k.part, k] {{.*}} -> (%{{.+}} = %{{.+}}[r, k.part * [[SIZE]] + k in 0 to ?])
// CHECK:         %[[AS_LONG:.+]] = arith.divui
// CHECK:         %[[COUNT2:.+]] = arith.minui %[[AS_LONG]], %c1024
// CHECK:         %[[NUM:.+]] = arith.divui
// CHECK:         krnl.kernel "dynamic long parts" loops [r = %[[OF_LONGER]] < 3, k.part = %[[COUNT2]] < 1025, k.turn = %[[NUM]], k = [[SIZE]]] ins(%[[LONGER]], %[[X]] :
// CHECK:           krnl.compute [r, k.part | k.turn, k] (%{{.+}} = %{{.+}}[r, k.turn * [[MOST]] + k.part * [[SIZE]] + k in 0 to ?])
// CHECK:             krnl.index k
// CHECK:             krnl.index k.part
// CHECK:             krnl.index k.turn
// CHECK:             arith.cmpi ult
// CHECK:         %[[END_LAST:.+]] = krnl.kernel "dynamic long" loops [r = %[[OF_LONGER]] < 3, k.part = %[[COUNT2]] < 1025, parts = %[[COUNT2]] < 1025, k.turn = %[[NUM]], k = [[SIZE]]]
// CHECK-SAME:      outs(%[[LAST]] : tensor<2x?xf32>)
// CHECK:           krnl.compute [r, k.part | parts]
// CHECK:           krnl.compute [r, k.part, k.turn, k]
// CHECK:         return %[[END_LAST]]
func.func @dynamic(%x: tensor<2x?xf32>, %o: tensor<2x?xf32>, %n: index) -> tensor<2x?xf32> {
  %y = krnl.kernel "dynamic" loops [r = 2, k = %n] ins(%x : tensor<2x?xf32>) outs(%o : tensor<2x?xf32>) {
  ^bb0(%a: tensor<2x?xf32>, %c: tensor<2x?xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<2xf32>
    %f = krnl.compute [r] () -> (%q = %t[r]) : () -> tensor<2xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | k] (%p = %a[r, k]) -> (%q = %f[r]) : (tensor<2x?xf32>) -> tensor<2xf32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    %w = krnl.compute [r, k] (%p = %a[r, k], %u = %s[r]) -> (%q = %c[r, k]) : (tensor<2x?xf32>, tensor<2xf32>) -> tensor<2x?xf32> {
      %v = arith.divf %p, %u : f32
      linalg.yield %v : f32
    }
    krnl.yield %w : tensor<2x?xf32>
  } -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// Where the number of rows is dynamic, parts are for a few: for as many as the cost model expects to gain.
// CHECK-LABEL: func @dynamic_rows(
// CHECK-DAG:     %[[FEW:.+]] = arith.cmpi ule, %{{.+}}, %c[[ROWS:[0-9]+]]{{.*}} : index
// CHECK-DAG:     %[[LONG:.+]] = arith.cmpi uge
// CHECK:         arith.andi %[[FEW]], %[[LONG]] : i1
// CHECK:         krnl.kernel "rows short"
// CHECK:         krnl.kernel "rows parts"
func.func @dynamic_rows(%x: tensor<?x?xf32>, %o: tensor<?xf32>, %b: index, %n: index) -> tensor<?xf32> {
  %y = krnl.kernel "rows" loops [r = %b, k = %n] ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %c: tensor<?xf32>, %l: index, %m: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%q = %c[r]) : () -> tensor<?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | k] (%p = %a[r, k]) -> (%q = %f[r]) : (tensor<?x?xf32>) -> tensor<?xf32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// The rows along several loops of dynamic extents are few together.
// CHECK-LABEL: func @rows_of_heads(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index)
// CHECK:         %[[BOTH:.+]] = arith.muli %[[B]], %[[H]] : index
// CHECK:         arith.cmpi ule, %[[BOTH]], %c
// CHECK:         krnl.kernel "heads short"
// CHECK:         krnl.kernel "heads parts"
func.func @rows_of_heads(%x: tensor<?x?x?xf32>, %o: tensor<?x?xf32>, %b: index, %h: index, %n: index) -> tensor<?x?xf32> {
  %y = krnl.kernel "heads" loops [b = %b, h = %h, k = %n] ins(%x : tensor<?x?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?x?xf32>, %c: tensor<?x?xf32>, %l0: index, %l1: index, %m: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [b, h] () -> (%q = %c[b, h]) : () -> tensor<?x?xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [b, h | k] (%p = %a[b, h, k]) -> (%q = %f[b, h]) : (tensor<?x?x?xf32>) -> tensor<?x?xf32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A sum of one row has no loop without which nothing is stored: it is in parts, whatever its length is. Rows of which
// there are many have all blocks.
// CHECK-LABEL: func @one_dynamic_row
// CHECK-NOT:     short
// CHECK:         %[[PART:.+]] = krnl.kernel "row parts" loops [k.part = %{{.+}} < 1025, k.turn = %{{.+}}, k = {{[0-9]+}}]
// CHECK:         krnl.kernel "row" loops [k.part = %{{.+}} < 1025] ins(%[[PART]] :
// CHECK-NOT:     krnl.kernel
// CHECK-LABEL: func @many_dynamic_rows
// CHECK-NOT:     parts
func.func @one_dynamic_row(%x: tensor<?xf32>, %o: tensor<f32>, %n: index) -> tensor<f32> {
  %y = krnl.kernel "row" loops [k = %n] ins(%x : tensor<?xf32>) outs(%o : tensor<f32>) {
  ^bb0(%a: tensor<?xf32>, %c: tensor<f32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [] () -> (%q = %c[]) : () -> tensor<f32> { linalg.yield %zero : f32 }
    %s = krnl.compute [| k] (%p = %a[k]) -> (%q = %f[]) : (tensor<?xf32>) -> tensor<f32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<f32>
  } -> tensor<f32>
  return %y : tensor<f32>
}
func.func @many_dynamic_rows(%x: tensor<2048x?xf32>, %o: tensor<2048xf32>, %n: index) -> tensor<2048xf32> {
  %y = krnl.kernel "many" loops [r = 2048, k = %n] ins(%x : tensor<2048x?xf32>) outs(%o : tensor<2048xf32>) {
  ^bb0(%a: tensor<2048x?xf32>, %c: tensor<2048xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [r] () -> (%q = %c[r]) : () -> tensor<2048xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | k] (%p = %a[r, k]) -> (%q = %f[r]) : (tensor<2048x?xf32>) -> tensor<2048xf32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<2048xf32>
  } -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

// The sum of something else than distances to the mean stays whole, as does what follows from a part's own maximum in
// another way.
// CHECK-LABEL: func @cubes
// CHECK-NOT:     parts
func.func @cubes(%x: tensor<131072xf32>, %o: tensor<f32>) -> tensor<f32> {
  %y = krnl.kernel "cubes" loops [k = 131072] ins(%x : tensor<131072xf32>) outs(%o : tensor<f32>) {
  ^bb0(%a: tensor<131072xf32>, %c: tensor<f32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<f32>
    %f = krnl.compute [] () -> (%q = %t[]) : () -> tensor<f32> { linalg.yield %zero : f32 }
    %s = krnl.compute [| k] (%p = %a[k]) -> (%q = %f[]) : (tensor<131072xf32>) -> tensor<f32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    %g = krnl.compute [] () -> (%q = %c[]) : () -> tensor<f32> { linalg.yield %zero : f32 }
    %d = krnl.compute [| k] (%p = %a[k], %u = %s[]) -> (%q = %g[]) : (tensor<131072xf32>, tensor<f32>) -> tensor<f32> {
      %d = arith.subf %p, %u : f32
      %h = arith.mulf %d, %p : f32
      %v = arith.addf %q, %h : f32
      linalg.yield %v : f32
    }
    krnl.yield %d : tensor<f32>
  } -> tensor<f32>
  return %y : tensor<f32>
}
}

// -----

// A processor has all of a row in one core.
module attributes {krnl.target = #krnl.target<>} {
// CHECK-LABEL: func @processor
// CHECK-NOT:     parts
func.func @processor(%x: tensor<100003xf32>, %o: tensor<f32>) -> tensor<f32> {
  %y = krnl.kernel "processor" loops [k = 100003] ins(%x : tensor<100003xf32>) outs(%o : tensor<f32>) {
  ^bb0(%a: tensor<100003xf32>, %c: tensor<f32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [] () -> (%q = %c[]) : () -> tensor<f32> { linalg.yield %zero : f32 }
    %s = krnl.compute [| k] (%p = %a[k]) -> (%q = %f[]) : (tensor<100003xf32>) -> tensor<f32> {
      %v = arith.addf %q, %p : f32
      linalg.yield %v : f32
    }
    krnl.yield %s : tensor<f32>
  } -> tensor<f32>
  return %y : tensor<f32>
}
}
