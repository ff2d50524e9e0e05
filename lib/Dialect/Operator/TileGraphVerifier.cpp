//===- TileGraphVerifier.cpp - What makes a graph over tiles valid --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/LevelRules.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// A memref is read as a tensor of the same shape.
static TensorSpec readShaped(Type type) {
  auto shaped = cast<ShapedType>(type);
  return {Shape(shaped.getShape()),
          *convertElementType(shaped.getElementType())};
}

/// One map for each operand and result, one entry for each axis.
static LogicalResult verifyMapCounts(TileGraphOpInterface op,
                                     unsigned numOutputs) {
  if (op.getImaps().size() != op.getInputs().size() ||
      op.getFmaps().size() != op.getInputs().size())
    return op->emitOpError()
           << "expects an imap and an fmap for each of "
           << op.getInputs().size() << " operands, got " << op.getImaps().size()
           << " and " << op.getFmaps().size();
  if (op.getOmaps().size() != numOutputs)
    return op->emitOpError() << "expects an omap for each of " << numOutputs
                             << " results, got " << op.getOmaps().size();
  return success();
}

/// Maps are arrays of dimensions, which the header holds in narrower numbers.
static LogicalResult verifyRanges(TileGraphOpInterface op) {
  for (ArrayAttr maps : {op.getImaps(), op.getOmaps()})
    for (Attribute map : maps) {
      auto dims = dyn_cast<DenseI64ArrayAttr>(map);
      if (!dims)
        return op->emitOpError()
               << "expects maps that are arrays of i64, got " << map;
      for (int64_t dim : dims.asArrayRef())
        if (!llvm::isInt<32>(dim))
          return op->emitOpError() << "expects dimensions in maps, got " << dim;
    }
  for (int64_t dim : op.getFmaps())
    if (!llvm::isInt<32>(dim))
      return op->emitOpError() << "expects dimensions in maps, got " << dim;
  if (auto threads = op->getAttrOfType<IntegerAttr>("threads"))
    if (!llvm::isUInt<32>(threads.getInt()))
      return op->emitOpError()
             << "expects 32 to " << kMaxBlockThreads
             << " threads in multiples of 32, got " << threads.getInt();
  return success();
}

/// A graph holds rows of the operator table at its own level and, at block
/// level, thread graphs; it ends with its own level's yield.
static LogicalResult verifyBody(TileGraphOpInterface op) {
  StringRef dialect = op->getName().getDialectNamespace();
  Block &body = op.getBody().front();
  for (Operation &nested : body.without_terminator()) {
    auto graph = dyn_cast<TileGraphOpInterface>(nested);
    bool isStep = graph && op.getLevel() == Level::Block &&
                  graph.getLevel() == Level::Thread;
    bool isRow = isa<OperatorOpInterface>(nested) &&
                 nested.getName().getDialectNamespace() == dialect;
    if (!isStep && !isRow)
      return nested.emitOpError()
             << "expects to stand elsewhere: a " << getLevelName(op.getLevel())
             << " graph holds operators of " << dialect
             << (op.getLevel() == Level::Block ? " and thread graphs" : "");
  }
  Operation *end = body.getTerminator();
  if (end->getName().getDialectNamespace() != dialect)
    return end->emitOpError()
           << "expects " << dialect << ".yield to end the graph";
  return success();
}

/// Operands and results are tensors; or all have a place, in memory as memrefs
/// or in registers as tensors with a layout, and what would be a result of the
/// first kind is written to a memref.
static LogicalResult verifyStorage(TileGraphOpInterface op) {
  auto hasPlace = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return isa<MemRefType>(type) || (tensor && tensor.getEncoding());
  };
  TypeRange operands = op->getOperandTypes(), results = op->getResultTypes();
  if (llvm::none_of(operands, hasPlace) && llvm::none_of(results, hasPlace))
    return success();
  if (!results.empty() && !op.getWritten().empty())
    return op->emitOpError()
           << "expects results or memrefs to write to, got both";
  if (llvm::all_of(operands, hasPlace) && llvm::all_of(results, hasPlace))
    return success();
  return op->emitOpError() << "expects tensors, or memrefs and tensors with a "
                              "layout throughout, got "
                           << operands << " and results " << results;
}

