//===- CommandLine.h - How commands read their arguments --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_COMMANDLINE_H
#define MIRAGE_TOOLS_COMMANDLINE_H

#include "Mirage/Options/CheckedOptions.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"
#include <optional>
#include <vector>

namespace mlir::mirage {

/// Reads the arguments of a command.
/// \returns none, or what is wrong with them after it was said on standard
/// error: a sentence, or several on lines of their own.
inline std::optional<std::string> parseCommandLine(int argc, char **argv,
                                                   llvm::StringRef overview) {
  OptionErrors refused("--", OptionErrors::Source::Caller);
  std::string said;
  llvm::raw_string_ostream os(said);
  // LLVM does not mind if a value without an option's name is refused.
  if (llvm::cl::ParseCommandLineOptions(argc, argv, overview, &os) &&
      refused.getText().empty())
    return std::nullopt;
  llvm::errs() << said;
  llvm::SmallVector<llvm::StringRef> lines;
  refused.getText().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    llvm::errs() << llvm::sys::path::filename(argv[0]) << ": error: " << line
                 << '\n';
  std::string text =
      llvm::StringRef(said + refused.getText().str()).rtrim().str();
  // The one mistake that LLVM itself prints without a word to anybody else.
  if (text.empty())
    text = std::string("expects a value of ") + argv[argc - 1] + ", got none";
  return text;
}

/// An error where two of the files or folders that a command was given are one,
/// by name, or one has no name.
inline llvm::Error expectOnce(const std::string &output,
                              const std::vector<std::string> &inputs) {
  llvm::StringSet<> known;
  std::vector<std::string> all = inputs;
  all.insert(all.begin(), output);
  for (const std::string &name : all) {
    if (name.empty())
      return llvm::createStringError("expects names of OUT and IN, got none");
    if (!known.insert(name).second)
      return llvm::createStringError("expects OUT and each IN once, got '" +
                                     name + "' again");
  }
  return llvm::Error::success();
}

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_COMMANDLINE_H
