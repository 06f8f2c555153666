//===- DispatchCall.cpp - One call of a Python kernel ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DispatchCall.h"

#include "Errors.h"
#include "ForkGuard.h"
#include "KernelLaunch.h"
#include "Scalars.h"
#include "tilewright/Compiler/NearestName.h"
#include "llvm/ADT/STLExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// An option that the compiler is told.
struct CompileOption {
  const char *name;
  /// Null: who compiles looks at it.
  PyTypeObject *type;
  /// A kernel that has a parameter of that name is given both, as in Triton.
  bool isShared = false;
  PyObject *key = PyUnicode_InternFromString(name);
};
} // namespace

static const std::array<CompileOption, DispatchCall::numCompileOptions> &
getCompileOptions() {
  using Options = std::array<CompileOption, DispatchCall::numCompileOptions>;
  static const auto *options = new Options{{{"num_warps", &PyLong_Type, true},
                                            {"num_stages", &PyLong_Type, true},
                                            {"debug", &PyBool_Type},
                                            {"target", &PyUnicode_Type},
                                            {"require", nullptr},
                                            {"batch_programs", &PyBool_Type}}};
  return *options;
}

/// Which of them "target" is.
static constexpr size_t targetOption = 3;

std::optional<unsigned> DispatchCall::findSharedOption(llvm::StringRef name) {
  for (auto [index, option] : llvm::enumerate(getCompileOptions()))
    if (option.isShared && name == option.name)
      return index;
  return std::nullopt;
}

static llvm::StringRef toStringRef(PyObject *text) {
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data)
    throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

void DispatchCall::refuse(PyObject *type, const llvm::Twine &why) const {
  raise(type, dispatcher.getName() + ": " + why);
}

/// Options of Triton's that change no result here, but where they ask for
/// something else than what is so.
bool DispatchCall::isIgnoredOption(llvm::StringRef name,
                                   PyObject *value) const {
  auto expect = [&](bool isSo, const char *what) {
    if (!isSo)
      refuse(PyExc_ValueError, llvm::Twine(name) + "=" +
                                   nb::repr(nb::handle(value)).c_str() +
                                   " is not supported: " + what);
    return true;
  };
  if (name == "num_ctas")
    return expect(readCount(value, name, dispatcher.getName()) == 1,
                  "a program is one block");
  if (name == "maxnreg")
    return readCount(value, name, dispatcher.getName()), true;
  if (name == "launch_cooperative_grid")
    return expect(value == Py_False, "blocks need not be resident all at once");
  return name == "enable_fp_fusion" || name == "launch_pdl";
}

void DispatchCall::setCompileOption(unsigned number, PyObject *value) {
  const CompileOption &option = getCompileOptions()[number];
  if (value == Py_None)
    return;
  if (option.type == &PyLong_Type && !PyLong_CheckExact(value))
    value = convertedOptions
                .emplace_back(nb::int_(
                    readCount(value, option.name, dispatcher.getName())))
                .ptr();
  if (option.type && !PyType_IsSubtype(Py_TYPE(value), option.type))
    refuse(PyExc_TypeError,
           llvm::Twine(option.name) + " is to be " +
               nb::str(nb::handle(reinterpret_cast<PyObject *>(option.type))
                           .attr("__name__"))
                   .c_str() +
               ", not " + getTypeName(value));
  compileOptions[number] = value;
}

/// False where there is no such option.
bool DispatchCall::setOtherOption(PyObject *name, PyObject *value) {
  llvm::StringRef text = toStringRef(name);
  if (options.read(text, value, dispatcher.getName()))
    return true;
  if (purpose == Purpose::Warmup && text == "grid")
    return true;
  return value == Py_None || isIgnoredOption(text, value);
}

//===----------------------------------------------------------------------===//
// Which object is which argument
//===----------------------------------------------------------------------===//

/// The place of a parameter, or of an option of the compiler behind them.
std::optional<unsigned> DispatchCall::findPlace(PyObject *name) const {
  llvm::ArrayRef<Parameter> parameters = dispatcher.getParameters();
  // Names are mostly interned; not those that were made while the program ran.
  for (auto [index, parameter] : llvm::enumerate(parameters))
    if (parameter.key.ptr() == name)
      return index;
  llvm::StringRef text = toStringRef(name);
  for (auto [index, parameter] : llvm::enumerate(parameters))
    if (parameter.name == text)
      return index;
  for (auto [index, option] : llvm::enumerate(getCompileOptions()))
    if (text == option.name)
      return parameters.size() + index;
  return std::nullopt;
}

