//===- NpyFile.cpp - Tensors in NumPy's file format -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/NpyFile.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir::mirage;

static llvm::Error makeError(llvm::StringRef path, const llvm::Twine &message) {
  return llvm::createStringError(path + ": " + message);
}

/// As Python spells a tuple.
static std::string print(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(shape, os);
  os << (shape.size() == 1 ? ",)" : ")");
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// What the header of a file says.
struct NpyHeader {
  std::string dtype;
  bool isColumnMajor = false;
  Shape shape;
};

/// Parses the header: a Python dictionary with string keys whose values are a
/// string, a boolean and a tuple of integers.
class HeaderParser {
public:
  explicit HeaderParser(llvm::StringRef text) : rest(text) {}

  bool parse(NpyHeader &header) {
    if (!consume('{'))
      return false;
    llvm::StringSet<> seen;
    while (!consume('}')) {
      std::string key;
      if (!parseString(key) || !seen.insert(key).second || !consume(':') ||
          !parseMember(key, header))
        return false;
      consume(',');
    }
    return seen.size() == 3;
  }

private:
  bool parseMember(llvm::StringRef key, NpyHeader &header) {
    if (key == "descr")
      return parseString(header.dtype);
    if (key == "fortran_order")
      return parseBoolean(header.isColumnMajor);
    return key == "shape" && parseTuple(header.shape);
  }

  bool consume(char expected) {
    rest = rest.ltrim();
    return rest.consume_front(llvm::StringRef(&expected, 1));
  }

  bool parseString(std::string &text) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == llvm::StringRef::npos)
      return false;
    text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  bool parseBoolean(bool &value) {
    rest = rest.ltrim();
    value = rest.starts_with("True");
    return rest.consume_front("True") || rest.consume_front("False");
  }

  bool parseTuple(Shape &shape) {
    if (!consume('('))
      return false;
    while (!consume(')')) {
      uint64_t size = 0;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, size) || size > INT64_MAX)
        return false;
      shape.push_back(size);
      if (!consume(',') && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  llvm::StringRef rest;
};
} // namespace

/// Splits a file into header and data.
static llvm::Error readHeader(llvm::StringRef path, llvm::StringRef file,
                              NpyHeader &header, llvm::StringRef &data) {
  constexpr llvm::StringLiteral kMagic = "\x93NUMPY";
  if (!file.starts_with(kMagic) || file.size() < 12)
    return makeError(path, "expects a .npy file, which starts with \\x93NUMPY, "
                           "got another one of " +
                               llvm::Twine(file.size()) + " bytes");
  uint8_t version = file[6];
  if (version < 1 || version > 3)
    return makeError(path,
                     "expects version 1, 2 or 3 of the .npy format, got " +
                         llvm::Twine(unsigned(version)));
  size_t start = version == 1 ? 10 : 12;
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, start - 8);
  if (file.size() - start < length)
    return makeError(path, "expects a header of " + llvm::Twine(length) +
                               " bytes, got " +
                               llvm::Twine(file.size() - start));
  llvm::StringRef text = file.substr(start, length);
  if (!HeaderParser(text).parse(header))
    return makeError(path, "expects a header with descr, fortran_order and "
                           "shape, got \"" +
                               text.trim().take_front(80) + "\"");
  data = file.drop_front(start + length);
  return llvm::Error::success();
}

/// The floating-point type that a dtype of NumPy's names.
static std::optional<unsigned> getFloatSize(llvm::StringRef dtype) {
  return llvm::StringSwitch<std::optional<unsigned>>(dtype)
      .Case("<f2", 2)
      .Case("<f4", 4)
      .Case("<f8", 8)
      .Default(std::nullopt);
}

/// Whether a dtype carries the bits of an element type.
static bool isBitPattern(llvm::StringRef dtype, ElementType element) {
  switch (element) {
  case ElementType::F16:
    return dtype == "<f2";
  case ElementType::F32:
    return dtype == "<f4";
  case ElementType::BF16:
    return dtype == "<u2" || dtype == "<V2" || dtype == "|V2";
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return dtype == "|u1" || dtype == "<V1" || dtype == "|V1";
  }
  llvm_unreachable("all element types have a dtype");
}

static llvm::StringRef getBitsName(ElementType element) {
  if (getSizeBytes(element) == 1)
    return "|u1 (its bits), ";
  return element == ElementType::BF16 ? "<u2 (its bits), " : "";
}

