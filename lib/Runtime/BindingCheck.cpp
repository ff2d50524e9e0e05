//===- BindingCheck.cpp - Whether tensors are what an artifact takes ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BindingCheck.h"
#include "Mirage/Runtime/TensorBytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;

static std::string print(const TensorSpec &type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

llvm::Error mlir::mirage::checkBinding(const Artifact &artifact,
                                       llvm::ArrayRef<HostTensor> inputs) {
  if (inputs.size() != artifact.inputs.size())
    return llvm::createStringError(
        "expects " + llvm::Twine(artifact.inputs.size()) + " inputs, got " +
        llvm::Twine(inputs.size()));
  for (auto [expected, input] : llvm::zip_equal(artifact.inputs, inputs)) {
    if (input.type != expected.type)
      return llvm::createStringError("input " + expected.name + ": expects " +
                                     print(expected.type) + ", got " +
                                     print(input.type));
    if (std::optional<Shape> index = findConflict(expected, input))
      return llvm::createStringError(
          "input " + expected.name +
          ": expects the same number wherever the strides " +
          toString(expected.strides) + " show the same place, got another at " +
          toString(*index));
  }
  return llvm::Error::success();
}
