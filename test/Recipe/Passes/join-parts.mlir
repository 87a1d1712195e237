// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-join-parts | FileCheck %s
//
// Ops that write the parts of a tensor become one for a device.

module attributes {krnl.target = #krnl.target<tile_threads = 1024, cores = 108>} {

// The element is read at the nearest index; past the end of a row there is nothing to select.
// CHECK-LABEL: func @border
// CHECK:         krnl.kernel "pad" loops [p = 66, q = 64]
// CHECK:           krnl.compute [p, q] () ->
// CHECK-DAG:         %[[P:.+]] = krnl.index p
// CHECK-DAG:         %[[Q:.+]] = krnl.index q
// CHECK:             %[[I:.+]] = arith.subi %[[P]], %[[ONE:.+]] : index
// CHECK:             %[[LOW:.+]] = arith.minsi %[[I]]
// CHECK:             %[[AT:.+]] = arith.maxsi %[[LOW]]
// CHECK:             %[[X:.+]] = tensor.extract %{{.+}}[%[[AT]], %[[Q]]] : tensor<64x64xf32>
// CHECK:             %[[INSIDE:.+]] = arith.cmpi ult
// CHECK-NEXT:        %[[Y:.+]] = arith.select %[[INSIDE]], %[[X]], %{{.+}} : f32
// CHECK-NEXT:        linalg.yield %[[Y]]
// CHECK-NOT:       krnl.compute
func.func @border(%x: tensor<64x64xf32>, %o: tensor<66x64xf32>) -> tensor<66x64xf32> {
  %y = krnl.kernel "pad" loops [p = 66, q = 64, i = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<66x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<66x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p, q] () -> (%e = %b[p, q]) : () -> tensor<66x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [i, q] (%e = %a[i, q]) -> (%_ = %f[i + 1, q]) : (tensor<64x64xf32>) -> tensor<66x64xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<66x64xf32>
  } -> tensor<66x64xf32>
  return %y : tensor<66x64xf32>
}

// The payload of each part is that of its iteration.
// CHECK-LABEL: func @concat
// CHECK:         krnl.kernel "concat" loops [r = 64, d1 = 96]
// CHECK:           krnl.compute [r, d1] () ->
// CHECK:             tensor.extract %{{.+}}[%{{.+}}, %{{.+}}] : tensor<64x64xf32>
// CHECK:             %[[J:.+]] = arith.maxsi
// CHECK:             %[[X:.+]] = tensor.extract %{{.+}}[%[[J]], %{{.+}}] : tensor<32x64xf32>
// CHECK:             arith.index_cast %[[J]] : index to i32
// CHECK:             %[[SUM:.+]] = arith.addf %[[X]]
// CHECK:             arith.select %{{.+}}, %[[SUM]]
func.func @concat(%x: tensor<64x64xf32>, %w: tensor<32x64xf32>, %o: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %y = krnl.kernel "concat" loops [r = 64, i = 64, j = 32]
      ins(%x, %w : tensor<64x64xf32>, tensor<32x64xf32>) outs(%o : tensor<64x96xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<32x64xf32>, %c: tensor<64x96xf32>):
    %f = krnl.compute [r, i] (%e = %a[r, i]) -> (%_ = %c[r, i ...]) : (tensor<64x64xf32>) -> tensor<64x96xf32> {
      linalg.yield %e : f32
    }
    %s = krnl.compute [r, j] (%e = %b[j, r]) -> (%_ = %f[r, j + 64]) : (tensor<32x64xf32>) -> tensor<64x96xf32> {
      %n = krnl.index j
      %u = arith.index_cast %n : index to i32
      %v = arith.sitofp %u : i32 to f32
      %t = arith.addf %e, %v : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<64x96xf32>
  } -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// A loop over all of a dynamic dimension keeps its name and its limit, and no other one takes the name.
// CHECK-LABEL: func @moved
// CHECK:         krnl.kernel "moved" loops [d1 = 8, d0 = %{{.+}} < 100]
// CHECK:           krnl.compute [d1, d0] () -> (%{{.+}} = %{{.+}}[d1, d0])
// CHECK-NOT:       krnl.compute
func.func @moved(%x: tensor<?x4xf32>, %w: tensor<4x?xf32>, %o: tensor<8x?xf32>, %n: index) -> tensor<8x?xf32> {
  %y = krnl.kernel "moved" loops [d0 = %n < 100, i = 4, j = 4]
      ins(%x, %w : tensor<?x4xf32>, tensor<4x?xf32>) outs(%o : tensor<8x?xf32>) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %c: tensor<8x?xf32>, %_: index):
    %f = krnl.compute [i, d0] (%e = %a[d0, i]) -> (%d = %c[i ..., d0]) : (tensor<?x4xf32>) -> tensor<8x?xf32> {
      linalg.yield %e : f32
    }
    %r = krnl.compute [j, d0] (%e = %b[j, d0]) -> (%d = %f[j + 4, d0]) : (tensor<4x?xf32>) -> tensor<8x?xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<8x?xf32>
  } -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// The number of images is dynamic, and all ops have all of them.
