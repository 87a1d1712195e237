//===- Matrices.cpp - Products of matrices ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// mma: the loops of an op whose iterations are the rows, columns and products
// of an instruction that all threads of a warp execute together.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/Matrices.h"
#include "Queries.h"
#include "Reasons.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Bytes of the longest line, and of the shortest one.
static constexpr int64_t maxLine = 128, minLine = 32;

LogicalResult NestBuilder::mma(ArrayRef<StringRef> names,
                               EmitErrorFn emitError) {
  if (names.size() != 5)
    return emitError() << "expected copies and threads of rows, threads and "
                          "copies of columns, and products, but got "
                       << names.size() << " loops";
  FailureOr<SmallVector<unsigned>> loops = resolveAll(names, emitError);
  if (failed(loops))
    return failure();
  return addMma(
      {0, (*loops)[0], (*loops)[1], (*loops)[2], (*loops)[3], (*loops)[4]},
      emitError);
}

/// Adds it to all ops that have the loop of its products.
LogicalResult NestBuilder::addMma(Mma mma, EmitErrorFn emitError) {
  unsigned products = mma.products;
  StringRef name = allLoops[products].name;
  bool isUsed = false;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(products) : nullptr;
    if (!use)
      continue;
    if (mmaOf(*this, i))
      return emitError() << "op '" << op.name
                         << "' already has matrix products";
    if (use->unroll != 1 || use->lanes || use->role != RegisterRole::None)
      return emitError() << "loop '" << name
                         << "' is already unrolled or vectorized";
    if (allLoops[products].fusedOuter || allLoops[products].isDynamic())
      return emitError() << "loop '" << name
                         << "' is not a loop of known extent inside the op";
    use->mma = isUsed = true;
    use->unroll = allLoops[products].extent;
    mma.op = i;
    allMmas.push_back(mma);
    auto compute = dyn_cast_if_present<ComputeOp>(op.op);
    std::optional<MatrixProduct> product =
        compute ? matrixProductOf(compute) : std::nullopt;
    orderPreserved &= product && product->element.isInteger();
  }
  if (!isUsed)
    return emitError() << "no op has loop '" << name << "'";
  return success();
}

const Mma *mmaOf(const LoopNest &nest, unsigned op) {
  const Mma *found =
      llvm::find_if(nest.mmas(), [&](const Mma &mma) { return mma.op == op; });
  return found == nest.mmas().end() ? nullptr : found;
}

/// Returns true if the access depends on the loop.
static bool indexes(const LoopNest &nest, const BodyOp &op, OpOperand &operand,
                    unsigned loop) {
  Access access(operand);
  return llvm::any_of(llvm::enumerate(op.axes), [&](auto axis) {
    return access.dependsOn(axis.index()) && nest.stemsFrom(loop, axis.value());
  });
}

/// Returns true if the operand is an input of the kernel.
static bool isInput(OpOperand &operand) {
  auto argument = dyn_cast<BlockArgument>(operand.get());
  return argument && isa<KernelOp>(argument.getOwner()->getParentOp());
}

/// Returns true if all threads see the operand, or each has what it needs.
static bool isVisible(const LoopNest &nest, const Mma &mma,
                      OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<ComputeOp>();
  if (isInput(operand) || registerFactor(nest, operand))
    return true;
  if (!producer)
    return false;
  unsigned from = nest.indexOf(producer);
  return isInSlices(nest, from) ||
         (nest.op(from).isShared && !mma.isOfWarpgroup());
}

/// Which of the loops have other iterations than the instruction needs.
static std::string reasonAgainstIterations(const LoopNest &nest, const Mma &mma,
                                           int64_t depth) {
  const BodyOp &op = nest.op(mma.op);
  SmallVector<std::pair<unsigned, int64_t>> extents = {
      {mma.rowCopies, MatrixSums::copies},
      {mma.rowThreads, MatrixSums::rowThreads},
      {mma.columnThreads, MatrixSums::columnThreads},
      {mma.columnCopies, MatrixSums::copies},
      {mma.products, depth}};
  if (mma.isOfWarpgroup()) {
    int64_t tiles = nest.loop(*mma.columnTiles).extent;
    extents.push_back({*mma.rowWarps, MatrixSums::warps});
    extents.push_back(
        {*mma.columnTiles,
         std::clamp<int64_t>(tiles, 1, MatrixSums::maxColumnTiles)});
  }
  for (auto [number, extent] : extents) {
    std::string name = "loop '" + nest.loop(number).name + "'";
    const LoopUse *use = op.find(number);
    if (!use)
      return name + " is none of its loops";
    if (nest.loop(number).extent != extent || nest.endsEarly(number))
      return name + " has not always " + std::to_string(extent) + " iterations";
    if (use->reduced != (number == mma.products))
      return name + (use->reduced ? " is reduced" : " is not reduced");
    if (use->role != RegisterRole::None)
      return name + " is part of a register tile";
  }
  return {};
}

/// Which of the loops that the instruction's registers hold are not unrolled,
/// or not the only vectors.
static std::string reasonAgainstRegisters(const LoopNest &nest,
                                          const Mma &mma) {
  const BodyOp &op = nest.op(mma.op);
  for (unsigned number : {mma.rowCopies, mma.columnCopies})
    if (!nest.isInRegisters(*op.find(number)))
      return "loop '" + nest.loop(number).name + "' is not unrolled";
  if (mma.isOfWarpgroup() && !nest.isInRegisters(*op.find(*mma.columnTiles)))
    return "loop '" + nest.loop(*mma.columnTiles).name + "' is not unrolled";
  for (const LoopUse &use : op.loops)
    if (use.lanes && use.loop != mma.columnCopies)
      return "loop '" + nest.loop(use.loop).name + "' is vectorized";
  return {};
}

