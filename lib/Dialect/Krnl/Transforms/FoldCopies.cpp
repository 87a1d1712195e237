//===- FoldCopies.cpp - Results written where they are wanted ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A border around a tensor and the concatenation of tensors are kernels that
// copy whole tensors into parts of a larger one. Where such a tensor is itself
// made by a kernel, that kernel writes into the part instead: the copy goes,
// and of a border only the filling is left.
//
//   %x = kernel "conv" outs(%e: 1x8x14x14)   %x = kernel "conv" outs(%e:
//   ..16x16) %y = kernel "pad" ins(%x)           ->        writes at [.., h +
//   1, w + 1]
//        { fill; copy to h + 1, w + 1 }      %y = kernel "pad" outs(%x)
//                                                 { fill the four borders }
//
// Everybody else who reads the tensor reads the part.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/PartialAccess.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLFOLDCOPIESPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// Where a tensor lies inside a larger one of the same rank.
struct Part {
  SmallVector<int64_t> offsets;
  RankedTensorType small, large;

  int64_t end(unsigned d) const { return offsets[d] + small.getDimSize(d); }
  bool isWhole(unsigned d) const {
    return small.getDimSize(d) == large.getDimSize(d);
  }
  bool overlaps(const Part &other) const {
    for (unsigned d = 0; d < offsets.size(); ++d)
      if (end(d) <= other.offsets[d] || other.end(d) <= offsets[d])
        return false;
    return true;
  }
  AffineMap shift(AffineMap map) const;
};

/// An op that copies an input of its kernel into a part of the result.
struct PartCopy {
  linalg::GenericOp op;
  unsigned input;
  Part part;
  /// The kernel that makes the input, where it may write into the part.
  KernelOp producer;
};

/// Folds the copies of one kernel.
class CopyFolder {
public:
  CopyFolder(RewriterBase &rewriter, KernelOp kernel)
      : rewriter(rewriter), kernel(kernel) {}

  /// Returns the number of copies folded; the kernel may be gone after that.
  unsigned run();

private:
  bool match();
  bool mayFold(PartCopy &copy);
  void fold(PartCopy &copy);
  void fillAround(const Part &part);
  void finish();

  RewriterBase &rewriter;
  KernelOp kernel;
  /// The first op, if it fills the whole result.
  linalg::GenericOp fill;
  SmallVector<PartCopy> copies;
  /// The values that the large tensor has had so far, one writer each.
  SmallVector<Value> chain;
};

} // namespace

//===----------------------------------------------------------------------===//
// Maps and carriers
//===----------------------------------------------------------------------===//

static bool isPartial(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto bound = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  return binary && binary.getKind() == AffineExprKind::Mod && bound &&
         bound.getValue() == beyondAnyLoop;
}

static AffineExpr withoutPart(AffineExpr expr) {
  return isPartial(expr) ? cast<AffineBinaryOpExpr>(expr).getLHS() : expr;
}

/// The map of an access to the small tensor, as one to the large tensor.
AffineMap Part::shift(AffineMap map) const {
  SmallVector<AffineExpr> results;
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (offsets[d] != 0)
      results.push_back(withoutPart(expr) + offsets[d]);
    else if (!isWhole(d) && isa<AffineDimExpr>(expr))
      results.push_back(expr % beyondAnyLoop);
    else
      results.push_back(expr);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// An operand that nobody reads, whose only dimension has the loop's extent.
static BlockArgument carrierOf(RewriterBase &rewriter, KernelOp kernel,
                               StringRef loop) {
  int64_t extent = kernel.getLoop(*kernel.findLoop(loop)).getExtent();
  auto type = RankedTensorType::get({extent}, rewriter.getI8Type());
  for (auto [in, image] :
       llvm::zip_first(kernel.getIns(), kernel.getBody().getArguments()))
    if (in.getType() == type && in.getDefiningOp<tensor::EmptyOp>())
      return image;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Value carrier = tensor::EmptyOp::create(
      rewriter, kernel.getLoc(), type.getShape(), type.getElementType());
  unsigned place = kernel.getIns().size();
  kernel.getInsMutable().append(carrier);
  return kernel.getBody().insertArgument(place, carrier.getType(),
                                         kernel.getLoc());
}

/// Adds operands until each loop of the op indexes some dimension alone.
static void addCarriers(RewriterBase &rewriter, KernelOp kernel,
                        linalg::GenericOp op) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    AffineExpr plain = rewriter.getAffineDimExpr(dim);
    if (llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
          return llvm::is_contained(map.getResults(), plain);
        }))
      continue;
    BlockArgument carrier = carrierOf(rewriter, kernel, axes[dim]);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned place = op.getNumDpsInputs();
    maps.insert(maps.begin() + place,
                AffineMap::get(op.getNumLoops(), 0, plain));
    op.getInputsMutable().append(ValueRange(carrier));
    op.getBody()->insertArgument(place, rewriter.getI8Type(), op.getLoc());
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }
}

