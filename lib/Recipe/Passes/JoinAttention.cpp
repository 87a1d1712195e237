//===- JoinAttention.cpp - krnl-join-attention ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Copies of the three kernels are merged to predict the time that one kernel
// would take, one that has the keys in parts, one after the other, and two that
// have these at the same time. Those that are slower vanish
// again. Where the number of keys is dynamic, the copies have an
// assumed number of them, and the parts as many keys as those that are taken.
//
//===----------------------------------------------------------------------===//

#include "Kernels/AttentionLoops.h"
#include "Kernels/KernelShape.h"
#include "Passes/AssumeExtent.h"
#include "Passes/AttentionQuery.h"
#include "Passes/AttentionViews.h"
#include "Passes/FormChoice.h"
#include "Passes/RowVersions.h"
#include "Passes/ScaledFactors.h"
#include "Passes/SplitAttention.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Dialect/Krnl/Transforms/ReadTransposed.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"
#include "onnxc/Recipe/CostModel.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {

#define GEN_PASS_DEF_KRNLJOINATTENTIONPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {
/// The keys that are assumed where their number is dynamic: those of a text
/// of some length, in numbers of parts that are powers of two. They decide how
/// many keys a part has. Where 512, 1024, 2048 and 4096 are known, parts of 32,
/// 64, 64 to 256 and 128 to 256 are chosen (groups of 4 queries in f16, 16 rows
/// in f32, sm_80 and sm_90a): those of 1024 are in the middle.
constexpr int64_t assumedKeys = 1024;

/// Where the number of keys is no multiple of it, the keys of a part are one of
/// these: the last part goes on past the last key.
constexpr int64_t partMultiples[] = {16, 64};

/// A dynamic number of queries counts as `outerExtent`. Where another form is
/// profitable for the first of these, it is for more, and a version of its own
/// has them, and for as many of the next ones as it still is.
constexpr int64_t manyQueries[] = {1024, 512, 256};

/// A form without scores in memory: one kernel that has all keys of a row at
/// once, parts of so many in turn, or two, of which one combines the parts.
struct JoinedForm {
  enum class Parts { None, InTurn, AtOnce };
  Parts parts = Parts::None;
  int64_t keysOfPart = 0;
};

/// A form with the recipes of its kernels, and the cycles that these take.
struct PlannedForm {
  JoinedForm form;
  SmallVector<ArrayAttr> recipes;
  std::optional<double> cycles;
};

/// The form for at least so many queries.
struct FormOfMany {
  int64_t atLeast;
  JoinedForm form;
};

/// The kernels of an attention, and the form that they get; none if they stay.
struct Attention {
  KernelOp sums;
  AttentionParts parts;
  std::optional<JoinedForm> form;
  /// Another form, where the number of queries is dynamic.
  std::optional<FormOfMany> ofMany;
  /// The choice of these; nothing before it is made.
  std::optional<FormChoice> choice;

  bool isLike(const Attention &other) const {
    SmallVector<KernelOp> own = parts.all(), others = other.parts.all();
    return areAlike(sums, other.sums) && own.size() == others.size() &&
           llvm::all_of(llvm::zip_equal(own, others), [](auto pair) {
             return areAlike(std::get<0>(pair), std::get<1>(pair));
           });
  }
};

struct KrnlJoinAttentionPass
    : impl::KrnlJoinAttentionPassBase<KrnlJoinAttentionPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  void choose(IRRewriter &rewriter, Attention &attention);
  void chooseForMany(IRRewriter &rewriter, Attention &attention,
                     KernelOp joined);
  void predict(IRRewriter &rewriter, KernelOp joined, PlannedForm &planned);

  Processor processor;
  RecipeChooser *chooser = nullptr;
};
} // namespace

static void eraseAll(IRRewriter &rewriter, ArrayRef<KernelOp> kernels) {
  for (KernelOp kernel : llvm::reverse(kernels))
    eraseWithOperands(rewriter, kernel);
}

