//===- Info.cpp - Metadata of an artefact -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"
#include "Options.h"

#include "onnxc/rt/model.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// A JSON text of the artefact as a value; the text itself if it is none.
static json::Value parsed(const char *text) {
  if (!text)
    return nullptr;
  Expected<json::Value> value = json::parse(text);
  if (value)
    return *value;
  consumeError(value.takeError());
  return json::Value(text);
}

/// "optional sequence of f32[2, ?]".
static std::string describe(const OMArgument &argument) {
  switch (argument.kind) {
  case OM_VALUE_SEQUENCE:
    return "sequence of " + describe(*argument.element);
  case OM_VALUE_OPTIONAL:
    return "optional " + describe(*argument.element);
  case OM_VALUE_MAP:
    return "map from " + typeName(argument.key).str() + " to " +
           describe(*argument.element);
  default:
    if (argument.rank < 0)
      return typeName(argument.type).str() + "[...]";
    return typeText(argument.type,
                    ArrayRef(argument.shape, size_t(argument.rank)),
                    argument.symbols);
  }
}

static void printArguments(StringRef title,
                           ArrayRef<const OMArgument *> arguments) {
  outs() << title << ":\n";
  for (const OMArgument *argument : arguments)
    outs() << "  " << shownName(argument->name) << ": " << describe(*argument)
           << "\n";
}

namespace {
/// The processors that there is code for, by --cpu, and the one whose code runs
/// here; if there is none, why, unless the artefact does not say.
struct Processors {
  SmallVector<StringRef> names;
  std::string here, problem;
};
} // namespace

/// Whether code for a device runs here is known when there is a context.
static Processors processors(const Artefact &artefact,
                             const json::Value &compilation, int64_t device) {
  Processors all;
  if (const json::Object *facts = compilation.getAsObject())
    facts->getString("cpu").value_or("").split(all.names, ',', -1,
                                               /*KeepEmpty=*/false);
  if (!artefact.omGetCpu)
    return all;
  std::string entry = artefact.entry();
  OMContext *context = nullptr;
  if (artefact.omContextCheckDevice) {
    Expected<OMContext *> created = artefact.createContext(device);
    if (created)
      context = *created;
    else
      consumeError(created.takeError());
  }
  const char *here = artefact.omGetCpu(entry.c_str());
  if (!here)
    all.problem = artefact.omGetLastError();
  else if (context && artefact.omContextCheckDevice(context) != OM_STATUS_OK)
    all.problem = artefact.omContextGetMessage(context);
  else
    all.here = here;
  if (context)
    artefact.omContextDestroy(context);
  return all;
}

static void printProcessors(const Artefact &artefact,
                            const json::Value &compilation, int64_t device) {
  Processors all = processors(artefact, compilation, device);
  outs() << "processors:\n";
  for (StringRef name : all.names)
    outs() << "  " << name << (name == all.here ? " (runs here)" : "") << "\n";
  if (!all.problem.empty())
    outs() << "  none runs here: " << all.problem << "\n";
}

static void printJson(const Artefact &artefact, int64_t device) {
  json::Array entries;
  int64_t count = 0;
  const char *const *names = artefact.omQueryEntryPoints(&count);
  for (int64_t i = 0; i < count; ++i)
    entries.push_back(json::Object{
        {"name", names[i]},
        {"inputs", parsed(artefact.omInputSignature(names[i]))},
        {"outputs", parsed(artefact.omOutputSignature(names[i]))}});
  json::Value compilation = parsed(artefact.omCompilationInfo());
  Processors all = processors(artefact, compilation, device);
  json::Array levels;
  for (StringRef cpu : all.names)
    levels.push_back(
        json::Object{{"cpu", cpu}, {"runs_here", cpu == all.here}});
  json::Object report{{"schema", 1},
                      {"entry_points", std::move(entries)},
                      {"processors", std::move(levels)},
                      {"compilation", compilation}};
  outs() << formatv("{0:2}\n", json::Value(std::move(report)));
}

