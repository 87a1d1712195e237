// RUN: onnx-opt %s --krnl-check-real-time --split-input-file --verify-diagnostics | FileCheck %s

// The module says that it may run so; bodies of kernels may have any type.
// CHECK: module attributes {krnl.real_time}
// CHECK-LABEL: func @known_sizes
// There is no deadline that a loop would ask for.
// CHECK-NOT: krnl.call
func.func @known_sizes(%x: tensor<4xf32>) -> tensor<4xf32> {
  krnl.call @onnxc_call_poll() : () -> ()
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{a dynamic size is not for a real-time run: fix the sizes of inputs with --dim or --shape, and leave out operators whose results have data-dependent sizes, or rows that a loop collects (its type is 'tensor<?xf32>')}}
func.func @input_of_open_size(%x: tensor<?xf32>) {
  return
}

// -----

// The option for an input without names of sizes.
// expected-error @unknown {{a dynamic size}}
// expected-note @unknown {{--shape=audio:SIZEx1x100 fixes the sizes of this input}}
func.func @input_with_a_name(%x: tensor<?x1x100xf32> loc("audio"("model.onnx"))) {
  return
}

// -----

// All inputs are reported, and not the values that are computed from them.
// expected-error @+2 {{(its type is 'tensor<?xf32>')}}
// expected-error @+1 {{(its type is 'tensor<?x2xf32>')}}
func.func @two_inputs(%x: tensor<?xf32>, %y: tensor<?x2xf32>, %n: index) {
  %0 = tensor.empty(%n) : tensor<?xf32>
  return
}

// -----

func.func @size_of_the_data(%n: index) {
  // expected-error @+1 {{a dynamic size is not for a real-time run}}
  %0 = tensor.empty(%n) : tensor<?xf32>
  return
}

// -----

func.func @in_a_branch(%c: i1, %n: index) {
  scf.if %c {
    // expected-error @+1 {{a dynamic size is not for a real-time run}}
    %0 = tensor.empty(%n) : tensor<2x?xf32>
  }
  return
}

// -----

func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{this operator is computed by a function of the runtime that may take memory from the heap ('onnxc_call_sort'), which is not for a real-time run: compute it in the program, and leave it out of the model with --from and --to}}
  %0 = krnl.call @onnxc_call_sort(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Each call is reported, and of sizes that depend on one another the first.
func.func @all(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<?xf32>) {
  // expected-error @+1 {{('onnxc_call_sort')}}
  %0 = krnl.call @onnxc_call_sort(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{('onnxc_call_unique')}}
  %1 = krnl.call @onnxc_call_unique(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{a dynamic size is not for a real-time run}}
  %2 = tensor.empty(%n) : tensor<?xf32>
  %3 = tensor.cast %2 : tensor<?xf32> to tensor<*xf32>
  %4 = tensor.cast %3 : tensor<*xf32> to tensor<?xf32>
  return %0, %4 : tensor<4xf32>, tensor<?xf32>
}

// -----

// Other sizes do not help, and the type is none of the model's.
// expected-error-re @unknown {{strings are not for a real-time run{{$}}}}
func.func @strings(%x: tensor<?x!krnl.str> loc("x"("model.onnx"))) {
  return
}

// -----

// expected-error @+1 {{sequences, maps, optionals and tensors of unknown rank are not for a real-time run}}
func.func @object(%x: !krnl.obj) {
  return
}

// -----

// Sizes and offsets have 32 bits there.
module attributes {krnl.target = #krnl.target<family = "thumb", triple = "thumbv7em-none-unknown-eabi", cpu = "generic", index_bits = 32>} {
  func.func @largest(%x: tensor<2147483647xi8>) {
    return
  }
  // expected-error @+1 {{a tensor is too large for a machine of 32 bits (its type is 'tensor<536870912xf32>')}}
  func.func @too_large(%x: tensor<536870912xf32>) {
    return
  }
}
