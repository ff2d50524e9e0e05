//===- KernelWorkTest.cpp - What a kernel does ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelWork.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

static Attributes sumUp(Shape dims = {}, Axis axis = Axis::Loop) {
  Attributes attributes;
  attributes.dims = dims;
  attributes.axis = axis;
  return attributes;
}

namespace {
/// Two tiles of a loop, and the sums of what comes of them.
class Sums : public TileGraph {
public:
  Sums() {
    grid = {2};
    loop = 4;
    x = addInput({{16, 16}});
    y = addInput({{16, 16}});
    tileInputs = {{{kReplicated}, 1}, {{kReplicated}, 0}};
  }

  ValueId compute(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                  Attributes attributes = {}, Shape shape = {16, 16}) {
    return add(opcode, operands, {shape}, attributes);
  }
  /// Adds a sum up and stores it. \returns whether it grows in registers.
  bool accumulate(ValueId value, Attributes attributes = sumUp(),
                  Shape shape = {16, 16}) {
    addOutput(add(Opcode::Accumulate, {value}, {shape}, attributes));
    tileOutputs.push_back({{kReplicated}});
    return growsInRegisters(*this, getNodes().back());
  }
  /// How many operations the cost model counts.
  size_t countSteps() const {
    return getWork(*this, {{{16, 64}}, {{64, 16}}}, getTypes(getOutputs()))
        .operations.size();
  }

  ValueId x, y;
};
} // namespace

/// What warps have in registers they add up there, whatever has computed it.
TEST(KernelWork, SumsOfWhatWarpsComputeGrowInRegisters) {
  Sums product;
  EXPECT_TRUE(product.accumulate(
      product.compute(Opcode::Matmul, {product.x, product.y})));
  EXPECT_EQ(product.countSteps(), 1u);
  Sums element;
  EXPECT_TRUE(element.accumulate(element.compute(Opcode::Exp, {element.x})));
  EXPECT_EQ(element.countSteps(), 1u);
  Sums rows;
  ValueId row = rows.compute(Opcode::Max, {rows.x}, sumUp({1}), {16, 1});
  Attributes largest;
  largest.reduction = Opcode::Max;
  EXPECT_TRUE(rows.accumulate(row, largest, {16, 1}));
  EXPECT_EQ(rows.countSteps(), 1u);
}

/// An input lies in shared memory, and so does what is moved.
TEST(KernelWork, SumsOfTilesAreSteps) {
  Sums tile;
  EXPECT_FALSE(tile.accumulate(tile.x));
  EXPECT_EQ(tile.countSteps(), 1u);
  Sums moved;
  EXPECT_FALSE(moved.accumulate(
      moved.compute(Opcode::Transpose, {moved.x}, sumUp({1, 0}))));
  EXPECT_EQ(moved.countSteps(), 2u);
}

/// So does what another operation reads as well, or another sum, and what is
/// stored.
TEST(KernelWork, SumsOfWhatOthersReadAreSteps) {
  Sums read;
  ValueId product = read.compute(Opcode::Matmul, {read.x, read.y});
  ValueId other = read.compute(Opcode::Exp, {product});
  EXPECT_FALSE(read.accumulate(product));
  EXPECT_TRUE(read.accumulate(other));
  EXPECT_EQ(read.countSteps(), 3u);
  Sums twice;
  product = twice.compute(Opcode::Matmul, {twice.x, twice.y});
  twice.accumulate(product);
  EXPECT_FALSE(twice.accumulate(product));
  EXPECT_EQ(twice.countSteps(), 3u);
  Sums stored;
  product = stored.compute(Opcode::Matmul, {stored.x, stored.y});
  stored.addOutput(product);
  stored.tileOutputs.push_back({{kReplicated}});
  EXPECT_FALSE(stored.accumulate(product));
}

/// Not what joins blocks, reduces a tile before, or has more to be done behind.
TEST(KernelWork, OtherAccumulationsAreSteps) {
  auto grows = [](Attributes attributes, Shape shape) {
    Sums sums;
    ValueId product = sums.compute(Opcode::Matmul, {sums.x, sums.y});
    return sums.accumulate(product, attributes, shape);
  };
  EXPECT_TRUE(grows(sumUp(), {16, 16}));
  EXPECT_FALSE(grows(sumUp({}, Axis::X), {16, 16}));
  EXPECT_FALSE(grows(sumUp({1}), {16, 1}));
  Attributes mean;
  mean.reduction = Opcode::Mean;
  EXPECT_FALSE(grows(mean, {16, 16}));
}

namespace {
/// A product of 16 x 64 by 64 x 64, of tensors of 16 x 512 and 512 x 256, in a
/// loop.
struct Product {
  TileGraph kernel;
  TensorSpec left, right;
  ValueId lhs, rhs;

  explicit Product(ElementType element = ElementType::F16, int64_t columns = 64)
      : left{{16, 512}, element}, right{{512, 256}, element} {
    kernel.grid = {4};
    kernel.loop = 8;
    kernel.stages = 2;
    lhs = kernel.addInput({{16, 64}, element});
    rhs = kernel.addInput({{64, columns}, element});
    kernel.tileInputs = {{{kReplicated}, 1}, {{1}, 0}};
    sum(kernel.add(Opcode::Matmul, {lhs, rhs}, {{16, columns}}));
  }

