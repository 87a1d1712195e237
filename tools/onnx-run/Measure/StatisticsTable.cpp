//===- StatisticsTable.cpp - onnx-run --statistics --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/StatisticsTable.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// Visits the numbers of a value; those of containers are counted together.
static void visitNumbers(const Value &value, function_ref<void(double)> visit) {
  for (const Value &element : value.elements)
    visitNumbers(element, visit);
  if (value.kind == OM_VALUE_TENSOR)
    forEachNumber(value.tensor, visit);
}

Taps Taps::of(const Artefact &artefact) {
  Taps taps;
  Expected<json::Value> info = json::parse(artefact.omCompilationInfo());
  if (!info)
    return consumeError(info.takeError()), taps;
  const json::Object *facts = info->getAsObject();
  auto object = [&](StringRef name) {
    const json::Object *found = facts ? facts->getObject(name) : nullptr;
    return found ? *found : json::Object();
  };
  taps.nodes = object("onnx.tap_nodes");
  taps.bodies = object("onnx.tap_bodies");
  taps.count = size_t(facts ? facts->getInteger("onnx.taps").value_or(0) : 0);
  return taps;
}

/// "f32[2, 3]", "4 x f32[2, 3]" if the tensors of a list are of one type.
static std::string typeOf(const Value &value) {
  if (value.kind == OM_VALUE_TENSOR)
    return typeText(value.tensor.type, value.tensor.shape);
  if (value.kind != OM_VALUE_SEQUENCE)
    return "container";
  std::string count = std::to_string(value.elements.size());
  std::string first =
      value.elements.empty() ? "tensors" : typeOf(value.elements.front());
  bool isSame = all_of(value.elements, [&](const Value &element) {
    return typeOf(element) == first;
  });
  return count + " x " + (isSame ? first : "tensors");
}

void StatisticsTable::countTimes(Row &row, const Value &value) {
  if (!taps.isInBody(row.name))
    return;
  bool isList = value.kind == OM_VALUE_SEQUENCE;
  row.times = isList ? int64_t(value.elements.size()) : row.entries;
  auto note = [&](int64_t time, double x) {
    if (row.firstBadTime < 0 && !std::isfinite(x))
      row.firstBadTime = time;
  };
  if (isList) {
    for (auto [time, element] : enumerate(value.elements))
      visitNumbers(element,
                   [&, time = time](double x) { note(int64_t(time), x); });
    return;
  }
  int64_t size = row.times ? value.tensor.elements() / row.times : 0, i = 0;
  forEachNumber(value.tensor, [&](double x) { note(i++ / size, x); });
}

void StatisticsTable::add(const OMArgument &argument, const Value &value) {
  Row &row = rows.emplace_back();
  row.name = argument.name;
  row.type = typeOf(value);
  if (value.kind == OM_VALUE_TENSOR && !value.tensor.shape.empty())
    row.entries = value.tensor.shape.front();
  visitNumbers(value, [&](double x) { row.statistics.add(x); });
  visitNumbers(value, [&](double x) { row.statistics.place(x); });
  countTimes(row, value);
}

/// The row of the tensor in the body of `found`, which is not finite, that was
/// not finite first.
const StatisticsTable::Row *
StatisticsTable::firstOfBody(const Row &found) const {
  const Row *first = &found;
  for (const Row &row : rows)
    if (row.firstBadTime >= 0 && row.firstBadTime < first->firstBadTime &&
        taps.bodies.getString(row.name) == taps.bodies.getString(found.name))
      first = &row;
  return first;
}

const StatisticsTable::Row *StatisticsTable::firstNotFinite() const {
  // The taps are in the order of the nodes; outputs come before them, and are
  // computed of them.
  size_t outputs = rows.size() - std::min(taps.count, rows.size());
  auto isBad = [](const Row &row) {
    return row.statistics.nans || row.statistics.infinities;
  };
  for (bool ofTaps : {true, false})
    for (auto [i, row] : enumerate(rows))
      if ((i >= outputs) == ofTaps && isBad(row))
        return firstOfBody(row);
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
    os << left_justify(row.name, name) << "  " << left_justify(row.type, type);
    for (double number : {s.minimum(), s.maximum(), s.mean()})
      if (s.finite())
        os << format("  %10.4g", number);
      else
        os << "           -";
    os << format("  %9lld  %3lld  %3lld  ", (long long)s.zeros,
                 (long long)s.nans, (long long)s.infinities)
       << histogramText(s) << "\n";
  }
  const Row *row = firstNotFinite();
  if (!row)
    return;
  os << "the first tensor with a NaN or an infinity is " << row->name;
  if (std::optional<StringRef> node = nodeOf(*row))
    os << ", which " << *node << " computes";
  if (row->times > 1)
    os << ", in iteration " << row->firstBadTime;
  os << "\n";
}

json::Value StatisticsTable::asJson() const {
  json::Array tensors;
  for (const Row &row : rows) {
    const Statistics &s = row.statistics;
    json::Object tensor{
        {"name", row.name},           {"type", row.type},
        {"elements", s.elements},     {"min", s.minimum()},
        {"max", s.maximum()},         {"mean", s.mean()},
        {"zeros", s.zeros},           {"nans", s.nans},
        {"infinities", s.infinities}, {"histogram", json::Array(s.histogram)}};
    if (taps.isInBody(row.name))
      tensor["iterations"] = row.times;
    tensors.push_back(std::move(tensor));
  }
  const Row *first = firstNotFinite();
  std::optional<StringRef> node = first ? nodeOf(*first) : std::nullopt;
  return json::Object{
      {"schema", 1},
      {"tensors", std::move(tensors)},
      {"first_not_finite", first ? json::Value(first->name) : nullptr},
      {"first_not_finite_node", node ? json::Value(*node) : nullptr},
      {"first_not_finite_iteration",
       first && first->times > 1 ? json::Value(first->firstBadTime) : nullptr}};
}
