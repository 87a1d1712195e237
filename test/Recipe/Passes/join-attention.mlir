// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse=collapse=false --krnl-join-attention -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: onnx-opt %t.mlir --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=RECIPE
// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse=collapse=false --krnl-join-attention --remarks-filter=krnl-join-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
//
// The three kernels of an attention become one for a device, where that takes less time. Its warps have parts
// of the keys, and then of the columns of values; the scores that values are multiplied by are shared.
//
// RECIPE:      kernel "MatMul+Softmax+MatMul"
// RECIPE:        fuse_outer(b0, m.o),
// RECIPE-NEXT:   parallel(b0, m.o),
// RECIPE-NEXT:   map(m.g, thread),
// RECIPE-NEXT:   map(n.t, thread),
// RECIPE-NEXT:   map(n.w, thread),
// RECIPE-NEXT:   map(n_2.w, thread, as=n.w),
// RECIPE-NEXT:   map(n_2.t, thread, as=n.t),
// RECIPE:        shared({{[0-9]+}}),
// RECIPE-NEXT:   1: cache(0, at=k.o, in=shared),
// RECIPE-NEXT:   1: cache(1, at=k.o, in=shared),
// RECIPE-NEXT:   1: pipeline(k.o, {{[23]}}),
// RECIPE-NEXT:   {{[0-9]+}}: cache(2, at=n.x, in=shared),
// RECIPE-NEXT:   {{[0-9]+}}: pipeline(n.x, {{[23]}})

// The kernels take time before, too.
// REMARK:      Reason="{{[1-9][0-9]*}} cycles, attention with scores in memory: {{[1-9][0-9]*}} cycles"
// REMARK-SAME: Remark="attention without scores in memory"

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, core_shared_bytes = 167936, cores = 108>} {

// CHECK-LABEL: func @attention
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul"
// CHECK-NOT:     krnl.kernel
func.func @attention(%q: tensor<12x128x64xf32>, %k: tensor<12x64x128xf32>, %v: tensor<12x128x64xf32>) -> tensor<12x128x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x128x64xf32>, tensor<12x64x128xf32>) -> tensor<12x128x128xf32>
  %p = onnx.Softmax(%s) : (tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}

// One block of 16 rows would use one of all cores: the first kernel has the keys in parts, the second one combines them.
// A part whose scores are all -infinity has no weight. Nothing but the keys has a loop more: their tensors are views.
// CHECK-LABEL: func @few_rows
// CHECK-DAG:     %[[KEYS:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0], [1], [2, 3]] output_shape [1, 64, [[P:[0-9]+]], [[N:[0-9]+]]]
// CHECK-DAG:     %[[VALUES:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2], [3]] output_shape [1, [[P]], [[N]], 64]
// CHECK:         %[[PARTS:.+]]:3 = krnl.kernel "MatMul+Softmax+MatMul parts" loops [m = 4, n0 = [[P]], n1 = [[N]], k = 64, n_2 = 64] ins(%{{.+}}, %[[KEYS]], %[[VALUES]] :
// CHECK:           %[[SCORES:.+]] = krnl.compute [n0, m, n1 | k]
// CHECK:           %[[MAX:.+]] = krnl.compute [n0, m | n1] (%{{.+}} = %[[SCORES]][0, m, n0, n1])
// CHECK-NEXT:        arith.maxnumf
// CHECK:           %[[EXP:.+]] = krnl.compute [n0, m, n1] (%{{.+}} = %[[SCORES]][0, m, n0, n1], %[[M:.+]] = %[[MAX]][n0, 0, m])
// CHECK:             %[[NONE:.+]] = arith.cmpf oeq, %[[M]], %{{.+}} : f32
// CHECK-NEXT:        %[[SHIFT:.+]] = arith.select %[[NONE]], %{{.+}}, %[[M]] : f32
// CHECK-NEXT:        %[[D:.+]] = arith.subf %{{.+}}, %[[SHIFT]] : f32
// CHECK-NEXT:        math.exp %[[D]] fastmath<afn> : f32
// CHECK:           %[[TOTAL:.+]] = krnl.compute [n0, m | n1] (%{{.+}} = %[[EXP]][0, m, n0, n1])
// CHECK-NOT:       arith.divf
// CHECK:           krnl.compute [n0, m, n_2 | n1]
// CHECK:           krnl.compute [n0, m] (%{{.+}} = %[[MAX]][n0, 0, m])
// CHECK:           krnl.compute [n0, m] (%{{.+}} = %[[TOTAL]][n0, 0, m])
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul" loops [m = 4, n_2 = 64, n0 = [[P]]] ins(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2 :
// CHECK:           krnl.compute [m, n_2 | n0]
// CHECK-NEXT:        arith.maximumf
// CHECK:           krnl.compute [m, n_2 | n0]
// CHECK:             math.exp
// CHECK:           krnl.compute [m, n_2]
// CHECK-NEXT:        arith.divf
// CHECK-NOT:     krnl.kernel
func.func @few_rows(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>) -> tensor<1x4x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %p = onnx.Softmax(%s) : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// 16 rows of so many keys do not fit the memory of a block, but those of a part do.
// CHECK-LABEL: func @long_rows
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul parts"
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul"
// CHECK-NOT:     krnl.kernel
func.func @long_rows(%q: tensor<12x128x64xf32>, %k: tensor<12x64x4096xf32>, %v: tensor<12x4096x64xf32>) -> tensor<12x128x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x128x64xf32>, tensor<12x64x4096xf32>) -> tensor<12x128x4096xf32>
  %p = onnx.Softmax(%s) : (tensor<12x128x4096xf32>) -> tensor<12x128x4096xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x128x4096xf32>, tensor<12x4096x64xf32>) -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}

