//===- Memory.h - Global memory and its shadow ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory, as allocations with gaps between them. Each has three things
// of the same size: the bytes, for each byte whether it was ever written, and a
// shadow of who accessed it last, by which races are found.
//
//   address   | lead |  size bytes   |   gap    |
//             ^ base   ^ begin()                   next allocation
//
// What is beside the bytes belongs to nobody: an access there is a finding.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_MEMORY_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_MEMORY_H

#include "Checks/RaceShadow.h"
#include "tilewright/Simulator/Gpu.h"
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace tilewright::sim {

/// Zeroed memory that the host provides page by page, as it is touched.
struct HostBytes {
  HostBytes() : bytes(nullptr, &std::free) {}
  explicit HostBytes(uint64_t size)
      : bytes(static_cast<uint8_t *>(std::calloc(size + 1, 1)), &std::free) {}
  uint8_t *get() const { return bytes.get(); }
  uint8_t operator[](uint64_t offset) const { return bytes.get()[offset]; }
  void reset() { bytes.reset(); }

private:
  std::unique_ptr<uint8_t, void (*)(void *)> bytes;
};

struct Allocation {
  uint64_t base = 0;   ///< of the bytes and their shadow, a multiple of 256
  uint64_t lead = 0;   ///< bytes from there on that nobody may access
  uint64_t size = 0;   ///< bytes behind these
  uint64_t number = 0; ///< in the order of allocation, for messages
  std::string name;    ///< of a module's variable or by setName(), or empty
  bool isFreed = false;
  bool isVariable = false; ///< of a module
  bool isConstant = false;
  bool isPlaced = false; ///< where the caller wanted it
  bool mayRace = false;  ///< Gpu::allowRaces()
  HostBytes data;
  HostBytes valid; ///< 1 for every byte that was written

  struct LockedPage {
    std::mutex mutex;
    ShadowPage shadow;
  };
  /// Made when a launch with race checks first needs it, and cleared by each.
  std::unique_ptr<LockedPage[]> pages;

  /// "array 'x'", "variable 'v'"; without a name "allocation 3".
  std::string describe() const;
  /// "byte 4 of array 'x'".
  std::string describeByte(uint64_t address) const;
  uint64_t begin() const { return base + lead; }
  bool contains(uint64_t address, uint64_t bytes) const {
    return address - begin() < size && bytes <= size - (address - begin());
  }
  /// How far an address is from the bytes: 0 inside.
  uint64_t distance(uint64_t address) const {
    if (address < begin())
      return begin() - address;
    return address - begin() < size ? 0 : address - begin() - size + 1;
  }
  uint64_t pageCount() const {
    return (lead + size + ShadowPage::bytes - 1) / ShadowPage::bytes;
  }
};

/// The allocations of a device. Not changed during a launch, so lookups need
/// no lock then.
class Memory {
public:
  explicit Memory(GpuLimits limits) : limits(limits) {}

  llvm::Expected<Allocation *> allocate(uint64_t bytes, uint64_t lead = 0);
  llvm::Error allocateAt(uint64_t address, uint64_t bytes);
  llvm::Error free(uint64_t address);
  /// "byte 4 of array 'x'"; empty where the address is in no allocation.
  std::string describeByte(uint64_t address);
  /// The live allocation that is nearest to `address`, or null.
  Allocation *nearest(uint64_t address) const;
  /// The live or freed allocation that is nearest below `address`, or null.
  Allocation *below(uint64_t address);
  llvm::Expected<Allocation *> find(uint64_t address, uint64_t bytes);
  /// Allocates and initialises the variables of a program, once.
  llvm::Error load(const Program &program);
  /// Address of a loaded program's variable.
  uint64_t symbolAddress(const Program &program, int32_t symbol) const;
  void prepareRaceChecks();
  /// Whether any array may race.
  bool mayRace() const;

  const GpuLimits limits;

private:
  llvm::Expected<std::unique_ptr<Allocation>>
  makeAllocation(uint64_t base, uint64_t lead, uint64_t bytes);

  /// By their bases; those that the caller placed, which may have one base, by
  /// where they begin.
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  /// Where the freed ones among them begin, the oldest first.
  std::deque<uint64_t> freed;
  /// Addresses by symbol, for each Program::identity.
  std::map<uint64_t, std::vector<uint64_t>> programs;
  uint64_t nextBase = 0;
  uint64_t nextNumber = 1;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_MEMORY_H
