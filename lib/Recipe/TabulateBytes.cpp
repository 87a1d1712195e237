//===- TabulateBytes.cpp - krnl-tabulate-bytes ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations of a payload that compute a byte from one other byte and constants
// are a function of 256 values. It is computed for all of them like any
// constant subgraph, all functions of a module at once.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/TabulateBytes.h"

#include "OpCost.h"
#include "onnxc/Dialect/Krnl/IR/Lookup.h"
#include "onnxc/Recipe/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

namespace onnxc {
#define GEN_PASS_DEF_KRNLTABULATEBYTESPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// A byte that operations compute from another one.
struct ByteFunction {
  Value byte, result;
  /// In their order, with the constants that they use.
  SmallVector<Operation *> ops;
};

/// The functions of bytes in the payload of one op.
class ByteFunctions {
public:
  ByteFunctions(ComputeOp op, TargetAttr target)
      : body(op.getBlock()), target(target), numbers(target.getProcessor()) {}

  /// Those that take longer than a table, none of them inside of another one.
  SmallVector<ByteFunction> find();

private:
  std::optional<Value> sourceOf(Value value);
  std::optional<Value> sourceOf(Operation *op);
  ByteFunction functionOf(Value result);
  bool pays(const ByteFunction &function) const;

  Block *body;
  TargetAttr target;
  Processor numbers;
  /// The byte that a value is computed from: null if from constants alone,
  /// nothing if from several values or others.
  DenseMap<Value, std::optional<Value>> sources;
};

} // namespace

static bool isByte(Value value) { return value.getType().isInteger(8); }

/// Can the operation be computed for all values? Integer divisions end the
/// process where the divisor is 0.
static bool isComputable(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumResults() == 1 &&
         !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// The byte that all operands come from that are no constants.
std::optional<Value> ByteFunctions::sourceOf(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return Value();
  if (op->getBlock() != body || !isComputable(op))
    return std::nullopt;
  Value source;
  for (Value operand : op->getOperands()) {
    std::optional<Value> from = sourceOf(operand);
    if (!from || (source && *from && source != *from))
      return std::nullopt;
    if (*from)
      source = *from;
  }
  return source;
}

std::optional<Value> ByteFunctions::sourceOf(Value value) {
  auto known = sources.find(value);
  if (known != sources.end())
    return known->second;
  std::optional<Value> source;
  if (Operation *computing = value.getDefiningOp())
    source = sourceOf(computing);
  if (!source && isByte(value) && value.getParentBlock() == body)
    source = value;
  return sources[value] = source;
}

/// What computes the byte, from its source.
ByteFunction ByteFunctions::functionOf(Value result) {
  ByteFunction function{*sourceOf(result), result, {}};
  llvm::SetVector<Operation *> slice;
  auto add = [&](Value value) {
    if (value != function.byte)
      slice.insert(value.getDefiningOp());
  };
  add(result);
  for (size_t i = 0; i < slice.size(); ++i)
    llvm::for_each(slice[i]->getOperands(), add);
  function.ops = slice.takeVector();
  // Constants may stand outside, in front of all.
  llvm::sort(function.ops, [&](Operation *one, Operation *other) {
    bool isInside = one->getBlock() == body;
    if (one->getBlock() != other->getBlock())
      return !isInside;
    return one->isBeforeInBlock(other);
  });
  return function;
}

/// Do the operations take more than a lookup of as many bytes?
bool ByteFunctions::pays(const ByteFunction &function) const {
  std::optional<LookupForm> form = lookupFormOf(target, numbers.vectorBytes);
  if (!form)
    return false;
  double computed = 0;
  for (Operation *op : function.ops) {
    Type type = op->getResult(0).getType();
    if (!op->hasTrait<OpTrait::ConstantLike>())
      computed += operationWeight(*op, numbers) * double(form->lanes) *
                  (type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64) /
                  double(8 * numbers.vectorBytes);
  }
  return computed > double(form->operations(form->lanes));
}

SmallVector<ByteFunction> ByteFunctions::find() {
  SmallVector<ByteFunction> found;
  DenseSet<Value> needed;
  auto need = [&](Operation &op) { needed.insert_range(op.getOperands()); };
  need(*body->getTerminator());
  // What a function computes on its way needs no table.
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    Value result = op.getNumResults() == 1 ? Value(op.getResult(0)) : Value();
    if (!result || !needed.contains(result)) {
      if (!isPure(&op))
        need(op);
      continue;
    }
    std::optional<Value> source = sourceOf(result);
    if (isByte(result) && source && *source && *source != result) {
      ByteFunction function = functionOf(result);
      if (pays(function)) {
        found.push_back(std::move(function));
        continue;
      }
    }
    need(op);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The tensor of the results for all bytes.
static Value buildTable(OpBuilder &b, Location loc, Value bytes,
                        const ByteFunction &function) {
  auto type = cast<RankedTensorType>(bytes.getType());
  Value scratch =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto loop = LoopAttr::get(b.getContext(), "i", tableBytes);
  auto kernel =
      KernelOp::create(b, loc, "table", loop, ValueRange(), bytes, scratch);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Subscripts along{Subscript{b.getAffineDimExpr(0)}};
  auto op = ComputeOp::create(
      b, loc, kernel.getInArgument(0), kernel.getOutArgument(0), {along, along},
      {"i"}, 1, StringAttr(), [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        mapping.map(function.byte, args.front());
        for (Operation *computing : function.ops)
          b.clone(*computing, mapping);
        linalg::YieldOp::create(b, loc, mapping.lookup(function.result));
      });
  YieldOp::create(b, loc, op->getResults());
  return kernel.getResult(0);
}

/// A module with one function that returns a table for each function of bytes.
static OwningOpRef<ModuleOp> outline(ModuleOp module,
                                     ArrayRef<ByteFunction> functions) {
  Location loc = module.getLoc();
  OwningOpRef<ModuleOp> outlined = ModuleOp::create(loc);
  OpBuilder b = OpBuilder::atBlockEnd(outlined->getBody());
  auto type = RankedTensorType::get({tableBytes}, b.getI8Type());
  SmallVector<Type> types(functions.size(), type);
  auto function =
      func::FuncOp::create(b, loc, "main_graph", b.getFunctionType({}, types));
  b.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<int8_t> values;
  for (int64_t value = 0; value < tableBytes; ++value)
    values.push_back(int8_t(value));
  Value bytes =
      ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(values)),
                         PackedLayoutAttr());
  SmallVector<Value> results;
  for (const ByteFunction &made : functions)
    results.push_back(buildTable(b, loc, bytes, made));
  func::ReturnOp::create(b, loc, results);
  return outlined;
}

