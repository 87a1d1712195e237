// RUN: onnx-opt %s --onnx-expand-gradient --split-input-file --verify-diagnostics

// Forms of operators that have no gradient: the message says what would have one.

func.func @prod_over_two_axes(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = onnx.Constant dense<[0, 1]> : tensor<2xi64>
  // expected-error @+1 {{has a gradient over one axis or all of them only}}
  %y = onnx.ReduceProd(%x) axes(%a) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<1x1x4xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<1x1x4xf32>) -> tensor<2x3x4xf32>
  return %d : tensor<2x3x4xf32>
}

// -----

func.func @diagonal(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{has no gradient where an operand repeats a letter of the equation}}
  %y = onnx.Einsum(%x) {equation = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return %d : tensor<3x3xf32>
}

// -----

func.func @scatter_max(%x: tensor<3xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{has a gradient for reductions none and add only}}
  %y = onnx.ScatterElements(%x, %i, %u) {reduction = "max"} : (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

func.func @same_padding_of_unknown_sizes(%x: tensor<1x1x?x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x?x4xf32> {
  // expected-error @+1 {{has a gradient with auto_pad for known sizes only}}
  %y = onnx.Conv(%x, %w) {auto_pad = "SAME_UPPER"} : (tensor<1x1x?x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x?x4xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<1x1x?x4xf32>, tensor<1x1x?x4xf32>, tensor<1x1x?x4xf32>) -> tensor<1x1x?x4xf32>
  return %d : tensor<1x1x?x4xf32>
}

// -----

func.func @crops(%x: tensor<1x1x4x4xf32>, %r: tensor<8xf32>, %s: tensor<4xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error @+1 {{has a gradient for whole images of a known rank, stretched, only}}
  %y = onnx.Resize(%x) roi(%r) scales(%s) {coordinate_transformation_mode = "tf_crop_and_resize", mode = "linear"} : (tensor<1x1x4x4xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<?x?x?x?xf32>) -> tensor<1x1x4x4xf32>
  return %d : tensor<1x1x4x4xf32>
}

// -----

func.func @by_the_constant_of_pad(%x: tensor<2x4xf32>, %k: tensor<1xi64>, %b: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{has no gradient by its constant_value}}
  %y = onnx.Pad(%x, %k) constant_value(%b) : (tensor<2x4xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<?x?xf32>
  %d = onnx.training.Gradient(%b, %b, %y) {xs = ["b"], y = "y"} : (tensor<1xf32>, tensor<1xf32>, tensor<?x?xf32>) -> tensor<1xf32>
  return %d : tensor<1xf32>
}

// -----

func.func @sequences_of_their_own_lengths(%x: tensor<4x2x3xf32>, %w: tensor<1x2x3xf32>, %r: tensor<1x2x2xf32>, %n: tensor<2xi32>) -> tensor<4x2x3xf32> {
  // expected-error @+1 {{has a gradient without sequence_lens, clip, input_forget and layout only}}
  %y = onnx.RNN(%x, %w, %r) sequence_lens(%n) {hidden_size = 2 : i64} : (tensor<4x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>, tensor<2xi32>) -> Y tensor<4x1x2x2xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<4x2x3xf32>, tensor<4x2x3xf32>, tensor<4x1x2x2xf32>) -> tensor<4x2x3xf32>
  return %d : tensor<4x2x3xf32>
}

// -----

func.func @activation_with_parameters(%x: tensor<4x2x3xf32>, %w: tensor<1x2x3xf32>, %r: tensor<1x2x2xf32>) -> tensor<4x2x3xf32> {
  // expected-error @+1 {{has a gradient for activations without parameters only}}
  %y = onnx.RNN(%x, %w, %r) {activations = ["ScaledTanh"], hidden_size = 2 : i64} : (tensor<4x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>) -> Y tensor<4x1x2x2xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<4x2x3xf32>, tensor<4x2x3xf32>, tensor<4x1x2x2xf32>) -> tensor<4x2x3xf32>
  return %d : tensor<4x2x3xf32>
}

// -----

// Without channels there is nothing to pool over:
// refused before anything is built.
func.func @too_few_dimensions(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{has no gradient for this rank}}
  %y = onnx.LRN(%x) {size = 3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %d : tensor<2x3xf32>
}
