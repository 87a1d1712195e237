//===- Schemas.h - The operators that the dialect holds --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A sorted view of the onnx library's schema registry, whose own containers
// are unordered, with the names that the dialect gives to everything.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TOOLS_ONNX_SCHEMA_GEN_SCHEMAS_H
#define ONNXC_TOOLS_ONNX_SCHEMA_GEN_SCHEMAS_H

#include "onnx/defs/schema.h"

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace onnxc::schemagen {

using Schema = ::onnx::OpSchema;
using Parameter = ::onnx::OpSchema::FormalParameter;
using AttributeKind = ::onnx::AttributeProto::AttributeType;

/// One operator in its newest version.
struct Operator {
  Schema schema;
  /// The name of the operation without `onnx.`: "Conv", "ml.ZipMap".
  std::string mnemonic;
  /// The name of the C++ class without its "Op": "Conv", "MlZipMap".
  std::string className;

  /// Attributes that are no graphs, sorted by name.
  std::vector<Schema::Attribute> attributes() const;
  /// Names of the graph attributes, `then_branch` before `else_branch`.
  std::vector<Schema::Attribute> graphs() const;
  bool hasOperandSegments() const { return needsSegments(schema.inputs()); }
  bool hasResultSegments() const { return needsSegments(schema.outputs()); }

private:
  static bool needsSegments(const std::vector<Parameter> &parameters);
};

/// The newest version of every operator, sorted by mnemonic. Stops the
/// program with a message when two operators would share a name or a name is
/// no C++ identifier.
std::vector<Operator> collectOperators();

/// The types that `parameter` may have, as ONNX spells them, sorted.
std::set<std::string> allowedTypes(const Parameter &parameter);

bool isSingle(const Parameter &parameter);
bool isOptional(const Parameter &parameter);
bool isVariadic(const Parameter &parameter);

/// Prints `message` and exits: the build must not go on with half a dialect.
[[noreturn]] void fail(const std::string &message);

/// The TableGen classes and defs. Operators named in `handWritten` get a class
/// only.
void writeTableGen(const std::vector<Operator> &operators,
                   const std::set<std::string> &handWritten,
                   std::ostream &classes, std::ostream &defs);

/// The table that the shared verifier reads.
void writeSignatures(const std::vector<Operator> &operators, std::ostream &os);

/// A module with instances of every operator, in generic form.
void writeInstances(const std::vector<Operator> &operators, std::ostream &os);

} // namespace onnxc::schemagen

#endif // ONNXC_TOOLS_ONNX_SCHEMA_GEN_SCHEMAS_H
