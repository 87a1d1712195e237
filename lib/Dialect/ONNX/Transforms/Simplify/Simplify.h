//===- Simplify.h - The rewrites of the simplify phase ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_SIMPLIFY_SIMPLIFY_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_SIMPLIFY_SIMPLIFY_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/DimAnalysis.h"
#include "onnxc/Dialect/ONNX/Transforms/FoldConstants.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc::onnx {

// One function per family of rewrites, in the file of that name.
void populateNormalizeAttributesPatterns(mlir::RewritePatternSet &patterns);
void populateNormalizeAxesPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyFillPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyIdentityPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyReshapePatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyTransposePatterns(mlir::RewritePatternSet &patterns);
void populateFuseGemmPatterns(mlir::RewritePatternSet &patterns);
void populateFoldConvPatterns(mlir::RewritePatternSet &patterns);
void populateFoldScalesPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyIfPatterns(mlir::RewritePatternSet &patterns);
/// Adds patterns for compiling alone, not for the graph that a user gets.
void populateWidenTypesPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyPoolPatterns(mlir::RewritePatternSet &patterns);
void populateSplitVariadicPatterns(mlir::RewritePatternSet &patterns);
void populateGroupRowsPatterns(mlir::RewritePatternSet &patterns);

/// Writes the types of `analysis` into `module`; true if one changed.
bool writeTypes(mlir::ModuleOp module, DimAnalysis &analysis);

/// Says on every operation with a dynamic result how its dimensions follow
/// from the inputs (onnx.dims); takes the attribute away from all others.
void annotateDims(mlir::ModuleOp module, DimAnalysis &analysis);

/// Replaces integer results whose elements the analysis has found by constants,
/// and operations that change no shape by their operands; true if there were
/// any.
bool foldKnownShapes(mlir::ModuleOp module, DimAnalysis &analysis,
                     mlir::OpBuilder::Listener *listener);

/// Replaces a choice that is the same for all elements in each run by what is
/// chosen; true if `op` was one.
bool foldCondition(mlir::Operation *op, DimAnalysis &analysis,
                   mlir::RewriterBase &rewriter);

/// Returns true if each size of `value` is that of `result` in every run, or 1.
bool alwaysBroadcasts(mlir::Value value, mlir::Value result,
                      DimAnalysis &analysis);

/// Drops branches that are alternatives and have an operation which rejects
/// its operands.
void dropImpossible(mlir::ModuleOp module);

/// Lets the runs fail that enter a branch or body with an operation of wrong
/// shapes, and warns of them; true if there was any. Bodies that each run
/// enters stay as they are.
bool failRejectedBodies(mlir::Operation *root, DimAnalysis &analysis);

/// Replaces operations on constants by their results, where that is profitable;
/// true if there was any.
bool foldConstantSubgraphs(mlir::ModuleOp module, const Evaluator &evaluator);

/// Replaces `op` by `value`, unless the type of `value` is less precise than
/// that of the result: nothing could infer it again.
llvm::LogicalResult replaceIfAsSharp(mlir::PatternRewriter &rewriter,
                                     mlir::Operation *op, mlir::Value value);

/// The data that `value` is a view of, through one operation; null if it is no
/// view.
mlir::Value viewedData(mlir::Value value);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_SIMPLIFY_SIMPLIFY_H