/// The loop over the keys in one of the kernels: that of the last
/// dimension of its result, or else the one that is summed up.
static std::string keyLoopOf(KernelOp kernel, bool isReduced) {
  auto last = kernel.getYield().getValues().front().getDefiningOp<ComputeOp>();
  if (!isReduced)
    return last.getLoopsAlong(*last.getDpsInitOperand(0)).back().str();
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    if (op.getNumReductionLoops() > 0)
      return reducedLoops(op).front();
  return "";
}

static bool hasKnownKeys(const AttentionParts &parts) {
  auto type =
      cast<RankedTensorType>(KernelOp(parts.scores).getResult(0).getType());
  return !type.isDynamicDim(type.getRank() - 1);
}

/// Copies of the kernels before the last one, with an assumed number of
/// keys if it is dynamic; none where they cannot have that.
static SmallVector<KernelOp> copyAll(IRRewriter &rewriter,
                                     const AttentionParts &parts, KernelOp sums,
                                     bool assumesKeys) {
  rewriter.setInsertionPoint(sums);
  SmallVector<KernelOp> copies;
  for (KernelOp part : parts.all())
    copies.push_back(cast<KernelOp>(rewriter.clone(*part)));
  copies.push_back(cast<KernelOp>(rewriter.clone(*sums)));
  if (!assumesKeys || hasKnownKeys(parts))
    return copies;
  for (KernelOp copy : copies)
    if (!assumeExtent(rewriter, copy, keyLoopOf(copy, copy == copies.back()),
                      assumedKeys)) {
      eraseAll(rewriter, copies);
      return {};
    }
  return copies;
}

/// The cycles of the kernels.
static std::optional<double> cyclesApart(IRRewriter &rewriter,
                                         const AttentionParts &parts,
                                         KernelOp sums,
                                         RecipeChooser &chooser) {
  SmallVector<KernelOp> copies = copyAll(rewriter, parts, sums, true);
  if (copies.empty())
    return std::nullopt;
  for (KernelOp copy : copies)
    dropUnitLoops(copy);
  std::optional<double> cycles = chooser.cyclesOf(copies);
  eraseAll(rewriter, copies);
  return cycles;
}

/// A copy of the kernels before the last one, made one; null if they
/// cannot be. Its result may have more dimensions.
static KernelOp joinCopies(IRRewriter &rewriter, const AttentionParts &parts,
                           KernelOp sums, bool assumesKeys) {
  // Copies use the views as well.
  SmallVector<KernelOp> copies = copyAll(rewriter, parts, sums, assumesKeys);
  return copies.empty()
             ? KernelOp()
             : mergeAttention(rewriter, parts, sums, std::move(copies));
}

/// The kernels that an attention of one kernel becomes.
static SmallVector<KernelOp> divide(IRRewriter &rewriter, KernelOp joined,
                                    const JoinedForm &form) {
  if (form.parts == JoinedForm::Parts::None)
    return {joined};
  return splitAttention(rewriter, joined, form.keysOfPart,
                        form.parts == JoinedForm::Parts::InTurn);
}

static std::string textOf(const JoinedForm &form) {
  std::string text = "attention without scores in memory";
  if (form.parts != JoinedForm::Parts::None)
    text += ", keys in parts of " + std::to_string(form.keysOfPart);
  if (form.parts == JoinedForm::Parts::InTurn)
    text += " with a running maximum";
  return text;
}

/// How many keys a part may have, so that a part is neither short nor padded as
/// a whole.
static SmallVector<int64_t> sizesOfParts(int64_t keys) {
  SmallVector<int64_t> sizes = llvm::map_to_vector(
      numbersOfParts(keys, keys), [&](int64_t parts) { return keys / parts; });
  if (keys % partMultiples[0] == 0)
    return sizes;
  for (int64_t parts = 1; parts <= maxSumParts; parts *= 2)
    for (int64_t multiple : partMultiples) {
      int64_t size =
          llvm::alignTo(llvm::divideCeil(keys, parts), uint64_t(multiple));
      if (size >= minTermsOfPart && size < 2 * keys &&
          !llvm::is_contained(sizes, size))
        sizes.push_back(size);
    }
  return sizes;
}

