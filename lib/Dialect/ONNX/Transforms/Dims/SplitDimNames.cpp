//===- SplitDimNames.cpp - Names of sizes that need not be equal ----------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Support/FunctionAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace onnxc::onnx {
#define GEN_PASS_DEF_SPLITDIMNAMES
#include "onnxc/Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace onnxc::onnx

using namespace mlir;
using namespace onnxc::onnx;

namespace {

/// A dimension of an argument that has a name.
struct Occurrence {
  BlockArgument argument;
  unsigned dim;
};

/// The names of one function.
class Splitting {
public:
  explicit Splitting(func::FuncOp function) : function(function) {}

  void run();

private:
  using Dims = SmallVector<AffineExpr, 4>;

  bool collect();
  void nameGroups();
  unsigned unite();
  void visit(Operation *op);
  void needEqual(ArrayRef<AffineExpr> sizes);
  void uniteAll(ArrayRef<int> group);
  void needAllEqual(Operation *op);
  void needAligned(ValueRange values, std::optional<int64_t> except = {});
  void collectOccurrences(AffineExpr expr, llvm::SmallSetVector<int, 4> &found);
  Dims dimsOf(Value value);
  void rename();
  std::string freshName(StringRef base);
  void setName(const Occurrence &where, StringRef name);
  void writeNames();
  void writeDeclared(ArrayRef<Attribute> declared);

  func::FuncOp function;
  std::optional<DimAnalysis> analysis;
  /// All occurrences of names that occur more than once.
  SmallVector<Occurrence> occurrences;
  SmallVector<std::string> nameOf;
  llvm::MapVector<StringAttr, SmallVector<int>> byName;
  llvm::StringMap<int> byOwnName;
  llvm::StringSet<> names;
  /// The number that a new name made of this one begins to be tried with.
  llvm::StringMap<unsigned> numbers;
  /// The names that arguments, by their numbers, are to have.
  llvm::DenseMap<unsigned, SmallVector<Attribute>> changed;
  llvm::EquivalenceClasses<int> equal;
};

} // namespace

static ArrayAttr namesOf(func::FuncOp function, BlockArgument argument) {
  return function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                              "onnx.dims");
}

/// Returns false if no name occurs twice.
bool Splitting::collect() {
  llvm::MapVector<StringAttr, SmallVector<Occurrence>> all;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    ArrayAttr given = namesOf(function, argument);
    if (!type || !given)
      continue;
    for (auto [dim, name] : llvm::enumerate(given.getAsRange<StringAttr>()))
      if (!name.empty() && int64_t(dim) < type.getRank() &&
          type.isDynamicDim(dim))
        all[name].push_back({argument, unsigned(dim)});
  }
  for (auto &[name, positions] : all) {
    names.insert(name.getValue());
    if (positions.size() < 2)
      continue;
    for (const Occurrence &position : positions) {
      byName[name].push_back(occurrences.size());
      equal.insert(occurrences.size());
      occurrences.push_back(position);
      nameOf.push_back(name.str());
    }
  }
  return !occurrences.empty();
}

std::string Splitting::freshName(StringRef base) {
  for (unsigned &n = numbers.try_emplace(base, 2).first->second;; ++n) {
    std::string name = (base + "_" + Twine(n)).str();
    if (names.insert(name).second)
      return name;
  }
}

void Splitting::setName(const Occurrence &where, StringRef name) {
  SmallVector<Attribute> &all = changed[where.argument.getArgNumber()];
  if (all.empty())
    llvm::append_range(all, namesOf(function, where.argument));
  all[where.dim] = StringAttr::get(function.getContext(), name);
}

void Splitting::writeNames() {
  SmallVector<Attribute> dims(function.getNumArguments());
  for (auto &[argument, all] : changed)
    dims[argument] = ArrayAttr::get(function.getContext(), all);
  onnxc::setArgAttrs(function, "onnx.dims", dims);
  changed.clear();
}

/// Gives the occurrences that are known to be equal a name of their own, so
/// that the analysis distinguishes the others.
void Splitting::nameGroups() {
  for (auto [number, position] : llvm::enumerate(occurrences)) {
    int leader = equal.getLeaderValue(number);
    std::string own = "\x01" + std::to_string(leader);
    byOwnName[own] = leader;
    setName(position, own);
  }
  writeNames();
}

/// Unites occurrences that operations need equal, and returns how many groups
/// there are now.
unsigned Splitting::unite() {
  nameGroups();
  analysis.emplace(function);
  function.getBody().walk([&](Operation *op) { visit(op); });
  return equal.getNumClasses();
}

Splitting::Dims Splitting::dimsOf(Value value) {
  return isa<RankedTensorType>(analysis->type(value))
             ? analysis->info(value).dims
             : Dims();
}

/// The occurrences that a size is computed from.
void Splitting::collectOccurrences(AffineExpr expr,
                                   llvm::SmallSetVector<int, 4> &found) {
  DimSpace &space = analysis->getSpace();
  SmallVector<AffineExpr> worklist{expr};
  llvm::DenseSet<unsigned> seen;
  while (!worklist.empty()) {
    worklist.pop_back_val().walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol || !seen.insert(symbol.getPosition()).second)
        return;
      const DimSymbol &is = space.symbol(symbol.getPosition());
      auto own = byOwnName.find(is.name);
      if (is.kind == DimSymbol::Kind::Input && own != byOwnName.end())
        found.insert(own->second);
      llvm::append_range(worklist, is.args);
    });
  }
}

