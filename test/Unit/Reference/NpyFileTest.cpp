//===- NpyFileTest.cpp - Tests of .npy files ------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/NpyFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;

namespace {
class NpyFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tensor", "npy", path));
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  void write(llvm::StringRef content) const {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << content;
  }
  std::string read() const {
    return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
  }
  /// A file of version 1 with this dictionary and so many bytes of zeros.
  void write(llvm::StringRef dictionary, size_t dataBytes) const {
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(dictionary.size());
    file += '\0';
    write(file + dictionary.str() + std::string(dataBytes, '\0'));
  }
  /// What reading says, without the path.
  std::string message(const TensorSpec &expected) const {
    llvm::Expected<HostTensor> tensor = readNpy(path, expected);
    if (tensor)
      return "";
    std::string text = llvm::toString(tensor.takeError());
    EXPECT_EQ(text.find(path.str().str()), 0u) << text;
    return text.substr(path.size() + 2);
  }

  llvm::SmallString<128> path;
};
} // namespace

static const TensorSpec kType{{2, 3}, ElementType::F16};

TEST_F(NpyFile, RoundTripOfEveryElementType) {
  for (ElementType element :
       {ElementType::F16, ElementType::BF16, ElementType::F32,
        ElementType::F8E4M3FN, ElementType::F8E5M2})
    for (Shape shape : {Shape{6}, Shape{2, 3}, Shape{1, 3, 2, 1}}) {
      HostTensor tensor =
          encode({shape, element}, {0, -0.0, 1.5, -2.25, 1e-3, 300});
      ASSERT_FALSE(writeNpy(path, tensor));
      llvm::Expected<HostTensor> back = readNpy(path, tensor.type);
      ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
      EXPECT_EQ(back->bytes, tensor.bytes);
    }
}

TEST_F(NpyFile, HeaderIsNumPys) {
  ASSERT_FALSE(writeNpy(path, encode(kType, {1, 2, 3, 4, 5, 6})));
  std::string file = read();
  EXPECT_EQ(file.substr(10, 60),
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), } ");
  EXPECT_EQ(file.size(), 128u + 12u);
  EXPECT_EQ(file[127], '\n');
}

TEST_F(NpyFile, OtherWidthsAreRounded) {
  ASSERT_FALSE(writeNpy(path, {2, 3}, {1, 2.0 / 3, 3, 4, 1e9, -6}));
  llvm::Expected<HostTensor> tensor = readNpy(path, kType);
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(tensor->bytes,
            encode(kType, {1, 2.0 / 3, 3, 4, INFINITY, -6}).bytes);
  ASSERT_FALSE(writeNpy(path, encode(kType, {1, 2, 3, 4, 5, 6})));
  tensor = readNpy(path, {{2, 3}, ElementType::BF16});
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(decode(*tensor), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NpyFile, OtherShapesAndDtypes) {
  ASSERT_FALSE(writeNpy(path, encode(kType, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(message({{3, 2}, ElementType::F16}),
            "expects shape (3, 2), got (2, 3)");
  EXPECT_EQ(message({{6}, ElementType::F16}), "expects shape (6,), got (2, 3)");
  write("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3)}", 48);
  EXPECT_EQ(message(kType), "expects dtype <f2, <f4 or <f8 for a tensor of "
                            "f16, got <i8");
  EXPECT_EQ(message({{2, 3}, ElementType::BF16}),
            "expects dtype <u2 (its bits), <f2, <f4 or <f8 for a tensor of "
            "bf16, got <i8");
  write("{'descr': '>f2', 'fortran_order': False, 'shape': (2, 3)}", 12);
  EXPECT_NE(message(kType).find("got >f2"), std::string::npos);
}

/// The same elements as a row-major file, whatever their width.
TEST_F(NpyFile, FortranOrder) {
  auto expectFortran = [&](llvm::StringRef dtype, const TensorSpec &type) {
    std::string header =
        ("{'descr': '" + dtype + "', 'fortran_order': True, 'shape': (2, 3)}")
            .str();
    write(header, 6 * getSizeBytes(type.element));
    std::string file = read();
    HostTensor columns = encode({{3, 2}, type.element}, {1, 4, 2, 5, 3, 6});
    file.resize(file.size() - columns.bytes.size());
    file.append(columns.bytes.begin(), columns.bytes.end());
    write(file);
    llvm::Expected<HostTensor> tensor = readNpy(path, type);
    ASSERT_TRUE(static_cast<bool>(tensor))
        << llvm::toString(tensor.takeError());
    EXPECT_EQ(decode(*tensor), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  };
  expectFortran("<f2", kType);
  expectFortran("|u1", {{2, 3}, ElementType::F8E5M2});
  expectFortran("<f4", {{2, 3}, ElementType::F32});
}

TEST_F(NpyFile, TruncatedAndForeignFiles) {
  ASSERT_FALSE(writeNpy(path, encode(kType, {1, 2, 3, 4, 5, 6})));
  std::string file = read();
  for (size_t length = 0; length < file.size(); ++length) {
    write(file.substr(0, length));
    EXPECT_NE(message(kType), "") << length;
  }
  EXPECT_EQ(message(kType), "expects 12 bytes of data, got 11");
  write(file + "x");
  EXPECT_EQ(message(kType), "expects 12 bytes of data, got 13");
  write("PK\x03\x04 an .npz file");
  EXPECT_NE(message(kType).find("expects a .npy file"), std::string::npos);
  write("[('a', '<f2')]", 12);
  EXPECT_NE(message(kType).find("expects a header"), std::string::npos);
  write(
      "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 99999999999999999"
      "999)}",
      12);
  EXPECT_NE(message(kType).find("expects a header"), std::string::npos);
}

/// Two shapes were read as one, behind each other.
TEST_F(NpyFile, RepeatedMembers) {
  write("{'descr': '<f2', 'shape': (2,), 'shape': (3,)}", 12);
  EXPECT_NE(message(kType).find("expects a header"), std::string::npos);
}

TEST_F(NpyFile, MissingFile) {
  llvm::sys::fs::remove(path);
  EXPECT_EQ(message(kType), "cannot be read: No such file or directory");
}
