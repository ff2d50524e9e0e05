//===- CheckedPass.h - Passes with checked options --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes and pipelines with options of CheckedOptions.h: what is wrong with
// them is the error of whoever builds the pipeline, in one line.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_OPTIONS_CHECKEDPASS_H
#define MIRAGE_OPTIONS_CHECKEDPASS_H

#include "Mirage/Options/CheckedOptions.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir::mirage {

using OnOptionError = function_ref<LogicalResult(const Twine &)>;

/// Calls `parse` with a stream for what upstream's parser says of `text`.
/// \returns what `onError` does, where it fails.
template <typename Parse>
LogicalResult parseCheckedOptions(StringRef text, OnOptionError onError,
                                  Parse parse) {
  OptionErrors errors;
  std::string message;
  llvm::raw_string_ostream os(message);
  if (succeeded(parse(os)))
    return success();
  if (!errors.getText().empty())
    return onError(errors.getText());
  StringRef said = StringRef(message).trim();
  if (!said.empty())
    return onError(said);
  // Upstream's word on an option without "=" goes to standard error.
  return onError("expects a value of each option, got '" + text + "'");
}

/// The base of passes that have options; CheckedPass.td has it for definitions.
template <typename OpT = void>
class CheckedPass : public OperationPass<OpT> {
public:
  LogicalResult initializeOptions(StringRef text,
                                  OnOptionError onError) override {
    return parseCheckedOptions(text, onError, [&](raw_ostream &os) {
      return Pass::initializeOptions(text, [&](const Twine &message) {
        os << message;
        return failure();
      });
    });
  }

protected:
  using OperationPass<OpT>::OperationPass;
};

/// The name of an option, and what it is set to.
using NamedValue = std::pair<StringRef, StringRef>;

/// The base of pipelines' options. By names and values they are set to texts
/// that no textual pipeline can hold: there, a brace ends the options.
template <typename T>
class CheckedPipelineOptions : public PassPipelineOptions<T> {
public:
  /// \returns what `onError` does, where an option is none or does not take its
  /// value.
  LogicalResult set(ArrayRef<NamedValue> values, OnOptionError onError) {
    OptionErrors errors("", OptionErrors::Source::Caller);
    for (auto [name, value] : values) {
      llvm::cl::Option *option = this->OptionsMap.lookup(name);
      if (!option)
        return onError("no such option " + name);
      if (llvm::cl::ProvidePositionalOption(option, value, /*i=*/0))
        return onError(errors.getText());
    }
    return success();
  }

  /// In alphabetical order.
  SmallVector<StringRef> listNames() const {
    SmallVector<StringRef> names = llvm::to_vector(this->OptionsMap.keys());
    llvm::sort(names);
    return names;
  }
};

/// Makes a pipeline known.
/// \param build  called with the pipeline and its options; it fails after a
///               call of the function that it is given.
template <typename Options>
void registerCheckedPipeline(
    StringRef name, StringRef description,
    std::function<LogicalResult(OpPassManager &, const Options &,
                                OnOptionError)>
        build) {
  registerPassPipeline(
      name, description,
      [build](OpPassManager &passManager, StringRef text,
              OnOptionError onError) {
        Options options;
        if (failed(parseCheckedOptions(text, onError, [&](raw_ostream &os) {
              return options.parseFromString(text, os);
            })))
          return failure();
        return build(passManager, options, onError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handler) {
        handler(Options());
      });
}

} // namespace mlir::mirage

#endif // MIRAGE_OPTIONS_CHECKEDPASS_H
