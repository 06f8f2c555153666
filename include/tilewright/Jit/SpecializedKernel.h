//===- SpecializedKernel.h - A kernel in variants for launches --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that is launched again and again, with code made for its arguments.
// The first launch with a new key asks for a variant and loads it; the others
// find it:
//
//   auto kernel = SpecializedKernel::create(
//       description, [&](const VariantKey &key) {
//         return &variant.image;         // an Expected<const KernelImage *>
//       });
//   auto plan = (*kernel)->plan({0, 0, 4096, 4096});
//   (*plan)->extents[0]                         // 4096, 4096
//   Error broken = (*kernel)->verifyPromises(arguments);
//   Error error = (*kernel)->launch({device, arguments, *(*plan)->grid});
//
// What depends on the scalars alone, the grid and the extents, is kept too, so
// that a repeated launch is a few look-ups.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_JIT_SPECIALIZEDKERNEL_H
#define TILEWRIGHT_JIT_SPECIALIZEDKERNEL_H

#include "tilewright/Jit/VariantKey.h"
#include "tilewright/Runtime/Device.h"
#include "tilewright/Runtime/Divisibility.h"
#include "tilewright/Runtime/Overlap.h"
#include "tilewright/Spec/KernelSpec.h"
#include "llvm/ADT/StringMap.h"
#include <atomic>
#include <functional>
#include <map>
#include <mutex>

namespace tilewright::jit {

/// What the scalars of a launch say.
struct LaunchPlan {
  /// The extents of the tensors, by argument; empty for scalars.
  std::vector<llvm::SmallVector<int64_t>> extents;
  /// Nothing where the kernel declares no grid.
  std::optional<runtime::GridSize> grid;
};

/// Where the value of an integer argument can be read off: the extent of a
/// tensor, counted from the outermost.
struct SizeSource {
  unsigned argument;
  unsigned axis;
};

class SpecializedKernel {
public:
  /// Finds or makes the code that relies on a key. It stays where it is.
  using VariantCompiler =
      std::function<llvm::Expected<const runtime::KernelImage *>(
          const VariantKey &)>;

  /// Puts the code of a variant on a device.
  using VariantLoader =
      std::function<llvm::Expected<std::unique_ptr<runtime::LoadedKernel>>(
          runtime::Device &, const VariantKey &, const runtime::KernelImage &)>;

  /// A kernel that declares neither shapes nor a grid is fine: its launches
  /// bring a grid, and its tensors are whatever they are. With `specializes`
  /// off, all launches use one variant, which relies on what the arguments of
  /// `description` say. Variants rely on at most `mostDivisibility`.
  static llvm::Expected<std::unique_ptr<SpecializedKernel>>
  create(const spec::KernelDescription &description, VariantCompiler compile,
         bool specializes = true,
         unsigned mostDivisibility = runtime::maxDivisibility);

  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<spec::Argument> getArguments() const { return arguments; }
  bool hasShapes() const { return spec.has_value(); }
  bool hasGrid() const { return declaresGrid; }
  /// How the kernel declares a tensor: "A[M, N]"; its name without a shape.
  llvm::StringRef getShapeText(unsigned argument) const {
    return shapeTexts[argument];
  }
  /// Where the shapes alone tell the value of an argument.
  const std::optional<SizeSource> &getSizeSource(unsigned argument) const {
    return sizeSources[argument];
  }

  /// `bits`: the scalars, one number an argument, in the bits of its type; 0
  /// for pointers. Any thread may ask.
  llvm::Expected<std::shared_ptr<const LaunchPlan>>
  plan(llvm::ArrayRef<uint64_t> bits);

  /// Has devices load variants by this, in place of Device::load(). Before the
  /// first launch.
  void setLoader(VariantLoader newLoader) { loader = std::move(newLoader); }
  /// Says that the code of variants is likely to be found, and not to be made:
  /// no device prepares for PTX.
  void expectCached() { isCached = true; }

  /// Has all launches rely on what the kernel says that an argument is a
  /// multiple of, and no more. Before the first of them.
  void keepDeclared(unsigned argument);

  /// Fails where an argument is no multiple of what all launches rely on. Of
  /// arguments that are copied for a launch, those that are copied count.
  llvm::Error verifyPromises(const spec::ArgumentBlock &arguments) const;

  /// Compares the memory of a launch's tensors. Fails where it breaks what all
  /// launches rely on; else says what variant they may have.
  llvm::Expected<runtime::Overlap>
  compareTensors(llvm::ArrayRef<runtime::TensorArgument> tensors) const;

