//===- ExpressibleOpInterface.cpp - Ops of others in our operators --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.h"

#include "Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.cpp.inc"
