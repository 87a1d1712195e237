// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A size of 1 is read again and again; both shapes must agree.
// CHECK-LABEL: func.func @expand
// CHECK-COUNT-2: krnl.check %{{.+}}, "Expand: the shapes do not agree" sizes(%{{.+}}, %{{.+}})
// CHECK:         krnl.kernel "Expand" loops [d0 = 3, d1 = %{{[^],]+}}]
// CHECK:           krnl.compute [d0, d1] (%{{.+}} = %{{.+}}[d0, 0])
func.func @expand(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "onnx.Expand"(%x, %s) : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A dimension that the shape leaves as it is (1) is read in order, whatever its
// size.
// CHECK-LABEL: func.func @dynamic_batch
// CHECK:         krnl.kernel "Expand"
// CHECK:           krnl.compute [d0, d1, d2, d3] (%{{.+}} = %{{.+}}[d0, d1, 0, d3])
func.func @dynamic_batch(%x: tensor<?x2x1x16xf32>) -> tensor<?x2x3x16xf32> {
  %s = onnx.Constant {value = dense<[1, 1, 3, 1]> : tensor<4xi64>} : tensor<4xi64>
  %y = "onnx.Expand"(%x, %s) : (tensor<?x2x1x16xf32>, tensor<4xi64>) -> tensor<?x2x3x16xf32>
  return %y : tensor<?x2x3x16xf32>
}

// Where a dynamic dimension may be 1, its index is clamped, and
// no other.
// CHECK-LABEL: func.func @size_of_the_run
// CHECK:         krnl.kernel "Expand" loops [d0 = 4, d1 = 16]
// CHECK:           krnl.compute [d0, d1] ()
// CHECK:             %[[I:.+]] = krnl.index d0
// CHECK:             %[[J:.+]] = krnl.index d1
// CHECK:             arith.minsi %[[I]]
// CHECK:             %[[CLAMPED:.+]] = arith.maxsi
// CHECK:             tensor.extract %{{.+}}[%[[CLAMPED]], %[[J]]]
func.func @size_of_the_run(%x: tensor<?x16xf32>) -> tensor<4x16xf32> {
  %s = onnx.Constant {value = dense<[4, 1]> : tensor<2xi64>} : tensor<2xi64>
  %y = "onnx.Expand"(%x, %s) : (tensor<?x16xf32>, tensor<2xi64>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Copies are a dimension of their own, so that elements are read in order.
// CHECK-LABEL: func.func @tile
// CHECK:         krnl.kernel "Tile" loops [d0 = 1, d1 = 2, d2 = 2, d3 = 3]
// CHECK:           krnl.compute [d0, d1, d2, d3] (%{{.+}} = %{{.+}}[d1, d3])
// CHECK:         tensor.reshape {{.+}} -> tensor<2x6xf32>
func.func @tile(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %r = onnx.Constant {value = dense<[1, 2]> : tensor<2xi64>} : tensor<2xi64>
  %y = "onnx.Tile"(%x, %r) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// Where the last dimension may be 1, it is one loop that fills rows and one that
// copies them, of which one has no iterations; that before it is part of it if both
// are repeated once or of one element. The sizes of the result are checked before
// products of them are made.
// CHECK-LABEL: func.func @rows_of_the_run
// CHECK-SAME:      (%[[X:.+]]: tensor<?x?xf32>, %[[S:.+]]: tensor<2xi64>)
// CHECK:         %[[BYTES:.+]] = krnl.buffer_bytes
// CHECK:         %[[FITS:.+]] = arith.cmpi sle, %[[BYTES]]
// CHECK:         krnl.check %[[FITS]], "Expand: a size is negative or too large" sizes(%{{.+}}, %{{.+}}) format "[{}, {}]"
// CHECK:         %[[SINGLE:.+]] = arith.andi
// CHECK:         %[[ONCE:.+]] = arith.cmpi eq
// CHECK:         %[[MERGED:.+]] = arith.ori %[[ONCE]], %[[SINGLE]]
// CHECK:         tensor.from_elements %{{.+}}, %[[OWN:.+]] : tensor<2xindex>
// CHECK:         %[[ONE:.+]] = arith.cmpi eq, %[[OWN]], %c1
// CHECK:         %[[TIMES:.+]] = arith.select %[[ONE]], %c1{{.*}}, %[[T:.+]] : index
// CHECK:         %[[ALL:.+]] = arith.select %[[ONE]], %[[T]], %[[OWN]]
// CHECK:         tensor.empty(%{{.+}}, %{{.+}}, %[[TIMES]], %[[ALL]])
// CHECK:         %[[FILL:.+]] = arith.select %[[ONE]], %[[T]], %[[ZERO:.+]] : index
// CHECK:         %[[COPY:.+]] = arith.select %[[ONE]], %[[ZERO]], %[[OWN]]
// CHECK:         krnl.kernel "Expand" loops [t0 = %{{.+}}, d0 = %{{.+}}, t1 = %[[TIMES]], fill = %[[FILL]], copy = %[[COPY]]]
// CHECK:           krnl.compute [t0, d0, t1, fill] (%{{.+}} = %{{.+}}[d0, 0]) -> (%{{.+}} = %{{.+}}[t0, d0, t1, fill ...])
// CHECK:           krnl.compute [t0, d0, t1, copy] (%{{.+}} = %{{.+}}[d0, copy ...]) -> (%{{.+}} = %{{.+}}[t0, d0, t1, copy ...])
func.func @rows_of_the_run(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "onnx.Expand"(%x, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Threads of a device read each element, with one launch.
// CHECK-LABEL: func.func @rows_on_a_device
// CHECK:         krnl.kernel "Expand" loops [d0 = %{{.+}}, d1 = %{{[^],]+}}]
// CHECK:             tensor.extract
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024, cores = 132>} {
  func.func @rows_on_a_device(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
    %y = "onnx.Expand"(%x, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }
}

// Where all of it is known at run time only, a last dimension that is repeated once, or
// has one element as that before it, is part of the one before it: longer rows are
// copied as one, and a row of one element is filled.
// CHECK-LABEL: func.func @tile_in_run
// CHECK-SAME:      (%[[X:.+]]: tensor<?x?xf32>, %[[R:.+]]: tensor<2xi64>)
// CHECK-DAG:     %[[D0:.+]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     %[[D1:.+]] = tensor.dim %[[X]], %c1
// CHECK:         krnl.check %{{.+}}, "Tile: a size is negative or too large" sizes(%{{.+}}, %{{.+}}) format "[{}, {}]"
// CHECK:         %[[SINGLE:.+]] = arith.andi
// CHECK:         %[[ONCE:.+]] = arith.cmpi eq, %[[T1:.+]], %[[ONE:.+]] : index
// CHECK:         %[[MERGED:.+]] = arith.ori %[[ONCE]], %[[SINGLE]]
// CHECK:         %[[T:.+]] = arith.muli %[[T0:.+]], %[[T1]]
// CHECK:         %[[A:.+]] = arith.select %[[MERGED]], %[[ONE]], %[[T0]] : index
// CHECK:         %[[B:.+]] = arith.select %[[MERGED]], %[[T]], %[[T1]] : index
// CHECK:         %[[D:.+]] = arith.muli %[[D0]], %[[D1]]
// CHECK:         %[[M:.+]] = arith.select %[[MERGED]], %[[ONE]], %[[D0]] : index
// CHECK:         %[[N:.+]] = arith.select %[[MERGED]], %[[D]], %[[D1]] : index
// CHECK:         tensor.from_elements %[[M]], %[[N]]
// CHECK:         %[[FILLS:.+]] = arith.cmpi eq, %[[N]]
// CHECK:         %[[TIMES:.+]] = arith.select %[[FILLS]], %{{.+}}, %[[B]] : index
// CHECK:         %[[FILL:.+]] = arith.select %[[FILLS]], %[[B]], %[[ZERO:c0.*]] : index
// CHECK:         %[[COPY:.+]] = arith.select %[[FILLS]], %[[ZERO]], %[[N]] : index
// CHECK:         krnl.kernel "Tile" loops [t0 = %[[A]], d0 = %[[M]], t1 = %[[TIMES]], fill = %[[FILL]], copy = %[[COPY]]]
// CHECK:           krnl.compute [t0, d0, t1, fill] (%{{.+}} = %{{.+}}[d0, 0]) -> (%{{.+}} = %{{.+}}[t0, d0, t1, fill ...])
// CHECK:           krnl.compute [t0, d0, t1, copy] (%{{.+}} = %{{.+}}[d0, copy ...]) -> (%{{.+}} = %{{.+}}[t0, d0, t1, copy ...])
func.func @tile_in_run(%x: tensor<?x?xf32>, %r: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "onnx.Tile"(%x, %r) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A last dimension that is repeated once is copied, whatever its size.
// CHECK-LABEL: func.func @tile_rows_once
// CHECK:         krnl.kernel "Tile" loops [d0 = 4, d1 = %{{.+}}, d2 = 1, d3 = %{{[^],]+}}]
func.func @tile_rows_once(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = onnx.Constant {value = dense<[4, 1]> : tensor<2xi64>} : tensor<2xi64>
  %y = "onnx.Tile"(%x, %r) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Threads of a device read each element, with one launch.
// CHECK-LABEL: func.func @tile_on_a_device
// CHECK:         krnl.kernel "Tile" loops [d0 = %{{.+}}, d1 = %{{.+}}, d2 = %{{.+}}, d3 = %{{[^],]+}}]
module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024, cores = 132>} {
  func.func @tile_on_a_device(%x: tensor<?x?xf32>, %r: tensor<2xi64>) -> tensor<?x?xf32> {
    %y = "onnx.Tile"(%x, %r) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }
}

// Known sizes are worth more than longer rows.
// CHECK-LABEL: func.func @tile_known_rows
// CHECK:         krnl.kernel "Tile" loops [d0 = %{{.+}}, d1 = %{{.+}}, d2 = %{{.+}}, d3 = 64]
func.func @tile_known_rows(%x: tensor<?x64xf32>, %r: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "onnx.Tile"(%x, %r) : (tensor<?x64xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
