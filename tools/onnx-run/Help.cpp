//===- Help.cpp - The help of onnx-run --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"

#include "onnxc/Support/HelpText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// An entry, for a command or with all commands that know the option.
static void printOption(raw_ostream &out, const Option &option,
                        std::optional<Command> command) {
  bool isLetter = option.name.size() == 1;
  std::string left = ((isLetter ? "-" : "--") + option.name).str();
  for (const auto &[shortForm, name] : shortForms)
    if (name == option.name)
      left = (shortForm + ", " + left).str();
  if (!option.value.empty())
    left += ((isLetter ? " " : "=") + option.value).str();
  SmallVector<StringRef> notes;
  std::string names;
  if (!command && option.commands != OfAll) {
    ListSeparator comma;
    raw_string_ostream list(names);
    for (const CommandRow &row : commandTable())
      if (accepts(option.commands, row.command))
        list << comma << row.name;
    notes.push_back(names);
  }
  if (option.commands & Alone && (!command || accepts(Comparers, *command)))
    notes.push_back("not with --against");
  std::string help = option.help.str();
  if (!notes.empty())
    help += " (" + join(notes, "; ") + ")";
  out << helpEntry(left, help, 26);
}

/// Prints the usage and the list of commands.
static void printUsage(raw_ostream &out) {
  out << "usage: onnx-run [COMMAND] MODEL.so [options]\n\n"
         "Runs a compiled model, checks its outputs and measures it.\n\n";
  for (const CommandRow &row : commandTable())
    out << helpEntry(row.name, row.help, 11);
  out << "\nonnx-run COMMAND --help lists the options of a command.\n";
}

/// Of a command that was given, its options alone.
std::string run::helpText(const Options &options) {
  std::string text;
  raw_string_ostream out(text);
  std::optional<Command> command;
  if (options.isCommandGiven)
    command = options.command;
  for (const CommandRow &row : commandTable())
    if (command == row.command)
      out << "usage: onnx-run " << row.name << " " << row.operands
          << " [options]\n\n"
          << row.name << ": " << row.help << ".\n\n"
          << row.examples << "\n";
  if (!command)
    printUsage(out);
  bool runs = !command || accepts(Runners, *command);
  if (runs)
    out << "Inputs that are not given are random. ";
  out << "Exit status: 0 ok, 1 the model\nor an input was rejected, 2 usage"
      << (runs ? ", 3 an output differs" : "") << ".\n\n";
  for (const Option &option : optionTable())
    if (!command || accepts(option.commands, *command))
      printOption(out, option, command);
  return text;
}
