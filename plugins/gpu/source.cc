// Puts each program together: the shared pieces, the lattices that it needs, its own line.

#include "source.h"

#include <string_view>

namespace gpu {
namespace {

// The files of source/, as embed.cmake writes them.
#include "embedded_source.inc"

struct Lattice {
  std::string_view name, count, entries;
};
constexpr Lattice kLattices[] = {
#define LATTICE(name, count, width, ...) {#name, #count, #__VA_ARGS__},
#include "../cpu/lattices.inc"
#undef LATTICE
};

// "iq2xxs" for codes_iq2_xxs: the lattice that a line needs, if any.
bool needs(std::string_view line, std::string_view lattice) {
  std::string name(lattice);
  name.insert(3, "_");
  return line.find(name + ",") != std::string_view::npos || (lattice == "iq1s" && line.find("iq1_m,") != std::string_view::npos);
}

}  // namespace

std::string source_of(const Program& program) {
  std::string text(kDialect);
  for (const Lattice& lattice : kLattices) {
    if (!needs(program.line, lattice.name)) continue;
    text += "#define GPU_HAS_" + std::string(lattice.name) + "\nGPU_TABLE ushort kLattice_" + std::string(lattice.name) + "[" +
            std::string(lattice.count) + "] = {" + std::string(lattice.entries) + "};\n";
  }
  for (const std::string_view part : {kCodes, kLatticesSource, kValues, kDequantize, kProducts, kTiles, kRequantized, kCeilings}) text += part;
  text += program.line;
  text += "\n";
  return text;
}

}  // namespace gpu
