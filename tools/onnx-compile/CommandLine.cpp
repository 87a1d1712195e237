//===- CommandLine.cpp - The words after onnx-compile ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Subcommand.h"

#include "onnxc/Support/CommandNames.h"
#include "onnxc/Support/HelpText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using llvm::StringRef;

namespace {

/// Reads words one after the other.
class Parser {
public:
  explicit Parser(llvm::ArrayRef<char *> words) : words(words) {}

  CommandLine parse();

private:
  void parseCommand();
  void parseOption(StringRef word);
  void parseLong(StringRef name);
  bool takeFlag(StringRef name);
  bool takeOwn(StringRef name, StringRef joined, bool hasJoined);
  void checkOperands();
  std::string similarOption(StringRef name) const;
  /// The value of an option: after '=', or the next word.
  std::string value(StringRef name, StringRef joined, bool hasJoined);
  void set(StringRef key, StringRef value);

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

std::string Parser::similarOption(StringRef name) const {
  onnxc::SimilarName similar(name, /*maxDistance=*/2);
  for (const OwnOption &option : result.command->options)
    similar.offer(option.name);
  for (int i = 0; omCompilerOptionName(i); ++i)
    if (!llvm::is_contained(result.command->without, omCompilerOptionName(i)))
      similar.offer(omCompilerOptionName(i));
  return onnxc::similarOption(similar);
}

void Parser::set(StringRef key, StringRef value) {
  if (llvm::is_contained(result.command->without, key))
    result.error = ("--" + key + " does not apply to this command").str();
  else
    result.options.emplace_back(key.str(), value.str());
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

bool Parser::takeOwn(StringRef name, StringRef joined, bool hasJoined) {
  for (const OwnOption &option : result.command->options) {
    if (option.name != name)
      continue;
    if (option.value.empty() && hasJoined)
      result.error = ("--" + name + " takes no value").str();
    else if (option.value.empty() || option.value.starts_with("["))
      result.own[option.name] = joined.str();
    else
      result.own[option.name] = value(("--" + name).str(), joined, hasJoined);
    return true;
  }
  return false;
}

void Parser::parseLong(StringRef word) {
  auto [name, joined] = word.split('=');
  bool hasJoined = word.contains('=');
  if (takeOwn(name, joined, hasJoined) || takeFlag(name))
    return;
  int number = optionNumber(name);
  if (number < 0) {
    result.error = "unknown option --" + name.str() + similarOption(name);
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
    std::string path = value("-o", word.drop_front(2), word.size() > 2);
    set("output", path);
  } else {
    result.error = ("unknown option " + word).str();
  }
}

/// The first word, if it is the name of a subcommand.
void Parser::parseCommand() {
  result.command = subcommands().front();
  for (const Subcommand *command : subcommands())
    if (!words.empty() && command->name == words.front()) {
      result.command = command;
      ++next;
    }
}

/// Each operand that is not in brackets has to be there, and none besides.
void Parser::checkOperands() {
  llvm::SmallVector<StringRef> names;
  result.command->operands.split(names, ' ');
  size_t given = result.operands.size();
  llvm::SmallVector<StringRef> commands;
  for (const Subcommand *command : subcommands().drop_front())
    commands.push_back(command->name);
  if (given && result.command->name.empty())
    result.error =
        onnxc::explainCommand(result.operands[0], given == 1, commands);
  if (!result.error.empty())
    return;
  std::string last = given ? result.operands.back() : "";
  if (given > names.size())
    result.error = names.size() == 1
                       ? "expected one model, but got '" +
                             result.operands[given - 2] + "' and '" + last + "'"
                       : "expected " + result.command->operands.str() +
                             ", and there is '" + last + "' besides";
  else if (given == 0)
    result.error = "expected a model";
  else if (given < names.size() && !names[given].starts_with("["))
    result.error = "expected " + names[given].str() + " after '" + last + "'";
}

CommandLine Parser::parse() {
  bool onlyFiles = false;
  parseCommand();
  while (next < words.size() && result.error.empty()) {
    StringRef word = words[next++];
    if (!onlyFiles && word == "--")
      onlyFiles = true;
    else if (!onlyFiles && word.size() > 1 && word.starts_with("-"))
      parseOption(word);
    else
      result.operands.push_back(word.str());
  }
  if (result.error.empty() && !result.help && !result.version)
    checkOperands();
  return result;
}

CommandLine parseCommandLine(int argc, char **argv) {
  return Parser(llvm::ArrayRef(argv, argc).drop_front()).parse();
}

static std::string optionEntry(StringRef left, StringRef help) {
  return onnxc::helpEntry(left, help, 26);
}

static std::string ownOptions(const Subcommand &command) {
  std::string text;
  for (const OwnOption &option : command.options) {
    std::string left = "--" + option.name.str();
    if (!option.value.empty() && !option.value.starts_with("["))
      left += "=";
    text += optionEntry(left + option.value.str(), option.help);
  }
  return text;
}

/// The texts of the options of a compilation that the command takes, short
/// forms first.
static std::string compileOptions(const Subcommand &command) {
  static constexpr std::pair<const char *, const char *> shorts[] = {
      {"-o FILE", "output"},
      {"-O0 -O1 -O2 -O3", "level"},
      {"-g", "debug"},
      {"-v", "verbose"}};
  auto takes = [&](StringRef name) {
    return !llvm::is_contained(command.without, name);
  };
  std::string text;
  for (auto [left, name] : shorts)
    if (takes(name))
      text += optionEntry(left, std::string("the same as --") + name);
  for (int i = 0; const char *name = omCompilerOptionName(i); ++i) {
    if (!takes(name))
      continue;
    std::string left = std::string("--") + name;
    if (*omCompilerOptionValue(i))
      left += std::string("=") + omCompilerOptionValue(i);
    text += optionEntry(left, omCompilerOptionHelp(i));
  }
  return text;
}

static std::string commandList() {
  std::string text = "\ncommands:\n";
  for (const Subcommand *command : subcommands().drop_front())
    text += onnxc::helpEntry(command->name, command->summary, 14);
  return text + "onnx-compile COMMAND --help lists the options of a command.\n";
}

std::string helpText(const Subcommand &command) {
  bool isPlain = command.name.empty();
  std::string text = "usage: onnx-compile ";
  text += (isPlain ? "[COMMAND]" : command.name).str();
  text += " " + command.operands.str() + " [options]\n\n";
  std::string summary = command.summary.str();
  if (!isPlain)
    summary = command.name.str() + ": " + summary + ".";
  text += summary + "\n" + command.description.str();
  if (isPlain)
    text += commandList();
  text += "\noptions:\n" + ownOptions(command) + compileOptions(command);
  text += optionEntry("-q, --quiet", "no progress");
  text += optionEntry("-h, --help", "this text");
  text += optionEntry("--version", "version of the compiler");
  std::string status = "exit status: 0 done, 1 model rejected, 2 usage, ";
  if (!command.ownStatus.empty())
    status += command.ownStatus.str() + ", ";
  status += "5 internal error";
  return text + "\n" + onnxc::wrapText(status, 0, onnxc::helpWidth()) + "\n";
}
