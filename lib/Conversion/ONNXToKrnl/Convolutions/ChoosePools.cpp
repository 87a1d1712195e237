//===- ChoosePools.cpp - Dimensions of windows one by one -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The sum of a window is the sum of its rows' sums, and adjacent windows
// share these: k + k elements are read for a window of k x k. What is between
// goes through memory. The pass compares the elements read for one result.
//===----------------------------------------------------------------------===//

#include "Convolutions/Pools.h"
#include "onnxc/Conversion/ONNXToKrnl/Passes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace onnxc {

#define GEN_PASS_DEF_ONNXCHOOSEPOOLSPASS
#include "onnxc/Conversion/ONNXToKrnl/Passes.h.inc"

namespace {

/// Elements of the operand for each of the result, along a spatial dimension.
double elementsPerResult(Operation *op, size_t d, int64_t stride) {
  auto in = dyn_cast<RankedTensorType>(op->getOperand(0).getType()),
       out = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto isKnown = [&](RankedTensorType type) {
    return type && int64_t(d) + 2 < type.getRank() &&
           !type.isDynamicDim(d + 2) && type.getDimSize(d + 2) > 0;
  };
  return isKnown(in) && isKnown(out)
             ? double(in.getDimSize(d + 2)) / double(out.getDimSize(d + 2))
             : double(stride);
}

/// Returns true if the operand of the pool may have its channels last, as the
/// result of a convolution has. Layouts are chosen later
/// (`krnl-choose-layouts`).
bool hasChannelsLast(Operation *pool) {
  SmallVector<Value> operands{pool->getOperand(0)};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!operands.empty() && seen.size() < 64) {
    Operation *op = operands.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<onnx::ConvOp, onnx::ConvTransposeOp, onnx::ConvIntegerOp>(op))
      return true;
    if (onnx::isElementwise(op) ||
        isa<onnx::ConcatOp, onnx::AveragePoolOp, onnx::MaxPoolOp,
            onnx::LpPoolOp, onnx::ResizeOp, onnx::PadOp,
            onnx::BatchNormalizationOp>(op))
      llvm::append_range(operands, op->getOperands());
  }
  return false;
}

/// The time of a total through memory beside windows along rows, as a share of
/// that beside windows of channels, for maxima and sums (AMD EPYC, Zen 4,
/// 2026-11-24: windows of 3x3 and 5x5 of rows of 14 to 112 elements).
constexpr double maximumRowShare = 0.25, sumRowShare = 0.75;

/// The elements that whole windows, and one dimension after the other, take for
/// each result.
template <typename Pool>
class PoolCost {
public:
  explicit PoolCost(Pool op)
      : op(op), target(krnl::TargetAttr::processorOf(op)),
        sizes(op.getKernelShape()), alongRows(!hasChannelsLast(op)) {}

  double direct();
  double separate();

private:
  int64_t stride(size_t d) {
    std::optional<ArrayRef<int64_t>> strides = op.getStrides();
    return strides ? (*strides)[d] : 1;
  }
  /// Elements that are read for a window along a dimension: along rows, those
  /// between the lanes, too.
  double window(size_t d) {
    bool isStrided = alongRows && d + 1 == sizes.size() && stride(d) > 1;
    return double(sizes[d]) * (isStrided ? 2 : 1);
  }
  bool isPadded() {
    std::optional<ArrayRef<int64_t>> pads = op.getPads();
    return op.getAutoPad().starts_with("SAME") ||
           (pads && llvm::any_of(*pads, [](int64_t pad) { return pad != 0; }));
  }

  Pool op;
  target::Processor target;
  ArrayRef<int64_t> sizes;
  bool alongRows;
};

/// What comes from a convolution is written into a padded tensor.
template <typename Pool>
double PoolCost<Pool>::direct() {
  double cost = 1, read = 1;
  for (size_t d : llvm::seq(sizes.size())) {
    cost *= window(d);
    read *= elementsPerResult(op, d, stride(d));
  }
  return alongRows && isPadded() ? cost + 2 * read : cost;
}

/// Each dimension is reduced for all elements of those that follow.
template <typename Pool>
double PoolCost<Pool>::separate() {
  constexpr double rowShare =
      std::is_same_v<Pool, onnx::MaxPoolOp> ? maximumRowShare : sumRowShare;
  double between = target.intermediateElements * (alongRows ? rowShare : 1);
  double cost = -between, results = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    cost += results * (window(d) + between);
    results *= elementsPerResult(op, d, stride(d));
  }
  return cost;
}

struct ChoosePools : public impl::ONNXChoosePoolsPassBase<ChoosePools> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<onnx::AveragePoolOp, onnx::LpPoolOp>([&](auto pool) {
            if (!keepOrder)
              choose(pool);
          })
          .Case([&](onnx::MaxPoolOp pool) {
            // Positions are counted in the whole window.
            if (!pool.getIndices() || pool.getIndices().use_empty())
              choose(pool);
          });
    });
  }

private:
  template <typename Pool>
  void choose(Pool op) {
    PoolCost<Pool> cost(op);
    double direct = cost.direct(), separate = cost.separate();
    bool isChosen = separate <= direct && op.getKernelShape().size() > 1;
    if (isChosen)
      op->setAttr(separatePoolAttr, UnitAttr::get(op.getContext()));
    if (auto remark = remark::analysis(
            op.getLoc(),
            remark::RemarkOpts::name("Algorithm").category(getArgument())))
      remark << remark::add(isChosen ? "one dimension after the other"
                                     : "whole windows")
             << remark::reason(
                    "elements for each result: {0} of whole windows, {1} of "
                    "one dimension after the other",
                    llvm::formatv("{0:F0}", direct).str(),
                    llvm::formatv("{0:F0}", separate).str());
  }
};

} // namespace
} // namespace onnxc
