//===- GraphEvaluator.h - Walks a µGraph with an arithmetic -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Carries out a µGraph as it would run: tile by tile, iteration by iteration,
// zeros where a tile reaches beyond its tensor, accumulators, sums over blocks.
// What an element is, and what arithmetic does, is the Arithmetic's business.
//
// All blocks of a tile graph take each step together: a value is kept as
// [instances][tile], where instances counts blocks, times the instances of the
// graph around it. So a step is one call of the arithmetic over all blocks, and
// an accumulation over a grid axis is a reduction over instances. Blocks that
// differ only along axes along which a value does not (VaryingAxes.h) share an
// instance of it: what each of them computes again on a GPU is computed once.
//
// Memory. Large graphs are evaluated at their own sizes, so what is not needed
// is not kept: a value of the kernel graph is given back after its last use,
// elementwise operators go block by block, so that what they compute on the way
// is small, and inputs that can be read part by part (InputElements.h) are,
// where no part has to be read again and again. Of a sample (Sample.h) values
// are tensors of the elements that are needed.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_GRAPHEVALUATOR_H
#define MIRAGE_LIB_VERIFY_GRAPHEVALUATOR_H

#include "Arithmetic.h"
#include "ComponentSlice.h"
#include "InputElements.h"
#include "Mirage/Graph/Graph.h"
#include "Sample.h"
#include "WordArena.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace mlir::mirage {

class GraphEvaluator {
public:
  explicit GraphEvaluator(Arithmetic &arithmetic)
      : arithmetic(arithmetic), words(arithmetic.getWords()) {}

  /// Carries out that part of the next graphs alone. The slice outlives their
  /// evaluation; null for the whole.
  void setSlice(const ComponentSlice *only) { slice = only; }

  /// \param graph   without composed operators (expandComposed).
  /// \param inputs  `words` words an element.
  /// \param sample  what to evaluate of it; null for all.
  /// \returns the outputs, or what the sample asks of them, in order,
  ///          row-major, of as many words; none of a slice that has none.
  std::vector<std::vector<uint32_t>> evaluate(const Graph &graph,
                                              const InputElements &inputs,
                                              const Sample *sample = nullptr);
  std::vector<std::vector<uint32_t>>
  evaluate(const Graph &graph, llvm::ArrayRef<const uint32_t *> inputs) {
    return evaluate(graph, StoredInputs(inputs));
  }

  /// The most words that evaluations took at a time, stored inputs and outputs
  /// that were returned apart.
  size_t getPeakWords() const { return peakWords; }

private:
  using Values = llvm::SmallVector<uint32_t *, 16>;
  /// How many elements each result of a variance has, and their mean.
  struct Moments {
    uint32_t *count = nullptr, *mean = nullptr;
  };
  /// A graph whose operations are being carried out.
  struct Frame {
    const Graph &graph;
    const TileGraph *tiles; ///< the same if it is one, else null
    size_t instances;       ///< of the graph, its blocks not counted
    int64_t iteration = 0;
    /// By ValueId; null of inputs that are read part by part.
    Values values = {};
    /// Of a kernel graph: what its values are in, which several may share.
    llvm::SmallVector<std::shared_ptr<uint32_t[]>, 0> owners = {};
    const InputElements *inputs = nullptr;
    const Sample *sample = nullptr; ///< of a kernel graph, null if all of it is
    BlockSet blocks = {};           ///< of a tile graph
    /// Of a tile graph: by value, along which axes its blocks hold different
    /// ones; and those of the graph around that its instances count.
    llvm::SmallVector<AxisSet> varying = {};
    AxisSet outerAxes = 0;
    /// Of the exponents of what is rescaled over the loop, by its result.
    std::map<ValueId, uint32_t *> maxima = {};
    /// Of what a variance over the loop is of, by its result.
    std::map<ValueId, Moments> moments = {};

