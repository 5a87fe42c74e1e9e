// The reader of the template, as the plugin's table names it.

#ifndef TEMPLATE_READER_H_
#define TEMPLATE_READER_H_

#include <gcts/plugin.h>

gcts_status template_read(const gcts_read_request* request, const gcts_sink* sink);

#endif  // TEMPLATE_READER_H_
