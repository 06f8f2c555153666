//===- Module.cpp - A PTX module, ready to run ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Simulator/Module.h"
#include "Program/Decoder.h"
#include "Ptx/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <atomic>

using namespace llvm;

namespace tilewright::sim {

/// Arguments stand one after the other, each at its alignment.
static void layoutParameters(const ParsedModule &parsed,
                             std::vector<Variable> &variables) {
  for (const ParsedFunction &function : parsed.functions) {
    if (!function.isEntry)
      continue;
    uint64_t end = 0;
    for (int32_t symbol : function.params) {
      Variable &param = variables[symbol];
      param.offset = alignTo(end, param.align);
      end = param.offset + param.size;
    }
  }
}

std::string Program::placeOf(uint32_t pc) const {
  if (pc >= infos.size())
    return "its start";
  const InstrInfo &info = infos[pc];
  std::string place =
      "PTX line " + std::to_string(info.line) + " `" + info.shortText() + "`";
  for (auto [depth, source] : enumerate(sourcesOf(pc)))
    place += (depth == 0 ? " of " : ", called from ") + source.file + ":" +
             std::to_string(source.line);
  return place;
}

std::vector<SourcePlace> Program::sourcesOf(uint32_t pc) const {
  std::vector<SourcePlace> places;
  if (pc >= infos.size())
    return places;
  const LocRef &loc = infos[pc].loc;
  if (loc.line == 0 || loc.file >= files.size())
    return places;
  places.push_back({files[loc.file], loc.line, loc.column});
  for (const CallSite &site : callChains[loc.calls]) {
    const bool isNamed = !site.file.empty();
    if (isNamed || site.fileNumber < files.size())
      places.push_back(
          {isNamed ? site.file : files[site.fileNumber], site.line, 0});
  }
  return places;
}

Expected<Module> Module::parse(std::string ptx) {
  static std::atomic<uint64_t> nextIdentity{1};
  auto program = std::make_shared<Program>();
  program->identity = nextIdentity++;
  program->text = std::move(ptx);
  Expected<ParsedModule> parsed = parsePtx(program->text);
  if (!parsed)
    return parsed.takeError();
  program->variables = parsed->variables;
  program->files = parsed->files;
  program->callChains = parsed->callChains;
  program->target = parsed->target;
  layoutParameters(*parsed, program->variables);
  if (Error failure = Decoder(*program, *parsed).run())
    return std::move(failure);
  Module module;
  module.decoded = std::move(program);
  return module;
}

ArrayRef<KernelInfo> Module::kernels() const { return decoded->kernels; }

const KernelInfo *Module::findKernel(StringRef name) const {
  auto it = find_if(decoded->kernels,
                    [&](const KernelInfo &k) { return k.name == name; });
  return it == decoded->kernels.end() ? nullptr : &*it;
}

StringRef Module::target() const { return decoded->target; }

} // namespace tilewright::sim
