// RUN: onnx-opt %s --krnl-lower-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s

// Four rows are loaded as they lie and become four columns. What is left, two rows
// of two, is turned as well, the rows that are not there being zeros.
#flip = affine_map<(c, r) -> (r, c)>
#id2 = affine_map<(c, r) -> (c, r)>
// CHECK-LABEL: func private @kernel_turned_0(
// CHECK-NOT:     vector.gather
// CHECK-COUNT-4: vector.load %arg0
// CHECK-NEXT:    vector.shuffle %{{.+}}, %{{.+}} [0, 4, 2, 6]
// CHECK-NEXT:    vector.shuffle %{{.+}}, %{{.+}} [1, 5, 3, 7]
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 1, 4, 5]
// CHECK-COUNT-4: vector.store %{{.+}}, %arg1
// CHECK-COUNT-2: vector.load %arg0
// CHECK:         vector.maskedstore %arg1
// CHECK:         return
func.func @turned(%x: tensor<6x8xf32>, %o: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %y = krnl.kernel "turned" loops [c = 8, r = 6] ins(%x : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>)
      recipe [unroll(c, 4), vectorize(r, 4)] {
  ^bb0(%a: tensor<6x8xf32>, %b: tensor<8x6xf32>):
    %s = linalg.generic {indexing_maps = [#flip, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<6x8xf32>) outs(%b : tensor<8x6xf32>) attrs = {krnl.axes = ["c", "r"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<8x6xf32>
    krnl.yield %s : tensor<8x6xf32>
  } -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// Lanes that are rows of the result wait for each other: seven rows of eight lanes
// become eight lines of seven, which are written in pieces.
#across = affine_map<(r, c) -> (c, r)>
#along = affine_map<(r, c) -> (r, c)>
// CHECK-LABEL: func private @kernel_results_0(
// CHECK-NOT:     vector.scatter
// CHECK-COUNT-7: vector.load %arg0{{.*}} vector<8xf32>
// CHECK-NOT:     vector.store
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 1, 8, 9, 4, 5, 12, 13]
// CHECK:         %[[LINE:.+]] = vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK:         %[[FOUR:.+]] = vector.shuffle %[[LINE]], %[[LINE]] [0, 1, 2, 3]
// CHECK:         vector.store %[[FOUR]], %arg1[%c0, %c0]
// CHECK:         %[[TWO:.+]] = vector.shuffle %[[LINE]], %[[LINE]] [4, 5]
// CHECK:         vector.store %[[TWO]], %arg1[%c0, %c4]
// CHECK:         %[[ONE:.+]] = vector.shuffle %[[LINE]], %[[LINE]] [6]
// CHECK:         vector.store %[[ONE]], %arg1[%c0, %c6]
// CHECK:         vector.store %{{.+}}, %arg1[%c7, %c6]
// CHECK-NOT:     vector.scatter
// CHECK:         return
func.func @results(%x: tensor<7x8xf32>, %o: tensor<8x7xf32>) -> tensor<8x7xf32> {
  %y = krnl.kernel "results" loops [r = 7, c = 8] ins(%x : tensor<7x8xf32>) outs(%o : tensor<8x7xf32>)
      recipe [unroll(r, 7), vectorize(c, 8)] {
  ^bb0(%a: tensor<7x8xf32>, %b: tensor<8x7xf32>):
    %s = linalg.generic {indexing_maps = [#along, #across], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<7x8xf32>) outs(%b : tensor<8x7xf32>) attrs = {krnl.axes = ["r", "c"]} {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<8x7xf32>
    krnl.yield %s : tensor<8x7xf32>
  } -> tensor<8x7xf32>
  return %y : tensor<8x7xf32>
}
