//===- FoldConstants.cpp - Evaluation of constants --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations whose operands are all constant are constant subgraphs. The
// results that the rest of the model reads are computed by a function of its
// own, all such functions of a round in one; its results become constants.
//
// Where this is not profitable or not possible, the attribute onnx.not_folded
// of the operation is the reason, so that it is not tried again.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/Transforms/FoldConstants.h"
#include "Simplify.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "onnxc/Support/Budget.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

/// A result may be larger than the constants that it is computed from by so
/// much: results cheaper to compute than to store are not folded.
static constexpr uint64_t allowedGrowth = 64 * 1024;

/// The same where functions are computed for as many elements, such as a sine,
/// which take longer than to read the results.
static constexpr uint64_t allowedFunctionGrowth = 16 * 1024 * 1024;

/// The limit on the elements of a tensor of strings.
static constexpr uint64_t maxStringBytes = 16 * 1024 * 1024;

/// Limit on the visits of operations in long chains of large results.
static constexpr uint64_t maxVisits = 1000 * 1000;

static constexpr StringLiteral notFoldedName = "onnx.not_folded";

/// Returns true for a constant whose elements are there.
static bool isKnownConstant(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  TypedAttr value =
      constant ? dyn_cast<TypedAttr>(constant.getElements()) : TypedAttr();
  auto blob = dyn_cast_or_null<onnxc::onnx::BlobAttr>(value);
  return value && (!blob || BlobStore::get(blob.getContext()).contains(blob));
}

/// Returns true if `op` gives weights to convolutions of reals alone: each of
/// them is used many times, and no form of such a product takes them as bytes.
static bool feedsRealConvolutions(Operation *op) {
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    return isa<ConvOp, ConvTransposeOp>(user) && use.getOperandNumber() == 1 &&
           !user->getOperand(0).getDefiningOp<DequantizeLinearOp>();
  });
}

/// Weights stay as small as their quantised form, where products may take them
/// so: those of at most a byte.
static bool growsWeights(Operation *op) {
  if (!isa<DequantizeLinearOp, MicrosoftDequantizeLinearOp>(op))
    return false;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  bool isWide = element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 8;
  return !isWide && !feedsRealConvolutions(op);
}

/// Returns true if `op` gives the same results in every run that gives it the
/// same operands, in a time bounded by these, and has not been tried.
static bool isComputable(Operation *op) {
  return isa_and_present<ONNXDialect>(op->getDialect()) &&
         !isa<ConstantOp>(op) && !growsWeights(op) && isPure(op) &&
         op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         op->getNumOperands() != 0 && !op->hasAttr(notFoldedName);
}

/// Returns true if `op` computes a function that is no arithmetic of each
/// element.
static bool isFunction(Operation *op) {
  return isa<AcosOp, AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp, CosOp, CoshOp,
             EluOp, ErfOp, ExpOp, GeluOp, LogOp, MishOp, PowOp, SeluOp,
             SigmoidOp, SinOp, SinhOp, SoftmaxOp, SoftplusOp, TanOp, TanhOp>(
      op);
}

/// Bytes of the value of a constant or of a value of this type; nothing if
/// it is dynamic.
static std::optional<uint64_t> bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? getRawSize(tensor) : std::nullopt;
}

/// Bytes of the elements of a constant.
static uint64_t bytesOf(TypedAttr value) {
  auto strings = dyn_cast<DenseStringElementsAttr>(value);
  if (!strings)
    return bytesOf(value.getType()).value_or(0);
  uint64_t bytes = 0;
  for (StringRef text : strings.getRawStringData())
    bytes += text.size();
  return bytes;
}

/// Returns true if a constant can hold a value of this type.
static bool canBeConstant(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && getElementTypeNumber(tensor.getElementType()) != 0;
}

namespace {

/// The constant subgraphs of a module.
class Folding {
public:
  Folding(ModuleOp module, const Evaluator &evaluator)
      : module(module), evaluator(evaluator), rewriter(module.getContext()) {}

