//===- RandomStatement.cpp - Makes up PTX instructions --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomStatement.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir::mirage::emulator;
using namespace mlir::mirage::fuzz;
using llvm::StringRef;

template <typename List>
static auto pickFrom(RandomEngine &random, const List &list) {
  return *(std::begin(list) + pick(random, std::size(list)));
}

/// One opcode of `add|sub[.rn|rz].f32`. A piece that the decoder adds to tell
/// two forms of one name apart (`min%three`) is left out.
static std::string makeOpcode(RandomEngine &random, StringRef form) {
  std::string opcode;
  while (!form.empty()) {
    bool isOptional = form.consume_front("[");
    form.consume_front(".");
    size_t end = form.find_first_of(isOptional ? "]" : ".[");
    llvm::SmallVector<StringRef, 16> alternatives;
    form.take_front(end).split(alternatives, '|');
    form = form.substr(std::min(end, form.size()));
    if (isOptional)
      form.consume_front("]");
    if (isOptional && pick(random, 2))
      continue;
    StringRef piece = pickFrom(random, alternatives).split('%').first;
    opcode += (opcode.empty() ? "" : ".") + piece.str();
  }
  return opcode;
}

static std::string makeRegister(RandomEngine &random, ScalarType type) {
  constexpr unsigned kOfEach = 8;
  unsigned bytes = sizeBytes(type);
  StringRef prefix = type == ScalarType::Pred ? "%p"
                     : bytes <= 2             ? "%h"
                     : bytes == 4             ? "%r"
                     : bytes == 8             ? "%rd"
                                              : "%q";
  return (prefix + llvm::Twine(pick(random, kOfEach))).str();
}

static std::string makeConstant(RandomEngine &random, ScalarType type) {
  static constexpr StringRef kIntegers[] = {
      "0",  "1",   "2",          "3",           "16",
      "31", "32",  "-1",         "64",          "0xff",
      "-8", "255", "0x7fffffff", "-2147483648", "0x8000000000000000"};
  static constexpr StringRef kFloats[] = {"0f00000000", "0f3F800000",
                                          "0f7F800000", "0fFF800000",
                                          "0f7FC00000", "0f00000001"};
  bool isFloat = type == ScalarType::F32 || type == ScalarType::F64;
  return (isFloat ? pickFrom(random, kFloats) : pickFrom(random, kIntegers))
      .str();
}

static std::string makeAddress(RandomEngine &random) {
  static constexpr StringRef kBases[] = {"%rd0", "%rd1", "%rd2", "%rd3",
                                         "%rd0", "%r0",  "%r0",  "smem",
                                         "p0",   "%rd5", "%r3"};
  static constexpr StringRef kDisplacements[] = {
      "",    "",     "+4",   "+8",  "+16",         "+32",
      "+64", "+496", "+510", "+-4", "+2147483647", "+-9223372036854775808"};
  return "[" + pickFrom(random, kBases).str() +
         pickFrom(random, kDisplacements).str() + "]";
}

namespace {
/// One operand of a row, e.g. "=T*4" or "?b32".
class OperandMaker {
public:
  OperandMaker(RandomEngine &random, const Form &form)
      : random(random), form(form) {
    if (form.has("v4") || form.has("x4"))
      vectorSize = 4;
    else if (form.has("v2") || form.has("x2"))
      vectorSize = 2;
    else if (form.mnemonic() == "mov")
      vectorSize = pick(random, 2) ? 2 : 4;
    else if (form.mnemonic() == "wgmma" && form.pieces.size() > 5)
      vectorSize = countAccumulators();
  }

