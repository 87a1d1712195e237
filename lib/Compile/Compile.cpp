//===- Compile.cpp - The compiler as a library -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Compile.h"

#include "onnxc/Check/Check.h"
#include "onnxc/Explain/Explain.h"

#include <deque>
#include <new>
#include <string>

using namespace onnxc;

struct OMCompiler {
  CompileOptions options;
  OMMessageFunction onMessage = nullptr;
  void *messageUser = nullptr;
  OMProgressFunction onProgress = nullptr;
  void *progressUser = nullptr;
  OMOutputFunction onOutput = nullptr;
  void *outputUser = nullptr;
  std::atomic<bool> cancel = false;
  /// What functions have returned since the last compilation began, and the
  /// current messages among them.
  std::deque<std::string> texts{""};
  std::string *messages = &texts.back();
  Report report;
  Findings findings;
  Explanation explanation;

  void tell(const Message &message);
  const char *keep(std::string text) {
    return texts.emplace_back(std::move(text)).c_str();
  }
  /// The facts as JSON or as text; null for another format.
  template <typename T>
  const char *describe(const T &facts, const char *format) {
    llvm::StringRef name = format ? format : "text";
    if (name != "text" && name != "json")
      return nullptr;
    return keep(name == "json" ? facts.json() : facts.text());
  }
  /// Does the work with callbacks and a fresh report.
  OM_COMPILE_STATUS run(llvm::function_ref<Outcome(const Events &)> work);
  OM_COMPILE_STATUS compile(const Input &input) {
    return run([&](const Events &events) {
      return onnxc::compile(input, options, events, report);
    });
  }
};

static const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "";
}

void OMCompiler::tell(const Message &message) {
  if (message.severity != Severity::Remark) {
    if (!message.location.empty())
      *messages += message.location + ": ";
    *messages += severityName(message.severity);
    *messages += ": " + message.text + "\n";
  }
  if (onMessage)
    onMessage(messageUser, OM_SEVERITY(message.severity),
              message.location.c_str(), message.text.c_str());
}

static OM_COMPILE_STATUS statusOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::Done:
    return OM_COMPILE_OK;
  case Outcome::Rejected:
    return OM_COMPILE_REJECTED;
  case Outcome::Usage:
    return OM_COMPILE_USAGE;
  case Outcome::OverBudget:
    return OM_COMPILE_OVER_BUDGET;
  case Outcome::Cancelled:
    return OM_COMPILE_CANCELLED;
  case Outcome::Internal:
    return OM_COMPILE_INTERNAL;
  }
  return OM_COMPILE_INTERNAL;
}

OM_COMPILE_STATUS
OMCompiler::run(llvm::function_ref<Outcome(const Events &)> work) {
  texts.clear();
  messages = &texts.emplace_back();
  report = {};
  Events events;
  events.cancel = &cancel;
  events.message = [&](const Message &message) { tell(message); };
  if (onProgress)
    events.progress = [&](const Progress &step) {
      onProgress(progressUser, step.number, step.total, step.name.str().c_str(),
                 step.seconds.value_or(-1));
    };
  if (onOutput)
    events.output = [&](llvm::StringRef text) {
      onOutput(outputUser, text.data(), text.size());
    };
  Outcome outcome = work(events);
  cancel = false;
  return statusOf(outcome);
}

OMCompiler *omCompilerCreate(void) { return new (std::nothrow) OMCompiler; }

void omCompilerDestroy(OMCompiler *compiler) { delete compiler; }

OM_COMPILE_STATUS omCompilerSetOption(OMCompiler *compiler, const char *key,
                                      const char *value) {
  if (!compiler->messages->empty())
    compiler->messages = &compiler->texts.emplace_back();
  llvm::Error error =
      setOption(compiler->options, key ? key : "", value ? value : "");
  if (!error)
    return OM_COMPILE_OK;
  *compiler->messages = "error: " + llvm::toString(std::move(error)) + "\n";
  return OM_COMPILE_USAGE;
}

static const OptionInfo *optionInfo(size_t number) {
  llvm::ArrayRef<OptionInfo> infos = compileOptionInfos();
  return number < infos.size() ? &infos[number] : nullptr;
}

const char *omCompilerOptionName(size_t number) {
  const OptionInfo *info = optionInfo(number);
  return info ? info->name.data() : nullptr;
}