/// The loop over the rows of the attention in one kernel, if it is dynamic.
static std::optional<unsigned> dynamicRowsOf(KernelOp joined) {
  AttentionLoops loops(joined);
  if (!loops.find())
    return std::nullopt;
  std::optional<unsigned> rows = joined.findLoop(loops.row);
  return rows && joined.getLoop(*rows).isDynamic() ? rows : std::nullopt;
}

/// Predicts the cycles for the extents that the kernel has now, by recipes that
/// are chosen unless there are some.
void KrnlJoinAttentionPass::predict(IRRewriter &rewriter, KernelOp joined,
                                    PlannedForm &planned) {
  SmallVector<KernelOp> kernels = divide(rewriter, joined, planned.form);
  if (planned.recipes.empty())
    planned.recipes = llvm::map_to_vector(
        kernels, [&](KernelOp kernel) { return chooser->choose(kernel); });
  planned.cycles.reset();
  if (!kernels.empty())
    planned.cycles = 0;
  for (auto [kernel, recipe] : llvm::zip(kernels, planned.recipes)) {
    std::optional<NestCost> cost = chooser->costWith(kernel, recipe);
    planned.cycles = planned.cycles && cost
                         ? std::optional(*planned.cycles + cost->cycles)
                         : std::nullopt;
  }
  if (!llvm::is_contained(kernels, joined))
    eraseAll(rewriter, kernels);
}

/// Compares the form for the usual number of queries with parts of the keys in
/// turn, which have blocks enough where there are many queries. They have to be
/// a fifth faster, as there are two versions then. Recipes for most queries
/// serve for fewer.
void KrnlJoinAttentionPass::chooseForMany(IRRewriter &rewriter,
                                          Attention &attention,
                                          KernelOp joined) {
  std::optional<unsigned> rows = dynamicRowsOf(joined);
  if (!rows || !attention.form)
    return;
  LoopAttr before = joined.getLoop(*rows);
  setBounds(joined, *rows, before.getLimit(), manyQueries[0]);
  PlannedForm usual{*attention.form, {}, {}}, best;
  predict(rewriter, joined, usual);
  for (int64_t size : sizesOfParts(splittableKeys(rewriter, joined))) {
    PlannedForm planned{{JoinedForm::Parts::InTurn, size}, {}, {}};
    predict(rewriter, joined, planned);
    if (planned.cycles && (!best.cycles || *planned.cycles < *best.cycles))
      best = planned;
  }
  for (int64_t atLeast : manyQueries) {
    setBounds(joined, *rows, before.getLimit(), atLeast);
    predict(rewriter, joined, usual);
    if (best.cycles)
      predict(rewriter, joined, best);
    if (!best.cycles ||
        *best.cycles >= minGainOfKind * usual.cycles.value_or(0))
      break;
    attention.ofMany = FormOfMany{atLeast, best.form};
  }
  setBounds(joined, *rows, before.getLimit(), before.getAtLeast());
}

/// Finds the number of parts that takes the least time. All keys are in one
/// kernel only if their number is known.
void KrnlJoinAttentionPass::choose(IRRewriter &rewriter, Attention &attention) {
  std::optional<double> apart =
      cyclesApart(rewriter, attention.parts, attention.sums, *chooser);
  FormChoice &choice = attention.choice.emplace(
      PredictedForm{"attention with scores in memory", apart}, /*gain=*/1);
  auto offer = [&](const JoinedForm &form, std::optional<double> cycles) {
    bool isBetter = choice.offer({textOf(form), cycles});
    if (isBetter)
      attention.form = form;
    return isBetter;
  };
  KernelOp joined =
      apart ? joinCopies(rewriter, attention.parts, attention.sums, true)
            : KernelOp();
  std::optional<NestCost> together;
  if (joined && hasKnownKeys(attention.parts))
    together = chooser->costOf(joined);
  bool isCheaper =
      offer({}, together ? std::optional(together->cycles) : std::nullopt);
  if (!joined)
    return;
  int64_t keys = splittableKeys(rewriter, joined);
  auto offerParts = [&](JoinedForm::Parts how) {
    for (int64_t size : sizesOfParts(keys)) {
      JoinedForm form{how, size};
      SmallVector<KernelOp> kernels = divide(rewriter, joined, form);
      if (!kernels.empty())
        offer(form, chooser->cyclesOf(kernels));
      eraseAll(rewriter, kernels);
    }
  };
  offerParts(JoinedForm::Parts::InTurn);
  // As for parts of other sums, another launch has to be profitable.
  if (isCheaper)
    choice.limitTo(minGainOfKind * together->cycles);
  if (!isCheaper || mayBeProfitableInParts(*together, processor))
    offerParts(JoinedForm::Parts::AtOnce);
  chooseForMany(rewriter, attention, joined);
  eraseWithOperands(rewriter, joined);
}

