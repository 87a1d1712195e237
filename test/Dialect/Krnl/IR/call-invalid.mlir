// RUN: onnx-opt %s --split-input-file --verify-diagnostics

func.func @no_object(%a: index) {
  // expected-error @+1 {{'krnl.call' op takes over operand 0, which is not an object}}
  %0 = krnl.call @insert(%a) takes [0] : (index) -> !krnl.obj
  return
}

// -----

func.func @no_operand(%a: !krnl.obj) {
  // expected-error @+1 {{'krnl.call' op takes over operand 1, which is not an object}}
  %0 = krnl.call @insert(%a) takes [1] : (!krnl.obj) -> !krnl.obj
  return
}
