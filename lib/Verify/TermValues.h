//===- TermValues.h - Field elements of terms -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TERMVALUES_H
#define MIRAGE_LIB_VERIFY_TERMVALUES_H

#include "FieldArithmetic.h"
#include "TermTable.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::mirage {

/// Which terms matter in which component: outputs in component 0, arguments of
/// exponentials one further than these, other operands beside their users.
class LiveTerms {
public:
  LiveTerms(const TermTable &table, llvm::ArrayRef<TermId> outputs);

  /// One more than the deepest nesting of exponentials.
  unsigned getHeight() const { return live.size(); }
  bool isLive(TermId term, unsigned component) const {
    return live[component][term];
  }
  bool isLiveAnywhere(TermId term) const {
    for (const llvm::BitVector &component : live)
      if (component[term])
        return true;
    return false;
  }

private:
  std::vector<llvm::BitVector> live; ///< by component, by term
};

/// The values of all live terms in one batch of 16 trials: [component][term],
/// 16 words each.
class TermValues {
public:
  TermValues(const TermTable &table, const LiveTerms &live,
             const FieldBatch &batch);

  /// Of a component that was evaluated.
  const uint32_t *get(TermId term, unsigned component) const {
    assert(!values[component].empty() && "not evaluated");
    return values[component].data() + term * kernels::kLanes;
  }
  /// Evaluates one component; those after it have been.
  /// \param inputs  of the component, by element, 16 words each.
  /// \param wanted  terms that are enough, with all their operands; null: all.
  void evaluate(unsigned component, llvm::ArrayRef<uint32_t> inputs,
                const llvm::BitVector *wanted = nullptr);

private:
  void evaluateTerm(FieldArithmetic &arithmetic, TermId term,
                    unsigned component, llvm::ArrayRef<uint32_t> inputs);

  const TermTable &table;
  const LiveTerms &live;
  const FieldBatch &batch;
  std::vector<std::vector<uint32_t>> values;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TERMVALUES_H