/// The kernels of the form for so many iterations of the loop over the rows.
static SmallVector<KernelOp> divideVersion(IRRewriter &rewriter,
                                           KernelOp joined,
                                           const JoinedForm &form, Value extent,
                                           int64_t limit, int64_t atLeast) {
  unsigned rows = *dynamicRowsOf(joined);
  rewriter.setInsertionPoint(joined);
  auto version = cast<KernelOp>(rewriter.clone(*joined));
  version.getExtentMutable(rows).set(extent);
  setBounds(version, rows, limit, atLeast);
  SmallVector<KernelOp> kernels = divide(rewriter, version, form);
  if (!llvm::is_contained(kernels, version))
    eraseWithOperands(rewriter, version);
  return kernels;
}

/// The kernels of the attention; none where that is not possible. Where many
/// queries have another form, those of few come first: one of both versions has
/// no rows, and that of many writes into the result of the other one.
static SmallVector<KernelOp> divideAll(IRRewriter &rewriter, KernelOp joined,
                                       const Attention &attention) {
  std::optional<unsigned> rows = dynamicRowsOf(joined);
  if (!attention.ofMany || !rows)
    return divide(rewriter, joined, *attention.form);
  auto [atLeast, form] = *attention.ofMany;
  rewriter.setInsertionPoint(joined);
  auto [few, many] = splitExtent(rewriter, joined.getLoc(),
                                 cast<Value>(joined.getExtent(*rows)), atLeast);
  SmallVector<KernelOp> kernels = divideVersion(
      rewriter, joined, *attention.form, few, atLeast, /*atLeast=*/0);
  SmallVector<KernelOp> ofMany =
      divideVersion(rewriter, joined, form, many, /*limit=*/0, atLeast);
  if (kernels.empty() || ofMany.empty()) {
    eraseAll(rewriter, kernels);
    eraseAll(rewriter, ofMany);
    return {};
  }
  for (KernelOp kernel : kernels)
    kernel.setName((kernel.getName() + " few").str());
  ofMany.back().getOutsMutable().assign(kernels.back().getResults());
  llvm::append_range(kernels, ofMany);
  return kernels;
}

/// Replaces the kernels, if they are still there.
static void replace(IRRewriter &rewriter, const Attention &attention,
                    StringRef pass) {
  std::string reason;
  KernelOp sums = attention.sums;
  FailureOr<AttentionParts> parts = findAttention(sums, reason);
  KernelOp joined =
      succeeded(parts) ? joinCopies(rewriter, *parts, sums, false) : KernelOp();
  if (!joined)
    return;
  SmallVector<KernelOp> kernels = divideAll(rewriter, joined, attention);
  if (!llvm::is_contained(kernels, joined))
    eraseWithOperands(rewriter, joined);
  if (kernels.empty())
    return;
  // The rows of its products may be one query.
  for (KernelOp kernel : kernels)
    kernel.setKeepUnitLoops(true);
  KernelOp last = kernels.back();
  Value view = viewAs(rewriter, last.getResult(0),
                      cast<RankedTensorType>(sums.getResult(0).getType()));
  if (!view) {
    eraseAll(rewriter, kernels);
    return;
  }
  attention.choice->report(sums.getLoc(), pass);
  rewriter.replaceAllUsesWith(sums.getResult(0), view);
  eraseWithOperands(rewriter, sums);
  eraseAll(rewriter, parts->all());
}

