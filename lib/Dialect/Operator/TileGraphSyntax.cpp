//===- TileGraphSyntax.cpp - Parses and prints graphs over tiles ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// How a level spells the parts of its graph op.
struct TileGraphSpelling {
  StringLiteral grid, loop;
  /// Threads that share the grid's cells, where these need not be stated.
  int64_t defaultThreads;
  bool hasClusters, hasStages;
  bool mayWrite; ///< outputs may be memrefs instead of results
};
} // namespace

static const TileGraphSpelling &getSpelling(Level level) {
  static constexpr TileGraphSpelling kBlock = {"grid", "loop", 0,
                                               true,   true,   false};
  static constexpr TileGraphSpelling kThread = {"items", "steps", 32,
                                                false,   false,   true};
  assert(level != Level::Kernel && "a kernel graph has no tiles");
  return level == Level::Block ? kBlock : kThread;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// The pieces of a graph op's syntax, collected while it is parsed.
struct ParsedTileGraph {
  SmallVector<int64_t> grid, fmaps;
  std::optional<SmallVector<int64_t>> cluster;
  SmallVector<Attribute> imaps, omaps;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t loop = 1, stages = 1, threads = 0;
};

class TileGraphParser {
public:
  TileGraphParser(OpAsmParser &parser, const TileGraphSpelling &spelling)
      : parser(parser), spelling(spelling) {}

  ParseResult parse(OperationState &state) {
    if (parseGrid() || parseOptionalCluster() || parseThreads() ||
        parseOptionalLoop() || parseOptionalStages() || parseInputs() ||
        parseOutputs() || parser.parseOptionalAttrDict(state.attributes))
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

  /// (x = 4); axes left out have one block in the cluster.
  ParseResult parseOptionalCluster() {
    if (!spelling.hasClusters || failed(parser.parseOptionalKeyword("cluster")))
      return success();
    SmallVector<int64_t> &cluster =
        parsed.cluster.emplace(parsed.grid.size(), 1);
    SmallVector<bool> isSeen(parsed.grid.size());
    return parser.parseCommaSeparatedList(
        OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
          unsigned axis;
          if (parseAxisOnce(isSeen, axis))
            return failure();
          return failure(parser.parseEqual() ||
                         parser.parseInteger(cluster[axis]));
        });
  }

  /// An axis that the grid has and that was not there before.
  ParseResult parseAxisOnce(MutableArrayRef<bool> isSeen, unsigned &number) {
    Axis axis;
    SMLoc location = parser.getCurrentLocation();
    if (parseGridAxis(axis))
      return failure();
    number = static_cast<unsigned>(axis);
    if (number >= isSeen.size())
      return parser.emitError(location)
             << "expects an axis of the " << spelling.grid << ", which has "
             << isSeen.size() << ", got " << getAxisName(axis);
    if (std::exchange(isSeen[number], true))
      return parser.emitError(location)
             << "expects each axis once, got " << getAxisName(axis) << " twice";
    return success();
  }

  ParseResult parseThreads() {
    parsed.threads = spelling.defaultThreads;
    bool isThere = succeeded(parser.parseOptionalKeyword("threads"));
    if (!isThere && spelling.defaultThreads)
      return success();
    if (!isThere && parser.parseKeyword("threads"))
      return failure();
    return failure(parser.parseLParen() ||
                   parser.parseInteger(parsed.threads) || parser.parseRParen());
  }

  ParseResult parseOptionalLoop() {
    if (failed(parser.parseOptionalKeyword(spelling.loop)))
      return success();
    return failure(parser.parseLParen() || parser.parseInteger(parsed.loop) ||
                   parser.parseRParen());
  }

  ParseResult parseOptionalStages() {
    if (!spelling.hasStages || failed(parser.parseOptionalKeyword("stages")))
      return success();
    return failure(parser.parseLParen() || parser.parseInteger(parsed.stages) ||
                   parser.parseRParen());
  }

  /// (x -> 1, y -> sum); axes left out are replicated.
  ParseResult parseGridMap(Attribute &map, bool maySum) {
    SmallVector<int64_t> dims(parsed.grid.size(), kReplicated);
    SmallVector<bool> isSeen(dims.size());
    auto parseEntry = [&]() -> ParseResult {
      unsigned axis;
      if (parseAxisOnce(isSeen, axis) || parser.parseArrow())
        return failure();
      int64_t &dim = dims[axis];
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
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword("outs") ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                       [&] { return parseOutput(); }))
      return failure();
    if (!parsed.inits.empty() && parsed.inits.size() != parsed.omaps.size())
      return parser.emitError(location)
             << "expects a memref to write to for each of "
             << parsed.omaps.size() << " outputs or for none, got "
             << parsed.inits.size();
    return success();
  }

  /// %m omap(x -> 1); only levels that may write name a memref.
  ParseResult parseOutput() {
    OpAsmParser::UnresolvedOperand init;
    OptionalParseResult hasInit;
    if (spelling.mayWrite)
      hasInit = parser.parseOptionalOperand(init);
    if (hasInit.has_value()) {
      if (failed(*hasInit))
        return failure();
      parsed.inits.push_back(init);
    }
    if (parser.parseKeyword("omap"))
      return failure();
    return parseGridMap(parsed.omaps.emplace_back(), /*maySum=*/true);
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
    if (parsed.cluster)
      state.addAttribute("cluster",
                         builder.getDenseI64ArrayAttr(*parsed.cluster));
    state.addAttribute("threads", builder.getI64IntegerAttr(parsed.threads));
    state.addAttribute("loop", builder.getI64IntegerAttr(parsed.loop));
    if (spelling.hasStages)
      state.addAttribute("stages", builder.getI64IntegerAttr(parsed.stages));
    state.addAttribute("imaps", builder.getArrayAttr(parsed.imaps));
    state.addAttribute("fmaps", builder.getDenseI64ArrayAttr(parsed.fmaps));
    state.addAttribute("omaps", builder.getArrayAttr(parsed.omaps));
    if (spelling.mayWrite)
      state.addAttribute("operandSegmentSizes",
                         builder.getDenseI32ArrayAttr(
                             {static_cast<int32_t>(parsed.inputs.size()),
                              static_cast<int32_t>(parsed.inits.size())}));
  }

  OpAsmParser &parser;
  const TileGraphSpelling &spelling;
  ParsedTileGraph parsed;
};
} // namespace

