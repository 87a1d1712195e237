//===- Findings.cpp - Findings of a check as text and JSON -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Check/Check.h"
#include "onnxc/Report/JsonTexts.h"
#include "onnxc/Support/NodeLocations.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace onnxc;

static llvm::StringRef nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  default:
    return "note";
  }
}

size_t Findings::count(Severity severity) const {
  return llvm::count_if(findings, [&](const Finding &finding) {
    return finding.severity == severity;
  });
}

static std::string countText(size_t count, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s");
}

/// Findings that differ in the node alone are shown as one.
static std::string groupKey(const Finding &finding) {
  return finding.kind + "\n" + finding.reason + "\n" + finding.hint;
}

/// Nodes of a group that are shown.
static constexpr size_t maxShown = 3;

/// "  'conv1' (Conv of opset 13, tensor<...> -> tensor<...>)"
static void printNode(llvm::raw_ostream &os, const Finding &finding) {
  os << "  '" << printable(finding.name) << "'";
  if (!finding.op.empty())
    os << " (" << printable(finding.op) << " of opset " << finding.opset << ", "
       << printable(llvm::join(finding.operands, ", ")) << " -> "
       << printable(llvm::join(finding.results, ", ")) << ")";
  if (finding.share > 0)
    os << llvm::formatv(": {0:F1} % of the estimated work",
                        100 * finding.share);
  os << "\n";
}

static void printGroup(llvm::raw_ostream &os,
                       llvm::ArrayRef<const Finding *> group) {
  const Finding &first = *group.front();
  os << nameOf(first.severity) << ": " << first.reason << " [" << first.kind
     << "]\n";
  for (const Finding *finding : group.take_front(maxShown))
    if (!finding->name.empty())
      printNode(os, *finding);
  if (group.size() > maxShown)
    os << llvm::formatv("  and {0} more\n", group.size() - maxShown);
  if (!first.hint.empty())
    os << "  help: " << first.hint << "\n";
}

std::string Findings::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::MapVector<std::string, std::vector<const Finding *>,
                  std::map<std::string, unsigned>>
      groups;
  for (const Finding &finding : findings)
    groups[groupKey(finding)].push_back(&finding);
  for (const auto &[key, group] : groups)
    printGroup(os, group);
  size_t errors = count(Severity::Error);
  os << model << ": " << (errors ? "is rejected" : "compiles") << ", "
     << countText(errors, "error") << ", "
     << countText(count(Severity::Warning), "warning") << ", "
     << countText(count(Severity::Note), "note") << "\n";
  return text;
}

static void writeFinding(llvm::json::OStream &json, const Finding &finding) {
  json.object([&] {
    json.attribute("severity", nameOf(finding.severity));
    writeText(json, "kind", finding.kind);
    writeText(json, "location", finding.location);
    writeText(json, "name", finding.name);
    writeText(json, "operator", finding.op);
    json.attribute("opset", finding.opset);
    writeTexts(json, "operands", finding.operands);
    writeTexts(json, "results", finding.results);
    writeText(json, "reason", finding.reason);
    writeText(json, "hint", finding.hint);
    json.attribute("share", finding.share);
  });
}

std::string Findings::json() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schema", 1);
    writeText(json, "model", model);
    json.attribute("compiles", count(Severity::Error) == 0);
    json.attribute("errors", int64_t(count(Severity::Error)));
    json.attribute("warnings", int64_t(count(Severity::Warning)));
    json.attribute("notes", int64_t(count(Severity::Note)));
    json.attributeArray("findings", [&] {
      for (const Finding &finding : findings)
        writeFinding(json, finding);
    });
  });
  return text + "\n";
}
