//===- NormalizeAttributes.cpp - Windows and constants spelt out *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Afterwards a convolution or pool has kernel_shape, strides, dilations and
// pads wherever the rank is known, and auto_pad only where the padding depends
// on a dynamic size. A Resize has a coordinate mode of opset 11 only where none
// of now does the same.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"

#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Number of spatial dimensions of `input`, or zero if that is unknown.
static int64_t spatialRank(Value input) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  return type && type.getRank() > 2 ? type.getRank() - 2 : 0;
}

/// The operand that the window slides over: the first one.
static Value windowInput(Operation *op) { return op->getOperand(0); }

/// The filter of `op`, null for a pool.
static Value filterOf(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return conv.getW();
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return conv.getW();
  if (auto conv = dyn_cast<ConvIntegerOp>(op))
    return conv.getW();
  if (auto conv = dyn_cast<QLinearConvOp>(op))
    return conv.getW();
  return Value();
}

namespace {

/// conv(x, w : tensor<8x3x5x5xf32>) -> conv(x, w) {kernel_shape = [5, 5], ..}
template <typename Op>
LogicalResult makeWindowExplicit(Op op, PatternRewriter &rewriter) {
  int64_t rank = spatialRank(windowInput(op));
  if (rank == 0)
    return rewriter.notifyMatchFailure(op, "the rank is unknown");
  SmallVector<int64_t> ones(rank, 1), zeros(2 * rank, 0);
  SmallVector<std::pair<StringRef, SmallVector<int64_t>>> missing;
  auto want = [&](StringRef name, ArrayRef<int64_t> values) {
    std::optional<Attribute> present = op->getInherentAttr(name);
    if (!present || !*present)
      missing.push_back({name, SmallVector<int64_t>(values)});
  };
  Value filter = filterOf(op);
  auto type = filter ? dyn_cast<RankedTensorType>(filter.getType())
                     : RankedTensorType();
  if (type && type.hasStaticShape() && type.getRank() == rank + 2)
    want("kernel_shape", type.getShape().drop_front(2));
  want("strides", ones);
  want("dilations", ones);
  std::optional<Attribute> wanted = op->getInherentAttr("output_shape");
  bool sizesDecide = wanted && *wanted;
  if (!sizesDecide &&
      (op.getAutoPad() == "NOTSET" || op.getAutoPad() == "VALID"))
    want("pads", zeros);
  if (missing.empty())
    return rewriter.notifyMatchFailure(op, "everything is there");
  rewriter.modifyOpInPlace(op, [&] {
    for (const auto &[name, values] : missing)
      op->setAttr(name, rewriter.getDenseI64ArrayAttr(values));
  });
  return success();
}

/// One spatial dimension in ResolveAutoPad.
struct PaddedDim {
  int64_t size, kernel, stride, dilation;

  /// How much padding makes the result ceil(size / stride): for a stride of
  /// one this does not depend on the size.
  std::optional<int64_t> total() const {
    int64_t extent = (kernel - 1) * dilation + 1;
    if (stride == 1)
      return extent - 1;
    if (ShapedType::isDynamic(size) || stride <= 0)
      return std::nullopt;
    int64_t count = llvm::divideCeilSigned(size, stride);
    return std::max<int64_t>((count - 1) * stride + extent - size, 0);
  }
};

/// The pads for `totals`: an odd one goes to the end for SAME_UPPER, else to
/// the front.
SmallVector<int64_t> distribute(ArrayRef<int64_t> totals, bool upper) {
  SmallVector<int64_t> pads;
  for (int64_t total : totals)
    pads.push_back(upper ? total / 2 : total - total / 2);
  for (int64_t total : totals)
    pads.push_back(upper ? total - total / 2 : total / 2);
  return pads;
}

/// conv(x[1, 3, 8, 8]) {auto_pad = "SAME_UPPER", kernel_shape = [3, 3]}
///   -> conv(x) {pads = [1, 1, 1, 1]}
template <typename Op>
LogicalResult resolveAutoPad(Op op, PatternRewriter &rewriter) {
  StringRef mode = op.getAutoPad();
  std::optional<ArrayRef<int64_t>> kernel = op.getKernelShape();
  std::optional<ArrayRef<int64_t>> strides = op.getStrides();
  std::optional<ArrayRef<int64_t>> dilations = op.getDilations();
  int64_t rank = spatialRank(windowInput(op));
  if (mode == "NOTSET")
    return rewriter.notifyMatchFailure(op, "the padding is explicit");
  auto isComplete = [rank](std::optional<ArrayRef<int64_t>> list) {
    return list && static_cast<int64_t>(list->size()) == rank;
  };
  if (rank == 0 || !isComplete(kernel) || !isComplete(strides) ||
      !isComplete(dilations))
    return rewriter.notifyMatchFailure(op, "the window is not known");
  auto type = cast<RankedTensorType>(windowInput(op).getType());
  SmallVector<int64_t> totals;
  for (int64_t i = 0; i < rank; ++i) {
    PaddedDim dim{type.getDimSize(i + 2), (*kernel)[i], (*strides)[i],
                  (*dilations)[i]};
    std::optional<int64_t> total = mode == "VALID" ? 0 : dim.total();
    if (!total)
      return rewriter.notifyMatchFailure(op, "the padding depends on a size");
    totals.push_back(*total);
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.setPads(distribute(totals, mode != "SAME_LOWER"));
    op.setAutoPad("NOTSET");
  });
  return success();
}

