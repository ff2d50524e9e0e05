//===- LoadingWarps.h - Warps that do nothing but load ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block graph says of warps beside its `threads`, which load
// (Mirage/Planning/WarpRoles.h). Its warps hand places back (TileForms.h; to
// release a stage, as it is called elsewhere), so that nothing but mbarriers
// stands between them and the others; and it is the first of its launch.
// Loading warps are gone when they have started all copies, so barriers of the
// block count the others (PTX ISA, "bar, barrier").
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_LOADINGWARPS_H
#define MIRAGE_ANALYSIS_LOADINGWARPS_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Planning/WarpRoles.h"

namespace mlir::mirage {

/// What attributes of a graph state, or an error that says why it cannot be.
/// \param handsBack  whether its warps hand places back.
llvm::Expected<LoadingWarps> readLoadingWarps(block::GraphOp graph,
                                              bool handsBack);

/// Leaves that in attributes.
void annotate(block::GraphOp graph, const LoadingWarps &warps);

/// The threads of a graph, which compute, and those of its loading warps.
/// \param graph  whose attributes are in order.
int64_t getLaunchedThreads(block::GraphOp graph);

/// How many warps load, an i64 from 1 on.
inline constexpr llvm::StringLiteral kLoadingWarpsAttr = "mirage.loading_warps";
/// Where they are four: the registers of each thread that loads, and of each
/// that computes.
inline constexpr llvm::StringLiteral kRegisterSharesAttr =
    "mirage.register_shares";

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_LOADINGWARPS_H
