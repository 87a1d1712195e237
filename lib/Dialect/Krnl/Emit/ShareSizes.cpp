//===- ShareSizes.cpp - One function for many sizes -------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Where images have dynamic sizes, many layers of a network differ in their
// numbers of channels alone, and so do the constants in their functions:
//
//   func @a(%x: memref<?x528xf32>) { scf.for %k = %c0 to %c528 ... }
//   func @b(%x: memref<?x832xf32>) { scf.for %k = %c0 to %c832 ... }
// -> func @a(%x: memref<?x?xf32>) { scf.for %k = %c0 to (dim %x, 1) ... }
//
// One function remains. A number that is no size of an argument is passed as
// one more. Launches pass their own numbers; the sizes of their buffers stay
// known to the host. Functions for known sizes become one where they are equal,
// as those that pack the operands of equal layers.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"
#include "onnxc/Support/RegionHash.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace onnxc::krnl {

/// More numbers that are passed would cost more than the function they save.
static constexpr unsigned maxPassed = 8;

static bool isNumber(Operation *op) { return isa<arith::ConstantIndexOp>(op); }

/// Divisions by dynamic numbers take long; once for a tile, in the outermost
/// loop, they do no harm.
static bool mayDiffer(Operation *number) {
  return llvm::none_of(number->getUsers(), [](Operation *user) {
    if (isa<memref::DimOp>(user))
      return true;
    bool divides =
        isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
            arith::FloorDivSIOp, arith::CeilDivSIOp>(user);
    Operation *parent = user->getParentOp();
    return divides && !isa<func::FuncOp>(parent) &&
           !isa<func::FuncOp>(parent->getParentOp());
  });
}

/// Returns true if no user of an argument has a memref as its result, so that
/// the type of the argument may have other sizes.
static bool isOnlyRead(BlockArgument argument) {
  return llvm::none_of(argument.getUsers(), [](Operation *user) {
    return llvm::any_of(user->getResultTypes(), llvm::IsaPred<MemRefType>);
  });
}

/// Returns true if an argument has dynamic sizes. Only the sizes of such
/// functions may differ: where all sizes are known, they are constants in
/// addresses.
static bool hasDynamicSizes(func::FuncOp func) {
  return llvm::any_of(func.getArgumentTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && !memref.hasStaticShape();
  });
}

namespace {

/// Walks two functions side by side.
class Comparison {
public:
  bool areAlike(func::FuncOp x, func::FuncOp y);

private:
  bool areAlike(Region &x, Region &y, bool isEntry);
  bool areAlike(Operation &x, Operation &y);
  bool areAlike(BlockArgument x, BlockArgument y, bool isEntry);

  DenseMap<Value, Value> others;
  /// True if numbers and sizes may differ.
  bool haveDynamicSizes = false;
};

/// A function that others may be like, with its numbers in order.
struct Member {
  func::FuncOp func;
  SmallVector<arith::ConstantIndexOp> numbers;
};

/// The value of a number or a size in each member of a group.
using Values = SmallVector<int64_t>;

} // namespace

bool Comparison::areAlike(BlockArgument x, BlockArgument y, bool isEntry) {
  others[x] = y;
  if (x.getType() == y.getType())
    return true;
  auto one = dyn_cast<MemRefType>(x.getType()),
       other = dyn_cast<MemRefType>(y.getType());
  return haveDynamicSizes && isEntry && one && other &&
         one.getRank() == other.getRank() &&
         one.getElementType() == other.getElementType() &&
         one.getLayout().isIdentity() && other.getLayout().isIdentity() &&
         isOnlyRead(x) && isOnlyRead(y);
}

bool Comparison::areAlike(Operation &x, Operation &y) {
  if (x.getName() != y.getName() || x.getNumOperands() != y.getNumOperands() ||
      x.getResultTypes() != y.getResultTypes() ||
      x.getNumRegions() != y.getNumRegions() || x.getNumSuccessors() > 0)
    return false;
  bool mayHaveOther =
      haveDynamicSizes && isNumber(&x) && mayDiffer(&x) && mayDiffer(&y);
  if (!mayHaveOther &&
      (x.getDiscardableAttrDictionary() != y.getDiscardableAttrDictionary() ||
       !x.getName().compareOpProperties(x.getPropertiesStorage(),
                                        y.getPropertiesStorage())))
    return false;
  for (auto [one, other] : llvm::zip_equal(x.getOperands(), y.getOperands()))
    if (others.lookup(one) != other)
      return false;
  for (auto [one, other] : llvm::zip_equal(x.getResults(), y.getResults()))
    others[one] = other;
  return llvm::all_of_zip(x.getRegions(), y.getRegions(),
                          [&](Region &one, Region &other) {
                            return areAlike(one, other, /*isEntry=*/false);
                          });
}

