//===- SeparatePieces.cpp - Programs without slices and concats -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphWriter.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "PieceGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// Writes the pieces of a program that its outputs depend on. What is summed
/// over pieces is a sum of sums.
class PieceWriter {
public:
  PieceWriter(const Graph &program, const DimensionCuts &cuts)
      : program(program), grid(program, cuts), writer(result.body) {}

  RewrittenProgram run() {
    result.body.f32Products = program.f32Products;
    collectInputs();
    addInputs();
    std::vector<SmallVector<ValueId>> ofOutputs;
    for (ValueId output : program.getOutputs()) {
      auto &pieces = ofOutputs.emplace_back();
      grid.forEach(output, [&](const Piece &piece) {
        pieces.push_back(
            writer.cast(get(output, piece), program.getType(output).element));
      });
    }
    addOutputs(ofOutputs);
    return std::move(result);
  }

private:
  using Key = std::pair<ValueId, Piece>;

  //===--------------------------------------------------------------------===//
  // Inputs and outputs
  //===--------------------------------------------------------------------===//

  /// The pieces of inputs that outputs depend on; all of one of which none is.
  void collectInputs() {
    isDry = true;
    for (ValueId output : program.getOutputs())
      grid.forEach(output, [&](const Piece &piece) { get(output, piece); });
    isDry = false;
    values.clear();
  }

  void addInputs() {
    for (unsigned input = 0; input < program.getNumInputs(); ++input)
      result.inputs.addInput(program.getType(input),
                             program.getInputName(input));
    GraphWriter views(result.inputs);
    for (unsigned input = 0; input < program.getNumInputs(); ++input) {
      bool isRead = llvm::any_of(
          read, [&](const Key &key) { return key.first == input; });
      grid.forEach(input, [&](const Piece &piece) {
        if (isRead && !read.count({input, piece}))
          return;
        Shape shape = grid.getShape(input, piece);
        result.inputs.addOutput(
            views.slice(input, grid.getOffsets(input, piece), shape));
        values[{input, piece}] =
            result.body.addInput({shape, program.getType(input).element},
                                 program.getInputName(input));
      });
    }
  }

  void addOutputs(ArrayRef<SmallVector<ValueId>> ofOutputs) {
    for (const SmallVector<ValueId> &pieces : ofOutputs)
      for (ValueId piece : pieces) {
        result.body.addOutput(piece);
        result.outputs.addInput(result.body.getType(piece));
      }
    GraphWriter views(result.outputs);
    ValueId next = 0;
    for (auto [output, pieces] :
         llvm::zip_equal(program.getOutputs(), ofOutputs)) {
      SmallVector<ValueId> parts;
      for (unsigned i = 0; i < pieces.size(); ++i)
        parts.push_back(next++);
      for (unsigned dim = grid.getRank(output); dim-- > 0;)
        parts =
            concatAlong(views, parts, dim, grid.getCuts(output, dim).size());
      result.outputs.addOutput(parts[0]);
    }
  }

  /// Neighbours that differ in the number of one dimension, the last one that
  /// is still cut.
  static SmallVector<ValueId> concatAlong(GraphWriter &views,
                                          ArrayRef<ValueId> parts, unsigned dim,
                                          size_t count) {
    SmallVector<ValueId> joined;
    for (; !parts.empty(); parts = parts.drop_front(count))
      joined.push_back(views.concat(parts.take_front(count), dim));
    return joined;
  }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  ValueId get(ValueId value, const Piece &piece) {
    auto [entry, isNew] = values.try_emplace({value, piece}, 0);
    if (!isNew)
      return entry->second;
    if (program.isInput(value)) {
      read.insert({value, piece});
      return 0;
    }
    unsigned first = result.body.getNumValues();
    ValueId written = write(*program.getDefinition(value), piece);
    if (!isDry && written >= first)
      writer.setElement(written, program.getType(value).element);
    return values[{value, piece}] = written;
  }

  template <typename Callback>
  ValueId unlessDry(Callback write) {
    return isDry ? 0 : write();
  }

  ValueId write(const Node &operation, const Piece &piece) {
    switch (getOperatorInfo(operation.opcode).kind) {
    case OperatorKind::Reduction:
      return writeReduction(operation, piece);
    case OperatorKind::Contraction:
      return writeMatmul(operation, piece);
    case OperatorKind::Movement:
      return writeMovement(operation, piece);
    default:
      return writeAligned(operation, piece);
    }
  }

  ValueId writeAligned(const Node &operation, const Piece &piece) {
    SmallVector<ValueId, 2> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(
          get(operand, grid.align(operand, ArrayRef(piece).take_back(
                                               grid.getRank(operand)))));
    return unlessDry([&] {
      return writer.add(operation.opcode, operands, operation.attributes,
                        grid.getShape(operation.results[0], piece));
    });
  }

  ValueId applyTerm(Opcode opcode, ArrayRef<ValueId> operands,
                    double scalar = 0) {
    return unlessDry([&] {
      Attributes attributes;
      if (!getOperatorInfo(opcode).parameters.empty())
        attributes.scalars = {scalar};
      return writer.add(opcode, operands, attributes);
    });
  }

  /// `join` of a value for each piece of some dimensions of an operand.
  ValueId joinPieces(ValueId operand, Piece piece, ArrayRef<int64_t> dims,
                     Opcode join,
                     llvm::function_ref<ValueId(const Piece &)> write) {
    std::optional<ValueId> joined;
    grid.forEach(operand, [&](const Piece &other) {
      for (unsigned dim = 0; dim < piece.size(); ++dim)
        if (!llvm::is_contained(dims, dim) && other[dim] != piece[dim])
          return;
      ValueId value = write(other);
      joined = joined ? applyTerm(join, {*joined, value}) : value;
    });
    return *joined;
  }

