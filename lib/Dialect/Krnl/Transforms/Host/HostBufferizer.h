//===- HostBufferizer.h - One traversal of the host program -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Every buffer has one owner:
//   - results of a launch, a call or from_elements belong to its block;
//   - values that a loop carries or a branch yields are passed, never
//     shared;
//   - inputs, weights and views have no owner here and are never written.
// Where a value cannot be passed or overwritten it is copied.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTBUFFERIZER_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTBUFFERIZER_H

#include "HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

namespace onnxc::krnl {

/// The type of the buffer that a tensor becomes; other types stay.
mlir::Type bufferType(mlir::Type type);
llvm::SmallVector<mlir::Type> bufferTypes(mlir::TypeRange types);

bool isTensor(mlir::Value value);

/// The source of a reshape or cast of a whole tensor, or null.
mlir::Value viewSource(mlir::Value value);

/// The value that the views of all its elements lead to.
mlir::Value stripViews(mlir::Value value);

/// A branch whose result is a tensor from before it in one way, and in the
/// other one a launch makes a new one.
struct BufferChoice {
  bool isThen;
  mlir::Value given;
  LaunchOp launch;
  unsigned number;
  mlir::tensor::EmptyOp empty;
};

/// The choice that the branch is; nothing for others.
std::optional<BufferChoice> choiceOf(mlir::scf::IfOp branch);

/// The attribute of branches that are choices, which are converted to one of
/// both buffers without a copy.
inline constexpr llvm::StringLiteral choiceAttrName = "krnl.choice";

/// Returns true for values whose buffer belongs to the block that they are
/// defined in.
bool isOwned(mlir::Value value);

/// Returns true if the use, and those of views that it makes, only read the
/// elements of the tensor, or of the buffer of a block's argument, before `op`.
bool isReadBefore(mlir::OpOperand &use, mlir::Operation *op);

/// Returns true if nothing reads the old elements of a launch's destination
/// after the launch, which then writes it in place.
bool mayOverwrite(LaunchOp launch, mlir::Value value);

/// Rewrites one host function in program order.
class Bufferizer {
public:
  Bufferizer(mlir::func::FuncOp host, WeightTable &weights)
      : host(host), weights(weights), builder(host.getContext()) {}

  mlir::LogicalResult run();

private:
  void convertSignature();
  void chooseOutputs();
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertControl(mlir::Operation *op);

  void convertLaunch(LaunchOp op);
  void convertCall(CallOp op);
  void convertConstant(mlir::Operation *op, mlir::TypedAttr value,
                       mlir::Attribute layout);
  void convertFromElements(mlir::tensor::FromElementsOp op);
  void convertReturn(mlir::func::ReturnOp op);
  void convertEmpty(mlir::tensor::EmptyOp op);
  void convertDim(mlir::tensor::DimOp op);
  void convertExtract(mlir::tensor::ExtractOp op);
  mlir::LogicalResult convertView(mlir::Operation *op);
  mlir::Value reshaped(mlir::Location loc, mlir::MemRefType type,
                       mlir::Value source,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes);
  llvm::SmallVector<mlir::OpFoldResult>
  reshapeSizes(mlir::Location loc, mlir::MemRefType type, mlir::Value shape);
  llvm::SmallVector<mlir::OpFoldResult>
  collapsedSizes(mlir::Location loc, mlir::Value source,
                 llvm::ArrayRef<mlir::ReassociationIndices> groups);
  void convertAppendRow(AppendRowOp op);
  mlir::Value withRoom(AppendRowOp op, mlir::Value rows, mlir::Value row);
  mlir::Value firstRows(mlir::Location loc, mlir::Value rows,
                        mlir::Value count);
  mlir::Value rowsToGrow(AppendRowOp op);
  void convertSelect(mlir::arith::SelectOp op);
  void convertYield(mlir::scf::YieldOp op);
  mlir::LogicalResult convertIf(mlir::scf::IfOp op);
  mlir::LogicalResult convertChoice(mlir::scf::IfOp op);
  mlir::LogicalResult convertFor(mlir::scf::ForOp op);
  mlir::LogicalResult convertWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult moveRegion(mlir::Region &from, mlir::Region &to);
  void convertArguments(mlir::Block &block);
  void mapResults(mlir::Operation *old, mlir::ValueRange results,
                  mlir::Operation *converted);

  mlir::Value buffer(mlir::Value tensor) { return buffers.lookup(tensor); }
  mlir::Value allocate(mlir::Location loc, mlir::Type type,
                       mlir::ValueRange sizes);
  mlir::Value allocateLike(mlir::Location loc, mlir::Value source);
  mlir::Value copied(mlir::Location loc, mlir::Value source);
  mlir::Value destination(LaunchOp op, unsigned number);
  mlir::Value outputFor(LaunchOp op, unsigned number);
  mlir::Value inOutput(mlir::Location loc, mlir::Value value, unsigned index);
  bool areSizesBefore(LaunchOp launch, mlir::Value seen);
  static bool keepsCount(LaunchOp launch, mlir::Value destination,
                         mlir::Value seen);
  void chooseOutput(mlir::Value seen, mlir::Block *block, unsigned index);
  void chooseOutputOfBranch(mlir::OpResult result, unsigned index);
  void findChoices();
  mlir::Value transferBuffer(mlir::OpOperand &use, bool isOnlyUse);
  llvm::SmallVector<mlir::Value>
  transferBuffer(mlir::MutableOperandRange values, bool isOnlyUse);

  mlir::func::FuncOp host;
  WeightTable &weights;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  struct OutputView {
    unsigned index;
    /// The value of the output, by its views and launches from the result on.
    mlir::Value seen;
  };
  /// Launch results that are in graph outputs from the first, and those that
  /// are written over them.
  llvm::DenseMap<mlir::Value, OutputView> outputs;
  /// The results of branches that are graph outputs, and the values that both
  /// blocks yield for them.
  llvm::DenseSet<mlir::Value> branchResults;
  llvm::DenseMap<mlir::OpOperand *, unsigned> branchOutputs;
  /// The buffers that launches write that make a tensor in a choice, and what
  /// the ways of choices yield.
  llvm::DenseMap<mlir::Value, mlir::Value> destinations;
  llvm::DenseSet<mlir::OpOperand *> choiceYields;
  llvm::SmallBitVector isWritten;
  llvm::SmallVector<mlir::Operation *> dead;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTBUFFERIZER_H
