//===- ChooseLayouts.cpp - Which dimension lies along memory ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A tensor that only kernels know may have its dimensions in any order: the
// order is part of its type, and the accesses of the kernels follow. Here each
// such tensor gets the dimension last that those who compute most with it want
// along memory. For a convolution that is the output channels of its result,
// which are the vectors of its register tiles, and the input channels of its
// operand, which it sums up.
//
//   %y = kernel ... : 1x64x56x56   ->   %y = kernel ... : 1x56x56x64
//
// Tensors that are to have the same order stand together in a group: the same
// memory, or accessed side by side by one op. Operands of the model, results,
// constants, and whatever the host program looks into stay as they are; a
// kernel between the two worlds reads one way and writes the other.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLCHOOSELAYOUTSPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

/// What a loop of unknown extent counts as.
static constexpr int64_t unknownExtent = 64;
/// Fewer elements along memory than this do not fill a vector.
static constexpr int64_t leastExtent = 8;

namespace {

class LayoutChooser {
public:
  explicit LayoutChooser(Operation *module) : module(module) {}

  /// Returns the number of tensors between kernels whose order has changed.
  unsigned run();

private:
  // Groups of values.
  void separateEmpties();
  void addValues(KernelOp kernel);
  void tieMemory(KernelOp kernel);
  void tieNeighbours(KernelOp kernel);
  void pin(Value value);
  bool isMovable(Value value);
  bool isFree(Value value);
  unsigned find(unsigned node);
  void tie(Value a, Value b);

  // Votes.
  void vote(Value value, int64_t place, double weight);
  void voteFor(KernelOp kernel, linalg::GenericOp op);
  void voteAtBorder(KernelOp kernel, linalg::GenericOp op);
  void voteForReads(KernelOp kernel, linalg::GenericOp op);
  void voteAlong(linalg::GenericOp op, KernelOp kernel,
                 ArrayRef<OpOperand *> operands,
                 function_ref<bool(unsigned)> wanted, double weight);

  // Rewriting.
  SmallVector<int64_t> orderOf(Value value);
  void permute(KernelOp kernel);
  void permute(tensor::EmptyOp empty);
  void permute(tensor::DimOp dim);

  Operation *module;
  SmallVector<KernelOp> kernels;
  DenseMap<Value, unsigned> nodes;
  SmallVector<unsigned> parents;
  SmallVector<bool> pinned;
  /// By group, then dimension.
  DenseMap<unsigned, SmallVector<double>> votes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

unsigned LayoutChooser::find(unsigned node) {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

void LayoutChooser::tie(Value a, Value b) {
  auto x = nodes.find(a), y = nodes.find(b);
  if (x == nodes.end() || y == nodes.end())
    return;
  unsigned p = find(x->second), q = find(y->second);
  parents[p] = q;
  pinned[q] = pinned[q] || pinned[p];
}

void LayoutChooser::pin(Value value) {
  auto node = nodes.find(value);
  if (node != nodes.end())
    pinned[find(node->second)] = true;
}

/// Can the order of the value's dimensions be chosen?
bool LayoutChooser::isMovable(Value value) {
  auto node = nodes.find(value);
  return node != nodes.end() && !pinned[find(node->second)];
}

/// Each destination is memory of its own, however many share one op.
void LayoutChooser::separateEmpties() {
  SmallVector<tensor::EmptyOp> empties;
  module->walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties) {
    OpBuilder builder(empty);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : empty.getResult().getUses())
      if (!isa<tensor::DimOp>(use.getOwner()))
        uses.push_back(&use);
    for (OpOperand *use : ArrayRef(uses).drop_front(!uses.empty()))
      use->set(builder.clone(*empty)->getResult(0));
  }
}

void LayoutChooser::addValues(KernelOp kernel) {
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() >= 3 &&
        nodes.try_emplace(value, parents.size()).second) {
      parents.push_back(parents.size());
      pinned.push_back(false);
    }
  };
  llvm::for_each(kernel->getOperands(), add);
  llvm::for_each(kernel->getResults(), add);
  llvm::for_each(kernel.getBody().getArguments(), add);
  for (Operation &op : kernel.getBody().front())
    llvm::for_each(op.getResults(), add);
}

