/* A plugin for the harness's own tests: its reader does what the file says.  The file
 * is a word: "ok", "reject", or a way to misbehave. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcts/plugin.h>

/* Volatile, so that no compiler sees what comes. */
static volatile unsigned char seen;
static volatile int zero;
static unsigned char* volatile nowhere = (unsigned char*)8;

static int recurse(volatile char* above) {
  volatile char frame[4096];
  frame[0] = above[0];
  return zero ? 0 : recurse(frame) + frame[0];
}

static void report_header(const gcts_sink* sink) { sink->header(sink->context, 3, 0, 32); }

static void flood(const gcts_sink* sink) {
  static const gcts_string kKey = {"k", 1};
  for (int i = 0; i < 10000000; ++i) {
    const unsigned char value = 0;
    sink->key(sink->context, kKey);
    sink->scalars(sink->context, GCTS_UINT8, &value, 1);
  }
}

static gcts_status misbehave(const char* word, const gcts_read_request* request, const gcts_sink* sink) {
  const unsigned char* data = request->data;
  if (!strcmp(word, "reject")) {
    sink->message(sink->context, "as told");
    return GCTS_REJECTED;
  }
  if (!strcmp(word, "over_read")) seen = data[request->size];
  if (!strcmp(word, "under_read")) seen = data[-4096];
  if (!strcmp(word, "write_input")) ((unsigned char*)request->data)[0] = 1;
  if (!strcmp(word, "null")) seen = *nowhere;
  if (!strcmp(word, "divide")) seen = (unsigned char)(100 / zero);
  if (!strcmp(word, "illegal")) __builtin_trap();
  if (!strcmp(word, "recurse")) seen = (unsigned char)recurse((volatile char*)&seen);
  if (!strcmp(word, "abort")) {
    fputs("the assertion that failed\n", stderr);
    abort();
  }
  if (!strcmp(word, "exit")) exit(0);
  if (!strcmp(word, "kill")) raise(SIGKILL);
  if (!strcmp(word, "spin")) {
    while (!zero) ++seen;
  }
  if (!strcmp(word, "sleep")) sleep(3600);
  if (!strcmp(word, "memory")) {
    // Twice the limit of the tests, then no more CPU time: only the memory is over.
    // Kept where a compiler has to believe that it is used.
    static void* volatile kept;
    for (size_t i = 0; i < 128; ++i) {
      kept = malloc(1 << 20);
      memset(kept, 1, 1 << 20);
    }
    sleep(3600);
  }
  if (!strcmp(word, "leak")) seen = (unsigned char)(size_t)malloc(1000);
  if (!strcmp(word, "leak_fd")) seen = (unsigned char)open("/dev/null", O_RDONLY);
  if (!strcmp(word, "status")) return (gcts_status)77;
  if (!strcmp(word, "array_end")) sink->array_end(sink->context);
  if (!strcmp(word, "flood")) flood(sink);
  if (!strcmp(word, "shout")) {
    for (int i = 0; i < 100000; ++i) puts("a line of forty characters, give or take");
  }
  return GCTS_OK;
}

static gcts_status read_word(const gcts_read_request* request, const gcts_sink* sink) {
  char word[32] = "";
  if (request->size < sizeof(word)) memcpy(word, request->data, request->size);
  report_header(sink);
  return misbehave(word, request, sink);
}

static const gcts_reader kReader = {sizeof(gcts_reader), GCTS_READS_MEMORY, read_word};

static const gcts_plugin kPlugin = {
    .abi_version = GCTS_ABI_VERSION,
    .struct_size = sizeof(gcts_plugin),
    .name = "misbehaving",
    .version = "1",
    .reader = &kReader,
};

GCTS_EXPORT const gcts_plugin* gcts_plugin_entry(void) { return &kPlugin; }
