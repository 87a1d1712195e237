//===- LoopNest.cpp - Queries on the simulated loops --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace onnxc::krnl {

StringRef stringifyTail(Tail tail) {
  switch (tail) {
  case Tail::Mask:
    return "mask";
  case Tail::Peel:
    return "peel";
  case Tail::Pad:
    return "pad";
  }
  llvm_unreachable("all tails named");
}

std::optional<Tail> symbolizeTail(StringRef text) {
  return llvm::StringSwitch<std::optional<Tail>>(text)
      .Case("mask", Tail::Mask)
      .Case("peel", Tail::Peel)
      .Case("pad", Tail::Pad)
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

unsigned LoopNest::addLoop(Loop loop) {
  allLoops.push_back(std::move(loop));
  return allLoops.size() - 1;
}

unsigned LoopNest::addAxis(StringRef name, int64_t extent) {
  assert(axes == allLoops.size() && "axes come before any step");
  Loop loop;
  loop.name = name.str();
  loop.extent = extent;
  liveOrder.push_back(addLoop(std::move(loop)));
  return axes++;
}

unsigned LoopNest::addOp(StringRef name, ArrayRef<unsigned> opAxes,
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

void LoopNest::setOperandAxes(unsigned operand, ArrayRef<int> dimAxes,
                              bool plain) {
  if (operands.size() <= operand)
    operands.resize(operand + 1);
  OperandUse &use = operands[operand];
  if (use.known && ArrayRef<int>(use.dimAxes) != dimAxes)
    plain = false;
  use.plain &= plain;
  use.known = true;
  use.dimAxes.assign(dimAxes.begin(), dimAxes.end());
}

/// Records how `op` indexes the kernel's operands.
static void recordOperands(LoopNest &nest, KernelOp kernel, linalg::LinalgOp op,
                           ArrayRef<unsigned> axes) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto argument = dyn_cast<BlockArgument>(input->get());
    if (!argument || argument.getOwner() != &kernel.getBody().front() ||
        argument.getArgNumber() >= kernel.getIns().size())
      continue;
    SmallVector<int> dimAxes;
    bool plain = true;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      // A packed form has no place for what lies before a fixed index.
      auto fixed = dyn_cast<AffineConstantExpr>(expr);
      plain &= dim || (fixed && fixed.getValue() == 0);
      dimAxes.push_back(dim ? int(axes[dim.getPosition()]) : -1);
    }
    nest.setOperandAxes(argument.getArgNumber(), dimAxes, plain);
  }
}

static bool initComesFromOp(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInits(), [](Value init) {
    return init.getDefiningOp<linalg::LinalgOp>() != nullptr;
  });
}

LoopNest LoopNest::get(KernelOp kernel) {
  LoopNest nest(kernel.getContext());
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    nest.addAxis(loop.getName(), loop.getExtent());
  Operation *yield = kernel.getYield();
  for (linalg::LinalgOp op : kernel.getStructuredOps()) {
    SmallVector<unsigned> axes;
    SmallVector<bool> reduced;
    for (auto [name, kind] :
         llvm::zip_equal(KernelOp::getAxes(op), op.getIteratorTypesArray())) {
      axes.push_back(*kernel.findLoop(name));
      reduced.push_back(kind == utils::IteratorType::reduction);
    }
    auto name = op->getAttrOfType<StringAttr>(KrnlDialect::nameAttrName);
    unsigned number = nest.addOp(name ? name.getValue() : "", axes, reduced);
    BodyOp &bodyOp = nest.bodyOps[number];
    bodyOp.op = op;
    bodyOp.yielded = llvm::is_contained(op->getUsers(), yield);
    bodyOp.initInside = initComesFromOp(op);
    recordOperands(nest, kernel, op, axes);
  }
  return nest;
}

