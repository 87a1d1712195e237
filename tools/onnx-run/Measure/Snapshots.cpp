//===- Snapshots.cpp - Runs that are kept -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/Snapshots.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <csignal>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

static volatile std::sig_atomic_t wasSignalled = 0;

/// Without an extension. Letters of all scripts are kept; a name may be longer
/// than that of a file.
static std::string fileNameOf(StringRef name) {
  constexpr size_t maxLength = 200;
  std::string file = json::fixUTF8(name);
  if (file.size() > maxLength)
    file = json::fixUTF8(StringRef(file).take_front(maxLength));
  for (char &c : file)
    if (isASCII(c) && !isAlnum(c) && c != '-' && c != '.')
      c = '_';
  return file;
}

Error run::writeValues(const std::string &folder,
                       ArrayRef<const OMArgument *> arguments,
                       ArrayRef<Value> values, json::Object *names) {
  if (std::error_code error = sys::fs::create_directories(folder))
    return failure("cannot make %s: %s", folder.c_str(),
                   error.message().c_str());
  StringSet<> taken;
  for (auto [argument, value] : zip_equal(arguments, values)) {
    std::string base = fileNameOf(argument->name), name = base;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = base + "_" + std::to_string(number);
    if (Error error = writeValue(folder + "/" + name, value))
      return error;
    if (names)
      names->insert({name, json::Object{{"name", json::fixUTF8(argument->name)},
                                        {"type", argument->type}}});
  }
  return Error::success();
}

Error Snapshots::parse(StringRef condition) {
  if (condition == "error" || condition == "signal" ||
      condition == "not-finite") {
    when = condition == "error"    ? When::Error
           : condition == "signal" ? When::Signal
                                   : When::NotFinite;
    return Error::success();
  }
  size_t sign = condition.find_last_of("<>");
  if (sign == StringRef::npos ||
      condition.drop_front(sign + 1).getAsDouble(bound))
    return failure("--when: '%s' is not error, signal, not-finite, OUTPUT>X or "
                   "OUTPUT<X",
                   condition.str().c_str());
  when = condition[sign] == '>' ? When::Above : When::Below;
  StringRef name = condition.take_front(sign);
  auto isNamed = [&](const OMArgument *a) { return name == a->name; };
  const auto *found = find_if(artefact.outputs(), isNamed);
  if (found == artefact.outputs().end())
    return failure("--when: there is no output '%s'; onnx-compile --taps=%s "
                   "makes one of a tensor",
                   name.str().c_str(), name.str().c_str());
  output = size_t(found - artefact.outputs().begin());
  return Error::success();
}

Expected<Snapshots> Snapshots::prepare(const Artefact &artefact,
                                       const Options &options) {
  Snapshots snapshots(artefact, options);
  if (Error error = snapshots.parse(options.when))
    return std::move(error);
  if (snapshots.when == When::Signal)
    std::signal(SIGUSR1, [](int) { wasSignalled = 1; });
  return snapshots;
}

/// Returns true if the test holds for any element.
static bool anyElement(const Value &value, function_ref<bool(double)> test) {
  for (const Value &element : value.elements)
    if (anyElement(element, test))
      return true;
  if (value.kind != OM_VALUE_TENSOR || value.tensor.type == ONNX_TYPE_STRING)
    return false;
  double imaginary;
  for (int64_t i = 0; i < value.tensor.elements(); ++i)
    if (test(elementAsDouble(value.tensor, i, imaginary)))
      return true;
  return false;
}

bool Snapshots::isDue(ArrayRef<Value> outputs) {
  auto isNotFinite = [](double x) { return !std::isfinite(x); };
  switch (when) {
  case When::Error:
    return outputs.empty();
  case When::Signal:
    return std::exchange(wasSignalled, 0) != 0;
  case When::NotFinite:
    return any_of(outputs,
                  [&](const Value &v) { return anyElement(v, isNotFinite); });
  case When::Above:
    return !outputs.empty() &&
           anyElement(outputs[output], [&](double x) { return x > bound; });
  case When::Below:
    return !outputs.empty() &&
           anyElement(outputs[output], [&](double x) { return x < bound; });
  }
  llvm_unreachable("no condition");
}

static int64_t bytesOf(const Value &value) {
  int64_t bytes = int64_t(value.tensor.bytes.size());
  for (const std::string &text : value.tensor.strings)
    bytes += int64_t(text.size());
  for (const Value &element : value.elements)
    bytes += bytesOf(element);
  return bytes;
}

Error Snapshots::write(int64_t run, ArrayRef<Value> inputs,
                       ArrayRef<Value> outputs) {
  int64_t size = 0;
  for (ArrayRef<Value> values : {inputs, outputs})
    for (const Value &value : values)
      size += bytesOf(value);
  if (size > options.snapshotBytes - bytes) {
    ++left;
    return Error::success();
  }
  std::string folder = options.snapshotFolder + "/run-" + std::to_string(run);
  json::Object names;
  auto writeFolder = [&](StringRef name, ArrayRef<const OMArgument *> arguments,
                         ArrayRef<Value> values) {
    json::Object &files =
        *names.try_emplace(name, json::Object()).first->second.getAsObject();
    return writeValues(folder + "/" + name.str(), arguments, values, &files);
  };
  if (Error error = writeFolder("inputs", artefact.inputs(), inputs))
    return error;
  if (!outputs.empty())
    if (Error error = writeFolder("outputs", artefact.outputs(), outputs))
      return error;
  // For programs that read the snapshot.
  if (Error error = writeFile(folder + "/names.json", [&](raw_ostream &os) {
        os << json::Value(std::move(names)) << "\n";
      }))
    return error;
  bytes += size;
  ++written;
  return Error::success();
}

void Snapshots::summarise() const {
  errs() << "snapshots: " << written << " of " << written + left
         << " runs with " << options.when << " are in "
         << options.snapshotFolder << "\n";
}