static llvm::Error checkHeader(llvm::StringRef path, const NpyHeader &header,
                               const TensorSpec &expected, size_t dataBytes) {
  std::optional<unsigned> floatSize = getFloatSize(header.dtype);
  if (!floatSize && !isBitPattern(header.dtype, expected.element))
    return makeError(path, "expects dtype " + getBitsName(expected.element) +
                               "<f2, <f4 or <f8 for a tensor of " +
                               getElementTypeName(expected.element) + ", got " +
                               header.dtype);
  if (header.shape != expected.shape)
    return makeError(path, "expects shape " + print(expected.shape) + ", got " +
                               print(header.shape));
  int64_t expectedBytes =
      expected.getNumElements() *
      (floatSize ? *floatSize : getSizeBytes(expected.element));
  if (static_cast<int64_t>(dataBytes) != expectedBytes)
    return makeError(path, "expects " + llvm::Twine(expectedBytes) +
                               " bytes of data, got " + llvm::Twine(dataBytes));
  return llvm::Error::success();
}

/// Any floating-point data as doubles.
static std::vector<double> readFloats(llvm::StringRef data, unsigned size,
                                      const Shape &shape) {
  if (size == 8) {
    std::vector<double> values(data.size() / 8);
    std::memcpy(values.data(), data.data(), data.size());
    return values;
  }
  HostTensor raw{{shape, size == 2 ? ElementType::F16 : ElementType::F32},
                 std::vector<uint8_t>(data.bytes_begin(), data.bytes_end())};
  return decode(raw);
}

/// Elements of `width` bytes with the first index counting fastest (Fortran's
/// order), put into row-major order.
static std::string toRowMajor(llvm::StringRef data, size_t width,
                              const Shape &shape) {
  std::string ordered;
  ordered.reserve(data.size());
  Shape index(shape.size(), 0);
  for (size_t left = data.size() / width; left > 0; --left) {
    size_t place = 0;
    for (size_t dim = shape.size(); dim-- > 0;)
      place = place * shape[dim] + index[dim];
    ordered += data.substr(place * width, width);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
  return ordered;
}

llvm::Expected<HostTensor> mlir::mirage::readNpy(llvm::StringRef path,
                                                 const TensorSpec &expected) {
  auto buffer = readWholeFile(path);
  if (!buffer)
    return buffer.takeError();
  NpyHeader header;
  llvm::StringRef data;
  if (llvm::Error error =
          readHeader(path, (*buffer)->getBuffer(), header, data))
    return std::move(error);
  if (llvm::Error error = checkHeader(path, header, expected, data.size()))
    return std::move(error);
  std::string ordered;
  if (header.isColumnMajor) {
    ordered = toRowMajor(data, data.size() / expected.getNumElements(),
                         expected.shape);
    data = ordered;
  }
  if (isBitPattern(header.dtype, expected.element))
    return HostTensor{
        expected, std::vector<uint8_t>(data.bytes_begin(), data.bytes_end())};
  return encode(expected,
                readFloats(data, *getFloatSize(header.dtype), expected.shape));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Header of version 1, padded so that the data starts at a multiple of 64.
static std::string makeHeader(llvm::StringRef dtype,
                              llvm::ArrayRef<int64_t> shape) {
  std::string dictionary =
      ("{'descr': '" + dtype +
       "', 'fortran_order': False, 'shape': " + print(shape) + ", }")
          .str();
  size_t padded = llvm::alignTo(10 + dictionary.size() + 1, 64) - 10;
  dictionary.resize(padded - 1, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(padded & 0xff);
  header += static_cast<char>(padded >> 8);
  return header + dictionary;
}

static llvm::StringRef getWrittenDtype(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return "<f2";
  case ElementType::BF16:
    return "<u2";
  case ElementType::F32:
    return "<f4";
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return "|u1";
  }
  llvm_unreachable("all element types have a dtype");
}

llvm::Error mlir::mirage::writeNpy(llvm::StringRef path,
                                   const HostTensor &tensor) {
  return writeWholeFile(path, {makeHeader(getWrittenDtype(tensor.type.element),
                                          tensor.type.shape),
                               llvm::toStringRef(tensor.bytes)});
}

llvm::Error mlir::mirage::writeNpy(llvm::StringRef path,
                                   llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<double> values) {
  return writeWholeFile(
      path, {makeHeader("<f8", shape),
             llvm::StringRef(reinterpret_cast<const char *>(values.data()),
                             values.size() * sizeof(double))});
}
