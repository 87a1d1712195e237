//===- Signatures.cpp - The table of the shared verifier -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Three lists of initializers, each in its own `#ifdef`: sets of types,
// parameters, operations. lib/Dialect/ONNX/IR/OpSignature.cpp includes them.
//
//===----------------------------------------------------------------------===//
#include "Schemas.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

using namespace onnxc::schemagen;
using ::onnx::TensorProto;

namespace {
/// Masks in the order of the fields of onnxc::onnx::TypeSet.
enum Container { Tensor, Seq, Opt, OptSeq, Map, SeqMap, NumContainers };
using TypeSet = std::array<uint32_t, NumContainers>;
} // namespace

static unsigned elementNumber(const std::string &name) {
  static const std::map<std::string, int> numbers = {
      {"float", TensorProto::FLOAT},
      {"uint8", TensorProto::UINT8},
      {"int8", TensorProto::INT8},
      {"uint16", TensorProto::UINT16},
      {"int16", TensorProto::INT16},
      {"int32", TensorProto::INT32},
      {"int64", TensorProto::INT64},
      {"string", TensorProto::STRING},
      {"bool", TensorProto::BOOL},
      {"float16", TensorProto::FLOAT16},
      {"double", TensorProto::DOUBLE},
      {"uint32", TensorProto::UINT32},
      {"uint64", TensorProto::UINT64},
      {"complex64", TensorProto::COMPLEX64},
      {"complex128", TensorProto::COMPLEX128},
      {"bfloat16", TensorProto::BFLOAT16},
      {"float8e4m3fn", TensorProto::FLOAT8E4M3FN},
      {"float8e4m3fnuz", TensorProto::FLOAT8E4M3FNUZ},
      {"float8e5m2", TensorProto::FLOAT8E5M2},
      {"float8e5m2fnuz", TensorProto::FLOAT8E5M2FNUZ},
      {"uint4", TensorProto::UINT4},
      {"int4", TensorProto::INT4},
      {"float4e2m1", TensorProto::FLOAT4E2M1},
      {"float8e8m0", TensorProto::FLOAT8E8M0},
      {"uint2", TensorProto::UINT2},
      {"int2", TensorProto::INT2},
      {"float6e2m3", TensorProto::FLOAT6E2M3},
      {"float6e3m2", TensorProto::FLOAT6E3M2}};
  auto found = numbers.find(name);
  if (found == numbers.end() || found->second > 31)
    fail("element type '" + name + "' is unknown");
  return static_cast<unsigned>(found->second);
}

/// Removes `prefix` and the closing parenthesis.
static bool consume(std::string &text, const std::string &prefix) {
  if (text.compare(0, prefix.size(), prefix) != 0)
    return false;
  text = text.substr(prefix.size(), text.size() - prefix.size() - 1);
  return true;
}

/// Bit number of a map type, as in onnxc::onnx::TypeSet.
static unsigned mapNumber(const std::string &body) {
  static const std::array<std::string, 4> values = {
      "tensor(float)", "tensor(double)", "tensor(int64)", "tensor(string)"};
  size_t comma = body.find(',');
  std::string key = body.substr(0, comma);
  std::string value = body.substr(comma + 1);
  auto found = std::find(values.begin(), values.end(), value);
  if ((key != "int64" && key != "string") || found == values.end())
    fail("map type '" + body + "' is unknown");
  return static_cast<unsigned>(found - values.begin()) +
         (key == "string" ? 4 : 0);
}

static void addType(const std::string &spelling, TypeSet &set) {
  std::string text = spelling;
  bool isOpt = consume(text, "optional(");
  bool isSeq = consume(text, "seq(");
  if (consume(text, "tensor(")) {
    Container container = isOpt ? (isSeq ? OptSeq : Opt) : isSeq ? Seq : Tensor;
    set[container] |= 1u << elementNumber(text);
    return;
  }
  if (isOpt || !consume(text, "map("))
    fail("type '" + spelling + "' is of a kind that the table cannot hold");
  set[isSeq ? SeqMap : Map] |= 1u << mapNumber(text);
}

namespace {
/// Numbers sets of types in the order in which they are met.
class SetTable {
public:
  size_t find(const Parameter &parameter) {
    TypeSet set = {};
    for (const std::string &type : allowedTypes(parameter))
      addType(type, set);
    auto [slot, isNew] = numbers.try_emplace(set, sets.size());
    if (isNew)
      sets.push_back(set);
    return slot->second;
  }

  void write(std::ostream &os) const {
    os << std::hex;
    for (const TypeSet &set : sets) {
      os << "{";
      for (uint32_t mask : set)
        os << "0x" << mask << "u, ";
      os << "},\n";
    }
    os << std::dec;
  }

private:
  std::map<TypeSet, size_t> numbers;
  std::vector<TypeSet> sets;
};
} // namespace

static void writeParameter(const Parameter &parameter, SetTable &sets,
                           std::ostream &os) {
  const char *kind = isSingle(parameter)     ? "Single"
                     : isOptional(parameter) ? "Optional"
                                             : "Variadic";
  // Fixed types, `tensor(int64)`, are no variables.
  const std::string &type = parameter.GetTypeStr();
  bool isVariable = type.find('(') == std::string::npos;
  os << "{\"" << parameter.GetName() << "\", \"" << (isVariable ? type : "")
     << "\", " << sets.find(parameter) << ", ParameterKind::" << kind << ", "
     << (isVariadic(parameter) ? parameter.GetMinArity() : 0) << ", "
     << (parameter.GetIsHomogeneous() ? "true" : "false") << "},\n";
}

void onnxc::schemagen::writeSignatures(const std::vector<Operator> &operators,
                                       std::ostream &os) {
  SetTable sets;
  size_t numParameters = 0;
  os << "#ifdef GET_PARAMETERS\n#undef GET_PARAMETERS\n";
  for (const Operator &op : operators) {
    for (const Parameter &parameter : op.schema.inputs())
      writeParameter(parameter, sets, os);
    for (const Parameter &parameter : op.schema.outputs())
      writeParameter(parameter, sets, os);
  }
  os << "#endif\n\n#ifdef GET_SIGNATURES\n#undef GET_SIGNATURES\n";
  for (const Operator &op : operators) {
    size_t numInputs = op.schema.inputs().size();
    size_t numOutputs = op.schema.outputs().size();
    os << "{\"onnx." << op.mnemonic << "\", " << op.schema.SinceVersion()
       << ", " << numParameters << ", " << numInputs << ", " << numOutputs
       << ", " << op.graphs().size() << "},\n";
    numParameters += numInputs + numOutputs;
  }
  os << "#endif\n\n#ifdef GET_TYPE_SETS\n#undef GET_TYPE_SETS\n";
  sets.write(os);
  os << "#endif\n";
}