/// Which of the loops are not over the threads that the instruction gives them.
static std::string reasonAgainstThreads(const LoopNest &nest, const Mma &mma) {
  auto isAt = [&](unsigned number, int64_t stride) {
    return nest.loop(number).mapped && threadsOf(nest, number).stride == stride;
  };
  if (!isAt(mma.columnThreads, 1) ||
      !isAt(mma.rowThreads, MatrixSums::columnThreads))
    return "loops '" + nest.loop(mma.rowThreads).name + "' and '" +
           nest.loop(mma.columnThreads).name +
           "' are not the last mapped loops";
  if (mma.isOfWarpgroup() &&
      !isAt(*mma.rowWarps, MatrixSums::columnThreads * MatrixSums::rowThreads))
    return "loop '" + nest.loop(*mma.rowWarps).name +
           "' is not the mapped loop before them";
  return {};
}

/// Which of the loops do not index the factors as the instruction does.
static std::string reasonAgainstFactors(const LoopNest &nest, const Mma &mma,
                                        const MatrixProduct &product) {
  const BodyOp &op = nest.op(mma.op);
  OpOperand *rows = product.lhs, *columns = product.rhs;
  if (!indexes(nest, op, *rows, mma.rowCopies))
    std::swap(rows, columns);
  SmallVector<std::tuple<unsigned, OpOperand *, OpOperand *>> indexing = {
      {mma.rowCopies, rows, columns},
      {mma.rowThreads, rows, columns},
      {mma.columnThreads, columns, rows},
      {mma.columnCopies, columns, rows}};
  if (mma.isOfWarpgroup()) {
    indexing.push_back({*mma.rowWarps, rows, columns});
    indexing.push_back({*mma.columnTiles, columns, rows});
  }
  for (auto [number, operand, other] : indexing)
    if (!indexes(nest, op, *operand, number) ||
        indexes(nest, op, *other, number))
      return "loop '" + nest.loop(number).name +
             "' does not index one of the factors alone";
  return mma.isOfWarpgroup() ? reasonAgainstSlices(nest, mma, *rows, *columns)
                             : "";
}

std::string reasonAgainst(const LoopNest &nest, const Mma &mma) {
  auto compute = dyn_cast_if_present<ComputeOp>(nest.op(mma.op).op);
  SmallVector<MatrixProduct> products;
  if (compute)
    products = matrixProductsOf(compute);
  if (products.empty() ||
      !llvm::all_of(products, [&](const MatrixProduct &product) {
        return isVisible(nest, mma, *product.lhs) &&
               isVisible(nest, mma, *product.rhs);
      }))
    return "it does not sum up products of two inputs of the kernel or shared "
           "results, of f16, bf16, f32 or bytes";
  if (std::string reason =
          reasonAgainstIterations(nest, mma, products.front().depth());
      !reason.empty())
    return reason;
  if (std::string reason = reasonAgainstRegisters(nest, mma); !reason.empty())
    return reason;
  if (std::string reason = reasonAgainstThreads(nest, mma); !reason.empty())
    return reason;
  for (const MatrixProduct &product : products)
    if (std::string reason = reasonAgainstFactors(nest, mma, product);
        !reason.empty())
      return reason;
  return reasonAgainstWaiting(nest);
}

/// The elements of an instruction are read with those that are adjacent along
/// the sums; some may be transposed on the way.
bool endsWithSums(const LoopNest &nest, const Cache &cache, unsigned number) {
  const BodyOp &op = nest.op(number);
  if (!cache.isShared() || !mmaOf(nest, number))
    return false;
  auto compute = dyn_cast_if_present<ComputeOp>(op.op);
  if (!compute)
    return true;
  for (OpOperand *input : compute.getDpsInputOperands()) {
    if (input->get() != slicedValue(nest, cache))
      continue;
    const MatrixElement *element =
        MatrixElement::of(getElementTypeOrSelf(input->get()));
    if (!element || !element->liesAcross)
      continue;
    Access access(*input);
    for (unsigned dim : llvm::seq<unsigned>(op.axes.size()))
      if (access.hasUnitStride(dim) && !op.reduced[dim])
        return false;
  }
  return true;
}

std::optional<SwizzledSlice> swizzledSlice(const LoopNest &nest,
                                           const Cache &cache, unsigned op) {
  const Mma *mma = mmaOf(nest, op);
  int64_t elementBytes = nest.operand(cache.operand).elementBytes;
  if (!cache.isShared() || !mma || !mma->isOfWarpgroup() ||
      (elementBytes != 1 && elementBytes != 2 && elementBytes != 4))
    return std::nullopt;
  bool sumsLast = endsWithSums(nest, cache, op);
  int64_t inLine = elementBytes, across = 1;
  for (unsigned loop : cachedLoops(nest, cache, op)) {
    if (nest.loop(loop).isDynamic())
      return std::nullopt;
    (nest.op(op).find(loop)->reduced == sumsLast ? inLine : across) *=
        nest.loop(loop).extent;
  }
  int64_t line = maxLine;
  while (line >= minLine && inLine % line != 0)
    line /= 2;
  if (line < minLine)
    return std::nullopt;
  return SwizzledSlice{!sumsLast, elementBytes, line, across};
}

} // namespace onnxc::krnl
