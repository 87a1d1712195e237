//===- Target.td - The target of a module ---------------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_IR_TARGET_TD
#define ONNXC_TARGET_IR_TARGET_TD

include "mlir/IR/AttrTypeBase.td"
include "onnxc/Dialect/Krnl/IR/KrnlDialect.td"

def Krnl_TargetAttr : AttrDef<Krnl_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the processor that a module is compiled for";
  let description = [{
    The description of the processor for passes: LLVM's names for it, the
    numbers of its family (`onnxc/Target/IR/Processor.h`), and the instructions
    that have an intrinsic, by operation and lanes. A module has it as
    `krnl.target`; `select-target` fills it from the table of processors.
    Numbers that are those of the baseline processor are not printed.

    ```mlir
    module @x86_64_v3 attributes {krnl.target = #krnl.target<
        triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3",
        vector_bytes = 32, instructions = {pairs_x8 = "llvm.x86.avx2.pmadd.wd"}>}
    ```
  }];
  let parameters = (ins
      StringRefParameter<"row of the table of processors">:$family,
      StringRefParameter<"LLVM's target triple">:$triple,
      StringRefParameter<"LLVM's name of the processor">:$cpu,
      StringRefParameter<"the differences from its usual features">:$features,
      "::onnxc::target::Processor":$processor,
      "::mlir::DictionaryAttr":$instructions);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Name of the attribute of a module.
    static constexpr ::llvm::StringLiteral attrName = "krnl.target";
    /// The name of the attribute for the host program of a module whose target
    /// is a device.
    static constexpr ::llvm::StringLiteral hostAttrName = "krnl.host_target";

    /// Makes the attribute known to the context of its dialect, which adds what
    /// this returns.
    static ::mlir::AbstractAttribute registerWith(::mlir::Dialect &dialect);

    /// The target of the innermost module around `op`, or that is `op`, that has
    /// one; null if none has.
    static TargetAttr of(::mlir::Operation *op);
    /// The numbers of the target that of() returns; those of the baseline
    /// processor if it is null.
    static ::onnxc::target::Processor processorOf(::mlir::Operation *op);

    /// The intrinsic for an operation on vectors of so many lanes; empty if the
    /// processor has none, or the target is null.
    ::llvm::StringRef getInstruction(const ::llvm::Twine &operation,
                                     int64_t lanes) const;
    /// Returns true if the processor has this instruction, which is none on
    /// vectors. False if the target is null.
    bool hasInstruction(::llvm::StringRef operation) const;
    /// Returns true if one instruction copies a box of a tensor to shared memory.
    bool copiesTensors() const { return hasInstruction("copy_tensor"); }
    /// Returns true if blocks can form clusters, which read each other's shared
    /// memory. Elsewhere loops of blocks of a cluster are plain ones.
    bool formsClusters() const { return hasInstruction("load_cluster"); }
  }];
}

#endif // ONNXC_TARGET_IR_TARGET_TD