    /// Of what there is of a value.
    Shape getShape(ValueId value) const {
      return sample ? mirage::getShape(sample->regions[value])
                    : graph.getType(value).shape;
    }
    bool isNeeded(ValueId value) const {
      return !sample || !sample->regions[value].empty();
    }
    AxisSet getAxes(ValueId value) const { return tiles ? varying[value] : 0; }
    /// Of what varies along some axes.
    size_t countInstances(AxisSet axes) const {
      return instances * blocks.count(axes);
    }
    size_t countInstancesOf(ValueId value) const {
      return countInstances(getAxes(value));
    }
    /// Appends dimensions to a walk: over the instances of what varies along
    /// `axes`, by the instances that these go with of what varies along `own`,
    /// each `unit` wide.
    void addInstancesTo(OffsetWalk &walk, AxisSet axes, AxisSet own,
                        size_t unit) const {
      walk.addDimension(instances, blocks.count(own) * unit);
      blocks.addTo(walk, axes, own, unit);
    }
    /// Where tiles begin along a dimension that `cutting` cut, in tiles: by
    /// instance of what varies along some axes, those of one graph after those
    /// of another alike; 0 in a kernel graph.
    BlockSet::Positions listPositions(AxisSet axes,
                                      llvm::ArrayRef<Axis> cutting) const {
      return blocks.listPositions(axes, iteration, cutting);
    }
  };
  /// The tiles of a value, [instances][shape].
  struct Tiles {
    const uint32_t *data = nullptr;
    llvm::ArrayRef<int64_t> shape = {};
    AxisSet axes = 0; ///< along which they vary
  };

  bool isLeftOut(const Node &operation) const {
    return slice && !slice->contains(operation);
  }
  llvm::BitVector findInputsRead(const TileGraph &tiles) const;
  void evaluateOperation(Frame &frame, const Node &operation);
  // SampledEvaluation.cpp
  void evaluateSampled(Frame &frame, unsigned operation);
  void evaluateOnNeeded(Frame &needed, const Frame &whole, unsigned number);
  void maskNeeded(Frame &needed, llvm::ArrayRef<IndexSet> region);
  void narrow(uint32_t *result, const uint32_t *elements,
              llvm::ArrayRef<IndexSet> kept,
              llvm::ArrayRef<IndexSet> needed) const;
  void reshapeNeeded(uint32_t *result, const uint32_t *elements,
                     const Graph &graph, const Sample &sample,
                     unsigned number) const;
  void readNeeded(Frame &frame, ValueId input);

  void readInputs(Frame &frame, const Node &operation);
  void readInput(Frame &frame, ValueId input);
  bool isReadInParts(const Frame &frame, const Node &operation,
                     unsigned operand) const;
  void release(Frame &frame, ValueId value);
  void notePeak();
  void evaluateElementwise(Frame &frame, const Node &operation);
  void evaluateReduction(Frame &frame, const Node &operation);
  void evaluateMatmul(Frame &frame, const Node &operation);
  bool isReadInBands(const Frame &frame, const Node &operation,
                     unsigned operand) const;
  /// A product of matrices, one of which is part of an input, from an element
  /// on.
  struct Bands {
    const InputElements &inputs;
    ValueId input;
    size_t first;
    size_t m, n, k;
  };
  void multiplyByRowsRead(const Bands &bands, uint32_t *result,
                          const uint32_t *lhs);
  void multiplyRowsRead(const Bands &bands, uint32_t *result,
                        const uint32_t *rhs);
  void evaluateShuffle(Frame &frame, const Node &operation);
  void evaluateMovement(Frame &frame, const Node &operation);
  void evaluateConcat(Frame &frame, const Node &operation);
  void evaluateMask(Frame &frame, const Node &operation);
  void evaluateCausalMask(Frame &frame, const Node &operation);
  /// Makes -inf of what [matrices][rows][columns] has beyond the columns that
  /// each row keeps.
  void hideColumns(uint32_t *elements, size_t matrices, int64_t rows,
                   int64_t columns,
                   llvm::function_ref<int64_t(int64_t row)> countKept);
  void evaluateGraph(Frame &frame, const Node &operation, BlockSet blocks);

