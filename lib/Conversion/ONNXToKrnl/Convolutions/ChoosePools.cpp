//===- ChoosePools.cpp - Dimensions of windows one by one -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The sum of a window is the sum of its rows' sums, and neighbouring windows
// share these: k + k elements are read for a window of k x k. What is between
// goes through memory. The pass compares the elements read for one result.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Passes.h"
#include "onnxc/Conversion/ONNXToKrnl/Pools.h"
#include "onnxc/Dialect/Krnl/IR/Target.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

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

template <typename Pool>
double directCost(Pool op) {
  double cost = 1;
  for (int64_t size : op.getKernelShape())
    cost *= double(size);
  return cost;
}

/// Each dimension is reduced for all elements of those that follow.
template <typename Pool>
double separateCost(Pool op, const target::Processor &target) {
  std::optional<ArrayRef<int64_t>> strides = op.getStrides();
  double cost = -target.intermediateElements, results = 1;
  ArrayRef<int64_t> sizes = op.getKernelShape();
  for (size_t d = sizes.size(); d-- > 0;) {
    cost += results * (double(sizes[d]) + target.intermediateElements);
    results *= elementsPerResult(op, d, strides ? (*strides)[d] : 1);
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
    double direct = directCost(op),
           separate = separateCost(op, krnl::TargetAttr::processorOf(op));
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
