//===- TileGraphInterface.cpp - Ops that open a level of tiles ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

#include "Mirage/Dialect/Operator/TileGraphInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Between attributes and TileGraph
//===----------------------------------------------------------------------===//

/// Tile types of a memref operand are read as of a tensor of the same shape.
static TensorSpec readShaped(Type type) {
  auto shaped = cast<ShapedType>(type);
  return {Shape(shaped.getShape()),
          *convertElementType(shaped.getElementType())};
}

TileGraph mlir::mirage::readTileGraphHeader(TileGraphOpInterface op) {
  TileGraph graph;
  graph.level = op.getLevel();
  graph.grid.assign(op.getGrid().begin(), op.getGrid().end());
  graph.loop = op.getLoop();
  graph.threads = op.getNumThreads();
  auto toMap = [](Attribute attribute) {
    ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
    return SmallVector<int, 3>(dims.begin(), dims.end());
  };
  for (auto [imap, fmap] : llvm::zip_equal(op.getImaps(), op.getFmaps()))
    graph.tileInputs.push_back({toMap(imap), static_cast<int>(fmap)});
  for (Attribute omap : op.getOmaps())
    graph.tileOutputs.push_back({toMap(omap)});
  for (BlockArgument tile : op.getBody().getArguments())
    graph.addInput(readShaped(tile.getType()));
  return graph;
}

static Attribute toArray(Builder &builder, ArrayRef<int> dims) {
  return builder.getDenseI64ArrayAttr(
      SmallVector<int64_t>(dims.begin(), dims.end()));
}

SmallVector<NamedAttribute>
mlir::mirage::writeTileGraphHeader(MLIRContext *context,
                                   const TileGraph &graph) {
  Builder builder(context);
  SmallVector<Attribute> imaps, omaps;
  SmallVector<int64_t> fmaps;
  for (const TileInput &input : graph.tileInputs) {
    imaps.push_back(toArray(builder, input.gridMap));
    fmaps.push_back(input.loopMap);
  }
  for (const TileOutput &output : graph.tileOutputs)
    omaps.push_back(toArray(builder, output.gridMap));
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("grid", builder.getDenseI64ArrayAttr(graph.grid)),
      builder.getNamedAttr("loop", builder.getI64IntegerAttr(graph.loop)),
      builder.getNamedAttr("imaps", builder.getArrayAttr(imaps)),
      builder.getNamedAttr("fmaps", builder.getDenseI64ArrayAttr(fmaps)),
      builder.getNamedAttr("omaps", builder.getArrayAttr(omaps))};
  if (graph.level == Level::Block)
    attributes.push_back(builder.getNamedAttr(
        "threads", builder.getI64IntegerAttr(graph.threads)));
  return attributes;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// The pieces of a graph op's syntax, collected while it is parsed.
struct ParsedTileGraph {
  SmallVector<int64_t> grid, fmaps;
  SmallVector<Attribute> imaps, omaps;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t loop = 1, threads = 0;
};

class TileGraphParser {
public:
  TileGraphParser(OpAsmParser &parser,
                  const mlir::mirage::detail::TileGraphSpelling &spelling)
      : parser(parser), spelling(spelling) {}

