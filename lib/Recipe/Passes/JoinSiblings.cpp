//===- JoinSiblings.cpp - krnl-join-siblings --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels that read the same tensors over the same loops take a launch each,
// and read them each. One kernel does what both do, where a device then takes
// less time.
//
//   %a = kernel "ReduceMin" loops [d = 4096] ins(%x)
//   %b = kernel "ReduceMax" loops [d = 4096] ins(%x)
// -> %a, %b = kernel "ReduceMin+ReduceMax" loops [d = 4096] ins(%x)
//
// So do two products of the same factor where an op after the second one reads
// the first one's results: a gate of a network and what it multiplies.
//
//   %g = kernel "gate" loops [n = 8192, k = 2048] ins(%x, %v)
//   %u = kernel "up" loops [n = 8192, k = 2048] ins(%x, %w, %g)
// -> %u = kernel "gate+up" loops [n = 8192, k = 2048] ins(%x, %v, %w)
//
// One op may have the sums of both (JoinSums.cpp).
//
//===----------------------------------------------------------------------===//

#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "Passes/JoinSums.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLJOINSIBLINGSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// What siblings have in common: the block of the host program, the numbers of
/// the kernels that make the tensors that they read, or of tensors that none
/// makes, and the extents of their loops.
struct Family {
  Block *block;
  std::vector<size_t> sources;
  std::vector<int64_t> extents;

  bool operator<(const Family &other) const {
    return std::tie(block, sources, extents) <
           std::tie(other.block, other.sources, other.extents);
  }
};

struct KrnlJoinSiblingsPass
    : DevicePass<impl::KrnlJoinSiblingsPassBase<KrnlJoinSiblingsPass>> {
  using DevicePass::DevicePass;

private:
  void begin() override {
    numbers.clear();
    last.clear();
  }
  void rewrite(KernelOp kernel) override;
  Family familyOf(KernelOp kernel);
  size_t numberOf(const void *source) {
    auto [at, isNew] = numbers.try_emplace(source, nextNumber);
    nextNumber += isNew;
    return at->second;
  }
  bool isInTurn(KernelOp maker, KernelOp reader);
  KernelOp offer(KernelOp joined, FormChoice &choice);
  void replace(KernelOp first, KernelOp second, KernelOp joined);
  KernelOp joinIfCheaper(KernelOp first, KernelOp second);
  KernelOp joinInTurn(KernelOp maker, KernelOp reader);
  KernelOp joinWithMaker(KernelOp kernel);

  /// Of kernels and tensors, in the order in which they are met. A kernel that
  /// takes the place of two has the number of the first.
  DenseMap<const void *, size_t> numbers;
  size_t nextNumber = 0;
  /// The last kernel of each family.
  std::map<Family, KernelOp> last;
};

} // namespace

/// The tensor that a view shows.
static Value sourceOf(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (!isa<tensor::ReshapeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      break;
    view = op->getOperand(0);
  }
  return view;
}

/// Constants are no sources.
Family KrnlJoinSiblingsPass::familyOf(KernelOp kernel) {
  Family family{kernel->getBlock(), {}, {}};
  for (Value in : kernel.getIns()) {
    if (!isa<RankedTensorType>(in.getType()) || isConstantView(in))
      continue;
    Value source = sourceOf(in);
    auto maker = source.getDefiningOp<KernelOp>();
    family.sources.push_back(numberOf(maker ? maker.getAsOpaquePointer()
                                            : source.getAsOpaquePointer()));
  }
  llvm::sort(family.sources);
  family.sources.erase(llvm::unique(family.sources), family.sources.end());
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    family.extents.push_back(loop.isDynamic() ? ShapedType::kDynamic
                                              : loop.getExtent());
  return family;
}

/// Offers the joined kernel, and the same with one op for its sums of products
/// of one factor. Returns the one that takes less time, and erases the other.
KernelOp KrnlJoinSiblingsPass::offer(KernelOp joined, FormChoice &choice) {
  choice.offer(
      {"one kernel of the same loops", chooser->cyclesOf(joined, {keepOrder})});
  IRRewriter rewriter(joined.getContext());
  rewriter.setInsertionPoint(joined);
  auto variant = cast<KernelOp>(rewriter.clone(*joined));
  bool isBetter =
      joinSums(rewriter, variant) &&
      choice.offer({"one op for the sums of kernels of the same loops",
                    chooser->cyclesOf(variant, {keepOrder})});
  KernelOp other = isBetter ? joined : variant;
  other.erase();
  return isBetter ? variant : joined;
}

