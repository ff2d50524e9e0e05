//===- FragmentLayout.h - Layouts of fragments in IR ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_FRAGMENTLAYOUT_H
#define MIRAGE_ANALYSIS_FRAGMENTLAYOUT_H

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Layout/LinearLayout.h"

namespace mlir::mirage {

/// The layout that a tensor type carries as its encoding; none if it carries no
/// `#mirage_thread.layout`.
std::optional<LinearLayout> getFragmentLayout(Type type);

/// A fragment of a layout's shape with the layout as its encoding.
RankedTensorType getFragmentType(const LinearLayout &layout, Type elementType);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_FRAGMENTLAYOUT_H
