// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @layout_beyond_rank() {
  // expected-error @+1 {{layout has a stride along dimension 2 of a constant of rank 2}}
  %c = krnl.constant dense<2.0> : tensor<4x6xf32> layout <dims = [2], sizes = [4], strides = [1]>
  return
}

// -----

func.func @layout_of_uneven_lists() {
  // expected-error @+1 {{expected as many dims, sizes and strides, but got 2, 1 and 1}}
  %c = krnl.constant dense<2.0> : tensor<4x6xf32> layout <dims = [0, 1], sizes = [4], strides = [1]>
  return
}

// -----

func.func @constant_scalar() {
  // expected-error @+1 {{expected the value to be a tensor}}
  %c = krnl.constant 2.0 : f32
  return
}

// -----

func.func private @k(memref<4xf32>, index, index) attributes {krnl.kernel}
func.func @launch_on_both(%a: tensor<4xf32>, %b: memref<4xf32>, %n: index) {
  // expected-error @+1 {{outs are tensors and buffers mixed}}
  krnl.launch @k outs(%a, %b : tensor<4xf32>, memref<4xf32>) tiles(%n)
  return
}

// -----

func.func private @k(memref<4xf32>, index, index) attributes {krnl.kernel}
func.func @launch_without_results(%a: tensor<4xf32>, %n: index) {
  // expected-error @+1 {{results must have the types of the outs}}
  krnl.launch @k outs(%a : tensor<4xf32>) tiles(%n)
  return
}

// -----

func.func private @k(memref<4xf32>, index, index) attributes {krnl.kernel}
func.func @launch_with_results(%a: memref<4xf32>, %n: index) {
  // expected-error @+1 {{a launch on buffers has no results}}
  %r = krnl.launch @k outs(%a : memref<4xf32>) tiles(%n) -> tensor<4xf32>
  return
}

// -----

func.func @launch_of_nothing(%a: memref<4xf32>, %n: index) {
  // expected-error @+1 {{there is no kernel function @k}}
  krnl.launch @k outs(%a : memref<4xf32>) tiles(%n)
  return
}

// -----

func.func private @k(memref<4xf32>, index, index) attributes {krnl.kernel}
func.func @launch_with_scratch(%a: memref<4xf32>, %n: index) {
  // expected-error @+1 {{passes 4 arguments to @k, which takes 3}}
  krnl.launch @k outs(%a : memref<4xf32>) tiles(%n) scratch 64
  return
}

// -----

func.func @sizes_of_static_buffer(%n: index) {
  // expected-error @+1 {{expected one size for each of the 0 dynamic dimensions, but got 1}}
  %b = krnl.alloc (%n) : memref<4xf32>
  return
}

// -----

