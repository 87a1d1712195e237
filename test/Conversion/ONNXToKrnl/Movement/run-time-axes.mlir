// RUN: onnx-opt %s --convert-onnx-to-krnl --cse | FileCheck %s

// The number of slices is dynamic, but not more than dimensions;
// the lists belong together, and a slice that is not there changes nothing.
// CHECK-LABEL: func.func @slices
// CHECK:         krnl.check %{{.+}}, "Slice: there are more slices than dimensions"
// CHECK:         krnl.check %{{.+}}, "Slice: the lists differ in length"
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %c0{{.*}}, %[[LENGTH:.+]] : index
// CHECK:         scf.if %[[INSIDE]] -> (index)
// CHECK:           tensor.extract %arg1
// CHECK:         else
// CHECK:           scf.yield %c0
func.func @slices(%x: tensor<?x?xf32>, %s: tensor<?xi64>, %e: tensor<?xi64>) -> tensor<?x?xf32> {
  %y = onnx.Slice(%x, %s, %e) : (tensor<?x?xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A step of the run is not divided by before it is looked at.
// CHECK-LABEL: func.func @step
// CHECK:         krnl.check %{{.+}}, "Slice: a step is 0"
// CHECK:         arith.ceildivsi
func.func @step(%x: tensor<?xf32>, %s: tensor<1xi64>, %e: tensor<1xi64>, %a: tensor<1xi64>, %t: tensor<1xi64>) -> tensor<?xf32> {
  %y = onnx.Slice(%x, %s, %e) axes(%a) steps(%t) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// The ranks say how many axes there must be, and the axes must be different
// ones, or the view would show more than there is.
// CHECK-LABEL: func.func @unsqueeze
// CHECK:         krnl.check %{{.+}}, "the number of axes does not fit"
// CHECK:         krnl.check %{{.+}}, "a list of axes or sizes is too short"
// CHECK:         krnl.check %{{.+}}, "Unsqueeze: the axes are out of range or repeat"
// CHECK:         tensor.reshape
func.func @unsqueeze(%x: tensor<?xf32>, %a: tensor<?xi64>) -> tensor<?x?x?xf32> {
  %y = onnx.Unsqueeze(%x, %a) : (tensor<?xf32>, tensor<?xi64>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @squeeze
// CHECK:         krnl.check %{{.+}}, "Squeeze: an axis is out of range or its size is not 1"
// CHECK:         tensor.reshape
func.func @squeeze(%x: tensor<?x?xf32>, %a: tensor<?xi64>) -> tensor<?xf32> {
  %y = onnx.Squeeze(%x) axes(%a) : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A shape shorter than the result says nothing of the leading dimensions.
// CHECK-LABEL: func.func @expand
// CHECK:         krnl.check %{{.+}}, "Expand: the shape is too long"
// CHECK:         scf.if
// CHECK:           tensor.extract %arg1
// CHECK:         else
// CHECK:           scf.yield %c1
func.func @expand(%x: tensor<?x?xf32>, %s: tensor<?xi64>) -> tensor<?x?xf32> {
  %y = onnx.Expand(%x, %s) : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK:         krnl.check %{{.+}}, "Pad: there are too many axes"
// CHECK:         krnl.check %{{.+}}, "Pad: the number of pads does not fit"
func.func @pad(%x: tensor<?x?xf32>, %p: tensor<?xi64>, %v: tensor<f32>, %a: tensor<?xi64>) -> tensor<?x?xf32> {
  %y = onnx.Pad(%x, %p) constant_value(%v) axes(%a) : (tensor<?x?xf32>, tensor<?xi64>, tensor<f32>, tensor<?xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Leading sizes that may turn out to be 1 on one side are compared at run time;
// the operand is expanded only if they differ.
// CHECK-LABEL: func.func @matmul_of_batches
// CHECK:         arith.cmpi eq
// CHECK:         scf.if %{{.+}} -> (tensor<?x2x3xf32>)
// CHECK:         else
// CHECK:           krnl.kernel "expand"
// CHECK:         krnl.kernel "MatMul"
func.func @matmul_of_batches(%x: tensor<?x2x3xf32>, %y: tensor<?x3x4xf32>) -> tensor<?x2x4xf32> {
  %r = onnx.MatMul(%x, %y) : (tensor<?x2x3xf32>, tensor<?x3x4xf32>) -> tensor<?x2x4xf32>
  return %r : tensor<?x2x4xf32>
}

// Without axes and with an unknown size the result has no known rank.
// CHECK-LABEL: func @squeeze_to_an_unknown_rank
// CHECK:         krnl.call @onnxc_call_boxed_squeeze(%{{.+}}) {{.*}}params [1] : {{.*}} -> !krnl.obj
func.func @squeeze_to_an_unknown_rank(%x: tensor<?x1x3xf32>) -> tensor<*xf32> {
  %y = onnx.Squeeze(%x) : (tensor<?x1x3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
