//===- CustomOps.cpp - Operators of the user's libraries -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/CustomOps.h"

#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Schema/Microsoft.h"

#include "onnx/defs/schema.h"

using namespace onnxc::schema;
using llvm::StringRef;

/// More than any library has: a larger number is no number of operators.
static constexpr int64_t maxOperators = 100000;

CustomOps::CustomOps(mlir::Dialect *dialect) : Base(dialect) {}
CustomOps::~CustomOps() = default;

const CustomOps *CustomOps::find(mlir::MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<onnxc::onnx::ONNXDialect>();
  return dialect ? dialect->getRegisteredInterface<CustomOps>() : nullptr;
}

template <typename... Ts>
static llvm::Error refuse(StringRef path, const Ts &...words) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "custom operator library '" << path << "': ";
  (os << ... << words);
  return llvm::createStringError(text);
}

/// Why the operator may not be one of a library; empty if it may. Operators of
/// the standard and of this compiler mean the same in every model.
static std::string findTaken(StringRef domain, StringRef name) {
  if (domain == "ai.onnx" || domain.starts_with("ai.onnx."))
    return "domain '" + domain.str() +
           "' belongs to the standard; give your operators a domain of their "
           "own";
  registerMicrosoftOperators();
  if (::onnx::OpSchemaRegistry::Schema(name.str(), domain.str()))
    return "the compiler has an operator of that name itself, which a library "
           "does not replace; give yours another name or domain";
  return "";
}

llvm::Error CustomOps::addOperator(StringRef path, StringRef entry,
                                   const OMCustomOp *declared) {
  if (!declared)
    return refuse(path, "an operator is null");
  std::string problem = checkDeclaration(*declared);
  bool isNamed = declared->size >= sizeof(OMCustomOp) && declared->name &&
                 declared->domain;
  if (problem.empty())
    problem = findTaken(declared->domain, declared->name);
  for (const CustomOp &other : ops)
    if (problem.empty() &&
        StringRef(other.declared->domain) == declared->domain &&
        StringRef(other.declared->name) == declared->name &&
        other.declared->sinceVersion == declared->sinceVersion)
      problem = "it is declared twice, here and in '" + other.entry + "'";
  if (!problem.empty())
    return refuse(path, "operator '",
                  isNamed ? StringRef(declared->domain) : StringRef(),
                  "::", isNamed ? StringRef(declared->name) : StringRef(),
                  "': ", problem);
  ops.push_back({declared, entry.str(), makeSchema(*declared, path)});
  return llvm::Error::success();
}

llvm::Error CustomOps::add(StringRef path, StringRef entry,
                           OMCustomEntry function) {
  for (const Entry &other : entries)
    if (other.name == entry)
      return refuse(path, "another library has the name '", entry,
                    "' as well; give OM_CUSTOM_LIBRARY another one");
  const OMCustomLibrary *library = function();
  if (!library)
    return refuse(path, entry, " returns null");
  if (library->size < offsetof(OMCustomLibrary, name) ||
      library->version != OM_CUSTOM_VERSION)
    return refuse(
        path, "it is made for version ",
        library->size < offsetof(OMCustomLibrary, name) ? int64_t(0)
                                                        : library->version,
        " of onnxc/CustomOp.h, but this compiler has version ",
        OM_CUSTOM_VERSION, "; compile it again with this compiler's header");
  if (library->size < sizeof(OMCustomLibrary) || library->numOps < 0 ||
      library->numOps > maxOperators || (library->numOps > 0 && !library->ops))
    return refuse(path, "it declares ", library->numOps, " operators in ",
                  library->size, " bytes");
  for (int64_t i = 0; i < library->numOps; ++i)
    if (llvm::Error error = addOperator(path, entry, library->ops[i]))
      return error;
  entries.push_back({entry.str(), function});
  return llvm::Error::success();
}

const CustomOp *CustomOps::find(StringRef domain, StringRef name,
                                int64_t version) const {
  const CustomOp *newest = nullptr;
  for (const CustomOp &op : ops)
    if (domain == op.declared->domain && name == op.declared->name &&
        op.declared->sinceVersion <= version &&
        (!newest || newest->declared->sinceVersion < op.declared->sinceVersion))
      newest = &op;
  return newest;
}

bool CustomOps::hasDomain(StringRef domain) const {
  return llvm::any_of(
      ops, [&](const CustomOp &op) { return domain == op.declared->domain; });
}
