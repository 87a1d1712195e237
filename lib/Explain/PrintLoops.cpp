//===- PrintLoops.cpp - The loops of a kernel as pseudo-code ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PrintLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ComputedSlices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Slices.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/Threads.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

std::string operandName(KernelOp kernel, unsigned operand) {
  unsigned inputs = kernel.getIns().size();
  return operand < inputs ? "in" + std::to_string(operand)
                          : "out" + std::to_string(operand - inputs);
}

namespace {

/// Writes the payload of one op as assignments.
class PayloadPrinter {
public:
  PayloadPrinter(ComputeOp op, const llvm::DenseMap<Value, std::string> &names,
                 raw_ostream &os, unsigned indent)
      : op(op), names(names), os(os), indent(indent) {}

  void print();
  /// "in0[m, k]"
  std::string element(OpOperand &operand);

private:
  std::string expression(Value value);
  std::string compute(Operation *inner);
  std::string constant(Operation *inner);
  void assign(Value value, const std::string &text);

  ComputeOp op;
  const llvm::DenseMap<Value, std::string> &names;
  raw_ostream &os;
  unsigned indent;
  /// Values with a name, or an expression that stands for them.
  llvm::DenseMap<Value, std::string> known;
  unsigned numNamed = 0;
};

/// Writes the nest, op after op.
class LoopPrinter {
public:
  LoopPrinter(KernelOp kernel, const LoopNest &nest, raw_ostream &os)
      : kernel(kernel), nest(nest), processor(TargetAttr::processorOf(kernel)),
        os(os) {}

  void print();

private:
  void openLoops(unsigned number);
  void printLoop(const LoopUse &use, unsigned number);
  void noteThreads(unsigned loop, SmallVectorImpl<std::string> &notes) const;
  void noteMatrices(const LoopUse &use,
                    SmallVectorImpl<std::string> &notes) const;
  void noteSlices(unsigned loop, unsigned number,
                  SmallVectorImpl<std::string> &notes) const;
  bool isShared(unsigned loop, unsigned op) const;
  std::string extentOf(const Loop &loop) const;
  void printIndices(unsigned number);

  KernelOp kernel;
  const LoopNest &nest;
  target::Processor processor;
  raw_ostream &os;
  /// Loops around the current line, outermost first.
  SmallVector<unsigned> open;
  llvm::DenseMap<Value, std::string> names;
};

} // namespace

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Texts of operations longer than this get a name of their own.
static constexpr size_t maxText = 60;
/// Operations of a payload that are printed.
static constexpr unsigned maxOperations = 40;

/// The text of an affine expression whose dimensions have these names.
static std::string affineText(AffineExpr expr,
                              function_ref<std::string(unsigned)> dim,
                              function_ref<std::string(unsigned)> symbol) {
  if (auto at = dyn_cast<AffineDimExpr>(expr))
    return dim(at.getPosition());
  if (auto at = dyn_cast<AffineSymbolExpr>(expr))
    return symbol(at.getPosition());
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(number.getValue());
  auto both = cast<AffineBinaryOpExpr>(expr);
  auto text = [&](AffineExpr part) {
    std::string inner = affineText(part, dim, symbol);
    return part.getKind() == AffineExprKind::Add &&
                   expr.getKind() != AffineExprKind::Add
               ? "(" + inner + ")"
               : inner;
  };
  auto number = dyn_cast<AffineConstantExpr>(both.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    if (number && number.getValue() < 0)
      return text(both.getLHS()) + " - " + std::to_string(-number.getValue());
    return text(both.getLHS()) + " + " + text(both.getRHS());
  case AffineExprKind::Mul:
    return text(both.getLHS()) + " * " + text(both.getRHS());
  case AffineExprKind::Mod:
    return text(both.getLHS()) + " % " + text(both.getRHS());
  case AffineExprKind::CeilDiv:
    return "ceil(" + text(both.getLHS()) + " / " + text(both.getRHS()) + ")";
  default:
    return text(both.getLHS()) + " / " + text(both.getRHS());
  }
}

