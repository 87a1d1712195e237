// RUN: onnx-opt %s --select-target="device=cuda:sm_90a" --convert-onnx-to-krnl --krnl-resolve-sizes --krnl-simplify-host --krnl-fuse=collapse=false --krnl-join-attention -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: onnx-opt %t.mlir --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=RECIPE

// Few queries have parts of the keys at the same time, many have them in turn: one of the versions has all queries
// of a run, and the other one none.
// CHECK-LABEL: func @dynamic_queries
// CHECK:         %[[IS_FEW:.+]] = arith.cmpi ult, %[[N:.+]], %c[[#QUERIES:]] : index
// CHECK:         %[[FEW:.+]] = arith.select %[[IS_FEW]], %[[N]], %[[ZERO:.+]] :
// CHECK:         %[[MANY:.+]] = arith.select %[[IS_FEW]], %[[ZERO]], %[[N]] :
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul parts few" loops [b0 = 12, m = %[[FEW]] < [[#QUERIES]],
// CHECK:         %[[OF_FEW:.+]] = krnl.kernel "MatMul+Softmax+MatMul few" loops [b0 = 12, m = %[[FEW]] < [[#QUERIES]],
// CHECK:         %[[Y:.+]] = krnl.kernel "MatMul+Softmax+MatMul" loops [b0 = 12, m = %[[MANY]] >= [[#QUERIES]],
// CHECK-SAME:      outs(%[[OF_FEW]] : tensor<12x?x64xf16>)
// CHECK:         return %[[Y]]
//
// Those of many have the recipe of warpgroups, of 64 rows each.
// RECIPE-LABEL:  kernel "MatMul+Softmax+MatMul"
// RECIPE:          block(m, {{64|128}}, tail=pad) -> (m.o, m.b)
// RECIPE:          compute_at(n0)
// RECIPE:          wgmma(
func.func @dynamic_queries(%q: tensor<12x?x64xf16>, %k: tensor<12x64x1024xf16>, %v: tensor<12x1024x64xf16>) -> tensor<12x?x64xf16> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x?x64xf16>, tensor<12x64x1024xf16>) -> tensor<12x?x1024xf16>
  %p = onnx.Softmax(%s) : (tensor<12x?x1024xf16>) -> tensor<12x?x1024xf16>
  %y = onnx.MatMul(%p, %v) : (tensor<12x?x1024xf16>, tensor<12x1024x64xf16>) -> tensor<12x?x64xf16>
  return %y : tensor<12x?x64xf16>
}

// Known queries have the form for their number.
// CHECK-LABEL: func @known_queries
// CHECK-NOT:     few
// CHECK:         return
func.func @known_queries(%q: tensor<12x1024x64xf16>, %k: tensor<12x64x1024xf16>, %v: tensor<12x1024x64xf16>) -> tensor<12x1024x64xf16> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x1024x64xf16>, tensor<12x64x1024xf16>) -> tensor<12x1024x1024xf16>
  %p = onnx.Softmax(%s) : (tensor<12x1024x1024xf16>) -> tensor<12x1024x1024xf16>
  %y = onnx.MatMul(%p, %v) : (tensor<12x1024x1024xf16>, tensor<12x1024x64xf16>) -> tensor<12x1024x64xf16>
  return %y : tensor<12x1024x64xf16>
}
