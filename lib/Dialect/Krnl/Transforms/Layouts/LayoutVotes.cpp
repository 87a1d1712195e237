//===- LayoutVotes.cpp - Votes for contiguous dimensions -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayoutGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"
#include "onnxc/Dialect/Krnl/IR/TransposedSums.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace {

/// The votes of one op.
class LayoutVoter {
public:
  LayoutVoter(LayoutGroups &groups, KernelOp kernel, ComputeOp op)
      : groups(groups), kernel(kernel), op(op),
        minExtent(TargetAttr::processorOf(kernel).layoutElements) {
    for (unsigned dim : llvm::seq(op.getNumLoops()))
      work *= double(extentOf(dim));
  }

  void voteForSums();
  void voteAtBorder();
  void voteForReads();

private:
  LoopAttr loopOf(unsigned dim);
  int64_t extentOf(unsigned dim);
  bool isReduced(unsigned dim) { return dim >= op.getNumParallelLoops(); }
  bool canResultsFollow(unsigned dim);
  void voteForProducts(OpOperand *data, OpOperand *result, bool isWindow,
                       function_ref<bool(unsigned)> inWeights);
  void voteForSteps(OpOperand &data, OpOperand &result,
                    function_ref<bool(unsigned)> isCommon);
  void voteBySide(OpOperand *data, OpOperand *result,
                  function_ref<bool(unsigned)> inWeights);
  void voteAlong(ArrayRef<OpOperand *> operands,
                 function_ref<bool(unsigned)> wanted, double weight);

  LayoutGroups &groups;
  KernelOp kernel;
  ComputeOp op;
  /// Fewer elements along memory do not fill a vector.
  int64_t minExtent;
  /// Iterations.
  double work = 1;
};

} // namespace

LoopAttr LayoutVoter::loopOf(unsigned dim) {
  StringRef name = op.getAxes()[dim];
  return kernel.getLoop(*kernel.findLoop(name));
}

/// A loop of unknown extent, often a batch, is taken to be just long enough.
int64_t LayoutVoter::extentOf(unsigned dim) {
  LoopAttr loop = loopOf(dim);
  return loop.isDynamic() ? minExtent : loop.getExtent();
}

/// All of `operands` want the longest of the wanted loops along memory; of
/// equals the batch is first.
void LayoutVoter::voteAlong(ArrayRef<OpOperand *> operands,
                            function_ref<bool(unsigned)> wanted,
                            double weight) {
  int64_t best = -1, longest = minExtent;
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    int64_t extent = extentOf(dim);
    if (wanted(dim) && extent >= longest &&
        llvm::all_of(operands, [&](OpOperand *operand) {
          return Access(*operand).positionOf(dim).has_value();
        })) {
      best = dim;
      longest = extent;
    }
  }
  if (best >= 0)
    for (OpOperand *operand : operands)
      groups.vote(operand->get(), *Access(*operand).positionOf(best), weight);
}

/// Returns true if the operand of the kernel is a constant, or a view of one.
static bool isWeight(KernelOp kernel, Value value) {
  int number = inputNumber(kernel, value);
  return number >= 0 && isConstantView(kernel.getIns()[number]);
}

namespace {
/// The operands of a sum: the data, and the constant factors, if there are any.
struct SumOperands {
  OpOperand *data = nullptr, *weights = nullptr;
};
} // namespace

/// Returns nothing but nulls where several operands are of one kind.
static SumOperands findOperands(KernelOp kernel, ComputeOp op) {
  SumOperands found;
  for (OpOperand *input : readInputs(op)) {
    OpOperand *&slot =
        isWeight(kernel, input->get()) ? found.weights : found.data;
    if (slot)
      return {};
    slot = input;
  }
  return found;
}

/// The loop along which results are adjacent in memory, if the elements that
/// they read are none.
static std::optional<unsigned> loopOfSteps(OpOperand &result,
                                           const Access &read) {
  SmallVector<int64_t> loops = loopsOf(result);
  if (loops.empty() || loops.back() < 0 || read.stride(loops.back()) <= 1)
    return std::nullopt;
  return loops.back();
}

