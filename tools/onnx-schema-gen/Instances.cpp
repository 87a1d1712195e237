//===- Instances.cpp - Every operator in every form ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Writes one function per operator that holds it with everything absent,
// everything present, each optional part alone, and once with every type.
//
//===----------------------------------------------------------------------===//
#include "Schemas.h"

#include <map>
#include <sstream>

using namespace onnxc::schemagen;
using ::onnx::AttributeProto;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::string elementType(const std::string &name) {
  static const std::map<std::string, std::string> types = {
      {"float", "f32"},
      {"uint8", "ui8"},
      {"int8", "i8"},
      {"uint16", "ui16"},
      {"int16", "i16"},
      {"int32", "i32"},
      {"int64", "i64"},
      {"string", "!onnx.string"},
      {"bool", "i1"},
      {"float16", "f16"},
      {"double", "f64"},
      {"uint32", "ui32"},
      {"uint64", "ui64"},
      {"complex64", "complex<f32>"},
      {"complex128", "complex<f64>"},
      {"bfloat16", "bf16"},
      {"float8e4m3fn", "f8E4M3FN"},
      {"float8e4m3fnuz", "f8E4M3FNUZ"},
      {"float8e5m2", "f8E5M2"},
      {"float8e5m2fnuz", "f8E5M2FNUZ"},
      {"uint4", "ui4"},
      {"int4", "i4"},
      {"float4e2m1", "f4E2M1FN"},
      {"float8e8m0", "f8E8M0FNU"},
      {"uint2", "ui2"},
      {"int2", "i2"},
      {"float6e2m3", "f6E2M3FN"},
      {"float6e3m2", "f6E3M2FN"}};
  return types.at(name);
}

static bool consume(std::string &text, const std::string &prefix) {
  if (text.compare(0, prefix.size(), prefix) != 0)
    return false;
  text = text.substr(prefix.size(), text.size() - prefix.size() - 1);
  return true;
}

static std::string irType(std::string text) {
  if (consume(text, "tensor("))
    return "tensor<2x?x" + elementType(text) + ">";
  if (consume(text, "seq("))
    return "!onnx.seq<" + irType(text) + ">";
  if (consume(text, "optional("))
    return "!onnx.opt<" + irType(text) + ">";
  if (!consume(text, "map("))
    fail("type '" + text + "' has no form in the dialect");
  size_t comma = text.find(',');
  return "!onnx.map<" + elementType(text.substr(0, comma)) + ", " +
         irType(text.substr(comma + 1)) + ">";
}

//===----------------------------------------------------------------------===//
// One operator
//===----------------------------------------------------------------------===//

namespace {
/// The present operands of an operator and their types.
struct Choice {
  /// The number of values of each input, then of each output.
  std::vector<int> inputCounts;
  std::vector<int> outputCounts;
  /// Which of the allowed types, modulo their number, each variable gets.
  size_t typeNumber = 0;
  /// Names of the optional attributes that are there.
  std::set<std::string> attributes;
};

/// Prints the function of one operator.
class OperatorPrinter {
public:
  explicit OperatorPrinter(const Operator &op) : op(op) {}

  void print(std::ostream &os);

private:
  void printChoice(const Choice &choice);
  void printBody(std::vector<std::string> taken,
                 std::vector<std::string> yielded);
  void printConstants();
  void printProperties(const Choice &choice, std::ostream &os) const;
  std::string typeOf(const Parameter &parameter, size_t typeNumber) const;
  std::string argument(const std::string &type);
  Choice minimal() const;
  Choice maximal() const;
  std::vector<Choice> choices() const;

  const Operator &op;
  std::vector<std::string> argumentTypes;
  std::map<std::string, size_t> argumentNumbers;
  std::ostringstream body;
};
} // namespace

std::string OperatorPrinter::typeOf(const Parameter &parameter,
                                    size_t typeNumber) const {
  std::set<std::string> allowed = allowedTypes(parameter);
  return irType(*std::next(allowed.begin(),
                           static_cast<long>(typeNumber % allowed.size())));
}

