//===- WindowDims.cpp - Sizes of convolutions and pools --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;
using Exprs = RuleNode::Exprs;

namespace {

/// The window of one operator; an absent list means all ones or all zeros.
struct Window {
  SmallVector<AffineExpr> kernel;
  StringRef autoPad;
  std::optional<ArrayRef<int64_t>> strides, dilations, pads;
  bool ceil = false;

  int64_t stride(size_t i) const { return entry(strides, i, 1); }
  int64_t dilation(size_t i) const { return entry(dilations, i, 1); }
  /// Padding before and after dimension i together.
  int64_t padding(size_t i) const {
    return entry(pads, i, 0) + entry(pads, i + kernel.size(), 0);
  }

private:
  static int64_t entry(std::optional<ArrayRef<int64_t>> list, size_t i,
                       int64_t otherwise) {
    return list && i < list->size() ? (*list)[i] : otherwise;
  }
};

} // namespace

template <typename Op>
static Window windowOf(Op op) {
  Window window;
  window.autoPad = op.getAutoPad();
  window.strides = op.getStrides();
  window.pads = op.getPads();
  return window;
}

/// The kernel's sizes: the attribute, else the weight's spatial dimensions.
static void setKernel(RuleNode &node, Window &window,
                      std::optional<ArrayRef<int64_t>> sizes, Value weight) {
  if (sizes && !sizes->empty()) {
    for (int64_t size : *sizes)
      window.kernel.push_back(node.constantExpr(size));
  } else if (std::optional<Exprs> dims = node.dims(weight);
             dims && dims->size() > 2) {
    window.kernel.assign(dims->begin() + 2, dims->end());
  }
}

/// (kernel - 1) * dilation + 1
static AffineExpr extent(DimSpace &space, const Window &window, size_t i) {
  AffineExpr steps = space.sub(window.kernel[i], space.constant(1));
  return space.add(space.mul(steps, space.constant(window.dilation(i))),
                   space.constant(1));
}

/// floor((d + padding - extent) / stride) + 1; ceil(d / stride) for "same".
static AffineExpr slidSize(RuleNode &node, const Window &window, size_t i,
                           AffineExpr size) {
  DimSpace &space = node.space;
  int64_t stride = window.stride(i);
  if (stride <= 0)
    return {};
  if (window.autoPad.starts_with("SAME"))
    return space.ceilDiv(size, stride);
  int64_t padding = window.autoPad == "VALID" ? 0 : window.padding(i);
  // Rounding up drops a last window that starts in the padding: the schema
  // has the static case, and a stride of one never rounds.
  if (window.ceil && stride != 1)
    return {};
  AffineExpr room = space.sub(space.add(size, space.constant(padding)),
                              extent(space, window, i));
  return space.add(space.floorDiv(room, space.constant(stride)),
                   space.constant(1));
}

static void inferSlid(RuleNode &node, const Window &window, Value input,
                      AffineExpr channels) {
  std::optional<Exprs> in = node.dims(input);
  if (!in || in->size() != window.kernel.size() + 2)
    return;
  Exprs dims = {(*in)[0], channels ? channels : (*in)[1]};
  for (size_t i = 0; i < window.kernel.size(); ++i)
    dims.push_back(slidSize(node, window, i, (*in)[i + 2]));
  for (unsigned result = 0; result < node.op->getNumResults(); ++result)
    node.setDims(result, dims);
}

/// conv(x[n, c, h..], w[m, c/g, k..]) -> [n, m, (h + p - e) floordiv s + 1..]
template <typename Op>
static void inferConv(RuleNode &node, Op op, Value input, Value weight) {
  Window window = windowOf(op);
  window.dilations = op.getDilations();
  setKernel(node, window, op.getKernelShape(), weight);
  std::optional<Exprs> filter = node.dims(weight);
  if (filter && !filter->empty())
    inferSlid(node, window, input, filter->front());
}

template <typename Op>
static void inferPool(RuleNode &node, Op op) {
  Window window = windowOf(op);
  window.dilations = op.getDilations();
  window.ceil = op.getCeilMode() != 0;
  setKernel(node, window, op.getKernelShape(), Value());
  inferSlid(node, window, op.getX(), AffineExpr());
}

/// s * (h - 1) + output padding + extent - padding; for "same" the padding is
/// the part beyond h * s.
static AffineExpr spreadSize(RuleNode &node, const Window &window, size_t i,
                             AffineExpr size, int64_t outputPadding) {
  DimSpace &space = node.space;
  AffineExpr stride = space.constant(window.stride(i));
  int64_t padding = window.autoPad == "VALID" ? 0 : window.padding(i);
  if (window.autoPad.starts_with("SAME")) {
    std::optional<int64_t> reach = constantValue(extent(space, window, i));
    if (!reach)
      return {};
    padding = std::max<int64_t>(*reach + outputPadding - window.stride(i), 0);
  }
  AffineExpr spread = space.mul(space.sub(size, space.constant(1)), stride);
  return space.add(space.add(spread, extent(space, window, i)),
                   space.constant(outputPadding - padding));
}

static void inferConvTranspose(RuleNode &node, ConvTransposeOp op) {
  Window window = windowOf(op);
  window.dilations = op.getDilations();
  setKernel(node, window, op.getKernelShape(), op.getW());
  std::optional<Exprs> in = node.dims(op.getX()), filter = node.dims(op.getW());
  if (!in || !filter || filter->size() < 2 ||
      in->size() != window.kernel.size() + 2)
    return;
  Exprs dims = {(*in)[0],
                node.space.mul((*filter)[1], node.constantExpr(op.getGroup()))};
  // Older models give the sizes of all dimensions.
  if (std::optional<ArrayRef<int64_t>> sizes = op.getOutputShape()) {
    if (sizes->size() < window.kernel.size())
      return;
    for (int64_t size : sizes->take_back(window.kernel.size()))
      dims.push_back(node.constantExpr(size));
    node.setDims(0, dims);
    return;
  }
  std::optional<ArrayRef<int64_t>> extra = op.getOutputPadding();
  for (size_t i = 0; i < window.kernel.size(); ++i)
    dims.push_back(spreadSize(node, window, i, (*in)[i + 2],
                              extra && i < extra->size() ? (*extra)[i] : 0));
  node.setDims(0, dims);
}

void onnxc::onnx::inferWindowDims(RuleNode &node) {
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](ConvOp op) { inferConv(node, op, op.getX(), op.getW()); })
      .Case(
          [&](ConvIntegerOp op) { inferConv(node, op, op.getX(), op.getW()); })
      .Case(
          [&](QLinearConvOp op) { inferConv(node, op, op.getX(), op.getW()); })
      .Case<AveragePoolOp, MaxPoolOp, LpPoolOp>(
          [&](auto op) { inferPool(node, op); })
      .Case([&](ConvTransposeOp op) { inferConvTranspose(node, op); });
}
