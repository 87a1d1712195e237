//===- Statistics.cpp - onnx-run --statistics -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

void Statistics::add(double element) {
  ++elements;
  nans += std::isnan(element);
  infinities += std::isinf(element);
  zeros += element == 0;
  if (!std::isfinite(element))
    return;
  least = std::min(least, element);
  largest = std::max(largest, element);
  sum += element;
}

double Statistics::mean() const {
  int64_t finite = elements - nans - infinities;
  return finite ? sum / double(finite) : 0;
}

void Statistics::place(double element) {
  if (!std::isfinite(element))
    return;
  // Halves: the range of numbers may be twice the largest.
  double range = largest / 2 - least / 2;
  double part = range > 0 ? (element / 2 - least / 2) / range : 0;
  size_t number = size_t(part * double(histogram.size()));
  ++histogram[std::min(number, histogram.size() - 1)];
}

/// Visits the numbers in a value; those of containers are counted together.
static void forEachNumber(const Value &value,
                          function_ref<void(double)> visit) {
  for (const Value &element : value.elements)
    forEachNumber(element, visit);
  if (value.kind != OM_VALUE_TENSOR || value.tensor.type == ONNX_TYPE_STRING)
    return;
  for (int64_t i = 0; i < value.tensor.elements(); ++i) {
    double imaginary;
    visit(elementAsDouble(value.tensor, i, imaginary));
  }
}

void StatisticsTable::add(const OMArgument &argument, const Value &value) {
  Row &row = rows.emplace_back();
  row.name = argument.name;
  row.type = value.kind == OM_VALUE_TENSOR
                 ? typeText(value.tensor.type, value.tensor.shape)
                 : "container";
  forEachNumber(value, [&](double x) { row.statistics.add(x); });
  forEachNumber(value, [&](double x) { row.statistics.place(x); });
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
