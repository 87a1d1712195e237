// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// At the border of the host program integers have no sign, what is a byte or
// less is a byte, and what has no known rank is an object.
// CHECK-LABEL: func.func @types(
// CHECK-SAME:    %{{.+}}: tensor<2xi8>, %{{.+}}: tensor<2xi16>, %{{.+}}: tensor<?xi8>, %{{.+}}: tensor<2x!krnl.str>, %{{.+}}: !krnl.obj, %{{.+}}: !krnl.obj)
// CHECK-SAME:    -> (tensor<2xi8>, tensor<2xi16>, tensor<?xi8>, tensor<2x!krnl.str>, !krnl.obj, !krnl.obj)
func.func @types(%a: tensor<2xi1>, %b: tensor<2xui16>, %c: tensor<?xf8E4M3FN>, %d: tensor<2x!onnx.string>, %e: !onnx.seq<tensor<2xf32>>, %f: tensor<*xf32>)
    -> (tensor<2xi1>, tensor<2xui16>, tensor<?xf8E4M3FN>, tensor<2x!onnx.string>, !onnx.seq<tensor<2xf32>>, tensor<*xf32>) {
  return %a, %b, %c, %d, %e, %f : tensor<2xi1>, tensor<2xui16>, tensor<?xf8E4M3FN>, tensor<2x!onnx.string>, !onnx.seq<tensor<2xf32>>, tensor<*xf32>
}

// Complex numbers stay what they are.
// CHECK-LABEL: func.func @complex(%{{.+}}: tensor<2xcomplex<f32>>)
func.func @complex(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  return %a : tensor<2xcomplex<f32>>
}
