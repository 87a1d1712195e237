//===- RewriteFunction.h - Rewrites as functions ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   /// transpose(x) {perm = [0, 1, 2]} -> x
//   LogicalResult removeTranspose(TransposeOp op, PatternRewriter &rewriter);
//
//   addRewrites<mergeTransposes, removeTranspose>(patterns);
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_REWRITEFUNCTION_H
#define ONNXC_SUPPORT_REWRITEFUNCTION_H

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// The pattern of a function, with its name.
template <auto Function>
class RewriteFunction;

template <typename Op,
          llvm::LogicalResult (*Function)(Op, mlir::PatternRewriter &)>
class RewriteFunction<Function> final : public mlir::OpRewritePattern<Op> {
public:
  explicit RewriteFunction(mlir::MLIRContext *context)
      : mlir::OpRewritePattern<Op>(context) {
    llvm::StringRef type = llvm::getTypeName<RewriteFunction>();
    this->setDebugName(type.substr(type.find('&') + 1).drop_back());
  }

  llvm::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    return Function(op, rewriter);
  }
};

/// Adds the rewrites by these functions.
template <auto... Functions>
void addRewrites(mlir::RewritePatternSet &patterns) {
  patterns.add<RewriteFunction<Functions>...>(patterns.getContext());
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_REWRITEFUNCTION_H
