//===- Passes.td - Operators become kernels ------------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CONVERSION_ONNXTOKRNL_PASSES_TD
#define ONNXC_CONVERSION_ONNXTOKRNL_PASSES_TD

include "mlir/Pass/PassBase.td"

def ONNXChooseConvolutionsPass
    : Pass<"onnx-choose-convolutions", "::mlir::ModuleOp"> {
  let summary = "Mark the convolutions that another algorithm computes faster";
  let description = [{
    Winograd's algorithm applies to constant 3x3 filters with stride 1. The value of the
    attribute is the size of a tile of results along each dimension. Where the height or
    the width is dynamic, a second attribute says from how many results on a run uses the
    algorithm: the first number of it, and the second one for each tile. A sum over taps,
    the positions in the window, applies to all constant filters of one group: each
    tap is a product of matrices over the results that it reads no border for. The
    conversion to kernels obeys the attribute.

    ```mlir
    %y = onnx.Conv(%x, %w) : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> ...
    %z = onnx.Conv(%x, %w) {dilations = array<i64: 36, 36>, pads = array<i64: 36, 36, 36, 36>} : ...
    // becomes
    %y = onnx.Conv(%x, %w) {krnl.winograd = 4 : i64} : ...
    %z = onnx.Conv(%x, %w) {dilations = array<i64: 36, 36>, krnl.taps, pads = array<i64: 36, 36, 36, 36>} : ...
    ```
  }];
}

def ONNXChoosePoolsPass
    : Pass<"onnx-choose-pools", "::mlir::ModuleOp"> {
  let summary = "Mark the pools that are computed one dimension at a time";
  let description = [{
    Sums, averages, norms and maxima of a window are computed from those of its
    rows, which adjacent windows share. The conversion to kernels makes one kernel
    for each dimension of a marked pool.

    ```mlir
    %y = onnx.AveragePool(%x) {kernel_shape = array<i64: 15, 15>} : (tensor<1x16x64x64xf32>) -> ...
    // becomes
    %y = onnx.AveragePool(%x) {krnl.separate, kernel_shape = array<i64: 15, 15>} : ...
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "do not mark sums, which would be rounded in another order">];
}

def ConvertONNXToKrnlPass
    : Pass<"convert-onnx-to-krnl", "::mlir::ModuleOp"> {
  let summary = "Convert operators to kernels and the host program";
  let description = [{
    A full conversion: each operator without a lowering is reported as an error.
    Element types of a byte or less become i8, strings `!krnl.str`, and containers
    and tensors of unknown rank `!krnl.obj`.

    ```mlir
    %y = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %0 = tensor.empty() : tensor<4xf32>
    %y = krnl.kernel "Relu" loops [d0 = 4] ins(%x : tensor<4xf32>)
        outs(%0 : tensor<4xf32>) { ... }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::onnxc::krnl::KrnlDialect"];
}

#endif // ONNXC_CONVERSION_ONNXTOKRNL_PASSES_TD
