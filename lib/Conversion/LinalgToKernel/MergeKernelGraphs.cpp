//===- MergeKernelGraphs.cpp - Maximal convex kernel graphs ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs are merged by *stage*. An op that is no graph of ours and computes
// from one of stage s ends that stage for what depends on it: graphs that read
// its result are of stage s + 1. Graphs of one stage then never feed each other
// through a foreign op, so any of them may be merged; those are that feed each
// other or read a common value.
//
// The merged graph stands where the last of its parts stood. A foreign op in
// between that reads a result moves behind it, which only ops without side
// effects may do: one with side effects ends the stage for all that follows.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/LinalgToKernel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;
using kernel::GraphOp;

/// Calls `visit` with the op of `block` behind each operand of `op`, those of
/// ops nested in it included.
static void visitProducers(Operation *op, Block &block,
                           llvm::function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (producer->getBlock() == &block && producer != op)
          visit(producer);
  });
}

//===----------------------------------------------------------------------===//
// Which graphs belong together
//===----------------------------------------------------------------------===//

namespace {
/// Stages and, within them, what is connected.
class Partition {
public:
  Partition(Block &block, ArrayRef<GraphOp> graphs) : block(block) {
    for (GraphOp graph : graphs)
      ours.insert(graph);
    for (Operation &op : block)
      visit(&op);
  }

  /// Groups in the order of their first graphs, each in the block's order.
  SmallVector<SmallVector<GraphOp>> getGroups() const {
    llvm::MapVector<Operation *, SmallVector<GraphOp>> groups;
    for (Operation *graph : ours)
      groups[connected.getLeaderValue(graph)].push_back(cast<GraphOp>(graph));
    return llvm::map_to_vector(groups,
                               [](auto &group) { return group.second; });
  }

private:
  struct Place {
    unsigned stage = 0;
    bool reads = false; ///< depends on a graph of ours
  };

  void visit(Operation *op) {
    bool isOurs = ours.contains(op);
    Place place{isOurs ? firstStage : 0, isOurs};
    visitProducers(op, block, [&](Operation *producer) {
      Place from = places.lookup(producer);
      bool crosses = isOurs && from.reads && !ours.contains(producer);
      place.stage = std::max(place.stage, from.stage + crosses);
      place.reads |= from.reads;
    });
    if (!isOurs && place.reads && !isMemoryEffectFree(op))
      firstStage = std::max(firstStage, place.stage + 1);
    places[op] = place;
    if (isOurs)
      connect(cast<GraphOp>(op), place.stage);
  }

  void connect(GraphOp graph, unsigned stage) {
    connected.insert(graph);
    for (Value input : graph.getInputs()) {
      Operation *producer = input.getDefiningOp();
      if (producer && ours.contains(producer) &&
          places.lookup(producer).stage == stage)
        connected.unionSets(producer, graph);
      auto [reader, isFirst] = readers.try_emplace({input, stage}, graph);
      if (!isFirst)
        connected.unionSets(reader->second, graph);
    }
  }

  Block &block;
  llvm::SetVector<Operation *> ours;
  DenseMap<Operation *, Place> places;
  DenseMap<std::pair<Value, unsigned>, Operation *> readers;
  llvm::EquivalenceClasses<Operation *> connected;
  unsigned firstStage = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Making one of many
//===----------------------------------------------------------------------===//

namespace {
class Merger {
public:
  Merger(RewriterBase &rewriter, ArrayRef<GraphOp> group)
      : rewriter(rewriter), group(group), members(group.begin(), group.end()) {}

  /// \returns the merged graph, or none if nothing reads its results.
  std::optional<GraphOp> merge() {
    moveReadersBehind();
    rewriter.setInsertionPoint(group.back());
    Block *body = joinBodies();
    std::optional<GraphOp> merged = buildGraph(body);
    for (GraphOp graph : llvm::reverse(group))
      eraseGraph(graph);
    return merged;
  }

private:
  /// Ops between the parts that read a result of one of them, at any distance.
  void moveReadersBehind() {
    llvm::SetVector<Operation *> readers;
    Block &block = *group.front()->getBlock();
    for (Operation *op = group.front(); op != group.back();
         op = op->getNextNode()) {
      bool isReader = false;
      visitProducers(op, block, [&](Operation *producer) {
        isReader |= members.contains(producer) || readers.contains(producer);
      });
      if (isReader && !members.contains(op))
        readers.insert(op);
    }
    for (Operation *reader : llvm::reverse(readers))
      rewriter.moveOpAfter(reader, group.back());
  }