std::string OperatorPrinter::argument(const std::string &type) {
  auto [slot, isNew] = argumentNumbers.try_emplace(type, argumentTypes.size());
  if (isNew)
    argumentTypes.push_back(type);
  return "%arg" + std::to_string(slot->second);
}

/// A value that is no default: the readable form leaves defaults out.
static std::string sampleValue(const Schema::Attribute &attribute) {
  // How many operands are scanned: the others are states.
  if (attribute.name == "num_scan_inputs")
    return "1 : i64";
  switch (attribute.type) {
  case AttributeProto::INT:
    return "3 : i64";
  case AttributeProto::FLOAT:
    return "6.25e-01 : f32";
  case AttributeProto::STRING:
    return "\"a \\22b\\22\"";
  case AttributeProto::INTS:
    return "array<i64: 1, -2>";
  case AttributeProto::FLOATS:
    return "array<f32: 1.5, -2.0>";
  case AttributeProto::STRINGS:
    return "[\"a\", \"b\"]";
  case AttributeProto::TYPE_PROTO:
    return "!onnx.seq<tensor<2xf32>>";
  case AttributeProto::SPARSE_TENSOR:
    return "sparse<[[0], [3]], [1.0, 2.0]> : tensor<4xf32>";
  default:
    return "dense<[1.0, 2.0]> : tensor<2xf32>";
  }
}

static std::string segments(const char *name, const std::vector<int> &counts) {
  std::string result = std::string(name) + " = array<i32: ";
  for (size_t i = 0; i < counts.size(); ++i)
    result += (i == 0 ? "" : ", ") + std::to_string(counts[i]);
  return result + ">";
}

void OperatorPrinter::printProperties(const Choice &choice,
                                      std::ostream &os) const {
  std::vector<std::string> properties;
  if (op.hasOperandSegments())
    properties.push_back(segments("operandSegmentSizes", choice.inputCounts));
  if (op.hasResultSegments())
    properties.push_back(segments("resultSegmentSizes", choice.outputCounts));
  for (const Schema::Attribute &attribute : op.attributes())
    if (attribute.required || choice.attributes.count(attribute.name) != 0)
      properties.push_back(attribute.name + " = " + sampleValue(attribute));
  for (size_t i = 0; i < properties.size(); ++i)
    os << (i == 0 ? " <{" : ", ") << properties[i];
  os << (properties.empty() ? "" : "}>");
}

static std::string join(const std::vector<std::string> &items) {
  std::string result;
  for (const std::string &item : items)
    result += (result.empty() ? "" : ", ") + item;
  return result;
}

/// The arguments of a body follow from the operation around it; it yields
/// values from outside, which it may use directly.
void OperatorPrinter::printBody(std::vector<std::string> taken,
                                std::vector<std::string> yielded) {
  if (op.mnemonic == "If")
    taken.clear();
  if (op.mnemonic == "Loop") {
    taken.insert(taken.begin(), {"tensor<i64>", "tensor<i1>"});
    yielded.insert(yielded.begin(), "tensor<i1>");
  }
  body << "{^bb0";
  for (size_t i = 0; i < taken.size(); ++i)
    body << (i == 0 ? "(%in" : ", %in") << i << ": " << taken[i];
  std::vector<std::string> values;
  for (const std::string &type : yielded)
    values.push_back(argument(type));
  body << (taken.empty() ? ":" : "):") << " \"onnx.Yield\"(" << join(values)
       << ") : (" << join(yielded) << ") -> ()}";
}

void OperatorPrinter::printChoice(const Choice &choice) {
  std::vector<std::string> operands, operandTypes, resultTypes;
  for (size_t i = 0; i < choice.inputCounts.size(); ++i)
    for (int k = 0; k < choice.inputCounts[i]; ++k) {
      std::string type = typeOf(op.schema.inputs()[i], choice.typeNumber);
      operands.push_back(argument(type));
      operandTypes.push_back(type);
    }
  for (size_t i = 0; i < choice.outputCounts.size(); ++i)
    for (int k = 0; k < choice.outputCounts[i]; ++k)
      resultTypes.push_back(typeOf(op.schema.outputs()[i], choice.typeNumber));
  body << "  \"onnx." << op.mnemonic << "\"(" << join(operands) << ")";
  printProperties(choice, body);
  std::vector<std::string> taken = operandTypes;
  if (op.mnemonic == "Loop")
    taken.assign(operandTypes.end() - choice.inputCounts.back(),
                 operandTypes.end());
  std::vector<Schema::Attribute> graphs = op.graphs();
  for (size_t i = 0; i < graphs.size(); ++i) {
    body << (i == 0 ? " (" : ", ");
    printBody(taken, resultTypes);
  }
  body << (graphs.empty() ? "" : ")") << " : (" << join(operandTypes)
       << ") -> (" << join(resultTypes) << ")\n";
}