bool Comparison::areAlike(Region &x, Region &y, bool isEntry) {
  if (x.empty() || y.empty())
    return x.empty() && y.empty();
  if (!x.hasOneBlock() || !y.hasOneBlock())
    return false;
  Block &one = x.front(), &other = y.front();
  if (one.getNumArguments() != other.getNumArguments() ||
      !llvm::all_of_zip(one.getArguments(), other.getArguments(),
                        [&](BlockArgument a, BlockArgument b) {
                          return areAlike(a, b, isEntry);
                        }))
    return false;
  auto at = one.begin(), there = other.begin();
  for (; at != one.end() && there != other.end(); ++at, ++there)
    if (!areAlike(*at, *there))
      return false;
  return at == one.end() && there == other.end();
}

bool Comparison::areAlike(func::FuncOp x, func::FuncOp y) {
  // The attributes are for launches: how many threads run the function.
  if (x->getDiscardableAttrDictionary() != y->getDiscardableAttrDictionary() ||
      x.getArgAttrsAttr() != y.getArgAttrsAttr())
    return false;
  others.clear();
  haveDynamicSizes = hasDynamicSizes(x) && hasDynamicSizes(y);
  return areAlike(x.getBody(), y.getBody(), /*isEntry=*/true);
}

/// Functions that are alike have equal hashes.
static llvm::hash_code hashOf(func::FuncOp func) {
  Attribute attrs = func->getDiscardableAttrDictionary();
  if (!hasDynamicSizes(func))
    return llvm::hash_combine(attrs, func.getFunctionType(), hashRegions(func));
  auto isPassed = [](Operation *op) { return isNumber(op) && mayDiffer(op); };
  return llvm::hash_combine(attrs, hashRegions(func, isPassed));
}

static SmallVector<SmallVector<Member, 0>>
groupsOf(Operation *module,
         const llvm::StringMap<SmallVector<LaunchOp>> &launches) {
  llvm::MapVector<size_t, SmallVector<SmallVector<Member, 0>, 1>> byHash;
  for (auto func : module->getRegion(0).front().getOps<func::FuncOp>()) {
    if (!func->hasAttr(KrnlDialect::kernelAttrName) || func.isDeclaration() ||
        !launches.contains(func.getName()))
      continue;
    Member member{func, {}};
    func.walk([&](arith::ConstantIndexOp op) { member.numbers.push_back(op); });
    auto &groups = byHash[size_t(hashOf(func))];
    auto *group = llvm::find_if(groups, [&](ArrayRef<Member> group) {
      return Comparison().areAlike(group.front().func, func);
    });
    if (group == groups.end())
      groups.emplace_back(1, std::move(member));
    else
      group->push_back(std::move(member));
  }
  SmallVector<SmallVector<Member, 0>> result;
  for (auto &[hash, groups] : byHash)
    for (auto &group : groups)
      if (group.size() > 1)
        result.push_back(std::move(group));
  return result;
}

namespace {

/// Makes one function of a group.
class Sharing {
public:
  Sharing(ArrayRef<Member> group) : group(group), func(group.front().func) {
    findDifferences();
  }

  bool isWorthIt() const { return passed.size() <= maxPassed; }
  /// `launches` are those of each function.
  void share(llvm::StringMap<SmallVector<LaunchOp>> &launches);

private:
  void findDifferences();
  void makeSizesDynamic();
  void replaceNumbers(unsigned firstPassed);

  ArrayRef<Member> group;
  func::FuncOp func;
  /// Sizes that differ: the argument and its dimension.
  std::map<Values, std::pair<unsigned, unsigned>> sizes;
  /// Numbers that differ and are no size, in the order in which they are
  /// passed.
  llvm::MapVector<Values, unsigned, std::map<Values, unsigned>> passed;
  /// By number of the function: its value in each member, if they differ.
  SmallVector<std::optional<Values>> numbers;
};

} // namespace

