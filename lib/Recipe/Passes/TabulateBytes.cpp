//===- TabulateBytes.cpp - krnl-tabulate-bytes ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations of a payload that compute a byte from one other byte and constants
// are a function of 256 values. It is computed for all of them like any
// constant subgraph, all functions of a module at once: equal ones once, and
// those that differ in constants by one kernel.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Recipe/TabulateBytes.h"

#include "Cost/OpCost.h"
#include "onnxc/Dialect/Krnl/IR/Lookup.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Recipe/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
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
  /// Operands first, with the constants that they use.
  llvm::SetVector<Operation *> ops;
  /// The results for all bytes; empty before they are computed.
  SmallVector<int8_t> table;
};

/// The functions of bytes in the payload of one op.
class ByteFunctions {
public:
  ByteFunctions(ComputeOp op, TargetAttr target)
      : body(op.getBlock()), target(target), numbers(target.getProcessor()) {}

  /// Finds the functions that take longer than a table, none of them inside of
  /// another one.
  SmallVector<ByteFunction> find();

private:
  std::optional<Value> sourceOf(Value value);
  std::optional<Value> sourceOf(Operation *op);
  void addOps(Value value, ByteFunction &function);
  bool isProfitable(const ByteFunction &function) const;

  Block *body;
  TargetAttr target;
  Processor numbers;
  /// The byte that a value is computed from: null if from constants alone,
  /// nothing if from several values or others.
  DenseMap<Value, std::optional<Value>> sources;
};

} // namespace

static bool isByte(Value value) { return value.getType().isInteger(8); }

/// Returns true if the operation can be computed for all values. Integer
/// divisions end the process where the divisor is 0.
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

/// Adds what computes the value from the byte.
void ByteFunctions::addOps(Value value, ByteFunction &function) {
  Operation *op = value.getDefiningOp();
  if (value == function.byte || function.ops.contains(op))
    return;
  for (Value operand : op->getOperands())
    addOps(operand, function);
  function.ops.insert(op);
}

