//===- Simplify.h - The rewrites of the simplify phase ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_ONNX_TRANSFORMS_SIMPLIFY_H
#define ONNXC_LIB_ONNX_TRANSFORMS_SIMPLIFY_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Dialect/ONNX/Transforms/FoldConstants.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc::onnx {

// One function per family of rewrites, in the file of that name.
void populateNormalizeAttributesPatterns(mlir::RewritePatternSet &patterns);
void populateNormalizeAxesPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyIdentityPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyReshapePatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyTransposePatterns(mlir::RewritePatternSet &patterns);
void populateFuseGemmPatterns(mlir::RewritePatternSet &patterns);
void populateFoldConvPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyIfPatterns(mlir::RewritePatternSet &patterns);
/// Not of the graph as a user sees it: for compiling alone.
void populateWidenTypesPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyPoolPatterns(mlir::RewritePatternSet &patterns);
void populateSplitConvTransposePatterns(mlir::RewritePatternSet &patterns);
void populateSplitVariadicPatterns(mlir::RewritePatternSet &patterns);
void populateGroupRowsPatterns(mlir::RewritePatternSet &patterns);

/// Writes the types of `analysis` into `module`; true if one changed.
bool writeTypes(mlir::ModuleOp module, DimAnalysis &analysis);

/// Gives operands of unknown rank the one that a declared result shows; true
/// if there was one. Their types have to be inferred again then.
bool refineOperands(mlir::ModuleOp module);
/// What `user` shows of `value` holds where it runs: in its block `value` gets
/// this type, which the run checks there.
void castInBlock(mlir::Operation *user, mlir::Value value, mlir::Type type);
/// The same for the elements of sequences that are empty at first: the rank of
/// what is inserted later.
bool refineSequences(mlir::ModuleOp module);

/// Says on every operation with a dynamic result how its dimensions follow
/// from the inputs (onnx.dims); takes the attribute away from all others.
void annotateDims(mlir::ModuleOp module, DimAnalysis &analysis);

/// Replaces integer results whose elements the analysis knows by constants,
/// and operations that it shows to change no shape by their operands; true if
/// there were any.
bool foldKnownShapes(mlir::ModuleOp module, DimAnalysis &analysis,
                     mlir::RewriterBase &rewriter);

/// Takes variants away that the schema of an operation in them refuses.
void dropImpossibleRanks(mlir::ModuleOp module);
/// Makes a variant of what needs a rank that only the run knows for each rank
/// that there can be; true if there was any. `copies` counts the operations
/// that were copied, up to a limit. Fails with an error at an operation that
/// accepts no rank.
llvm::FailureOr<bool> specializeRanks(mlir::ModuleOp module,
                                      DimAnalysis &analysis, unsigned &copies);

/// Says on casts to the last rank, or length, of several variants which these
/// are, for the message of a run that has another one.
void annotateRankChoices(mlir::ModuleOp module);

/// Replaces what is constant but not yet a constant, where that pays; true if
/// there was any.
bool foldConstantSubgraphs(mlir::ModuleOp module, const Evaluator &evaluator);

/// Replaces `op` by `value`, unless the type of `value` says less than that
/// of the result: nothing could tell it again.
llvm::LogicalResult replaceIfAsSharp(mlir::PatternRewriter &rewriter,
                                     mlir::Operation *op, mlir::Value value);

/// A constant for an int64 scalar.
mlir::Value createNumber(mlir::OpBuilder &builder, mlir::Location loc,
                         int64_t value);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_ONNX_TRANSFORMS_SIMPLIFY_H