  ParseResult parse(OperationState &state) {
    if (parseGrid() ||
        parseNumber("threads", spelling.hasThreads, parsed.threads) ||
        parseOptionalLoop() || parseInputs() || parseOutputs() ||
        parser.parseOptionalAttrDict(state.attributes))
      return failure();
    return parseTypesAndRegion(state);
  }

private:
  ParseResult parseGrid() {
    if (parser.parseKeyword(spelling.grid))
      return failure();
    return parser.parseCommaSeparatedList(
        OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
          SMLoc location = parser.getCurrentLocation();
          Axis axis;
          int64_t extent;
          if (parseGridAxis(axis) || parser.parseEqual() ||
              parser.parseInteger(extent))
            return failure();
          if (static_cast<unsigned>(axis) != parsed.grid.size())
            return parser.emitError(location)
                   << "expects the axes x, y and z in this order, got "
                   << getAxisName(axis);
          parsed.grid.push_back(extent);
          return success();
        });
  }

  ParseResult parseGridAxis(Axis &axis) {
    StringRef name;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<Axis> found = parseAxis(name);
    if (!found || *found == Axis::Loop)
      return parser.emitError(location)
             << "expects a grid axis x, y or z, got " << name;
    axis = *found;
    return success();
  }

  ParseResult parseNumber(StringRef keyword, bool isThere, int64_t &value) {
    if (!isThere)
      return success();
    return failure(parser.parseKeyword(keyword) || parser.parseLParen() ||
                   parser.parseInteger(value) || parser.parseRParen());
  }

  ParseResult parseOptionalLoop() {
    if (failed(parser.parseOptionalKeyword(spelling.loop)))
      return success();
    return failure(parser.parseLParen() || parser.parseInteger(parsed.loop) ||
                   parser.parseRParen());
  }

  /// (x -> 1, y -> sum); axes left out are replicated.
  ParseResult parseGridMap(Attribute &map, bool maySum) {
    SmallVector<int64_t> dims(parsed.grid.size(), kReplicated);
    auto parseEntry = [&]() -> ParseResult {
      Axis axis;
      SMLoc location = parser.getCurrentLocation();
      if (parseGridAxis(axis) || parser.parseArrow())
        return failure();
      if (static_cast<unsigned>(axis) >= dims.size())
        return parser.emitError(location)
               << "expects an axis of the " << spelling.grid << ", which has "
               << dims.size() << ", got " << getAxisName(axis);
      int64_t &dim = dims[static_cast<unsigned>(axis)];
      if (maySum && succeeded(parser.parseOptionalKeyword("sum"))) {
        dim = kSummed;
        return success();
      }
      return parser.parseInteger(dim);
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                       parseEntry))
      return failure();
    map = parser.getBuilder().getDenseI64ArrayAttr(dims);
    return success();
  }

  /// (1) or (), which names no dimension.
  ParseResult parseOptionalDim(int64_t &dim) {
    if (parser.parseLParen())
      return failure();
    OptionalParseResult hasDim = parser.parseOptionalInteger(dim);
    if (hasDim.has_value() && failed(*hasDim))
      return failure();
    return parser.parseRParen();
  }

  ParseResult parseInputs() {
    if (parser.parseKeyword("ins"))
      return failure();
    return parser.parseCommaSeparatedList(
        OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
          Attribute imap;
          int64_t fmap = kReplicated;
          if (parser.parseOperand(parsed.inputs.emplace_back()) ||
              parser.parseKeyword("imap") ||
              parseGridMap(imap, /*maySum=*/false))
            return failure();
          if (succeeded(parser.parseOptionalKeyword("fmap")) &&
              parseOptionalDim(fmap))
            return failure();
          parsed.imaps.push_back(imap);
          parsed.fmaps.push_back(fmap);
          return success();
        });
  }

  ParseResult parseOutputs() {
    if (parser.parseKeyword("outs"))
      return failure();
    return parser.parseCommaSeparatedList(
        OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
          OpAsmParser::UnresolvedOperand init;
          OptionalParseResult hasInit = parser.parseOptionalOperand(init);
          if (hasInit.has_value()) {
            if (failed(*hasInit))
              return failure();
            parsed.inits.push_back(init);
          }
          Attribute omap;
          if (parser.parseKeyword("omap") ||
              parseGridMap(omap, /*maySum=*/true))
            return failure();
          parsed.omaps.push_back(omap);
          return success();
        });
  }

  ParseResult parseTypesAndRegion(OperationState &state) {
    FunctionType types;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseColonType(types))
      return failure();
    unsigned numOperands = parsed.inputs.size() + parsed.inits.size();
    if (types.getNumInputs() != numOperands)
      return parser.emitError(location)
             << "expects " << numOperands << " operand types, got "
             << types.getNumInputs();
    ArrayRef<Type> operandTypes = types.getInputs();
    if (parser.resolveOperands(parsed.inputs,
                               operandTypes.take_front(parsed.inputs.size()),
                               location, state.operands) ||
        parser.resolveOperands(parsed.inits,
                               operandTypes.drop_front(parsed.inputs.size()),
                               location, state.operands))
      return failure();
    state.addTypes(types.getResults());
    addAttributes(state);
    return parser.parseRegion(*state.addRegion());
  }

  void addAttributes(OperationState &state) {
    Builder &builder = parser.getBuilder();
    state.addAttribute("grid", builder.getDenseI64ArrayAttr(parsed.grid));
    if (spelling.hasThreads)
      state.addAttribute("threads", builder.getI64IntegerAttr(parsed.threads));
    state.addAttribute("loop", builder.getI64IntegerAttr(parsed.loop));
    state.addAttribute("imaps", builder.getArrayAttr(parsed.imaps));
    state.addAttribute("fmaps", builder.getDenseI64ArrayAttr(parsed.fmaps));
    state.addAttribute("omaps", builder.getArrayAttr(parsed.omaps));
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(
                           {static_cast<int32_t>(parsed.inputs.size()),
                            static_cast<int32_t>(parsed.inits.size())}));
  }

  OpAsmParser &parser;
  const mlir::mirage::detail::TileGraphSpelling &spelling;
  ParsedTileGraph parsed;
};
} // namespace

