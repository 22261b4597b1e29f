// Measures spdlog like measure.ts and prints the figure: spdlog <mode> <chunk|burst|disabled> <path> <calls> <warm-up>.
// Modes: "buffered" (the default of spdlog) collects lines in the buffer of a FILE; "flush" writes each line before the
// call returns; "async" uses a queue and a thread, and the caller waits while the queue is full.
#define SPDLOG_LEVEL_NAMES {"TRACE", "DEBUG", "INFO ", "WARN ", "ERROR", "FATAL", "OFF"}
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static const char *const HOST = "127.0.0.1";
static const int CHUNK = 100;

static double nanoseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
}

static double median(std::vector<double> measured) {
  std::sort(measured.begin(), measured.end());
  return measured[measured.size() / 2];
}

static std::shared_ptr<spdlog::logger> make(const std::string &mode, const spdlog::sink_ptr &sink) {
  std::shared_ptr<spdlog::logger> logger;
  if (mode == "async") {
    spdlog::init_thread_pool(65536, 1);
    logger = std::make_shared<spdlog::async_logger>("bench", sink, spdlog::thread_pool(),
                                                    spdlog::async_overflow_policy::block);
  } else if (mode == "buffered" || mode == "flush") {
    logger = std::make_shared<spdlog::logger>("bench", sink);
    if (mode == "flush") logger->flush_on(spdlog::level::info);
  } else {
    throw std::invalid_argument("Unknown mode '" + mode + "'");
  }
  logger->set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%l] %v");
  logger->set_level(spdlog::level::info);
  return logger;
}

// Returns the nanoseconds of the calls in the median chunk.
static double chunks(spdlog::logger &logger, long from, long to) {
  std::vector<double> measured;
  for (long n = from; n < to; n += CHUNK) {
    const auto before = Clock::now();
    for (long at = n; at < n + CHUNK; at++) logger.info("listening on {}:{}", HOST, at);
    measured.push_back(nanoseconds(before));
    std::this_thread::yield();
  }
  return median(measured);
}

static double disabled(spdlog::logger &logger, long calls) {
  std::vector<double> measured;
  for (int part = 0; part < 100; part++) {
    const auto before = Clock::now();
    for (long n = 0; n < calls / 100; n++) logger.debug("listening on {}:{}", HOST, n);
    measured.push_back(nanoseconds(before));
  }
  return *std::min_element(measured.begin(), measured.end()) * 100 / static_cast<double>(calls);
}

// Returns when all records are in the file.
static void end(spdlog::sinks::sink &sink) {
  // Drains the queue and ends the thread.
  spdlog::shutdown();
  sink.flush();
}

int main(int argc, char **argv) {
  if (argc != 6) throw std::invalid_argument("Expected five arguments");
  const std::string mode = argv[1], what = argv[2], path = argv[3];
  const long count = std::stol(argv[4]), warm = std::stol(argv[5]);
  const auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  const auto logger = make(mode, sink);
  double value = 0;
  if (what == "disabled") {
    value = disabled(*logger, count);
    end(*sink);
  } else if (what == "chunk") {
    chunks(*logger, 0, warm);
    value = chunks(*logger, warm, count) / CHUNK;
    end(*sink);
  } else {
    chunks(*logger, 0, warm);
    const auto before = Clock::now();
    for (long n = warm; n < count; n++) logger->info("listening on {}:{}", HOST, n);
    end(*sink);
    value = static_cast<double>(count - warm) / nanoseconds(before) * 1e9;
  }
  std::printf("%f", value);
}
