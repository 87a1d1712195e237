//===- LoopNest.cpp - Queries on the simulated loops ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Clusters.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/StoragePlan.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace onnxc::krnl {

StringRef stringifyTail(TailStrategy tail) {
  switch (tail) {
  case TailStrategy::Mask:
    return "mask";
  case TailStrategy::Peel:
    return "peel";
  case TailStrategy::Pad:
    return "pad";
  }
  llvm_unreachable("all tails named");
}

std::optional<TailStrategy> symbolizeTail(StringRef text) {
  return llvm::StringSwitch<std::optional<TailStrategy>>(text)
      .Case("mask", TailStrategy::Mask)
      .Case("peel", TailStrategy::Peel)
      .Case("pad", TailStrategy::Pad)
      .Default(std::nullopt);
}

const LoopUse *BodyOp::find(unsigned loop) const {
  for (const LoopUse &use : loops)
    if (use.loop == loop)
      return &use;
  return nullptr;
}

LoopUse *BodyOp::find(unsigned loop) {
  return const_cast<LoopUse *>(std::as_const(*this).find(loop));
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

unsigned NestBuilder::addLoop(Loop loop) {
  unsigned number = allLoops.size();
  for (unsigned parent : loop.parents) {
    loop.sources |= allLoops[parent].sources;
    if (loop.kind != Loop::Kind::BlockInner)
      allLoops[parent].children.push_back(number);
  }
  loop.sources.resize(number + 1);
  loop.sources.set(number);
  allLoops.push_back(std::move(loop));
  return number;
}

unsigned NestBuilder::addAxis(StringRef name, int64_t extent) {
  assert(axes == allLoops.size() && "axes come before any step");
  Loop loop;
  loop.name = name.str();
  loop.extent = extent;
  liveOrder.push_back(addLoop(std::move(loop)));
  return axes++;
}

unsigned NestBuilder::addOp(StringRef name, ArrayRef<unsigned> opAxes,
                            ArrayRef<bool> reduced) {
  BodyOp op;
  op.name = name.empty() ? std::to_string(bodyOps.size()) : name.str();
  op.axes.assign(opAxes.begin(), opAxes.end());
  op.reduced.assign(reduced.begin(), reduced.end());
  for (unsigned loop : liveOrder)
    for (auto [axis, isReduced] : llvm::zip_equal(op.axes, op.reduced))
      if (axis == loop) {
        LoopUse use;
        use.loop = loop;
        use.reduced = isReduced;
        op.loops.push_back(use);
      }
  bodyOps.push_back(std::move(op));
  return bodyOps.size() - 1;
}

/// Operands of the kernel may be read at positions that the payload computes.
static void recordExtracts(NestBuilder &nest, KernelOp kernel, ComputeOp op) {
  for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>())
    if (auto argument = dyn_cast<BlockArgument>(extract.getTensor()))
      nest.operandInfo(argument.getArgNumber()).plain = false;
}

/// The number that the operand of an op has in a nest: of an input of the
/// kernel, or of the only result of another op; -1 for others.
static int operandNumber(KernelOp kernel, const LoopNest &nest,
                         OpOperand &operand) {
  if (auto maker = operand.get().getDefiningOp<ComputeOp>();
      maker && maker->getNumResults() == 1)
    return int(numberOfResult(kernel, nest.indexOf(maker)));
  return inputNumber(kernel, operand.get());
}

/// Records how `op` indexes the kernel's operands and results of other ops.
static void recordOperands(NestBuilder &nest, KernelOp kernel, unsigned number,
                           ComputeOp op) {
  ArrayRef<unsigned> axes = nest.op(number).axes;
  for (OpOperand *input : op.getDpsInputOperands()) {
    int operand = operandNumber(kernel, nest, *input);
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (operand < 0 || !type)
      continue;
    LoopNest::Operand &info = nest.operandInfo(operand);
    info.isStatic = type.hasStaticShape();
    info.elementBytes = elementBytes(type.getElementType());
    Access access(*input);
    // A packed form has no position for elements before a fixed index.
    info.plain &= access.isPlain();
    SmallVector<int> dimAxes;
    for (unsigned position : llvm::seq(access.getRank())) {
      std::optional<unsigned> loop = access.loopAt(position);
      dimAxes.push_back(loop ? int(axes[*loop]) : -1);
    }
    nest.addReader(operand, number, dimAxes);
    auto &reader = info.readers.back();
    for (auto [dim, axis] : llvm::enumerate(axes))
      if (access.dependsOn(dim) && !llvm::is_contained(reader.axes, axis))
        reader.axes.push_back(axis);
  }
  recordExtracts(nest, kernel, op);
}

static bool initComesFromOp(ComputeOp op) {
  return llvm::any_of(op.getDpsInits(), [](Value init) {
    return init.getDefiningOp<ComputeOp>() != nullptr;
  });
}