/// Values that stand for the same memory.
void LayoutChooser::tieMemory(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto [operand, argument] :
       llvm::zip_equal(kernel->getOperands(), body.getArguments()))
    tie(operand, argument);
  for (auto [number, result] : llvm::enumerate(kernel.getResults()))
    tie(result, kernel.getOutArgument(number));
  for (linalg::LinalgOp op : kernel.getStructuredOps())
    for (auto [init, result] :
         llvm::zip_equal(op.getDpsInits(), op->getResults()))
      tie(init, result);
}

/// Does nobody but kernels that can be rewritten know the value?
bool LayoutChooser::isFree(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    if (!kernel || !kernel.getRecipe().empty())
      return false;
  } else if (!isa<KernelOp, tensor::EmptyOp, linalg::GenericOp>(
                 value.getDefiningOp())) {
    return false;
  }
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto dim = dyn_cast<tensor::DimOp>(use.getOwner()))
      return dim.getConstantIndex().has_value();
    if (auto kernel = dyn_cast<KernelOp>(use.getOwner()))
      return kernel.getRecipe().empty();
    return isa<linalg::GenericOp, tensor::ExtractOp, YieldOp>(use.getOwner());
  });
}

/// The map without what it adds to loops: where the accesses lie side by side.
static SmallVector<int64_t> loopsOf(AffineMap map) {
  SmallVector<int64_t> loops;
  for (AffineExpr expr : map.getResults()) {
    int64_t only = -1;
    for (unsigned dim : llvm::seq(map.getNumDims()))
      if (expr.isFunctionOfDim(dim))
        only = only == -1 ? int64_t(dim) : -2;
    loops.push_back(only);
  }
  return loops;
}

/// Operands that an op which reduces nothing accesses by the same loops.
void LayoutChooser::tieNeighbours(KernelOp kernel) {
  for (linalg::LinalgOp op : kernel.getStructuredOps()) {
    if (op.getNumReductionLoops() != 0)
      continue;
    SmallVector<Value> values(op->getOperands());
    for (auto [i, a] : llvm::enumerate(values))
      for (auto [j, b] : llvm::enumerate(values)) {
        auto x = nodes.find(a), y = nodes.find(b);
        if (i >= j || x == nodes.end() || y == nodes.end() ||
            pinned[find(x->second)] || pinned[find(y->second)])
          continue;
        if (loopsOf(op.getMatchingIndexingMap(&op->getOpOperand(i))) ==
            loopsOf(op.getMatchingIndexingMap(&op->getOpOperand(j))))
          tie(a, b);
      }
  }
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

void LayoutChooser::vote(Value value, int64_t place, double weight) {
  auto node = nodes.find(value);
  if (node == nodes.end())
    return;
  SmallVector<double> &group = votes[find(node->second)];
  group.resize(cast<RankedTensorType>(value.getType()).getRank());
  group[place] += weight;
}

static int64_t extentOf(KernelOp kernel, linalg::GenericOp op, unsigned dim) {
  StringRef name = KernelOp::getAxes(op)[dim];
  LoopAttr loop = kernel.getLoop(*kernel.findLoop(name));
  return loop.isDynamic() ? unknownExtent : loop.getExtent();
}

/// The place where the map has the loop alone, or -1.
static int64_t placeOf(AffineMap map, unsigned dim) {
  for (auto [place, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(dim)) {
      auto terms = loopsOf(map);
      return terms[place] == int64_t(dim) ? int64_t(place) : -1;
    }
  return -1;
}

/// All of `operands` want the longest of the wanted loops along memory.
void LayoutChooser::voteAlong(linalg::GenericOp op, KernelOp kernel,
                              ArrayRef<OpOperand *> operands,
                              function_ref<bool(unsigned)> wanted,
                              double weight) {
  int64_t best = -1, longest = leastExtent - 1;
  for (unsigned dim : llvm::seq(op.getNumLoops()))
    if (wanted(dim) && extentOf(kernel, op, dim) > longest &&
        llvm::all_of(operands, [&](OpOperand *operand) {
          return placeOf(op.getMatchingIndexingMap(operand), dim) >= 0;
        })) {
      best = dim;
      longest = extentOf(kernel, op, dim);
    }
  if (best >= 0)
    for (OpOperand *operand : operands)
      vote(operand->get(), placeOf(op.getMatchingIndexingMap(operand), best),
           weight);
}

static bool isWeight(KernelOp kernel, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return false;
  Value outside = kernel->getOperand(argument.getArgNumber());
  while (Operation *view = outside.getDefiningOp()) {
    if (isa<ConstantOp>(view))
      return true;
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view))
      return false;
    outside = view->getOperand(0);
  }
  return false;
}