/// Returns true if the operations take more than a lookup of as many bytes.
bool ByteFunctions::isProfitable(const ByteFunction &function) const {
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
  // Payloads have no regions, which would use values, too.
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
      ByteFunction function{*source, result, {}, {}};
      addOps(result, function);
      if (isProfitable(function)) {
        needed.insert(function.byte);
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

namespace {
/// Functions of the same operations, which differ in constants.
struct Family {
  /// The constants of one of the functions that differ in the others.
  SmallVector<arith::ConstantOp> constants;
  /// The functions by the values of the constants.
  llvm::MapVector<ArrayAttr, SmallVector<ByteFunction *>> members;
};
/// By what the functions have in common.
using Families = llvm::MapVector<ArrayAttr, Family>;
} // namespace

/// Returns true if the constant can be an element of a tensor, with the same
/// results. Functions may be expanded for one value of an operand.
static bool isVariable(Operation *op) {
  if (!isa<arith::ConstantOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  return llvm::is_contained({8u, 16u, 32u, 64u}, bits) &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<arith::ArithDialect>(user->getDialect());
         });
}

static void add(ByteFunction &function, Families &families) {
  Builder b(function.result.getContext());
  SmallVector<Attribute> common, values;
  SmallVector<arith::ConstantOp> constants;
  DenseMap<Value, int64_t> numbers;
  numbers[function.byte] = 0;
  for (Operation *op : function.ops) {
    SmallVector<int64_t> operands;
    for (Value operand : op->getOperands())
      operands.push_back(numbers.at(operand));
    numbers.try_emplace(op->getResult(0), numbers.size());
    DictionaryAttr attributes = op->getAttrDictionary();
    if (isVariable(op)) {
      constants.push_back(cast<arith::ConstantOp>(op));
      values.push_back(constants.back().getValue());
      attributes = b.getDictionaryAttr({});
    }
    common.append({op->getName().getIdentifier(), attributes,
                   TypeAttr::get(op->getResult(0).getType()),
                   b.getDenseI64ArrayAttr(operands)});
  }
  Family &family = families[b.getArrayAttr(common)];
  auto [members, isNew] = family.members.try_emplace(b.getArrayAttr(values));
  if (family.members.size() == 1 && isNew)
    family.constants = std::move(constants);
  members->second.push_back(&function);
}

/// A tensor with an element for each of the members; null if all have the same.
static Value buildConstants(OpBuilder &b, const Family &family,
                            unsigned number) {
  SmallVector<Attribute> values;
  for (const auto &[constants, functions] : family.members)
    values.push_back(constants[number]);
  arith::ConstantOp constant = family.constants[number];
  if (llvm::all_equal(values))
    return Value();
  auto type =
      RankedTensorType::get({int64_t(values.size())}, constant.getType());
  return ConstantOp::create(b, constant.getLoc(),
                            DenseElementsAttr::get(type, values),
                            PackedLayoutAttr());
}

/// The results of the members, each for all bytes.
static Value buildTables(OpBuilder &b, Location loc, Value bytes,
                         const Family &family) {
  int64_t count = family.members.size();
  SmallVector<Value> ins{bytes}, given;
  AffineExpr member = b.getAffineDimExpr(0), byte = b.getAffineDimExpr(1);
  SmallVector<Subscripts> accesses{{Subscript{byte}}};
  for (auto [number, constant] : llvm::enumerate(family.constants))
    if (Value elements = buildConstants(b, family, number)) {
      ins.push_back(elements);
      given.push_back(constant->getResult(0));
      accesses.push_back({Subscript{member}});
    }
  accesses.push_back({Subscript{member}, Subscript{byte}});
  Value scratch =
      tensor::EmptyOp::create(b, loc, {count, tableBytes}, b.getI8Type());
  auto kernel =
      KernelOp::create(b, loc, "tables",
                       {LoopAttr::get(b.getContext(), "f", count),
                        LoopAttr::get(b.getContext(), "i", tableBytes)},
                       ValueRange(), ins, scratch);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  const ByteFunction &function = *family.members.front().second.front();
  auto op = ComputeOp::create(
      b, loc, kernel.getBody().getArguments().take_front(ins.size()),
      kernel.getOutArgument(0), accesses, {"f", "i"}, 2, StringAttr(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        mapping.map(function.byte, args.front());
        for (auto [constant, element] : llvm::zip(given, args.drop_front()))
          mapping.map(constant, element);
        for (Operation *computing : function.ops)
          if (!mapping.contains(computing->getResult(0)))
            b.clone(*computing, mapping);
        linalg::YieldOp::create(b, loc, mapping.lookup(function.result));
      });
  YieldOp::create(b, loc, op->getResults());
  return kernel.getResult(0);
}

/// A module with one function that returns the tables of each family.
static OwningOpRef<ModuleOp> outline(ModuleOp module,
                                     ArrayRef<const Family *> families) {
  Location loc = module.getLoc();
  OwningOpRef<ModuleOp> outlined = ModuleOp::create(loc);
  OpBuilder b = OpBuilder::atBlockEnd(outlined->getBody());
  auto function =
      func::FuncOp::create(b, loc, "main_graph", b.getFunctionType({}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<int8_t> values;
  for (int64_t value = 0; value < tableBytes; ++value)
    values.push_back(int8_t(value));
  auto type = RankedTensorType::get({tableBytes}, b.getI8Type());
  Value bytes =
      ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(values)),
                         PackedLayoutAttr());
  SmallVector<Value> results;
  for (const Family *family : families)
    results.push_back(buildTables(b, loc, bytes, *family));
  func::ReturnOp::create(b, loc, results);
  function.setType(
      b.getFunctionType({}, llvm::to_vector(ValueRange(results).getTypes())));
  return outlined;
}

/// Computes the tables of the families. Functions that cannot be computed keep
/// none: the run computes them.
static void evaluate(ModuleOp module, ArrayRef<const Family *> families,
                     const onnx::Evaluator &evaluator) {
  onnx::Evaluator::Results results =
      evaluator.evaluate(*outline(module, families));
  if (results) {
    for (auto [family, tables] : llvm::zip_equal(families, *results)) {
      SmallVector<char> scratch;
      ArrayRef<char> bytes = onnx::constantBytes(tables, scratch);
      for (const auto &[constants, functions] : family->members) {
        for (ByteFunction *function : functions)
          function->table.assign(bytes.begin(), bytes.begin() + tableBytes);
        bytes = bytes.drop_front(tableBytes);
      }
    }
    return;
  }
  std::string reason = llvm::toString(results.takeError());
  if (size_t half = families.size() / 2) {
    evaluate(module, families.take_front(half), evaluator);
    evaluate(module, families.drop_front(half), evaluator);
    return;
  }
  for (const auto &[constants, functions] : families.front()->members)
    for (ByteFunction *function : functions)
      emitRemark(function->result.getLoc(),
                 "a function of a byte, but computed for each: ")
          << reason;
}

/// Reads the result from the table; what computed it is removed where nothing
/// else uses it.
static void replace(const ByteFunction &function) {
  OpBuilder b(function.result.getDefiningOp());
  Location loc = function.result.getLoc();
  Value looked = LookupOp::create(b, loc, function.byte, function.table);
  Value result = function.result;
  result.replaceAllUsesWith(looked);
  remark::passed(
      loc,
      remark::RemarkOpts::name("TabulateBytes").category("krnl-tabulate-bytes"))
      << remark::metric("From", int64_t(function.ops.size()))
      << remark::metric("Into", "a table");
  for (Operation *op : llvm::reverse(function.ops.getArrayRef()))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Replaces the functions of all kernels.
static void tabulate(ModuleOp module, const onnx::Evaluator &evaluator) {
  SmallVector<ByteFunction> functions;
  module.walk([&](ComputeOp op) {
    // Sums contract products with additions, which tables do not.
    TargetAttr target = TargetAttr::of(op);
    if (target && op.getNumReductionLoops() == 0)
      llvm::append_range(functions, ByteFunctions(op, target).find());
  });
  Families found;
  for (ByteFunction &function : functions)
    add(function, found);
  SmallVector<const Family *> families;
  for (const auto &[common, family] : found)
    families.push_back(&family);
  if (!families.empty())
    evaluate(module, families, evaluator);
  // Of the functions of a payload the last comes first: it may have operations
  // of those before.
  for (const ByteFunction &function : functions)
    if (!function.table.empty())
      replace(function);
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
