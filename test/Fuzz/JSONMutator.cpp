//===- JSONMutator.cpp - Changes JSON by values ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What libFuzzer changes by itself are bytes, of which few changes are JSON,
// and fewer change a number into one that fits elsewhere. Here values are
// exchanged for others of the document or at an edge, doubled and left out.
// What stands behind the document, from a line that starts with "//---" on,
// stays.

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <random>

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using RandomEngine = std::minstd_rand;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static size_t pick(RandomEngine &random, size_t count) {
  return random() % count;
}

/// A value and all inside it.
static void listValues(Value &value, std::vector<Value *> &values) {
  values.push_back(&value);
  if (Array *array = value.getAsArray())
    for (Value &element : *array)
      listValues(element, values);
  if (Object *object = value.getAsObject())
    for (auto &member : *object)
      listValues(member.second, values);
}

static Value makeEdge(RandomEngine &random) {
  switch (pick(random, 16)) {
  case 0:
    return nullptr;
  case 1:
    return true;
  case 2:
    return "";
  case 3:
    return "-inf";
  case 4:
    return 0.5;
  case 5:
    return Array();
  case 6:
    return Object();
  case 7:
    return INT64_MAX;
  case 8:
    return INT64_MIN;
  case 9:
    return int64_t(1) << pick(random, 63);
  default:
    return int64_t(pick(random, 12)) - 2;
  }
}

/// An element or a member is doubled or left out, where there is one.
static void resize(Value &value, RandomEngine &random) {
  if (Array *array = value.getAsArray(); array && !array->empty()) {
    size_t at = pick(random, array->size());
    if (pick(random, 2)) {
      Value copy = (*array)[at];
      array->insert(array->begin() + at, std::move(copy));
    } else {
      array->erase(array->begin() + at);
    }
  } else if (Object *object = value.getAsObject(); object && !object->empty()) {
    auto member = object->begin();
    std::advance(member, pick(random, object->size()));
    object->erase(member);
  }
}

static void change(Value &document, RandomEngine &random) {
  std::vector<Value *> values;
  listValues(document, values);
  Value &place = *values[pick(random, values.size())];
  if (pick(random, 4) == 0)
    return resize(place, random);
  if (std::optional<int64_t> number = place.getAsInteger();
      number && pick(random, 3) == 0) {
    uint64_t bits = *number;
    place = int64_t(pick(random, 2) ? bits * 2 : bits + pick(random, 5) - 2);
    return;
  }
  // The place may be inside what it becomes: a copy first.
  Value other =
      pick(random, 3) ? *values[pick(random, values.size())] : makeEdge(random);
  place = std::move(other);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  RandomEngine random(seed);
  StringRef text(reinterpret_cast<const char *>(data), size);
  size_t end = std::min(text.find("//---"), size);
  llvm::Expected<Value> document = llvm::json::parse(text.take_front(end));
  if (!document || pick(random, 8) == 0) {
    llvm::consumeError(document.takeError());
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  for (size_t left = 1 + pick(random, 3); left > 0; --left)
    change(*document, random);
  std::string changed;
  llvm::raw_string_ostream(changed) << *document << '\n' << text.substr(end);
  if (changed.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