  std::string make(StringRef spec) {
    if (spec.consume_front("#"))
      return makeConstant(random, findType(spec));
    bool isResult = spec.consume_front("=");
    bool hasPredicate = spec.consume_back("|");
    auto [name, count] = spec.split('*');
    if (name == "m")
      return makeAddress(random);
    if (name == "v")
      return makeBox();
    if (name == "l")
      return "$L" + std::to_string(pick(random, 4));
    if (name == "t")
      return "$T";
    ScalarType type = findType(name.rtrim('+'));
    if (name.contains('+') && isWide)
      type = widen(type);
    if (spec.contains('*'))
      return makeVector(type, count.empty() ? vectorSize : count[0] - '0',
                        isResult);
    std::string text = makeOne(type, isResult);
    return hasPredicate && pick(random, 2)
               ? text + "|" + makeRegister(random, ScalarType::Pred)
               : text;
  }

private:
  /// Of m64n32k16.f32, in registers.
  unsigned countAccumulators() const {
    unsigned columns = 8;
    form.pieces[4].drop_front(4).split('k').first.getAsInteger(10, columns);
    return form.pieces[5] == "f16" ? columns / 4 : columns / 2;
  }

  ScalarType findType(StringRef name) const {
    if (name == "T")
      return form.type();
    if (name == "D")
      return form.resultType();
    if (name != "P")
      return parseScalarType(name);
    unsigned bytes = sizeBytes(form.type()) / vectorSize;
    return bytes <= 1   ? ScalarType::B8
           : bytes == 2 ? ScalarType::B16
           : bytes == 4 ? ScalarType::B32
                        : ScalarType::B64;
  }

  static ScalarType widen(ScalarType type) {
    return sizeBytes(type) < 4   ? ScalarType::B32
           : sizeBytes(type) < 8 ? ScalarType::B64
                                 : type;
  }

  /// A tensor map and as many coordinates as `.tensor.2d` has dimensions.
  std::string makeBox() {
    unsigned rank = 1;
    for (StringRef piece : form.pieces)
      if (piece.size() == 2 && piece.ends_with("d"))
        piece.drop_back().getAsInteger(10, rank);
    std::string address = makeAddress(random);
    address.pop_back(); // the bracket
    return address + ", " +
           makeVector(ScalarType::B32, rank, /*isResult=*/false) + "]";
  }

  std::string makeOne(ScalarType type, bool isResult) {
    static constexpr StringRef kSpecial[] = {"%tid.x", "%laneid",  "%ctaid.y",
                                             "%clock", "%clock64", "WARP_SZ",
                                             "smem"};
    if (isResult)
      return pick(random, 16) ? makeRegister(random, type) : "_";
    if (pick(random, 16) == 0)
      return pickFrom(random, kSpecial).str();
    return pick(random, 4) ? makeRegister(random, type)
                           : makeConstant(random, type);
  }

  std::string makeVector(ScalarType type, unsigned count, bool isResult) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", " : "") + makeOne(type, isResult);
    return text + "}";
  }

  RandomEngine &random;
  const Form &form;
  unsigned vectorSize = 1;
  bool isWide = pick(random, 4) == 0; ///< registers, where they may be
};
} // namespace

std::string StatementMaker::make(RandomEngine &random) const {
  return make(random, *rows[pick(random, rows.size())]);
}

std::string StatementMaker::make(RandomEngine &random, const Row &row) const {
  std::string opcode = makeOpcode(random, row.form);
  Form form;
  StringRef(opcode).split(form.pieces, '.');
  for (StringRef piece : form.pieces)
    if (ScalarType type = parseScalarType(piece); type != ScalarType::None)
      form.types.push_back(type);
  OperandMaker operands(random, form);
  std::string text =
      pick(random, 8) ? "" : "@%p" + std::to_string(pick(random, 8)) + " ";
  text += opcode;
  llvm::SmallVector<StringRef, 8> specs;
  StringRef(row.operands).split(specs, ' ', -1, /*KeepEmpty=*/false);
  bool isFirst = true;
  for (StringRef spec : specs) {
    if (spec.consume_front("?") && pick(random, 2))
      break;
    text += (isFirst ? " " : ", ") + operands.make(spec);
    isFirst = false;
  }
  return text + ";";
}