/// Lets the ops that access `tensor`, now a large one, access its part.
static void accessPart(RewriterBase &rewriter, KernelOp kernel, Value tensor,
                       const Part &part) {
  tensor.setType(part.large);
  // New operands move the old ones, so no uses are held on to.
  SetVector<Operation *> users(tensor.user_begin(), tensor.user_end());
  for (Operation *user : users) {
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (!op)
      continue;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (unsigned i : llvm::seq<unsigned>(maps.size()))
      if (op->getOperand(i) == tensor)
        maps[i] = part.shift(maps[i]);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    addCarriers(rewriter, kernel, op);
    for (auto [init, result] :
         llvm::zip_equal(op.getDpsInits(), op.getResults()))
      if (init == tensor)
        accessPart(rewriter, kernel, result, part);
  }
}

//===----------------------------------------------------------------------===//
// Which copies can go
//===----------------------------------------------------------------------===//

/// Has the op nothing but a terminator, and no reductions?
static bool onlyYields(linalg::GenericOp op) {
  return op && op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
         op.getBody()->getOperations().size() == 1;
}

/// Does the op write one value to every element of its destination?
static bool fillsAll(linalg::GenericOp op) {
  if (!onlyYields(op) ||
      op.getBody()->getTerminator()->getOperand(0).getParentBlock() ==
          op.getBody())
    return false;
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineDimExpr>(expr) && type.getDimSize(d) != 1)
      return false;
  return true;
}

/// Reads the op as a copy of all of a kernel input into a part of the result.
static std::optional<PartCopy> readCopy(KernelOp kernel, linalg::GenericOp op) {
  if (!onlyYields(op))
    return std::nullopt;
  auto yielded =
      dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
  if (!yielded || yielded.getOwner() != op.getBody() ||
      yielded.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  OpOperand *source = op.getDpsInputOperand(yielded.getArgNumber());
  auto image = dyn_cast<BlockArgument>(source->get());
  if (!image || image.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  PartCopy copy{op, image.getArgNumber(), {}, nullptr};
  copy.part.small = cast<RankedTensorType>(image.getType());
  copy.part.large = cast<RankedTensorType>(op.getResult(0).getType());
  AffineMap from = op.getMatchingIndexingMap(source),
            to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (from.getNumResults() != to.getNumResults() ||
      !copy.part.small.hasStaticShape() || !copy.part.large.hasStaticShape())
    return std::nullopt;
  unsigned loops = 0;
  for (auto [read, write] : llvm::zip(from.getResults(), to.getResults())) {
    // The whole of each dimension: a loop of its own, or the only element.
    loops += isa<AffineDimExpr>(read);
    unsigned d = copy.part.offsets.size();
    if (!isa<AffineDimExpr>(read) && copy.part.small.getDimSize(d) != 1)
      return std::nullopt;
    auto offset = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(withoutPart(write) - read, from.getNumDims(), 0));
    if (!offset)
      return std::nullopt;
    copy.part.offsets.push_back(offset.getValue());
  }
  if (loops != op.getNumLoops())
    return std::nullopt;
  return copy;
}

/// The kernel must consist of a chain of copies into parts that do not touch
/// each other, or of a fill and one copy.
bool CopyFolder::match() {
  if (kernel.getOuts().size() != 1 || !kernel.getRecipe().empty() ||
      !kernel.getOuts()[0].getDefiningOp<tensor::EmptyOp>())
    return false;
  Value last = kernel.getOutArgument(0);
  for (linalg::LinalgOp structured : kernel.getStructuredOps()) {
    auto op = dyn_cast<linalg::GenericOp>(structured.getOperation());
    if (!op || op.getNumDpsInits() != 1 || op.getDpsInits()[0] != last)
      return false;
    last = op.getResult(0);
    if (!fill && copies.empty() && fillsAll(op)) {
      fill = op;
      continue;
    }
    std::optional<PartCopy> copy = readCopy(kernel, op);
    if (!copy || (fill && !copies.empty()) ||
        llvm::any_of(copies, [&](const PartCopy &other) {
          return copy->part.overlaps(other.part);
        }))
      return false;
    copies.push_back(std::move(*copy));
  }
  return !copies.empty();
}

/// All uses are reads by structured ops.
static bool isReadByOpsOnly(Value argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    return op && !op.isDpsInit(&use);
  });
}

