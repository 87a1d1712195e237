//===- Run.cpp - onnx-run run and verify ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Statistics.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// A file name for an output: other characters in its name become '_'.
static std::string fileNameOf(StringRef name) {
  std::string file = name.str();
  for (char &c : file)
    if (!isAlnum(c) && c != '-' && c != '.')
      c = '_';
  return file;
}

static Error showOutput(const OMArgument &argument, const Value &value,
                        const Options &options) {
  if (!options.quiet && !options.statistics)
    outs() << valueText(argument.name, value);
  if (options.saveFolder.empty())
    return Error::success();
  if (std::error_code error = sys::fs::create_directories(options.saveFolder))
    return failure("cannot make %s: %s", options.saveFolder.c_str(),
                   error.message().c_str());
  return writeValue(options.saveFolder + "/" + fileNameOf(argument.name),
                    value);
}

/// How many of the outputs are taps.
static size_t tapsOf(const Artefact &artefact) {
  Expected<json::Value> info = json::parse(artefact.omCompilationInfo());
  if (!info)
    return consumeError(info.takeError()), 0;
  const json::Object *facts = info->getAsObject();
  return facts ? size_t(facts->getInteger("onnx.taps").value_or(0)) : 0;
}

static void show(const StatisticsTable &statistics, const Options &options) {
  if (options.json)
    outs() << formatv("{0:2}\n", statistics.asJson());
  else
    statistics.print(outs());
}

/// One run of the model.
static Error runOnce(const Artefact &artefact, OMContext *context,
                     const Options &options, StringRef dataSet,
                     Verdict &verdict) {
  Expected<ValuesByIndex> expectations =
      readValues(options.expects, dataSet, "output", artefact.outputs());
  if (!expectations)
    return expectations.takeError();
  if (options.verb == Verb::Verify && expectations->empty())
    return failure("%s has no output to compare with: output_0.pb, ...",
                   dataSet.str().c_str());
  Expected<InputSet> inputSet = makeInputs(artefact, options, dataSet);
  if (!inputSet)
    return inputSet.takeError();
  std::vector<OMBuffer> outputs(artefact.outputs().size());
  if (artefact.omContextRun(context, inputSet->buffers().data(),
                            int64_t(inputSet->buffers().size()), outputs.data(),
                            int64_t(outputs.size())) != OM_STATUS_OK)
    return inputSet->refusal(artefact.omContextGetMessage(context));
  StatisticsTable statistics(tapsOf(artefact));
  for (auto [i, argument] : enumerate(artefact.outputs())) {
    Value value = Value::copyOf(artefact, *argument, outputs[i]);
    if (options.statistics)
      statistics.add(*argument, value);
    if (Error error = showOutput(*argument, value, options))
      return error;
    auto it = expectations->find(i);
    if (it == expectations->end())
      continue;
    bool agrees = compareOutput(argument->name, value, it->second, options);
    if (!agrees || verdict == Verdict::NothingToCompare)
      verdict = agrees ? Verdict::Agrees : Verdict::Differs;
  }
  if (options.statistics)
    show(statistics, options);
  return Error::success();
}

Expected<Verdict> run::runAndCompare(const Artefact &artefact,
                                     const Options &options) {
  OMContext *context = artefact.omContextCreate(artefact.entry().c_str());
  if (!context)
    return failure("%s", artefact.omGetLastError());
  scope_exit destroy([&] { artefact.omContextDestroy(context); });
  Verdict verdict = Verdict::NothingToCompare;
  std::vector<std::string> dataSets = options.dataSets;
  if (dataSets.empty())
    dataSets.push_back("");
  for (const std::string &dataSet : dataSets) {
    if (dataSets.size() > 1)
      errs() << dataSet << ":\n";
    if (Error error = runOnce(artefact, context, options, dataSet, verdict))
      return std::move(error);
  }
  return verdict;
}
