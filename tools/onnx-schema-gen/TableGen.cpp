//===- TableGen.cpp - Schemas to operation definitions ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Writes one class per operator, and its def unless people write that.
//
//===----------------------------------------------------------------------===//
#include "Schemas.h"

#include <cmath>
#include <sstream>

using namespace onnxc::schemagen;
using ::onnx::AttributeProto;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Prose inside `[{ }]`, which `}]` would end.
static std::string prose(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == ']' && !result.empty() && result.back() == '}')
      result += ' ';
    result += c;
  }
  return result;
}

/// A C++ string literal.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

/// A TableGen string literal of the given value.
static std::string tableGenString(const std::string &text) {
  return quoted(text);
}

/// The first sentence of the schema's text, on one line.
static std::string summary(const Operator &op) {
  std::istringstream words(op.schema.doc() ? op.schema.doc() : "");
  std::string result, word;
  while (words >> word) {
    result += (result.empty() ? "" : " ") + word;
    if (word.back() == '.' || result.size() > 160)
      break;
  }
  while (!result.empty() && result.back() == '.')
    result.pop_back();
  return result.empty() ? "ONNX operator " + op.schema.Name() : result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static std::string kindConstraint(const Operator &op,
                                  const Schema::Attribute &attribute) {
  switch (attribute.type) {
  case AttributeProto::INT:
    return "ONNX_IntAttr";
  case AttributeProto::FLOAT:
    return "ONNX_FloatAttr";
  case AttributeProto::STRING:
    return "StrAttr";
  case AttributeProto::INTS:
    return "DenseI64ArrayAttr";
  case AttributeProto::FLOATS:
    return "DenseF32ArrayAttr";
  case AttributeProto::STRINGS:
    return "StrArrayAttr";
  case AttributeProto::TENSOR:
    return "ONNX_TensorAttr";
  case AttributeProto::TYPE_PROTO:
    return "TypeAttr";
  case AttributeProto::SPARSE_TENSOR:
    return "AnyAttr";
  default:
    fail("attribute '" + attribute.name + "' of " + op.mnemonic +
         " is of a kind without a constraint");
  }
}

static std::string floatLiteral(const Operator &op, float value) {
  if (!std::isfinite(value))
    fail(op.mnemonic + " has a default that is not finite");
  std::ostringstream os;
  os.precision(9);
  os << std::showpoint << value << "f";
  return os.str();
}

template <typename Range, typename Print>
static std::string initializerList(const Range &range, Print print) {
  std::string result = "{";
  for (const auto &element : range)
    result += (result.size() > 1 ? ", " : "") + print(element);
  return result + "}";
}

/// The default as C++ source, empty if there is none.
static std::string defaultValue(const Operator &op,
                                const Schema::Attribute &attribute) {
  const AttributeProto &value = attribute.default_value;
  switch (value.type()) {
  case AttributeProto::UNDEFINED:
    return "";
  case AttributeProto::INT:
    return std::to_string(value.i());
  case AttributeProto::FLOAT:
    return floatLiteral(op, value.f());
  case AttributeProto::STRING:
    return quoted(value.s());
  case AttributeProto::INTS:
    return initializerList(value.ints(),
                           [](int64_t i) { return std::to_string(i); });
  case AttributeProto::STRINGS:
    return initializerList(value.strings(), quoted);
  default:
    fail("default of '" + attribute.name + "' of " + op.mnemonic +
         " is of a kind that cannot be written");
  }
}

static std::string attributeConstraint(const Operator &op,
                                       const Schema::Attribute &attribute) {
  std::string kind = kindConstraint(op, attribute);
  if (attribute.required)
    return kind;
  std::string value = defaultValue(op, attribute);
  if (value.empty())
    return "OptionalAttr<" + kind + ">";
  return "DefaultValuedOptionalAttr<" + kind + ", " + tableGenString(value) +
         ">";
}

//===----------------------------------------------------------------------===//
// Operands, results, traits
//===----------------------------------------------------------------------===//

static std::string valueConstraint(const Parameter &parameter) {
  if (isOptional(parameter))
    return "Optional<ONNX_Value>";
  return isVariadic(parameter) ? "Variadic<ONNX_Value>" : "ONNX_Value";
}

static std::string arguments(const Operator &op) {
  std::string result;
  auto add = [&](const std::string &constraint, const std::string &name) {
    result += (result.empty() ? "" : ",\n    ") + constraint + ":$" + name;
  };
  for (const Parameter &parameter : op.schema.inputs())
    add(valueConstraint(parameter), parameter.GetName());
  for (const Schema::Attribute &attribute : op.attributes())
    add(attributeConstraint(op, attribute), attribute.name);
  return result;
}

static std::string results(const Operator &op) {
  std::string result;
  for (const Parameter &parameter : op.schema.outputs())
    result += (result.empty() ? "" : ",\n    ") + valueConstraint(parameter) +
              ":$" + parameter.GetName();
  return result;
}

static std::string regions(const Operator &op) {
  std::string result;
  for (const Schema::Attribute &graph : op.graphs())
    result += (result.empty() ? "" : ", ") +
              std::string(graph.required ? "SizedRegion<1>" : "AnyRegion") +
              ":$" + graph.name;
  return result;
}

/// Operators that give other numbers each time. The schemas also call
/// AffineGrid so, which computes a fixed formula.
static bool isRandom(const Operator &op) {
  return op.schema.GetNodeDeterminism() ==
             Schema::NodeDeterminism::NonDeterministic &&
         op.graphs().empty() && op.mnemonic != "AffineGrid";
}

static std::string traits(const Operator &op) {
  std::string result;
  auto add = [&](const char *trait) {
    result += (result.empty() ? "" : ", ") + std::string(trait);
  };
  if (op.hasOperandSegments())
    add("AttrSizedOperandSegments");
  if (op.hasResultSegments())
    add("AttrSizedResultSegments");
  if (!op.graphs().empty())
    add("RecursiveMemoryEffects");
  else if (!isRandom(op))
    add("Pure");
  return result;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(%x, %w) B(%b)`: required operands in parentheses, then a keyword and
/// parentheses for each one that may be absent, and for those after it. Without
/// the keyword the parser could not tell which one is present.
static std::string operandFormat(const Operator &op) {
  const std::vector<Parameter> &inputs = op.schema.inputs();
  if (inputs.size() == 1)
    return "`(` $" + inputs[0].GetName() + " `)` ";
  size_t leading = 0;
  while (leading < inputs.size() && isSingle(inputs[leading]))
    ++leading;
  std::string result;
  for (size_t i = 0; i < leading; ++i)
    result += (i == 0 ? "`(` $" : "`,` $") + inputs[i].GetName() + " ";
  if (leading != 0)
    result += "`)` ";
  for (size_t i = leading; i < inputs.size(); ++i) {
    const std::string &name = inputs[i].GetName();
    result += isSingle(inputs[i]) ? "`" + name + "` `(` $" + name + " `)` "
                                  : "(`" + name + "` `(` $" + name + "^ `)`)? ";
  }
  return result;
}

/// Several results that may be absent are named, so that the sizes of the
/// segments need not be printed.
static std::string resultFormat(const Operator &op) {
  if (!op.hasResultSegments())
    return "`:` functional-type(operands, results)";
  if (op.schema.inputs().empty() || !isSingle(op.schema.inputs()[0]))
    fail(op.mnemonic + " may have no operands: its types cannot be parsed");
  std::string result = "`:` `(` type(operands) `)` `->`";
  bool isFirst = true;
  for (const Parameter &output : op.schema.outputs()) {
    const std::string &name = output.GetName();
    if (isSingle(output))
      result += (isFirst ? " type($" : " `,` type($") + name + ")";
    else
      result += " (`" + name + "` type($" + name + ")^)?";
    isFirst = false;
  }
  return result;
}

static std::string assemblyFormat(const Operator &op) {
  std::string result = operandFormat(op) + "attr-dict " + resultFormat(op);
  for (const Schema::Attribute &graph : op.graphs())
    result += " `" + graph.name + "` $" + graph.name;
  return result;
}

//===----------------------------------------------------------------------===//
// Prose
//===----------------------------------------------------------------------===//

static void describeParameters(const char *title,
                               const std::vector<Parameter> &parameters,
                               std::ostream &os) {
  if (parameters.empty())
    return;
  os << "\n\n" << title << ":\n\n";
  for (const Parameter &parameter : parameters) {
    os << "* `" << parameter.GetName() << "` (" << parameter.GetTypeStr();
    if (isOptional(parameter))
      os << ", optional";
    if (isVariadic(parameter))
      os << ", at least " << parameter.GetMinArity()
         << (parameter.GetIsHomogeneous() ? "" : ", of any mix of types");
    os << "): " << parameter.GetDescription() << "\n";
  }
}

static std::string description(const Operator &op) {
  std::ostringstream os;
  const Schema &schema = op.schema;
  os << (schema.doc() ? schema.doc() : "");
  os << "\n\nSince version " << schema.SinceVersion() << " of domain `"
     << (schema.domain().empty() ? "ai.onnx" : schema.domain()) << "`"
     << (schema.deprecated() ? ", deprecated." : ".");
  describeParameters("Inputs", schema.inputs(), os);
  describeParameters("Outputs", schema.outputs(), os);
  std::vector<Schema::Attribute> attributes = op.attributes();
  if (!attributes.empty())
    os << "\n\nAttributes:\n\n";
  for (const Schema::Attribute &attribute : attributes)
    os << "* `" << attribute.name << "`: " << attribute.description << "\n";
  if (!schema.typeConstraintParams().empty())
    os << "\n\nTypes:\n\n";
  for (const Schema::TypeConstraintParam &type :
       schema.typeConstraintParams()) {
    os << "* `" << type.type_param_str << "`:";
    std::set<std::string> allowed(type.allowed_type_strs.begin(),
                                  type.allowed_type_strs.end());
    for (const std::string &name : allowed)
      os << " " << name;
    os << "\n";
  }
  return prose(os.str());
}

static void writeClass(const Operator &op, std::ostream &os) {
  os << "class ONNX_" << op.className << "OpBase<list<Trait> traits = []>\n"
     << "    : ONNX_Op<\"" << op.mnemonic << "\", !listconcat(traits, ["
     << traits(op) << "])> {\n"
     << "  let summary = " << tableGenString(prose(summary(op))) << ";\n"
     << "  let description = [{" << description(op) << "}];\n"
     << "  let arguments = (ins " << arguments(op) << ");\n"
     << "  let results = (outs " << results(op) << ");\n";
  if (!op.graphs().empty())
    os << "  let regions = (region " << regions(op) << ");\n";
  os << "  let assemblyFormat = " << tableGenString(assemblyFormat(op))
     << ";\n}\n\n";
}

void onnxc::schemagen::writeTableGen(const std::vector<Operator> &operators,
                                     const std::set<std::string> &handWritten,
                                     std::ostream &classes,
                                     std::ostream &defs) {
  std::set<std::string> unused = handWritten;
  for (const Operator &op : operators) {
    writeClass(op, classes);
    if (unused.erase(op.className) == 0)
      defs << "def ONNX_" << op.className << "Op : ONNX_" << op.className
           << "OpBase;\n";
  }
  // Operations of this project, which no schema describes, are not derived from
  // a generated class.
  for (const std::string &name : unused)
    fail("hand-written def ONNX_" + name + "Op belongs to no operator");
}