ParseResult
mlir::mirage::detail::parseTileGraph(OpAsmParser &parser, OperationState &state,
                                     const TileGraphSpelling &spelling) {
  return TileGraphParser(parser, spelling).parse(state);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printGridMap(OpAsmPrinter &printer, StringRef name, Attribute map) {
  printer << name << '(';
  StringRef separator = "";
  for (auto [axis, dim] :
       llvm::enumerate(cast<DenseI64ArrayAttr>(map).asArrayRef())) {
    if (dim == kReplicated)
      continue;
    printer << separator << getAxisName(static_cast<Axis>(axis)) << " -> ";
    if (dim == kSummed)
      printer << "sum";
    else
      printer << dim;
    separator = ", ";
  }
  printer << ')';
}

void mlir::mirage::detail::printTileGraph(OpAsmPrinter &printer,
                                          TileGraphOpInterface op,
                                          const TileGraphSpelling &spelling) {
  printer << ' ' << spelling.grid << '(';
  llvm::interleaveComma(
      llvm::enumerate(op.getGrid()), printer, [&](auto entry) {
        printer << getAxisName(static_cast<Axis>(entry.index())) << " = "
                << entry.value();
      });
  printer << ')';
  if (spelling.hasThreads)
    printer << " threads(" << op.getNumThreads() << ')';
  if (op.getLoop() != 1)
    printer << ' ' << spelling.loop << '(' << op.getLoop() << ')';
  printer << " ins(";
  llvm::interleaveComma(
      llvm::zip_equal(op.getInputs(), op.getImaps(), op.getFmaps()), printer,
      [&](auto entry) {
        auto [input, imap, fmap] = entry;
        printer << input << ' ';
        printGridMap(printer, "imap", imap);
        if (fmap != kReplicated)
          printer << " fmap(" << fmap << ')';
      });
  printer << ") outs(";
  ValueRange inits = op->getOperands().drop_front(op.getInputs().size());
  for (auto [number, omap] : llvm::enumerate(op.getOmaps())) {
    if (number > 0)
      printer << ", ";
    if (!inits.empty())
      printer << inits[number] << ' ';
    printGridMap(printer, "omap", omap);
  }
  printer << ')';
  printer.printOptionalAttrDict(op->getAttrs(),
                                {"grid", "threads", "loop", "imaps", "fmaps",
                                 "omaps", "operandSegmentSizes"});
  printer << " : ";
  printer.printFunctionalType(op);
  printer << ' ';
  printer.printRegion(op.getBody());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

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
             << "expects 32 to 1024 threads in multiples of 32, got "
             << threads.getInt();
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
                "elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got "
             << type;
  }
  return success();
}