/// Products with weights, and windows, have wishes.
void LayoutChooser::voteFor(KernelOp kernel, linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return;
  OpOperand *weights = nullptr, *data = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    OpOperand *&slot = isWeight(kernel, input->get()) ? weights : data;
    if (slot)
      return;
    slot = input;
  }
  if (!data)
    return;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  OpOperand *result = op.getDpsInitOperand(0);
  AffineMap read = op.getMatchingIndexingMap(data);
  double work = 1, results = 1;
  bool window = false;
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    work *= double(extentOf(kernel, op, dim));
    if (kinds[dim] == utils::IteratorType::parallel)
      results *= double(extentOf(kernel, op, dim));
    window |= read.isFunctionOfDim(dim) && placeOf(read, dim) < 0;
  }
  auto isReduced = [&](unsigned dim) {
    return kinds[dim] == utils::IteratorType::reduction;
  };
  auto inWeights = [&](unsigned dim) {
    return weights && op.getMatchingIndexingMap(weights).isFunctionOfDim(dim);
  };
  if (weights) {
    voteAlong(
        op, kernel, {result},
        [&](unsigned dim) {
          return inWeights(dim) && !isReduced(dim) &&
                 !read.isFunctionOfDim(dim);
        },
        work);
    voteAlong(
        op, kernel, {data},
        [&](unsigned dim) { return inWeights(dim) && isReduced(dim); }, work);
  }
  // Few places of long vectors, as in the transforms of a convolution: what
  // one side has along memory the other had better have, too.
  if (weights && isMovable(data->get()) != isMovable(result->get())) {
    bool isShort = true;
    for (unsigned dim : llvm::seq(op.getNumLoops()))
      isShort &= !inWeights(dim) || extentOf(kernel, op, dim) < leastExtent;
    OpOperand *fixed = isMovable(data->get()) ? result : data;
    AffineMap map = op.getMatchingIndexingMap(fixed);
    int64_t along = map.getNumResults() == 0 ? -1 : loopsOf(map).back();
    if (isShort && along >= 0)
      voteAlong(
          op, kernel, {fixed == data ? result : data},
          [&](unsigned dim) { return int64_t(dim) == along; }, work);
  }
  // What only one side could follow would be turned inside the window. Without
  // weights any dimension will do that is long: it is less than a copy's wish.
  double strength = weights ? work : 0.5 * results;
  if (window && isMovable(data->get()) && isMovable(result->get()))
    voteAlong(
        op, kernel, {data, result},
        [&](unsigned dim) {
          return !isReduced(dim) && (!weights || inWeights(dim));
        },
        strength);
}

