// DEFINE: %{fold} = onnx-opt %s --onnx-fold-constants --split-input-file
// RUN: %{fold} 2>/dev/null | FileCheck %s
// RUN: %{fold} 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: %{fold} --remarks-filter=onnx-fold-constants 2>&1 >/dev/null | FileCheck %s --check-prefix=FOLDED
// FOLDED: [Passed] FoldConstants {{.+}} From=Exp, Into="a constant"

// What the model reads becomes a constant; what only led there goes.
// CHECK-LABEL: func @read_by_the_model
// CHECK-NEXT:    %[[E:.+]] = onnx.Constant dense<[2.71828175, 7.3890562]> : tensor<2xf32>
// CHECK-NEXT:    onnx.Mul(%arg0, %[[E]])
// CHECK-NEXT:    return
func.func @read_by_the_model(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Constant dense<[-1.0, -2.0]> : tensor<2xf32>
  %1 = onnx.Neg(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.Exp(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = onnx.Mul(%x, %2) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// -----

// Every type comes out as it would of the run: bool, packed integers, halves.
// CHECK-LABEL: func @types
// CHECK-DAG:     onnx.Constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG:     onnx.Constant dense<[-7, 3]> : tensor<2xi4>
// CHECK-DAG:     onnx.Constant dense<[2, 255]> : tensor<2xui8>
// CHECK-DAG:     onnx.Constant dense<[1.500000e+00, 0x7C00]> : tensor<2xf16>
// CHECK-DAG:     onnx.Constant dense<[1.500000e+00, 4.480000e+02]> : tensor<2xf8E4M3FN>
func.func @types() -> (tensor<2xi1>, tensor<2xi4>, tensor<2xui8>, tensor<2xf16>, tensor<2xf8E4M3FN>) {
  %0 = onnx.Constant dense<[-7.0, 3.0]> : tensor<2xf32>
  %1 = onnx.Constant dense<[2, 255]> : tensor<2xi32>
  %2 = onnx.Constant dense<[1.5, 1.0e6]> : tensor<2xf32>
  %3 = onnx.Constant dense<0.0> : tensor<f32>
  %4 = onnx.Less(%0, %3) : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  %5 = onnx.Cast(%0) {to = 22 : i64} : (tensor<2xf32>) -> tensor<2xi4>
  %6 = onnx.Cast(%1) {to = 2 : i64} : (tensor<2xi32>) -> tensor<2xui8>
  %7 = onnx.Cast(%2) {to = 10 : i64} : (tensor<2xf32>) -> tensor<2xf16>
  %8 = onnx.Cast(%2) {to = 17 : i64} : (tensor<2xf32>) -> tensor<2xf8E4M3FN>
  return %4, %5, %6, %7, %8 : tensor<2xi1>, tensor<2xi4>, tensor<2xui8>, tensor<2xf16>, tensor<2xf8E4M3FN>
}

// -----

// Operators that are functions, dynamic sizes, no elements.
// CHECK-LABEL: func @shapes
// CHECK-DAG:     onnx.Constant dense<{{\[}}[0.000000e+00, 2.000000e+00]]> : tensor<1x2xf32> -> tensor<?x?xf32>
// CHECK-DAG:     onnx.Constant dense<> : tensor<0x2xf32>
func.func @shapes() -> (tensor<?x?xf32>, tensor<0x2xf32>) {
  %0 = onnx.Constant dense<[[-1.0, 2.0]]> : tensor<1x2xf32>
  %1 = onnx.Constant dense<1.0> : tensor<0x2xf32>
  %2 = onnx.ThresholdedRelu(%0) {alpha = 0.5 : f32} : (tensor<1x2xf32>) -> tensor<?x?xf32>
  %3 = onnx.Neg(%1) : (tensor<0x2xf32>) -> tensor<0x2xf32>
  return %2, %3 : tensor<?x?xf32>, tensor<0x2xf32>
}

// -----

// Text, and what sequences hold.
// CHECK-LABEL: func @no_numbers
// CHECK-DAG:     onnx.Constant dense<["ax", "by"]> : tensor<2x!onnx.string>
// CHECK-DAG:     onnx.Constant dense<{{.*}}1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00]{{.*}}> : tensor<2x2xf32>
// CHECK-NEXT:    return
func.func @no_numbers() -> (tensor<2x!onnx.string>, tensor<2x2xf32>) {
  %0 = onnx.Constant dense<["a", "b"]> : tensor<2x!onnx.string>
  %1 = onnx.Constant dense<["x", "y"]> : tensor<2x!onnx.string>
  %2 = onnx.StringConcat(%0, %1) : (tensor<2x!onnx.string>, tensor<2x!onnx.string>) -> tensor<2x!onnx.string>
  %3 = onnx.Constant dense<[1.0, 2.0]> : tensor<2xf32>
  %4 = onnx.SequenceConstruct(%3, %3) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.seq<tensor<2xf32>>
  %5 = onnx.ConcatFromSequence(%4) {axis = 0 : i64, new_axis = 1 : i64} : (!onnx.seq<tensor<2xf32>>) -> tensor<2x2xf32>
  return %2, %5 : tensor<2x!onnx.string>, tensor<2x2xf32>
}

// -----

// Inside a branch too.
// CHECK-LABEL: func @branch
// CHECK:         onnx.If
// CHECK-NEXT:      %[[C:.+]] = onnx.Constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:      onnx.Yield %[[C]]
func.func @branch(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = onnx.Constant dense<4.0> : tensor<f32>
  %1 = onnx.If(%c) : (tensor<i1>) -> tensor<f32> then_branch {
    %2 = onnx.Sqrt(%0) : (tensor<f32>) -> tensor<f32>
    onnx.Yield %2 : tensor<f32>
  } else_branch {
    onnx.Yield %x : tensor<f32>
  }
  return %1 : tensor<f32>
}

// -----

// Weights stay quantised, whoever says so, and random numbers random.
// CHECK-LABEL: func @not_tried
// CHECK:         onnx.DequantizeLinear
// CHECK:         onnx.microsoft.DequantizeLinear
// CHECK:         onnx.RandomNormalLike
// CHECK-NOT:     not_folded
func.func @not_tried() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = onnx.Constant dense<[1, 2]> : tensor<2xi8>
  %1 = onnx.Constant dense<0.5> : tensor<f32>
  %2 = onnx.DequantizeLinear(%0, %1) : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  %3 = onnx.microsoft.DequantizeLinear(%0, %1) : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  %4 = onnx.RandomNormalLike(%0) {dtype = 1 : i64} : (tensor<2xi8>) -> tensor<2xf32>
  return %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Wide weights are in no form of a product, and a convolution of reals uses
// each of its weights many times; a quantised one takes them as they are.
// CHECK-LABEL: func @dequantised
// CHECK-NOT:     onnx.DequantizeLinear
// CHECK:         onnx.Conv(%arg0, %{{.+}})
// CHECK:         %[[W:.+]] = onnx.DequantizeLinear(%{{.+}}, %{{.+}}) : (tensor<1x1x2xi8>
// CHECK:         %[[X:.+]] = onnx.DequantizeLinear(%arg1, %{{.+}})
// CHECK:         onnx.Conv(%[[X]], %[[W]])
func.func @dequantised(%x: tensor<1x1x5xf32>, %q: tensor<1x1x5xi8>) -> (tensor<2xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
  %0 = onnx.Constant dense<[1, 2]> : tensor<2xi16>
  %1 = onnx.Constant dense<0.5> : tensor<f32>
  %2 = onnx.DequantizeLinear(%0, %1) : (tensor<2xi16>, tensor<f32>) -> tensor<2xf32>
  %3 = onnx.Constant dense<[[[3, 4]]]> : tensor<1x1x2xi8>
  %4 = onnx.DequantizeLinear(%3, %1) : (tensor<1x1x2xi8>, tensor<f32>) -> tensor<1x1x2xf32>
  %5 = onnx.Conv(%x, %4) : (tensor<1x1x5xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  %6 = onnx.Constant dense<[[[5, 6]]]> : tensor<1x1x2xi8>
  %7 = onnx.DequantizeLinear(%6, %1) : (tensor<1x1x2xi8>, tensor<f32>) -> tensor<1x1x2xf32>
  %8 = onnx.DequantizeLinear(%q, %1) : (tensor<1x1x5xi8>, tensor<f32>) -> tensor<1x1x5xf32>
  %9 = onnx.Conv(%8, %7) : (tensor<1x1x5xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return %2, %5, %9 : tensor<2xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>
}

// -----

// 80 KiB of zeros are computed, but not where they come from.
// CHECK-LABEL: func @large
// CHECK-NEXT:    %[[Z:.+]] = onnx.Constant dense<-0.000000e+00> : tensor<1xf32>
// CHECK-NEXT:    onnx.Constant dense<20000>
// CHECK-NEXT:    onnx.Expand(%[[Z]],
func.func @large() -> tensor<20000xf32> {
  %0 = onnx.Constant dense<0.0> : tensor<1xf32>
  %1 = onnx.Neg(%0) : (tensor<1xf32>) -> tensor<1xf32>
  %2 = onnx.Constant dense<20000> : tensor<1xi64>
  %3 = onnx.Expand(%1, %2) : (tensor<1xf32>, tensor<1xi64>) -> tensor<20000xf32>
  return %3 : tensor<20000xf32>
}

// -----

// 2^36 multiplications belong to the run.
// CHECK-LABEL: func @long
// CHECK:         onnx.MatMul{{.*}}onnx.not_folded = "it takes too long to compute"
// REMARK:        constant, but computed in every run: it takes too long to compute
func.func @long() -> tensor<4096x4096xf32> {
  %0 = onnx.Constant dense<2.0> : tensor<4096x4096xf32>
  %1 = onnx.MatMul(%0, %0) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}

// -----

// Functions take longer to compute than their results to read.
// CHECK-LABEL: func @functions
// CHECK-NEXT:    onnx.Constant #onnx.blob<{{.+}}> : tensor<200x100xf32>
// CHECK-NEXT:    return
func.func @functions() -> tensor<200x100xf32> {
  %0 = onnx.Constant dense<2.0> : tensor<200x1xf32>
  %1 = onnx.Constant dense<3.0> : tensor<100xf32>
  %2 = onnx.Mul(%0, %1) : (tensor<200x1xf32>, tensor<100xf32>) -> tensor<200x100xf32>
  %3 = onnx.Sin(%2) : (tensor<200x100xf32>) -> tensor<200x100xf32>
  return %3 : tensor<200x100xf32>
}

// -----

// Those of few elements do not.
// CHECK-LABEL: func @few_functions
// CHECK-DAG:     onnx.Constant dense<0.909297406> : tensor<200x1xf32>
// CHECK:         onnx.Mul
func.func @few_functions() -> tensor<200x100xf32> {
  %0 = onnx.Constant dense<2.0> : tensor<200x1xf32>
  %1 = onnx.Constant dense<3.0> : tensor<100xf32>
  %2 = onnx.Sin(%0) : (tensor<200x1xf32>) -> tensor<200x1xf32>
  %3 = onnx.Mul(%2, %1) : (tensor<200x1xf32>, tensor<100xf32>) -> tensor<200x100xf32>
  return %3 : tensor<200x100xf32>
}

// -----

// The size of a result may be known only when it is there.
// CHECK-LABEL: func @large
// CHECK:         onnx.NonZero{{.*}}onnx.not_folded = "the result is large"
// REMARK:        constant, but computed in every run: the result is large
func.func @large() -> tensor<1x?xi64> {
  %0 = onnx.Constant dense<1.0> : tensor<20000xf32>
  %1 = onnx.NonZero(%0) : (tensor<20000xf32>) -> tensor<1x?xi64>
  return %1 : tensor<1x?xi64>
}

// -----

// An error belongs to the run, and what is beside it is folded all the same.
// CHECK-LABEL: func @error
// CHECK-DAG:     onnx.Constant dense<-3.000000e+00> : tensor<f32>
// CHECK-DAG:     onnx.Gather{{.*}}onnx.not_folded = "an index is out of range: 7 for dimension 0 of size 5"
// REMARK:        constant, but computed in every run: an index is out of range
func.func @error() -> (tensor<1xf32>, tensor<f32>) {
  %0 = onnx.Constant dense<3.0> : tensor<f32>
  %1 = onnx.Constant dense<2.0> : tensor<5xf32>
  %2 = onnx.Constant dense<7> : tensor<1xi64>
  %4 = onnx.Gather(%1, %2) : (tensor<5xf32>, tensor<1xi64>) -> tensor<1xf32>
  %5 = onnx.Neg(%0) : (tensor<f32>) -> tensor<f32>
  return %4, %5 : tensor<1xf32>, tensor<f32>
}

// -----

// How large the second result is follows from elements, which come first; what
// they give is known in the next round.
// CHECK-LABEL: func @sizes_from_elements
// CHECK-NEXT:    %[[X:.+]] = onnx.Constant dense<2.0{{.*}}> : tensor<5xf32>
// CHECK-NEXT:    %[[S:.+]] = onnx.Constant dense<[1, 5]> : tensor<2xi64>
// CHECK-NEXT:    onnx.Reshape(%[[X]], %[[S]])
func.func @sizes_from_elements() -> tensor<?x?xf32> {
  %1 = onnx.Constant dense<2.0> : tensor<5xf32>
  %2 = onnx.Constant dense<[1.0, 5.0]> : tensor<2xf32>
  %3 = onnx.Cast(%2) {to = 7 : i64} : (tensor<2xf32>) -> tensor<2xi64>
  %4 = onnx.Reshape(%1, %3) : (tensor<5xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}

// -----

// The compiler has not the libraries that read images. Other calls of the
// runtime are no different from kernels.
// CHECK-LABEL: func @calls
// CHECK:         onnx.ImageDecoder{{.*}}onnx.not_folded = "it calls '{{[a-z]+_.+}}' of a library that only some models need"
// CHECK:         onnx.Constant dense<{{\[}}[0, 2]]> : tensor<1x2xi64> -> tensor<1x?xi64>
// REMARK:        constant, but computed in every run: it calls
func.func @calls() -> (tensor<?x?x3xui8>, tensor<1x?xi64>) {
  %0 = onnx.Constant dense<[255, 0, 255]> : tensor<3xui8>
  %1 = onnx.ImageDecoder(%0) : (tensor<3xui8>) -> tensor<?x?x3xui8>
  %2 = onnx.NonZero(%0) : (tensor<3xui8>) -> tensor<1x?xi64>
  return %1, %2 : tensor<?x?x3xui8>, tensor<1x?xi64>
}
