//===- Extremes.cpp - Inputs with the extremes of tensors -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extremes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc::run;

/// The entry of a batch that an element belongs to; -1 if the tensor has none.
static int64_t entryOf(const StatisticsTable::Row &row, int64_t position,
                       int64_t batch) {
  bool hasBatch = batch > 1 && row.entries == batch;
  return hasBatch ? position / (row.statistics.elements / batch) : -1;
}

void Extremes::add(const StatisticsTable &run, const std::string &input,
                   int64_t batch) {
  ++inputs;
  rows.resize(run.getRows().size());
  for (auto [row, of] : zip_equal(rows, run.getRows())) {
    const Statistics &s = of.statistics;
    row.name = of.name;
    if (s.finite() < s.elements && row.notFiniteCount++ == 0)
      row.notFinite = input;
    if (s.finite() == 0)
      continue;
    if (row.ofMinimum.empty() || s.minimum() < row.minimum) {
      row.minimum = s.minimum();
      row.ofMinimum = input;
      row.entryOfMinimum = entryOf(of, s.positionOfMinimum(), batch);
    }
    if (row.ofMaximum.empty() || s.maximum() > row.maximum) {
      row.maximum = s.maximum();
      row.ofMaximum = input;
      row.entryOfMaximum = entryOf(of, s.positionOfMaximum(), batch);
    }
  }
}

/// "set_0", "set_0[3]".
static std::string inputText(const std::string &input, int64_t entry) {
  return entry < 0 ? input : input + "[" + std::to_string(entry) + "]";
}

void Extremes::print(raw_ostream &os) const {
  size_t name = 6, input = 5;
  for (const Row &row : rows) {
    name = std::max(name, row.name.size());
    input =
        std::max({input, inputText(row.ofMinimum, row.entryOfMinimum).size(),
                  inputText(row.ofMaximum, row.entryOfMaximum).size()});
  }
  os << "extremes of " << inputs << (inputs == 1 ? " input\n" : " inputs\n")
     << left_justify("tensor", name) << "         min  "
     << left_justify("input", input) << "         max  "
     << left_justify("input", input) << "  NaN or Inf\n";
  for (const Row &row : rows) {
    os << left_justify(row.name, name);
    if (row.ofMinimum.empty())
      os << "           -  " << left_justify("", input) << "           -  "
         << left_justify("", input);
    else
      os << format("  %10.4g  ", row.minimum)
         << left_justify(inputText(row.ofMinimum, row.entryOfMinimum), input)
         << format("  %10.4g  ", row.maximum)
         << left_justify(inputText(row.ofMaximum, row.entryOfMaximum), input);
    if (row.notFiniteCount)
      os << "  " << row.notFiniteCount << " inputs, first " << row.notFinite;
    os << "\n";
  }
}

json::Value Extremes::asJson() const {
  json::Array tensors;
  for (const Row &row : rows) {
    json::Object tensor{{"name", json::fixUTF8(row.name)},
                        {"not_finite_inputs", row.notFiniteCount}};
    if (!row.ofMinimum.empty()) {
      tensor["min"] = row.minimum;
      tensor["min_input"] = json::fixUTF8(row.ofMinimum);
      tensor["max"] = row.maximum;
      tensor["max_input"] = json::fixUTF8(row.ofMaximum);
      if (row.entryOfMinimum >= 0)
        tensor["min_entry"] = row.entryOfMinimum;
      if (row.entryOfMaximum >= 0)
        tensor["max_entry"] = row.entryOfMaximum;
    }
    if (row.notFiniteCount)
      tensor["first_not_finite_input"] = json::fixUTF8(row.notFinite);
    tensors.push_back(std::move(tensor));
  }
  return json::Object{
      {"schema", 1}, {"inputs", inputs}, {"extremes", std::move(tensors)}};
}