/// A constant has exactly one of its attributes, which fixes its type.
void OperatorPrinter::printConstants() {
  static const std::map<std::string, std::string> types = {
      {"value", "tensor<2xf32>"},
      {"sparse_value", "tensor<4xf32>"},
      {"value_float", "tensor<f32>"},
      {"value_floats", "tensor<2xf32>"},
      {"value_int", "tensor<i64>"},
      {"value_ints", "tensor<2xi64>"},
      {"value_string", "tensor<!onnx.string>"},
      {"value_strings", "tensor<2x!onnx.string>"}};
  for (const Schema::Attribute &attribute : op.attributes())
    body << "  \"onnx.Constant\"() <{" << attribute.name << " = "
         << sampleValue(attribute) << "}> : () -> " << types.at(attribute.name)
         << "\n";
}

Choice OperatorPrinter::minimal() const {
  auto count = [](const Parameter &p) {
    return isSingle(p) ? 1 : isVariadic(p) ? p.GetMinArity() : 0;
  };
  Choice choice;
  for (const Parameter &input : op.schema.inputs())
    choice.inputCounts.push_back(count(input));
  for (const Parameter &output : op.schema.outputs())
    choice.outputCounts.push_back(count(output));
  return choice;
}

Choice OperatorPrinter::maximal() const {
  auto count = [](const Parameter &p) {
    return isVariadic(p) ? p.GetMinArity() + 2 : 1;
  };
  Choice choice;
  for (const Parameter &input : op.schema.inputs())
    choice.inputCounts.push_back(count(input));
  for (const Parameter &output : op.schema.outputs())
    choice.outputCounts.push_back(count(output));
  for (const Schema::Attribute &attribute : op.attributes())
    choice.attributes.insert(attribute.name);
  return choice;
}

std::vector<Choice> OperatorPrinter::choices() const {
  std::vector<Choice> result = {minimal()};
  for (size_t i = 0; i < op.schema.inputs().size(); ++i)
    if (isOptional(op.schema.inputs()[i]))
      result.emplace_back(minimal()).inputCounts[i] = 1;
  for (size_t i = 0; i < op.schema.outputs().size(); ++i)
    if (isOptional(op.schema.outputs()[i]))
      result.emplace_back(minimal()).outputCounts[i] = 1;
  for (const Schema::Attribute &attribute : op.attributes())
    if (!attribute.required)
      result.emplace_back(minimal()).attributes.insert(attribute.name);
  size_t numTypes = 1;
  for (const auto *parameters : {&op.schema.inputs(), &op.schema.outputs()})
    for (const Parameter &parameter : *parameters)
      numTypes = std::max(numTypes, parameter.GetTypes().size());
  for (size_t type = 0; type < numTypes; ++type)
    result.emplace_back(maximal()).typeNumber = type;
  return result;
}

void OperatorPrinter::print(std::ostream &os) {
  if (op.mnemonic == "Constant")
    printConstants();
  else
    for (const Choice &choice : choices())
      printChoice(choice);
  os << "func.func @" << op.className << "(";
  for (size_t i = 0; i < argumentTypes.size(); ++i)
    os << (i == 0 ? "%arg" : ", %arg") << i << ": " << argumentTypes[i];
  os << ") {\n" << body.str() << "  return\n}\n\n";
}

void onnxc::schemagen::writeInstances(const std::vector<Operator> &operators,
                                      std::ostream &os) {
  for (const Operator &op : operators)
    OperatorPrinter(op).print(os);
}