static SmallVector<Attention> findAll(Operation *module) {
  SmallVector<Attention> found;
  std::string reason;
  for (KernelOp kernel : kernelsOf(module)) {
    FailureOr<AttentionParts> parts = findAttention(kernel, reason);
    if (succeeded(parts) && kernel.getNumResults() == 1)
      found.push_back(
          {kernel, *parts, std::nullopt, std::nullopt, std::nullopt});
  }
  return found;
}

/// Attentions whose last kernels also do what alone reads views of their
/// results, in turn.
static SmallVector<Attention> findWithReaders(IRRewriter &rewriter,
                                              Operation *module) {
  for (const Attention &attention : findAll(module))
    for (KernelOp sums = attention.sums; sums;)
      sums = joinReader(rewriter, sums);
  return findAll(module);
}

namespace {
/// Kernels of which those that a rewriter erases go.
struct KernelsLeft : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { kernels.erase(op); }

  SmallPtrSet<Operation *, 8> kernels;
};
} // namespace

/// Lets the products of attentions read keys and values in the order that these
/// have in memory. Layouts would be chosen so in the end: then the time that is
/// predicted here is that of the recipes that are written.
static void readInOrderOfMemory(IRRewriter &rewriter,
                                ArrayRef<Attention> attentions) {
  llvm::SetVector<KernelOp> products;
  for (const Attention &attention : attentions) {
    products.insert(attention.parts.scores);
    products.insert(attention.sums);
  }
  auto isProduct = [&](KernelOp reader) { return products.contains(reader); };
  for (KernelOp product : products)
    for (unsigned input = 0; input < product.getIns().size();) {
      auto copy = product.getIns()[input].getDefiningOp<KernelOp>();
      // Then there is another input at its place, perhaps.
      if (copy && readTransposed(rewriter, copy, isProduct))
        continue;
      if (copy)
        writeInOrder(rewriter, copy, product);
      ++input;
    }
}

/// Lets the products read what scales and transposes their factors reads.
static void foldFactors(IRRewriter &rewriter, ArrayRef<Attention> attentions) {
  for (const Attention &attention : attentions) {
    alignFactors(rewriter, attention.parts.scores);
    alignFactors(rewriter, attention.sums);
    moveScales(rewriter, attention.parts.scores);
  }
  readInOrderOfMemory(rewriter, attentions);
}

void KrnlJoinAttentionPass::runOnOperation() {
  processor = TargetAttr::processorOf(getOperation());
  if (!processor.isDevice())
    return;
  chooser = &getAnalysis<RecipeChooser>();
  IRRewriter rewriter(&getContext());
  SmallVector<Attention> found = findWithReaders(rewriter, getOperation());
  SmallVector<KernelOp> all;
  for (const Attention &attention : found) {
    llvm::append_range(all, attention.parts.all());
    all.push_back(attention.sums);
  }
  // One query of heads that share no keys is a row once it has a loop.
  KernelsLeft ofQuery;
  rewriter.setListener(&ofQuery);
  for (KernelOp kernel : kernelsOf(getOperation()))
    if (!llvm::is_contained(all, kernel) && addQuery(kernel))
      ofQuery.kernels.insert(kernel);
  if (!ofQuery.kernels.empty())
    found = findAll(getOperation());
  foldFactors(rewriter, found);
  // Layers of a model have the same attention.
  for (Attention &attention : found) {
    auto *like = llvm::find_if(
        found, [&](const Attention &a) { return a.isLike(attention); });
    if (like == &attention) {
      choose(rewriter, attention);
      continue;
    }
    attention.form = like->form;
    attention.ofMany = like->ofMany;
    attention.choice = like->choice;
  }
  for (const Attention &attention : found)
    if (attention.form)
      replace(rewriter, attention, getArgument());
    else
      attention.choice->report(KernelOp(attention.sums).getLoc(),
                               getArgument());
  for (KernelOp kernel : kernelsOf(getOperation()))
    if (ofQuery.kernels.contains(kernel))
      dropUnitLoops(kernel);
}

} // namespace onnxc
