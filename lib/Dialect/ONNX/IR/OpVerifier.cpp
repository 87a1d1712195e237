//===- OpVerifier.cpp - One verifier for all operations --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/Alternatives.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// The numbers of values of the parameters without segment sizes, where at most
/// one parameter does not have exactly one value.
static FailureOr<SmallVector<int32_t>>
deduceSizes(ArrayRef<OpParameter> parameters, unsigned count) {
  SmallVector<int32_t> sizes(parameters.size(), 1);
  auto flexible = llvm::find_if(parameters, [](const OpParameter &parameter) {
    return parameter.kind != ParameterKind::Single;
  });
  int64_t rest =
      static_cast<int64_t>(count) - static_cast<int64_t>(parameters.size());
  if (flexible != parameters.end())
    sizes[flexible - parameters.begin()] += static_cast<int32_t>(rest);
  else if (rest != 0)
    return failure();
  if (rest < -1)
    return failure();
  return sizes;
}

FailureOr<SmallVector<int32_t>> onnxc::onnx::getSegmentSizes(Operation *op,
                                                             bool results) {
  const OpSignature *signature =
      OpSignature::find(op->getName().getStringRef());
  if (!signature)
    return failure();
  ArrayRef<OpParameter> parameters =
      results ? signature->getOutputs() : signature->getInputs();
  unsigned count = results ? op->getNumResults() : op->getNumOperands();
  bool hasSegments = results
                         ? op->hasTrait<OpTrait::AttrSizedResultSegments>()
                         : op->hasTrait<OpTrait::AttrSizedOperandSegments>();
  if (!hasSegments)
    return deduceSizes(parameters, count);
  auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(
      op->getInherentAttr(results ? "resultSegmentSizes"
                                  : "operandSegmentSizes")
          .value_or(Attribute()));
  if (!sizes || sizes.size() != static_cast<int64_t>(parameters.size()))
    return failure();
  return SmallVector<int32_t>(sizes.asArrayRef());
}