// CHECK-LABEL: func @images
// CHECK:         krnl.kernel "images" loops [n = %{{.+}}, p = 66]
// CHECK:           krnl.compute [n, p] () ->
// CHECK:             tensor.extract
// CHECK-NOT:       krnl.compute
// CHECK:           return
func.func @images(%x: tensor<?x64xf32>, %o: tensor<?x66xf32>, %n: index) -> tensor<?x66xf32> {
  %y = krnl.kernel "images" loops [n = %n, p = 66, i = 64] ins(%x : tensor<?x64xf32>) outs(%o : tensor<?x66xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<?x66xf32>, %_: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [n, p] () -> (%e = %b[n, p]) : () -> tensor<?x66xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [n, i] (%e = %a[n, i]) -> (%d = %f[n, i + 1]) : (tensor<?x64xf32>) -> tensor<?x66xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<?x66xf32>
  } -> tensor<?x66xf32>
  return %y : tensor<?x66xf32>
}

// A dynamic dimension that grows: the size of the part is an input. The part may have no element.
// CHECK-LABEL: func @longer
// CHECK-SAME:      %[[SIZE:[^:,]+]]: index) ->
// CHECK:         krnl.kernel "longer" loops [p = %{{.+}}, q = 64] ins(%{{.+}}, %[[SIZE]] : tensor<?x64xf32>, index)
// CHECK-NEXT:    ^bb0(%{{.+}}: tensor<?x64xf32>, %[[IN:.+]]: index, %{{.+}}: tensor<?x64xf32>, %{{.+}}: index):
// CHECK:           krnl.compute [p, q] ()
// CHECK:             %[[LAST:.+]] = arith.subi %[[IN]], %{{.+}} : index
// CHECK:             %[[LOW:.+]] = arith.minsi %{{.+}}, %[[LAST]] : index
// CHECK:             %[[AT:.+]] = arith.maxsi %[[LOW]], %{{.+}} : index
// CHECK:             tensor.extract %{{.+}}[%[[AT]], %{{.+}}] : tensor<?x64xf32>
// CHECK:             arith.cmpi ult, %{{.+}}, %[[IN]] : index
// CHECK-NOT:       krnl.compute
func.func @longer(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>, %p: index, %i: index) -> tensor<?x64xf32> {
  %y = krnl.kernel "longer" loops [p = %p, q = 64, i = %i] ins(%x : tensor<?x64xf32>) outs(%o : tensor<?x64xf32>) {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %_: index, %__: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [p, q] () -> (%e = %b[p, q]) : () -> tensor<?x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [i, q] (%e = %a[i, q]) -> (%d = %f[i + 1, q]) : (tensor<?x64xf32>) -> tensor<?x64xf32> {
      linalg.yield %e : f32
    }
    krnl.yield %r : tensor<?x64xf32>
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Too many parts to have a load of each for every element.
// CHECK-LABEL: func @many
// CHECK-COUNT-33: krnl.compute
func.func @many(%x: tensor<64x8xf32>) -> tensor<2112x8xf32> {
  %y = "onnx.Concat"(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {axis = 0 : i64}
      : (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<2112x8xf32>
  return %y : tensor<2112x8xf32>
}

// Another kernel has written the middle.
// CHECK-LABEL: func @hole
// CHECK-COUNT-2: krnl.compute
func.func @hole(%o: tensor<66x64xf32>) -> tensor<66x64xf32> {
  %y = krnl.kernel "hole" loops [q = 64] outs(%o : tensor<66x64xf32>) {
  ^bb0(%b: tensor<66x64xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [q] () -> (%_ = %b[0, q]) : () -> tensor<66x64xf32> { linalg.yield %zero : f32 }
    %r = krnl.compute [q] () -> (%_ = %f[65, q]) : () -> tensor<66x64xf32> { linalg.yield %zero : f32 }
    krnl.yield %r : tensor<66x64xf32>
  } -> tensor<66x64xf32>
  return %y : tensor<66x64xf32>
}

// A part that adds to what is there needs the op before it.
// CHECK-LABEL: func @continued
// CHECK-COUNT-2: krnl.compute
func.func @continued(%x: tensor<64x64xf32>, %o: tensor<66x64xf32>) -> tensor<66x64xf32> {
  %y = krnl.kernel "continued" loops [p = 66, q = 64, i = 64] ins(%x : tensor<64x64xf32>) outs(%o : tensor<66x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<66x64xf32>):
    %one = arith.constant 1.0 : f32
    %f = krnl.compute [p, q] () -> (%_ = %b[p, q]) : () -> tensor<66x64xf32> { linalg.yield %one : f32 }
    %r = krnl.compute [i, q] (%e = %a[i, q]) -> (%s = %f[i + 1, q]) : (tensor<64x64xf32>) -> tensor<66x64xf32> {
      %t = arith.addf %s, %e : f32
      linalg.yield %t : f32
    }
    krnl.yield %r : tensor<66x64xf32>
  } -> tensor<66x64xf32>
  return %y : tensor<66x64xf32>
}

}