func.func @strided_view(%n: index) {
  // expected-error @+1 {{expected a contiguous ranked buffer, but got 'memref<4xf32, strided<[2]>>'}}
  %b = krnl.arena_view [%n] () : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @negative_weight() {
  // expected-error @+1 {{expected an offset of at least 0, but got -8}}
  %b = krnl.weight_view [-8] : memref<4xf32>
  return
}

// -----

func.func @one_life(%at: index) {
  // expected-error @+1 {{lives from an op to an op, but 1 are given}}
  %a = krnl.arena_view [%at] () lives [3] : memref<4xf32>
  return
}

// -----

func.func @bytes_without_size() {
  // expected-error @+1 {{expected one size for each of the 1 dynamic dimensions, but got 0}}
  %b = krnl.buffer_bytes() : memref<?xf32>
  return
}

// -----

func.func @word_without_place() {
  // expected-error @+1 {{expected a location and a dimension for each of the 1 messages}}
  %w = krnl.error_word ["bad"] at [] dimensions [0] : memref<1x2xi64>
  return
}

// -----

func.func @word_without_dimension() {
  // expected-error @+1 {{expected a location and a dimension for each of the 1 messages}}
  %w = krnl.error_word ["bad"] at [loc("x")] dimensions [] : memref<1x2xi64>
  return
}

// -----

func.func @words() {
  // expected-error @+1 {{expected a buffer of two words for each of the 1 messages, but got 'memref<2x2xi64>'}}
  %w = krnl.error_word ["bad"] at [loc("x")] dimensions [0] : memref<2x2xi64>
  return
}

// -----

func.func @check_of_dimension(%fine: i1) {
  // expected-error @+1 {{has a dimension, but neither index nor size}}
  krnl.check %fine, "bad" dimension 1
  return
}

// -----

func.func @rows_without_rank(%rows: tensor<f32>, %row: tensor<f32>, %n: index) {
  // expected-error @+1 {{expected rows, but got 'tensor<f32>'}}
  %r = krnl.append_row %row to %rows[%n] of %n : tensor<f32> to tensor<f32>
  return
}

// -----

func.func @row_of_other_size(%rows: tensor<?x4xf32>, %row: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected a row of 'tensor<?x4xf32>', but got 'tensor<3xf32>'}}
  %r = krnl.append_row %row to %rows[%n] of %n : tensor<3xf32> to tensor<?x4xf32>
  return
}

// -----

func.func @known_number_of_rows(%rows: tensor<2x4xf32>, %n: index) {
  // expected-error @+1 {{expected an unknown number of rows, but got 'tensor<2x4xf32>'}}
  %r = krnl.first_rows %rows[%n] : tensor<2x4xf32>
  return
}

// -----

func.func @view_of_other_row(%rows: memref<?x4xf32>, %n: index) {
  // expected-error @+1 {{expected a row of 'memref<?x4xf32>', but got 'memref<5xf32>'}}
  %r = krnl.row_view %rows[%n] : memref<?x4xf32> -> memref<5xf32>
  return
}

// -----

func.func @strided_row(%rows: memref<?x4xf32, strided<[8, 1]>>, %n: index) {
  // expected-error @+1 {{expected contiguous buffers}}
  %r = krnl.row_view %rows[%n] : memref<?x4xf32, strided<[8, 1]>> -> memref<4xf32>
  return
}

// -----

func.func @one_size(%ok: i1, %n: index) {
  // expected-error@+1 {{expects a size for each of the 2 places of its format, but has 1}}
  krnl.check %ok, "too long" sizes(%n)
  return
}

// -----

func.func private @kernel(index, index)

func.func @launch_without_outs(%n: index) {
  // expected-error @+1 {{'krnl.launch' op writes nothing}}
  "krnl.launch"(%n) <{kernel = @kernel, operandSegmentSizes = array<i32: 0, 0, 1>}> : (index) -> ()
  return
}

// -----

func.func @output_before_the_first() {
  // expected-error @+1 {{'krnl.output' op expected the number of an output, but got -4}}
  %o = krnl.output -4 () : memref<4xf32>
  return
}

// -----

func.func @life_backwards(%n: index) {
  // expected-error @+1 {{'krnl.arena_view' op lives from op 9 to op 2, which is before it}}
  %a = krnl.arena_view [%n] () lives [9, 2] : memref<4xf32>
  return
}

// -----

func.func @payload_outside(%i: index) -> index {
  // expected-error @+1 {{'krnl.wrap_index' op expects parent op 'krnl.compute'}}
  %w = krnl.wrap_index %i, %i, "out of range"
  return %w : index
}

// -----

func.func @format_without_sizes(%fine: i1) {
  // expected-error @+1 {{expects a size for each of the 1 places of its format, but has 0}}
  krnl.check %fine, "bad" format "{} of dimension 1"
  return
}

// -----

func.func @format_and_dimension(%fine: i1, %n: index) {
  // expected-error @+1 {{expects a format or a dimension, not both}}
  krnl.check %fine, "bad" sizes(%n, %n) dimension 1 format "{} and {}"
  return
}
