//===- CheckedOptions.cpp - Options that say what they take ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Options/CheckedOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir::mirage;
namespace cl = llvm::cl;

/// Parsers know nothing but the option: LLVM leaves no other way to them.
static thread_local OptionErrors *innermost = nullptr;

OptionErrors::OptionErrors(llvm::StringRef dashes, Source source)
    : dashes(dashes), source(source), outer(innermost) {
  innermost = this;
}

OptionErrors::~OptionErrors() { innermost = outer; }

/// What stands for nothing in textual pipelines, once their reader has taken
/// the outer braces off.
static constexpr llvm::StringLiteral kNoText = "{}";

bool mlir::mirage::isNoText(llvm::StringRef text) {
  return text == kNoText &&
         (!innermost || innermost->source == OptionErrors::Source::Pipeline);
}

llvm::raw_ostream &mlir::mirage::operator<<(llvm::raw_ostream &os,
                                            const TextOption &option) {
  if (option.empty())
    return os << '{' << kNoText << '}';
  // Whatever else delimits keeps its spaces together.
  bool needsBraces = option.find(' ') < option.find_first_of("{'\"", /*pos=*/0);
  return os << (needsBraces ? "{" : "")
            << static_cast<const std::string &>(option)
            << (needsBraces ? "}" : "");
}

std::string mlir::mirage::describeFound(llvm::StringRef text) {
  llvm::StringRef digits = text;
  digits.consume_front("-");
  if (text.empty())
    return "got none";
  bool isNumber = !digits.empty() && llvm::all_of(digits, llvm::isDigit);
  // One line, whatever it is.
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef &line : lines)
    line = line.trim();
  return llvm::formatv(isNumber ? "got {0}" : "got '{0}'",
                       llvm::join(lines, " "));
}

bool mlir::mirage::refuseOption(cl::Option &option, llvm::StringRef before,
                                llvm::StringRef after) {
  std::string dashes = innermost ? innermost->dashes : "--";
  std::string name = option.hasArgStr()
                         ? (dashes + option.ArgStr).str()
                         : option.HelpStr.str(); // of an argument without one
  std::string message = llvm::formatv("expects {0}{1}{2}", before, name, after);
  if (!innermost)
    return option.error(message);
  innermost->text += (innermost->text.empty() ? "" : "\n") + message;
  return true;
}

bool mlir::mirage::refuseRepeated(cl::Option &option, llvm::StringRef text) {
  bool isList = option.getNumOccurrencesFlag() == cl::ZeroOrMore ||
                option.getNumOccurrencesFlag() == cl::OneOrMore;
  if (isList || option.getNumOccurrences() < 2)
    return false;
  std::string found = describeFound(text).substr(strlen("got "));
  return refuseOption(
      option, "", " once, got it again" + (text.empty() ? "" : " as " + found));
}

bool mlir::mirage::parseNumberOption(cl::Option &option, llvm::StringRef text,
                                     uint64_t least, uint64_t most,
                                     uint64_t &number) {
  if (refuseRepeated(option, text))
    return true;
  // Any radix, as LLVM has it.
  if (!text.getAsInteger(0, number) && number >= least && number <= most)
    return false;
  return refuseOption(
      option, "",
      llvm::formatv(" of {0} to {1}, {2}", least, most, describeFound(text))
          .str());
}

bool mlir::mirage::parseTextOption(cl::Option &option, llvm::StringRef text,
                                   std::string &value) {
  if (refuseRepeated(option, text))
    return true;
  value = isNoText(text) ? "" : text.str();
  return text.trim().empty() &&
         refuseOption(option, "a value of ", ", got none");
}

bool mlir::mirage::parseTruthOption(cl::Option &option, llvm::StringRef text,
                                    bool &value) {
  if (refuseRepeated(option, text))
    return true;
  auto truth = llvm::StringSwitch<std::optional<bool>>(text)
                   .Cases({"", "true", "TRUE", "True", "1"}, true)
                   .Cases({"false", "FALSE", "False", "0"}, false)
                   .Default(std::nullopt);
  if (!truth)
    return refuseOption(option, "", " true or false, " + describeFound(text));
  value = *truth;
  return false;
}

bool mlir::mirage::parseSecondsOption(cl::Option &option, llvm::StringRef text,
                                      double &seconds) {
  if (refuseRepeated(option, text))
    return true;
  if (!text.getAsDouble(seconds) && seconds > 0 && std::isfinite(seconds))
    return false;
  return refuseOption(option, "",
                      " of seconds above 0, " + describeFound(text));
}