void DispatchCall::place(unsigned number, PyObject *value) {
  if (number >= given.size())
    return setCompileOption(number - given.size(), value);
  const Parameter &parameter = dispatcher.getParameters()[number];
  if (given[number])
    refuse(PyExc_TypeError,
           "'" + parameter.name + "' is given twice, in its place and by name" +
               (isOption(parameter.name)
                    ? ": a parameter of the kernel hides the option of that "
                      "name; call the parameter something else"
                    : ""));
  given[number] = value;
  if (parameter.sharedOption)
    setCompileOption(*parameter.sharedOption, value);
}

bool DispatchCall::isOption(llvm::StringRef name) const {
  return llvm::is_contained(LaunchOptions::names, name) ||
         (purpose == Purpose::Warmup && name == "grid") ||
         llvm::any_of(getCompileOptions(), [&](const CompileOption &option) {
           return name == option.name;
         });
}

std::string DispatchCall::suggest(llvm::StringRef unknown) const {
  std::vector<llvm::StringRef> known;
  for (const Parameter &parameter : dispatcher.getParameters())
    known.push_back(parameter.name);
  for (const CompileOption &option : getCompileOptions())
    known.push_back(option.name);
  llvm::append_range(known, LaunchOptions::names);
  return suggestName(unknown, known);
}

void DispatchCall::bindNamed(PyObject *names, PyObject *const *values) {
  KeywordPlaces &known = dispatcher.keywords;
  if (LLVM_LIKELY(known.names.ptr() == names)) {
    for (auto [index, number] : llvm::enumerate(known.numbers))
      place(number, values[index]);
    return;
  }
  KeywordPlaces found;
  Py_ssize_t count = PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *name = PyTuple_GetItem(names, i);
    if (std::optional<unsigned> number = findPlace(name)) {
      place(*number, values[i]);
      found.numbers.push_back(*number);
    } else if (!setOtherOption(name, values[i])) {
      std::string meant = suggest(toStringRef(name));
      refuse(PyExc_TypeError, "there is no argument or option '" +
                                  toStringRef(name) + "'" + meant +
                                  (meant.empty() ? "; it is " : " It is ") +
                                  dispatcher.getSignature());
    }
  }
  if (found.numbers.size() != static_cast<size_t>(count))
    return;
  found.names = nb::borrow(names);
  std::swap(known, found);
}

void DispatchCall::bind(PyObject *const *objects, size_t count,
                        PyObject *names) {
  llvm::ArrayRef<Parameter> parameters = dispatcher.getParameters();
  if (count > parameters.size())
    refuse(PyExc_TypeError, llvm::Twine(count) +
                                " arguments in their places are too many; it "
                                "is " +
                                dispatcher.getSignature());
  given.assign(parameters.size(), nullptr);
  std::copy(objects, objects + count, given.begin());
  if (names)
    bindNamed(names, objects + count);
  for (auto [parameter, object] : llvm::zip_equal(parameters, given)) {
    if (object)
      continue;
    object = parameter.defaultValue.ptr();
    if (!object)
      refuse(PyExc_TypeError, "'" + parameter.name + "' is missing; it is " +
                                  dispatcher.getSignature());
  }
}

runtime::GridSize DispatchCall::callGrid(PyObject *function) {
  nb::dict meta;
  for (auto [parameter, object] :
       llvm::zip_equal(dispatcher.getParameters(), given))
    meta[parameter.key] = nb::handle(object);
  for (auto [option, value] :
       llvm::zip_equal(getCompileOptions(), compileOptions))
    if (value)
      meta[nb::handle(option.key)] = nb::handle(value);
  try {
    return readGrid(nb::handle(function)(meta), dispatcher.getName());
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_KeyError))
      throw;
    nb::raise_from(error, PyExc_TypeError,
                   "the grid of '%s' asks for %s, which is no argument of this "
                   "launch; it is %s",
                   dispatcher.getName().str().c_str(),
                   nb::str(error.value()).c_str(),
                   dispatcher.getSignature().c_str());
  }
}

