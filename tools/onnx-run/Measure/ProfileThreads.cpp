//===- ProfileThreads.cpp - Profiles of numbers of threads ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/ProfileThreads.h"

#include "Measure/LaunchTimes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;
using namespace onnxc::run;

namespace {

/// A launch or a function in all profiles.
struct Row {
  std::string text;
  std::vector<double> milliseconds;
};

} // namespace

/// "3 kernel_Conv_0", by which the rows of profiles are matched, and its text.
static std::pair<std::string, std::string> nameOf(const json::Object &row) {
  if (std::optional<int64_t> launch = row.getInteger("launch")) {
    std::string function = row.getString("function")->str();
    return {std::to_string(*launch) + " " + function,
            function + nodesText(row)};
  }
  std::string name = row.getString("name")->str();
  return {name, name + nodesText(row)};
}

/// The rows, most time in any profile first.
static std::vector<Row> matchRows(const json::Array &profiles) {
  std::map<std::string, Row> byName;
  for (auto [number, value] : enumerate(profiles)) {
    const json::Object &profile = *value.getAsObject();
    const json::Array *list = profile.getArray("launches");
    if (!list)
      list = profile.getArray("functions");
    for (const json::Value &entry : *list) {
      const json::Object &object = *entry.getAsObject();
      auto [name, text] = nameOf(object);
      Row &row = byName[name];
      row.text = text;
      row.milliseconds.resize(profiles.size());
      row.milliseconds[number] = *object.getNumber("milliseconds");
    }
  }
  std::vector<Row> rows;
  for (auto &[name, row] : byName)
    rows.push_back(std::move(row));
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return *max_element(a.milliseconds) > *max_element(b.milliseconds);
  });
  return rows;
}

static void printTimes(ArrayRef<double> times) {
  for (double time : times)
    outs() << format("%11.6f", time);
  if (times.front() > 0 && times.back() > 0)
    outs() << format("%8.2fx  ", times.front() / times.back());
  else
    outs() << "        -  ";
}

void onnxc::run::printThreadCounts(const json::Array &profiles, int64_t top) {
  std::vector<double> times;
  for (const json::Value &value : profiles) {
    const json::Object &profile = *value.getAsObject();
    outs() << right_justify(
        formatv("{0} thr.", *profile.getInteger("threads")).str(), 11);
    times.push_back(*profile.getNumber("milliseconds"));
  }
  outs() << "   faster  (ms)\n";
  printTimes(times);
  outs() << "run\n";
  for (const Row &row : matchRows(profiles)) {
    if (top-- == 0)
      break;
    printTimes(row.milliseconds);
    outs() << row.text << "\n";
  }
  for (const json::Value &value : profiles)
    if (value.getAsObject()->getArray("thread_times"))
      LaunchTimes::printThreads(*value.getAsObject());
}