  /// A region with the ops of all parts, on arguments for what they read.
  Block *joinBodies() {
    Block *body = &region.emplaceBlock();
    addFunctionArguments();
    for (GraphOp graph : group) {
      SmallVector<Value> inputs = llvm::map_to_vector(
          graph.getInputs(), [&](Value input) { return getInner(input); });
      Operation *yield = graph.getYield();
      for (auto [result, yielded] :
           llvm::zip_equal(graph.getResults(), yield->getOperands())) {
        auto argument = dyn_cast<BlockArgument>(yielded);
        inner[result] = argument ? inputs[argument.getArgNumber()] : yielded;
      }
      for (auto [argument, input] :
           llvm::zip_equal(graph.getBody().getArguments(), inputs))
        rewriter.replaceAllUsesWith(argument, input);
      Block &part = graph.getBody().front();
      body->getOperations().splice(body->end(), part.getOperations(),
                                   part.begin(), std::prev(part.end()));
    }
    return body;
  }

  /// Inputs come in the order of the function's arguments, then by first use.
  void addFunctionArguments() {
    SmallVector<std::pair<std::pair<unsigned, size_t>, Value>> arguments;
    for (GraphOp graph : group)
      for (Value input : graph.getInputs())
        if (auto argument = dyn_cast<BlockArgument>(input))
          arguments.push_back(
              {{argument.getArgNumber(), arguments.size()}, input});
    llvm::sort(arguments, llvm::less_first());
    for (auto &[place, argument] : arguments)
      getInner(argument);
  }

  Value getInner(Value outer) {
    auto [found, isNew] = inner.try_emplace(outer);
    if (isNew) {
      found->second = region.addArgument(outer.getType(), outer.getLoc());
      outerInputs.push_back(outer);
    }
    return found->second;
  }

  bool isReadOutside(Value result) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      return !members.contains(user);
    });
  }

  /// One result for each value that is read outside; arguments that come back
  /// unchanged are no results.
  std::optional<GraphOp> buildGraph(Block *body) {
    llvm::SetVector<Value> yielded;
    for (GraphOp graph : group)
      for (Value result : graph.getResults())
        if (isReadOutside(result) && !isa<BlockArgument>(inner[result]))
          yielded.insert(inner[result]);
    std::optional<GraphOp> merged;
    if (!yielded.empty())
      merged = createGraph(body, yielded.getArrayRef());
    for (GraphOp graph : group)
      for (Value result : graph.getResults())
        replaceResult(result, yielded.getArrayRef(), merged);
    return merged;
  }

  GraphOp createGraph(Block *body, ValueRange yielded) {
    Location location = rewriter.getFusedLoc(llvm::map_to_vector(
        group, [](GraphOp graph) { return graph->getLoc(); }));
    SmallVector<Value> inits =
        llvm::map_to_vector(yielded.getTypes(), [&](Type type) -> Value {
          auto tensor = cast<RankedTensorType>(type);
          return tensor::EmptyOp::create(rewriter, location, tensor.getShape(),
                                         tensor.getElementType());
        });
    auto merged = GraphOp::create(rewriter, location, yielded.getTypes(),
                                  outerInputs, inits);
    merged.getBody().takeBody(region);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(body);
    kernel::YieldOp::create(rewriter, location, yielded);
    return merged;
  }

  void replaceResult(Value result, ArrayRef<Value> yielded,
                     std::optional<GraphOp> merged) {
    Value value = inner[result];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      rewriter.replaceAllUsesWith(result, outerInputs[argument.getArgNumber()]);
      return;
    }
    auto found = llvm::find(yielded, value);
    if (found != yielded.end())
      rewriter.replaceAllUsesWith(result,
                                  merged->getResult(found - yielded.begin()));
  }

  /// By now the graph's results are read by parts of the group at most, which
  /// are erased before it.
  void eraseGraph(GraphOp graph) {
    SmallVector<Value> inits(graph.getInits());
    rewriter.eraseOp(graph);
    for (Value init : inits)
      if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
        if (empty->use_empty())
          rewriter.eraseOp(empty);
  }

  RewriterBase &rewriter;
  ArrayRef<GraphOp> group;
  llvm::SmallPtrSet<Operation *, 16> members;
  Region region;
  DenseMap<Value, Value> inner; ///< by value of the function
  SmallVector<Value> outerInputs;
};
} // namespace

SmallVector<GraphOp> mlir::mirage::mergeKernelGraphs(RewriterBase &rewriter,
                                                     ArrayRef<GraphOp> graphs) {
  SmallVector<GraphOp> merged;
  if (graphs.empty())
    return merged;
  SmallVector<SmallVector<GraphOp>> groups =
      Partition(*graphs.front()->getBlock(), graphs).getGroups();
  for (SmallVector<GraphOp> &group : groups) {
    // Merging an earlier group may have moved parts of this one.
    llvm::sort(group, [](GraphOp lhs, GraphOp rhs) {
      return lhs->isBeforeInBlock(rhs);
    });
    if (std::optional<GraphOp> graph = Merger(rewriter, group).merge())
      merged.push_back(*graph);
  }
  llvm::sort(merged, [](GraphOp lhs, GraphOp rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  return merged;
}
