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

// -----

func.func @convolution_of_unknown_rank(%x: tensor<*xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for unknown ranks}}
  %y = onnx.Conv(%x, %w) : (tensor<*xf32>, tensor<1x1x3x3xf32>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @transposed_to_a_given_shape(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error @+1 {{has a gradient without output_shape only}}
  %y = onnx.ConvTranspose(%x, %w) {output_shape = array<i64: 6, 6>} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x6x6xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x6x6xf32>) -> tensor<1x1x4x4xf32>
  return %d : tensor<1x1x4x4xf32>
}

// -----

func.func @output_padding_of_a_stride(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error @+1 {{has no gradient for an output_padding as large as the stride}}
  %y = onnx.ConvTranspose(%x, %w) {output_padding = array<i64: 1, 0>, dilations = array<i64: 2, 2>} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<?x?x?x?xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<?x?x?x?xf32>) -> tensor<1x1x4x4xf32>
  return %d : tensor<1x1x4x4xf32>
}

// -----

func.func @gather_of_unknown_rank(%x: tensor<*xf32>, %i: tensor<2xi64>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for an unknown rank}}
  %y = onnx.Gather(%x, %i) : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @column_major_positions(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error @+1 {{has a gradient for storage_order 0 only}}
  %y, %i = onnx.MaxPool(%x) {kernel_shape = array<i64: 2, 2>, storage_order = 1 : i64} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xi64>)
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  return %d : tensor<1x1x4x4xf32>
}

// -----

func.func @no_permutation(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{has no permutation as perm}}
  %y = onnx.Transpose(%x) {perm = array<i64: 0, 2>} : (tensor<*xf32>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @concat_of_unknown_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for an unknown rank}}
  %y = onnx.Concat(%x, %x) {axis = 0 : i64} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @slice_of_unknown_rank(%x: tensor<*xf32>, %s: tensor<1xi64>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for an unknown rank}}
  %y = onnx.Slice(%x, %s, %s) : (tensor<*xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @slice_along_computed_axes(%x: tensor<2x3xf32>, %s: tensor<1xi64>) -> tensor<2x3xf32> {
  // expected-error @+1 {{has a gradient for constant axes only}}
  %y = onnx.Slice(%x, %s, %s) axes(%s) : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x?xf32>) -> tensor<2x3xf32>
  return %d : tensor<2x3xf32>
}

// -----

func.func @slice_along_no_axis(%x: tensor<2x3xf32>, %s: tensor<1xi64>) -> tensor<2x3xf32> {
  %a = onnx.Constant dense<[2]> : tensor<1xi64>
  %b = onnx.Identity(%a) : (tensor<1xi64>) -> tensor<1xi64>
  // expected-error @+1 {{names an axis that its operand does not have}}
  %y = onnx.Slice(%x, %s, %s) axes(%b) : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x?xf32>) -> tensor<2x3xf32>
  return %d : tensor<2x3xf32>
}

// -----

func.func @tile_of_unknown_rank(%x: tensor<*xf32>, %r: tensor<2xi64>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for an unknown rank}}
  %y = onnx.Tile(%x, %r) : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @pool_of_unknown_sizes(%x: tensor<1x1x?x4xf32>) -> tensor<1x1x?x4xf32> {
  // expected-error @+1 {{has a gradient with ceil_mode for known sizes only}}
  %y = onnx.AveragePool(%x) {ceil_mode = 1 : i64, kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x?x4xf32>) -> tensor<1x1x?x2xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<1x1x?x4xf32>, tensor<1x1x?x4xf32>, tensor<1x1x?x2xf32>) -> tensor<1x1x?x4xf32>
  return %d : tensor<1x1x?x4xf32>
}

// -----

func.func @global_pool_of_unknown_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for an unknown rank}}
  %y = onnx.GlobalLpPool(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @product_of_unknown_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for unknown ranks}}
  %y = onnx.MatMul(%x, %x) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @equation_with_an_ellipsis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{has a gradient for equations without '...' only}}
  %y = onnx.Einsum(%x) {equation = "...i->i"} : (tensor<2x3xf32>) -> tensor<3xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %d : tensor<2x3xf32>
}

// -----

func.func @equation_of_two_operands(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{does not fit its equation}}
  %y = onnx.Einsum(%x) {equation = "ij,jk->ik"} : (tensor<*xf32>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @equation_of_another_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{has no gradient for unknown ranks}}
  %y = onnx.Einsum(%x) {equation = "ij->ji"} : (tensor<*xf32>) -> tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @recurrent_of_unknown_rank(%x: tensor<*xf32>, %w: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{has a gradient for known ranks and hidden sizes only}}
  %y = onnx.RNN(%x, %w, %w) : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> Y tensor<*xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %d : tensor<*xf32>
}

// -----

func.func @group_of_zero(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error @+1 {{attribute group must be positive}}
  %y = onnx.Conv(%x, %w) {group = 0 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<?x?x?x?xf32>
  %d = onnx.training.Gradient(%x, %x, %y) {xs = ["x"], y = "y"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<?x?x?x?xf32>) -> tensor<1x1x4x4xf32>
  return %d : tensor<1x1x4x4xf32>
}