std::optional<SmallVector<int64_t>> paddings(ConvTransposeOp op) {
  std::optional<ArrayRef<int64_t>> kernel = op.getKernelShape();
  std::optional<ArrayRef<int64_t>> strides = op.getStrides();
  std::optional<ArrayRef<int64_t>> dilations = op.getDilations();
  std::optional<ArrayRef<int64_t>> extra = op.getOutputPadding();
  std::optional<ArrayRef<int64_t>> wanted = op.getOutputShape();
  size_t rank = spatialRank(op.getX());
  if (rank == 0 || !kernel || !strides || !dilations ||
      kernel->size() != rank || strides->size() != rank ||
      dilations->size() != rank || (extra && extra->size() != rank) ||
      (wanted && wanted->size() < rank))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getX().getType());
  SmallVector<int64_t> totals;
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = ((*kernel)[i] - 1) * (*dilations)[i] + 1;
    int64_t stride = (*strides)[i], size = type.getDimSize(i + 2);
    int64_t added = extra ? (*extra)[i] : 0;
    if (op.getAutoPad() == "VALID" && !wanted)
      totals.push_back(0);
    else if (!wanted) // size * stride is wanted, if the filter reaches it
      totals.push_back(std::max<int64_t>(extent + added - stride, 0));
    else if (ShapedType::isDynamic(size))
      return std::nullopt;
    else
      totals.push_back(stride * (size - 1) + added + extent -
                       (*wanted)[wanted->size() - rank + i]);
  }
  return totals;
}