/// Votes of products with weights, which the loops `inWeights` index.
void LayoutVoter::voteForProducts(OpOperand *data, OpOperand *result,
                                  bool isWindow,
                                  function_ref<bool(unsigned)> inWeights) {
  Access read(*data);
  auto isChannelOut = [&](unsigned dim) {
    return inWeights(dim) && !isReduced(dim) && !read.dependsOn(dim);
  };
  voteAlong({result}, isChannelOut, work);
  auto isChannelIn = [&](unsigned dim) {
    return inWeights(dim) && isReduced(dim);
  };
  // Vectors of a few results of each pixel would be nearly empty.
  bool isMany = llvm::any_of(llvm::seq(op.getNumLoops()), [&](unsigned dim) {
    return isChannelOut(dim) && extentOf(dim) >= minExtent;
  });
  if (isMany || !isWindow)
    voteAlong({data}, isChannelIn, work);
  voteBySide(data, result, inWeights);
}

/// Votes of products with weights, and of windows.
void LayoutVoter::voteForSums() {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return;
  auto [data, weights] = findOperands(kernel, op);
  if (!data)
    return;
  OpOperand *result = op.getDpsInitOperand(0);
  Access read(*data);
  double results = 1;
  bool window = false;
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    if (!isReduced(dim))
      results *= double(extentOf(dim));
    window |= read.dependsOn(dim) && !read.positionOf(dim);
  }
  auto inWeights = [weights](unsigned dim) {
    return weights && Access(*weights).dependsOn(dim);
  };
  if (weights)
    voteForProducts(data, result, window, inWeights);
  // A layout of one side alone would be transposed inside the window. Without
  // weights any long dimension will do: its weight is less than that of a copy.
  auto isCommon = [&](unsigned dim) {
    return !isReduced(dim) && (!weights || inWeights(dim));
  };
  if (window && groups.isMovable(data->get()) &&
      groups.isMovable(result->get()))
    voteAlong({data, result}, isCommon, weights ? work : 0.5 * results);
  else if (window && groups.isMovable(data->get()))
    voteForSteps(*data, *result, isCommon);
}

/// Results that keep their order are transposed where that is possible, which
/// takes as long as to bring the lanes of a few positions together.
void LayoutVoter::voteForSteps(OpOperand &data, OpOperand &result,
                               function_ref<bool(unsigned)> isCommon) {
  std::optional<unsigned> steps = loopOfSteps(result, Access(data));
  auto isTransposed = [&](unsigned dim) {
    return isCommon(dim) && canTransposeSums(extentOf(dim), extentOf(*steps));
  };
  if (steps)
    voteAlong({&data}, isTransposed, 0.25 * work);
}

/// Few positions of long vectors, as in the transforms of a convolution: the
/// dimension along memory of a side that cannot move is best for the other,
/// too. Where both can move it is the last one of the result.
void LayoutVoter::voteBySide(OpOperand *data, OpOperand *result,
                             function_ref<bool(unsigned)> inWeights) {
  SmallVector<OpOperand *> movable;
  OpOperand *leading = result;
  for (OpOperand *side : {data, result})
    if (groups.isMovable(side->get()))
      movable.push_back(side);
    else
      leading = side;
  for (unsigned dim : llvm::seq(op.getNumLoops()))
    if (inWeights(dim) && extentOf(dim) >= minExtent)
      return;
  SmallVector<int64_t> loops = loopsOf(*leading);
  int64_t along = loops.empty() ? -1 : loops.back();
  if (along >= 0)
    voteAlong(
        movable, [&](unsigned dim) { return int64_t(dim) == along; }, work);
}

/// Returns true if only the index at `position` changes along its loop.
static bool isAlone(ComputeOp op, ArrayRef<Value> indices, int64_t position) {
  auto loop = indices[position].getDefiningOp<IndexOp>();
  LaneAnalysis payload(op, loop.getDim());
  return llvm::all_of(indices, [&](Value other) {
    return other == indices[position] || payload.isUniform(other);
  });
}

/// Returns true if adjacent elements in memory are those of adjacent iterations
/// of a loop, which an index may be limited to some of.
static bool readsInOrder(ComputeOp op, tensor::ExtractOp read) {
  LinearForms forms(op);
  auto hasLoops = [&](Value index) {
    std::optional<LinearForm> form = forms.of(index);
    return form && !form->factors.empty();
  };
  Value last = read.getIndices().back();
  if (isa_and_present<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp,
                      arith::MaxUIOp>(last.getDefiningOp())) {
    ValueRange sides = last.getDefiningOp()->getOperands();
    last = hasLoops(sides.front()) ? sides.front() : sides.back();
  }
  if (!hasLoops(last))
    return false;
  return llvm::any_of(forms.of(last)->factors, [&](const auto &term) {
    LaneAnalysis payload(op, term.first);
    return term.second == 1 &&
           llvm::all_of(read.getIndices().drop_back(),
                        [&](Value other) { return payload.isUniform(other); });
  });
}