  struct Launch {
    runtime::Device &device;
    const spec::ArgumentBlock &arguments;
    runtime::GridSize grid;
    /// What compareTensors() says, if anybody knows.
    runtime::Overlap overlap = {};
    uintptr_t stream = 0;
    runtime::Interrupt *interrupt = nullptr;
  };
  /// Compiles the variant of such a launch, for no device yet.
  llvm::Error prepare(const spec::ArgumentBlock &values,
                      runtime::Overlap overlap);

  /// The variant of such a launch, where the device has it: null else, and
  /// where the arguments are not the kernel's. Waits for moments only.
  runtime::LoadedKernel *find(const Launch &launch);

  /// Starts the variant for these arguments, which may take its compilation; a
  /// grid without blocks starts nothing. What verifyPromises() checks holds.
  /// Any thread may launch; `device` must live as long as the kernel.
  llvm::Error launch(const Launch &launch);

private:
  SpecializedKernel() = default;

  llvm::Error setSpec(const spec::KernelDescription &description);
  void findSizeSources();
  llvm::Expected<VariantKey> makeKey(const spec::ArgumentBlock &values,
                                     runtime::Overlap overlap) const;
  /// The same of as many values as there are arguments.
  VariantKey makeKeyOf(const spec::ArgumentBlock &values,
                       runtime::Overlap overlap) const;
  /// The key of a launch that may divide its products, or have neighbours
  /// copy together.
  void divideProducts(VariantKey &key, const Launch &launch) const;
  unsigned chooseParts(const Launch &launch, bool areLoaded) const;
  /// Of what the products read.
  bool hasRows(const Launch &launch, bool (*test)(int64_t rowBytes)) const;
  /// Whether the launch cannot have this code, or should not; then the key is
  /// of code with less.
  bool reduceKey(VariantKey &key, const runtime::LoadedKernel &variant,
                 const Launch &launch) const;
  /// Whether launches that cannot have these maps may do without.
  llvm::Error allowWithout(llvm::ArrayRef<spec::TensorMap> maps,
                           const spec::ArgumentBlock &values) const;
  /// A variant on a device. Once it is there it stays.
  struct LoadedVariant {
    const runtime::Device *device;
    VariantKey key;
    std::unique_ptr<runtime::LoadedKernel> kernel;
  };
  runtime::LoadedKernel *findLoaded(const runtime::Device &device,
                                    const VariantKey &key);
  llvm::Expected<runtime::LoadedKernel *> load(runtime::Device &device,
                                               const VariantKey &key);
  /// Found, or loaded for this launch.
  llvm::Expected<runtime::LoadedKernel *> getLoaded(const Launch &launch,
                                                    const VariantKey &key);

  /// Has launches check what the kernel promises of arguments.
  void setPromised();

  std::string name;
  std::vector<spec::Argument> arguments;
  /// Nothing where the kernel declares no shapes.
  std::optional<spec::KernelSpec> spec;
  bool declaresGrid = false;
  /// Their divisibility and their bounds are what all launches rely on; empty
  /// where they rely on none.
  std::vector<spec::Argument> promised;
  /// Whether launches that can have no tensor maps are refused.
  bool requiresTensorMaps = false;
  /// Whether code for disjoint tensors can be other code.
  bool dependsOnOverlap = false;
  unsigned mostDivisibility = runtime::maxDivisibility;
  /// The argument at which the loop of products ends
  /// (spec::Argument::productStep), if there is one.
  std::optional<unsigned> endOfProducts;
  std::vector<std::string> shapeTexts;
  std::vector<std::optional<SizeSource>> sizeSources;
  VariantCompiler compile;
  /// Null: Device::load().
  VariantLoader loader;
  bool isCached = false;

  /// Held for moments only.
  std::mutex cacheMutex;
  /// Plans by the bytes of the scalars.
  llvm::StringMap<std::shared_ptr<const LaunchPlan>> plans;
  std::map<const runtime::Device *,
           llvm::StringMap<std::unique_ptr<LoadedVariant>>>
      loaded;
  /// The one of the last launch, for who launches it again: without the mutex.
  std::atomic<const LoadedVariant *> last = nullptr;
  /// Held while a variant is loaded, so that none is loaded twice.
  std::mutex loadMutex;
};

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_SPECIALIZEDKERNEL_H
