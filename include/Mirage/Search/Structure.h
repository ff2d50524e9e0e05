//===- Structure.h - A µGraph without sizes ---------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure is a µGraph before its extents are chosen: kernels one after the
// other, and of each which names its grid axes and its loop split, and its
// operators. It stands for all tilings, and for other sizes of the same
// program. RMSNorm and a linear layer in one kernel:
//
//   grid {n} loop k     tensors 0: x{m,k}  1: w{k,n}
//     2 = accumulate rms over k (0)        m
//     3 = matmul over k (0, 1)             m,n   a part of the sum over k
//     4 = accumulate sum (3)               m,n
//     5 = div (4, 2)                       m,n   the output
//
// Blocks along an axis whose name a result does not have may leave *parts*: the
// result then has a dimension more, as long as the axis, and a later kernel
// sums over it. Such a dimension has a name too (TargetProgram::getPartName).
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
  /// Of a causal mask.
  std::optional<CausalNames> mask = std::nullopt;
  /// The type in which the program stores an equal value, or f32.
  ElementType stored = ElementType::F32;

  bool operator==(const StructureOperator &other) const {
    return opcode == other.opcode && reduction == other.reduction &&
           scalars == other.scalars && operands == other.operands &&
           over == other.over && gridAxis == other.gridAxis &&
           mask == other.mask && stored == other.stored;
  }
};

struct KernelStructure {
  llvm::SmallVector<NameId, 3> gridNames;
  NameId loopName = kNoName;
  llvm::SmallVector<unsigned> inputs; ///< device tensors, all read
  std::vector<StructureOperator> operators;
  llvm::SmallVector<unsigned> results; ///< the tensors that are stored

  bool operator==(const KernelStructure &other) const;
};

/// A tensor in device memory: its dimensions in order, and what is stored.
struct StoredTensor {
  DimensionList layout;
  ElementType element = ElementType::F32;

  bool operator==(const StoredTensor &other) const {
    return layout == other.layout && element == other.element;
  }
};

/// Device tensors are numbered: the program's inputs, then the results of all
/// kernels in order.
struct Structure {
  std::vector<KernelStructure> kernels;
  std::vector<StoredTensor> results;   ///< of all kernels
  llvm::SmallVector<unsigned> outputs; ///< device tensor, by program output

  unsigned getNumOperators() const;
  /// The first device tensor that kernel number `kernel` stores.
  unsigned getFirstResult(unsigned numProgramInputs, unsigned kernel) const;
  bool operator==(const Structure &other) const;
};

/// Several lines, names as letters; the same for equal structures.
std::string toString(const KernelStructure &kernel);
std::string toString(const Structure &structure);

/// 16 hexadecimal digits: a hash of that text, the same on all machines.
std::string getHash(const Structure &structure);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_STRUCTURE_H