/// Memrefs, as tensors, have static shapes and elements that the table knows.
static LogicalResult verifyOperandTypes(TileGraphOpInterface op) {
  for (Type type : op->getOperandTypes()) {
    if (isGraphTensor(type))
      continue;
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !convertElementType(memref.getElementType()) ||
        !isGraphTensor(
            RankedTensorType::get(memref.getShape(), memref.getElementType())))
      return op->emitOpError()
             << "expects memrefs of static shape and rank 1 or more, with "
                "elements of "
             << kElementTypeNames << ", got " << type;
  }
  return success();
}

/// Every value of the body is a tensor that the table knows; what comes in and
/// what is yielded lies in memory, so that no encoding says where it is.
static LogicalResult verifyTypes(TileGraphOpInterface op) {
  for (Type type : op.getBody().getArgumentTypes())
    if (std::optional<std::string> reason = explainUnsupportedTensor(type))
      return op->emitOpError() << "tile: " << *reason;
  for (TypeRange types : {TypeRange(op.getBody().getArgumentTypes()),
                          TypeRange(op.getYielded().getTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && tensor.getEncoding())
        return op->emitOpError()
               << "expects arguments and yielded values without a layout, got "
               << type;
  return success();
}

static SmallVector<TensorSpec> readTypes(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return readShaped(type); });
}

/// Whether what windows do not cover of registers that hold a tile may all lie
/// behind its edge: extents of fragments are powers of two, and instructions on
/// matrices leave 16 rows.
static bool mayEndThere(int64_t covered, int64_t size) {
  constexpr int64_t kRows = 16;
  return covered >= size ||
         std::max<int64_t>(kRows, llvm::PowerOf2Ceil(covered)) >= size;
}

/// Operands as windows have to cover them. Registers that hold a tile have its
/// shape rounded up to whole fragments: what is behind the tile's edge nobody
/// needs to read, and where that edge is their type does not say.
static SmallVector<TensorSpec> readOperands(TileGraphOpInterface op,
                                            const TileGraph &header) {
  SmallVector<TensorSpec> operands = readTypes(op.getInputs().getTypes());
  for (auto [number, operand] : llvm::enumerate(op.getInputs())) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    Shape &shape = operands[number].shape;
    const Shape &window = header.getType(number).shape;
    if (!tensor || !tensor.getEncoding() || window.size() != shape.size())
      continue;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      SmallVector<int64_t> counts = {window[dim]};
      for (Axis axis : header.getCuttingAxes(number, dim))
        counts.push_back(header.getExtent(axis));
      std::optional<int64_t> covered = multiplyCounts(counts);
      if (covered && mayEndThere(*covered, size))
        size = std::min(size, *covered);
    }
  }
  return operands;
}

LogicalResult mlir::mirage::detail::verifyTileGraph(TileGraphOpInterface op) {
  if (failed(verifyStorage(op)))
    return failure();
  ValueRange inits = op.getWritten();
  TypeRange outputs = inits.empty() ? TypeRange(op->getResultTypes())
                                    : TypeRange(inits.getTypes());
  if (outputs.empty())
    return op->emitOpError() << "expects at least one result, got none";
  if (failed(verifyMapCounts(op, outputs.size())) || failed(verifyRanges(op)) ||
      failed(verifyBody(op)) || failed(verifyOperandTypes(op)) ||
      failed(verifyTypes(op)))
    return failure();
  TileGraph header = readTileGraphHeader(op);
  if (llvm::Error error =
          verifyMaps(header, readOperands(op, header),
                     readTypes(op.getYielded().getTypes()), readTypes(outputs)))
    return op->emitOpError() << llvm::toString(std::move(error));
  if (failed(verifyPhases(op, header)))
    return failure();
  return verifyOutputJoins(op, header);
}