namespace {
/// TILEWRIGHT_TARGET of os.environ. What that keeps the names and values in is
/// asked itself: getenv() goes through all of the environment, at each launch.
class TargetOfEnvironment {
public:
  static TargetOfEnvironment &get() {
    static auto *target = new TargetOfEnvironment();
    return *target;
  }

  /// A str that lives until the next call; null where it is not set, or empty.
  PyObject *read();

private:
  TargetOfEnvironment();

  /// The environment, as a dictionary of bytes by bytes; not valid where this
  /// Python has it in another way.
  nb::object values;
  nb::object name = nb::steal(PyBytes_FromString("TILEWRIGHT_TARGET"));
  /// The last value, and its text.
  nb::object value, text;
};
} // namespace

TargetOfEnvironment::TargetOfEnvironment() {
  nb::object environment = nb::module_::import_("os").attr("environ");
  nb::object found = nb::getattr(environment, "_data", nb::none());
  if (PyDict_CheckExact(found.ptr()))
    values = std::move(found);
}

PyObject *TargetOfEnvironment::read() {
  if (LLVM_UNLIKELY(!values.is_valid())) {
    const char *target = std::getenv("TILEWRIGHT_TARGET");
    text = target && *target ? nb::object(nb::str(target)) : nb::object();
    return text.ptr();
  }
  PyObject *now = PyDict_GetItem(values.ptr(), name.ptr());
  if (LLVM_LIKELY(!now))
    return nullptr;
  if (now != value.ptr()) {
    value = nb::borrow(now);
    const char *target = PyBytes_AsString(now);
    if (!target)
      throw nb::python_error();
    text = *target ? nb::object(nb::str(target)) : nb::object();
  }
  return text.ptr();
}

/// Each launch may be for another target.
void DispatchCall::readEnvironment() {
  if (compileOptions[targetOption])
    return;
  environmentTarget = nb::borrow(TargetOfEnvironment::get().read());
  compileOptions[targetOption] = environmentTarget.ptr();
}

void DispatchCall::readArguments() {
  for (auto [parameter, object] :
       llvm::zip_equal(dispatcher.getParameters(), given))
    arguments.read(parameter, object);
  for (auto [index, value] : llvm::enumerate(compileOptions))
    if (value) {
      arguments.getKey().openOption(index);
      arguments.getKey().addConstant(value, getCompileOptions()[index].name);
    }
}

//===----------------------------------------------------------------------===//
// The code
//===----------------------------------------------------------------------===//

/// The arguments of compiled code are those that were described.
void DispatchCall::check(const CompiledCall &code) const {
  auto refuseKernel = [&](const llvm::Twine &why) {
    refuse(PyExc_TypeError,
           "the kernel that was compiled for this call " + why);
  };
  if (code.launches->hasShapes() || code.launches->hasGrid())
    refuseKernel("has clauses, which are of kernels that are called without "
                 "a grid");
  llvm::ArrayRef<spec::Argument> declared = code.launches->getArguments();
  size_t index = 0;
  for (const Leaf &leaf : arguments.getLeaves()) {
    if (leaf.isConstant)
      continue;
    if (index < declared.size() && !leaf.type.fits(declared[index]))
      refuseKernel("takes " + llvm::Twine(spec::getName(declared[index].type)) +
                   (declared[index].isPointer() ? " arrays" : "") + " for '" +
                   declared[index].name + "', not " + leaf.type.getText());
    ++index;
  }
  if (index != declared.size())
    refuseKernel("takes " + llvm::Twine(declared.size()) +
                 " arguments, and the call gives " + llvm::Twine(index));
}

