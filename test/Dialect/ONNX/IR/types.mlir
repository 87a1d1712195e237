// RUN: onnx-opt %s | onnx-opt | FileCheck %s

// Every element type that ONNX has.
// CHECK: func private @elements(tensor<f32>, tensor<ui8>, tensor<i8>, tensor<ui16>, tensor<i16>, tensor<i32>, tensor<i64>, tensor<!onnx.string>, tensor<i1>, tensor<f16>, tensor<f64>, tensor<ui32>, tensor<ui64>, tensor<complex<f32>>, tensor<complex<f64>>, tensor<bf16>, tensor<f8E4M3FN>, tensor<f8E4M3FNUZ>, tensor<f8E5M2>, tensor<f8E5M2FNUZ>, tensor<ui4>, tensor<i4>, tensor<f4E2M1FN>, tensor<f8E8M0FNU>, tensor<ui2>, tensor<i2>, tensor<f6E2M3FN>, tensor<f6E3M2FN>)
func.func private @elements(
    tensor<f32>, tensor<ui8>, tensor<i8>, tensor<ui16>, tensor<i16>,
    tensor<i32>, tensor<i64>, tensor<!onnx.string>, tensor<i1>, tensor<f16>,
    tensor<f64>, tensor<ui32>, tensor<ui64>, tensor<complex<f32>>,
    tensor<complex<f64>>, tensor<bf16>, tensor<f8E4M3FN>, tensor<f8E4M3FNUZ>,
    tensor<f8E5M2>, tensor<f8E5M2FNUZ>, tensor<ui4>, tensor<i4>,
    tensor<f4E2M1FN>, tensor<f8E8M0FNU>, tensor<ui2>, tensor<i2>,
    tensor<f6E2M3FN>, tensor<f6E3M2FN>)

// CHECK: func private @containers(!onnx.seq<tensor<*xf32>>, !onnx.opt<tensor<2xi64>>, !onnx.opt<!onnx.seq<tensor<?x!onnx.string>>>, !onnx.map<!onnx.string, tensor<f32>>, !onnx.map<i64, tensor<*xf64>>, !onnx.seq<!onnx.map<i64, tensor<f32>>>, !onnx.sparse<tensor<4x4xf32>>, !onnx.seq<none>)
func.func private @containers(
    !onnx.seq<tensor<*xf32>>, !onnx.opt<tensor<2xi64>>,
    !onnx.opt<!onnx.seq<tensor<?x!onnx.string>>>,
    !onnx.map<!onnx.string, tensor<f32>>, !onnx.map<i64, tensor<*xf64>>,
    !onnx.seq<!onnx.map<i64, tensor<f32>>>, !onnx.sparse<tensor<4x4xf32>>,
    !onnx.seq<none>)

// Tensors of every element type are values of the dialect.
// CHECK-LABEL: func @values
func.func @values(%0: tensor<2x!onnx.string>, %1: tensor<2xf8E8M0FNU>, %2: tensor<2xui2>, %3: tensor<2xcomplex<f64>>, %4: tensor<2xf6E2M3FN>) {
  // CHECK: onnx.Identity(%{{.+}}) : (tensor<2x!onnx.string>)
  %5 = onnx.Identity(%0) : (tensor<2x!onnx.string>) -> tensor<2x!onnx.string>
  // CHECK: (tensor<2xf8E8M0FNU>)
  %6 = onnx.Identity(%1) : (tensor<2xf8E8M0FNU>) -> tensor<2xf8E8M0FNU>
  // CHECK: (tensor<2xui2>)
  %7 = onnx.Identity(%2) : (tensor<2xui2>) -> tensor<2xui2>
  // CHECK: (tensor<2xcomplex<f64>>)
  %8 = onnx.Identity(%3) : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  // CHECK: (tensor<2xf6E2M3FN>)
  %9 = onnx.Cast(%4) {to = 1 : i64} : (tensor<2xf6E2M3FN>) -> tensor<2xf32>
  return
}

// The schema of Constant does not know them; initialisers may have them.
// CHECK-LABEL: func @initialiser
// CHECK:       onnx.Constant dense<1.500000e+00> : tensor<2xf6E2M3FN>
func.func @initialiser() -> tensor<2xf6E2M3FN> {
  %c = onnx.Constant dense<1.5> : tensor<2xf6E2M3FN>
  return %c : tensor<2xf6E2M3FN>
}
