//===- ArgumentChecks.cpp - What schemas do not check ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "ArgumentChecks.h"

#include "onnxc/Support/Budget.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc::schema;
using ::onnx::OpSchema;

const OpSchema::FormalParameter *
onnxc::schema::formalOf(const std::vector<OpSchema::FormalParameter> &formals,
                        size_t index) {
  if (index < formals.size())
    return &formals[index];
  bool repeats = !formals.empty() &&
                 formals.back().GetOption() == OpSchema::Variadic &&
                 formals.back().GetIsHomogeneous();
  return repeats ? &formals.back() : nullptr;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// The smallest number that an attribute of a window may have.
struct MinNumber {
  StringLiteral attribute;
  int64_t min;
};
} // namespace

static constexpr MinNumber minNumbers[] = {
    {"pads", 0},        {"output_padding", 0}, {"strides", 1},
    {"dilations", 1},   {"kernel_shape", 1},   {"group", 1},
    {"offset_group", 1}};

static bool hasWindow(StringRef operation) {
  return llvm::StringSwitch<bool>(operation)
      .Cases({"onnx.AveragePool", "onnx.Col2Im", "onnx.Conv",
              "onnx.ConvInteger", "onnx.ConvTranspose", "onnx.DeformConv",
              "onnx.LpPool", "onnx.MaxPool", "onnx.MaxUnpool",
              "onnx.QLinearConv"},
             true)
      .Default(false);
}

/// The error in the numbers of a window. The schemas' functions look at them
/// only once they know the rank of the operand and the sizes of the window, and
/// not at all of them.
static std::optional<std::string> checkWindow(Operation *op) {
  if (!hasWindow(op->getName().getStringRef()))
    return std::nullopt;
  for (const MinNumber &row : minNumbers) {
    Attribute attribute =
        op->getInherentAttr(row.attribute).value_or(Attribute());
    std::string error = "attribute " + row.attribute.str();
    if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
      if (number.getInt() < row.min)
        return error + " must be positive";
    if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
      if (llvm::any_of(list.asArrayRef(),
                       [&](int64_t number) { return number < row.min; }))
        return error + (row.min > 0 ? " must only contain positive values"
                                    : " must not contain negative values");
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Texts and lists
//===----------------------------------------------------------------------===//

/// The error in the equation of an Einsum, if any. The schema's
/// function runs forever or beyond its arrays on characters that it does not
/// expect.
static std::optional<std::string> checkEquation(Operation *op) {
  std::optional<Attribute> attribute = op->getInherentAttr("equation");
  auto text = attribute ? dyn_cast_or_null<StringAttr>(*attribute) : nullptr;
  if (!text)
    return std::nullopt;
  StringRef equation = text.getValue();
  auto [left, right] = equation.split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (equation.contains("->"))
    terms.push_back(right);
  for (StringRef term : terms) {
    size_t dots = term.find("...");
    std::string rest = term.str();
    if (dots != StringRef::npos)
      rest.erase(dots, 3);
    for (char c : rest)
      if (!llvm::isAlpha(c) && c != ' ')
        return "equation has '" + std::string(1, c) +
               "' where a letter or '...' is expected";
  }
  return std::nullopt;
}

/// How many numbers an operand of this name has at most for each dimension of a
/// tensor; 0 if it is no list of numbers for dimensions.
static int64_t numbersPerDim(StringRef operation, StringRef operand) {
  return llvm::StringSwitch<int64_t>(operand)
      .Cases({"axes", "shape", "starts", "ends", "steps", "repeats", "sizes",
              "size", "output_shape", "image_shape", "block_shape"},
             1)
      .Case("scales", operation == "onnx.Resize" ? 1 : 0)
      .Case("input", operation == "onnx.ConstantOfShape" ? 1 : 0)
      .Case("pads", 2)
      .Default(0);
}

/// The error in the lengths of lists: the schema's functions make as many
/// dimensions of results as a list has numbers, even above the limit of the
/// rank, and as many sizes as Split has parts.
static std::optional<std::string> checkLengths(Operation *op,
                                               const OpSchema &schema,
                                               ArrayRef<Value> operands,
                                               const ValueFacts &facts) {
  StringRef name = op->getName().getStringRef();
  int64_t maxRank = onnxc::Budget::limitsOf(op->getContext()).rank;
  for (auto [slot, value] : llvm::enumerate(operands)) {
    auto list = value ? dyn_cast<RankedTensorType>(facts.type(value))
                      : RankedTensorType();
    const OpSchema::FormalParameter *formal = formalOf(schema.inputs(), slot);
    if (!formal || !list || list.getRank() != 1 || list.isDynamicDim(0))
      continue;
    int64_t each = numbersPerDim(name, formal->GetName());
    if (each && list.getDimSize(0) / each > maxRank)
      return "'" + formal->GetName() + "' has " +
             std::to_string(list.getDimSize(0)) +
             " elements, but tensors have at most " + std::to_string(maxRank) +
             " dimensions";
  }
  auto parts = op->getInherentAttr("num_outputs");
  auto number = parts ? dyn_cast_or_null<IntegerAttr>(*parts) : IntegerAttr();
  if (name == "onnx.Split" && number && number.getInt() > op->getNumResults())
    return "num_outputs is " + std::to_string(number.getInt()) +
           ", but the node has " + std::to_string(op->getNumResults()) +
           " outputs";
  return std::nullopt;
}

std::optional<std::string>
onnxc::schema::checkArguments(Operation *op, const OpSchema &schema,
                              ArrayRef<Value> operands,
                              const ValueFacts &facts) {
  if (std::optional<std::string> error = checkEquation(op))
    return error;
  if (std::optional<std::string> error = checkWindow(op))
    return error;
  return checkLengths(op, schema, operands, facts);
}
