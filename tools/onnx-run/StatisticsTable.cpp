//===- StatisticsTable.cpp - onnx-run --statistics --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StatisticsTable.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// Those of containers are counted together.
static void visitNumbers(const Value &value, function_ref<void(double)> visit) {
  for (const Value &element : value.elements)
    visitNumbers(element, visit);
  if (value.kind == OM_VALUE_TENSOR)
    forEachNumber(value.tensor, visit);
}

void StatisticsTable::add(const OMArgument &argument, const Value &value) {
  Row &row = rows.emplace_back();
  row.name = argument.name;
  row.type = value.kind == OM_VALUE_TENSOR
                 ? typeText(value.tensor.type, value.tensor.shape)
                 : "container";
  if (value.kind == OM_VALUE_TENSOR && !value.tensor.shape.empty())
    row.entries = value.tensor.shape.front();
  visitNumbers(value, [&](double x) { row.statistics.add(x); });
  visitNumbers(value, [&](double x) { row.statistics.place(x); });
}

const StatisticsTable::Row *StatisticsTable::firstNotFinite() const {
  // The taps are in the order of the nodes; outputs come before them, and are
  // computed of them.
  size_t outputs = rows.size() - std::min(taps, rows.size());
  auto isBad = [](const Row &row) {
    return row.statistics.nans || row.statistics.infinities;
  };
  for (bool ofTaps : {true, false})
    for (auto [i, row] : enumerate(rows))
      if ((i >= outputs) == ofTaps && isBad(row))
        return &row;
  return nullptr;
}

/// A digit for each part, in tenths of the largest; '.' where there is none.
static std::string histogramText(const Statistics &statistics) {
  int64_t largest = *max_element(statistics.histogram);
  std::string text;
  for (int64_t count : statistics.histogram)
    text += count ? char('0' + std::min<int64_t>(9, double(count) /
                                                        double(largest) * 10))
                  : '.';
  return text;
}

void StatisticsTable::print(raw_ostream &os) const {
  size_t name = 6, type = 4;
  for (const Row &row : rows) {
    name = std::max(name, row.name.size());
    type = std::max(type, row.type.size());
  }
  os << left_justify("tensor", name) << "  " << left_justify("type", type)
     << "         min         max        mean      zeros  NaN  Inf  "
        "histogram\n";
  for (const Row &row : rows) {
    const Statistics &s = row.statistics;
    os << left_justify(row.name, name) << "  " << left_justify(row.type, type)
       << format("  %10.4g  %10.4g  %10.4g", s.minimum(), s.maximum(), s.mean())
       << format("  %9lld  %3lld  %3lld  ", (long long)s.zeros,
                 (long long)s.nans, (long long)s.infinities)
       << histogramText(s) << "\n";
  }
  const Row *row = firstNotFinite();
  if (!row)
    return;
  os << "the first tensor with a NaN or an infinity is " << row->name;
  if (std::optional<StringRef> node = nodeOf(*row))
    os << ", which " << *node << " computes";
  os << "\n";
}

json::Value StatisticsTable::asJson() const {
  json::Array tensors;
  for (const Row &row : rows) {
    const Statistics &s = row.statistics;
    tensors.push_back(json::Object{{"name", row.name},
                                   {"type", row.type},
                                   {"elements", s.elements},
                                   {"min", s.minimum()},
                                   {"max", s.maximum()},
                                   {"mean", s.mean()},
                                   {"zeros", s.zeros},
                                   {"nans", s.nans},
                                   {"infinities", s.infinities},
                                   {"histogram", json::Array(s.histogram)}});
  }
  const Row *first = firstNotFinite();
  std::optional<StringRef> node = first ? nodeOf(*first) : std::nullopt;
  return json::Object{
      {"schema", 1},
      {"tensors", std::move(tensors)},
      {"first_not_finite", first ? json::Value(first->name) : nullptr},
      {"first_not_finite_node", node ? json::Value(*node) : nullptr}};
}