NestBuilder::NestBuilder(KernelOp kernel) : LoopNest(kernel.getContext()) {
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    addAxis(loop.getName(), loop.getExtent());
  sharedBytes = TargetAttr::processorOf(kernel).sharedBytes;
  Operation *yield = kernel.getYield();
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    SmallVector<unsigned> axes;
    SmallVector<bool> reduced;
    for (auto [name, kind] :
         llvm::zip_equal(op.getAxes(), op.getIteratorTypesArray())) {
      axes.push_back(*kernel.findLoop(name));
      reduced.push_back(kind == utils::IteratorType::reduction);
    }
    StringAttr name = op.getNameAttr();
    unsigned number = addOp(name ? name.getValue() : "", axes, reduced);
    BodyOp &bodyOp = bodyOps[number];
    bodyOp.op = op;
    bodyOp.yielded = llvm::is_contained(op->getUsers(), yield);
    bodyOp.initInside = initComesFromOp(op);
    bodyOp.ordered = isOrdered(op);
    bodyOp.combinable = isCombinable(op);
    bodyOp.multipliesBytes = byteProductOf(op).has_value();
    recordOperands(*this, kernel, number, op);
  }
}

/// Returns true if the step is legal in this nest.
bool NestBuilder::accepts(Attribute step) const {
  NestBuilder next = *this;
  bool isLegal = false;
  captureMessage(context, [&] {
    auto error = [&] { return emitError(UnknownLoc::get(context)); };
    isLegal = succeeded(cast<RecipeStep>(step).advance(next, error)) &&
              succeeded(next.check(error));
  });
  return isLegal;
}

/// The last step before `number`, which is refused, without which it would be
/// legal in its place.
std::optional<size_t> NestBuilder::stepContradictedBy(KernelOp kernel,
                                                      size_t number) {
  NestBuilder nest(kernel);
  Attribute refused = kernel.getRecipe()[number];
  std::optional<size_t> cause;
  bool isLegal = nest.accepts(refused);
  for (auto [earlier, step] :
       llvm::enumerate(kernel.getRecipe().getValue().take_front(number))) {
    bool wasLegal = isLegal;
    (void)cast<RecipeStep>(step).advance(
        nest, [&] { return emitError(kernel.getLoc()); });
    isLegal = nest.accepts(refused);
    if (wasLegal && !isLegal)
      cause = earlier;
  }
  return cause;
}

LogicalResult NestBuilder::applySteps(KernelOp kernel, StepErrorFn emitError,
                                      bool findsCause, NestChecks checks) {
  std::optional<size_t> lastMap;
  auto nameOf = [&](size_t number) {
    return llvm::formatv("recipe step {0} '{1}'", number + 1,
                         stepText(kernel.getRecipe()[number]))
        .str();
  };
  auto errorAt = [&](size_t number) {
    InFlightDiagnostic diagnostic = emitError(number);
    diagnostic << nameOf(number) << ": ";
    if (findsCause)
      if (std::optional<size_t> cause = stepContradictedBy(kernel, number))
        diagnostic.attachNote()
            << "it would be legal before " << nameOf(*cause);
    return diagnostic;
  };
  for (auto [number, attribute] : llvm::enumerate(kernel.getRecipe())) {
    auto stepError = [&, number = number] { return errorAt(number); };
    bool isChecked = checks == NestChecks::AfterEachStep ||
                     number + 1 == kernel.getRecipe().size();
    if (failed(cast<RecipeStep>(attribute).advance(*this, stepError)) ||
        (isChecked && failed(check(stepError))))
      return failure();
    // Where results are depends on all other steps: this one is the last.
    if (auto arena = dyn_cast<ArenaStepAttr>(attribute);
        arena && failed(verifyArena(kernel, *this, arena.getOp(), stepError)))
      return failure();
    if (auto map = dyn_cast<MapStepAttr>(attribute);
        (map && !(map.getCluster() && clusterLoop(*this))) ||
        isa<SharedStepAttr>(attribute))
      lastMap = number;
  }
  if (failed(checkHoistSteps(kernel, errorAt)))
    return failure();
  knownValues.emplace(bodyOps.size(),
                      SmallVector<AffineExpr, 0>(allLoops.size()));
  // What threads pass to each other depends on all steps.
  auto mapError = [&] { return errorAt(*lastMap); };
  if (lastMap && (failed(verifyShared(kernel, *this, mapError)) ||
                  failed(verifyThreads(kernel, *this, mapError))))
    return failure();
  return success();
}

FailureOr<LoopNest> LoopNest::replay(KernelOp kernel, StepErrorFn emitError,
                                     bool findsCause, NestChecks checks) {
  NestBuilder nest(kernel);
  if (failed(nest.applySteps(kernel, emitError, findsCause, checks)))
    return failure();
  return LoopNest(std::move(nest));
}

LoopNest LoopNest::replay(KernelOp kernel) {
  auto never = [&](size_t) { return kernel.emitOpError(); };
  FailureOr<LoopNest> nest =
      replay(kernel, never, /*findsCause=*/false, NestChecks::AfterLastStep);
  return succeeded(nest) ? std::move(*nest) : NestBuilder(kernel);
}

