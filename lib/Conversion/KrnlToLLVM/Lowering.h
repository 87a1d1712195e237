//===- Lowering.h - Shared by the files of this conversion -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_CONVERSION_KRNLTOLLVM_LOWERING_H
#define ONNXC_LIB_CONVERSION_KRNLTOLLVM_LOWERING_H

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {

namespace krnl {
class TargetAttr;
} // namespace krnl

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// A pattern that is a function: its result takes the place of the op, which is
/// erased where there is none.
template <typename Op>
class FunctionLowering : public mlir::ConvertOpToLLVMPattern<Op> {
public:
  using Function = mlir::Value (*)(Op, typename Op::Adaptor,
                                   mlir::ConversionPatternRewriter &);

  FunctionLowering(const mlir::LLVMTypeConverter &types, Function lower)
      : mlir::ConvertOpToLLVMPattern<Op>(types), lower(lower) {}

  llvm::LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Value result = lower(op, adaptor, rewriter);
    if (result)
      rewriter.replaceOp(op, result);
    else
      rewriter.eraseOp(op);
    return mlir::success();
  }

private:
  Function lower;
};

template <typename Op>
void addLowering(const mlir::LLVMTypeConverter &types,
                 mlir::RewritePatternSet &patterns,
                 mlir::Value (*lower)(Op, typename Op::Adaptor,
                                      mlir::ConversionPatternRewriter &)) {
  patterns.add<FunctionLowering<Op>>(types, lower);
}

//===----------------------------------------------------------------------===//
// Signatures (Entry.cpp)
//===----------------------------------------------------------------------===//

/// Gives a kernel function its bare signature: one pointer per buffer, then the
/// dynamic sizes of every buffer in order, then the other arguments. The
/// buffers are rebuilt by krnl.from_pointer on entry.
mlir::LogicalResult makeBareKernel(mlir::func::FuncOp kernel);

/// Adds a parameter for each map of a tensor that the kernel copies boxes of;
/// these are its buffers, and the first `numOld` parameters are going to be
/// erased. An error if there are too many. Makes them records that launches
/// pass by value (TensorCopiesToLLVM.cpp).
mlir::LogicalResult addTensorMaps(mlir::func::FuncOp kernel,
                                  llvm::ArrayRef<mlir::Value> buffers,
                                  unsigned numOld);
void markTensorMaps(mlir::LLVM::LLVMFuncOp kernel);

/// Turns the host function into `onnxc_main_graph(call, inputs) -> i32` and
/// keeps its krnl.* attributes. Expects buffers as arguments and no results.
mlir::LogicalResult makeEntry(mlir::func::FuncOp host);

/// The order of makeBareKernel for the operands of a launch: the values that
/// stand for the buffers' pointers and sizes, then the scalars.
struct BareOperands {
  llvm::SmallVector<mlir::Value> pointers, sizes, scalars;
};

/// Adds one operand, already converted to LLVM types.
void addBareOperand(BareOperands &bare, mlir::Type original,
                    mlir::Value converted, mlir::OpBuilder &builder,
                    mlir::Location loc, const mlir::LLVMTypeConverter &types);

//===----------------------------------------------------------------------===//
// Hooks of the runtime (HostToLLVM.cpp)
//===----------------------------------------------------------------------===//

/// The functions of onnxc/rt/hooks.h and device.h that generated code calls.
enum class Hook {
  Arena,
  ArenaReserve,
  Weights,
  Alloc,
  Release,
  Output,
  Scratch,
  ParallelRegion,
  Barrier,
  Poll,
  Fail,
  FailSizes,
  FailIndex,
  RetainObject,
  ReleaseObject,
  InputObject,
  OutputObject,
  LocateError,
  Launch,
  LaunchSize,
  DeviceAlloc,
  DeviceRelease,
  DeviceConstants,
  DeviceErrors,
  DeviceTensor,
  DeviceCopy,
  DeviceCopyIn,
  DeviceCopyOut,
  DeviceLaunch,
  DeviceSynchronize
};

/// Calls a hook, declaring it where `builder` stands if it is not yet.
mlir::LLVM::CallOp callHook(mlir::OpBuilder &builder, mlir::Location loc,
                            Hook hook, mlir::ValueRange operands);

/// Lets launches use inputs and outputs where they lie on the device, and notes
/// which may lie there. `call` is the argument after the inputs.
void placeTensors(mlir::func::FuncOp host, mlir::Value call);

