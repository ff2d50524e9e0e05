//===- Structure.h - A kernel without sizes ---------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure is a block graph before its extents are chosen: which names the
// grid axes and the loop split, and the operators. It stands for all tilings,
// and for other sizes of the same program. RMSNorm and a linear layer:
//
//   grid {n} loop k     tensors 0: x{m,k}  1: w{k,n}
//     2 = accumulate rms over k (0)        m
//     3 = matmul over k (0, 1)             m,n   a part of the sum over k
//     4 = accumulate sum (3)               m,n
//     5 = div (4, 2)                       m,n   the output
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_STRUCTURE_H
#define MIRAGE_SEARCH_STRUCTURE_H

#include "Mirage/Search/NameSets.h"
#include <optional>

namespace mlir::mirage::search {

struct StructureOperator {
  Opcode opcode = Opcode::Add;
  Opcode reduction = Opcode::Sum; ///< Accumulate: with what
  llvm::SmallVector<double, 2> scalars;
  llvm::SmallVector<unsigned, 2> operands; ///< tensors; inputs come first
  NameId over = kNoName; ///< the reduced or contracted name, if any
  /// Accumulate: the grid axis whose blocks are joined, as a position in
  /// `gridNames`; none for the loop.
  std::optional<unsigned> gridAxis = std::nullopt;

  bool operator==(const StructureOperator &other) const {
    return opcode == other.opcode && reduction == other.reduction &&
           scalars == other.scalars && operands == other.operands &&
           over == other.over && gridAxis == other.gridAxis;
  }
};

struct Structure {
  llvm::SmallVector<NameId, 3> gridNames;
  NameId loopName = kNoName;
  llvm::SmallVector<ValueId> inputs; ///< of the program, all read
  std::vector<StructureOperator> operators;
  llvm::SmallVector<unsigned> outputs; ///< tensor by output of the program

  /// The names of every tensor's dimensions, by tensor.
  std::vector<NameSet>
  computeTensorNames(llvm::ArrayRef<NameSet> inputNames) const;
  bool operator==(const Structure &other) const;
};

/// Several lines, names as letters; the same for equal structures.
std::string toString(const Structure &structure);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_STRUCTURE_H
