// The element type ids of GGUF tensor infos and what this program knows about each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/dtype.h"

namespace tandem::engine {

struct GgufType {
  std::uint32_t id = 0;
  std::string_view name;                // ggml's spelling: "Q4_K"
  std::optional<kernels::DType> dtype;  // nullopt: known by name only, or removed from the format
  bool removed = false;                 // the id was given up; no current file uses it
};

// The type with this id; null when the format has never assigned it.
const GgufType* gguf_type(std::uint32_t id);

// The id a GGUF file stores for `dtype`; nullopt for types GGUF has no id for (F8, unsigned integers, BOOL).
std::optional<std::uint32_t> gguf_type_id(kernels::DType dtype);

}  // namespace tandem::engine