/// Elements at computed places are neighbours along the loop that is an index
/// of its own, if no other index has to do with it: vectors of them are no
/// gathers.
void LayoutChooser::voteForReads(KernelOp kernel, linalg::GenericOp op) {
  double work = 1;
  for (unsigned dim : llvm::seq(op.getNumLoops()))
    work *= double(extentOf(kernel, op, dim));
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
    if (!nodes.contains(extract.getTensor()))
      continue;
    SmallVector<Value> indices(extract.getIndices());
    for (int64_t place = int64_t(indices.size()) - 1; place >= 0; --place) {
      auto loop = indices[place].getDefiningOp<linalg::IndexOp>();
      // With other lanes each element is read by itself.
      constexpr double lanes = 8;
      if (!loop || extentOf(kernel, op, loop.getDim()) < leastExtent ||
          llvm::any_of(indices, [&](Value other) {
            SetVector<Operation *> slice;
            BackwardSliceOptions inside;
            inside.omitBlockArguments = true;
            inside.inclusive = true;
            (void)getBackwardSlice(other, &slice, inside);
            return other != indices[place] && slice.contains(loop);
          }))
        continue;
      // Lanes that the result does not follow would be written one by one.
      bool follows = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &o) {
        AffineMap map = op.getMatchingIndexingMap(&o);
        int64_t at = placeOf(map, loop.getDim());
        return at >= 0 && (isMovable(o.get()) || at + 1 == map.getNumResults());
      });
      if (!follows)
        continue;
      vote(extract.getTensor(), place, lanes * work);
      for (OpOperand &init : op.getDpsInitsMutable())
        vote(init.get(),
             placeOf(op.getMatchingIndexingMap(&init), loop.getDim()),
             lanes * work);
      break;
    }
  }
}

/// A copy, or a window without weights, between a tensor that stays as it is
/// and one that can follow: in another order one of them would be read or
/// written across.
void LayoutChooser::voteAtBorder(KernelOp kernel, linalg::GenericOp op) {
  OpOperand *fixed = nullptr;
  SmallVector<OpOperand *> movable;
  double work = 1;
  for (unsigned dim : llvm::seq(op.getNumLoops()))
    work *= double(extentOf(kernel, op, dim));
  for (OpOperand &operand : op->getOpOperands()) {
    bool isRead = !op.getMatchingBlockArgument(&operand).use_empty();
    if (!nodes.contains(operand.get()) || (op.isDpsInput(&operand) && !isRead))
      continue;
    if (isMovable(operand.get()))
      movable.push_back(&operand);
    else if (!isWeight(kernel, operand.get()))
      fixed = &operand;
    else if (op.getNumReductionLoops() != 0)
      return;
  }
  if (!fixed)
    return;
  AffineMap map = op.getMatchingIndexingMap(fixed);
  int64_t along = map.getNumResults() ? loopsOf(map).back() : -1;
  if (along < 0 || extentOf(kernel, op, along) < leastExtent)
    return;
  for (OpOperand *operand : movable)
    for (auto [place, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(operand).getResults()))
      if (expr.isFunctionOfDim(along))
        vote(operand->get(), place, work);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// For each new place of the value's dimensions the old one; empty if nothing
/// changes.
SmallVector<int64_t> LayoutChooser::orderOf(Value value) {
  auto node = nodes.find(value);
  if (node == nodes.end())
    return {};
  unsigned group = find(node->second);
  auto found = votes.find(group);
  if (pinned[group] || found == votes.end())
    return {};
  // Of equals the last: the first one is the batch.
  auto most = llvm::max_element(llvm::reverse(found->second));
  int64_t last = found->second.rend() - most - 1;
  int64_t rank = found->second.size();
  if (last == rank - 1)
    return {};
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != last)
      order.push_back(d);
  order.push_back(last);
  return order;
}

template <typename T>
static SmallVector<T> inOrder(ArrayRef<T> values, ArrayRef<int64_t> order) {
  return llvm::map_to_vector(order, [&](int64_t d) { return values[d]; });
}

static void permuteType(Value value, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  value.setType(RankedTensorType::get(inOrder(type.getShape(), order),
                                      type.getElementType()));
}