/// Every value of the body is a tensor that the table knows.
static LogicalResult verifyTypes(TileGraphOpInterface op) {
  for (Type type : op.getBody().getArgumentTypes())
    if (std::optional<std::string> reason = explainUnsupportedTensor(type))
      return op->emitOpError() << "tile: " << *reason;
  return success();
}

/// The row of a nested op and its attributes; a nested graph is a row as well.
static std::pair<Opcode, Attributes> readRow(Operation &op) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  Opcode opcode = row ? row.getTableOpcode() : Opcode::Graph;
  return {opcode, readOperatorAttributes(opcode, op.getAttrDictionary())};
}

static SmallVector<Phase> lookUpOperands(Operation &op,
                                         const DenseMap<Value, Phase> &phases) {
  return llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return phases.lookup(operand); });
}

DenseMap<Value, Phase> mlir::mirage::computePhases(TileGraphOpInterface op) {
  DenseMap<Value, Phase> phases;
  for (auto [tile, fmap] :
       llvm::zip_equal(op.getBody().getArguments(), op.getFmaps()))
    phases[tile] = fmap == kReplicated ? Phase::Invariant : Phase::Loop;
  for (Operation &nested : op.getBody().front().without_terminator()) {
    auto [opcode, attributes] = readRow(nested);
    Phase phase =
        inferPhase(opcode, attributes, lookUpOperands(nested, phases));
    for (Value result : nested.getResults())
      phases[result] = phase;
  }
  return phases;
}

Phase mlir::mirage::getExecutionPhase(Operation *op,
                                      const DenseMap<Value, Phase> &phases) {
  auto [opcode, attributes] = readRow(*op);
  return getExecutionPhase(opcode, attributes,
                           phases.lookup(op->getResult(0)));
}

static LogicalResult verifyPhases(TileGraphOpInterface op,
                                  const TileGraph &header) {
  DenseMap<Value, Phase> phases = computePhases(op);
  for (Operation &nested : op.getBody().front().without_terminator()) {
    auto [opcode, attributes] = readRow(nested);
    if (llvm::Error error = checkInTileGraph(
            opcode, attributes, lookUpOperands(nested, phases), header))
      return nested.emitOpError() << llvm::toString(std::move(error));
  }
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [number, yielded] : llvm::enumerate(yield->getOperands()))
    if (op.getLoop() > 1 && phases.lookup(yielded) == Phase::Loop)
      return yield->emitOpError()
             << "expects values from after the loop, got operand " << number
             << " of the loop";
  return success();
}

LogicalResult mlir::mirage::detail::verifyTileGraph(TileGraphOpInterface op) {
  ValueRange inits = op->getOperands().drop_front(op.getInputs().size());
  if (!inits.empty() && op->getNumResults() > 0)
    return op->emitOpError()
           << "expects results or memrefs to write to, got both";
  if (!inits.empty() && op.getLevel() == Level::Block)
    return op->emitOpError()
           << "expects results, got memrefs to write to, which a thread graph "
              "may have";
  TypeRange outputs = inits.empty() ? TypeRange(op->getResultTypes())
                                    : TypeRange(inits.getTypes());
  if (outputs.empty())
    return op->emitOpError() << "expects at least one result, got none";
  if (failed(verifyMapCounts(op, outputs.size())) || failed(verifyRanges(op)) ||
      failed(verifyBody(op)) || failed(verifyOperandTypes(op)) ||
      failed(verifyTypes(op)))
    return failure();
  TileGraph header = readTileGraphHeader(op);
  auto read = [](auto types) {
    SmallVector<TensorSpec> converted;
    for (Type type : types)
      converted.push_back(readShaped(type));
    return converted;
  };
  if (llvm::Error error =
          verifyMaps(header, read(op.getInputs().getTypes()),
                     read(op.getYielded().getTypes()), read(outputs)))
    return op->emitOpError() << llvm::toString(std::move(error));
  return verifyPhases(op, header);
}