  /// One round; true if there is a new constant.
  bool run();

private:
  bool isConstant(Operation *op) const;
  void collect();
  void need(Value value);
  bool isProfitable(Value root);
  SetVector<Operation *> subgraphOf(ArrayRef<Value> roots);
  OwningOpRef<ModuleOp> outline(ArrayRef<Value> roots);
  bool fold(ArrayRef<Value> roots);
  bool replace(Value root, TypedAttr value);
  void refuse(Value root, const Twine &reason);

  ModuleOp module;
  const Evaluator &evaluator;
  IRRewriter rewriter;
  /// Operations that are known to compute constants, in order.
  SetVector<Operation *> computable;
  /// Results of these that have uses, and those that are to become constants.
  DenseSet<Value> needed;
  SetVector<Value> roots;
  /// Operations visited to find the constants that results are made from.
  uint64_t visits = 0;
};

} // namespace

/// Returns true if `op` can be computed in this round. Where sizes follow from
/// elements the operands have to be constants already: then the size of the
/// result is known, or determined by a scan of the elements (NonZero, Unique).
/// The same holds for strings, whose lengths are in no type.
bool Folding::isConstant(Operation *op) const {
  bool hasSizes = llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return !tensor || (tensor.hasRank() && tensor.hasStaticShape() &&
                       !isa<StringType>(tensor.getElementType()));
  });
  return isComputable(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *producer = operand.getDefiningOp();
           return isKnownConstant(producer) ||
                  (hasSizes && computable.contains(producer));
         });
}

void Folding::collect() {
  module.walk([&](Operation *op) {
    if (isConstant(op))
      computable.insert(op);
    // Others need their operands, those with regions the values used inside.
    else
      llvm::for_each(op->getOperands(), [&](Value value) { need(value); });
  });
}

/// Makes a root of `value`, or of its operands if it cannot be one.
void Folding::need(Value value) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!computable.contains(op) || !needed.insert(next).second)
      continue;
    if (canBeConstant(next.getType()) && isProfitable(next))
      roots.insert(next);
    else
      llvm::append_range(worklist, op->getOperands());
  }
}

/// All that some values are computed from.
static SetVector<Operation *> sourcesOf(ArrayRef<Value> roots) {
  SetVector<Operation *> found;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (found.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

/// The operations that some values are computed from, in the order of the
/// module, constants first.
SetVector<Operation *> Folding::subgraphOf(ArrayRef<Value> roots) {
  SetVector<Operation *> sources = sourcesOf(roots), ordered;
  for (Operation *op : sources)
    if (!computable.contains(op))
      ordered.insert(op); // constants come first
  for (Operation *op : computable)
    if (sources.contains(op))
      ordered.insert(op);
  return ordered;
}

/// Returns true if a tensor of strings is small. No type has their lengths, but
/// none is longer than all operands together, which are constants.
static bool areStringsFew(Value root) {
  uint64_t given = 1;
  for (Value operand : root.getDefiningOp()->getOperands())
    if (TypedAttr value = operand ? constantValue(operand) : TypedAttr())
      given += bytesOf(value);
  auto type = cast<RankedTensorType>(root.getType());
  return llvm::SaturatingMultiply<uint64_t>(type.getNumElements(), given) <=
         maxStringBytes;
}

/// Returns true if the constant is not larger than its operands by more than
/// what is allowed for that which computes it.
bool Folding::isProfitable(Value root) {
  auto type = dyn_cast<RankedTensorType>(root.getType());
  if (type && type.hasStaticShape() && isa<StringType>(type.getElementType()))
    return areStringsFew(root);
  std::optional<uint64_t> result = bytesOf(root.getType());
  if (!result || *result <= allowedGrowth)
    return true;
  if (visits > maxVisits)
    return false;
  uint64_t given = 0, allowed = allowedGrowth;
  SetVector<Operation *> sources = sourcesOf(root);
  visits += sources.size();
  for (Operation *op : sources) {
    uint64_t bytes = bytesOf(op->getResult(0).getType()).value_or(0);
    if (isa<ConstantOp>(op))
      given += bytes;
    else if (isFunction(op) && bytes >= *result)
      allowed = allowedFunctionGrowth;
  }
  return *result <= given + allowed;
}

/// A module with one function that returns the roots.
OwningOpRef<ModuleOp> Folding::outline(ArrayRef<Value> roots) {
  Location loc = module.getLoc();
  OwningOpRef<ModuleOp> outlined = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(outlined->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "main_graph",
      builder.getFunctionType({}, TypeRange(ValueRange(roots))));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : subgraphOf(roots))
    builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value root : roots)
    results.push_back(mapping.lookup(root));
  func::ReturnOp::create(builder, loc, results);
  return outlined;
}

