//===- SharedNames.cpp - One name for what never meets --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/NameSets.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::BitVector;
using llvm::SmallVector;

namespace {
/// What names have to do with each other in a program.
class NameRelations {
public:
  NameRelations(const Graph &graph, const DimensionNames &names)
      : names(names), reduced(names.getNumNames()),
        related(names.getNumNames(), BitVector(names.getNumNames())) {
    SmallVector<BitVector> above; // by value, with its own
    for (unsigned input = 0; input < graph.getNumInputs(); ++input)
      above.push_back(relate(input, BitVector(names.getNumNames())));
    for (const Node &operation : graph.getNodes()) {
      BitVector ofOperands(names.getNumNames());
      for (ValueId operand : operation.operands) {
        ofOperands |= above[operand];
        reduced |= getOwn(operand).reset(getOwn(operation.results[0]));
      }
      above.push_back(relate(operation.results[0], std::move(ofOperands)));
    }
  }

  bool mayShare(NameId lhs, NameId rhs) const {
    return names.extents[lhs] == names.extents[rhs] &&
           reduced[lhs] == reduced[rhs] && !related[lhs][rhs];
  }

  /// From now on, what has to do with `name` has to do with `shared`.
  void share(NameId name, NameId shared) {
    related[shared] |= related[name];
    for (unsigned other : related[name].set_bits())
      related[other].set(shared);
  }

private:
  BitVector getOwn(ValueId value) const {
    BitVector own(names.getNumNames());
    for (NameId name : names.ofValues[value])
      if (name != kNoName)
        own.set(name);
    return own;
  }

  /// \param above  names of what the value depends on. \returns these and its
  /// own, which have to do with each other and with all of these.
  BitVector relate(ValueId value, BitVector above) {
    BitVector own = getOwn(value);
    above |= own;
    for (unsigned name : own.set_bits()) {
      related[name] |= above;
      for (unsigned other : above.set_bits())
        related[other].set(name);
    }
    return above;
  }

  const DimensionNames &names;
  BitVector reduced; ///< by some operation
  std::vector<BitVector> related;
};
} // namespace

void mlir::mirage::search::shareNames(const Graph &graph,
                                      DimensionNames &names) {
  NameRelations relations(graph, names);
  SmallVector<NameId> shared; // by name
  SmallVector<NameId> kept;   // by new name
  for (NameId name = 0; name < names.getNumNames(); ++name) {
    const NameId *found = llvm::find_if(
        kept, [&](NameId other) { return relations.mayShare(name, other); });
    shared.push_back(found - kept.begin());
    if (found == kept.end())
      kept.push_back(name);
    else
      relations.share(name, *found);
  }
  for (DimensionList &dimensions : names.ofValues)
    for (NameId &name : dimensions)
      if (name != kNoName)
        name = shared[name];
  SmallVector<int64_t> extents;
  for (NameId name : kept)
    extents.push_back(names.extents[name]);
  names.extents = std::move(extents);
}
