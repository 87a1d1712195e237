//===- SimplifyPool.cpp - Pools that cover everything ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A global pool is a reduction, and fuses like one. The largest of a window is
// the largest of its rows' largest.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"
#include "onnxc/Support/RewriteFunction.h"

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// global_average_pool(x[n, c, h, w]) -> reduce_mean(x, [2, 3])
/// global_max_pool(x[n, c, h, w]) -> reduce_max(x, [2, 3])
template <typename Pool, typename Reduce>
LogicalResult globalPoolToReduce(Pool op, PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op.getX().getType());
  if (!type || type.getRank() < 3)
    return rewriter.notifyMatchFailure(op, "the rank is unknown");
  Value axes =
      NodeMaker(rewriter, op.getLoc())
          .ints(llvm::to_vector(llvm::seq<int64_t>(2, type.getRank())));
  rewriter.replaceOpWithNewOp<Reduce>(op, op->getResultTypes(),
                                      ValueRange{op.getX(), axes});
  return success();
}

/// Fewer elements in a window are read as fast as in two passes.
constexpr int64_t minWindow = 16;

/// The pool over the wanted dimensions alone.
MaxPoolOp part(PatternRewriter &rewriter, MaxPoolOp op, Value x,
               llvm::function_ref<bool(int64_t)> isWanted) {
  auto made = cast<MaxPoolOp>(rewriter.clone(*op));
  made->setOperand(0, x);
  auto keep = [&](StringRef name, int64_t otherwise) {
    auto values = made->getAttrOfType<DenseI64ArrayAttr>(name);
    if (!values)
      return;
    SmallVector<int64_t> kept(values.asArrayRef());
    int64_t dims = op.getKernelShape().size();
    for (auto [i, value] : llvm::enumerate(kept))
      if (!isWanted(int64_t(i) % dims))
        value = otherwise;
    made->setAttr(name, rewriter.getDenseI64ArrayAttr(kept));
  };
  keep("kernel_shape", 1);
  keep("pads", 0);
  keep("dilations", 1);
  return made;
}

/// max_pool(x) {kernel_shape = [5, 5]} ->
///   max_pool(max_pool(x) {kernel_shape = [5, 1]}) {kernel_shape = [1, 5]}
LogicalResult splitMaxPool(MaxPoolOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> window = op.getKernelShape();
  int64_t dims = window.size(), elements = 1;
  auto split = llvm::find_if(window, [](int64_t size) { return size > 1; });
  for (int64_t size : window)
    elements *= std::clamp<int64_t>(size, 1, minWindow);
  auto areUnit = [](std::optional<ArrayRef<int64_t>> steps) {
    return !steps || llvm::all_of(*steps, [](int64_t s) { return s == 1; });
  };
  if (elements < minWindow || split == window.end() ||
      llvm::count_if(window, [](int64_t size) { return size > 1; }) < 2)
    return rewriter.notifyMatchFailure(op, "a small window, or a line");
  auto in = dyn_cast<RankedTensorType>(op.getX().getType());
  auto out = dyn_cast<RankedTensorType>(op.getY().getType());
  Value indices = op.getIndices();
  if (!in || !out || in.getRank() != dims + 2 ||
      (indices && !indices.use_empty()))
    return rewriter.notifyMatchFailure(op, "rank unknown, or indices wanted");
  if (!areUnit(op.getStrides()) ||
      (op.getAutoPad() != "NOTSET" && op.getAutoPad() != "VALID"))
    return rewriter.notifyMatchFailure(op, "strides, or pads by size");
  int64_t first = split - window.begin();
  SmallVector<int64_t> shape(in.getShape());
  shape[first + 2] = out.getDimSize(first + 2);
  MaxPoolOp line =
      part(rewriter, op, op.getX(), [&](int64_t d) { return d == first; });
  line.getY().setType(RankedTensorType::get(shape, out.getElementType()));
  if (line.getIndices())
    line.getIndices().setType(
        RankedTensorType::get(shape, rewriter.getI64Type()));
  MaxPoolOp rest =
      part(rewriter, op, line.getY(), [&](int64_t d) { return d != first; });
  rewriter.replaceOp(op, rest->getResults());
  return success();
}

} // namespace

void onnxc::onnx::populateSimplifyPoolPatterns(RewritePatternSet &patterns) {
  addRewrites<globalPoolToReduce<GlobalAveragePoolOp, ReduceMeanOp>,
              globalPoolToReduce<GlobalMaxPoolOp, ReduceMaxOp>, splitMaxPool>(
      patterns);
}
