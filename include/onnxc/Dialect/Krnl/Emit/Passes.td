//===- Passes.td - Obeying recipes ---------------------*- tablegen -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_EMIT_PASSES_TD
#define ONNXC_DIALECT_KRNL_EMIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def KrnlShareConstantsPass : Pass<"krnl-share-constants"> {
  let summary = "Turn float constants in which kernels differ into operands";
  let description = [{
    The floats in which the payloads of kernels differ that are equal otherwise become
    scalar operands, so that one function is emitted for all of them.

    ```mlir
    %y = krnl.kernel "a" ins(%x : ..) .. { arith.mulf %e, %quarter }
    %z = krnl.kernel "b" ins(%y : ..) .. { arith.mulf %e, %half }
    // becomes
    %y = krnl.kernel "a" ins(%x, %quarter : .., f32) .. { arith.mulf %e, %s }
    %z = krnl.kernel "b" ins(%y, %half : .., f32) .. { arith.mulf %e, %s }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KrnlLowerKernelsPass : Pass<"krnl-lower-kernels"> {
  let summary = "Emit kernels as functions and launches according to their recipes";
  let description = [{
    Each `krnl.kernel` is emitted as a function over memrefs that runs a range of
    its tiles, and replaced by a `krnl.launch` of it. Equal kernels share one
    function, and so do those for dynamic sizes that differ in known ones alone. A
    constant operand that the recipe packs gets its packed layout; any other packed
    operand is packed by a launch of its own. Launches have the costs that
    `krnl-annotate-costs` has written on their kernels.

    ```mlir
    %y = krnl.kernel "relu" loops [i = 64] ins(%x) outs(%o) recipe [...] {...}
    // becomes
    %y = krnl.launch @kernel_relu_0 ins(%x) outs(%o) tiles(%c1) -> tensor<64xf32>
    ```
  }];
  let options = [
    Option<"strict", "strict", "bool", /*default=*/"false",
           "keep multiply and add apart in reductions">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // ONNXC_DIALECT_KRNL_EMIT_PASSES_TD