  void evaluateLoop(Frame &frame, const Frame &outer, const Node &operation);
  /// Carries steps out in each iteration.
  /// \param isRead      by input, whether a step reads it.
  /// \param accumulate  what is done with accumulations.
  void iterate(Frame &frame, const Frame &outer, const Node &operation,
               const llvm::BitVector &isRead,
               llvm::ArrayRef<const Node *> steps,
               llvm::function_ref<void(const Node &)> accumulate);
  // Accumulation.cpp
  void allocateAccumulators(Frame &frame, const Node &operation);
  void accumulateIteration(Frame &frame, const Node &operation);
  void combineIteration(const Frame &frame, Combiner combiner, uint32_t *total,
                        const uint32_t *part, size_t count);
  void finishAccumulation(Frame &frame, const Node &operation);
  void accumulateOverGrid(Frame &frame, const Node &operation);
  // Moments.cpp
  static bool joinsMoments(const Node &step);
  void evaluateMeans(Frame &frame, const Frame &outer, const Node &operation,
                     const llvm::BitVector &isRead,
                     llvm::ArrayRef<const Node *> loopSteps);
  void allocateMeans(Frame &frame, const Node &operation);
  void addToMean(Frame &frame, const Node &operation);
  void finishMean(Frame &frame, const Node &operation);
  void addSquares(Frame &frame, const Node &operation);
  void finishVariance(Frame &frame, const Node &operation);
  /// Adds what one iteration has, before `dims` are joined, to a total.
  void joinPart(Frame &frame, const Node &operation, const uint32_t *part,
                uint32_t *total);
  void divideByCount(Frame &frame, const Node &operation, uint32_t *total);
  const uint32_t *getPart(const Frame &frame, const Node &operation,
                          AxisSet axes);
  /// Applies a definition to operand and exponent, which stretches; zero where
  /// that is minus infinity.
  const uint32_t *weigh(const Frame &frame, const ScalarDefinition &definition,
                        Tiles operand, Tiles exponent, AxisSet axes);
  /// Joins the blocks along an axis, along which parts are there one by one;
  /// those of other axes stay instances.
  Tiles joinBlocks(const Frame &frame, Axis axis, Combiner combiner,
                   Tiles parts);
  /// The last step of an accumulation; `result` may be the total.
  void finish(const Frame &frame, const Node &operation, Tiles total,
              Tiles maximum, int64_t averaged, uint32_t *result);

  static bool isReadWhole(const Frame &frame, const Frame &outer,
                          unsigned input, ValueId operand);
  void readTile(Frame &frame, const Frame &outer, unsigned input,
                ValueId operand);
  bool isReadAboutOnce(const Graph &outer, const Node &operation,
                       unsigned input) const;
  const uint32_t *getPadding();
  void writeTile(const Frame &frame, Frame &outer, unsigned output,
                 ValueId result);

  Tiles getTiles(const Frame &frame, ValueId value) const {
    return {frame.values[value], frame.graph.getType(value).shape,
            frame.getAxes(value)};
  }
  /// The operand stretched to a shape and to more axes, [instances][shape];
  /// itself if it has them.
  const uint32_t *stretch(const Frame &frame, Tiles operand,
                          llvm::ArrayRef<int64_t> shape, AxisSet axes) {
    return stretchRows(frame, operand, shape, axes, 0,
                       countRows(frame.countInstances(axes), shape));
  }
  /// Some of its rows, which go along the last dimension.
  const uint32_t *stretchRows(const Frame &frame, Tiles operand,
                              llvm::ArrayRef<int64_t> shape, AxisSet axes,
                              size_t first, size_t count);
  static size_t getRowLength(llvm::ArrayRef<int64_t> shape) {
    return shape.empty() ? 1 : shape.back();
  }
  static size_t countRows(size_t instances, llvm::ArrayRef<int64_t> shape);
  /// Applies a definition to `count` words.
  /// \param result  null if its exponentials are all that matters.
  void applyDefinition(const ScalarDefinition &definition,
                       llvm::ArrayRef<const uint32_t *> arguments,
                       llvm::ArrayRef<double> parameters, double size,
                       uint32_t *result, size_t count);
  /// Applies a reduction's first step and joins `dims` of [instances][shape].
  const uint32_t *join(const OperatorInfo &reduction, const uint32_t *operand,
                       size_t instances, Shape shape,
                       llvm::ArrayRef<int64_t> dims);
  size_t countWords(const Frame &frame, ValueId value) const;
  uint32_t *allocate(Frame &frame, ValueId value);
  /// Makes a value what another one is.
  static void share(Frame &frame, ValueId value, ValueId other);

  /// What is worked on at a time, where that makes no difference.
  static constexpr size_t kBlockWords = size_t(1) << 18;
  /// What the arena keeps from one operation of a kernel graph to the next.
  static constexpr size_t kKeptWords = size_t(1) << 20;

  Arithmetic &arithmetic;
  unsigned words;
  const ComponentSlice *slice = nullptr;
  WordArena arena;
  /// What fills partial tiles, once a tile has been read.
  std::optional<std::array<uint32_t, Arithmetic::kConstantWords>> padding;
  size_t ownedWords = 0, peakWords = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_GRAPHEVALUATOR_H
