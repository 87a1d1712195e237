//===- Lowering.h - Lowerings of operators as functions ---------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   Lowered lowerRelu(onnx::ReluOp op, onnx::ReluOp::Adaptor adaptor,
//                     ConversionPatternRewriter &rewriter) {
//     if (!isa<FloatType>(getElementTypeOrSelf(op.getX().getType())))
//       return rewriter.notifyMatchFailure(op, "elements are not floats");
//     return buildRelu(rewriter, op.getLoc(), adaptor.getX());
//   }
//   addLowerings(converter, patterns, lowerRelu);
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_LOWERING_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_LOWERING_H

#include "Builders/HostValues.h"

#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {

/// The values that replace the results of an operator, as replaceWithCasts()
/// does, or a failure. Success without values says that the lowering has
/// replaced the operator itself.
class [[nodiscard]] Lowered {
public:
  Lowered(llvm::LogicalResult result) : result(result) {}
  template <typename Values>
    requires std::constructible_from<mlir::ValueRange, const Values &>
  Lowered(const Values &values)
      : result(llvm::success()),
        values(llvm::to_vector(mlir::ValueRange(values))) {}
  Lowered(llvm::FailureOr<mlir::Value> value)
      : Lowered(llvm::success(llvm::succeeded(value))) {
    if (llvm::succeeded(value))
      values = {*value};
  }
  Lowered(mlir::ResultRange values) : Lowered(mlir::ValueRange(values)) {}
  Lowered(std::initializer_list<mlir::Value> values)
      : result(llvm::success()), values(values) {}

  /// Replaces `op` if there are values.
  llvm::LogicalResult apply(mlir::ConversionPatternRewriter &rewriter,
                            mlir::Operation *op) const {
    if (values)
      replaceWithCasts(rewriter, op, *values);
    return result;
  }

private:
  llvm::LogicalResult result;
  std::optional<llvm::SmallVector<mlir::Value>> values;
};

/// Fails, with the name of the value, where an operand or a result of `op` is a
/// tensor of unknown rank.
llvm::LogicalResult requireRanks(mlir::ConversionPatternRewriter &rewriter,
                                 mlir::Operation *op);

/// The axis of a tensor of this rank that an attribute of `op` means, which may
/// count from the end. Fails, with the reason, if there is none.
llvm::FailureOr<int64_t> axisOf(mlir::ConversionPatternRewriter &rewriter,
                                mlir::Operation *op, int64_t axis,
                                int64_t rank);

/// The tensors that a lowering accepts.
enum class Ranks : bool {
  /// The ranks of all operands and results are known.
  Known,
  /// Tensors of unknown rank are objects, which the lowering expects.
  Any,
};

/// The pattern of a function, or of another callable, that lowers an OnnxOp.
template <typename OnnxOp, typename Lower, Ranks ranks>
class LoweringPattern final : public mlir::OpConversionPattern<OnnxOp> {
public:
  LoweringPattern(mlir::TypeConverter &converter, mlir::MLIRContext *context,
                  Lower lower)
      : mlir::OpConversionPattern<OnnxOp>(converter, context),
        lower(std::move(lower)) {}

  llvm::LogicalResult
  matchAndRewrite(OnnxOp op, typename OnnxOp::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    if constexpr (ranks == Ranks::Known)
      if (failed(requireRanks(rewriter, op)))
        return llvm::failure();
    return lower(op, adaptor, rewriter).apply(rewriter, op);
  }

private:
  Lower lower;
};

/// Adds the lowering of OnnxOp by `lower`, which is called as the functions of
/// addLowerings() are.
template <typename OnnxOp, Ranks ranks = Ranks::Known, typename Lower>
void addLowering(mlir::TypeConverter &converter,
                 mlir::RewritePatternSet &patterns, Lower lower) {
  patterns.add<LoweringPattern<OnnxOp, Lower, ranks>>(
      converter, patterns.getContext(), std::move(lower));
}

/// Adds the lowerings by these functions, one for each operator.
template <Ranks ranks = Ranks::Known, typename... OnnxOps>
void addLowerings(mlir::TypeConverter &converter,
                  mlir::RewritePatternSet &patterns,
                  Lowered (*...lower)(OnnxOps, typename OnnxOps::Adaptor,
                                      mlir::ConversionPatternRewriter &)) {
  (addLowering<OnnxOps, ranks>(converter, patterns, lower), ...);
}

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_LOWERING_H
