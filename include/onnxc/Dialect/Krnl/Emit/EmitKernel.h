//===- EmitKernel.h - Kernels to loops over memory --------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KRNL_EMIT_EMITKERNEL_H
#define ONNXC_DIALECT_KRNL_EMIT_EMITKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnxc/Dialect/Krnl/Emit/EmitPolicy.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Target/IR/Processor.h"

namespace onnxc::krnl {

struct EmitOptions {
  /// Keep multiply and add apart in reductions, as the model wrote them.
  bool strict = false;
  /// The processor whose policy emits the kernel.
  target::Processor processor;
  /// The target, which has the instructions; may be null.
  TargetAttr target;
};

/// The result of emitKernel(), and the requirements of its launches.
struct EmittedKernel {
  /// `func @name(ins.., [word,] [long sums..,] outs.., temporaries.., ...)`,
  /// followed by the arguments of the policy: the first tile and one past the
  /// last tile.
  mlir::func::FuncOp func;
  /// Intermediates that are not on the stack, in argument order.
  llvm::SmallVector<mlir::Value> temporaries;
  /// The inputs are followed by the error words of the krnl.wrap_index ops.
  bool hasErrorWord = false;
};

/// An operand in the order of a pack step.
struct PackedOperand {
  unsigned operand;
  /// Loops that index the packed form, outermost first.
  llvm::SmallVector<unsigned> loops;
  PackedLayoutAttr layout;
  mlir::RankedTensorType type;
  /// How the copies and the lanes of the packed form are shuffled, see Pack.
  std::optional<Shuffle> shuffle;
  int64_t lanes;
};

/// The type of the buffer of the error words of `messages` messages.
mlir::MemRefType errorWordType(mlir::MLIRContext *context, size_t messages);

/// The ops of the kernel that may meet an index out of range, in order.
llvm::SmallVector<WrapIndexOp> wrappedIndices(KernelOp kernel);

/// The packed form that a step of the replayed recipe leads to.
PackedOperand packedOperand(KernelOp kernel, const LoopNest &nest,
                            const Pack &pack);

/// Returns true if the kernels compute the same, up to their names. Equal
/// kernels have equal hashes.
bool areEqual(KernelOp x, KernelOp y);
llvm::hash_code hashOf(KernelOp kernel);

/// Makes one function of those that are equal, and of those for dynamic sizes
/// that differ in known ones alone.
void shareSizes(mlir::Operation *module);

/// Emits `func @name(source, packed, begin, end)`, which packs a run-time
/// operand; its tiles are the outermost dimension of the packed form.
mlir::func::FuncOp emitPacking(mlir::Location loc,
                               mlir::RankedTensorType source,
                               const PackedOperand &pack, mlir::OpBuilder &at,
                               llvm::StringRef name);

/// Emits `kernel` as a function at `at`'s insertion point (a module body),
/// by its recipe. Diagnoses steps that cannot be applied at the kernel.
mlir::FailureOr<EmittedKernel> emitKernel(KernelOp kernel, mlir::OpBuilder &at,
                                          llvm::StringRef name,
                                          const EmitOptions &options,
                                          const EmitPolicy &policy);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_EMIT_EMITKERNEL_H
