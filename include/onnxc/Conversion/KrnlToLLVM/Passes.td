//===- Passes.td - From loops and host program to LLVM --*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_CONVERSION_KRNLTOLLVM_PASSES_TD
#define ONNXC_CONVERSION_KRNLTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertKrnlToLLVMPass
    : Pass<"convert-krnl-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert the host program and kernel functions to the LLVM dialect";
  let description = [{
    Kernel functions get the bare signature: a pointer per buffer, then their
    dynamic sizes, scalars and the tile range. The host function becomes
    `onnxc_main_graph(call, inputs)`, each `krnl.parallel_region` a function that the team
    runs on a frame of captured pointers and sizes. The attribute `krnl.launches`
    of the module lists the launches with the nodes that they come from.

    A kernel whose tiles are shared by threads is a function that a device launches.
    Its indices have 32 bits where all buffers are that small, and functions that no
    device has are errors.

    ```mlir
    func.func private @k(%x: memref<?xf32>, %b: index, %e: index)
        attributes {krnl.kernel}
    // becomes
    llvm.func @k(!llvm.ptr {llvm.noalias}, i64, i64, i64)
    ```
  }];
  let options = [
    Option<"profile", "profile", "bool", "false",
           "Report the begin and end of launches to the runtime">,
    Option<"kernelsOnly", "kernels-only", "bool", "false",
           "Leave out the host program">];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::onnxc::krnl::KrnlDialect"];
}

#endif // ONNXC_CONVERSION_KRNLTOLLVM_PASSES_TD