/// May the maker of the tensor write into the part? All who know the tensor
/// must be kernels that can be told.
bool CopyFolder::mayFold(PartCopy &copy) {
  Value tensor = kernel.getIns()[copy.input];
  auto producer = tensor.getDefiningOp<KernelOp>();
  if (!producer || producer->getBlock() != kernel->getBlock() ||
      !producer.getRecipe().empty())
    return false;
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  if (!producer.getOuts()[number].getDefiningOp<tensor::EmptyOp>())
    return false;
  for (Value operand : producer->getOperands())
    if (llvm::is_contained(chain, operand))
      return false;
  // A kernel cannot write to the same tensor twice.
  for (Value made : chain)
    if (made.getDefiningOp() == producer)
      return false;
  SmallVector<Value> written{producer.getOutArgument(number)};
  while (!written.empty())
    for (OpOperand &use : written.pop_back_val().getUses())
      if (auto op = dyn_cast<linalg::GenericOp>(use.getOwner())) {
        if (op.isDpsInit(&use))
          written.push_back(op.getTiedOpResult(&use));
      } else if (!isa<YieldOp>(use.getOwner())) {
        return false;
      }
  for (OpOperand &use : tensor.getUses()) {
    auto user = dyn_cast<KernelOp>(use.getOwner());
    if (!user || user->getBlock() != kernel->getBlock() ||
        !user.getRecipe().empty() ||
        use.getOperandNumber() >= user.getIns().size() ||
        !isReadByOpsOnly(user.getInArgument(use.getOperandNumber())))
      return false;
    // It would read what it writes.
    if (user == kernel && (use.getOperandNumber() != copy.input ||
                           !kernel.getInArgument(copy.input).hasOneUse()))
      return false;
  }
  copy.producer = producer;
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The copy's producer becomes the next writer of the large tensor.
void CopyFolder::fold(PartCopy &copy) {
  auto tensor = cast<OpResult>(kernel.getIns()[copy.input]);
  KernelOp producer = copy.producer;
  unsigned number = tensor.getResultNumber();
  rewriter.setInsertionPoint(producer);
  Value before = chain.empty()
                     ? tensor::EmptyOp::create(rewriter, kernel.getLoc(),
                                               copy.part.large.getShape(),
                                               copy.part.large.getElementType())
                           .getResult()
                     : chain.back();
  producer.getOutsMutable()[number].set(before);
  accessPart(rewriter, producer, producer.getOutArgument(number), copy.part);
  chain.push_back(tensor);

  // The copy itself.
  rewriter.replaceOp(copy.op, copy.op.getDpsInits()[0]);
  kernel.getBody().eraseArgument(copy.input);
  kernel.getInsMutable().erase(copy.input);
  for (PartCopy &other : copies)
    other.input -= other.input > copy.input;

  tensor.setType(copy.part.large);
  SetVector<Operation *> users(tensor.user_begin(), tensor.user_end());
  for (Operation *op : users) {
    auto user = cast<KernelOp>(op);
    for (unsigned i = 0; i < user.getIns().size(); ++i)
      if (user.getIns()[i] == tensor)
        accessPart(rewriter, user, user.getInArgument(i), copy.part);
  }
}

/// Fills what is outside the part: for each dimension what comes before and
/// after it, over the part in the dimensions before and all of those after.
void CopyFolder::fillAround(const Part &part) {
  AffineMap whole = fill.getMatchingIndexingMap(fill.getDpsInitOperand(0));
  SmallVector<Attribute> loops(kernel.getLoops().begin(),
                               kernel.getLoops().end());
  SmallVector<StringRef> axes = KernelOp::getAxes(fill);
  Value last = kernel.getOutArgument(0);
  SmallVector<linalg::GenericOp> made;
  auto addStrip = [&](unsigned dim, int64_t begin, int64_t end) {
    if (begin == end)
      return;
    SmallVector<std::string> names;
    SmallVector<AffineExpr> at;
    for (unsigned d = 0; d < part.offsets.size(); ++d) {
      int64_t from = d == dim ? begin : d < dim ? part.offsets[d] : 0;
      int64_t to = d == dim  ? end
                   : d < dim ? part.end(d)
                             : part.large.getDimSize(d);
      auto plain = dyn_cast<AffineDimExpr>(whole.getResult(d));
      if (to - from == 1) {
        at.push_back(rewriter.getAffineConstantExpr(from));
        continue;
      }
      AffineExpr loop = rewriter.getAffineDimExpr(names.size());
      if (to - from == part.large.getDimSize(d)) {
        names.push_back(axes[plain.getPosition()].str());
        at.push_back(loop);
        continue;
      }
      names.push_back(llvm::formatv("b{0}_{1}", made.size(), d).str());
      loops.push_back(
          LoopAttr::get(kernel.getContext(), names.back(), to - from));
      at.push_back(from ? loop + from : loop % beyondAnyLoop);
    }
    SmallVector<utils::IteratorType> kinds(names.size(),
                                           utils::IteratorType::parallel);
    auto strip = linalg::GenericOp::create(
        rewriter, fill.getLoc(), TypeRange(last.getType()), ValueRange(),
        ValueRange(last),
        AffineMap::get(names.size(), 0, at, kernel.getContext()), kinds,
        [&](OpBuilder &b, Location loc, ValueRange) {
          linalg::YieldOp::create(
              b, loc, fill.getBody()->getTerminator()->getOperand(0));
        });
    KernelOp::setAxes(strip, llvm::to_vector_of<StringRef>(names));
    made.push_back(strip);
    last = strip.getResult(0);
  };
  rewriter.setInsertionPoint(fill);
  for (unsigned d = 0; d < part.offsets.size(); ++d) {
    addStrip(d, 0, part.offsets[d]);
    addStrip(d, part.end(d), part.large.getDimSize(d));
  }
  kernel.setLoopsAttr(rewriter.getArrayAttr(loops));
  for (linalg::GenericOp strip : made)
    addCarriers(rewriter, kernel, strip);
  rewriter.replaceOp(fill, last);
}

/// Lets readers after each writer see what it has written, and drops what the
/// kernel does not need any more.
void CopyFolder::finish() {
  kernel.getOutsMutable()[0].set(chain.back());
  chain.push_back(kernel.getResult(0));
  for (unsigned i = 0; i + 1 < chain.size(); ++i)
    for (OpOperand &use : llvm::make_early_inc_range(chain[i].getUses())) {
      auto user = cast<KernelOp>(use.getOwner());
      if (use.getOperandNumber() >= user.getIns().size())
        continue;
      for (Value later : ArrayRef(chain).drop_front(i + 1))
        if (later.getDefiningOp()->isBeforeInBlock(user))
          use.set(later);
    }
  if (kernel.getStructuredOps().empty()) {
    rewriter.replaceOp(kernel, kernel.getOuts()[0]);
    return;
  }
  SmallVector<Attribute> kept;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    if (llvm::any_of(kernel.getStructuredOps(), [&](linalg::LinalgOp op) {
          return llvm::is_contained(KernelOp::getAxes(op), loop.getName());
        }))
      kept.push_back(loop);
  kernel.setLoopsAttr(rewriter.getArrayAttr(kept));
}

unsigned CopyFolder::run() {
  if (!match())
    return 0;
  SmallVector<PartCopy *> inOrder;
  for (PartCopy &copy : copies)
    if (mayFold(copy))
      inOrder.push_back(&copy);
  llvm::sort(inOrder, [](PartCopy *a, PartCopy *b) {
    return a->producer->isBeforeInBlock(b->producer);
  });
  unsigned count = 0;
  for (PartCopy *copy : inOrder) {
    // What was folded before may stand in the way.
    if (!mayFold(*copy))
      continue;
    fold(*copy);
    if (fill)
      fillAround(copy->part);
    ++count;
  }
  if (count)
    finish();
  return count;
}

namespace {
struct KrnlFoldCopiesPass : impl::KrnlFoldCopiesPassBase<KrnlFoldCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : kernels)
      numFolded += CopyFolder(rewriter, kernel).run();
  }
};
} // namespace

} // namespace onnxc::krnl
