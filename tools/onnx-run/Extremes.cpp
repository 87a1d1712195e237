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

void Extremes::add(const StatisticsTable &run, const std::string &input) {
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
    }
    if (row.ofMaximum.empty() || s.maximum() > row.maximum) {
      row.maximum = s.maximum();
      row.ofMaximum = input;
    }
  }
}

void Extremes::print(raw_ostream &os) const {
  size_t name = 6, input = 5;
  for (const Row &row : rows) {
    name = std::max(name, row.name.size());
    input = std::max({input, row.ofMinimum.size(), row.ofMaximum.size()});
  }
  os << "extremes of " << inputs << " inputs\n"
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
         << left_justify(row.ofMinimum, input)
         << format("  %10.4g  ", row.maximum)
         << left_justify(row.ofMaximum, input);
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
    }
    if (row.notFiniteCount)
      tensor["first_not_finite_input"] = json::fixUTF8(row.notFinite);
    tensors.push_back(std::move(tensor));
  }
  return json::Object{
      {"schema", 1}, {"inputs", inputs}, {"extremes", std::move(tensors)}};
}