/// The kernel that does what both do; null if it takes more time. Both could
/// run at the same time, so that it may not be much longer than one.
KernelOp KrnlJoinSiblingsPass::joinIfCheaper(KernelOp first, KernelOp second) {
  std::optional<NestCost> mine = chooser->costOf(first, {keepOrder}),
                          theirs = chooser->costOf(second, {keepOrder});
  if (!mine || !theirs ||
      first.getNumOperands() + second.getNumOperands() > maxJoinedOperands)
    return nullptr;
  IRRewriter rewriter(first.getContext());
  KernelOp joined = joinSiblings(rewriter, first, second);
  if (!joined)
    return nullptr;
  FormChoice choice(
      {"two kernels of the same loops", mine->cycles + theirs->cycles});
  choice.limitTo(maxSiblingGrowth * std::max(mine->cycles, theirs->cycles));
  joined = offer(joined, choice);
  if (!choice.report(second.getLoc(), getArgument())) {
    joined.erase();
    return nullptr;
  }
  ResultRange results = joined.getResults();
  first.replaceAllUsesWith(results.take_front(first.getNumResults()));
  second.replaceAllUsesWith(results.drop_front(first.getNumResults()));
  replace(first, second, joined);
  return joined;
}

/// Erases both, of which the joined kernel has taken the place.
void KrnlJoinSiblingsPass::replace(KernelOp first, KernelOp second,
                                   KernelOp joined) {
  size_t number = numberOf(first.getAsOpaquePointer());
  IRRewriter rewriter(joined.getContext());
  for (KernelOp kernel : {second, first}) {
    numbers.erase(kernel.getAsOpaquePointer());
    eraseWithOperands(rewriter, kernel);
  }
  numbers[joined.getAsOpaquePointer()] = number;
}

static bool hasContraction(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [](ComputeOp op) {
    return reductionKindOf(op) == ReductionKind::Contraction;
  });
}

/// Returns true if both have products over the same loops, and the reader needs
/// nothing that takes longer than what the maker needs.
bool KrnlJoinSiblingsPass::isInTurn(KernelOp maker, KernelOp reader) {
  if (!maker || !maker.getRecipe().empty() || !hasContraction(maker) ||
      !hasContraction(reader) ||
      !llvm::all_of(maker->getUsers(),
                    [&](Operation *user) { return user == reader; }))
    return false;
  Family first = familyOf(maker), second = familyOf(reader);
  return first.block == second.block && first.extents == second.extents &&
         llvm::all_of(reader.getIns(), [&](Value in) {
           Value source = sourceOf(in);
           if (isa<BlockArgument>(source) || isConstantView(in) ||
               source.getDefiningOp() == maker)
             return true;
           auto other = source.getDefiningOp<KernelOp>();
           return other &&
                  llvm::is_contained(first.sources,
                                     numberOf(other.getAsOpaquePointer()));
         });
}

/// The kernel of a maker and its reader, which run one after the other; null if
/// it takes more time. Copies are merged, so that nothing changes then.
KernelOp KrnlJoinSiblingsPass::joinInTurn(KernelOp maker, KernelOp reader) {
  std::optional<double> apart = chooser->cyclesOf({maker, reader}, {keepOrder});
  if (!apart ||
      maker.getNumOperands() + reader.getNumOperands() > maxJoinedOperands)
    return nullptr;
  IRRewriter rewriter(maker.getContext());
  rewriter.setInsertionPoint(reader);
  auto first = cast<KernelOp>(rewriter.clone(*maker)),
       second = cast<KernelOp>(rewriter.clone(*reader));
  for (auto [result, copy] :
       llvm::zip_equal(maker.getResults(), first.getResults()))
    second->replaceUsesOfWith(result, copy);
  std::string reason;
  FailureOr<KernelOp> joined = mergeKernels(rewriter, first, second, reason);
  if (failed(joined)) {
    eraseWithOperands(rewriter, second);
    eraseWithOperands(rewriter, first);
    return nullptr;
  }
  foldElementwise(rewriter, *joined);
  // Other pairs of the loops would compute one product for each of the other.
  bool isSame = joined->getLoops().size() == maker.getLoops().size();
  FormChoice choice({"two kernels of the same loops in turn", apart},
                    /*gain=*/1);
  if (isSame)
    joined = offer(*joined, choice);
  if (!choice.report(reader.getLoc(), getArgument())) {
    eraseWithOperands(rewriter, *joined);
    return nullptr;
  }
  reader.replaceAllUsesWith(joined->getResults());
  replace(maker, reader, *joined);
  return *joined;
}

/// The kernel that takes the place of this one and of a maker of what it reads;
/// null if none does.
KernelOp KrnlJoinSiblingsPass::joinWithMaker(KernelOp kernel) {
  for (Value in : kernel.getIns()) {
    auto maker = in.getDefiningOp<KernelOp>();
    if (!isInTurn(maker, kernel))
      continue;
    auto known = last.find(familyOf(maker));
    if (KernelOp joined = joinInTurn(maker, kernel)) {
      if (known != last.end() && known->second == maker)
        last.erase(known);
      return joined;
    }
  }
  return nullptr;
}

/// Joins the kernel with the last one of its family, so that the number of
/// tries is at most that of kernels.
void KrnlJoinSiblingsPass::rewrite(KernelOp kernel) {
  if (!kernel.getRecipe().empty())
    return;
  if (KernelOp joined = joinWithMaker(kernel))
    kernel = joined;
  Family family = familyOf(kernel);
  if (family.sources.empty())
    return;
  KernelOp &before = last[family];
  KernelOp joined = before ? joinIfCheaper(before, kernel) : KernelOp();
  before = joined ? joined : kernel;
}

} // namespace onnxc