/// < for olt, ult and slt; empty for other predicates.
static StringRef comparisonOf(StringRef predicate) {
  return llvm::StringSwitch<StringRef>(predicate)
      .Cases({"eq", "oeq", "ueq"}, "==")
      .Cases({"ne", "one", "une"}, "!=")
      .Cases({"slt", "ult", "olt"}, "<")
      .Cases({"sle", "ule", "ole"}, "<=")
      .Cases({"sgt", "ugt", "ogt"}, ">")
      .Cases({"sge", "uge", "oge"}, ">=")
      .Default("");
}

static StringRef infixOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return comparisonOf(arith::stringifyCmpFPredicate(compare.getPredicate()));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return comparisonOf(arith::stringifyCmpIPredicate(compare.getPredicate()));
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Cases({"addf", "addi"}, "+")
      .Cases({"subf", "subi"}, "-")
      .Cases({"mulf", "muli"}, "*")
      .Cases({"divf", "divsi", "divui"}, "/")
      .Cases({"remf", "remsi", "remui"}, "%")
      .Case("andi", "&")
      .Case("ori", "|")
      .Case("xori", "^")
      .Default("");
}

/// max for arith.maximumf, exp for math.exp.
static StringRef functionOf(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Cases({"maximumf", "maxnumf", "maxsi", "maxui"}, "max")
      .Cases({"minimumf", "minnumf", "minsi", "minui"}, "min")
      .Cases({"absf", "absi"}, "abs")
      .Case("negf", "-")
      .Default(op->getName().stripDialect());
}

std::string PayloadPrinter::constant(Operation *inner) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Attribute value = cast<arith::ConstantOp>(inner).getValue();
  if (auto number = dyn_cast<FloatAttr>(value))
    stream << llvm::format("%g", number.getValueAsDouble());
  else if (auto number = dyn_cast<IntegerAttr>(value))
    number.getValue().print(stream, /*isSigned=*/true);
  else
    stream << value;
  return text;
}

std::string PayloadPrinter::element(OpOperand &operand) {
  auto name = names.find(operand.get());
  std::string text = name == names.end() ? "t" : name->second;
  SmallVector<StringRef> axes = op.getAxes();
  SmallVector<std::string> indices;
  for (const Subscript &subscript : op.getSubscripts(operand))
    indices.push_back(affineText(
        subscript.index, [&](unsigned dim) { return axes[dim].str(); },
        [](unsigned symbol) { return "s" + std::to_string(symbol); }));
  return indices.empty() ? text : text + "[" + llvm::join(indices, ", ") + "]";
}

void PayloadPrinter::assign(Value value, const std::string &text) {
  std::string name = "v" + std::to_string(numNamed++);
  os.indent(indent) << name << " = " << text << "\n";
  known[value] = name;
}

std::string PayloadPrinter::expression(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (auto found = names.find(value); found != names.end())
    return found->second;
  if (auto *maker = value.getDefiningOp();
      isa_and_nonnull<arith::ConstantOp>(maker))
    return constant(maker);
  return "?";
}

std::string PayloadPrinter::compute(Operation *inner) {
  SmallVector<std::string> arguments;
  for (Value operand : inner->getOperands())
    arguments.push_back(expression(operand));
  if (isa<arith::ConstantOp>(inner))
    return constant(inner);
  if (auto index = dyn_cast<IndexOp>(inner))
    return index.getLoop().str();
  if (StringRef infix = infixOf(inner); !infix.empty())
    return "(" + arguments[0] + " " + infix.str() + " " + arguments[1] + ")";
  if (isa<arith::SelectOp>(inner))
    return "(" + arguments[0] + " ? " + arguments[1] + " : " + arguments[2] +
           ")";
  if (isa<tensor::ExtractOp>(inner))
    return arguments[0] + "[" +
           llvm::join(ArrayRef(arguments).drop_front(), ", ") + "]";
  std::string text = functionOf(inner).str();
  if (auto compare = dyn_cast<arith::CmpFOp>(inner))
    text = arith::stringifyCmpFPredicate(compare.getPredicate()).str();
  return text + "(" + llvm::join(arguments, ", ") + ")";
}

