//===- glibc.c - What glibc 2.28 lacks of what we are linked with ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM, libstdc++ and libgcc, which are linked statically, were compiled for
// the glibc of the build machine. What they ask for that came after 2.28 is
// here, by means of 2.28. It is part of each library of the package, and seen
// by no other.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

//===----------------------------------------------------------------------===//
// 2.32 and 2.33
//===----------------------------------------------------------------------===//

/// Never, as far as anyone knows who asks.
char __libc_single_threaded = 0;

/// Of x86-64, where the kernel's struct is the library's.
static int statAt(int folder, const char *path, struct stat *status,
                  int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}

int stat(const char *path, struct stat *status) {
  return statAt(AT_FDCWD, path, status, 0);
}

int lstat(const char *path, struct stat *status) {
  return statAt(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int file, struct stat *status) {
  return (int)syscall(SYS_fstat, file, status);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct mallinfo2 mallinfo2(void) {
  struct mallinfo narrow = mallinfo();
  return (struct mallinfo2){
      (unsigned)narrow.arena,    (unsigned)narrow.ordblks,
      (unsigned)narrow.smblks,   (unsigned)narrow.hblks,
      (unsigned)narrow.hblkhd,   (unsigned)narrow.usmblks,
      (unsigned)narrow.fsmblks,  (unsigned)narrow.uordblks,
      (unsigned)narrow.fordblks, (unsigned)narrow.keepcost};
}
#pragma GCC diagnostic pop

//===----------------------------------------------------------------------===//
// 2.30: waits until a time of a clock that is named
//===----------------------------------------------------------------------===//

static int64_t toNanoseconds(const struct timespec *time) {
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static int64_t readClock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return toNanoseconds(&now);
}

/// The time of the wall clock when `clock` will be at `deadline`, as far as is
/// known now. Old waits know no other clock.
static struct timespec toWallClock(clockid_t clock,
                                   const struct timespec *deadline) {
  int64_t wall =
      toNanoseconds(deadline) - readClock(clock) + readClock(CLOCK_REALTIME);
  if (wall < 0)
    wall = 0;
  return (struct timespec){wall / 1000000000, wall % 1000000000};
}

/// Whether a wait that says so has come to its end: the wall clock may have
/// been set meanwhile.
static int isOver(int status, clockid_t clock,
                  const struct timespec *deadline) {
  return status != ETIMEDOUT || readClock(clock) >= toNanoseconds(deadline);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           clockid_t clock, const struct timespec *deadline) {
  int status;
  do {
    struct timespec wall = toWallClock(clock, deadline);
    status = pthread_cond_timedwait(condition, mutex, &wall);
  } while (!isOver(status, clock, deadline));
  return status;
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *deadline) {
  int status;
  do {
    struct timespec wall = toWallClock(clock, deadline);
    status = pthread_mutex_timedlock(mutex, &wall);
  } while (!isOver(status, clock, deadline));
  return status;
}

//===----------------------------------------------------------------------===//
// 2.35: which module has an address. libgcc's unwinder asks.
//===----------------------------------------------------------------------===//

#if __GLIBC_PREREQ(2, 35)

struct Search {
  uintptr_t address;
  struct dl_find_object *result;
};

/// Fills in the result where the module has the address; stops the search then.
static int examineModule(struct dl_phdr_info *module, size_t size, void *data) {
  (void)size;
  struct Search *search = data;
  struct dl_find_object *result = search->result;
  uintptr_t lowest = UINTPTR_MAX, end = 0;
  int isHere = 0;
  result->dlfo_eh_frame = NULL;
  for (unsigned i = 0; i != module->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &module->dlpi_phdr[i];
    uintptr_t from = module->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME)
      result->dlfo_eh_frame = (void *)from;
    if (header->p_type != PT_LOAD)
      continue;
    isHere |= search->address - from < header->p_memsz;
    lowest = from < lowest ? from : lowest;
    end = from + header->p_memsz > end ? from + header->p_memsz : end;
  }
  if (!isHere)
    return 0;
  result->dlfo_flags = 0;
  result->dlfo_map_start = (void *)lowest;
  result->dlfo_map_end = (void *)end;
  // The unwinder reads nothing else of the module.
  result->dlfo_link_map = NULL;
  return 1;
}

int _dl_find_object(void *address, struct dl_find_object *result) {
  struct Search search = {(uintptr_t)address, result};
  int isFound = dl_iterate_phdr(examineModule, &search);
  return isFound && result->dlfo_eh_frame ? 0 : -1;
}

#endif

//===----------------------------------------------------------------------===//
// 2.36
//===----------------------------------------------------------------------===//

uint32_t arc4random(void) {
  uint32_t number;
  // The kernel gives few bytes at once or, before it has any, waits.
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR)
      abort();
  return number;
}

//===----------------------------------------------------------------------===//
// 2.38: functions that read binary numbers too. Headers rename the old ones to
// these, which is why the old ones are declared here.
//===----------------------------------------------------------------------===//

#define SEEN __attribute__((visibility("default")))
#define READ_AS_BEFORE(type, name)                                             \
  SEEN type name##Before(const char *, char **, int) __asm__(#name);           \
  type __isoc23_##name(const char *text, char **end, int base) {               \
    return name##Before(text, end, base);                                      \
  }

READ_AS_BEFORE(long, strtol)
READ_AS_BEFORE(unsigned long, strtoul)
READ_AS_BEFORE(long long, strtoll)
READ_AS_BEFORE(unsigned long long, strtoull)

#pragma GCC visibility pop