/// Sizes that are one size in a run: occurrences of a name in different ones
/// have to be equal.
void Splitting::needEqual(ArrayRef<AffineExpr> sizes) {
  llvm::DenseSet<AffineExpr> seen;
  // Those of the first size with the name, and later one for all of them.
  llvm::StringMap<SmallVector<int, 1>> known;
  for (AffineExpr size : sizes) {
    if (!size || !seen.insert(size).second)
      continue;
    llvm::SmallSetVector<int, 4> found;
    collectOccurrences(size, found);
    llvm::StringMap<SmallVector<int, 1>> own;
    for (int x : found)
      own[nameOf[x]].push_back(x);
    for (auto &[name, group] : own) {
      auto [entry, isNew] = known.try_emplace(name, group);
      if (isNew)
        continue;
      llvm::append_range(entry->second, group);
      uniteAll(entry->second);
      entry->second.resize(1);
    }
  }
}

void Splitting::uniteAll(ArrayRef<int> group) {
  for (int x : group)
    equal.unionSets(group.front(), x);
}

/// All sizes of all operands, and of their contents.
void Splitting::needAllEqual(Operation *op) {
  Dims sizes;
  for (Value operand : op->getOperands()) {
    llvm::append_range(sizes, dimsOf(operand));
    const ValueInfo &info = analysis->info(operand);
    if (info.contents)
      llvm::append_range(sizes, *info.contents);
  }
  llvm::SmallSetVector<int, 4> found;
  for (AffineExpr size : sizes)
    if (size)
      collectOccurrences(size, found);
  llvm::StringMap<SmallVector<int, 1>> groups;
  for (int x : found)
    groups[nameOf[x]].push_back(x);
  for (auto &[name, group] : groups)
    uniteAll(group);
}

/// Dimensions in the same position, counted from the last, but for one that is
/// counted from the first.
void Splitting::needAligned(ValueRange values, std::optional<int64_t> except) {
  SmallVector<Dims> columns;
  for (Value value : values) {
    Dims dims = dimsOf(value);
    std::optional<int64_t> skipped =
        except ? normalizeAxis(*except, dims.size()) : std::nullopt;
    columns.resize(std::max(columns.size(), dims.size()));
    for (auto [d, size] : llvm::enumerate(llvm::reverse(dims)))
      if (skipped != int64_t(dims.size() - 1 - d))
        columns[d].push_back(size);
  }
  for (ArrayRef<AffineExpr> column : columns)
    needEqual(column);
}

/// Returns true if the operands of `op` are not read along common loops:
/// operators that select elements by index may select fewer or more than there
/// are.
static bool isFree(Operation *op) {
  return isa<GatherOp, GatherNDOp, SliceOp, PadOp, ResizeOp, TileOp, TopKOp,
             LoopOp, IfOp, SequenceConstructOp, SequenceInsertOp, SequenceAtOp>(
             op) ||
         !isa_and_present<ONNXDialect>(op->getDialect()) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

void Splitting::visit(Operation *op) {
  if (op->getNumOperands() < 2 || isFree(op))
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ConcatOp concat) {
        needAligned(concat->getOperands(), concat.getAxis());
      })
      .Case<AddOp, SubOp, MulOp, DivOp, WhereOp, EqualOp, GreaterOp, LessOp>(
          [&](Operation *elementwise) {
            needAligned(elementwise->getOperands());
          })
      .Case([&](MatMulOp product) {
        Dims a = dimsOf(product.getA()), b = dimsOf(product.getB());
        if (!a.empty() && b.size() > 1)
          needEqual({a.back(), b[b.size() - 2]});
        for (size_t d = 3; d <= std::min(a.size(), b.size()); ++d)
          needEqual({a[a.size() - d], b[b.size() - d]});
      })
      .Default([&](Operation *other) { needAllEqual(other); });
}

/// The occurrences that have to be equal keep a name together. That of the
/// first is the model's.
void Splitting::rename() {
  for (auto &[name, positions] : byName) {
    llvm::MapVector<int, SmallVector<int>> groups;
    for (int position : positions)
      groups[equal.getLeaderValue(position)].push_back(position);
    bool isFirst = true;
    for (auto &[leader, group] : groups) {
      std::string own = isFirst             ? name.str()
                        : group.size() == 1 ? std::string()
                                            : freshName(name);
      for (int position : group)
        setName(occurrences[position], own);
      isFirst = false;
    }
  }
  writeNames();
}

/// Keeps the names of the model, `declared`, beside others.
void Splitting::writeDeclared(ArrayRef<Attribute> declared) {
  SmallVector<Attribute> kept(declared);
  for (auto [argument, names] : llvm::zip_equal(function.getArguments(), kept))
    if (names == namesOf(function, argument))
      names = {};
  onnxc::setArgAttrs(function, declaredDimsAttrName, kept);
}

void Splitting::run() {
  if (function.isExternal() || !collect())
    return;
  SmallVector<Attribute> declared;
  for (BlockArgument argument : function.getArguments())
    declared.push_back(namesOf(function, argument));
  // A size of more occurrences than an expression may have is unknown, until
  // some of them have one name.
  unsigned groups = occurrences.size();
  for (unsigned left = unite(); left < groups && groups > DimSpace::maxSize;
       left = unite())
    groups = left;
  rename();
  writeDeclared(declared);
}

namespace {

struct SplitDimNames final
    : public onnxc::onnx::impl::SplitDimNamesBase<SplitDimNames> {
  using SplitDimNamesBase::SplitDimNamesBase;

  void runOnOperation() override {
    getOperation().walk(
        [](func::FuncOp function) { Splitting(function).run(); });
  }
};

} // namespace