/// Lanes along a loop that a result cannot follow would be written one by one,
/// by the op itself or by one of the kernel that reads its result.
bool LayoutVoter::canResultsFollow(unsigned dim) {
  llvm::SetVector<std::pair<Operation *, unsigned>> writers;
  writers.insert({op, dim});
  for (size_t i = 0; i < writers.size(); ++i) {
    auto [writer, along] = writers[i];
    for (OpOperand &init : cast<ComputeOp>(writer).getDpsInitsMutable()) {
      Access access(init);
      std::optional<unsigned> position = access.positionOf(along);
      if (!position || access.stepAt(*position, along) != 1 ||
          !(groups.isMovable(init.get()) || *position + 1 == access.getRank()))
        return false;
      Value result = cast<ComputeOp>(writer).getTiedOpResult(&init);
      for (OpOperand &use : result.getUses()) {
        auto reader = dyn_cast<ComputeOp>(use.getOwner());
        if (!reader || !reader.isDpsInput(&use))
          continue;
        int64_t loop = loopsOf(use)[*position];
        if (loop < 0)
          return false;
        writers.insert({reader, unsigned(loop)});
      }
    }
  }
  return true;
}

/// Elements at computed indices are adjacent along the loop that is an index
/// of its own, if no other index has to do with it: vectors of them are no
/// gathers. Of several all will do: the ops beside this one decide. The threads
/// of a device read what is in order as it is.
void LayoutVoter::voteForReads() {
  bool isDevice = TargetAttr::processorOf(kernel).isDevice();
  // With other lanes each element is read by itself.
  auto lanes = double(minExtent);
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
    if (!groups.contains(extract.getTensor()) ||
        (isDevice && readsInOrder(op, extract)))
      continue;
    SmallVector<Value> indices(extract.getIndices());
    int64_t last = int64_t(indices.size()) - 1;
    // Of a tensor that keeps its layout only the last dimension is along
    // memory.
    int64_t first = groups.isMovable(extract.getTensor()) ? 0 : last;
    for (int64_t position = last; position >= first; --position) {
      auto loop = indices[position].getDefiningOp<IndexOp>();
      if (!loop || extentOf(loop.getDim()) < minExtent ||
          !isAlone(op, indices, position) || !canResultsFollow(loop.getDim()))
        continue;
      groups.vote(extract.getTensor(), position, lanes * work);
      for (OpOperand &init : op.getDpsInitsMutable())
        groups.vote(init.get(), *Access(init).positionOf(loop.getDim()),
                    lanes * work);
    }
  }
}

/// A copy, or a window without weights, between a tensor that stays as it is
/// and one that can follow: in another order one of them would be read or
/// written across.
void LayoutVoter::voteAtBorder() {
  OpOperand *fixed = nullptr;
  SmallVector<OpOperand *> movable;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!groups.contains(operand.get()) || !isAccessed(operand))
      continue;
    if (groups.isMovable(operand.get()))
      movable.push_back(&operand);
    else if (!isWeight(kernel, operand.get()))
      fixed = &operand;
    else if (op.getNumReductionLoops() != 0)
      return;
  }
  if (!fixed)
    return;
  SmallVector<int64_t> loops = loopsOf(*fixed);
  int64_t along = loops.empty() ? -1 : loops.back();
  if (along < 0 || extentOf(along) < minExtent)
    return;
  for (OpOperand *operand : movable) {
    Access access(*operand);
    for (unsigned position : llvm::seq(access.getRank()))
      if (access.dependsOnAt(position, along))
        groups.vote(operand->get(), position, work);
  }
}

void onnxc::krnl::voteForLayouts(LayoutGroups &groups, KernelOp kernel,
                                 ComputeOp op) {
  LayoutVoter voter(groups, kernel, op);
  voter.voteForSums();
  voter.voteAtBorder();
  voter.voteForReads();
}
