// The parts of the plugin that plugin.cc puts into its table.

#ifndef GCTS_PLUGINS_GGML_PLUGIN_PARTS_H_
#define GCTS_PLUGINS_GGML_PLUGIN_PARTS_H_

#include <vector>

#include "gcts/plugin.h"

namespace peer {

gcts_status read_file(const gcts_read_request* request, const gcts_sink* sink) noexcept;
gcts_status write_file(const gcts_write_request* request, const gcts_output* output) noexcept;

// Each appends rows; their contexts live as long as the process.
void add_row_kernels(std::vector<gcts_kernel>& out);
void add_matmuls(std::vector<gcts_kernel>& out);

// What a matrix product or dot product of weights of this type and activations of that
// one claims, for a variant.
gcts_accuracy dot_accuracy(int type, int activation_type, const char* variant);
// The CPU features that a variant is built for, in cpu_features' names.
const char* variant_features(const char* variant);

}  // namespace peer

#endif  // GCTS_PLUGINS_GGML_PLUGIN_PARTS_H_
