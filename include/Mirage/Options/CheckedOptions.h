//===- CheckedOptions.h - Options that say what they take -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types for options of passes, pipelines and commands whose values are checked
// where they are read, by one rule for all of them:
//
//   cl::opt<NumberOption<unsigned, 1, 4096>> errorBound("error-bound", ...);
//   Pass::Option<TextOption> target{*this, "target", ...};
//
// A number is in its range, a text is not empty, and no option is given twice.
// Else nothing is run, and one line says so:
//
//   expects error-bound of 1 to 4096, got 'many'
//   expects a value of target, got none
//   expects error-bound once, got it again as 7
//
// LLVM's own parsers take the last of several values, an empty text and any
// number, say of what is none that it is "invalid for uint argument", and do so
// on standard error, whoever else ought to know.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_OPTIONS_CHECKEDOPTIONS_H
#define MIRAGE_OPTIONS_CHECKEDOPTIONS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <type_traits>

namespace mlir::mirage {

/// A number of `least` to `most`. What is assigned in C++ is not checked.
template <typename T, T least, T most>
struct NumberOption {
  static_assert(std::is_unsigned_v<T>, "ranges are of numbers from 0 up");
  NumberOption(T number = 0) : number(number) {}
  operator T() const { return number; }
  friend llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                       const NumberOption &option) {
    return os << option.number;
  }

  T number;
};

/// A text that is not empty where it is given.
struct TextOption : std::string {
  TextOption() = default;
  TextOption(std::string text) : std::string(std::move(text)) {}
  TextOption(const char *text) : std::string(text) {}
};
/// As textual pipelines have it: what has spaces in braces, and where there is
/// no text "{{}}", of which readers take the outer braces off: "{}" is no text.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const TextOption &option);

/// True or false; true where it is given without a value.
struct TruthOption {
  TruthOption(bool isTrue = false) : isTrue(isTrue) {}
  operator bool() const { return isTrue; }
  friend llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                       const TruthOption &option) {
    return os << (option.isTrue ? "true" : "false");
  }

  bool isTrue;
};

/// A time in seconds above 0, which need not be a whole number.
struct SecondsOption {
  SecondsOption(double seconds = 0) : seconds(seconds) {}
  operator double() const { return seconds; }
  friend llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                       const SecondsOption &option) {
    return os << option.seconds;
  }

  double seconds;
};

/// Collects what is wrong with options that are parsed on this thread while it
/// exists; without one it goes to standard error, as LLVM has it.
class OptionErrors {
public:
  /// Where values come from.
  enum class Source {
    Pipeline, ///< its text, of which "{}" is what is left where there is none
    Caller    ///< who hands them over one by one: each stands for itself
  };

  /// \param dashes  what stands before names, as users write them: "--" of a
  ///                command's options.
  explicit OptionErrors(llvm::StringRef dashes = "",
                        Source source = Source::Pipeline);
  ~OptionErrors();
  OptionErrors(const OptionErrors &) = delete;
  OptionErrors &operator=(const OptionErrors &) = delete;

  /// A line for each, without the last end of line.
  llvm::StringRef getText() const { return text; }

private:
  friend bool refuseOption(llvm::cl::Option &, llvm::StringRef,
                           llvm::StringRef);
  friend bool isNoText(llvm::StringRef);
  std::string dashes, text;
  Source source;
  OptionErrors *outer;
};

/// Says that an option is expected to be `before`, its name, `after`.
/// \returns true, which is how parsers fail.
bool refuseOption(llvm::cl::Option &option, llvm::StringRef before,
                  llvm::StringRef after);
/// Refuses an option that is no list and has a value already.
bool refuseRepeated(llvm::cl::Option &option, llvm::StringRef text);
/// Whether a value says that there is no text, as textual pipelines have it.
bool isNoText(llvm::StringRef text);
/// "got 7", "got 'many'" or "got none".
std::string describeFound(llvm::StringRef text);

// Of the parsers below. They return true after a refusal.
bool parseNumberOption(llvm::cl::Option &option, llvm::StringRef text,
                       uint64_t least, uint64_t most, uint64_t &number);
bool parseTextOption(llvm::cl::Option &option, llvm::StringRef text,
                     std::string &value);
bool parseTruthOption(llvm::cl::Option &option, llvm::StringRef text,
                      bool &value);
bool parseSecondsOption(llvm::cl::Option &option, llvm::StringRef text,
                        double &seconds);

/// What LLVM asks of a parser besides.
template <typename Value>
class OptionParserBase : public llvm::cl::basic_parser<Value> {
public:
  using llvm::cl::basic_parser<Value>::basic_parser;
  void printOptionDiff(const llvm::cl::Option &option, const Value &,
                       const llvm::cl::OptionValue<Value> &,
                       size_t width) const {
    this->printOptionNoValue(option, width);
  }
};

} // namespace mlir::mirage

namespace llvm::cl {

template <typename T, T least, T most>
class parser<mlir::mirage::NumberOption<T, least, most>>
    : public mlir::mirage::OptionParserBase<
          mlir::mirage::NumberOption<T, least, most>> {
  using Value = mlir::mirage::NumberOption<T, least, most>;

public:
  using mlir::mirage::OptionParserBase<Value>::OptionParserBase;
  bool parse(Option &option, StringRef, StringRef text, Value &value) {
    uint64_t number = 0;
    if (mlir::mirage::parseNumberOption(option, text, least, most, number))
      return true;
    value = static_cast<T>(number);
    return false;
  }
  StringRef getValueName() const override {
    return sizeof(T) > sizeof(unsigned) ? "ulong" : "uint";
  }
};

template <>
class parser<mlir::mirage::TextOption>
    : public mlir::mirage::OptionParserBase<mlir::mirage::TextOption> {
public:
  using OptionParserBase::OptionParserBase;
  bool parse(Option &option, StringRef, StringRef text,
             mlir::mirage::TextOption &value) {
    return mlir::mirage::parseTextOption(option, text, value);
  }
  StringRef getValueName() const override { return "string"; }
};

template <>
class parser<mlir::mirage::TruthOption>
    : public mlir::mirage::OptionParserBase<mlir::mirage::TruthOption> {
public:
  using OptionParserBase::OptionParserBase;
  enum ValueExpected getValueExpectedFlagDefault() const {
    return ValueOptional;
  }
  bool parse(Option &option, StringRef, StringRef text,
             mlir::mirage::TruthOption &value) {
    return mlir::mirage::parseTruthOption(option, text, value.isTrue);
  }
  StringRef getValueName() const override { return ""; }
};

template <>
class parser<mlir::mirage::SecondsOption>
    : public mlir::mirage::OptionParserBase<mlir::mirage::SecondsOption> {
public:
  using OptionParserBase::OptionParserBase;
  bool parse(Option &option, StringRef, StringRef text,
             mlir::mirage::SecondsOption &value) {
    return mlir::mirage::parseSecondsOption(option, text, value.seconds);
  }
  StringRef getValueName() const override { return "seconds"; }
};

} // namespace llvm::cl

#endif // MIRAGE_OPTIONS_CHECKEDOPTIONS_H
