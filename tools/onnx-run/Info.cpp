//===- Info.cpp - What an artefact says about itself ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/Support/JSON.h"
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
    outs() << "  " << argument->name << ": " << describe(*argument) << "\n";
}

static void printJson(const Artefact &artefact) {
  json::Array entries;
  int64_t count = 0;
  const char *const *names = artefact.omQueryEntryPoints(&count);
  for (int64_t i = 0; i < count; ++i)
    entries.push_back(json::Object{
        {"name", names[i]},
        {"inputs", parsed(artefact.omInputSignature(names[i]))},
        {"outputs", parsed(artefact.omOutputSignature(names[i]))}});
  json::Object report{{"schema", 1},
                      {"entry_points", std::move(entries)},
                      {"compilation", parsed(artefact.omCompilationInfo())}};
  outs() << formatv("{0:2}\n", json::Value(std::move(report)));
}

Error run::info(const Artefact &artefact, bool json) {
  if (json) {
    printJson(artefact);
    return Error::success();
  }
  outs() << "entry point: " << artefact.entry() << "\n";
  printArguments("inputs", artefact.inputs());
  printArguments("outputs", artefact.outputs());
  json::Value compilation = parsed(artefact.omCompilationInfo());
  if (const json::Object *facts = compilation.getAsObject()) {
    outs() << "compilation:\n";
    for (const auto &[key, value] : *facts) {
      outs() << "  " << key << ": ";
      if (std::optional<StringRef> text = value.getAsString())
        outs() << *text << "\n";
      else
        outs() << formatv("{0}\n", value);
    }
  }
  return Error::success();
}