/// Lists the launches and calls of the module in its attribute, and numbers
/// them if their times are to be taken (Launches.cpp).
void listLaunches(mlir::ModuleOp module, bool takesTimes);
/// Says of each buffer that kernels of a device take how it is aligned, as
/// those of all launches are, whether they write it, and which ones launches
/// wait for (Launches.cpp).
void describeDeviceArguments(mlir::ModuleOp module);
/// Makes loads and stores of copies whose source is not known to be aligned
/// (CopyAsyncToLLVM.cpp).
void expandUnalignedCopies(mlir::ModuleOp module);
/// Reports to the runtime that a numbered launch or call begins or ends on
/// worker `tid`; nothing for others.
void noteLaunch(mlir::ConversionPatternRewriter &rewriter,
                mlir::Operation *launch, mlir::Value call, mlir::Value tid,
                bool isEnd);
/// Reports to the runtime, in the code of the leader, the sizes that the work
/// of a numbered krnl.launch depends on. `rewriter` has the converted operands.
/// Only runs that are observed call the hooks of these two.
void noteSizes(mlir::ConversionPatternRewriter &rewriter,
               mlir::Operation *launch);

/// Splits the block at the insertion point. The ops after a split stay in their
/// block where they can, so that thousands of splits move each op once.
std::pair<mlir::Block *, mlir::Block *>
splitBlock(mlir::ConversionPatternRewriter &rewriter);
/// Splits the block at the insertion point: goes on only if `ok`, and else ends
/// the run with the status that `fail` gives. Without a status or `fail` it is
/// that of the call, which one block of the function returns: LLVM takes the
/// square of the number of blocks that return a value to make one of them.
void continueIf(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                mlir::Value ok, llvm::function_ref<mlir::Value()> fail);
/// The status of the run: the first word of OnnxcCall.
mlir::Value loadStatus(mlir::OpBuilder &builder, mlir::Location loc);
/// Ends the run if a hook has recorded an error, or `status` is one.
void checkStatus(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
                 mlir::Value status = {});
/// Ends the run if a hook has recorded an error, or `status` is one, with the
/// name of the node that `loc` comes from before the message.
void checkNode(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
               mlir::Value status = {});

/// Says that calls of the function with equal operands are one.
void setPure(mlir::LLVM::LLVMFuncOp function);

/// The bytes of a buffer, rounded up to its alignment; more than the pool or
/// the arena ever gives if a size is negative, or the bytes are above
/// maxTensorBytes when each size counts as at least 1. `sizes` are all of them.
/// A host program has so many buffers that a function computes the bytes: in
/// line they were a fifth of its instructions.
mlir::Value bufferBytes(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::MemRefType type,
                        llvm::ArrayRef<mlir::Value> sizes);

/// The `OnnxcCall *` of the function around the insertion point.
mlir::Value currentCall(mlir::OpBuilder &builder);

/// A stack slot in the entry block of the function around the insertion point,
/// so that loops do not grow the stack.
mlir::Value stackSlot(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type type, int64_t count = 1);

/// A constant of the module, and a text that ends with NUL, by address.
mlir::Value globalConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::StringRef stem, mlir::Type type,
                           mlir::Attribute value);
mlir::Value globalText(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::StringRef text);

/// A 64-bit constant.
mlir::Value constant64(mlir::OpBuilder &builder, mlir::Location loc,
                       int64_t value);
/// A 32-bit constant.
mlir::Value constant32(mlir::OpBuilder &builder, mlir::Location loc,
                       int32_t value);

/// The elements of a vector.
mlir::SmallVector<mlir::Value>
elementsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector);
/// A vector of the elements of a record from this one on.
mlir::Value vectorOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value record, int64_t first, mlir::VectorType type);
/// A record with the elements of a vector.
mlir::Value recordOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value vector);

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

void populateCallToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                mlir::RewritePatternSet &patterns);
void populateCopyAsyncToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                     mlir::RewritePatternSet &patterns);
void populateDeviceToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                  mlir::RewritePatternSet &patterns);
void populateHostToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                mlir::RewritePatternSet &patterns);
void populateMemoryToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                  mlir::RewritePatternSet &patterns);
void populateMmaToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                               mlir::RewritePatternSet &patterns);
void populateParallelRegionToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                          mlir::RewritePatternSet &patterns);
void populateTensorCopiesToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                        mlir::RewritePatternSet &patterns);
void populateWgmmaToLLVMPatterns(const mlir::LLVMTypeConverter &types,
                                 mlir::RewritePatternSet &patterns);

/// Stores the lanes of masks one by one or in pieces where that is faster, or
/// LLVM does it wrongly (MaskedStores.cpp).
void expandMaskedStores(mlir::ModuleOp module);
/// Replaces krnl.dot by instructions of the processor of the module
/// (DotToLLVM.cpp).
void expandDots(mlir::ModuleOp module);
/// Replaces krnl.lookup by instructions of the processor of the module
/// (LookupToLLVM.cpp); fails if it has none.
llvm::LogicalResult expandLookups(mlir::ModuleOp module);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_KRNLTOLLVM_LOWERING_H
