// Peers: the implementations that the program finds by name.
//
// A peer is a plugin that comes with the program and is an implementation in its own
// right, or an adapter that ./dev peers has installed.  The folder of peers (GCTS_PEERS_DIR,
// or peers beside the build folder of the program) has one folder each:
//
//   NAME/command     the adapter's command line, for --process
//   NAME/left_out    why this machine cannot have it, or what a plugin opens, in one line
//
// An adapter's expected-failure file is xfail.json there, or that of its source folder.

#ifndef GCTS_HARNESS_PEER_H_
#define GCTS_HARNESS_PEER_H_

#include <string>
#include <string_view>
#include <vector>

#include "harness/implementation.h"

namespace gcts {

struct Peer {
  std::string name;
  Launch::Kind kind = Launch::Kind::process;
  std::string locator;  // the plugin's path, or the command line; "" where it is absent
  std::string xfail;    // its expected-failure file; "" if it has none
  std::string absent;   // why it cannot be tested; "" if it can
  std::string left_out;  // why ./dev peers could not install what it stands for; "" if it could
};

// Those that are there and those that could be: plugins first, then adapters by name.
std::vector<Peer> all_peers();

}  // namespace gcts

#endif  // GCTS_HARNESS_PEER_H_
