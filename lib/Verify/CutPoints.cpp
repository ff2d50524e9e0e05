//===- CutPoints.cpp - Two graphs, cut where they agree -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CutPoints.h"
#include "Comparison.h"
#include "ExpNesting.h"
#include "JointGraph.h"
#include "TrialMemory.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <set>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// What a value is computed by, down to the leaves: inputs and cut points.
struct Cone {
  std::set<ValueId> leaves;
  std::set<unsigned> operations; ///< in the order in which they can run
};

/// The values of both graphs on the way to a proof.
class PieceProver {
public:
  using AreEqual = llvm::function_ref<bool(const Graph &, const Graph &)>;

  PieceProver(const Graph &lhs, const Graph &rhs)
      : joint(lhs, rhs), graph(joint.graph), numOfLhs(lhs.getNumValues()),
        same(llvm::to_vector(llvm::seq<ValueId>(graph.getNumValues()))),
        isCut(graph.getNumValues()) {}

  bool prove(const Seed &seed, double maxBytes, AreEqual areEqual) {
    Graph all = graph;
    for (ValueId value = 0; value < all.getNumValues(); ++value)
      all.addOutput(value);
    unsigned height = 1 + computeExpNesting(all);
    if (height > FieldTower::kMaxHeight ||
        estimateEvaluationBytes(all, height, /*words=*/1) > maxBytes)
      return false;
    for (const Class &members : collectClasses(all, height, seed))
      for (ValueId member : ArrayRef(members).drop_front())
        if (!proveMember(members.front(), member, areEqual))
          return false;
    return llvm::all_of(
        llvm::zip_equal(joint.lhsOutputs, joint.rhsOutputs), [&](auto pair) {
          return same[std::get<0>(pair)] == same[std::get<1>(pair)];
        });
  }

private:
  /// Values that a trial does not tell apart, ascending.
  using Class = SmallVector<ValueId, 4>;

  /// Those of several values, in the order of the first.
  std::vector<Class> collectClasses(const Graph &all, unsigned height,
                                    const Seed &seed) const {
    RandomStream random(deriveSeed(seed, "tower", 0));
    FieldBatch batch(FieldTower::draw(height, random), /*words=*/1,
                     deriveSeed(seed, "fields", 0));
    SmallVector<DrawnInputs> inputs;
    for (unsigned component = 0; component < height; ++component)
      inputs.emplace_back(deriveSeed(seed, "inputs", component),
                          batch.tower[component].getPrime());
    // Roots as powers are there whatever they are of.
    Outputs outputs =
        evaluateInFields(all, batch, inputs, /*multiplicativeRoots=*/true);
    std::map<std::pair<Shape, Seed>, size_t> numbers;
    std::vector<Class> classes;
    for (auto [value, elements] : llvm::enumerate(outputs)) {
      llvm::StringRef bytes(reinterpret_cast<const char *>(elements.data()),
                            elements.size() * sizeof(uint32_t));
      auto [entry, isNew] = numbers.try_emplace(
          {all.getType(value).shape, hashToSeed(bytes)}, classes.size());
      if (isNew)
        classes.emplace_back();
      classes[entry->second].push_back(value);
    }
    llvm::erase_if(classes, [](const Class &of) { return of.size() == 1; });
    return classes;
  }

  /// \returns false if there is no use in going on.
  bool proveMember(ValueId first, ValueId member, AreEqual areEqual) {
    Cone ofFirst, ofMember;
    if (!graph.isInput(member))
      expand(member, ofMember);
    // What is computed of the first one is compared with it as it is.
    if (graph.isInput(first) || ofMember.leaves.count(first))
      ofFirst.leaves.insert(first);
    else
      expand(first, ofFirst);
    std::set<ValueId> leaves = ofFirst.leaves;
    leaves.insert(ofMember.leaves.begin(), ofMember.leaves.end());
    bool isWhole =
        joint.lhsOutputs == ArrayRef(first) &&
        joint.rhsOutputs == ArrayRef(member) &&
        llvm::none_of(leaves, [&](ValueId leaf) { return isCut[leaf]; });
    if (isWhole || numPieces++ == kMaxPieces)
      return false;
    if (!areEqual(build(first, ofFirst, leaves),
                  build(member, ofMember, leaves)))
      return true;
    same[member] = first;
    // What one graph alone has twice is no value of the other, and beyond the
    // views of an input there is no less to prove.
    if (first < numOfLhs && member >= numOfLhs && computes(ofFirst))
      isCut.set(first);
    return true;
  }

  bool computes(const Cone &cone) const {
    return llvm::any_of(cone.operations, [&](unsigned number) {
      return getOperatorInfo(graph.getNodes()[number].opcode).kind !=
             OperatorKind::Movement;
    });
  }

  void grow(ValueId value, Cone &cone) const {
    value = same[value];
    if (graph.isInput(value) || isCut[value])
      cone.leaves.insert(value);
    else
      expand(value, cone);
  }

  void expand(ValueId value, Cone &cone) const {
    const Node *operation = graph.getDefinition(value);
    if (!cone.operations.insert(operation - graph.getNodes().begin()).second)
      return;
    for (ValueId operand : operation->operands)
      grow(operand, cone);
  }

  /// A value as a function of leaves.
  Graph build(ValueId root, const Cone &cone,
              const std::set<ValueId> &leaves) const {
    Graph piece;
    llvm::DenseMap<ValueId, ValueId> values;
    for (ValueId leaf : leaves)
      values[leaf] = piece.addInput(graph.getType(leaf));
    for (unsigned number : cone.operations) {
      const Node &operation = graph.getNodes()[number];
      auto operands =
          llvm::map_to_vector(operation.operands, [&](ValueId operand) {
            return values.at(same[operand]);
          });
      ValueId next =
          piece.addCopy(operation, operands, graph.getTypes(operation.results));
      for (ValueId result : operation.results)
        values[result] = next++;
    }
    piece.addOutput(values.at(root));
    return piece;
  }

  JointGraph joint;
  const Graph &graph; ///< of both
  ValueId numOfLhs;
  SmallVector<ValueId> same; ///< by value: the first that it is proved to be
  llvm::BitVector isCut;     ///< values of the program that the result has
  unsigned numPieces = 0;    ///< that were asked about
};
} // namespace

bool mlir::mirage::proveInPieces(
    const Graph &lhs, const Graph &rhs, const Seed &seed, double maxBytes,
    llvm::function_ref<bool(const Graph &, const Graph &)> areEqual) {
  return PieceProver(lhs, rhs).prove(seed, maxBytes, areEqual);
}