  void sum(ValueId value) {
    kernel.addOutput(kernel.add(Opcode::Accumulate, {value},
                                kernel.getType(value), sumUp()));
    kernel.tileOutputs.push_back({{1}});
  }
  /// Adds the product with the transpose of the right operand.
  void sumTurned() {
    sum(kernel.add(
        Opcode::Matmul,
        {lhs, kernel.add(Opcode::Transpose, {rhs}, {{64, 64}, ElementType::F16},
                         sumUp({1, 0}))},
        {{16, 64}}));
  }
  /// Whether the copy engine could load the operands.
  std::pair<bool, bool> canBeBoxed() const {
    KernelWork work =
        getWork(kernel, {left, right}, kernel.getTypes(kernel.getOutputs()));
    return {work.loads[0].canBeBoxed, work.loads[1].canBeBoxed};
  }
};
} // namespace

static const std::pair kBoth(true, true), kLeftAlone(true, false),
    kRightAlone(false, true), kNone(false, false);

/// Whether four warps could read a product's operands where the copy engine put
/// them: not what the loop does not load, or another step computed.
TEST(KernelWork, OperandsOfProductsCanBeInRings) {
  auto isInRing = [](const Product &product) {
    KernelWork work =
        getWork(product.kernel, {product.left, product.right},
                product.kernel.getTypes(product.kernel.getOutputs()));
    return llvm::map_to_vector(
        work.operations, [](const KernelWork::Operation &operation) {
          return std::pair(operation.isLeftInRing, operation.isRightInRing);
        });
  };
  EXPECT_EQ(isInRing(Product()).front(), kBoth);
  EXPECT_EQ(isInRing(Product(ElementType::F8E4M3FN)).front(), kNone);
  Product turned;
  turned.sumTurned();
  EXPECT_EQ(isInRing(turned).back(), kBoth);
  Product lasting;
  lasting.kernel.tileInputs[1].loopMap = kReplicated;
  EXPECT_EQ(isInRing(lasting).front(), kLeftAlone);
  Product computed;
  computed.sum(computed.kernel.add(
      Opcode::Matmul,
      {computed.lhs,
       computed.kernel.add(
           Opcode::Cast,
           {computed.kernel.add(Opcode::Exp, {computed.rhs}, {{64, 64}})},
           {{64, 64}, ElementType::F16})},
      {{16, 64}}));
  EXPECT_EQ(isInRing(computed).back(), kLeftAlone);
}

/// Of f32, and of f32 with another type, which keeps its ring and yet is not
/// read there by four warps together.
TEST(KernelWork, ProductsInTF32AreTwiceAsManyInstructions) {
  Product half;
  KernelWork::Operation f16 =
      getWork(half.kernel, {half.left, half.right},
              half.kernel.getTypes(half.kernel.getOutputs()))
          .operations.front();
  EXPECT_FALSE(f16.isInTF32);
  for (ElementType left : {ElementType::F32, ElementType::F16}) {
    Product product(ElementType::F32);
    product.kernel.setType(product.lhs,
                           {product.kernel.getType(product.lhs).shape, left});
    auto getProduct = [&] {
      return getWork(product.kernel, {product.left, product.right},
                     product.kernel.getTypes(product.kernel.getOutputs()))
          .operations.front();
    };
    EXPECT_FALSE(getProduct().isOnTensorCores);
    product.kernel.f32Products = F32Products::TF32;
    EXPECT_TRUE(getProduct().isOnTensorCores);
    EXPECT_TRUE(getProduct().isInTF32);
    EXPECT_EQ(getProduct().matrixTiles, 2 * f16.matrixTiles);
    EXPECT_EQ(getProduct().isLeftInRing, left == ElementType::F16);
  }
}

/// As --mirage-plan-shared-memory has it of tiles in the IR.
TEST(KernelWork, TilesOfProductsCanBeBoxed) {
  EXPECT_EQ(Product().canBeBoxed(), kBoth);
  EXPECT_EQ(Product(ElementType::BF16).canBeBoxed(), kBoth);
  Product turned;
  turned.sumTurned();
  EXPECT_EQ(turned.canBeBoxed(), kBoth);
}

/// Steps of warps may, a product without tensor cores among them.
TEST(KernelWork, TilesThatOtherStepsReadCanBeBoxed) {
  Product product;
  product.sum(product.kernel.add(Opcode::Exp, {product.lhs}, {{16, 64}}));
  EXPECT_EQ(product.canBeBoxed(), kBoth);
  Product mixed;
  mixed.sum(mixed.kernel.add(
      Opcode::Matmul,
      {mixed.lhs, mixed.kernel.add(Opcode::Exp, {mixed.rhs}, {{64, 64}})},
      {{16, 64}}));
  EXPECT_EQ(mixed.canBeBoxed(), kBoth);
}

TEST(KernelWork, TilesThatOthersReadAreNotBoxed) {
  Product product;
  product.sum(product.lhs);
  EXPECT_EQ(product.canBeBoxed(), kRightAlone);
  Product moved;
  moved.sum(moved.kernel.add(Opcode::Transpose, {moved.rhs}, {{64, 64}},
                             sumUp({1, 0})));
  EXPECT_EQ(moved.canBeBoxed(), kLeftAlone);
}

/// ldmatrix moves elements of 16 bits, and a product with f32 is none of tensor
/// cores.
TEST(KernelWork, TilesOfOtherElementsAreNotBoxed) {
  EXPECT_EQ(Product(ElementType::F32).canBeBoxed(), kNone);
  EXPECT_EQ(Product(ElementType::F8E4M3FN).canBeBoxed(), kNone);
}

TEST(KernelWork, TilesThatNoBoxIsAreNotBoxed) {
  // Rows of 24 bytes, and rows of a tensor that begin at multiples of 8.
  EXPECT_EQ(Product(ElementType::F16, 12).canBeBoxed(), kLeftAlone);
  Product uneven;
  uneven.right.shape.back() += 4;
  EXPECT_EQ(uneven.canBeBoxed(), kLeftAlone);
}
