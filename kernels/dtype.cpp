#include "kernels/dtype.h"

#include <array>
#include <cctype>
#include <string>

#include "base/check.h"

namespace tandem::kernels {
namespace {

struct Entry {
  DType dtype;
  DTypeInfo info;
};

constexpr std::array kEntries{
    Entry{DType::kF32, {"F32", 1, 4}},         Entry{DType::kF16, {"F16", 1, 2}},
    Entry{DType::kBF16, {"BF16", 1, 2}},       Entry{DType::kF64, {"F64", 1, 8}},
    Entry{DType::kF8E4M3, {"F8_E4M3", 1, 1}},  Entry{DType::kF8E5M2, {"F8_E5M2", 1, 1}},
    Entry{DType::kF8E8M0, {"F8_E8M0", 1, 1}},  Entry{DType::kI8, {"I8", 1, 1}},
    Entry{DType::kI16, {"I16", 1, 2}},         Entry{DType::kI32, {"I32", 1, 4}},
    Entry{DType::kI64, {"I64", 1, 8}},         Entry{DType::kU8, {"U8", 1, 1}},
    Entry{DType::kU16, {"U16", 1, 2}},         Entry{DType::kU32, {"U32", 1, 4}},
    Entry{DType::kU64, {"U64", 1, 8}},         Entry{DType::kBool, {"BOOL", 1, 1}},
    Entry{DType::kQ4_0, {"Q4_0", 32, 18}},     Entry{DType::kQ4_1, {"Q4_1", 32, 20}},
    Entry{DType::kQ5_0, {"Q5_0", 32, 22}},     Entry{DType::kQ5_1, {"Q5_1", 32, 24}},
    Entry{DType::kQ8_0, {"Q8_0", 32, 34}},     Entry{DType::kQ2_K, {"Q2_K", 256, 84}},
    Entry{DType::kQ3_K, {"Q3_K", 256, 110}},   Entry{DType::kQ4_K, {"Q4_K", 256, 144}},
    Entry{DType::kQ5_K, {"Q5_K", 256, 176}},   Entry{DType::kQ6_K, {"Q6_K", 256, 210}},
    Entry{DType::kIQ4_NL, {"IQ4_NL", 32, 18}}, Entry{DType::kIQ4_XS, {"IQ4_XS", 256, 136}},
};

constexpr bool entries_follow_the_enum() {
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (static_cast<std::size_t>(kEntries[i].dtype) != i) return false;
  }
  return true;
}
static_assert(entries_follow_the_enum(), "kEntries is indexed by DType: keep both in one order");

}  // namespace

const DTypeInfo& dtype_info(DType dtype) {
  return kEntries[static_cast<std::size_t>(dtype)].info;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const Entry& entry : kEntries) {
    if (entry.info.name == upper) return entry.dtype;
  }
  return std::nullopt;
}

std::int64_t row_bytes(DType dtype, std::int64_t num_elements) {
  const DTypeInfo& info = dtype_info(dtype);
  CHECK(num_elements % info.block_elements == 0, "row is not a whole number of blocks");
  return num_elements / info.block_elements * info.block_bytes;
}

bool is_matrix_dtype(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || dtype >= DType::kQ4_0;
}

}  // namespace tandem::kernels