/// The text without the parentheses around all of it.
static StringRef bare(StringRef text) {
  if (!text.starts_with("(") || !text.ends_with(")"))
    return text;
  int depth = 0;
  for (char c : text.drop_back()) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0)
      return text;
  }
  return text.drop_front().drop_back();
}

void PayloadPrinter::print() {
  for (OpOperand &operand : op->getOpOperands())
    known[op.getMatchingBlockArgument(&operand)] = element(operand);
  unsigned count = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (++count > maxOperations) {
      os.indent(indent) << "...\n";
      break;
    }
    if (inner.getNumResults() != 1)
      continue;
    std::string text = compute(&inner);
    Value result = inner.getResult(0);
    if (!isa<arith::ConstantOp, IndexOp>(inner) &&
        (!result.hasOneUse() || text.size() > maxText))
      assign(result, bare(text).str());
    else
      known[result] = std::move(text);
  }
  Operation *yield = op.getBlock()->getTerminator();
  for (auto [value, init] :
       llvm::zip(yield->getOperands(), op.getDpsInitsMutable()))
    os.indent(indent) << element(init) << " = " << bare(expression(value))
                      << "\n";
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::string LoopPrinter::extentOf(const Loop &loop) const {
  if (!loop.isDynamic())
    return std::to_string(loop.extent);
  unsigned number = &loop - nest.loops().data();
  return affineText(
      nest.extentExpr(number),
      [&](unsigned dim) { return nest.loop(dim).name; },
      [&](unsigned axis) { return "size(" + nest.loop(axis).name + ")"; });
}

/// Which threads or blocks of a device have the iterations of the loop.
void LoopPrinter::noteThreads(unsigned number,
                              SmallVectorImpl<std::string> &notes) const {
  const Loop &loop = nest.loop(number);
  if (!processor.isDevice())
    return;
  if (loop.isCluster)
    notes.push_back("blocks of a cluster");
  else if (loop.threadsOf >= 0)
    notes.push_back(
        (nest.loop(loop.threadsOf).isCluster ? "blocks of " : "threads of ") +
        nest.loop(loop.threadsOf).name);
  else if (loop.mapped)
    notes.push_back(threadsOf(nest, number).stride % processor.warpThreads == 0
                        ? "warps"
                        : "threads");
}

void LoopPrinter::noteMatrices(const LoopUse &use,
                               SmallVectorImpl<std::string> &notes) const {
  auto isOfWarpgroup = [&](const Mma &mma) {
    return mma.products == use.loop && mma.isOfWarpgroup();
  };
  if (use.mma)
    notes.push_back(llvm::any_of(nest.mmas(), isOfWarpgroup)
                        ? "products of matrices of a warpgroup"
                        : "products of matrices of a warp");
}

/// What slices are of: an operand, or the result of an op that computes them.
static std::string sliceName(const LoopNest &nest, KernelOp kernel,
                             const Cache &cache) {
  if (std::optional<unsigned> maker = makerOf(nest, cache.operand))
    return "op " + nest.op(*maker).name + " computed";
  return operandName(kernel, cache.operand);
}

/// Copies of operands at the loop, for the op that it is opened for and those
/// that share it.
void LoopPrinter::noteSlices(unsigned loop, unsigned number,
                             SmallVectorImpl<std::string> &notes) const {
  for (const Cache &cache : nest.caches())
    if (cache.at == loop &&
        llvm::any_of(cachingOps(nest, cache), [&](unsigned op) {
          return op == number || (op > number && isShared(loop, op));
        }))
      notes.push_back(sliceName(nest, kernel, cache) +
                      (cache.isShared() && processor.isDevice()
                           ? " in shared memory"
                           : " in scratch memory"));
  if (Pipeline pipeline = pipelineAt(nest, loop); pipeline.stages > 1)
    notes.push_back(
        llvm::formatv("slices copied {0} iterations ahead", pipeline.ahead()));
}

