//===- CompareReports.cpp - Differences of two reports ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CompareReports.h"

#include "onnxc/Compile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>
#include <optional>
#include <vector>

using namespace llvm;

namespace {

/// A number of reports that is compared, of the whole and of nodes.
struct Field {
  StringLiteral total, node, title;
};

/// A node of one or both reports, by name and operator.
struct NodePair {
  std::string name, op;
  const json::Object *before = nullptr, *after = nullptr;
};

} // namespace

static constexpr Field fields[] = {
    {"artefact_bytes", "", "artefact bytes"},
    {"arena_bytes", "activation_bytes", "memory bytes"},
    {"weights_bytes", "stored_bytes", "weight bytes"},
    {"code_bytes", "code_bytes", "code bytes"},
    {"", "multiply_adds", "multiply-adds"},
    {"", "cycles", "predicted cycles"},
    {"milliseconds", "milliseconds", "milliseconds"},
};

static Expected<json::Object> readReport(const std::string &path) {
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    return createStringError("cannot read '" + path +
                             "': " + file.getError().message());
  Expected<json::Value> value = json::parse((*file)->getBuffer());
  if (!value)
    return createStringError("'" + path +
                             "' is not JSON: " + toString(value.takeError()));
  json::Object *report = value->getAsObject();
  if (!report || !report->getArray("layers"))
    return createStringError(
        "'" + path + "' is not the output of `onnx-compile report --json`");
  return std::move(*report);
}

/// A number of a node or a report; 0 if it has none.
static double numberOf(const json::Object *object, StringRef key) {
  return object && !key.empty() ? object->getNumber(key).value_or(0) : 0;
}

/// A number of a report: its own, which it need not have, or the sum over its
/// nodes.
static std::optional<double> totalOf(const json::Object &report,
                                     const Field &field) {
  if (!field.total.empty())
    return report.getNumber(field.total);
  double sum = 0;
  for (const json::Value &layer : *report.getArray("layers"))
    sum += numberOf(layer.getAsObject(), field.node);
  return sum;
}

static void
addNodes(const json::Object &report, const json::Object *NodePair::*side,
         std::map<std::pair<std::string, std::string>, size_t> &numbers,
         std::vector<NodePair> &pairs) {
  for (const json::Value &value : *report.getArray("layers")) {
    const json::Object *layer = value.getAsObject();
    if (!layer)
      continue;
    std::string name = layer->getString("name").value_or("").str();
    std::string op = layer->getString("op").value_or("").str();
    auto [at, isNew] = numbers.try_emplace({name, op}, pairs.size());
    if (isNew)
      pairs.push_back({name, op});
    pairs[at->second].*side = layer;
  }
}

/// The nodes that differ, by the difference of time or predicted cycles.
static std::vector<NodePair> differentNodes(const json::Object &before,
                                            const json::Object &after) {
  std::map<std::pair<std::string, std::string>, size_t> numbers;
  std::vector<NodePair> pairs;
  addNodes(before, &NodePair::before, numbers, pairs);
  addNodes(after, &NodePair::after, numbers, pairs);
  llvm::erase_if(pairs, [](const NodePair &pair) {
    return pair.before && pair.after && all_of(fields, [&](const Field &field) {
             return numberOf(pair.before, field.node) ==
                    numberOf(pair.after, field.node);
           });
  });
  bool isTimed =
      before.getNumber("milliseconds") && after.getNumber("milliseconds");
  StringRef cost = isTimed ? "milliseconds" : "cycles";
  auto change = [&](const NodePair &pair) {
    return std::abs(numberOf(pair.after, cost) - numberOf(pair.before, cost));
  };
  llvm::sort(pairs, [&](const NodePair &a, const NodePair &b) {
    return std::pair(change(b), a.name) < std::pair(change(a), b.name);
  });
  return pairs;
}

static std::string numberText(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15)
    return std::to_string(int64_t(number));
  return number >= 1000 ? formatv("{0:F0}", number) : formatv("{0:F4}", number);
}

/// The bytes of memory may depend on sizes of the run.
static std::string totalText(const json::Object &report, const Field &field) {
  if (std::optional<double> number = totalOf(report, field))
    return numberText(*number);
  StringRef formula = field.total == "arena_bytes"
                          ? report.getString("arena_formula").value_or("")
                          : "";
  return formula.empty() ? "-" : formula.str();
}

/// 1200 -> 900 (0.75x)
static std::string changeText(double before, double after) {
  std::string text = numberText(before) + " -> " + numberText(after);
  if (before > 0 && after > 0)
    text += formatv(" ({0:F2}x)", after / before);
  return text;
}

static void printText(const json::Object &before, const json::Object &after,
                      ArrayRef<NodePair> pairs) {
  for (const Field &field : fields) {
    std::optional<double> a = totalOf(before, field), b = totalOf(after, field);
    if (a.value_or(0) == 0 && b.value_or(0) == 0)
      continue;
    outs() << formatv("{0,-17} {1}\n", (field.title + ":").str(),
                      a && b ? changeText(*a, *b)
                             : totalText(before, field) + " -> " +
                                   totalText(after, field));
  }
  outs() << formatv("\n{0} of the nodes differ\n", pairs.size());
  for (const NodePair &pair : pairs) {
    outs() << pair.name << " (" << pair.op << ")"
           << (!pair.before  ? ", only in the second"
               : !pair.after ? ", only in the first"
                             : "")
           << "\n";
    for (const Field &field : fields) {
      double a = numberOf(pair.before, field.node),
             b = numberOf(pair.after, field.node);
      if (a != b)
        outs() << formatv("    {0,-17} {1}\n", (field.title + ":").str(),
                          changeText(a, b));
    }
  }
}

/// null where a report has no such number.
static void writeChange(json::OStream &json, StringRef key,
                        std::optional<double> before,
                        std::optional<double> after) {
  json.attributeObject(key, [&] {
    json.attribute("before", before);
    json.attribute("after", after);
  });
}

static void printJson(const json::Object &before, const json::Object &after,
                      ArrayRef<NodePair> pairs) {
  json::OStream json(outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schema", 1);
    for (const Field &field : fields)
      writeChange(json, field.total.empty() ? field.node : field.total,
                  totalOf(before, field), totalOf(after, field));
    json.attributeArray("layers", [&] {
      for (const NodePair &pair : pairs)
        json.object([&] {
          json.attribute("name", pair.name);
          json.attribute("op", pair.op);
          for (const Field &field : fields)
            if (double a = numberOf(pair.before, field.node),
                b = numberOf(pair.after, field.node);
                a != b)
              writeChange(json, field.node, a, b);
        });
    });
  });
  outs() << "\n";
}

int compareReports(const std::string &before, const std::string &after,
                   bool asJson) {
  Expected<json::Object> first = readReport(before);
  Expected<json::Object> second =
      first ? readReport(after) : Expected<json::Object>(json::Object());
  for (Expected<json::Object> *report : {&first, &second})
    if (!*report) {
      errs() << "onnx-compile: error: " << toString(report->takeError())
             << "\n";
      return OM_COMPILE_USAGE;
    }
  std::vector<NodePair> pairs = differentNodes(*first, *second);
  if (asJson)
    printJson(*first, *second, pairs);
  else
    printText(*first, *second, pairs);
  outs().flush();
  return OM_COMPILE_OK;
}
