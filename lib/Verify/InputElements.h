//===- InputElements.h - What a graph is evaluated on -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs of a large graph are most of what an evaluation at its own sizes
// would hold: of a gated MLP, two matrices of weights, of which each step reads
// a few rows. Random inputs need not be held at all. Each *run* of consecutive
// elements has a place of its own in a stream of random numbers, so that any
// run can be drawn whenever it is read, and is the same each time.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_INPUTELEMENTS_H
#define MIRAGE_LIB_VERIFY_INPUTELEMENTS_H

#include "Mirage/Algebra/Random.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"

namespace mlir::mirage {

/// The elements of a graph's inputs, row-major.
class InputElements {
public:
  /// How many are read at a time of an input that has to be read part by part:
  /// less, or what begins elsewhere than at a multiple, costs as much.
  static constexpr size_t kRun = 4096;

  virtual ~InputElements();
  /// All elements of an input; null if it has to be read part by part, which
  /// is for elements of one word, and for samples.
  virtual const uint32_t *getAll(unsigned input) const = 0;
  /// \param first  in elements, of as many words as each has.
  virtual void read(unsigned input, size_t first,
                    llvm::MutableArrayRef<uint32_t> elements) const = 0;
};

/// Inputs that somebody holds.
class StoredInputs : public InputElements {
public:
  explicit StoredInputs(llvm::ArrayRef<const uint32_t *> inputs)
      : inputs(inputs.begin(), inputs.end()) {}

  const uint32_t *getAll(unsigned input) const override {
    return inputs[input];
  }
  void read(unsigned, size_t, llvm::MutableArrayRef<uint32_t>) const override {
    llvm_unreachable("they are there as a whole");
  }

private:
  llvm::SmallVector<const uint32_t *> inputs;
};

/// Uniform random elements of a prime field, of one word each.
class DrawnInputs : public InputElements {
public:
  DrawnInputs(const Seed &seed, uint32_t prime) : seed(seed), prime(prime) {}

  const uint32_t *getAll(unsigned) const override { return nullptr; }
  void read(unsigned input, size_t first,
            llvm::MutableArrayRef<uint32_t> elements) const override;

private:
  Seed seed;
  uint32_t prime;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_INPUTELEMENTS_H