FailureOr<LoopNest> LoopNest::replay(KernelOp kernel, EmitErrorFn emitError) {
  LoopNest nest = get(kernel);
  for (auto [number, attribute] : llvm::enumerate(kernel.getRecipe())) {
    auto stepError = [&, number = number, attribute = attribute] {
      InFlightDiagnostic diagnostic = emitError();
      diagnostic << "recipe step " << number + 1 << " '" << stepText(attribute)
                 << "': ";
      return diagnostic;
    };
    auto step = cast<RecipeStep>(attribute);
    bool keepsOrder = step.preservesOrder(nest);
    if (failed(step.advance(nest, stepError)) ||
        failed(nest.checkTails(stepError)))
      return failure();
    nest.orderPreserved &= keepsOrder;
  }
  return nest;
}

LoopNest LoopNest::replay(KernelOp kernel) {
  auto never = [&]() -> InFlightDiagnostic { return kernel.emitOpError(); };
  FailureOr<LoopNest> nest = replay(kernel, never);
  return succeeded(nest) ? std::move(*nest) : get(kernel);
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

FailureOr<LoopNest> LoopNest::tryReplay(KernelOp kernel, std::string &reason) {
  FailureOr<LoopNest> nest = failure();
  auto emit = [&] { return emitError(kernel.getLoc()); };
  reason =
      captureMessage(kernel.getContext(), [&] { nest = replay(kernel, emit); });
  return nest;
}

//===----------------------------------------------------------------------===//
// Loops and ops
//===----------------------------------------------------------------------===//

SmallVector<unsigned> LoopNest::sharedLoops() const {
  return llvm::filter_to_vector(
      liveOrder, [&](unsigned number) { return allLoops[number].shared; });
}

SmallVector<unsigned> LoopNest::parallelLoops() const {
  return llvm::filter_to_vector(
      liveOrder, [&](unsigned number) { return allLoops[number].parallel; });
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

bool LoopNest::stemsFrom(unsigned number, unsigned axis) const {
  return number == axis ||
         llvm::any_of(allLoops[number].parents,
                      [&](unsigned parent) { return stemsFrom(parent, axis); });
}

SmallVector<unsigned> LoopNest::axesOf(unsigned number) const {
  return llvm::filter_to_vector(
      llvm::seq(axes), [&](unsigned axis) { return stemsFrom(number, axis); });
}

unsigned LoopNest::numberOf(Operation *op) const {
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

bool LoopNest::hasRegisterTile() const {
  return llvm::any_of(bodyOps, [](const BodyOp &op) {
    return llvm::any_of(op.loops, [](const LoopUse &use) {
      return use.role != RegisterRole::None;
    });
  });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The loop of that kind that replaced `number` for the op: one made for the op
/// alone wins over one made for all.
std::optional<unsigned> LoopNest::childFor(unsigned op, unsigned number,
                                           Loop::Kind kind) const {
  std::optional<unsigned> common;
  for (auto [i, loop] : llvm::enumerate(allLoops)) {
    if (loop.kind != kind || !llvm::is_contained(loop.parents, number))
      continue;
    if (loop.onlyOp == int(op))
      return i;
    if (loop.onlyOp < 0)
      common = i;
  }
  return common;
}

AffineExpr LoopNest::valueExpr(unsigned op, unsigned number) const {
  if (bodyOps[op].find(number))
    return getAffineDimExpr(number, context);
  if (auto outer = childFor(op, number, Loop::Kind::BlockOuter)) {
    auto inner = childFor(op, number, Loop::Kind::BlockInner);
    return valueExpr(op, *outer) * allLoops[*outer].blockSize +
           valueExpr(op, *inner);
  }
  auto fused = childFor(op, number, Loop::Kind::Fused);
  assert(fused && "a loop of the op is live, blocked or fused");
  AffineExpr innerExtent = extentExpr(allLoops[*fused].parents[1]);
  AffineExpr value = valueExpr(op, *fused);
  return allLoops[*fused].parents[0] == number ? value.floorDiv(innerExtent)
                                               : value % innerExtent;
}

AffineExpr LoopNest::axisExpr(unsigned op, unsigned dim) const {
  return valueExpr(op, bodyOps[op].axes[dim]);
}

AffineExpr LoopNest::extentExpr(unsigned number) const {
  const Loop &loop = allLoops[number];
  if (!loop.isDynamic())
    return getAffineConstantExpr(loop.extent, context);
  switch (loop.kind) {
  case Loop::Kind::Axis:
    return getAffineSymbolExpr(number, context);
  case Loop::Kind::BlockOuter:
    return extentExpr(loop.parents[0]).ceilDiv(loop.blockSize);
  case Loop::Kind::BlockInner:
    return getAffineConstantExpr(loop.blockSize, context);
  case Loop::Kind::Fused:
    return extentExpr(loop.parents[0]) * extentExpr(loop.parents[1]);
  }
  llvm_unreachable("all kinds handled");
}

bool LoopNest::dividesEvenly(unsigned outerOrInner) const {
  const Loop &loop = allLoops[outerOrInner];
  const Loop &whole = allLoops[loop.parents[0]];
  return !whole.isDynamic() && whole.extent % loop.blockSize == 0;
}

void LoopNest::collectGuards(unsigned op, unsigned number,
                             SmallVectorImpl<Guard> &guards) const {
  if (bodyOps[op].find(number))
    return;
  if (auto outer = childFor(op, number, Loop::Kind::BlockOuter)) {
    bool known = llvm::any_of(
        guards, [&](const Guard &guard) { return guard.loop == number; });
    if (!known && !dividesEvenly(*outer))
      guards.push_back({number, allLoops[*outer].tail, valueExpr(op, number),
                        extentExpr(number)});
    collectGuards(op, *outer, guards);
    collectGuards(op, *childFor(op, number, Loop::Kind::BlockInner), guards);
    return;
  }
  collectGuards(op, *childFor(op, number, Loop::Kind::Fused), guards);
}

SmallVector<Guard> LoopNest::guards(unsigned op) const {
  SmallVector<Guard> guards;
  for (unsigned axis : bodyOps[op].axes)
    collectGuards(op, axis, guards);
  return guards;
}

//===----------------------------------------------------------------------===//
// Packs
//===----------------------------------------------------------------------===//

const Pack *LoopNest::packOf(unsigned operand) const {
  for (const Pack &pack : allPacks)
    if (pack.operand == operand)
      return &pack;
  return nullptr;
}

SmallVector<unsigned> LoopNest::packedLoops(const Pack &pack) const {
  SmallVector<unsigned> loops;
  for (unsigned number : liveOrder)
    if (!llvm::is_contained(pack.loops, number) &&
        llvm::any_of(operands[pack.operand].dimAxes, [&](int axis) {
          return axis >= 0 && stemsFrom(number, axis);
        }))
      loops.push_back(number);
  loops.append(pack.loops.begin(), pack.loops.end());
  return loops;
}

FailureOr<PackedLayoutAttr> LoopNest::packedLayout(const Pack &pack) const {
  SmallVector<int64_t> dims, sizes, strides;
  for (unsigned number : packedLoops(pack)) {
    int64_t stride = 1;
    unsigned axis = number;
    while (allLoops[axis].kind != Loop::Kind::Axis) {
      const Loop &loop = allLoops[axis];
      if (loop.kind == Loop::Kind::Fused)
        return failure();
      if (loop.kind == Loop::Kind::BlockOuter)
        stride *= loop.blockSize;
      axis = loop.parents[0];
    }
    if (allLoops[number].isDynamic())
      return failure();
    const auto &dimAxes = operands[pack.operand].dimAxes;
    dims.push_back(llvm::find(dimAxes, int(axis)) - dimAxes.begin());
    sizes.push_back(allLoops[number].extent);
    strides.push_back(stride);
  }
  return PackedLayoutAttr::get(context, dims, sizes, strides);
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
    os << (loop.parallel ? " parallel" : loop.shared ? " shared" : "") << ')';
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