/// Reads the result from the table; what computed it is removed where nothing
/// else uses it.
static void replace(const ByteFunction &function, ArrayRef<int8_t> table) {
  OpBuilder b(function.result.getDefiningOp());
  Location loc = function.result.getLoc();
  Value looked = LookupOp::create(b, loc, function.byte, table);
  Value result = function.result;
  result.replaceAllUsesWith(looked);
  remark::passed(
      loc,
      remark::RemarkOpts::name("TabulateBytes").category("krnl-tabulate-bytes"))
      << remark::metric("From", int64_t(function.ops.size()))
      << remark::metric("Into", "a table");
  for (Operation *op : llvm::reverse(function.ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Replaces the functions of all kernels; leaves them if they cannot be
/// computed, which the run can.
static void tabulate(ModuleOp module, const onnx::Evaluator &evaluator) {
  SmallVector<ByteFunction> functions;
  module.walk([&](ComputeOp op) {
    auto target = TargetAttr::of(op->getParentOfType<ModuleOp>());
    // Sums contract products with additions, which tables do not.
    if (target && op.getNumReductionLoops() == 0)
      llvm::append_range(functions, ByteFunctions(op, target).find());
  });
  if (functions.empty())
    return;
  onnx::Evaluator::Results tables =
      evaluator.evaluate(*outline(module, functions));
  if (!tables) {
    emitRemark(functions.front().result.getLoc(),
               "a function of a byte, but computed for each: ")
        << llvm::toString(tables.takeError());
    return;
  }
  for (auto [function, value] : llvm::zip_equal(functions, *tables)) {
    auto elements = cast<DenseElementsAttr>(value);
    replace(function, llvm::to_vector(elements.getValues<int8_t>()));
  }
}

namespace {
struct KrnlTabulateBytesPass
    : impl::KrnlTabulateBytesPassBase<KrnlTabulateBytesPass> {
  using Base::Base;
  explicit KrnlTabulateBytesPass(onnx::Evaluator evaluator)
      : evaluator(std::move(evaluator)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    if (evaluator)
      evaluator.registerDialects(registry);
  }

  void runOnOperation() override {
    if (evaluator)
      tabulate(getOperation(), evaluator);
  }

  onnx::Evaluator evaluator;
};
} // namespace

std::unique_ptr<Pass> createTabulateBytes(const onnx::Evaluator &evaluator) {
  return std::make_unique<KrnlTabulateBytesPass>(evaluator);
}

} // namespace onnxc