/// The line of the loop, which op `number` opens.
void LoopPrinter::printLoop(const LoopUse &use, unsigned number) {
  const Loop &loop = nest.loop(use.loop);
  SmallVector<std::string> notes;
  if (loop.kind == Loop::Kind::BlockOuter)
    notes.push_back(llvm::formatv("blocks of {0} of {1}", loop.blockSize,
                                  nest.loop(loop.parents[0]).name));
  if (loop.kind == Loop::Kind::Fused)
    notes.push_back(nest.loop(loop.parents[0]).name + " and " +
                    nest.loop(loop.parents[1]).name + " as one loop");
  noteThreads(use.loop, notes);
  if (use.reduced)
    notes.push_back("reduced");
  if (use.role != RegisterRole::None)
    notes.push_back("in registers");
  if (use.lanes > 1)
    notes.push_back(llvm::formatv("vectors of {0}", use.lanes));
  if (use.dot)
    notes.push_back("groups of bytes by one instruction");
  noteMatrices(use, notes);
  noteSlices(use.loop, number, notes);
  if (use.unroll > 1 && use.role == RegisterRole::None)
    notes.push_back(use.unroll == loop.extent
                        ? "unrolled"
                        : llvm::formatv("unrolled by {0}", use.unroll).str());
  if (use.earlyExit)
    notes.push_back("ends early");
  if (use.skipsMasked)
    notes.push_back("ends where a mask hides the rest");
  os.indent(2 * open.size()) << (loop.parallel ? "parallel for " : "for ")
                             << loop.name << " in 0.." << extentOf(loop);
  if (!notes.empty())
    os << "  // " << llvm::join(notes, ", ");
  os << "\n";
}

bool LoopPrinter::isShared(unsigned loop, unsigned op) const {
  return nest.loop(loop).computeAt || nest.isAround(loop, op);
}

/// Closes loops that the op is not in, and opens its own.
void LoopPrinter::openLoops(unsigned number) {
  const BodyOp &op = nest.op(number);
  size_t common = 0;
  while (common < open.size() && common < op.loops.size() &&
         open[common] == op.loops[common].loop &&
         isShared(open[common], number))
    ++common;
  open.resize(common);
  for (const LoopUse &use : ArrayRef(op.loops).drop_front(common)) {
    printLoop(use, number);
    open.push_back(use.loop);
  }
}

/// The axes of blocks and fused loops, as functions of the loops.
void LoopPrinter::printIndices(unsigned number) {
  const BodyOp &op = nest.op(number);
  for (auto [dim, axis] : llvm::enumerate(op.axes)) {
    AffineExpr value = nest.axisExpr(number, dim);
    if (auto loop = dyn_cast<AffineDimExpr>(value);
        loop && loop.getPosition() == axis)
      continue;
    os.indent(2 * open.size())
        << nest.loop(axis).name << " = "
        << affineText(
               value, [&](unsigned loop) { return nest.loop(loop).name; },
               [&](unsigned symbol) {
                 return "size(" + nest.loop(symbol).name + ")";
               })
        << "\n";
  }
}

void LoopPrinter::print() {
  for (auto [number, argument] :
       llvm::enumerate(kernel.getBody().getArguments()))
    if (number < kernel.getIns().size() + kernel.getOuts().size())
      names[argument] = operandName(kernel, number);
  for (unsigned loop : llvm::seq<unsigned>(kernel.getLoops().size()))
    if (auto extent = dyn_cast<Value>(kernel.getExtentInside(loop)))
      names.try_emplace(extent, "size(" + nest.loop(loop).name + ")");
  unsigned temporaries = 0;
  for (auto [number, body] : llvm::enumerate(nest.ops())) {
    auto op = cast<ComputeOp>(body.op);
    // A destination that ops write one after the other keeps its name.
    for (auto [result, init] : llvm::zip(op->getResults(), op.getDpsInits())) {
      auto known = names.find(init);
      std::string name = known == names.end()
                             ? "t" + std::to_string(temporaries++)
                             : known->second;
      names[init] = names[result] = name;
    }
    openLoops(number);
    if (!isInSlices(nest, number))
      printIndices(number);
    PayloadPrinter(op, names, os, 2 * open.size()).print();
  }
}

void printLoops(KernelOp kernel, const LoopNest &nest, raw_ostream &os) {
  LoopPrinter(kernel, nest, os).print();
}

} // namespace onnxc
