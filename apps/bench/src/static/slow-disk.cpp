// Simulates a slow disk. With LD_PRELOAD, each file system call on a path below FW_SLOW_DIRECTORY takes FW_SLOW_MS
// milliseconds. Counts the delayed calls of the main thread, which runs the event loop, in the 8-byte file FW_SLOW_REPORT.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

long *waits_of_event_loop() {
  const int file = open(std::getenv("FW_SLOW_REPORT"), O_RDWR);
  void *const memory = mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<long *>(memory);
}

void wait_for_disk(const char *path) {
  static const char *const directory = std::getenv("FW_SLOW_DIRECTORY");
  static const char *const milliseconds = std::getenv("FW_SLOW_MS");
  if (!path || !directory || !milliseconds || std::strncmp(path, directory, std::strlen(directory)) != 0) return;
  static long *const waits = waits_of_event_loop();
  if (waits && gettid() == getpid()) ++*waits;
  timespec left{std::atol(milliseconds) / 1000, std::atol(milliseconds) % 1000 * 1'000'000};
  while (nanosleep(&left, &left) != 0) {
  }
}

template <typename Function> Function real(Function, const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

// libuv calls statx by its system call number.
long syscall(long number, ...) noexcept {
  static const auto next = real(&syscall, "syscall");
  long argument[6];
  va_list rest;
  va_start(rest, number);
  for (long &each : argument) each = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_statx) wait_for_disk(reinterpret_cast<const char *>(argument[1]));
  return next(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

char *realpath(const char *__restrict path, char *__restrict resolved) noexcept {
  static const auto next = real(&realpath, "realpath");
  wait_for_disk(path);
  return next(path, resolved);
}

int open(const char *path, int flags, ...) {
  static const auto next = real(&open, "open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  wait_for_disk(path);
  return next(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open(path, flags | O_LARGEFILE, mode);
}
}