std::string captureMessage(MLIRContext *context,
                           llvm::function_ref<void()> action) {
  std::string message;
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (llvm::get_threadid() != thread)
      return failure();
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  action();
  return message;
}

FailureOr<LoopNest> LoopNest::tryReplay(KernelOp kernel, std::string &reason,
                                        NestChecks checks) {
  FailureOr<LoopNest> nest = failure();
  auto emit = [&](size_t) { return emitError(kernel.getLoc()); };
  reason = captureMessage(kernel.getContext(), [&] {
    nest = replay(kernel, emit, /*findsCause=*/false, checks);
  });
  return nest;
}

//===----------------------------------------------------------------------===//
// Loops and ops
//===----------------------------------------------------------------------===//

SmallVector<unsigned> LoopNest::fusedOuterLoops() const {
  return llvm::filter_to_vector(
      liveOrder, [&](unsigned number) { return allLoops[number].fusedOuter; });
}

SmallVector<unsigned> LoopNest::parallelLoops() const {
  return llvm::filter_to_vector(
      liveOrder, [&](unsigned number) { return allLoops[number].parallel; });
}

std::optional<unsigned> LoopNest::computeAtLoop() const {
  for (unsigned number : liveOrder)
    if (allLoops[number].computeAt)
      return number;
  return std::nullopt;
}

SmallVector<unsigned> LoopNest::computeAtOps() const {
  std::optional<unsigned> loop = computeAtLoop();
  SmallVector<unsigned> computeAt;
  for (auto [number, op] : llvm::enumerate(bodyOps))
    if (loop && op.find(*loop))
      computeAt.push_back(number);
  return computeAt;
}

bool LoopNest::isAround(unsigned loop, unsigned op) const {
  if (allLoops[loop].fusedOuter)
    return !bodyOps[op].hoistedFrom ||
           llvm::is_contained(ArrayRef(liveOrder).take_front(depthOf(op)),
                              loop);
  return allLoops[loop].computeAt && op != computeAtOps().back();
}

unsigned LoopNest::depthOf(unsigned op) const {
  unsigned depth = 0;
  for (unsigned number : liveOrder) {
    if (!allLoops[number].fusedOuter || bodyOps[op].hoistedFrom == number)
      break;
    ++depth;
  }
  return depth;
}

std::optional<unsigned> LoopNest::find(StringRef name, int onlyOp) const {
  if (onlyOp >= 0) {
    for (const LoopUse &use : bodyOps[onlyOp].loops)
      if (allLoops[use.loop].name == name)
        return use.loop;
    return std::nullopt;
  }
  for (unsigned number : liveOrder)
    if (allLoops[number].name == name)
      return number;
  return std::nullopt;
}

/// Loops have higher numbers than those that they are made from.
bool LoopNest::stemsFrom(unsigned number, unsigned axis) const {
  return axis <= number && allLoops[number].sources.test(axis);
}

SmallVector<unsigned> LoopNest::axesOf(unsigned number) const {
  return llvm::filter_to_vector(
      llvm::seq(axes), [&](unsigned axis) { return stemsFrom(number, axis); });
}

unsigned LoopNest::indexOf(Operation *op) const {
  const BodyOp *found =
      llvm::find_if(bodyOps, [&](const BodyOp &body) { return body.op == op; });
  assert(found != bodyOps.end() && "not a structured op of this kernel");
  return found - bodyOps.begin();
}

std::optional<unsigned> LoopNest::findOp(StringRef nameOrNumber) const {
  for (auto [number, op] : llvm::enumerate(bodyOps))
    if (op.name == nameOrNumber)
      return number;
  unsigned number;
  if (nameOrNumber.getAsInteger(10, number) || number >= bodyOps.size())
    return std::nullopt;
  return number;
}

void LoopNest::print(raw_ostream &os) const {
  auto printUse = [&](unsigned number) -> const Loop & {
    const Loop &loop = allLoops[number];
    os << ' ' << loop.name << '(';
    if (loop.isDynamic())
      os << '?';
    else
      os << loop.extent;
    return loop;
  };
  os << "nest:";
  for (unsigned number : liveOrder) {
    const Loop &loop = printUse(number);
    os << (loop.isCluster    ? " cluster"
           : loop.parallel   ? " parallel"
           : loop.mapped     ? " map"
           : loop.fusedOuter ? " fuse_outer"
           : loop.computeAt  ? " compute_at"
                             : "")
       << ')';
  }
  os << '\n';
  for (const BodyOp &op : bodyOps) {
    os << op.name << ':';
    for (const LoopUse &use : op.loops) {
      printUse(use.loop);
      if (use.reduced)
        os << " reduced";
      if (use.unroll != 1)
        os << " x" << use.unroll;
      if (use.lanes)
        os << " lanes=" << use.lanes;
      if (use.role != RegisterRole::None)
        os << (use.role == RegisterRole::Row ? " row" : " column");
      os << ')';
    }
    os << '\n';
  }
}

} // namespace onnxc::krnl
