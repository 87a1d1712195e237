//===- Schemas.cpp - The operators that the dialect holds ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Schemas.h"

#include "onnxc/Schema/Microsoft.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>

using namespace onnxc::schemagen;

void onnxc::schemagen::fail(const std::string &message) {
  std::cerr << "onnx-schema-gen: error: " << message << "\n";
  std::exit(1);
}

bool onnxc::schemagen::isSingle(const Parameter &parameter) {
  return parameter.GetOption() == Schema::Single;
}

bool onnxc::schemagen::isOptional(const Parameter &parameter) {
  return parameter.GetOption() == Schema::Optional;
}

bool onnxc::schemagen::isVariadic(const Parameter &parameter) {
  return parameter.GetOption() == Schema::Variadic;
}

std::set<std::string>
onnxc::schemagen::allowedTypes(const Parameter &parameter) {
  std::set<std::string> types;
  for (const std::string *type : parameter.GetTypes())
    types.insert(*type);
  return types;
}

bool Operator::needsSegments(const std::vector<Parameter> &parameters) {
  return std::count_if(parameters.begin(), parameters.end(),
                       [](const Parameter &p) { return !isSingle(p); }) > 1;
}

static std::vector<Schema::Attribute> sortedAttributes(const Schema &schema,
                                                       bool graphs) {
  std::map<std::string, Schema::Attribute> sorted;
  for (const auto &[name, attribute] : schema.attributes())
    if ((attribute.type == ::onnx::AttributeProto::GRAPH) == graphs)
      sorted.emplace(name, attribute);
  std::vector<Schema::Attribute> result;
  for (const auto &[name, attribute] : sorted)
    result.push_back(attribute);
  return result;
}

std::vector<Schema::Attribute> Operator::attributes() const {
  return sortedAttributes(schema, /*graphs=*/false);
}

std::vector<Schema::Attribute> Operator::graphs() const {
  std::vector<Schema::Attribute> result =
      sortedAttributes(schema, /*graphs=*/true);
  // The only pair whose reading order is not the alphabet's.
  auto first = std::find_if(
      result.begin(), result.end(),
      [](const Schema::Attribute &a) { return a.name == "then_branch"; });
  std::vector<Schema::Attribute> ordered;
  if (first != result.end())
    ordered.push_back(*first);
  for (const Schema::Attribute &graph : result)
    if (graph.name != "then_branch")
      ordered.push_back(graph);
  return ordered;
}

static bool isKeyword(const std::string &name) {
  static const std::set<std::string> keywords = {
      "alignas",  "alignof",  "and",      "asm",       "auto",     "bool",
      "break",    "case",     "catch",    "char",      "class",    "const",
      "continue", "decltype", "default",  "delete",    "do",       "double",
      "else",     "enum",     "explicit", "export",    "extern",   "false",
      "float",    "for",      "friend",   "goto",      "if",       "inline",
      "int",      "long",     "mutable",  "namespace", "new",      "noexcept",
      "not",      "nullptr",  "operator", "or",        "private",  "protected",
      "public",   "register", "requires", "return",    "short",    "signed",
      "sizeof",   "static",   "struct",   "switch",    "template", "this",
      "throw",    "true",     "try",      "typedef",   "typeid",   "typename",
      "union",    "unsigned", "using",    "virtual",   "void",     "volatile",
      "while",    "xor"};
  return keywords.count(name) != 0;
}

/// The accessor name that ODS derives from a name, up to case: two names of one
/// operator must differ in it.
static std::string accessorName(const std::string &name) {
  std::string result;
  for (char c : name)
    if (c != '_')
      result += static_cast<char>(std::tolower(c));
  return result;
}

static void checkNames(const Operator &op) {
  std::set<std::string> accessors;
  auto check = [&](const std::string &name) {
    bool valid = !name.empty() && !std::isdigit(name[0]) && !isKeyword(name) &&
                 std::all_of(name.begin(), name.end(), [](unsigned char c) {
                   return std::isalnum(c) || c == '_';
                 });
    if (!valid)
      fail("'" + name + "' of " + op.mnemonic + " is not a C++ identifier");
    if (!accessors.insert(accessorName(name)).second)
      fail("two things of " + op.mnemonic + " are called '" + name + "'");
  };
  for (const Parameter &parameter : op.schema.inputs())
    check(parameter.GetName());
  for (const Parameter &parameter : op.schema.outputs())
    check(parameter.GetName());
  for (const auto &[name, attribute] : op.schema.attributes())
    check(name);
}

static void setNames(Operator &op) {
  static const std::map<std::string, std::pair<const char *, const char *>>
      domains = {{"", {"", ""}},
                 {"ai.onnx.ml", {"ml.", "Ml"}},
                 {"ai.onnx.preview", {"preview.", "Preview"}},
                 {"ai.onnx.preview.training", {"training.", "Training"}},
                 {"com.microsoft", {"microsoft.", "Microsoft"}}};
  auto found = domains.find(op.schema.domain());
  if (found == domains.end())
    fail("domain '" + op.schema.domain() + "' has no prefix yet");
  op.mnemonic = found->second.first + op.schema.Name();
  op.className = found->second.second + op.schema.Name();
}

std::vector<Operator> onnxc::schemagen::collectOperators() {
  schema::registerMicrosoftOperators();
  std::map<std::string, Operator> newest;
  for (Schema &schema :
       ::onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    Operator op{std::move(schema), {}, {}};
    setNames(op);
    auto [slot, isNew] = newest.try_emplace(op.mnemonic, op);
    if (!isNew && slot->second.schema.domain() != op.schema.domain())
      fail("two operators are called '" + op.mnemonic + "'");
    if (slot->second.schema.SinceVersion() < op.schema.SinceVersion())
      slot->second = std::move(op);
  }
  std::vector<Operator> result;
  std::set<std::string> classNames;
  for (auto &[mnemonic, op] : newest) {
    checkNames(op);
    if (!classNames.insert(op.className).second)
      fail("two classes are called '" + op.className + "'");
    result.push_back(std::move(op));
  }
  return result;
}