std::string onnxc::onnx::inputName(OpOperand &operand) {
  Operation *op = operand.getOwner();
  int64_t position = operand.getOperandNumber();
  FailureOr<SmallVector<int32_t>> sizes =
      getSegmentSizes(op, /*results=*/false);
  if (failed(sizes))
    return "operand #" + std::to_string(position);
  const OpSignature *signature =
      OpSignature::find(op->getName().getStringRef());
  auto parameter = signature->getInputs().begin();
  auto size = sizes->begin();
  for (; position >= *size; ++parameter)
    position -= *size++;
  std::string name = "input '" + parameter->name.str() + "'";
  return *size == 1 ? name
                    : "value " + std::to_string(position + 1) + " of " + name;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The types of one kind of container, by the numbers of their elements.
static void spell(StringRef prefix, StringRef suffix, uint32_t mask,
                  MLIRContext *context, SmallVectorImpl<std::string> &names) {
  for (unsigned number = 1; number < 32; ++number)
    if (mask >> number & 1) {
      Type element = getElementTypeByNumber(context, number);
      names.push_back(
          (prefix + getONNXSpelling(UnrankedTensorType::get(element)) + suffix)
              .str());
    }
}

static void spellMaps(StringRef prefix, StringRef suffix, uint32_t mask,
                      SmallVectorImpl<std::string> &names) {
  static constexpr StringLiteral values[] = {"float", "double", "int64",
                                             "string"};
  for (unsigned bit = 0; bit < 8; ++bit)
    if (mask >> bit & 1)
      names.push_back((prefix + "map(" + (bit < 4 ? "int64" : "string") +
                       ",tensor(" + values[bit % 4] + "))" + suffix)
                          .str());
}

static std::string spell(const TypeSet &types, MLIRContext *context) {
  SmallVector<std::string> names;
  spell("", "", types.tensor, context, names);
  spell("seq(", ")", types.seq, context, names);
  spell("optional(", ")", types.opt, context, names);
  spell("optional(seq(", "))", types.optSeq, context, names);
  spellMaps("", "", types.map, names);
  spellMaps("seq(", ")", types.seqMap, names);
  return llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

namespace {
/// Checks one operation against its row.
class Verifier {
public:
  Verifier(Operation *op, const OpSignature &signature)
      : op(op), signature(signature) {}

  LogicalResult verify() {
    return success(
        succeeded(verifyValues("operand", signature.getInputs(),
                               getSegmentSizes(op, /*results=*/false),
                               op->getOperandTypes())) &&
        succeeded(verifyValues("result", signature.getOutputs(),
                               getSegmentSizes(op, /*results=*/true),
                               op->getResultTypes())) &&
        succeeded(verifyRegions()));
  }

private:
  /// The first value of a type variable, which the others must agree with.
  struct Binding {
    StringRef variable;
    StringRef name;
    Type type;
  };

  template <typename Range>
  LogicalResult verifyValues(StringRef what, ArrayRef<OpParameter> parameters,
                             FailureOr<SmallVector<int32_t>> sizes,
                             Range types);
  LogicalResult verifyType(StringRef what, const OpParameter &parameter,
                           Type type);
  LogicalResult verifyVariable(StringRef what, const OpParameter &parameter,
                               Type type);
  LogicalResult verifyRegions();

  Operation *op;
  const OpSignature &signature;
  SmallVector<Binding, 4> bindings;
};
} // namespace

template <typename Range>
LogicalResult
Verifier::verifyValues(StringRef what, ArrayRef<OpParameter> parameters,
                       FailureOr<SmallVector<int32_t>> sizes, Range types) {
  assert(succeeded(sizes) && "the generated verifier counts the values");
  size_t position = 0;
  for (auto [parameter, size] : llvm::zip_equal(parameters, *sizes)) {
    if (size < parameter.minCount)
      return op->emitOpError()
             << "expects at least " << unsigned(parameter.minCount) << " "
             << what << "s '" << parameter.name << "', but got " << size;
    for (int32_t i = 0; i < size; ++i)
      if (failed(verifyType(what, parameter, types[position++])))
        return failure();
  }
  return success();
}

LogicalResult Verifier::verifyType(StringRef what, const OpParameter &parameter,
                                   Type type) {
  // Constants stand for initialisers too, which are of any type.
  bool isAny = isa<ConstantOp>(op) || op->hasAttr(alternativesAttrName);
  // Tensors of all elements are given the rank that something needs.
  isAny |= isa<ReshapeOp, ShapeOp>(op) && parameter.typeVariable == "T" &&
           isa<TensorType>(type);
  if (!isAny && !parameter.getTypes().contains(type))
    return op->emitOpError()
           << "has " << what << " '" << parameter.name << "' of type " << type
           << ", but its schema allows "
           << spell(parameter.getTypes(), op->getContext());
  if (parameter.typeVariable.empty() || !parameter.isHomogeneous)
    return success();
  return verifyVariable(what, parameter, type);
}

LogicalResult Verifier::verifyVariable(StringRef what,
                                       const OpParameter &parameter,
                                       Type type) {
  auto found = llvm::find_if(bindings, [&](const Binding &binding) {
    return binding.variable == parameter.typeVariable;
  });
  if (found == bindings.end()) {
    bindings.push_back({parameter.typeVariable, parameter.name, type});
    return success();
  }
  if (isa<NoneType>(found->type))
    found->type = type;
  if (mayBeSameUpToShape(found->type, type))
    return success();
  return op->emitOpError() << "has " << what << " '" << parameter.name
                           << "' of type " << type << " and '" << found->name
                           << "' of type " << found->type
                           << ", but both are of type variable '"
                           << parameter.typeVariable
                           << "' and may differ in shape only";
}

LogicalResult Verifier::verifyRegions() {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.empty() || !isa<YieldOp>(block.back()))
        return op->emitOpError()
               << "expects the body of region #" << region.getRegionNumber()
               << " to end in onnx.Yield";
  return success();
}

LogicalResult onnxc::onnx::verifySignature(Operation *op) {
  const OpSignature *signature =
      OpSignature::find(op->getName().getStringRef());
  assert(signature && "an operation of the table");
  return Verifier(op, *signature).verify();
}
