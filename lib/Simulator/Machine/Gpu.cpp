//===- Gpu.cpp - Simulated device memory ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Simulator/Gpu.h"
#include "Machine/Hex.h"
#include "Machine/Memory.h"
#include "Program/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;

namespace tilewright::sim {

/// Between allocations, so that a small overrun never meets a neighbour.
static constexpr uint64_t guardBytes = 65536;
static constexpr uint64_t allocationAlign = 256;
/// Freed allocations that are still known as such.
static constexpr size_t rememberedFrees = 256;
static constexpr uint64_t largestPoison = uint64_t(1) << 26;

Expected<std::unique_ptr<Allocation>>
Memory::makeAllocation(uint64_t base, uint64_t lead, uint64_t bytes) {
  auto allocation = std::make_unique<Allocation>();
  allocation->base = base;
  allocation->lead = lead;
  allocation->size = bytes;
  allocation->number = nextNumber++;
  // Half of the address space is more than any host has.
  if (bytes < uint64_t(1) << 46) {
    allocation->data = HostBytes(lead + bytes);
    allocation->valid = HostBytes(lead + bytes);
  }
  if (!allocation->data.get() || !allocation->valid.get())
    return createStringError("the host has no memory for " + Twine(bytes) +
                             " bytes of simulated memory");
  // Bytes that nothing wrote look like nothing useful, unless that would make
  // the host provide a lot of memory.
  if (bytes <= largestPoison)
    std::memset(allocation->data.get(), 0xCD, lead + bytes);
  return allocation;
}

Expected<Allocation *> Memory::allocate(uint64_t bytes, uint64_t lead) {
  if (nextBase == 0)
    nextBase = window::global;
  Expected<std::unique_ptr<Allocation>> allocation =
      makeAllocation(nextBase, lead, bytes);
  if (!allocation)
    return allocation.takeError();
  nextBase = alignTo(nextBase + lead + bytes + guardBytes, allocationAlign);
  Allocation *result = allocation->get();
  allocations[result->base] = std::move(*allocation);
  return result;
}

Error Memory::allocateAt(uint64_t address, uint64_t bytes) {
  if (bytes == 0)
    return createStringError("no bytes are placed at " + hex(address));
  const uint64_t last = address + (bytes - 1);
  if (address == 0 || last < address ||
      window::spaceOf(address) != Space::Global ||
      window::spaceOf(last) != Space::Global)
    return createStringError(Twine(bytes) + " bytes at " + hex(address) +
                             " do not lie in global memory");
  if (const Allocation *other = below(last);
      other && other->begin() + other->size > address)
    return createStringError(Twine(bytes) + " bytes at " + hex(address) +
                             " overlap allocation " + Twine(other->number));
  const uint64_t lead = address % allocationAlign;
  Expected<std::unique_ptr<Allocation>> allocation =
      makeAllocation(address - lead, lead, bytes);
  if (!allocation)
    return allocation.takeError();
  (*allocation)->isPlaced = true;
  allocations[address] = std::move(*allocation);
  return Error::success();
}

Error Memory::free(uint64_t address) {
  Allocation *allocation = below(address);
  if (!allocation || allocation->begin() != address)
    return createStringError(hex(address) + " is not an allocation");
  if (allocation->isFreed)
    return createStringError("the allocation at " + hex(address) +
                             " was freed before");
  if (allocation->isPlaced) {
    allocations.erase(address);
    return Error::success();
  }
  allocation->isFreed = true;
  allocation->data.reset();
  allocation->valid.reset();
  allocation->pages.reset();
  // Launches look at every allocation, and there may be a million launches.
  freed.push_back(allocation->base);
  if (freed.size() > rememberedFrees) {
    allocations.erase(freed.front());
    freed.pop_front();
  }
  return Error::success();
}

Allocation *Memory::below(uint64_t address) {
  auto it = allocations.upper_bound(address);
  return it == allocations.begin() ? nullptr : std::prev(it)->second.get();
}

Allocation *Memory::nearest(uint64_t address) const {
  Allocation *nearest = nullptr;
  for (const auto &[base, allocation] : allocations)
    if (!allocation->isFreed && (!nearest || allocation->distance(address) <
                                                 nearest->distance(address)))
      nearest = allocation.get();
  return nearest;
}

Expected<Allocation *> Memory::find(uint64_t address, uint64_t bytes) {
  Allocation *allocation = below(address);
  const bool touches =
      allocation && (allocation->contains(address, bytes) ||
                     (bytes == 0 && address == allocation->begin()));
  if (touches && !allocation->isFreed)
    return allocation;
  return createStringError(
      Twine(bytes) + " bytes at " + hex(address) +
      (touches ? " were freed" : " do not lie in one allocation"));
}

std::string Memory::describeByte(uint64_t address) {
  const Allocation *allocation = below(address);
  if (!allocation || !allocation->contains(address, 1))
    return "";
  return allocation->describeByte(address);
}

std::string Allocation::describe() const {
  if (name.empty())
    return "allocation " + std::to_string(number);
  return (isVariable ? "variable '" : "array '") + name + "'";
}

std::string Allocation::describeByte(uint64_t address) const {
  return "byte " + std::to_string(address - begin()) + " of " + describe();
}

Error Memory::load(const Program &program) {
  if (programs.count(program.identity))
    return Error::success();
  std::vector<uint64_t> addresses(program.variables.size(), 0);
  for (size_t i = 0; i != program.variables.size(); ++i) {
    const Variable &variable = program.variables[i];
    if (variable.isExtern ||
        (variable.space != Space::Global && variable.space != Space::Const))
      continue;
    Expected<Allocation *> allocation = allocate(variable.size);
    if (!allocation)
      return allocation.takeError();
    (*allocation)->name = variable.name;
    (*allocation)->isVariable = true;
    (*allocation)->isConstant = variable.space == Space::Const;
    // PTX zeroes variables that have no initialiser.
    std::memset((*allocation)->data.get(), 0, variable.size);
    std::memset((*allocation)->valid.get(), 1, variable.size);
    if (!variable.init.empty())
      std::memcpy((*allocation)->data.get(), variable.init.data(),
                  variable.size);
    addresses[i] = (*allocation)->base;
  }
  for (size_t i = 0; i != program.variables.size(); ++i)
    for (const Relocation &relocation : program.variables[i].relocations) {
      uint64_t target = 0;
      for (size_t j = 0; j != program.variables.size(); ++j)
        if (program.variables[j].name == relocation.symbol)
          target = addresses[j];
      if (target == 0)
        return createStringError(
            "the initialiser of '" + program.variables[i].name + "' needs '" +
            relocation.symbol + "', which is not a global variable");
      target += static_cast<uint64_t>(relocation.addend);
      std::memcpy(below(addresses[i])->data.get() + relocation.offset, &target,
                  sizeof(target));
    }
  programs[program.identity] = std::move(addresses);
  return Error::success();
}

uint64_t Memory::symbolAddress(const Program &program, int32_t symbol) const {
  return programs.at(program.identity)[symbol];
}

bool Memory::mayRace() const {
  return any_of(allocations, [](const auto &entry) {
    return !entry.second->isFreed && entry.second->mayRace;
  });
}

void Memory::prepareRaceChecks() {
  for (auto &[base, allocation] : allocations) {
    if (allocation->isFreed || allocation->isConstant)
      continue;
    if (!allocation->pages)
      allocation->pages =
          std::make_unique<Allocation::LockedPage[]>(allocation->pageCount());
    else
      for (uint64_t i = 0; i != allocation->pageCount(); ++i)
        allocation->pages[i].shadow.clear();
  }
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

Gpu::Gpu(GpuLimits limits) : state(std::make_unique<Memory>(limits)) {}
Gpu::~Gpu() = default;
Gpu::Gpu(Gpu &&) noexcept = default;
Gpu &Gpu::operator=(Gpu &&) noexcept = default;

const GpuLimits &Gpu::limits() const { return state->limits; }

Expected<uint64_t> Gpu::allocate(uint64_t bytes, uint64_t offset) {
  Expected<Allocation *> allocation =
      state->allocate(bytes, offset % allocationAlign);
  if (!allocation)
    return allocation.takeError();
  return (*allocation)->begin();
}

Error Gpu::allocateAt(uint64_t address, uint64_t bytes) {
  return state->allocateAt(address, bytes);
}

/// The live allocation that begins there, or null.
static Allocation *findBegin(Memory &memory, uint64_t address) {
  Allocation *allocation = memory.below(address);
  const bool begins =
      allocation && allocation->begin() == address && !allocation->isFreed;
  return begins ? allocation : nullptr;
}

void Gpu::setName(uint64_t address, StringRef name) {
  if (Allocation *allocation = findBegin(*state, address))
    allocation->name = name.str();
}

void Gpu::allowRaces(uint64_t address) {
  if (Allocation *allocation = findBegin(*state, address))
    allocation->mayRace = true;
}

Error Gpu::free(uint64_t address) { return state->free(address); }

Error Gpu::write(uint64_t address, ArrayRef<uint8_t> bytes) {
  Expected<Allocation *> allocation = state->find(address, bytes.size());
  if (!allocation)
    return allocation.takeError();
  const uint64_t offset = address - (*allocation)->base;
  llvm::copy(bytes, (*allocation)->data.get() + offset);
  std::memset((*allocation)->valid.get() + offset, 1, bytes.size());
  return Error::success();
}

Error Gpu::fill(uint64_t address, uint8_t value, uint64_t bytes) {
  Expected<Allocation *> allocation = state->find(address, bytes);
  if (!allocation)
    return allocation.takeError();
  const uint64_t offset = address - (*allocation)->base;
  std::memset((*allocation)->data.get() + offset, value, bytes);
  std::memset((*allocation)->valid.get() + offset, 1, bytes);
  return Error::success();
}

Error Gpu::forget(uint64_t address, uint64_t bytes) {
  Expected<Allocation *> allocation = state->find(address, bytes);
  if (!allocation)
    return allocation.takeError();
  const uint64_t offset = address - (*allocation)->base;
  std::memset((*allocation)->valid.get() + offset, 0, bytes);
  return Error::success();
}

Error Gpu::read(uint64_t address, MutableArrayRef<uint8_t> bytes) const {
  Expected<Allocation *> allocation = state->find(address, bytes.size());
  if (!allocation)
    return allocation.takeError();
  std::memcpy(bytes.data(),
              (*allocation)->data.get() + (address - (*allocation)->base),
              bytes.size());
  return Error::success();
}

Expected<uint64_t> Gpu::symbolAddress(const Module &module, StringRef name) {
  const Program &program = module.program();
  if (Error failure = state->load(program))
    return std::move(failure);
  for (size_t i = 0; i != program.variables.size(); ++i)
    if (program.variables[i].name == name &&
        (program.variables[i].space == Space::Global ||
         program.variables[i].space == Space::Const))
      return state->symbolAddress(program, static_cast<int32_t>(i));
  return createStringError("the module has no variable '" + name + "'");
}

} // namespace tilewright::sim