/// conv_transpose {auto_pad = "SAME_UPPER"}, or one with output_shape, whose
/// padding is the excess:
///   stride * (size - 1) + output_padding + extent - wanted
LogicalResult resolveTransposedPad(ConvTransposeOp op,
                                   PatternRewriter &rewriter) {
  StringRef mode = op.getAutoPad();
  std::optional<ArrayRef<int64_t>> wanted = op.getOutputShape();
  if (mode == "NOTSET" && !wanted)
    return rewriter.notifyMatchFailure(op, "the padding is explicit");
  std::optional<SmallVector<int64_t>> totals = paddings(op);
  if (!totals)
    return rewriter.notifyMatchFailure(op, "the padding depends on a size");
  if (llvm::any_of(*totals, [](int64_t total) { return total < 0; }))
    return rewriter.notifyMatchFailure(op, "the result is larger");
  rewriter.modifyOpInPlace(op, [&] {
    op.setPads(distribute(*totals, mode == "SAME_UPPER"));
    op.setAutoPad("NOTSET");
    op.removeOutputShapeAttr();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// resize {tf_half_pixel_for_nn, floor} -> resize {half_pixel,
/// round_prefer_ceil}
/// The first is floor(m) of the middle m of an element; the second is
/// floor((m - 0.5) + 0.5), where both steps are exact or stay below one.
/// Converters still write the first, which opset 13 dropped.
LogicalResult spellOldCoordinates(ResizeOp op, PatternRewriter &rewriter) {
  if (op.getCoordinateTransformationMode() != "tf_half_pixel_for_nn" ||
      op.getMode() != "nearest" || op.getNearestMode() != "floor")
    return rewriter.notifyMatchFailure(op, "no other mode does the same");
  rewriter.modifyOpInPlace(op, [&] {
    op.setCoordinateTransformationMode("half_pixel");
    op.setNearestMode("round_prefer_ceil");
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// stft(signal : tensor<2x64xf32>) -> stft(unsqueeze(signal, [2]))
/// Exporters write a real signal so, against the standard, and other runtimes
/// take it.
LogicalResult addPartsOfSignal(STFTOp op, PatternRewriter &rewriter) {
  if (rankOf(op.getSignal()) != 2)
    return rewriter.notifyMatchFailure(op, "the signal has not two dims");
  Value parts = NodeMaker(rewriter, op.getLoc()).unsqueeze(op.getSignal(), {2});
  rewriter.modifyOpInPlace(op, [&] { op.getSignalMutable().assign(parts); });
  return success();
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

/// hann_window(size) {periodic = 2} -> hann_window(size) {periodic = 1}
/// The function that defines a window computes with the number.
template <typename Op>
LogicalResult makeFlag(Op op, PatternRewriter &rewriter) {
  if (op.getPeriodic() == 0 || op.getPeriodic() == 1)
    return rewriter.notifyMatchFailure(op, "the flag is 0 or 1");
  rewriter.modifyOpInPlace(op, [&] { op.setPeriodic(1); });
  return success();
}

//===----------------------------------------------------------------------===//
// Names of other runtimes
//===----------------------------------------------------------------------===//

/// microsoft.simplified_layer_norm(x, scale) -> rms_norm(x, scale)
/// onnxruntime's optimiser writes it without a domain, where no checker has it,
/// and onnxruntime has it nowhere else; the standard has the same.
LogicalResult nameRootMeanSquare(MicrosoftSimplifiedLayerNormalizationOp op,
                                 PatternRewriter &rewriter) {
  if (Value statistics = op.getInvStdVar();
      statistics && !statistics.use_empty())
    return rewriter.notifyMatchFailure(op, "its statistics are wanted");
  SmallVector<NamedAttribute> attributes;
  for (StringRef name : {"axis", "epsilon", "stash_type"})
    if (Attribute value = op->getAttr(name))
      attributes.push_back(rewriter.getNamedAttr(name, value));
  auto norm =
      RMSNormalizationOp::create(rewriter, op.getLoc(), op.getY().getType(),
                                 op->getOperands(), attributes);
  rewriter.replaceAllUsesWith(op.getY(), norm.getY());
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// constant {value_ints = [1, 2]} -> constant dense<[1, 2]>
LogicalResult moveIntoValue(ConstantOp op, PatternRewriter &rewriter) {
  if (op.getValueAttr())
    return rewriter.notifyMatchFailure(op, "the elements are in value");
  TypedAttr value = constantValue(op.getResult());
  if (!value)
    return rewriter.notifyMatchFailure(op, "is not a dense tensor");
  auto constant =
      ConstantOp::create(rewriter, op.getLoc(), value.getType(), ValueRange(),
                         rewriter.getNamedAttr("value", value));
  rewriter.replaceOp(op, constant);
  return success();
}

} // namespace

void onnxc::onnx::populateNormalizeAttributesPatterns(
    RewritePatternSet &patterns) {
  addRewrites<
      addPartsOfSignal, makeFlag<BlackmanWindowOp>, makeFlag<HammingWindowOp>,
      makeFlag<HannWindowOp>, makeWindowExplicit<AveragePoolOp>,
      makeWindowExplicit<ConvIntegerOp>, makeWindowExplicit<ConvOp>,
      makeWindowExplicit<ConvTransposeOp>, makeWindowExplicit<LpPoolOp>,
      makeWindowExplicit<MaxPoolOp>, makeWindowExplicit<QLinearConvOp>,
      moveIntoValue, nameRootMeanSquare, resolveAutoPad<AveragePoolOp>,
      resolveAutoPad<ConvIntegerOp>, resolveAutoPad<ConvOp>,
      resolveAutoPad<LpPoolOp>, resolveAutoPad<MaxPoolOp>,
      resolveAutoPad<QLinearConvOp>, resolveTransposedPad, spellOldCoordinates>(
      patterns);
}