CompiledCall &DispatchCall::compile() {
  DispatchArguments::Description description =
      arguments.describe(dispatcher.getParameters(), given);
  nb::dict chosen;
  for (auto [option, value] :
       llvm::zip_equal(getCompileOptions(), compileOptions))
    if (value)
      chosen[nb::handle(option.key)] = nb::handle(value);
  if (!dispatcher.getCompiler().is_valid())
    refuse(PyExc_RuntimeError, "the kernel is gone");
  CompiledCall code;
  code.handle = stayWherePythonEnds([&] {
    return dispatcher.getCompiler()(description.signature,
                                    description.constants, chosen);
  });
  if (!nb::isinstance<jit::Kernel>(code.handle))
    refuse(PyExc_TypeError, "compile() is to return a tilewright.Kernel, not " +
                                getTypeName(code.handle));
  code.kernel = nb::inst_ptr<jit::Kernel>(code.handle);
  code.launches = unwrap(code.kernel->getLaunches(), "LaunchError");
  check(code);
  unsigned index = 0;
  for (const Leaf &leaf : arguments.getLeaves()) {
    if (leaf.isConstant)
      continue;
    if (!leaf.specializesAlignment)
      code.launches->keepDeclared(index);
    ++index;
  }
  code.noValues = spec::ArgumentBlock(code.launches->getArguments());
  code.key = arguments.getKey();
  return *dispatcher.add(std::move(code));
}

void DispatchCall::checkNames() const {
  if (const WatchedName *changed = dispatcher.findChanged())
    refuse(PyExc_RuntimeError,
           llvm::Twine("'") + nb::str(changed->getShown()).c_str() +
               "' has another value than when the kernel was compiled: pass "
               "it as a parameter, or define the kernel anew");
}

CompiledCall &DispatchCall::findCode() {
  checkNames();
  if (CompiledCall *found = dispatcher.find(arguments.getKey()))
    return *found;
  UnforkedScope unforked;
  std::unique_lock<std::recursive_timed_mutex> lock(
      dispatcher.getCompileMutex(), std::defer_lock);
  while (!lock.try_lock()) {
    // Who holds it may need Python to go on.
    {
      ReleasedLock released;
      std::unique_lock<std::recursive_timed_mutex> turn(
          dispatcher.getCompileMutex(), std::chrono::milliseconds(50));
    }
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
  }
  if (CompiledCall *found = dispatcher.find(arguments.getKey()))
    return *found;
  return compile();
}

void DispatchCall::giveArguments(KernelLaunch &launch) {
  unsigned index = 0;
  for (const Leaf &leaf : arguments.getLeaves()) {
    if (leaf.isConstant)
      continue;
    if (leaf.array && !arguments.hasTypes())
      launch.addArray(index, arguments.getArray(*leaf.array));
    else
      launch.setScalar(index, leaf.bits);
    ++index;
  }
}

/// Launches what was launched last, where the call is the same but for values;
/// else it gives nothing.
nb::object DispatchCall::repeat(const runtime::GridSize &grid) {
  CompiledCall *code = dispatcher.launched;
  if (!code || !code->repeated)
    return {};
  KernelLaunch launch(*code->kernel, *code->launches, code->noValues, options);
  llvm::SmallVector<Array, 6> arrays;
  if (!code->repeated->read(dispatcher.getParameters(), given, compileOptions,
                            launch, arrays))
    return {};
  checkNames();
  launch.run(grid);
  return code->handle;
}

/// Has the next call be compared with this one, where the last one had the same
/// code: calls that alternate gain nothing by it.
void DispatchCall::expectRepetition(CompiledCall &code) {
  if (dispatcher.launched == &code && !code.repeated && code.isRepeatable) {
    code.repeated = RepeatedCall::create(dispatcher.getParameters(), given,
                                         compileOptions, arguments);
    code.isRepeatable = code.repeated.has_value();
  }
  dispatcher.launched = &code;
}

nb::object DispatchCall::launch(const runtime::GridSize &grid) {
  if (llvm::is_contained(grid, 0))
    return nb::none();
  readEnvironment();
  if (nb::object launched = repeat(grid); LLVM_LIKELY(launched.is_valid()))
    return launched;
  readArguments();
  CompiledCall &code = findCode();
  KernelLaunch launch(*code.kernel, *code.launches, code.noValues, options);
  giveArguments(launch);
  expectRepetition(code);
  launch.run(grid);
  return code.handle;
}

nb::object DispatchCall::prepare() {
  readEnvironment();
  readArguments();
  const CompiledCall &code = findCode();
  KernelLaunch launch(*code.kernel, *code.launches, code.noValues, options);
  giveArguments(launch);
  launch.prepare(/*isAbstract=*/arguments.hasTypes());
  return code.handle;
}