const char *omCompilerOptionValue(size_t number) {
  const OptionInfo *info = optionInfo(number);
  return info ? info->value.data() : nullptr;
}

const char *omCompilerOptionHelp(size_t number) {
  const OptionInfo *info = optionInfo(number);
  return info ? info->help.data() : nullptr;
}

void omCompilerSetMessageHandler(OMCompiler *compiler,
                                 OMMessageFunction handler, void *user) {
  compiler->onMessage = handler;
  compiler->messageUser = user;
}

void omCompilerSetProgressHandler(OMCompiler *compiler,
                                  OMProgressFunction handler, void *user) {
  compiler->onProgress = handler;
  compiler->progressUser = user;
}

void omCompilerSetOutputHandler(OMCompiler *compiler, OMOutputFunction handler,
                                void *user) {
  compiler->onOutput = handler;
  compiler->outputUser = user;
}

OM_COMPILE_STATUS omCompilerCompileFile(OMCompiler *compiler,
                                        const char *path) {
  return compiler->compile({path ? path : "", std::nullopt});
}

/// The bytes, or where they are null the file.
static Input inputOf(const void *data, size_t size, const char *name) {
  Input input{name ? name : "model", std::nullopt};
  if (data)
    input.bytes = llvm::StringRef(static_cast<const char *>(data), size);
  return input;
}

OM_COMPILE_STATUS omCompilerCompileMemory(OMCompiler *compiler,
                                          const void *data, size_t size,
                                          const char *name) {
  return compiler->compile(inputOf(data ? data : "", size, name));
}

OM_COMPILE_STATUS omCompilerCheck(OMCompiler *compiler, const void *data,
                                  size_t size, const char *name) {
  OM_COMPILE_STATUS status = compiler->run([&](const Events &events) {
    return check(inputOf(data, size, name), compiler->options, events,
                 compiler->findings);
  });
  bool isRefused =
      status == OM_COMPILE_OK && compiler->findings.count(Severity::Error) != 0;
  return isRefused ? OM_COMPILE_REJECTED : status;
}

OM_COMPILE_STATUS omCompilerExplain(OMCompiler *compiler, const void *data,
                                    size_t size, const char *name,
                                    const char *node, int assembly) {
  return compiler->run([&](const Events &events) {
    return explain(inputOf(data, size, name), compiler->options,
                   {node ? node : "", assembly != 0}, events,
                   compiler->explanation);
  });
}

OM_COMPILE_STATUS omCompilerCutNode(OMCompiler *compiler, const void *data,
                                    size_t size, const char *name,
                                    const char *node, const char *output) {
  CompileOptions options = compiler->options;
  options.output = output ? output : "";
  return compiler->run([&](const Events &events) {
    compiler->report.outputs = {options.output};
    return cutNode(inputOf(data, size, name), options, events,
                   node ? node : "");
  });
}

OM_COMPILE_STATUS omModelRefit(OMCompiler *compiler, const char *artefact,
                               const char *model, const char *output) {
  CompileOptions options;
  options.limits = compiler->options.limits;
  options.output = output ? output : "";
  return compiler->run([&](const Events &events) {
    return refit(artefact ? artefact : "", {model ? model : "", std::nullopt},
                 options, events, compiler->report);
  });
}

void omCompilerCancel(OMCompiler *compiler) { compiler->cancel = true; }

const char *omCompilerGetMessages(const OMCompiler *compiler) {
  return compiler->messages->c_str();
}

const char *omCompilerGetOutput(const OMCompiler *compiler) {
  const std::vector<std::string> &outputs = compiler->report.outputs;
  return outputs.empty() ? "" : outputs.front().c_str();
}

const char *omCompilerOutputFor(OMCompiler *compiler, const char *path) {
  return compiler->keep(
      outputOf({path ? path : "", std::nullopt}, compiler->options));
}

const char *omCompilerGetFindings(OMCompiler *compiler, const char *format) {
  return compiler->describe(compiler->findings, format);
}

const char *omCompilerGetExplanation(OMCompiler *compiler, const char *format) {
  return compiler->describe(compiler->explanation, format);
}

const char *omCompilerGetReport(OMCompiler *compiler, const char *format) {
  llvm::StringRef name = format ? format : "";
  if (name != "nodes" && name != "html")
    return compiler->describe(compiler->report, format);
  return compiler->keep(name == "nodes" ? compiler->report.nodesText()
                                        : compiler->report.html());
}