void LayoutChooser::permute(tensor::EmptyOp empty) {
  SmallVector<int64_t> order = orderOf(empty);
  if (order.empty())
    return;
  SmallVector<OpFoldResult> sizes =
      inOrder(ArrayRef<OpFoldResult>(empty.getMixedSizes()), order);
  OpBuilder builder(empty);
  auto made = tensor::EmptyOp::create(builder, empty.getLoc(), sizes,
                                      empty.getType().getElementType());
  nodes[made] = nodes[empty];
  empty.getResult().replaceAllUsesWith(made);
  empty.erase();
}

void LayoutChooser::permute(tensor::DimOp dim) {
  SmallVector<int64_t> order = orderOf(dim.getSource());
  if (order.empty())
    return;
  OpBuilder builder(dim);
  int64_t place = llvm::find(order, *dim.getConstantIndex()) - order.begin();
  dim.getIndexMutable().assign(
      arith::ConstantIndexOp::create(builder, dim.getLoc(), place));
}

/// Accesses inside the kernel follow their tensors.
void LayoutChooser::permute(KernelOp kernel) {
  for (linalg::LinalgOp structured : kernel.getStructuredOps()) {
    auto op = dyn_cast<linalg::GenericOp>(structured.getOperation());
    if (!op)
      continue;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (auto [map, operand] : llvm::zip_equal(maps, op->getOperands()))
      if (SmallVector<int64_t> order = orderOf(operand); !order.empty())
        map =
            AffineMap::get(map.getNumDims(), 0,
                           inOrder(map.getResults(), order), map.getContext());
    op.setIndexingMapsAttr(
        Builder(op.getContext()).getAffineMapArrayAttr(maps));
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
      if (SmallVector<int64_t> order = orderOf(extract.getTensor());
          !order.empty())
        extract.getIndicesMutable().assign(inOrder(
            ArrayRef<Value>(llvm::to_vector(extract.getIndices())), order));
  }
}

unsigned LayoutChooser::run() {
  separateEmpties();
  module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  llvm::for_each(kernels, [&](KernelOp kernel) { addValues(kernel); });
  llvm::for_each(kernels, [&](KernelOp kernel) { tieMemory(kernel); });
  SmallVector<Value> values(llvm::make_first_range(nodes));
  for (Value value : values)
    if (!isFree(value))
      pin(value);
  for (KernelOp kernel : kernels)
    tieNeighbours(kernel);
  for (KernelOp kernel : kernels)
    for (linalg::LinalgOp op : kernel.getStructuredOps())
      if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation())) {
        voteFor(kernel, generic);
        voteAtBorder(kernel, generic);
        voteForReads(kernel, generic);
      }

  // Accesses first: they look the values up.
  SetVector<Operation *> changed;
  unsigned count = 0;
  for (Value value : values) {
    if (orderOf(value).empty())
      continue;
    Operation *owner = value.getParentBlock()->getParentOp();
    if (Operation *maker = value.getDefiningOp();
        isa_and_nonnull<KernelOp>(maker)) {
      changed.insert(maker);
      ++count;
    }
    if (isa<KernelOp>(owner))
      changed.insert(owner);
  }
  SmallVector<tensor::DimOp> dims;
  module->walk([&](tensor::DimOp dim) { dims.push_back(dim); });
  for (tensor::DimOp dim : dims)
    permute(dim);
  for (KernelOp kernel : kernels)
    permute(kernel);
  for (Value value : values) {
    SmallVector<int64_t> order = orderOf(value);
    if (order.empty())
      continue;
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
      permute(empty);
    else
      permuteType(value, order);
  }
  for (KernelOp kernel : kernels)
    if (changed.contains(kernel))
      orderLoops(kernel);
  return count;
}

namespace {
struct KrnlChooseLayoutsPass
    : impl::KrnlChooseLayoutsPassBase<KrnlChooseLayoutsPass> {
  using Base::Base;

  void runOnOperation() override {
    numChanged += LayoutChooser(getOperation()).run();
  }
};
} // namespace

} // namespace onnxc::krnl
