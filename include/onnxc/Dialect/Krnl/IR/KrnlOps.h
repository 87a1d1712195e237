//===- KrnlOps.h - The krnl dialect, its types, attributes and ops --------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_KRNLOPS_H
#define ONNXC_DIALECT_KRNL_IR_KRNLOPS_H

#include "onnxc/Dialect/Krnl/IR/Loop.h"
#include "onnxc/Dialect/Krnl/IR/SharedSlices.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace onnxc::krnl {
class NestBuilder;
class StepRenaming;
} // namespace onnxc::krnl

#include "onnxc/Dialect/Krnl/IR/KrnlDialect.h.inc"
#include "onnxc/Dialect/Krnl/IR/RecipeStep.h.inc"

namespace onnxc::krnl {

class YieldOp;

/// The size of a dimension of a tensor inside a kernel: the extent of a loop,
/// by its number, or else that of the dimension of an argument.
struct SizeSource {
  std::optional<unsigned> loop;
  mlir::BlockArgument argument;
};

/// The position of an access in one dimension of a tensor, as a function of
/// loops.
struct Subscript {
  mlir::AffineExpr index;
  /// True if the index is a loop alone, in a dimension that may be longer than
  /// the loop. For other indices nothing is implied for the size of the
  /// dimension in any case.
  bool isPart = false;
  /// The range in which the tensor is read: the first index, and one past the
  /// last one, which is kDynamic if it is the dynamic size of a dimension.
  /// Without a range, all indices are read.
  std::optional<std::pair<int64_t, int64_t>> range = {};
  /// The element at others, if it is not zero.
  mlir::TypedAttr outside = {};

  bool operator==(const Subscript &) const = default;
  /// The loop that is the index and covers the whole dimension.
  std::optional<unsigned> getLoop() const {
    auto loop = llvm::dyn_cast<mlir::AffineDimExpr>(index);
    return loop && !isPart && !range ? std::optional(loop.getPosition())
                                     : std::nullopt;
  }
};
using Subscripts = llvm::SmallVector<Subscript>;

/// The text of a step as it stands in a recipe: `block(n, 48) -> (n.o, n.r)`.
std::string stepText(mlir::Attribute step);

/// The text of a whole recipe, with its brackets.
std::string recipeText(mlir::ArrayAttr recipe);

/// Parses the inverse of recipeText; reports errors at `loc`.
mlir::FailureOr<mlir::ArrayAttr> parseRecipeText(llvm::StringRef text,
                                                 mlir::MLIRContext *context,
                                                 EmitErrorFn emitError);

/// Runs `action` and returns, instead of reporting, the first message that it
/// emits on this thread; empty if there is none.
std::string captureMessage(mlir::MLIRContext *context,
                           llvm::function_ref<void()> action);

/// The custom assembly directives of krnl.kernel: `[m = 128, n = %n]`, and the
/// text of a recipe.
mlir::ParseResult parseLoops(
    mlir::OpAsmParser &parser, mlir::ArrayAttr &loops,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &extents);
void printLoops(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr loops, mlir::OperandRange extents);
mlir::ParseResult parseRecipe(mlir::OpAsmParser &parser,
                              mlir::ArrayAttr &recipe);
void printRecipe(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::ArrayAttr recipe);

mlir::ParseResult parseLoopName(mlir::OpAsmParser &parser,
                                mlir::StringAttr &name);
void printLoopName(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::StringAttr name);

/// Returns true if the name of a loop is an identifier: written without quotes.
bool isBareLoopName(llvm::StringRef name);

/// Writes a loop name bare where it is a keyword, else quoted.
void printLoopName(llvm::raw_ostream &os, llvm::StringRef name);

} // namespace onnxc::krnl

#define GET_TYPEDEF_CLASSES
#include "onnxc/Dialect/Krnl/IR/KrnlTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Krnl/IR/KrnlAttributes.h.inc"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h.inc"

namespace onnxc::krnl {

/// The scatter store of result `number` of a structured op, or null where its
/// map alone defines it.
ScatterStoreOp scatterStoreOf(ComputeOp op, unsigned number);

/// Returns true if result `number` has an element for each iteration of a loop
/// that the op reduces, as a prefix sum has.
bool isTrace(ComputeOp op, unsigned number);

/// Returns true if the result depends on the order of the reduced iterations:
/// some result is a trace, or is stored at computed indices.
bool isOrdered(ComputeOp op);

/// The op that merges the running value of a result with a new one, if the
/// payload is a plain reduction whose partial results can be merged in any
/// grouping; else null.
mlir::Operation *combinerOf(ComputeOp op, unsigned result);

/// The number of which a combiner with any other number makes that number: 0 of
/// a sum, -infinity of a maximum.
mlir::TypedAttr neutralElementOf(mlir::Operation *combiner);

/// Returns true if all results have a combiner, or none is accumulated.
bool isCombinable(ComputeOp op);

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_KRNLOPS_H
