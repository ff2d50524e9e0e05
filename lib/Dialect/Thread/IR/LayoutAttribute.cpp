//===- LayoutAttribute.cpp - Layouts of fragments -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::thread;

static ArrayAttr buildBases(MLIRContext *context,
                            ArrayRef<SmallVector<int64_t, 2>> bases) {
  SmallVector<Attribute> attributes;
  for (const SmallVector<int64_t, 2> &basis : bases)
    attributes.push_back(DenseI64ArrayAttr::get(context, basis));
  return ArrayAttr::get(context, attributes);
}

LayoutAttr LayoutAttr::get(MLIRContext *context,
                           ArrayRef<SmallVector<int64_t, 2>> registers,
                           ArrayRef<SmallVector<int64_t, 2>> lanes) {
  return get(context, buildBases(context, registers),
             buildBases(context, lanes));
}

ArrayRef<int64_t> LayoutAttr::getRegisterBasis(unsigned bit) const {
  return cast<DenseI64ArrayAttr>(getRegisters()[bit]).asArrayRef();
}
ArrayRef<int64_t> LayoutAttr::getLaneBasis(unsigned bit) const {
  return cast<DenseI64ArrayAttr>(getLanes()[bit]).asArrayRef();
}
unsigned LayoutAttr::getRank() const { return getLaneBasis(0).size(); }

SmallVector<int64_t, 2>
LayoutAttr::getRegisterCoordinates(unsigned number) const {
  SmallVector<int64_t, 2> coordinates(getRank(), 0);
  for (unsigned bit = 0; bit < getNumRegisterBits(); ++bit)
    if (number & (1u << bit))
      for (auto [coordinate, basis] :
           llvm::zip_equal(coordinates, getRegisterBasis(bit)))
        coordinate ^= basis;
  return coordinates;
}

/// [[0, 1], [8, 0]]
static ParseResult parseBases(AsmParser &parser, ArrayAttr &bases) {
  SmallVector<Attribute> attributes;
  auto parseBasis = [&]() -> ParseResult {
    SmallVector<int64_t, 2> basis;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(basis.emplace_back());
        }))
      return failure();
    attributes.push_back(DenseI64ArrayAttr::get(parser.getContext(), basis));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBasis))
    return failure();
  bases = ArrayAttr::get(parser.getContext(), attributes);
  return success();
}

static void printBases(AsmPrinter &printer, ArrayAttr bases) {
  printer << '[';
  llvm::interleaveComma(bases.getAsRange<DenseI64ArrayAttr>(), printer,
                        [&](DenseI64ArrayAttr basis) {
                          printer << '[';
                          llvm::interleaveComma(basis.asArrayRef(), printer);
                          printer << ']';
                        });
  printer << ']';
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  ArrayAttr registers, lanes;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("register") ||
      parser.parseEqual() || parseBases(parser, registers) ||
      parser.parseComma() || parser.parseKeyword("lane") ||
      parser.parseEqual() || parseBases(parser, lanes) || parser.parseGreater())
    return {};
  // C1
  if (lanes.size() != 5) {
    parser.emitError(location) << "expects 5 lane bits, got " << lanes.size();
    return {};
  }
  return LayoutAttr::get(parser.getContext(), registers, lanes);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<register = ";
  printBases(printer, getRegisters());
  printer << ", lane = ";
  printBases(printer, getLanes());
  printer << '>';
}

/// The layout as vectors over F2: coordinates packed into one integer.
static SmallVector<uint64_t> packBases(LayoutAttr layout,
                                       ArrayRef<int64_t> shape) {
  SmallVector<uint64_t> packed;
  auto pack = [&](ArrayRef<int64_t> basis) {
    uint64_t word = 0;
    for (auto [size, coordinate] : llvm::zip_equal(shape, basis))
      word = word * size + coordinate;
    packed.push_back(word);
  };
  for (unsigned bit = 0; bit < layout.getNumRegisterBits(); ++bit)
    pack(layout.getRegisterBasis(bit));
  for (unsigned bit = 0; bit < 5; ++bit)
    pack(layout.getLaneBasis(bit));
  return packed;
}

/// Rank over F2 by elimination.
static unsigned computeRank(SmallVector<uint64_t> vectors) {
  unsigned rank = 0;
  for (unsigned bit = 0; bit < 64; ++bit) {
    auto pivot = std::find_if(vectors.begin() + rank, vectors.end(),
                              [&](uint64_t v) { return v >> bit & 1; });
    if (pivot == vectors.end())
      continue;
    std::swap(vectors[rank], *pivot);
    for (unsigned i = 0; i < vectors.size(); ++i)
      if (i != rank && (vectors[i] >> bit & 1))
        vectors[i] ^= vectors[rank];
    ++rank;
  }
  return rank;
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  uint64_t elements = 1;
  for (int64_t size : shape) {
    // C2
    if (size < 1 || !llvm::isPowerOf2_64(size))
      return emitError() << "expects a fragment with sizes that are powers of "
                            "two, got ["
                         << shape << "]";
    elements *= size;
  }
  for (ArrayAttr bases : {getRegisters(), getLanes()})
    for (DenseI64ArrayAttr basis : bases.getAsRange<DenseI64ArrayAttr>()) {
      // C1
      if (basis.size() != static_cast<int64_t>(shape.size()))
        return emitError() << "expects " << shape.size()
                           << " coordinates in each entry of the layout, got "
                           << basis.size();
      for (auto [size, coordinate] : llvm::zip_equal(shape, basis.asArrayRef()))
        if (coordinate < 0 || coordinate >= size)
          return emitError()
                 << "expects coordinates within the fragment [" << shape
                 << "], got [" << basis.asArrayRef() << "]";
    }
  // C2
  unsigned held = computeRank(packBases(*this, shape));
  if (held != llvm::Log2_64(elements))
    return emitError() << "expects a layout that holds all " << elements
                       << " elements of the fragment, got one that holds "
                       << (uint64_t(1) << held);
  return success();
}