static MemRefType bufferType(func::FuncOp func, unsigned argument) {
  return dyn_cast<MemRefType>(func.getArgumentTypes()[argument]);
}

static std::optional<Values> ifDifferent(Values values) {
  if (llvm::all_equal(values))
    return std::nullopt;
  return values;
}

void Sharing::findDifferences() {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    MemRefType memref = bufferType(func, i);
    for (int64_t dim = 0; memref && dim < memref.getRank(); ++dim)
      if (auto values =
              ifDifferent(llvm::map_to_vector(group, [&](const Member &member) {
                return bufferType(member.func, i).getDimSize(dim);
              })))
        sizes.try_emplace(*values, i, dim);
  }
  for (unsigned n = 0; n < group.front().numbers.size(); ++n) {
    numbers.push_back(
        ifDifferent(llvm::map_to_vector(group, [&](const Member &member) {
          return arith::ConstantIndexOp(member.numbers[n]).value();
        })));
    if (numbers.back() && !sizes.contains(*numbers.back()))
      passed.insert({*numbers.back(), passed.size()});
  }
}

/// Sizes that differ are known to the launches alone.
void Sharing::makeSizesDynamic() {
  for (BlockArgument argument : func.getArguments()) {
    auto memref = dyn_cast<MemRefType>(argument.getType());
    if (!memref)
      continue;
    SmallVector<int64_t> shape(memref.getShape());
    for (const Member &member : group)
      for (auto [size, other] : llvm::zip_equal(
               shape,
               bufferType(member.func, argument.getArgNumber()).getShape()))
        if (size != other)
          size = ShapedType::kDynamic;
    argument.setType(MemRefType::get(shape, memref.getElementType()));
  }
  func.setType(FunctionType::get(func.getContext(),
                                 func.getBody().getArgumentTypes(), {}));
}

void Sharing::replaceNumbers(unsigned firstPassed) {
  OpBuilder builder(func.getContext());
  for (auto [number, values] :
       llvm::zip_equal(group.front().numbers, numbers)) {
    if (!values)
      continue;
    // The first op may be a number that has just been erased.
    builder.setInsertionPointToStart(&func.getBody().front());
    Value now;
    if (auto it = sizes.find(*values); it != sizes.end()) {
      auto [argument, dim] = it->second;
      unsigned shift = argument < firstPassed ? 0 : passed.size();
      now = memref::DimOp::create(builder, func.getLoc(),
                                  func.getArgument(argument + shift), dim);
    } else {
      now = func.getArgument(firstPassed + passed.lookup(*values));
    }
    arith::ConstantIndexOp op = number;
    op->getResult(0).replaceAllUsesWith(now);
    op->erase();
  }
}

void Sharing::share(llvm::StringMap<SmallVector<LaunchOp>> &launches) {
  // The passed values follow the other inputs.
  unsigned firstPassed = launches[func.getName()].front().getIns().size();
  for (auto [i, member] : llvm::enumerate(group))
    for (LaunchOp launch : launches[func::FuncOp(member.func).getName()]) {
      OpBuilder builder(launch);
      for (const auto &[values, number] : passed)
        launch.getInsMutable().append(
            arith::ConstantIndexOp::create(builder, launch.getLoc(), values[i])
                .getResult());
      launch.setKernel(func.getName());
    }
  makeSizesDynamic();
  for (unsigned n = 0; n < passed.size(); ++n)
    func.getBody().insertArgument(
        firstPassed + n, IndexType::get(func.getContext()), func.getLoc());
  func.setType(FunctionType::get(func.getContext(),
                                 func.getBody().getArgumentTypes(), {}));
  replaceNumbers(firstPassed);
  for (const Member &member : group.drop_front())
    func::FuncOp(member.func).erase();
}

void shareSizes(Operation *module) {
  llvm::StringMap<SmallVector<LaunchOp>> launches;
  module->walk(
      [&](LaunchOp launch) { launches[launch.getKernel()].push_back(launch); });
  for (ArrayRef<Member> group : groupsOf(module, launches))
    if (Sharing sharing(group); sharing.isWorthIt())
      sharing.share(launches);
}

} // namespace onnxc::krnl
