//===- LibraryKernels.h - Kernels that are left to a library ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matmul that is a kernel of its own may be left to a library of kernels
// (Mirage/Graph/LibraryMatmul.h). Here is the one rule that says when: the
// search prices such a matmul by it, and --mirage-assign-default-blocks writes
// down what it decides, so that what is predicted is what is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_LIBRARYKERNELS_H
#define MIRAGE_SEARCH_LIBRARYKERNELS_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/LibraryMatmul.h"

namespace mlir::mirage::search {

class CostModel;

enum class LibraryKernels : uint8_t {
  Auto,   ///< where the library is predicted to take less than half of the time
  Never,  ///< nowhere
  Always, ///< wherever the library has the matmul
};
llvm::StringRef getLibraryKernelsName(LibraryKernels choice);
/// \returns an error that lists the choices there are if the name is none.
llvm::Expected<LibraryKernels> parseLibraryKernels(llvm::StringRef name);

/// The operation as the library has it, if it is a matmul that the library has
/// of row-major tensors. Where tensors lie is known to the compiler alone, and
/// row-major is what they nearly always are.
std::optional<LibraryMatmul> findLibraryMatmul(const Graph &graph,
                                               const Node &operation);

/// What a call counts for where it is compared with kernels of ours: what it is
/// predicted to take, and with Auto twice that. Nobody knows whether the
/// machine that runs the artifact has the library; without it, what is launched
/// is the default kernel, and not the better one that the search may have
/// found.
double getLibraryCostUs(const LibraryMatmul &matmul, LibraryKernels choice,
                        const CostModel &costModel);

/// Whether a matmul is left to the library.
/// \param kernelUs  what our kernel for it is predicted to take.
bool isLeftToLibrary(const LibraryMatmul &matmul, double kernelUs,
                     LibraryKernels choice, const CostModel &costModel);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_LIBRARYKERNELS_H