ParseResult mlir::mirage::detail::parseTileGraph(OpAsmParser &parser,
                                                 OperationState &state,
                                                 Level level) {
  return TileGraphParser(parser, getSpelling(level)).parse(state);
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

/// Axes with one block in the cluster are left out.
static void printCluster(OpAsmPrinter &printer, ArrayRef<int64_t> cluster) {
  printer << " cluster(";
  StringRef separator = "";
  for (auto [axis, extent] : llvm::enumerate(cluster)) {
    if (extent == 1)
      continue;
    printer << separator << getAxisName(static_cast<Axis>(axis)) << " = "
            << extent;
    separator = ", ";
  }
  printer << ')';
}

void mlir::mirage::detail::printTileGraph(OpAsmPrinter &printer,
                                          TileGraphOpInterface op) {
  const TileGraphSpelling &spelling = getSpelling(op.getLevel());
  printer << ' ' << spelling.grid << '(';
  llvm::interleaveComma(
      llvm::enumerate(op.getGrid()), printer, [&](auto entry) {
        printer << getAxisName(static_cast<Axis>(entry.index())) << " = "
                << entry.value();
      });
  printer << ')';
  if (!op.getClusterExtents().empty())
    printCluster(printer, op.getClusterExtents());
  if (op.getNumThreads() != spelling.defaultThreads)
    printer << " threads(" << op.getNumThreads() << ')';
  if (op.getLoop() != 1)
    printer << ' ' << spelling.loop << '(' << op.getLoop() << ')';
  if (op.getNumStages() != 1)
    printer << " stages(" << op.getNumStages() << ')';
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
  ValueRange inits = op.getWritten();
  for (auto [number, omap] : llvm::enumerate(op.getOmaps())) {
    if (number > 0)
      printer << ", ";
    if (!inits.empty())
      printer << inits[number] << ' ';
    printGridMap(printer, "omap", omap);
  }
  printer << ')';
  printer.printOptionalAttrDict(
      op->getAttrs(), {"grid", "cluster", "threads", "loop", "stages", "imaps",
                       "fmaps", "omaps", "operandSegmentSizes"});
  printer << " : ";
  printer.printFunctionalType(op);
  printer << ' ';
  printer.printRegion(op.getBody());
}