/// The hash in the artefact is that of the file with zeros in its place.
static Error checkContents(const Artefact &artefact, StringRef model) {
  json::Value compilation = parsed(artefact.omCompilationInfo());
  const json::Object *facts = compilation.getAsObject();
  std::optional<StringRef> digest =
      facts ? facts->getString("content_blake3") : std::nullopt;
  if (!digest)
    return failure("%s has no hash of its contents", model.str().c_str());
  auto file = MemoryBuffer::getFile(model, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return failure("cannot read %s: %s", model.str().c_str(),
                   file.getError().message().c_str());
  StringRef bytes = (*file)->getBuffer();
  size_t at = bytes.find(*digest);
  BLAKE3 hasher;
  hasher.update(bytes.take_front(at));
  hasher.update(std::string(digest->size(), '0'));
  hasher.update(bytes.substr(at).drop_front(
      std::min(digest->size(), bytes.substr(at).size())));
  if (toHex(hasher.final(), /*LowerCase=*/true) != *digest)
    return failure("%s is not as it was compiled: its contents have another "
                   "hash",
                   model.str().c_str());
  return Error::success();
}

/// A run compares the footer of the side file only; this reads all of it.
static Error checkWeights(const Artefact &artefact, StringRef model) {
  json::Value compilation = parsed(artefact.omCompilationInfo());
  const json::Object *facts = compilation.getAsObject();
  std::optional<StringRef> name, digest;
  if (facts) {
    name = facts->getString("weights_file");
    digest = facts->getString("weights_blake3");
  }
  if (!name || !digest)
    return failure("%s has no side file of weights", model.str().c_str());
  SmallString<128> path(sys::path::parent_path(model));
  sys::path::append(path, *name);
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return failure("cannot read %s: %s", path.c_str(),
                   file.getError().message().c_str());
  BLAKE3 hasher;
  hasher.update((*file)->getBuffer().drop_back(
      std::min((*file)->getBufferSize(), sizeof(OnnxcWeightsFooter))));
  if (toHex(hasher.final(), /*LowerCase=*/true) != *digest)
    return failure("%s does not have the weights that the model was compiled "
                   "with",
                   path.c_str());
  return Error::success();
}

/// The launches of the code that runs here, one a line.
static Error printNodes(const Artefact &artefact, const Options &options) {
  const char *cpu = artefact.omGetCpu(artefact.entry().c_str());
  Expected<NodeTable> table = NodeTable::read(options.model, cpu ? cpu : "");
  if (!table)
    return table.takeError();
  if (!table->hasNodes())
    return failure("%s does not record its nodes: it was compiled with --strip",
                   options.model.c_str());
  json::Array launches;
  for (const Launch &launch : table->getLaunches()) {
    json::Object facts{{"function", launch.function},
                       {"nodes", table->json(launch.nodes)}};
    std::optional<Work> work =
        launch.numSizes == 0 ? launch.workOf({}) : std::nullopt;
    if (work) {
      double operations = 0;
      for (const auto &[type, count] : work->operations)
        operations += count;
      facts["operations"] = operations;
      facts["bytes"] = work->bytes;
    }
    launches.push_back(std::move(facts));
    if (!options.json)
      outs() << launch.function << ": " << table->text(launch.nodes) << "\n";
  }
  if (options.json)
    outs() << formatv("{0:2}\n",
                      json::Value(json::Object{
                          {"schema", 1}, {"launches", std::move(launches)}}));
  return Error::success();
}

Error run::info(const Artefact &artefact, const Options &options) {
  if (options.checkContents)
    if (Error error = checkContents(artefact, options.model))
      return error;
  if (options.checkWeights)
    if (Error error = checkWeights(artefact, options.model))
      return error;
  if (options.nodes)
    return printNodes(artefact, options);
  if (options.json) {
    printJson(artefact, options.device);
    return Error::success();
  }
  outs() << "entry point: " << artefact.entry() << "\n";
  printArguments("inputs", artefact.inputs());
  printArguments("outputs", artefact.outputs());
  json::Value compilation = parsed(artefact.omCompilationInfo());
  printProcessors(artefact, compilation, options.device);
  if (const json::Object *facts = compilation.getAsObject()) {
    outs() << "compilation:\n";
    for (const auto &[key, value] : *facts) {
      outs() << "  " << key << ": ";
      if (std::optional<StringRef> text = value.getAsString())
        outs() << shownName(*text) << "\n";
      else
        outs() << formatv("{0}\n", value);
    }
  }
  return Error::success();
}
