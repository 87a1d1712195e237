//===- Passes.td - Functions as arithmetic ----------------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CONVERSION_EXPANDMATH_PASSES_TD
#define ONNXC_CONVERSION_EXPANDMATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def KrnlExpandMathPass
    : Pass<"krnl-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Expand functions and conversions without an instruction into arithmetic";
  let description = [{
    Elementary functions on f32 become polynomials, for vectors and scalars alike,
    so that both give the same bits; the function of a NaN is a NaN. Half-width
    floats are computed in f32 and rounded after every operation. All other
    functions call libm once per element. A multiply-add that the target has no
    instruction for is a product and a sum, with `strict` a call of libm.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    // becomes a polynomial of vector.fma and a select on %x != %x
    ```
  }];
  let options = [
    Option<"strict", "strict", "bool", "false",
           "Compute the same bits for all targets">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // ONNXC_CONVERSION_EXPANDMATH_PASSES_TD
