// RUN: onnx-opt %s --split-input-file --verify-diagnostics

// A type variable is one type throughout the operation.
func.func @type_variable(%a: tensor<2xf32>, %b: tensor<2xi64>) {
  // expected-error @+1 {{'onnx.Add' op has operand 'B' of type 'tensor<2xi64>' and 'A' of type 'tensor<2xf32>', but both are of type variable 'T' and may differ in shape only}}
  %0 = onnx.Add(%a, %b) : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @type_variable_of_result(%a: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Relu' op has result 'Y' of type 'tensor<2xf64>' and 'X' of type 'tensor<2xf32>', but both are of type variable 'T'}}
  %0 = onnx.Relu(%a) : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @type_variable_of_sequences(%s: !onnx.seq<tensor<2xf32>>, %x: tensor<f32>) {
  // expected-error @+1 {{'onnx.SequenceErase' op has result 'output_sequence' of type '!onnx.seq<tensor<*xi64>>' and 'input_sequence' of type '!onnx.seq<tensor<2xf32>>', but both are of type variable 'S'}}
  %0 = onnx.SequenceErase(%s) : (!onnx.seq<tensor<2xf32>>) -> !onnx.seq<tensor<*xi64>>
  return
}

// -----

// A type that is fixed in the schema.
func.func @fixed_type(%x: tensor<2xf32>, %shape: tensor<1xi32>) {
  // expected-error @+1 {{'onnx.Reshape' op has operand 'shape' of type 'tensor<1xi32>', but its schema allows tensor(int64)}}
  %0 = onnx.Reshape(%x, %shape) : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @element_type(%x: tensor<2xi1>) {
  // expected-error @+1 {{'onnx.Sin' op has operand 'input' of type 'tensor<2xi1>', but its schema allows tensor(float), tensor(float16), tensor(double), tensor(bfloat16)}}
  %0 = onnx.Sin(%x) : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @container(%x: !onnx.seq<tensor<2xf32>>) {
  // expected-error @+1 {{'onnx.Sin' op has operand 'input' of type '!onnx.seq<tensor<2xf32>>', but its schema allows tensor(float)}}
  %0 = onnx.Sin(%x) : (!onnx.seq<tensor<2xf32>>) -> tensor<2xf32>
  return
}

// -----

func.func @map_value(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.ml.ZipMap' op has result 'Z' of type '!onnx.seq<!onnx.map<i64, tensor<f64>>>', but its schema allows seq(map(int64,tensor(float))), seq(map(string,tensor(float)))}}
  %0 = onnx.ml.ZipMap(%x) : (tensor<2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f64>>>
  return
}

// -----

// Not a type of ONNX at all.
func.func @foreign_type(%x: memref<2xf32>) {
  // expected-error @+1 {{'onnx.Relu' op operand #0 must be value of an ONNX type, but got 'memref<2xf32>'}}
  %0 = onnx.Relu(%x) : (memref<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @variadic_minimum() {
  // expected-error @+1 {{'onnx.Concat' op expects at least 1 operands 'inputs', but got 0}}
  %0 = onnx.Concat() {axis = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @missing_attribute(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Cast' op requires attribute 'to'}}
  %0 = onnx.Cast(%x) : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @attribute_kind(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Elu' op attribute 'alpha' failed to satisfy constraint: 32-bit float attribute}}
  %0 = onnx.Elu(%x) {alpha = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @terminator(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.If' op expects the body of region #1 to end in onnx.Yield}}
  %0 = onnx.If(%c) : (tensor<i1>) -> tensor<2xf32> then_branch {
    onnx.Yield %x : tensor<2xf32>
  } else_branch {
    %1 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  }
  return
}

// -----

func.func @stray_yield(%x: tensor<2xf32>) {
  // expected-error @+1 {{'onnx.Yield' op expects parent op to be one of}}
  onnx.Yield %x : tensor<2xf32>
}

// -----

func.func @constant_without_value() {
  // expected-error @+1 {{'onnx.Constant' op expects exactly one attribute with a value, but got 0}}
  %0 = onnx.Constant : tensor<2xf32>
  return
}

// -----

func.func @constant_of_another_type() {
  // expected-error @+1 {{'onnx.Constant' op has a value of type 'tensor<2xi64>', but its result is of type 'tensor<3xi64>'}}
  %0 = onnx.Constant {value_ints = array<i64: 1, 2>} : tensor<3xi64>
  return
}

// -----

// expected-error @+1 {{expects a tensor of an ONNX element type or a container of such, but got 'i32'}}
func.func private @element_of_sequence(!onnx.seq<i32>)

// -----

// expected-error @+1 {{expects a key that is an integer or !onnx.string, but got 'f32'}}
func.func private @key_of_map(!onnx.map<f32, tensor<f32>>)