void Folding::refuse(Value root, const Twine &reason) {
  Operation *op = root.getDefiningOp();
  op->emitRemark("constant, but computed in every run: ") << reason;
  op->setDiscardableAttr(notFoldedName, rewriter.getStringAttr(reason));
}

bool Folding::replace(Value root, TypedAttr value) {
  uint64_t bytes = bytesOf(value);
  if (!bytesOf(root.getType()) && bytes > allowedGrowth) {
    refuse(root, "the result is large");
    return false;
  }
  if (auto *budget = onnxc::Budget::find(root.getContext())) {
    if (bytes > budget->foldedBytesLeft()) {
      refuse(root, "computed constants already take too much memory");
      return false;
    }
    budget->addFoldedBytes(bytes);
  }
  rewriter.setInsertionPointAfterValue(root);
  auto constant =
      ConstantOp::create(rewriter, root.getLoc(), root.getType(), ValueRange(),
                         rewriter.getNamedAttr("value", value));
  rewriter.replaceAllUsesWith(root, constant.getResult());
  return true;
}

/// Replaces those roots by constants that can be computed. One that cannot be
/// is found by dividing them.
bool Folding::fold(ArrayRef<Value> roots) {
  Evaluator::Results results = evaluator.evaluate(*outline(roots));
  if (results) {
    bool changed = false;
    for (auto [root, value] : llvm::zip_equal(roots, *results))
      changed |= replace(root, value);
    return changed;
  }
  std::string reason = llvm::toString(results.takeError());
  if (roots.size() == 1) {
    refuse(roots.front(), reason);
    return false;
  }
  size_t half = roots.size() / 2;
  bool first = fold(roots.take_front(half));
  return fold(roots.drop_front(half)) || first;
}

bool Folding::run() {
  collect();
  if (roots.empty() || !fold(roots.getArrayRef()))
    return false;
  SetVector<Operation *> computed = subgraphOf(roots.getArrayRef());
  for (Operation *op : llvm::reverse(computed))
    if (isOpTriviallyDead(op)) {
      if (!isa<ConstantOp>(op))
        remark::passed(op->getLoc(), remark::RemarkOpts::name("FoldConstants")
                                         .category("onnx-fold-constants"))
            << remark::metric("From", op->getName().stripDialect())
            << remark::metric("Into", "a constant");
      rewriter.eraseOp(op);
    }
  return true;
}

bool onnxc::onnx::foldConstantSubgraphs(ModuleOp module,
                                        const Evaluator &evaluator) {
  return Folding(module, evaluator).run();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct FoldConstants final
    : public onnxc::onnx::impl::FoldConstantsBase<FoldConstants> {
  explicit FoldConstants(Evaluator evaluator = {})
      : evaluator(std::move(evaluator)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    FoldConstantsBase::getDependentDialects(registry);
    if (evaluator)
      evaluator.registerDialects(registry);
  }

  void runOnOperation() override {
    if (evaluator)
      foldConstantSubgraphs(getOperation(), evaluator);
  }

  Evaluator evaluator;
};

} // namespace

std::unique_ptr<Pass> onnxc::onnx::createFoldConstants(Evaluator evaluator) {
  return std::make_unique<FoldConstants>(std::move(evaluator));
}
