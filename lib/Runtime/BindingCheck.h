//===- BindingCheck.h - Whether tensors fit an artifact ------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_BINDINGCHECK_H
#define MIRAGE_LIB_RUNTIME_BINDINGCHECK_H

#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Reference/HostTensor.h"

namespace mlir::mirage {

/// One input for each of the artifact's, of its type.
llvm::Error checkBinding(const Artifact &artifact,
                         llvm::ArrayRef<HostTensor> inputs);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_RUNTIME_BINDINGCHECK_H