// The rows may be as many as the run has.
// CHECK-LABEL: func @dynamic_rows
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul parts"
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul"
// CHECK-NOT:     krnl.kernel
func.func @dynamic_rows(%q: tensor<12x?x64xf32>, %k: tensor<12x64x4096xf32>, %v: tensor<12x4096x64xf32>) -> tensor<12x?x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x?x64xf32>, tensor<12x64x4096xf32>) -> tensor<12x?x4096xf32>
  %p = onnx.Softmax(%s) : (tensor<12x?x4096xf32>) -> tensor<12x?x4096xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x?x4096xf32>, tensor<12x4096x64xf32>) -> tensor<12x?x64xf32>
  return %y : tensor<12x?x64xf32>
}

// The softmax may define the weights of a row of which all scores are -infinity.
// CHECK-LABEL: func @hidden_rows
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul parts"
// CHECK:           %[[NONE:.+]] = arith.cmpf oeq, %[[LARGEST:.+]], %{{.+}} : f32
// CHECK:           %[[SHIFT:.+]] = arith.select %[[NONE]], %{{.+}}, %[[LARGEST]] : f32
// CHECK:           arith.subf %{{.+}}, %[[SHIFT]] : f32
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul"
// CHECK:           %[[Y:.+]] = arith.divf %{{.+}}, %[[TOTAL:.+]] : f32
// CHECK:           %[[HAS:.+]] = arith.cmpf une, %[[TOTAL]], %{{.+}} : f32
// CHECK:           arith.select %[[HAS]], %[[Y]], %{{.+}} : f32
func.func @hidden_rows(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>) -> tensor<1x4x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %p = onnx.Softmax(%s) {onnx.hidden_rows_are_zero} : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// Weights that are zero one by one may be all of a row in one part alone.
// CHECK-LABEL: func @hidden_weights
// CHECK-NOT:     parts"
// CHECK:         return
func.func @hidden_weights(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>, %h: tensor<4x1024xi1>) -> tensor<1x4x64xf32> {
  %zero = onnx.Constant dense<0.0> : tensor<f32>
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %p = onnx.Softmax(%s) : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %w = onnx.Where(%h, %zero, %p) : (tensor<4x1024xi1>, tensor<f32>, tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%w, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// Scaled queries and keys: scores are scaled instead, before anything else reads them.
// CHECK-LABEL: func @scaled
// CHECK-SAME:      %[[Q:[^:]+]]: tensor<12x128x64xf32>
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul"
// CHECK:           krnl.compute [b0, m, n | k]
// CHECK:           krnl.compute [b0, m, n]
// CHECK:             arith.constant 1.250000e-01 : f32
// CHECK-NEXT:        arith.mulf
func.func @scaled(%q: tensor<12x128x64xf32>, %k: tensor<12x64x128xf32>, %v: tensor<12x128x64xf32>) -> tensor<12x128x64xf32> {
  %a = onnx.Constant dense<0.25> : tensor<f32>
  %b = onnx.Constant dense<0.5> : tensor<f32>
  %x = onnx.Mul(%q, %a) : (tensor<12x128x64xf32>, tensor<f32>) -> tensor<12x128x64xf32>
  %z = onnx.Mul(%k, %b) : (tensor<12x64x128xf32>, tensor<f32>) -> tensor<12x64x128xf32>
  %s = onnx.MatMul(%x, %z) : (tensor<12x128x64xf32>, tensor<12x64x128xf32>) -> tensor<12x128x128xf32>
  %p = onnx.Softmax(%s) : (tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}

// Weights that are not a softmax are those of all keys.
// CHECK-LABEL: func @no_softmax
// CHECK-NOT:     parts"
// CHECK:         return
func.func @no_softmax(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>) -> tensor<1x4x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %p = onnx.LogSoftmax(%s) : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// Nodes that compute a softmax one by one are one.
// CHECK-LABEL: func @written_out(
// CHECK:         parts"
func.func @written_out(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>) -> tensor<1x4x64xf32> {
  %axis = onnx.Constant dense<2> : tensor<1xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %m = onnx.ReduceMax(%s) axes(%axis) : (tensor<1x4x1024xf32>, tensor<1xi64>) -> tensor<1x4x1xf32>
  %d = onnx.Sub(%s, %m) : (tensor<1x4x1024xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1024xf32>
  %e = onnx.Exp(%d) : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %t = onnx.ReduceSum(%e) axes(%axis) : (tensor<1x4x1024xf32>, tensor<1xi64>) -> tensor<1x4x1xf32>
  %p = onnx.Div(%e, %t) : (tensor<1x4x1024xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// Scores that depend on the largest one of the row are known after it alone.
// CHECK-LABEL: func @after_maximum(
// CHECK-NOT:     parts"
// CHECK:         return
func.func @after_maximum(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>) -> tensor<1x4x64xf32> {
  %none = onnx.Constant dense<0xFF800000> : tensor<f32>
  %axis = onnx.Constant dense<2> : tensor<1xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %m = onnx.ReduceMax(%s) axes(%axis) : (tensor<1x4x1024xf32>, tensor<1xi64>) -> tensor<1x4x1xf32>
  %l = onnx.Less(%s, %m) : (tensor<1x4x1024xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1024xi1>
  %z = onnx.Where(%l, %none, %s) : (tensor<1x4x1024xi1>, tensor<f32>, tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %d = onnx.Sub(%z, %m) : (tensor<1x4x1024xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1024xf32>
  %e = onnx.Exp(%d) : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %t = onnx.ReduceSum(%e) axes(%axis) : (tensor<1x4x1024xf32>, tensor<1xi64>) -> tensor<1x4x1xf32>
  %p = onnx.Div(%e, %t) : (tensor<1x4x1024xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// Parts have sums in f32.
// CHECK-LABEL: func @other_type(
// CHECK-NOT:     parts"
// CHECK:         return
func.func @other_type(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>) -> tensor<1x4x64xf32> {
  %axis = onnx.Constant dense<2> : tensor<1xi64>
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %m = onnx.ReduceMax(%s) axes(%axis) : (tensor<1x4x1024xf32>, tensor<1xi64>) -> tensor<1x4x1xf32>
  %d = onnx.Sub(%s, %m) : (tensor<1x4x1024xf32>, tensor<1x4x1xf32>) -> tensor<1x4x1024xf32>
  %e = onnx.Exp(%d) : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %e2 = onnx.Cast(%e) {to = 11 : i64} : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf64>
  %t = onnx.ReduceSum(%e2) axes(%axis) : (tensor<1x4x1024xf64>, tensor<1xi64>) -> tensor<1x4x1xf64>
  %p2 = onnx.Div(%e2, %t) : (tensor<1x4x1024xf64>, tensor<1x4x1xf64>) -> tensor<1x4x1024xf64>
  %p = onnx.Cast(%p2) {to = 1 : i64} : (tensor<1x4x1024xf64>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// Where the number of keys is dynamic, the parts have a known number of them. After the last key products
// read zeros, and the score is -infinity. Without any key the result is zero.
// CHECK-LABEL: func @dynamic
// CHECK:         %[[MORE:.+]] = arith.addi %{{.+}}, %{{.+}} : index
// CHECK-NEXT:    %[[P:.+]] = arith.divui %[[MORE]], %c[[N:[0-9]+]] : index
// CHECK:         %[[PARTS:.+]]:3 = krnl.kernel "MatMul+Softmax+MatMul parts" loops [b0 = 12, m = 128, n0 = %[[P]], n1 = [[N]], k = 64, n_2 = 64]
// CHECK:           %[[PRODUCT:.+]] = krnl.compute [n0, b0, m, n1 | k] (%{{.+}} = %{{.+}}[b0, m, k], %{{.+}} = %{{.+}}[b0, k, n0 * [[N]] + n1 in 0 to ?])
// CHECK:           %[[SCORES:.+]] = krnl.compute [n0, b0, m, n1] () -> (%[[S:.+]] = %[[PRODUCT]][b0, m, n0, n1])
// CHECK:             %[[ISKEY:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : index
// CHECK-NEXT:        arith.select %[[ISKEY]], %[[S]], %{{.+}} : f32
// CHECK:           krnl.compute [n0, b0, m | n1] (%{{.+}} = %[[SCORES]][b0, m, n0, n1])
// CHECK-NEXT:        arith.maxnumf
// CHECK:           krnl.compute [n0, b0, m, n_2 | n1] (%{{.+}} = %{{.+}}[b0, m, n0, n1], %{{.+}} = %{{.+}}[b0, n0 * [[N]] + n1 in 0 to ?, n_2])
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul" loops [b0 = 12, m = 128, n_2 = 64, n0 = %[[P]]] ins(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2 :
// CHECK:             %[[QUOTIENT:.+]] = arith.divf
// CHECK:             %[[ANY:.+]] = arith.cmpi ne, %{{.+}}, %{{.+}} : index
// CHECK:             arith.select %[[ANY]], %[[QUOTIENT]], %{{.+}} : f32
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @dynamic(%q: tensor<12x128x64xf32>, %k: tensor<12x64x?xf32>, %v: tensor<12x?x64xf32>) -> tensor<12x128x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x128x64xf32>, tensor<12x64x?xf32>) -> tensor<12x128x?xf32>
  %p = onnx.Softmax(%s) : (tensor<12x128x?xf32>) -> tensor<12x128x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x128x?xf32>, tensor<12x?x64xf32>) -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}

// Heads that share keys are rows of one product, and heads of their own for the mask, which is a kernel between views.
// CHECK-LABEL: func @dynamic_groups
// CHECK:         krnl.kernel "MatMul+Add+Softmax+MatMul parts"
// CHECK:         krnl.kernel "MatMul+Add+Softmax+MatMul"
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @dynamic_groups(%q: tensor<1x2x4x64xf32>, %k: tensor<1x2x64x?xf32>, %v: tensor<1x2x?x64xf32>, %mask: tensor<8x1x1xf32>) -> tensor<1x2x4x64xf32> {
  %heads = onnx.Constant dense<[1, 8, 1, -1]> : tensor<4xi64>
  %groups = onnx.Constant dense<[1, 2, 4, -1]> : tensor<4xi64>
  %0 = onnx.MatMul(%q, %k) : (tensor<1x2x4x64xf32>, tensor<1x2x64x?xf32>) -> tensor<1x2x4x?xf32>
  %1 = onnx.Reshape(%0, %heads) : (tensor<1x2x4x?xf32>, tensor<4xi64>) -> tensor<1x8x1x?xf32>
  %s = onnx.Add(%1, %mask) : (tensor<1x8x1x?xf32>, tensor<8x1x1xf32>) -> tensor<1x8x1x?xf32>
  %p = onnx.Softmax(%s) {axis = 3 : i64} : (tensor<1x8x1x?xf32>) -> tensor<1x8x1x?xf32>
  %2 = onnx.Reshape(%p, %groups) : (tensor<1x8x1x?xf32>, tensor<4xi64>) -> tensor<1x2x4x?xf32>
  %y = onnx.MatMul(%2, %v) : (tensor<1x2x4x?xf32>, tensor<1x2x?x64xf32>) -> tensor<1x2x4x64xf32>
  return %y : tensor<1x2x4x64xf32>
}

// Two dynamic sizes: scores of other rows and columns may be the source of the view.
// CHECK-LABEL: func @regrouped
// CHECK:         krnl.kernel "MatMul"
// CHECK:         tensor.reshape
// CHECK:         krnl.kernel "Softmax"
// CHECK:         krnl.kernel "MatMul"
// CHECK:         return
func.func @regrouped(%q: tensor<?x64xf32>, %k: tensor<64x?xf32>, %v: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %rest = onnx.Constant dense<-1> : tensor<1xi64>
  %keys = onnx.Shape(%v) {start = 0 : i64, end = 1 : i64} : (tensor<?x64xf32>) -> tensor<1xi64>
  %shape = onnx.Concat(%rest, %keys) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = onnx.MatMul(%q, %k) : (tensor<?x64xf32>, tensor<64x?xf32>) -> tensor<?x?xf32>
  %s = onnx.Reshape(%0, %shape) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %p = onnx.Softmax(%s) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<?x?xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Without a view the sizes are the same.
// CHECK-LABEL: func @dynamic_sizes
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul parts"
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul"
// CHECK-NOT:     krnl.kernel
// CHECK:         return
func.func @dynamic_sizes(%q: tensor<?x64xf32>, %k: tensor<64x?xf32>, %v: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<?x64xf32>, tensor<64x?xf32>) -> tensor<?x?xf32>
  %p = onnx.Softmax(%s) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<?x?xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
}
