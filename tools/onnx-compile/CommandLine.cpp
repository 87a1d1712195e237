//===- CommandLine.cpp - The words after onnx-compile ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "onnxc/Compile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

using llvm::StringRef;

namespace {

/// Reads words one after the other.
class Parser {
public:
  explicit Parser(llvm::ArrayRef<char *> words) : words(words) {}

  CommandLine parse();

private:
  void parseVerb();
  void parseOption(StringRef word);
  void parseLong(StringRef name);
  bool takeFlag(StringRef name);
  /// The value of an option: behind '=', or the next word.
  std::string value(StringRef name, StringRef joined, bool hasJoined);
  void set(StringRef key, StringRef value) {
    result.options.emplace_back(key.str(), value.str());
  }

  llvm::ArrayRef<char *> words;
  size_t next = 0;
  CommandLine result;
};

} // namespace

/// Number of the option of that name, -1 for none.
static int optionNumber(StringRef name) {
  for (int i = 0; omCompilerOptionName(i); ++i)
    if (name == omCompilerOptionName(i))
      return i;
  return -1;
}

std::string Parser::value(StringRef name, StringRef joined, bool hasJoined) {
  if (hasJoined)
    return joined.str();
  if (next < words.size())
    return words[next++];
  result.error = (name + " needs a value").str();
  return "";
}

bool Parser::takeFlag(StringRef name) {
  if (name == "help")
    result.help = true;
  else if (name == "version")
    result.version = true;
  else if (name == "quiet")
    result.quiet = true;
  else
    return false;
  return true;
}

void Parser::parseLong(StringRef word) {
  auto [name, joined] = word.split('=');
  bool hasJoined = word.contains('=');
  if (name == "report") {
    result.report = hasJoined ? joined.str() : "text";
    if (result.report != "text" && result.report != "json")
      result.error =
          "--report: expected text or json, but got '" + result.report + "'";
    set("explain-recipes", "true");
    return;
  }
  if (takeFlag(name))
    return;
  int number = optionNumber(name);
  if (number < 0) {
    result.error = ("unknown option --" + name).str();
    return;
  }
  bool isFlag = *omCompilerOptionValue(number) == '\0';
  if (isFlag)
    set(name, hasJoined ? joined : "true");
  else
    set(name, value(("--" + name).str(), joined, hasJoined));
}

void Parser::parseOption(StringRef word) {
  if (word.consume_front("--"))
    return parseLong(word);
  if (word == "-h") {
    result.help = true;
  } else if (word == "-v") {
    set("verbose", "true");
  } else if (word == "-g") {
    set("debug", "true");
  } else if (word == "-q") {
    result.quiet = true;
  } else if (word.starts_with("-O")) {
    set("level", word.drop_front(2));
  } else if (word.starts_with("-o")) {
    set("output", value("-o", word.drop_front(2), word.size() > 2));
  } else {
    result.error = ("unknown option " + word).str();
  }
}

/// Subcommands other than compiling; each stands for a set of options.
struct Verb {
  StringRef name, emit;
};
static constexpr Verb verbs[] = {{"simplify", "model"}};

/// A verb counts as one only where a model can follow.
void Parser::parseVerb() {
  for (const Verb &verb : verbs)
    if (words.size() > 1 && verb.name == words.front()) {
      set("emit", verb.emit);
      ++next;
    }
}

CommandLine Parser::parse() {
  bool onlyFiles = false;
  parseVerb();
  while (next < words.size() && result.error.empty()) {
    StringRef word = words[next++];
    if (!onlyFiles && word == "--") {
      onlyFiles = true;
    } else if (!onlyFiles && word.size() > 1 && word.starts_with("-")) {
      parseOption(word);
    } else if (result.input.empty()) {
      result.input = word.str();
    } else {
      result.error = ("expected one model, but got '" +
                      StringRef(result.input) + "' and '" + word + "'")
                         .str();
    }
  }
  if (result.error.empty() && result.input.empty() && !result.help &&
      !result.version)
    result.error = "expected a model";
  return result;
}

CommandLine parseCommandLine(int argc, char **argv) {
  return Parser(llvm::ArrayRef(argv, argc).drop_front()).parse();
}

static std::string helpLine(std::string left, StringRef help) {
  left = "  " + left;
  left.resize(std::max<size_t>(left.size() + 2, 34), ' ');
  return left + help.str() + "\n";
}

std::string helpText() {
  std::string text =
      "usage: onnx-compile [simplify] MODEL [options]\n\n"
      "Compiles an ONNX model to a shared object that needs only libc and "
      "libm.\nMODEL is a file, or - for the standard input.\n\n"
      "  onnx-compile model.onnx                 writes model.so, for this "
      "machine\n"
      "  onnx-compile model.onnx --emit=onnx     prints the model with all "
      "shapes\n"
      "  onnx-compile model.onnx --dim batch=8   fixes a named dimension\n"
      "  onnx-compile simplify model.onnx        writes the simplified model, "
      "model.simplified.onnx\n\n"
      "options:\n";
  text += helpLine("-o FILE", "the same as --output");
  text += helpLine("-O0 -O1 -O2 -O3", "the same as --level");
  for (int i = 0; const char *name = omCompilerOptionName(i); ++i) {
    std::string left = std::string("--") + name;
    if (*omCompilerOptionValue(i))
      left += std::string("=") + omCompilerOptionValue(i);
    text += helpLine(left, omCompilerOptionHelp(i));
  }
  text += helpLine("--report[=json]",
                   "print sizes, recipes and times to the standard output");
  text += helpLine("-g", "the same as --debug");
  text += helpLine("-v", "the same as --verbose");
  text += helpLine("-q, --quiet", "no progress");
  text += helpLine("-h, --help", "this text");
  text += helpLine("--version", "version of the compiler");
  text +=
      "\nexit status: 0 done, 1 model rejected, 2 usage, 5 internal error\n";
  return text;
}