  /// A mean is a sum over its count, and so is what a root is taken of.
  ValueId writeReduction(const Node &operation, const Piece &piece) {
    ValueId operand = operation.operands[0];
    ArrayRef<int64_t> dims = operation.attributes.dims;
    Opcode opcode = operation.opcode;
    bool isCut = llvm::any_of(dims, [&](int64_t dim) {
      return grid.getCuts(operand, dim).size() > 1;
    });
    bool averages = getOperatorInfo(opcode).averages();
    Opcode part = isCut && averages ? Opcode::Sum : opcode;
    ValueId joined = joinPieces(
        operand, piece, dims,
        part == Opcode::Max ? Opcode::Maximum : Opcode::Add,
        [&](const Piece &other) {
          ValueId value = get(operand, other);
          if (isCut && opcode == Opcode::Rms)
            value = applyTerm(Opcode::Square, {value});
          return unlessDry([&] {
            return writer.reduce(part, value, dims,
                                 isCut ? 0 : operation.attributes.count);
          });
        });
    if (!isCut || !averages)
      return joined;
    int64_t count =
        getAveragedCount(operation.attributes, program.getType(operand).shape);
    joined = applyTerm(Opcode::Unscale, {joined}, count);
    return opcode == Opcode::Rms ? applyTerm(Opcode::Sqrt, {joined}) : joined;
  }

  ValueId writeMatmul(const Node &operation, const Piece &piece) {
    ValueId lhs = operation.operands[0], rhs = operation.operands[1];
    ArrayRef<unsigned> batch = ArrayRef(piece).drop_back(2);
    auto withBatch = [&](ValueId operand, unsigned row, unsigned column) {
      Piece own =
          grid.align(operand, batch.take_back(grid.getRank(operand) - 2));
      own.append({row, column});
      return own;
    };
    unsigned row = piece[piece.size() - 2], column = piece.back();
    return joinPieces(lhs, withBatch(lhs, row, 0), {grid.getRank(lhs) - 1},
                      Opcode::Add, [&](const Piece &own) {
                        ValueId left = get(lhs, own);
                        ValueId right =
                            get(rhs, withBatch(rhs, own.back(), column));
                        return applyTerm(Opcode::Matmul, {left, right});
                      });
  }

  //===--------------------------------------------------------------------===//
  // Movements
  //===--------------------------------------------------------------------===//

  ValueId writeMovement(const Node &operation, const Piece &piece) {
    ValueId operand = operation.operands[0], value = operation.results[0];
    switch (operation.opcode) {
    case Opcode::Slice:
      return get(operand,
                 grid.find(operand, addOffsets(value, piece,
                                               operation.attributes.offsets)));
    case Opcode::Concat:
      return writeConcat(operation, piece);
    case Opcode::Transpose: {
      Piece own(piece.size());
      for (auto [to, from] : llvm::enumerate(operation.attributes.dims))
        own[from] = piece[to];
      ValueId moved = get(operand, own);
      return unlessDry(
          [&] { return writer.transpose(moved, operation.attributes.dims); });
    }
    case Opcode::Reshape: {
      ValueId moved = get(operand, grid.reshape(operand, value, piece));
      return unlessDry(
          [&] { return writer.reshape(moved, grid.getShape(value, piece)); });
    }
    case Opcode::Cast: {
      ValueId moved = get(operand, piece);
      return unlessDry(
          [&] { return writer.cast(moved, program.getType(value).element); });
    }
    case Opcode::CausalMask:
      return writeCausalMask(operation, piece);
    default:
      return writeAligned(operation, piece);
    }
  }

  Shape addOffsets(ValueId value, const Piece &piece,
                   ArrayRef<int64_t> offsets) const {
    Shape sum = grid.getOffsets(value, piece);
    for (auto [total, offset] : llvm::zip_equal(sum, offsets))
      total += offset;
    return sum;
  }

  ValueId writeConcat(const Node &operation, const Piece &piece) {
    unsigned dim = operation.attributes.dims[0];
    Shape offsets = grid.getOffsets(operation.results[0], piece);
    for (ValueId operand : operation.operands) {
      int64_t size = program.getType(operand).shape[dim];
      if (offsets[dim] < size)
        return get(operand, grid.find(operand, offsets));
      offsets[dim] -= size;
    }
    llvm_unreachable("operands fill the result");
  }

  /// Rows and columns of a piece begin later.
  ValueId writeCausalMask(const Node &operation, const Piece &piece) {
    ValueId value = operation.results[0];
    Shape offsets = grid.getOffsets(value, piece);
    Attributes attributes = operation.attributes;
    attributes.offset += offsets[offsets.size() - 2] - offsets.back();
    ValueId masked = get(operation.operands[0], piece);
    return unlessDry(
        [&] { return writer.add(Opcode::CausalMask, {masked}, attributes); });
  }

  const Graph &program;
  PieceGrid grid;
  RewrittenProgram result;
  GraphWriter writer;
  std::map<Key, ValueId> values;
  std::set<Key> read; ///< pieces of inputs
  bool isDry = false; ///< only `read` is of interest
};
} // namespace

llvm::Expected<RewrittenProgram>
mlir::mirage::search::separatePieces(const Graph &program) {
  bool hasAny = llvm::any_of(program.getNodes(), [](const Node &operation) {
    return operation.opcode == Opcode::Slice ||
           operation.opcode == Opcode::Concat;
  });
  if (!hasAny)
    return withReshapes(program, program);
  llvm::Expected<DimensionCuts> cuts = cutDimensions(program);
  if (!cuts)
    return cuts.takeError();
  return PieceWriter(program, *cuts).run();
}
