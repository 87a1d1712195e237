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
  let summary = "mark the convolutions that Winograd's algorithm computes faster";
  let description = [{
    Windows of 3x3 constants that move by one. The mark is the number of results
    of a tile along each side; the conversion to kernels uses it.

    ```mlir
    %y = onnx.Conv(%x, %w) : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> ...
    // becomes
    %y = onnx.Conv(%x, %w) {krnl.winograd = 4 : i64} : ...
    ```
  }];
}

def ONNXChoosePoolsPass
    : Pass<"onnx-choose-pools", "::mlir::ModuleOp"> {
  let summary = "mark the pools that take one dimension of large windows after the other";
  let description = [{
    Sums, averages, norms and maxima of a window are made of those of its rows,
    which neighbouring windows share. The conversion to kernels makes one kernel
    for each dimension of a marked pool.

    ```mlir
    %y = onnx.AveragePool(%x) {kernel_shape = array<i64: 15, 15>} : (tensor<1x16x64x64xf32>) -> ...
    // becomes
    %y = onnx.AveragePool(%x) {krnl.separate, kernel_shape = array<i64: 15, 15>} : ...
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "leave sums, which are rounded in another order then">];
}

def ConvertONNXToKrnlPass
    : Pass<"convert-onnx-to-krnl", "::mlir::ModuleOp"> {
  let summary = "operators to kernels and the host program around them";
  let description = [{
    A full conversion: an operator without a lowering is an error that names it,
    and all of them are named. Types become those of the host program: bytes for
    everything of a byte or less, `!krnl.str` and `!krnl.obj`.

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
